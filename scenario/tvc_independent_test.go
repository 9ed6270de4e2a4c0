package scenario_test

import (
	"math"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/method/compensate"
	"rths/scenario"
)

// Table, building and law of kit/independent/tvc.py, which shares no code with this program, leave the same errors of
// acceleration and displacement, have the same inverse, and learn the same. The payload's mode is known there and found
// here, to 1e-5 of its frequency.
func TestTVCOfAnotherProgram(t *testing.T) {
	const another = "scatter={transfer.omega_rad_s: {kind: normal, mean: 157.5, sd: 1e-9}, " +
		"transfer.gain: {kind: normal, mean: 1.03, sd: 1e-12}}"
	wants := rthstest.Independent(t, "tvc.py")
	for _, c := range []struct {
		name, file string
		tolerance  float64
		sets       []string
	}{
		{"second", "acceleration", 1e-4, nil},
		{"payload", "payload", 1e-2, nil},
		{"other", "acceleration", 1e-4, []string{another, "perturbed=1"}},
		{"learnt", "acceleration", 1e-3, []string{another, "perturbed=1", "compensator.kind=tvc-rls"}},
	} {
		sets := append(c.sets, "ground={kind: sine, duration_s: 7, dt_s: 0.001953125, frequency_hz: 3, amplitude_m_s2: 0.5}",
			"duration_s=6", "compensator.feedback_hz=5", "compensator.crossover_hz=1",
			"sensors={acceleration: true}", "expect=")
		s := rthstest.Must(scenario.Shipped("shake-table-"+c.file+".yaml", sets...))
		r := rthstest.Must(s.Build(t.Context(), scenario.Options{}))
		far := &offTarget{}
		r.Loop.Attach(far)
		if err := r.Loop.Run(1, nil); err != nil {
			t.Fatal(err)
		}
		want := wants[c.name+"_error"]
		rthstest.Near(t, c.name+": acceleration error, %", result(t, r, "acc_rms_true_pct"), want[0], c.tolerance*want[0])
		rthstest.Near(t, c.name+": displacement error, m", far.most, want[1], 10*c.tolerance*want[1])
		for i, v := range inverseOf(t, r) {
			w := wants[c.name+"_a"][i]
			rthstest.Near(t, c.name+": coefficient", v, w, 10*c.tolerance*math.Abs(w))
		}
	}
}

// offTarget keeps the largest error of displacement.
type offTarget struct{ most float64 }

func (c *offTarget) Observe(f *rths.Frame) {
	c.most = max(c.most, math.Abs(f.Read.TrueX[0]-f.Desired[0]))
}

// inverseOf are a and b of the compensator, as learnt, or as its maker filled them in.
func inverseOf(t *testing.T, r *scenario.Run) (out []float64) {
	t.Helper()
	for _, v := range r.Parameters() {
		if strings.HasPrefix(v.Name, "a") || strings.HasPrefix(v.Name, "b") {
			out = append(out, v.V)
		}
	}
	if m, ok := r.Scenario.Compensator.Params.(*compensate.TVC); ok {
		out = append(append(out, m.A...), m.B...)
	}
	return out
}
