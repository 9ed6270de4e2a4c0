// Package scenario reads the file that describes a test, and builds the loop it
// describes. The structs here and the parameter structs of the tables are the
// format: their yaml tags are its keys, their doc tags its documentation, their
// values its defaults.
package scenario

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"rths/maths/words"
	"rths/method/combine"
	"rths/method/compensate"
	"rths/model/ground"
	"rths/model/integrate"
	"rths/model/plant"
	"rths/model/structure"
	"rths/scenario/files"
	"rths/scenario/syntax"
	"rths/scenarios"
)

// Scenario describes one test.
type Scenario struct {
	Name       string                       `yaml:"name" doc:"name of the test in records and reports"`
	Tags       []string                     `yaml:"tags,omitempty" doc:"words to find the run by, as in [calibration, specimen-b]: rths runs --tag calibration"`
	RateHz     float64                      `yaml:"rate_hz" doc:"sampling rate of the loop, Hz"`
	Seed       uint64                       `yaml:"seed" doc:"seed of all random streams"`
	Duration   float64                      `yaml:"duration_s,omitempty" doc:"length of the run, s; default: the length of the ground motion or target"`
	Loop       string                       `yaml:"loop" doc:"closed, or open: the force is recorded and not fed back"`
	Diverged   float64                      `yaml:"diverged_m" doc:"largest target and measured displacement, m; a run that goes beyond it has diverged"`
	Timing     Timing                       `yaml:"timing" doc:"order of a tick"`
	Pace       syntax.Choice[Pace]          `yaml:"pace,omitempty" doc:"how fast the test goes: real-time, or slow with the whole mass in the numerical part; left out: real-time"`
	Ground     syntax.Choice[ground.Source] `yaml:"ground,omitempty" doc:"ground motion"`
	MoreGround []Component                  `yaml:"more_ground,omitempty" doc:"further components of the ground motion"`

	Amplitude    float64                            `yaml:"amplitude,omitempty" doc:"factor on all loads: ground motion and its components, forces, prescribed target; the same test at another amplitude, as in 0.25; left out: 1"`
	Forces       []Force                            `yaml:"forces,omitempty" doc:"force histories on the structure"`
	Initial      []float64                          `yaml:"initial_displacement,omitempty" doc:"displacement of every degree of freedom, m, that the structure is released from; the rig is brought there before the run"`
	Target       syntax.Choice[ground.Source]       `yaml:"target,omitempty" doc:"prescribed target displacement of an open loop, in place of structure and ground"`
	Structure    syntax.Choice[structure.Maker]     `yaml:"structure,omitempty" doc:"the undivided structure; a specimen of kind linear, random-linear, silva2020, bilinear or bouc-wen is taken out of it, any other stands beside it"`
	Devices      []Devices                          `yaml:"devices,omitempty" doc:"devices of the numerical part between degrees of freedom of the structure: a list of groups, each with between, kind and the keys of its law, and learn"`
	Undivided    bool                               `yaml:"undivided,omitempty" doc:"true, in an open loop: the specimen is no part of the structure, and the target is the response of the structure as it stands, whatever is loaded"`
	Reduce       *Reduce                            `yaml:"reduce,omitempty" doc:"the structure reduced to its interface and some modes, for one too large to be stepped at the rate of the loop; refused with an error above 5 %; default: the structure as it is"`
	InterfaceDOF int                                `yaml:"interface_dof" doc:"degree of freedom the specimen stands at, from 1; default of an fe-foundation: the horizontal one in the middle of its top"`
	Interface    []int                              `yaml:"interface,omitempty" doc:"several actuators: the degrees of freedom that they hold, from 1, as in [1, 2]; in place of interface_dof. Beside target multisine only their number counts"`
	Motion       string                             `yaml:"interface_motion,omitempty" doc:"motion of the target. relative: to the ground (default); absolute: ground motion included, as a shake table needs; free-field: absolute, with the ground motion given at the interface and not acting on the numerical part"`
	Integrator   syntax.Choice[integrate.Maker]     `yaml:"integrator,omitempty" doc:"integrator of the numerical part"`
	TwoRate      *TwoRate                           `yaml:"two_rate,omitempty" doc:"main steps of several samples; default: the integrator steps with the loop"`
	Passivity    *Passivity                         `yaml:"passivity,omitempty" doc:"virtual damper on the numerical part that dissipates the energy which the transfer system makes; default: none"`
	Specimen     syntax.Choice[plant.SpecimenMaker] `yaml:"specimen" doc:"what the actuator loads"`
	Specimens    []Placed                           `yaml:"specimens,omitempty" doc:"several actuators: a list of specimens, in place of the key specimen; without the list every actuator loads the same specimen"`
	Transfer     syntax.Choice[plant.TransferMaker] `yaml:"transfer" doc:"actuator with valve and inner controller"`
	Force        string                             `yaml:"force" doc:"measured: by the load cell; computed: by the model of the specimen under the measured displacement"`
	Coupler      syntax.Choice[plant.CouplerMaker]  `yaml:"coupler,omitempty" doc:"several actuators: how they hold the interface of the numerical part"`
	Modes        []AxisMode                         `yaml:"axes,omitempty" doc:"several actuators: a list with one block for each coordinate of the coupler, or without one for each actuator: whether it follows the numerical part or a force is kept; default: all follow"`
	Perturbed    int                                `yaml:"perturbed,omitempty" doc:"0: nominal plant; n: the n-th random plant, by scatter or else within the published scatter of its parameters"`
	Scatter      Scatter                            `yaml:"scatter,omitempty" doc:"what perturbed draws in place of the published scatter: keys of numbers below specimen, specimens[i], transfer, each[i].transfer or sensors, each with its distribution; compensators are made for the nominal plant"`
	Sensors      plant.Sensors                      `yaml:"sensors" doc:"sensors of displacement (m) and force (N)"`

	Converters  plant.Converters                `yaml:"converters" doc:"analogue-digital and digital-analogue converters"`
	Compensator syntax.Choice[compensate.Maker] `yaml:"compensator" doc:"method that turns the target into the command"`
	Fallback    *Fallback                       `yaml:"fallback,omitempty" doc:"safe method beside an adaptive compensator: the command goes over to it smoothly when the parameters stay at bounds, when the identification leaves a residual, or when readings are old, and stays there"`
	Each        []Actuator                      `yaml:"each,omitempty" doc:"several actuators: a list with one block for each actuator: its compensator, its transfer system, or both, in place of the keys compensator and transfer; without the list every actuator gets the same, or one compensator takes all actuators"`
	Inner       combine.InnerPI                 `yaml:"inner_loop,omitempty" doc:"proportional-integral control of every actuator inside the compensator; left out: none"`

	Criteria   Criteria             `yaml:"criteria" doc:"criteria on request; the benchmarks' J1 to J10 need no key"`
	Indicators Indicators           `yaml:"indicators,omitempty" doc:"indicators on request, computed during the test"`
	Limits     Limits               `yaml:"limits,omitempty" doc:"limits that act: a list of channels with their levels; none: no guard at all; left out: default limits (docs/guides/limits.md)"`
	OnTrip     OnTrip               `yaml:"on_trip" doc:"how the command is held or brought down when a limit acts"`
	Rig        syntax.Choice[*Link] `yaml:"rig,omitempty" doc:"rig of a test in the laboratory, and what the loop does when the rig is silent; rths run --rig loads it; without --rig rths run is virtual, with the clock and the policy on late readings of this block"`

	Faults []Fault `yaml:"faults,omitempty" doc:"faults on request: a list with their times, to rehearse the limits"`
	Expect Expect  `yaml:"expect,omitempty" doc:"what the run has to reach: names of criteria, indicators and parameters that adapt, each with min, max or both; a run that misses one ends with exit status 1"`

	syntax.Origin               // of its keys
	baseDir       string        // folder that relative file names start from
	inputs        []files.Input // the file of the text
	innerLeft     bool          // its inner loop is left out (see leaveInner)
}

