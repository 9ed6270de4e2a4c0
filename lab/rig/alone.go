package rig

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"rths"
)

// StartAt begins at the measured position, within the stroke: the command stands there, and
// the first command that differs starts there. Limits warn and act afresh, and the ticks of
// the next run count from 0. StartAt wants a guard that is disarmed and does not move the command.
func (g *Guard) StartAt(r *rths.Reading) error {
	if err := g.latch.refusal(onStart); err != nil {
		return err
	}
	switch axes, forces := g.c.Axes, g.c.Forces; {
	case slices.ContainsFunc(g.mover.speed, func(v float64) bool { return v != 0 }):
		return errors.New("guard moves the command: want it at rest to start at the rig")
	case len(r.X) != axes || len(r.F) != forces:
		return fmt.Errorf("guard starts at a reading of %d displacements and %d forces: want %d and %d", len(r.X), len(r.F),
			axes, forces)
	}
	for _, list := range [][]float64{r.X, r.F} {
		for i, v := range list {
			if !rths.Finite(v) {
				return fmt.Errorf("guard starts at a reading whose value %d is %g: want finite numbers", i+1, v)
			}
		}
	}
	g.valid.start(r)
	g.watch.start(r)
	g.mover.k = 0
	g.take(onStart)
	g.mover.startAt(g.valid.last)
	return nil
}

var errNotStarted = errors.New(
	"guard does not know where the rig stands: want StartAt, or a StepAlone with a reading, before")

// Approach asks StepAlone to bring the command to a position (m), before the first command of
// the loop, from where the command stands and at the profile's velocity and acceleration. The
// position must be within the stroke and within the limits on the command that act. From now
// on limits act though the guard is disarmed, until StartAt or Reset.
func (g *Guard) Approach(goal []float64) error {
	if err := g.latch.refusal(onApproach); err != nil {
		return err
	}
	if len(goal) != g.c.Axes {
		return fmt.Errorf("guard approaches a position of %d axes: want %d", len(goal), g.c.Axes)
	}
	for i, x := range goal {
		if !rths.Finite(x) || g.mover.within(x) != x {
			return fmt.Errorf("guard approaches %g m on axis %d: want at most the stroke, %g m", x, i+1, g.mover.stroke)
		}
		if l := g.forbids(i, x); l != nil {
			return fmt.Errorf("guard approaches %g m on axis %d: want at most the limit of %s, %g m", x, i+1, l.name, l.trip)
		}
	}
	if !g.mover.placed {
		return errNotStarted
	}
	g.take(onApproach)
	copy(g.mover.goal, goal)
	return nil
}

// forbids is a limit on the command that would act at a position of an axis, or nil.
func (g *Guard) forbids(axis int, x float64) *limit {
	for _, l := range g.watch.onCommand {
		of := l.v == &g.watch.value.command || l.v == &g.watch.each[axis].command
		if of && l.action != Indicate && math.Abs(x) > l.trip {
			return l
		}
	}
	return nil
}

// Finish ends a sound run: StepAlone brings the command from where it stands, at rest, to the goal
// of the profile, without a trip and without an event. The guard is disarmed from now on: no
// command of the loop passes. Limits act until StartAt or Reset; what has warned in the run does
// not warn again before StartAt or Arm. Finish wants a guard that is running, or armed.
func (g *Guard) Finish() error {
	if err := g.latch.refusal(onFinish); err != nil {
		return err
	}
	if !g.mover.placed {
		return errNotStarted
	}
	g.take(onFinish)
	return nil
}

// StepAlone is one sample of the guard without a loop: before the first tick, after the last
// one, or while the loop is silent. StepAlone reads the rig into out, moves the command and
// writes. A reading that fails is repeated, and grows old; a Write that fails ends nothing.
//
// Disarmed or armed, the command goes to the position of Approach or Finish, by at most the
// profile's velocity. Running and tripped, the command stays. Holding and ramping, StepAlone does
// what Write does. done says that the command is where it shall be: nothing changes until
// something is asked for or a limit is crossed.
//
// The first finite reading is met, as by StartAt, if neither StartAt nor a command of the loop came
// before. Until then nothing is written.
//
// Limits of a guard that is armed, or that Approach or Finish has sent on its way, act on
// measured displacement, velocity, force and age, and on readings that fail or are not
// finite. Limits on the target's error and on channels of other parts need a loop. After the
// first tick every StepAlone counts as a tick.
func (g *Guard) StepAlone(out *rths.Reading) (done bool) {
	out.Age = 0 // a rig whose readings are always fresh does not set it
	if g.Read(out) != nil {
		g.repeatLast(out)
	}
	if !g.mover.placed && !g.valid.none() {
		g.mover.startAt(g.valid.last)
		if g.State() == Ramping {
			g.mover.goHome()
		}
	}
	switch g.State() {
	case Disarmed, Armed:
		done = g.mover.placed && g.mover.approach()
	case Running, Tripped:
		g.mover.keepSent()
		done = true
	default:
		g.advance()
		done = g.State() == Tripped
	}
	if g.mover.placed {
		_ = g.rig.Write(g.mover.sent)
	}
	g.watch.lateness(out)
	if g.watch.needsVelocity {
		g.watch.measureVelocity(out)
	}
	g.lookAt(g.watch.alone, out)
	if g.mover.k > 0 {
		g.mover.k++
	}
	acting := phaseFacts[g.latch.phase].acting
	return done && acting == Indicate
}
