package scenario_test

import (
	"math"
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/scenario"
)

// J4 of the small frame with main steps of 8 samples on an ideal rig.
func twoRateJ4(t *testing.T, sets ...string) float64 {
	t.Helper()
	r := built(t, small, append([]string{"transfer.kind=ideal", "timing.target=next", "rate_hz=1024",
		"integrator={kind: gui, lambda: 3}"}, sets...)...)
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

// The text of a scenario that leaves the place of the specimen to the structure leaves it there too: read back
// and built, it is the same test.
func TestTextLeavesTheInterfaceOpen(t *testing.T) {
	s, err := scenario.Shipped("soil-structure.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.YAML()
	if err != nil {
		t.Fatal(err)
	}
	again, err := scenario.Parse("again", []byte(text), ".", nil)
	if err != nil {
		t.Fatal(err)
	}
	a, b := rthstest.Must(s.Build(t.Context(), scenario.Options{})),
		rthstest.Must(again.Build(t.Context(), scenario.Options{}))
	if got, want := b.Scenario.InterfaceDOF, a.Scenario.InterfaceDOF; got != want || want <= 1 {
		t.Errorf("interface_dof %d: want %d, which the foundation chooses", got, want)
	}
	one, err := scenario.Shipped("soil-structure.yaml", "interface_dof=1")
	if err != nil {
		t.Fatal(err)
	}
	text, _ = one.YAML()
	if !strings.Contains(text, "interface_dof: 1\n") {
		t.Error("interface_dof: 1, as the file says, is not in the text")
	}
}

// What does not go together with a numerical part in a process of its own, and how the late main steps are counted.
func TestProcessMistakes(t *testing.T) {
	for set, want := range map[string]string{
		"two_rate={main_step: 8, process: other}":             `two_rate: process "other": want own, or leave it out`,
		"two_rate={main_step: 8, late: 2}":                    "two_rate: late without process: own",
		"two_rate={main_step: 8, process: own, late: -1}":     "two_rate.late: -1: want 1 to 100",
		"two_rate={main_step: 8, process: own, late: 5000}":   "two_rate.late: 5000: want 1 to 100",
		"two_rate={main_step: 8, process: own, late: 0}":      "two_rate.late: 0: want 1 to 100",
		"two_rate={main_step: 8, process: own, late: 1.5}":    `found "1.5": want a whole number`,
		"two_rate={main_step: 8, process: own, proces: own}":  "unknown key",
		"two_rate={main_step: 8, process: own, force_fit: 2}": "force correction through 2 samples: want 3 to",
	} {
		s, err := scenario.Shipped("two-rate.yaml", set)
		if err == nil {
			_, err = s.Build(t.Context(), scenario.Options{})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v: want %q", set, err, want)
		}
	}
	s := rthstest.Must(scenario.Shipped("two-rate.yaml", "two_rate.process=own"))
	if r := rthstest.Must(s.Build(t.Context(), scenario.Options{})); r.Scenario.TwoRate.Late != 1 || s.TwoRate.Late != 0 {
		t.Errorf("late %d in the resolved scenario: want 1", r.Scenario.TwoRate.Late)
	}
	if _, _, err := rthstest.Must(scenario.Shipped("two-rate.yaml")).Calculator(scenario.Options{}); err == nil ||
		!strings.Contains(err.Error(), "no process: own") {
		t.Errorf("%v: want process: own", err)
	}
	large := []string{"rate_hz=2048", "structure={kind: fe-foundation, elements_x: 8, elements_y: 8}",
		"two_rate={main_step: 4, process: own}"}
	for set, want := range map[string]string{
		"indicators={energies: true, c_sw_j: 1, c_eei_j: 1}": "energies: a numerical part of 112 degrees of freedom in a " +
			"process of its own, which gives the motion of at most 64",
		"criteria={floors: true}": "floors: a numerical part of 112 degrees of freedom",
	} {
		_, err := rthstest.Must(scenario.Shipped("soil-structure.yaml", append(large, set)...)).Build(t.Context(),
			scenario.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v: want %q", set, err, want)
		}
	}
}

// Stability, energies and all criteria of a scenario are the same with a process of its own but for the last main
// step of the sums.
func TestProcessJudgesTheSame(t *testing.T) {
	sets := []string{"indicators={energies: true, tracking: true}", "criteria={floors: true, floor_spectra: true}",
		"duration_s=60"}
	one := rthstest.Must(scenario.Shipped("two-rate.yaml", sets...))
	own := rthstest.Must(one.With("two_rate.process=own"))
	a, b := rthstest.Must(one.Build(t.Context(), scenario.Options{})),
		rthstest.Must(own.Build(t.Context(), scenario.Options{}))
	for _, r := range []*scenario.Run{a, b} {
		if err := r.Loop.Run(0, nil); err != nil {
			t.Fatal(err)
		}
	}
	want := append(a.Summary(), a.Indicators()...)
	got := append(b.Summary(), b.Indicators()...)
	if len(got) != len(want) || len(got) < 20 {
		t.Fatalf("%d results: want %d", len(got), len(want))
	}
	ticks := float64(a.Loop.Ticks())
	fewer := math.Sqrt(ticks / (ticks - 20)) // of root mean squares over fewer ticks
	for i, v := range got {
		// The motion has decayed after 20 s: the last main step adds nothing.
		near := func(w float64) bool { return math.Abs(v.V-w) <= 1e-6*math.Abs(w)+1e-9 }
		if w := want[i].V; v.Name != want[i].Name || !near(w) && !(strings.Contains(v.Name, "_rms_") && near(w*fewer)) &&
			!(math.IsNaN(v.V) && math.IsNaN(w)) {
			t.Errorf("%s is %g: want %s %g", v.Name, v.V, want[i].Name, w)
		}
	}
}
