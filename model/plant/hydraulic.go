package plant

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rths/maths/lti"
	"rths/model/device"
)

// Hydraulic is a servo-hydraulic actuator with what its data sheets state (Merritt 1967; Jelali and Kroll 2003).
// Pressures count from the return line, the velocity v and the position x of the piston from the cylinder's body:
//
//	inner controller   i = K_p e + K_i ∫e dt + K_v u̇ − K_d v − K_Δp (p_L − p̄),  e = u − x,  |i| ≤ 1
//	servo-valve        ẍ_v = ω² (i − x_v) − 2ζω ẋ_v,  |ẋ_v| ≤ slew;  edges o₊ = max(0, x_v − d), o₋ = max(0, −x_v − d)
//	flow               q = K (o₊ √(½(P_s − p_L)) − o₋ √(½(P_s + p_L))),  K √(½ 70 bar) = rated flow
//	oil                V/(4β) ṗ_L = q − A v − C p_L
//	friction           ż = v − σ₀ |v|/g(v) z,  F_f = σ₀ z + σ₁ ż + σ₂ v,  g = F_c + (F_s − F_c) e^(−|v|/v_s)
//	piston             m ẍ = A p_L − F_f − F
//	supply             P_s V_g^n constant, V̇_g = K (o₊ √(½(P_s − p_L)) + o₋ √(½(P_s + p_L))) − Q_pump
//
// d is the overlap, below 0 an underlap; an edge opens by 1 at most. An edge's flow is laminar below 1 bar of pressure
// drop: in place of √Δp it has √(1 bar) p (1.25 − 0.25 p²), p = Δp/1 bar, odd as the root is. A valve of order 1 has
// ẋ_v = ω (i − x_v). A spool at its slew accelerates no further.
//
// The integral stops while |i| is at 1 and i e ≥ 0. p̄ follows p_L by a low-pass of order 1 with the corner of the
// high-pass, and is 0 without. u̇ is the last change of the command over a sample of the test. A controller of a rate
// of its own holds i over its sample T and has (x − x before)/T for v; then it adds K_i e T to the integral and moves
// p̄ to the end of the sample, for the next one.
//
// With areas that differ both chambers have a pressure and a volume of their own; V_A and V_B are V in proportion to
// the areas, and p_L = p_A − p_B A_B/A_A:
//
//	ṗ_A = β/(V_A + A_A x) (q_A − A_A v − q_l),  ṗ_B = β/(V_B − A_B x) (A_B v + q_l − q_B)
//
// with q_A = K (o₊ √(P_s − p_A) − o₋ √p_A), q_B = K (o₊ √p_B − o₋ √(P_s − p_B)). The supply gives K (o₊ √(P_s − p_A) +
// o₋ √(P_s − p_B)) then. The piston rests with p_A + p_B = P_s and p_L = 0. The null bias of the valve carries the
// leakage there: q_l is C times the change of p_A − p_B from rest.
//
// F is the force on the specimen with its inertia. The body stands on a reaction frame with mass, spring and dashpot,
// which A p_L − F_f pushes back; the inner controller and the oil see x, and what the program measures is the
// specimen's displacement and F. The clevis between piston and specimen is a spring with free play, half of it to each
// side, and a dashpot that acts in the play too.
//
// The pump delivers its flow at 5 % below the set pressure, in proportion less above it, none at the set pressure. V_g
// is the accumulator's volume at the precharge, by the same law from the set pressure at rest. Below the precharge the
// accumulator is empty, and the pressure falls with −V̇_g a hundred times as fast as just above. The cylinder has no
// ends: state stroke_m, so that limits keep off them. A chamber of unequal ones keeps a fiftieth of its volume. Several
// actuators are hydraulicAxes; one that carries a platform rests with p_L = F₀/A.
//
// The plant is integrated by the method of Bogacki and Shampine (1989) with error control. Idealised, it is linear but
// for the flow at large load: no saturation, dead band, play and dry friction, and a constant supply. With areas that
// differ extension and retraction have a gain of their own; idealised, and in Model, both have the mean.
type Hydraulic struct {
	ProportionalGain float64 `yaml:"proportional_gain" doc:"gain K_p of the inner controller, full valve strokes per m of error"`
	IntegralGain     float64 `yaml:"integral_gain,omitempty" doc:"integral gain K_i, 1/(m·s); it stops while the valve is saturated. 0: none"`
	DerivativeGain   float64 `yaml:"derivative_gain,omitempty" doc:"gain K_d of the piston's velocity, s/m; 0: none"`
	Feedforward      float64 `yaml:"feedforward,omitempty" doc:"feed-forward K_v of the command's velocity, s/m; 1/v₀ is full compensation. 0: none"`
	PressureGain     float64 `yaml:"pressure_gain,omitempty" doc:"differential pressure feedback K_Δp, full valve strokes per bar; 0: none"`
	PressureCorner   float64 `yaml:"pressure_corner_hz,omitempty" doc:"corner of its high-pass, Hz; 0: none, and a static load moves the piston"`
	ControllerRate   float64 `yaml:"controller_rate_hz,omitempty" doc:"rate of the inner controller, Hz, a whole multiple of the test's rate; 0: continuous"`

	RatedFlow    float64 `yaml:"rated_flow_l_min" doc:"flow of the fully open valve at 70 bar of pressure drop over both edges, l/min; 4 to 1000"`
	ValveHz      float64 `yaml:"valve_hz" doc:"frequency of the valve at 90° of phase, Hz; 30 to 300"`
	ValveOrder   int     `yaml:"valve_order" doc:"order of the valve: 2, or 1"`
	ValveDamping float64 `yaml:"valve_damping" doc:"damping ratio of a valve of order 2; 0.5 to 1"`
	ValveSlew    float64 `yaml:"valve_slew,omitempty" doc:"largest speed of the spool, full strokes per second; 100 to 500. 0: not limited"`
	Overlap      float64 `yaml:"valve_overlap" doc:"overlap of the spool as a part of its stroke, below 0 an underlap; −0.03 to 0.05"`

	SupplyPressure float64 `yaml:"supply_pressure_bar" doc:"set pressure of the supply above the return line, bar; 140 to 280"`
	PumpFlow       float64 `yaml:"pump_flow_l_min,omitempty" doc:"largest flow of the pump, l/min; 0 without accumulator: a supply whose pressure never falls"`
	Accumulator    float64 `yaml:"accumulator_l,omitempty" doc:"volume of the accumulator, l; 0 without pump: as above"`
	Precharge      float64 `yaml:"precharge_bar,omitempty" doc:"gas pressure of the empty accumulator, bar; 0.5 to 0.9 of the supply's"`
	GasExponent    float64 `yaml:"gas_exponent,omitempty" doc:"exponent n of the gas; 1 (slow) to 1.4 (quick)"`

	PistonArea  float64 `yaml:"piston_area_cm2" doc:"area of the piston A, cm²"`
	RodArea     float64 `yaml:"rod_side_area_cm2,omitempty" doc:"area A_B of the piston's rod side where it differs, cm²; 0: both are equal"`
	OilVolume   float64 `yaml:"oil_volume_cm3" doc:"oil in both chambers and lines with the piston in the middle V, cm³; more than 2 A × stroke"`
	BulkModulus float64 `yaml:"bulk_modulus_mpa" doc:"effective bulk modulus of the oil β, MPa; 600 to 1400"`
	Leakage     float64 `yaml:"leakage_l_min" doc:"leakage over the piston at 70 bar, l/min; 0.1 to 2 % of the rated flow"`
	MovingMass  float64 `yaml:"moving_mass_kg" doc:"mass of piston, rod and fittings up to the load cell, kg"`

	CoulombForce   float64 `yaml:"coulomb_force_n" doc:"friction F_c of the seals in fast motion, N; 0.1 to 3 % of the force, 0: none"`
	StaticForce    float64 `yaml:"static_force_n,omitempty" doc:"friction F_s at breakaway, N; 1 to 2 F_c. 0: F_c"`
	StribeckSpeed  float64 `yaml:"stribeck_speed_m_s" doc:"speed v_s at which F_s − F_c has fallen to its e-th part, m/s; 0.001 to 0.05"`
	Presliding     float64 `yaml:"presliding_um" doc:"deflection F_c/σ₀ of the seals before they slide, µm; 2 to 20"`
	BristleDamping float64 `yaml:"bristle_damping" doc:"damping σ₁ of the seals' deflection, N·s/m; 4 (σ₁ + σ₂) F/σ₁² is at least 0.5 m/s, with the lower friction force F"`
	Viscous        float64 `yaml:"viscous_damping" doc:"viscous friction σ₂, N·s/m"`

	FrameStiffness  float64 `yaml:"frame_stiffness,omitempty" doc:"stiffness of the reaction frame under the actuator, N/m; 0: rigid"`
	FrameMass       float64 `yaml:"frame_mass_kg,omitempty" doc:"mass of the cylinder's body and what of the frame moves with it, kg"`
	FrameDamping    float64 `yaml:"frame_damping_ratio,omitempty" doc:"damping ratio of body and frame by themselves"`
	ClevisStiffness float64 `yaml:"clevis_stiffness,omitempty" doc:"stiffness of clevises and load cell, N/m; 0: rigid. The specimen wants a mass then"`
	ClevisDamping   float64 `yaml:"clevis_damping,omitempty" doc:"damping of the clevises, N·s/m"`
	ClevisPlay      float64 `yaml:"clevis_play_mm,omitempty" doc:"free play of the clevises from stop to stop, mm; 0 to 0.1"`

	Line          string  `yaml:"supply,omitempty" doc:"name of the supply: actuators of one name share pump and accumulator. Default: each has its own"`
	PayloadHeight float64 `yaml:"payload_height_m,omitempty" doc:"shake table: height of the payload's centre of mass above the bearings, m, for rths capacity; 0: not stated"`
	Overturning   float64 `yaml:"overturning_n_m,omitempty" doc:"shake table: largest overturning moment that the bearings carry, N·m; 0: not stated"`

	Rating `yaml:",inline"`

	unbounded bool // see Unbounded
}

