package scenario

import (
	"rths/integrate"
)

// TwoRate has the integrator make main steps of several samples, as where a
// second computer integrates (Zhu et al. 2014).
type TwoRate struct {
	MainStep  int                         `yaml:"main_step" doc:"samples of the loop in a main step of the integrator, at least 1"`
	Predictor Choice[integrate.Predictor] `yaml:"predictor" doc:"how the displacement at the end of a main step is predicted"`
	ForceFit  int                         `yaml:"force_fit,omitempty" doc:"samples that displacement and force are fitted through to correct the force (Ahmadizadeh et al. 2008 as in Zhu et al. 2014): 8 there; 0: no correction"`
}

func (t *TwoRate) tables() {
	t.Predictor.table = integrate.Predictors
	if err := t.Predictor.Use("none"); err != nil {
		panic(err) // our own default
	}
}

// twoRate makes the integrator of the numerical part, for main steps.
func (b *builder) twoRate() (err error) {
	if t := b.s.TwoRate; t != nil {
		o := integrate.TwoRate{Steps: t.MainStep, Predictor: t.Predictor.Params, ForceFit: t.ForceFit}
		b.integ, err = o.Make(b.s.Integrator.Params, b.part, b.h)
	}
	if err == nil && b.s.table() { // the table adds its ground motion at the rate of the loop
		b.integ, err = integrate.NewAbsolute(b.integ, b.part, b.h)
	}
	return err
}
