package plant

import (
	"fmt"
	"math"

	"rths"
)

// BoucWen is a hysteretic spring that loses stiffness and strength, with a dashpot
// and a cubic spring beside it (paper 001 eqs 7.13–7.18; Sivaselvan and Reinhorn
// 2000):
//
//	f = a k_e x + z + k_h x³ + c_e ẋ
//	ż = (R_k − a) k_e (1 − |z/f_y|^N (η₁ sgn(z ẋ) + η₂)) ẋ
//	R_k = e^(−α H),  f_y = f_y0/(1 + β H)
//	Ḣ = z (ẋ − ż/((R_k − a) k_e))
//
// H (J) is the hysteretic energy, (7.17) as a rate. The paper has no stiffness beyond
// yielding (a = 0), its code has a = 0.1 (docs/benchmark-siso.md, Nonlinear specimen).
// Where R_k falls below a, z stays constant.
//
// z tends to f_y (η₁ + η₂)^(−1/N) and may exceed this limit while f_y falls. |z/f_y|^N is
// held to twice its value at the limit: beyond, the strength would fall faster than the
// spring unloads, and a too large step would run away. With η₂ > η₁ the spring is softer
// in unloading: within a cycle it gives back more than it holds, over a whole cycle it
// takes energy. In the structure it counts as m ẍ + c ẋ + k_e x. Not for pinching.
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
}

// Make checks the parameters.
func (p *BoucWen) Make() (Specimen, error) {
	if err := checkQuantities("bouc-wen", quantity{"stiffness", "N/m", p.Stiffness, true}, quantity{"yield_force", "N", p.YieldForce, true},
		quantity{"eta1", "(-)", p.Eta1, false}, quantity{"eta2", "(-)", p.Eta2, false}, quantity{"eta1 + eta2", "(-)", p.Eta1 + p.Eta2, true},
		quantity{"alpha", "1/J", p.Alpha, false}, quantity{"beta", "1/J", p.Beta, false}, quantity{"hardening", "N/m³", p.Hardening, false},
		quantity{"damping", "N·s/m", p.Damping, false}, quantity{"mass", "kg", p.Mass, false}); err != nil {
		return nil, err
	}
	if !(p.PostYieldRatio >= 0 && p.PostYieldRatio < 1) {
		return nil, fmt.Errorf("bouc-wen specimen: post_yield_ratio %g: want 0 to below 1", p.PostYieldRatio)
	}
	if !(p.Exponent >= 1 && p.Exponent <= 100) {
		return nil, fmt.Errorf("bouc-wen specimen: exponent %g: want 1 to 100", p.Exponent)
	}
	return &boucWen{*p}, nil
}

// boucWen has the hysteretic force z and the energy H as its states.
type boucWen struct{ p BoucWen }

func (s *boucWen) Mass() float64              { return s.p.Mass }
func (s *boucWen) States() int                { return 2 }
func (s *boucWen) Initial() (m, c, k float64) { return s.p.Mass, s.p.Damping, s.p.Stiffness }

func (s *boucWen) Rate(dz, force, state []float64, m *rths.Motion) {
	p, x, v, z := &s.p, m.X[0], m.V[0], state[0]
	k, fy := s.degraded(state[1])
	q := p.Eta2 // of the motion, how much is hysteretic
	if z*v > 0 {
		q += p.Eta1
	} else {
		q -= p.Eta1
	}
	q *= min(math.Pow(math.Abs(z/fy), p.Exponent), 2/(p.Eta1+p.Eta2))
	dz[0] = k * (1 - q) * v
	dz[1] = z * q * v // = z (v − dz/k)
	force[0] = (p.PostYieldRatio*p.Stiffness+p.Hardening*x*x)*x + z + p.Damping*v
}

// degraded is the stiffness of the hysteretic part (N/m) and its yield force (N)
// after an energy h (J).
func (s *boucWen) degraded(h float64) (k, fy float64) {
	p, rk := &s.p, 1.0
	if p.Alpha > 0 {
		rk = math.Exp(-p.Alpha * h)
	}
	return max(rk-p.PostYieldRatio, 0) * p.Stiffness, p.YieldForce / (1 + p.Beta*h)
}

// fastSpeed (m/s) is fast for an actuator on a yielding specimen. There the
// sub-steps are as fine as elsewhere; they stay stable at ten times as much.
const fastSpeed = 0.5

// Steepest is unloading, the cubic spring at ten times the yield displacement, and
// at the yield force the rate N |v| k_e/f_y of z's return to it.
func (s *boucWen) Steepest() (k, c, rate float64) {
	p := &s.p
	own, far := (1-p.PostYieldRatio)*p.Stiffness, 10*p.YieldForce/p.Stiffness
	sum := p.Eta1 + p.Eta2
	k = p.PostYieldRatio*p.Stiffness + own*max(1, 1+(p.Eta1-p.Eta2)/sum) + 3*p.Hardening*far*far
	return k, p.Damping, p.Exponent * fastSpeed * own / p.YieldForce * math.Pow(sum, 1/p.Exponent)
}
