package compensate

import (
	"math"
	"math/cmplx"

	"rths/kit/rthstest"
	"rths/maths/lti"
)

const chainRate = 1024

// benchAt is the test on the kit's rig: two lags of 10 ms in series.
func benchAt(rateHz float64, axes, lead int) At {
	return At{
		RateHz: rateHz, Axes: axes, Lead: lead, Accelerometer: true,
		Model: func() (lti.SS, error) { return rthstest.BenchModel(axes) },
		Plant: func(hz float64) (complex128, error) {
			s := complex(0, 2*math.Pi*hz)
			return cmplx.Exp(s*complex((float64(lead)-0.5)/rateHz, 0)) / cmplx.Pow(1+0.01*s, 2), nil
		},
		BareInverse: func(n int) ([]float64, error) {
			return append([]float64{1, 0.02, 1e-4}, make([]float64, 8)...)[:n], nil
		},
	}
}

// learners are the methods that learn from their commands, from a start 30 % beside the plant.
func learners() map[string]Maker {
	start, wide := []float64{1.3, 0.007}, []float64{9, 9}
	theta := []float64{start[0] + start[1]*chainRate, -start[1] * chainRate}
	return map[string]Maker{
		"amb": &AMB{A: start, FilterOrder: 4, FilterHz: 20},
		"ats": &ATS{A: start, Lower: []float64{0, 0}, Upper: wide, MaxRate: wide, Window: 1,
			FilterOrder: 4, FilterHz: 20},
		"cats": &CATS{A: start, Lower: []float64{0, 0}, Upper: wide, P0: []float64{1e12},
			Forgetting: 1, FilterOrder: 4, FilterHz: 20},
		"kf": &KF{X0: theta, Spacing: 1, QF: 1e3, R: 1e-9, FilterOrder: 4, FilterHz: 20},
		"kf, late": &KF{X0: theta, Spacing: 1, QF: 1e3, R: 1e-9, FilterOrder: 4, FilterHz: 20,
			ExtraSamples: 2},
		"adm": &ADM{P: 0, Q: 2, Theta0: theta, P0: []float64{1e12}, History: "target",
			Forgetting: 1, FilterOrder: 4, FilterHz: 20},
		"adm, p 1": &ADM{P: 1, Q: 2, Theta0: append([]float64{0.1}, theta...), P0: []float64{1e12},
			History: "target", Forgetting: 1, FilterOrder: 4, FilterHz: 20},
		"rodeac": &RoDeAC{Theta0: [][]float64{theta}, P0: [][]float64{{1e12}}, Forgetting: 1,
			FilterOrder: 4, FilterHz: 20},
	}
}
