package compensate

import (
	"slices"
	"testing"

	"rths"
	"rths/kit/rthstest"
)

// A compensator on each actuator is as many single ones.
func TestEachIsOneByOne(t *testing.T) {
	at := At{RateHz: 1024, Axes: 2}
	single1 := func(tau float64) rths.Compensator {
		c, err := (&PE{Lag: Lag{TauMs: tau}, Order: 2, Spacing: 10}).Make(at)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	both, err := Each(single1(5), single1(11))
	if err != nil {
		t.Fatal(err)
	}
	single := []rths.Compensator{single1(5), single1(11)}
	target, read, command := rths.NewMotion(2), rths.NewReading(2, 3), make([]float64, 2)
	for k := range 2000 {
		rthstest.Sine(&target, k, at.RateHz)
		both.Step(command, &target, &read)
		for i, c := range single {
			alone := make([]float64, 1)
			c.Step(alone, &rths.Motion{X: target.X[i : i+1]}, &rths.Reading{Motion: rths.Motion{X: read.X[i : i+1]}})
			if alone[0] != command[i] {
				t.Fatalf("tick %d, actuator %d: %g, alone %g", k, i+1, command[i], alone[0])
			}
		}
	}
	saved := rths.AppendState(nil, both)
	if rest := rths.SetState(saved, both); len(rest) > 0 {
		t.Errorf("%d numbers of the state are left over", len(rest))
	}
	if !slices.Equal(saved, rths.AppendState(nil, both)) {
		t.Error("the state does not come back")
	}
	if n := testing.AllocsPerRun(100, func() { both.Step(command, &target, &read) }); n > 0 {
		t.Errorf("%g allocations", n)
	}
	if _, err := Each(); err == nil {
		t.Error("no compensator at all is accepted")
	}
}

// Estimates of several actuators have the names of their channels, with the number of the actuator.
func TestEstimatesOfEachActuator(t *testing.T) {
	made := func() rths.Compensator {
		return rthstest.Must(rthstest.Must(rths.Find(Kinds, "amb")).Defaults().Make(benchAt(chainRate, 1, 0)))
	}
	both := rthstest.Must(Each(made(), made()))
	var known []string
	for _, c := range both.(rths.Channeler).Channels() {
		known = append(known, c.Name)
	}
	one, two := made().(Estimated).Estimates(), both.(Estimated).Estimates()
	if len(two) != 2*len(one) || len(one) == 0 {
		t.Fatalf("%d estimates of two actuators, %d of one", len(two), len(one))
	}
	for i, c := range two {
		if want := ofActuator(one[i%len(one)].Name, i/len(one)); c.Name != want || !slices.Contains(known, want) {
			t.Errorf("estimate %q: want %q, which is a channel", c.Name, want)
		}
	}
}
