// Package rig has the rigs of a loop. Virtual simulates a laboratory: converter, control
// plant and sensors. Three types wrap any rig: Computed computes the specimen's force from
// the measured displacement, Recovered does the same for a frame with several actuators,
// and Guard watches limits and takes over the command when a limit is crossed. Units are
// SI: m, m/s, N, s.
package rig

import (
	"rths"
	"rths/maths/signal"
	"rths/model/plant"
)

// Virtual is a simulated rig with one gauge per axis and per force.
type Virtual struct {
	Plant  plant.Plant
	DA     signal.Converter // on the command, m
	X, F   []*plant.Gauge
	now    rths.Reading // true
	driven []float64    // the command after the converter
	ideal  bool
}

// NewVirtual returns a rig at rest.
func NewVirtual(p plant.Plant, da signal.Converter, x, f []*plant.Gauge) *Virtual {
	return &Virtual{Plant: p, DA: da, X: x, F: f, now: rths.NewReading(len(x), len(f)), driven: make([]float64, len(x))}
}

// Read measures the present state of the plant.
func (v *Virtual) Read(out *rths.Reading) error {
	for i, g := range v.X {
		x := v.now.X[i]
		out.X[i] = g.Read(x)
		if i < len(out.TrueX) {
			out.TrueX[i] = x
		}
	}
	for i, g := range v.F {
		force := v.now.F[i]
		out.F[i] = g.Read(force)
		if i < len(out.TrueF) {
			out.TrueF[i] = force
		}
	}
	return nil
}

// Write holds the command over the sample and brings the plant to its end.
func (v *Virtual) Write(command []float64) error {
	for i, u := range command {
		if !v.ideal {
			u = v.DA.DA(u)
		}
		v.driven[i] = u
	}
	v.Plant.Step(&v.now, v.driven)
	return nil
}

// Idealise switches converter and sensor noise off or on.
func (v *Virtual) Idealise(on bool) {
	v.ideal = on
	for _, g := range append(append([]*plant.Gauge(nil), v.X...), v.F...) {
		g.Idealise(on)
	}
	if i, ok := rths.As[rths.Idealiser](v.Plant); ok {
		i.Idealise(on)
	}
}

// VisitState visits the reading, the plant's state and the sensors'.
func (v *Virtual) VisitState(s *rths.StateVisitor) {
	s.Floats(v.now.X, v.now.F)
	s.StateOf(v.Plant)
	for _, g := range v.X {
		s.State(g)
	}
	for _, g := range v.F {
		s.State(g)
	}
}
