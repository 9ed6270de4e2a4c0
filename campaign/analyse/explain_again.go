package analyse

import (
	"context"
	"fmt"
	"math"

	"rths"
	"rths/model/plant"
	"rths/scenario"
)

// Again is the test as a virtual one.
type Again struct {
	Context  context.Context
	Scenario *scenario.Scenario
	Options  scenario.Options
}

// VirtualErrors are the tracking errors of virtual tests with the fitted actuator, rms over the rms of the target. A
// compensator that adapts answers to what the actuator does, and its commands are right for no other actuator: only a
// loop without a cause shows what it would have done.
type VirtualErrors struct {
	Error   float64
	Without map[Cause]float64
	Plain   float64 // with the rehearsal's numbers, without friction and bounds
	Tells   bool    // its error is that of the test
	Why     string  // it does not tell
	Failed  []Cause // without which the test does not complete
}

// reproduces is how far, as a factor, the virtual error may be from that of the test.
const reproduces = 1.5

// again runs the virtual test with the fitted actuator, and without each cause.
func (f *explainFit) again(out *Explanation) error {
	v := &VirtualErrors{Without: map[Cause]float64{}}
	out.Virtual = v
	var err error
	measured := nrmse(f.Measured, f.Target)
	switch v.Error, err = f.virtual(&f.at); {
	case f.Again.Context.Err() != nil:
		return context.Cause(f.Again.Context)
	case err != nil:
		v.Why = fmt.Sprintf("the virtual test with the fitted actuator does not complete: %v", err)
		return nil
	case !(v.Error < reproduces*measured && v.Error > measured/reproduces):
		v.Why = fmt.Sprintf("the virtual test with the fitted actuator has %.3g %% of error, the test %.3g %%", 100*v.Error,
			100*measured)
		return nil
	}
	rehearsed := f.rehearsed()
	for c := constantDelay; c <= backlash; c++ {
		a := f.at
		switch c {
		case constantDelay:
			a.DelayS = rehearsed.DelayS
		case resonance:
			a.RatedFlow, a.BulkModulus = rehearsed.RatedFlow, rehearsed.BulkModulus
		case amplitudeDelay:
			a.Overlap = 0
		case saturation:
			a.Hydraulic = *a.Unbounded()
		case friction:
			a.CoulombForce, a.StaticForce = 0, 0
		case backlash:
			a.ClevisPlay = 0
		}
		if a == f.at {
			continue
		}
		if v.Without[c], err = f.virtual(&a); err != nil {
			delete(v.Without, c)
			v.Failed = append(v.Failed, c)
		}
	}
	plain := *rehearsed.Unbounded()
	plain.Overlap, plain.CoulombForce, plain.StaticForce, plain.ClevisPlay = 0, 0, 0, 0
	if v.Plain, err = f.virtual(&Actuator{plain, rehearsed.DelayS}); err != nil {
		return fmt.Errorf("the virtual test with the rehearsal's linear actuator: %w", err)
	}
	v.Tells = true
	if f.Again.Context.Err() != nil {
		return context.Cause(f.Again.Context)
	}
	return nil
}

// share is what the error loses without a cause: of the square of it, as a root. The error of an actuator that is as
// rehearsed, less the noise that it has too, is delay, or gain and resonance, whichever is the larger part of the recorded
// one.
func (v *VirtualErrors) share(c Cause, recorded [causes]float64) float64 {
	if c > backlash {
		return recorded[c]
	}
	share := 0.0
	if without, ok := v.Without[c]; ok {
		share = math.Sqrt(max(0, 1-without*without/(v.Error*v.Error)))
	}
	if c == constantDelay && recorded[c] >= recorded[resonance] || c == resonance && recorded[c] > recorded[constantDelay] {
		plain := v.Plain / v.Error
		share = max(share, min(1, math.Sqrt(max(0, plain*plain-recorded[noise]*recorded[noise]))))
	}
	return share
}

// virtual is the tracking error of the virtual test with an actuator.
func (f *explainFit) virtual(a *Actuator) (float64, error) {
	o := f.Again.Options
	o.Transfer = &delayedActuator{*a, wire(f.Again.Scenario)}
	run, err := f.Again.Scenario.Build(f.Again.Context, o)
	if err != nil {
		return 0, err
	}
	var target, measured []float64
	err = run.Loop.Run(1, func() bool {
		if frame := run.Loop.Frame(); run.Loop.Ticks() > 0 {
			target, measured = append(target, frame.Desired[0]), append(measured, frame.Read.X[0])
		}
		return f.Again.Context.Err() == nil
	})
	if status, reason := run.Status(err); status != rths.Completed {
		return 0, fmt.Errorf("%s: %s", status, reason)
	}
	return nrmse(measured, target), nil
}

// delayedActuator makes the plant of an actuator whose delay the scenario has in part.
type delayedActuator struct {
	Actuator
	less float64 // s
}

func (a *delayedActuator) Make(at plant.At) (plant.Plant, error) {
	p, err := a.Hydraulic.Make(at)
	samples := max(0, a.DelayS-a.less) * at.RateHz
	if err != nil || samples == 0 {
		return p, err
	}
	return &delayedPlant{Plant: p, past: make([]float64, int(samples)+2), part: samples - math.Floor(samples)}, nil
}

// delayedPlant is a plant that commands reach late, straight between samples.
type delayedPlant struct {
	plant.Plant
	past []float64 // commands, the newest first
	part float64   // of a sample
	now  [1]float64
}

func (p *delayedPlant) Step(now *rths.Reading, command []float64) {
	copy(p.past[1:], p.past)
	p.past[0] = command[0]
	n := len(p.past)
	p.now[0] = p.past[n-2] + p.part*(p.past[n-1]-p.past[n-2])
	p.Plant.Step(now, p.now[:])
}

// Unwrap is the plant.
func (p *delayedPlant) Unwrap() any { return p.Plant }

func (p *delayedPlant) VisitState(v *rths.StateVisitor) {
	v.Floats(p.past)
	v.StateOf(p.Plant)
}
