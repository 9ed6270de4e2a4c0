package plant

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/model/rigidbody"
)

// Embodied is a coupler whose coordinates are those of rigid bodies.
type Embodied interface {
	CouplerMaker
	Rotations() []bool // which coordinates are rotations, rad
	Held() (rigidbody.Held, error)
	OwnMass() (*rigidbody.Platform, error) // nil: none
}

// Held is the body.
func (p *RigidBody) Held() (rigidbody.Held, error) { return p.Body() }

// Aggregate are several rigid bodies at one interface, as those of two tests side by side: each with its own coordinates
// and actuators, in order.
type Aggregate struct {
	Of []RigidBody `yaml:"of" doc:"bodies in order, each with the keys of rigid-body but instruments and platform"`
}

// Axes are those of all bodies.
func (p *Aggregate) Axes() (iface, actuators int) {
	for _, one := range p.Of {
		iface, actuators = iface+len(one.Coordinates), actuators+len(one.Actuators)
	}
	return iface, actuators
}

// Rotations are those of all bodies.
func (p *Aggregate) Rotations() (out []bool) {
	for _, one := range p.Of {
		out = append(out, one.Rotations()...)
	}
	return out
}

// make makes the couplers and the bodies.
func (p *Aggregate) make(rateHz float64) (c aggregated, b rigidbody.Bodies, err error) {
	if n, _ := p.Axes(); len(p.Of) < 2 || n > mostActuators {
		return nil, nil, fmt.Errorf("aggregate coupler: %d bodies with %d coordinates: want 2 bodies or more, and %d "+
			"coordinates at most", len(p.Of), n, mostActuators)
	}
	for i := range p.Of {
		one, err := p.Of[i].Make(rateHz)
		if err == nil && (len(p.Of[i].Instruments) > 0 || p.Of[i].Platform != nil) {
			err = errors.New("want no instruments and no platform: only a rigid-body by itself has them")
		}
		if err != nil {
			return nil, nil, fmt.Errorf("body %d: %w", i+1, err)
		}
		c = append(c, one.(*rigidCoupler))
		b = append(b, c[i].body)
	}
	return c, b, nil
}

// Make makes the couplers of all bodies.
func (p *Aggregate) Make(rateHz float64) (rths.Coupler, error) {
	c, _, err := p.make(rateHz)
	return c, err
}

// Held are the bodies.
func (p *Aggregate) Held() (rigidbody.Held, error) {
	_, b, err := p.make(0)
	return b, err
}

// OwnMass is none.
func (*Aggregate) OwnMass() (*rigidbody.Platform, error) { return nil, nil }

// Lever has a block for each body.
func (p *Aggregate) Lever() (*mat.Dense, error) {
	_, b, err := p.make(0)
	if err != nil {
		return nil, err
	}
	n, _ := p.Axes()
	return b.Jacobian(make([]float64, n), n), nil
}

// aggregated are couplers side by side.
type aggregated []*rigidCoupler

// each calls do for all couplers, whose coordinates and actuators are from and to.
func (c aggregated) each(do func(one *rigidCoupler, from, to int)) {
	from := 0
	for _, one := range c {
		do(one, from, from+len(one.names))
		from += len(one.names)
	}
}

// part is a part of values, or nothing of none.
func part(v []float64, from, to int) []float64 {
	if len(v) < to {
		return nil
	}
	return v[from:to]
}

func partOf(m *rths.Motion, i, j int) rths.Motion {
	return rths.Motion{X: part(m.X, i, j), V: part(m.V, i, j), A: part(m.A, i, j)}
}

func read(r *rths.Reading, i, j int) rths.Reading {
	return rths.Reading{Motion: partOf(&r.Motion, i, j), F: part(r.F, i, j), TrueX: part(r.TrueX, i, j),
		TrueF: part(r.TrueF, i, j)}
}

// Axes turns the motion of all nodes into the actuators'.
func (c aggregated) Axes(axes, iface *rths.Motion) {
	c.each(func(one *rigidCoupler, i, j int) {
		of, at := partOf(axes, i, j), partOf(iface, i, j)
		one.Axes(&of, &at)
	})
}

// Interface finds the pose of all bodies and the forces at their nodes.
func (c aggregated) Interface(iface, axes *rths.Reading) {
	c.each(func(one *rigidCoupler, i, j int) {
		at, of := read(iface, i, j), read(axes, i, j)
		one.Interface(&at, &of)
	})
}

// StandAt says in which poses the bodies stand before the first Interface.
func (c aggregated) StandAt(q []float64) {
	c.each(func(one *rigidCoupler, i, j int) { one.StandAt(q[i:j]) })
}

// Err is the NoPose of a body; nil: all poses were found.
func (c aggregated) Err() error {
	for i, one := range c {
		if err := one.Err(); err != nil {
			return fmt.Errorf("body %d: %w", i+1, err)
		}
	}
	return nil
}

// Channels are the measured poses, with the numbers of the bodies.
func (c aggregated) Channels() (out []rths.Channel) {
	for i, one := range c {
		for _, ch := range one.Channels() {
			ch.Axis, ch.Name = i+1, ""
			out = append(out, ch)
		}
	}
	return rths.NamedChannels(out)
}

// VisitState visits the poses.
func (c aggregated) VisitState(v *rths.StateVisitor) {
	c.each(func(one *rigidCoupler, _, _ int) { one.VisitState(v) })
}
