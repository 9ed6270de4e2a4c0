package compensate

import (
	"math"
	"testing"

	"rths/kit/rthstest"
)

// The model of a plant is its inverse of the largest order up to 3 that is stable: an inverse of order 3 comes back,
// one with poles on the right is replaced by order 2, and a plant that leads has none.
func TestTrackingModelIsTheLargestStableOne(t *testing.T) {
	of := func(inverse ...float64) At {
		return At{RateHz: 4096, Plant: func(hz float64) (complex128, error) {
			s, sum := complex(0, 2*math.Pi*hz), complex(0, 0)
			for i := len(inverse) - 1; i >= 0; i-- {
				sum = sum*s + complex(inverse[i], 0)
			}
			return 1 / sum, nil
		}}
	}
	stable := []float64{0.98, 0.02, 1e-4, 2e-7}
	a := rthstest.Must(stableInverse(of(stable...)))
	rthstest.NearAll(t, "a", a, stable, 1e-6)
	right := []float64{1, 0.02, 1e-4, 5e-6} // a₁a₂ < a₀a₃
	if a := rthstest.Must(stableInverse(of(right...))); len(a) != 3 || !(a[1] > 0 && a[2] > 0) {
		t.Errorf("%v: want a stable model of order 2", a)
	}
	p := TrackingModel{}
	if g, err := p.resolve("hinf", of(stable...)); err != nil || p.Model != "given" || len(g.Den) != 4 {
		t.Errorf("left open: %+v, %v, %v", p, g, err)
	}
	for _, lead := range [][]float64{{1, -0.01}, {1, -0.02, 1e-4}} {
		_, err := (&TrackingModel{Model: "plant"}).resolve("hinf", of(lead...))
		rthstest.WantError(t, err, "hinf: model plant: the plant leads: no model with a lag fits it")
	}
	_, err := (&TrackingModel{A: right}).resolve("hinf", At{})
	rthstest.WantError(t, err, "want all in the left half plane, as with fewer numbers in a")
}
