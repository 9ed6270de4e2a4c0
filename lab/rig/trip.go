package rig

import (
	"cmp"
	"fmt"
)

// Event is a limit that was crossed. Every limit makes at most one for its
// warning level and one for its action.
type Event struct {
	K       int
	T       float64 // s
	Age     int     // of the reading, samples
	Silent  int     // samples for which no new reading had come; of channels that this cannot move, 0
	Fresh   float64 // where the reading is old: error or command at the last fresh one, m; of other channels 0
	Channel string
	Value   float64
	Limit   float64
	Action  string    // "warn", "clip" or the action of the limit
	Values  []float64 // of all channels of Guard.Watched at that instant
}

// TripError ends a run whose guard acted.
type TripError struct {
	Cause   Event // the first
	Reading error // error of the failed reading that was the cause; nil for other causes
	Why     error // why the integrator failed, where that was the cause; nil for other causes
	Apart   Apart // the action began elsewhere than at the reading; zero: it did not
	T       float64
	RateHz  float64
	End     string // how the action ended
}

// Apart is a reading where no command had been, and the command at which an action began instead.
type Apart struct {
	Axis             int     // from 1; 0: readings and commands agreed
	Reading, Command float64 // m
}

// SinceS is the instant of the last reading before the cause, s.
func (e *TripError) SinceS() float64 { return e.Cause.T - float64(e.Cause.Age)/e.RateHz }

// Silent reports whether the readings had stopped before the cause: the limit was far away at the last fresh one, and
// was crossed by a loop that had no new ones.
func (e *TripError) Silent() bool {
	c := &e.Cause
	if c.Channel == "late_ticks" { // of them, most without a reading
		return float64(c.Silent) > c.Value/2
	}
	return c.Silent >= silentAge && c.Fresh < c.Limit/2
}

// silentAge is the number of samples from which on no single lost reading explains what a limit sees.
const silentAge = 2

// since says from when on there was no reading. Before the first tick there is no time.
func (e *TripError) since() string {
	if e.Cause.K == 0 {
		return fmt.Sprintf("no reading for %d samples", e.Cause.Age)
	}
	return fmt.Sprintf("no reading since t = %.4f s", e.SinceS())
}

// What says what was crossed, and since when no reading had come where this is why.
func (e *TripError) What() string {
	c := &e.Cause
	switch {
	case e.Cause.Channel == "axis_force_N" && e.Reading != nil:
		return fmt.Sprintf("the control of a force ended (%v)", e.Reading)
	case e.Reading != nil:
		return fmt.Sprintf("the reading failed (%v)", e.Reading)
	case e.Why != nil:
		return fmt.Sprintf("the integrator failed (%v)", e.Why)
	case c.Channel == "age":
		return fmt.Sprintf("%s (age is %.5g, limit %.5g)", e.since(), c.Value, c.Limit)
	case e.Silent():
		return fmt.Sprintf("%s, then %s is %.5g, limit %.5g", e.since(), c.Channel, c.Value, c.Limit)
	}
	return fmt.Sprintf("%s is %.5g, limit %.5g", c.Channel, c.Value, c.Limit)
}

// Error says time, limit and action.
func (e *TripError) Error() string {
	text := fmt.Sprintf("tripped at t = %.4f s: %s: %s at t = %.4f s", e.Cause.T, e.What(), e.End, e.T)
	if e.Apart.Axis > 0 {
		text += "; " + e.Apart.String()
	}
	return text
}

// String says where the action began, and why there.
func (a Apart) String() string {
	return fmt.Sprintf(
		"actuator %d was measured at %.4g mm, where none of the last commands had been: the action began at the nearest of "+
			"them, %.4g mm",
		a.Axis, 1e3*a.Reading, 1e3*a.Command)
}

// Unwrap returns the error of the failed reading or integrator, or nil.
func (e *TripError) Unwrap() error { return cmp.Or(e.Reading, e.Why) }
