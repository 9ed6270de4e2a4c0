package verdict_test

import (
	"io/fs"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/method/criteria"
	"rths/scenario"
	"rths/scenario/verdict"
	"rths/scenarios"
)

// behindWire is a rig as a loop sees it over a network: nothing but readings and commands.
type behindWire struct{ rths.Rig }

const shortSine = "ground={kind: sine, frequency_hz: 2, amplitude_m_s2: 0.2, duration_s: 0.5}"

func parsed(t *testing.T, sets ...string) *scenario.Scenario {
	t.Helper()
	return rthstest.Must(scenario.Parse("small.yaml", []byte(rthstest.Small), ".", sets))
}

func run(t *testing.T, r *scenario.Run) {
	t.Helper()
	if err := r.Loop.Run(0, nil); err != nil {
		t.Fatal(err)
	}
}

// Two actuators, one of which stands still: the verdict names it. What it says of the other
// does not change.
func TestVerdictNamesTheActuator(t *testing.T) {
	text, err := fs.ReadFile(scenarios.Files, "benchmark-multiaxial.yaml")
	if err != nil {
		t.Fatal(err)
	}
	each := strings.Replace(string(text), "compensator: {kind: none}",
		"each: [{compensator: {kind: none}}, {compensator: {kind: fir, coefficients: [0]}}]", 1)
	s, err := scenario.Parse("x.yaml", []byte(each), ".",
		[]string{"loop=open", "ground={kind: sine, frequency_hz: 2, amplitude_m_s2: 0.3, duration_s: 4}"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Build(t.Context(), scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	run(t, r)
	got := strings.Join(append(verdict.Spoilt(r), verdict.WorseThanUncompensated(t.Context(), r)...), "\n")
	if !strings.Contains(got, "the specimen of actuator 2 stands still") || strings.Contains(got, "actuator 1 stands") {
		t.Errorf("verdict:\n%s\nwant that actuator 2 stands still", got)
	}
}

// On a rig elsewhere the measured J2 tells what the true one tells in a virtual run, and
// nothing is compared with a virtual run.
func TestVerdictOnARigElsewhere(t *testing.T) {
	s := parsed(t, "transfer={kind: delay, delay_ms: 60}", "compensator=", shortSine)
	lab, err := s.Laboratory(scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for what, o := range map[string]scenario.Options{"J2 without noise is ": {}, "J2 is ": {Rig: behindWire{lab.Rig}}} {
		r, err := s.Build(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		run(t, r)
		if got := verdict.Spoilt(r); len(got) != 1 || !strings.Contains(got[0], "does not follow the target: "+what) ||
			!strings.Contains(got[0], ", it lags by ") {
			t.Errorf("verdict %q: want one, with %q", got, what)
		}
	}
}

// The verdict of a run that did not complete, and of a loop whose instability is in its model, learnt, on a rig
// elsewhere and in an open loop.
func TestVerdictOfUnstableLoops(t *testing.T) {
	unstable := []string{"transfer={kind: delay, delay_ms: 60}", "compensator=", shortSine}
	for what, c := range map[string]struct {
		sets            []string
		elsewhere       bool
		status, verdict string
		says            string // of the growth; "": nothing
	}{
		"completed": {unstable, false, rths.Completed, criteria.Lost, "the loop is unstable: its spectral radius is 1."},
		"elsewhere": {unstable, true, rths.Completed, criteria.Lost, "the loop is unstable: its spectral radius is 1."},
		"diverged":  {unstable, false, rths.Diverged, criteria.Lost, "motion at "},
		"tripped":   {unstable, false, rths.Tripped, "", "motion at "},
		"failed":    {unstable, false, rths.Failed, "", ""},
		"open":      {append([]string{"loop=open"}, unstable...), false, rths.Completed, "", ""},
		"stable":    {[]string{"compensator.kind=amb", shortSine}, false, rths.Completed, criteria.Good, ""},
		"learnt": {[]string{"transfer={kind: delay, delay_ms: 60}",
			"compensator={kind: amb, a: [1, 0.2], gamma: [1e-9, 1e-9]}", shortSine}, false, rths.Completed, criteria.Lost,
			"unstable with what the compensator has learnt: "},
		"passivity": {append([]string{"passivity={max_damping: 1e5}"}, unstable...), false, rths.Completed, criteria.Lost,
			""},
	} {
		s := parsed(t, c.sets...)
		o := scenario.Options{}
		if c.elsewhere {
			o.Rig = behindWire{rthstest.Must(s.Laboratory(scenario.Options{})).Rig}
		}
		r := rthstest.Must(s.Build(t.Context(), o))
		run(t, r)
		if got, says := verdict.Of(t.Context(), r, c.status); got != c.verdict || !strings.Contains(says, c.says) ||
			(c.says == "") != (says == "") {
			t.Errorf("%s: %q, %q: want %q, %q", what, got, says, c.verdict, c.says)
		}
	}
}

// A run that fell back says when and why.
func TestVerdictNamesTheFall(t *testing.T) {
	r := rthstest.Must(parsed(t, "compensator={kind: kf}", "fallback={kind: amb}", shortSine,
		"faults=[{kind: lost-readings, from_s: 0.01, duration_s: 0.06}]").Build(t.Context(), scenario.Options{}))
	run(t, r)
	got := strings.Join(verdict.Spoilt(r), "\n")
	if !strings.Contains(got, "the compensator fell back to amb at t = 0.0") {
		t.Errorf("verdict\n%s\nwant that the compensator fell back", got)
	}
}
