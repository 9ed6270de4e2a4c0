package report

import (
	"math"
	"slices"
	"testing"

	"rths/result/record"
)

// The summary of a test names the fallback and the virtual damper: both may have moved the rig.
func TestFactsOfFallbackAndDamper(t *testing.T) {
	var a record.Archive
	a.Scenario = "fallback: {kind: kf, blend_s: 0.2}\npassivity: {max_damping: 3e4, threshold_j: 0.5}\n"
	got := facts(&a, newBlocks(&a))
	for _, want := range []fact{
		{"Fallback", "kf; blend 0.2 s"},
		{"Passivity", "a virtual damper on the numerical part, up to 30 kN·s/m, from 0.5 J on"},
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%v: want %v", got, want)
		}
	}
	a.Scenario = "passivity: {max_damping: 500}\n"
	if got := facts(&a, newBlocks(&a)); !slices.Contains(got,
		fact{"Passivity", "a virtual damper on the numerical part, up to 500 N·s/m"}) {
		t.Errorf("%v", got)
	}
}

// The summary of a run that loaded a rig in another process says so, and whether that was a virtual one.
func TestFactsOfARigElsewhere(t *testing.T) {
	var a record.Archive
	r := record.Rig{Virtual: true, Laboratory: "Bay 2", Address: "127.0.0.1:7400", Clock: "lockstep", Sent: 9, Received: 8,
		Repeated: 3, Old: 2, Bad: 1, Parted: true}
	a.Manifest.Rig = &r
	got := facts(&a, newBlocks(&a))
	want := fact{"Rig",
		"a virtual laboratory, Bay 2, at 127.0.0.1:7400, clock lockstep; 9 datagrams sent, 8 received, of them 3 repeated, " +
			"2 old, 1 bad"}
	if !slices.Contains(got, want) {
		t.Errorf("%v: want %v", got, want)
	}
	r.Virtual, r.Parted = false, false
	want.Text = "a laboratory, Bay 2, at 127.0.0.1:7400, clock lockstep; 9 datagrams sent, 8 received, of them 3 " +
		"repeated, 2 old, 1 bad; it did not answer the end of the session"
	if got := facts(&a, newBlocks(&a)); !slices.Contains(got, want) {
		t.Errorf("%v: want %v", got, want)
	}
}

// A reading that failed has no value and no limit, and the page prints no number for them.
func TestEventOfAFailedReading(t *testing.T) {
	var a record.Archive
	a.Events = []record.Event{{TimeS: 1, Channel: record.FailedReading, Value: record.Number(math.NaN()), Action: "hold"}}
	if got := events(&a); len(got) != 1 || got[0].Value != "failed" || got[0].Limit != "–" {
		t.Errorf("%+v: want failed, and no limit", got)
	}
}
