package papers

import (
	"fmt"

	"rths"
	"rths/model/integrate"
	"rths/model/structure"
)

// pureDelay is the test of paper 001, Fig. 7.24: transfer system and specimen
// are a delay of whole samples of the numerical part's own motion,
//
//	x_d = [x; ẋ; ẍ](t − τ),  x_m = x(t − τ),  f_e = [k_e c_e m_e] x_d     (7.27)–(7.29)
//
// with a row in place of the printed column (errata 001.12). pureDelay is rig and
// integrator at once, because it needs the accelerations of the integrator; it ignores
// commands. The acceleration of t_k belongs to the force of t_k: without delay this is an
// algebraic loop, solved here.
type pureDelay struct {
	in      *integrate.OneStep
	probe   *integrate.OneStep // tries a step without force
	dof     int
	d       int // samples
	m, c, k float64
	inverse float64      // of the numerical mass at the interface, 1/kg
	past    [][3]float64 // x, ẋ, ẍ of the last d samples, ring
	at      int          // oldest
	force   float64      // f_e of t_k, N
	seen    float64      // x_m of t_k, m
	none    rths.Reading
	target  rths.Motion
	visitor rths.StateVisitor
	state   []float64
	window  []float64
}

// newPureDelay starts at rest; ground is the first window.
func newPureDelay(p *structure.Partition, m, c, k, h float64, delay int, ground []float64) (*pureDelay, error) {
	in, err := rk4(p, h)
	if err != nil {
		return nil, err
	}
	probe, err := rk4(p, h)
	if err != nil {
		return nil, err
	}
	inv, err := p.InverseMass()
	if err != nil {
		return nil, err
	}
	dof := p.Interface[0]
	r := &pureDelay{
		in: in, probe: probe, dof: dof, d: delay, inverse: inv.At(dof, dof), past: make([][3]float64, delay),
		none: rths.NewReading(1, 1), target: rths.NewMotion(1), window: make([]float64, len(ground)),
		m: m, c: c, k: k,
	}
	r.arrive(ground[:len(ground)/3])
	return r, nil
}

func rk4(p *structure.Partition, h float64) (*integrate.OneStep, error) {
	made, err := (&integrate.RK4{}).Make(p, h)
	if err != nil {
		return nil, err
	}
	in, ok := made.(*integrate.OneStep)
	if !ok {
		return nil, fmt.Errorf("integrator %T: want a one-step method", made)
	}
	return in, nil
}

// arrive computes the motion at the integrator's instant, and the force of the delayed
// motion.
func (r *pureDelay) arrive(ground []float64) {
	r.state = r.visitor.Append(r.state[:0], r.in)
	r.visitor.Restore(r.state, r.probe)
	copy(r.window, ground)
	r.probe.Step(&r.target, r.window, &r.none)
	r.probe.Derive(&r.target)
	s := r.probe.State()
	x, v, free := s.X[r.dof], s.V[r.dof], s.A[r.dof] // ẍ without the force
	if r.d == 0 {                                    // f = k x + c ẋ + m (ẍ_free − f/M)
		r.force = (r.k*x + r.c*v + r.m*free) / (1 + r.m*r.inverse)
		r.seen = x
		return
	}
	late := &r.past[r.at]
	r.force, r.seen = r.k*late[0]+r.c*late[1]+r.m*late[2], late[0]
	*late = [3]float64{x, v, free - r.inverse*r.force}
	r.at = (r.at + 1) % r.d
}

// Read is the delayed displacement and its force.
func (r *pureDelay) Read(out *rths.Reading) error {
	out.X[0], out.TrueX[0], out.F[0], out.TrueF[0] = r.seen, r.seen, r.force, r.force
	return nil
}

// Write ignores the command: the specimen follows the delayed motion.
func (r *pureDelay) Write([]float64) error { return nil }

// Step advances the numerical part with the force just read.
func (r *pureDelay) Step(target *rths.Motion, ground []float64, felt *rths.Reading) {
	r.in.Step(target, ground, felt)
	r.arrive(ground[2*len(ground)/3:])
}

// State and Derive delegate to the integrator.
func (r *pureDelay) State() *rths.Motion        { return r.in.State() }
func (r *pureDelay) Derive(target *rths.Motion) { r.in.Derive(target) }

// Closing is false: RK4 is a leading integrator.
func (*pureDelay) Closing() bool { return false }
