package rig

import "rths"

// OwnClock is a rig that ticks by itself, as a servo controller with a clock of its own does: a
// reading starts a tick, and a command that is made from it comes too late for this tick. The
// rig takes it at its next tick: what is written at tick k acts from t_k+1 on. In the first
// tick the rig has the command it stands at. To the loop this is a sample of command delay
// that is not its own (rths.Timing.CommandDelay).
//
// Wrap the sensors and their Faults: inside Computed, Recovered and Guard. Every tick of the
// loop must make one Read and one Write.
type OwnClock struct {
	rig  rths.Rig
	lead int       // ticks left before the run
	next []float64 // acts from the next tick on
	now  []float64
}

// NewOwnClock wraps a rig. In lead ticks before the run the rig is brought to its start: it
// takes commands at once, and stands at the last of them when the run begins. Without such
// ticks the rig stands at zeros.
func NewOwnClock(r rths.Rig, axes, lead int) *OwnClock {
	return &OwnClock{rig: r, lead: lead, next: make([]float64, axes), now: make([]float64, axes)}
}

// Read reads the rig.
func (c *OwnClock) Read(out *rths.Reading) error { return c.rig.Read(out) }

// Write sends the command of the tick before.
func (c *OwnClock) Write(command []float64) error {
	if c.lead > 0 {
		c.lead--
		copy(c.next, command)
		return c.rig.Write(command)
	}
	copy(c.now, c.next)
	copy(c.next, command)
	return c.rig.Write(c.now)
}

// Unwrap is the rig inside.
func (c *OwnClock) Unwrap() any { return c.rig }

// VisitState visits the command that acts from the next tick on, then the rig's state. A run
// is saved after its beginning, when no ticks before it are left.
func (c *OwnClock) VisitState(v *rths.StateVisitor) {
	v.Floats(c.next)
	v.StateOf(c.rig)
}

var (
	_ rths.Rig      = (*OwnClock)(nil)
	_ rths.Stateful = (*OwnClock)(nil)
)
