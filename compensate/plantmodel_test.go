package compensate_test

import (
	"math"
	"math/cmplx"
	"testing"

	"rths"
	"rths/compensate"
	"rths/lti"
)

// The command of a frozen model-based compensator is the target through the
// inverse of its model: command response × PlantModel = 1, but for a delay the
// compensator puts on its command (kf-table5: one sample).
func TestCommandTimesPlantModelIsOne(t *testing.T) {
	for name, late := range map[string]float64{"amb": 0, "amb-fixed": 0, "kf": 0, "kf-table5": 1, "kf-literal": 0} {
		row, err := rths.Find(compensate.Kinds, name)
		if err != nil {
			t.Fatal(err)
		}
		maker := row.Defaults()
		c := made(t, maker)
		h := lti.Impulse{Dt: 1.0 / rate}
		target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}
		c.(rths.Adaptive).Freeze(true)
		for k := range 200 {
			target.X[0] = 0
			if k == 0 {
				target.X[0] = 1
			}
			c.Step(u, &target, &read)
			h.H = append(h.H, u[0])
		}
		id := maker.(compensate.Identified)
		if id.PlantModel(rate, []float64{1, 2, 3, 4, 5}) != nil {
			t.Errorf("%s: a model of too many parameters", name)
		}
		model := id.PlantModel(rate, channels(c))
		for _, hz := range []float64{0.1, 2, 15, 60, 300} {
			want := cmplx.Exp(complex(0, -2*math.Pi*hz*late/rate))
			if got := h.Response(hz) * model(hz); cmplx.Abs(got-want) > 1e-9 {
				t.Errorf("%s at %g Hz: %.6g, want %.6g", name, hz, got, want)
			}
		}
	}
}

// Gálmez 2021, eq. 7.6: for slow motion the differences are derivatives and the
// model is 1/(1.986e-7 s³ + 8.440e-5 s² + 0.0199 s + 1), whose delay is 19.9 ms.
func TestAMBModelIsThatOfThePaper(t *testing.T) {
	model := (&compensate.AMB{Order: 3}).PlantModel(1e6, []float64{1, 0.0199, 8.440e-5, 1.986e-7})
	for _, hz := range []float64{0.1, 1, 10, 20} {
		s := complex(0, 2*math.Pi*hz)
		want := 1 / (1.986e-7*s*s*s + 8.440e-5*s*s + 0.0199*s + 1)
		if got := model(hz); cmplx.Abs(got-want) > 1e-3*cmplx.Abs(want) {
			t.Errorf("%g Hz: %.6g, want %.6g", hz, got, want)
		}
	}
}
