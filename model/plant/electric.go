package plant

import (
	"errors"
	"fmt"
	"math"

	"rths/model/device"
)

// Electric is a servo motor with a ball screw (Groß, Hamann and Wiegärtner 2001; Altintas et al. 2011). All stands in
// the travel of the rod: with r the lead over 2π, s = r θ is the travel of the screw at the motor's angle θ, and x that
// of the specimen.
//
//	position     v* = K_v (u − s) + k u̇,  |v*| ≤ speed limit
//	velocity     i* = K_s (e + q),  e = v* − ṡ,  q̇ = e/T,  |i*| ≤ current limit
//	drive        U = L (i* − i)/τ + R i + K_t ṡ/r,  |U| ≤ voltage limit
//	motor        L di/dt = U − R i − K_t ṡ/r
//	screw        (J/r²) s̈ = K_t i/r − F_f − σ₂ ṡ − F_n
//	friction     ż = ṡ − σ₀ |ṡ|/g z,  F_f = σ₀ z + σ₁ ż,  g = F_c + (F_s − F_c) e^(−|ṡ|/v_s) + (1/η − 1) |F_n|
//	nut          F_n = k (s − x beyond the play) + c (ṡ − ẋ)
//	rod          m ẍ = F_n − F
//
// Both loops see the encoder on the motor, so that the screw's deflection stays in x. The integral q stops while |i*|
// is at its limit and i* e ≥ 0. The current has one component, which makes the torque: K_t in N·m/A is the back-EMF's
// constant in V·s/rad. Below the voltage limit the current is a lag of order 1 with the time τ.
//
// The balls' loss grows with their load F_n. A steady motion against it wants F_n/η of the motor, one that the load
// drives gives F_n (2 − 1/η) back: the efficiency of a screw either way. At rest the loss is presliding, and holds.
//
// F is the force on the specimen with its inertia, behind a load cell. The play is from stop to stop, half of it to
// each side, and the nut's dashpot acts in it too. u̇ is the last change of the command over a sample of the test. The
// travel has no ends, and the motor no temperature: state stroke_m and force_n, so that limits keep off them.
//
// Usual ranges are of motors, drives and their loops (Groß, Hamann and Wiegärtner 2001), of screws and nuts (Altintas
// et al. 2011; ISO 3408-4) and of friction (Armstrong-Hélouvry, Dupont and Canudas de Wit 1994).
//
// The plant is integrated as Hydraulic is. Idealised, it is linear: no limits, play, dry friction and loss in the
// balls.
type Electric struct {
	PositionGain float64 `yaml:"position_gain" doc:"gain K_v of the position loop, 1/s; 10 to 150"`
	Feedforward  float64 `yaml:"feedforward,omitempty" doc:"part k of the command's velocity that is fed forward; 0 to 1"`
	SpeedGain    float64 `yaml:"speed_gain" doc:"gain K_s of the velocity loop, A·s/m; its bandwidth K_s K_t r/J is 20 to 100 Hz"`
	IntegralTime float64 `yaml:"integral_time_ms,omitempty" doc:"integral time T of the velocity loop, ms; 5 to 50, 0: no integral"`
	SpeedLimit   float64 `yaml:"speed_limit_m_s" doc:"largest speed that the position loop asks for, m/s; 0.1 to 1"`

	CurrentLimit float64 `yaml:"current_limit_a" doc:"largest current of the drive, A; 2 to 4 times the motor's continuous current"`
	CurrentTau   float64 `yaml:"current_tau_ms" doc:"time constant τ of the current loop, ms; 0.2 to 1"`
	VoltageLimit float64 `yaml:"voltage_limit_v" doc:"largest voltage of the drive at the motor, V; 200 to 400 from a link of 325 to 560 V"`
	Resistance   float64 `yaml:"resistance_ohm" doc:"resistance R of the winding, Ω; 0.1 to 5"`
	Inductance   float64 `yaml:"inductance_mh" doc:"inductance L of the winding, mH; L/R is 5 to 20 ms"`
	TorqueConst  float64 `yaml:"torque_constant" doc:"torque constant K_t, N·m/A, and of the back-EMF, V·s/rad; 0.5 to 2"`

	Inertia    float64 `yaml:"inertia_kg_cm2" doc:"inertia J of rotor, coupling and screw, kg·cm²; 5 to 200"`
	Lead       float64 `yaml:"lead_mm" doc:"lead of the screw, travel in a turn, mm; 5 to 40"`
	Efficiency float64 `yaml:"efficiency" doc:"efficiency η of screw and nut under load; 0.85 to 0.95. 1: no loss that grows with the load"`
	Stiffness  float64 `yaml:"screw_stiffness" doc:"axial stiffness k of screw, nut, bearings and rod in series (ISO 3408-4), N/m; 5e7 to 5e8"`
	Damping    float64 `yaml:"screw_damping" doc:"damping c of them, N·s/m; a damping ratio of 0.02 to 0.1 of the rod on the screw"`
	Play       float64 `yaml:"nut_play_um,omitempty" doc:"axial play of the nut from stop to stop, µm; 0 (preloaded) to 50"`
	MovingMass float64 `yaml:"moving_mass_kg" doc:"mass of nut and rod up to the load cell, kg"`

	CoulombForce   float64 `yaml:"coulomb_force_n" doc:"friction F_c of screw, bearings, seals and motor in fast motion without load, at the rod, N; 0.5 to 3 % of the force, 0: none"`
	StaticForce    float64 `yaml:"static_force_n,omitempty" doc:"friction F_s at breakaway, N; 1 to 2 F_c. 0: F_c"`
	StribeckSpeed  float64 `yaml:"stribeck_speed_m_s" doc:"speed v_s at which F_s − F_c has fallen to its e-th part, m/s; 0.001 to 0.05"`
	Presliding     float64 `yaml:"presliding_um" doc:"deflection F_c/σ₀ of the friction before it slides, µm; 2 to 50"`
	BristleDamping float64 `yaml:"bristle_damping" doc:"damping σ₁ of this deflection, N·s/m; 4 (σ₁ + σ₂) F/σ₁² is at least 0.5 m/s, with the lower friction force F"`
	Viscous        float64 `yaml:"viscous_damping" doc:"viscous friction σ₂, N·s/m"`

	Rating `yaml:",inline"`
}

