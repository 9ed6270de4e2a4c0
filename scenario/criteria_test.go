package scenario_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"rths"
	"rths/scenario"
)

// watch is an observer made of a function.
type watch func(f *rths.Frame)

func (w watch) Observe(f *rths.Frame) { w(f) }

// finish runs a scenario to its end.
func finish(t *testing.T, look func(r *scenario.Run, f *rths.Frame), sets ...string) *scenario.Run {
	t.Helper()
	r := built(t, small, sets...)
	if look != nil {
		r.Loop.Attach(watch(func(f *rths.Frame) { look(r, f) }))
	}
	steps(t, r, nil)
	return r
}

func channel(t *testing.T, r *scenario.Run, name string) float64 {
	t.Helper()
	for _, c := range r.Channels {
		if c.Name == name {
			return *c.V
		}
	}
	t.Fatalf("no channel %s", name)
	return 0
}

func result(t *testing.T, r *scenario.Run, name string) float64 {
	t.Helper()
	return named(t, r.Summary(), name)
}

func named(t *testing.T, values []rths.Value, name string) float64 {
	t.Helper()
	for _, v := range values {
		if v.Name == name {
			return v.V
		}
	}
	t.Fatalf("no value %s", name)
	return 0
}

// The base shear of numerical part and specimen is the force of the ground on the masses
// of the whole structure: −Σ m_i (ẍ_i + a_g), by equilibrium. It holds for
// whatever force the step was made with, so also under noise, delay and lag.
func TestBaseShearBalancesInertia(t *testing.T) {
	for _, sets := range [][]string{
		{"integrator.kind=rk4"},
		{"integrator.kind=central-difference"},
		{"timing={target: next, force_delay: 2}", "interface_dof=2"},
		{"transfer={kind: delay, delay_ms: 3}", "sensors={force_noise: 5}"},
		{"loop=open", "specimen.mass=0"},
		{"specimen={kind: maxwell, stiffness: 1e5, damping: 1e3}"},
	} {
		sets = append(sets, "criteria.floors=true", "structure.masses=[1000, 700]")
		most, worst := 0.0, 0.0
		finish(t, func(r *scenario.Run, f *rths.Frame) {
			want := -1000*(f.Num.A[0]+f.Ground[0]) - 700*(f.Num.A[1]+f.Ground[0])
			most, worst = max(most, math.Abs(want)), max(worst, math.Abs(channel(t, r, "base_shear")-want))
		}, sets...)
		if most < 1000 || worst > 1e-9*most {
			t.Errorf("%v: base shear of up to %g N off by %g N", sets, most, worst)
		}
	}
}

// A shear frame in closed form: with a stiff structure under a slow sine the
// floors move with the ground, the drift of storey i is the mass above it times
// the acceleration over its stiffness, and so is the base shear.
func TestFloorsOfAStiffFrame(t *testing.T) {
	r := finish(t, nil, "criteria={floors: true, floor_spectra: true}", "rate_hz=4096", "transfer={kind: ideal}",
		"structure.stiffnesses=[4e9, 2e9]",
		"ground={kind: sine, duration_s: 20, frequency_hz: 0.5, amplitude_m_s2: 1}")
	for _, c := range []struct {
		name      string
		want, tol float64 // the sine begins with a kink: a transient of f/f1 = 0.5/110
	}{
		{"floor1_acc_peak_m_s2", 1, 6e-3}, {"floor2_acc_peak_m_s2", 1, 6e-3},
		{"drift1_peak_mm", 2000 / 4e9 * 1e3, 6e-3}, {"drift2_peak_mm", 1000 / 2e9 * 1e3, 6e-3},
		{"base_shear_peak_kN", 2, 6e-3},
		{"floor2_Sa_period_s", 2, 0.05},
	} {
		if got := result(t, r, c.name); math.Abs(got-c.want) > c.tol*c.want {
			t.Errorf("%s = %g: want %g", c.name, got, c.want)
		}
	}
}

// The actuator is a pure delay in series with a hold of one sample: the index finds both, in a
// response that has died away at the end. (The specimen's force is left out of the loop, or the
// delay would feed the numerical part.)
func TestFEIFindsTheDelay(t *testing.T) {
	r := finish(t, nil, "criteria.fei=true", "rate_hz=4096", "loop=open", "transfer={kind: delay, delay_ms: 7}",
		"duration_s=40")
	for name, want := range map[string]float64{"FEI_A": 1, "FEI_delay_ms": 7 + 1/4.096, "delay_ms": 7 + 1/4.096} {
		if got := result(t, r, name); math.Abs(got-want) > 1e-3*want { // the phase spreads by 2π·0.4 Hz·7 ms = 0.02
			t.Errorf("%s = %g: want %g", name, got, want)
		}
	}
}

// Without the key nothing is added, so a run costs what it did.
func TestCriteriaAreOff(t *testing.T) {
	r := finish(t, nil)
	if len(r.Criteria) != 2 || r.Spectra != nil {
		t.Errorf("%d criteria, spectra %v: want tracking and response only", len(r.Criteria), r.Spectra)
	}
	for _, v := range r.Summary() {
		if strings.HasPrefix(v.Name, "FEI") || strings.Contains(v.Name, "acc") {
			t.Errorf("criterion %s that nobody asked for", v.Name)
		}
	}
}

func TestCriteriaRefuse(t *testing.T) {
	target := "name: t\nrate_hz: 1024\nloop: open\ntarget: {kind: sine, frequency_hz: 1, amplitude_m: 0.01, duration_s: " +
		"1}\nspecimen: {kind: linear, stiffness: 1e5}\ntransfer: {kind: second-order}\n"
	for _, c := range []struct{ text, set, want string }{
		{small, "criteria.fie=true", "unknown key: did you mean fei?"},
		{small, "criteria.fei=2", "want true or false"},
		{small, "criteria.spectrum_damping=1", "spectrum_damping 1: want 0 or more, below 1"},
		{target, "criteria.floors=true", "criteria: a prescribed target has no floors: want a structure"},
	} {
		err := build(t.Context(), c.text, c.set)
		if err == nil || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%s: error %v: want %q", c.set, err, c.want)
		}
	}
}
