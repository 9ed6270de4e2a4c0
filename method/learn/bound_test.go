package learn

import (
	"math/rand/v2"
	"testing"

	"rths/kit/rthstest"
	"rths/model/device"
)

// Parameters that stand at a bound come off it as soon as the readings say so, at once with a wide spread too.
func TestComesOffItsBound(t *testing.T) {
	for _, at := range []float64{0.5, 1.5} {
		l := &device.Viscoelastic{K: 1e5}
		u := rthstest.Must(NewUKF(l, []device.Parameter{bounded("k", &l.K, 5e4, 1.5e5)},
			Settings{RateHz: 512, Noise: 50, PinnedS: 10}))
		u.move(0, at-1)
		u.set(u.theta)
		move := motion(rand.New(rand.NewPCG(5, 53)), 0.02)
		for k := range 512 {
			x, v := move(float64(k+1) / 512)
			u.Step(x, v, 1e5*x, false)
		}
		if v, sd := u.Value(0); !(v > 0.99e5 && v < 1.01e5) {
			t.Errorf("from %g: %g ± %g N/m after 1 s: want 1e5", at, v, sd)
		}
	}
}
