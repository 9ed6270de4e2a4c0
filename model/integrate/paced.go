package integrate

import (
	"errors"
	"fmt"

	"rths"
)

// Paced is the numerical part as the Client of a Path, for a slow test: it takes the next step, of structure time, when
// the force at the target before has come, however long that took in the laboratory.
type Paced struct {
	in         rths.Integrator
	derive     rths.Deriver // nil: Step gives rates
	failer     rths.Failer  // nil: it never fails
	h          float64      // s of structure
	steps      int
	motions    int       // targets of a step
	wave       []float64 // actions at half steps
	components int

	window  []float64
	target  rths.Motion
	reached []float64 // the target before
	step    int       // steps begun
	motion  int       // targets of the step that have been answered
	waiting bool      // a target has been given
	begun   *rths.Reading
	timeV   float64
}

// Iterative is an integrator of several targets in a step: the first Motions()−1 calls of its Step within a step give
// further targets of the same step. For a Path alone.
type Iterative interface{ Motions() int }

// NewPaced makes a client of a leading integrator, whose step is h (s), for n interface coordinates. wave has the
// components actions at t_0, t_0 + h/2, t_1, …, or is empty for none.
func NewPaced(in rths.Integrator, n int, h float64, steps int, wave []float64, components int) (*Paced, error) {
	if in.Closing() {
		return nil, errors.New("a closing integrator wants the force at a displacement that it does not know yet: want one of " +
			"those with a target before the force, such as central-difference or alpha-os")
	}
	if len(wave) > 0 && len(wave) < (2*steps+1)*components {
		return nil, fmt.Errorf("actions at %d instants for %d steps: want %d", len(wave)/components, steps, 2*steps+1)
	}
	p := &Paced{in: in, h: h, steps: steps, motions: 1, wave: wave, components: components,
		window: make([]float64, 3*components), target: rths.NewMotion(n), reached: make([]float64, n)}
	p.derive, _ = rths.As[rths.Deriver](in)
	p.failer, _ = rths.As[rths.Failer](in)
	if i, ok := rths.As[Iterative](in); ok {
		p.motions = i.Motions()
	}
	return p, nil
}

// Next gives the target of the step just made.
func (p *Paced) Next(x []float64) (Arrival, error) {
	switch {
	case p.failer != nil && p.failer.Err() != nil:
		return Nothing, p.failer.Err()
	case p.step == p.steps:
		return TheEnd, nil
	case p.waiting:
		return Nothing, nil
	}
	copy(x, p.target.X)
	p.waiting = true
	return NewTarget, nil
}

// Answer makes the next step with the force of a reading.
func (p *Paced) Answer(now *rths.Reading) {
	p.waiting = false
	if p.motion == 0 {
		p.begin(now)
	}
	p.in.Step(&p.target, p.window, now)
	if p.derive != nil {
		p.derive.Derive(&p.target)
	}
	if p.motion++; p.motion == p.motions {
		p.motion = 0
	}
}

// begin begins a step with what was measured at the target before.
func (p *Paced) begin(now *rths.Reading) {
	copy(p.reached, p.target.X)
	if len(p.wave) > 0 {
		copy(p.window, p.wave[2*p.step*p.components:])
	}
	p.begun, p.timeV = now, float64(p.step)*p.h
	p.step++
}

// Hold does nothing: a path whose guard acts asks for nothing any more.
func (p *Paced) Hold() {}

// Channels is the time of the structure.
func (p *Paced) Channels() []rths.Channel {
	return rths.NamedChannels([]rths.Channel{{Meaning: rths.Meaning{Quantity: "structure_time"}, Unit: "s", V: &p.timeV}})
}

// pacedPath is the path of a numerical part that is here.
type pacedPath struct {
	*path
	steps *Paced
}

// Step gives the target of t_k+1.
func (p *pacedPath) Step(target *rths.Motion, ground []float64, felt *rths.Reading) {
	p.steps.begun = nil
	p.path.Step(target, ground, felt)
	if p.Ramp != Cubic && !p.Stands() && p.state == correcting && len(target.V) > 0 {
		of, slow := &p.steps.target, p.steps.h/p.h // seconds of the structure for one of the laboratory
		for i := range target.X {
			target.V[i], target.A[i] = of.V[i]*slow, of.A[i]*slow*slow
		}
	}
}

// Began is the step that this tick began. See rths.Pacer.
func (p *pacedPath) Began() (rths.PacedStep, bool) {
	s := p.steps
	return rths.PacedStep{K: s.step - 1, T: s.timeV, Target: s.reached, Felt: s.begun}, s.begun != nil
}

// Steps is the number of steps begun.
func (p *pacedPath) Steps() int { return p.steps.step }

// Window has the actions of the newest step.
func (p *pacedPath) Window() []float64 { return p.steps.window }

// Start begins away from rest, as Starter.
func (p *pacedPath) Start(x, force []float64) error {
	of, ok := p.steps.in.(Starter)
	if !ok {
		return fmt.Errorf("%T cannot start away from rest", p.steps.in)
	}
	return of.Start(x, force)
}

// StandAt puts the path at the displacements of the interface that a test starts from, m.
func (p *pacedPath) StandAt(x []float64) {
	for i := range p.way {
		w := &p.way[i]
		w.x, w.to, w.past = x[i], x[i], [3]float64{x[i], x[i], x[i]}
	}
	copy(p.steps.target.X, x)
}

// Derive does nothing: the path has the rates of the laboratory, and the numerical part its own.
func (p *pacedPath) Derive(*rths.Motion) {}

// Channels are those of the path and of the integrator.
func (p *pacedPath) Channels() []rths.Channel {
	out := p.path.Channels()
	if c, ok := rths.As[rths.Channeler](p.steps.in); ok {
		out = append(out, c.Channels()...)
	}
	return out
}

// VisitState visits path, hold, step and integrator.
func (p *pacedPath) VisitState(v *rths.StateVisitor) {
	e, s := p.path, p.steps
	v.Int(&e.state, &e.left, &e.length, &e.waited, &e.full, &e.slow, &e.stood, &e.so.Late, &e.so.Longest, &e.so.Resting,
		&s.step, &s.motion)
	v.Bool(&e.answer, &e.waiting, &e.begun, &e.held, &e.ended, &s.waiting)
	v.Float(&e.newTarget, &e.switchPC, &e.atTarget, &e.late, &e.stateV, &e.endedV, &s.timeV)
	for i := range e.way {
		w := &e.way[i]
		v.Float(&w.x, &w.v, &w.a, &w.from, &w.slope, &w.to, &w.rate, &w.bend, &w.twist)
		v.Floats(w.past[:])
	}
	v.Floats(s.window, s.target.X, s.target.V, s.target.A, s.reached)
	e.stands.VisitState(v)
	v.StateOf(s.in)
}

// Unwrap is the integrator of the numerical part.
func (p *pacedPath) Unwrap() any { return p.steps.in }
