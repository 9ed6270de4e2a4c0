package kalman

import (
	"math"

	"rths"
)

// hear brings the noise R of a reading up to date, a mean over 1 s of the third difference,
// in which the motion has vanished.
func (c *kalmanInverse) hear(x float64) {
	if c.k < float64(len(c.past)) || c.torn > 0 {
		return
	}
	third := x - 3*(c.past[0]-c.past[1]) - c.past[2]
	c.noise = max(c.noise+c.h*(third*third/thirdOfWhite-c.noise), c.floor)
}

// keep remembers a fresh reading.
func (c *kalmanInverse) keep(x float64) {
	c.k++
	c.torn = max(c.torn-1, 0)
	c.past[2], c.past[1], c.past[0] = c.past[1], c.past[0], x
}

// learn takes the residual (6): ν, then the estimates and their covariance, then forgetting,
// then the bounds.
func (c *kalmanInverse) learn() {
	d, r := &c.d.w, c.residual()
	noise := c.noise + c.left*(d[0]*d[0])
	var g [kalmanParams]float64 // g = Pφ
	phi := c.regressor()
	s := noise
	for i := range g {
		p := &c.p[i]
		g[i] = p[0]*phi[0] + p[1]*phi[1] + p[2]*phi[2] + p[3]*phi[3] + p[4]*phi[4]
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
		for j := i; j < kalmanParams; j++ {
			c.p[i][j] -= k * g[j]
			c.p[j][i] = c.p[i][j]
		}
	}
	c.bend.learn(r, noise, [2]float64{c.gv.w[0], c.qv.w[0]}, c.forget*gate)
	if gate > 0 {
		c.widen(c.forget * gate)
	}
	c.project()
	c.use()
}

// regressor is (7).
func (c *kalmanInverse) regressor() (phi [kalmanParams]float64) {
	d, a := &c.d.w, &c.a
	for i := range kalmanTerms {
		phi[i] = (d[i] + c.prior.c[i]*d[4]) / c.unit[i]
	}
	phi[kalmanTerms] = (a[0]*d[1] + a[1]*d[2] + a[2]*d[3] + a[3]*d[4] + a[4]*c.d.top) / kalmanW
	return phi
}

// residual is (6) with the coefficients in use.
func (c *kalmanInverse) residual() float64 {
	x, a := &c.x.w, &c.a
	return between(c.waiting, c.ahead.n) - a[0]*x[0] - a[1]*x[1] - a[2]*x[2] - a[3]*x[3] - a[4]*x[4] - c.bend.b*c.gv.w[0] -
		c.bend.e*c.qv.w[0]
}

// opening is the gate, 0 to 1: shut while noise explains the residual.
func (c *kalmanInverse) opening() float64 { return min(max(c.nu/c.opens-1, 0), 1) }

// widen is the bounded forgetting: the covariance of a₀ … a₃ comes nearer to P0 by a share, and never beyond. The
// variance of δ does not grow: a specimen that yields changes no delay. Its covariances shrink by the share, so that P
// ≤ P0 stays.
func (c *kalmanInverse) widen(share float64) {
	const delta = kalmanTerms
	for i := range kalmanTerms {
		for j := range kalmanTerms {
			c.p[i][j] += share * (c.prior.p0[i][j] - c.p[i][j])
		}
		c.p[i][delta] -= share * c.p[i][delta]
		c.p[delta][i] = c.p[i][delta]
	}
}

// project brings the estimates within their bounds: one beyond goes to its bound, and takes
// the others along as their covariance says.
func (c *kalmanInverse) project() {
	t, lo, hi := &c.theta, &c.prior.lo, &c.prior.hi
	for i := kalmanParams - 1; i >= 0; i-- {
		off := min(max(t[i], lo[i]), hi[i]) - t[i]
		if off == 0 || !(c.p[i][i] > 0) {
			continue
		}
		off /= c.p[i][i]
		for j := range t {
			t[j] += c.p[j][i] * off
		}
	}
	c.restrain()
	for i := range t {
		t[i] = min(max(t[i], lo[i]), hi[i])
	}
}

// restrain takes from δ, down to the pure delay, what would leave the load of the specimen a
// negative damping,
//
//	a₂ − (b₂/b₁) a₁ = b₁ γ/gain ≥ 0,
//
// and gives it to the others as their covariance says. A specimen that yields looks like a delay
// with such a load; no specimen has one.
func (c *kalmanInverse) restrain() {
	t, q := &c.theta, c.prior.undamped
	damping := t[2] - q*t[1]
	beyond := t[kalmanTerms] - c.prior.pure
	if damping >= 0 || !(beyond > 0) || q == 0 {
		return
	}
	var along [kalmanParams]float64
	for j := range along {
		along[j] = c.p[j][2] - q*c.p[j][1]
	}
	if !(along[kalmanTerms] < 0) {
		return
	}
	step := min(-damping/(along[2]-q*along[1]), -beyond/along[kalmanTerms])
	for j := range t {
		t[j] += step * along[j]
	}
}

