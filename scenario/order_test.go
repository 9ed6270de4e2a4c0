package scenario_test

import (
	"os"
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/scenario"
)

// The summary of every shipped scenario has the names and the order in
// testdata/summary_order.txt.
func TestSummaryOrder(t *testing.T) {
	records := rthstest.Records(t)
	text, err := os.ReadFile("testdata/summary_order.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		name, want, _ := strings.Cut(strings.TrimSpace(line), ": ")
		name, all := strings.CutSuffix(name, " with all criteria")
		var sets []string
		if all {
			sets = []string{"criteria={fei: true, floors: true, floor_spectra: true}"}
		}
		s, err := scenario.Load("../scenarios/"+name, sets)
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Build(t.Context(), scenario.Options{RecordsDir: records})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, v := range r.Summary() {
			names = append(names, v.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: the summary is\n%s: want\n%s", name, got, want)
		}
	}
}
