package scenario

import (
	"errors"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
	"rths/method/combine"
	"rths/method/compensate"
	"rths/model/plant"
	"rths/scenario/syntax"
)

// Actuator is the block of one of several actuators.
type Actuator struct {
	Compensator syntax.Choice[compensate.Maker] `yaml:"compensator,omitempty" doc:"compensator of this actuator, of one axis"`
	Fallback    *Fallback                       `yaml:"fallback,omitempty" doc:"fallback of this actuator's compensator"`

	Transfer syntax.Choice[plant.TransferMaker] `yaml:"transfer,omitempty" doc:"transfer system of this actuator, of one axis"`
}

// Prepare sets the tables of the choices.
func (a *Actuator) Prepare() {
	a.Compensator, a.Transfer = syntax.NewChoice(compensators), syntax.NewChoice(plant.Transfers)
}

// eachCompensates and eachMoves report whether every actuator has its own compensator, or
// transfer system, under each.
func (s *Scenario) eachCompensates() bool {
	return len(s.Each) > 0 && s.Each[0].Compensator.Given()
}

func (s *Scenario) eachMoves() bool { return len(s.Each) > 0 && s.Each[0].Transfer.Given() }

// wantEach makes room for a block of every actuator.
func (s *Scenario) wantEach(n int) {
	for len(s.Each) < n {
		var a Actuator
		a.Prepare()
		s.Each = append(s.Each, a)
	}
}

// Compensates reports whether the scenario states a compensator, be it none.
func (s *Scenario) Compensates() bool {
	return s.Place("compensator") != "" || s.eachCompensates()
}

// CompensatorKind is the kind of compensator, or all kinds where each actuator has its own.
// It is "none" if the commands are the targets.
func (s *Scenario) CompensatorKind() string {
	if !s.eachCompensates() {
		return s.Compensator.Kind
	}
	return kindsOf(s.Each, func(a Actuator) string { return a.Compensator.Kind })
}

// Uncompensated is a copy of the scenario whose commands are the targets.
func (s *Scenario) Uncompensated() (*Scenario, error) {
	out := s.clone()
	if !out.eachMoves() {
		out.Each = nil
	}
	for i := range out.Each {
		out.Each[i].Compensator.Kind, out.Each[i].Compensator.Params = "", nil
	}
	out.dropFallback()
	return out, out.Compensator.Use("none")
}

// checkEach wants the same keys in all blocks.
func (s *Scenario) checkEach(want func(key string, ok bool, format string, args ...any)) {
	want("each", !s.eachCompensates() || s.Place("compensator") == "", "beside compensator: want one or the other")
	want("each", !s.eachMoves() || s.Place("transfer") == "", "beside transfer: want one or the other")
	want("each", !s.eachMoves() || len(s.Interface) > 0,
		"transfer systems of several actuators without interface: want interface, the degrees of freedom that they hold")
	for i, a := range s.Each {
		key := fmt.Sprintf("each[%d]", i+1)
		want(key, a.Compensator.Given() || a.Transfer.Given(), "nothing in it: want compensator, transfer or both")
		want(key, a.Compensator.Given() == s.Each[0].Compensator.Given(),
			"compensator in one block and not in another: want it in all blocks of each, or in none")
		want(key, a.Transfer.Given() == s.Each[0].Transfer.Given(),
			"transfer in one block and not in another: want it in all blocks of each, or in none")
	}
}

// UseEach sets one compensator for each actuator, all of one kind.
func (s *Scenario) UseEach(kind string, makers ...compensate.Maker) {
	s.wantEach(len(makers))
	for i, m := range makers {
		s.Each[i].Compensator = syntax.NewChoice(compensators)
		s.Each[i].Compensator.Kind, s.Each[i].Compensator.Params = kind, m
	}
}

func (b *builder) compensator() error {
	read, err := b.s.readModules(b.o.Shared, b.s.OwnMethods())
	if err != nil {
		return err
	}
	b.run.Inputs = append(b.run.Inputs, read...)
	b.comp, err = b.s.makeCompensator()
	b.run.compensator = b.comp
	return err
}

// makeCompensator makes the compensator, and the inner loop inside it.
func (s *Scenario) makeCompensator() (rths.Compensator, error) {
	if _, err := s.readModules(nil, s.OwnMethods()); err != nil {
		return nil, err
	}
	at := s.compensatorAt()
	s.giveEach(at.Axes)
	outer, err := s.outerCompensator(at)
	if err != nil || s.Inner == (combine.InnerPI{}) {
		return outer, err
	}
	return s.Inner.Around(outer, at)
}

