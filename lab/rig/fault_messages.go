package rig

import (
	"fmt"
	"math"
	"strings"

	"rths"
	"rths/maths/signal"
)

// LostReadings loses messages that hold all readings of a sample.
type LostReadings struct {
	Span  `yaml:",inline"`
	Share float64 `yaml:"share" doc:"share of the messages that is lost, at random from the scenario's seed: above 0, at most 1, which is all"`
}

// Make makes it.
func (p *LostReadings) Make(c FaultConfig, stream string) (*Fault, error) {
	lost, err := newLoss(p.Share, c, stream)
	if err != nil {
		return nil, err
	}
	f := &Fault{Kind: "lost-readings", Channel: allReadings, places: []int{0}}
	f.reading = &lostReadings{lost: lost, last: rths.Sensors{X: c.Axes, F: c.LoadCells, A: c.Accelerometers,
		L: c.Instruments}.Reading()}
	f.From, f.To, err = p.ticks(c)
	return f, err
}

// lostReadings remembers the last message that arrived, and its age.
type lostReadings struct {
	lost *signal.Chance
	last rths.Reading
}

func (l *lostReadings) read(r *rths.Reading, _ int, on bool) {
	// Of the forces only the measured ones are copied: last has no room for computed ones.
	if late := r.Late; on && l.lost.Next() {
		l.last.Age++
		r.Take(&l.last)
		r.Late = late
		return
	}
	l.last.Take(r)
}

// VisitState visits the last message, its age and the random numbers.
func (l *lostReadings) VisitState(v *rths.StateVisitor) {
	v.Floats(l.last.X, l.last.F, l.last.A, l.last.L)
	v.Int(&l.last.Age)
	v.State(l.lost)
}

// LostCommands loses messages that hold the command of one or all actuators.
type LostCommands struct {
	Channel string `yaml:"channel,omitempty" doc:"command_m; with several actuators command_1_m, command_2_m, …; left out: all"`
	Span    `yaml:",inline"`
	Share   float64 `yaml:"share" doc:"share of the messages that is lost, at random from the scenario's seed: above 0, at most 1, which is all"`
}

// Make makes it.
func (p *LostCommands) Make(c FaultConfig, stream string) (*Fault, error) {
	lost, err := newLoss(p.Share, c, stream)
	if err != nil {
		return nil, err
	}
	f, err := c.commandFault("lost-commands", p.Channel, p.Span)
	if err == nil {
		f.command = &lostCommands{lost: lost, axes: f.places, kept: make([]float64, c.Axes)}
	}
	return f, err
}

// lostCommands remembers the last commands that arrived.
type lostCommands struct {
	lost *signal.Chance
	axes []int
	kept []float64
}

func (l *lostCommands) write(command []float64, _ int, on bool) {
	if on && l.lost.Next() {
		for _, i := range l.axes {
			command[i] = l.kept[i]
		}
		return
	}
	copy(l.kept, command)
}

// VisitState visits the last commands and the random numbers.
func (l *lostCommands) VisitState(v *rths.StateVisitor) {
	v.Floats(l.kept)
	v.State(l.lost)
}

// LateCommands delays the commands of one or all actuators from an instant on.
type LateCommands struct {
	Channel string `yaml:"channel,omitempty" doc:"command_m; with several actuators command_1_m, command_2_m, …; left out: all"`
	Span    `yaml:",inline"`
	DelayMs float64 `yaml:"delay_ms" doc:"how much later commands arrive, ms, to the nearest sample and at least one"`
}

// longestDelayMs bounds the commands that are remembered.
const longestDelayMs = 10e3

// Make makes it.
func (p *LateCommands) Make(c FaultConfig, _ string) (*Fault, error) {
	samples := math.Round(p.DelayMs / 1000 * c.RateHz)
	if !(samples >= 1) || p.DelayMs > longestDelayMs {
		return nil, fmt.Errorf("delay_ms %g: want at least one sample, %.4g ms, and at most %g", p.DelayMs, 1000/c.RateHz,
			float64(longestDelayMs))
	}
	f, err := c.commandFault("late-commands", p.Channel, p.Span)
	if err != nil {
		return nil, err
	}
	late := &lateCommands{axes: f.places, n: int(samples)}
	for range f.places {
		late.past = append(late.past, signal.NewLine(late.n+1))
	}
	f.command = late
	return f, nil
}

// lateCommands remembers the last n commands of its axes.
type lateCommands struct {
	axes []int
	n    int
	past []*signal.Line
}

// write: the command sent at from − 1 has arrived before the fault began. Those sent
// since are n samples late, so that the first of them arrives n samples after it.
func (l *lateCommands) write(command []float64, since int, on bool) {
	for j, i := range l.axes {
		l.past[j].Push(command[i])
		if on {
			command[i] = l.past[j].At(min(l.n, since+1))
		}
	}
}

// VisitState visits the commands remembered.
func (l *lateCommands) VisitState(v *rths.StateVisitor) {
	for _, line := range l.past {
		v.State(line)
	}
}

func newLoss(share float64, c FaultConfig, stream string) (*signal.Chance, error) {
	if !(share > 0 && share <= 1) {
		return nil, fmt.Errorf("share %g: want above 0, at most 1", share)
	}
	return signal.NewChance(c.Seed, stream, share), nil
}

// commandFault finds the axes and the time of a fault of commands.
func (c FaultConfig) commandFault(kind, channel string, span Span) (*Fault, error) {
	f := &Fault{Kind: kind, Channel: channel}
	var names []string
	for i := range c.Axes {
		name := numbered("command", "m", i, c.Axes)
		if channel == "" || channel == name {
			f.places = append(f.places, i)
		}
		names = append(names, name)
	}
	switch {
	case f.places == nil:
		return nil, fmt.Errorf("channel %q: there is no such command: want %s, or none for all", channel,
			strings.Join(names, " or "))
	case channel == "":
		f.Channel = allCommands
	}
	var err error
	f.From, f.To, err = span.ticks(c)
	return f, err
}
