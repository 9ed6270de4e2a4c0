package scenario

import (
	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/method/criteria"
	"rths/model/structure"
)

// boundary is the interface of numerical part and specimen: one degree of freedom
// (oneDOF), several degrees of freedom (several), or a node of a frame (frameNode). All other parts take the number of
// actuators as a length.
type boundary interface {
	size() (coordinates, actuators, loadCells int)

	// couple refuses blocks of the scenario that the boundary has no use for, and makes
	// the coupler; nil: the actuator stands at the coordinate itself.
	couple(s *Scenario) (rths.Coupler, error)

	// divide gives the numerical part of the undivided structure.
	divide(b *builder) (*structure.Partition, error)

	// inertia is mass and viscous damping of the specimen, a row and a column for each interface coordinate, that the
	// numerical part of a slow test carries.
	inertia(b *builder) (m, c *mat.Dense, err error)

	// moves reports whether the numerical part moves a specimen, from 0: in some only forces are kept.
	moves(b *builder, specimen int) bool

	// stiffness is the initial stiffness of the specimen, as inertia.
	stiffness(b *builder) (k *mat.Dense, err error)

	// tangent is mass, damping and stiffness of the specimen at rest.
	tangent(b *builder) (m, c, k float64, err error)

	// forces gives a rig the forces of the specimen, and says how many.
	forces(b *builder, bare rths.Rig) (rths.Rig, int, error)

	// reference is a fresh reference response; compare judges a closed loop by it.
	reference(b *builder) (criteria.Reference, error)
	compare(b *builder) error

	// alone is compensate.At.Alone.
	alone(s *Scenario) func(hz float64) ([]complex128, error)
}

// boundary alone asks whether there are several actuators, and how they are coupled.
func (s *Scenario) boundary() boundary {
	if len(s.Interface) > 0 {
		at := make([]int, len(s.Interface))
		for i, dof := range s.Interface {
			at[i] = dof - 1
		}
		return &several{at, s.Coupler.Params, s.coordinates(), s.moved()}
	}
	if s.Coupler.Given() {
		divided, _ := s.Structure.Params.(structure.Divided)
		return &frameNode{s.Coupler.Params, divided}
	}
	return oneDOF{}
}

// Axes is the number of actuators.
func (s *Scenario) Axes() int {
	_, n, _ := s.boundary().size()
	return n
}

// Shape is how the structure is drawn, and the degree of freedom, from 0, that each actuator holds; −1: it moves
// several. There is none (nil) of a structure whose places are not known.
func (s *Scenario) Shape() (shape *structure.Shape, held []int, err error) {
	shape, err = structure.ShapeOf(s.Structure.Params)
	if err != nil || shape == nil {
		return nil, nil, err
	}
	switch b := s.boundary().(type) {
	case *several:
		if b.coupler == nil && b.all == len(b.at) {
			return shape, b.at, nil
		}
	case oneDOF:
		return shape, []int{s.InterfaceDOF - 1}, nil
	}
	held = make([]int, s.Axes())
	for i := range held {
		held[i] = -1
	}
	return shape, held, nil
}
