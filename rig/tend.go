package rig

import (
	"fmt"

	"rths"
)

// Meet begins at the measured position, within the stroke: the command stands there, and
// the first command that differs starts there. Meet wants a guard that is disarmed.
func (g *Guard) Meet(r *rths.Reading) error {
	switch {
	case g.state != Disarmed:
		return fmt.Errorf("guard is %s: want it disarmed to meet the rig", g.state)
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
	g.near = g.move * float64(1+r.Age)
	g.past.fill(r.X)
	for i, x := range r.X {
		g.sent[i] = g.within(x)
	}
	copy(g.safe, g.sent)
	g.stand()
	return nil
}

// Approach asks Tend to bring the command to a position (m), before the first command of
// the loop, from where the command stands and at the profile's velocity and acceleration.
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
	}
	copy(g.goal, goal)
	return nil
}

// Retire ends a sound run: Tend brings the command to the last valid measured position and
// from there to the goal of the profile, without a trip and without an event. The guard is
// disarmed from now on: no command of the loop passes. Limits warn and act afresh. Retire
// wants a guard that is running, or armed.
func (g *Guard) Retire() error {
	switch g.state {
	case Running:
		g.leave()
	case Armed:
		g.stand()
	default:
		return fmt.Errorf("guard is %s: want it running or armed to retire", g.state)
	}
	g.home()
	g.renew()
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
// Limits of an armed guard on measured displacement, velocity, force and age act as in a
// loop. Limits on the target's error and on channels of other parts need a loop. After the
// first tick every Tend counts as a tick.
func (g *Guard) Tend(out *rths.Reading) (done bool) {
	out.Age = 0 // a rig whose readings are always fresh does not set it
	if g.Read(out) != nil {
		g.again(out)
	}
	switch g.state {
	case Disarmed, Armed:
		done = g.approach()
	case Running, Tripped:
		done = true
	default:
		g.advance()
		done = g.state == Tripped
	}
	_ = g.rig.Write(g.sent)
	g.value.age = float64(out.Age)
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
	for i, to := range g.at {
		there = g.slew(i, to, g.gentle) && there
	}
	return there
}
