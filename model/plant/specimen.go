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
// mass through a fixed ratio, c = 2ζ√(k m) (docs/reference/benchmark-siso.md, Partition).
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

// Perturb draws the stiffness: standard deviation 5e4 N/m (docs/reference/benchmark-siso.md,
// Scatter).
func (p *SilvaSpecimen) Perturb(normal func() float64) { p.Stiffness += 5e4 * normal() }

// RandomSpecimen is a linear specimen with parameters drawn uniformly from the ranges of
// cases V and VI of paper 001 (Table 7.3). perturbed: n draws them and records what was
// drawn; the nominal specimen is as given.
type RandomSpecimen struct {
	Mass           float64   `yaml:"mass" doc:"mass of the nominal specimen, kg"`
	Damping        float64   `yaml:"damping" doc:"damping of the nominal specimen, N·s/m"`
	Stiffness      float64   `yaml:"stiffness" doc:"stiffness of the nominal specimen, N/m"`
	MassRange      []float64 `yaml:"mass_range" doc:"least and largest mass, kg"`
	DampingRange   []float64 `yaml:"damping_range" doc:"least and largest damping, N·s/m"`
	StiffnessRange []float64 `yaml:"stiffness_range" doc:"least and largest stiffness, N/m"`
}

// Make checks the ranges and makes the linear specimen.
func (p *RandomSpecimen) Make() (Specimen, error) {
	for _, r := range []struct {
		key   string
		given []float64
	}{{"mass_range", p.MassRange}, {"damping_range", p.DampingRange}, {"stiffness_range", p.StiffnessRange}} {
		if !isRange(r.given) {
			return nil, fmt.Errorf("random-linear specimen: %s %g: want the least and the largest, 0 or more", r.key, r.given)
		}
	}
	l := LinearSpecimen{Mass: p.Mass, Damping: p.Damping, Stiffness: p.Stiffness}
	return l.Make()
}

func isRange(r []float64) bool {
	return len(r) == 2 && r[0] >= 0 && r[1] >= r[0] && !math.IsInf(r[1], 0)
}

// Perturb draws mass, damping and stiffness, in this order. Ranges that are none
// draw nothing: Make refuses them.
func (p *RandomSpecimen) Perturb(normal func() float64) {
	for _, q := range []struct {
		v *float64
		r []float64
	}{{&p.Mass, p.MassRange}, {&p.Damping, p.DampingRange}, {&p.Stiffness, p.StiffnessRange}} {
		u := math.Erfc(-normal()/math.Sqrt2) / 2 // uniform: the probability of less
		if isRange(q.r) {
			*q.v = q.r[0] + u*(q.r[1]-q.r[0])
		}
	}
}

type linear struct{ m, c, k float64 }

func (s *linear) Mass() float64                              { return s.m }
func (s *linear) States() int                                { return 0 }
func (s *linear) Linear() (m, c, k float64)                  { return s.m, s.c, s.k }
func (s *linear) Rate(_, force, _ []float64, m *rths.Motion) { force[0] = s.c*m.V[0] + s.k*m.X[0] }
