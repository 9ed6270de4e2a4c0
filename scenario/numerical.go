package scenario

import (
	"fmt"

	"rths/integrate"
)

// TwoRate is the block two_rate: the integrator makes main steps of several samples
// (Zhu et al. 2014).
type TwoRate struct {
	MainStep  int                         `yaml:"main_step" doc:"samples of the loop in a main step of the integrator, at least 1"`
	Predictor Choice[integrate.Predictor] `yaml:"predictor" doc:"method that predicts the displacement at the end of a main step"`
	ForceFit  int                         `yaml:"force_fit,omitempty" doc:"number of samples of displacement and force in the fit that corrects the force (Ahmadizadeh et al. 2008); Zhu et al. 2014 take 8; 0: no correction"`
	Ground    string                      `yaml:"ground,omitempty" doc:"on a shake table, the ground's motion in the target: known (default), added at every sample; or predicted with the interface's, from main step to main step, as where the ground is measured during the test"`
}

func (t *TwoRate) prepare() {
	t.Predictor.kinds = integrate.Predictors
	if err := t.Predictor.Use("none"); err != nil {
		panic(err) // our own default
	}
}

func (b *builder) structure() (err error) {
	if !b.s.Target.Given() {
		b.run.Whole, err = b.s.Structure.Params.Make()
	}
	return err
}

// interfaceDOF takes the interface of the structure, unless the scenario names another.
func (b *builder) interfaceDOF() error {
	w, dof := b.run.Whole, &b.s.InterfaceDOF
	switch {
	case w == nil:
	case w.Interface > 0 && b.s.places["interface_dof"] == "" && *dof == 1:
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
		b.integ = integrate.NewPrescribed(b.shaking.Half, b.h)
		return nil
	}
	if b.s.TwoRate == nil {
		b.integ, err = b.s.Integrator.Params.Make(b.part, b.h)
	}
	return err
}

// twoRate makes the integrator of the numerical part, for main steps.
func (b *builder) twoRate() (err error) {
	if t := b.s.TwoRate; t != nil {
		o := integrate.TwoRate{Steps: t.MainStep, Predictor: t.Predictor.Params, ForceFit: t.ForceFit}
		switch {
		case b.s.onShakeTable() && t.Ground == predicted:
			o.Ground = integrate.GroundPredicted
		case b.s.onShakeTable():
			o.Ground = integrate.GroundKnown
		}
		b.integ, err = o.Make(b.s.Integrator.Params, b.part, b.h)
	} else if b.s.onShakeTable() {
		b.integ, err = integrate.NewAbsolute(b.integ, b.part, b.h)
	}
	return err
}
