package rths_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/method/compensate"
	"rths/model/integrate"
	"rths/model/plant"
	"rths/scenario"
)

// every builds the benchmarks with each row of their tables in turn, on a knock.
func every(t *testing.T, do func(t *testing.T, make func(n int) *scenario.Run)) {
	everyOn(t, pulse, nil, do)
}

// everyOn is the same on another motion and with changes of all scenarios.
func everyOn(t *testing.T, motion func(n int) *scenario.Shaking, changes []string,
	do func(t *testing.T, make func(n int) *scenario.Run)) {
	with := func(sets ...string) []string { return append(slices.Clone(changes), sets...) }
	sets := rthstest.Compensators(compensate.Kinds)
	for _, k := range integrate.Kinds {
		sets = append(sets, "integrator.kind="+k.Name)
	}
	for _, k := range plant.Transfers {
		if k.Name == "marths" { // of several actuators: below
			continue
		}
		set := "transfer.kind=" + k.Name
		if k.Name == "servo-hydraulic" { // stable with the benchmark's specimen
			set = "transfer={kind: servo-hydraulic, proportional_gain: 15}"
		}
		sets = append(sets, set)
	}
	for _, k := range plant.Specimens { // with a mass for the actuator to move
		if k.Name != "marths" {
			sets = append(sets, "specimen={kind: "+k.Name+", mass: 29}")
		}
	}
	sets = append(sets, "specimen={kind: viscous-damper, exponent: 0.4, mass: 29}", "transfer.force_limit=500",
		"transfer={kind: servo-hydraulic, proportional_gain: 15, integral_gain: 20, derivative_gain: 0.01}",
		"sensors.acceleration=true",
		"transfer.varies=[{parameter: alpha1_beta0, drift: -0.3, drift_tau_s: 1}, {parameter: beta2, swing: 0.1, "+
			"swing_rate_rad_s: 6}]", "timing.target=next", "timing={force_delay: 3, command_delay: 2}",
		"passivity={max_damping: 3e4}", "converters.reading=volts", "loop=open")
	for _, set := range sets {
		t.Run(set, func(t *testing.T) {
			do(t, func(n int) *scenario.Run { return siso(t, motion(n), with(set)...) })
		})
	}
	for _, set := range twoRates() {
		t.Run(set, func(t *testing.T) {
			do(t, func(n int) *scenario.Run { return shipped(t, "two-rate.yaml", motion(n), with(set)) })
		})
	}
	for _, set := range append(rthstest.Compensators(compensate.Kinds),
		"compensator={kind: chain, of: [{kind: rodeac}, {kind: msmc}]}") {
		t.Run("two actuators, "+set, func(t *testing.T) {
			sets := []string{set}
			if strings.Contains(set, "amb") { // its gains are for another plant: it runs away, which no kinematics can follow
				sets = append(sets, "coupler.linear=true", "diverged_m=1e100")
			}
			do(t, func(n int) *scenario.Run { return multiAxial(t, motion(n), with(sets...)...) })
		})
	}
}

// twoRates are the two-rate loops: with each predictor, the force correction, and each
// integrator that can make main steps.
func twoRates() (sets []string) {
	for _, k := range integrate.Predictors {
		sets = append(sets, "two_rate.predictor={kind: "+k.Name+"}")
	}
	for _, k := range integrate.Kinds {
		if k.Name != "average-acceleration" { // closes the loop within a sample
			sets = append(sets, "integrator={kind: "+k.Name+"}")
		}
	}
	return append(sets, "two_rate.force_fit=8", "two_rate.main_step=1", "two_rate.process=own",
		"two_rate={main_step: 20, predictor: {kind: dual-explicit}, force_fit: 8, process: own, late: 3}")
}

// A tick of the whole loop with all criteria allocates nothing.
func TestNoAllocation(t *testing.T) {
	every(t, func(t *testing.T, make func(n int) *scenario.Run) {
		l := make(4000).Loop
		var err error
		rthstest.NoAllocation(t, func() {
			if err == nil { // a diverging loop must not allocate either before it does
				err = l.Step()
			}
		})
	})
}

// A run stopped in the middle and resumed in a fresh loop gives the same bits
// to its end, criteria among them. A loop that diverges does so in the same tick.
func TestCheckpoint(t *testing.T) {
	every(t, func(t *testing.T, make func(n int) *scenario.Run) {
		const n = 1500
		whole, first, second := make(n), make(n), make(n)
		ticks, diverged := toEnd(whole.Loop)
		cut := min(700, ticks/2)
		for range cut {
			if err := first.Loop.Step(); err != nil {
				t.Fatal(err)
			}
		}
		if err := second.Loop.Resume(first.Loop.Checkpoint()); err != nil {
			t.Fatal(err)
		}
		rest, err := toEnd(second.Loop)
		if cut == 0 || cut+rest != ticks || fmt.Sprint(err) != fmt.Sprint(diverged) {
			t.Errorf("%d ticks, then %d and %v: want %d in all and %v", cut, rest, err, ticks, diverged)
		}
		want := whole.Summary()
		for i, v := range second.Summary() {
			if math.Float64bits(v.V) != math.Float64bits(want[i].V) {
				t.Errorf("%s is %g resumed, %g in one go", v.Name, v.V, want[i].V)
			}
		}
		a, b := whole.Loop.Checkpoint(), second.Loop.Checkpoint()
		for i := range a {
			if math.Float64bits(a[i]) != math.Float64bits(b[i]) {
				t.Fatalf("number %d of the final checkpoints: %g and %g", i, a[i], b[i])
			}
		}
	})
}

// toEnd runs a loop until it is done or diverges, and counts the ticks.
func toEnd(l *rths.Loop) (ticks int, err error) {
	for !l.Done() && err == nil {
		err = l.Step()
		ticks++
	}
	return ticks, err
}

// A checkpoint of another loop is refused.
func TestResumeRefusesStrangers(t *testing.T) {
	a, b := siso(t, pulse(10), "compensator.kind=kf"), siso(t, pulse(10), "compensator.kind=amb")
	if err := a.Loop.Resume(b.Loop.Checkpoint()); err == nil {
		t.Error("the checkpoint of another compensator was taken")
	}
}

// One scenario gives the same bits; another seed gives others.
func TestSameSeedSameBits(t *testing.T) {
	read := func(set string) float64 {
		l := siso(t, pulse(500), set).Loop
		for !l.Done() {
			if err := l.Step(); err != nil {
				t.Fatal(err)
			}
		}
		return l.Frame().Read.X[0]
	}
	if read("seed=1") != read("seed=1") {
		t.Error("the same seed gave different bits")
	}
	if read("seed=1") == read("seed=2") {
		t.Error("another seed gave the same bits")
	}
}
