package plant

import (
	"fmt"

	"rths"
	"rths/model/hysteresis"
)

// Bilinear is a spring that yields, with linear kinematic hardening
// (hysteresis.Bilinear), and a dashpot c beside it (paper 000, 3-DOF test: its first
// storey). In the structure it counts as m ẍ + c ẋ + k₀ x. For steel that softens gradually or
// degrades use BoucWen.
type Bilinear struct {
	Stiffness         float64 `yaml:"stiffness" doc:"stiffness k₀ before yielding, N/m"`
	PostStiffness     float64 `yaml:"post_stiffness" doc:"stiffness k₂ after yielding, N/m, 0 to that before"`
	YieldDisplacement float64 `yaml:"yield_displacement" doc:"yield displacement d_y, m"`
	Damping           float64 `yaml:"damping" doc:"damping c, N·s/m"`
	Mass              float64 `yaml:"mass" doc:"mass, kg"`
}

// Make checks the parameters.
func (p *Bilinear) Make() (Specimen, error) {
	if err := checkQuantities("bilinear", quantity{"stiffness", "N/m", p.Stiffness, true},
		quantity{"post_stiffness", "N/m", p.PostStiffness, false},
		quantity{"yield_displacement", "m", p.YieldDisplacement, true}, quantity{"damping", "N·s/m", p.Damping, false},
		quantity{"mass", "kg", p.Mass, false}); err != nil {
		return nil, err
	}
	if p.PostStiffness > p.Stiffness {
		return nil, fmt.Errorf("bilinear specimen: post_stiffness %g N/m: want at most the stiffness before yielding, %g N/m",
			p.PostStiffness, p.Stiffness)
	}
	return &bilinear{p.Mass, p.Damping, hysteresis.Bilinear{K0: p.Stiffness, K2: p.PostStiffness,
		Dy: p.YieldDisplacement}}, nil
}

// bilinear has the plastic displacement u_p as its state.
type bilinear struct {
	m, c float64
	law  hysteresis.Bilinear
}

func (s *bilinear) Mass() float64               { return s.m }
func (s *bilinear) States() int                 { return s.law.States() }
func (s *bilinear) Initial() (m, c, k float64)  { return s.m, s.c, s.law.K0 }
func (s *bilinear) Steepest() (k, c, r float64) { return s.law.K0, s.c, 0 }

// Rate leaves the plastic displacement as it is: Commit moves it.
func (s *bilinear) Rate(dz, force, z []float64, m *rths.Motion) {
	dz[0] = 0
	force[0] = s.law.Force(m.X[0], z) + s.c*m.V[0]
}

// Commit moves the plastic displacement as far as it takes.
func (s *bilinear) Commit(z []float64, m *rths.Motion) { s.law.Commit(z, m.X[0]) }
