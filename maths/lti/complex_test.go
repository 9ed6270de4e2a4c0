package lti

import (
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Random matrices: T D T⁻¹ is out of reach without an inverse, so traces of powers are compared, and det(A − λ I) of
// each eigenvalue for 2 × 2.
func TestComplexEigenvalues(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	draw := func() complex128 { return complex(r.NormFloat64(), r.NormFloat64()) }
	for n := 1; n <= 7; n++ {
		for range 50 {
			a := mat.NewCDense(n, n, nil)
			for i := range n {
				for j := range n {
					a.Set(i, j, draw())
				}
			}
			wantTraces(t, a)
		}
	}
}

// wantTraces compares the sum of λᵖ with the trace of Aᵖ, p = 1 to n, which determine the eigenvalues.
func wantTraces(t *testing.T, a *mat.CDense) {
	t.Helper()
	n, _ := a.Dims()
	got := must(ComplexEigenvalues(a))
	power, next := mat.NewCDense(n, n, nil), mat.NewCDense(n, n, nil)
	for i := range n {
		power.Set(i, i, 1)
	}
	for p := 1; p <= n; p++ {
		var sum, trace complex128
		size := 1.0
		for i := range n {
			for j := range n {
				var v complex128
				for k := range n {
					v += power.At(i, k) * a.At(k, j)
				}
				next.Set(i, j, v)
			}
		}
		power.Copy(next)
		for i, v := range got {
			trace += power.At(i, i)
			z := cmplx.Pow(v, complex(float64(p), 0))
			sum, size = sum+z, size+cmplx.Abs(z)
		}
		if cmplx.Abs(sum-trace) > 1e-11*size {
			t.Fatalf("n = %d: sum of λ^%d is %g: want the trace %g", n, p, sum, trace)
		}
	}
}

// Matrices that turn in a circle, at which a shift of 0 stands still, singular, triangular and defective ones.
func TestComplexEigenvaluesOfSpecialMatrices(t *testing.T) {
	ring := func(n int, v complex128) *mat.CDense {
		a := mat.NewCDense(n, n, nil)
		for i := range n {
			a.Set(i, (i+1)%n, v)
		}
		return a
	}
	for _, a := range []*mat.CDense{ring(2, 1), ring(3, 2i), ring(4, 1+1i), ring(6, -3),
		mat.NewCDense(2, 2, []complex128{1, 2, 2, 4}), mat.NewCDense(2, 2, []complex128{0, 0, 0, 0}),
		mat.NewCDense(3, 3, []complex128{1, 5, 2, 0, 2i, 1, 0, 0, 3}), mat.NewCDense(2, 2, []complex128{0, 1e8, 1e-8, 0})} {
		wantTraces(t, a)
	}
	got := must(ComplexEigenvalues(ring(3, 1)))
	if !slices.ContainsFunc(got, func(z complex128) bool { return cmplx.Abs(z-1) < 1e-14 }) {
		t.Errorf("eigenvalues of a ring of three are %g: want the third roots of 1", got)
	}
	if _, err := ComplexEigenvalues(mat.NewCDense(1, 2, nil)); err == nil {
		t.Error("1 × 2: want an error")
	}
	if _, err := ComplexEigenvalues(mat.NewCDense(1, 1, []complex128{cmplx.NaN()})); err == nil {
		t.Error("not a number: want an error")
	}
}
