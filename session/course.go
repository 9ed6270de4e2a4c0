package session

import (
	"errors"

	"rths"
	"rths/rig"
	"rths/scenario"
)

// course takes the loop of a test from the measured position to rest, one tick with every call:
//
//	met       the guard begins at the measured position
//	approach  it brings the command to the first one of the run
//	running   the loop runs, until its last sample or the end of a limit's action
//	after     the guard goes to the end of hold or ramp, or down from a sound run
//	ended     it holds
//
// The same course serves the test and its replay. It has no clock.
type course struct {
	run     *scenario.Run
	guard   *rig.Guard
	tape    *tape
	phase   phase
	row     func() // writes the row of a tick
	err     error  // of the run's last step; nil: none
	held    int    // ticks after the end
	pending cause  // acts in the next tick
	acted   [causes]bool
}

func newCourse(r *scenario.Run, t *tape, row func()) (*course, error) {
	if r.Guard == nil {
		return nil, errors.New("limits: none: want limits for a test in the laboratory, as nothing else of the loop stops it")
	}
	c := &course{run: r, guard: r.Guard, tape: t, row: row}
	r.Loop.Attach(rower{c})
	return c, nil
}

// rower is the observer that writes the rows of the run.
type rower struct{ c *course }

func (r rower) Observe(*rths.Frame) { r.c.row() }

// UsesRates: velocities and accelerations of the numerical part are recorded.
func (rower) UsesRates() {}

// begin makes the guard stand where the rig was measured. With to the command goes from there to the
// first command of the run, without a jump; without, it stands at the first command already.
func (c *course) begin(at *rths.Reading, first []float64, to bool) error {
	frame := c.frame()
	c.tape.take(at)
	c.tape.give(&frame.Read)
	copy(frame.Command, first)
	stand := rths.NewReading(len(frame.Read.X), len(frame.Read.F))
	copy(stand.X, first)
	if to {
		copy(stand.X, frame.Read.X)
	}
	copy(stand.F, frame.Read.F)
	if err := c.guard.Meet(&stand); err != nil {
		return err
	}
	c.values()[atReading] = -1
	c.row()
	if !to {
		c.set(running)
		return c.guard.Arm()
	}
	c.set(approach)
	return c.guard.Approach(first)
}

func (c *course) frame() *rths.Frame { return c.run.Loop.Frame() }

func (c *course) values() *[channels]float64 { return &c.tape.values }

func (c *course) set(p phase) {
	c.phase = p
	c.values()[atPhase] = float64(p)
}

// ask has a cause from outside act in the next tick, once; the first of several.
func (c *course) ask(why cause) {
	if why == nothing || c.acted[why] || c.pending != nothing || c.phase == ended {
		return
	}
	c.acted[why], c.pending = true, why
}

// tick is one tick of the test.
func (c *course) tick() {
	c.values()[atAsked] = float64(c.pending)
	if k := kinds[c.pending]; c.pending != nothing {
		c.guard.Trip(k.channel, 1, 0, k.action)
		c.pending = nothing
	}
	switch c.phase {
	case approach:
		c.bring()
	case running:
		c.step()
	case after:
		if c.tend() {
			c.set(ended)
		}
	case ended:
		c.guard.Tend(&c.frame().Read)
		c.held++
	}
}

// bring moves the command a sample nearer to the first one of the run.
func (c *course) bring() {
	there := c.tend()
	switch {
	case c.guard.State() == rig.Tripped:
		c.set(ended)
	case there && c.guard.State() == rig.Disarmed:
		c.err = c.guard.Arm()
		c.set(running)
	}
}

// step is a tick of the run. A run that has ended well goes down to rest.
func (c *course) step() {
	l := c.run.Loop
	c.err = l.Step()
	switch {
	case c.guard.State() == rig.Tripped:
		c.set(ended)
	case c.err == nil && !l.Done():
	case c.guard.State() == rig.Running:
		_ = c.guard.Retire() // of a running guard that knows where it stands: does not fail
		c.set(after)
	default: // a limit acts on
		c.set(after)
	}
}

// tend is a tick of the guard without the loop.
func (c *course) tend() (done bool) {
	f := c.frame()
	done = c.guard.Tend(&f.Read)
	f.T = (c.values()[atReading]) / c.run.Scenario.RateHz
	c.row()
	return done
}
