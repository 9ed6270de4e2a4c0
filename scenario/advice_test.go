package scenario_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/scenario"
)

// msmc says before a run how late the measured motion will be, where that spoils the test.
func TestLagOfSlidingMode(t *testing.T) {
	motion := "ground={kind: clough-penzien, duration_s: 8, pga_g: 0.13, onset_s: 0.5, rise_s: 1.5, strong_s: 4, " +
		"decay_s: 2}"
	for _, c := range []struct {
		file string
		said bool
	}{{"benchmark-siso.yaml", true}, {"demo.yaml", true}, {"shake-table.yaml", false}} {
		s, err := scenario.Shipped(c.file, "compensator={kind: msmc}", motion)
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Build(t.Context(), scenario.Options{})
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(r.Warnings, "\n")
		_, rest, said := strings.Cut(text, "compensator: msmc leaves a lag of ")
		if said != c.said {
			t.Errorf("%s: warnings %q", c.file, text)
		}
		if !said {
			continue
		}
		var ms, pct, hz float64
		if _, err := fmt.Sscanf(rest, "%g ms, a tracking error of %g %% at the structure's %g Hz: want adm-msmc", &ms, &pct,
			&hz); err != nil {
			t.Fatalf("%s: %q: %v", c.file, text, err)
		}
		steps(t, r, nil)
		late, j2 := rthstest.Value(t, r.Summary(), "delay_true_ms"), rthstest.Value(t, r.Summary(), "J2_true_pct")
		t.Logf("%s: lag %g ms, found %.3g ms; error %g %%, J2 %.3g %%", c.file, ms, late, pct, j2)
		if math.Abs(ms-late) > 0.01*ms || math.Abs(pct-j2) > 0.05*pct { // slow motion; one frequency
			t.Errorf("%s: lag %g ms, found %.3g ms; error %g %%, J2 %.3g %%", c.file, ms, late, pct, j2)
		}
	}
}

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
		{[]string{"compensator.kind=kf-ning2020", "rate_hz=4096", "structure={kind: silva2020, case: 1}",
			"specimen.kind=silva2020", "transfer.kind=silva2020"}, ""},
		{[]string{"compensator.kind=ats", two}, ""},
		{[]string{"compensator={kind: ats, order: 2}", two},
			"differences of order 2 make pulses of the bends, which a delay passes on: want order: 1"},
		{[]string{"compensator.kind=cats", two}, ""},
		{[]string{"compensator.kind=adm", two}, ""},
		{[]string{"compensator={kind: adm, spacing: 1}", two},
			"differences of order 3 make pulses of the bends, which a delay passes on: want adm2"},
		{[]string{"compensator.kind=rodeac", two},
			"differences of order 3 make pulses of the bends, which a delay passes on: want adm"},
		{[]string{"compensator.kind=ats"}, ""},
		{[]string{"compensator={kind: amb, order: 3}", two},
			"differences of order 3 make pulses of the bends, which a delay passes on: want order: 1"},
		{[]string{"compensator={kind: cats, order: 2}", two}, "want order: 1"},
		{[]string{"compensator.kind=pe", two}, "differences of order 3 make pulses"},
		{[]string{"compensator={kind: pe, order: 1}", two}, ""},
		{[]string{"compensator.kind=pe", "two_rate={main_step: 1}"}, ""},
		{[]string{"compensator.kind=kf", two}, ""},
		{[]string{"compensator.kind=adm-msmc", "inner_loop={kp: 2}"},
			"adm-msmc closes the loop itself, on a model of the plant without inner_loop: want no inner_loop"},
		{[]string{"compensator.kind=adm-msmc", "compensator.theta0=[[1, 0, 0, 0]]", "compensator.p0=[[1]]"}, ""},
		{[]string{"compensator.kind=lqg"}, "want it in a chain with join: parallel"},
		{[]string{"compensator={kind: chain, join: parallel, of: [{kind: ats}, {kind: lqg}]}"}, ""},
		{[]string{"compensator={kind: chain, of: [{kind: ats, order: 2}]}", two},
			"differences of order 2 make pulses of the bends"},
	} {
		r, err := parsed(t, small, c.sets...).Build(t.Context(), scenario.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(r.Warnings, "\n")
		if said := strings.Contains(got, "compensator: "); said != (c.want != "") || !strings.Contains(got, c.want) {
			t.Errorf("%q: warnings %q, want %q", c.sets, got, c.want)
		}
	}
}

// Setting a compensator that closes the loop itself leaves the file's inner loop out, with a note; one that is set
// beside it stays, with a warning, and other methods keep the file's.
func TestOwnLoopLeavesTheInnerLoop(t *testing.T) {
	for _, c := range []struct {
		sets        []string
		inner, note bool
	}{
		{[]string{"compensator.kind=adm-msmc"}, false, true},
		{[]string{"compensator={kind: msmc}"}, false, true},
		{[]string{"compensator.kind=adm-msmc", "inner_loop.kp=2"}, true, false},
		{[]string{"compensator.kind=adm-msmc", "inner_loop={kp: 2, ki: 95}"}, true, false},
		{[]string{"compensator.kind=adm-msmc", "inner_loop="}, false, false},
		{[]string{"compensator.kind=ats"}, true, false},
		{nil, true, false},
	} {
		s, err := scenario.Shipped("benchmark-multiaxial.yaml", append(c.sets, "limits=none", "duration_s=1",
			"ground={kind: clough-penzien, duration_s: 1, pga_g: 0.1}")...)
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Build(t.Context(), scenario.Options{})
		if err != nil {
			t.Fatal(err)
		}
		note := strings.Contains(strings.Join(r.Notes, "\n"), "closes the loop itself, so the file's inner_loop is left out")
		if inner := s.Inner.Kp != 0; inner != c.inner || note != c.note {
			t.Errorf("%q: inner loop %v, note %v: want %v, %v", c.sets, inner, note, c.inner, c.note)
		}
	}
}
