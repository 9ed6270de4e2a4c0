package rig

import (
	"rths"
	"rths/model/plant"
)

// Accelerated is a virtual rig with an accelerometer on every axis. It gives the mean over
// the sample, (v(t_k) − v(t_k−1))/h, as after the filter that every recorder has. At an instant
// the acceleration under held commands says little: the acceleration of a second-order system
// jumps by ω² Δu with each command and falls back until the next.
type Accelerated struct {
	rig    *Virtual
	a      []*plant.Gauge
	acc    []float64 // true, of the newest sample, m/s²
	rateHz float64
}

// NewAccelerated puts accelerometers on a virtual rig at rest.
func NewAccelerated(v *Virtual, a []*plant.Gauge, rateHz float64) *Accelerated {
	v.now.V = make([]float64, len(a))
	return &Accelerated{rig: v, a: a, acc: make([]float64, len(a)), rateHz: rateHz}
}

// Read measures the present state of the plant.
func (r *Accelerated) Read(out *rths.Reading) error {
	err := r.rig.Read(out)
	for i, g := range r.a {
		out.A[i] = g.Read(r.acc[i])
		if i < len(out.TrueA) {
			out.TrueA[i] = r.acc[i]
		}
	}
	return err
}

// Write holds the command over the sample.
func (r *Accelerated) Write(command []float64) error {
	v := r.rig.now.V
	copy(r.acc, v)
	err := r.rig.Write(command)
	for i, before := range r.acc {
		r.acc[i] = (v[i] - before) * r.rateHz
	}
	return err
}

// Unwrap is the rig inside.
func (r *Accelerated) Unwrap() any { return r.rig }

// Idealise switches noise off or on, with everything else that is not linear.
func (r *Accelerated) Idealise(on bool) {
	r.rig.Idealise(on)
	for _, g := range r.a {
		g.Idealise(on)
	}
}

// VisitState visits velocities, accelerations and noise, then the rig's state.
func (r *Accelerated) VisitState(v *rths.StateVisitor) {
	v.Floats(r.rig.now.V, r.acc)
	for _, g := range r.a {
		v.State(g)
	}
	v.State(r.rig)
}
