// Package plant is the physical side of a test, simulated: specimens, transfer
// systems (the actuator with its valve and controller) and sensors. A transfer
// system is made with its specimen, because the force of the specimen acts back
// on the actuator: together they are the control plant.
package plant

import (
	"rths"
	"rths/maths/lti"
)

// Plant is a control plant: one tick under a held command.
type Plant interface {
	// Step holds command over one sample and fills now with the true motion
	// and restoring force at its end: X and F, and V and A where now has room
	// for them.
	Step(now *rths.Reading, command []float64)
}

// Specimen has states z of its own; the motion m of its interface loads it. Rate has no
// side effects: integrators call it at their stages.
type Specimen interface {
	Mass() float64 // kg; the plant adds the inertia force
	States() int
	// Rate sets the rate of change dz of the states and the restoring force
	// without inertia. Of m it looks at X and V, of one coordinate.
	Rate(dz, force, z []float64, m *rths.Motion)
}

// Committed is implemented by specimens with return maps: Commit updates the states once
// at the end of every sub-step, at the motion m. Rate must not depend on the number of
// calls in between.
type Committed interface {
	Commit(z []float64, m *rths.Motion)
}

// Steep is implemented by specimens that are not Linear: the largest stiffness
// ∂f/∂x (N/m) and damping ∂f/∂v (N·s/m) they can have, and the fastest rate of
// their own states (1/s). Sub-steps are made small enough for them.
type Steep interface {
	Steepest() (k, c, rate float64)
}

// Linear is implemented by specimens that are m ẍ + c ẋ + k x. The plant with
// such a specimen is held exactly, and a scenario takes it out of the structure.
type Linear interface {
	Linear() (m, c, k float64) // kg, N·s/m, N/m
}

// Initial is implemented by specimens that are not Linear but replace a part of the
// structure: in small motion from rest they are m ẍ + c ẋ + k x, and a scenario takes
// this part out of the structure. All others stand beside the structure.
type Initial interface {
	Initial() (m, c, k float64) // kg, N·s/m, N/m
}

// Within is the part m ẍ + c ẋ + k x of the structure that the specimen replaces; not ok:
// the specimen stands beside the structure.
func Within(s Specimen) (m, c, k float64, ok bool) {
	switch s := s.(type) {
	case Linear:
		m, c, k = s.Linear()
	case Initial:
		m, c, k = s.Initial()
	default:
		return 0, 0, 0, false
	}
	return m, c, k, true
}

// At tells makers of transfer systems about the test.
type At struct {
	RateHz   float64
	Specimen Specimen
}

// TransferMaker is the maker interface of the table Transfers.
type TransferMaker interface {
	Make(at At) (Plant, error)
}

// Inverter is implemented by transfer systems whose inverse has a power series:
// BareInverse returns the first n coefficients of u/x = c₀ + c₁s + c₂s² + … of
// the system without specimen, in s⁰, s¹, s², …
type Inverter interface {
	BareInverse(n int) ([]float64, error)
}

// Model is a continuous linear control plant with pure delays of its commands:
// the outputs of SS are the true displacement of every axis, then the restoring
// forces.
type Model struct {
	SS     lti.SS
	Delays []float64 // s, of each command; nil: none
}

// Delay is the pure delay of command i, s.
func (m *Model) Delay(i int) float64 {
	if m.Delays == nil {
		return 0
	}
	return m.Delays[i]
}

// Modelled is implemented by transfer systems that are linear: Model is the
// control plant with the specimen, or, for a nil specimen, the transfer system
// alone (moving freely, displacements only). Frequency responses and stability
// analyses use the model.
type Modelled interface {
	Model(specimen Specimen) (Model, error)
}

// Nominal is implemented by linear transfer systems that know their plant without
// scatter.
type Nominal interface{ Nominal() (Model, error) }

// Varied is implemented by transfer systems that may vary during a test: Start is the
// system of the start of the run, which does not, and which a laboratory identifies before
// the test. Compensators are made for it.
type Varied interface{ Start() TransferMaker }

// Axial is implemented by transfer systems of more than one axis.
type Axial interface{ Axes() int }

// SpecimenMaker is the maker interface of the table Specimens.
type SpecimenMaker interface {
	Make() (Specimen, error)
}

// Perturbed is implemented by makers whose parameters have a published
// scatter: Perturb changes them by draws of a standard normal variable.
type Perturbed interface {
	Perturb(normal func() float64)
}

