package plant

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/model/rigidbody"
)

// RigidBody are actuators at any places of a rigid body, in a plane or in space, with large rotations. With the pose q
// of the body, actuator i is longer than at rest by
//
//	x_i = |r + R p_i − b_i| − |p_i − b_i|
//
// exactly. Interface finds the pose of measured displacements by Newton's method, from the pose of the tick before, in
// three steps; the forces f at the node follow from those of the actuators F by virtual work, f = Jᵀ F with
// J = ∂x/∂q at the measured pose. All displacements count from the body at rest. There are as many actuators as
// coordinates. Where no pose has the measured displacements, the reading has failed.
//
// Instruments measure further lengths. Then the pose is that of least squares over all of them, and what remains
// (root of the sum of squares), the channel pose_residual_m, shows that a pin has slipped or a sensor is wrong. With two
// instruments and more the channel pose_suspect names the link, actuators first, if the slip of one link explains it.
//
// With a platform, the forces at the node are without the weight of the body in its pose and, where accelerometers on the
// actuators measure (sensors.acceleration), without its inertia:
//
//	f = Jᵀ F − (M(q) q̈ + h(q, q̇) + w(q) − Jᵀ F₀)
//
// F₀ holds the weight at rest, where the load cells read 0. q̇ is the difference of two poses.
//
// For bodies, pins and bases that do not bend: stiffness of reaction frame and clevises is not in it.
type RigidBody struct {
	Coordinates []string        `yaml:"coordinates" doc:"what each degree of freedom of interface is, in order: displacements x, y, z, m, and rotations rx, ry, rz, rad, about them"`
	Node        []float64       `yaml:"node_m,omitempty" doc:"place of the node with the body at rest, m"`
	Turned      []float64       `yaml:"turned_deg,omitempty" doc:"axes of the structure against the axes of the points: rotation vector, degrees"`
	Actuators   []RigidActuator `yaml:"actuators" doc:"actuators in order, as many as coordinates"`
	Platform    *Platform       `yaml:"platform,omitempty" doc:"mass of the body itself, whose weight and inertia are no force of the specimen; default: none"`
	Instruments []RigidLink     `yaml:"instruments,omitempty" doc:"other instruments that measure a length between a base and a pin, such as string pots"`
}

// RigidLink is an actuator or an instrument of a RigidBody.
type RigidLink struct {
	Base      []float64 `yaml:"base_m,omitempty" doc:"its pin on the reaction frame, x, y, z, m (in a plane x, y)"`
	Pin       []float64 `yaml:"pin_m" doc:"its pin on the body, with the body at rest, m"`
	Direction []float64 `yaml:"direction,omitempty" doc:"in place of base_m: direction of one so long that it does not turn"`
}

// RigidActuator is one of the actuators of a RigidBody.
type RigidActuator struct {
	RigidLink  `yaml:",inline"`
	ZeroLength float64 `yaml:"zero_length_m,omitempty" doc:"distance of its pins in the middle of its stroke, m; default: with the body at rest"`
	Stroke     float64 `yaml:"stroke_m,omitempty" doc:"how far it moves to each side of the middle, m; default: not known"`
}

// coordinateNames are the names of coordinates, by rigidbody.X to rigidbody.RZ.
var coordinateNames = []string{"x", "y", "z", "rx", "ry", "rz"}

// Axes are coordinates and actuators.
func (p *RigidBody) Axes() (iface, actuators int) { return len(p.Coordinates), len(p.Actuators) }

// Rotations says which coordinates are rotations, rad.
func (p *RigidBody) Rotations() (out []bool) {
	for _, c := range p.Coordinates {
		out = append(out, strings.HasPrefix(c, "r"))
	}
	return out
}

