package integrate

import (
	"errors"
	"fmt"
	"math"

	"rths"
	"rths/model/structure"
)

// TwoRate runs an integrator with main steps Δt = n δt in a loop whose sample is
// δt (paper 003, section 2; called sub-stepping there). At the laboratory two
// computers share the work: the first needs all of a main step to integrate, the
// second makes a target every δt. What u[i+2] needs is known a main step before
// the specimen should be there, all but ü[i+1], which hangs on the force:
//
//	time                 t[i]                   t[i+1]                  t[i+2]
//	computer 1 starts    u[i+1] from f(t[i])    u[i+2] from f(t[i+1])   …
//	known                u[i]; ü to t[i−1]      u[i+1]; ü to t[i]       …
//	none:    specimen at u[i−1]   ──────────→   u[i]   ────────────→    u[i+1]
//	others:  specimen at ũ[i]     ──────────→   ũ[i+1] ────────────→    ũ[i+2]
//
// Without prediction the specimen goes, while computer 1 works, to the newest known
// displacement, so the force measured at t[i+1] belongs to u[i]: an additional delay of
// one main step. A predictor computes ũ[i+1] at t[i] from u[i], u̇[i], ü[i−1] and older
// values (paper 003 counts one higher, u[i+2] from u[i+1]; Figs 3 and 5): the specimen is
// then at u[i] at t[i], and its force comes in time. Each target starts where the last one
// ended and is linear between (Fig. 5), so the target has no jump.
//
// The integrator gets force and ground motion of the main instant, both held (methods that
// use the half step or the end of the step lose an order). Its result appears at the next
// main instant. State shows displacements
// linear between the main instants; velocities and accelerations belong to the last
// main instant. Frame.Force is the force felt at each sample; with ForceFit it
// is the corrected force of the main step, which holds until the next main instant.
//
// On a shake table the target is absolute: the motion of the ground is added. By default it is
// known, and added at every sample. With GroundPredicted the predictor extrapolates the whole
// motion of the interface from main step to main step, as where the ground motion is measured
// during the test; its velocity is the slope of a main step, as Gui-λ has velocities. The
// target is then a line in every main step. The force correction looks
// for the absolute displacement, which is what is measured.
//
// The work is in two halves. Calculator makes the main steps. The loop's half collects, at a main
// instant, the result of the main step before, predicts, corrects, and posts force and actions for
// the next one. By default the calculating half works within the sample of the main instant. With
// Own it has the whole main step for that, as a process of its own has: its result comes at the
// next main instant, which is when the target needs it, so target and command are the same to the
// bit, and only State is a main step late. A result that has not come then is late: the predictor
// goes on, with what it predicted in the place of the result, for at most Late main steps; beyond
// the integrator fails.
type TwoRate struct {
	Steps     int       // n, samples in a main step, at least 1
	Predictor Predictor // one of Predictors
	ForceFit  int       // samples of the force correction, at least 3; 0: none
	Ground    Ground
	Own       bool     // results come at the next main instant
	Late      int      // Own: most main steps without result for which the target goes on
	Exchange  Exchange // Own: with the calculating half elsewhere; nil: it is here
}

// Exchange is between the halves of TwoRate: with a process of its own, or with what a record says.
// Neither method waits.
type Exchange interface {
	// Post gives force and actions of a main instant, Calculator.Asks numbers, to the calculating half.
	Post(asked []float64)
	// Collect takes the oldest result that has come and was not collected yet, Calculator.Gives
	// numbers; false: there is none.
	Collect(given []float64) bool
}

// Ground says what becomes of the ground's motion in the target of main steps.
type Ground int

// The target is relative to the ground, or absolute with a known or a predicted motion of the
// ground.
const (
	GroundApart Ground = iota
	GroundKnown
	GroundPredicted
)

// Most sub-steps of a main step, and samples of the force correction.
const mostSubSteps, mostFit = 100_000, 10_000

// MostLate is the largest Late.
const MostLate = 100

// weights checks the parameters and gives the weights of the predictor for an integrator.
func (o *TwoRate) weights(inner Maker) (Weights, error) {
	switch {
	case o.Steps < 1 || o.Steps > mostSubSteps:
		return Weights{}, fmt.Errorf("two-rate: main step of %d samples: want 1 to %d", o.Steps, mostSubSteps)
	case o.ForceFit != 0 && (o.ForceFit < 3 || o.ForceFit > mostFit):
		return Weights{}, fmt.Errorf("two-rate: force correction through %d samples: want 3 to %d, or 0 for none", o.ForceFit,
			mostFit)
	case o.Late < 0 || o.Late > MostLate || o.Own && o.Late == 0:
		return Weights{}, fmt.Errorf("two-rate: %d main steps without result: want 1 to %d", o.Late, MostLate)
	}
	if d, ok := o.Predictor.(*DualExplicit); ok {
		if err := d.adopt(inner); err != nil {
			return Weights{}, err
		}
	}
	return o.Predictor.Weights()
}

