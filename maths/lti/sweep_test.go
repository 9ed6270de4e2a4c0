package lti

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The response by Hessenberg form equals SS.At, also for states of very different units.
func TestSweepOfRandomSystems(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 40; n += 3 {
		s := sweptSystem(t, r, n)
		w := s.Sweep()
		for hz := 0.01; hz < 0.5; hz *= 1.7 {
			z := cmplx.Rect(1, 2*math.Pi*hz)
			want, err := s.At(z)
			if err != nil {
				t.Fatal(err)
			}
			got, err := w.At(z)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 3 {
				for j := range 2 {
					if d := cmplx.Abs(got.At(i, j) - want.At(i, j)); d > 1e-10*cmplx.Abs(want.At(i, j)) {
						t.Errorf("%d states, z = %g: G(%d,%d) = %g: want %g", n, z, i, j, got.At(i, j), want.At(i, j))
					}
				}
			}
		}
	}
}

// sweptSystem has n states of spectral radius below 1, in units of 1e-3 to 1e3.
func sweptSystem(t *testing.T, r *rand.Rand, n int) SS {
	t.Helper()
	random := func(rows, columns int) *mat.Dense {
		m := mat.NewDense(rows, columns, nil)
		m.Apply(func(_, _ int, _ float64) float64 { return r.Float64() - 0.5 }, m)
		return m
	}
	a, b, c := random(n, n), random(n, 2), random(3, n)
	a.Scale(1/math.Sqrt(float64(n)), a)
	unit := make([]float64, n)
	for i := range unit {
		unit[i] = math.Pow(10, 6*r.Float64()-3)
	}
	a.Apply(func(i, j int, v float64) float64 { return v * unit[i] / unit[j] }, a)
	b.Apply(func(i, _ int, v float64) float64 { return v * unit[i] }, b)
	c.Apply(func(_, j int, v float64) float64 { return v / unit[j] }, c)
	s, err := NewSS(a, b, c, random(3, 2), 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSweepAtAPole(t *testing.T) {
	one := mat.NewDense(1, 1, []float64{1})
	s, err := NewSS(one, one, one, one, 1)
	if err != nil {
		t.Fatal(err)
	}
	if g, err := s.Sweep().At(1); err == nil {
		t.Errorf("G = %v at its pole: want an error", g)
	}
}
