package session

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/result/record"
)

// The steps of a ladder grow.
func TestRungs(t *testing.T) {
	if got, err := Rungs("10, 25,50.5"); err != nil || !slices.Equal(got, []float64{10, 25, 50.5}) {
		t.Errorf("%v, %v: want 10, 25 and 50.5", got, err)
	}
	for _, text := range []string{"", "0", "10,10", "25,10", "ten", "10,Inf", "NaN"} {
		if got, err := Rungs(text); err == nil || !strings.Contains(err.Error(), "want growing percentages") {
			t.Errorf("%q: %v, %v: want a refusal", text, got, err)
		}
	}
}

// A rung that is at most a tenth off its rehearsal is as rehearsed.
func TestRung(t *testing.T) {
	for pct, want := range map[float64]bool{3: true, 10: true, 11: false} {
		m := &record.Manifest{Status: rths.Completed, Test: &record.Test{Rehearsal: &record.Rehearsal{
			DisplacementPct: record.Number(pct), PeakM: 0.002, RehearsedPeakM: 0.0021,
		}}}
		r := NewRung(25, "lab/25-percent", m)
		if r.AsRehearsed != want || (r.WantAsRehearsed() == nil) != want {
			t.Errorf("%g %% off: as rehearsed %t, %v: want %t", pct, r.AsRehearsed, r.WantAsRehearsed(), want)
		}
		if got := r.String(); !strings.Contains(got, "largest 2 mm, rehearsed 2.1 mm") {
			t.Errorf("%s: want both displacements", got)
		}
		var out bytes.Buffer
		if PrintLadder(&out, []Rung{r}); !strings.Contains(out.String(), "25 %  completed            2            2.1") {
			t.Errorf("the table is\n%s", &out)
		}
	}
}
