package scenario_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/scenario"
)

// lagging is the small frame with a spring (N/m) downstream of a delay (ms).
func lagging(t *testing.T, stiffness, ms float64, sets ...string) *scenario.Run {
	t.Helper()
	return built(t, small, append([]string{
		fmt.Sprintf("specimen={kind: linear, stiffness: %g}", stiffness),
		fmt.Sprintf("transfer={kind: delay, delay_ms: %g}", ms),
		"integrator={kind: cr}", "indicators.energies=true", "duration_s=6", "limits=none",
	}, sets...)...)
}

// The observed energy is the error work of stability.Energies, tick by tick, though the
// integrator does not see the undelayed force: noise, delay and prediction of the force, and
// two actuators.
func TestObservedEnergyIsTheErrorWork(t *testing.T) {
	noise := "sensors={displacement_noise: 1e-5, force_noise: 5}"
	two := []string{"interface=[1, 2]", "transfer={kind: second-order}",
		"specimen={kind: linear, mass: 10, damping: 100, stiffness: 1e5}"}
	for _, kind := range []string{"cr", "{kind: gui, lambda: 3}", "rk4", "central-difference", "newmark-explicit"} {
		for _, sets := range [][]string{
			nil, {noise}, {noise, "timing={force_delay: 3}"}, {noise, "timing={force_delay: 1, force_predict: 1.5}"},
			{"timing.target=next"}, two, append(two, noise, "timing.force_delay=2"),
		} {
			if !strings.HasPrefix(kind, "{") {
				kind = "{kind: " + kind + "}"
			}
			r := lagging(t, 1e5, 8, append([]string{"integrator=" + kind, "passivity={max_damping: 1000, threshold_j: 0.01}"},
				sets...)...)
			most, off, acts, start := 0.0, 0.0, 0, 0.0
			steps(t, r, func(f *rths.Frame) {
				want := channel(t, r, "error_work_J")
				if f.K == 0 { // the work of the first reading's noise, from 0
					start = want
				}
				want -= start
				most, off = max(most, math.Abs(want)), max(off, math.Abs(channel(t, r, "passivity_energy_J")-want))
				if f.Force[0] != f.InterfaceRead.F[0] {
					acts++
				}
			})
			if !(off < 1e-9*most) || !(most > 0.01) || acts < 100 {
				t.Errorf("%s, %v: %.3g J from the error work of up to %.3g J, %d ticks with damper: want the same, more than 100",
					kind, sets, off, most, acts)
			}
		}
	}
}

// Passivity: numerical part and spring together hold no more energy than the ground put in and
// the observer shows, and that is less than the threshold and the largest energy of the spring,
// which the spring may take while the numerical part rests and no damper takes any. In the end the
// motion has decayed. The same test without damper has more than a hundred times the energy of the
// ground. Random springs and delays.
func TestNoEnergyFromTheTransferSystem(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 33))
	for range rthstest.Draws(6, 60) {
		stiffness, ms, threshold := 5e5*(1+0.8*r.Float64()), 10+10*r.Float64(), 0.2*r.Float64()
		var most, end, input, spring float64
		play := func(kind string, sets ...string) *scenario.Run {
			most, input, spring = 0, 0, 0
			run := lagging(t, stiffness, ms, append(sets, "integrator={kind: "+kind+"}", "duration_s=15")...)
			run.Loop.Attach(observerFunc(func(f *rths.Frame) {
				u, in := stiffness*f.Read.X[0]*f.Read.X[0]/2, channel(t, run, "input_work_J")
				end = channel(t, run, "kinetic_J") + channel(t, run, "strain_J") + u
				most, spring, input = max(most, end+channel(t, run, "dissipated_J")-in), max(spring, u), max(input, in)
			}))
			_ = run.Loop.Run(0, nil) // without damper it may diverge
			return run
		}
		kind := []string{"cr", "gui", "rk4"}[r.IntN(3)]
		play(kind)
		without := most
		run := play(kind, fmt.Sprintf("passivity={max_damping: %g, threshold_j: %g}", 1.5*stiffness*ms*1e-3, threshold))
		observed := indicator(t, run, "passivity_energy_max_J")
		t.Logf("%s, %.3g N/m, %.1f ms: %.3g J beyond %.3g J of the ground, observed %.3g J, spring %.3g J, at the end %.3g "+
			"J, threshold %.3g J; without damper %.3g J",
			kind, stiffness, ms, most, input, observed, spring, end, threshold, without)
		if !(most < observed+0.01*input) || !(observed < threshold+spring) || !(end < 0.01*input) || !(without > 100*input) {
			t.Error("want at most what was observed, less than threshold and spring, rest in the end, and much more " +
				"without damper")
		}
	}
}

