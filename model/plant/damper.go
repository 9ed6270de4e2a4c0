package plant

import (
	"fmt"
	"math"
	"rths/maths/portable"

	"gonum.org/v1/gonum/mat"

	"rths"
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
// wanted (Symans and Constantinou 1998):
//
//	f = c |v|^α sgn v + k x
//
// For α < 1 the slope at v = 0 would be infinite. The force is therefore
// c v (v² + v₀²)^((α−1)/2): a dashpot c v₀^(α−1) well below v₀, and within 1 % of the power
// law beyond 10 v₀. The damper stands beside the structure, from which nothing is taken
// out. For a fluid that acts as a spring at the frequencies of the test use Maxwell.
type ViscousDamper struct {
	Damping     float64 `yaml:"damping" doc:"damping coefficient c, N·(s/m)^α"`
	Exponent    float64 `yaml:"exponent" doc:"velocity exponent α, above 0 to 2; 1: linear"`
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
	d := &damper{m: p.Mass, c: p.Damping, k: p.Stiffness, alpha: p.Exponent}
	if p.Exponent < 1 {
		d.v0 = p.LinearBelow
	}
	return d, nil
}

type damper struct{ m, c, k, alpha, v0 float64 }

func (s *damper) Mass() float64 { return s.m }
func (s *damper) States() int   { return 0 }

func (s *damper) Rate(_, force, _ []float64, m *rths.Motion) {
	v, power := m.V[0], 1.0
	if s.alpha != 1 {
		power = portable.Pow(v*v+s.v0*s.v0, (s.alpha-1)/2)
	}
	force[0] = s.c*v*power + s.k*m.X[0]
}

// Steepest is at rest; with an exponent above 1 at a speed of 1 m/s, which is
// fast for an actuator.
func (s *damper) Steepest() (k, c, rate float64) {
	if s.alpha > 1 {
		return s.k, s.c * s.alpha, 0
	}
	return s.k, s.c * portable.Pow(s.v0, s.alpha-1), 0
}

func (s *damper) form() (form, bool) { return form{m: s.m, c: s.c, k: s.k}, s.alpha == 1 }

// Maxwell is a spring k in series with a dashpot c, a damper whose fluid or
// mounting gives way (Constantinou and Symans 1993):
//
//	(c/k) ḟ + f = c v
//
// a dashpot well below the frequency k/c (rad/s), a spring above. The damper stands beside
// the structure, from which nothing is taken out.
type Maxwell struct {
	Stiffness float64 `yaml:"stiffness" doc:"stiffness k of the spring, N/m"`
	Damping   float64 `yaml:"damping" doc:"damping c of the dashpot, N·s/m"`
	Mass      float64 `yaml:"mass" doc:"mass moved by the actuator, kg"`
}

// Make checks the parameters.
func (p *Maxwell) Make() (Specimen, error) {
	if err := checkQuantities("maxwell", quantity{"stiffness", "N/m", p.Stiffness, true},
		quantity{"damping", "N·s/m", p.Damping, true},
		quantity{"mass", "kg", p.Mass, false}); err != nil {
		return nil, err
	}
	return &maxwell{m: p.Mass, c: p.Damping, k: p.Stiffness}, nil
}

// maxwell has the force as its state.
type maxwell struct{ m, c, k float64 }

func (s *maxwell) Mass() float64 { return s.m }
func (s *maxwell) States() int   { return 1 }

func (s *maxwell) Rate(dz, force, z []float64, m *rths.Motion) {
	dz[0], force[0] = s.k*m.V[0]-s.k/s.c*z[0], z[0]
}

// Steepest is the spring.
func (s *maxwell) Steepest() (k, c, rate float64) { return s.k, 0, s.k / s.c }

func (s *maxwell) form() (form, bool) {
	return form{m: s.m, a: mat.NewDense(1, 1, []float64{-s.k / s.c}), b: mat.NewDense(1, 2, []float64{0, s.k}),
		cz: []float64{1}}, true
}
