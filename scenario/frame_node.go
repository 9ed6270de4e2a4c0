package scenario

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/lab/rig"
	"rths/method/criteria"
	"rths/model/integrate"
	"rths/model/plant"
	"rths/model/structure"
)

// frameNode is a boundary at a node that coupled actuators hold. The structure brings
// its own partition, and the forces of the specimen are recovered from the measured
// displacements.
type frameNode struct {
	coupler   plant.CouplerMaker
	structure structure.Divided // nil: the structure has no partition of its own
}

func (n *frameNode) size() (coordinates, actuators, loadCells int) {
	coordinates, actuators = n.coupler.Axes()
	return coordinates, actuators, 0
}

func (n *frameNode) couple(s *Scenario) (rths.Coupler, error) {
	_, frame := s.Specimen.Params.(*plant.FrameSpecimen)
	switch {
	case n.structure == nil || !frame:
		return nil, fmt.Errorf("%s couples several actuators with structure %s and specimen %s: want both of kind marths; "+
			"for other structures want interface and the coupler linear or rigid-body", s.Coupler.Kind, s.Structure.Kind, s.Specimen.Kind)
	case s.Undivided:
		return nil, errors.New("undivided has no effect with structure marths, which has its own partition: " +
			"leave it out")
	case s.TwoRate != nil:
		return nil, errors.New("two_rate makes main steps with a leading integrator, and structure marths has coordinates " +
			"without mass, which only average-acceleration integrates, a closing one: leave two_rate out, or take an " +
			"interface of degrees of freedom with mass")
	case s.OnShakeTable():
		return nil, fmt.Errorf("interface_motion %s: the forces of specimen marths are recovered from its motion relative "+
			"to the ground: leave it out", s.Motion)
	case len(s.Initial) > 0:
		return nil, errors.New("initial_displacement: average-acceleration, which structure marths needs, does not start " +
			"away from rest: want a ground motion or forces, or an interface of degrees of freedom with mass")
	case s.Place("interface_dof") != "":
		return nil, errors.New("interface_dof has no effect with it: structure marths has an interface of its own: " +
			"leave it out")
	}
	c, err := n.coupler.Make(s.RateHz)
	if body, ok := n.coupler.(*plant.RigidBody); ok && err == nil {
		if !slices.Equal(body.Coordinates, []string{"x", "rz"}) || len(body.Instruments) > 0 || body.Platform != nil {
			return nil, errors.New("structure marths has the coordinates x and rz: want these, no instruments and no platform")
		}
		c = &nodeForces{c}
	}
	return c, err
}

// nodeForces is a coupler between readings whose forces act at the node already.
type nodeForces struct{ rths.Coupler }

// Interface brings displacements to the node, and passes forces unchanged.
func (c *nodeForces) Interface(iface, axes *rths.Reading) {
	moved, at := *axes, *iface
	moved.F, moved.TrueF, at.F, at.TrueF = nil, nil, nil, nil
	c.Coupler.Interface(&at, &moved)
	copy(iface.F, axes.F)
	copy(iface.TrueF, axes.TrueF)
}

// Unwrap is the coupler inside.
func (c *nodeForces) Unwrap() any { return c.Coupler }

func (n *frameNode) divide(b *builder) (*structure.Partition, error) {
	return n.structure.Divide(b.run.Whole)
}

func (*frameNode) moves(*builder, int) bool { return true }

func (*frameNode) stiffness(*builder) (*mat.Dense, error) { return nil, errNoNode }

var errNoNode = errors.New("a slow pace with a coupler of a node is not there: want linear or rigid-body, or no coupler")

func (*frameNode) inertia(*builder) (m, c *mat.Dense, err error) {
	return nil, nil, errNoNode
}

func (*frameNode) tangent(*builder) (m, c, k float64, err error) {
	return 0, 0, 0, &NoTangent{"it has several actuators",
		"the delay equation is of one actuator: with several, judge by the whole loop below"}
}

func (*frameNode) forces(b *builder, bare rths.Rig) (rths.Rig, int, error) {
	recovered, err := rig.NewRecovered(bare, b.coupler, b.spec.(plant.Recoverable), b.s.RateHz)
	if err != nil {
		return nil, 0, err
	}
	return recovered, recovered.Forces(), nil
}

// compare is with both references: the undivided structure, and numerical part and
// specimen as one.
func (n *frameNode) compare(b *builder) error {
	whole, err := n.reference(b)
	if err != nil {
		return err
	}
	m, c, k, err := b.spec.(plant.Recoverable).Matrices()
	if err != nil {
		return err
	}
	joined, err := b.part.Joined(m, c, k)
	if err != nil {
		return err
	}
	mono, err := integrate.NewAverageReference(joined, b.h)
	if err != nil {
		return err
	}
	for _, w := range n.structure.Watched() {
		b.judged.Points = append(b.judged.Points, criteria.Point{Name: w.Name, DOF: w.DOF, Sign: w.Sign, Unit: w.Unit})
	}
	b.judged.Reference, b.judged.Monolithic = whole, mono
	return nil
}

func (*frameNode) reference(b *builder) (criteria.Reference, error) {
	return integrate.NewAverageReference(b.part.Whole.Undivided(), b.h)
}

// alone is the response of the numerical part by itself, in small motion of the coupler.
func (n *frameNode) alone(s *Scenario) func(hz float64) ([]complex128, error) {
	return aloneOf(func() (*structure.Partition, *mat.Dense, error) { return n.numerical(s) })
}

// aloneOf is the response of a numerical part by itself, at the actuators. The first call
// makes the numerical part.
func aloneOf(make func() (*structure.Partition, *mat.Dense, error)) func(hz float64) ([]complex128, error) {
	var part *structure.Partition
	var lever *mat.Dense
	return func(hz float64) ([]complex128, error) {
		if part == nil {
			var err error
			if part, lever, err = make(); err != nil {
				return nil, err
			}
		}
		q, err := part.Response(hz)
		if err != nil {
			return nil, err
		}
		axes, coordinates := lever.Dims()
		var out []complex128
		for i := range axes {
			sum := complex(0, 0)
			for j := range coordinates {
				sum += complex(lever.At(i, j), 0) * q[j]
			}
			out = append(out, sum)
		}
		return out, nil
	}
}

// numerical is the numerical part, and the displacements of the actuators per
// coordinate of the interface about rest.
func (n *frameNode) numerical(s *Scenario) (*structure.Partition, *mat.Dense, error) {
	b := s.builder(Options{})
	if err := b.make(part{"coupler", b.couple}, part{"structure", b.structure}, part{"specimen", b.divide}); err != nil {
		return nil, nil, err
	}
	lever, err := n.coupler.Lever()
	return b.part, lever, err
}
