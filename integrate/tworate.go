package integrate

import (
	"fmt"
	"math"

	"rths"
	"rths/structure"
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
// Here one computer does the work of a main step within one sample. Not for loops whose
// sampling period is too short for that.
type TwoRate struct {
	Steps     int       // n, samples in a main step, at least 1
	Predictor Predictor // one of Predictors
	ForceFit  int       // samples of the force correction, at least 3; 0: none
	Ground    Ground
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

// Make makes the integrator of a numerical part for the sample h (s): a leading
// one of inner with the step n·h.
func (o *TwoRate) Make(inner Maker, p *structure.Partition, h float64) (rths.Integrator, error) {
	switch {
	case o.Steps < 1 || o.Steps > mostSubSteps:
		return nil, fmt.Errorf("two-rate: main step of %d samples: want 1 to %d", o.Steps, mostSubSteps)
	case o.ForceFit != 0 && (o.ForceFit < 3 || o.ForceFit > mostFit):
		return nil, fmt.Errorf("two-rate: force correction through %d samples: want 3 to %d, or 0 for none", o.ForceFit, mostFit)
	}
	main := float64(o.Steps) * h
	if d, ok := o.Predictor.(*DualExplicit); ok {
		if err := d.adopt(inner); err != nil {
			return nil, err
		}
	}
	w, err := o.Predictor.Weights()
	if err != nil {
		return nil, err
	}
	in, err := inner.Make(p, main)
	if err != nil {
		return nil, fmt.Errorf("two-rate: main step of %d samples: %w", o.Steps, err)
	}
	t := &twoRate{n: o.Steps, p: p, in: in, slope: 1 / main}
	if t.known, err = newPredictor(w, p, main); err != nil {
		return nil, err
	}
	if err := t.look(); err != nil {
		return nil, err
	}
	t.make(o.ForceFit)
	if o.Ground != GroundApart {
		t.table, t.whole = newGroundMotion(p, h), o.Ground == GroundPredicted
		t.known.onTable(p)
		t.last, t.slow = make([]float64, t.comps), make([]float64, t.comps)
	}
	return t, nil
}

type twoRate struct {
	n       int
	phase   int // samples since the main instant
	p       *structure.Partition
	in      rths.Integrator
	state   rths.Stateful
	shower  rths.Shower
	derive  rths.Deriver // nil: Step gives rates
	known   *predictor
	slope   float64 // 1/Δt
	from    []float64
	to      []float64 // targets at the ends of the main step
	next    rths.Motion
	ground  []float64 // window of the main instant
	comps   int
	table   *groundMotion // nil: the target is relative to the ground
	whole   bool          // the predictor sees absolute motion
	last    []float64     // the ground's displacement a main step ago
	slow    []float64     // its velocity as Gui-λ has velocities: the slope since then
	desired []float64     // of the force correction
	fit     *forceFit     // nil: no correction
	felt    rths.Reading  // with the corrected force
	begin   []float64     // all DOF at the main instant
	scratch []float64     // state of the integrator: all DOF at the end of the main step
	shown   rths.Motion   // all DOF
}

// look finds the integrator's optional interfaces.
func (t *twoRate) look() error {
	var shows, keeps bool
	t.shower, shows = rths.As[rths.Shower](t.in)
	t.state, keeps = rths.As[rths.Stateful](t.in)
	t.derive, _ = rths.As[rths.Deriver](t.in)
	if t.in.Closing() || !shows || !keeps {
		return fmt.Errorf("two-rate: %T: want a leading integrator that shows its state", t.in)
	}
	return nil
}

func (t *twoRate) make(fit int) {
	n, m := t.p.N(), len(t.p.Interface)
	_, t.comps = t.p.Load.Dims()
	t.from, t.to = make([]float64, m), make([]float64, m)
	t.next, t.shown = rths.NewMotion(m), rths.NewMotion(n)
	t.ground, t.begin = make([]float64, 3*t.comps), make([]float64, n)
	t.scratch = t.state.AppendState(nil)
	t.felt, t.desired = rths.NewReading(m, m), make([]float64, m)
	if fit > 0 {
		t.fit = newForceFit(fit, m, float64(t.n))
	}
}

// Step gives the target of the next sample; at a main instant it makes a main
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

// mainStep first predicts the specimen's position at the end of the step from values at
// its start, then integrates.
func (t *twoRate) mainStep(ground []float64, felt *rths.Reading) {
	copy(t.from, t.to)
	if t.whole {
		for j, x := range t.table.x {
			t.slow[j], t.last[j] = (x-t.last[j])*t.slope, x
		}
		t.known.lift(t.table, t.table.x, t.slow)
	}
	t.known.predict(t.to)
	if t.fit != nil {
		take(t.felt.F, felt.F)
		copy(t.desired, t.known.u) // the newest displacement stands first
		if t.table != nil && !t.whole {
			t.table.add(t.desired, t.table.x)
		}
		t.fit.correct(t.felt.F, t.desired)
		felt = &t.felt
	}
	for i := range t.ground {
		t.ground[i] = ground[i%t.comps]
	}
	t.in.Step(&t.next, t.ground, felt)
	if t.derive != nil && t.known.rates() {
		t.derive.Derive(&t.next)
	}
	now := t.shower.State()
	t.known.learn(&t.next, now.V, now.A)
	if t.whole {
		t.known.liftRates(t.table, t.slow, ground)
	}
	copy(t.begin, now.X)
	copy(t.shown.V, now.V)
	copy(t.shown.A, now.A)
	t.state.AppendState(t.scratch[:0]) // it begins with the displacements of all DOF
}

// show sets the displacements of State at a part (0 to 1) of the main step.
func (t *twoRate) show(part float64) {
	for i, x := range t.begin {
		t.shown.X[i] = (1-part)*x + part*t.scratch[i]
	}
}

// Derive gives the rates of the state at a main instant, and the target's velocity: the
// slope of its line. The target has no acceleration.
func (t *twoRate) Derive(target *rths.Motion) {
	if t.derive != nil && t.phase == 1%t.n { // the step just made was a main one
		t.derive.Derive(&t.next)
		now := t.shower.State()
		copy(t.shown.V, now.V)
		copy(t.shown.A, now.A)
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

// State is the motion of all DOF at t_k.
func (t *twoRate) State() *rths.Motion { return &t.shown }

// Unwrap is the integrator of the main steps.
func (t *twoRate) Unwrap() any { return t.in }

// Start begins a run away from rest: structure and specimen have long been there.
func (t *twoRate) Start(x, force []float64) error {
	s, ok := t.in.(Starter)
	if !ok {
		return fmt.Errorf("two-rate: %T cannot start away from rest", t.in)
	}
	if err := s.Start(x, force); err != nil {
		return err
	}
	for i, d := range t.p.Interface {
		t.to[i] = x[d]
	}
	t.known.fill(t.to)
	if t.table != nil {
		t.table.rest()
		clear(t.last)
		clear(t.slow)
	}
	if t.fit != nil {
		t.fit.fill(t.to, force)
	}
	return nil
}

// AppendState appends the integrator's state, the samples since the main instant,
// the shown motion, both ends of the target, the states of predictor and force
// correction, and the corrected force.
func (t *twoRate) AppendState(dst []float64) []float64 {
	dst = append(t.state.AppendState(dst), float64(t.phase))
	for _, part := range [][]float64{t.begin, t.shown.V, t.shown.A, t.from, t.to} {
		dst = append(dst, part...)
	}
	dst = t.known.AppendState(dst)
	if t.fit != nil {
		dst = append(t.fit.AppendState(dst), t.felt.F...)
	}
	if t.table != nil {
		dst = append(append(t.table.appendState(dst), t.last...), t.slow...)
	}
	return dst
}

// SetState restores what AppendState appended.
func (t *twoRate) SetState(src []float64) []float64 {
	src = t.state.SetState(src)
	t.phase = min(max(int(math.Round(src[0])), 0), t.n-1)
	src = src[1:]
	for _, part := range [][]float64{t.begin, t.shown.V, t.shown.A, t.from, t.to} {
		src = src[copy(part, src):]
	}
	t.state.AppendState(t.scratch[:0])
	src = t.known.SetState(src)
	if t.fit != nil {
		src = t.fit.SetState(src)
		src = src[copy(t.felt.F, src):]
	}
	if t.table != nil {
		src = t.table.setState(src)
		src = src[copy(t.last, src):]
		src = src[copy(t.slow, src):]
	}
	return src
}

// Corrected is the force of the main step, or nil without a force correction.
func (t *twoRate) Corrected() []float64 {
	if t.fit == nil {
		return nil
	}
	return t.felt.F
}
