package study

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"rths"
)

// A summary prints its groups, also those without values, and its failures.
func TestPrintSummary(t *testing.T) {
	v := Statistic{Name: "J2_pct", Mean: 2, MeanFrom: math.NaN(), SD: math.NaN(), Largest: 3}
	s := &Summary{
		Criterion: "J2_pct", Groups: []Group{{Name: "all", Runs: 2, Completed: 1, Values: []Statistic{v}},
			{Name: "none", Runs: 1}},
		Failures: []Failure{{Status: "tripped", Reason: "force", Runs: 1, First: 4}}, Remarks: []string{"few runs"},
	}
	var out bytes.Buffer
	r := &Result{Name: "frame", Status: rths.Completed, Runs: 3, Done: 3, Failed: 1, Executor: BySlurm, Summary: s,
		Files: []string{"a.csv"}}
	r.Print(&out)
	for _, want := range []string{
		"frame: completed, 3 of 3 runs, 1 of them failed\n", "by Slurm\n", "all     2          1     2",
		"none     1          0     –",
		"tripped, runs: 1, the first is run 4: force\n", "note: few runs\n", "a.csv\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("want %q in\n%s", want, &out)
		}
	}
}

// The value of a candidate that breaks constraints says so.
func TestFitnessString(t *testing.T) {
	for want, f := range map[string]Fitness{
		"1.25": {Value: 1.25}, "1.25, but 50 % of the runs fail or break a constraint": {Value: 1.25, Violation: 0.5},
	} {
		if got := f.String(); got != want {
			t.Errorf("%q: want %q", got, want)
		}
	}
}

// A study has completed, failed, or was stopped by Slurm or by the user.
func TestEnded(t *testing.T) {
	f := &Folder{Table: newTable(3), Manifest: Manifest{Runs: 3}}
	for want, failure := range map[string]error{rths.Completed: nil, rths.Failed: errors.New("disk full"),
		rths.Stopped: &Incomplete{}} {
		if got, reason := f.Ended(t.Context(), failure); got != want || (reason == "") != (failure == nil) {
			t.Errorf("%v: %s, %q: want %s", failure, got, reason, want)
		}
	}
}
