package record_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"rths"
	"rths/result/record"
)

// Quick runs show digits of the time that they took, and lost ones no time.
func TestTook(t *testing.T) {
	for want, wall := range map[string]float64{
		"": 0, "0.31 ms, 6452 times real time": 3.1e-4, "0.004 s, 500 times real time": 4e-3,
		"4.000 s, 0.50 times real time": 4,
	} {
		m := record.Manifest{WallS: wall, RealtimeFactor: 2 / wall}
		if got := m.Took(); got != want {
			t.Errorf("%g s: %q: want %q", wall, got, want)
		}
	}
}

// A test that tripped prints its rig, its rehearsal, its event and a note on its criteria, in this order.
func TestPrint(t *testing.T) {
	m := record.Manifest{
		Name: "frame", Status: rths.Tripped, Reason: "tripped by the force", SimulatedS: 2, Samples: 8,
		Warnings: []string{"a wide limit"},
		Rig:      &record.Rig{Laboratory: "lab", Address: "host:1", Clock: "rig", Sent: 3, Received: 2},
		Test: &record.Test{Cause: "force", Rehearsal: &record.Rehearsal{Folder: "before",
			PartedS: record.Number(math.NaN())}},
		Events:   []record.Event{{TimeS: 1, Channel: "force1", Value: 2, Action: "hold"}},
		Criteria: record.Values{{Name: "J2_pct", V: 1.5, Doc: "tracking"}},
	}
	var out bytes.Buffer
	m.Print(&out)
	text := out.String()
	for _, want := range []string{
		"frame: tripped, by the force\n2.00 s simulated\n\n",
		"the rig \"lab\" at host:1, clock rig: 3 datagrams sent, 2 received",
		"first cause: force\n", "against the rehearsal before", "they differ by at most", "warning: a wide limit\n\n",
		"1.0000 s  force1  2    hold\n\n", "criteria are of the whole run", "J2_pct  1.50  tracking\n\n",
	} {
		_, after, found := strings.Cut(text, want)
		if !found {
			t.Fatalf("%q is missing, or comes too early, in\n%s", want, &out)
		}
		text = after
	}
}
