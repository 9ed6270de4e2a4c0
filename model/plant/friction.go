package plant

import (
	"math"

	"rths"
)

// Friction is a dry friction damper or flat slider: Coulomb's F_c = μN, reached
// over a stiffness in stick, which is elastic–perfectly plastic as in OpenSees's
// FlatSliderBearing:
//
//	f = k (x − s),  |f| ≤ μN;  the slip s moves when the limit is reached
//
// The slip is brought up to date by return mapping at the end of every sub-step
// (Simo and Hughes 1998, section 1.4), exact as long as the motion does not turn round
// inside a sub-step. The damper stands beside the structure, from which nothing is taken
// out. Friction is the same at all speeds, static friction equals sliding friction, and
// the normal force is constant.
type Friction struct {
	Coefficient    float64 `yaml:"coefficient" doc:"friction coefficient μ, -"`
	NormalForce    float64 `yaml:"normal_force" doc:"normal force N, N"`
	StickStiffness float64 `yaml:"stick_stiffness" doc:"stiffness k before sliding, N/m"`
	Mass           float64 `yaml:"mass" doc:"mass moved by the actuator, kg"`
}

// Make checks the parameters.
func (p *Friction) Make() (Specimen, error) {
	if err := checkQuantities("friction", quantity{"coefficient", "(-)", p.Coefficient, false},
		quantity{"normal_force", "N", p.NormalForce, false},
		quantity{"stick_stiffness", "N/m", p.StickStiffness, true}, quantity{"mass", "kg", p.Mass, false}); err != nil {
		return nil, err
	}
	return &friction{m: p.Mass, k: p.StickStiffness, limit: p.Coefficient * p.NormalForce}, nil
}

// friction has the slip s as its state.
type friction struct{ m, k, limit float64 }

func (s *friction) Mass() float64 { return s.m }
func (s *friction) States() int   { return 1 }

// Rate leaves the slip as it is: Commit moves it.
func (s *friction) Rate(dz, force, z []float64, m *rths.Motion) {
	dz[0] = 0
	force[0] = min(max(s.k*(m.X[0]-z[0]), -s.limit), s.limit)
}

// Commit moves the slip so far that the spring carries the limit.
func (s *friction) Commit(z []float64, m *rths.Motion) {
	if f := s.k * (m.X[0] - z[0]); math.Abs(f) > s.limit {
		z[0] = m.X[0] - math.Copysign(s.limit, f)/s.k
	}
}

// Steepest is the spring that sticks: k, without damping.
func (s *friction) Steepest() (k, c, rate float64) { return s.k, 0, 0 }
