package plant

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rths"
)

// CouplerMaker is the maker interface of the table Couplers.
type CouplerMaker interface {
	Make(rateHz float64) (rths.Coupler, error) // rateHz: readings in a second
	Axes() (iface, actuators int)
	// Lever is the displacements of the actuators per unit of each interface coordinate, at rest: a row for each actuator.
	Lever() (*mat.Dense, error)
}

// Couplers is the table of couplers: how actuators hold the interface of the
// numerical part.
var Couplers = []rths.Kind[CouplerMaker]{
	{
		Name: "frame",
		Doc: "two parallel actuators on a beam with an arm each: displacement and rotation of the node; defaults are " +
			"the multi-axial benchmark's",
		Ref:      "Condori Uribe et al. 2023, benchmark package",
		Defaults: func() CouplerMaker { return &FrameCoupler{Arm: 0.26670, Offset: 0.127} },
	},
	{
		Name: "linear",
		Doc: "actuators whose displacements are linear in the interface coordinates, by their matrix; for the key " +
			"interface",
		Ref:      "virtual work",
		Defaults: func() CouplerMaker { return &LinearCoupler{Matrix: [][]float64{{1, 0}, {0, 1}}} },
	},
	{
		Name: "rigid-body",
		Doc: "actuators at any places of a rigid body, in a plane or in space, with large rotations; for the key " +
			"interface",
		Ref: "virtual work; Newton's method; the set-ups of OpenFresco by the key setup",
		Defaults: func() CouplerMaker {
			return &RigidBody{Coordinates: []string{"x", "rz"}, Actuators: []RigidActuator{
				{RigidLink: RigidLink{Base: []float64{-2, -0.5}, Pin: []float64{-0.5, -0.5}}},
				{RigidLink: RigidLink{Base: []float64{-2, 0.5}, Pin: []float64{-0.5, 0.5}}}}}
		},
	},
	{
		Name: "aggregate",
		Doc:  "several rigid bodies at one interface, the coordinates of each in order; OpenFresco's ESAggregator",
		Ref:  "expSetup Aggregator tag -setup tags",
		Defaults: func() CouplerMaker {
			actuator := func(x, y float64) RigidActuator {
				return RigidActuator{RigidLink: RigidLink{Direction: []float64{x, y}, Pin: []float64{0, 0}}}
			}
			return &Aggregate{Of: []RigidBody{{Coordinates: []string{"x"}, Actuators: []RigidActuator{actuator(1, 0)}},
				{Coordinates: []string{"y"}, Actuators: []RigidActuator{actuator(0, 1)}}}}
		},
	},
}

// FrameCoupler are two parallel actuators that hold a rigid coupler at (arm, ∓offset)
// from the controlled node (docs/reference/benchmark-multiaxial.md, Kinematics): with
// d = √(arm² + offset²) and α = ∓atan(offset/arm) of actuators 1 and 2
//
//	x_i = x + d (cos(θ + α_i) − cos α_i)
//	θ = asin[(x₁ − x₂)/(2 d sin α₂)],  x = x₁ − d (cos(α₁ + θ) − cos α₁)
//
// exact both ways. (The package has the sine in place of θ in the last cosine; the
// difference is d sin α θ³/6.) Linear takes x_1,2 = x ± offset θ. Beyond |sin θ| = 1
// there is no θ: Interface then gives NaN, and Reach says how far.
type FrameCoupler struct {
	Arm    float64 `yaml:"arm_m" doc:"distance of the actuators' ends from the node across their direction, m"`
	Offset float64 `yaml:"offset_m" doc:"half the distance of the actuators, m; not 0"`
	Linear bool    `yaml:"linear,omitempty" doc:"linear kinematics: x₁ = x + b θ, x₂ = x − b θ, with b = offset_m"`
}

// Lengths that a frame in a laboratory can have, m.
const (
	leastOffset = 1e-6
	mostArm     = 1e3
)

// Axes: displacement and rotation, two actuators.
func (*FrameCoupler) Axes() (iface, actuators int) { return 2, 2 }

// Lever is x₁ = x + b θ, x₂ = x − b θ.
func (p *FrameCoupler) Lever() (*mat.Dense, error) {
	return mat.NewDense(2, 2, []float64{1, p.Offset, 1, -p.Offset}), nil
}

