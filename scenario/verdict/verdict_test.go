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

// Each thing that spoils a run has its sentence, and a sound run has none.
func TestSpoilt(t *testing.T) {
	const open, lag, ideal = "loop=open", "transfer={kind: delay, delay_ms: 10}", "transfer={kind: ideal}"
	for _, c := range []struct {
		sets []string
		want []string // beginnings, in order
	}{
		{[]string{open, ideal, "compensator={kind: none}"}, nil},
		{[]string{open, ideal, "compensator={kind: fir, coefficients: [0.04]}"},
			[]string{"the specimen stands still: its displacement is 4 %"}},
		{[]string{open, ideal, "compensator={kind: fir, coefficients: [0.06]}"}, nil},
		{[]string{open, ideal, "compensator={kind: pe, order: 2, tau_ms: 2.6}"},
			[]string{"the measured motion leads the target by 1.6"}},
		{[]string{open, ideal, "compensator={kind: pe, order: 2, tau_ms: 0.9}"}, nil},
		{[]string{open, ideal, "compensator={kind: pe, order: 2, tau_ms: 10}"},
			[]string{"the measured motion leads the target by more than two samples"}},
		{[]string{open, ideal, "compensator={kind: fir, coefficients: [3.1]}"}, []string{"the command runs away: up to "}},
		{[]string{open, ideal, "compensator={kind: fir, coefficients: [2.9]}"}, nil},
		{[]string{open, lag, "compensator={kind: amb, order: 1, a: [1, 0.004], upper: [1.1, 0.005]}"},
			[]string{"the parameter a1 ends at its bound: "}},
		{[]string{open, lag, "compensator={kind: amb, order: 1, a: [1.04, 0.004], lower: [1.02, 0], upper: [1.05, 0.005]}"},
			[]string{"the parameters a0, a1 end at their bounds: "}},
		{[]string{open, ideal, "compensator={kind: none}",
			"faults=[{kind: lost-readings, from_s: 0.1, duration_s: 0.009765625}]"},
			[]string{"10 of 513 readings were old: "}},
	} {
		r := rthstest.Must(parsed(t, append(c.sets, shortSine)...).Build(t.Context(), scenario.Options{}))
		run(t, r)
		got := verdict.Spoilt(r)
		for i, want := range c.want {
			if i >= len(got) || !strings.HasPrefix(got[i], want) {
				t.Errorf("%q: %q, want %q", c.sets, got, c.want)
				break
			}
		}
		if len(got) != len(c.want) {
			t.Errorf("%q: %q, want %d sentences", c.sets, got, len(c.want))
		}
	}
}

// Only a run above 5 % is compared, and only a compensator that is worse than none is named.
func TestWorseThanUncompensated(t *testing.T) {
	for _, c := range []struct{ compensator, want string }{
		{"{kind: none}", ""},
		{"{kind: fir, coefficients: [0.97]}", ""}, // 3 %
		{"{kind: fir, coefficients: [0.9]}", "tracking is worse than without compensation: J2 without noise is 10"},
		{"{kind: fir, coefficients: [1.3]}", "tracking is worse than without compensation: J2 without noise is 30"},
	} {
		r := rthstest.Must(parsed(t, "loop=open", "transfer={kind: ideal}", "compensator="+c.compensator, shortSine).Build(
			t.Context(), scenario.Options{}))
		run(t, r)
		got := strings.Join(verdict.WorseThanUncompensated(t.Context(), r), "\n")
		if !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: %q, want %q", c.compensator, got, c.want)
		}
	}
}

// A value at the end of its range meets it, and one beyond is named with the range.
func TestUnmet(t *testing.T) {
	r := rthstest.Must(parsed(t, "loop=open", "transfer={kind: ideal}", "compensator={kind: fir, coefficients: [0.9]}",
		shortSine,
		"expect={J2_true_pct: {max: 3, min: 1}, J3_true_pct: {min: 50}, J1_true_ms: {min: 0.9765625, max: 0.9765625}}").Build(
		t.Context(),
		scenario.Options{}))
	run(t, r)
	got := verdict.Unmet(r)
	if len(got) != 2 || !strings.HasPrefix(got[0], "J2_true_pct is 10.09: expected at least 1 and at most 3") ||
		!strings.HasPrefix(got[1], "J3_true_pct is 10.1: expected at least 50") {
		t.Errorf("%q: want J2 and J3, not J1", got)
	}
}
