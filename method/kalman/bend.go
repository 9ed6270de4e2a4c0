package kalman

import (
	"math"

	"rths/method/identify"

	"rths"
)

// bend has the terms b g v and e q v of specimens whose stiffness changes with the motion, by a
// Kalman filter of its own on the residual of the other coefficients. Until the gate opens for
// the first time its covariance is 0, and so are b and e.
type bend struct {
	b, e       float64    // s
	p          [3]float64 // covariance of b, of b and e, of e, s²
	start      [2]float64 // the variances where the gate opens, s²
	limit      float64    // |b| ≤ limit, 0 ≤ e ≤ limit, s
	force, far float64    // max|f|, N, and max|d|, m, since the start
	last       float64    // |f| of the tick before, N
}

// yielding is g: |f|/max|f| while the specimen is loaded further, else 0. A force counts for the
// maximum when two ticks have it: one sample beyond all measure would take g away for good.
func (y *bend) yielding(read *rths.Reading, v float64, learns bool) float64 {
	if len(read.F) == 0 {
		return 0
	}
	f := read.F[0]
	size := math.Abs(f)
	if !(size <= math.MaxFloat64) {
		return 0
	}
	if learns {
		y.force = max(y.force, min(size, y.last))
		y.last = size
	}
	if !(f*v > 0) || y.force == 0 {
		return 0
	}
	return min(size/y.force, 1)
}

// hardening is q, (d/max|d|)².
func (y *bend) hardening(d float64, learns bool) float64 {
	size := math.Abs(d)
	if learns && size > y.far && size <= identify.Absurd {
		y.far = size
	}
	if y.far == 0 {
		return 0
	}
	q := min(size/y.far, 1)
	return q * q
}

// learn is a tick of the filter, with the residual r, its noise, the prefiltered terms, and the
// share by which the covariance goes back to its start.
func (y *bend) learn(r, noise float64, w [2]float64, share float64) {
	p := &y.p
	if p[0] == 0 && p[2] == 0 && share == 0 {
		return
	}
	g := [2]float64{p[0]*w[0] + p[1]*w[1], p[1]*w[0] + p[2]*w[1]}
	s := noise + w[0]*g[0] + w[1]*g[1]
	b, e := y.b+g[0]/s*r, y.e+g[1]/s*r
	if rths.Finite(b) && rths.Finite(e) {
		y.b, y.e = min(max(b, -y.limit), y.limit), min(max(e, 0), y.limit)
		p[0] -= g[0] * g[0] / s
		p[1] -= g[0] * g[1] / s
		p[2] -= g[1] * g[1] / s
	}
	p[0] += share * (y.start[0] - p[0])
	p[1] -= share * p[1]
	p[2] += share * (y.start[1] - p[2])
}
