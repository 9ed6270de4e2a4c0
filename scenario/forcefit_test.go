package scenario_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/method/stability"
	"rths/scenario"
)

// fitted is a two-rate run whose actuator lags by 3 samples, with the force correction
// through so many samples, or without it (0).
func fitted(t *testing.T, kind string, samples int, sets ...string) *scenario.Run {
	t.Helper()
	return built(t, small, append([]string{
		"timing.target=next", "integrator={kind: " + kind + "}",
		fmt.Sprintf("two_rate={main_step: 8, predictor: {kind: poly3}, force_fit: %d}", samples),
		"transfer={kind: delay, delay_ms: 3}", "specimen={kind: linear, stiffness: 1e5}", "ground.duration_s=4",
		"indicators.energies=true",
	}, sets...)...)
}

// An observerFunc looks at frames.
type observerFunc func(*rths.Frame)

func (o observerFunc) Observe(f *rths.Frame) { o(f) }

// feltInstead watches the energies of the run with the force that was felt in the place of
// the force that was used.
func feltInstead(t *testing.T, r *scenario.Run, c stability.Config) *stability.Energies {
	t.Helper()
	e := rthstest.Must(stability.NewEnergies(rthstest.Must(r.Whole.Divide(0, 0, 0, 1e5)), c))
	r.Loop.Attach(observerFunc(func(f *rths.Frame) {
		wrong := *f
		wrong.Force = f.InterfaceRead.F
		e.Observe(&wrong)
	}))
	return e
}

// Frame.Force is the corrected force: with it the energies of a two-rate loop balance as well as
// without correction (to rounding; RK4 1e-4 of the input work, as it sees half steps), with
// the force that was felt they do not, in a closed loop. In an open loop no force acts.
func TestEnergiesBalanceWithTheCorrectedForce(t *testing.T) {
	for _, kind := range []string{"cr", "gui", "central-difference", "newmark-explicit", "rk4"} {
		plain := fitted(t, kind, 0)
		steps(t, plain, nil)
		r := fitted(t, kind, 8)
		c := stability.Config{RateHz: r.Scenario.RateHz / 8, Every: 8, SW: 1, EEI: 1, Held: kind == "rk4"}
		switch kind {
		case "cr", "gui":
			c.Lambda = map[string]float64{"cr": 4, "gui": 11.5}[kind]
		case "central-difference", "newmark-explicit":
			c.Lambda = math.Inf(1)
		}
		wrong := feltInstead(t, r, c)
		corrected := 0
		steps(t, r, func(f *rths.Frame) {
			if f.K%8 == 0 && f.Force[0] != f.InterfaceRead.F[0] {
				corrected++
			}
		})
		got, without, felt := indicator(t, r, "energy_residual_pct"), indicator(t, plain, "energy_residual_pct"),
			named(t, wrong.Summary(), "energy_residual_pct")
		t.Logf("%s: residual %.2g %% with the corrected force, %.2g %% without correction, %.2g %% with the force felt; %d "+
			"corrections", kind, got, without, felt, corrected)
		limit := 1e-8
		if kind == "rk4" {
			limit = 1.1 * without
		}
		if !(got < limit) || !(felt > 0.1) || corrected < 100 {
			t.Errorf("%s: residual %.3g %%, %.3g %% with the force felt, %d corrections: want below %.3g %%, above 0.1 %%, "+
				"more than 100", kind, got, felt, corrected, limit)
		}
		open := fitted(t, kind, 8, "loop=open")
		steps(t, open, func(f *rths.Frame) {
			if f.Force[0] != 0 {
				t.Fatalf("%s, tick %d: a force of %g N acts in an open loop", kind, f.K, f.Force[0])
			}
		})
		if got := indicator(t, open, "energy_residual_pct"); !(got < limit) {
			t.Errorf("%s, open loop: residual %.3g %%", kind, got)
		}
	}
}

// The corrected force holds over its main step, and a run that was stopped between main
// instants shows the same force when it goes on.
func TestCorrectedForceHoldsAndResumes(t *testing.T) {
	for cut := 801; cut < 809; cut++ {
		first, second := fitted(t, "cr", 8), fitted(t, "cr", 8)
		var held []float64
		for first.Loop.Ticks() < cut {
			if err := first.Loop.Step(); err != nil {
				t.Fatal(err)
			}
			f := first.Loop.Frame()
			if f.K%8 == 0 {
				held = slices.Clone(f.Force)
			} else if !slices.Equal(f.Force, held) {
				t.Fatalf("tick %d: force %g N: want %g N as at the main instant", f.K, f.Force, held)
			}
		}
		if err := second.Loop.Resume(first.Loop.Checkpoint()); err != nil {
			t.Fatal(err)
		}
		for range 20 {
			a, b := first.Loop.Step(), second.Loop.Step()
			x, y := first.Loop.Frame().Force[0], second.Loop.Frame().Force[0]
			if a != nil || b != nil || x == 0 || math.Float64bits(x) != math.Float64bits(y) {
				t.Fatalf("cut at %d: force %g N, resumed %g N (%v, %v)", cut, x, y, a, b)
			}
		}
		bits := func(a, b float64) int { return cmp.Compare(math.Float64bits(a), math.Float64bits(b)) } // NaN is NaN
		if slices.CompareFunc(first.Loop.Checkpoint(), second.Loop.Checkpoint(), bits) != 0 {
			t.Errorf("cut at %d: other energies at the end", cut)
		}
	}
}
