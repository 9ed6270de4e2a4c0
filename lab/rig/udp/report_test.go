package udp

import (
	"strings"
	"testing"

	"rths/lab/rig"
	"rths/lab/rig/wire"
)

// A session says what its limits and the faults of its network did.
func TestSessionReport(t *testing.T) {
	s := Session{
		Program: "rths 1", End: "bye", Counts: wire.Counts{Sent: 5, Received: 4, Clipped: 2}, Lost: [2]uint64{1, 2},
		Doubled: [2]uint64{0, 3},
		Events:  []rig.Event{{Channel: "force1", Value: 1.5, Limit: 1, Action: "hold"}},
	}
	r := s.Report()
	if r.Commands.Lost != 1 || r.Readings.Lost != 2 || r.Readings.Doubled != 3 || len(r.Limits) != 1 {
		t.Errorf("%+v: want 1 command and 2 readings lost, 3 doubled, and a limit", r)
	}
	text := r.String()
	for _, want := range []string{
		"(rths 1) has ended (bye)", "5 datagrams sent, 4 received", "; 2 commands clipped",
		"took 1 commands and 2 readings and doubled 0 and 3", "\n  force1 is 1.5, limit 1: ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nwant %q", text, want)
		}
	}
}
