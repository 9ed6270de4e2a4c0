package device

import "math"

// Given looks whether a law gives more energy than it has taken, in motions that begin at rest: swings that grow and
// decay, of up to 60 mm and 0.5 m/s. It is the largest share of the work done on the law, up to any instant of a motion,
// that the law has given beyond what it had taken, with the amplitude (m) of this motion. Of a passive law it is 0 to
// rounding. No motion proves that a law is passive in others.
func Given(l Law) (share, amplitude float64) {
	const h, seconds = 1e-3, 6.0
	z := make([]float64, l.States())
	for _, a := range []float64{0.001, 0.005, 0.02, 0.06} {
		p, err := NewPath(l, h)
		if err != nil {
			return 0, 0
		}
		clear(z)
		x, force, work, least, turned := 0.0, l.Force(0, 0, z), 0.0, 0.0, 0.0
		w := min(12, 0.35/a)
		for k := range int(seconds / h) {
			t := float64(k+1) * h
			to := a * math.Sin(math.Pi*t/seconds) * (0.7*math.Sin(w*t) + 0.3*math.Sin(1.7*w*t))
			p.Advance(z, x, to)
			now := l.Force(to, (to-x)/h, z)
			part := (force + now) / 2 * (to - x)
			work, turned = work+part, turned+math.Abs(part)
			least = min(least, work)
			x, force = to, now
		}
		if given := -least / turned; given > share {
			share, amplitude = given, a
		}
	}
	return share, amplitude
}
