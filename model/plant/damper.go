package plant

import (
	"fmt"
	"math"

	"rths/model/device"
)

// quantity is one number of a specimen that must be 0 or more, or more than 0.
type quantity struct {
	key, unit string
	v         float64
	positive  bool
}

func checkQuantities(name string, list ...quantity) error {
	for _, q := range list {
		want := "0 or more"
		if q.positive {
			want = "more than 0"
		}
		if !(q.v >= 0) || math.IsInf(q.v, 0) || q.positive && q.v == 0 {
			return fmt.Errorf("%s specimen: %s %g %s: want %s", name, q.key, q.v, q.unit, want)
		}
	}
	return nil
}

// ViscousDamper is a fluid viscous damper, with a spring and a mass beside it if
// wanted (device.Viscous):
//
//	f = c |v|^α sgn v + k x
//
// The damper stands beside the structure, from which nothing is taken out. For a fluid that acts as a spring at the
// frequencies of the test use Maxwell.
type ViscousDamper struct {
	Damping     float64 `yaml:"damping" doc:"damping coefficient c, N·(s/m)^α"`
	Exponent    float64 `yaml:"exponent" doc:"velocity exponent α, above 0 to 2; 1: linear; above 1 the steps of an integrator are checked up to 1 m/s"`
	LinearBelow float64 `yaml:"linear_below" doc:"speed v₀ below which the damper is about linear, m/s (exponents below 1 only)"`
	Stiffness   float64 `yaml:"stiffness" doc:"stiffness k of a spring beside it, N/m"`
	Mass        float64 `yaml:"mass" doc:"mass moved by the actuator, kg"`
}

// Make checks the parameters.
func (p *ViscousDamper) Make() (Specimen, error) {
	if err := checkQuantities("viscous-damper", quantity{"damping", "N·(s/m)^α", p.Damping, false},
		quantity{"linear_below", "m/s", p.LinearBelow, true}, quantity{"stiffness", "N/m", p.Stiffness, false},
		quantity{"mass", "kg", p.Mass, false}); err != nil {
		return nil, err
	}
	if !(p.Exponent > 0 && p.Exponent <= 2) {
		return nil, fmt.Errorf("viscous-damper specimen: exponent %g: want more than 0, at most 2", p.Exponent)
	}
	if p.Exponent == 1 {
		return &viscoelastic{device.Mounted{Law: &device.Viscoelastic{K: p.Stiffness, C: p.Damping}, M: p.Mass}}, nil
	}
	law := device.Viscous{C: p.Damping, Alpha: p.Exponent, K: p.Stiffness}
	if p.Exponent < 1 {
		law.V0 = p.LinearBelow
	}
	return &device.Mounted{Law: &law, M: p.Mass}, nil
}

// Maxwell is a spring k in series with a dashpot c, a damper whose fluid or
// mounting gives way (Constantinou and Symans 1993):
//
//	(c/k) ḟ + f = c v
//
// a dashpot well below the frequency k/c (rad/s), a spring above. With an exponent α below 1 the dashpot has the power
// law c |v|^α (device.Maxwell). The damper stands beside the structure, from which nothing is taken out.
type Maxwell struct {
	Stiffness float64 `yaml:"stiffness" doc:"stiffness k of the spring, N/m"`
	Damping   float64 `yaml:"damping" doc:"damping c of the dashpot, N·(s/m)^α"`
	Exponent  float64 `yaml:"exponent" doc:"velocity exponent α of the dashpot, 0.1 to 1; 1: linear"`
	Mass      float64 `yaml:"mass" doc:"mass moved by the actuator, kg"`
}

// Make checks the parameters.
func (p *Maxwell) Make() (Specimen, error) {
	if err := checkQuantities("maxwell", quantity{"stiffness", "N/m", p.Stiffness, true},
		quantity{"damping", "N·(s/m)^α", p.Damping, true},
		quantity{"mass", "kg", p.Mass, false}); err != nil {
		return nil, err
	}
	if !(p.Exponent >= 0.1 && p.Exponent <= 1) {
		return nil, fmt.Errorf("maxwell specimen: exponent %g: want 0.1 to 1", p.Exponent)
	}
	if p.Exponent == 1 {
		law := device.Viscoelastic{Branches: []device.Branch{{K: p.Stiffness, Rate: p.Stiffness / p.Damping}}}
		return &viscoelastic{device.Mounted{Law: &law, M: p.Mass}}, nil
	}
	return &device.Mounted{Law: &device.Maxwell{K: p.Stiffness, C: p.Damping, Alpha: p.Exponent}, M: p.Mass}, nil
}
