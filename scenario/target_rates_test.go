package scenario_test

import (
	"math"
	"slices"
	"testing"

	"rths"
)

// The rates of the target in the record are those that the compensator uses: they give the command of a feedforward.
func TestTargetRates(t *testing.T) {
	compensator := "compensator={kind: mbc, a: [1, 0.012, 5e-5]}"
	for _, timing := range []string{"timing.target=current", "timing.target=next"} {
		r := lagging(t, 1e5, 8, compensator, timing, "integrator={kind: rk4}")
		ticks := 0
		steps(t, r, func(f *rths.Frame) {
			want := f.Target.X[0] + 0.012*channel(t, r, "target_m_s") + 5e-5*channel(t, r, "target_m_s2")
			if got := f.Command[0]; math.Abs(got-want) > 1e-15+1e-12*math.Abs(got) {
				t.Fatalf("%s: tick %d commands %g m: want %g m of the recorded rates", timing, f.K, got, want)
			}
			if f.Command[0] != f.Target.X[0] {
				ticks++
			}
		})
		if ticks < 1000 {
			t.Errorf("%s: %d ticks in motion: want more than 1000", timing, ticks)
		}
	}
	r := lagging(t, 1e5, 8)
	if slices.ContainsFunc(r.Channels, func(c rths.Channel) bool { return c.Name == "target_m_s" }) {
		t.Error("found rates of the target without a compensator that uses them")
	}
}
