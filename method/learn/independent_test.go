package learn

import (
	"fmt"
	"math"
	"testing"

	"rths/kit/rthstest"
	"rths/model/device"
)

// standard are the parameters c and α of a damper, their standard deviations and covariance at some ticks, by
// kit/independent/learning.py.
var standard = map[int][]float64{
	0:    {12189.282215079969, 0.33348496324647725, 705.24755949009977, 0.033705186690042542, 15.270845673894229},
	9:    {12258.673193014134, 0.3290160001656946, 667.35652288304857, 0.029420972503837402, 18.95461671567103},
	99:   {12569.091232880393, 0.35179504176107623, 298.58985037829314, 0.011228359712686771, 3.2762561223229953},
	999:  {12585.724976321297, 0.35354527113731704, 52.325404299194354, 0.0021278055373638873, 0.10087645892135635},
	2999: {12539.15250391763, 0.35197656484749951, 34.267330796574996, 0.0014070938681031732, 0.040652592495995024},
}

// Of a law without states the filter is the standard form, as a program with numpy's matrices has it: to 1e-9, also
// where the bounds narrow the spread.
func TestFilterIsTheStandardForm(t *testing.T) {
	l := &device.Viscous{C: 1e4, Alpha: 0.4, V0: 1e-3}
	u := rthstest.Must(NewUKF(l, []device.Parameter{bounded("c", &l.C, 5e3, 3e4), bounded("alpha", &l.Alpha, 0.25, 0.44)},
		Settings{RateHz: 512, Noise: 300, PinnedS: 1e3}))
	truth, seen := device.Viscous{C: 1.25e4, Alpha: 0.35, V0: 1e-3}, 0
	for k := range 3000 {
		now, odd := float64(k)/512, float64(k)*float64(k)
		v := 0.2*math.Sin(3*now) + 0.15*math.Cos(11*now)
		u.Step(0, v, truth.Force(0, v, nil)+300*(math.Sin(1.7*odd)+math.Cos(0.3*odd)), false)
		want, ok := standard[k]
		if !ok {
			continue
		}
		seen++
		c, sdC := u.Value(0)
		alpha, sdAlpha := u.Value(1)
		for i, got := range []float64{c, alpha, sdC, sdAlpha, u.cov[1] * 1e4 * 0.4} {
			rthstest.Near(t, fmt.Sprintf("tick %d, number %d", k, i), got, want[i], 1e-9*math.Abs(want[i]))
		}
	}
	if seen != 5 {
		t.Errorf("%d ticks of 5", seen)
	}
}

func TestProgramOfTheFilter(t *testing.T) {
	got := rthstest.Independent(t, "learning.py")
	if len(got) != len(standard) {
		t.Errorf("%d ticks: want %d", len(got), len(standard))
	}
	for k, want := range standard {
		for i, v := range got[fmt.Sprint(k)] {
			rthstest.Near(t, fmt.Sprintf("tick %d, number %d", k, i), v, want[i], 1e-11*math.Abs(want[i]))
		}
	}
}
