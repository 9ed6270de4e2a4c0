package identify

import (
	"math"
	"math/rand/v2"
	"testing"

	"rths/kit/rthstest"
)

// The recursion says of random polynomials what their roots say.
func TestInsideUnitCircle(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for trial := range 2000 {
		p, most := []float64{r.NormFloat64()}, 0.0
		times := func(factor ...float64) {
			out := make([]float64, len(p)+len(factor)-1)
			for i, v := range p {
				for j, w := range factor {
					out[i+j] += v * w
				}
			}
			p = out
		}
		for range r.IntN(4) { // a pair, e^{±jφ}, and a real root
			size, phi, x := 1.1*r.Float64(), 2*math.Pi*r.Float64(), 2.2*r.Float64()-1.1
			times(1, -2*size*math.Cos(phi), size*size)
			times(1, -x)
			most = max(most, size, math.Abs(x))
		}
		if got := insideUnitCircle(append([]float64(nil), p...)); math.Abs(most-1) > 1e-3 && got != (most < 1) {
			t.Fatalf("trial %d: %v for the largest root %.4f of %v", trial, got, most, p)
		}
	}
	for _, p := range [][]float64{{0}, {0, 1}, {1, 1}, {1, math.NaN()}, {math.NaN(), 1}} {
		if insideUnitCircle(p) {
			t.Errorf("a polynomial %v was accepted", p)
		}
	}
}

func TestWatchAllocatesNothing(t *testing.T) {
	w, theta := NewWatch(4, 4, 0.01), []float64{0.1, 0.2, 0.1, 0.1, 5, -3, 1, 0.5}
	rthstest.NoAllocation(t, func() { w.Look(theta); w.Lag(theta) })
}
