package diagram

import (
	"math"
	"testing"

	"rths/campaign/analyse"
)

// The box of poles has the ways of the roots up to five times the frequency of the verdict, and every pole to their
// right.
func TestPoleBox(t *testing.T) {
	hz := 2 * math.Pi
	v := &analyse.Verdict{ModesHz: []float64{1}, Loops: []analyse.LoopVerdict{{Case: "uncompensated",
		Delays: []analyse.ModeDelay{{FreqHz: 1}}}}}
	v.Poles = &analyse.Poles{
		Paths: [][]complex128{{complex(-1, hz), complex(0.5, hz)}, {complex(-90, 6*hz), complex(-91, 6*hz)}},
		Sets:  []analyse.PoleSet{{Case: "undivided"}, {Case: "uncompensated", Poles: []complex128{complex(2, 3*hz)}}},
	}
	for i, want := range []float64{-1.3, 2.3, 0, 5} {
		if got := poleBox(v)[i]; math.Abs(got-want) > 1e-12 {
			t.Errorf("edge %d: %g: want %g", i, got, want)
		}
	}
}
