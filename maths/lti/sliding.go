package lti

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// SlidingSurface returns P of S = P Y that minimises ∫ Y' Q Y dt while S = 0, for
// Ẏ = A Y + B u with the last r rows of B, as many as inputs, not singular: Shangguan et al.
// 2024 eqs 3–19. η = Γ Y has no input in its first rows,
//
//	Γ = [I −B₁B₂⁻¹; 0 I],  T = (Γ⁻¹)' Q Γ⁻¹                                  (5), (15)
//
// so that η₂ = −P̂₁ η₁ is the input of a linear–quadratic problem:
//
//	Ã = Â₁₁ − Â₁₂ T₂₂⁻¹ T₂₁,  weight T₁₁ − T₁₂ T₂₂⁻¹ T₂₁                    (17), corrected
//	P̂₁ = T₂₂⁻¹ (Â₁₂' X + T₂₁),  P = [P̂₁ I] Γ                                (18), (19)
//
// X is H/2 of the paper.
func SlidingSurface(a, b, q *mat.Dense) (*mat.Dense, error) {
	all, r := b.Dims()
	n := all - r
	var b1b2 mat.Dense // B₁ B₂⁻¹ = (B₂'⁻¹ B₁')'
	if err := b1b2.Solve(b.Slice(n, all, 0, r).T(), b.Slice(0, n, 0, r).T()); err != nil {
		return nil, fmt.Errorf("matrix B2 is singular: %w", err)
	}
	gamma, back := Diagonal(all, 1), Diagonal(all, 1)
	back.Slice(0, n, n, all).(*mat.Dense).Copy(b1b2.T())
	gamma.Slice(0, n, n, all).(*mat.Dense).Scale(-1, b1b2.T())
	ahat, t := Product(gamma, a, back), Symmetric(Product(back.T(), q, back))
	a12, t11, t12, t22 := ahat.Slice(0, n, n, all), t.Slice(0, n, 0, n), t.Slice(0, n, n, all), t.Slice(n, all, n, all)

	var m mat.Dense // T₂₂⁻¹ T₂₁
	if err := m.Solve(t22, t12.T()); err != nil {
		return nil, fmt.Errorf("matrix T22 is singular: %w", err)
	}
	atilde, weight := Product(a12, &m), Product(t12, &m)
	atilde.Sub(ahat.Slice(0, n, 0, n), atilde)
	weight.Sub(t11, weight)
	k, err := LQR(atilde, mat.DenseCopyOf(a12), Symmetric(weight), mat.DenseCopyOf(t22), 0)
	if err != nil {
		return nil, err
	}
	phat := mat.NewDense(r, all, nil)
	phat.Slice(0, r, 0, n).(*mat.Dense).Add(k.K, &m)
	phat.Slice(0, r, n, all).(*mat.Dense).Copy(Diagonal(r, 1))
	return Product(phat, gamma), nil
}
