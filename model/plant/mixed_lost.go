package plant

import (
	"fmt"
	"math"

	"rths"
)

// Why the control of a force ends.
const (
	wrongSign = 1 + iota
	noForce
	stoppedForce
	lostStiffness
)

// ForceLost is the error of a force that does not follow its coordinate.
type ForceLost struct {
	Why        int     // 0: nothing
	Coordinate int     // from 1
	Actuator   int     // of a load cell that has stopped, from 1
	Is, Should float64 // N; of a lost stiffness N/m
}

// Quantity is what has gone wrong, for rths.DivergedError.
func (*ForceLost) Quantity() string { return "axis_force" }

// Error says what the force is, and what it should be.
func (e *ForceLost) Error() string {
	where := fmt.Sprintf("coordinate %d: ", e.Coordinate)
	should := fmt.Sprintf("by its displacement and stiffness the force should be %.4g N, and it is %.4g N: ", e.Should,
		e.Is)
	switch e.Why {
	case wrongSign:
		return where + should + "the wrong sign: look at the signs of load cell, displacement and command"
	case noForce:
		return where + should + "a dead load cell, or a specimen that is loose or broken"
	case stoppedForce:
		return where + fmt.Sprintf("the load cell of actuator %d has stayed at %.6g N while the displacement should have "+
			"changed the force by %.4g N: a load cell that has stopped", e.Actuator, e.Is, e.Should)
	}
	return where + fmt.Sprintf("the stiffness that was learnt is %.3g N/m, at the start it was %.3g N/m: want more than "+
		"0, and force coordinates that do not work on one stiff direction", e.Is, e.Should)
}

// Shares of forces in watch.
const (
	tellingShare = 0.1  // of the largest force to keep: an error as large is no error of a sound control
	limitShare   = 0.01 // of the force at the displacement limit: nor is this
	noneShare    = 0.05 // of the force that should be: none
	oppositeTo   = -0.3 // of the force that should be: the wrong sign
	drivenShare  = 0.02 // of a telling force: an error that drives the coordinate
)

// telling is a force that a load cell must show, and that a sound control does not miss by.
func (k *keptForce) telling() float64 {
	return max(tellingShare*k.Largest(), limitShare*k.diagonal()*k.Limit)
}

// watch compares the measured force with the one that displacement and stiffness at rest should give, and with those of
// load cells that have not changed.
func (c *MixedCoupler) watch(i int, is float64, cells []float64) {
	k, n := &c.kept[i], c.c.Axes
	should := dot(c.j0[i*n:(i+1)*n], c.p)
	far := math.Abs(should) >= k.tells && math.Abs(k.err) >= k.tells
	count := func(n *int, yes bool, why int) {
		if *n++; !yes {
			*n = 0
		}
		if *n >= k.enough {
			c.lose(why, i, is, should)
		}
	}
	none := math.Abs(is) < noneShare*math.Abs(should)
	count(&k.wrong, far && is*should < 0 && math.Abs(is) > -oppositeTo*math.Abs(should), wrongSign)
	count(&k.dead, far && none, noForce)
	for a, f := range cells {
		if f != c.still[a] {
			k.stillAt[a] = should
		}
		by := should - k.stillAt[a]
		switch stopped := k.through[a] && math.Abs(by) >= k.tells && math.Abs(k.err) >= drivenShare*k.tells; {
		case stopped && none:
			c.lose(noForce, i, is, should)
		case stopped:
			if c.lost.Why == 0 {
				c.lost.Actuator = a + 1
			}
			c.lose(stoppedForce, i, f, by)
		}
	}
}

// lose keeps the first cause.
func (c *MixedCoupler) lose(why, i int, is, should float64) {
	if c.lost.Why == 0 {
		c.lost.Why, c.lost.Coordinate, c.lost.Is, c.lost.Should = why, c.kept[i].At+1, is, should
	}
}

// Err says why the control of a force has ended, or why the inner coupler found no pose; nil: neither.
func (c *MixedCoupler) Err() error {
	if c.inner != nil {
		if err := c.inner.Err(); err != nil {
			return err
		}
	}
	if c.lost.Why != 0 && !c.ideal {
		return &c.lost
	}
	return nil
}

// Channels are those of every force coordinate, by its number, and those of the inner coupler.
func (c *MixedCoupler) Channels() (out []rths.Channel) {
	for i := range c.kept {
		k := &c.kept[i]
		for _, ch := range []struct {
			quantity, unit string
			v              *float64
		}{{"axis_force_target", "N", &k.target}, {"axis_force_error", "N", &k.err}, {axisDisplacement, "m", &k.at},
			{"axis_stiffness", "N/m", &k.slope}} {
			out = append(out, rths.Channel{Meaning: rths.Meaning{Quantity: ch.quantity, Axis: k.At + 1}, Unit: ch.unit, V: ch.v})
		}
	}
	out = rths.NamedChannels(out)
	if inner, ok := rths.As[rths.Channeler](c.c.Inner); ok {
		out = append(out, inner.Channels()...)
	}
	return out
}

const axisDisplacement = "axis_displacement"

// DisplacementChannel is the channel with the measured displacement of a force coordinate.
func (k *ForceAxis) DisplacementChannel() string {
	return rths.Meaning{Quantity: axisDisplacement, Axis: k.At + 1}.NameIn("m")
}

// Idealise leaves the linear law: a target of 0, no largest step, and nobody watches.
func (c *MixedCoupler) Idealise(on bool) {
	c.ideal = on
	if i, ok := rths.As[rths.Idealiser](c.c.Inner); ok {
		i.Idealise(on)
	}
}

// Freeze holds J.
func (c *MixedCoupler) Freeze(on bool) {
	c.frozen = on
	if i, ok := rths.As[rths.Adaptive](c.c.Inner); ok {
		i.Freeze(on)
	}
}

// VisitAdaptation visits J, and where its rows have learnt.
func (c *MixedCoupler) VisitAdaptation(v *rths.StateVisitor) {
	v.Floats(c.j)
	for i := range c.kept {
		k := &c.kept[i]
		v.Floats(k.from)
		v.Float(&k.fromForce)
		v.Bool(&k.known)
	}
	if v.Restoring() {
		c.factorise()
	}
	v.AdaptationOf(c.c.Inner)
}

// VisitState visits commands of the force coordinates, the last displacements of the others, what watch counts, and the
// inner coupler.
func (c *MixedCoupler) VisitState(v *rths.StateVisitor) {
	v.Floats(c.moved, c.still)
	v.Int(&c.k, &c.fresh.Tick, &c.fresh.At, &c.lost.Why, &c.lost.Coordinate, &c.lost.Actuator)
	v.Float(&c.lost.Is, &c.lost.Should)
	for i := range c.kept {
		k := &c.kept[i]
		v.Float(&k.x)
		v.Floats(k.stillAt)
		v.Int(&k.wrong, &k.dead)
	}
	if v.Restoring() {
		for i, at := range c.c.Moved {
			c.q[at] = c.moved[i]
		}
		c.leans(c.before, c.q)
	}
	v.StateOf(c.c.Inner)
}

var (
	_ rths.Coupler   = (*MixedCoupler)(nil)
	_ rths.Stateful  = (*MixedCoupler)(nil)
	_ rths.Adaptive  = (*MixedCoupler)(nil)
	_ rths.Idealiser = (*MixedCoupler)(nil)
	_ rths.Failer    = (*MixedCoupler)(nil)
	_ rths.Channeler = (*MixedCoupler)(nil)
)
