package stability

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rths/maths/lti"
)

// Poles are roots of 1 + L(s) e^{−sτ} for a delay τ of 0 or more, s, in the upper half plane and on its edge: the
// poles of the hybrid system (paper 001, eq. 5.9, with the delay itself in place of eq. 5.6). The equation has
// infinitely many. Poles finds all with |s| τ up to polesUpTo, as roots of the equation with Padé's approximation of
// order 10, which Newton's method makes exact, and those of Paths.
func (h *Hybrid) Poles(delay float64) ([]complex128, error) {
	paths, err := h.Paths(delay)
	if err != nil {
		return nil, err
	}
	var out []complex128
	add := func(s complex128) {
		if imag(s) < 0 {
			s = cmplx.Conj(s)
		}
		if imag(s) < 1e-9*cmplx.Abs(s) {
			s = complex(real(s), 0)
		}
		same := func(o complex128) bool { return cmplx.Abs(o-s) <= 1e-7*cmplx.Abs(s) }
		if !cmplx.IsNaN(s) && !slices.ContainsFunc(out, same) {
			out = append(out, s)
		}
	}
	for _, p := range paths {
		add(p[len(p)-1])
	}
	if delay == 0 {
		return out, nil
	}
	l, err := h.Loop()
	if err != nil {
		return nil, err
	}
	starts, err := approximate(l, delay)
	if err != nil {
		return nil, fmt.Errorf("poles: %w", err)
	}
	for _, s := range starts {
		if imag(s) < 0 {
			continue
		}
		s = newton(l, s, delay)
		if solved := cmplx.Abs(1+l.At(s)*cmplx.Exp(-s*complex(delay, 0))) < 1e-8; solved && cmplx.Abs(s)*delay <= polesUpTo {
			add(s)
		}
	}
	return out, nil
}

// polesUpTo is |s| τ up to which Padé's approximation of order 10 leads Newton's method to every root.
const polesUpTo = 10

// approximate are the roots of 1 + L P with Padé's approximation P of order 10.
func approximate(l lti.ZPK, delay float64) ([]complex128, error) {
	unit, err := lti.Pade(1, 10)
	if err != nil {
		return nil, err
	}
	late, err := unit.SS()
	if err != nil {
		return nil, err
	}
	late.A.Scale(1/delay, late.A)
	late.B.Scale(1/delay, late.B)
	loop, err := l.SS()
	if err != nil {
		return nil, err
	}
	if loop, err = lti.Series(loop, late); err != nil {
		return nil, err
	}
	var closed mat.Dense // A − B (1 + D)⁻¹ C
	closed.Mul(loop.B, loop.C)
	closed.Scale(-1/(1+loop.D.At(0, 0)), &closed)
	closed.Add(loop.A, &closed)
	return lti.Eigenvalues(&closed)
}

// Paths are the ways of the roots in the upper half plane that the undivided structure has, from no delay to the given
// one, s.
func (h *Hybrid) Paths(delay float64) ([][]complex128, error) {
	if !(delay >= 0) {
		return nil, fmt.Errorf("poles with a delay of %g s: want 0 or more", delay)
	}
	var out [][]complex128
	var path []complex128
	err := h.follow(delay, func(_, _ float64, before, after complex128) bool {
		if path == nil {
			path = []complex128{before}
		}
		path = append(path, after)
		return true
	}, func(complex128) { out, path = append(out, path), nil })
	return out, err
}

// Zeros are the zeros of the displacement of the interface per force on it, which no delay moves: the roots of the
// numerical part held there.
func (h *Hybrid) Zeros() ([]complex128, error) {
	if n, _ := h.M.Dims(); n == 1 {
		return nil, nil
	}
	out, err := roots(without(h.M, h.DOF), without(h.C, h.DOF), without(h.K, h.DOF))
	if err != nil {
		return nil, fmt.Errorf("critical delay: numerical part held at the interface: %w", err)
	}
	return out, nil
}

// Impulse is the displacement (m) of the interface at times t (s) after an impulse of 1 N·s on it, from rest: the sum
// over the poles of the residues of X(s) = g/(1 + L e^{−sτ}),
//
//	x(t) = Σ e^{sτ}/(E(s) (L′/L − τ)) e^{st}
//
// with g = L/E and L e^{−sτ} = −1 at a pole. Poles farther away than those given are missing: with a mass ratio below 1
// their part is gone after about a delay.
func (h *Hybrid) Impulse(delay float64, poles []complex128, t []float64) ([]float64, error) {
	l, err := h.Loop()
	if err != nil {
		return nil, err
	}
	tau, out := complex(delay, 0), make([]float64, len(t))
	for _, s := range poles {
		e := (complex(h.Me, 0)*s+complex(h.Ce, 0))*s + complex(h.Ke, 0)
		residue := cmplx.Exp(s*tau) / (e * (logSlope(l, s) - tau))
		if imag(s) > 0 { // and of the conjugate
			residue *= 2
		}
		if cmplx.IsNaN(residue) || cmplx.IsInf(residue) { // a mode that does not move the interface
			continue
		}
		for i, at := range t {
			out[i] += real(residue * cmplx.Exp(s*complex(at, 0)))
		}
	}
	return out, nil
}

// Rightmost is the pole with the largest real part; NaN of none.
func Rightmost(poles []complex128) complex128 {
	out := complex(math.NaN(), 0)
	for _, s := range poles {
		if !(real(s) <= real(out)) {
			out = s
		}
	}
	return out
}