// electric10 is a size by textbook sizing (Groß, Hamann and Wiegärtner 2001, chapters 3 and 4): a screw of 32 mm with a
// lead of 10 mm, a motor for the force at η and as much again for its own inertia, a link of 560 V, 1.5 % friction, a
// velocity loop of 40 Hz. It is of no maker's catalogue.
var electric10 = Electric{PositionGain: 60, SpeedGain: 340, IntegralTime: 15, SpeedLimit: 0.5,
	CurrentLimit: 30, CurrentTau: 0.5, VoltageLimit: 400, Resistance: 0.6, Inductance: 6, TorqueConst: 1.2,
	Inertia: 25, Lead: 10, Efficiency: 0.9, Stiffness: 1.5e8, Damping: 6000, MovingMass: 25,
	CoulombForce: 150, StaticForce: 220, StribeckSpeed: 0.005, Presliding: 5, BristleDamping: 700, Viscous: 800,
	Rating: Rating{0.15, 0.5, 10e3}}

const electricName = "servo-electric transfer system"

// check wants the numbers of a real actuator.
func (p *Electric) check() error {
	for _, q := range []struct {
		key         string
		v           float64
		least, most float64
	}{
		{"position_gain", p.PositionGain, 1e-3, 1e5}, {"feedforward", p.Feedforward, 0, 2},
		{"speed_gain", p.SpeedGain, 1e-6, 1e9},
		{"integral_time_ms", p.IntegralTime, 0, 1e6}, {"speed_limit_m_s", p.SpeedLimit, 1e-6, 1e3},
		{"current_limit_a", p.CurrentLimit, 1e-3, 1e6}, {"current_tau_ms", p.CurrentTau, 1e-3, 1e3},
		{"voltage_limit_v", p.VoltageLimit, 1e-3, 1e6}, {"resistance_ohm", p.Resistance, 1e-6, 1e6},
		{"inductance_mh", p.Inductance, 1e-6, 1e6}, {"torque_constant", p.TorqueConst, 1e-6, 1e4},
		{"inertia_kg_cm2", p.Inertia, 1e-4, 1e8}, {"lead_mm", p.Lead, 0.1, 1e3}, {"efficiency", p.Efficiency, 0.5, 1},
		{"screw_stiffness", p.Stiffness, 1e3, 1e14}, {"screw_damping", p.Damping, 0, 1e9}, {"nut_play_um", p.Play, 0, 1e5},
		{"moving_mass_kg", p.MovingMass, 1e-3, 1e7}, {"coulomb_force_n", p.CoulombForce, 0, 1e8},
		{"stribeck_speed_m_s", p.StribeckSpeed, 1e-6, 1e3}, {"presliding_um", p.Presliding, 0.01, 1e5},
		{"static_force_n", p.StaticForce, 0, 1e8},
		{"bristle_damping", p.BristleDamping, 0, 1e9}, {"viscous_damping", p.Viscous, 0, 1e9},
	} {
		if !(q.v >= q.least && q.v <= q.most) {
			return fmt.Errorf("%s: %s %g: want %g to %g", electricName, q.key, q.v, q.least, q.most)
		}
	}
	switch {
	case p.CoulombForce == 0 && p.Efficiency < 1:
		return fmt.Errorf("%s: efficiency %g without coulomb_force_n: the same balls have both: want coulomb_force_n more "+
			"than 0, or efficiency 1", electricName, p.Efficiency)
	case p.CoulombForce > 0 && p.StaticForce != 0 && p.StaticForce < p.CoulombForce:
		return fmt.Errorf("%s: static_force_n %g: want at least coulomb_force_n %g, or 0 for as much", electricName,
			p.StaticForce, p.CoulombForce)
	}
	if law, some := p.friction(); some {
		if err := law.Check(); err != nil {
			return fmt.Errorf("%s: bristle_damping: %w", electricName, err)
		}
	}
	return p.Rating.Check()
}

