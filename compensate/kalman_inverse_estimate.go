package compensate

import (
	"math"

	"rths"
)

// hear brings the noise R of a reading up to date, a mean over 1 s of the third difference,
// in which the motion has vanished.
func (c *kalmanInverse) hear(x float64) {
	if c.k < float64(len(c.past)) {
		return
	}
	third := x - 3*(c.past[0]-c.past[1]) - c.past[2]
	c.noise = max(c.noise+c.h*(third*third/thirdOfWhite-c.noise), c.floor)
}

// learn takes the residual (2): ν, then the estimates and their covariance, then forgetting,
// then the bounds.
func (c *kalmanInverse) learn() {
	d, r := &c.d.w, c.residual()
	noise := c.noise + c.left*(d[0]*d[0])
	var phi, g [kalmanTerms]float64 // g = Pφ
	for i := range phi {
		phi[i] = (d[i] + c.prior.c[i]*d[4]) / c.unit[i]
	}
	s := noise
	for i := range g {
		p := &c.p[i]
		g[i] = p[0]*phi[0] + p[1]*phi[1] + p[2]*phi[2] + p[3]*phi[3]
		s += phi[i] * g[i]
	}
	ratio := r * r / s
	if !rths.Finite(ratio) {
		return
	}
	c.nu += c.watch * (ratio - c.nu)
	gate := c.opening()
	for i := range g { // θ ← θ + K r, P ← P − K φᵀP with K = Pφ/S
		k := g[i] / s
		c.theta[i] += k * r
		for j := i; j < kalmanTerms; j++ {
			c.p[i][j] -= k * g[j]
			c.p[j][i] = c.p[i][j]
		}
	}
	c.yield(r, noise, gate)
	if gate > 0 {
		c.widen(c.forget * gate)
	}
	c.project()
	c.use()
}

// residual is (2) with the coefficients in use.
func (c *kalmanInverse) residual() float64 {
	x, a := &c.x.w, &c.a
	return c.u.w[0] - a[0]*x[0] - a[1]*x[1] - a[2]*x[2] - a[3]*x[3] - a[4]*x[4] - c.b*c.gv.w[0]
}

// opening is the gate, 0 to 1: shut while noise explains the residual.
func (c *kalmanInverse) opening() float64 { return min(max(c.nu/c.opens-1, 0), 1) }

// yield is a scalar Kalman step of b. Its variance is 0 until the gate opens.
func (c *kalmanInverse) yield(r, noise, gate float64) {
	if c.pb == 0 && gate == 0 {
		return
	}
	w := c.gv.w[0]
	k := c.pb * w / (noise + w*c.pb*w)
	if b := c.b + k*r; rths.Finite(b) {
		c.b = min(max(b, -c.bLimit), c.bLimit)
		c.pb -= k * w * c.pb
	}
	c.pb += c.forget * gate * (c.bStart - c.pb)
}

// widen is the bounded forgetting: P comes nearer to P0 by a share, and never beyond.
func (c *kalmanInverse) widen(share float64) {
	for i := range c.p {
		for j := range c.p {
			c.p[i][j] += share * (c.prior.p0[i][j] - c.p[i][j])
		}
	}
}

// project brings the estimates within their bounds: one beyond goes to its bound, and takes
// the others along as their covariance says.
func (c *kalmanInverse) project() {
	t, lo, hi := &c.theta, &c.prior.lo, &c.prior.hi
	for i := kalmanTerms - 1; i >= 0; i-- {
		off := min(max(t[i], lo[i]), hi[i]) - t[i]
		if off == 0 || !(c.p[i][i] > 0) {
			continue
		}
		off /= c.p[i][i]
		for j := range t {
			t[j] += c.p[j][i] * off
		}
	}
	for i := range t {
		t[i] = min(max(t[i], lo[i]), hi[i])
	}
}

// use sets the coefficients and the gate from the estimates and ν.
func (c *kalmanInverse) use() {
	snap := 0.0
	for i, v := range c.theta {
		c.a[i] = v / c.unit[i]
		snap += c.prior.c[i] * c.a[i]
	}
	snap = min(max(snap, 0), c.prior.top)
	c.gate = c.opening()
	c.a[kalmanTerms] = snap + c.gate*(c.prior.mean-snap)
}

// atBound reports whether a bound holds coefficient i.
func (c *kalmanInverse) atBound(i int) bool {
	v, lo, hi := c.theta[i], c.prior.lo[i], c.prior.hi[i]
	return lo < hi && (v <= lo || v >= hi)
}

// AtBounds are the coefficients that a bound holds.
func (c *kalmanInverse) AtBounds() (out []string) {
	for i := range c.theta {
		if c.atBound(i) {
			out = append(out, kalmanChannels[i])
		}
	}
	return out
}

func (c *kalmanInverse) AppendState(dst []float64) []float64 {
	dst = append(dst, c.jerk.a, c.jerk.once, c.jerk.twice, c.out.last, c.k)
	dst = append(dst, c.past[:]...)
	for _, f := range c.signals() {
		dst = f.appendState(dst)
	}
	return c.beside.appendState(c.late.appendState(dst))
}

func (c *kalmanInverse) signals() [4]*derived { return [4]*derived{&c.x, &c.d, &c.u, &c.gv} }

func (c *kalmanInverse) SetState(src []float64) []float64 {
	for _, to := range []*float64{&c.jerk.a, &c.jerk.once, &c.jerk.twice, &c.out.last, &c.k} {
		*to, src = src[0], src[1:]
	}
	src = src[copy(c.past[:], src):]
	for _, f := range c.signals() {
		src = f.setState(src)
	}
	return c.beside.setState(c.late.setState(src))
}

// adapted are the numbers that the adaptation moves, beside the covariance.
func (c *kalmanInverse) adapted() []*float64 {
	return []*float64{&c.theta[0], &c.theta[1], &c.theta[2], &c.theta[3], &c.b, &c.pb, &c.noise, &c.nu, &c.most, (*float64)(&c.unaimed)}
}

func (c *kalmanInverse) AppendAdaptation(dst []float64) []float64 {
	for _, v := range c.adapted() {
		dst = append(dst, *v)
	}
	for i := range c.p {
		dst = append(dst, c.p[i][i:]...)
	}
	return dst
}

func (c *kalmanInverse) SetAdaptation(src []float64) []float64 {
	for _, to := range c.adapted() {
		*to, src = src[0], src[1:]
	}
	for i := range c.p {
		src = src[copy(c.p[i][i:], src):]
		for j := range i {
			c.p[i][j] = c.p[j][i]
		}
	}
	c.use()
	return src
}

// Pinned reports whether a bound holds a coefficient.
func (c *kalmanInverse) Pinned() bool {
	for i := range c.theta {
		if c.atBound(i) {
			return true
		}
	}
	return false
}

// Residual is (2), and the standard deviation that its noise has.
func (c *kalmanInverse) Residual() (left, noise float64) {
	return c.residual(), math.Sqrt(c.noise * c.opens / noiseOpen)
}