// Unbounded is the actuator without saturation: nothing limits the valve, its speed and the supply, and the flow does
// not fall with the load.
func (p *Hydraulic) Unbounded() *Hydraulic {
	q := *p
	q.unbounded = true
	return &q
}

// Presets of three sizes by textbook sizing (Merritt 1967, chapter 6; Jelali and Kroll 2003, chapter 4): 210 bar, the area
// by force, oil of the stroke and a quarter more, a valve for the speed, 1 % friction. They are of no maker's catalogue.
var (
	hydraulic25 = Hydraulic{ProportionalGain: 75, PressureGain: 0.002, PressureCorner: 1,
		RatedFlow: 38, ValveHz: 120, ValveOrder: 2, ValveDamping: 0.7,
		ValveSlew: 300, SupplyPressure: 210, PumpFlow: 40, Accumulator: 4, Precharge: 140, GasExponent: 1.4, PistonArea: 12.5,
		OilVolume: 315, BulkModulus: 700, Leakage: 0.2, MovingMass: 12, CoulombForce: 250, StaticForce: 350,
		StribeckSpeed: 0.01, Presliding: 10, BristleDamping: 1000, Viscous: 400, Rating: Rating{0.1, 0.87, 25e3}}

	hydraulic250 = Hydraulic{ProportionalGain: 60, PressureGain: 0.0026, PressureCorner: 1,
		RatedFlow: 250, ValveHz: 80, ValveOrder: 2, ValveDamping: 0.7, ValveSlew: 200,
		SupplyPressure: 210, PumpFlow: 230, Accumulator: 20, Precharge: 140, GasExponent: 1.4, PistonArea: 125,
		OilVolume: 3900, BulkModulus: 700, Leakage: 1.5, MovingMass: 180, CoulombForce: 2500, StaticForce: 3500,
		StribeckSpeed: 0.01, Presliding: 10, BristleDamping: 10000, Viscous: 4000, Rating: Rating{0.125, 0.57, 250e3}}

	hydraulic2500 = Hydraulic{ProportionalGain: 60, PressureGain: 0.008, PressureCorner: 1,
		RatedFlow: 1000, ValveHz: 50, ValveOrder: 2, ValveDamping: 0.8,
		ValveSlew: 120, SupplyPressure: 210, PumpFlow: 800, Accumulator: 150, Precharge: 140, GasExponent: 1.4, PistonArea: 1250,
		OilVolume: 78000, BulkModulus: 700, Leakage: 8, MovingMass: 2500, CoulombForce: 20000, StaticForce: 28000,
		StribeckSpeed: 0.01, Presliding: 15, BristleDamping: 80000, Viscous: 40000, Rating: Rating{0.25, 0.23, 2500e3}}
)

