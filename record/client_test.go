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
		{Client{Address: "a:1", Protocol: "udp", Steps: 4, Motions: 8, TimeS: 2, TimeScale: 1, Ended: true}, []string{"in another program, by udp at a:1", "4 to its time 2 s, 8 motions (2 in a step); the test took 1 times as long as the analysis's time", "it said farewell"}},
		{Client{Address: "a:1", Protocol: "udp"}, []string{"in another program, by udp at a:1", "0 to its time 0 s, 0 motions", clientEnds[Left]}},
		{Client{DOF: 2, Units: "N-m", PerTarget: 1, Path: "ramp", Motions: 1, End: Held}, []string{"; 2 degrees of freedom, units N-m", "1 motion of 1 sample (5 ms) each, path ramp", clientEnds[Held]}},
	} {
		var lines []string
		for _, l := range (&Manifest{RateHz: 200, Client: &c.client}).Analysis() {
			lines = append(lines, l.Text)
		}
		if len(lines) != 4 || !strings.HasSuffix(lines[0], c.want[0]) || !strings.HasSuffix(lines[1], c.want[1]) || lines[3] != c.want[2] {
			t.Errorf("%q: want %q", lines, c.want)
		}
	}
	if lines := (&Manifest{}).Analysis(); lines != nil {
		t.Errorf("%q of a run without an analysis", lines)
	}
}
