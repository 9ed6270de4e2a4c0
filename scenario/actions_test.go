package scenario_test

import (
	"math"
	"strings"
	"testing"

	"rths"
)

// body is a two-storey frame without any action.
const body = `name: actions
rate_hz: 2048
structure: {kind: shear, masses: [1000, 1000], stiffnesses: [1e6, 1e6], damping: {modal_ratio: [0.02]}}
specimen: {kind: linear, mass: 10, damping: 100, stiffness: 1e5}
transfer: {kind: ideal}
`

// motion runs a scenario and returns the displacement of every degree of freedom
// at every tick, and the target.
func motion(t *testing.T, text string, sets ...string) (x [][]float64, target []float64) {
	t.Helper()
	r := built(t, text, sets...)
	steps(t, r, func(f *rths.Frame) {
		x = append(x, append([]float64(nil), f.Num.X...))
		target = append(target, f.Desired[0])
	})
	return x, target
}

// farthest is the largest difference of two runs over the largest displacement
// of the first.
func farthest(t *testing.T, a, b [][]float64) float64 {
	t.Helper()
	if len(a) != len(b) {
		t.Fatalf("%d and %d ticks", len(a), len(b))
	}
	var diff, peak float64
	for k := range a {
		for i := range a[k] {
			diff = max(diff, math.Abs(a[k][i]-b[k][i]))
			peak = max(peak, math.Abs(a[k][i]))
		}
	}
	if peak == 0 {
		t.Fatal("nothing moved")
	}
	return diff / peak
}

// A ground acceleration a loads every floor with the force −m a: forces −m a
// move the structure as the ground does, with either integrator.
func TestForcesActAsGroundMotion(t *testing.T) {
	ground := "ground: {kind: sine, duration_s: 2, frequency_hz: 3, amplitude_m_s2: 1}\n"
	forces := `forces:
  - {dof: 1, history: {kind: sine, duration_s: 2, frequency_hz: 3, amplitude_n: -1000}}
  - {dof: 2, history: {kind: sine, duration_s: 2, frequency_hz: 3, amplitude_n: -1000}}
`
	for _, integrator := range []string{"rk4", "central-difference"} {
		a, _ := motion(t, body+ground, "integrator.kind="+integrator)
		b, _ := motion(t, body+forces, "integrator.kind="+integrator)
		if d := farthest(t, a, b); d > 1e-12 {
			t.Errorf("%s: forces and ground motion differ by %.2g of the peak", integrator, d)
		}
	}
}

// Two components act as their sum, and a second component beside a first acts
// through its own influence vector.
func TestComponentsAddUp(t *testing.T) {
	sine := "{kind: sine, duration_s: 2, frequency_hz: 3, amplitude_m_s2: %}"
	with := func(amplitude string) string { return strings.ReplaceAll(sine, "%", amplitude) }
	whole, _ := motion(t, body+"ground: "+with("1")+"\n")
	halves, _ := motion(t, body+"ground: "+with("0.25")+"\nmore_ground:\n  - {influence: [1, 1], motion: "+with("0.75")+
		"}\n")
	if d := farthest(t, whole, halves); d > 1e-12 {
		t.Errorf("a quarter and three quarters of a ground motion differ from the whole by %.2g of the peak", d)
	}
	other, _ := motion(t, body+"ground: "+with("0")+"\nmore_ground:\n  - {influence: [1, 0], motion: "+with("1")+"}\n")
	force, _ := motion(t, body+
		"forces:\n  - {dof: 1, history: {kind: sine, duration_s: 2, frequency_hz: 3, amplitude_n: -1000}}\n")
	if d := farthest(t, other, force); d > 1e-12 {
		t.Errorf("influence [1, 0] differs from a force on the first floor by %.2g of the peak", d)
	}
}

