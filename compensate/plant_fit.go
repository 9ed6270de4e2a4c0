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

// inverseSeries are a₀, a₁, … of u = a₀ x + a₁ ẋ + …, derivatives by backward differences.
func (at At) inverseSeries(n int) ([]float64, error) {
	return at.fitInverse(n, func(i int, hz float64) complex128 {
		d := (1 - cmplx.Exp(complex(0, -2*math.Pi*hz/at.RateHz))) * complex(at.RateHz, 0)
		return cmplx.Pow(d, complex(float64(i), 0))
	})
}

// inverseTaps are x₁, x₂, … of u[k] = x₁ d[k] + x₂ d[k−s] + …, s samples apart.
func (at At) inverseTaps(n, s int) ([]float64, error) {
	return at.fitInverse(n, func(i int, hz float64) complex128 {
		return cmplx.Exp(complex(0, -2*math.Pi*hz*float64(i*s)/at.RateHz))
	})
}

// nyquistGain is how much of a step in the target may reach the specimen.
const nyquistGain = 10

// orderOf is the order of an inverse that is left open: of the first list that is given, else
// the largest, up to 3, with positive coefficients and a gain with the plant of at most
// nyquistGain at the Nyquist frequency.
func (at At) orderOf(lists ...[]float64) int {
	for _, l := range lists {
		if l != nil {
			return len(l) - 1
		}
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
