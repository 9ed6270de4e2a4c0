package criteria

import (
	"math"
	"testing"

	"rths"
)

// A measured motion that leads by 7 samples scores −7 samples with several actuators, as the
// multi-axial benchmark has it, and 0 with one, as the single-actuator benchmark has it. A
// lag is the same in both.
func TestLeadOfSeveralActuators(t *testing.T) {
	const rate = 1024
	wave := func(k float64) float64 { return math.Sin(2*math.Pi*2.3*k/rate) + 0.4*math.Sin(2*math.Pi*7.1*k/rate+1) }
	for _, lag := range []float64{-30, -7, -3.5, -1.4, 0, 5, 5.25} {
		one, two := NewTracking(rate, 0, 1, true), NewTracking(rate, 1, 2, true)
		read := rths.NewReading(2, 1)
		for k := range 3000 {
			x := wave(float64(k) - lag)
			copy(read.X, []float64{x, x})
			copy(read.TrueX, []float64{x, x})
			want := wave(float64(k))
			one.Observe(&rths.Frame{Desired: []float64{want}, Read: read})
			two.Observe(&rths.Frame{Desired: []float64{9, want}, Read: read})
		}
		lead, atLeast := one.Lead()
		if early := max(-lag, 0); early > 2 && !(lead == 2 && atLeast) ||
			early <= 2 && (math.Abs(lead-early) > 0.05 || atLeast) {
			t.Errorf("one actuator, lag %g samples: lead %g samples, at least: %v", lag, lead, atLeast)
		}
		if lead, atLeast := two.Lead(); math.Abs(lead-max(-lag, 0)) > 0.05 || atLeast {
			t.Errorf("two actuators, lag %g samples: lead %g samples, at least: %v", lag, lead, atLeast)
		}
		for suffix, c := range map[string]*Tracking{"": one, "_2": two} {
			values := map[string]float64{}
			for _, v := range c.Summary() {
				values[v.Name] = v.V * rate / 1e3 // samples
			}
			whole, fine := values["J1"+suffix+"_ms"], values["delay"+suffix+"_ms"]
			if suffix == "" && lag < 0 {
				if whole != 0 {
					t.Errorf("one actuator that leads by %g samples: J1 is %g samples, want 0", -lag, whole)
				}
				continue
			}
			if math.Abs(whole-lag) > 0.5 || math.Abs(fine-lag) > 0.05 {
				t.Errorf("%d actuators, lag %g samples: J1 is %g, between samples %g", 1+len(suffix)/2, lag, whole, fine)
			}
			for _, name := range []string{"J1" + suffix + "_true_ms", "delay" + suffix + "_true_ms"} {
				if math.Abs(values[name]-lag) > 0.5 {
					t.Errorf("lag %g samples: %s is %g samples", lag, name, values[name])
				}
			}
		}
	}
}
