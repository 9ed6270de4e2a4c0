package scenario

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/method/criteria"
	"rths/model/integrate"
	"rths/model/plant"
	"rths/model/structure"
)

// oneDOF is a boundary at one degree of freedom, with one actuator and its load cell.
type oneDOF struct{}

func (oneDOF) size() (coordinates, actuators, loadCells int) { return 1, 1, 1 }

func (oneDOF) couple(s *Scenario) (rths.Coupler, error) {
	_, divided := s.Structure.Params.(structure.Divided)
	_, frame := s.Specimen.Params.(*plant.FrameSpecimen)
	if divided || frame {
		return nil, fmt.Errorf("missing: a structure or specimen of kind marths is held by several actuators: want one of %s",
			s.Coupler.Names())
	}
	return nil, nil
}

// divide takes a linear or yielding specimen out of the structure; any other specimen
// stands beside the structure. A specimen that is heavier or stiffer than the structure is
// refused: the numerical part would not stand by itself. An undivided structure neither
// loses a specimen nor carries its mass.
func (oneDOF) divide(b *builder) (*structure.Partition, error) {
	dof, whole := b.place(b.s.InterfaceDOF-1), b.run.Whole
	m, c, k, within := plant.Within(b.spec)
	switch {
	case b.s.OnShakeTable() && within && !b.s.Undivided:
		return nil, fmt.Errorf("%s, which is taken out of the structure, with interface_motion %s: want one that stands on "+
			"a table, such as frame or tuned-mass-damper", b.s.Specimen.Kind, b.s.Motion)
	case b.s.OnShakeTable():
		return b.onShakeTable(dof)
	case b.s.Undivided:
		return whole.Attach(dof, 0)
	case !within:
		return whole.Attach(dof, b.spec.Mass())
	}
	if err := b.wantOneYielding(b.s.Specimen.Kind, b.spec, alongOne(b)); err != nil {
		return nil, err
	}
	if err := b.bare.WantRoom(b.s.InterfaceDOF-1, m, k); err != nil {
		return nil, fmt.Errorf("%w%s", err, floor(b.s, b.s.InterfaceDOF))
	}
	return whole.Divide(dof, m, c, k)
}

// floor names the floor of a shear frame that a degree of freedom is, counted from 1.
func floor(s *Scenario, dof int) string {
	_, shear := s.Structure.Params.(*structure.Shear)
	switch {
	case !shear:
		return ""
	case dof == 1:
		return " (degree of freedom 1 is floor 1, on storey 1)"
	}
	return fmt.Sprintf(" (degree of freedom %d is floor %d, on storeys 1 to %d)", dof, dof, dof)
}

// onShakeTable puts the specimen on a shake table. The motion is absolute: the measured force
// has all inertia of the specimen, so the numerical part gets no mass.
func (b *builder) onShakeTable(dof int) (*structure.Partition, error) {
	part, err := b.run.Whole.Attach(dof, 0)
	if err == nil && b.s.Motion == freeField {
		return b.freeField(part)
	}
	return part, err
}

// NoTangent is the error of a partition without a delay equation: no mass, damping and
// stiffness describe its specimen at rest.
type NoTangent struct {
	Why  string // within a sentence, after "as"
	text string
}

// Error says why, and what to do.
func (e *NoTangent) Error() string { return e.text }

func (oneDOF) inertia(b *builder) (m, c *mat.Dense, err error) {
	mass, damping := carried(b.spec)
	return mat.NewDense(1, 1, []float64{mass}), mat.NewDense(1, 1, []float64{damping}), nil
}

func (oneDOF) moves(*builder, int) bool { return true }

func (oneDOF) stiffness(b *builder) (*mat.Dense, error) {
	return mat.NewDense(1, 1, []float64{initialStiffness(b.spec)}), nil
}

// carried is mass and viscous damping of a specimen that the numerical part of a slow test carries: the damping of one
// that stands beside the structure is a law of its own, and stays with it.
func carried(spec plant.Specimen) (m, c float64) {
	if m, c, _, within := plant.Within(spec); within {
		return m, c
	}
	return spec.Mass(), 0
}

func (oneDOF) tangent(b *builder) (m, c, k float64, err error) {
	if m, c, k, ok := plant.Within(b.spec); ok { // a yielding specimen: its small motion
		return m, c, k, nil
	}
	if n := b.spec.States(); n > 0 {
		text := fmt.Sprintf(
			"it has states of its own (%d), and no mass, damping and stiffness describe it: want a specimen without states, "+
				"such as linear", n)
		return 0, 0, 0, b.s.At("specimen", &NoTangent{"the specimen has states of its own", text})
	}
	const small = 1e-7 // m, m/s
	slope := func(x, v float64) float64 {
		f := func(sign float64) float64 {
			motion, force := rths.NewMotion(1), []float64{0}
			motion.X[0], motion.V[0] = sign*x, sign*v
			b.spec.Rate(nil, force, nil, &motion)
			return force[0]
		}
		return (f(1) - f(-1)) / (2 * small)
	}
	c, k = slope(0, small), slope(small, 0)
	if s, ok := b.spec.(plant.Steep); ok {
		if most, _, _ := s.Steepest(); most > k*(1+1e-6) {
			text := fmt.Sprintf("it has %.4g N/m at rest and up to %.4g N/m in motion, and no stiffness describes it: ask with "+
				"specimen={kind: linear, stiffness: %.4g}, which it is at most", k, most, most)
			return 0, 0, 0, b.s.At("specimen", &NoTangent{"the specimen is stiffer in motion than at rest", text})
		}
	}
	return b.spec.Mass(), c, k, nil
}

// compare sets the reference: the undivided structure, or numerical part and specimen
// integrated together. Sparse structures have none: the reference takes the matrix
// exponential of a dense one.
func (o oneDOF) compare(b *builder) error {
	if none := noReference(b); none != "" {
		b.run.Notes = append(b.run.Notes, none)
		return nil
	}
	b.judged.Floors, b.judged.Interface = b.part.N(), b.s.InterfaceDOF-1
	if b.s.Reduce != nil { // modal coordinates are no floors
		b.judged.Floors, b.judged.Interface = 1, 0
	}
	var err error
	b.judged.Reference, err = o.reference(b)
	return err
}

// noReference is why there is no reference response to compare with; empty where there is one.
func noReference(b *builder) string {
	switch {
	case slices.ContainsFunc(b.s.Specimens, func(p Placed) bool { return len(p.Lean) > 0 }):
		return "no reference response with a specimen that leans: criteria J4 to J9 are missing"
	case b.part.Sparse != nil:
		return fmt.Sprintf(
			"no reference response for a %s of %d degrees of freedom held as sparse matrices: criteria J4 to J9 are missing",
			b.s.Structure.Kind, b.part.N())
	case !b.shown():
		return b.notShown() + ": criteria J4 to J9 are missing"
	}
	return ""
}

func (oneDOF) reference(b *builder) (criteria.Reference, error) {
	if _, linear := b.spec.(plant.Linear); linear {
		return b.together(nil)
	}
	return b.together([]integrate.Element{{Specimen: b.spec, Along: alongOne(b), Absolute: b.s.OnShakeTable()}})
}

// alongOne is the deformation of the specimen at the interface.
func alongOne(b *builder) []float64 {
	out := make([]float64, b.run.Whole.N)
	out[b.place(b.s.InterfaceDOF-1)] = 1
	return out
}

func (oneDOF) forces(_ *builder, bare rths.Rig) (rths.Rig, int, error) { return bare, 1, nil }

func (oneDOF) alone(*Scenario) func(hz float64) ([]complex128, error) { return nil }