// Free vibration of one undamped degree of freedom is x₀ cos ωt, whichever
// integrator and tick order, but for the force of the specimen: it is held over
// a step and, by the tick order, late. A force k_E x that is late by τ acts as
// damping of the ratio −(k_E/k) ωτ/2.
func TestFreeVibration(t *testing.T) {
	const x0, omega, share = 0.02, 2 * math.Pi, 0.25
	text := `name: free
rate_hz: 2048
duration_s: 3
initial_displacement: [0.02]
structure: {kind: shear, masses: [1000], stiffnesses: [39478.4176]}
specimen: {kind: linear, stiffness: 9869.6044}
transfer: {kind: ideal}
`
	for _, c := range []struct {
		late float64 // samples, the half of holding it among them
		sets []string
	}{
		{0.5, []string{"integrator.kind=rk4", "timing.target=next"}},
		{0.5, []string{"integrator.kind=central-difference", "timing.target=next"}},
		{1.5, []string{"integrator.kind=rk4"}},
		{2.5, []string{"integrator.kind=rk4", "timing.force_delay=1"}},
	} {
		_, target := motion(t, text, c.sets...)
		growth := share * omega * c.late / 2048 / 2 * omega
		if strings.Contains(c.sets[0], "central") {
			growth = 0 // its force acts at t_k, in the middle of its step
		}
		worst := 0.0
		for k, x := range target {
			at := float64(k) / 2048
			worst = max(worst, math.Abs(x/x0-math.Exp(growth*at)*math.Cos(omega*at)))
		}
		if worst > 1e-3 {
			t.Errorf("%v: free vibration is off by %.3g of its amplitude", c.sets, worst)
		}
		if target[0] != x0 {
			t.Errorf("%v: the first target is %g: want %g", c.sets, target[0], x0)
		}
	}
}

// The benchmark's transfer system is held at the initial displacement before the
// release, with its static gain, and the reference starts there too.
func TestFreeVibrationOfTheBenchmark(t *testing.T) {
	text := `name: free benchmark
rate_hz: 4096
duration_s: 2
timing: {force_delay: 1}
initial_displacement: [0.003, 0.006, 0.008]
structure: {kind: silva2020, case: 1}
specimen: {kind: silva2020}
transfer: {kind: silva2020}
compensator: {kind: amb}
limits: none
`
	r := built(t, text)
	if err := r.Loop.Step(); err != nil {
		t.Fatal(err)
	}
	f := r.Loop.Frame()
	// The benchmark's transfer system has a static gain of 1.0261 without its
	// specimen; the adaptive inverse starts with a0 = 1.
	if x := f.Read.TrueX[0] / 0.003; !(x > 0.99 && x < 1.04) {
		t.Errorf("the rig stands at %.4f of the initial displacement", x)
	}
	steps(t, r, nil)
	if j4 := result(t, r, "J4_pct"); !(j4 > 0.01 && j4 < 20) {
		t.Errorf("J4 = %.3g %%: want a free vibration near the reference", j4)
	}
}

func TestWrongActions(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "ground: missing: want record, file or kind"},
		{"initial_displacement: [0.01, 0.01]\n", "duration_s: missing: want the length of the free vibration"},
		{"duration_s: 1\ninitial_displacement: [0.01]\n", "1 numbers: want 2, one per degree of freedom"},
		{"forces:\n  - {dof: 3, history: {kind: step}}\n", "forces: entry 1: force at degree of freedom 3: want 1 to 2"},
		{"forces:\n  - {dof: 1}\n", "forces[1].history: missing: want a block with kind, one of file, sine"},
		{"forces:\n  - {dof: 1, history: {kind: pulse, length_s: 20}}\n", "length_s 20: want at least 4 steps"},
		{"forces:\n  - {dof: 1, history: {kind: quake}}\n", `kind "quake": want one of file, sine, sweep, step, pulse`},
		{"more_ground:\n  - {influence: [1, 1], motion: {kind: sine}}\n", "no first component: want it under ground"},
		{"ground: {kind: sine}\nmore_ground:\n  - {influence: [1], motion: {kind: sine}}\n",
			"influence vector of 1 entries: want 2"},
	} {
		err := build(t.Context(), body+c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v: want %q", c.text, err, c.want)
		}
	}
}

// A specimen beside the structure is released from where it was brought to as
// well, in test and reference: with an ideal actuator they agree.
func TestFreeVibrationBesideASpecimen(t *testing.T) {
	for _, specimen := range []string{"{kind: maxwell, stiffness: 1e5, damping: 3e4}",
		"{kind: friction, normal_force: 2000, stick_stiffness: 1e6}"} {
		r := built(t, body+"duration_s: 2\ninitial_displacement: [0.005, 0.008]\n", "specimen="+specimen,
			"timing.target=next")
		steps(t, r, nil)
		if j4 := result(t, r, "J4_pct"); !(j4 < 1) {
			t.Errorf("%s: J4 = %.3g %%: want a free vibration as the reference's", specimen, j4)
		}
	}
}
