package integrate

import (
	"fmt"

	"rths"
	"rths/structure"
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
	h      float64
	gamma  [][]float64 // interface coordinates × components
	x, v   []float64   // of the ground at t_k+1, per component
	a      []float64
	derive rths.Deriver
}

// NewAbsolute wraps the integrator of a numerical part for the step h (s).
func NewAbsolute(in rths.Integrator, p *structure.Partition, h float64) (*Absolute, error) {
	if in.Closing() {
		return nil, fmt.Errorf("absolute target: %T closes its step with the force of its end: want a leading integrator", in)
	}
	_, comps := p.Whole.Gamma.Dims()
	w := &Absolute{Integrator: in, h: h, x: make([]float64, comps), v: make([]float64, comps), a: make([]float64, comps)}
	for _, d := range p.Interface {
		row := make([]float64, comps)
		for j := range row {
			row[j] = p.Whole.Gamma.At(d, j)
		}
		w.gamma = append(w.gamma, row)
	}
	w.derive, _ = rths.As[rths.Deriver](in)
	return w, nil
}

// Unwrap is the integrator.
func (w *Absolute) Unwrap() any { return w.Integrator }

// Step advances integrator and ground by one sample.
func (w *Absolute) Step(target *rths.Motion, ground []float64, felt *rths.Reading) {
	w.Integrator.Step(target, ground, felt)
	end, h := ground[2*len(ground)/3:], w.h
	for j := range w.x {
		a, b := ground[j], end[j]
		w.x[j] += h*w.v[j] + h*h*(2*a+b)/6
		w.v[j] += h * (a + b) / 2
		w.a[j] = b
	}
	for i, gamma := range w.gamma {
		for j, g := range gamma {
			target.X[i] += g * w.x[j]
		}
	}
}

// Derive gives the rates of the state shown, which is relative to the ground,
// and absolute ones of the target.
func (w *Absolute) Derive(target *rths.Motion) {
	if w.derive == nil {
		return
	}
	w.derive.Derive(target)
	for i, gamma := range w.gamma {
		for j, g := range gamma {
			target.V[i] += g * w.v[j]
			target.A[i] += g * w.a[j]
		}
	}
}

// Start releases the integrator; the ground is at rest.
func (w *Absolute) Start(x, force []float64) error {
	s, ok := rths.As[Starter](w.Integrator)
	if !ok {
		return fmt.Errorf("absolute target: %T cannot start away from rest", w.Integrator)
	}
	clear(w.x)
	clear(w.v)
	return s.Start(x, force)
}

// AppendState appends the ground's displacement and velocity, then the state of
// the integrator.
func (w *Absolute) AppendState(dst []float64) []float64 {
	dst = append(append(dst, w.x...), w.v...)
	return rths.AppendStateOf(dst, w.Integrator)
}

// SetState restores what AppendState appended.
func (w *Absolute) SetState(src []float64) []float64 {
	src = src[copy(w.x, src):]
	src = src[copy(w.v, src):]
	return rths.SetStateOf(src, w.Integrator)
}
