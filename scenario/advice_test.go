package scenario_test

import (
	"strings"
	"testing"

	"rths/scenario"
)

// What TestMatrix found is said before the run, with the setting that works.
func TestAdvice(t *testing.T) {
	const two = "two_rate={main_step: 4}"
	for _, c := range []struct {
		sets []string
		want string // "": nothing is said
	}{
		{[]string{"compensator.kind=amb"}, ""},
		{[]string{"compensator.kind=amb-galmez2021"}, "want amb, which takes its settings from plant and rate"},
		{[]string{"compensator.kind=kf-table5"}, "want kf, which"},
		{[]string{"compensator.kind=kf-ning2020", "rate_hz=4096", "structure={kind: silva2020, case: 1}", "specimen.kind=silva2020", "transfer.kind=silva2020"}, ""},
		{[]string{"compensator.kind=ats", two}, ""},
		{[]string{"compensator={kind: ats, order: 2}", two}, "differences of order 2 pass the jumps on: want order: 1"},
		{[]string{"compensator.kind=cats", two}, ""},
		{[]string{"compensator.kind=adm", two}, ""},
		{[]string{"compensator={kind: adm, spacing: 1}", two}, "differences of order 3 pass the jumps on: want adm2"},
		{[]string{"compensator.kind=rodeac", two}, "differences of order 3 pass the jumps on: want adm"},
		{[]string{"compensator.kind=ats"}, ""},
		{[]string{"compensator.kind=lqg"}, "want it in a chain with join: parallel"},
		{[]string{"compensator={kind: chain, join: parallel, of: [{kind: ats}, {kind: lqg}]}"}, ""},
		{[]string{"compensator={kind: chain, of: [{kind: ats, order: 2}]}", two}, "differences of order 2 pass the jumps on"},
	} {
		r, err := parsed(t, small, c.sets...).Build(scenario.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(r.Warnings, "\n")
		if said := strings.Contains(got, "compensator: "); said != (c.want != "") || !strings.Contains(got, c.want) {
			t.Errorf("%q: warnings %q, want %q", c.sets, got, c.want)
		}
	}
}
