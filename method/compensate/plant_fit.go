package compensate

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rths"
)

// A method that learns starts from the inverse of the plant as the scenario describes it.
// Its terms b_i(f), derivatives or taps, are fitted to the inverse of the plant's response
// H(f) by least squares of the relative error,
//
//	min Σ_f W(f)² |H(f) Σ_i c_i b_i(f) − 1|²,  f = 0 to 20 Hz,  W = 1/(1 + (f/3 Hz)²),
//
// the band of the adaptation's low-pass. W falls with the frequency as the displacement of a
// building does. H includes all that stands between a command and its reading: hold, pure
// delay, timing, inner loop.
const (
	fitHz     = 20.0
	slowHz    = 3.0
	fitPoints = 81
)

var errNoPlant = errors.New("the plant has no linear model to start from")

// fitInverse returns the n coefficients of the terms.
func (at At) fitInverse(n int, term func(i int, hz float64) complex128) ([]float64, error) {
	if at.Plant == nil {
		return nil, errNoPlant
	}
	top := math.Min(fitHz, 0.4*at.RateHz)
	rows, ones := mat.NewDense(2*fitPoints, n, nil), mat.NewDense(2*fitPoints, 1, nil)
	scale := make([]float64, n) // of a column, so that s and s³ are of one size
	for i := range n {
		scale[i] = 1 / math.Max(cmplx.Abs(term(i, top)), math.SmallestNonzeroFloat32)
	}
	for k := range fitPoints {
		hz := top * float64(k) / (fitPoints - 1)
		h, err := at.Plant(hz)
		if err != nil {
			return nil, err
		}
		w := 1 / (1 + hz*hz/(slowHz*slowHz))
		for i := range n {
			v := h * term(i, hz) * complex(w*scale[i], 0)
			rows.Set(2*k, i, real(v))
			rows.Set(2*k+1, i, imag(v))
		}
		ones.Set(2*k, 0, w)
	}
	var c mat.Dense
	if err := c.Solve(rows, ones); err != nil {
		return nil, fmt.Errorf("the inverse of the plant up to %g Hz: %w", top, err)
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = c.At(i, 0) * scale[i]
		if !rths.Finite(out[i]) {
			return nil, fmt.Errorf("the inverse of the plant up to %g Hz has the coefficient %g", top, out[i])
		}
	}
	return out, nil
}

// left is what a fit by fitInverse leaves of the relative error, Σ_f W² |H Σ_i c_i b_i − 1|².
func (at At) left(c []float64, term func(i int, hz float64) complex128) (sum float64, err error) {
	for k := range fitPoints {
		hz := math.Min(fitHz, 0.4*at.RateHz) * float64(k) / (fitPoints - 1)
		h, err := at.Plant(hz)
		if err != nil {
			return 0, err
		}
		u := complex(0, 0)
		for i, v := range c {
			u += complex(v, 0) * term(i, hz)
		}
		e := cmplx.Abs(h*u-1) / (1 + hz*hz/(slowHz*slowHz))
		sum += e * e
	}
	return sum, nil
}

// exactDerivative is the term of order i of u = a₀ d + a₁ v + …, with the target's own rates.
func exactDerivative(i int, hz float64) complex128 {
	return cmplx.Pow(complex(0, 2*math.Pi*hz), complex(float64(i), 0))
}

// derivative is the term of order i of u = a₀ x + a₁ ẋ + …, by backward differences.
func (at At) derivative(i int, hz float64) complex128 {
	d := (1 - cmplx.Exp(complex(0, -2*math.Pi*hz/at.RateHz))) * complex(at.RateHz, 0)
	return cmplx.Pow(d, complex(float64(i), 0))
}

// inverseSeries are a₀, a₁, … of u = a₀ x + a₁ ẋ + ….
func (at At) inverseSeries(n int) ([]float64, error) { return at.fitInverse(n, at.derivative) }

// tap is the term of u[k] = x₁ d[k] + x₂ d[k−s] + … that is i s samples old.
func (at At) tap(s int) func(i int, hz float64) complex128 {
	return func(i int, hz float64) complex128 {
		return cmplx.Exp(complex(0, -2*math.Pi*hz*float64(i*s)/at.RateHz))
	}
}

// inverseTaps are x₁, x₂, … of u[k] = x₁ d[k] + x₂ d[k−s] + ….
func (at At) inverseTaps(n, s int) ([]float64, error) { return at.fitInverse(n, at.tap(s)) }

