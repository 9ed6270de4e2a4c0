package scenario

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"rths"
	"rths/model/integrate"
	"rths/scenario/syntax"
)

// TwoRate is the block two_rate: the integrator makes main steps of several samples
// (Zhu et al. 2014).
type TwoRate struct {
	MainStep int `yaml:"main_step" doc:"samples of the loop in a main step of the integrator, at least 1"`

	Predictor syntax.Choice[integrate.Predictor] `yaml:"predictor" doc:"method that predicts the displacement at the end of a main step"`
	ForceFit  int                                `yaml:"force_fit,omitempty" doc:"number of samples of displacement and force in the fit that corrects the force (Ahmadizadeh et al. 2008); Zhu et al. 2014 take 8; 0: no correction"`
	Ground    string                             `yaml:"ground,omitempty" doc:"on a shake table, the ground's motion in the target: known (default), added at every sample; or predicted with the interface's, from main step to main step, as where the ground is measured during the test"`
	Process   string                             `yaml:"process,omitempty" doc:"own: in a test the main steps are made by a process of its own, on another processor, with all of a main step of time; num_* of the record are then a main step late; left out: the loop makes them, within a sample"`
	Late      int                                `yaml:"late,omitempty" doc:"process own: main steps for which the target goes on predicted while a result is missing; at the next one the guard acts as on a value that is not finite; 1 to 100, default 1"`
}

// ownProcess is the process of its own for the numerical part.
const ownProcess = "own"

// defaultLate is late where the scenario leaves it open.
const defaultLate = 1

// Separate reports whether the numerical part has a process of its own.
func (s *Scenario) Separate() bool { return s.TwoRate != nil && s.TwoRate.Process == ownProcess }

func (t *TwoRate) check(s *Scenario, want func(key string, ok bool, format string, args ...any)) {
	want("two_rate", slices.Contains([]string{"", known, predicted}, t.Ground), "ground %q: want known or predicted",
		t.Ground)
	want("two_rate", t.Ground == "" || s.OnShakeTable(),
		"ground %q without a shake table: want interface_motion absolute or free-field, or no ground", t.Ground)
	want("two_rate", t.ForceFit == 0 || s.Timing.ForceDelay == 0,
		"force_fit %d beside a force_delay of %d samples: want displacement and force of the same sample", t.ForceFit,
		s.Timing.ForceDelay)
	want("two_rate", t.ForceFit == 0 || s.Timing.ForcePredict == 0,
		"force_fit %d beside force_predict %g: want displacement and force of the same sample", t.ForceFit,
		s.Timing.ForcePredict)
	want("two_rate", t.Process == "" || t.Process == ownProcess,
		"process %q: want own, or leave it out for the process of the loop", t.Process)
	want("two_rate.late", s.Place("two_rate.late") == "" && t.Late == 0 || t.Late >= 1 && t.Late <= integrate.MostLate,
		"%d: want 1 to %d main steps, or no key for 1", t.Late, integrate.MostLate)
	want("two_rate", t.Late == 0 || t.Process == ownProcess,
		"late without process: own, and the loop has every result in time: leave late out, or add process: own")
}

// Prepare sets the table and the default of the predictor.
func (t *TwoRate) Prepare() {
	t.Predictor = syntax.NewChoice(integrate.Predictors)
	if err := t.Predictor.Use("none"); err != nil {
		panic(err) // our own default
	}
}

// numerical are the parts from the structure to the numerical part, after the part of the specimen. All
// that look at the numerical part make the same ones: a reduction keeps the degrees of freedom of forces.
func (b *builder) numerical() []part {
	return []part{
		{"structure", b.structure}, {"more_ground", b.moreGround}, {"forces", b.push}, {"initial_displacement", b.initial},
		{"interface_dof", b.interfaceDOF}, {"devices", b.devices}, {"reduce", b.reduce}, {b.s.specimenKey(), b.divide}, {"pace", b.carry},
	}
}

func (b *builder) structure() (err error) {
	if b.s.Target.Given() || b.s.External() != nil {
		return nil
	}
	if b.matrices, err = b.s.ReadMatrices(b.o.Shared); err != nil {
		return err
	}
	b.run.Inputs = append(b.run.Inputs, b.matrices...)
	b.run.Whole, err = b.s.Structure.Params.Make()
	return err
}

// interfaceDOF takes the interface of the structure, unless the scenario names another.
func (b *builder) interfaceDOF() error {
	w, dof := b.run.Whole, &b.s.InterfaceDOF
	switch {
	case w == nil:
	case w.Interface > 0 && b.s.Place("interface_dof") == "" && *dof == 1:
		*dof = w.Interface + 1
	case *dof < 1 || *dof > w.N:
		return fmt.Errorf("%d: want 1 to %d, counted from 1", *dof, w.N)
	}
	return nil
}

