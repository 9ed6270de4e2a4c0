// Package compensate holds the compensators. A compensator turns the target displacement
// (m) into a command (m), so that a lagging actuator arrives at the target in time. One
// file is one method, written beside its paper.
package compensate

import (
	"fmt"

	"rths"
	"rths/method/identify"
	"rths/method/kalman"
)

// At tells a Maker about the test.
type At = identify.At

// Maker is the maker interface of the table Kinds. Make fills in what its
// parameters left open, so that they can be printed afterwards.
type Maker interface {
	Make(at At) (rths.Compensator, error)
}

// Identified is a maker of compensators that identify the plant during the test.
// PlantModel is the frequency response x_m/x_c, measured displacement over command, of the
// plant with these parameters (in the order of Channels). The command counts from the
// instant it aims at, At.Lead samples after its tick. PlantModel returns nil for a wrong
// number of parameters.
type Identified interface {
	PlantModel(rateHz float64, parameters []float64) func(hz float64) complex128
}

// Kinds is the table of compensators.
var Kinds = []rths.Kind[Maker]{
	{
		Name: "none", Doc: "no compensation: the command is the target",
		Ref:      "definition",
		Defaults: func() Maker { return &None{} },
	},
	{
		Name: "pi", Doc: "proportional–integral control of the tracking error after a phase lead, with the benchmark's " +
			"converters",
		Ref:      "Silva et al. 2020, benchmark package",
		Defaults: func() Maker { return silvaPI() },
		Tunable:  piTunable,
	},
	{
		Name: "amb", Doc: "adaptive model-based compensation: inverse of order 1 to 3, parameters by a normalised gradient " +
			"law; start and gains from plant and rate",
		Ref:      "Gálmez 2021, chapter 6; Chen et al. 2015",
		Defaults: func() Maker { return derivedAMB() },
		Tunable:  ambTunable,
	},
	{
		Name:     "amb-galmez2021",
		Doc:      "as amb, with the published parameters and gains, for the single-actuator benchmark at 4096 Hz",
		Ref:      "Gálmez 2021, eq. 7.7 and section 7.2.3",
		Defaults: func() Maker { p := galmezAMB; return &p },
	},
	{
		Name: "amb-fixed", Doc: "as amb, without adaptation: the inverse of the transfer system without specimen",
		Ref:      "Gálmez 2021, section 7.2 (non-adaptive)",
		Defaults: func() Maker { p := galmezAMB; p.Gamma = []float64{0, 0, 0, 0}; return &p },
	},
	{
		Name: "kf", Doc: "Kalman-filter adaptive compensation with a discrete model (taps 7.57 ms apart, filtered, quiet " +
			"times skipped); start from the plant",
		Ref:      "Ning et al. 2020, sections 3 and 5",
		Defaults: func() Maker { return derivedKF() },
		Tunable:  kfTunable,
	},
	{
		Name: "kf-ning2020",
		Doc: "as kf, with the published parameters, for the single-actuator benchmark at 4096 Hz (taps 31 " +
			"samples apart)",
		Ref:      "Ning et al. 2020, sections 3 and 5",
		Defaults: func() Maker { return ningRecipe() },
	},
	{
		Name:     "kf-table5",
		Doc:      "as kf-ning2020, with one extra sample of command delay, which reproduces the published table",
		Ref:      "Ning et al. 2020, Table 5 (the sample is inferred)",
		Defaults: func() Maker { p := ningRecipe(); p.ExtraSamples = 1; return p },
	},
	{
		Name: "kf-literal",
		Doc: "as kf-ning2020, but as printed: taps one sample apart, no filter, always adapting; unstable on the " +
			"benchmark plant",
		Ref:      "Ning et al. 2020, eqs 8–16",
		Defaults: func() Maker { p := ningRecipe(); p.Spacing, p.FilterHz, p.FreezeBelow = 1, 0, 0; return p },
	},
	{
		Name: "adm", Doc: "adaptive compensation with a discrete model of p past commands and q displacements, by default " +
			"0 and 4, by recursive least squares",
		Ref:      "Wang et al. 2020, eqs 1–6; Shangguan et al. 2024, eqs 36–42",
		Defaults: func() Maker { return wangADM(0, 4) },
		Tunable:  admTunable,
	},
	{
		Name: "adm2", Doc: "as adm, with two parameters, both of displacements",
		Ref:      "Wang et al. 2020, Table 1",
		Defaults: func() Maker { return wangADM(0, 2) },
		Tunable:  adm2Tunable,
	},
	{
		Name: "adm3", Doc: "as adm, with three parameters, all of displacements",
		Ref:      "Wang et al. 2020, Table 1",
		Defaults: func() Maker { return wangADM(0, 3) },
		Tunable:  adm3Tunable,
	},
	{
		Name: "adm4", Doc: "as adm, with four parameters: one past command, three displacements",
		Ref:      "Wang et al. 2020, Table 1",
		Defaults: func() Maker { return wangADM(1, 3) },
		Tunable:  adm4Tunable,
	},
	{
		Name: "ats", Doc: "adaptive time series: inverse of order 1 to 3, coefficients by least squares over a moving window",
		Ref:      "Chae, Kazemibidokhti and Ricles 2013",
		Defaults: func() Maker { return chaeATS() },
		Tunable:  atsTunable,
	},
	{
		Name: "cats", Doc: "conditional adaptive time series: as ats, by recursive least squares, updated on conditions",
		Ref:      "Palacio-Betancur and Gutierrez Soto 2019",
		Defaults: func() Maker { return palacioCATS() },
		Tunable:  catsTunable,
	},
	{
		Name: "pe", Doc: "polynomial extrapolation of order 1 to 4 by a constant delay",
		Ref:      "Horiuchi et al. 1999; Wang et al. 2020, eq. 7",
		Defaults: func() Maker { return &PE{Order: 3, Spacing: 1} },
		Tunable:  peTunable,
	},
	{
		Name: "linear-acceleration", Doc: "extrapolation by a constant delay with linearly changing acceleration",
		Ref:      "Horiuchi and Konno 2001; Zhu et al. 2014, section 3",
		Defaults: func() Maker { return &LinearAcceleration{} },
		Tunable:  lagTunable,
	},
	{
		Name: "inverse", Doc: "inverse of a first-order actuator",
		Ref:      "Chen and Ricles 2009",
		Defaults: func() Maker { return &Inverse{} },
		Tunable:  lagTunable,
	},
	{
		Name: "phase-lead", Doc: "one or two phase-lead networks",
		Ref:      "Zhao et al. 2003; Jung et al. 2007",
		Defaults: func() Maker { return &PhaseLead{Order: 2, LeadMs: 12, LagMs: 2} },
		Tunable:  phaseLeadTunable,
	},
	{
		Name: "forward-prediction",
		Doc: "adaptive forward prediction: polynomial through past targets, delay and gain from the " +
			"synchronisation error",
		Ref:      "Wallace, Wagg and Neild 2005; Zhu et al. 2014, section 4.3",
		Defaults: func() Maker { return wallaceForward() },
		Tunable:  forwardTunable,
	},
	{
		Name: "wfei", Doc: "inverse of a first-order actuator whose delay follows the frequency-domain evaluation index of " +
			"the last seconds",
		Ref:      "own, after Xu et al. 2019",
		Defaults: func() Maker { return wfeiDefaults() },
		Tunable:  wfeiTunable,
	},
	{
		Name: "mbc", Doc: "model-based feedforward: inverse of order 3 on the target's own velocity and acceleration",
		Ref:      "Carrion and Spencer 2007; Phillips and Spencer 2012, 2013",
		Defaults: func() Maker { return &MBC{Derivatives: "target"} },
		Tunable:  mbcTunable,
	},
	{
		Name: "mbc-lqg", Doc: "as mbc, with LQG feedback of the tracking error",
		Ref:      "Phillips and Spencer 2012, 2013",
		Defaults: func() Maker { return mbcLQGDefaults() },
		Tunable:  mbcLQGTunable,
	},
	{
		Name: "kalman-inverse",
		Doc: "adaptive inverse of order 4 on the target's own velocity and acceleration, coefficients by a Kalman " +
			"filter within bounds whose regressor is the target",
		Ref:      "docs/reference/kalman-inverse.md",
		Defaults: func() Maker { return kalman.Defaults() },
		Tunable:  kalman.Tunable,
	},
	{
		Name: "lqg", Doc: "LQG feedback of the tracking error alone, to stand beside a feedforward in a chain with " +
			"join: parallel",
		Ref:      "Phillips and Spencer 2012, 2013; Chen et al. 2015",
		Defaults: func() Maker { return besideDefaults() },
	},
	{
		Name:     "hinf",
		Doc:      "H∞ feedback of the tracking error by mixed sensitivity, for weights of error, command and displacement",
		Ref:      "Skogestad and Postlethwaite 2005, section 9.3; Glover and Doyle 1988",
		Defaults: func() Maker { return hinfDefaults() },
		Tunable:  hinfTunable,
	},
	{
		Name: "smc", Doc: "sliding-mode control of one actuator: feedforward as mbc, boundary layer, the estimator " +
			"of mbc-lqg",
		Ref:      "Slotine and Li 1991, section 7.1",
		Defaults: func() Maker { return smcDefaults() },
		Tunable:  smcTunable,
	},
	{
		Name: "tvc",
		Doc: "three-variable control of a shake table: feedforward of the target's displacement, velocity, " +
			"acceleration and the payload's mode, feedback of displacement below and of the accelerometer above a crossover",
		Ref:      "Tagawa and Kajiwara 2007; Nowak et al. 2000; Phillips et al. 2014",
		Defaults: func() Maker { return tvcDefaults() },
		Tunable:  tvcTunable,
	},
	{
		Name: "tvc-rls", Doc: "as tvc, with coefficients by recursive least squares on the same composite of displacement " +
			"and acceleration",
		Ref:      "as tvc; Wang et al. 2020, eq. 3 (least squares)",
		Defaults: func() Maker { return tvcRLSDefaults() },
		Tunable:  tvcRLSTunable,
	},
	{
		Name: "mpc", Doc: "model predictive control with a short horizon, bounds on command and rate",
		Ref:      "Wang 2009, chapters 1 and 2",
		Defaults: func() Maker { return mpcDefaults() },
		Tunable:  mpcTunable,
	},
	{
		Name:     "msmc",
		Doc:      "sliding-mode control of all actuators together: internal-model design, surface by LQR, Kalman observer",
		Ref:      "Shangguan et al. 2024, section 2.2",
		Defaults: func() Maker { p := slidingDefaults(); return &p },
		Tunable:  msmcTunable,
	},
	{
		Name: "adm-msmc", Doc: "the same with an adaptive discrete model in front of each actuator",
		Ref:      "Shangguan et al. 2024, sections 2.1 and 2.3",
		Defaults: func() Maker { return admSlidingDefaults() },
		Tunable:  admMSMCTunable,
	},
	{
		Name: "rodeac", Doc: "decentralised adaptive inverse of four taps on each actuator, by recursive least squares",
		Ref:      "multi-axial benchmark package (FermandoisLab, maRTHS-bmk-RoDeAC)",
		Defaults: func() Maker { return rodeacDefaults() },
	},
	{
		Name: "tf", Doc: "transfer function from numbers",
		Ref:      "definition",
		Defaults: func() Maker { return &TF{Domain: "s", Num: []float64{1}, Den: []float64{1}} },
	},
	{
		Name: "zpk", Doc: "transfer function by zeros, poles and gain",
		Ref:      "definition",
		Defaults: func() Maker { return &ZPK{Domain: "s", Gain: 1} },
	},
	{
		Name: "ss", Doc: "system in state space, on the target or on target and measured displacement",
		Ref:      "definition",
		Defaults: func() Maker { return &SS{Domain: "s", D: [][]float64{{1}}} },
	},
	{
		Name: "fir", Doc: "weighted sum of past targets",
		Ref:      "definition",
		Defaults: func() Maker { return &FIR{Coefficients: []float64{1}, Spacing: 1} },
	},
}

// checkBounds wants finite bounds, each lower one at most its upper one.
func checkBounds(name string, lower, upper []float64) error {
	for _, list := range [][]float64{lower, upper} {
		for _, v := range list {
			if !rths.Finite(v) {
				return fmt.Errorf("%s: a bound of %g: want finite numbers", name, v)
			}
		}
	}
	for i := range min(len(lower), len(upper)) {
		if lower[i] > upper[i] {
			return fmt.Errorf("%s: lower bound %g above upper bound %g of parameter %d", name, lower[i], upper[i], i+1)
		}
	}
	return nil
}

// None commands the target.
type None struct{}

// Make makes it.
func (*None) Make(At) (rths.Compensator, error) { return none{}, nil }

type none struct{}

func (none) Step(command []float64, target *rths.Motion, _ *rths.Reading) { copy(command, target.X) }

// ManyAxes: any number of targets become as many commands.
func (*None) ManyAxes() {}
