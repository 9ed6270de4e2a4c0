package identify

import (
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/mat"
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
// where D is the denominator of the round before (Sanathanan and Koerner 1963). ok: ζ is between 0 and 0.3, and ω in
// the band.
func (p Plant) Mode() (omega, zeta float64, ok bool) {
	grid, _ := p.grid()
	top := 2 * math.Pi * grid[len(grid)-1]
	d := modePolynomial{top * top / 25, top / 5}
	for range modeRounds {
		var err error
		if d, err = p.modeRound(grid, d); err != nil || !(d[0] > 0) {
			return 0, 0, false
		}
	}
	omega = math.Sqrt(d[0])
	zeta = d[1] / (2 * omega)
	return omega, zeta, zeta > 0 && zeta < mostZeta && omega < top
}

const (
	modeTerms  = 8 // c₀ … c₇
	modeRounds = 6
	mostZeta   = 0.3
	leastDenom = 0.02 // of |D| over ω²: no weight is infinite
)

// modePolynomial are d₀ and d₁ of s² + d₁s + d₀.
type modePolynomial [2]float64

// modeRound is the fit with the weights of the denominator d.
func (p Plant) modeRound(grid []float64, d modePolynomial) (out modePolynomial, err error) {
	const n = modeTerms + 2
	rows, right := mat.NewDense(2*len(grid), n, nil), mat.NewDense(2*len(grid), 1, nil)
	top := 2 * math.Pi * grid[len(grid)-1]
	for k, hz := range grid {
		h, err := p.H(hz)
		if err != nil {
			return out, err
		}
		x := complex(0, 2*math.Pi*hz/top) // s in units of the band
		size := cmplx.Abs(x*x + complex(d[1]/top, 0)*x + complex(d[0]/(top*top), 0))
		w := complex(1/math.Max(size, leastDenom*d[0]/(top*top)), 0)
		power := w
		for i := range n {
			v := h * power
			if power *= x; i >= modeTerms {
				v = -w
				if i > modeTerms {
					v *= x
				}
			}
			rows.Set(2*k, i, real(v))
			rows.Set(2*k+1, i, imag(v))
		}
		right.Set(2*k, 0, real(x*x*w))
		right.Set(2*k+1, 0, imag(x*x*w))
	}
	var c mat.Dense
	if err := c.Solve(rows, right); err != nil {
		return out, err
	}
	return modePolynomial{c.At(modeTerms, 0) * top * top, c.At(modeTerms+1, 0) * top}, nil
}
