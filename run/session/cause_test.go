package session

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/lab/rig"
	"rths/scenario"
)

// A trip has one first cause: a reading that failed, the loop itself, somebody outside, readings that had stopped, a
// loop that was late, or else the limit that was crossed.
func TestWho(t *testing.T) {
	for _, c := range []struct {
		trip *rig.TripError
		want string
	}{
		{nil, ""},
		{&rig.TripError{Reading: errors.New("it is silent"), Cause: rig.Event{Channel: "reading"}}, "rig: it is silent"},
		{&rig.TripError{Why: errors.New("no convergence"), Cause: rig.Event{Channel: "integrator"}}, "loop: no convergence"},
		{&rig.TripError{Cause: rig.Event{Channel: "operator"}}, "supervisor: the operator stopped the test"},
		{&rig.TripError{Cause: rig.Event{Channel: "operator_twice"}}, "supervisor: the operator stopped the test at once"},
		{&rig.TripError{Cause: rig.Event{Channel: "supervisor_silent"}}, "supervisor: the supervisor was silent"},
		{&rig.TripError{Cause: rig.Event{Channel: "record"}}, "supervisor: the record could not be kept"},
		{&rig.TripError{Cause: rig.Event{Channel: "terminated"}}, "supervisor: the process of the loop was told to end"},
		{&rig.TripError{RateHz: 100, Cause: rig.Event{K: 100, Channel: "age", T: 1, Value: 5, Limit: 4, Age: 5}},
			"rig: no reading since t = 0.9500 s (age is 5, limit 4)"},
		{&rig.TripError{RateHz: 100, Cause: rig.Event{K: 100, Channel: "error_m", T: 1, Value: 5, Limit: 4, Age: 2,
			Silent: 2}}, "rig: no reading since t = 0.9800 s, then error_m is 5, limit 4"},
		{&rig.TripError{RateHz: 100, Cause: rig.Event{Channel: "error_m", T: 1, Value: 5, Limit: 4, Age: 1, Silent: 1}},
			"guard: error_m is 5, limit 4"},
		{&rig.TripError{RateHz: 100, Cause: rig.Event{Channel: "error_m", Value: 5, Limit: 4, Age: 9, Silent: 9, Fresh: 3}},
			"guard: error_m is 5, limit 4"},
		{&rig.TripError{RateHz: 100, Cause: rig.Event{K: 100, Channel: "late_ticks", T: 1, Value: 8, Limit: 7, Age: 7,
			Silent: 7}}, "rig: no reading since t = 0.9300 s, then late_ticks is 8, limit 7"},
		{&rig.TripError{RateHz: 100, Cause: rig.Event{Channel: "late_ticks", Value: 8, Limit: 7, Age: 3}},
			"loop or link: 8 ticks in a row had an old reading or a command that was too late, limit 7"},
		{&rig.TripError{RateHz: 100, Cause: rig.Event{Channel: "late", Value: 61, Limit: 60}},
			"loop or link: 61 of the last ticks had an old reading or a command that was too late, limit 60"},
	} {
		if got := who(c.trip); got != c.want {
			t.Errorf("%q: want %q", got, c.want)
		}
	}
}

