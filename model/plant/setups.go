package plant

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rths"
)

// Setup states coordinates and actuators of a RigidBody by a few lengths. Its node is the origin of the points.
type Setup interface{ Body() (*RigidBody, error) }

// Setups is the table of the experimental set-ups of OpenFresco (SRC/experimentalSetup, 2025-07), with the names of its
// lengths. Displacements are those with its -nlGeom; forces are by virtual work. Two things of it are not here: forces
// from other load cells than those of the actuators, and its linear formulas, to which small motions come down.
var Setups = []rths.Kind[Setup]{
	{
		Name:     "one-actuator",
		Doc:      "OpenFresco's ESOneActuator: an actuator along x, y or z that does not turn",
		Ref:      "expSetup OneActuator tag DOF -sizeTrialOut t o",
		Defaults: func() Setup { return &OneActuator{DOF: "x"} },
	},
	{
		Name: "two-actuators-2d",
		Doc: "OpenFresco's ESTwoActuators2d: two actuators along x, the first at the node, the second above; coordinates x, " +
			"rz; y is held, and phiLocX is 0",
		Ref:      "expSetup TwoActuators2d tag La1 La2 L -posAct pos",
		Defaults: func() Setup { return &TwoActuators2d{Pos: left} },
	},
	{
		Name: "three-actuators-2d",
		Doc: "OpenFresco's ESThreeActuators2d: a bar along x through the node, with one actuator along it and two below; " +
			"coordinates x, y, rz",
		Ref:      "expSetup ThreeActuators2d tag La1 La2 La3 L1 L2 -posAct1 pos -phiLocX phi",
		Defaults: func() Setup { return &ThreeActuators2d{Ends: leftEnd()} },
	},
	{
		Name: "three-actuators-2d-joint-offset",
		Doc: "OpenFresco's ESThreeActuatorsJntOff2d: three-actuators-2d with rigid links between bar and pins; coordinates " +
			"x, y, rz",
		Ref:      "expSetup ThreeActuatorsJntOff2d tag La1 La2 La3 L1 L2 L3 L4 L5 L6 -posAct1 pos -phiLocX phi",
		Defaults: func() Setup { return &ThreeActuatorsJntOff2d{Ends: leftEnd()} },
	},
	{
		Name:     "three-actuators",
		Doc:      "OpenFresco's ESThreeActuators: three-actuators-2d with its bar above the node; coordinates x, y, rz",
		Ref:      "expSetup ThreeActuators tag dofH dofV dofR sizeTrial sizeOut La1 La2 La3 L1 L2 L3 -posAct1 pos",
		Defaults: func() Setup { return &ThreeActuators{Ends: leftEnd()} },
	},
	{
		Name: "three-actuators-joint-offset",
		Doc: "OpenFresco's ESThreeActuatorsJntOff: three-actuators-2d-joint-offset with its bar above the node; " +
			"coordinates x, y, rz",
		Ref: "expSetup ThreeActuatorsJntOff tag dofH dofV dofR sizeTrial sizeOut La1 La2 La3 L1 L2 L3 L4 L5 L6 L7 -posAct1 " +
			"pos",
		Defaults: func() Setup { return &ThreeActuatorsJntOff{Ends: leftEnd()} },
	},
	{
		Name: "inverted-v-brace-2d",
		Doc: "OpenFresco's ESInvertedVBrace2d: three-actuators-2d; forces are those of the three actuators; the six load " +
			"cells of its brace are not read",
		Ref:      "expSetup InvertedVBrace tag La1 La2 La3 L1 L2 -posAct1 pos -phiLocX phi",
		Defaults: func() Setup { return &ThreeActuators2d{Ends: leftEnd()} },
	},
	{
		Name: "inverted-v-brace-2d-joint-offset",
		Doc: "OpenFresco's ESInvertedVBraceJntOff2d: three-actuators-2d-joint-offset; forces are those of the three " +
			"actuators; the six load cells of its brace are not read",
		Ref:      "expSetup InvertedVBraceJntOff tag La1 La2 La3 L1 L2 L3 L4 L5 L6 -posAct1 pos -phiLocX phi",
		Defaults: func() Setup { return &ThreeActuatorsJntOff2d{Ends: leftEnd()} },
	},
	{
		Name: "four-actuators-3d",
		Doc: "OpenFresco's ESFourActuators3d: actuators 1 and 2 along x and y at the node, 3 and 4 above; coordinates x, y, " +
			"rx, ry; z and rz are held; forces of rods and spreader beam are not in it",
		Ref: "expSetup FourActuators tag L1 L2 L3 L4 a1 a2 a3 a4 h (without h1 h2 arlN arlS LrodN LrodS Hbeam) " +
			"-phiLocX phi, here turned_deg: [0, 0, -phi]",
		Defaults: func() Setup { return &FourActuators3d{} },
	},
}