// Timing is the order of a tick (docs/guides/run-a-test.md, Timing).
type Timing struct {
	Target string `yaml:"target" doc:"current: the command of t_k aims at the target of t_k; next: at the target of t_k+1"`

	ForceDelay   int     `yaml:"force_delay" doc:"samples by which the force reaches the integrator late"`
	CommandDelay int     `yaml:"command_delay" doc:"samples by which the command leaves late"`
	ForcePredict float64 `yaml:"force_predict,omitempty" doc:"q of the force used, f + q (f - f of the sample before), after force_delay: a straight line through two samples; 0: none; 1.5 takes back one sample of force_delay and the half sample for which an integrator holds the force"`
}

// What becomes of the ground's motion between main steps.
const (
	known     = "known"
	predicted = "predicted"
)

// Motions of the interface.
const (
	relative  = "relative"
	absolute  = "absolute"
	freeField = "free-field"
)

// mostAmplitude keeps a slip of units from a test.
const mostAmplitude = 1e3

// OnShakeTable reports whether the target is an absolute motion.
func (s *Scenario) OnShakeTable() bool { return s.Motion == absolute || s.Motion == freeField }

// New returns a scenario with every default.
func New() *Scenario {
	s := &Scenario{
		Name: "unnamed", RateHz: 4096, Seed: 1, Loop: "closed", Diverged: 1, InterfaceDOF: 1, Force: "measured",
		Timing:  Timing{Target: "current"},
		Sensors: plant.PerfectSensors(), Converters: plant.NoConverters(), OnTrip: gently(),
		Criteria: allCriteria(),
	}
	s.Pace = syntax.NewChoice(paces)
	s.Ground = syntax.NewChoice(ground.Kinds)
	s.Target = syntax.NewChoice(ground.Targets)
	s.Structure = syntax.NewChoice(structure.Kinds)
	s.Integrator = syntax.NewChoice(integrators)
	s.Specimen = syntax.NewChoice(plant.Specimens)
	s.Transfer = syntax.NewChoice(plant.Transfers)
	s.Coupler = syntax.NewChoice(couplers)
	s.Compensator = syntax.NewChoice(compensators)
	s.Rig = syntax.NewChoice(links)
	for _, err := range []error{s.Integrator.Use("rk4"), s.Compensator.Use("none")} {
		if err != nil {
			panic(err) // our own defaults
		}
	}
	return s
}

