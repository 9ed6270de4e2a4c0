package analyse

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"rths"
	"rths/model/ground"
	"rths/model/plant"
	"rths/result/tables"
	"rths/scenario"
)

// Explain says why a test differs from its rehearsal: it splits the tracking error of one servo-hydraulic actuator into
// causes. Delay, flow, oil, slew, overlap, friction and play of the rehearsal's actuator are fitted to the measured
// displacement. Then models that take up one cause more each follow the recorded commands, and a cause is what it changes.
//
// A row holds what is wanted and measured at an instant, and the command that leaves at it, all in m.
type Explain struct {
	Target, Command, Measured []float64
	Late                      []float64 // 0, or not: the loop has called the tick late; nil: not known
	RateHz                    float64
	Used                      []tables.Used
	Rehearsed                 plant.Hydraulic
	WireS                     float64 // see wire: of the rehearsal
	Specimen                  plant.SpecimenMaker
	Again                     *Again  // nil: the test has no scenario that can be run again
	Rehearsal                 float64 // rms error of the rehearsal over rms of its target; 0: not known
}

// Cause is a part of the tracking error.
type Cause int

// Causes, in the order in which the models take them up.
const (
	constantDelay Cause = iota
	resonance
	amplitudeDelay
	saturation
	friction
	backlash
	lateTicks
	noise
	notInTheModel
	causes
)

var causeWords = [causes]string{"constant delay", "gain or resonance", "amplitude-dependent delay", "saturation", "friction",
	"backlash", "late ticks", "noise", "not in the model"}

// String is the cause in words.
func (c Cause) String() string { return causeWords[c] }

// MarshalText is the cause in words.
func (c Cause) MarshalText() ([]byte, error) { return []byte(causeWords[c]), nil }

// Explanation is what Explain finds.
type Explanation struct {
	ErrorM      float64           // rms of measured less target
	TargetM     float64           // rms about its mean
	Parts       [causes][]float64 // m: they add up to the error at every sample
	Shares      [causes]float64   // rms of a part over that of the error
	First       Cause             // that makes most of the error
	Why         string            // it cannot be told; "": it can
	LagS        float64           // of the rehearsal's linear actuator after the target, with the fitted delay, s
	Model, From Actuator          // fitted, and the rehearsal's
	Simulated   []float64         // displacement of the fitted actuator, m
	LeftM       float64           // rms of what it leaves
	Opening     float64           // largest of its valve, full strokes
	Virtual     *VirtualErrors    // nil: the test was not run again
	Read, Notes []string
}

// Actuator is a hydraulic actuator after a pure delay.
type Actuator struct {
	plant.Hydraulic
	DelayS float64
}

// Rules of a verdict.
const (
	leastShare   = 0.35 // of the first cause
	nextShare    = 0.7  // of the second one, in shares of the first
	nextSharp    = 0.8  // the same where what is not in the model is less than littleLeft
	unopposed    = 1.2  // of the error: more, and another part works against it
	opposing     = 0.6  // part of the error that may be what the first one answers to
	alikeWithin  = 1.1  // rms of what models leave with and without a cause
	farFrom      = 3    // the same after some rounds: a fit does not go on
	modelLeaves  = 0.3  // of the error: more, and causes in the model are not named
	strangeLeft  = 0.3  // of the motion: more, and the commands may be those of another test
	mostlyLate   = 0.5  // of the ticks: late as a rule is a delay
	wrongScale   = 30.0 // of motion and command, or the inverse
	mostExplain  = 300_000
	leastExplain = 2.0 // s
)

var explainRoles = []tables.Role{tables.TimeRole, tables.TargetRole, tables.CommandRole, tables.MeasuredRole}

// lateRole is the column in which a loop marks late ticks.
var lateRole = tables.Role{Name: "late", Usual: []string{"late", "late_ticks", "late_tick", "overrun"},
	Quantity: ground.Quantity{Name: "count", SI: "-", Units: map[string]float64{"-": 1}}}

// NewExplain takes the columns of a test as NewIdentify does, and the actuator from the scenario of its rehearsal.
func NewExplain(t *tables.Table, rehearsal *scenario.Scenario, columns, unit string, rateHz float64) (*Explain, error) {
	if n := rehearsal.Axes(); n > 1 {
		return nil, rehearsal.At("interface", fmt.Errorf("%d actuators: want a test with one", n))
	}
	rehearsed, ok := rehearsal.Transfer.Params.(*plant.Hydraulic)
	if !ok {
		return nil, rehearsal.At("transfer.kind", fmt.Errorf("%s has no valve, oil and seals: want a rehearsal with kind "+
			"servo-hydraulic-nonlinear or one of its sizes", rehearsal.Transfer.Kind))
	}
	values, used, rate, err := takeTest(t, explainRoles, columns, unit, rateHz, lateRole)
	if err != nil {
		return nil, err
	}
	e := &Explain{Target: values[0], Command: values[1], Measured: values[2], RateHz: rate, Used: used,
		Rehearsed: *rehearsed, WireS: wire(rehearsal), Specimen: rehearsal.Specimen.Params}
	if len(values) > 3 {
		e.Late = ticksLate(values[3])
	}
	return e, nil
}

// ticksLate are those of a column that marks late ticks, or counts them from the start.
func ticksLate(v []float64) []float64 {
	if len(v) == 0 || !(slices.Max(v) > 1) || !slices.IsSorted(v) {
		return v
	}
	out := slices.Clone(v)
	for k := 1; k < len(v); k++ {
		out[k] -= v[k-1]
	}
	return out
}

