package plant

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"rths"
)

// TunedMassDamper is a mass on spring and dashpot, its base moved by the
// actuator (Den Hartog 1956, chapter 3). With x the displacement of the base and y the
// displacement of the mass relative to the base
//
//	m_d (ÿ + ẍ) + c_d ẏ + k_d y = 0,  f = −(c_d ẏ + k_d y) = m_d (ÿ + ẍ)
//
// The states are y and the velocity of the mass w = ẏ + ẋ, so that a base whose
// velocity jumps is no trouble. The damper stands beside the structure, from which nothing
// is taken out. It feels the actuator's motion. If this is relative to the ground, the
// ground acceleration of m_d is missing, in the test and in the reference; then the
// actuator must make the absolute motion, as a shake table does.
type TunedMassDamper struct {
	DamperMass float64 `yaml:"damper_mass" doc:"moving mass m_d, kg"`
	Damping    float64 `yaml:"damping" doc:"damping c_d, N·s/m"`
	Stiffness  float64 `yaml:"stiffness" doc:"stiffness k_d, N/m"`
	Mass       float64 `yaml:"mass" doc:"mass of the base, moved by the actuator, kg"`
}

// Make checks the parameters.
func (p *TunedMassDamper) Make() (Specimen, error) {
	if err := checkQuantities("tuned-mass-damper", quantity{"damper_mass", "kg", p.DamperMass, true},
		quantity{"damping", "N·s/m", p.Damping, false},
		quantity{"stiffness", "N/m", p.Stiffness, false}, quantity{"mass", "kg", p.Mass, false}); err != nil {
		return nil, err
	}
	return &tmd{m: p.Mass, md: p.DamperMass, c: p.Damping, k: p.Stiffness}, nil
}

type tmd struct{ m, md, c, k float64 }

func (s *tmd) Mass() float64 { return s.m }
func (s *tmd) States() int   { return 2 }

func (s *tmd) Rate(dz, force, z []float64, m *rths.Motion) {
	rel := z[1] - m.V[0]
	force[0] = -s.c*rel - s.k*z[0]
	dz[0], dz[1] = rel, force[0]/s.md
}

// Steepest is its own frequency and damping.
func (s *tmd) Steepest() (k, c, rate float64) {
	return s.k, s.c, math.Sqrt(s.k/s.md) + s.c/s.md
}

func (s *tmd) form() (form, bool) {
	return form{
		m: s.m, c: s.c, cz: []float64{-s.k, -s.c},
		a: mat.NewDense(2, 2, []float64{0, 1, -s.k / s.md, -s.c / s.md}),
		b: mat.NewDense(2, 2, []float64{0, -1, 0, s.c / s.md}),
	}, true
}
