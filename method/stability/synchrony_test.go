package stability

import (
	"math"
	"math/rand/v2"
	"testing"

	"rths"
)

// followed watches a measurement of amplitude a that lags a band of sines by tau(t), with noise
// of sd (m).
func followed(t *testing.T, rate, seconds, a, sd float64, tau func(at float64) float64) *Synchrony {
	t.Helper()
	s, err := NewSynchrony(rate, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	f := &rths.Frame{Desired: make([]float64, 1), Read: rths.NewReading(1, 1)}
	noise := rand.New(rand.NewPCG(1, 1))
	band := func(at float64) float64 {
		return 1e-3 * (math.Sin(2*math.Pi*1.3*at) + math.Sin(2*math.Pi*2.9*at+1) + 0.5*math.Sin(2*math.Pi*4.3*at+2))
	}
	for k := range int(seconds * rate) {
		at := float64(k) / rate
		f.K, f.T = k, at
		f.Desired[0], f.Read.X[0] = band(at), a*band(at-tau(at))+sd*noise.NormFloat64()
		s.Observe(f)
	}
	return s
}

// A small delay is found exactly by both estimates, at any rate of sampling, with
// the sensor noise of the benchmark too.
func TestSynchronyFindsTheDelay(t *testing.T) {
	for _, rate := range []float64{1024, 4096} {
		for _, tau := range []float64{-2e-3, 0, 1e-3, 5e-3} {
			for _, sd := range []float64{0, 16e-6} {
				s := followed(t, rate, 6, 1, sd, func(float64) float64 { return tau })
				if math.Abs(s.delayMs-1e3*tau) > 0.1 {
					t.Errorf("%g Hz, noise %g m: delay %.4f ms by least squares: want %g", rate, sd, s.delayMs, 1e3*tau)
				}
				if math.Abs(s.feiDelayMs-1e3*tau) > 0.03+sd*5e3 || math.Abs(s.amplitude-1) > 0.003 {
					t.Errorf("%g Hz, noise %g m: index of delay %.4f ms and amplitude %.5f: want %g and 1", rate, sd, s.feiDelayMs,
						s.amplitude, 1e3*tau)
				}
			}
		}
	}
}

// The index tells amplitude from delay; the delay's fit does not mistake one for
// the other either.
func TestSynchronyAmplitude(t *testing.T) {
	s := followed(t, 4096, 6, 0.9, 0, func(float64) float64 { return 0 })
	if math.Abs(s.amplitude-0.9) > 1e-9 || math.Abs(s.feiDelayMs) > 1e-9 || math.Abs(s.j2-10) > 1e-9 ||
		math.Abs(s.delayMs) > 0.2 {
		t.Errorf("amplitude %g, delays %g and %g ms, J2 %g %%: want 0.9, 0, 0 and 10", s.amplitude, s.feiDelayMs,
			s.delayMs, s.j2)
	}
}

// A delay that changes during the run is followed within some seconds.
func TestSynchronyFollowsChanges(t *testing.T) {
	s := followed(t, 4096, 12, 1, 16e-6, func(at float64) float64 {
		if at < 6 {
			return 2e-3
		}
		return 4e-3
	})
	if math.Abs(s.delayMs-4) > 0.1 || math.Abs(s.feiDelayMs-4) > 0.05 {
		t.Errorf("delays %.3f and %.3f ms: want 4", s.delayMs, s.feiDelayMs)
	}
}

// Noise alone is no delay, and quiet times leave the last one.
func TestSynchronyInQuietTimes(t *testing.T) {
	s, err := NewSynchrony(4096, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	f := &rths.Frame{Desired: make([]float64, 1), Read: rths.NewReading(1, 1)}
	noise := rand.New(rand.NewPCG(3, 1))
	for k := range 5 * 4096 {
		f.K, f.Desired[0], f.Read.X[0] = k, 1e-9*math.Sin(float64(k)/200), 16e-6*noise.NormFloat64()
		s.Observe(f)
	}
	if s.delayMs != 0 || s.feiDelayMs != 0 || !math.IsNaN(summary(s, "running_fei_delay_ms")) {
		t.Errorf("delays %g and %g ms of noise: want none", s.delayMs, s.feiDelayMs)
	}
}

// A motion that ends without noise leaves its delay for ever, and no sum that fades
// becomes a subnormal number, which is slow to compute with. The target decays by four
// decades a second, or stops at once.
func TestSynchronyAfterTheEnd(t *testing.T) {
	const rate, tau, end = 64.0, 2e-3, 10.0
	for _, fade := range []float64{0.9, 0} {
		s, err := NewSynchrony(rate, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		f := &rths.Frame{Desired: make([]float64, 1), Read: rths.NewReading(1, 1)}
		var numbers []float64
		size := 1e-3
		for k := range int(3000 * rate) {
			at := float64(k) / rate
			if at > end {
				size *= fade
			}
			if size < 1e-100 {
				size = 0
			}
			f.K, f.Desired[0], f.Read.X[0] = k, size*math.Sin(2*math.Pi*1.3*at), size*math.Sin(2*math.Pi*1.3*(at-tau))
			s.Observe(f)
			numbers = rths.AppendState(numbers[:0], s)
			for _, v := range numbers {
				if math.Abs(v) < 0x1p-1022 && v != 0 {
					t.Fatalf("%g s after the end a number is %g: want 0", at-end, v)
				}
			}
		}
		if s.moved != 0 || math.Abs(s.delayMs-1e3*tau) > 0.02 {
			t.Errorf("at last Σ ḋ² = %g m² and a delay of %g ms: want 0 and %g", s.moved, s.delayMs, 1e3*tau)
		}
	}
}