// Body is the geometry, from the node in the axes of the structure: the actuators, then the instruments.
func (p *RigidBody) Body() (*rigidbody.Body, error) {
	links, coords, err := p.Links()
	if err != nil {
		return nil, fmt.Errorf("rigid-body coupler: %w", err)
	}
	if n := len(p.Actuators); n != len(coords) {
		return nil, fmt.Errorf("rigid-body coupler: %d actuators for %d coordinates: want as many actuators as coordinates; "+
			"fewer leave the body loose, more fight each other", n, len(coords))
	}
	body, err := rigidbody.New(links[:len(coords)], coords) // the actuators alone hold it
	if err == nil && len(p.Instruments) > 0 {
		body, err = rigidbody.New(links, coords)
	}
	var loose *rigidbody.Loose
	switch {
	case errors.As(err, &loose):
		return nil, fmt.Errorf("rigid-body coupler: the actuators leave the body free to move along %s (m and rad): want "+
			"actuators that hold every coordinate: on different lines that neither are all parallel nor meet in one point",
			loose.Motion)
	case err != nil:
		return nil, fmt.Errorf("rigid-body coupler: %w", err)
	}
	return body, p.wantInStroke(body)
}

// Links are the actuators, then the instruments, from the node in the axes of the structure, and the coordinates.
func (p *RigidBody) Links() (links []rigidbody.Link, coords []int, err error) {
	if coords, err = p.coordinates(); err != nil {
		return nil, nil, err
	}
	node, turned, err := p.axes()
	if err != nil {
		return nil, nil, err
	}
	for i := range len(p.Actuators) + len(p.Instruments) {
		kind, n, of := "actuator", i, (*RigidLink)(nil)
		if i < len(p.Actuators) {
			of = &p.Actuators[i].RigidLink
		} else {
			kind, n = "instrument", i-len(p.Actuators)
			of = &p.Instruments[n]
		}
		link, err := p.link(of)
		if err != nil {
			return nil, nil, fmt.Errorf("%s %d: %w", kind, n+1, err)
		}
		links = append(links, link.From(node, turned))
	}
	return links, coords, nil
}

// axes are the place of the node, m, and the rotation vector of the structure's axes, rad.
func (p *RigidBody) axes() (node, turned [3]float64, err error) {
	if turned, err = p.vector("turned_deg", p.Turned); err != nil {
		return node, turned, err
	}
	for i := range turned {
		turned[i] *= math.Pi / 180
	}
	node, err = p.vector("node_m", p.Node)
	return node, turned, err
}

// InSpace is a point from the node in the axes of the structure as base_m and pin_m state it.
func (p *RigidBody) InSpace(v [3]float64) [3]float64 {
	node, turned, err := p.axes()
	if err != nil {
		panic(err) // Links has refused them
	}
	back := [3]float64{-turned[0], -turned[1], -turned[2]}
	out := rigidbody.Link{Pin: v}.From([3]float64{}, back).Pin
	for i := range out {
		out[i] += node[i]
	}
	return out
}

// coordinates are the coordinates by number.
func (p *RigidBody) coordinates() (out []int, err error) {
	for i, name := range p.Coordinates {
		c := slices.Index(coordinateNames, name)
		if c < 0 || slices.Contains(out, c) {
			return nil, fmt.Errorf("coordinates[%d] is %q: want each of x, y, z, rx, ry, rz at most once",
				i+1, name)
		}
		out = append(out, c)
	}
	return out, nil
}

// Plane reports whether all coordinates are in the plane of x and y.
func (p *RigidBody) Plane() bool {
	return !slices.ContainsFunc(p.Coordinates, func(c string) bool { return c == "z" || c == "rx" || c == "ry" })
}

// vector takes x, y, z, or x, y in a plane; nothing: zero.
func (p *RigidBody) vector(key string, v []float64) (out [3]float64, err error) {
	if len(v) != 0 && len(v) != 3 && !(len(v) == 2 && p.Plane()) {
		return out, fmt.Errorf("%s has %d numbers: want x, y, z (or x, y where all coordinates are x, y, rz)", key, len(v))
	}
	copy(out[:], v)
	return out, nil
}

func (p *RigidBody) link(a *RigidLink) (l rigidbody.Link, err error) {
	if len(a.Pin) == 0 || (len(a.Base) == 0) == (len(a.Direction) == 0) {
		return l, errors.New("want pin_m, and base_m or direction")
	}
	if l.Base, err = p.vector("base_m", a.Base); err != nil {
		return l, err
	}
	if l.Pin, err = p.vector("pin_m", a.Pin); err != nil {
		return l, err
	}
	if apart := distance(l.Base, l.Pin); len(a.Base) > 0 && apart < rigidbody.Shortest {
		return l, fmt.Errorf("base_m and pin_m are %.3g m apart: want its base on the reaction frame, at least %g m away",
			apart, rigidbody.Shortest)
	}
	l.Parallel, err = p.vector("direction", a.Direction)
	if len(a.Direction) > 0 && l.Parallel == [3]float64{} {
		return l, errors.New("direction is zero: want a vector along the actuator, from its base to the body")
	}
	return l, err
}

