package plant

import (
	"fmt"
	"math"

	"rths"
)

// LinearSpecimen is f = m ẍ + c ẋ + k x.
type LinearSpecimen struct {
	Mass      float64 `yaml:"mass" doc:"mass, kg"`
	Damping   float64 `yaml:"damping" doc:"damping, N·s/m"`
	Stiffness float64 `yaml:"stiffness" doc:"stiffness, N/m"`
}

// Make checks the parameters.
func (p *LinearSpecimen) Make() (Specimen, error) {
	for _, q := range []struct {
		name, unit string
		v          float64
	}{{"mass", "kg", p.Mass}, {"stiffness", "N/m", p.Stiffness}, {"damping", "N·s/m", p.Damping}} {
		if !(q.v >= 0) || math.IsInf(q.v, 0) {
			return nil, fmt.Errorf("linear specimen: %s %g %s: want 0 or more", q.name, q.v, q.unit)
		}
	}
	return &linear{m: p.Mass, c: p.Damping, k: p.Stiffness}, nil
}

// SilvaSpecimen is the benchmark's specimen: its damping follows stiffness and
// mass through a fixed ratio, c = 2ζ√(k m) (facts, section 2, [B]).
type SilvaSpecimen struct {
	Mass         float64 `yaml:"mass" doc:"mass, kg"`
	Stiffness    float64 `yaml:"stiffness" doc:"stiffness, N/m"`
	DampingRatio float64 `yaml:"damping_ratio" doc:"damping ratio of the specimen by itself"`
}

// Make makes the linear specimen.
func (p *SilvaSpecimen) Make() (Specimen, error) {
	l := LinearSpecimen{Mass: p.Mass, Stiffness: p.Stiffness, Damping: 2 * p.DampingRatio * math.Sqrt(p.Stiffness*p.Mass)}
	return l.Make()
}

// Perturb draws the stiffness: standard deviation 5e4 N/m (facts, section 3).
func (p *SilvaSpecimen) Perturb(normal func() float64) { p.Stiffness += 5e4 * normal() }

type linear struct{ m, c, k float64 }

func (s *linear) Mass() float64                              { return s.m }
func (s *linear) States() int                                { return 0 }
func (s *linear) Linear() (m, c, k float64)                  { return s.m, s.c, s.k }
func (s *linear) Rate(_, force, _ []float64, m *rths.Motion) { force[0] = s.c*m.V[0] + s.k*m.X[0] }