// divide makes the numerical part, what the drawn specimen leaves of the structure. A
// prescribed target has none.
func (b *builder) divide() error {
	if b.run.Whole == nil {
		return nil
	}
	return b.ofPlant(func(*Scenario) (err error) {
		b.part, err = b.boundary.divide(b)
		return err
	})
}

func (b *builder) integrator() (err error) {
	if b.s.Target.Given() {
		b.integ = integrate.PrescribedEach(b.shaking.Half, len(b.s.sources()), b.h)
		return nil
	}
	if b.s.External() != nil {
		return b.outside()
	}
	if b.s.TwoRate == nil {
		b.integ, err = b.s.Integrator.Params.Make(b.part, b.dt)
	}
	if err != nil && b.s.Slow() {
		err = fmt.Errorf("%w; in a slow test 1/pace.dt_s is the rate of steps", err)
	}
	return err
}

// twoRate makes the integrator of the numerical part, for main steps.
func (b *builder) twoRate() (err error) {
	switch {
	case b.s.TwoRate != nil:
		o := b.mainSteps()
		o.Exchange = b.o.Numerical
		if b.integ, err = o.Make(b.s.Integrator.Params, b.part, b.h); err == nil {
			b.run.calculator, _ = rths.As[*integrate.Calculator](b.integ)
			b.wantFewLate()
		}
	case b.s.OnShakeTable():
		b.integ, err = integrate.NewAbsolute(b.integ, b.part, b.h)
	}
	return err
}

// mainSteps are the settings of the integrator for main steps.
func (b *builder) mainSteps() *integrate.TwoRate {
	t := b.s.TwoRate
	o := &integrate.TwoRate{Steps: t.MainStep, Predictor: t.Predictor.Params, ForceFit: t.ForceFit}
	switch {
	case b.s.OnShakeTable() && t.Ground == predicted:
		o.Ground = integrate.GroundPredicted
	case b.s.OnShakeTable():
		o.Ground = integrate.GroundKnown
	}
	if b.s.Separate() {
		t.Late = b.s.LateMainSteps()
		o.Own, o.Late = true, t.Late
	}
	return o
}

// LateMainSteps is how many results of a numerical part in a process of its own may be missing.
func (s *Scenario) LateMainSteps() int {
	if s.TwoRate.Late == 0 {
		return defaultLate
	}
	return s.TwoRate.Late
}

// MainSteps are the calculating half that the loop was built with, and the samples of a main step.
func (r *Run) MainSteps() (*integrate.Calculator, int) {
	return r.calculator, r.Scenario.TwoRate.MainStep
}

// Together is a fresh run with the numerical part in the process of the loop: it has the same targets, and
// not the states of an exchange.
func (r *Run) Together(ctx context.Context) (*Run, error) {
	s := r.Scenario.clone()
	s.TwoRate.Process, s.TwoRate.Late = "", 0
	return s.Build(ctx, Options{Shaking: r.Shaking})
}

// mostLateWell is how many main steps a prediction goes on without a result before it runs away.
const mostLateWell = 4

// wantFewLate warns of a prediction that goes on for many main steps.
func (b *builder) wantFewLate() {
	t := b.s.TwoRate
	if _, holds := t.Predictor.Params.(*integrate.NoPrediction); t.Late > mostLateWell && !holds {
		b.run.Warnings = append(b.run.Warnings,
			fmt.Sprintf("two_rate: late %d: without results %s goes on for %d main steps, %.3g s, and runs away: want at most "+
				"%d, or predictor none, which holds", t.Late, t.Predictor.Kind, t.Late, float64(t.Late*t.MainStep)/b.s.RateHz,
				mostLateWell))
	}
}

// Calculator is the calculating half of the numerical part by itself, for a process of its own
// (Options.Numerical of the loop), and the samples of a main step.
func (s *Scenario) Calculator(o Options) (calc *integrate.Calculator, steps int, err error) {
	if !s.Separate() {
		return nil, 0, s.At("two_rate", errors.New("no process: own: want it for a numerical part in a process of its own"))
	}
	b := s.builder(o)
	b.shaking = &Shaking{} // the loop brings the ground with every main step
	parts := append([]part{{"coupler", b.couple}, {"perturbed", b.perturb}, {b.s.specimenKey(), b.specimen}},
		b.numerical()...)
	err = b.make(append(parts, part{"two_rate", func() error {
		calc, err = b.mainSteps().Calculator(b.s.Integrator.Params, b.part, b.h)
		return err
	}})...)
	return calc, b.s.TwoRate.MainStep, err
}

// shown reports whether the frame has the motion of the numerical part: a process of its own gives no more than
// integrate.MostShown degrees of freedom.
func (b *builder) shown() bool { return !b.s.Separate() || b.part.N() <= integrate.MostShown }

// notShown says so.
func (b *builder) notShown() string {
	return fmt.Sprintf(
		"a numerical part of %d degrees of freedom in a process of its own, which gives the motion of at most %d", b.part.N(),
		integrate.MostShown)
}
