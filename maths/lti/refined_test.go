package lti

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// nearResponse compares responses at z on the unit circle.
func nearResponse(t *testing.T, s SS, tol float64) {
	t.Helper()
	r := s.Refined()
	_, m, p := s.Dims()
	for hz := 0.01; hz < 0.5; hz *= 1.7 {
		z := cmplx.Rect(1, 2*math.Pi*hz)
		want, got := must(s.At(z)), must(r.At(z))
		for i := range p * m {
			v := want.At(i/m, i%m)
			if d := cmplx.Abs(got.At(i/m, i%m) - v); d > tol*cmplx.Abs(v) {
				t.Errorf("z = %g: G(%d,%d) = %g: want %g", z, i/m, i%m, got.At(i/m, i%m), v)
			}
		}
	}
}

// The refined response equals SS.At for random systems.
func TestRefinedOfRandomSystems(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for n := 1; n <= 40; n += 3 {
		nearResponse(t, sweptSystem(t, r, n), 1e-10)
	}
}

// A lag of third order, delayed by 4 samples and differentiated three times with a rate of 1000 Hz: numbers of 1e9
// beside those of 1. (A test of campaign/analyse has a loop with which a sweep goes wrong.)
func TestRefinedOfLargeNumbers(t *testing.T) {
	const n = 10
	a, b, c := mat.NewDense(n, n, nil), mat.NewDense(n, 1, nil), mat.NewDense(1, n, nil)
	b.Set(0, 0, 1e-3)
	for i := range n {
		if i < 3 {
			a.Set(i, i, 0.9+0.02*float64(i))
		}
		if i > 0 {
			a.Set(i, i-1, []float64{1e-3, 1}[min(1, i/3)])
		}
	}
	for k, v := range []float64{1, -3, 3, -1} {
		c.Set(0, n-4+k, 1e9*v)
	}
	nearResponse(t, must(NewSS(a, b, c, mat.NewDense(1, 1, nil), 1)), 1e-9)
}

// A system without dynamics between, and a z that is a pole.
func TestRefinedAtAPole(t *testing.T) {
	s := must(NewSS(Diagonal(2, 0.5), Diagonal(2, 1), Diagonal(2, 1), Diagonal(2, 3), 1))
	if g := must(s.Refined().At(1)); cmplx.Abs(g.At(1, 1)-5) > 1e-14 || g.At(0, 1) != 0 {
		t.Errorf("G(1) = %g: want 3 + 1/0.5 on the diagonal", g.At(1, 1))
	}
	if _, err := s.Refined().At(0.5); err == nil {
		t.Error("at a pole: want an error")
	}
}
