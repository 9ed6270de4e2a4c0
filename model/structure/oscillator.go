package structure

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Oscillator is one degree of freedom given by its frequency and damping ratio:
//
//	ẍ + 2ζω ẋ + ω² x = −a_g,   ω = 2πf
//
// The mass only scales forces: the response to a ground motion does not depend on it. Use
// Shear for a storey that is given by its stiffness, or that yields.
type Oscillator struct {
	Mass    float64 `yaml:"mass" doc:"mass, kg"`
	FreqHz  float64 `yaml:"frequency_hz" doc:"natural frequency without damping, Hz"`
	Damping float64 `yaml:"damping_ratio" doc:"damping ratio ζ: share of critical damping, 0.05 for 5 %"`
}

// Make makes M = m, C = 2ζωm, K = mω².
func (p *Oscillator) Make() (*Structure, error) {
	switch {
	case !(p.Mass > 0) || math.IsInf(p.Mass, 1):
		return nil, fmt.Errorf("oscillator: mass is %g kg: want more than 0, finite", p.Mass)
	case !(p.FreqHz > 0) || math.IsInf(p.FreqHz, 1):
		return nil, fmt.Errorf("oscillator: frequency_hz is %g: want more than 0, finite", p.FreqHz)
	case !(p.Damping >= 0) || math.IsInf(p.Damping, 1):
		return nil, fmt.Errorf("oscillator: damping_ratio is %g: want 0 or more, finite", p.Damping)
	}
	w := 2 * math.Pi * p.FreqHz
	one := func(v float64) *mat.Dense { return mat.NewDense(1, 1, []float64{v}) }
	s, err := newStructure(one(p.Mass), one(2*p.Damping*w*p.Mass), one(p.Mass*w*w), Ones(1))
	if err != nil {
		return nil, fmt.Errorf("oscillator: %w", err)
	}
	return s, nil
}
