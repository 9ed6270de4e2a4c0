package plant

import (
	"fmt"

	"rths/model/device"
)

// Bilinear is a spring that yields, with linear kinematic hardening
// (device.Bilinear), and a dashpot c beside it (paper 000, 3-DOF test: its first
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
	law := device.Bilinear{K0: p.Stiffness, K2: p.PostStiffness, Dy: p.YieldDisplacement}
	return &yields{device.Mounted{Law: &law, M: p.Mass, C: p.Damping}}, nil
}

// yields is a spring that yields, with mass and dashpot. It replaces a part of the structure.
type yields struct{ device.Mounted }

// Initial is the specimen in small motion.
func (s *yields) Initial() (m, c, k float64) {
	k, c = s.Law.AtRest()
	return s.M, s.C + c, k
}
