package kalman

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// The pole is that of the prefilter: of an impulse little is left after ln ε/ln |z| samples, and not yet little
// after half of them.
func TestSlowestPoleOfThePrefilter(t *testing.T) {
	for _, b := range [][kalmanTerms]float64{{1, 0.02, 1.5e-4, 1e-6}, {1, 0.01}, {1}} {
		f := newPrefilter(b, 2*math.Pi*40, 1.0/4096)
		pole, err := f.slowest()
		if err != nil {
			t.Fatal(err)
		}
		var s derived
		fades(t, fmt.Sprintf("prefilter of %g", b), pole, func(x float64) float64 {
			f.step(&s, x, 0)
			return s.w[0]
		})
	}
}

// fades wants the response to an impulse to fade as its slowest pole does.
func fades(t *testing.T, name string, pole float64, step func(float64) float64) {
	t.Helper()
	const leftOver = 1e-3
	n := int(math.Log(leftOver) / math.Log(pole))
	response := []float64{math.Abs(step(1))}
	for range 2 * n {
		response = append(response, math.Abs(step(0)))
	}
	peak := slices.Max(response)
	if left := slices.Max(response[n:]) / peak; !(left <= 10*leftOver) {
		t.Errorf("%s: %.2g of the peak is left after %d samples: want about %g", name, left, n, leftOver)
	}
	if left := slices.Max(response[n/2:]) / peak; !(left >= leftOver) {
		t.Errorf("%s: only %.2g of the peak is left after %d samples, half of the count", name, left, n/2)
	}
}