// What is asked for from outside ends the run by its action, once, and the manifest says who asked.
func TestAskedFromOutside(t *testing.T) {
	for why, of := range map[cause]struct {
		status, words string
		state         rig.State // in the tick in which it acts
	}{
		operatorStops:    {rths.Stopped, "the operator stopped the test", rig.Ramping},
		operatorHolds:    {rths.Stopped, "the operator stopped the test at once", rig.Tripped},
		supervisorSilent: {rths.Tripped, "the supervisor was silent", rig.Ramping},
		recordFull:       {rths.Tripped, "the record could not be kept", rig.Ramping},
		loopTerminated:   {rths.Stopped, "the process of the loop was told to end", rig.Ramping},
	} {
		var acted rig.State
		n := 0
		asks := &liar{reads: func(c *course, _ *rths.Reading) error {
			switch ran(c) {
			case 50:
				c.ask(why)
				c.ask(loopTerminated) // too late: one at a time
			case 52:
				acted = c.guard.State()
				c.ask(why) // once
			}
			if c.pending != nothing {
				n++
			}
			return nil
		}}
		m, c := drill(t, asks)
		want := fmt.Sprintf("%s at t = ", of.words)
		if m.Status != of.status || m.Reason[:min(len(want), len(m.Reason))] != want ||
			m.Test.Cause != "supervisor: "+of.words {
			t.Errorf("cause %d: %s, %s, cause %q: want %s, %s", why, m.Status, m.Reason, m.Test.Cause, of.status, of.words)
		}
		if acted != of.state || n != 1 || ran(c) < 51 {
			t.Errorf("cause %d: guard %s two ticks later, asked in %d ticks: want %s, 1", why, acted, n, of.state)
		}
	}
}

// A manifest of a trip that nobody asked for keeps the words of the guard.
func TestOutsideLeavesLimits(t *testing.T) {
	trip := &rig.TripError{Cause: rig.Event{Channel: "force_N"}}
	if status, reason := outside(trip, "a", "b"); status != "a" || reason != "b" {
		t.Errorf("%s, %s", status, reason)
	}
}

// reactions of the small test with sets.
func reactions(t *testing.T, sets ...string) map[string]string {
	t.Helper()
	s := rthstest.Must(scenario.Parse("small", []byte(small), ".", sets))
	out := map[string]string{}
	for _, r := range Reactions(rthstest.Must(s.Build(t.Context(), scenario.Options{Rehearsed: true}))) {
		if _, twice := out[r.Fault]; twice {
			t.Errorf("%s stands twice", r.Fault)
		}
		out[r.Fault] = r.Then
	}
	return out
}

// The table of faults says what the configuration of guard, link and causes will do.
func TestReactions(t *testing.T) {
	common := map[string]string{
		"rig that says its watchdog or a limit acted": "no more commands of the loop; hold",
		"Ctrl-C":                     "ramp",
		"implausible_pct above 100":  "indicate",
		"Ctrl-C twice":               "stop",
		"record that cannot be kept": "ramp",
		"SIGTERM to the loop":        "ramp",
		"at the end":                 "fails unless the specimen is measured at rest for 500 ms",
		"reading not a number, out of reach, or refused by the rig": "hold",
		"loop that diverges: target, reading or command beyond 1 m": "hold",
		"command beyond 100 mm or 500 mm/s":                         "clipped there",
	}
	limits := map[string]string{"command_m above 0.1": "ramp", "command_rate_m_s above 30": "ramp",
		"measured_m above 0.1": "ramp", "error_m above 0.05": "ramp"}
	old := "hold after 78.1 ms (20 samples), ramp after 234 ms (60 samples)"
	own := map[string]string{
		"rig silent":                          old + "; watchdog of the rig after 1.5 s",
		"loop too slow, or each reading late": old,
		"single readings lost": "ramp when more than 60 of the last 200 ticks are late; the first sentence " +
			"says it where it is more than 1 %",
		"supervisor silent for 500 ms": "ramp",
		"loop dead or stopped":         "watchdog of the rig after 1.5 s",
	}
	ends := map[string]string{"hold": "for 1 s, then the run ends",
		"ramp": "to zero at 20 mm/s and 500 mm/s², within 30 s; then the run ends"}
	for name, c := range map[string]struct {
		sets []string
		want []map[string]string
	}{
		"own clock": {nil, []map[string]string{common, limits, own, ends}},
		"lockstep": {[]string{"rig={kind: udp, clock: lockstep, watchdog_ms: 2500, supervisor_silent_s: 3}"},
			[]map[string]string{common, limits, ends, {
				"rig silent": "the command again every 1 s, 5 times in all, then hold; watchdog of the rig " +
					"after 2.5 s",
				"single readings lost":      "the first sentence says it where it is more than 1 %",
				"supervisor silent for 3 s": "ramp",
				"loop dead or stopped":      "watchdog of the rig after 2.5 s",
			}}},
		"two processes, a limit that warns": {
			append([]string{"limits=[{channel: force_N, warn: 50, trip: 100, action: hold}]",
				"on_trip={hold_s: 0.25, velocity_m_s: 0.01, acceleration_m_s2: 0.2}"}, separate...),
			[]map[string]string{common, own, {
				"numerical part late by more than 4 main steps, or dead": "hold",
				"force_N above 100": "warning at 50, hold",
				"hold":              "for 250 ms, then the run ends",
				"ramp":              "to zero at 10 mm/s and 200 mm/s², within 30 s; then the run ends",
			}},
		},
	} {
		want := map[string]string{}
		for _, part := range c.want {
			maps.Copy(want, part)
		}
		if got := reactions(t, c.sets...); !maps.Equal(got, want) {
			t.Errorf("%s:\n%q\nwant\n%q", name, got, want)
		}
	}
}

