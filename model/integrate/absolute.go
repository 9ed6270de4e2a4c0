package integrate

import (
	"fmt"

	"rths"
	"rths/model/structure"
)

// Absolute has an integrator's target in absolute coordinates, for a shake table
// (Gálmez 2021, section 3.3): relative motion plus ground motion,
//
//	target = x + Γ x_g,   ẍ_g = a_g linear between samples, from rest
//
// so that the specimen on the table feels the whole inertia of its masses and its
// force is F_e = M_e ẍ_abs (3.14). The numerical part stays in relative coordinates;
// its ground term has its own mass only (3.13). If the velocity of a record does not
// end at zero, ground and table drift away: correct the baseline first. Not for closing
// integrators.
type Absolute struct {
	rths.Integrator
	*groundMotion
	derive rths.Deriver
}

// groundMotion is the motion of the ground at the interface.
type groundMotion struct {
	h       float64
	gamma   [][]float64 // interface coordinates × components
	x, v, a []float64   // of the ground, per component, at the end of the newest sample
}

func newGroundMotion(p *structure.Partition, h float64) *groundMotion {
	_, comps := p.Whole.Gamma.Dims()
	g := &groundMotion{h: h, x: make([]float64, comps), v: make([]float64, comps), a: make([]float64, comps)}
	for _, d := range p.Interface {
		row := make([]float64, comps)
		for j := range row {
			row[j] = p.Whole.Gamma.At(d, j)
		}
		g.gamma = append(g.gamma, row)
	}
	return g
}

// advance goes on by one sample; ground is its window.
func (g *groundMotion) advance(ground []float64) {
	end, h := ground[2*len(ground)/3:], g.h
	for j := range g.x {
		a, b := ground[j], end[j]
		g.x[j] += h*g.v[j] + h*h*(2*a+b)/6
		g.v[j] += h * (a + b) / 2
		g.a[j] = b
	}
}

// add adds Γ times a value of all components to the interface coordinates.
func (g *groundMotion) add(to, value []float64) {
	for i, gamma := range g.gamma {
		for j, c := range gamma {
			to[i] += c * value[j]
		}
	}
}

func (g *groundMotion) visit(v *rths.StateVisitor) { v.Floats(g.x, g.v) }

// NewAbsolute wraps the integrator of a numerical part for the step h (s).
func NewAbsolute(in rths.Integrator, p *structure.Partition, h float64) (*Absolute, error) {
	if in.Closing() {
		return nil, fmt.Errorf("absolute target: %T closes its step with the force of its end: want a leading integrator", in)
	}
	w := &Absolute{Integrator: in, groundMotion: newGroundMotion(p, h)}
	w.derive, _ = rths.As[rths.Deriver](in)
	return w, nil
}

// Unwrap is the integrator.
func (w *Absolute) Unwrap() any { return w.Integrator }

// Step advances integrator and ground by one sample.
func (w *Absolute) Step(target *rths.Motion, ground []float64, felt *rths.Reading) {
	w.Integrator.Step(target, ground, felt)
	w.advance(ground)
	w.add(target.X, w.x)
}

// Derive gives the rates of the state shown, which is relative to the ground,
// and absolute ones of the target.
func (w *Absolute) Derive(target *rths.Motion) {
	if w.derive == nil {
		return
	}
	w.derive.Derive(target)
	w.add(target.V, w.v)
	w.add(target.A, w.a)
}

// Start releases the integrator; the ground is at rest.
func (w *Absolute) Start(x, force []float64) error {
	s, ok := rths.As[Starter](w.Integrator)
	if !ok {
		return fmt.Errorf("absolute target: %T cannot start away from rest", w.Integrator)
	}
	return s.Start(x, force)
}

// VisitState visits the ground's displacement and velocity, then the state of
// the integrator.
func (w *Absolute) VisitState(v *rths.StateVisitor) {
	w.visit(v)
	v.StateOf(w.Integrator)
}
