package plant

import (
	"fmt"

	"rths"
)

// Bilinear is a spring that yields, with linear kinematic hardening and a dashpot
// beside it (paper 000, 3-DOF test: its first storey; Simo and Hughes 1998,
// section 1.4):
//
//	f = k₂ x + (k₀ − k₂)(x − u_p) + c ẋ,  |x − u_p| ≤ d_y
//
// The plastic displacement u_p moves when the limit is reached, by return mapping
// at the end of every sub-step, exact as long as the motion does not turn round
// inside one. A cycle of amplitude A > d_y dissipates 4 (k₀ − k₂) d_y (A − d_y).
// In the structure it counts as m ẍ + c ẋ + k₀ x. For steel that softens gradually or
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
	if err := checkQuantities("bilinear", quantity{"stiffness", "N/m", p.Stiffness, true}, quantity{"post_stiffness", "N/m", p.PostStiffness, false},
		quantity{"yield_displacement", "m", p.YieldDisplacement, true}, quantity{"damping", "N·s/m", p.Damping, false}, quantity{"mass", "kg", p.Mass, false}); err != nil {
		return nil, err
	}
	if p.PostStiffness > p.Stiffness {
		return nil, fmt.Errorf("bilinear specimen: post_stiffness %g N/m: want at most the stiffness before yielding, %g N/m", p.PostStiffness, p.Stiffness)
	}
	return &bilinear{m: p.Mass, c: p.Damping, k0: p.Stiffness, k2: p.PostStiffness, dy: p.YieldDisplacement}, nil
}

// bilinear has the plastic displacement u_p as its state.
type bilinear struct{ m, c, k0, k2, dy float64 }

func (s *bilinear) Mass() float64               { return s.m }
func (s *bilinear) States() int                 { return 1 }
func (s *bilinear) Initial() (m, c, k float64)  { return s.m, s.c, s.k0 }
func (s *bilinear) Steepest() (k, c, r float64) { return s.k0, s.c, 0 }

// elastic is x − u_p within its limits.
func (s *bilinear) elastic(x, up float64) float64 { return min(max(x-up, -s.dy), s.dy) }

// Rate leaves the plastic displacement as it is: Commit moves it.
func (s *bilinear) Rate(dz, force, z []float64, m *rths.Motion) {
	dz[0] = 0
	force[0] = s.k2*m.X[0] + (s.k0-s.k2)*s.elastic(m.X[0], z[0]) + s.c*m.V[0]
}

// Commit moves the plastic displacement as far as it takes.
func (s *bilinear) Commit(z []float64, m *rths.Motion) { z[0] = m.X[0] - s.elastic(m.X[0], z[0]) }