// Units of oil hydraulics.
const (
	bar        = 1e5        // Pa
	litreMin   = 1e-3 / 6e1 // m³/s
	ratedDrop  = 70 * bar   // over both edges of a valve, at which its flow is stated
	laminar    = 1 * bar    // pressure drop of an edge below which its flow is laminar
	pumpBand   = 0.05       // of the set pressure, over which the pump goes from all its flow to none
	emptyStiff = 100        // compliance of a full accumulator, in those of an empty one
)

const hydraulicName = "servo-hydraulic-nonlinear transfer system"

// check wants the numbers of a real actuator.
func (p *Hydraulic) check() error {
	for _, q := range []struct {
		key         string
		v           float64
		least, most float64
	}{
		{"rated_flow_l_min", p.RatedFlow, 1e-3, 1e5}, {"valve_hz", p.ValveHz, 0.1, 1e4}, {"valve_damping", p.ValveDamping, 0.05, 10},
		{"supply_pressure_bar", p.SupplyPressure, 10, 1000}, {"piston_area_cm2", p.PistonArea, 1e-3, 1e6},
		{"oil_volume_cm3", p.OilVolume, 1e-3, 1e8}, {"bulk_modulus_mpa", p.BulkModulus, 1, 1e5},
		{"moving_mass_kg", p.MovingMass, 1e-6, 1e7}, {"gas_exponent", p.GasExponent, 1, 2},
		{"stribeck_speed_m_s", p.StribeckSpeed, 1e-6, 1e3}, {"presliding_um", p.Presliding, 0.01, 1e5},
		{"static_force_n", p.StaticForce, 0, 1e8}, {"frame_mass_kg", p.FrameMass, 0, 1e8}, {"precharge_bar", p.Precharge, 0, 1e3},
		{"valve_overlap", p.Overlap, -0.5, 0.5},
		{"proportional_gain", p.ProportionalGain, 1e-6, 1e9}, {"integral_gain", p.IntegralGain, 0, 1e9},
		{"derivative_gain", p.DerivativeGain, 0, 1e6}, {"feedforward", p.Feedforward, 0, 1e6},
		{"pressure_gain", p.PressureGain, 0, 1e3}, {"pressure_corner_hz", p.PressureCorner, 0, 1e4},
		{"controller_rate_hz", p.ControllerRate, 0, 1e6}, {"valve_slew", p.ValveSlew, 0, 1e9},
		{"pump_flow_l_min", p.PumpFlow, 0, 1e6}, {"accumulator_l", p.Accumulator, 0, 1e6}, {"leakage_l_min", p.Leakage, 0, 1e5},
		{"coulomb_force_n", p.CoulombForce, 0, 1e8}, {"bristle_damping", p.BristleDamping, 0, 1e9},
		{"viscous_damping", p.Viscous, 0, 1e9}, {"frame_stiffness", p.FrameStiffness, 0, 1e14},
		{"frame_damping_ratio", p.FrameDamping, 0, 10}, {"clevis_stiffness", p.ClevisStiffness, 0, 1e14},
		{"clevis_damping", p.ClevisDamping, 0, 1e9}, {"clevis_play_mm", p.ClevisPlay, 0, 100},
		{"payload_height_m", p.PayloadHeight, 0, 1e3}, {"overturning_n_m", p.Overturning, 0, 1e12},
	} {
		if !(q.v >= q.least && q.v <= q.most) {
			return fmt.Errorf("%s: %s %g: want %g to %g", hydraulicName, q.key, q.v, q.least, q.most)
		}
	}
	if p.ValveOrder != 1 && p.ValveOrder != 2 {
		return fmt.Errorf("%s: valve_order %d: want 2, or 1", hydraulicName, p.ValveOrder)
	}
	if err := p.checkParts(); err != nil {
		return fmt.Errorf("%s: %w", hydraulicName, err)
	}
	return p.Rating.Check()
}

