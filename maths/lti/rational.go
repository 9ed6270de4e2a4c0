package lti

import (
	"errors"

	"gonum.org/v1/gonum/mat"
)

// SanathananKoerner fits the coefficients c of a rational function N/D in rounds of linear least squares of D H − N = 0
// over |D| of the round before (Sanathanan and Koerner 1963). Equation k is complex and c real: it sets its terms and
// returns its right side, all times its weight w. After a round next takes c, and what made it uncertain if the
// equations are nearly dependent, and returns the weights 1/|D| of another round, or nil. left is the norm of what the
// last round leaves.
func SanathananKoerner(rounds, unknowns int, weights []float64,
	equation func(k int, w complex128, set func(j int, v complex128)) (right complex128),
	next func(c []float64, uncertain error) ([]float64, error)) (left float64, err error) {
	n := len(weights)
	phi, y := mat.NewDense(2*n, unknowns, nil), mat.NewVecDense(2*n, nil)
	var c, off mat.VecDense
	for range rounds {
		for k, w := range weights {
			right := equation(k, complex(w, 0), func(j int, v complex128) {
				phi.Set(2*k, j, real(v))
				phi.Set(2*k+1, j, imag(v))
			})
			y.SetVec(2*k, real(right))
			y.SetVec(2*k+1, imag(right))
		}
		var condition mat.Condition
		uncertain := c.SolveVec(phi, y)
		if uncertain != nil && !errors.As(uncertain, &condition) {
			return 0, uncertain
		}
		if weights, err = next(c.RawVector().Data, uncertain); err != nil {
			return 0, err
		}
		if weights == nil {
			break
		}
	}
	off.MulVec(phi, &c)
	off.SubVec(y, &off)
	return mat.Norm(&off, 2), nil
}