// A virtual run has the reactions of its guard alone, and none without one.
func TestReactionsWithoutRig(t *testing.T) {
	virtual := strings.Join(slices.DeleteFunc(strings.Split(small, "\n"),
		func(line string) bool { return strings.HasPrefix(line, "rig:") }), "\n")
	for limits, want := range map[string]string{
		"": "reading not a number, out of reach, or refused by the rig", "limits: none": "",
	} {
		s := rthstest.Must(scenario.Parse("virtual", []byte(virtual+limits+"\n"), ".", nil))
		list := Reactions(rthstest.Must(s.Build(t.Context(), scenario.Options{})))
		if (want == "") != (len(list) == 0) || want != "" && list[0].Fault != want {
			t.Errorf("%q: %v: want %q first", limits, list, want)
		}
	}
}

// Every policy on old readings that acts is said, down to a single sample, and no other.
func TestWhenOld(t *testing.T) {
	for _, c := range []struct {
		hold, ramp int
		want       string
	}{{0, 0, "nothing"}, {1, 0, "hold after 4 ms (1 samples)"}, {0, 500, "ramp after 2 s (500 samples)"},
		{1, 2, "hold after 4 ms (1 samples), ramp after 8 ms (2 samples)"}} {
		of := rig.GuardConfig{RateHz: 250}
		of.Late.HoldAfter, of.Late.RampAfter = c.hold, c.ramp
		if got := whenOld(&of); got != c.want {
			t.Errorf("hold after %d, ramp after %d: %q: want %q", c.hold, c.ramp, got, c.want)
		}
	}
}

// Times in words change from ms to s at 1 s.
func TestSeconds(t *testing.T) {
	for s, want := range map[float64]string{0.0005: "0.5 ms", 0.25: "250 ms", 0.75: "750 ms", 1: "1 s", 1.5: "1.5 s",
		60: "60 s"} {
		if got := seconds(s); got != want {
			t.Errorf("%g s: %q: want %q", s, got, want)
		}
	}
}

// Commands are clipped to what is known of an actuator.
func TestClips(t *testing.T) {
	for _, c := range []struct {
		stroke, rate float64
		want         string
	}{{0, 0, ""}, {0.05, 0, "50 mm"}, {0, 0.2, "200 mm/s"}, {0.05, 0.2, "50 mm or 200 mm/s"}} {
		if got := clips(&rig.GuardConfig{Stroke: c.stroke, Rate: c.rate}); got != c.want {
			t.Errorf("stroke %g, rate %g: %q: want %q", c.stroke, c.rate, got, c.want)
		}
	}
	if got := whenOld(&rig.GuardConfig{RateHz: 100}); got != "nothing" {
		t.Errorf("without a policy: %q", got)
	}
}

// separate is the block of a test whose numerical part has a process of its own.
var separate = []string{"timing.target=next", "integrator={kind: gui, lambda: 3}",
	"two_rate={main_step: 4, predictor: {kind: poly3}, process: own, late: 4}"}
