package report_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/result/record"
	"rths/result/report"
)

// Faults are spans, to the end of the run where they do not end before, the first limit
// that acted is an instant; two runs share what they have in common. A page without
// events marks nothing.
func TestMarks(t *testing.T) {
	none := record.Number(math.NaN())
	s := usual()
	s.rows, s.end.SimulatedS = 3000, 0.7
	if page := html(t, s.run(t)); strings.Contains(page, `"marks"`) {
		t.Error("a run without events has marks")
	}
	s.end.Events = []record.Event{
		{TimeS: 0.1, Channel: "measured_m", Fault: "stuck", Value: none, Limit: none, Action: record.Begins},
		{TimeS: 0.12, Channel: "error_m", Value: 0.001, Limit: 0.0005, Action: "warn"},
		{TimeS: 0.2, Channel: "measured_m", Fault: "stuck", Value: none, Limit: none, Action: record.Ends},
		{TimeS: 0.3, Channel: "commands", Fault: "late-commands", Value: none, Limit: none, Action: record.Begins},
		{TimeS: 0.35, Channel: "error_m", Value: 0.002, Limit: 0.001, Action: "ramp"},
		{TimeS: 0.4, Channel: "sw_pct", Value: 110, Limit: 100, Action: "stop"},
	}
	want := `"marks":[{"from_s":0.1,"to_s":0.2,"label":"stuck measured_m"},` +
		`{"from_s":0.3,"to_s":0.7,"label":"late-commands"},{"from_s":0.35,"to_s":0.35,"label":"ramp"}]`
	a := s.run(t)
	page := html(t, a)
	rthstest.Contains(t, page, want, `<td>measured_m</td><td colspan="3">fault stuck begins</td>`,
		`<td class="number">0.002</td><td class="number">0.001</td><td>ramp</td>`)
	rthstest.Contains(t, html(t, a, a), want)
	paths, err := report.Plots(t.TempDir(), a, "svg")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		// not over time, or small
		bare := slices.Contains([]string{"subspace.svg", "force-displacement.svg", "parameters.svg",
			"displacement-spectrum.svg"}, name)
		if got := strings.Contains(string(text), "late-commands"); got == bare {
			t.Errorf("%s: marks are named: %t, want %t", name, got, !bare)
		}
	}
}
