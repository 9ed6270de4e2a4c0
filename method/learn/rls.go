package learn

import (
	"fmt"
	"math"

	"rths"
	"rths/model/device"
)

// RLS finds parameters in which the force of a law is linear, by least squares over the last seconds (Ljung 1999,
// section 11.2). With φ = ∂f/∂θ, carried along with the states of the law, and the forgetting λ = e^(−h/memory):
//
//	K = P φ/(λ R + φᵀ P φ),  θ ← θ + K (y − f),  P ← (P − K φᵀ P)/λ
//
// No parameter's variance becomes larger than at the start, so that a motion that tells little is not taken for news.
// Parameters stay within their bounds. Not where the law's class is in doubt: the UKF follows a parameter that wanders more slowly.
type RLS struct {
	follower
	keep      float64 // λ
	cov       []float64
	phi, gain []float64
}

// memoryS is the time over which readings count.
const memoryS = 10.0

// NewRLS starts at the law's parameters, whose law is at rest. A law that is not linear in them is an error.
func NewRLS(law device.Law, p []device.Parameter, s Settings) (*RLS, error) {
	f, err := newFollower(law, p, s)
	if err != nil {
		return nil, err
	}
	n := len(p)
	r := &RLS{follower: *f, keep: math.Exp(-f.h / memoryS), cov: make([]float64, n*n), phi: make([]float64, n),
		gain: make([]float64, n)}
	for i := range n {
		r.cov[i*n+i] = startSD * startSD
	}
	return r, r.wantLinear()
}

// wantLinear compares the force half-way between two sets of parameters with the mean of both, along a sine.
func (r *RLS) wantLinear() error {
	run := func(theta []float64) []float64 {
		r.set(theta)
		return r.path.Swing(400)
	}
	defer r.set(r.theta)
	for j := range r.p {
		low, half, high := append([]float64{}, r.low...), append([]float64{}, r.low...), append([]float64{}, r.low...)
		for i := range j { // the others in between: products of parameters show
			low[i], half[i], high[i] = r.low[i], (r.low[i]+r.high[i])/2, r.high[i]
		}
		half[j], high[j] = (r.low[j]+r.high[j])/2, r.high[j]
		a, b, c := run(low), run(half), run(high)
		off, size := 0.0, 0.0
		for k := range a {
			off, size = max(off, math.Abs(b[k]-(a[k]+c[k])/2)), max(size, math.Abs(c[k]))
		}
		if !(off <= 1e-9*size) {
			return fmt.Errorf("%s: the force is not linear in it, by %.3g of the largest: want by: ukf", r.p[j].Name, off/size)
		}
	}
	return nil
}

// Step takes one reading: deformation x (m), its rate v (m/s) and force (N). Nothing is learned from an old reading.
func (r *RLS) Step(x, v, force float64, old bool) {
	if r.goes(x, v, force, old) {
		r.learn(x, v, force)
	}
}

// learn is a step of the recursion.
func (r *RLS) learn(x, v, force float64) {
	n, variance := len(r.p), r.s.Noise*r.s.Noise
	y := r.forceAt(x, v, nil)
	for j := range n {
		clear(r.gain)
		r.gain[j] = shift
		r.phi[j] = (r.forceAt(x, v, r.gain) - y) / shift
	}
	clear(r.gain)
	s := r.keep * variance
	for i := range n {
		for j := range n {
			r.gain[i] += r.cov[i*n+j] * r.phi[j]
		}
		s += r.phi[i] * r.gain[i]
	}
	e := force - y
	if !rths.Finite(e/s) || !(s > 0) {
		return
	}
	r.judge(e, math.Sqrt(s))
	for i := range n {
		for j := range n {
			r.cov[i*n+j] = (r.cov[i*n+j] - r.gain[i]*r.gain[j]/s) / r.keep
		}
	}
	for i := range n {
		if most := startSD * startSD; r.cov[i*n+i] > most {
			less := math.Sqrt(most / r.cov[i*n+i])
			for j := range n {
				r.cov[i*n+j] *= less
				r.cov[j*n+i] *= less
			}
		}
	}
	for j := range n {
		r.move(j, r.gain[j]/s*e)
	}
	r.set(r.theta)
}

// Covariance is the covariance of two parameters, in their own units.
func (r *RLS) Covariance(i, j int) float64 { return r.cov[i*len(r.p)+j] * r.unit[i] * r.unit[j] }

// Value is a parameter and its standard deviation, in its own unit.
func (r *RLS) Value(j int) (value, sd float64) {
	n := len(r.p)
	return r.theta[j] * r.unit[j], math.Sqrt(max(r.cov[j*n+j], 0)) * r.unit[j]
}

// FellBack is 0: bounds hold the parameters, and the least squares go on.
func (r *RLS) FellBack() int { return 0 }

// VisitAdaptation visits what was learned.
func (r *RLS) VisitAdaptation(v *rths.StateVisitor) {
	r.follower.VisitAdaptation(v)
	v.Floats(r.cov)
}
