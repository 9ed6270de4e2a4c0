package lti

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func TestNewSSErrors(t *testing.T) {
	m := func(r, c int) *mat.Dense { return mat.NewDense(r, c, nil) }
	bad := m(2, 2)
	bad.Set(1, 0, math.Inf(1))
	for _, c := range []struct {
		a, b, c, d *mat.Dense
		dt         float64
		text       string
	}{
		{m(2, 3), m(2, 1), m(1, 2), m(1, 1), 0, "A is 2×3: want 2×2"},
		{m(2, 2), m(3, 1), m(1, 2), m(1, 1), 0, "B is 3×1: want 2×1"},
		{m(2, 2), m(2, 1), m(1, 3), m(1, 1), 0, "C is 1×3: want 1×2"},
		{m(2, 2), m(2, 1), m(3, 2), m(1, 1), 0, "D is 1×1: want 3×1"},
		{bad, m(2, 1), m(1, 2), m(1, 1), 0, "A(1,0) = +Inf"},
		{m(2, 2), nil, m(1, 2), m(1, 1), 0, "B is empty"},
		{m(2, 2), m(2, 1), m(1, 2), m(1, 1), -1, "sample time -1 s"},
	} {
		_, err := NewSS(c.a, c.b, c.c, c.d, c.dt)
		wantError(t, err, c.text)
	}
}

func TestSSIsACopy(t *testing.T) {
	a := mat.NewDense(1, 1, []float64{-1})
	s := must(NewSS(a, a, a, a, 0))
	a.Set(0, 0, 9)
	for i, m := range []*mat.Dense{s.A, s.B, s.C, s.D} {
		if m.At(0, 0) != -1 {
			t.Errorf("%c changed with the caller's matrix", "ABCD"[i])
		}
	}
}

func TestDims(t *testing.T) {
	s := must(NewSS(mat.NewDense(4, 4, nil), mat.NewDense(4, 2, nil), mat.NewDense(3, 4, nil), mat.NewDense(3, 2, nil), 0))
	if n, m, p := s.Dims(); n != 4 || m != 2 || p != 3 {
		t.Errorf("dims %d, %d, %d: want 4, 2, 3", n, m, p)
	}
}

func TestStable(t *testing.T) {
	for _, c := range []struct {
		pole, dt float64
		want     bool
	}{
		{-1, 0, true}, {0, 0, false}, {0.5, 0, false},
		{0.5, 0.1, true}, {-0.5, 0.1, true}, {1, 0.1, false}, {-2, 0.1, false},
	} {
		one := mat.NewDense(1, 1, []float64{1})
		s := must(NewSS(mat.NewDense(1, 1, []float64{c.pole}), one, one, one, c.dt))
		if got := must(s.Stable()); got != c.want {
			t.Errorf("pole %g at dt %g: stable %v", c.pole, c.dt, got)
		}
	}
}

// A diagonal system with two inputs and outputs is two first-order systems.
func TestFrequencyResponseOfDiagonalSystem(t *testing.T) {
	diag := func(a, b float64) *mat.Dense { return mat.NewDense(2, 2, []float64{a, 0, 0, b}) }
	s := must(NewSS(diag(-1, -1e6), diag(2, 3e9), diag(5, 1e-3), diag(0, 7), 0))
	z := 3 + 4i
	g := must(s.At(z))
	near(t, "G11", g.At(0, 0), 10/(z+1), 1e-14, 0)
	near(t, "G22", g.At(1, 1), 3e6/(z+1e6)+7, 1e-14, 0)
	if g.At(0, 1) != 0 || g.At(1, 0) != 0 {
		t.Errorf("off-diagonal %g, %g: want 0", g.At(0, 1), g.At(1, 0))
	}
	_, err := s.At(-1)
	wantError(t, err, "is a pole")
}

// (zI-A)(X) = B holds for the X of C = I, so C and the inverse are checked
// against multiplication only.
func TestFrequencyResponseSolvesTheEquation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSS(t)
		n, m, _ := s.Dims()
		z := complex(rapid.Float64Range(-3, 3).Draw(t, "re"), rapid.Float64Range(20, 30).Draw(t, "im"))
		states := must(NewSS(s.A, s.B, Diagonal(n, 1), mat.NewDense(n, m, nil), 0))
		x := must(states.At(z))
		for i := range n {
			for j := range m {
				sum := z * x.At(i, j)
				for k := range n {
					sum -= complex(s.A.At(i, k), 0) * x.At(k, j)
				}
				near(t, "(zI-A) X", sum, complex(s.B.At(i, j), 0), 1e-13, 10)
			}
		}
	})
}
