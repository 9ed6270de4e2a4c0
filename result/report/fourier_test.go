package report

import (
	"math"
	"testing"
)

// The Fourier amplitude of a sine of whole periods is A T/2 at its frequency, whatever the rate, and next to nothing
// elsewhere; of A e^(−at) it is A/√(a² + ω²).
func TestAmplitudesOfClosedForms(t *testing.T) {
	for _, rate := range []float64{128, 1024, 4096, 10240} {
		const seconds = 20.0
		n := int(seconds * rate)
		sine, decay := make([]float64, n), make([]float64, n)
		for k := range n {
			at := float64(k) / rate
			sine[k] = 3 * math.Sin(2*math.Pi*7.5*at)
			decay[k] = 3 * math.Exp(-2*at)
		}
		hz, amplitude := amplitudes(timed(0, rate, sine))
		top := 0
		for i, v := range amplitude {
			if v > amplitude[top] {
				top = i
			}
		}
		// the peak's band holds three lines of 1/20 Hz: the root mean square of 30, 0 and 0
		lines := 0
		for k := 1; float64(k)/seconds < 8; k++ {
			if f := float64(k) / seconds; f > hz[top]/math.Exp2(0.5/fourierPart) && f < hz[top]*math.Exp2(0.5/fourierPart) {
				lines++
			}
		}
		if want := 3 * seconds / 2 / math.Sqrt(float64(lines)); math.Abs(hz[top]-7.5) > 0.3 ||
			math.Abs(amplitude[top]-want) > 1e-3*want {
			t.Errorf("%g Hz: a peak of %g at %g Hz: want %g at 7.5 (%d lines)", rate, amplitude[top], hz[top], want, lines)
		}
		if last := hz[len(hz)-1]; len(hz) > 60 || last > 100 {
			t.Errorf("%g Hz: %d values up to %g Hz of a sine", rate, len(hz), last)
		}
		hz, amplitude = amplitudes(timed(0, rate, decay))
		for i, f := range hz {
			if want := 3 / math.Hypot(2, 2*math.Pi*f); f < 0.2*rate && math.Abs(amplitude[i]-want) > 0.13*want {
				t.Errorf("%g Hz: amplitude of a decay %g at %g Hz: want %g", rate, amplitude[i], f, want)
			}
		}
		if len(hz) < 100 || hz[len(hz)-1] < 0.35*min(rate, 250) {
			t.Errorf("%g Hz: %d values up to %g Hz", rate, len(hz), hz[len(hz)-1])
		}
	}
	for _, x := range [][]float64{nil, {1}, {1, 1, 1, 1}, {0, math.NaN(), 1, 2}, {0, math.Inf(1), 0, 0}} {
		if hz, _ := amplitudes(timed(0, 100, x)); len(hz) > 0 {
			t.Errorf("%v has amplitudes", x)
		}
	}
}
