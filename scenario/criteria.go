package scenario

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rths/method/criteria"
)

// Criteria is the block criteria: the keys of every row of criteria.Kinds side by side,
// as in {fei: true, spectrum_damping: 0.02}.
type Criteria struct {
	Rows []criteria.Maker `yaml:",inline"`
}

// allCriteria are the rows with their defaults.
func allCriteria() (c Criteria) {
	for _, k := range criteria.Kinds {
		c.Rows = append(c.Rows, k.Defaults())
	}
	return c
}

// hasFloors wants a structure in which the ground moves every degree of freedom by 1: its
// degrees of freedom are floors.
func (b *builder) hasFloors() error {
	if b.s.Axes() > 1 {
		return errors.New("floors and floor_spectra are for one actuator: want them off")
	}
	if b.s.External() != nil {
		return errors.New("the floors of an external structure are in its analysis: want floors and floor_spectra off")
	}
	if b.part == nil {
		return errors.New("a prescribed target has no floors: want a structure")
	}
	if !b.shown() {
		return fmt.Errorf("floors: %s: want floors and floor_spectra off, or no process: own", b.notShown())
	}
	if b.s.Reduce != nil {
		return errors.New(
			"floors and floor_spectra are for the floors of a structure, and a reduced one has modal coordinates in their " +
				"place: want them off, or no reduce")
	}
	gamma := b.part.Whole.Gamma
	if _, components := gamma.Dims(); components != 1 {
		return fmt.Errorf("floors: %d components of ground motion: want one", components)
	}
	for i := range b.part.N() {
		if g := gamma.At(i, 0); g != 1 {
			return fmt.Errorf(
				"floors: the ground motion moves degree of freedom %d by %g: want a structure whose degrees of freedom are "+
					"floors, moved by 1", i+1, g)
		}
	}
	return nil
}

// building sums the columns of the numerical part's stiffness and damping: the column
// sums give the base shear.
func (b *builder) building() (of criteria.Building, err error) {
	if err := b.hasFloors(); err != nil {
		return of, err
	}
	for i := range b.part.Devices {
		if d := &b.part.Devices[i]; d.Down < 0 {
			return of, fmt.Errorf("floors: %s on the ground has a law of its own, so that no sum over the stiffness matrix is "+
				"the base shear: want floors off, and the channels of the record with the force of %s", d.Name(), d.Name())
		}
	}
	of = criteria.Building{Specimen: b.s.InterfaceDOF - 1, Mass: b.spec.Mass()}
	if b.s.Slow() { // the measured force has this much of its inertia
		t, err := b.s.tempo()
		if err != nil {
			return of, err
		}
		inertia, _ := t.left(b.s.RateHz)
		of.Mass *= inertia
	}
	if s := b.part.Sparse; s != nil {
		of.Stiffness, of.Damping = s.Sums()
		return of, nil
	}
	for j := range b.part.N() {
		of.Stiffness = append(of.Stiffness, mat.Sum(b.part.K.ColView(j)))
		of.Damping = append(of.Damping, mat.Sum(b.part.C.ColView(j)))
	}
	return of, nil
}