// Make checks the geometry.
func (p *FrameCoupler) Make(float64) (rths.Coupler, error) {
	if offset := math.Abs(p.Offset); !(math.Abs(p.Arm) <= mostArm && offset >= leastOffset && offset <= mostArm) {
		return nil, fmt.Errorf("frame coupler: arm_m %g, offset_m %g: want lengths up to %g m and an offset of at least %g "+
			"m, without it the actuators cannot turn the node", p.Arm, p.Offset, mostArm, leastOffset)
	}
	if p.Linear {
		return &linearFrame{p.Offset}, nil
	}
	return &exactFrame{sin: p.Offset, cos: p.Arm}, nil
}

// exactFrame is the rigid frame between node and actuators, without small-angle
// approximation.
type exactFrame struct {
	sin, cos float64 // d sin α₂ and d cos α, m: offset and arm
}

// Axes turns the node's motion into the actuators'.
func (f *exactFrame) Axes(axes, iface *rths.Motion) {
	x, theta := iface.X[0], iface.X[1]
	sin, cos := math.Sincos(theta)
	// d cos(θ ∓ α) = d cos α cos θ ± d sin α sin θ; 1 − cos θ by the half angle.
	half := math.Sin(theta / 2)
	drop := -2 * f.cos * half * half
	axes.X[0], axes.X[1] = x+drop+f.sin*sin, x+drop-f.sin*sin
	if len(axes.V) < 2 || len(iface.V) < 2 {
		return
	}
	// d/dθ of d cos(θ + α_i), and its negative second derivative.
	g1, g2 := -f.cos*sin+f.sin*cos, -f.cos*sin-f.sin*cos
	h1, h2 := f.cos*cos+f.sin*sin, f.cos*cos-f.sin*sin
	v, w, a, b := iface.V[0], iface.V[1], iface.A[0], iface.A[1]
	axes.V[0], axes.V[1] = v+g1*w, v+g2*w
	axes.A[0], axes.A[1] = a+g1*b-h1*w*w, a+g2*b-h2*w*w
}

// Interface turns the actuators' displacements into the node's. Forces pass unchanged:
// they act at the node already.
func (f *exactFrame) Interface(iface, axes *rths.Reading) {
	iface.X[0], iface.X[1] = f.node(axes.X[0], axes.X[1])
	if len(axes.TrueX) == 2 && len(iface.TrueX) == 2 {
		iface.TrueX[0], iface.TrueX[1] = f.node(axes.TrueX[0], axes.TrueX[1])
	}
	copy(iface.F, axes.F)
	copy(iface.TrueF, axes.TrueF)
}

func (f *exactFrame) node(x1, x2 float64) (x, theta float64) {
	theta = math.Asin((x1 - x2) / (2 * f.sin))
	half := math.Sin(theta / 2)
	return (x1+x2)/2 + 2*f.cos*half*half, theta
}

// Reach says whether the actuators stand where the node can follow.
func (f *exactFrame) Reach(axes []float64) error {
	if s := (axes[0] - axes[1]) / (2 * f.sin); math.Abs(s) > 1 {
		return &OutOfReach{Sine: s, Axes: [2]float64{axes[0], axes[1]}, Limit: math.Abs(2 * f.sin)}
	}
	return nil
}

// OutOfReach is the error of actuators that stand too far apart: a run that has
// diverged.
type OutOfReach struct {
	Sine  float64    // of the rotation
	Axes  [2]float64 // m
	Limit float64    // m, of their difference
}

// Error says where they stand.
func (e *OutOfReach) Error() string {
	return fmt.Sprintf(
		"kinematics: actuators at %.4g m and %.4g m: the sine of the rotation is %.4g, want −1 to 1: less than %.4g m "+
			"between them", e.Axes[0], e.Axes[1], e.Sine, e.Limit)
}

// linearFrame is the same for small rotations.
type linearFrame struct{ offset float64 }

func (f *linearFrame) Axes(axes, iface *rths.Motion) {
	pair := func(to, from []float64) {
		if len(to) == 2 && len(from) == 2 {
			to[0], to[1] = from[0]+f.offset*from[1], from[0]-f.offset*from[1]
		}
	}
	pair(axes.X, iface.X)
	pair(axes.V, iface.V)
	pair(axes.A, iface.A)
}

func (f *linearFrame) Interface(iface, axes *rths.Reading) {
	pair := func(to, from []float64) {
		if len(to) == 2 && len(from) == 2 {
			to[0], to[1] = (from[0]+from[1])/2, (from[0]-from[1])/(2*f.offset)
		}
	}
	pair(iface.X, axes.X)
	pair(iface.TrueX, axes.TrueX)
	copy(iface.F, axes.F)
	copy(iface.TrueF, axes.TrueF)
}