// checkParts wants parts that belong together.
func (p *Hydraulic) checkParts() error {
	switch {
	case p.RodArea != 0 && !(p.RodArea > 0 && p.RodArea <= p.PistonArea):
		return fmt.Errorf("rod_side_area_cm2 %g: want more than 0 and at most piston_area_cm2 %g, or 0 for equal areas",
			p.RodArea, p.PistonArea)
	case p.RodArea > 0 && p.Overlap < 0:
		return errors.New("valve_overlap below 0 with rod_side_area_cm2: the piston would creep at rest: want 0 or more")
	case p.RodArea > 0 && p.Leakage == 0:
		return errors.New("leakage_l_min 0 with rod_side_area_cm2: nothing settles the pressures of the chambers: want more than 0")
	case p.OilVolume <= 2e2*p.PistonArea*p.Stroke:
		return fmt.Errorf("oil_volume_cm3 %g: %g cm² over ± %g m are %g cm³ already: want more", p.OilVolume, p.PistonArea,
			p.Stroke, 2e2*p.PistonArea*p.Stroke)
	case p.CoulombForce > 0 && p.StaticForce != 0 && p.StaticForce < p.CoulombForce:
		return fmt.Errorf("static_force_n %g: want at least coulomb_force_n %g, or 0 for as much", p.StaticForce, p.CoulombForce)
	case (p.PumpFlow > 0) != (p.Accumulator > 0):
		return fmt.Errorf("pump_flow_l_min %g with accumulator_l %g: want both, or neither for a supply whose pressure never falls",
			p.PumpFlow, p.Accumulator)
	case p.Accumulator > 0 && !(p.Precharge > 0 && p.Precharge < p.SupplyPressure):
		return fmt.Errorf("precharge_bar %g: want more than 0 and less than supply_pressure_bar %g", p.Precharge, p.SupplyPressure)
	case p.FrameStiffness > 0 && p.FrameMass == 0:
		return errors.New("frame_mass_kg 0 with frame_stiffness: want more than 0")
	case p.FrameStiffness == 0 && p.FrameMass > 0:
		return fmt.Errorf("frame_mass_kg %g without frame_stiffness: the frame is rigid: want its stiffness, or no mass", p.FrameMass)
	case (p.PayloadHeight > 0) != (p.Overturning > 0):
		return fmt.Errorf("payload_height_m %g with overturning_n_m %g: want both, or neither", p.PayloadHeight, p.Overturning)
	case p.ClevisPlay > 0 && p.ClevisStiffness == 0:
		return errors.New("clevis_play_mm without clevis_stiffness: want the stiffness of clevises and load cell")
	}
	if law, some := p.seals(); some {
		if err := law.Check(); err != nil {
			return fmt.Errorf("bristle_damping: %w", err)
		}
	}
	return nil
}

