package compensate

import (
	"math"
	"math/cmplx"
	"testing"
)

// late is a plant of a delay, s, and a gain.
func late(delay, gain float64) func(hz float64) (complex128, error) {
	return func(hz float64) (complex128, error) {
		return complex(gain, 0) * cmplx.Exp(complex(0, -2*math.Pi*hz*delay)), nil
	}
}

// Without a transfer system to expand, as with an inner loop, τ is the plant's, and the model
// of mbc is its inverse. The inverse of a plant that is a power series is exact.
func TestDelayAndModelOfThePlant(t *testing.T) {
	at := At{RateHz: 1024, Plant: late(0.013, 0.9)}
	p := &PE{Order: 1, Spacing: 1}
	if _, err := p.Make(at); err != nil || math.Abs(p.TauMs-13) > 1e-9 || p.Delay != "given" {
		t.Errorf("%+v, %v: want 13 ms", p.Lag, err)
	}
	p = &PE{Order: 1, Spacing: 1, Lag: Lag{Delay: "plant", TauMs: 3}}
	if _, err := p.Make(at); err == nil {
		t.Error("delay plant and tau_ms: want an error")
	}
	want := []float64{1.1, 0.012, 4e-5}
	at.Plant = func(hz float64) (complex128, error) {
		s := complex(0, 2*math.Pi*hz)
		return 1 / (complex(want[0], 0) + complex(want[1], 0)*s + complex(want[2], 0)*s*s), nil
	}
	m := &MBC{Derivatives: "target"}
	if _, err := m.Make(at); err != nil || m.Model != "given" || len(m.A) < 3 {
		t.Fatalf("%+v, %v", m, err)
	}
	for i, v := range m.A {
		if i < 3 && math.Abs(v-want[i]) > 1e-9*want[i] || i == 3 && math.Abs(v) > 1e-12 {
			t.Errorf("a%d = %g, want %g", i, v, append(want, 0)[i])
		}
	}
}
