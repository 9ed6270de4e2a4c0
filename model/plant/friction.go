package plant

import (
	"fmt"

	"rths/model/device"
)

// Friction is a dry friction damper or flat slider: Coulomb's F_c = μN, reached over a stiffness in stick
// (device.Friction). The damper stands beside the structure, from which nothing is taken out. Friction is the same at
// all speeds: for one that falls with the speed use LuGre.
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
	return &device.Mounted{Law: &device.Friction{K: p.StickStiffness, Mu: p.Coefficient, N: p.NormalForce}, M: p.Mass}, nil
}

// LuGre is a friction damper whose friction falls or rises with the speed, over bristles that bend first (device.LuGre).
// It stands beside the structure, from which nothing is taken out. Not for friction whose normal force changes.
type LuGre struct {
	Stiffness      float64 `yaml:"stiffness" doc:"stiffness of the bristles σ₀, N/m"`
	BristleDamping float64 `yaml:"bristle_damping" doc:"damping of the bristles σ₁, N·s/m; 4 (σ₁ + σ₂) F/σ₁² is at least 0.5 m/s, with the lower friction force F"`
	Damping        float64 `yaml:"damping" doc:"viscous damping σ₂, N·s/m"`
	CoulombForce   float64 `yaml:"coulomb_force" doc:"friction force in fast sliding F_c, N"`
	StaticForce    float64 `yaml:"static_force" doc:"friction force before sliding F_s, N; below coulomb_force friction rises with the speed, as with PTFE"`
	StribeckSpeed  float64 `yaml:"stribeck_speed" doc:"speed v_s at which F_s − F_c has fallen to its e-th part, m/s"`
	Mass           float64 `yaml:"mass" doc:"mass moved by the actuator, kg"`
	Backlash       float64 `yaml:"backlash,omitempty" doc:"free play in series, m; 0: none"`
}

// Make checks the parameters.
func (p *LuGre) Make() (Specimen, error) {
	if err := checkQuantities("lugre", quantity{"stiffness", "N/m", p.Stiffness, true},
		quantity{"bristle_damping", "N·s/m", p.BristleDamping, false}, quantity{"damping", "N·s/m", p.Damping, false},
		quantity{"coulomb_force", "N", p.CoulombForce, true}, quantity{"static_force", "N", p.StaticForce, true},
		quantity{"stribeck_speed", "m/s", p.StribeckSpeed, true}, quantity{"mass", "kg", p.Mass, false},
		quantity{"backlash", "m", p.Backlash, false}); err != nil {
		return nil, err
	}
	law := device.LuGre{Sigma0: p.Stiffness, Sigma1: p.BristleDamping, Sigma2: p.Damping, Fc: p.CoulombForce,
		Fs: p.StaticForce, Vs: p.StribeckSpeed}
	if err := law.Check(); err != nil {
		return nil, fmt.Errorf("lugre specimen: bristle_damping: %w", err)
	}
	if p.Backlash > 0 {
		return &device.Mounted{Law: &device.Backlash{Law: &law, Play: p.Backlash}, M: p.Mass}, nil
	}
	return &device.Mounted{Law: &law, M: p.Mass}, nil
}
