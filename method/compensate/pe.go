package compensate

import (
	"fmt"

	"rths"
	"rths/maths/signal"
)

// PE is polynomial extrapolation (Horiuchi et al. 1999; paper 000, eq. 7): the
// command is the Lagrange polynomial through the newest targets, s samples
// apart, evaluated τ ahead,
//
//	d_c = Σ cᵢ d[k − i s],   cᵢ = Π_{j≠i} (η + j)/(j − i),   η = τ/(s h)
//
// Order 3 with s = 1 is eq. 7 as corrected (errata 000.3). Exact for polynomials of
// order N. Coefficients grow as ηᴺ: not for delays long against the spacing, unless the
// target is smooth.
type PE struct {
	Lag     `yaml:",inline"`
	Order   int `yaml:"order" doc:"order N of the polynomial, 1 to 4"`
	Spacing int `yaml:"spacing" doc:"distance s of its points, samples"`
}

const maxExtrapolation = 4

// Make computes the coefficients.
func (p *PE) Make(at At) (rths.Compensator, error) {
	tau, err := p.resolve("pe", at)
	if err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	return newTaps(lagrange(p.Order, tau*at.RateHz/float64(p.Spacing)), p.Spacing), nil
}

func (p *PE) check() error {
	switch {
	case p.Order < 1 || p.Order > maxExtrapolation:
		return fmt.Errorf("pe: order %d: want 1 to %d", p.Order, maxExtrapolation)
	case p.Spacing < 1 || p.Spacing > 1e5:
		return fmt.Errorf("pe: spacing %d samples: want 1 to 100000", p.Spacing)
	}
	return nil
}

// Extrapolates resolves in front of another part of a chain how many samples later the target of its command is; open
// says that the delay was left open.
func (p *PE) Extrapolates(at At) (n int, open bool, err error) {
	if err := p.check(); err != nil {
		return 0, false, err
	}
	return p.whole("pe", at)
}

// lagrange are the coefficients of the polynomial through points at 0, −1, …, −n,
// evaluated at eta.
func lagrange(n int, eta float64) []float64 {
	c := make([]float64, n+1)
	for i := range c {
		c[i] = 1
		for j := range c {
			if j != i {
				c[i] *= (eta + float64(j)) / float64(j-i)
			}
		}
	}
	return c
}

// taps is a weighted sum of past targets, the newest first.
type taps struct {
	c       []float64
	spacing int
	past    *signal.Line
	out     signal.Sane
}

func newTaps(c []float64, spacing int) *taps {
	return &taps{c: c, spacing: spacing, past: signal.NewLine((len(c)-1)*spacing + 1)}
}

func (t *taps) Step(command []float64, target *rths.Motion, _ *rths.Reading) {
	t.past.Push(target.X[0])
	u := 0.0
	for i, c := range t.c {
		u += c * t.past.At(i*t.spacing)
	}
	command[0] = t.out.Of(u)
}

func (t *taps) VisitState(v *rths.StateVisitor) {
	v.State(t.past)
	v.State(&t.out)
}

var peTunable = []rths.Tunable{delayError, {Key: "order", From: 1, To: 4, Whole: true}}