// An inverse that is perfect up to 20 Hz magnifies what lies above: noise, and the steps of
// a target. What it magnifies more than this, at the Nyquist frequency or anywhere up to it, comes
// back with the force and can make the loop unstable.
const (
	nyquistGain = 10.0
	seriesGain  = 20.0
)

// magnified is the largest |H Σ c_i b_i| up to the Nyquist frequency.
func (at At) magnified(c []float64, term func(i int, hz float64) complex128) (float64, error) {
	const points = 200
	largest := 0.0
	for k := range points {
		hz := at.RateHz / 2 * float64(k+1) / points
		h, err := at.Plant(hz)
		if err != nil {
			return 0, err
		}
		u := complex(0, 0)
		for i, v := range c {
			u += complex(v, 0) * term(i, hz)
		}
		largest = max(largest, cmplx.Abs(h*u))
	}
	return largest, nil
}

// spacingOf is the distance of q taps, samples, that is left open. Taps one sample apart
// are a series of order q − 1. Where the plant has no such series, or where a series cut
// off below the plant's magnifies more than seriesGain times, they are as far apart as kf's.
func (at At) spacingOf(q int) int {
	apart := int(max(1, math.Round(tapSpacing*at.RateHz)))
	order := at.orderOf()
	if q-1 == order {
		return 1
	}
	c, err := at.inverseTaps(q, 1)
	if err != nil || q-1 > order {
		return apart
	}
	if m, err := at.magnified(c, at.tap(1)); err != nil || m > seriesGain {
		return apart
	}
	return 1
}

// windowOrder is orderOf, but 1 where that inverse magnifies more than seriesGain times: the
// coefficients of a window follow within a second what comes back.
func (at At) windowOrder(lists ...[]float64) int {
	order := at.orderOf(lists...)
	if slices.ContainsFunc(lists, func(l []float64) bool { return l != nil }) {
		return order
	}
	a, err := at.inverseSeries(order + 1)
	if err != nil {
		return order
	}
	if m, err := at.magnified(a, at.derivative); err != nil || m > seriesGain {
		return 1
	}
	return order
}

// delayAndGain are τ, s, and k of H = e^{−jωτ}/k, by least squares of phase and magnitude
// with the same weight, up to 3 Hz.
func (at At) delayAndGain() (tau, k float64, err error) {
	if at.Plant == nil {
		return 0, 0, errNoPlant
	}
	top := math.Min(slowHz, 0.4*at.RateHz)
	turned, squares, size, before, phase := 0.0, 0.0, 0.0, 0.0, 0.0
	for i := 1; i < fitPoints; i++ {
		w := 2 * math.Pi * top * float64(i) / (fitPoints - 1)
		h, err := at.Plant(w / (2 * math.Pi))
		if err != nil {
			return 0, 0, err
		}
		phase += math.Remainder(cmplx.Phase(h)-before, 2*math.Pi) // unwrapped
		before = cmplx.Phase(h)
		turned, squares, size = turned-w*phase, squares+w*w, size+cmplx.Abs(h)/(fitPoints-1)
	}
	tau, k = turned/squares, 1/size
	if !rths.Finite(tau) || !rths.Finite(k) {
		return 0, 0, fmt.Errorf("the plant up to %g Hz has the delay %g s and the gain %g", top, tau, size)
	}
	return tau, k, nil
}

// orderOf is the order of an inverse that is left open: of the first list that is given, 1
// where the target bends with every main step, else the largest, up to 3, with positive
// coefficients and a gain with the plant of at most nyquistGain at the Nyquist frequency.
func (at At) orderOf(lists ...[]float64) int {
	for _, l := range lists {
		if l != nil {
			return min(max(len(l)-1, 1), maxSeries-1) // a list of another length is refused
		}
	}
	if at.MainStep > 1 {
		return 1
	}
	for order := 3; order > 1; order-- {
		a, err := at.inverseSeries(order + 1)
		if err != nil {
			return order
		}
		h, err := at.Plant(at.RateHz / 2)
		if err != nil {
			return order
		}
		u := 0.0 // D is 2 × rate there
		for i := order; i >= 0; i-- {
			u = u*2*at.RateHz + a[i]
		}
		if slices.Min(a) > 0 && cmplx.Abs(h)*math.Abs(u) <= nyquistGain {
			return order
		}
	}
	return 1
}