// friction is that without load; not some: there is no dry friction.
func (p *Electric) friction() (law device.LuGre, some bool) {
	return device.LuGre{Sigma0: p.CoulombForce / (p.Presliding * 1e-6), Sigma1: p.BristleDamping, Sigma2: p.Viscous,
		Fc: p.CoulombForce, Fs: max(p.StaticForce, p.CoulombForce), Vs: p.StribeckSpeed}, p.CoulombForce > 0
}

// Make makes the plant with a specimen that the cascade is stable with.
func (p *Electric) Make(at At) (Plant, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if err := wantSpecimen("servo-electric", at); err != nil {
		return nil, err
	}
	if _, several := at.Specimen.(*Assembly); several {
		return nil, errElectricAlone
	}
	if !(at.RateHz > 0) || math.IsInf(at.RateHz, 0) {
		return nil, fmt.Errorf("%s: rate %g Hz: want a positive number", electricName, at.RateHz)
	}
	if m, err := p.Model(AtRest(at.Specimen)); err == nil {
		if err := wantDecay("servo-electric", m.SS.A); err != nil {
			return nil, err
		}
	}
	return p.plant(at)
}

var errElectricAlone = errors.New(electricName +
	": it moves a single specimen: want another kind for several actuators")

// Model is the idealised plant without feed-forward, with a linear specimen or without.
func (p *Electric) Model(specimen Specimen) (Model, error) {
	if err := p.check(); err != nil {
		return Model{}, err
	}
	if specimen == nil {
		ss := p.actuator(&linear{}).linearise()
		return Model{SS: displacementOf(ss)}, nil
	}
	if _, ok := formOf(specimen); !ok {
		return Model{}, notLinear("servo-electric")
	}
	return Model{SS: p.actuator(specimen).linearise()}, nil
}

// BareInverse is the series of the inverse without specimen.
func (p *Electric) BareInverse(n int) ([]float64, error) {
	m, err := p.Model(nil)
	if err != nil {
		return nil, err
	}
	return inverseOf(m.SS, n)
}