// Sides of the node.
const (
	left  = "left"
	right = "right"
)

// Strokes are the strokes of all actuators.
type Strokes struct {
	Stroke []float64 `yaml:"stroke_m,omitempty" doc:"how far each actuator moves to each side of its place at rest, m, as in [0.2, 0.1]; default: not known"`
}

// body is the rigid body of actuators, with their strokes.
func (s *Strokes) body(coordinates string, actuators ...RigidActuator) (*RigidBody, error) {
	b := &RigidBody{Coordinates: strings.Fields(coordinates), Actuators: actuators}
	if n := len(s.Stroke); n > 0 && n != len(actuators) {
		return b, fmt.Errorf("stroke_m has %d numbers: want %d, one for each actuator", n, len(actuators))
	}
	for i, stroke := range s.Stroke {
		actuators[i].Stroke = stroke
	}
	return b, nil
}

// OneActuator is one-actuator.
type OneActuator struct {
	DOF     string `yaml:"dof" doc:"DOF: x, y or z"`
	Strokes `yaml:",inline"`
}

// Body has one coordinate.
func (p *OneActuator) Body() (*RigidBody, error) {
	direction := make([]float64, 3)
	axis := slices.Index(coordinateNames[:3], p.DOF)
	if axis < 0 {
		return &RigidBody{}, fmt.Errorf("dof %q: want x, y or z", p.DOF)
	}
	direction[axis] = 1
	return p.body(p.DOF, RigidActuator{RigidLink: RigidLink{Direction: direction, Pin: make([]float64, 3)}})
}

// TwoActuators2d is two-actuators-2d.
type TwoActuators2d struct {
	La1     float64 `yaml:"la1_m" doc:"La1: length of actuator 1, m; left out: refused"`
	La2     float64 `yaml:"la2_m" doc:"La2: length of actuator 2, m; left out: refused"`
	L       float64 `yaml:"l_m" doc:"L: height of actuator 2 above actuator 1, m; left out: refused"`
	Pos     string  `yaml:"pos_act" doc:"posAct: side of the node that the actuators stand on, left or right"`
	Strokes `yaml:",inline"`
}

// Body has x and rz.
func (p *TwoActuators2d) Body() (*RigidBody, error) {
	out, wrong := side("pos_act", p.Pos)
	b, err := p.body("x rz", between(out*p.La1, 0, 0, 0), between(out*p.La2, p.L, 0, p.L))
	return b, cmp.Or(wrong, positive("la1_m", p.La1), positive("la2_m", p.La2), positive("l_m", p.L), err)
}

// Lengths are those of three actuators.
type Lengths struct {
	La1 float64 `yaml:"la1_m" doc:"La1: length of actuator 1, along the bar, m; left out: refused"`
	La2 float64 `yaml:"la2_m" doc:"La2: length of actuator 2, below the bar on the left, m; left out: refused"`
	La3 float64 `yaml:"la3_m" doc:"La3: length of actuator 3, below the bar on the right, m; left out: refused"`
}

