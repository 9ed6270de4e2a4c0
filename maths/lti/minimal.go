package lti

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rths"
)

// hidden is the coupling, relative to A (to B and C at the first stair), below which
// Minimal drops the states beyond it: far above rounding, far below meaningful couplings.
const hidden = 1e-10

// Minimal returns a realisation of the same transfer matrix with controllable and
// observable states only. All other modes go, stable or not; couplings below 1e-10 of the
// balanced matrices count as none. The result has new states. If no state remains, the
// result has one stable state without input and output, because an SS needs one.
//
// By orthogonal transformations alone, to staircase form and once more for the
// transposed system: H.H. Rosenbrock, State-Space and Multivariable Theory, 1970;
// C.C. Paige, IEEE Trans. Autom. Control 26 (1981) 130, doi:10.1109/TAC.1981.1102563.
func (s SS) Minimal() (SS, error) {
	s, err := NewSS(s.A, s.B, s.C, s.D, s.Dt)
	if err != nil {
		return SS{}, fmt.Errorf("minimal realisation: %w", err)
	}
	s.A, s.B, s.C = balanceSystem(s.A, s.B, s.C)
	a, b, c, err := reached(s.A, s.B, s.C)
	if err == nil && a != nil {
		var at, ct, bt *mat.Dense
		at, ct, bt, err = reached(transposed(a), transposed(c), transposed(b))
		if a = nil; at != nil {
			a, b, c = transposed(at), transposed(bt), transposed(ct)
		}
	}
	if err != nil {
		return SS{}, fmt.Errorf("minimal realisation: %w", err)
	}
	if a == nil {
		_, m, p := s.Dims()
		a, b, c = mat.NewDense(1, 1, nil), mat.NewDense(1, m, nil), mat.NewDense(p, 1, nil)
		if s.Dt == 0 {
			a.Set(0, 0, -1)
		}
	}
	return NewSS(a, b, c, s.D, s.Dt)
}

// balanceSystem takes units of the states in which A is balanced.
func balanceSystem(a, b, c *mat.Dense) (_, _, _ *mat.Dense) {
	a, scale := balance(a)
	b, c = mat.DenseCopyOf(b), mat.DenseCopyOf(c)
	b.Apply(func(i, _ int, v float64) float64 { return v / scale[i] }, b)
	c.Apply(func(_, j int, v float64) float64 { return v * scale[j] }, c)
	return a, b, c
}

func transposed(m *mat.Dense) *mat.Dense { return mat.DenseCopyOf(m.T()) }

// reached returns the part of the system that the inputs reach, all nil where there
// is none. Stair by stair the states that the last stair drives are turned to the
// front of those left over.
func reached(a, b, c *mat.Dense) (_, _, _ *mat.Dense, err error) {
	n, _ := a.Dims()
	_, m := b.Dims()
	p, _ := c.Dims()
	size, done, drive := mat.Norm(a, 2), 0, unitColumns(b)
	for done < n {
		floor := hidden * size
		if done == 0 {
			floor = hidden
		}
		u, rank, err := rangeOf(drive, floor)
		if err != nil {
			return nil, nil, nil, err
		}
		if rank == 0 {
			break
		}
		t := Diagonal(n, 1)
		setBlock(t, done, done, u)
		a, b, c = Product(t.T(), a, t), Product(t.T(), b), Product(c, t)
		if left := n - done - rank; left > 0 {
			drive = block(a, done+rank, done, left, rank)
		}
		done += rank
	}
	if done == 0 {
		return nil, nil, nil, nil
	}
	return block(a, 0, 0, done, done), block(b, 0, 0, done, m), block(c, 0, 0, p, done), nil
}

// unitColumns scales the columns to norm 1, so that no input's unit counts.
func unitColumns(b *mat.Dense) *mat.Dense {
	u := mat.DenseCopyOf(b)
	_, m := u.Dims()
	for j := range m {
		if norm := mat.Norm(u.ColView(j), 2); norm > 0 {
			u.Apply(func(_, k int, v float64) float64 {
				if k == j {
					return v / norm
				}
				return v
			}, u)
		}
	}
	return u
}

// rangeOf returns an orthogonal matrix whose first rank columns span the range of m,
// to the singular values above floor.
func rangeOf(m *mat.Dense, floor float64) (u *mat.Dense, rank int, err error) {
	var svd mat.SVD
	if !rths.Finite(mat.Norm(m, 1)) {
		return nil, 0, fmt.Errorf("matrix beyond the range of numbers")
	}
	if !svd.Factorize(m, mat.SVDFullU) {
		return nil, 0, fmt.Errorf("the singular value iteration did not converge")
	}
	for _, v := range svd.Values(nil) {
		if v > floor && v > math.SmallestNonzeroFloat64 {
			rank++
		}
	}
	u = new(mat.Dense)
	svd.UTo(u)
	return u, rank, nil
}