// clone copies the scenario, down to the parameters of every block. Building works on a
// clone, because makers fill in parameters that the file leaves open.
func (s *Scenario) clone() *Scenario { return syntax.Clone(s) }

// Load reads a scenario file and applies overrides of the form a.b.c=value. An error
// says file, line, column, the text found and what was wanted.
func Load(path string, sets []string) (*Scenario, error) { return LoadFrom(path, "", sets) }

// LoadFrom is Load with relative file names that start from baseDir; "" is the folder of
// the file.
func LoadFrom(path, baseDir string, sets []string) (*Scenario, error) {
	t, err := LoadTemplate(path, baseDir, sets)
	if err != nil {
		return nil, err
	}
	return t.With()
}

// CameFrom notes the files that the text of the scenario was in: they stand first in
// Run.Inputs.
func (s *Scenario) CameFrom(inputs ...files.Input) { s.inputs = inputs }

// Inputs are the files of CameFrom.
func (s *Scenario) Inputs() []files.Input { return s.inputs }

// Folder is the folder that relative file names start from.
func (s *Scenario) Folder() string { return s.baseDir }

// neighbour names the scenarios beside a file that is not there.
func neighbour(path string, err error) string {
	if !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	names, _ := files.Disk{}.Names(filepath.Dir(path)) // without them there is no hint
	names = slices.DeleteFunc(names, func(name string) bool {
		return filepath.Ext(name) != ".yaml" && filepath.Ext(name) != ".yml"
	})
	if near := words.Like(filepath.Base(path), names); near != nil {
		return fmt.Sprintf(": did you mean %s?", words.Either(near, 4))
	}
	return ": want a scenario file"
}

// Shipped reads a scenario of the program with some keys set, as --set does.
func Shipped(file string, sets ...string) (*Scenario, error) {
	text, err := scenarios.Files.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return Parse(file, text, ".", sets)
}

// Parse reads a scenario from text, as Load does from a file. Messages call the text
// name; relative file names in the text start from baseDir.
func Parse(name string, text []byte, baseDir string, sets []string) (*Scenario, error) {
	t, err := NewTemplate(name, text, baseDir, sets)
	if err != nil {
		return nil, err
	}
	return t.With()
}

// ParseResolved is Parse of a text that the program has written, as a manifest holds it. Messages name its keys
// and no lines: the user's file has others.
func ParseResolved(name string, text []byte, baseDir string, sets []string) (*Scenario, error) {
	t, err := NewTemplate(name, text, baseDir, sets)
	if err != nil {
		return nil, err
	}
	t.root.ForgetLines(name)
	return t.With()
}