// Moved is the geometry with one mistake in every actuator: base_m or pin_m (of a long actuator pin_m alone) moved along
// an axis by so many m, or, as turned_deg does it, all points turned about the node and an axis by a small angle, rad.
func (p *RigidBody) Moved(key string, axis int, by float64) (*rigidbody.Body, error) {
	wrong := *p
	wrong.Actuators = slices.Clone(p.Actuators)
	node, err := p.vector("node_m", p.Node)
	if err != nil {
		return nil, err
	}
	for i := range wrong.Actuators {
		a := &wrong.Actuators[i]
		a.ZeroLength, a.Stroke = 0, 0
		for _, point := range []struct {
			key  string
			v    *[]float64
			from [3]float64
		}{{"base_m", &a.Base, node}, {"pin_m", &a.Pin, node}, {"direction", &a.Direction, [3]float64{}}} {
			if len(*point.v) == 0 {
				continue
			}
			v := append(slices.Clone(*point.v), 0)[:3]
			switch one, two := (axis+1)%3, (axis+2)%3; key {
			case point.key:
				v[axis] += by
			case "turned_deg": // e × (v − from)
				x, y := v[one]-point.from[one], v[two]-point.from[two]
				v[one] -= by * y
				v[two] += by * x
			}
			*point.v = v
		}
	}
	return wrong.Body()
}

func distance(a, b [3]float64) float64 {
	return math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2])
}

// wantInStroke refuses strokes that end before the pose at rest.
func (p *RigidBody) wantInStroke(body *rigidbody.Body) error {
	for i, a := range p.Actuators {
		switch at := body.Rest(i) - a.ZeroLength; {
		case !(a.Stroke >= 0) || math.IsInf(a.Stroke, 0) || !(a.ZeroLength >= 0) || math.IsInf(a.ZeroLength, 0):
			return fmt.Errorf("rigid-body coupler: actuator %d: stroke_m %g, zero_length_m %g: want lengths of 0 or more", i+1,
				a.Stroke, a.ZeroLength)
		case a.ZeroLength > 0 && len(a.Direction) > 0:
			return fmt.Errorf("rigid-body coupler: actuator %d: zero_length_m has no effect with direction: want base_m", i+1)
		case a.ZeroLength > 0 && a.Stroke > 0 && math.Abs(at) >= a.Stroke:
			return fmt.Errorf("rigid-body coupler: actuator %d is %.4g m from the middle of its stroke with the body at rest: "+
				"want less than stroke_m, %g m: zero_length_m is %g m, base and pin are %.6g m apart", i+1, at, a.Stroke,
				a.ZeroLength, body.Rest(i))
		}
	}
	return nil
}

// Make checks the geometry.
func (p *RigidBody) Make(rateHz float64) (rths.Coupler, error) {
	body, err := p.Body()
	if err != nil {
		return nil, err
	}
	platform, err := p.OwnMass()
	if err != nil {
		return nil, err
	}
	n := len(p.Coordinates)
	return &rigidCoupler{body: body, names: p.Coordinates, measured: make([]float64, n), truth: make([]float64, n),
		lengths: make([]float64, n+len(p.Instruments)), none: NoPose{make([]float64, n)},
		carried: newCarried(body, platform), motion: newPoseMotion(n, rateHz), trueMotion: newPoseMotion(n, rateHz)}, nil
}

// Lever is ∂x/∂q at rest.
func (p *RigidBody) Lever() (*mat.Dense, error) {
	body, err := p.Body()
	if err != nil {
		return nil, err
	}
	n := len(p.Coordinates)
	return body.Jacobian(make([]float64, n), n), nil
}

// rigidCoupler remembers the poses of the tick before.
type rigidCoupler struct {
	body            *rigidbody.Body
	names           []string // of the coordinates
	measured, truth []float64
	lengths         []float64 // measured, of actuators and instruments, m
	residual        float64   // root of the sum of squares of what measured lengths differ from those of the pose by, m
	suspect         float64   // number of the link that has slipped, actuators first; 0: none
	lost            bool      // no pose has the measured displacements
	none            NoPose

	carried            *carried // nil: no platform
	motion, trueMotion poseMotion
}

