package compensate_test

import (
	"math"
	"math/cmplx"
	"testing"

	"rths"
	"rths/method/compensate"
)

// PlantModel against a plant whose command is, sample by sample, the sum the
// parameters stand for: the steady answer to a sine, and for a delay with gain
// its closed form.
func TestPlantModel(t *testing.T) {
	const hz = 12.5
	a := []float64{1.02, 0.022, 1e-4, 4e-7}
	for name, tc := range map[string]struct {
		m          compensate.Maker
		parameters []float64
		inverse    func(x func(k int) complex128) complex128 // command of tick 0
	}{
		"amb": {&compensate.AMB{Order: 1}, a[:2], func(x func(int) complex128) complex128 {
			return 1.02*x(0) + 0.022*rate*(x(0)-x(-1))
		}},
		"ats": {&compensate.ATS{Order: 2}, a[:3], func(x func(int) complex128) complex128 {
			return 1.02*x(0) + 0.022*rate*(x(0)-x(-1)) + 1e-4*rate*rate*(x(0)-2*x(-1)+x(-2))
		}},
		"cats": {&compensate.CATS{Order: 3}, a, func(x func(int) complex128) complex128 {
			return 1.02*x(0) + 0.022*rate*(x(0)-x(-1)) + 1e-4*rate*rate*(x(0)-2*x(-1)+x(-2)) +
				4e-7*rate*rate*rate*(x(0)-3*x(-1)+3*x(-2)-x(-3))
		}},
		"kf": {&compensate.KF{X0: []float64{1, 1, 1}, Spacing: 31}, []float64{7.5, -9.9, 3.4},
			func(x func(int) complex128) complex128 {
				return 7.5*x(0) - 9.9*x(-31) + 3.4*x(-62)
			}},
		"adm": {&compensate.ADM{P: 0, Q: 2, Spacing: 5}, []float64{3, -2}, func(x func(int) complex128) complex128 {
			return 3*x(0) - 2*x(-5)
		}},
	} {
		m := tc.m.(compensate.Identified)
		if m.PlantModel(rate, tc.parameters[1:]) != nil {
			t.Errorf("%s: a model of too few parameters", name)
		}
		x := func(k int) complex128 { return cmplx.Exp(complex(0, 2*math.Pi*hz*float64(k)/rate)) }
		want := x(0) / tc.inverse(x)
		if got := m.PlantModel(rate, tc.parameters)(hz); cmplx.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %v at %g Hz, want %v", name, got, hz, want)
		}
	}
	tau := 0.020
	delay := (&compensate.ATS{Order: 3}).PlantModel(1e6, []float64{1, tau, tau * tau / 2, tau * tau * tau / 6})
	if got, want := delay(1), cmplx.Exp(complex(0, -2*math.Pi*tau)); cmplx.Abs(got-want) > 2e-5 {
		t.Errorf("20 ms of delay: %v at 1 Hz, want %v", got, want)
	}
}

// Every row that adapts tells its plant, from as many parameters as it has channels.
func TestIdentifiedOfTheTable(t *testing.T) {
	for _, k := range compensate.Kinds {
		m := k.Defaults()
		id, ok := m.(compensate.Identified)
		if !ok {
			if _, adapts := made(t, m).(rths.Adaptive); adapts {
				t.Errorf("%s does not tell its plant", k.Name)
			}
			continue
		}
		model := id.PlantModel(rate, channels(made(t, m)))
		if model == nil {
			t.Errorf("%s: no model of its own channels", k.Name)
			continue
		}
		// The starting points are inverses of systems without specimen, of
		// static gain 1 and some 20 ms of lag.
		static, slow := model(0), model(0.5)
		if k.Name == "kf-literal" || k.Name == "rodeac" {
			// The one uses the same numbers with taps elsewhere, the other starts from a
			// fit that noise has flattened.
			continue
		}
		if lag := -1e3 * cmplx.Phase(slow) / math.Pi; math.Abs(real(static)-1) > 0.03 || lag < 15 || lag > 27 {
			t.Errorf("%s: static gain %.4f and %.2f ms of lag at 0.5 Hz", k.Name, static, lag)
		}
	}
}
