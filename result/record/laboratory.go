package record

import (
	"fmt"
	"slices"

	"rths"
	"rths/lab/realtime"
	"rths/method/stability"
)

// Test is what a test in the laboratory adds to the manifest of a run.
type Test struct {
	Steps     []Step     `json:"steps,omitempty"`     // what was done in the session, in order
	Checks    []Check    `json:"checks,omitempty"`    // before arming
	Rehearsal *Rehearsal `json:"rehearsal,omitempty"` // virtual run that allowed the test; nil: none was asked for

	// path of the ring in shared memory while the manifest says running; empty at the end
	Ring        string `json:"ring,omitempty"`
	FirstSample int    `json:"first_sample"` // number of the rig's reading at tick 0 of the run
	AroundRows  int    `json:"around_rows"`  // rows in AroundFile; set by the writer
	Held        int    `json:"held"`         // ticks held after the end that are not recorded

	LateTicks   int `json:"late_ticks"`   // of the whole session
	LongestLate int `json:"longest_late"` // most late ticks in a row
	// smallest round trip measured before arming, µs; 0: none was measured
	RoundTripUs Number `json:"round_trip_us,omitempty"`

	Realtime *Realtime `json:"realtime,omitempty"` // how the loop kept its instants; nil: the test ended before

	MainSteps *MainSteps `json:"main_steps,omitempty"` // of a numerical part in a process of its own; nil: it has none

	Moves []Move `json:"moves,omitempty"` // what a small move of each actuator has told before the run

	Cause string `json:"cause,omitempty"` // first cause of the end in words: who stopped the test

	Rest *Rest `json:"rest,omitempty"` // where the specimen was left; nil: the test has not ended

	ShiftX []float64 `json:"shift_m,omitempty"` // taken off the readings of displacement before the start, m
	ShiftF []float64 `json:"shift_N,omitempty"` // taken off the readings of force before the start, N
}

// Realtime is how the loop of a test kept its instants, and what the machine had granted for that.
type Realtime struct {
	Soft       bool             `json:"soft"` // the test was to go on where something was missing
	CPU        int              `json:"cpu"`  // of the thread of the loop; -1: any
	Grants     []realtime.Grant `json:"grants"`
	PageFaults int64            `json:"page_faults"` // of the thread of the loop, from arming to disarming; -1: not known
	Timing     realtime.Timing  `json:"timing"`
}

// MainSteps is how a numerical part in a process of its own kept its instants.
type MainSteps struct {
	PeriodUs float64 `json:"period_us"` // a main step
	Steps    int     `json:"steps"`     // main instants that wanted a result
	// of them, those at which a result was missing: the target went on predicted
	Late        int `json:"late"`
	LongestLate int `json:"longest_late"` // most of them in a row
	// from the reading of a main instant to its result; of results that came at once the longest
	Took realtime.Distribution `json:"took"`
}

// StepTime is the form of Step.At for time.Format: RFC 3339 with milliseconds.
const StepTime = "2006-01-02T15:04:05.000Z07:00"

// Step is one step of a session with the rig.
type Step struct {
	Name string `json:"name"`
	At   string `json:"at"` // StepTime
	Text string `json:"text,omitempty"`
}

// Check is a check before arming: a value and its limit, NaN where the check has no number.
type Check struct {
	Name    string `json:"name"`
	Value   Number `json:"value"`
	Compare string `json:"compare"` // how the value has to compare with the limit: =, ≤ or ≥
	Limit   Number `json:"limit"`
	Unit    string `json:"unit,omitempty"`
	Text    string `json:"text,omitempty"`
	OK      bool   `json:"ok"`
	Warn    bool   `json:"warning,omitempty"` // nobody knows that it holds
}

// Rest is where the specimen was left, as it was measured: means of the last half second, from the rig's own zero.
type Rest struct {
	AtRest  bool     `json:"at_rest"` // readings are fresh, displacements are at the command, and nothing changes any more
	X       []Number `json:"measured_m"`
	Command []Number `json:"command_m"` // that the specimen should stand at
	F       []Number `json:"force_N"`
	KnownS  Number   `json:"known_s"` // when the last fresh reading was taken, s after the start
	Text    string   `json:"text"`    // in words, with what a person must do where it is not at rest
}

// Move is what a small move of an actuator has told.
type Move struct {
	Gain Number `json:"gain"` // change of the measured displacement over change of the command
	// change of the force over change of the displacement, N/m; 0: no load cell of its own
	Stiffness Number `json:"stiffness_N_m"`
	// number of the displacement that moved instead, from 1, as where sensors stand in another order; 0: none
	Instead int `json:"moved_instead,omitempty"`
}

// InsteadText asks about a displacement that has moved instead of that of the actuator; "": none has.
func (m *Move) InsteadText() string {
	if m.Instead == 0 {
		return ""
	}
	return fmt.Sprintf("displacement %d moved instead: do sensors or commands stand in another order?", m.Instead)
}

// PartsAt of the rehearsal's largest displacement is how far a test may be from it before the two part.
const PartsAt = 0.1

// Rehearsal is the virtual run of the same scenario that came before the test.
type Rehearsal struct {
	Folder   string `json:"folder"`   // of its record
	Scenario string `json:"scenario"` // SHA-256 of the resolved scenario, hexadecimal
	Version  string `json:"version"`  // of the program that ran it

	// of each axis: what the test compares it with; empty: no load cell for each axis
	Specimen []stability.Rehearsed `json:"specimen,omitempty"`

	// The test beside it, over the ticks that both have.
	// rms of the difference of the measured displacements over rms of the rehearsal's, all actuators together
	DisplacementPct Number `json:"displacement_pct"`
	ForcePct        Number `json:"force_pct"` // the same of the measured forces
	// when a displacement first differs by more than a tenth of the rehearsal's largest, s; NaN: never
	PartedS        Number `json:"parted_s"`
	PeakM          Number `json:"peak_m"` // largest measured displacement
	RehearsedPeakM Number `json:"rehearsed_peak_m"`
	PeakN          Number `json:"peak_N"` // largest measured force
	RehearsedPeakN Number `json:"rehearsed_peak_N"`
}

// prepared has 0 in place of numbers that JSON cannot hold.
func (t Test) prepared() *Test {
	t.ShiftX, t.ShiftF = slices.Clone(t.ShiftX), slices.Clone(t.ShiftF)
	for _, list := range [][]float64{t.ShiftX, t.ShiftF} {
		for i, x := range list {
			if !rths.Finite(x) {
				list[i] = 0
			}
		}
	}
	return &t
}

// short leaves out the history of the session and its instants, cuts the cause, and keeps what a recovery needs.
func (t Test) short() *Test {
	t.Steps, t.Checks, t.Realtime = nil, nil, nil
	t.Cause = cut(t.Cause, longCause)
	return &t
}
