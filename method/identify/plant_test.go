package identify

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

// Delay and gain of a plant that has nothing else are found exactly, also where the phase
// turns more than once.
func TestDelayAndGainOfThePlant(t *testing.T) {
	for _, want := range []struct{ tau, gain float64 }{{0, 1}, {0.015, 0.8}, {1.2, 1.5}} {
		tau, k, err := Plant{RateHz: 1024, H: late(want.tau, want.gain)}.DelayAndGain()
		if err != nil || math.Abs(tau-want.tau) > 1e-12 || math.Abs(k*want.gain-1) > 1e-12 {
			t.Errorf("τ = %g s, k = %g, %v: want %g s, %g", tau, k, err, want.tau, 1/want.gain)
		}
	}
	if _, _, err := (Plant{RateHz: 1024}).DelayAndGain(); err == nil {
		t.Error("no plant: want an error")
	}
}

// Taps stand one sample apart where they invert the plant: a second-order plant has an
// inverse of three taps. They stand 7.57 ms apart where a series of their order magnifies: with a
// delay, or with a resonance above the fitted band.
func TestSpacingOfTaps(t *testing.T) {
	second := func(hz float64) (complex128, error) {
		s := complex(0, 2*math.Pi*hz/100)
		return 1 / (1 + 1.5*s + s*s), nil
	}
	resonant := func(hz float64) (complex128, error) {
		h, _ := second(hz)
		s := complex(0, hz/300)
		return h / (1 + 0.02*s + s*s), nil
	}
	for _, c := range []struct {
		name  string
		plant func(float64) (complex128, error)
		q     int
		main  int
		apart bool
	}{
		{"second order", second, 3, 0, false},
		{"second order, main steps", second, 3, 20, true},
		{"second order, main steps", second, 2, 20, false},
		{"a delay", late(0.01, 1), 3, 0, true},
		{"a resonance", resonant, 3, 0, true},
	} {
		for _, rate := range []float64{1024, 4096} {
			want := 1
			if c.apart {
				want = int(math.Round(rate * 31 / 4096))
			}
			if got := (Plant{RateHz: rate, H: c.plant, MainStep: c.main}).Spacing(c.q); got != want {
				t.Errorf("%s, %d taps at %g Hz: %d samples apart, want %d", c.name, c.q, rate, got, want)
			}
		}
	}
}

// The order that is left open is the largest up to 3 whose inverse of a pure delay of x samples, (1 − hD)^−x in powers
// of the backward difference D, magnifies at most nyquistGain times at the Nyquist frequency, where hD is 2; 1 where
// the target bends with every main step; else what a list has.
func TestOrderThatIsLeftOpen(t *testing.T) {
	for _, rate := range []float64{1024, 4096} {
		for _, x := range []float64{0.2, 0.5, 0.7, 0.8, 1, 1.25, 1.5, 4} {
			p, want := Plant{RateHz: rate, H: late(x/rate, 1)}, 1
			for order, u := range map[int]float64{2: 1 + 2*x + 2*x*(x+1), 3: 1 + 2*x + 2*x*(x+1) + x*(x+1)*(x+2)*4/3} {
				if u <= nyquistGain {
					want = max(want, order)
				}
			}
			if got := p.Order(nil, nil); got != want {
				t.Errorf("a delay of %g samples at %g Hz: order %d: want %d", x, rate, got, want)
			}
			if p.MainStep = 2; p.Order(nil) != 1 {
				t.Errorf("main steps: order %d: want 1", p.Order(nil))
			}
			if got := p.Order(nil, []float64{1, 2, 3}, []float64{1, 2, 3, 4}); got != 2 {
				t.Errorf("a list of three: order %d: want 2", got)
			}
		}
	}
}
