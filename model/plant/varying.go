package plant

import (
	"fmt"
	"math"
	"rths/maths/portable"

	"rths"
)

// varying is x/u = gain ω²/(s² + 2ζω s + ω²) whose frequency swings,
// ω(t) = ω₀ + a sin(b t) (paper 000 section 3.4), t from the start of the run. Every
// sample takes ω at its middle and is exact. Between samples displacement and velocity
// are continuous, the acceleration jumps.
type varying struct {
	omega, swing, swingRate, zeta, gain float64
	h                                   float64 // s, of a sample
	k                                   float64 // samples made
	now                                 oscillator
	linear                              bool
	mass, damping, stiffness            float64   // of a linear specimen
	load                                *follower // of any other
	steps                               int       // of it in a sample
	still                               bool      // ω₀ all the time
}

// vary makes the plant of a second-order system whose frequency swings.
func (p *SecondOrder) vary(at At) (Plant, error) {
	if err := wantSpecimen("second-order", at); err != nil {
		return nil, err
	}
	if !(at.RateHz > 0) || math.IsInf(at.RateHz, 0) {
		return nil, fmt.Errorf("second-order transfer system: rate %g Hz: want more than 0", at.RateHz)
	}
	v := &varying{omega: p.Omega, swing: p.Swing, swingRate: p.SwingRate, zeta: p.DampingRatio, gain: p.Gain,
		h: 1 / at.RateHz}
	if l, ok := at.Specimen.(Linear); ok {
		v.linear = true
		v.mass, v.damping, v.stiffness = l.Linear()
		return v, nil
	}
	_, _, fastest := steepest(at.Specimen)
	var err error
	v.steps, err = subSteps(fastest, v.h)
	v.load = newFollower(at.Specimen)
	return v, err
}

// oscillator is displacement and velocity of a system of second order, and what
// it does in a step of some length under a held input.
type oscillator struct {
	x, v               float64
	w2, c              float64 // ω², 2ζω
	xx, xv, vx, vv, vu float64 // the step: x' = xx x + xv v + (1 − xx) u, v' = vx x + vv v + vu u
}

// hold sets the system and its step h: the matrix exponential in closed form.
func (o *oscillator) hold(omega, zeta, h float64) {
	alpha := zeta * omega
	beta2, e := omega*omega-alpha*alpha, portable.Exp(-alpha*h)
	var c, s float64 // cos βh and sin βh/β
	switch b := math.Sqrt(math.Abs(beta2)); {
	case b*h < 1e-8: // critical: cos and sin to rounding
		c, s = 1, h
	case beta2 > 0:
		c, s = math.Cos(b*h), math.Sin(b*h)/b
	default:
		up := portable.Exp(b * h)
		c, s = (up+1/up)/2, math.Sinh(b*h)/b
	}
	o.w2, o.c = omega*omega, 2*alpha
	o.xx, o.xv, o.vx, o.vv = e*(c+alpha*s), e*s, -o.w2*e*s, e*(c-alpha*s)
	o.vu = -o.vx
}

func (o *oscillator) step(u float64) {
	o.x, o.v = o.xx*o.x+o.xv*o.v+(1-o.xx)*u, o.vx*o.x+o.vv*o.v+o.vu*u
}

func (o *oscillator) acceleration(u float64) float64 { return o.w2*(u-o.x) - o.c*o.v }

// frequency is ω in the middle of the sample to come.
func (p *varying) frequency() float64 {
	if p.still {
		return p.omega
	}
	return p.omega + p.swing*math.Sin(p.swingRate*(p.k+0.5)*p.h)
}

func (p *varying) Step(now *rths.Reading, command []float64) {
	u, w := p.gain*command[0], p.frequency()
	p.k++
	if p.linear {
		p.now.hold(w, p.zeta, p.h)
		p.now.step(u)
	} else {
		p.carry(w, u)
	}
	a := p.now.acceleration(u)
	now.X[0] = p.now.x
	if p.linear {
		now.F[0] = p.stiffness*p.now.x + p.damping*p.now.v + p.mass*a
	} else {
		now.F[0] = p.load.restoring()[0]
	}
	if len(now.V) > 0 {
		now.V[0] = p.now.v
	}
	if len(now.A) > 0 {
		now.A[0] = a
	}
}

// carry takes a specimen that is not linear along, sub-step by sub-step.
func (p *varying) carry(w, u float64) {
	h := p.h / float64(p.steps)
	p.now.hold(w, p.zeta, h/2)
	for range p.steps {
		p.look(start, u)
		p.now.step(u)
		p.look(middle, u)
		p.now.step(u)
		p.look(end, u)
		p.load.advance(h)
	}
}

// look puts the present motion at a stage of the specimen.
func (p *varying) look(stage int, u float64) {
	m := &p.load.m[stage]
	m.X[0], m.V[0], m.A[0] = p.now.x, p.now.v, p.now.acceleration(u)
}

// Idealise stops the swing, so that the plant is the same at all times.
func (p *varying) Idealise(on bool) { p.still = on }

func (p *varying) VisitState(v *rths.StateVisitor) {
	v.Float(&p.k, &p.now.x, &p.now.v)
	if p.load != nil {
		v.State(p.load)
	}
}
