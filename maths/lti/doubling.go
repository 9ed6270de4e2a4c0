package lti

import (
	"cmp"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rths"
)

// double iterates
//
//	W = I + G H,  A ← A W⁻¹ A,  G ← G + A W⁻¹ G Aᵀ,  H ← H + Aᵀ H W⁻¹ A
//
// from (A, G, Q). k steps equal 2^k steps of the Riccati recursion from zero; H converges
// quadratically to X.
func double(a, g, q *mat.Dense) (*mat.Dense, error) {
	n, _ := a.Dims()
	h := q
	for range 60 {
		w := Product(g, h)
		w.Add(w, Diagonal(n, 1))
		rhs := mat.NewDense(n, 2*n, nil)
		setBlock(rhs, 0, 0, a)
		setBlock(rhs, 0, n, g)
		solved, err := luSolve(w, rhs)
		if err != nil {
			return nil, fmt.Errorf("no stabilising solution: doubling broke down: %w", err)
		}
		wa, wg := block(solved, 0, 0, n, n), block(solved, 0, n, n, n)
		dh := Symmetric(Product(a.T(), h, wa))
		dg := Symmetric(Product(a, wg, a.T()))
		var nextG, nextH mat.Dense
		nextG.Add(g, dg)
		nextH.Add(h, dh)
		a, g, h = Product(a, wa), &nextG, &nextH
		step, size := mat.Norm(dh, 2), mat.Norm(h, 2)
		if !rths.Finite(size) || !rths.Finite(mat.Norm(g, 2)) {
			return nil, fmt.Errorf("no stabilising solution: doubling grew without bound")
		}
		if step <= 1e-15*size {
			return h, nil
		}
	}
	return nil, fmt.Errorf("no stabilising solution: doubling did not converge")
}

// doubleContinuous takes the continuous equation to doubling's form by the Cayley
// transform z = (s+γ)/(s-γ) of its Hamiltonian matrix (Chu, Fan, Lin 2005, section 2).
// With A_γ = A - γI and W = A_γ + G A_γ⁻ᵀ Q:
//
//	A₀ = I + 2γ W⁻¹,  G₀ = 2γ A_γ⁻¹ G W⁻ᵀ,  H₀ = 2γ W⁻ᵀ Q A_γ⁻¹
func doubleContinuous(a, g, q *mat.Dense, gamma float64) (*mat.Dense, error) {
	n, _ := a.Dims()
	ag, w, err := cayley(a, g, q, gamma)
	if err != nil {
		return nil, err
	}
	inv, err := luSolve(w, Diagonal(n, 1))
	if err != nil {
		return nil, fmt.Errorf("no stabilising solution: Cayley transform: %w", err)
	}
	invA, err := luSolve(ag, Diagonal(n, 1))
	if err != nil {
		return nil, fmt.Errorf("no stabilising solution: Cayley transform: %w", err)
	}
	g0 := Product(invA, g, inv.T())
	h0 := Product(inv.T(), q, invA)
	g0.Scale(2*gamma, g0)
	h0.Scale(2*gamma, h0)
	inv.Scale(2*gamma, inv)
	inv.Add(inv, Diagonal(n, 1))
	return double(inv, Symmetric(g0), Symmetric(h0))
}

// cayley returns A_γ and W.
func cayley(a, g, q *mat.Dense, gamma float64) (ag, w *mat.Dense, err error) {
	n, _ := a.Dims()
	ag = Diagonal(n, 1)
	ag.Scale(-gamma, ag)
	ag.Add(ag, a)
	aq, err := luSolve(mat.DenseCopyOf(ag.T()), q)
	if err != nil {
		return nil, nil, err
	}
	w = Product(g, aq)
	w.Add(w, ag)
	return ag, w, nil
}

// shift chooses γ from candidates between the smallest and the largest |λ| of the
// Hamiltonian matrix. The best γ makes the largest closed-loop eigenvalue
// |(λ+γ)/(λ-γ)| smallest. If its matrices are nearly singular (γ near an unstable mode of
// A), shift tries the next best.
func shift(a, g, q *mat.Dense) (float64, error) {
	n, _ := a.Dims()
	all, err := Eigenvalues(hamiltonian(a, g, q))
	if err != nil {
		return 0, err
	}
	small, large := cmplx.Abs(all[0]), cmplx.Abs(all[2*n-1])
	small = max(small, 1e-12*large)
	if !(small > 0) {
		return 0, fmt.Errorf("no stabilising solution: all eigenvalues of the Hamiltonian matrix are zero")
	}
	const candidates = 33
	type candidate struct{ gamma, worst float64 }
	list := make([]candidate, candidates)
	for i := range list {
		gamma := small * math.Pow(large/small, float64(i)/(candidates-1))
		list[i] = candidate{gamma, slowest(all, gamma)}
	}
	slices.SortStableFunc(list, func(x, y candidate) int { return cmp.Compare(x.worst, y.worst) })
	for _, c := range list {
		if _, w, err := cayley(a, g, q, c.gamma); err == nil && conditioned(a, w, c.gamma) {
			return c.gamma, nil
		}
	}
	return list[0].gamma, nil
}

// slowest is the largest |(λ+γ)/(λ-γ)| of the eigenvalues in the left half plane.
func slowest(lambda []complex128, gamma float64) float64 {
	worst := 0.0
	for _, l := range lambda {
		if real(l) < 0 {
			worst = max(worst, cmplx.Abs((l+complex(gamma, 0))/(l-complex(gamma, 0))))
		}
	}
	return worst
}

// conditioned wants both matrices of the transform to keep half of their digits.
func conditioned(a, w *mat.Dense, gamma float64) bool {
	n, _ := a.Dims()
	ag := Diagonal(n, 1)
	ag.Scale(-gamma, ag)
	ag.Add(ag, a)
	if !rths.Finite(mat.Norm(ag, 1)) || !rths.Finite(mat.Norm(w, 1)) {
		return false
	}
	var lu mat.LU
	lu.Factorize(ag)
	first := lu.Cond()
	lu.Factorize(w)
	return first < 1e7 && lu.Cond() < 1e7
}
