package device

import (
	"math"
	"testing"

	"rths/kit/rthstest"
)

// A cycle of a friction device with a play 2g dissipates 4 F_c (A − F_c/k − g): the force is zero across the gap.
func TestBacklashCycle(t *testing.T) {
	const k, fc, a, play, n = 1e6, 1000.0, 0.02, 1e-3, 20000
	work, at, before, free, i := 0.0, 0.0, 0.0, 0.0, 0
	ride(&Backlash{&Friction{K: k, Mu: 1, N: fc}, play}, 2*math.Pi/n, 2*n, func(t float64) (x, v float64) {
		sin, cos := math.Sincos(t)
		return a * sin, a * cos
	}, func(x, _, f float64, _ []float64) {
		if i++; i > n {
			work += (f + before) / 2 * (x - at)
			if f == 0 {
				free += math.Abs(x - at)
			}
		}
		before, at = f, x
	})
	want := 4 * fc * (a - fc/k - play/2)
	rthstest.Near(t, "energy of a cycle", work, want, 1e-3*want)
	rthstest.Near(t, "way without force", free, 2*play, 1e-2*play)
}

// A motion within the play meets nothing, and one beyond it meets the law at u = x − g.
func TestBacklashOfASpring(t *testing.T) {
	l := &Backlash{&Viscoelastic{K: 1e6}, 2e-3}
	for _, size := range []float64{0.9e-3, 5e-3} {
		ride(l, 1e-4, 20000, func(t float64) (x, v float64) {
			sin, cos := math.Sincos(5 * t)
			return size * sin, 5 * size * cos
		}, func(x, _, f float64, _ []float64) {
			rthstest.Near(t, "force", f, 1e6*(max(x-1e-3, 0)+min(x+1e-3, 0)), 10)
		})
	}
}
