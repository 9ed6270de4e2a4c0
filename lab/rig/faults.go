package rig

import (
	"cmp"
	"fmt"
	"slices"

	"rths"
)

// Faults puts faults on request around a rig, so that an operator sees before a test how
// the limits react. Faults change readings after the rig's Read and commands before the
// rig's Write; true values stay true. Faults on one quantity act in the order of the list,
// each on the result of the one before.
//
// Wrap the sensors directly: inside Computed and Recovered, so that a faulty displacement
// reaches the computed force, and inside Guard, so that Guard sees the fault. Every tick
// of the loop must make one Read and one Write.
type Faults struct {
	rig      rths.Rig
	c        FaultConfig
	list     []*Fault
	readings []*Fault // faults of readings
	commands []*Fault // faults of commands
	k        int      // tick of the run; below 0 while the rig is brought to its start
	arrived  []float64
	ideal    bool
}

// FaultConfig tells Faults and their makers about the run.
type FaultConfig struct {
	RateHz         float64
	Samples        int // ticks of the run
	Lead           int // ticks before the run, in which no fault acts
	Axes           int
	LoadCells      int // measured forces; 0 where the force is computed from the displacement
	Accelerometers int
	Instruments    int
	Seed           uint64
}

// NewFaults puts faults, made for the same configuration, around a rig.
func NewFaults(r rths.Rig, c FaultConfig, list []*Fault) *Faults {
	f := &Faults{rig: r, c: c, list: list, k: -c.Lead, arrived: make([]float64, c.Axes)}
	for _, one := range list {
		if one.reading != nil {
			f.readings = append(f.readings, one)
		}
		if one.command != nil {
			f.commands = append(f.commands, one)
		}
	}
	return f
}

// Read reads the rig, then the faults change the reading.
func (f *Faults) Read(out *rths.Reading) error {
	out.Age = 0 // a rig whose readings are always fresh does not set it
	if err := f.rig.Read(out); err != nil || f.ideal {
		return err
	}
	for _, one := range f.readings {
		one.reading.read(out, f.k-one.From, one.on(f.k))
	}
	return nil
}

// Write changes the command, then sends it to the rig.
func (f *Faults) Write(command []float64) error {
	if f.ideal {
		return f.rig.Write(command)
	}
	copy(f.arrived, command)
	for _, one := range f.commands {
		one.command.write(f.arrived, f.k-one.From, one.on(f.k))
	}
	f.k++
	return f.rig.Write(f.arrived)
}

// Unwrap is the rig inside.
func (f *Faults) Unwrap() any { return f.rig }

// Idealise switches the faults off with everything else that is not linear.
func (f *Faults) Idealise(on bool) {
	f.ideal = on
	if i, ok := rths.As[rths.Idealiser](f.rig); ok {
		i.Idealise(on)
	}
}

// Channels are the commands that arrived, where a fault acts on commands.
func (f *Faults) Channels() []rths.Channel {
	var out []rths.Channel
	for i := range f.arrived {
		if len(f.commands) > 0 {
			out = append(out, rths.Channel{Name: numbered("arrived", "m", i, f.c.Axes), Unit: "m", V: &f.arrived[i]})
		}
	}
	return out
}

// VisitState visits the tick, what each fault remembers, then the rig's state.
func (f *Faults) VisitState(v *rths.StateVisitor) {
	v.Int(&f.k)
	for _, one := range f.list {
		v.StateOf(one.part())
	}
	v.StateOf(f.rig)
}

// FaultEvent is the first tick of a fault, or the first one after it.
type FaultEvent struct {
	T       float64 // s
	Channel string
	Kind    string
	Over    bool
}

// Events are the beginnings and ends of faults within the ticks of the run so far,
// in order of time.
func (f *Faults) Events(ticks int) []FaultEvent {
	var out []FaultEvent
	add := func(one *Fault, k int, over bool) {
		if k < ticks {
			out = append(out, FaultEvent{T: float64(k) / f.c.RateHz, Channel: one.Channel, Kind: one.Kind, Over: over})
		}
	}
	for _, one := range f.list {
		add(one, one.From, false)
		add(one, one.To, true)
	}
	slices.SortStableFunc(out, func(a, b FaultEvent) int { return cmp.Compare(a.T, b.T) })
	return out
}

// numbered is how records name a quantity: with a number where there are several.
func numbered(quantity, unit string, i, n int) string {
	if n == 1 {
		return quantity + "_" + unit
	}
	return fmt.Sprintf("%s_%d_%s", quantity, i+1, unit)
}

var (
	_ rths.Rig       = (*Faults)(nil)
	_ rths.Stateful  = (*Faults)(nil)
	_ rths.Idealiser = (*Faults)(nil)
	_ rths.Channeler = (*Faults)(nil)
)
