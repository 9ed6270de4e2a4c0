package lti

import (
	"math"
	"math/cmplx"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// near fails unless |got-want| <= tol·max(|want|, floor).
func near(t fataler, what string, got, want complex128, tol, floor float64) {
	t.Helper()
	if d := cmplx.Abs(got - want); !(d <= tol*max(cmplx.Abs(want), floor)) {
		t.Fatalf("%s = %.15g: want %.15g (difference %.2g)", what, got, want, d)
	}
}

// nearMatrix compares entry by entry, relative to each wanted entry.
func nearMatrix(t fataler, what string, got, want mat.Matrix, tol float64) {
	t.Helper()
	gr, gc := got.Dims()
	wr, wc := want.Dims()
	if gr != wr || gc != wc {
		t.Fatalf("%s is %d×%d: want %d×%d", what, gr, gc, wr, wc)
	}
	for i := range wr {
		for j := range wc {
			g, w := got.At(i, j), want.At(i, j)
			if d := math.Abs(g - w); !(d <= tol*math.Abs(w)) {
				t.Fatalf("%s(%d,%d) = %.15g: want %.15g (difference %.2g)", what, i, j, g, w, d)
			}
		}
	}
}

func wantError(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Fatalf("error %v: want one that says %q", err, text)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// drawDen draws a stable polynomial of order 1 to 2n from real poles and pairs
// between 0.1 and 100 rad/s.
func drawDen(t *rapid.T, n int) []float64 {
	den := []float64{1}
	for range rapid.IntRange(1, n).Draw(t, "factors") {
		w := rapid.Float64Range(0.1, 100).Draw(t, "ω")
		if rapid.Bool().Draw(t, "pair") {
			zeta := rapid.Float64Range(0.05, 0.95).Draw(t, "ζ")
			den = PolyMul(den, []float64{1, 2 * zeta * w, w * w})
		} else {
			den = PolyMul(den, []float64{1, w})
		}
	}
	return den
}

// drawTF draws a stable proper function with gain and coefficients of order
// one in the unit of its poles.
func drawTF(t *rapid.T, n int) TF {
	den := drawDen(t, n)
	num := make([]float64, len(den))
	for i := range num {
		num[i] = den[i] * rapid.Float64Range(-2, 2).Draw(t, "num")
	}
	return must(NewTF(num, den, 0))
}

// drawSS draws a system with 1 to 3 states, inputs and outputs and entries of
// magnitude up to 5.
func drawSS(t *rapid.T) SS {
	draw := func(what string, r, c int) *mat.Dense {
		return mat.NewDense(r, c, rapid.SliceOfN(rapid.Float64Range(-5, 5), r*c, r*c).Draw(t, what))
	}
	size := rapid.IntRange(1, 3)
	n, m, p := size.Draw(t, "n"), size.Draw(t, "m"), size.Draw(t, "p")
	return must(NewSS(draw("A", n, n), draw("B", n, m), draw("C", p, n), draw("D", p, m), 0))
}

// servoPlant is the servo-hydraulic plant of the single-actuator benchmark
// (C.E. Silva et al., Mech. Syst. Signal Process. 135 (2020) 106381,
// doi:10.1016/j.ymssp.2019.106381) with its specimen: states servo y and y',
// actuator force F (N), x (m), v (m/s); input and output displacement (m).
type servoPlant struct{ a1b0, a2, a3, b1, b2, m, c, k, g float64 }

var benchmarkPlant = servoPlant{a1b0: 2.1283e13, a2: 4.2297e6, a3: 3.3, b1: 425, b2: 9.9976e4,
	m: 29.13, c: 114.22, k: 1.19e6, g: 1.0261}

func (p servoPlant) tf() TF {
	q := p.k + p.c*p.a3 + p.a2
	r := p.c + p.m*p.a3
	return must(NewTF([]float64{p.g * p.a1b0}, []float64{
		p.m,
		p.c + p.m*(p.a3+p.b1),
		q + r*p.b1 + p.m*p.b2,
		p.k*p.a3 + q*p.b1 + r*p.b2,
		p.k*p.a3*p.b1 + q*p.b2,
		p.a1b0 + p.k*p.a3*p.b2,
	}, 0))
}

func (p servoPlant) ss() SS {
	a := mat.NewDense(5, 5, []float64{
		0, 1, 0, 0, 0,
		-p.b2, -p.b1, 0, -p.a1b0, 0,
		1, 0, -p.a3, 0, -p.a2,
		0, 0, 0, 0, 1,
		0, 0, 1 / p.m, -p.k / p.m, -p.c / p.m,
	})
	b := mat.NewDense(5, 1, []float64{0, p.a1b0 * p.g, 0, 0, 0})
	c := mat.NewDense(1, 5, []float64{0, 0, 0, 1, 0})
	return must(NewSS(a, b, c, mat.NewDense(1, 1, nil), 0))
}