// offAbove is the difference that Newton's method may leave in a length, m: far above rounding, far below what a sensor
// shows.
const offAbove = 1e-9

// namedAbove is the residual above which a link is named that may have slipped, m: more than the noise of sensors.
const namedAbove = 1e-4

// Axes turns the node's motion into the actuators'.
func (c *rigidCoupler) Axes(axes, iface *rths.Motion) {
	c.body.Elongations(axes.X, iface.X)
	if len(axes.V) > 0 && len(iface.V) > 0 {
		c.body.Rates(axes.V, axes.A, iface.X, iface.V, iface.A)
	}
}

// Interface finds the node's pose and the forces at it.
func (c *rigidCoupler) Interface(iface, axes *rths.Reading) {
	copy(c.lengths[copy(c.lengths, axes.X):], axes.L)
	c.residual = c.body.Pose(c.measured, c.lengths)
	if exact := len(c.lengths) == len(c.measured); exact && !(c.residual <= offAbove) || !rths.Finite(c.residual) {
		c.lost = true
		copy(c.none.X, axes.X)
	} else {
		c.lost = false
	}
	if c.suspect = 0; c.residual > namedAbove {
		link, _ := c.body.Suspect(len(c.lengths))
		c.suspect = float64(link + 1)
	}
	copy(iface.X, c.measured)
	c.body.Forces(iface.F, axes.F, c.measured)
	if c.carried != nil && !c.lost {
		c.motion.to(c.body, c.measured, axes.A, axes.Age)
		c.carried.add(iface.F, -1, c.measured, c.motion.rate, c.motion.bend)
	}
	if len(axes.TrueX) > 0 && len(iface.TrueX) > 0 {
		found := c.body.Pose(c.truth, axes.TrueX) <= offAbove
		c.body.Forces(iface.TrueF, axes.TrueF, c.truth)
		if c.carried != nil && found {
			c.trueMotion.to(c.body, c.truth, axes.TrueA, axes.Age)
			c.carried.add(iface.TrueF, -1, c.truth, c.trueMotion.rate, c.trueMotion.bend)
		}
		for i := range c.truth {
			if iface.TrueX[i] = c.truth[i]; !found {
				iface.TrueX[i] = math.NaN()
			}
		}
	}
}

// StandAt says in which pose the body stands before the first Interface: one that is not at rest may be too far away.
func (c *rigidCoupler) StandAt(q []float64) {
	copy(c.measured, q)
	copy(c.truth, q)
}

// Err is a NoPose of the last Interface; nil: the pose was found.
func (c *rigidCoupler) Err() error {
	if c.lost {
		return &c.none
	}
	return nil
}

// Channels are the measured pose, and the residual where there are instruments.
func (c *rigidCoupler) Channels() (out []rths.Channel) {
	for i, name := range c.names {
		unit := "m"
		if strings.HasPrefix(name, "r") {
			unit = "rad"
		}
		out = append(out, rths.Channel{Meaning: rths.Meaning{Quantity: "pose", Coordinate: name}, Unit: unit, V: &c.measured[i]})
	}
	if len(c.lengths) > len(c.measured) {
		out = append(out, rths.Channel{Meaning: rths.Meaning{Quantity: "pose_residual"}, Unit: "m", V: &c.residual},
			rths.Channel{Meaning: rths.Meaning{Quantity: "pose_suspect"}, Unit: "-", V: &c.suspect})
	}
	return rths.NamedChannels(out)
}

// VisitState visits the poses, and with a platform their motion.
func (c *rigidCoupler) VisitState(v *rths.StateVisitor) {
	if v.Floats(c.measured, c.truth); c.carried != nil {
		c.motion.visit(v)
		c.trueMotion.visit(v)
	}
}

// NoPose is the error of measured displacements that no pose of the body has.
type NoPose struct{ X []float64 } // m

// Error says which.
func (e *NoPose) Error() string {
	return fmt.Sprintf("rigid body: no pose near the one before has the measured displacements %.4g m: a sensor is wrong, an "+
		"actuator has come loose, or the body stands where the actuators do not hold it", e.X)
}
