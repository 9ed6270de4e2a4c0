package plant

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
)

// Plants with specimens that are not linear are integrated by the classical
// Runge–Kutta method of order 4, with sub-steps of the sample.

// leastSubSteps of a sample; more when something moves faster: λ h of a
// sub-step h is at most fastest, where the error of a step is (λ h)⁵/120 = 3e-6.
const (
	leastSubSteps = 4
	mostSubSteps  = 2000
	fastest       = 0.2
)

// subSteps is the number of sub-steps of a sample h (s) for a rate λ (1/s).
func subSteps(lambda, h float64) (int, error) {
	n := math.Ceil(lambda * h / fastest)
	if !(n <= mostSubSteps) {
		return 0, fmt.Errorf("transfer system: the specimen's fastest rate %.3g 1/s needs %.3g sub-steps of a sample of "+
			"%.3g s: want at most %d, a softer specimen, more mass or a higher rate", lambda, n, h, mostSubSteps)
	}
	return max(int(n), leastSubSteps), nil
}

// steepest is the specimen's own Steepest.
func steepest(s Specimen) (k, c, rate float64) {
	switch s := s.(type) {
	case Steep:
		return s.Steepest()
	case Linear:
		_, c, k = s.Linear()
	}
	return k, c, 0
}

// ode gives dy, the rates that rungeKutta integrates, at a stage of the sub-step.
type ode interface {
	rate(dy, y []float64, stage int)
}

// Stages of a sub-step.
const (
	start = iota
	middle
	end
)

type rungeKutta struct {
	y, trial []float64
	k        [4][]float64
}

func newRungeKutta(n int) rungeKutta {
	r := rungeKutta{y: make([]float64, n), trial: make([]float64, n)}
	for i := range r.k {
		r.k[i] = make([]float64, n)
	}
	return r
}

func (r *rungeKutta) step(o ode, h float64) {
	k := &r.k
	o.rate(k[0], r.y, start)
	o.rate(k[1], r.ahead(h/2, k[0]), middle)
	o.rate(k[2], r.ahead(h/2, k[1]), middle)
	o.rate(k[3], r.ahead(h, k[2]), end)
	for i := range r.y {
		r.y[i] += h / 6 * (k[0][i] + 2*k[1][i] + 2*k[2][i] + k[3][i])
	}
}

// ahead is y + h k.
func (r *rungeKutta) ahead(h float64, k []float64) []float64 {
	for i := range r.trial {
		r.trial[i] = r.y[i] + h*k[i]
	}
	return r.trial
}

func (r *rungeKutta) VisitState(v *rths.StateVisitor) { v.Floats(r.y) }

// follower is a specimen, or an assembly of specimens, on a given motion.
type follower struct {
	specimen Specimen
	assembly *Assembly      // nil: one specimen
	commit   Committed      // nil: none
	m        [3]rths.Motion // at the stages
	f        []float64
	rungeKutta
}

func newFollower(s Specimen) *follower {
	axes := 1
	a, several := s.(*Assembly)
	if several {
		axes = a.axes
	}
	f := &follower{specimen: s, assembly: a, f: make([]float64, axes), rungeKutta: newRungeKutta(s.States())}
	f.commit, _ = s.(Committed)
	for i := range f.m {
		f.m[i] = rths.NewMotion(axes)
	}
	return f
}

func (f *follower) rate(dz, z []float64, stage int) { f.specimen.Rate(dz, f.f, z, &f.m[stage]) }

// advance goes over one sub-step, along the motion at its stages.
func (f *follower) advance(h float64) {
	f.step(f, h)
	if f.commit != nil {
		f.commit.Commit(f.y, &f.m[end])
	}
}

// restoring is the forces at the end, inertia included.
func (f *follower) restoring() []float64 {
	f.rate(f.trial, f.y, end)
	if f.assembly != nil {
		f.assembly.addInertia(f.f, &f.m[end])
	} else {
		f.f[0] += f.specimen.Mass() * f.m[end].A[0]
	}
	return f.f
}

// integrated is a stiff transfer system with specimens that are not linear. The
// motion is exact at the stages of every sub-step; where a delayed command
// changes inside the sample, a sub-step ends.
type integrated struct {
	w, z, u   []float64 // w = [z; u]
	past      lines
	stretches []stretch
	motion    *lti.Map // of w: displacements, velocities, accelerations
	out, next []float64
	load      *follower
}

// stretch is a part of the sample under one command of every axis.
type stretch struct {
	to    float64 // part of the sample at its end
	steps int
	h     float64  // s, of a sub-step
	half  *lti.Map // [Φ Γ] over half a sub-step
}

func newIntegrated(s *system, load *Assembly, h float64, delays []float64) (*integrated, error) {
	steps, err := subSteps(load.rate(), h)
	if err != nil {
		return nil, err
	}
	nz, nu := s.b.Dims()
	p := &integrated{w: make([]float64, nz+nu), past: newLines(delays, h)}
	p.z, p.u = p.w[:nz], p.w[nz:]
	p.load = newFollower(load.alone())
	rows := append(append(append([][]float64(nil), s.x...), s.v...), s.acc...)
	motion := mat.NewDense(len(rows), nz+nu, nil)
	for i, row := range rows {
		motion.SetRow(i, row)
	}
	if err := finiteNumbers(motion); err != nil {
		return nil, err
	}
	p.motion = lti.NewMap(motion)
	p.out = make([]float64, p.motion.Rows())
	from := 0.0
	for _, to := range p.past.changes() {
		if err := p.stretch(s, h, steps, from, to); err != nil {
			return nil, err
		}
		from = to
	}
	return p, nil
}

// stretch adds a part of the sample with its share of the sub-steps.
func (p *integrated) stretch(s *system, h float64, steps int, from, to float64) error {
	n := int(math.Ceil(float64(steps) * (to - from)))
	st := stretch{to: to, steps: n, h: h * (to - from) / float64(n)}
	half, err := holdOver(s.a, s.b, st.h/2)
	if err != nil {
		return err
	}
	st.half = lti.NewMap(half)
	p.next = make([]float64, st.half.Rows())
	p.stretches = append(p.stretches, st)
	return finiteNumbers(half)
}

func (p *integrated) Step(now *rths.Reading, command []float64) {
	p.past.push(command)
	for i := range p.stretches {
		st := &p.stretches[i]
		p.past.until(st.to, p.u)
		p.look(start)
		for range st.steps {
			p.move(st, middle)
			p.move(st, end)
			p.load.advance(st.h)
			p.look(start)
		}
	}
	n := len(p.u)
	copy(now.X, p.out[:n])
	copy(now.V, p.out[n:2*n])
	copy(now.A, p.out[2*n:3*n])
	copy(now.F, p.load.restoring())
}

// move goes on by half a sub-step.
func (p *integrated) move(st *stretch, stage int) {
	st.half.Apply(p.next, p.w)
	copy(p.z, p.next)
	p.look(stage)
}

// look puts the present motion at a stage of the specimens.
func (p *integrated) look(stage int) {
	p.motion.Apply(p.out, p.w)
	m, n := &p.load.m[stage], len(p.u)
	copy(m.X, p.out[:n])
	copy(m.V, p.out[n:2*n])
	copy(m.A, p.out[2*n:3*n])
}

func (p *integrated) VisitState(v *rths.StateVisitor) {
	v.Floats(p.z)
	v.State(&p.past, p.load)
}
