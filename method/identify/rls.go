package identify

import (
	"fmt"
	"slices"

	"rths"
)

// RLS estimates parameters by recursive least squares with a forgetting factor λ (paper 000 eq. 3):
// of y = φ'θ it keeps the estimate θ and its covariance P over the variance of
// the residual,
//
//	K = P φ/(λ + φ' P φ),  θ ← θ + K (y − φ'θ),  P ← (P − K φ' P)/λ.
//
// With (P φ)' for φ' P, P must be made symmetric in every step: rounding leaves a skew part
// that grows by 1/λ a step.
//
// Without excitation P grows by 1/λ a step too. Beyond windUp times its initial diagonal
// λ counts as 1. Steps that would overflow, or find P no longer positive, are left out.
type RLS struct {
	lambda float64
	theta  []float64
	p      []float64 // P, row-major
	limit  []float64 // of the diagonal of P
	a      []float64 // P φ
}

// windUp of P: far above what the quiet 5 s before a record give at 100 Hz and
// λ = 0.97 (6e6), far below the end of double precision.
const windUp = 1e12

// NewRLS takes P0 as one number for all of the diagonal, the diagonal, or all
// rows one after the other.
func NewRLS(theta, p0 []float64, lambda float64) (*RLS, error) {
	n := len(theta)
	for _, v := range p0 {
		if !rths.Finite(v) {
			return nil, fmt.Errorf("p0 holds %g: want finite numbers", v)
		}
	}
	r := &RLS{lambda: lambda, theta: slices.Clone(theta), p: make([]float64, n*n), limit: make([]float64, n),
		a: make([]float64, n)}
	switch len(p0) {
	case n * n:
		copy(r.p, p0)
	case n:
		for i, v := range p0 {
			r.p[i*n+i] = v
		}
	case 1:
		for i := range n {
			r.p[i*n+i] = p0[0]
		}
	default:
		return nil, fmt.Errorf("%d numbers in p0: want 1, %d (diagonal) or %d (rows)", len(p0), n, n*n)
	}
	for i := range n {
		if r.p[i*n+i] < 0 {
			return nil, fmt.Errorf("p0: variance %g of parameter %d: want 0 or more", r.p[i*n+i], i+1)
		}
		r.limit[i] = windUp * r.p[i*n+i]
	}
	symmetrise(r.p, n)
	if !(lambda > 0 && lambda <= 1) {
		return nil, fmt.Errorf("forgetting %g: want above 0, at most 1", lambda)
	}
	return r, nil
}

// Update takes one pair (φ, y).
func (r *RLS) Update(phi []float64, y float64) {
	n, lambda := len(r.theta), r.forget()
	d, e := lambda, y
	for i := range r.theta {
		r.a[i] = 0
		for j, v := range phi {
			r.a[i] += r.p[i*n+j] * v
		}
		d += phi[i] * r.a[i]
		e -= phi[i] * r.theta[i]
	}
	if !(d > 0) || !r.possible(d, e) {
		return
	}
	for i, a := range r.a {
		r.theta[i] += a / d * e
		for j, b := range r.a {
			r.p[i*n+j] = (r.p[i*n+j] - a/d*b) / lambda
		}
	}
	symmetrise(r.p, n)
}

// Theta is the estimate, in the same place after each Update.
func (r *RLS) Theta() []float64 { return r.theta }

// forget is λ, or 1 while P is wound up.
func (r *RLS) forget() float64 {
	n := len(r.theta)
	for i, limit := range r.limit {
		if r.p[i*n+i] > limit {
			return 1
		}
	}
	return r.lambda
}

// possible reports whether all of a step is finite.
func (r *RLS) possible(d, e float64) bool {
	sum := d + e
	for i, a := range r.a {
		k := a / d
		sum += r.theta[i] + k*e
		for _, b := range r.a {
			sum += k * b / r.lambda
		}
	}
	return rths.Finite(sum)
}

func symmetrise(p []float64, n int) {
	for i := range n {
		for j := range i {
			mean := (p[i*n+j] + p[j*n+i]) / 2
			p[i*n+j], p[j*n+i] = mean, mean
		}
	}
}

// VisitAdaptation visits θ and P.
func (r *RLS) VisitAdaptation(v *rths.StateVisitor) { v.Floats(r.theta, r.p) }
