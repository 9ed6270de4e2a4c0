package identify

import (
	"errors"
	"math"
	"math/cmplx"

	"rths/maths/lti"
)

// Mode finds the lightly damped mode of a load on the plant, as of a payload on a shake table. At its frequency with
// the table held the payload needs the largest force, and the plant has a notch: a pair of zeros, poles of the inverse
//
//	1/H = (c₀ + c₁s + … + c₇s⁷)/(s² + 2ζωs + ω²).
//
// The numbers are found by least squares of
//
//	[H Σ cᵢsⁱ − (s² + 2ζωs + ω²)]/D,  f = 0 to EvenHz,
//
// where D is the denominator of the round before (lti.SanathananKoerner). ok: ζ is between 0 and 0.3, and ω in
// the band.
func (p Plant) Mode() (omega, zeta float64, ok bool) {
	grid, _ := p.grid()
	top := 2 * math.Pi * grid[len(grid)-1]
	h, x := make([]complex128, len(grid)), make([]complex128, len(grid))
	for k, hz := range grid {
		var err error
		if h[k], err = p.H(hz); err != nil {
			return 0, 0, false
		}
		x[k] = complex(0, 2*math.Pi*hz/top) // s in units of the band
	}
	equation := func(k int, w complex128, set func(j int, v complex128)) complex128 {
		power := w
		for i := range modeTerms + 2 {
			v := h[k] * power
			if power *= x[k]; i >= modeTerms {
				v = -w
				if i > modeTerms {
					v *= x[k]
				}
			}
			set(i, v)
		}
		return x[k] * x[k] * w
	}
	d := modePolynomial{top * top / 25, top / 5}
	next := func(c []float64, uncertain error) ([]float64, error) {
		d = modePolynomial{c[modeTerms] * top * top, c[modeTerms+1] * top}
		if uncertain == nil && !(d[0] > 0) {
			uncertain = errNoMode
		}
		return d.weights(x, top), uncertain
	}
	if _, err := lti.SanathananKoerner(modeRounds, modeTerms+2, d.weights(x, top), equation, next); err != nil {
		return 0, 0, false
	}
	omega = math.Sqrt(d[0])
	zeta = d[1] / (2 * omega)
	return omega, zeta, zeta > 0 && zeta < mostZeta && omega < top
}

var errNoMode = errors.New("no mode")

const (
	modeTerms  = 8 // c₀ … c₇
	modeRounds = 6
	mostZeta   = 0.3
	leastDenom = 0.02 // of |D| over ω²: no weight is infinite
)

// modePolynomial are d₀ and d₁ of s² + d₁s + d₀.
type modePolynomial [2]float64

// weights are 1/|D| where s is x times top, all over top².
func (d modePolynomial) weights(x []complex128, top float64) []float64 {
	out := make([]float64, len(x))
	for k, x := range x {
		size := cmplx.Abs(x*x + complex(d[1]/top, 0)*x + complex(d[0]/(top*top), 0))
		out[k] = 1 / math.Max(size, leastDenom*d[0]/(top*top))
	}
	return out
}
