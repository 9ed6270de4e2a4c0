package lti_test

import (
	"math/cmplx"
	"testing"

	"rths/kit/rthstest"
	"rths/maths/lti"
)

// A response is found again: 3/(1 + 0.5 s + 2 s²).
func TestSanathananKoerner(t *testing.T) {
	var s, h []complex128
	weights := make([]float64, 20)
	for k := range weights {
		s = append(s, complex(0, 0.1*float64(k+1)))
		h = append(h, 3/(1+0.5*s[k]+2*s[k]*s[k]))
		weights[k] = 1
	}
	var c []float64
	left, err := lti.SanathananKoerner(4, 3, weights, func(k int, w complex128, set func(int, complex128)) complex128 {
		set(0, w)
		set(1, -w*s[k]*h[k])
		set(2, -w*s[k]*s[k]*h[k])
		return w * h[k]
	}, func(found []float64, uncertain error) ([]float64, error) {
		c = found
		for k := range weights {
			weights[k] = 1 / cmplx.Abs(1+complex(c[1], 0)*s[k]+complex(c[2], 0)*s[k]*s[k])
		}
		return weights, uncertain
	})
	if err != nil {
		t.Fatal(err)
	}
	rthstest.Near(t, "what is left", left, 0, 1e-12)
	for i, want := range []float64{3, 0.5, 2} {
		rthstest.Near(t, "coefficient", c[i], want, 1e-9)
	}
}
