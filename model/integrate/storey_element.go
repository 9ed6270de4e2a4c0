package integrate

import (
	"rths"
	"rths/model/hysteresis"
	"rths/model/structure"
)

// YieldingElements are the yielding storeys of a numerical part as elements of a Coupled,
// and the rest of the part, without their stiffness.
func YieldingElements(p *structure.Partition) (rest *structure.Partition, elements []Element) {
	rest = p.With(func(*structure.Yielding) float64 { return 0 })
	for i := range p.Yielding {
		y := &p.Yielding[i]
		elements = append(elements, Element{Specimen: &storey{y.Law}, Along: y.Along(p.N())})
	}
	return rest, elements
}

// storey is a law as a specimen without mass.
type storey struct{ law hysteresis.Law }

func (s *storey) Mass() float64 { return 0 }
func (s *storey) States() int   { return s.law.States() }

func (s *storey) Rate(dz, force, z []float64, m *rths.Motion) {
	s.law.Rate(dz, z, m.V[0])
	force[0] = s.law.Force(m.X[0], z)
}

func (s *storey) Commit(z []float64, m *rths.Motion) { s.law.Commit(z, m.X[0]) }

func (s *storey) Steepest() (k, c, rate float64) {
	k, rate = s.law.Steepest()
	return k, 0, rate
}