// Ends are where actuator 1 stands, and the strokes.
type Ends struct {
	Pos     string `yaml:"pos_act1" doc:"posAct1: end of the bar that actuator 1 pulls at, left or right"`
	Strokes `yaml:",inline"`
}

func leftEnd() Ends { return Ends{Pos: left} }

// Arms are on both sides of the node.
type Arms struct {
	L1 float64 `yaml:"l1_m" doc:"L1, without joint offset: along the bar from the node to actuator 2, m"`
	L2 float64 `yaml:"l2_m" doc:"L2, without joint offset: along the bar from the node to actuator 3, m"`
}

// Links are the parts of a bar and the rigid links below it.
type Links struct {
	L1 float64 `yaml:"l1_m" doc:"L1, with joint offset: along the bar from actuator 2 to the pin of an actuator 1 on the left, m"`
	L2 float64 `yaml:"l2_m" doc:"L2, with joint offset: along the bar from the node to actuator 2, m"`
	L3 float64 `yaml:"l3_m" doc:"L3: along the bar from the node to actuator 3, m"`
	L4 float64 `yaml:"l4_m" doc:"L4: along the bar from actuator 3 to the pin of an actuator 1 on the right, m"`
	L5 float64 `yaml:"l5_m" doc:"L5: depth of the pin of actuator 2 below the bar, m"`
}

// ThreeActuators2d is three-actuators-2d and inverted-v-brace-2d.
type ThreeActuators2d struct {
	Lengths `yaml:",inline"`
	Arms    `yaml:",inline"`
	Ends    `yaml:",inline"`
}

// Body has x, y and rz.
func (p *ThreeActuators2d) Body() (*RigidBody, error) {
	return onBar(&p.Lengths, &Links{L2: p.L1, L3: p.L2}, &p.Ends, 0, 0, "", "l1_m", "l2_m")
}

// ThreeActuators is three-actuators.
type ThreeActuators struct {
	Lengths `yaml:",inline"`
	Arms    `yaml:",inline"`
	L3      float64 `yaml:"l3_m" doc:"L3: height of the bar above the node, m; negative: below"`
	Ends    `yaml:",inline"`
}

// Body has x, y and rz.
func (p *ThreeActuators) Body() (*RigidBody, error) {
	return onBar(&p.Lengths, &Links{L2: p.L1, L3: p.L2}, &p.Ends, p.L3, 0, "", "l1_m", "l2_m")
}

// ThreeActuatorsJntOff2d is three-actuators-2d-joint-offset and inverted-v-brace-2d-joint-offset.
type ThreeActuatorsJntOff2d struct {
	Lengths `yaml:",inline"`
	Links   `yaml:",inline"`
	L6      float64 `yaml:"l6_m" doc:"L6: depth of the pin of actuator 3 below the bar, m"`
	Ends    `yaml:",inline"`
}

// Body has x, y and rz.
func (p *ThreeActuatorsJntOff2d) Body() (*RigidBody, error) {
	return onBar(&p.Lengths, &p.Links, &p.Ends, 0, p.L6, "l1_m", "l2_m", "l3_m", "l4_m", "l5_m", "l6_m")
}

// ThreeActuatorsJntOff is three-actuators-joint-offset.
type ThreeActuatorsJntOff struct {
	Lengths `yaml:",inline"`
	Links   `yaml:",inline"`
	L6      float64 `yaml:"l6_m" doc:"L6: height of the bar above the node, m; negative: below"`
	L7      float64 `yaml:"l7_m" doc:"L7: depth of the pin of actuator 3 below the bar, m"`
	Ends    `yaml:",inline"`
}

// Body has x, y and rz.
func (p *ThreeActuatorsJntOff) Body() (*RigidBody, error) {
	return onBar(&p.Lengths, &p.Links, &p.Ends, p.L6, p.L7, "l1_m", "l2_m", "l3_m", "l4_m", "l5_m", "l7_m")
}

