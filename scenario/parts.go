package scenario

import (
	"context"
	"errors"
	"fmt"
	"math"

	"rths"
	"rths/model/plant"
	"rths/model/structure"
)

// physical draws the random plant the scenario asks for, and makes the specimen.
func (s *Scenario) physical() (*builder, error) {
	b := s.builder(Options{})
	return b, b.make(part{"perturbed", b.perturb}, part{b.s.specimenKey(), b.specimen})
}

// MakeSpecimen makes the specimen alone, drawn at random if the scenario is perturbed.
func (s *Scenario) MakeSpecimen() (plant.Specimen, error) {
	b, err := s.physical()
	return b.spec, err
}

// ControlPlant is PlantModel with the specimen of the scenario.
func (s *Scenario) ControlPlant() (plant.Model, error) {
	specimen, err := s.MakeSpecimen()
	if err != nil {
		return plant.Model{}, err
	}
	return s.PlantModel(specimen)
}

// PlantModel is the continuous linear model of the transfer system with a specimen, in
// SI units; a nil specimen gives the transfer system alone. A yielding specimen enters
// with its small motion. A nonlinear transfer system is an error.
func (s *Scenario) PlantModel(specimen plant.Specimen) (plant.Model, error) {
	b, err := s.physical()
	if err != nil {
		return plant.Model{}, err
	}
	t, ok := b.drawn.transferMaker().(plant.Modelled)
	if !ok {
		return plant.Model{}, s.At(s.TransferKey(), fmt.Errorf("%s has no linear model, and so no frequency response",
			s.TransferKind()))
	}
	specimen = plant.AtRest(specimen)
	if plant.Follows(b.drawn.transferMaker()) {
		specimen = nil // the displacement does not depend on the specimen, and the force of a mass would be unbounded
	}
	m, err := t.Model(specimen)
	if err != nil {
		return plant.Model{}, s.At(s.TransferKey(), err)
	}
	if _, inputs, _ := m.SS.Dims(); inputs != s.Axes() {
		return plant.Model{}, s.At(s.TransferKey(), fmt.Errorf("%s has %d axes: want %d", s.TransferKind(), inputs, s.Axes()))
	}
	return m, nil
}

// DrawnPlant is what the random plant of the scenario draws, also if nothing can be built of it.
func (s *Scenario) DrawnPlant() []rths.Value {
	b := s.builder(Options{})
	_ = b.perturb() // what is refused was drawn all the same
	return b.run.Drawn
}

// PerturbedPlant is a copy of the scenario with the n-th random plant.
func (s *Scenario) PerturbedPlant(n int) *Scenario {
	out := s.clone()
	out.Perturbed = n
	return out
}

// With is a copy of the scenario with some keys set, as in With("timing.target=next").
func (s *Scenario) With(sets ...string) (*Scenario, error) {
	text, err := s.YAML()
	if err != nil {
		return nil, err
	}
	out, err := Parse(s.Source(), []byte(text), s.baseDir, sets)
	if err != nil {
		return nil, err
	}
	out.Origin = s.Origin // for messages: of the file, not of the copy
	return out, nil
}

func (s *Scenario) wantClosed() error {
	if s.External() != nil {
		return s.At("structure", errOutside)
	}
	if s.Target.Given() || s.Loop == "open" {
		return s.At("loop", errors.New("the loop is open, nothing is fed back: want a closed loop to check its stability"))
	}
	return nil
}

// AtRest is the closed loop of the scenario without excitation (zeros, where a structure is reduced), indicators,
// limits, expect, faults and network, for questions on the loop alone, such as its stability. AtRest reads no
// records, and refuses an open loop.
func (s *Scenario) AtRest(ctx context.Context) (*Run, error) {
	if err := s.wantClosed(); err != nil {
		return nil, err
	}
	if s.Slow() {
		return nil, s.At("pace", errSlow)
	}
	if s.TwoRate != nil && s.TwoRate.ForceFit > 0 {
		return nil, s.At("two_rate",
			errors.New("force_fit: the correction is not linear about rest: leave it out to check the loop's stability"))
	}
	if s.Passivity != nil {
		return nil, s.At("passivity",
			errors.New("the damper is not linear about rest: leave it out to check the loop's stability"))
	}
	if err := s.WantUnloaded(); err != nil {
		return nil, err
	}
	still := s.clone()
	// a reduction keeps the degrees of freedom of forces, and is judged by the ground motion
	if still.Initial = nil; still.Reduce == nil {
		still.MoreGround, still.Forces = nil, nil
	}
	still.Indicators, still.Limits, still.Faults, still.Expect = Indicators{}, Limits{}, nil, nil
	if still.TwoRate != nil { // the same target
		still.TwoRate.Process, still.TwoRate.Late = "", 0
	}
	if still.Rig.Given() {
		still.Rig.Params.Network = nil // the sample of the rig's clock stays
	}
	return still.Build(ctx, Options{Shaking: &Shaking{Samples: 1, Half: make([]float64, 3*max(1, len(still.sources())))}})
}

// Partition divides the structure, and gives mass (kg), damping (N·s/m) and stiffness
// (N/m) of the specimen; of a nonlinear specimen, of its tangent at rest. The error
// of a specimen with states of its own is a *NoTangent.
func (s *Scenario) Partition() (p *structure.Partition, m, c, k float64, err error) {
	if err := s.wantClosed(); err != nil {
		return nil, 0, 0, 0, err
	}
	b, err := s.physical()
	if err != nil {
		return nil, 0, 0, 0, err
	}
	if err := b.make(b.numerical()...); err != nil {
		return nil, 0, 0, 0, err
	}
	m, c, k, err = b.boundary.tangent(b)
	return b.part, m, c, k, err
}

// Opened is the loop opened: in gives the targets, which pass compensator (frozen at its
// initial parameters), hold, transfer system, specimen and sensors, without noise,
// converters and saturation. Opened has no ground motion, structure, integrator and fallback.
func (s *Scenario) Opened(in rths.Integrator, samples int) (*rths.Loop, error) {
	b, err := s.physical()
	if err != nil {
		return nil, err
	}
	b.s.dropFallback()
	b.s.Initial = nil // the loop starts at rest
	err = b.make(part{"coupler", b.couple}, part{b.s.TransferKey(), b.transfer}, part{"converters", b.converters},
		part{"sensors", b.rig}, part{"compensator", b.compensator})
	if err != nil {
		return nil, err
	}
	timing := s.timing()
	timing.ForcePredict = 0 // no force is fed back
	loop, err := rths.NewLoop(rths.Config{
		RateHz: s.RateHz, Samples: samples, Timing: timing, Open: true, Axes: s.Axes(), Forces: b.forces,
		Accelerometers: s.accelerometers(),
		DivergedM:      math.Inf(1), // the caller judges the growth
		Integrator:     in, Compensator: b.comp, Rig: b.theRig, Truth: true,
	})
	if err != nil {
		return nil, s.At("timing", err)
	}
	loop.Freeze(true)
	loop.Idealise(true)
	return loop, nil
}
