package doubts_test

import (
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/scenario"
	"rths/scenario/doubts"
	"rths/scenarios"
)

// missing names a file that is not there.
const missing = `rate_hz: 2048
ground: {kind: clough-penzien, duration_s: 1}
structure: {kind: matrices, mass: [[10]], stiffness: {file: missing.mtx}}
specimen: {kind: linear, stiffness: 2e5}
transfer: {kind: second-order, omega_rad_s: 150, damping_ratio: 0.8}
`

// doubted are the doubts about a scenario with some keys set.
func doubted(t *testing.T, text string, sets ...string) string {
	t.Helper()
	return strings.Join(doubts.Of(rthstest.Must(scenario.Parse("small.yaml", []byte(text), ".", sets))), "\n")
}

// Slips of units and orders are asked about; the question has the place and what was
// meant.
func TestDoubts(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"[0.02]", "[0.5]",
			"small.yaml:4:83: structure.damping.modal_ratio: 0.5, which is 50 %, usual are up to 0.2: did you mean 0.005?"},
		{"modal_ratio: [0.02]", "rayleigh: {ratio: 2}",
			"structure.damping.rayleigh.ratio: 2, which is 200 %, usual are up to 0.2: did you mean 0.02?"},
		{"{kind: second-order}", "{kind: delay, delay_ms: 0.015}",
			"small.yaml:6:25: transfer.delay_ms: 0.015 ms, usual are 0.1 to 1000: did you mean 15 ms?"},
		{"{kind: second-order}", "{kind: second-order, stroke_m: 250}",
			"transfer.stroke_m: 250 m, usual are up to 5: did you mean 0.25 m?"},
		{"{kind: second-order}", "{kind: second-order, gain: -1}", "transfer: its static gain is -1 m/m, usual is 1"},
		{"{kind: second-order}", "{kind: tf, num: [2500], den: [2500, 80, 1]}",
			"transfer: its static gain is 2500 m/m, usual is 1: with num and den the other way round it is 1; coefficients " +
				"stand in descending powers of s"},
		{"{kind: second-order}", "{kind: zpk, zeros: [], poles: [[-50, 0]], gain: 1}",
			"transfer.gain: 1 makes a static gain of 0.02 m/m, usual is 1: gain is the factor before the products, 50 for a " +
				"static gain of 1"},
		{"{kind: second-order}", "{kind: second-order}\nlimits: [{channel: force_N, trip: 1e12}]",
			"small.yaml:7:29: limits[1].trip: 1e+12 N, usual are 1 to 1e+08: did you mean 1e+06 N?"},
		{"{kind: second-order}", "{kind: second-order}\nlimits: [{channel: measured_2_m, warn: 20, trip: 0.1}]",
			"limits[1].warn: 20 m, usual are up to 10: did you mean 0.02 m?"},
		{"masses: [1000, 1000]", "masses: [1, 1]",
			"small.yaml:4:1: structure: its lowest mode is at 98.36 Hz: are the masses given in tonnes?"},
		{"[1e6, 1e6]", "[1, 1]", "structure: its lowest mode is at 0.003111 Hz: are the stiffnesses given in kN/m or N/mm?"},
		{"stiffness: 1e5", "stiffness: 90",
			"small.yaml:5:1: specimen: its stiffness of 90 N/m is 9e-05 of the structure's 1e+06 N/m at degree of freedom 1: " +
				"is it given in kN/m?"},
		{"damping: 100", "damping: 5000",
			"specimen: its damping of 5000 N·s/m is more than the undivided structure's 1414 N·s/m at degree of freedom 1"},
		{"damping: {modal_ratio: [0.02]}", "damping: {}",
			"specimen: its damping of 100 N·s/m is more than the undivided structure's 0 N·s/m"},
		{"kind: sine, duration_s: 1, frequency_hz: 2, amplitude_m_s2: 1", "kind: clough-penzien, pga_g: 28",
			"ground.pga_g: 28 g, usual are up to 3: did you mean 0.28 g?"},
		{"kind: sine, duration_s: 1, frequency_hz: 2, amplitude_m_s2: 1", "kind: clough-penzien, pga_g: 3.5",
			"did you mean 0.3569 g?"},
		{"kind: sine, duration_s: 1, frequency_hz: 2, amplitude_m_s2: 1", "kind: clough-penzien, pga_g: 300",
			"did you mean 0.3059 g?"},
		{"rate_hz: 1024", "rate_hz: 2", "small.yaml:2:1: rate_hz: 2 Hz, usual are 10 to 100000: did you mean 2000 Hz?"},
		{"rate_hz: 1024", "rate_hz: 1e7", "rate_hz: 1e+07 Hz, usual are 10 to 100000: look at its unit"},
		{"amplitude_m_s2: 1}", "amplitude_m_s2: 300}",
			"ground.amplitude_m_s2: 300 m/s², usual are up to 29.4: did you mean 3 m/s²?"},
		{"amplitude_m_s2: 1}", "amplitude_m_s2: 49}", "ground.amplitude_m_s2: 49 m/s², usual are up to 29.4"},
		{"rate_hz: 1024", "rate_hz: 1024\ninitial_displacement: [4, 12]",
			"initial_displacement: 12 m, usual are up to 5: did you mean 0.012 m?"},
	} {
		if got := doubted(t, strings.Replace(rthstest.Small, c.old, c.new, 1)); !strings.Contains(got, c.want) {
			t.Errorf("%s:\n got  %s\n want %s", c.new, got, c.want)
		}
	}
	const set = "transfer={kind: delay, delay_ms: 0.015}"
	if got := doubted(t, rthstest.Small, set); !strings.HasPrefix(got, "--set "+set+": transfer.delay_ms: 0.015 ms") {
		t.Errorf("%s: want the override named", got)
	}
}

// The program's own scenarios, and defaults, are not doubted.
func TestNoDoubts(t *testing.T) {
	if got := doubted(t, rthstest.Small); got != "" {
		t.Errorf("small: %s", got)
	}
	if got := doubted(t, rthstest.Small, "rig={kind: udp, watchdog_ms: 5000}"); got != "" {
		t.Errorf("doubts about five seconds: %s", got)
	}
	if got := doubted(t, missing); got != "" {
		t.Errorf("a file that is missing is for Build to say: %q", got)
	}
	files, err := scenarios.Files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		s, err := scenario.Shipped(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		if got := doubts.Of(s); got != nil {
			t.Errorf("%s: %q", file.Name(), got)
		}
		text, err := s.YAML()
		if err != nil {
			t.Fatal(err)
		}
		full, err := scenario.Parse(file.Name(), []byte(text), ".", nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := doubts.Of(full); got != nil {
			t.Errorf("%s in full: %q", file.Name(), got)
		}
	}
}