// seals are the friction; not some: there is no dry friction.
func (p *Hydraulic) seals() (law device.LuGre, some bool) {
	return device.LuGre{Sigma0: p.CoulombForce / (p.Presliding * 1e-6), Sigma1: p.BristleDamping, Sigma2: p.Viscous,
		Fc: p.CoulombForce, Fs: max(p.StaticForce, p.CoulombForce), Vs: p.StribeckSpeed}, p.CoulombForce > 0
}

// valveGain is K √½ of a fully open edge, m³/s/√Pa.
func (p *Hydraulic) valveGain() float64 { return p.RatedFlow * litreMin / math.Sqrt(ratedDrop) }

// Make makes the plant with a specimen that the inner control is stable with.
func (p *Hydraulic) Make(at At) (Plant, error) {
	const name = "servo-hydraulic-nonlinear"
	if err := p.check(); err != nil {
		return nil, err
	}
	if err := wantSpecimen(name, at); err != nil {
		return nil, err
	}
	if err := p.wantMass(at.Specimen); err != nil {
		return nil, err
	}
	if err := p.wantRates(at.RateHz); err != nil {
		return nil, err
	}
	if m, err := p.Model(AtRest(at.Specimen)); err == nil {
		if err := wantDecay(name, m.SS.A); err != nil {
			return nil, err
		}
	}
	return p.plant(at)
}

