package judge

import (
	"bytes"
	"strings"
	"testing"

	"rths/result/record"
	"rths/scenario/files"
)

// The folder that keeps a judged test says where its numbers come from.
func TestVerdict(t *testing.T) {
	v := &Verdict{
		Data: "a.csv, b.csv", RateHz: 100, Samples: 200, DurationS: 2, Verdict: "good", Notes: []string{"no force"},
		Files:    []string{"out/x"},
		Criteria: record.Values{{Name: "J2_pct", V: 3, Doc: "tracking"}}, name: "a.csv",
		inputs: []files.Input{{File: "a.csv"}},
	}
	m := v.Manifest("1", []string{"frames"})
	if m.Name != "a" || !strings.HasPrefix(m.Scenario, record.JudgedFrom+"a.csv, b.csv\n") ||
		!strings.Contains(m.Scenario, "# note: no force\n") {
		t.Errorf("%+v: want name a, and both files and the note in place of a scenario", m)
	}
	var out bytes.Buffer
	v.Print(&out)
	if want := "a.csv, b.csv: 200 samples at 100 Hz, 2.00 s, good\n\nJ2_pct  3.00  tracking\n\nnote: " +
		"no force\n\nout/x\n"; out.String() != want {
		t.Errorf("%q: want %q", &out, want)
	}
}