// Specimens is the table of specimens.
var Specimens = []rths.Kind[SpecimenMaker]{
	{
		Name: "linear", Doc: "spring, dashpot and mass of one degree of freedom",
		Ref:      "Silva et al. 2020; Ning et al. 2020, section 2.2",
		Defaults: func() SpecimenMaker { return &LinearSpecimen{} },
	},
	{
		Name: "silva2020", Doc: "specimen of the single-actuator RTHS benchmark, damping ratio 0.97 %",
		Ref:      "Silva et al. 2020, benchmark package",
		Defaults: func() SpecimenMaker { return &SilvaSpecimen{Mass: 29.13, Stiffness: 1190e3, DampingRatio: 0.0097} },
	},
	{
		Name: "random-linear", Doc: "spring, dashpot and mass, drawn uniformly from ranges by perturbed",
		Ref: "Gálmez 2021, Table 7.3",
		Defaults: func() SpecimenMaker {
			return &RandomSpecimen{Mass: 29.1, Damping: 114.6, Stiffness: 1.19e6, MassRange: []float64{10, 40},
				DampingRange: []float64{50, 1000}, StiffnessRange: []float64{1e4, 2e6}}
		},
	},
	{
		Name: "bilinear", Doc: "yielding spring with kinematic hardening, and dashpot",
		Ref: "Wang et al. 2020, section 3.2; Simo and Hughes 1998, section 1.4",
		Defaults: func() SpecimenMaker {
			return &Bilinear{Stiffness: 200e3, PostStiffness: 100e3, YieldDisplacement: 6e-3}
		},
	},
	{
		Name: "bouc-wen", Doc: "hysteretic spring that loses stiffness and strength, with cubic hardening and dashpot",
		Ref: "Gálmez 2021, eqs 7.13–7.18 and Table 7.5, case D; Sivaselvan and Reinhorn 2000",
		Defaults: func() SpecimenMaker {
			return &BoucWen{Stiffness: 1.19e6, YieldForce: 2678, Exponent: 2.5, Eta1: 0.5, Eta2: 0.5, Alpha: 0.02, Beta: 0.005,
				Damping: 114.6, Mass: 29.1}
		},
	},
	{
		Name: "marths", Doc: "portal frame of the multi-axial RTHS benchmark, its forces recovered from the measured motion",
		Ref:      "Condori Uribe et al. 2023, benchmark package",
		Defaults: func() SpecimenMaker { return &FrameSpecimen{} },
	},
	{
		Name: "viscous-damper", Doc: "fluid viscous damper c |v|^α sgn v, beside the structure",
		Ref:      "Symans and Constantinou 1998",
		Defaults: func() SpecimenMaker { return &ViscousDamper{Damping: 1e4, Exponent: 1, LinearBelow: 1e-3} },
	},
	{
		Name: "maxwell", Doc: "spring in series with a dashpot, beside the structure",
		Ref:      "Constantinou and Symans 1993",
		Defaults: func() SpecimenMaker { return &Maxwell{Stiffness: 1e6, Damping: 1e4, Exponent: 1} },
	},
	{
		Name: "viscoelastic", Doc: "spring, dashpot and Maxwell branches (Prony series), beside the structure",
		Ref: "Christensen 1982, chapter 1",
		Defaults: func() SpecimenMaker {
			return &Viscoelastic{Stiffness: 1e5, BranchStiffnesses: []float64{1e5, 1e5}, RelaxationTimesS: []float64{0.3, 0.03}}
		},
	},
	{
		Name: "fractional", Doc: "spring and fractional derivative c D^β x, beside the structure",
		Ref: "Koh and Kelly 1990",
		Defaults: func() SpecimenMaker {
			return &Fractional{Stiffness: 1e5, Coefficient: 5e4, Order: 0.5, LowHz: 0.1, HighHz: 20}
		},
	},
	{
		Name: "friction", Doc: "Coulomb friction with a stiffness in stick, beside the structure",
		Ref:      "Simo and Hughes 1998, section 1.4; OpenSees FlatSliderBearing",
		Defaults: func() SpecimenMaker { return &Friction{Coefficient: 0.1, NormalForce: 1e4, StickStiffness: 1e7} },
	},
	{
		Name: "lugre", Doc: "friction that falls with the speed, over bristles that bend first, beside the structure",
		Ref: "Canudas de Wit et al. 1995; Malik et al. 2025, Table 1",
		Defaults: func() SpecimenMaker {
			return &LuGre{Stiffness: 6442.5e3, BristleDamping: 29.61e3, CoulombForce: 19.75e3, StaticForce: 21.93e3,
				StribeckSpeed: 0.025}
		},
	},
	{
		Name: "stop", Doc: "spring met after a free travel: gap, hook or both, beside the structure",
		Ref:      "definition",
		Defaults: func() SpecimenMaker { return &Stop{Stiffness: 1e6, Travel: 0.005, Side: "both"} },
	},
	{
		Name: "tuned-mass-damper", Doc: "mass on spring and dashpot, its base moved by the actuator, beside the structure",
		Ref:      "Den Hartog 1956, chapter 3",
		Defaults: func() SpecimenMaker { return &TunedMassDamper{DamperMass: 100, Damping: 2000, Stiffness: 4e5} },
	},
	{
		Name: "frame", Doc: "shear frame on a shake table, its base moved by the actuator, beside the structure",
		Ref:      "Zhu et al. 2014, section 4.2; Gálmez 2021, section 3.3",
		Defaults: func() SpecimenMaker { return newFrame() },
	},
}