// Make makes the integrator of a numerical part for the sample h (s): a leading
// one of inner with the step n·h.
func (o *TwoRate) Make(inner Maker, p *structure.Partition, h float64) (rths.Integrator, error) {
	calc, err := o.Calculator(inner, p, h)
	if err != nil {
		return nil, err
	}
	main := float64(o.Steps) * h
	t := &twoRate{n: o.Steps, p: p, calc: calc, slope: 1 / main}
	t.known, t.ahead = newPredictor(calc.weights, len(p.Interface), main),
		newPredictor(calc.weights, len(p.Interface), main)
	t.make(o)
	if o.Ground != GroundApart {
		t.table, t.whole = newGroundMotion(p, h), o.Ground == GroundPredicted
		t.last, t.slow = make([]float64, t.comps), make([]float64, t.comps)
	}
	if o.Own {
		t.own = newOwn(o, t)
	}
	return t, nil
}

type twoRate struct {
	n         int
	phase     int // samples since the main instant
	p         *structure.Partition
	calc      *Calculator
	known     *predictor // of what has come
	ahead     *predictor // goes on from there while results are missing
	slope     float64    // 1/Δt
	from      []float64
	to        []float64 // targets at the ends of the main step
	inputs    []float64 // actions and force of the main instant
	given     []float64 // the newest result, a row
	result              // its parts
	comps     int
	table     *groundMotion // nil: the target is relative to the ground
	whole     bool          // the predictor sees absolute motion
	last      []float64     // the ground's displacement a main step ago
	slow      []float64     // its velocity as Gui-λ has velocities: the slope since then
	desired   []float64     // of the force correction
	fit       *forceFit     // nil: no correction
	corrected []float64     // the force of the main step, corrected
	shown     rths.Motion   // all DOF; V and A are parts of the result
	own       *own          // nil: results come at once
}

func (t *twoRate) make(o *TwoRate) {
	n, m := t.p.N(), len(t.p.Interface)
	t.comps = t.calc.comps
	t.from, t.to = make([]float64, m), make([]float64, m)
	t.inputs, t.given = make([]float64, t.calc.Asks()), make([]float64, t.calc.Gives())
	t.result = t.calc.view(t.given)
	t.shown = rths.Motion{X: make([]float64, n), V: t.vel, A: t.acc}
	t.corrected, t.desired = make([]float64, m), make([]float64, m)
	if o.ForceFit > 0 {
		t.fit = newForceFit(o.ForceFit, m, float64(t.n))
	}
}

// Step gives the target of the next sample; at a main instant it begins a main
// step.
func (t *twoRate) Step(target *rths.Motion, ground []float64, felt *rths.Reading) {
	if t.fit != nil {
		t.fit.push(felt)
	}
	if t.phase == 0 {
		t.mainStep(ground, felt)
	}
	t.show(float64(t.phase) / float64(t.n))
	t.phase++
	part := float64(t.phase) / float64(t.n)
	for i, to := range t.to {
		target.X[i] = (1-part)*t.from[i] + part*to
	}
	if t.table != nil {
		t.table.advance(ground)
		if !t.whole {
			t.table.add(target.X, t.table.x)
		}
	}
	if t.phase == t.n {
		t.phase = 0
	}
}

// mainStep collects what has come, predicts the specimen's position at the end of the main step
// from values at its start, and has the main step integrated.
func (t *twoRate) mainStep(ground []float64, felt *rths.Reading) {
	copy(t.from, t.to)
	if t.whole {
		for j, x := range t.table.x {
			t.slow[j], t.last[j] = (x-t.last[j])*t.slope, x
		}
	}
	now := t.known
	if t.own != nil {
		if now = t.own.collect(t); now == nil {
			t.fail()
			return
		}
	} else if t.whole {
		t.known.lift(t.table, t.table.x, t.slow)
	}
	now.predict(t.to)
	t.ask(now, ground, felt)
	if t.own != nil {
		t.own.post(t)
		return
	}
	t.calc.Step(t.given, t.inputs)
	t.known.learn(&t.result)
	if t.whole {
		t.known.liftRates(t.table, t.slow)
	}
}

// fail has the target fail: Err says why.
func (t *twoRate) fail() {
	for i := range t.to {
		t.to[i] = math.NaN()
	}
}

