package lti

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rths"
)

// Chains returns the continuous system as one chain of integrators per input, each
// with the poles its input excites, and the number of states of each chain, in the
// order of the inputs:
//
//	x₁' = ω x₂, x₂' = ω x₃, …,  x_n' = -ω (α₀ x₁ + … + α_{n-1} x_n) + ω β u
//
// with the characteristic polynomial in the unit ω (rad/s, more than 0) of its
// frequencies, σⁿ + α_{n-1} σⁿ⁻¹ + … + α₀. β = α₀ makes x₁ = u at rest; a chain with a
// pole at 0 has β = 1. With ω near the poles all entries are of order ω.
//
// Every column of the transfer matrix is realised minimally. Poles that several inputs
// share appear in several chains: the result is controllable, but not always observable.
// An input without a lasting effect is an error.
func (s SS) Chains(omega float64) (SS, []int, error) {
	if s.Dt != 0 || !(omega > 0) || !rths.Finite(omega) {
		return SS{}, nil,
			fmt.Errorf("chains: sample time %g s and unit of frequency %g rad/s: want a continuous system and more than 0", s.Dt,
				omega)
	}
	_, m, p := s.Dims()
	var parts []SS
	var orders []int
	total := 0
	for j := range m {
		part, err := s.column(j).chain(omega)
		if err != nil {
			return SS{}, nil, fmt.Errorf("chains: input %d: %w", j+1, err)
		}
		n, _, _ := part.Dims()
		parts, orders, total = append(parts, part), append(orders, n), total+n
	}
	a, b, c := mat.NewDense(total, total, nil), mat.NewDense(total, m, nil), mat.NewDense(p, total, nil)
	at := 0
	for j, part := range parts {
		setBlock(a, at, at, part.A)
		setBlock(b, at, j, part.B)
		setBlock(c, 0, at, part.C)
		at += orders[j]
	}
	out, err := NewSS(a, b, c, s.D, 0)
	return out, orders, err
}

// column is the system with input j only.
func (s SS) column(j int) SS {
	n, _, p := s.Dims()
	return SS{A: s.A, B: block(s.B, 0, j, n, 1), C: s.C, D: block(s.D, 0, j, p, 1), Dt: s.Dt}
}

// chain realises a system of one input. The states are x = T z with the columns
// t_n = b, t_k = A t_{k+1} + α_k t_n, all in the unit ω of time; the outputs of the
// chain are C T, and T needs no inverse.
func (s SS) chain(omega float64) (SS, error) {
	s, err := s.Minimal()
	if err != nil {
		return SS{}, err
	}
	if mat.Norm(s.B, 2) == 0 {
		return SS{}, fmt.Errorf("has no effect on any output: not stabilisable through it")
	}
	n, _, p := s.Dims()
	var scaled mat.Dense
	scaled.Scale(1/omega, s.A)
	poles, err := Eigenvalues(&scaled)
	if err != nil {
		return SS{}, err
	}
	poly := fromRoots(poles) // descending powers
	a, b, t := mat.NewDense(n, n, nil), mat.NewDense(n, 1, nil), mat.NewDense(n, n, nil)
	beta := poly[n]
	if math.Abs(beta) < 1e-12*floats.Norm(poly, 1) { // a pole at 0, rounded
		beta = 1
	}
	b.Set(n-1, 0, omega*beta)
	for i := range n {
		a.Set(n-1, i, -omega*poly[n-i])
		if i > 0 {
			a.Set(i-1, i, omega)
		}
	}
	last := mat.NewVecDense(n, nil)
	last.ScaleVec(1/(omega*beta), s.B.ColView(0))
	column := mat.VecDenseCopyOf(last)
	for k := n - 1; ; k-- {
		t.SetCol(k, column.RawVector().Data)
		if k == 0 {
			break
		}
		var next mat.VecDense
		next.MulVec(&scaled, column)
		next.AddScaledVec(&next, poly[n-k], last)
		column = &next
	}
	return NewSS(a, b, Product(s.C, t), mat.NewDense(p, 1, nil), 0)
}
