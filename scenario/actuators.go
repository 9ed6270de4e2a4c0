package scenario

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/compensate"
	"rths/criteria"
	"rths/integrate"
	"rths/lti"
	"rths/plant"
	"rths/rig"
	"rths/structure"
)

// Actuator is what one of several actuators has of its own.
type Actuator struct {
	Compensator Choice[compensate.Maker] `yaml:"compensator" doc:"its compensator, of one axis"`
}

func (a *Actuator) tables() { a.Compensator.table = compensate.Kinds }

// UseEach sets one compensator for each actuator, all of one kind.
func (s *Scenario) UseEach(kind string, makers ...compensate.Maker) {
	s.Each = nil
	for _, m := range makers {
		s.Each = append(s.Each, Actuator{Choice[compensate.Maker]{Kind: kind, Params: m, table: compensate.Kinds}})
	}
}

// Axes is the number of actuators: those of the coupler, or one.
func (s *Scenario) Axes() int {
	if !s.Coupler.Given() {
		return 1
	}
	_, n := s.Coupler.Params.Axes()
	return n
}

// couple makes the coupler. Several actuators hold a structure with a partition of
// its own, by forces recovered from their displacements.
func (b *builder) couple() (err error) {
	divided, ok := b.s.Structure.Params.(structure.Divided)
	_, frame := b.s.Specimen.Params.(*plant.FrameSpecimen)
	switch {
	case !b.s.Coupler.Given() && (ok || frame):
		return fmt.Errorf("missing: a structure or specimen of kind marths is held by several actuators: want one of %s", b.s.Coupler.names())
	case !b.s.Coupler.Given():
		return nil
	case !ok || !frame:
		return fmt.Errorf("%s couples several actuators with structure %s and specimen %s: want both of kind marths", b.s.Coupler.Kind, b.s.Structure.Kind, b.s.Specimen.Kind)
	case b.s.TwoRate != nil:
		return errors.New("two_rate is for one actuator: leave it out")
	case b.s.table():
		return fmt.Errorf("interface_motion %s is for one actuator: leave it out", b.s.Motion)
	case len(b.s.Initial) > 0:
		return errors.New("several actuators cannot be brought to an initial_displacement: want a ground motion or forces")
	case b.s.places["interface_dof"] != "":
		return errors.New("interface_dof means nothing beside it: structure marths has an interface of its own: leave it out")
	}
	b.divided = divided
	b.coupler, err = b.s.Coupler.Params.Make()
	return err
}

// divideFrame takes the numerical part out as the structure says.
func (b *builder) divideFrame() (err error) {
	b.part, err = b.divided.Divide(b.run.Whole)
	return err
}

// wantClosing: rotations without mass, and forces of the same sample.
func (b *builder) wantClosing() error {
	if b.divided != nil && !b.integ.Closing() {
		return fmt.Errorf("%s: structure %s has coordinates without mass and is advanced with the force of the same sample: want average-acceleration", b.s.Integrator.Kind, b.s.Structure.Kind)
	}
	return nil
}

// frameRig is a rig of several actuators with the forces of the frame specimen.
func (b *builder) frameRig() error {
	x, err := b.s.Sensors.AxisGauges(b.s.Axes(), b.h, b.s.Seed, b.convert)
	if err != nil {
		return err
	}
	frame, ok := b.spec.(plant.Recoverable)
	if !ok {
		return fmt.Errorf("specimen %s: want one whose forces follow from its motion", b.s.Specimen.Kind)
	}
	bare := b.faulty(rig.NewVirtual(b.plant, b.convert.Command, x, nil))
	recovered, err := rig.NewRecovered(bare, b.coupler, frame, b.s.RateHz)
	if err == nil {
		b.theRig, b.forces = recovered, recovered.Forces()
	}
	return err
}

// makeCompensator makes the compensator of one or several actuators, and the inner
// loop inside it.
func (s *Scenario) makeCompensator() (rths.Compensator, error) {
	at := s.compensatorAt()
	outer, err := s.outerCompensator(at)
	if err != nil || s.Inner == (compensate.InnerPI{}) {
		return outer, err
	}
	return s.Inner.Around(outer, at)
}

func (s *Scenario) outerCompensator(at compensate.At) (rths.Compensator, error) {
	if n := len(s.Each); n > 0 && n != at.Axes {
		return nil, fmt.Errorf("%d compensators under each: want %d, one for each actuator", n, at.Axes)
	}
	_, many := s.Compensator.Params.(compensate.ManyAxes)
	if len(s.Each) == 0 && (at.Axes == 1 || many) {
		return s.Compensator.Params.Make(at)
	}
	one := at
	one.Axes, one.Model = 1, nil
	var parts []rths.Compensator
	for i := range at.Axes {
		maker := s.Compensator.Params
		if len(s.Each) > 0 {
			maker = s.Each[i].Compensator.Params
		}
		if _, all := maker.(compensate.ManyAxes); all && at.Axes > 1 {
			if _, none := maker.(*compensate.None); !none {
				return nil, fmt.Errorf("compensator %d of each takes all actuators at once: want it under compensator", i+1)
			}
		}
		c, err := maker.Make(one)
		if err != nil {
			return nil, fmt.Errorf("actuator %d: %w", i+1, err)
		}
		parts = append(parts, c)
	}
	return compensate.Each(parts...)
}

