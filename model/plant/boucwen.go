package plant

import (
	"fmt"

	"rths/model/device"
)

// BoucWen is a hysteretic spring that loses stiffness and strength, with a cubic spring
// (device.BoucWen) and a dashpot c_e beside it (paper 001 eqs 7.13–7.18; Sivaselvan and
// Reinhorn 2000). The paper has no stiffness beyond yielding (a = 0), its code has a = 0.1
// (docs/reference/benchmark-siso.md, Nonlinear specimen).
//
// With η₂ > η₁ the spring is softer in unloading: within a cycle it gives back more than it
// holds, over a whole cycle it takes energy. In the structure it counts as
// m ẍ + c ẋ + k_e x; with a backlash it stands beside the structure. Not for pinching.
type BoucWen struct {
	Stiffness      float64 `yaml:"stiffness" doc:"stiffness before yielding k_e, N/m"`
	PostYieldRatio float64 `yaml:"post_yield_ratio" doc:"stiffness far beyond yielding over that before, a, 0 to below 1"`
	YieldForce     float64 `yaml:"yield_force" doc:"yield force f_y0 of the hysteretic part, (1 − a) k_e times the yield displacement, N"`
	Exponent       float64 `yaml:"exponent" doc:"sharpness of yielding N, 1 to 100"`
	Eta1           float64 `yaml:"eta1" doc:"shape of the loop η₁, -"`
	Eta2           float64 `yaml:"eta2" doc:"shape of the loop η₂, -; with η₁ + η₂ = 1 the yield force is that given"`
	Alpha          float64 `yaml:"alpha" doc:"degradation of stiffness α, 1/J"`
	Beta           float64 `yaml:"beta" doc:"degradation of strength β, 1/J"`
	Hardening      float64 `yaml:"hardening" doc:"cubic spring beside it k_h, N/m³"`
	Damping        float64 `yaml:"damping" doc:"damping c_e, N·s/m"`
	Mass           float64 `yaml:"mass" doc:"mass m_e, kg"`
	Backlash       float64 `yaml:"backlash,omitempty" doc:"free play in series with springs and dashpot, m; 0: none"`
}

// Make checks the parameters.
func (p *BoucWen) Make() (Specimen, error) {
	if err := checkQuantities("bouc-wen", quantity{"stiffness", "N/m", p.Stiffness, true},
		quantity{"yield_force", "N", p.YieldForce, true},
		quantity{"eta1", "(-)", p.Eta1, false}, quantity{"eta2", "(-)", p.Eta2, false},
		quantity{"eta1 + eta2", "(-)", p.Eta1 + p.Eta2, true},
		quantity{"alpha", "1/J", p.Alpha, false}, quantity{"beta", "1/J", p.Beta, false},
		quantity{"hardening", "N/m³", p.Hardening, false},
		quantity{"damping", "N·s/m", p.Damping, false}, quantity{"mass", "kg", p.Mass, false},
		quantity{"backlash", "m", p.Backlash, false}); err != nil {
		return nil, err
	}
	if !(p.PostYieldRatio >= 0 && p.PostYieldRatio < 1) {
		return nil, fmt.Errorf("bouc-wen specimen: post_yield_ratio %g: want 0 to below 1", p.PostYieldRatio)
	}
	if !(p.Exponent >= 1 && p.Exponent <= 100) {
		return nil, fmt.Errorf("bouc-wen specimen: exponent %g: want 1 to 100", p.Exponent)
	}
	law := device.BoucWen{Ke: p.Stiffness, A: p.PostYieldRatio, Fy: p.YieldForce, N: p.Exponent, Eta1: p.Eta1,
		Eta2: p.Eta2, Alpha: p.Alpha, Beta: p.Beta, Kh: p.Hardening}
	if p.Backlash > 0 {
		damped := &device.Damped{Law: &law, C: p.Damping}
		return &device.Mounted{Law: &device.Backlash{Law: damped, Play: p.Backlash}, M: p.Mass}, nil
	}
	return &yields{device.Mounted{Law: &law, M: p.Mass, C: p.Damping}}, nil
}