// Until leaves out the rows from a time on, s after the first.
func (e *Explain) Until(s float64) {
	n := min(max(0, int(s*e.RateHz)), len(e.Target))
	e.Target, e.Command, e.Measured = e.Target[:n], e.Command[:n], e.Measured[:n]
	if e.Late != nil {
		e.Late = e.Late[:n]
	}
}

// wire is the delay, s, from a recorded command to the actuator that a scenario states: the sample of a rig that ticks by
// itself. Recorded commands have timing.command_delay in them.
func wire(s *scenario.Scenario) float64 {
	return float64(s.CommandDelay()-s.Timing.CommandDelay) / s.RateHz
}

// sameMotion is the least correlation of the targets of a test and its rehearsal.
const sameMotion = 0.9

// Compare takes the motion of the rehearsal, and refuses that of another test.
func (e *Explain) Compare(rehearsal *tables.Table) error {
	values, _, rate, err := takeTest(rehearsal, []tables.Role{tables.TimeRole, tables.TargetRole, tables.MeasuredRole}, "", "", 0)
	if err != nil {
		return err
	}
	target, n := values[0], min(len(values[0]), len(e.Target))
	zero := make([]float64, n)
	a, b, dot := centred(target[:n], zero), centred(e.Target[:n], zero), 0.0
	for k := range n {
		dot += a[k] * b[k] / float64(n)
	}
	if alike := dot / (rms(a) * rms(b)); rate == e.RateHz && !(alike >= sameMotion) {
		return fmt.Errorf("its target has a correlation of %.2f with that of the test: want the rehearsal of this test, "+
			"or the scenario of the rehearsal", alike)
	}
	e.Rehearsal = nrmse(values[1], target)
	return nil
}

func (e *Explain) check() error {
	n := len(e.Command)
	switch {
	case !(e.RateHz > 0) || math.IsInf(e.RateHz, 0):
		return fmt.Errorf("rate %g Hz: want more than 0", e.RateHz)
	case float64(n) < leastExplain*e.RateHz:
		return fmt.Errorf("%.3g s: too short to tell causes: want at least %g s", float64(n)/e.RateHz, leastExplain)
	case n < leastSamples:
		return fmt.Errorf("%d samples: too few to tell causes: want at least %d", n, leastSamples)
	case n > mostExplain:
		return fmt.Errorf("%d samples: want at most %d: the strong part alone", n, mostExplain)
	}
	for _, c := range []struct {
		name string
		v    []float64
	}{{"target", e.Target}, {"command", e.Command}, {"measurement", e.Measured}} {
		if i := slices.IndexFunc(c.v, func(x float64) bool { return !rths.Finite(x) }); i >= 0 {
			return fmt.Errorf("%s of row %d is %g: want a finite number", c.name, i+1, c.v[i])
		}
		if slices.Max(c.v) == slices.Min(c.v) {
			return fmt.Errorf("the %s is %g throughout: want a test that moves", c.name, c.v[0]+0) // −0 is 0
		}
	}
	zero := make([]float64, n)
	target, command := rms(centred(e.Target, zero)), rms(centred(e.Command, zero))
	for _, c := range []struct {
		name string
		v    []float64
		of   float64
		than string
	}{{"command", e.Command, target, "target"}, {"measurement", e.Measured, command, "command"}} {
		if size := rms(centred(c.v, zero)) / c.of; !(size < wrongScale && size > 1/wrongScale) {
			return fmt.Errorf("the %s is %.3g times the %s: want its unit, as in --columns measured=NAME[mm],command=NAME[mm]",
				c.name, size, c.than)
		}
	}
	at, from := e.start(e.Command), e.start(e.Measured)
	if at != 0 && from != 0 {
		return fmt.Errorf("command and measurement begin at %.3g mm and %.3g mm: want a test from rest at 0: take the offset "+
			"out of target, command and measurement, or begin earlier", 1e3*at, 1e3*from)
	}
	dot := 0.0
	for i, v := range centred(e.Command, zero) {
		dot += v * e.Measured[i]
	}
	if dot < 0 {
		return errors.New("the measurement has the other sign than the command: want it positive along the command, or the " +
			"part of a lost test before it was lost")
	}
	return nil
}

// start is the first value, or 0 where it is small or noise.
func (e *Explain) start(v []float64) float64 {
	if math.Abs(v[0]) > max(restsWithin*(slices.Max(v)-slices.Min(v)), 5*quiet(v, max(10, int(quietS*e.RateHz)))) {
		return v[0]
	}
	return 0
}

// Run finds the causes.
func (e *Explain) Run() (*Explanation, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	failure := make([]float64, len(e.Target))
	for k := range failure {
		failure[k] = e.Measured[k] - e.Target[k]
	}
	if rms(failure) == 0 {
		return nil, errors.New("the measurement is the target: there is no error to explain")
	}
	f, err := e.fit()
	if err != nil {
		return nil, err
	}
	out := &Explanation{From: e.rehearsed(), Model: f.at, Simulated: f.run.x, LeftM: rms(f.run.r),
		Opening: f.run.opening, Notes: tables.TimeDoubts(e.Used, e.RateHz, len(e.Target))}
	out.ErrorM, out.TargetM = rms(failure), rms(centred(e.Target, make([]float64, len(e.Target))))
	if err := f.split(out); err != nil {
		return nil, err
	}
	for i, part := range out.Parts {
		out.Shares[i] = rms(part) / out.ErrorM
	}
	if e.Again != nil {
		if err := f.again(out); err != nil {
			return nil, err
		}
	}
	return out, f.verdict(out)
}
