package scenario

import (
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/method/compensate"
)

// The values of a run are its criteria and indicators, then what an adapting compensator has learnt, each under a name
// of its own, whatever the compensator.
func TestValues(t *testing.T) {
	const quake = "ground={kind: sine, frequency_hz: 2, amplitude_m_s2: 0.5, duration_s: 1}"
	learns := 0
	for _, k := range compensate.Kinds {
		s, err := Shipped("benchmark-siso.yaml", quake, "indicators={energies: true, "+
			"tracking: true}", "compensator.kind="+k.Name)
		if err != nil {
			continue // wants parameters that have no default, or several actuators
		}
		r, err := s.Build(t.Context(), Options{})
		if err != nil {
			continue
		}
		fixed, all := append(r.Summary(), r.Indicators()...), r.Values()
		rest := all[len(fixed):]
		if adapts := len(r.Loop.AppendAdaptation(nil)) > 0; len(rest) > 0 && !adapts ||
			adapts && len(rest) != len(r.Parameters()) {
			t.Errorf("%s: %d values more than criteria and indicators, and it adapts: %v", k.Name, len(rest), adapts)
		}
		if len(rest) > 0 {
			learns++
		}
		seen := map[string]bool{}
		for _, v := range all {
			if seen[v.Name] {
				t.Errorf("%s: two values are called %s", k.Name, v.Name)
			}
			seen[v.Name] = true
		}
	}
	if learns < 9 {
		t.Errorf("%d compensators that learn: want those of the papers at least", learns)
	}
}

// At the end of a run the values are those of the end, and expect may ask for them.
func TestLearntValuesAreExpected(t *testing.T) {
	sets := []string{"ground={kind: sine, frequency_hz: 2, amplitude_m_s2: 0.5, duration_s: 2}", "compensator={kind: amb}"}
	s := rthstest.Must(Shipped("benchmark-siso.yaml", append(sets, "expect={a1: {min: 0.001, max: 0.1}}")...))
	r := rthstest.Must(s.Build(t.Context(), Options{}))
	start := r.Values()
	if err := r.Loop.Run(0, nil); err != nil {
		t.Fatal(err)
	}
	of := func(values []rths.Value) float64 {
		i := slices.IndexFunc(values, func(v rths.Value) bool { return v.Name == "a1" })
		return values[i].V
	}
	if got, want := of(r.Values()), of(r.Parameters()); got != want || got == of(start) {
		t.Errorf("a1 %v at the end, %v at the start: want %v", got, of(start), want)
	}
	s = rthstest.Must(Shipped("benchmark-siso.yaml", append(sets, "expect={a7: {max: 1}}")...))
	if _, err := s.Build(t.Context(), Options{}); err == nil || !strings.Contains(err.Error(),
		"a7: this run has no criterion, indicator or adaptive parameter of the name") {
		t.Errorf("a7: %v", err)
	}
}
