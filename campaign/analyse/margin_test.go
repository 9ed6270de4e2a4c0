package analyse

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"rths/kit/rthstest"
	"rths/scenario"
	"rths/scenario/growth"
)

// split is an oscillator whose spring stands in the laboratory by a half, on an actuator that follows
// its command at once.
const split = `
name: an oscillator divided
rate_hz: 1024
timing: {target: next, force_delay: 0}
ground: {kind: sine, frequency_hz: 0.8, amplitude_m_s2: 1, duration_s: 2}
structure: {kind: oscillator, mass: 1000, frequency_hz: 1, damping_ratio: 0.05}
integrator: {kind: central-difference}
specimen: {kind: linear, stiffness: 20000}
transfer: {kind: ideal}
compensator: {kind: none}
limits: none
diverged_m: 1e9
`

func margin(t *testing.T, s *scenario.Scenario) float64 {
	t.Helper()
	return rthstest.Must(DelayMargin(t.Context(), s))
}

// criticalOf is the least delay τ at which M ẍ + c ẋ + (k − kₛ) x + kₛ x(t − τ) = 0 has a root iω:
// cos ωτ = (M ω² − k + kₛ)/kₛ and sin ωτ = c ω/kₛ, whose squares give ω².
func criticalOf(m, c, k, ks float64) float64 {
	least := math.Inf(1)
	b, d := c*c-2*m*(k-ks), (k-ks)*(k-ks)-ks*ks
	for _, sign := range []float64{-1, 1} {
		w2 := (-b + sign*math.Sqrt(b*b-4*m*m*d)) / (2 * m * m)
		if w2 > 0 {
			w := math.Sqrt(w2)
			angle := math.Atan2(c*w/ks, (m*w2-k+ks)/ks)
			least = min(least, math.Mod(angle+2*math.Pi, 2*math.Pi)/w)
		}
	}
	return least
}

// The delay margin goes to the closed form as the sample time does to 0, by its square: target and force
// of the same instant leave no delay, and an explicit integrator is of second order. Every sample of
// force delay in the test takes one from the margin.
func TestDelayMarginClosedForm(t *testing.T) {
	const m, w = 1000., 2 * math.Pi
	want := criticalOf(m, 2*0.05*w*m, w*w*m, 20000)
	if exact := rthstest.Must((&Stability{}).Run(t.Context(), parsed(t, split))).Exact.Delay; math.Abs(exact-want) > 1e-9 {
		t.Fatalf("critical delay %.12g s: closed form %.12g", exact, want)
	}
	var off [3]float64
	for i, rate := range []float64{128, 256, 512} {
		set := fmt.Sprintf("rate_hz=%g", rate)
		off[i] = margin(t, parsed(t, split, set)) - want
		for _, n := range []float64{1, 3} {
			if got := margin(t, parsed(t, split, set, fmt.Sprintf("timing.force_delay=%g", n))) - want +
				n/rate; math.Abs(got-off[i]) > 1e-9 {
				t.Errorf("%g Hz, %g samples late: margin %.9g s off, want %.9g", rate, n, got, off[i])
			}
		}
	}
	t.Logf("critical delay %.6g s; margins off by %.3g s at 128, 256 and 512 Hz", want, off)
	for i := range 2 {
		if ratio := off[i] / off[i+1]; !(math.Abs(ratio-4) < 0.2) {
			t.Errorf("half the sample time: the margin is off by 1/%.3g: want 1/4", ratio)
		}
	}
}

// ends is the largest motion in the last part of a long run over that in the first after the ground rests.
func ends(t *testing.T, s *scenario.Scenario) float64 {
	t.Helper()
	run := rthstest.Must(s.Build(t.Context(), scenario.Options{}))
	early, late := 0.0, 0.0
	for !run.Loop.Done() {
		if err := run.Loop.Step(); err != nil {
			t.Fatal(err)
		}
		x := math.Abs(run.Loop.Frame().Num.X[0])
		switch at := float64(run.Loop.Frame().K) / float64(run.Samples); {
		case at > 0.1 && at < 0.2:
			early = max(early, x)
		case at > 0.9:
			late = max(late, x)
		}
	}
	return late / early
}