// use sets the coefficients and the gate from the estimates and ν.
func (c *kalmanInverse) use() {
	snap := 0.0
	for i, v := range c.theta[:kalmanTerms] {
		c.a[i] = v / c.unit[i]
		snap += c.prior.c[i] * c.a[i]
	}
	snap = min(max(snap, 0), c.prior.top)
	c.gate = c.opening()
	c.a[kalmanTerms] = snap + c.gate*(c.prior.mean-snap)
	c.delta = c.theta[kalmanTerms] / kalmanW
	c.ahead.set(c.delta / c.h)
}

// atBound reports whether a bound holds estimate i. Where the bare plant has no such coefficient, or
// no delay, the least is 0, and of a negative coefficient it is the start: that holds nothing.
func (c *kalmanInverse) atBound(i int) bool {
	v, lo, hi := c.theta[i], c.prior.lo[i], c.prior.hi[i]
	return lo < hi && (v <= lo && lo > 0 || v >= hi)
}

// AtBounds are the estimates that a bound holds.
func (c *kalmanInverse) AtBounds() (out []string) {
	for i := range c.theta {
		if c.atBound(i) {
			out = append(out, kalmanEstimates[i])
		}
	}
	return out
}

func (c *kalmanInverse) VisitState(v *rths.StateVisitor) {
	v.Float(&c.jerk.a, &c.jerk.once, &c.jerk.twice)
	v.State(&c.out)
	v.Float(&c.k, &c.torn)
	v.Floats(c.past[:])
	v.Float(&c.zeroVariance, &c.early.product, &c.early.square, &c.early.by, &c.off, &c.ahead.u)
	v.Floats(c.ahead.d[:])
	v.State(c.waiting)
	for _, f := range c.signals() {
		f.visit(v)
	}
	c.late.visit(v)
	c.beside.VisitState(v)
	c.Settling.VisitState(v)
}

func (c *kalmanInverse) signals() [6]*derived {
	return [6]*derived{&c.x, &c.d, &c.u, &c.gv, &c.qv, &c.acceleration}
}

func (c *kalmanInverse) VisitAdaptation(v *rths.StateVisitor) {
	b := &c.bend
	v.Floats(c.theta[:])
	v.Float(&b.b, &b.e)
	v.Floats(b.p[:])
	v.Float(&b.force, &b.last, &b.far, &c.noise, &c.nu, (*float64)(&c.unaimed))
	for i := range c.p {
		v.Floats(c.p[i][i:])
	}
	if v.Restoring() {
		for i := range c.p {
			for j := range i {
				c.p[i][j] = c.p[j][i]
			}
		}
		c.use()
	}
}

// Pinned reports whether a bound holds an estimate.
func (c *kalmanInverse) Pinned() bool {
	for i := range c.theta {
		if c.atBound(i) {
			return true
		}
	}
	return false
}

// Residual is the reading less the target, which is what the model expects it to be, and the
// standard deviation of the reading's noise. A motion that grows at the resonance of the oil column
// shows there before it passes the prefilter.
func (c *kalmanInverse) Residual() (left, noise float64) { return c.off, math.Sqrt(c.noise) }

// Watches says what Residual is.
func (c *kalmanInverse) Watches() string { return "reading less target" }

// early is the time by which the target's acceleration is ahead of its displacement, s. An integrator that holds the
// force of a sample, or adds the newest force to a motion made with an older one, leaves up to a sample between them;
// at 512 Hz this would be the largest error of the command. Least squares of w_a − w_d″ on w_d‴, which have no sensor
// noise:
//
//	by = Σ (w_a − w_d″) w_d‴ / Σ w_d‴²
type early struct {
	product, square float64
	by, most        float64
}

// mostEarly bounds it, in samples.
const mostEarly = 3.0

// newEarly starts at 0, as sure as one second of a motion of the readings' noise at W would make it.
func newEarly(h float64) early {
	return early{square: noiseStart / (h * h) * math.Pow(kalmanW, 6), most: mostEarly * h}
}

func (e *early) learn(a, d *[prefilterOrder]float64) {
	product, square := e.product+(a[0]-d[2])*d[3], e.square+d[3]*d[3]
	if by := product / square; rths.Finite(by) {
		e.product, e.square = product, square
		e.by = min(max(by, -e.most), e.most)
	}
}
