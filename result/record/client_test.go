package record

import (
	"strings"
	"testing"
)

// Every end of an analysis has its words, and so has a manifest of an earlier version, which knows less.
func TestAnalysisEndings(t *testing.T) {
	for _, end := range []ClientEnd{Farewell, Gone, NotFinite, SecondMotion, Broken, Held, TimeUp, Left} {
		if clientEnds[end] == "" {
			t.Errorf("%s has no words", end)
		}
	}
	if len(clientEnds) != 8 {
		t.Errorf("%d ends: want 8", len(clientEnds))
	}
	for _, c := range []struct {
		client Client
		want   []string
	}{
		{Client{Address: "a:1", Protocol: "udp", DOF: 1, Units: "N-m", Steps: 4, Motions: 8, TimeS: 2, TimeScale: 1,
			End: Farewell}, []string{"in another program, by udp at a:1; 1 degree of freedom, units N-m",
			"4 to its time 2 s, 8 motions (2 in a step); the test took 1 times as long as the analysis's time",
			"it sent its last message"}},
		{Client{DOF: 2, Units: "kN-mm", End: Left}, []string{"; 2 degrees of freedom, units kN-mm",
			"0 to its time 0 s, 0 motions", clientEnds[Left]}},
		{Client{DOF: 2, Units: "N-m", PerTarget: 1, Path: "ramp", Motions: 1, End: Held},
			[]string{"; 2 degrees of freedom, units N-m", "1 motion of 1 sample (5 ms) each, path ramp", clientEnds[Held]}},
	} {
		var lines []string
		for _, l := range (&Manifest{RateHz: 200, Client: &c.client}).Analysis() {
			lines = append(lines, l.Text)
		}
		if len(lines) != 4 || !strings.HasSuffix(lines[0], c.want[0]) || !strings.HasSuffix(lines[1], c.want[1]) ||
			lines[3] != c.want[2] {
			t.Errorf("%q: want %q", lines, c.want)
		}
	}
	if got, want := (&Client{Steps: 1, Motions: 3, TimeS: 0.5}).pace(200),
		"1 to its time 0.5 s, 3 motions (3 in a step)"; got != want {
		t.Errorf("%q: want %q", got, want)
	}
	if lines := (&Manifest{}).Analysis(); lines != nil {
		t.Errorf("%q of a run without an analysis", lines)
	}
}

// What became of late targets, and of a path after its farewell, in words; times where the rate is known.
func TestAnalysisInTime(t *testing.T) {
	late := Client{Motions: 9, LateTargets: 2, LateSamples: 3, LongestWait: 40, Path: "cubic", Extrapolate: 5}
	ramp := Client{Motions: 9, LongestWait: 1, Path: "ramp", Extrapolate: 5}
	for want, got := range map[string]string{
		"2 of 9, which stretched the test by 3 samples (15 ms); the longest wait for a target was 40 samples (200 ms), and " +
			"the path goes on at full speed for 5 samples (25 ms)": late.lateness(&Manifest{RateHz: 200, Test: &Test{}}),
		"none of 9; the longest wait for a target was 1 sample": ramp.lateness(
			&Manifest{Test: &Test{}}),
		"none: a virtual run waits in its tick until the next target has come": late.lateness(&Manifest{RateHz: 200}),
		"it sent its last message; the path slowed down and stood for 2 samples (10 ms)": (&Client{End: Farewell,
			RestSamples: 2}).ending(200),
		clientEnds[TimeUp]: (&Client{End: TimeUp, RestSamples: 1, Ended: true}).ending(200),
	} {
		if got != want {
			t.Errorf("%q: want %q", got, want)
		}
	}
}

// Where the motion of a run took place.
func TestPlace(t *testing.T) {
	for _, c := range []struct {
		m    Manifest
		want string
	}{
		{Manifest{Scenario: "name: a\n"}, Virtual}, {Manifest{Scenario: JudgedFrom + "x.csv\n"}, ""},
		{Manifest{Scenario: JudgedFrom, Rig: &Rig{Laboratory: "L1"}}, "L1"},
		{Manifest{Rig: &Rig{Virtual: true, Laboratory: "L1"}}, Virtual}, {Manifest{Rig: &Rig{}}, "laboratory"},
		{Manifest{Rig: &Rig{Laboratory: "virtual"}}, "laboratory virtual"},
	} {
		if got := c.m.Place(); got != c.want {
			t.Errorf("rig %+v, %q: %q: want %q", c.m.Rig, c.m.Scenario, got, c.want)
		}
	}
}
