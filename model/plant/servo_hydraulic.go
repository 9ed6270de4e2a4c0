package plant

import (
	"fmt"
	"math"

	"rths/maths/lti"
)

// ServoHydraulic is a servo-hydraulic actuator from its physical parameters
// (paper 001 chapter 4; Carrion and Spencer 2007):
//
//	inner controller   i_c = K_p e + K_i ∫e dt + K_d ė,  e = u − x   (4.1), (4.2)
//	servo-valve        τ q̇ + q = K_q i_c                             (4.3)
//	actuator           Ḟ = 4β/V (A q − K_c F − A² ẋ)                 (4.8)
//	specimen           m ẍ + c ẋ + r = F                             (4.9), (4.14)
//
// The inner controller is proportional by default, as in the paper. The paper's (4.8)
// leaves out the lag of the valve, which its (4.15) has (errata 001.2). m and c are
// specimen and piston together, as in the paper's Table 4.1. The default is this table's
// actuator, made for a specimen of 4.03 kg, 1665 N·s/m and 41 kN/m. Make refuses a heavy
// specimen of little damping, with which the plant is unstable. The force has no limit, the
// orifice no square root. For an identified, lumped actuator see Silva2020.
type ServoHydraulic struct {
	ProportionalGain float64 `yaml:"proportional_gain" doc:"proportional gain of the inner controller K_p, mA/m"`
	IntegralGain     float64 `yaml:"integral_gain,omitempty" doc:"integral gain K_i, mA/(m·s); 0: none. With it the static gain is 1 on any spring"`
	DerivativeGain   float64 `yaml:"derivative_gain,omitempty" doc:"derivative gain K_d of the error, mA·s/m; 0: none. The lag of the valve is its only filter"`
	ValveTauMs       float64 `yaml:"valve_tau_ms" doc:"time constant of the servo-valve τ, ms"`
	ValveGain        float64 `yaml:"valve_gain" doc:"total servo-valve gain K_q, m³/s/mA"`
	FlowPressure     float64 `yaml:"flow_pressure" doc:"total flow-pressure coefficient K_c, valve and leakage, m³/s/Pa"`
	PistonArea       float64 `yaml:"piston_area" doc:"area of the piston A, m²"`
	FluidVolume      float64 `yaml:"fluid_volume" doc:"volume of the fluid in both chambers V, m³"`
	BulkModulus      float64 `yaml:"bulk_modulus" doc:"bulk modulus of the fluid β, Pa"`
	Rating           `yaml:",inline"`
}

// carrion is Table 4.1.
var carrion = ServoHydraulic{ProportionalGain: 118.11, ValveTauMs: 3.32, ValveGain: 3.77e-4, FlowPressure: 4.63e-14,
	PistonArea: 4.84e-4, FluidVolume: 7.97e-4, BulkModulus: 6.62e8}

func (p *ServoHydraulic) check() error {
	for _, q := range []quantity{
		{"proportional_gain", "mA/m", p.ProportionalGain, true}, {"valve_tau_ms", "ms", p.ValveTauMs, true},
		{"valve_gain", "m³/s/mA", p.ValveGain, true},
		{"flow_pressure", "m³/s/Pa", p.FlowPressure, true}, {"piston_area", "m²", p.PistonArea, true},
		{"fluid_volume", "m³", p.FluidVolume, true}, {"bulk_modulus", "Pa", p.BulkModulus, true},
	} {
		if !(q.v > 0) || math.IsInf(q.v, 0) {
			return fmt.Errorf("servo-hydraulic transfer system: %s %g %s: want more than 0", q.key, q.v, q.unit)
		}
	}
	for _, q := range []quantity{{"integral_gain", "mA/(m·s)", p.IntegralGain, false},
		{"derivative_gain", "mA·s/m", p.DerivativeGain, false}} {
		if !(q.v >= 0) || math.IsInf(q.v, 0) {
			return fmt.Errorf("servo-hydraulic transfer system: %s %g %s: want 0 (none) or more", q.key, q.v, q.unit)
		}
	}
	return nil
}

// lumped are a₁, a₂ and a₃ of (4.11) to (4.13), a₁ per mA.
func (p *ServoHydraulic) lumped() (a1, a2, a3 float64) {
	oil := 4 * p.BulkModulus / p.FluidVolume
	return oil * p.ValveGain * p.PistonArea, oil * p.PistonArea * p.PistonArea, oil * p.FlowPressure
}

