package lti

import (
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func TestEigenvalues(t *testing.T) {
	a := mat.NewDense(3, 3, []float64{-3, 1e12, 0, 0, 0.5, 2, 0, -2, 0.5})
	got := must(Eigenvalues(a))
	for i, want := range []complex128{0.5 - 2i, 0.5 + 2i, -3} {
		near(t, "eigenvalue", got[i], want, 1e-13, 0)
	}
	near(t, "spectral radius", complex(must(SpectralRadius(a)), 0), 3, 1e-13, 0)
	b := mat.NewDense(2, 2, []float64{0.5, 2, -2, 0.5})
	near(t, "spectral radius of a pair", complex(must(SpectralRadius(b)), 0), complex(math.Sqrt(4.25), 0), 1e-13, 0)
}

func TestEigenvaluesErrors(t *testing.T) {
	_, err := Eigenvalues(mat.NewDense(2, 3, nil))
	wantError(t, err, "matrix is 2×3: want a square matrix")
	_, err = SpectralRadius(mat.NewDense(1, 1, []float64{math.NaN()}))
	wantError(t, err, "matrix(0,0) = NaN")
}

func TestServoPlantEigenvalues(t *testing.T) {
	got := must(benchmarkPlant.ss().Poles())
	for i, want := range []complex128{-48.2, -184.0 - 229.9i, -184.0 + 229.9i, -8.00 - 421.8i, -8.00 + 421.8i} {
		if cmplx.Abs(got[i]-want) > 0.05 {
			t.Errorf("pole %d = %.4g: want %.4g", i, got[i], want)
		}
	}
	for i, root := range must(benchmarkPlant.tf().Poles()) {
		near(t, "root of the denominator", root, got[i], 1e-12, 0)
	}
}

// Balancing is an exact similarity that leaves rows and columns of one size.
func TestBalance(t *testing.T) {
	a := benchmarkPlant.ss().A
	s, scale := balance(a)
	back := mat.NewDense(5, 5, nil)
	back.Apply(func(i, j int, v float64) float64 { return v * scale[i] / scale[j] }, s)
	if !mat.Equal(back, a) {
		t.Errorf("balanced and back:\n%v", mat.Formatted(back))
	}
	if before, after := mat.Norm(a, 1), mat.Norm(s, 1); before < 1e13 || after > 2000 {
		t.Errorf("norm %g became %g: want from above 1e13 to below 2000", before, after)
	}
	if !slices.ContainsFunc(scale, func(f float64) bool { return f != 1 }) {
		t.Errorf("scale %v: want some other than 1", scale)
	}
}

// A triangular matrix has an empty row and column, so no balance of its own.
func TestExponentialOfTriangularMatrices(t *testing.T) {
	for _, couple := range []float64{1, 1e13, 1e20} {
		got := must(expm(mat.NewDense(2, 2, []float64{-1, couple, 0, -3})))
		e1, e3 := math.Exp(-1), math.Exp(-3)
		want := mat.NewDense(2, 2, []float64{e1, couple * (e1 - e3) / 2, 0, e3})
		nearMatrix(t, "e^A", got, want, 1e-14)
	}
}

// The exponential of a matrix of small norm is its Taylor series, also where balancing would
// scale the states far apart: coupled strongly one way, weakly back, and straight across, as
// [-A W; 0 Aᵀ] in NoiseInputs.
func TestExponentialOfOneWayCoupling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 3
		entry := rapid.Float64Range(0.01, 0.5)
		back := math.Pow(10, rapid.Float64Range(-5, -3).Draw(t, "decades of the way back"))
		a := mat.NewDense(2*n, 2*n, nil)
		for i := range n {
			for j := range n {
				v := entry.Draw(t, "A")
				if j == i {
					v *= 0.01
				}
				if j > i {
					v *= back
				}
				a.Set(i, j, -v)
				a.Set(n+j, n+i, v)
				a.Set(i, n+j, entry.Draw(t, "W"))
			}
		}
		term, sum := Diagonal(2*n, 1), Diagonal(2*n, 1)
		for k := 1; k < 60; k++ {
			term = Product(term, a)
			term.Scale(1/float64(k), term)
			sum.Add(sum, term)
		}
		got := must(expm(a))
		got.Sub(got, sum)
		if d := mat.Norm(got, 1); d > 1e-14*mat.Norm(sum, 1) {
			t.Fatalf("e^A differs from its series by %g (norm %g):\n%v", d, mat.Norm(sum, 1), mat.Formatted(a))
		}
	})
}

func TestExponentialOverflow(t *testing.T) {
	_, err := expm(mat.NewDense(1, 1, []float64{1000}))
	wantError(t, err, "want a finite number")
}

func TestSolveBadlyScaled(t *testing.T) {
	a := mat.NewDense(2, 2, []float64{1, 1e12, 1e-12, 3})
	x := must(solve(a, mat.NewDense(2, 1, []float64{2e12, 5})))
	nearMatrix(t, "x", x, mat.NewDense(2, 1, []float64{0.5e12, 1.5}), 1e-14)
	_, err := solve(mat.NewDense(2, 2, []float64{1, 2, 2, 4}), mat.NewDense(2, 1, nil))
	wantError(t, err, "singular")
	// A condition number of 1e20 is no reason to refuse a diagonal matrix.
	x = must(solve(mat.NewDense(2, 2, []float64{1e10, 0, 0, 1e-10}), mat.NewDense(2, 1, []float64{1, 1})))
	nearMatrix(t, "x", x, mat.NewDense(2, 1, []float64{1e-10, 1e10}), 1e-14)
}
