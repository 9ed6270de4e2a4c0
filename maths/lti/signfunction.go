package lti

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"rths/maths/portable"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rths"
)

// signed solves a continuous equation whose R may be indefinite, as in H∞ control, by the
// sign function of the Hamiltonian matrix (J.D. Roberts, Int. J. Control 32 (1980) 677,
// doi:10.1080/00207178008922881):
//
//	H = [A −G; −Q −Aᵀ],  G = B R⁻¹ Bᵀ,  W = sign(H),  (W + I) [I; X] = 0
//
// The columns of [I; X] span the stable subspace of H. Newton's steps polish X, and the
// residual and the closed loop are verified, see polished. The caller scales time such that
// the entries of A are near 1. An eigenvalue of H on the imaginary axis is an error: there is
// no stabilising solution.
func (e *equation) signed() (*mat.Dense, error) {
	n, _ := e.a.Dims()
	inner, err := luSolve(e.r, mat.DenseCopyOf(e.b.T()))
	if err != nil {
		return nil, err
	}
	h := hamiltonian(e.a, Product(e.b, inner), e.q)
	if err := offTheAxis(h); err != nil {
		return nil, err
	}
	if stable, err := e.zero(); err != nil || stable {
		return mat.NewDense(n, n, nil), err
	}
	w, err := sign(h)
	if err != nil {
		return nil, err
	}
	w.Add(w, Diagonal(2*n, 1))
	rhs := mat.DenseCopyOf(w.Slice(0, 2*n, 0, n))
	rhs.Scale(-1, rhs)
	var qr mat.QR
	qr.Factorize(w.Slice(0, 2*n, n, 2*n))
	var x mat.Dense
	if err := qr.SolveTo(&x, false, rhs); err != nil {
		return nil, fmt.Errorf("no stabilising solution: %w", err)
	}
	return e.polished(Symmetric(&x))
}

// zero reports whether the stabilising solution is 0, which it is with Q = 0 and a stable A. A
// residual relative to its own terms would be rounding over rounding.
func (e *equation) zero() (bool, error) {
	if mat.Norm(e.q, 1) != 0 {
		return false, nil
	}
	poles, err := Eigenvalues(e.a)
	return !slices.ContainsFunc(poles, func(s complex128) bool { return !(real(s) < 0) }), err
}

// offTheAxis wants no eigenvalue of H on the imaginary axis, to half of all digits: an
// eigenvalue that is double there is known no better.
func offTheAxis(h *mat.Dense) error {
	all, err := Eigenvalues(h)
	if err != nil {
		return err
	}
	rounding := 1e-14 * mat.Norm(h, 1)
	for _, v := range all {
		if math.Abs(real(v)) <= max(1e-8*cmplx.Abs(v), rounding) {
			return fmt.Errorf("no stabilising solution: the Hamiltonian matrix has an eigenvalue on the imaginary axis, %s",
				PoleText(v))
		}
	}
	return nil
}

func hamiltonian(a, g, q *mat.Dense) *mat.Dense {
	n, _ := a.Dims()
	h := mat.NewDense(2*n, 2*n, nil)
	var minusG, minusQ, minusAT mat.Dense
	minusG.Scale(-1, g)
	minusQ.Scale(-1, q)
	minusAT.Scale(-1, a.T())
	setBlock(h, 0, 0, a)
	setBlock(h, 0, n, &minusG)
	setBlock(h, n, 0, &minusQ)
	setBlock(h, n, n, &minusAT)
	return h
}

// sign iterates W ← (W/c + c W⁻¹)/2, Newton's method for W² = I, with c = |det W|^(1/n)
// (R. Byers, Linear Algebra Appl. 85 (1987) 267, doi:10.1016/0024-3795(87)90222-9).
func sign(h *mat.Dense) (*mat.Dense, error) {
	n, _ := h.Dims()
	w := mat.DenseCopyOf(h)
	for range 100 {
		var lu mat.LU
		lu.Factorize(w)
		logDet, _ := lu.LogDet()
		c := portable.Exp(logDet / float64(n))
		var inverse, step mat.Dense
		if err := inverse.Inverse(w); err != nil {
			var poor mat.Condition
			if !errors.As(err, &poor) || math.IsInf(float64(poor), 1) {
				return nil, fmt.Errorf("no stabilising solution: sign function: %w", err)
			}
		}
		inverse.Scale(c/2, &inverse)
		step.Scale(1/(2*c), w)
		step.Add(&step, &inverse)
		var change mat.Dense
		change.Sub(&step, w)
		w = &step
		size := mat.Norm(w, 1)
		if !rths.Finite(size) {
			break
		}
		if mat.Norm(&change, 1) <= 1e-12*size {
			return w, nil
		}
	}
	return nil, errors.New("no stabilising solution: the sign function of the Hamiltonian matrix did not converge")
}
