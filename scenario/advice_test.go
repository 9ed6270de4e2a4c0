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
		{[]string{"compensator={kind: ats, order: 2}", two}, "differences of order 2 make pulses of the bends, which a delay passes on: want order: 1"},
		{[]string{"compensator.kind=cats", two}, ""},
		{[]string{"compensator.kind=adm", two}, ""},
		{[]string{"compensator={kind: adm, spacing: 1}", two}, "differences of order 3 make pulses of the bends, which a delay passes on: want adm2"},
		{[]string{"compensator.kind=rodeac", two}, "differences of order 3 make pulses of the bends, which a delay passes on: want adm"},
		{[]string{"compensator.kind=ats"}, ""},
		{[]string{"compensator={kind: amb, order: 3}", two}, "differences of order 3 make pulses of the bends, which a delay passes on: want order: 1"},
		{[]string{"compensator={kind: cats, order: 2}", two}, "want order: 1"},
		{[]string{"compensator.kind=pe", two}, "differences of order 3 make pulses"},
		{[]string{"compensator={kind: pe, order: 1}", two}, ""},
		{[]string{"compensator.kind=pe", "two_rate={main_step: 1}"}, ""},
		{[]string{"compensator.kind=kf", two}, ""},
		{[]string{"compensator.kind=adm-msmc", "inner_loop={kp: 2}"}, "adm-msmc closes the loop itself, on a model of the plant without inner_loop: want no inner_loop"},
		{[]string{"compensator.kind=adm-msmc", "compensator.theta0=[[1, 0, 0, 0]]", "compensator.p0=[[1]]"}, ""},
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
