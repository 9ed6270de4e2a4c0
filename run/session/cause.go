package session

import (
	"errors"
	"fmt"

	"rths"
	"rths/lab/rig"
	"rths/scenario"
)

// cause is why a test is stopped from outside of its limits. The column asked of the record has its
// number in the tick in which it acts.
type cause int

// The causes.
const (
	nothing          cause = iota
	operatorStops          // Ctrl-C or SIGTERM of the supervisor
	operatorHolds          // Ctrl-C twice
	supervisorSilent       // killed, or stopped
	recordFull             // the disk is full, or the supervisor takes no rows
	loopTerminated         // SIGTERM of the loop
	causes
)

// kinds of causes: what tells the guard, what is done, how the test ends, and what the operator reads.
var kinds = [causes]struct {
	tells  rig.Cause
	action rig.Action
	status string
	words  string
}{
	operatorStops:    {rig.Operator, rig.Ramp, rths.Stopped, "the operator stopped the test"},
	operatorHolds:    {rig.OperatorTwice, rig.Stop, rths.Stopped, "the operator stopped the test at once"},
	supervisorSilent: {rig.SupervisorSilent, rig.Ramp, rths.Tripped, "the supervisor was silent"},
	recordFull:       {rig.RecordFailed, rig.Ramp, rths.Tripped, "the record could not be kept"},
	loopTerminated:   {rig.Terminated, rig.Ramp, rths.Stopped, "the process of the loop was told to end"},
}

// tripOf is the trip that a run has ended with, or nil.
func tripOf(r *scenario.Run, err error) *rig.TripError {
	if err == nil && r.Guard != nil {
		err = r.Guard.Unfinished()
	}
	var t *rig.TripError
	if !errors.As(err, &t) {
		return nil
	}
	return t
}

// outside says in words what stopped a test, where this came from outside of its limits.
func outside(t *rig.TripError, status, reason string) (string, string) {
	for _, k := range kinds[1:] {
		if t.Cause.Channel == k.tells.String() {
			return k.status, fmt.Sprintf("%s at t = %.4f s: %s at t = %.4f s", k.words, t.Cause.T, t.End, t.T)
		}
	}
	return status, reason
}

// who says what a trip was caused by; empty without one.
func who(t *rig.TripError) string {
	switch {
	case t == nil:
		return ""
	case t.Reading != nil:
		return fmt.Sprintf("rig: %v", t.Reading)
	case t.Why != nil:
		return fmt.Sprintf("loop: %v", t.Why)
	}
	for _, k := range kinds[1:] {
		if t.Cause.Channel == k.tells.String() {
			return "supervisor: " + k.words
		}
	}
	switch c := &t.Cause; {
	case c.Channel == "age", t.Silent():
		return "rig: " + t.What()
	case c.Channel == "late_ticks":
		return fmt.Sprintf("loop or link: %g ticks in a row had an old reading or a command that was too late, limit %g",
			c.Value, c.Limit)
	case c.Channel == "late":
		return fmt.Sprintf("loop or link: %g of the last ticks had an old reading or a command that was too late, limit %g",
			c.Value, c.Limit)
	}
	return "guard: " + t.What()
}
