package compensate_test

import (
	"math"
	"math/cmplx"
	"testing"

	"rths"
	"rths/maths/lti"
	"rths/method/compensate"
)

// The command of every row that identifies the plant, frozen, is the target through the
// inverse of the model that its shown parameters stand for: command response × PlantModel
// = 1, but for a delay the row puts on its command (kf-table5: one sample).
func TestCommandTimesPlantModelIsOne(t *testing.T) {
	late := map[string]float64{"kf-table5": 1}
	for _, row := range compensate.Kinds {
		maker := row.Defaults()
		c := made(t, maker)
		id, ok := maker.(compensate.Identified)
		if _, rates := rths.As[rths.RateUser](c); !ok || rates { // not of the target's displacement alone
			continue
		}
		model := id.PlantModel(rate, channels(c))
		if model == nil {
			t.Errorf("%s: no model of the parameters it shows", row.Name)
			continue
		}
		if id.PlantModel(rate, make([]float64, 50)) != nil || id.PlantModel(rate, nil) != nil {
			t.Errorf("%s: a model of too many or too few parameters", row.Name)
		}
		c.(rths.Adaptive).Freeze(true)
		h := impulse(c)
		for _, hz := range []float64{0.1, 2, 15, 60, 300} {
			want, tol := cmplx.Exp(complex(0, -2*math.Pi*hz*late[row.Name]/rate)), 1e-9
			if row.Name == "forward-prediction" {
				// A line through past targets stands for the delay, to (ωτ)²: in slow motion only.
				if tol = math.Pow(2*math.Pi*hz*0.02, 2); hz > 2 {
					continue
				}
			}
			if got := h.Response(hz) * model(hz); cmplx.Abs(got-want) > tol {
				t.Errorf("%s at %g Hz: %.6g, want %.6g", row.Name, hz, got, want)
			}
		}
	}
}

// impulse is the command's answer to a target that is 1 m for one sample.
func impulse(c rths.Compensator) lti.Impulse {
	h := lti.Impulse{Dt: 1.0 / rate}
	target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}
	for k := range 400 {
		target.X[0] = 0
		if k == 0 {
			target.X[0] = 1
		}
		c.Step(u, &target, &read)
		h.H = append(h.H, u[0])
	}
	return h
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