// leaveInner leaves the inner loop of the file out where --set names a compensator that closes the loop itself.
func (s *Scenario) leaveInner() {
	set := func(key string) bool { return strings.HasPrefix(s.Place(key), "--set ") }
	_, own := s.Compensator.Params.(compensate.OwnLoop)
	if own && s.Inner != (combine.InnerPI{}) && set("compensator.kind") && !set("inner_loop") && !set("inner_loop.kp") &&
		!set("inner_loop.ki") {
		s.Inner, s.innerLeft = combine.InnerPI{}, true
	}
}

// outerCompensator is one compensator for all actuators, or one for each. One of several
// gets no model of the plant: the model couples all actuators.
func (s *Scenario) outerCompensator(at compensate.At) (rths.Compensator, error) {
	if n := len(s.Each); n > 0 && n != at.Axes {
		return nil, s.At("each", fmt.Errorf("%d blocks: want %d, one for each actuator", n, at.Axes))
	}
	makers := s.compensators()
	if len(makers) == 1 {
		at.Plant = s.plantSeen(0)
		c, err := makers[0].Make(at)
		if err != nil {
			return nil, s.atCompensator(0, err)
		}
		return s.withFallback("fallback", c, makers[0], s.Fallback, at)
	}
	at.Axes, at.Model = 1, nil
	var parts []rths.Compensator
	for i, m := range makers {
		if _, none := m.(*compensate.None); takesAll(m) && !none {
			return nil, s.atCompensator(i,
				errors.New("takes all actuators at once: want it under the key compensator, without each"))
		}
		at.Plant, at.BareInverse, at.Delay, at.Loaded = s.plantSeen(i), s.bareInverse(i), s.pureDelay(i),
			plant.Loaded(s.transferOf(i))
		c, err := m.Make(at)
		if err != nil {
			return nil, s.atCompensator(i, err)
		}
		if c, err = s.withFallback(s.fallbackKey(i), c, m, s.Each[i].Fallback, at); err != nil {
			return nil, err
		}
		parts = append(parts, c)
	}
	return compensate.Each(parts...)
}

// giveEach gives every one of several actuators a compensator of its own, whose maker fills
// in what its actuator needs.
func (s *Scenario) giveEach(axes int) {
	if axes == 1 || !s.eachCompensates() && takesAll(s.Compensator.Params) {
		return
	}
	if !s.eachCompensates() {
		s.wantEach(axes)
		for i := range s.Each {
			s.Each[i].Compensator = s.clone().Compensator
		}
	}
	for i := range s.Each {
		if s.Fallback != nil {
			s.Each[i].Fallback = s.clone().Fallback
		}
	}
	s.Fallback = nil
}

// compensators are the makers of every actuator's compensator, or one that takes all
// actuators at once.
func (s *Scenario) compensators() (makers []compensate.Maker) {
	if !s.eachCompensates() {
		return []compensate.Maker{s.Compensator.Params}
	}
	for _, a := range s.Each {
		makers = append(makers, a.Compensator.Params)
	}
	return makers
}

func takesAll(m compensate.Maker) bool {
	if c, ok := m.(*Chain); ok {
		return c.chain().TakesAll()
	}
	_, ok := m.(compensate.ManyAxes)
	return ok
}

// compensatorAt describes the test to the compensator, with the nominal plant: a
// laboratory knows no other.
func (s *Scenario) compensatorAt() compensate.At {
	rating := s.Rating()
	at := compensate.At{RateHz: s.RateHz, Axes: s.Axes(), Alone: s.boundary().alone(s),
		Noise: s.Sensors.DisplacementSD(s.RateHz), Stroke: rating.Stroke, Rate: rating.Rate,
		Accelerometer: s.Sensors.Acceleration, AccelerationNoise: s.Sensors.AccelerationNoise}
	if s.Timing.Target == "next" {
		at.Lead = 1
	}
	if s.TwoRate != nil {
		at.MainStep = s.TwoRate.MainStep
	}
	if _, ok := s.transferMaker().(plant.Modelled); ok {
		at.Model = s.nominalModel
	}
	at.BareInverse, at.Delay, at.Loaded = s.bareInverse(0), s.pureDelay(0), plant.Loaded(s.transferOf(0))
	return at
}

