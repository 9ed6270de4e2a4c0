package scenario

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rths/criteria"
)

// Criteria are what a run is judged by beside J1 to J9. Each costs time in every
// tick, so they are off unless asked for.
type Criteria struct {
	FEI             bool    `yaml:"fei" doc:"frequency-domain evaluation index: amplitude, equivalent frequency, delay (Guo et al. 2014)"`
	Floors          bool    `yaml:"floors" doc:"absolute floor accelerations, inter-storey drifts and base shear, as channels with peaks and rms"`
	FloorSpectra    bool    `yaml:"floor_spectra" doc:"response spectra of the absolute floor accelerations, 0.02 to 5 s"`
	SpectrumDamping float64 `yaml:"spectrum_damping" doc:"damping ratio of the floor spectra, 0 or more, below 1"`
}

// criteria adds what the scenario asks for.
func (b *builder) criteria() error {
	want := b.s.Criteria
	if want.FEI {
		b.judgeBy(criteria.NewFEI(b.s.RateHz, b.run.Samples, 0, 1))
	}
	if !want.Floors && !want.FloorSpectra {
		return nil
	}
	if err := b.hasFloors(); err != nil {
		return err
	}
	if want.Floors {
		b.judgeBy(criteria.NewFloors(b.building()))
	}
	if !want.FloorSpectra {
		return nil
	}
	spectra, err := criteria.NewFloorSpectra(b.s.RateHz, want.SpectrumDamping, b.part.N())
	if err != nil {
		return err
	}
	b.judgeBy(spectra)
	b.run.Spectra = spectra
	return nil
}

// hasFloors wants every degree of freedom to move with the ground: then it can
// be taken for a floor.
func (b *builder) hasFloors() error {
	if b.part == nil {
		return errors.New("floors: a prescribed target has none: want a structure")
	}
	gamma := b.part.Whole.Gamma
	if _, components := gamma.Dims(); components != 1 {
		return fmt.Errorf("floors: %d components of ground motion: want one", components)
	}
	for i := range b.part.N() {
		if g := gamma.At(i, 0); g != 1 {
			return fmt.Errorf("floors: the ground motion moves degree of freedom %d by %g: want a structure whose degrees of freedom are floors, moved by 1", i+1, g)
		}
	}
	return nil
}

// building sums the columns of the numerical part's stiffness and damping: what
// reaches the ground.
func (b *builder) building() criteria.Building {
	of := criteria.Building{Specimen: b.s.InterfaceDOF - 1, Mass: b.spec.Mass()}
	if s := b.part.Sparse; s != nil {
		of.Stiffness, of.Damping = s.Sums()
		return of
	}
	for j := range b.part.N() {
		of.Stiffness = append(of.Stiffness, mat.Sum(b.part.K.ColView(j)))
		of.Damping = append(of.Damping, mat.Sum(b.part.C.ColView(j)))
	}
	return of
}
