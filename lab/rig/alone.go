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
	switch {
	case g.state != Disarmed:
		return fmt.Errorf("guard is %s: want it disarmed to start at the rig", g.state)
	case slices.ContainsFunc(g.speed, func(v float64) bool { return v != 0 }):
		return errors.New("guard moves the command: want it at rest to start at the rig")
	case len(r.X) != g.axes || len(r.F) != len(g.lastValid)-g.axes:
		return fmt.Errorf("guard starts at a reading of %d displacements and %d forces: want %d and %d", len(r.X), len(r.F), g.axes, len(g.lastValid)-g.axes)
	}
	for _, list := range [][]float64{r.X, r.F} {
		for i, v := range list {
			if !rths.Finite(v) {
				return fmt.Errorf("guard starts at a reading whose value %d is %g: want finite numbers", i+1, v)
			}
		}
	}
	copy(g.lastValid[copy(g.lastValid, r.X):], r.F)
	g.keepBefore()
	g.resetTolerance(r.Age)
	g.past.fill(r.X, r.Age)
	g.value.velocity = 0
	for i := range g.each {
		g.each[i].velocity = 0
	}
	g.k, g.readingAge, g.lateTicks, g.underway = 0, r.Age, 0, false
	g.open()
	g.startAtMeasured()
	return nil
}

// startAtMeasured begins at the last valid measured position, at rest.
func (g *Guard) startAtMeasured() {
	for i, x := range g.lastValid[:g.axes] {
		g.sent[i] = g.within(x)
	}
	copy(g.safe, g.sent)
	g.stopCommand()
	g.resetTrail()
	if g.state == Ramping {
		g.setSafeGoal()
	}
	g.started = true
}

var errNotStarted = errors.New("guard does not know where the rig stands: want StartAt, or a StepAlone with a reading, before")

// Approach asks StepAlone to bring the command to a position (m), before the first command of
// the loop, from where the command stands and at the profile's velocity and acceleration. The
// position must be within the stroke and within the limits on the command that act. From now
// on limits act though the guard is disarmed, until StartAt or Reset.
func (g *Guard) Approach(goal []float64) error {
	switch {
	case g.state != Disarmed && g.state != Armed:
		return fmt.Errorf("guard is %s: want it disarmed or armed to approach a position", g.state)
	case len(goal) != g.axes:
		return fmt.Errorf("guard approaches a position of %d axes: want %d", len(goal), g.axes)
	}
	for i, x := range goal {
		if !rths.Finite(x) || g.within(x) != x {
			return fmt.Errorf("guard approaches %g m on axis %d: want at most the stroke, %g m", x, i+1, g.stroke)
		}
		if l := g.forbids(i, x); l != nil {
			return fmt.Errorf("guard approaches %g m on axis %d: want at most the limit of %s, %g m", x, i+1, l.name, l.trip)
		}
	}
	if !g.started {
		return errNotStarted
	}
	copy(g.goal, goal)
	g.underway = true
	return nil
}

// forbids is a limit on the command that would act at a position of an axis, or nil.
func (g *Guard) forbids(axis int, x float64) *limit {
	for _, l := range g.onCommand {
		of := l.v == &g.value.command || l.v == &g.each[axis].command
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
	switch {
	case g.state != Running && g.state != Armed:
		return fmt.Errorf("guard is %s: want it running or armed to finish", g.state)
	case !g.started:
		return errNotStarted
	case g.state == Running:
		g.stopCommand()
	}
	g.catchingUp, g.underway = false, true
	g.setSafeGoal()
	g.set(Disarmed)
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
	if !g.started && g.tolerance >= 0 {
		g.startAtMeasured()
	}
	switch g.state {
	case Disarmed, Armed:
		done = g.started && g.approach()
	case Running, Tripped:
		g.keepSent()
		done = true
	default:
		g.advance()
		done = g.state == Tripped
	}
	if g.started {
		_ = g.rig.Write(g.sent)
	}
	g.lateness(out)
	if g.needsVelocity {
		g.measureVelocity(out)
	}
	g.lookAt(g.alone, out)
	if g.k > 0 {
		g.k++
	}
	return done && g.state != Holding && g.state != Ramping
}

// approach moves the command a sample nearer to its goal and says whether it is there.
func (g *Guard) approach() bool {
	there := g.profile.move(g.at, g.speed, g.goal)
	copy(g.sent, g.at)
	g.keepSent()
	return there
}