// Where the transfer system is perfect, and where the threshold is never reached, the run has the
// bits of the run without the key.
func TestPassivityRestsWhereNothingIsMade(t *testing.T) {
	for _, sets := range [][]string{
		{"transfer.kind=ideal", "timing.target=next", "integrator={kind: cr}"},
		{"threshold", "integrator={kind: rk4}", "sensors.displacement_noise=1e-5"},
		{"threshold", "compensator={kind: mbc}", "timing.force_delay=1"}, // renews the acceleration of the target
	} {
		key := "passivity={max_damping: 1e4}"
		if sets[0] == "threshold" {
			key, sets = "passivity={max_damping: 1e4, threshold_j: 1e9}", sets[1:]
		}
		plain, r := built(t, small, sets...), built(t, small, append(sets, key)...)
		steps(t, plain, nil)
		steps(t, r, nil)
		want := plain.Summary()
		for i, v := range r.Summary() {
			if math.Float64bits(v.V) != math.Float64bits(want[i].V) {
				t.Errorf("%v: %s is %g with passivity, %g without", sets, v.Name, v.V, want[i].V)
			}
		}
		if d := indicator(t, r, "passivity_dissipated_J"); d != 0 {
			t.Errorf("%v: the damper took %g J: want 0", sets, d)
		}
	}
}

// A structure released from a displacement: observer and damper begin there.
func TestPassivityOfAReleasedStructure(t *testing.T) {
	text := strings.Replace(small, "ground: {kind: sine, duration_s: 1, frequency_hz: 2, amplitude_m_s2: 1}",
		"initial_displacement: [0.002, 0.003]", 1)
	with := built(t, text, "specimen={kind: linear, stiffness: 1e5}", "transfer={kind: delay, delay_ms: 10}",
		"integrator={kind: cr}", "duration_s=6", "passivity={max_damping: 1500}")
	first := math.NaN()
	steps(t, with, func(f *rths.Frame) {
		if f.K == 0 {
			first = channel(t, with, "passivity_energy_J")
		}
	})
	most := indicator(t, with, "passivity_energy_max_J")
	if held := 1e5 * 0.002 * 0.002 / 2; first != 0 || !(most > 0) || !(most < held/2) {
		t.Errorf("E begins with %g J and has a maximum of %g J: want 0, and less than half of the %g J that the spring held",
			first, most, held)
	}
}

