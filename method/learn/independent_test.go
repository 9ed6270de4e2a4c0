package learn

import (
	"fmt"
	"math"
	"testing"

	"rths/kit/rthstest"
	"rths/model/device"
)

// Of a law without states the filter is the standard form, as a program with numpy's matrices has it: to 1e-9, also
// where the bounds narrow the spread.
func TestProgramOfTheFilter(t *testing.T) {
	want := rthstest.Independent(t, "learning.py")
	l := &device.Viscous{C: 1e4, Alpha: 0.4, V0: 1e-3}
	u := rthstest.Must(NewUKF(l, []Parameter{{"c", &l.C, 5e3, 3e4}, {"alpha", &l.Alpha, 0.25, 0.45}},
		Settings{RateHz: 512, Noise: 300, PinnedS: 1e3}))
	truth, seen := device.Viscous{C: 1.25e4, Alpha: 0.35, V0: 1e-3}, 0
	for k := range 3000 {
		now, odd := float64(k)/512, float64(k)*float64(k)
		v := 0.2*math.Sin(3*now) + 0.15*math.Cos(11*now)
		u.Step(0, v, truth.Force(0, v, nil)+300*(math.Sin(1.7*odd)+math.Cos(0.3*odd)), false)
		list, ok := want[fmt.Sprint(k)]
		if !ok {
			continue
		}
		seen++
		c, sdC := u.Value(0)
		alpha, sdAlpha := u.Value(1)
		for i, got := range []float64{c, alpha, sdC, sdAlpha, u.cov[1] * 1e4 * 0.4} {
			rthstest.Near(t, fmt.Sprintf("tick %d, number %d", k, i), got, list[i], 1e-9*math.Abs(list[i]))
		}
	}
	if seen != 5 {
		t.Errorf("%d ticks of 5", seen)
	}
}
