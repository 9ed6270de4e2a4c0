package compensate

import (
	"fmt"

	"rths"
	"rths/maths/signal"
	"rths/method/identify"
)

// MBC is model-based feedforward (Carrion and Spencer 2007; Phillips and Spencer
// 2012, 2013). The control plant is taken as x/u = 1/(a₃s³ + a₂s² + a₁s + a₀), the
// command is its inverse,
//
//	u = a₀ x + a₁ ẋ + a₂ ẍ + a₃ x⃛
//
// with x, ẋ, ẍ of the target. A test that integrates the numerical part knows velocity
// and acceleration: mbc uses them directly, without the lag and noise of differences.
// The jerk is the difference quotient of the last two accelerations, half a sample late.
//
// Not for: plants whose parameters are not known or move (see amb), and plants with a
// resonance inside the band of the inverse.
type MBC struct {
	Model       string    `yaml:"model,omitempty" doc:"where the model comes from: bare-transfer (power series of the inverse of the scenario's transfer system without specimen), plant (inverse of the scenario's plant up to 20 Hz, inner loop included) or given (key a); left out: given if a is, else the first of bare-transfer and plant that there is, else given"`
	A           []float64 `yaml:"a,omitempty" doc:"the model's a0 (-), a1 (s), a2 (s²), a3 (s³), 1 to 4 numbers; default the four of Gálmez 2021, eq. 7.7, where there is no other model"`
	Derivatives string    `yaml:"derivatives" doc:"target (the target's own velocity and acceleration) or backward (backward differences of its displacement)"`
}

// Make resolves model and derivatives.
func (p *MBC) Make(at At) (rths.Compensator, error) {
	f, err := p.feedforward("mbc", at)
	if err != nil {
		return nil, err
	}
	c := &mbc{f: f}
	if p.Derivatives == "target" {
		return mbcRates{c}, nil
	}
	return c, nil
}

// feedforward resolves what the parameters left open; name is the kind's.
func (p *MBC) feedforward(name string, at At) (*feedforward, error) {
	if err := p.resolveModel(name, at); err != nil {
		return nil, err
	}
	if p.Derivatives != "target" && p.Derivatives != "backward" {
		return nil, fmt.Errorf("%s: derivatives %q: want target or backward", name, p.Derivatives)
	}
	f := &feedforward{h: 1 / at.RateHz, past: signal.NewLine(len(galmezA)), backward: p.Derivatives == "backward"}
	copy(f.a[:], p.A)
	for i := range f.diff {
		copy(f.diff[i][:], signal.Difference(i, f.h))
	}
	return f, nil
}

func (p *MBC) resolveModel(name string, at At) error {
	if p.Model == "" {
		p.Model = p.leftOpen(at)
	}
	switch {
	case (p.Model == "bare-transfer" || p.Model == "plant") && p.A != nil:
		return fmt.Errorf("%s: model %s and a: want one of them", name, p.Model)
	case p.Model == "plant":
		c, err := p.inverse(at)
		if err != nil {
			return fmt.Errorf("%s: model plant: %w", name, err)
		}
		p.A, p.Model = c, "given"
	case p.Model == "bare-transfer":
		if at.BareInverse == nil {
			return fmt.Errorf(
				"%s: model bare-transfer: this transfer system has no model to expand, or an inner loop around it: want model "+
					"given and a", name)
		}
		c, err := at.Bare(len(galmezA))
		if err != nil {
			return fmt.Errorf("%s: model bare-transfer: %w", name, err)
		}
		p.A, p.Model = c, "given"
	case p.Model != "given":
		return fmt.Errorf("%s: model %q: want bare-transfer, plant or given", name, p.Model)
	case p.A == nil:
		p.A = append([]float64(nil), galmezA...)
	}
	if len(p.A) < 1 || len(p.A) > len(galmezA) {
		return fmt.Errorf("%s: %d numbers in a: want 1 to %d", name, len(p.A), len(galmezA))
	}
	for _, v := range p.A {
		if !rths.Finite(v) {
			return fmt.Errorf("%s: a holds %g: want finite numbers", name, v)
		}
	}
	if p.A[0] == 0 { // slow motion would be commanded away
		return fmt.Errorf("%s: a0 is 0: want 1 over the static gain of the transfer system", name)
	}
	return nil
}

// leftOpen chooses where the model comes from.
func (p *MBC) leftOpen(at At) string {
	if p.A != nil {
		return "given"
	}
	if at.BareInverse != nil {
		return "bare-transfer"
	}
	if _, err := p.inverse(at); err == nil {
		return "plant"
	}
	return "given"
}

// inverse is fitted to the plant, on the derivatives that the method takes.
func (p *MBC) inverse(at At) ([]float64, error) {
	term := at.Start().Derivative
	if p.Derivatives == "target" {
		term = identify.ExactDerivative
	}
	return at.Start().Inverse(at.Start().Order()+1, term)
}

// feedforward is the inverse of the model.
type feedforward struct {
	a        [4]float64
	h        float64
	backward bool
	last     float64       // ẍ of the sample before
	diff     [4][4]float64 // row i: backward difference of order i over hⁱ
	past     *signal.Line  // newest values of x, for backward differences
}

func (f *feedforward) of(target *rths.Motion) float64 {
	x := target.X[0]
	if f.backward {
		f.past.Push(x)
		return f.differences()
	}
	acc := target.A[0]
	jerk := (acc - f.last) / f.h
	f.last = acc
	return f.a[0]*x + f.a[1]*target.V[0] + f.a[2]*acc + f.a[3]*jerk
}

func (f *feedforward) differences() float64 {
	u := 0.0
	for i, a := range f.a {
		d := 0.0
		for j, c := range f.diff[i] {
			d += c * f.past.At(j)
		}
		u += a * d
	}
	return u
}

func (f *feedforward) VisitState(v *rths.StateVisitor) {
	if f.backward {
		v.State(f.past)
	} else {
		v.Float(&f.last)
	}
}

type mbc struct {
	f   *feedforward
	out signal.Sane
}

func (c *mbc) Step(command []float64, target *rths.Motion, _ *rths.Reading) {
	command[0] = c.out.Of(c.f.of(target))
}

func (c *mbc) VisitState(v *rths.StateVisitor) {
	c.f.VisitState(v)
	v.State(&c.out)
}

// mbcRates is mbc with the target's rates.
type mbcRates struct{ *mbc }

// UsesRates: velocity and acceleration of the target.
func (mbcRates) UsesRates() {}

// a[2] is the delay of the model.
var mbcTunable = []rths.Tunable{{Key: "a[2]", From: 0.7, To: 1.4, Relative: true}}