// What does not go together with the key is refused with its place.
func TestPassivityIsRefused(t *testing.T) {
	key := "rate_hz: 1024\npassivity: {max_damping: 1e4}"
	for _, c := range []struct{ text, want string }{
		{"rate_hz: 1024\npassivity: {}",
			"small.yaml:3:1: passivity: max_damping 0 N·s/m: want more than 0, about the specimen's stiffness times the delay " +
				"that is left"},
		{"rate_hz: 1024\npassivity: {max_damping: -1}", "max_damping -1 N·s/m: want more than 0"},
		{"rate_hz: 1024\npassivity: {max_damping: 1, threshold_j: -1}", "threshold_j -1 J: want 0 or more"},
		{"rate_hz: 1024\npassivity: {damping: 1}", "small.yaml:3:13: passivity.damping: unknown key"},
		{"rate_hz: 1024\npassivity: {max_damping: fast}",
			`small.yaml:3:26: passivity.max_damping: found "fast": want a finite number`},
		{key + "\nloop: open", "small.yaml:3:1: passivity: has no effect with loop: open"},
		{key + "\ntwo_rate: {main_step: 4}", "small.yaml:3:1: passivity: beside two_rate"},
		{key + "\nintegrator: {kind: average-acceleration}",
			"small.yaml:3:1: passivity: a closing integrator, as average-acceleration, takes the force of the end"},
		{key + "\ninterface_motion: absolute", "small.yaml:3:1: passivity: beside interface_motion absolute"},
		{key + "\ninterface: [1, 2]\ncoupler: {kind: linear, matrix: [[1, 0], [1, 1]]}",
			"small.yaml:3:1: passivity: beside coupler"},
	} {
		if err := build(t.Context(), strings.Replace(small, "rate_hz: 1024", c.text, 1)); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\n got  %v\n want %s", c.text, err, c.want)
		}
	}
	s := parsed(t, small, "passivity={max_damping: 1e4}")
	if _, err := s.AtRest(t.Context()); err == nil || !strings.Contains(err.Error(),
		"passivity: the damper is not linear about rest: leave it out to check the loop's stability") {
		t.Errorf("at rest: %v", err)
	}
}

// Downstream of 30 ms of delay a bouc-wen specimen, which tolerates 13 ms, ends in a limit
// cycle (docs/guides/indicators.md). With the damper of 1.2 k τ the free motion decays, and numerical part
// and specimen keep closer to the reference in the strong motion.
func TestDamperEndsALimitCycle(t *testing.T) {
	text, _ := dissipating(t)
	cycle := delayedTest{specimen: smoothSpecimen, pga: 0.3, ms: 30}
	held := cycle
	for d, sets := range map[*delayedTest][]string{&cycle: nil, &held: {"passivity={max_damping: 3600}"}} {
		if err := d.play(t, text, append(sets, "ground.duration_s=80")...); err != nil {
			t.Fatal(err)
		}
	}
	j7, held7 := result(t, cycle.run, "J7_pct"), result(t, held.run, "J7_pct")
	t.Logf("J7 %.1f and %.1f %%, last 2 s %.2g and %.2g mm, 10 s before %.2g and %.2g mm", j7, held7, 1e3*cycle.motion,
		1e3*held.motion, 1e3*cycle.early, 1e3*held.early)
	if !(cycle.motion > 0.9*cycle.early) || !(held.motion < cycle.motion/100) || !(held7 < j7/3) {
		t.Error("want a motion that stays without damper, and decays with it to a hundredth; and a third of J7")
	}
}

// Two actuators, one damping for both and one sum of works: without compensators the structure of
// two-storeys.yaml, whose second specimen yields, moves twice as far from the reference as with the
// damper. With compensators that leave nothing the damper hardly acts.
func TestPassivityOfTwoActuators(t *testing.T) {
	j8 := func(sets ...string) (j8, taken float64) {
		s, err := scenario.Shipped("two-storeys.yaml", sets...)
		if err != nil {
			t.Fatal(err)
		}
		r := rthstest.Must(s.Build(t.Context(), scenario.Options{}))
		steps(t, r, nil)
		if s.Passivity != nil {
			taken = indicator(t, r, "passivity_dissipated_J")
		}
		return result(t, r, "J8_x3_pct"), taken
	}
	const damper = "passivity={max_damping: 1e4}"
	late, _ := j8("compensator.kind=none", "expect=")
	held, taken := j8("compensator.kind=none", "expect=", damper)
	good, _ := j8()
	still, little := j8(damper)
	t.Logf("J8 of x3 %.1f %%, with damper %.1f %% (%.0f J); with amb %.3f and %.3f %% (%.3f J)", late, held, taken, good,
		still, little)
	if !(held < late/2) || !(still < 0.1) || !(little < taken/1000) {
		t.Error("want half of J8 without compensators, and hardly a change with them")
	}
}
