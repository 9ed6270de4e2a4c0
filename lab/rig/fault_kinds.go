package rig

import (
	"fmt"
	"math"
	"slices"

	"rths"
)

// FaultMaker is the maker interface of the table FaultKinds.
type FaultMaker interface {
	// Make makes the fault. stream names its random numbers.
	Make(c FaultConfig, stream string) (*Fault, error)
}

// FaultKinds is the table of faults.
var FaultKinds = []rths.Kind[FaultMaker]{
	{
		Name: "stuck", Doc: "the reading stays at the value of the fault's first sample",
		Ref:      "definition: reading[k] = reading[from]",
		Defaults: func() FaultMaker { return &StuckFault{} },
	},
	{
		Name: "spike", Doc: "a value is added to the reading: for one sample a spike, for longer an offset",
		Ref:      "definition: reading + size",
		Defaults: func() FaultMaker { return &SpikeFault{} },
	},
	{
		Name: "drift", Doc: "the reading moves away steadily, from nothing at the fault's first sample",
		Ref:      "definition: reading + rate · (t − from)",
		Defaults: func() FaultMaker { return &DriftFault{} },
	},
	{
		Name: "reversed", Doc: "the reading has the wrong sign",
		Ref:      "definition: −reading",
		Defaults: func() FaultMaker { return &ReversedFault{} },
	},
	{
		Name: "lost-readings", Doc: "readings do not arrive: the last message is repeated, its age counts the samples",
		Ref:      "definition: reading[k] = reading[last that arrived]",
		Defaults: func() FaultMaker { return &LostReadings{Share: 1} },
	},
	{
		Name: "lost-commands", Doc: "commands do not arrive: the rig keeps the last one",
		Ref:      "definition: command[k] = command[last that arrived]",
		Defaults: func() FaultMaker { return &LostCommands{Share: 1} },
	},
	{
		Name:     "late-commands",
		Doc:      "a step of delay: commands arrive later; the rig keeps its command until the first late one is there",
		Ref:      "definition: command[k] = command[max(k − n, from − 1)]",
		Defaults: func() FaultMaker { return &LateCommands{} },
	},
	{
		Name: "slipped-pin",
		Doc: "the pin of an actuator slips along it: the sensor of the actuator reads more than the body has moved, and its " +
			"controller brings the body back by as much",
		Ref:      "definition: reading + slip, command − slip",
		Defaults: func() FaultMaker { return &SlippedPin{Actuator: 1} },
	},
}

// Fault is one fault, made for a run.
type Fault struct {
	Kind     string // its word in FaultKinds
	Channel  string // as records name it; "readings" and "commands" are all of them
	From, To int    // ticks it is at work in: From ≤ k < To

	places  []int         // on Channel: axes, and after them load cells
	reading faultyReading // one of these two, or both without a state
	command faultyCommand
}

// faultyReading changes a reading. since counts ticks from the fault's first one and is
// below 0 before it; on says whether the fault is at work. Every tick calls it once.
type faultyReading interface {
	read(r *rths.Reading, since int, on bool)
}

// faultyCommand changes the commands of all axes, in the same way.
type faultyCommand interface {
	write(command []float64, since int, on bool)
}

const (
	allReadings = "readings"
	allCommands = "commands"
)

func (f *Fault) on(k int) bool { return k >= f.From && k < f.To }

func (f *Fault) part() any {
	if f.reading != nil {
		return f.reading
	}
	return f.command
}

// Clash refuses two faults of one kind on one channel: two reversed signs cancel, and a
// reading cannot be stuck twice.
func (f *Fault) Clash(others []*Fault) error {
	for i, o := range others {
		shared := slices.ContainsFunc(f.places, func(p int) bool { return slices.Contains(o.places, p) })
		if o.Kind == f.Kind && shared && f.From < o.To && o.From < f.To {
			return fmt.Errorf("%s: meets entry %d of the same kind on %s: want one after the other", f.Kind, i+1, o.Channel)
		}
	}
	return nil
}

// Span is when a fault is at work.
type Span struct {
	FromS     float64 `yaml:"from_s" doc:"time it begins, s from the run's start, to the nearest sample"`
	DurationS float64 `yaml:"duration_s" doc:"how long it lasts, s, to the nearest sample and at least one; then all is right again. 0: to the end of the run, of a spike one sample"`
}

// ticks are the first tick of the span and the first after it.
func (s *Span) ticks(c FaultConfig) (from, to int, err error) {
	at, length := math.Round(s.FromS*c.RateHz), max(1, math.Round(s.DurationS*c.RateHz))
	switch {
	case !(at >= 0) || at >= float64(c.Samples):
		return 0, 0, fmt.Errorf("from_s %g: want 0 or more and less than the %.6g s of the run", s.FromS,
			float64(c.Samples)/c.RateHz)
	case !(s.DurationS >= 0):
		return 0, 0, fmt.Errorf("duration_s %g: want more than 0, or 0 for the rest of the run", s.DurationS)
	case s.DurationS == 0:
		return int(at), c.Samples, nil
	}
	return int(at), int(min(at+length, float64(c.Samples))), nil
}