// wantRates wants a test quick enough for the valve, and in step with the inner controller.
func (p *Hydraulic) wantRates(rateHz float64) error {
	if !(rateHz > 0) || math.IsInf(rateHz, 0) {
		return fmt.Errorf("%s: rate %g Hz: want a positive number", hydraulicName, rateHz)
	}
	if p.ValveHz > rateHz/2 {
		return fmt.Errorf("%s: valve_hz %g: want at most half of the test's %g Hz, or a quicker test", hydraulicName, p.ValveHz, rateHz)
	}
	if n := p.ControllerRate / rateHz; n != math.Round(n) {
		return fmt.Errorf("%s: controller_rate_hz %g: want a whole multiple of the test's %g Hz, or 0 for a continuous "+
			"controller", hydraulicName, p.ControllerRate, rateHz)
	}
	return nil
}

// wantMass wants a mass at the far end of a clevis that is a spring.
func (p *Hydraulic) wantMass(s Specimen) error {
	if p.ClevisStiffness == 0 {
		return nil
	}
	return wantMass("servo-hydraulic-nonlinear", s.Mass())
}

// Model is the plant in small motion, with a linear specimen or without: about the middle of its stroke, without load,
// dry friction, dead band and play, at the set pressure. An inner controller of a rate of its own holds its output for half
// a sample on average: a lag of so much.
func (p *Hydraulic) Model(specimen Specimen) (Model, error) {
	if err := p.check(); err != nil {
		return Model{}, err
	}
	if specimen != nil {
		if _, ok := formOf(specimen); !ok {
			return Model{}, notLinear("servo-hydraulic-nonlinear")
		}
		if err := p.wantMass(specimen); err != nil {
			return Model{}, err
		}
	} else if p.ClevisStiffness > 0 {
		q := *p // the clevis hangs in the air
		q.ClevisStiffness, q.ClevisPlay = 0, 0
		return q.Model(nil)
	}
	if specimen != nil {
		return Model{SS: p.actuator(specimen).linearise()}, nil
	}
	return Model{SS: displacementOf(p.actuator(&linear{}).linearise())}, nil
}

// BareInverse is the series of the inverse without specimen, and without integral gain, as that of ServoHydraulic: from the
// moments −C A^(−k−1) B of the model.
func (p *Hydraulic) BareInverse(n int) ([]float64, error) {
	q := *p
	q.IntegralGain = 0
	m, err := q.Model(nil)
	if err != nil {
		return nil, err
	}
	return inverseOf(m.SS, n)
}

// displacementOf is a model of displacement and force without the force.
func displacementOf(ss lti.SS) lti.SS {
	ss.C = mat.DenseCopyOf(ss.C.Slice(0, 1, 0, ss.C.RawMatrix().Cols))
	ss.D = mat.NewDense(1, 1, nil)
	return ss
}

// inverseOf is the series of the inverse of a model of one displacement.
func inverseOf(ss lti.SS, n int) ([]float64, error) {
	rows, _ := ss.A.Dims()
	g := GivenSS{A: make([][]float64, rows), B: make([][]float64, rows), C: [][]float64{ss.C.RawRowView(0)}}
	for i := range rows {
		g.A[i], g.B[i] = ss.A.RawRowView(i), ss.B.RawRowView(i)
	}
	return g.BareInverse(n)
}
