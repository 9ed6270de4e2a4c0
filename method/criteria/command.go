package criteria

import (
	"math"

	"rths"
)

// Command is what one actuator is asked to do: its largest command and rate of the command, as
// the guard's channels of the same names, the largest force of its load cell, and the
// roughness of the command, the root mean square of its second difference
//
//	u_k − 2 u_k−1 + u_k−2
//
// A smooth command of amplitude a (m) and circular frequency ω has the roughness
// a (ωh)²/√2; what is above comes from noise or from a compensator that chatters. The
// roughness depends on the rate: compare methods at one rate only.
type Command struct {
	rateHz float64
	axis   int
	force  bool // the actuator has a load cell
	number int  // of the actuator, from 1; 0: the only one
	s      commandState
}

// commandState is all numbers.
type commandState struct {
	n            float64 // ticks
	last, before float64 // m
	squares      float64 // of the second differences, m²
	peak, rate   float64 // m, m/s
	load         float64 // N
}

// NewCommand judges the given axis (from 0) of a loop with axes of them. force says whether
// readings have a force of that axis.
func NewCommand(rateHz float64, axis, axes int, force bool) *Command {
	return &Command{rateHz: rateHz, axis: axis, number: rths.Component(axis, axes), force: force}
}

// CommandKeys are the keys of Command.
type CommandKeys struct {
	On bool `yaml:"command" doc:"largest command, rate of the command and force of every actuator, and roughness of the command"`
}

// Make makes Command of every actuator.
func (k *CommandKeys) Make(at At) ([]Criterion, error) {
	if !k.On {
		return nil, nil
	}
	return each(at, func(i int) Criterion { return NewCommand(at.RateHz, i, at.Actuators, i < at.LoadCells) }), nil
}

// Observe adds a tick; the tick that failed is left out.
func (c *Command) Observe(f *rths.Frame) {
	if f.Err != nil {
		return
	}
	s, u := &c.s, f.Command[c.axis]
	s.peak = max(s.peak, math.Abs(u))
	if s.n >= 1 {
		s.rate = max(s.rate, math.Abs(u-s.last)*c.rateHz)
	}
	if s.n >= 2 {
		d := u - 2*s.last + s.before
		s.squares += d * d
	}
	if c.force {
		s.load = max(s.load, math.Abs(f.Read.F[c.axis]))
	}
	s.n++
	s.before, s.last = s.last, u
}

// Summary has the peaks and the roughness, µm.
func (c *Command) Summary() []rths.Value {
	of := func(quantity string) rths.Meaning { return rths.Meaning{Quantity: quantity, Axis: c.number} }
	out := []rths.Value{
		{Meaning: of("command"), Unit: "m", V: c.s.peak, Doc: "largest command, m"},
		{Meaning: of("command_rate"), Unit: "m/s", V: c.s.rate,
			Doc: "largest change of the command in a sample, times the rate, m/s"},
		{Meaning: of("roughness"), Unit: "µm", V: 1e6 * math.Sqrt(c.s.squares/max(c.s.n-2, 1)),
			Doc: "rms second difference of the command, µm"},
	}
	if c.force {
		out = append(out, rths.Value{Meaning: of("force"), Unit: "N", V: c.s.load, Doc: "largest force of the load cell, N"})
	}
	return ofFamily("command", out)
}

// VisitState visits all numbers.
func (c *Command) VisitState(v *rths.StateVisitor) {
	s := &c.s
	v.Float(&s.n, &s.last, &s.before, &s.squares, &s.peak, &s.rate, &s.load)
}
