package lti

import (
	"math"
	"math/cmplx"
	"testing"

	"pgregory.net/rapid"
)

// drawRoots draws n stable roots, pairs among them.
func drawRoots(t *rapid.T, n int) []complex128 {
	var out []complex128
	for len(out) < n {
		re := -rapid.Float64Range(0.1, 50).Draw(t, "re")
		if n-len(out) > 1 && rapid.Bool().Draw(t, "pair") {
			im := rapid.Float64Range(0.1, 50).Draw(t, "im")
			out = append(out, complex(re, im), complex(re, -im))
			continue
		}
		out = append(out, complex(re, 0))
	}
	return out
}

// All three forms are one function.
func TestZPKForms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 7).Draw(t, "poles")
		poles, zeros := drawRoots(t, n), drawRoots(t, rapid.IntRange(0, n).Draw(t, "zeros"))
		g := must(NewZPK(zeros, poles, rapid.Float64Range(0.5, 3).Draw(t, "gain"), 0))
		s := complex(0, rapid.Float64Range(0.1, 100).Draw(t, "ω"))
		want := g.At(s)
		// Beside a zero, sums that make up the value cancel: what is lost is relative
		// to the terms, of the size of gain · Π(|s| + |z|)/Π|s − p|.
		terms := g.Gain
		for _, z := range zeros {
			terms *= cmplx.Abs(s) + cmplx.Abs(z)
		}
		for _, p := range poles {
			terms /= cmplx.Abs(s - p)
		}
		floor := 1e-3 * max(terms, g.Gain) // 1e-12 of them in all
		near(t, "TF", must(g.TF()).At(s), want, 1e-9, floor)
		near(t, "SS", must(must(g.SS()).At(s)).At(0, 0), want, 1e-9, floor)
	})
}

// Twenty-four poles of a Butterworth low-pass at 1e4 rad/s: the chain keeps the
// response where coefficients from 1 to 1e96 would not be worth much.
func TestZPKOfHighOrder(t *testing.T) {
	const n, w = 24, 1e4
	var poles []complex128
	for k := range n {
		poles = append(poles, cmplx.Rect(w, math.Pi/2+math.Pi*(2*float64(k)+1)/(2*n)))
	}
	s := must(must(NewZPK(nil, poles, math.Pow(w, n), 0)).SS())
	for _, f := range []float64{0.1, 0.7, 1, 1.5} {
		got := cmplx.Abs(must(s.At(complex(0, f*w))).At(0, 0))
		near(t, "magnitude", complex(got, 0), complex(1/math.Sqrt(1+math.Pow(f, 2*n)), 0), 1e-8, 0)
	}
}

func TestZPKErrors(t *testing.T) {
	for _, tc := range []struct {
		zeros, poles []complex128
		gain, dt     float64
		want         string
	}{
		{[]complex128{1 + 2i}, nil, 1, 0, "zero (1+2i) without its conjugate: want complex ones in pairs"},
		{nil, []complex128{-1 + 2i, -1 + 2i}, 1, 0, "pole (-1+2i) without its conjugate"},
		{nil, []complex128{-1 + 2i, -1 - 2.001i}, 1, 0, "without its conjugate"},
		{nil, []complex128{cmplx.NaN()}, 1, 0, "want a finite number"},
		{nil, nil, math.Inf(1), 0, "gain +Inf"},
		{nil, nil, 1, -1, "sample time -1 s"},
	} {
		_, err := NewZPK(tc.zeros, tc.poles, tc.gain, tc.dt)
		wantError(t, err, tc.want)
	}
	_, err := must(NewZPK([]complex128{-1, -2}, []complex128{-3}, 1, 0)).SS()
	wantError(t, err, "2 zeros and 1 poles")
	if g := must(must(NewZPK([]complex128{-1, -2}, []complex128{-3}, 2, 0)).TF()); len(g.Num) != 3 || g.Num[0] != 2 {
		t.Errorf("improper function %+v: want 2 (s+1)(s+2)/(s+3)", g)
	}
}

func TestPoleText(t *testing.T) {
	for want, p := range map[string]complex128{"3": 3, "-0.5+80i": complex(-0.5, 80), "0-2.5i": complex(0, -2.5)} {
		if got := PoleText(p); got != want {
			t.Errorf("%g is written %s, want %s", p, got, want)
		}
	}
}

// TF multiplies the factors out. Above order 10 or so use SS.
func (g ZPK) TF() (TF, error) {
	num := fromRoots(g.Zeros)
	for i := range num {
		num[i] *= g.Gain
	}
	return NewTF(num, fromRoots(g.Poles), g.Dt)
}
