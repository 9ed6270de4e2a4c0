package session

import (
	"slices"
	"testing"

	"rths/scenario"
)

// The operator is told once of an analysis that gives no target for 2 s, and when it goes on.
// The operator is not told of one that has ended.
func TestAwaited(t *testing.T) {
	s, err := scenario.Parse("x.yaml",
		[]byte("name: x\nrate_hz: 10\nduration_s: 1\ntiming: {target: next}\nstructure: {kind: external, dt_s: "+
			"0.2}\nspecimen: {kind: linear, stiffness: 1e5}\ntransfer: {kind: ideal}\ncompensator: {kind: none}\n"), ".", nil)
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	a := newAwaited(s, map[string]int{"at_target": 0, "new_target": 1, "client_ended": 2},
		func(text string) { told = append(told, text) })
	rows := func(n int, row ...float64) {
		for range n {
			a.see(row)
		}
	}
	const silent, on = "the analysis has given no target for 2 s: the path stands until one comes; Ctrl-C ends the test",
		"the analysis goes on"
	for _, c := range []struct {
		n    int
		row  []float64
		want []string
	}{
		{50, []float64{0, 0, 0}, nil},                  // before the first target
		{1, []float64{0, 1, 0}, nil},                   // a target
		{50, []float64{0, 0, 0}, nil},                  // on the way
		{1, []float64{1, 0, 0}, nil},                   // reached, and answered
		{18, []float64{0, 0, 0}, nil},                  // 1.9 s
		{1, []float64{0, 0, 0}, []string{silent}},      // 2 s
		{40, []float64{0, 0, 0}, []string{silent}},     // told once
		{1, []float64{0, 1, 0}, []string{silent, on}},  // the next target
		{1, []float64{1, 1, 0}, []string{silent, on}},  // reached, and the next one at once
		{1, []float64{1, 0, 1}, []string{silent, on}},  // farewell
		{40, []float64{0, 0, 1}, []string{silent, on}}, // comes to rest
	} {
		rows(c.n, c.row...)
		if !slices.Equal(told, c.want) {
			t.Fatalf("after %d rows of %g: told %q: want %q", c.n, c.row, told, c.want)
		}
	}
}
