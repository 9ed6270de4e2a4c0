package compensate

import (
	"rths"
	"rths/maths/signal"
)

// LinearAcceleration extrapolates with an acceleration that keeps its last rate of change
// (Horiuchi and Konno 2001; paper 003, section 3),
//
//	d_c = d + τ ḋ + τ² (d̈/3 + d̈ᵖ/6),   d̈ᵖ = d̈ + (d̈ − d̈₋₁) τ/h
//
// Exact for cubics. Not for targets without velocity and acceleration, nor for integrators
// whose velocity is of low order.
type LinearAcceleration struct {
	Lag `yaml:",inline"`
}

// Make resolves τ.
func (p *LinearAcceleration) Make(at At) (rths.Compensator, error) {
	tau, err := p.resolve("linear-acceleration", at)
	if err != nil {
		return nil, err
	}
	return &linearAcceleration{tau: tau, ratio: tau * at.RateHz}, nil
}

// Extrapolates is that of PE.
func (p *LinearAcceleration) Extrapolates(at At) (n int, open bool, err error) {
	return p.whole("linear-acceleration", at)
}

type linearAcceleration struct {
	tau, ratio float64 // τ and τ/h
	before     float64 // acceleration of the sample before
	out        signal.Sane
}

// UsesRates: velocity and acceleration of the target are used.
func (c *linearAcceleration) UsesRates() {}

func (c *linearAcceleration) Step(command []float64, target *rths.Motion, _ *rths.Reading) {
	d, v, a := target.X[0], target.V[0], target.A[0]
	ahead := a + (a-c.before)*c.ratio
	c.before = a
	command[0] = c.out.Of(d + c.tau*(v+c.tau*(a/3+ahead/6)))
}

func (c *linearAcceleration) VisitState(v *rths.StateVisitor) {
	v.Float(&c.before)
	v.State(&c.out)
}
