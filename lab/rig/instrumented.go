package rig

import (
	"rths"
	"rths/model/plant"
	"rths/model/rigidbody"
)

// Instrumented is a virtual rig whose body is measured by instruments beside the actuators.
type Instrumented struct {
	rig    rths.Rig
	now    *rths.Reading // true, of the virtual rig
	body   *rigidbody.Body
	gauges []*plant.Gauge // of the instruments
	pose   []float64
	all    []float64 // lengths of actuators and instruments, m
}

// NewInstrumented puts instruments, the links of the body after those of the actuators, around a rig. v is the virtual
// rig inside.
func NewInstrumented(r rths.Rig, v *Virtual, body *rigidbody.Body, gauges []*plant.Gauge) *Instrumented {
	return &Instrumented{rig: r, now: &v.now, body: body, gauges: gauges, pose: make([]float64, body.Coordinates()),
		all: make([]float64, len(v.now.X)+len(gauges))}
}

// Read reads the rig, and measures the lengths of the true pose.
func (r *Instrumented) Read(out *rths.Reading) error {
	err := r.rig.Read(out)
	r.body.Find(r.pose, r.now.X)
	r.body.Elongations(r.all, r.pose)
	for i, g := range r.gauges {
		if y := g.Read(r.all[len(r.now.X)+i]); i < len(out.L) { // a loop of the actuators alone has no room
			out.L[i] = y
		}
	}
	return err
}

// Write commands the rig.
func (r *Instrumented) Write(command []float64) error { return r.rig.Write(command) }

// Unwrap is the rig inside.
func (r *Instrumented) Unwrap() any { return r.rig }

// Idealise switches the noise of the instruments off with everything else that is not linear.
func (r *Instrumented) Idealise(on bool) {
	if i, ok := rths.As[rths.Idealiser](r.rig); ok {
		i.Idealise(on)
	}
	for _, g := range r.gauges {
		g.Idealise(on)
	}
}

// VisitState visits the noise of the instruments, then the rig's state.
func (r *Instrumented) VisitState(v *rths.StateVisitor) {
	for _, g := range r.gauges {
		v.State(g)
	}
	v.StateOf(r.rig)
}
