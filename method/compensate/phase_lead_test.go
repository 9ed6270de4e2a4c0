package compensate_test

import (
	"math"
	"strings"
	"testing"

	"rths/method/compensate"
)

// The phase lead has the gain and phase of its closed form at the frequency that
// Tustin's rule maps it to.
func TestPhaseLeadClosedForm(t *testing.T) {
	for _, order := range []int{1, 2} {
		p := &compensate.PhaseLead{Order: order, LeadMs: 15, LagMs: 1.5}
		for _, hz := range []float64{0.5, 5, 40} {
			c := madeAt(t, p, compensate.At{RateHz: rate})
			w := 2 * math.Pi * hz
			warped := 2 * rate * math.Tan(w/(2*rate))
			n := int(rate / hz * 20)
			got := command(c, rate, n, func(t float64) (float64, float64, float64) { return math.Sin(w * t), 0, 0 })
			var re, im float64 // over the last ten periods
			for k := n / 2; k < n; k++ {
				re += got[k] * math.Sin(w*float64(k)/rate)
				im += got[k] * math.Cos(w*float64(k)/rate)
			}
			gain, phase := 2*math.Hypot(re, im)/float64(n-n/2), math.Atan2(im, re)
			wantGain := math.Pow(math.Hypot(1, 0.015*warped)/math.Hypot(1, 0.0015*warped), float64(order))
			wantPhase := float64(order) * (math.Atan(0.015*warped) - math.Atan(0.0015*warped))
			if math.Abs(gain/wantGain-1) > 2e-3 || math.Abs(phase-wantPhase) > 2e-3 {
				t.Errorf("order %d at %g Hz: gain %.5g, phase %.5g, want %.5g, %.5g", order, hz, gain, phase, wantGain, wantPhase)
			}
		}
	}
}

func TestPhaseLeadErrors(t *testing.T) {
	for want, p := range map[string]compensate.PhaseLead{
		"phase-lead: order 3: want 1 or 2":     {Order: 3, LeadMs: 2, LagMs: 1},
		"want a lag above 0 and a longer lead": {Order: 1, LeadMs: 1, LagMs: 2},
	} {
		if _, err := p.Make(compensate.At{RateHz: rate}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v: want %q", err, want)
		}
	}
}
