package compensate

import (
	"math"
	"testing"

	"rths"
)

// After an extrapolation the target leads the reading by many samples. A reading that is the target of its own instant
// has no offset, whatever the lead.
func TestOffsetIsOfTheInstantOfTheReading(t *testing.T) {
	const rate, lead = 1024.0, 40
	motion := func(k int) float64 { return 2e-6 * (1 - math.Cos(2*math.Pi*3*float64(max(k, 0))/rate)) }
	at := At{RateHz: rate, Lead: lead}
	byFilter, byModel := &KF{X0: []float64{1}, QF: 0.3, R: 0.01, Spacing: 1, RemoveOffset: true},
		&ADM{Q: 1, History: "target", Theta0: []float64{1}, Spacing: 1, Forgetting: 1, RemoveOffset: true}
	for name, maker := range map[string]Maker{"kf": byFilter, "adm": byModel} {
		c, err := maker.Make(at)
		if err != nil {
			t.Fatal(err)
		}
		target, read, command := rths.NewMotion(1), rths.NewReading(1, 0), make([]float64, 1)
		for k := range 4000 {
			target.X[0], read.X[0] = motion(k), motion(k-lead)
			c.Step(command, &target, &read)
			var seen float64
			switch c := c.(type) {
			case *kf:
				seen = c.measured.At(0)
			case *adm:
				seen = c.x.At(0)
			}
			if k > lead && math.Abs(seen-read.X[0]) > 1e-12 {
				t.Fatalf("%s, tick %d: the reading %g m counts as %g m", name, k, read.X[0], seen)
			}
		}
	}
}
