// Package identify finds a plant, or its inverse: from its response (Plant), from a test made before (FitADM, Offline),
// or during a test (RLS). It also says what there is to learn from: what the rig got (Beside), which readings are too
// old (Settling), which came before any command (Unaimed), and what of a residual is noise (Noise).
package identify

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rths"
)

// Plant finds the inverse of a plant as the scenario describes it, where a method that learns starts.
// The terms of an inverse, b_i(f), derivatives or taps, are fitted to the inverse of the plant's response
// H(f) by least squares of the relative error,
//
//	min Σ_f W(f)² |H(f) Σ_i c_i b_i(f) − 1|²,  f = 0 to 20 Hz,  W = 1/(1 + (f/3 Hz)²),
//
// the band of the adaptation's low-pass. W falls with the frequency as the displacement of a building does. With EvenHz
// the band is 0 to EvenHz, and W is 1, because an acceleration falls little. H includes all that stands between a
// command and its reading: hold, pure delay, timing, inner loop.
type Plant struct {
	H      func(hz float64) (complex128, error) // nil: not known
	RateHz float64

	// MainStep is the number of samples from one bend of the target to the next; 0 or 1 where it has none.
	MainStep int

	EvenHz float64 // 0: 20 Hz and W
}

// grid are the frequencies of a fit, Hz, and 1/W.
func (p Plant) grid() (hz, falloff []float64) {
	top, points := math.Min(cmp.Or(p.EvenHz, fitHz), 0.4*p.RateHz), fitPoints
	if p.EvenHz > 0 {
		points = evenPoints
	}
	hz, falloff = make([]float64, points), make([]float64, points)
	for k := range points {
		hz[k], falloff[k] = top*float64(k)/float64(points-1), 1
		if p.EvenHz == 0 {
			falloff[k] += hz[k] * hz[k] / (slowHz * slowHz)
		}
	}
	return hz, falloff
}

const (
	fitHz        = 20.0
	slowHz       = 3.0
	fitPoints    = 81
	evenPoints   = 201
	largestOrder = 3 // of a series
)

var errNoPlant = errors.New("the plant has no linear model to start from")