// Transfers is the table of transfer systems.
var Transfers = []rths.Kind[TransferMaker]{
	{
		Name: "silva2020",
		Doc: "servo-valve, actuator and control–structure interaction of the single-actuator benchmark, parameters " +
			"of its code",
		Ref:      "Silva et al. 2020, benchmark package",
		Defaults: func() TransferMaker { p := silvaCode; return &p },
	},
	{
		Name: "silva2020-paper", Doc: "as silva2020, with the rounded parameters that papers print, gain 1",
		Ref:      "Gálmez 2021, Table 7.1; Ning et al. 2020, Table 2",
		Defaults: func() TransferMaker { p := silvaPaper; return &p },
	},
	{
		Name: "servo-hydraulic", Doc: "inner controller, servo-valve and hydraulic actuator from their physical parameters",
		Ref:      "Gálmez 2021, chapter 4 and Table 4.1; Carrion and Spencer 2007",
		Defaults: func() TransferMaker { p := carrion; return &p },
	},
	{
		Name: "servo-hydraulic-nonlinear",
		Doc: "servo-hydraulic actuator as built: saturating valve, orifice flow, oil column, seals, supply, frame and clevis; " +
			"250 kN by default",
		Ref:      "Merritt 1967; Jelali and Kroll 2003; sizes by textbook rules",
		Defaults: func() TransferMaker { p := hydraulic250; return &p },
	},
	{
		Name: "servo-hydraulic-25kN", Doc: "as servo-hydraulic-nonlinear, 25 kN by default",
		Ref:      "Merritt 1967; Jelali and Kroll 2003; sizes by textbook rules",
		Defaults: func() TransferMaker { p := hydraulic25; return &p },
	},
	{
		Name: "servo-hydraulic-2500kN", Doc: "as servo-hydraulic-nonlinear, 2500 kN by default",
		Ref:      "Merritt 1967; Jelali and Kroll 2003; sizes by textbook rules",
		Defaults: func() TransferMaker { p := hydraulic2500; return &p },
	},
	{
		Name: "servo-electric", Doc: "servo motor with ball screw: cascade control, limits of current, voltage and speed, " +
			"friction that grows with the load, play; 10 kN by default",
		Ref:      "Groß, Hamann and Wiegärtner 2001; Altintas et al. 2011; size by textbook rules",
		Defaults: func() TransferMaker { p := electric10; return &p },
	},
	{
		Name: "second-order", Doc: "x/u = ω²/(s² + 2ζω s + ω²), whatever the specimen",
		Ref:      "Wang et al. 2020, eq. 10; Ning et al. 2020, eq. 22",
		Defaults: func() TransferMaker { return &SecondOrder{Omega: 50, DampingRatio: 0.8, Gain: 1} },
	},
	{
		Name: "first-order", Doc: "x/u = 1/(τ s + 1), whatever the specimen",
		Ref:      "Horiuchi et al. 1999",
		Defaults: func() TransferMaker { return &FirstOrder{TauMs: 10, Gain: 1} },
	},
	{
		Name: "marths", Doc: "two actuators on the frame specimen of the multi-axial RTHS benchmark, 2 × 2, eight states",
		Ref:      "Condori Uribe et al. 2023, benchmark package",
		Defaults: func() TransferMaker { return marthsPlant() },
	},
	{
		Name: "tf", Doc: "given transfer function and delay, whatever the specimen",
		Ref: "definition; defaults: Wang et al. 2020, eq. 10",
		Defaults: func() TransferMaker {
			return &GivenTF{Num: []float64{2500}, Den: []float64{1, 80, 2500}}
		},
	},
	{
		Name: "ss", Doc: "given state space and delay, whatever the specimen",
		Ref: "definition; defaults: Wang et al. 2020, eq. 10",
		Defaults: func() TransferMaker {
			return &GivenSS{A: [][]float64{{0, 1}, {-2500, -80}}, B: [][]float64{{0}, {2500}}, C: [][]float64{{1, 0}}}
		},
	},
	{
		Name: "zpk", Doc: "given zeros, poles, gain and delay, whatever the specimen",
		Ref: "definition; defaults: Wang et al. 2020, eq. 10",
		Defaults: func() TransferMaker {
			return &GivenZPK{Poles: [][]float64{{-40, 30}, {-40, -30}}, Gain: 2500}
		},
	},
	{
		Name: "delay", Doc: "pure delay: the displacement is the command of some milliseconds ago",
		Ref:      "Gálmez 2021, section 7.4.1",
		Defaults: func() TransferMaker { return &Delay{DelayMs: 5} },
	},
	{
		Name: "ideal", Doc: "the displacement is the held command at the end of the sample",
		Ref:      "definition",
		Defaults: func() TransferMaker { return &Ideal{} },
	},
}