// check refuses impossible values and missing blocks, which the decoder lets pass.
func (s *Scenario) check() error {
	s.spreadExternal()
	var errs []error
	want := func(key string, ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, s.At(key, fmt.Errorf(format, args...)))
		}
	}
	s.setUp(want)
	want("name", !strings.ContainsFunc(s.Name, unicode.IsControl), "%q: want text without control characters", s.Name)
	s.checkTags(want)
	want("rate_hz", s.RateHz > 0 && s.RateHz <= 1e7, "%g Hz: want more than 0, at most 1e7", s.RateHz)
	want("duration_s", s.Duration >= 0 && s.Duration <= 1e6, "%g s: want 0 (the length of the ground motion) to 1e6",
		s.Duration)
	want("diverged_m", s.Diverged > 0, "%g m: want more than 0", s.Diverged)
	want("loop", s.Loop == "closed" || s.Loop == "open", "%q: want closed or open", s.Loop)
	want("undivided", !s.Undivided || s.Loop == "open",
		"the force of a specimen that is no part of the structure cannot be fed back to it: want loop: open, or leave it out")
	want("timing", s.Timing.Target == "current" || s.Timing.Target == "next", "target %q: want current or next",
		s.Timing.Target)
	for _, n := range []int{s.Timing.ForceDelay, s.Timing.CommandDelay} {
		want("timing", n >= 0 && n <= 1e6, "delay of %d samples: want 0 to a million", n)
	}
	want("timing", s.Timing.ForcePredict >= 0 && s.Timing.ForcePredict <= 10, "force_predict %g: want 0 (none) to 10",
		s.Timing.ForcePredict)
	want("timing", s.Timing.ForcePredict == 0 || s.Loop != "open",
		"force_predict %g with loop: open, which feeds no force back: leave one of them out", s.Timing.ForcePredict)
	want("force", s.Force == "measured" || s.Force == "computed", "%q: want measured or computed", s.Force)
	body, _ := s.Coupler.Params.(*plant.RigidBody)
	want("force", s.Force != "computed" || body == nil || body.Platform == nil,
		"computed beside coupler.platform, whose weight and inertia no model of a specimen has: leave one of them out")
	want("interface_motion", slices.Contains([]string{"", relative, absolute, freeField}, s.Motion),
		"%q: want relative, absolute or free-field", s.Motion)
	want("amplitude", s.Place("amplitude") == "" || s.Amplitude > 0 && s.Amplitude <= mostAmplitude,
		"%g: want more than 0, at most %g, or no key for 1", s.Amplitude, float64(mostAmplitude))
	want("amplitude", s.Amplitude == 0 || len(s.Initial) == 0,
		"has no effect with initial_displacement, which it does not scale: leave one of them out")
	want("perturbed", s.Perturbed >= 0, "%d: want 0 (nominal) or more", s.Perturbed)
	want("on_trip", !s.Limits.None() || s.Place("on_trip") == "",
		"has no effect with limits: none: leave one of them out")
	want("specimen", s.Specimen.Given() || len(s.Specimens) > 0, "missing: want a block with kind, one of %s",
		s.Specimen.Names())
	want("transfer", s.Transfer.Given() || s.eachMoves(), "missing: want a block with kind, one of %s", s.Transfer.Names())
	s.checkEach(want)
	s.checkFallback(want)
	s.checkSeveral(want)
	s.checkAxes(want)
	s.checkPassivity(want)
	s.checkReduce(want)
	s.checkDevices(want)
	s.checkScatter(want)
	s.checkRig(want)
	s.checkPace(want)
	s.checkExternal(want)
	if s.Target.Given() {
		want("coupler", !s.Coupler.Given() || len(s.Interface) > 0,
			"a prescribed target without interface has one actuator: leave the coupler out, or want interface and target kind "+
				"multisine")
		want("target.amplitude_rad", s.Place("target.amplitude_rad") == "" ||
			slices.ContainsFunc(s.targets(), func(t source) bool { return t.axis.Rotation }),
			"has no effect without a coordinate that the coupler rigid-body names as a rotation: leave it out")
		want("target", s.Loop == "open", "a prescribed target needs loop: open")
		for _, key := range []string{"integrator", "undivided", "interface_dof", "interface_motion"} {
			want(key, s.Place(key) == "", "has no effect with a prescribed target: leave it out")
		}
		want("two_rate", s.TwoRate == nil, "has no effect with a prescribed target: leave it out")
		want("target", !s.Structure.Given() && !s.acted(),
			"a prescribed target stands in place of structure and actions on it: want one or the other")
	} else if s.External() == nil {
		want("structure", s.Structure.Given(), "missing: want a block with kind, one of %s", s.Structure.Names())
		want("ground", s.acted(), "missing: want record, file or kind, one of %s; or forces or initial_displacement",
			s.Ground.Names())
		want("more_ground", s.Ground.Given() || len(s.MoreGround) == 0, "no first component: want it under ground")
		want("duration_s", s.excited() || s.Duration > 0 || !s.acted(), "missing: want the length of the free vibration, s")
	}
	if t := s.TwoRate; t != nil {
		t.check(s, want)
	}
	return errors.Join(errs...)
}
