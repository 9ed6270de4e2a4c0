package integrate

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/model/structure"
)

// Calculator is the calculating half of TwoRate, computer 1 of paper 003, section 2. It makes the main
// steps, here or in another process. What goes in is a row with the actions (m/s²; force histories N) and the
// forces at the interface (N) at t[i]; what comes out is a row with the motion of the interface that a
// Predictor needs, and of all degrees of freedom (m, m/s, m/s²). Not for closing integrators, which
// want the force of the end of the step.
type Calculator struct {
	p       *structure.Partition
	in      rths.Integrator
	state   rths.Stateful
	shower  rths.NumericalState
	derive  rths.Deriver // nil: Step gives rates
	own     bool         // it works for another process: results have rates, and show no more than MostShown
	rates   bool         // results have velocities and accelerations
	weights Weights

	alpha       *mat.Dense    // α at the interface, N columns; nil: the identity
	table       *groundMotion // nil: accelerations are relative to the ground
	alphaGround *mat.Dense    // α Γ: what α makes of the ground's acceleration, which acts on all degrees of freedom

	channels []rths.Channel
	comps    int
	window   []float64    // of the main instant
	felt     rths.Reading // its force
	next     rths.Motion
	visitor  rths.StateVisitor
	scratch  []float64 // state of the integrator: all DOF at the end of the main step
}

// MostShown is the number of degrees of freedom up to which another process gives the motion
// of all of them: as many as are recorded.
const MostShown = 64

// result is what a main step from t[i] to t[i+1] gives, as views of a row.
type result struct {
	u, v       []float64 // of the interface at t[i+1]
	known, a   []float64 // u̇[i], and ü[i] or α ü[i], of the interface
	begin, end []float64 // displacements of the degrees of freedom shown at t[i] and t[i+1]
	vel, acc   []float64 // their velocities and accelerations at t[i]
	channels   []float64 // of the integrator
}

// Asks is the length of the row that Step takes: the actions at t[i], then the forces at the interface.
func (c *Calculator) Asks() int { return c.comps + len(c.p.Interface) }

// Gives is the length of the row that Step gives.
func (c *Calculator) Gives() int { return 4*len(c.p.Interface) + 4*c.shown() + len(c.channels) }

// all reports whether the row has the motion of all DOF; if not, of none.
func (c *Calculator) all() bool { return !c.own || c.p.N() <= MostShown }

func (c *Calculator) shown() int {
	if c.all() {
		return c.p.N()
	}
	return 0
}

// view finds the parts of a row.
func (c *Calculator) view(row []float64) result {
	take := func(n int) []float64 {
		part := row[:n:n]
		row = row[n:]
		return part
	}
	m, n := len(c.p.Interface), c.shown()
	return result{
		u: take(m), v: take(m), known: take(m), a: take(m),
		begin: take(n), vel: take(n), acc: take(n), end: take(n), channels: take(len(c.channels)),
	}
}

// Calculator makes the calculating half for the sample h (s) of the loop.
func (o *TwoRate) Calculator(inner Maker, p *structure.Partition, h float64) (*Calculator, error) {
	w, err := o.weights(inner)
	if err != nil {
		return nil, err
	}
	main := float64(o.Steps) * h
	in, err := inner.Make(p, main)
	if err != nil {
		return nil, fmt.Errorf("two-rate: main step of %d samples: %w", o.Steps, err)
	}
	c := &Calculator{p: p, in: in, weights: w, own: o.Own}
	if err := c.look(); err != nil {
		return nil, err
	}
	if w.Lambda != 0 {
		if c.alpha, err = alphaRows(p, w.Lambda, main); err != nil {
			return nil, fmt.Errorf("dual-explicit: %w", err)
		}
	}
	if o.Ground == GroundPredicted {
		c.onTable(h)
	}
	c.make()
	return c, nil
}

// look finds the integrator's optional interfaces.
func (c *Calculator) look() error {
	var shows, keeps bool
	c.shower, shows = rths.As[rths.NumericalState](c.in)
	c.state, keeps = rths.As[rths.Stateful](c.in)
	c.derive, _ = rths.As[rths.Deriver](c.in)
	if c.in.Closing() || !shows || !keeps {
		return fmt.Errorf("two-rate: %T: want a leading integrator that shows its state, such as rk4, cr or kr-alpha", c.in)
	}
	if of, ok := rths.As[rths.Channeler](c.in); ok {
		c.channels = of.Channels()
	}
	return nil
}

// onTable has the accelerations absolute.
func (c *Calculator) onTable(h float64) {
	c.table = newGroundMotion(c.p, h)
	if c.alpha != nil {
		c.alphaGround = new(mat.Dense)
		c.alphaGround.Mul(c.alpha, c.p.Whole.Gamma)
	}
}

func (c *Calculator) make() {
	m := len(c.p.Interface)
	_, c.comps = c.p.Load.Dims()
	c.rates = c.weights.rates() || c.own && c.all()
	c.window, c.felt, c.next = make([]float64, 3*c.comps), rths.Reading{F: make([]float64, m)}, rths.NewMotion(m)
	c.scratch = rths.AppendState(nil, c.state)
}

// Step makes a main step with actions and forces held: it takes the row asked and fills the row given. It
// allocates nothing.
func (c *Calculator) Step(given, asked []float64) {
	for i := range c.window {
		c.window[i] = asked[i%c.comps]
	}
	take(c.felt.F, asked[c.comps:])
	c.in.Step(&c.next, c.window, &c.felt)
	if c.derive != nil && c.rates {
		c.derive.Derive(&c.next)
	}
	r := c.view(given)
	copy(r.u, c.next.X)
	copy(r.v, c.next.V)
	now := c.shower.State()
	for i, d := range c.p.Interface {
		r.known[i] = now.V[d]
	}
	if len(c.weights.A) > 0 {
		c.accelerations(r.a, now.A)
	}
	if c.all() {
		c.show(&r, now)
	}
	for i, ch := range c.channels {
		r.channels[i] = *ch.V
	}
}

// accelerations are ü or α ü of the interface from those of all DOF.
func (c *Calculator) accelerations(a, acc []float64) {
	for i, d := range c.p.Interface {
		a[i] = acc[d]
		if c.alpha != nil {
			a[i] = dot(c.alpha.RawRowView(i), acc)
		}
	}
	switch {
	case c.table == nil:
	case c.alpha == nil:
		c.table.add(a, c.window[:len(c.table.a)])
	default:
		for i := range a {
			a[i] += dot(c.alphaGround.RawRowView(i), c.window[:len(c.table.a)])
		}
	}
}

// show gives the motion of all DOF.
func (c *Calculator) show(r *result, now *rths.Motion) {
	copy(r.begin, now.X)
	copy(r.vel, now.V)
	copy(r.acc, now.A)
	c.end(r)
}

// end shows the displacements of the state of the integrator, which begins with them.
func (c *Calculator) end(r *result) { copy(r.end, c.visitor.Append(c.scratch[:0], c.state)) }

// Derive gives the rates of the step just made.
func (c *Calculator) Derive(r *result) {
	if c.derive == nil {
		return
	}
	c.derive.Derive(&c.next)
	now := c.shower.State()
	copy(r.vel, now.V)
	copy(r.acc, now.A)
}

// Unwrap is the integrator of the main steps.
func (c *Calculator) Unwrap() any { return c.in }

// VisitState visits the integrator's state.
func (c *Calculator) VisitState(v *rths.StateVisitor) { v.State(c.state) }
