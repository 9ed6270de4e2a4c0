package scenario

import (
	"math"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
)

// Faults of one of two actuators: its displacement reaches the recovered forces and
// the other's does not change in that tick, its command stays away while the other's
// arrives, and messages of readings are lost for both. A tick allocates nothing.
func TestFaultsOfSeveralActuators(t *testing.T) {
	plain := mustBuild(t)
	faulty := mustBuild(t,
		`faults=[{kind: spike, channel: measured_2_m, from_s: 0.1, size: 1e-3}, {kind: lost-commands, channel: `+
			`command_1_m, from_s: 0.2, duration_s: 0.1},
		{kind: lost-readings, from_s: 0.4, duration_s: 0.1}]`)
	spike, lost, silent := 102, 205, 410 // ticks of 1024 Hz
	arrived := map[string]*float64{}
	for _, c := range faulty.Channels {
		arrived[c.Name] = c.V
	}
	var before rths.Reading
	for k := range 512 {
		for _, r := range []*Run{plain, faulty} {
			if err := r.Loop.Step(); err != nil {
				t.Fatal(err)
			}
		}
		a, b := plain.Loop.Frame(), faulty.Loop.Frame()
		switch {
		case k < spike && (a.Read.X[1] != b.Read.X[1] || a.Command[0] != b.Command[0]):
			t.Fatalf("tick %d, before any fault: %v, without %v", k, b.Read, a.Read)
		case k == spike && (a.Read.X[0] != b.Read.X[0] || math.Abs(b.Read.X[1]-a.Read.X[1]-1e-3) > 1e-15 ||
			b.Read.F[0] == a.Read.F[0] || b.Read.TrueF[0] != a.Read.TrueF[0]):
			t.Fatalf("tick of the spike: %v, without %v", b.Read, a.Read)
		case *arrived["arrived_2_m"] != b.Command[1]:
			t.Fatalf("tick %d: actuator 2 has %g m, sent %g", k, *arrived["arrived_2_m"], b.Command[1])
		case k >= lost && k < 307 && *arrived["arrived_1_m"] == b.Command[0]:
			t.Fatalf("tick %d: the command of actuator 1 arrives", k)
		case k >= silent && (b.Read.Age != k-silent+1 || b.Read.X[0] != before.X[0] || b.Read.X[1] != before.X[1]):
			t.Fatalf("tick %d: age %d, %v: want %d and %v", k, b.Read.Age, b.Read.X, k-silent+1, before.X)
		case k < silent:
			before = rths.Reading{Motion: rths.Motion{X: append([]float64(nil), b.Read.X...)}}
		}
	}
	rthstest.NoAllocation(t, func() { _ = faulty.Loop.Step() })
}

// Names of several actuators, and forces that no load cell measures.
func TestWrongFaultsOfSeveralActuators(t *testing.T) {
	for fault, want := range map[string]string{
		"{kind: stuck, channel: measured_m}": `channel "measured_m": no sensor measures ` +
			`it: want measured_1_m or measured_2_m`,
		"{kind: stuck, channel: force_1_N}": `channel "force_1_N": there is no load cell, ` +
			`the force follows from the measured displacement: want measured_1_m or measured_2_m`,
		"{kind: late-commands, channel: command_3_m, delay_ms: 5}": `there is no such command: want command_1_m ` +
			`or command_2_m, or none for all`,
		"{kind: lost-commands}, {kind: lost-commands, channel: command_2_m}": "meets entry 1 of the same kind on commands",
	} {
		s, err := parseMultiAxial(t, "faults=["+fault+"]")
		if err == nil {
			_, err = s.Build(t.Context(), Options{})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v: want %q", fault, err, want)
		}
	}
}
