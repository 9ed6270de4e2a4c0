package rig

import (
	"errors"
	"slices"
	"testing"

	"rths"
)

// ways lead a new guard to each phase, by its public methods. The command moves in all that can have it moving.
var ways = [phases]func(t *testing.T, l *lab){
	disarmed: func(t *testing.T, l *lab) { l.meets(t, 0) },
	led:      func(t *testing.T, l *lab) { l.meets(t, 0); l.sends(t, 0.02) },
	armed:    func(t *testing.T, l *lab) { l.meets(t, 0); l.sends(t, 0.02); l.arms(t) },
	running:  func(t *testing.T, l *lab) { l.arms(t); l.ticks(t, 30, 0.002) },
	holding:  func(t *testing.T, l *lab) { l.arms(t); l.ticks(t, 30, 0.002); l.g.Trip(Operator, 1, 0, Hold) },
	ramping:  func(t *testing.T, l *lab) { l.arms(t); l.ticks(t, 30, 0.002); l.g.Trip(Operator, 1, 0, Ramp) },
	stopping: func(t *testing.T, l *lab) { l.arms(t); l.ticks(t, 30, 0.002); l.g.Trip(Operator, 1, 0, Stop) },
	holdingAlone: func(t *testing.T, l *lab) {
		l.meets(t, 0)
		l.sends(t, 0.02)
		l.g.Trip(Operator, 1, 0, Hold)
	},
	rampingAlone: func(t *testing.T, l *lab) {
		l.meets(t, 0)
		l.sends(t, 0.02)
		l.g.Trip(Operator, 1, 0, Ramp)
	},
	stoppingAlone: func(t *testing.T, l *lab) {
		l.meets(t, 0)
		l.sends(t, 0.02)
		l.g.Trip(Operator, 1, 0, Stop)
	},
	tripped: func(t *testing.T, l *lab) {
		l.arms(t)
		l.ticks(t, 30, 0.002)
		l.g.Trip(Operator, 1, 0, Stop)
		l.tends(t, 1000)
	},
}

// sends moves the command towards a position, for some samples.
func (l *lab) sends(t *testing.T, x float64) {
	t.Helper()
	if err := l.g.Approach([]float64{x}); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		l.do(deed{What: "tend"})
	}
}

// give gives an input to the guard, by its public methods.
func (l *lab) give(in input) error {
	switch in {
	case onArm:
		return l.g.Arm()
	case onCommand:
		err := l.g.Write([]float64{0.0021})
		if errors.As(err, new(*TripError)) {
			return nil
		}
		return err
	case onApproach:
		return l.g.Approach([]float64{0.01})
	case onFinish:
		return l.g.Finish()
	case onStart:
		clear(l.g.mover.speed) // the guard wants the command at rest
		return l.g.StartAt(&rths.Reading{Motion: rths.Motion{X: []float64{0.001}}, F: []float64{0}})
	case onReset:
		return l.g.Reset()
	case onHold, onRamp, onStop:
		l.g.Trip(Watchdog, 2, 1, Action(slices.Index(inputOf[:], in)))
	case onOver:
		for n := 0; l.g.latch.acted() && l.g.State() != Tripped && n < 100_000; n++ {
			l.do(deed{What: "tend"})
		}
	}
	return nil
}

// allowed has the inputs that a caller may give in each state, by the docs of the methods.
var allowed = map[input][]State{
	onArm: {Disarmed}, onCommand: {Armed, Running, Holding, Ramping, Tripped}, onApproach: {Disarmed, Armed},
	onFinish: {Running, Armed}, onStart: {Disarmed}, onReset: {Tripped},
}

// Every entry of the table is taken by a guard, through its public methods. What must hold of each is written here a
// second time, as rules: which inputs are refused, that a refused one changes nothing, that a harder action replaces
// a milder one and never the other way round, that an action begun in the run stays one, and that a trip is final.
func TestEveryTransition(t *testing.T) {
	reached := map[phase]bool{}
	for from := range phases {
		for in := range inputs {
			l := newLab(t, GuardConfig{RateHz: 1000, Axes: 1, Forces: 1, HoldS: 0.05, Stroke: 0.1, Rate: 0.05, Profile: slow},
				0.05, 1)
			ways[from](t, l)
			if l.g.latch.phase != from {
				t.Fatalf("the way to phase %d leads to phase %d", from, l.g.latch.phase)
			}
			before, was := rths.AppendState(nil, l.o), l.g.State()
			err := l.give(in)
			to := l.g.latch.phase
			reached[to] = true
			if states, given := allowed[in]; given && !slices.Contains(states, was) {
				if in == onStart { // give has stopped the command
					before = rths.AppendState(nil, l.o)
				}
				if after := rths.AppendState(nil, l.o); err == nil || !slices.Equal(before, after) {
					t.Errorf("input %d in phase %d: error %v, want a refusal that changes nothing", in, from, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("input %d in phase %d: refused: %v", in, from, err)
			}
			if want := follows(from, in); to != want {
				t.Errorf("input %d in phase %d leads to phase %d: want %d", in, from, to, want)
			}
			if got, want := l.g.State(), State(l.g.latch.state); got != want {
				t.Errorf("input %d in phase %d: the record says %s: want %s", in, from, want, got)
			}
		}
	}
	if len(reached) != int(phases) {
		t.Errorf("only the phases %v are reached", reached)
	}
}

// follows are the rules by which one phase follows another.
func follows(from phase, in input) phase {
	acting := phaseFacts[from].acting
	begun := from >= holding && from <= stopping // in the run
	if from == running {
		begun = true
	}
	phaseOf := func(a Action) phase {
		if begun {
			return map[Action]phase{Hold: holding, Ramp: ramping, Stop: stopping}[a]
		}
		return map[Action]phase{Hold: holdingAlone, Ramp: rampingAlone, Stop: stoppingAlone}[a]
	}
	switch in {
	case onArm:
		return armed
	case onCommand:
		if from == armed {
			return running
		}
	case onApproach:
		if from != armed {
			return led
		}
	case onFinish:
		return led
	case onStart, onReset:
		return disarmed
	case onHold, onRamp, onStop:
		if harder := Action(slices.Index(inputOf[:], in)); harder > acting && from != tripped {
			return phaseOf(harder)
		}
	case onOver:
		if acting != Indicate {
			return tripped
		}
	}
	return from
}