// mover has the states w, ι = K_i ∫e dt (only with an integral gain) and F, the first two
// in mA. A held command jumps, and so does e. The valve alone makes K_d ė proper: with
// q/K_q = w + K_d/τ e the derivative of e drops out of τ q̇ + q = K_q i_c,
//
//	τ ẇ = −w + (K_p − K_d/τ) e + ι
//	ι̇ = K_i e
//	Ḟ = a₁ (w + K_d/τ e) − a₃ F − a₂ ẋ
//
// and w is continuous where q jumps with the command.
func (p *ServoHydraulic) mover() mover {
	a1, a2, a3 := p.lumped()
	tau := p.ValveTauMs / 1e3
	direct := p.DerivativeGain / tau // of e in q/K_q
	lagged := p.ProportionalGain - direct
	if p.IntegralGain == 0 {
		return mover{
			a: [][]float64{
				{-1 / tau, 0, -lagged / tau, 0},
				{a1, -a3, 0 - a1*direct, -a2},
			},
			b: []float64{lagged / tau, a1 * direct},
		}
	}
	return mover{
		a: [][]float64{
			{-1 / tau, 1 / tau, 0, -lagged / tau, 0},
			{0, 0, 0, -p.IntegralGain, 0},
			{a1, 0, -a3, -a1 * direct, -a2},
		},
		b: []float64{lagged / tau, p.IntegralGain, a1 * direct},
	}
}

// Transfer is the closed form x/u of the plant with a specimen m, c, k (4.15) to
// (4.21), with K_p + K_i/s + K_d s of (4.2) in the place of K_p in (4.16) and (4.17). The
// k of (4.18) belongs to its second term, not to the third (errata 001.1).
func (p *ServoHydraulic) Transfer(m, c, k float64) (lti.TF, error) {
	tau, kc := p.ValveTauMs/1e3, p.FlowPressure
	flow := func(gain float64) float64 { return gain * p.ValveGain * p.PistonArea / kc }
	oil, area := p.FluidVolume/(4*p.BulkModulus*kc), p.PistonArea*p.PistonArea/kc
	den := []float64{
		oil * m * tau,
		oil*m + m*tau + oil*c*tau,
		m + oil*c + area*tau + c*tau + oil*k*tau,
		c + oil*k + area + k*tau,
		k,
	}
	num := []float64{flow(p.DerivativeGain), flow(p.ProportionalGain)}
	if p.IntegralGain > 0 { // both times s
		num, den = append(num, flow(p.IntegralGain)), append(den, 0)
	}
	for i, n := range num {
		den[len(den)-len(num)+i] += n
	}
	for len(den) > 1 && den[0] == 0 {
		den = den[1:]
	}
	if num[0] == 0 {
		num = num[1:]
	}
	return lti.NewTF(num, den, 0)
}

// BareInverse expands the inverse of the system without specimen, m, c and k being 0, and
// without integral gain: with it the inverse has a pole at −K_i/K_p about, and a series
// says nothing above K_i/K_p rad/s, where the integral gain hardly matters.
func (p *ServoHydraulic) BareInverse(n int) ([]float64, error) {
	q := *p
	q.IntegralGain = 0
	g, err := q.Transfer(0, 0, 0)
	if err != nil {
		return nil, err
	}
	return g.InverseSeries(n)
}

// Make makes the plant with a specimen that has mass and that the inner control is
// stable with.
func (p *ServoHydraulic) Make(at At) (Plant, error) {
	const name = "servo-hydraulic"
	if err := p.check(); err != nil {
		return nil, err
	}
	if err := wantSpecimen(name, at); err != nil {
		return nil, err
	}
	if err := wantMass(name, at.Specimen.Mass()); err != nil {
		return nil, err
	}
	if err := p.mover().wantStable(name, at.Specimen); err != nil {
		return nil, err
	}
	if sp, linear := formOf(at.Specimen); linear {
		return newHeld(p.mover().load(sp), 1/at.RateHz)
	}
	return newInteracting(name, p.mover(), 0, at.Specimen, 1/at.RateHz)
}

// Model is the plant with a linear specimen, or without: m, c and k are 0.
func (p *ServoHydraulic) Model(specimen Specimen) (Model, error) {
	if err := p.check(); err != nil {
		return Model{}, err
	}
	if specimen == nil {
		g, err := p.Transfer(0, 0, 0)
		if err != nil {
			return Model{}, err
		}
		ss, err := g.SS()
		return Model{SS: ss}, err
	}
	sp, ok := formOf(specimen)
	if !ok {
		return Model{}, notLinear("servo-hydraulic")
	}
	if err := wantMass("servo-hydraulic", sp.m); err != nil {
		return Model{}, err
	}
	return p.mover().load(sp).model(nil)
}