// Inverse returns the n coefficients of the terms.
func (p Plant) Inverse(n int, term func(i int, hz float64) complex128) ([]float64, error) {
	if p.H == nil {
		return nil, errNoPlant
	}
	grid, falloff := p.grid()
	top := grid[len(grid)-1]
	rows, ones := mat.NewDense(2*len(grid), n, nil), mat.NewDense(2*len(grid), 1, nil)
	scale := make([]float64, n) // of a column, so that s and s³ are of one size
	for i := range n {
		scale[i] = 1 / math.Max(cmplx.Abs(term(i, top)), math.SmallestNonzeroFloat32)
	}
	for k, hz := range grid {
		h, err := p.H(hz)
		if err != nil {
			return nil, err
		}
		w := 1 / falloff[k]
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

// Once is the plant with its response computed once at each frequency, for many fits.
func (p Plant) Once() Plant {
	h, seen := p.H, map[float64]complex128{}
	p.H = func(hz float64) (complex128, error) {
		if v, ok := seen[hz]; ok {
			return v, nil
		}
		v, err := h(hz)
		if err == nil {
			seen[hz] = v
		}
		return v, err
	}
	return p
}

// Left is what a fit by Inverse leaves of the relative error, Σ_f W² |H Σ_i c_i b_i − 1|².
func (p Plant) Left(c []float64, term func(i int, hz float64) complex128) (sum float64, err error) {
	grid, falloff := p.grid()
	for k, hz := range grid {
		h, err := p.H(hz)
		if err != nil {
			return 0, err
		}
		u := complex(0, 0)
		for i, v := range c {
			u += complex(v, 0) * term(i, hz)
		}
		e := cmplx.Abs(h*u-1) / falloff[k]
		sum += e * e
	}
	return sum, nil
}

// Error is the rms of the relative error of an inverse, with the weights of the fit; +Inf: not known.
func (p Plant) Error(c []float64, term func(i int, hz float64) complex128) float64 {
	sum, err := p.Left(c, term)
	if err != nil {
		return math.Inf(1)
	}
	grid, _ := p.grid()
	return math.Sqrt(sum / float64(len(grid)))
}

// ExactDerivative is the term of order i of u = a₀ d + a₁ v + …, with the target's own rates.
func ExactDerivative(i int, hz float64) complex128 {
	return cmplx.Pow(complex(0, 2*math.Pi*hz), complex(float64(i), 0))
}

// Derivative is the term of order i of u = a₀ x + a₁ ẋ + …, by backward differences.
func (p Plant) Derivative(i int, hz float64) complex128 {
	d := (1 - cmplx.Exp(complex(0, -2*math.Pi*hz/p.RateHz))) * complex(p.RateHz, 0)
	return cmplx.Pow(d, complex(float64(i), 0))
}

// Series are a₀, a₁, … of u = a₀ x + a₁ ẋ + ….
func (p Plant) Series(n int) ([]float64, error) { return p.Inverse(n, p.Derivative) }

// tap is the term of u[k] = x₁ d[k] + x₂ d[k−s] + … that is i s samples old.
func (p Plant) tap(s int) func(i int, hz float64) complex128 {
	return func(i int, hz float64) complex128 {
		return cmplx.Exp(complex(0, -2*math.Pi*hz*float64(i*s)/p.RateHz))
	}
}

// Taps are x₁, x₂, … of u[k] = x₁ d[k] + x₂ d[k−s] + ….
func (p Plant) Taps(n, s int) ([]float64, error) { return p.Inverse(n, p.tap(s)) }

// An inverse that is perfect up to 20 Hz magnifies what lies above: noise, and the steps of
// a target. What it magnifies more than this, at the Nyquist frequency or anywhere up to it, comes
// back with the force and can make the loop unstable.
const (
	nyquistGain = 10.0
	seriesGain  = 20.0
)

// magnified is the largest |H Σ c_i b_i| up to the Nyquist frequency.
func (p Plant) magnified(c []float64, term func(i int, hz float64) complex128) (float64, error) {
	const points = 200
	largest := 0.0
	for k := range points {
		hz := p.RateHz / 2 * float64(k+1) / points
		h, err := p.H(hz)
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

// Magnifies reports whether the plant with this inverse magnifies some frequency more than seriesGain times.
func (p Plant) Magnifies(c []float64, term func(i int, hz float64) complex128) bool {
	m, err := p.magnified(c, term)
	return err != nil || m > seriesGain
}

// Apart is how far taps stand apart that are no series, as 31 samples at 4096 Hz.
func Apart(rateHz float64) int { return max(1, int(math.Round(31.0/4096*rateHz))) }

// Spacing is the distance of q taps, samples, that is left open. Taps one sample apart
// are a series of order q − 1. Where the plant has no such series, or where a series cut
// off below the plant's magnifies more than seriesGain times, they are as far apart as Apart says.
func (p Plant) Spacing(q int) int {
	apart := Apart(p.RateHz)
	order := p.Order()
	if q-1 == order {
		return 1
	}
	c, err := p.Taps(q, 1)
	if err != nil || q-1 > order {
		return apart
	}
	if p.Magnifies(c, p.tap(1)) {
		return apart
	}
	return 1
}

// WindowOrder is Order, but 1 where that inverse magnifies more than seriesGain times: the
// coefficients of a window follow within a second what comes back.
func (p Plant) WindowOrder(lists ...[]float64) int {
	order := p.Order(lists...)
	if slices.ContainsFunc(lists, func(l []float64) bool { return l != nil }) {
		return order
	}
	a, err := p.Series(order + 1)
	if err != nil {
		return order
	}
	if p.Magnifies(a, p.Derivative) {
		return 1
	}
	return order
}

// DelayAndGain are τ, s, and k of H = e^{−jωτ}/k, by least squares of phase and magnitude
// with the same weight, up to 3 Hz.
func (p Plant) DelayAndGain() (tau, k float64, err error) {
	if p.H == nil {
		return 0, 0, errNoPlant
	}
	top := math.Min(slowHz, 0.4*p.RateHz)
	turned, squares, size, before, phase := 0.0, 0.0, 0.0, 0.0, 0.0
	for i := 1; i < fitPoints; i++ {
		w := 2 * math.Pi * top * float64(i) / (fitPoints - 1)
		h, err := p.H(w / (2 * math.Pi))
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

// Order is the order of an inverse that is left open: of the first list that is given, 1
// where the target bends with every main step, else the largest, up to 3, with positive
// coefficients and a gain with the plant of at most nyquistGain at the Nyquist frequency.
func (p Plant) Order(lists ...[]float64) int {
	for _, l := range lists {
		if l != nil {
			return min(max(len(l)-1, 1), largestOrder) // a list of another length is refused
		}
	}
	if p.MainStep > 1 {
		return 1
	}
	for order := largestOrder; order > 1; order-- {
		a, err := p.Series(order + 1)
		if err != nil {
			return order
		}
		h, err := p.H(p.RateHz / 2)
		if err != nil {
			return order
		}
		u := 0.0 // D is 2 × rate there
		for i := order; i >= 0; i-- {
			u = u*2*p.RateHz + a[i]
		}
		if slices.Min(a) > 0 && cmplx.Abs(h)*math.Abs(u) <= nyquistGain {
			return order
		}
	}
	return 1
}