// ask collects what the main step needs: actions and force of the main instant.
func (t *twoRate) ask(now *predictor, ground []float64, felt *rths.Reading) {
	copy(t.inputs[:t.comps], ground)
	force := t.inputs[t.comps:]
	take(force, felt.F)
	if t.fit == nil {
		return
	}
	copy(t.desired, now.u) // the newest displacement stands first
	if t.table != nil && !t.whole {
		t.table.add(t.desired, t.table.x)
	}
	t.fit.correct(force, t.desired)
	copy(t.corrected, force)
}

// show sets the displacements of State at a part (0 to 1) of the main step. While its result is missing the state
// stays at the end of the previous step.
func (t *twoRate) show(part float64) {
	if t.own != nil && t.own.missing > 0 {
		part = 1
	}
	between(t.shown.X, t.begin, t.end, part)
}

// between is linear between two states.
func between(to, begin, end []float64, part float64) {
	for i, x := range begin {
		to[i] = (1-part)*x + part*end[i]
	}
}

// Derive gives the rates of the state at a main instant, and the target's velocity: the
// slope of its line. The target has no acceleration.
func (t *twoRate) Derive(target *rths.Motion) {
	if t.own == nil && t.phase == 1%t.n { // the step just made was a main one
		t.calc.Derive(&t.result)
	}
	for i, to := range t.to {
		target.V[i], target.A[i] = (to-t.from[i])*t.slope, 0
	}
	if t.table != nil && !t.whole {
		t.table.add(target.V, t.table.v)
		t.table.add(target.A, t.table.a)
	}
}

// Closing is false.
func (t *twoRate) Closing() bool { return false }

// Period is the main step, which begins with state 0 of the phase.
func (t *twoRate) Period() int { return t.n }

// Delay is a main step where results come at its end, and more while they are late.
func (t *twoRate) Delay() (ticks, most int) {
	if t.own == nil || !t.calc.all() {
		return 0, 0
	}
	return t.n, (t.own.late + 2) * t.n
}

// StateAt is the state at tick k of an integrator with a Delay; nil before its result has come.
func (t *twoRate) StateAt(k int) *rths.Motion { return t.own.stateAt(k, t.n) }

// State is the motion of all DOF at t_k; with a calculating half of its own at a main step before
// t_k, and nil if this has more degrees of freedom than it gives.
func (t *twoRate) State() *rths.Motion {
	if !t.calc.all() {
		return nil
	}
	return &t.shown
}

// Unwrap is the calculating half.
func (t *twoRate) Unwrap() any { return t.calc }

// Start begins a run away from rest: structure and specimen have long been there.
func (t *twoRate) Start(x, force []float64) error {
	s, ok := t.calc.in.(Starter)
	if !ok {
		return fmt.Errorf("two-rate: %T cannot start away from rest", t.calc.in)
	}
	if t.own != nil && t.own.calc == nil {
		return errors.New("two-rate: a numerical part in its own process starts at rest: want no start away from rest")
	}
	if err := s.Start(x, force); err != nil {
		return err
	}
	for i, d := range t.p.Interface {
		t.to[i] = x[d]
	}
	t.known.fill(t.to)
	if t.own != nil {
		copy(t.begin, x)
		copy(t.end, x)
	}
	if t.fit != nil {
		t.fit.fill(t.to, force)
	}
	return nil
}

// VisitState visits the integrator's state, the samples since the main instant,
// the shown motion, both ends of the target, the states of predictor and force
// correction, and the corrected force; with a calculating half of its own what has been exchanged.
func (t *twoRate) VisitState(v *rths.StateVisitor) {
	if t.own == nil || t.own.calc != nil {
		t.calc.VisitState(v)
	}
	v.Int(&t.phase)
	v.Floats(t.begin, t.vel, t.acc, t.from, t.to)
	t.known.VisitState(v)
	if v.Restoring() {
		t.phase = min(max(t.phase, 0), t.n-1)
		if t.own == nil {
			t.calc.end(&t.result)
		}
	}
	if t.fit != nil {
		t.fit.VisitState(v)
		v.Floats(t.corrected)
	}
	if t.table != nil {
		t.table.visit(v)
		v.Floats(t.last, t.slow)
	}
	if t.own != nil {
		v.Floats(t.end)
		t.own.visit(v)
	}
}

// Corrected is the force of the main step, or nil without a force correction.
func (t *twoRate) Corrected() []float64 {
	if t.fit == nil {
		return nil
	}
	return t.corrected
}

// Channels are those of the integrator, and what has come from a calculating half of its own.
func (t *twoRate) Channels() []rths.Channel {
	if t.own == nil {
		return t.calc.channels
	}
	return t.own.channels(t)
}

// Err is why the calculating half is late, or has failed.
func (t *twoRate) Err() error {
	if t.own != nil && t.own.err != nil {
		return t.own.err
	}
	if f, ok := rths.As[rths.Failer](t.calc); ok {
		return f.Err()
	}
	return nil
}
