package lti

import (
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestPolynomialArithmetic(t *testing.T) {
	if got := PolyMul([]float64{1, 2}, []float64{3, 0, -1}); !slices.Equal(got, []float64{3, 6, -1, -2}) {
		t.Errorf("(s+2)(3s²-1) = %v", got)
	}
	if got := PolyAdd([]float64{1, 2}, []float64{3, 0, -1}); !slices.Equal(got, []float64{3, 1, 1}) {
		t.Errorf("(s+2)+(3s²-1) = %v", got)
	}
	if got := PolyEval([]float64{1, 2, 3}, 2i); got != -1+4i {
		t.Errorf("s²+2s+3 at 2j = %v", got)
	}
	if got := PolyMul(nil, []float64{1, 2}); len(got) != 0 {
		t.Errorf("0·(s+2) = %v", got)
	}
}

func TestPolyAddLeavesItsArguments(t *testing.T) {
	a, b := []float64{1, 2}, []float64{3, 4}
	PolyAdd(a, b)
	if !slices.Equal(a, []float64{1, 2}) || !slices.Equal(b, []float64{3, 4}) {
		t.Errorf("arguments became %v and %v", a, b)
	}
}

func TestRootsOfKnownPolynomials(t *testing.T) {
	for _, c := range []struct {
		name string
		p    []float64
		want []complex128
	}{
		{"constant", []float64{0, 3}, nil},
		{"linear", []float64{2, -6}, []complex128{3}},
		{"oscillator", []float64{1, 2, 5}, []complex128{-1 - 2i, -1 + 2i}},
		{"leading and trailing zeros", []float64{0, 0, 1, 3, 2, 0, 0}, []complex128{0, 0, -1, -2}},
		{"eleven decades", PolyMul(PolyMul([]float64{1, 1e-3}, []float64{1, 1e4}), []float64{1, 1e8}),
			[]complex128{-1e-3, -1e4, -1e8}},
		{"huge coefficients", []float64{1e-300, -3e-150, 2}, []complex128{1e150, 2e150}},
	} {
		got, err := Roots(c.p)
		if err != nil || len(got) != len(c.want) {
			t.Fatalf("%s: %v, %v: want %v", c.name, got, err, c.want)
		}
		for i := range got {
			near(t, c.name, got[i], c.want[i], 1e-13, 0)
		}
	}
}

// A product of known factors gives back their roots, in order.
func TestRootsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := []float64{rapid.Float64Range(1e-6, 1e6).Draw(t, "lead")}
		var want []complex128
		for i := range rapid.IntRange(1, 4).Draw(t, "factors") {
			// One factor per decade keeps the roots apart and well conditioned.
			w := math.Pow(10, float64(2*i-3)) * rapid.Float64Range(1, 9).Draw(t, "ω")
			if rapid.Bool().Draw(t, "pair") {
				zeta := rapid.Float64Range(-0.9, 0.9).Draw(t, "ζ")
				p = PolyMul(p, []float64{1, 2 * zeta * w, w * w})
				re, im := -zeta*w, w*math.Sqrt(1-zeta*zeta)
				want = append(want, complex(re, -im), complex(re, im))
			} else {
				p = PolyMul(p, []float64{1, w})
				want = append(want, complex(-w, 0))
			}
		}
		got, err := Roots(p)
		if err != nil || len(got) != len(want) {
			t.Fatalf("%d roots, %v: want %d", len(got), err, len(want))
		}
		for i := range got {
			near(t, "root", got[i], want[i], 1e-11, 0)
		}
	})
}

// Clustered roots are ill-conditioned; what holds for any polynomial is that
// each root makes it small against the sum of its terms.
func TestRootsResidual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.Float64Range(-10, 10), 2, 9).Draw(t, "p")
		if math.Abs(p[0]) < 0.1 {
			p[0] = 1
		}
		roots, err := Roots(p)
		if err != nil || len(roots) != len(p)-1 {
			t.Fatalf("%d roots, %v: want %d", len(roots), err, len(p)-1)
		}
		size := make([]float64, len(p))
		for i := range p {
			size[i] = math.Abs(p[i])
		}
		for _, r := range roots {
			terms := real(PolyEval(size, complex(max(1, cmplx.Abs(r)), 0)))
			if res := cmplx.Abs(PolyEval(p, r)); res > 1e-12*terms {
				t.Fatalf("|p(%g)| = %g: want below 1e-12·%g", r, res, terms)
			}
		}
	})
}

func TestRootsErrors(t *testing.T) {
	for _, c := range []struct {
		p    []float64
		text string
	}{
		{nil, "zero polynomial"},
		{[]float64{0, 0}, "zero polynomial"},
		{[]float64{1, math.NaN()}, "coefficients[1] = NaN"},
		{[]float64{math.Inf(1), 1}, "coefficients[0] = +Inf"},
	} {
		_, err := Roots(c.p)
		wantError(t, err, c.text)
	}
}
