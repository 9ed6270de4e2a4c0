package plant

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/model/device"
)

// Viscoelastic is a damper of rubber or polymer: a spring, a dashpot and Maxwell branches side by side (Prony series,
// device.Viscoelastic). It stands beside the structure, from which nothing is taken out. Stiffness and damping do not
// depend on amplitude or temperature.
type Viscoelastic struct {
	Stiffness         float64   `yaml:"stiffness" doc:"stiffness k of slow motion, N/m"`
	Damping           float64   `yaml:"damping" doc:"damping c of a dashpot beside the branches, N·s/m"`
	BranchStiffnesses []float64 `yaml:"branch_stiffnesses" doc:"stiffness kᵢ of each branch, N/m"`
	RelaxationTimesS  []float64 `yaml:"relaxation_times_s" doc:"relaxation time τᵢ of each branch, s"`
	Mass              float64   `yaml:"mass" doc:"mass moved by the actuator, kg"`
}

// mostBranches of a series are integrated.
const mostBranches = 50

// Make checks the parameters.
func (p *Viscoelastic) Make() (Specimen, error) {
	if err := checkQuantities("viscoelastic", quantity{"stiffness", "N/m", p.Stiffness, false},
		quantity{"damping", "N·s/m", p.Damping, false}, quantity{"mass", "kg", p.Mass, false}); err != nil {
		return nil, err
	}
	if n := len(p.BranchStiffnesses); n != len(p.RelaxationTimesS) || n > mostBranches {
		return nil, fmt.Errorf("viscoelastic specimen: %d branch_stiffnesses and %d relaxation_times_s: want as many of both, "+
			"at most %d", n, len(p.RelaxationTimesS), mostBranches)
	}
	law := &device.Viscoelastic{K: p.Stiffness, C: p.Damping}
	for i, k := range p.BranchStiffnesses {
		tau := p.RelaxationTimesS[i]
		if !(k >= 0 && tau > 0) || math.IsInf(k, 0) || math.IsInf(tau, 0) || math.IsInf(1/tau, 0) {
			return nil, fmt.Errorf("viscoelastic specimen: branch %d of %g N/m and %g s: want 0 or more N/m, more than 0 s", i+1, k,
				tau)
		}
		law.Branches = append(law.Branches, device.Branch{K: k, Rate: 1 / tau})
	}
	return &viscoelastic{device.Mounted{Law: law, M: p.Mass}}, nil
}

// Fractional is a viscoelastic damper f = k x + c D^β x, whose stiffness and damping rise with the β-th power of the
// frequency (fractional Kelvin–Voigt model; Koh and Kelly 1990). Branches stand for D^β between two frequencies
// (device.Fractional): below, the rest of D^β is a spring, above a dashpot. It stands beside the structure.
type Fractional struct {
	Stiffness   float64 `yaml:"stiffness" doc:"stiffness k of slow motion, N/m"`
	Coefficient float64 `yaml:"coefficient" doc:"coefficient c of the fractional derivative, N·s^β/m"`
	Order       float64 `yaml:"order" doc:"order β of the derivative, 0.05 to 0.95"`
	LowHz       float64 `yaml:"low_hz" doc:"lowest frequency of the test, Hz"`
	HighHz      float64 `yaml:"high_hz" doc:"highest frequency of the test, Hz; at most 10 000 times low_hz"`
	Mass        float64 `yaml:"mass" doc:"mass moved by the actuator, kg"`
}

// Make checks the parameters.
func (p *Fractional) Make() (Specimen, error) {
	if err := checkQuantities("fractional", quantity{"stiffness", "N/m", p.Stiffness, false},
		quantity{"coefficient", "N·s^β/m", p.Coefficient, false}, quantity{"low_hz", "Hz", p.LowHz, true},
		quantity{"high_hz", "Hz", p.HighHz, true}, quantity{"mass", "kg", p.Mass, false}); err != nil {
		return nil, err
	}
	if !(p.Order >= 0.05 && p.Order <= 0.95) {
		return nil, fmt.Errorf("fractional specimen: order %g: want 0.05 to 0.95", p.Order)
	}
	if !(p.HighHz > p.LowHz && p.HighHz <= 1e4*p.LowHz) {
		return nil, fmt.Errorf("fractional specimen: high_hz %g: want more than low_hz, %g Hz, at most 10 000 times as much",
			p.HighHz, p.LowHz)
	}
	law := device.Fractional(p.Stiffness, p.Coefficient, p.Order, p.LowHz, p.HighHz)
	if k, c, rate := law.Steepest(); !rths.Finite(k) || !rths.Finite(c) || !rths.Finite(rate) {
		return nil, fmt.Errorf("fractional specimen: its branches add to %g N/m, %g N·s/m: want smaller numbers", k, c)
	}
	return &viscoelastic{device.Mounted{Law: law, M: p.Mass}}, nil
}

// viscoelastic is a linear device beside the structure, with states or without.
type viscoelastic struct{ device.Mounted }

func (s *viscoelastic) form() (form, bool) {
	l := s.Law.(*device.Viscoelastic)
	f := form{m: s.M, c: l.C, k: l.K}
	n := len(l.Branches)
	if n == 0 {
		return f, true
	}
	f.a, f.b, f.cz = mat.NewDense(n, n, nil), mat.NewDense(n, 2, nil), make([]float64, n)
	for i, b := range l.Branches {
		f.a.Set(i, i, -b.Rate)
		f.b.Set(i, 1, b.K)
		f.cz[i] = 1
	}
	return f, true
}

// Stop is a spring that the motion meets after a free travel (device.Stop): a buffer, a pounding neighbour or the slack
// of a brace. It stands beside the structure, from which nothing is taken out. The contact is elastic.
type Stop struct {
	Stiffness float64 `yaml:"stiffness" doc:"stiffness k in contact, N/m"`
	Travel    float64 `yaml:"travel" doc:"free travel g before contact, m"`
	Side      string  `yaml:"side" doc:"where it stops: gap (positive displacements), hook (negative) or both"`
	Mass      float64 `yaml:"mass" doc:"mass moved by the actuator, kg"`
}

// Make checks the parameters.
func (p *Stop) Make() (Specimen, error) {
	if err := checkQuantities("stop", quantity{"stiffness", "N/m", p.Stiffness, true},
		quantity{"travel", "m", p.Travel, false}, quantity{"mass", "kg", p.Mass, false}); err != nil {
		return nil, err
	}
	law := device.Stop{K: p.Stiffness, Travel: p.Travel, Gap: p.Side != "hook", Hook: p.Side != "gap"}
	if p.Side != "gap" && p.Side != "hook" && p.Side != "both" {
		return nil, fmt.Errorf("stop specimen: side %q: want gap, hook or both", p.Side)
	}
	return &device.Mounted{Law: &law, M: p.Mass}, nil
}
