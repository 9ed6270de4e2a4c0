package lti

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// TF is the transfer function Num/Den of one input and one output, with
// coefficients in descending powers of s (Dt = 0) or z (Dt > 0). It may be
// improper, as the inverse of a plant is. Make it with NewTF, which checks it.
type TF struct {
	Num, Den []float64
	Dt       float64 // sample time, s; 0 is continuous
}

// NewTF returns num/den after stripping leading zeros from copies of both.
// Coefficients must be finite, the denominator not zero and dt 0 or more.
func NewTF(num, den []float64, dt float64) (TF, error) {
	if err := finite("numerator", num); err != nil {
		return TF{}, fmt.Errorf("transfer function: %w", err)
	}
	if err := finite("denominator", den); err != nil {
		return TF{}, fmt.Errorf("transfer function: %w", err)
	}
	if err := checkDt(dt); err != nil {
		return TF{}, fmt.Errorf("transfer function: %w", err)
	}
	n, d := stripLeading(num), stripLeading(den)
	if len(d) == 0 {
		return TF{}, fmt.Errorf("transfer function: denominator %v is zero: want a non-zero coefficient", den)
	}
	if len(n) == 0 {
		n = []float64{0}
	}
	return TF{Num: append([]float64(nil), n...), Den: append([]float64(nil), d...), Dt: dt}, nil
}

func checkDt(dt float64) error {
	if !(dt >= 0) || math.IsInf(dt, 1) {
		return fmt.Errorf("sample time %g s: want 0 (continuous) or a positive number", dt)
	}
	return nil
}

// At returns the value at s (continuous) or z (discrete). For a frequency
// response use s = jω or z = e^{jω Dt}, ω in rad/s.
func (g TF) At(s complex128) complex128 {
	return PolyEval(g.Num, s) / PolyEval(g.Den, s)
}

// Poles returns the roots of the denominator (rad/s when continuous), sorted
// as Roots does.
func (g TF) Poles() ([]complex128, error) { return Roots(g.Den) }

// Zeros returns the roots of the numerator, sorted as Roots does; a zero
// numerator is an error.
func (g TF) Zeros() ([]complex128, error) { return Roots(g.Num) }

// InverseSeries returns the first n coefficients of the power series of the
// inverse about s = 0,
//
//	1/G(s) = c[0] + c[1] s + c[2] s² + …      c[i] in s^i per unit gain.
//
// The command c[0] x + c[1] dx/dt + c[2] d²x/dt² + … makes G follow a slow x.
// G must be continuous with a non-zero numerator at s = 0.
func (g TF) InverseSeries(n int) ([]float64, error) {
	g, err := NewTF(g.Num, g.Den, g.Dt)
	switch {
	case err != nil:
		return nil, err
	case g.Dt != 0:
		return nil, fmt.Errorf("inverse series: sample time %g s: want a continuous transfer function", g.Dt)
	case n < 1:
		return nil, fmt.Errorf("inverse series: %d coefficients: want 1 or more", n)
	case g.Num[len(g.Num)-1] == 0:
		return nil, fmt.Errorf("inverse series: the gain at s = 0 is zero: want a non-zero one")
	}
	c := make([]float64, n)
	for k := range c {
		c[k] = ascending(g.Den, k)
		for j := 1; j <= k; j++ {
			c[k] -= ascending(g.Num, j) * c[k-j]
		}
		c[k] /= ascending(g.Num, 0)
	}
	return c, nil
}

// ascending returns the coefficient of the power k in p (descending powers).
func ascending(p []float64, k int) float64 {
	if k >= len(p) {
		return 0
	}
	return p[len(p)-1-k]
}

// SS returns a realization in controllable canonical form: the first row of A
// holds the negative denominator coefficients, B is (1, 0, …, 0)ᵀ. An improper
// function is an error. A constant gain gets one stable state without input
// and output, because an SS has at least one.
func (g TF) SS() (SS, error) {
	g, err := NewTF(g.Num, g.Den, g.Dt)
	if err != nil {
		return SS{}, err
	}
	n := len(g.Den) - 1
	if len(g.Num)-1 > n {
		return SS{}, fmt.Errorf("state space of an improper transfer function: numerator of order %d over denominator of "+
			"order %d: want at most %d",
			len(g.Num)-1, n, n)
	}
	if n == 0 {
		return constantSS(g.Num[0]/g.Den[0], g.Dt)
	}
	lead := g.Den[0]
	d := ascending(g.Num, n) / lead
	a, b, c := mat.NewDense(n, n, nil), mat.NewDense(n, 1, nil), mat.NewDense(1, n, nil)
	b.Set(0, 0, 1)
	for i := range n {
		den := g.Den[i+1] / lead
		a.Set(0, i, -den)
		c.Set(0, i, ascending(g.Num, n-1-i)/lead-d*den)
		if i > 0 {
			a.Set(i, i-1, 1)
		}
	}
	return NewSS(a, b, c, mat.NewDense(1, 1, []float64{d}), g.Dt)
}

func constantSS(gain, dt float64) (SS, error) {
	zero := mat.NewDense(1, 1, nil)
	a := mat.NewDense(1, 1, nil)
	if dt == 0 {
		a.Set(0, 0, -1)
	}
	return NewSS(a, zero, zero, mat.NewDense(1, 1, []float64{gain}), dt)
}

// Pade returns the diagonal Padé approximation of the delay e^{-s delay}, with
// n = order and the delay in s:
//
//	N(-s delay)/N(s delay),  N(x) = Σ (2n-k)! n! / ((2n)! k! (n-k)!) x^k
//
// Its power series agrees with the delay's up to s^{2n} and its magnitude is 1
// at every frequency. G.H. Golub, C.F. Van Loan, Matrix Computations, 4th ed.,
// section 9.3.1.
func Pade(delay float64, order int) (TF, error) {
	if !(delay >= 0) || math.IsInf(delay, 1) {
		return TF{}, fmt.Errorf("approximation of Padé: delay %g s: want 0 or more", delay)
	}
	if order < 1 || order > 10 {
		return TF{}, fmt.Errorf("approximation of Padé: order %d: want 1 to 10", order)
	}
	num, den := make([]float64, order+1), make([]float64, order+1)
	c := 1.0
	for k := range order + 1 {
		den[order-k] = c
		num[order-k] = c
		if k%2 == 1 {
			num[order-k] = -c
		}
		c *= delay * float64(order-k) / float64((2*order-k)*(k+1))
	}
	return NewTF(num, den, 0)
}

// Slowed is the function of s/ω.
func (g TF) Slowed(omega float64) TF {
	scaled := func(p []float64) []float64 {
		out := make([]float64, len(p))
		for i, v := range p {
			out[i] = v * math.Pow(omega, float64(len(p)-1-i))
		}
		return out
	}
	return TF{Num: scaled(g.Num), Den: scaled(g.Den)}
}
