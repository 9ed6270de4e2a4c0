package rig

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"rths"
)

// Meet begins at the measured position, within the stroke: the command stands there, and
// the first command that differs starts there. Limits warn and act afresh, and the ticks of
// the next run count from 0. Meet wants a guard that is disarmed and does not move the command.
func (g *Guard) Meet(r *rths.Reading) error {
	switch {
	case g.state != Disarmed:
		return fmt.Errorf("guard is %s: want it disarmed to meet the rig", g.state)
	case slices.ContainsFunc(g.speed, func(v float64) bool { return v != 0 }):
		return errors.New("guard moves the command: want it at rest to meet the rig")
	case len(r.X) != g.axes || len(r.F) != len(g.sound)-g.axes:
		return fmt.Errorf("guard meets a reading of %d displacements and %d forces: want %d and %d", len(r.X), len(r.F), g.axes, len(g.sound)-g.axes)
	}
	for _, list := range [][]float64{r.X, r.F} {
		for i, v := range list {
			if !rths.Finite(v) {
				return fmt.Errorf("guard meets a reading whose value %d is %g: want finite numbers", i+1, v)
			}
		}
	}
	copy(g.sound[copy(g.sound, r.X):], r.F)
	g.recall()
	g.trusted(r.Age)
	g.past.fill(r.X, r.Age)
	g.value.velocity = 0
	for i := range g.each {
		g.each[i].velocity = 0
	}
	g.k, g.stale, g.lates, g.underway = 0, r.Age, 0, false
	g.open()
	g.stay()
	return nil
}

// stay begins at the last valid measured position, at rest.
func (g *Guard) stay() {
	for i, x := range g.sound[:g.axes] {
		g.sent[i] = g.within(x)
	}
	copy(g.safe, g.sent)
	g.stand()
	g.anew()
	if g.state == Ramping {
		g.home()
	}
	g.met = true
}

var errUnmet = errors.New("guard does not know where the rig stands: want Meet, or a Tend with a reading, before")

// Approach asks Tend to bring the command to a position (m), before the first command of
// the loop, from where the command stands and at the profile's velocity and acceleration. The
// position must be within the stroke and within the limits on the command that act. From now
// on limits act though the guard is disarmed, until Meet or Reset.
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
	if !g.met {
		return errUnmet
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

// Retire ends a sound run: Tend brings the command from where it stands, at rest, to the goal
// of the profile, without a trip and without an event. The guard is disarmed from now on: no
// command of the loop passes. Limits act until Meet or Reset; what has warned in the run does
// not warn again before Meet or Arm. Retire wants a guard that is running, or armed.
func (g *Guard) Retire() error {
	switch {
	case g.state != Running && g.state != Armed:
		return fmt.Errorf("guard is %s: want it running or armed to retire", g.state)
	case !g.met:
		return errUnmet
	case g.state == Running:
		g.stand()
	}
	g.behind, g.underway = false, true
	g.home()
	g.set(Disarmed)
	return nil
}

// Tend is one sample of the guard without a loop: before the first tick, after the last
// one, or while the loop is silent. Tend reads the rig into out, moves the command and
// writes. A reading that fails is repeated, and grows old; a Write that fails ends nothing.
//
// Disarmed or armed, the command goes to the position of Approach or Retire, by at most the
// profile's velocity. Running and tripped, the command stays. Holding and ramping, Tend does
// what Write does. done says that the command is where it shall be: nothing changes until
// something is asked for or a limit is crossed.
//
// The first finite reading is met, as by Meet, if neither Meet nor a command of the loop came
// before. Until then nothing is written.
//
// Limits of a guard that is armed, or that Approach or Retire has sent on its way, act on
// measured displacement, velocity, force and age, and on readings that fail or are not
// finite. Limits on the target's error and on channels of other parts need a loop. After the
// first tick every Tend counts as a tick.
func (g *Guard) Tend(out *rths.Reading) (done bool) {
	out.Age = 0 // a rig whose readings are always fresh does not set it
	if g.Read(out) != nil {
		g.again(out)
	}
	if !g.met && g.near >= 0 {
		g.stay()
	}
	switch g.state {
	case Disarmed, Armed:
		done = g.met && g.approach()
	case Running, Tripped:
		g.left()
		done = true
	default:
		g.advance()
		done = g.state == Tripped
	}
	if g.met {
		_ = g.rig.Write(g.sent)
	}
	g.lateness(out)
	if g.moving {
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
	g.left()
	return there
}
