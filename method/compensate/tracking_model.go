package compensate

import (
	"errors"
	"fmt"
	"slices"

	"rths/maths/lti"
	"rths/method/identify"
)

// TrackingModel is the plant x/u = 1/(a₀ + a₁s + …) that a feedback is designed for.
type TrackingModel struct {
	Model string    `yaml:"model,omitempty" doc:"where the model comes from: plant (inverse of the scenario's plant up to 20 Hz, with hold, delays and inner loop, of the largest order up to 3 that is stable), bare-transfer (power series of the inverse of the scenario's transfer system without specimen) or given (key a); left out: given if a is, else the first of plant and bare-transfer that there is, else given"`
	A     []float64 `yaml:"a,omitempty" doc:"the model's a0 (-), a1 (s), a2 (s²), a3 (s³), 2 to 4 numbers, all poles in the left half plane; default the four of Gálmez 2021, eq. 7.7, where there is no other model"`
}

// resolve fills in what was left open and returns the model.
func (p *TrackingModel) resolve(name string, at At) (lti.TF, error) {
	at.Ahead = 0 // the model is for the feedback
	m := MBC{Model: p.Model, A: p.A}
	if fromPlant := m.Model == "plant"; m.A == nil && (fromPlant || m.Model == "") {
		a, err := stableInverse(at)
		if err == nil {
			m.Model, m.A = "given", a
		} else if fromPlant {
			return lti.TF{}, fmt.Errorf("%s: model plant: %w", name, err)
		}
	}
	if err := m.resolveModel(name, at); err != nil {
		return lti.TF{}, err
	}
	p.Model, p.A = m.Model, m.A
	g, err := inverseOf(p.A)
	if err != nil {
		return lti.TF{}, fmt.Errorf("%s: model: %w", name, err)
	}
	if len(g.Den) < 2 {
		return lti.TF{}, fmt.Errorf("%s: the model %v has no lag: nothing to feed back, want a model with a lag", name, p.A)
	}
	slowest, err := rightmost(g)
	if err != nil {
		return lti.TF{}, fmt.Errorf("%s: model: %w", name, err)
	}
	if real(slowest) >= 0 {
		return lti.TF{},
			fmt.Errorf("%s: the model %v has a pole at %s rad/s: want all in the left half plane, as with fewer numbers in a",
				name, p.A, lti.PoleText(slowest))
	}
	return g, nil
}

// stableInverse are the numbers of the largest order up to 3 whose model is stable.
func stableInverse(at At) ([]float64, error) {
	for n := len(galmezA); n > 1; n-- {
		a, err := at.Start().Inverse(n, identify.ExactDerivative)
		if err != nil {
			return nil, err
		}
		g, err := inverseOf(a)
		if err != nil {
			return nil, err
		}
		if slowest, err := rightmost(g); err == nil && real(slowest) < 0 {
			return a, nil
		}
	}
	return nil, errors.New("the plant leads: no model with a lag fits it")
}

// inverseOf is 1/(a₀ + a₁s + …).
func inverseOf(a []float64) (lti.TF, error) {
	den := slices.Clone(a)
	slices.Reverse(den)
	return lti.NewTF([]float64{1}, den, 0)
}

// rightmost is the pole with the largest real part.
func rightmost(g lti.TF) (complex128, error) {
	poles, err := g.Poles()
	if err != nil {
		return 0, err
	}
	return slices.MaxFunc(poles, func(a, b complex128) int {
		if real(a) < real(b) {
			return -1
		}
		return 1
	}), nil
}