// onBar are three actuators on a bar that stands at a height above the node. The keys are those of L1 to L5 and depth3.
func onBar(la *Lengths, l *Links, ends *Ends, height, depth3 float64, keys ...string) (*RigidBody, error) {
	out, wrong := side("pos_act1", ends.Pos)
	end := l.L3 + l.L4
	if out < 0 {
		end = -l.L1 - l.L2
	}
	y2, y3 := height-l.L5, height-depth3
	b, err := ends.body("x y rz", between(end+out*la.La1, height, end, height), between(-l.L2, y2-la.La2, -l.L2, y2),
		between(l.L3, y3-la.La3, l.L3, y3))
	wrong = cmp.Or(wrong, positive("la1_m", la.La1), positive("la2_m", la.La2), positive("la3_m", la.La3))
	lengths := []float64{l.L1, l.L2, l.L3, l.L4, l.L5, depth3}
	for i, key := range keys {
		if wrong == nil && lengths[i] < 0 {
			wrong = fmt.Errorf("%s is %g m: want 0 or more", key, lengths[i])
		}
	}
	return b, cmp.Or(wrong, positive(keys[1]+" + "+keys[2], l.L2+l.L3), err)
}

// FourActuators3d is four-actuators-3d.
type FourActuators3d struct {
	L1      float64 `yaml:"l1_m" doc:"L1: length of actuator 1, along x, m; left out: refused"`
	L2      float64 `yaml:"l2_m" doc:"L2: length of actuator 2, along y, m; left out: refused"`
	L3      float64 `yaml:"l3_m" doc:"L3: length of actuator 3, along x above actuator 1, m; left out: refused"`
	L4      float64 `yaml:"l4_m" doc:"L4: length of actuator 4, along y above actuator 2, m; left out: refused"`
	A1      float64 `yaml:"a1_m" doc:"a1: from the axis of z through the node to the pin of actuator 1, m"`
	A2      float64 `yaml:"a2_m" doc:"a2: the same of actuator 2, m"`
	A3      float64 `yaml:"a3_m" doc:"a3: the same of actuator 3, m"`
	A4      float64 `yaml:"a4_m" doc:"a4: the same of actuator 4, m"`
	H       float64 `yaml:"h_m" doc:"h: height of actuators 3 and 4 above the node, m; left out: refused"`
	Strokes `yaml:",inline"`
}

// Body has x, y, rx and ry.
func (p *FourActuators3d) Body() (*RigidBody, error) {
	lengths, arms := []float64{p.L1, p.L2, p.L3, p.L4}, []float64{p.A1, p.A2, p.A3, p.A4}
	wrong := positive("h_m", p.H)
	actuators := make([]RigidActuator, 4)
	for i := range actuators {
		base, pin := []float64{0, 0, 0}, []float64{0, 0, 0}
		if i >= 2 {
			base[2], pin[2] = p.H, p.H
		}
		base[i%2], pin[i%2] = -arms[i]-lengths[i], -arms[i]
		actuators[i].Base, actuators[i].Pin = base, pin
		wrong = cmp.Or(wrong, positive(fmt.Sprintf("l%d_m", i+1), lengths[i]))
		if wrong == nil && arms[i] < 0 {
			wrong = fmt.Errorf("a%d_m is %g m: want 0 or more", i+1, arms[i])
		}
	}
	b, err := p.body("x y rx ry", actuators...)
	return b, cmp.Or(wrong, err)
}

// between is an actuator in a plane from its base to its pin.
func between(bx, by, px, py float64) RigidActuator {
	return RigidActuator{RigidLink: RigidLink{Base: []float64{bx, by}, Pin: []float64{px, py}}}
}

// side is −1 on the left, 1 on the right.
func side(key, where string) (float64, error) {
	switch where {
	case left:
		return -1, nil
	case right:
		return 1, nil
	}
	return 1, fmt.Errorf("%s %q: want left or right", key, where)
}

func positive(key string, m float64) error {
	if m > 0 {
		return nil
	}
	return fmt.Errorf("%s is %g m: want more than 0", key, m)
}