// Just below the margin free motion of a run decays, just above it grows: also with one actuator, a lag
// and a compensator.
func TestDelayMarginInRuns(t *testing.T) {
	for _, sets := range [][]string{
		{"rate_hz=256"},
		{"rate_hz=256", "transfer={kind: first-order, tau_ms: 12}", "compensator={kind: pe, tau_ms: 10}"},
		{"rate_hz=512", "transfer={kind: second-order, omega_rad_s: 100, damping_ratio: 0.8}"},
	} {
		sets = append(sets, "duration_s=100")
		s := parsed(t, split, sets...)
		n := int(margin(t, s) * s.RateHz)
		if n < 3 {
			t.Errorf("%v: a margin of %d samples", sets, n)
		}
		below, above := *s, *s
		below.Timing.CommandDelay, above.Timing.CommandDelay = n, n+1
		b, a := ends(t, &below), ends(t, &above)
		t.Logf("%v: %d samples later the motion is multiplied by %.3g, %d later by %.3g", sets, n, b, n+1, a)
		if !(b < 1) || !(a > 1) {
			t.Errorf("%v: %d samples later the motion is multiplied by %g, %d later by %g", sets, n, b, n+1, a)
		}
	}
}

// The margin with main steps is the last whole sample with a loop that does not grow. That of several actuators is
// exact, between it and the next.
func TestDelayMarginInSamples(t *testing.T) {
	for name, s := range map[string]*scenario.Scenario{
		"two actuators": shipped(t, "two-storeys.yaml"),
		"three":         shipped(t, "rigid-floor.yaml"),
		"a frame":       shipped(t, "benchmark-multiaxial.yaml", "compensator.kind=none"),
		"main steps":    parsed(t, split, "two_rate={main_step: 4}"),
	} {
		if l := rthstest.Must((&Stability{}).loop(t.Context(), s, name, nil)); l.cut != nil {
			t.Errorf("%s: there is a curve", name)
		}
		samples := margin(t, s) * s.RateHz
		n := int(samples + 1e-9)
		if whole := math.Abs(samples-float64(n)) < 1e-9; whole != (name == "main steps") || n < 1 || n >= mostLate {
			t.Errorf("%s: a margin of %g samples", name, samples)
			continue
		}
		for late, want := range map[int]bool{0: false, n: false, n + 1: true} {
			run := rthstest.Must(s.AtRest(t.Context()))
			grows, moving := growth.Grows(rthstest.Must(growth.RootsLate(t.Context(), run, late)))
			if grows != want {
				t.Errorf("%s: %d samples later the radius is %.9g, the margin %d", name, late, moving, n)
			}
		}
		t.Logf("%s: %d samples", name, n)
	}
}

// Both ways agree where both exist: the curve's margin lies within the last whole sample and the next.
func TestDelayMarginBothWays(t *testing.T) {
	for _, sets := range [][]string{nil, {"transfer={kind: first-order, tau_ms: 10}"},
		{"timing.target=current", "transfer={kind: delay, delay_ms: 4}"}} {
		s := parsed(t, split, append(sets, "rate_hz=512")...)
		exact, whole := margin(t, s), rthstest.Must(marginInSamples(t.Context(), s))
		if !(whole <= exact && exact < whole+1/s.RateHz) {
			t.Errorf("%v: the curve's margin is %g s, in whole samples %g", sets, exact, whole)
		}
	}
}

// An unstable loop has no margin, a loop without force bears any delay, and what is cancelled has none.
func TestDelayMarginEnds(t *testing.T) {
	if got := margin(t, parsed(t, split, "transfer={kind: delay, delay_ms: 60}")); got != 0 {
		t.Errorf("an unstable loop has a margin of %g s", got)
	}
	if got := margin(t, shipped(t, "two-storeys.yaml", "each[1].transfer.omega_rad_s=5",
		"compensator.kind=none")); got != 0 {
		t.Errorf("an unstable loop of two actuators has a margin of %g s", got)
	}
	for name, s := range map[string]*scenario.Scenario{
		"one": parsed(t, split, "specimen={kind: linear, stiffness: 0}"),
		"two": shipped(t, "two-storeys.yaml", "specimens[1].specimen={kind: linear, stiffness: 0}",
			"specimens[2].specimen={kind: linear, stiffness: 0}"),
	} {
		if got := margin(t, s); !math.IsInf(got, 1) {
			t.Errorf("%s without force: a margin of %g s", name, got)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, s := range []*scenario.Scenario{parsed(t, split), shipped(t, "two-storeys.yaml")} {
		if got, err := DelayMargin(ctx, s); !errors.Is(err, context.Canceled) || !math.IsNaN(got) {
			t.Errorf("cancelled: %g, %v", got, err)
		}
		if _, err := marginInSamples(ctx, s); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled in samples: %v", err)
		}
	}
	if _, err := DelayMargin(t.Context(), shipped(t, "ning2020-sweep.yaml")); err == nil {
		t.Error("an open loop has a margin")
	}
}
