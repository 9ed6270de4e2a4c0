package scenario_test

import (
	"strings"
	"testing"
)

// J4 of the small frame with main steps of 8 samples on an ideal rig.
func twoRateJ4(t *testing.T, sets ...string) float64 {
	t.Helper()
	r := built(t, small, append([]string{"transfer.kind=ideal", "timing.target=next", "rate_hz=1024", "integrator={kind: gui, lambda: 3}"}, sets...)...)
	steps(t, r, nil)
	return result(t, r, "J4_pct")
}

// A main step without prediction costs accuracy; each prediction gives at least
// half of it back.
func TestTwoRateScenario(t *testing.T) {
	single := twoRateJ4(t)
	late := twoRateJ4(t, "two_rate={main_step: 8}")
	if !(late > 5*single) {
		t.Errorf("J4 %.3g %% with main steps, %.3g %% without: want it to suffer", late, single)
	}
	for _, kind := range []string{"poly2", "poly3", "poly4", "linear-acceleration", "newmark-explicit", "dual-explicit"} {
		if got := twoRateJ4(t, "two_rate.main_step=8", "two_rate.predictor.kind="+kind); !(got < late/2) {
			t.Errorf("%s: J4 %.3g %%, without prediction %.3g %%: want at most half", kind, got, late)
		}
	}
	// The force correction works half of the time only (integrate, forceFit) and does
	// not make it better here.
	if got := twoRateJ4(t, "two_rate={main_step: 8, force_fit: 8}"); got == late || !(got < 2*late) {
		t.Errorf("force correction: J4 %.3g %%, without it %.3g %%: want another one, not far away", got, late)
	}
}

// The predictor takes λ from the integrator and says so.
func TestPredictorAdoptsLambda(t *testing.T) {
	r := built(t, small, "integrator={kind: gui, lambda: 3}", "two_rate={main_step: 8, predictor: {kind: dual-explicit}}")
	if text, err := r.Scenario.YAML(); err != nil || !strings.Contains(text, "kind: dual-explicit\n    lambda: 3") {
		t.Errorf("%v:\n%s", err, text)
	}
}

// What is written out of a scenario with a prescribed target is read back.
func TestPrescribedTargetReadsBack(t *testing.T) {
	const text = `name: loading
rate_hz: 1024
loop: open
target: {kind: sine}
specimen: {kind: linear, mass: 10, damping: 100, stiffness: 1e5}
transfer: {kind: second-order}
`
	s := parsed(t, text)
	full, err := s.YAML()
	if err != nil {
		t.Fatal(err)
	}
	again, err := parse(full)
	if err != nil {
		t.Fatalf("%v\n%s", err, full)
	}
	if second, err := again.YAML(); err != nil || second != full {
		t.Errorf("%v: read back as\n%s\nwas\n%s", err, second, full)
	}
}