// bareInverse is compensate.At.BareInverse of actuator i.
func (s *Scenario) bareInverse(i int) func(n int) ([]float64, error) {
	if s.Inner != (combine.InnerPI{}) {
		return nil
	}
	return s.inverseOf(i)
}

// pureDelay is compensate.At.Delay of actuator i. A transfer system whose model fails is found
// where its plant is made.
func (s *Scenario) pureDelay(i int) float64 {
	t, ok := s.transferOf(i).(plant.Modelled)
	if !ok || s.Inner != (combine.InnerPI{}) {
		return 0
	}
	m, err := t.Model(nil)
	if err != nil {
		return 0
	}
	return m.Delay(0)
}

// inverseOf is the inverse series of the transfer system of actuator i; nil: there is none.
func (s *Scenario) inverseOf(i int) func(n int) ([]float64, error) {
	if inv, ok := s.transferOf(i).(plant.Inverter); ok {
		return inv.BareInverse
	}
	return nil
}

// transferOf is the transfer system of actuator i, or one of all actuators.
func (s *Scenario) transferOf(i int) plant.TransferMaker {
	t := s.transferMaker()
	if all, ok := t.(*plant.Actuators); ok {
		return all.Each[i]
	}
	return t
}

// nominalModel is the control plant without the scatter of a trial: commands to
// displacements.
func (s *Scenario) nominalModel() (lti.SS, error) {
	m, err := s.modelOfPlant()
	if err != nil {
		return lti.SS{}, err
	}
	n, inputs, _ := m.SS.Dims()
	for i := range inputs {
		if delay := m.Delay(i); delay > 0 {
			return lti.SS{}, fmt.Errorf("transfer system %s delays its commands by %g ms: want one without a pure delay",
				s.TransferKind(), delay*1e3)
		}
	}
	axes := s.Axes()
	return lti.NewSS(m.SS.A, m.SS.B, mat.DenseCopyOf(m.SS.C.Slice(0, axes, 0, n)),
		mat.DenseCopyOf(m.SS.D.Slice(0, axes, 0, inputs)), 0)
}

// atStart is the transfer system of the start of the run.
func atStart(t plant.TransferMaker) plant.TransferMaker {
	if v, ok := t.(plant.Varied); ok {
		return v.Start()
	}
	return t
}

// modelOfPlant is the linear model of the plant for compensators of several actuators: in small motion from rest.
func (s *Scenario) modelOfPlant() (plant.Model, error) {
	if t, ok := s.transferMaker().(plant.Nominal); ok {
		return t.Nominal()
	}
	t, ok := atStart(s.transferMaker()).(plant.Modelled)
	if !ok {
		return plant.Model{}, fmt.Errorf("transfer system %s has no linear model", s.TransferKind())
	}
	maker, err := s.specimenMaker()
	if err != nil {
		return plant.Model{}, err
	}
	spec, err := maker.Make()
	if err != nil {
		return plant.Model{}, err
	}
	return t.Model(plant.AtRest(spec))
}

// CompensatorSettings are the parameters of the compensator with all defaults filled in:
// one line, or one line for each actuator with a compensator of its own.
func (s *Scenario) CompensatorSettings() ([]string, error) {
	s = s.clone()
	if _, err := s.makeCompensator(); err != nil {
		return nil, s.At("compensator", err)
	}
	if !s.eachCompensates() {
		line, err := s.Compensator.Settings()
		return []string{line}, err
	}
	out := make([]string, len(s.Each))
	var errs []error
	for i, a := range s.Each {
		line, err := a.Compensator.Settings()
		out[i], errs = fmt.Sprintf("actuator %d %s", i+1, line), append(errs, err)
	}
	return out, errors.Join(errs...)
}

// CompensatorChannels returns the channels of the compensator. Their names are columns
// in an archive. A compensator without parameters is an error.
func (s *Scenario) CompensatorChannels() ([]rths.Channel, error) {
	s = s.clone()
	s.dropFallback() // its channels are no parameters of the compensator
	comp, err := s.makeCompensator()
	if err != nil {
		return nil, s.At("compensator", err)
	}
	c, ok := rths.As[rths.Channeler](comp)
	if !ok {
		return nil, s.At("compensator", errors.New(s.CompensatorKind()+" has no parameters"))
	}
	return c.Channels(), nil
}