// nominalModel is the control plant without the scatter of a trial: commands to
// displacements.
func (s *Scenario) nominalModel() (lti.SS, error) {
	m, err := s.modelOfPlant()
	if err != nil {
		return lti.SS{}, err
	}
	if m.DelayS > 0 {
		return lti.SS{}, fmt.Errorf("transfer system %s delays its commands by %g ms: want one without a pure delay", s.Transfer.Kind, m.DelayS*1e3)
	}
	n, inputs, _ := m.SS.Dims()
	axes := s.Axes()
	return lti.NewSS(m.SS.A, m.SS.B, mat.DenseCopyOf(m.SS.C.Slice(0, axes, 0, n)), mat.DenseCopyOf(m.SS.D.Slice(0, axes, 0, inputs)), 0)
}

// targetsAlone is compensate.At.Alone: the numerical part by itself, in small motion of
// the coupler.
func (s *Scenario) targetsAlone() func(hz float64) ([]complex128, error) {
	var part *structure.Partition
	var lever *mat.Dense
	return func(hz float64) ([]complex128, error) {
		if part == nil {
			var err error
			if part, lever, err = s.numericalAlone(); err != nil {
				return nil, err
			}
		}
		q, err := part.Response(hz)
		if err != nil {
			return nil, err
		}
		axes, coordinates := lever.Dims()
		out := make([]complex128, axes)
		for i := range out {
			for j := range coordinates {
				out[i] += complex(lever.At(i, j), 0) * q[j]
			}
		}
		return out, nil
	}
}

// numericalAlone is the numerical part, and displacements of the actuators per
// coordinate of the interface about rest.
func (s *Scenario) numericalAlone() (*structure.Partition, *mat.Dense, error) {
	divided, ok := s.Structure.Params.(structure.Divided)
	if !ok {
		return nil, nil, fmt.Errorf("structure %s has no partition of its own", s.Structure.Kind)
	}
	whole, err := s.Structure.Params.Make()
	if err != nil {
		return nil, nil, err
	}
	part, err := divided.Divide(whole)
	if err != nil {
		return nil, nil, err
	}
	coupler, err := s.Coupler.Params.Make()
	if err != nil {
		return nil, nil, err
	}
	coordinates, axes := s.Coupler.Params.Axes()
	const small = 1e-6 // m, rad: far above rounding, far below any curvature
	lever := mat.NewDense(axes, coordinates, nil)
	q, x := rths.NewMotion(coordinates), rths.NewMotion(axes)
	for j := range coordinates {
		q.X[j] = small
		coupler.Axes(&x, &q)
		q.X[j] = 0
		for i, v := range x.X {
			lever.Set(i, j, v/small)
		}
	}
	return part, lever, nil
}

func (s *Scenario) modelOfPlant() (plant.Model, error) {
	if t, ok := s.Transfer.Params.(plant.Nominal); ok {
		return t.Nominal()
	}
	t, ok := s.Transfer.Params.(plant.Modelled)
	if !ok {
		return plant.Model{}, fmt.Errorf("transfer system %s has no linear model", s.Transfer.Kind)
	}
	spec, err := s.Specimen.Params.Make()
	if err != nil {
		return plant.Model{}, err
	}
	return t.Model(spec)
}

// frameReferences are the voltages of the actuators, and both references of a closed
// loop: the undivided structure, and numerical part and specimen as one.
func (b *builder) frameReferences() error {
	if w, ok := b.s.Transfer.Params.(plant.Wired); ok {
		for _, c := range w.Channels() {
			per, at := c.Volts()
			b.judged.Volts = append(b.judged.Volts, criteria.Volts{PerM: per, At: at})
		}
	}
	if b.s.Loop == "open" {
		return nil
	}
	whole, err := b.undividedFrame()
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
	for _, w := range b.divided.Watched() {
		b.judged.Points = append(b.judged.Points, criteria.Point{Name: w.Name, DOF: w.DOF, Sign: w.Sign})
	}
	b.judged.Reference, b.judged.Monolithic = whole, mono
	return nil
}

// undividedFrame is the response of the undivided structure.
func (b *builder) undividedFrame() (criteria.Reference, error) {
	return integrate.NewAverageReference(b.part.Whole.Undivided(), b.h)
}

// CompensatorSettings are the parameters of the compensator as made, one line, or one
// for every actuator that has its own.
func (s *Scenario) CompensatorSettings() ([]string, error) {
	s = s.clone()
	if _, err := s.makeCompensator(); err != nil {
		return nil, s.At("compensator", err)
	}
	if len(s.Each) == 0 {
		line, err := s.Compensator.Settings()
		return []string{line}, err
	}
	var out []string
	for i := range s.Each {
		line, err := s.Each[i].Compensator.Settings()
		if err != nil {
			return nil, err
		}
		out = append(out, fmt.Sprintf("actuator %d %s", i+1, line))
	}
	return out, nil
}
