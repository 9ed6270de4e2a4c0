package compensate

import (
	"fmt"

	"rths"
	"rths/method/identify"
)

// ManyAxes is implemented by makers whose compensator serves all At.Axes actuators at
// once. For other kinds a scenario makes one compensator per actuator, see Each.
type ManyAxes interface{ ManyAxes() }

// Each puts one single-actuator compensator on each actuator; parts[i] sees
// target.X[i] and read.X[i] only. Not for strongly coupled plants: Each does not
// compensate the coupling. The channels of actuator 1 end in _1, and so on.
func Each(parts ...rths.Compensator) (rths.Compensator, error) {
	if len(parts) == 0 {
		return nil, fmt.Errorf("each: no compensator: want one for each actuator")
	}
	e := &each{Group: parts, units: make([]unit, len(parts))}
	for _, p := range parts {
		if _, ok := rths.As[rths.RateUser](p); ok {
			return &eachWithRates{e}, nil
		}
	}
	return e, nil
}

type each struct {
	Group
	units []unit `c:"-"`
}

// unit is one compensator with its views of target, reading and command.
type unit struct {
	target rths.Motion
	read   rths.Reading
}

type eachWithRates struct{ *each }

func (*eachWithRates) UsesRates() {}

func (e *eachWithRates) UsesCurrentForce() bool { return UseCurrentForce(e.Group) }

func (e *each) Step(command []float64, target *rths.Motion, read *rths.Reading) {
	for i, p := range e.Group {
		u := &e.units[i]
		u.target = rths.Motion{X: target.X[i : i+1], V: one(target.V, i), A: one(target.A, i)}
		u.read.X, u.read.V, u.read.A = read.X[i:i+1], one(read.V, i), one(read.A, i)
		u.read.Age, u.read.Late = read.Age, read.Late
		p.Step(command[i:i+1], &u.target, &u.read)
	}
}

// one is the i-th of values that may be missing.
func one(v []float64, i int) []float64 {
	if len(v) == 0 {
		return nil
	}
	return v[i : i+1]
}

func (e *each) Share(sent []identify.Sent) (follow bool) {
	follow = true
	for i, p := range e.Group {
		s, ok := p.(Sharer)
		follow = ok && s.Share(sent[i:i+1]) && follow
	}
	return follow
}

// ofActuator is the name of a channel of actuator i, from 0.
func ofActuator(name string, i int) string { return fmt.Sprintf("%s_%d", name, i+1) }

func (e *each) Channels() []rths.Channel {
	var out []rths.Channel
	for i, p := range e.Group {
		if c, ok := rths.As[rths.Channeler](p); ok {
			for _, ch := range c.Channels() {
				ch.Name = ofActuator(ch.Name, i)
				out = append(out, ch)
			}
		}
	}
	return out
}

func (e *each) Estimates() (out []rths.Channel) {
	for i, p := range e.Group {
		if estimated, ok := rths.As[Estimated](p); ok {
			for _, ch := range estimated.Estimates() {
				ch.Name = ofActuator(ch.Name, i)
				out = append(out, ch)
			}
		}
	}
	return out
}

func (e *each) AtBounds() (out []string) {
	for i, p := range e.Group {
		if b, ok := rths.As[Bounded](p); ok {
			for _, name := range b.AtBounds() {
				out = append(out, ofActuator(name, i))
			}
		}
	}
	return out
}

// Fall is one change of the method that commands.
type Fall struct {
	T        float64 // s
	Actuator int     // from 1, where every actuator has a fallback of its own; else 0
	Back     bool    // to the adaptive method, as asked
	Cause    string  // of a fall, in words; "" of the way back
}

// Switch is implemented by a compensator with a fallback. Call its methods between ticks.
type Switch interface {
	Falls() []Fall // so far, the first hundred; those before a checkpoint stay with the run that had them
	Return()       // asks for the way back to the adaptive method, at the next tick
}

// Falls of all actuators with a fallback of their own.
func (e *each) Falls() (out []Fall) {
	for i, p := range e.Group {
		if s, ok := rths.As[Switch](p); ok {
			for _, f := range s.Falls() {
				f.Actuator = i + 1
				out = append(out, f)
			}
		}
	}
	return out
}

// Return asks for the way back of all actuators.
func (e *each) Return() { ofParts(e.Group, Switch.Return) }
