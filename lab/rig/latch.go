package rig

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"rths"
)

// phase is where a guard is in a test. State is its public part.
type phase int

// The phases.
const (
	disarmed      phase = iota // lets no command through, and no limit acts
	led                        // as disarmed, but Approach or Finish moves the command, and limits act
	armed                      // waits for the first command of the loop
	running                    // commands of the loop leave
	holding                    // Hold, Ramp or Stop has begun in the run …
	ramping                    //
	stopping                   //
	holdingAlone               // … or outside of it: the command keeps to the profile
	rampingAlone               //
	stoppingAlone              //
	tripped                    // onOver: Reset leads back to disarmed
	phases
)

// phaseFacts say what the rest of the package asks of a phase.
var phaseFacts = [phases]struct {
	state  State
	acting Action // Indicate: none
	alert  bool   // limits act
}{
	disarmed:      {state: Disarmed},
	led:           {state: Disarmed, alert: true},
	armed:         {state: Armed, alert: true},
	running:       {state: Running, alert: true},
	holding:       {state: Holding, alert: true, acting: Hold},
	ramping:       {state: Ramping, alert: true, acting: Ramp},
	stopping:      {state: Holding, alert: true, acting: Stop},
	holdingAlone:  {state: Holding, alert: true, acting: Hold},
	rampingAlone:  {state: Ramping, alert: true, acting: Ramp},
	stoppingAlone: {state: Holding, alert: true, acting: Stop},
	tripped:       {state: Tripped},
}

// input is what happens to a guard.
type input int

// The inputs.
const (
	onArm      input = iota
	onCommand        // of the loop
	onApproach       // to a position, before the run
	onFinish         // of a sound run
	onStart          // at the measured position
	onReset
	onHold // a limit acts
	onRamp
	onStop
	onOver // the action has ended
	inputs
)

// wants says for which states an input is that a caller may give at the wrong time.
var wants = [inputs]string{
	onArm:      "disarmed to arm it",
	onApproach: "disarmed or armed to approach a position",
	onFinish:   "running or armed to finish",
	onStart:    "disarmed to start at the rig",
	onReset:    "tripped to reset it",
}

// inputOf is the input of a limit that acts.
var inputOf = [...]input{Hold: onHold, Ramp: onRamp, Stop: onStop}

// transition is an entry of the table: the next phase, and what is done with the command on the way.
type transition struct {
	to phase
	do func(*mover)
}

// refused is the transition of an input that a phase does not take.
var refused = transition{to: phases}

// stay is the transition of an input that changes nothing.
func stay(p phase) transition { return transition{to: p} }

// transitions is what a guard decides: for each phase and input the next phase and what moves.
//
// A harder action replaces a milder one: hold < ramp < stop. An action that begins in the run takes the command to a
// valid measured position at once; an action that begins outside of it keeps to the profile.
var transitions = [phases][inputs]transition{
	disarmed: {
		onArm: {armed, nil}, onCommand: refused, onApproach: {led, nil}, onFinish: refused, onStart: {disarmed, nil},
		onReset: refused,
		onHold:  {holdingAlone, (*mover).brake}, onRamp: {rampingAlone, (*mover).goHome},
		onStop: {stoppingAlone, (*mover).brake},
		onOver: refused,
	},
	led: {
		onArm: {armed, nil}, onCommand: refused, onApproach: {led, nil}, onFinish: refused, onStart: {disarmed, nil},
		onReset: refused,
		onHold:  {holdingAlone, (*mover).brake}, onRamp: {rampingAlone, (*mover).goHome},
		onStop: {stoppingAlone, (*mover).brake},
		onOver: refused,
	},
	armed: {
		onArm: refused, onCommand: {running, (*mover).beginRun}, onApproach: {armed, nil}, onFinish: {led, (*mover).goHome},
		onStart: refused, onReset: refused,
		onHold: {holdingAlone, (*mover).brake}, onRamp: {rampingAlone, (*mover).goHome},
		onStop: {stoppingAlone, (*mover).brake},
		onOver: refused,
	},
	running: {
		onArm: refused, onCommand: stay(running), onApproach: refused, onFinish: {led, (*mover).goHomeFromRest},
		onStart: refused, onReset: refused,
		onHold: {holding, (*mover).takeAndHalt}, onRamp: {ramping, (*mover).takeAndGoHome},
		onStop: {stopping, (*mover).takeAndHalt},
		onOver: refused,
	},
	holding: {
		onArm: refused, onCommand: stay(holding), onApproach: refused, onFinish: refused, onStart: refused, onReset: refused,
		onHold: stay(holding), onRamp: {ramping, (*mover).goHome}, onStop: {stopping, (*mover).halt}, onOver: {tripped, nil},
	},
	ramping: {
		onArm: refused, onCommand: stay(ramping), onApproach: refused, onFinish: refused, onStart: refused, onReset: refused,
		onHold: stay(ramping), onRamp: stay(ramping), onStop: {stopping, (*mover).halt}, onOver: {tripped, nil},
	},
	stopping: {
		onArm: refused, onCommand: stay(stopping), onApproach: refused, onFinish: refused, onStart: refused, onReset: refused,
		onHold: stay(stopping), onRamp: stay(stopping), onStop: stay(stopping), onOver: {tripped, nil},
	},
	holdingAlone: {
		onArm: refused, onCommand: stay(holdingAlone), onApproach: refused, onFinish: refused, onStart: refused,
		onReset: refused,
		onHold:  stay(holdingAlone), onRamp: {rampingAlone, (*mover).goHome}, onStop: {stoppingAlone, (*mover).brake},
		onOver: {tripped, nil},
	},
	rampingAlone: {
		onArm: refused, onCommand: stay(rampingAlone), onApproach: refused, onFinish: refused, onStart: refused,
		onReset: refused,
		onHold:  stay(rampingAlone), onRamp: stay(rampingAlone), onStop: {stoppingAlone, (*mover).brake},
		onOver: {tripped, nil},
	},
	stoppingAlone: {
		onArm: refused, onCommand: stay(stoppingAlone), onApproach: refused, onFinish: refused, onStart: refused,
		onReset: refused,
		onHold:  stay(stoppingAlone), onRamp: stay(stoppingAlone), onStop: stay(stoppingAlone), onOver: {tripped, nil},
	},
	tripped: {
		onArm: refused, onCommand: stay(tripped), onApproach: refused, onFinish: refused, onStart: refused,
		onReset: {disarmed, (*mover).stand},
		onHold:  stay(tripped), onRamp: stay(tripped), onStop: stay(tripped), onOver: refused,
	},
}

// latch is the part of a Guard that decides: its phase, the first cause of an action and the events.
type latch struct {
	phase   phase
	state   float64 // State, for the record
	first   Event
	cause   int   // its place among the latched limits
	reading error // of the first cause, where that is a reading
	why     error // of the first cause, where that is the integrator
	ended   ending
	endK    int // tick in which the action ended
	events  []Event
	spare   Event    // where events has no room
	names   []string // of all causes that there can be: a state has the place of the first one
}

func (l *latch) set(p phase) { l.phase, l.state = p, float64(phaseFacts[p].state) }

// alert reports whether limits act.
func (l *latch) alert() bool { return phaseFacts[l.phase].alert }

// acted reports whether an action has begun.
func (l *latch) acted() bool { return l.phase >= holding }

// refuses reports whether an input comes at the wrong time.
func (l *latch) refuses(in input) bool { return transitions[l.phase][in].to == phases }

// refusal is the error of an input that comes at the wrong time, or nil.
func (l *latch) refusal(in input) error {
	if !l.refuses(in) {
		return nil
	}
	return fmt.Errorf("guard is %s: want it %s", phaseFacts[l.phase].state, wants[in])
}

// take takes an input: the guard goes on to the next phase.
func (g *Guard) take(in input) {
	next := transitions[g.latch.phase][in]
	if next.to == g.latch.phase && next.do == nil {
		return
	}
	if next.do != nil {
		next.do(&g.mover)
	}
	switch g.latch.set(next.to); {
	case in == onHold:
		g.mover.remaining = int(math.Ceil(g.c.HoldS * g.c.RateHz))
	case in == onRamp:
		g.mover.remaining = int(math.Ceil(g.c.Profile.WithinS * g.c.RateHz))
	}
}

// State is the state of the latch.
func (g *Guard) State() State { return phaseFacts[g.latch.phase].state }

// Events are the limits crossed so far.
func (g *Guard) Events() []Event { return g.latch.events }

// Arm lets the next command begin the run. Limits warn and act afresh.
func (g *Guard) Arm() error {
	if err := g.latch.refusal(onArm); err != nil {
		return err
	}
	g.take(onArm)
	g.watch.open()
	return nil
}

// Reset opens the latch after a trip. Limits warn and act afresh; the events
// stay.
func (g *Guard) Reset() error {
	if err := g.latch.refusal(onReset); err != nil {
		return err
	}
	g.take(onReset)
	g.latch.first, g.latch.reading, g.latch.why, g.mover.apart = Event{}, nil, nil, Apart{}
	g.watch.open()
	return nil
}

var errDisarmed = errors.New("guard is disarmed: arm it before the run")

// runaways has the names that rths.DivergedError uses, with their units.
var runaways = []string{"target_m", "measured_m", "command_m", "pose_m", "axis_force_N"}

// TakeOver takes over from a loop that diverges; see rths.FailSafe.
func (g *Guard) TakeOver(d *rths.DivergedError) bool {
	if g.ideal || g.State() == Disarmed {
		return false
	}
	for _, name := range runaways {
		if bare, _ := rths.CutUnit(name); bare == d.What {
			g.watch.diverged.name = name
		}
	}
	switch {
	case g.latch.acted():
	case d.Coupled():
		g.latch.reading = d.Why
	default:
		g.latch.why = d.Why
	}
	g.cross(&g.watch.diverged, d.Value, d.Limit)
	return g.State() > Running
}

// Cause is a reason for Trip: one that no limit watches.
type Cause int

// The causes, with the channel of their event.
const (
	Operator         Cause = iota // operator: tells the test to end
	OperatorTwice                 // operator_twice: and at once
	SupervisorSilent              // supervisor_silent
	RecordFailed                  // record: rows cannot be kept
	Terminated                    // terminated: the process of the loop shall end
	Watchdog                      // watchdog_s: no command for a time
	NotAtStart                    // onStart: the rig has not come to the first command
	NoPreload                     // preload: its place cannot be the zero of the run
	MoveGain                      // gain: of a small move
	MoveStiffness                 // stiffness_N_m: of a small move
)

var causes = [...]string{
	"operator", "operator_twice", "supervisor_silent", "record", "terminated", "watchdog_s", "start", "preload", "gain",
	"stiffness_N_m",
}

// String is the channel of the cause's event.
func (c Cause) String() string { return causes[c] }

// Trip acts as a crossed limit does, for a cause from outside: a watchdog, an operator, a silent link. Value and limit
// describe the cause in its event and in the TripError. Indicate makes an event only. Of each action the first Trip
// counts until StartAt, Arm or Reset; later ones of the same action do nothing, whatever their cause. Trip acts in
// every state but Tripped: also on a guard that is disarmed.
func (g *Guard) Trip(why Cause, value, limit float64, action Action) {
	l := &g.watch.outside[action]
	l.name = why.String()
	g.act(l, value, limit)
}

// checkLimit compares a channel with its levels; NaN crosses every level.
func (g *Guard) checkLimit(l *limit) {
	v := math.Abs(*l.v)
	switch {
	case !l.acted && !(v <= l.trip):
		l.warned = true
		g.cross(l, *l.v, l.trip)
		g.watch.levels()
	case !l.warned && l.warn > 0 && v > l.warn:
		l.warned = true
		g.event(l.name, *l.v, l.warn, "warn")
		g.watch.levels()
	}
}

// cross records that a limit was crossed, once, and acts.
func (g *Guard) cross(l *limit, value, bound float64) {
	if g.latch.alert() {
		g.act(l, value, bound)
	}
}

// act makes the event of a limit and takes its action, once.
func (g *Guard) act(l *limit, value, bound float64) {
	if l.acted || g.latch.phase == tripped {
		return
	}
	l.acted = true
	e := g.event(l.name, value, bound, l.action.String())
	if e.Fresh, e.Silent = 0, 0; l.fresh != nil {
		e.Fresh = *l.fresh
	}
	if l.blind && g.watch.readingAge > 0 {
		e.Silent = g.watch.silent
	}
	if l.action == Indicate {
		return
	}
	if !g.latch.acted() {
		g.latch.first, g.latch.cause = *e, slices.Index(g.watch.latched, l)
	}
	g.take(inputOf[l.action])
}

// event keeps an event in preallocated room. Without room (a guard reset and tripped many
// times) the event is left out.
func (g *Guard) event(channel string, value, bound float64, action string) *Event {
	l := &g.latch
	e := &l.spare
	if n := len(l.events); n < cap(l.events) {
		l.events = l.events[:n+1]
		e = &l.events[n]
		g.watch.watched(e.Values)
	}
	e.K, e.T, e.Age = g.mover.k, float64(g.mover.k)/g.c.RateHz, g.watch.readingAge
	e.Channel, e.Value, e.Limit, e.Action = channel, value, bound, action
	return e
}

// ending says how an action ended.
type ending int

const (
	notEnded ending = iota
	rampFinished
	rampLate
	stopped
	held
)

func (e ending) String() string {
	return [...]string{"", "command ramped", "command's ramp not finished in time", "command stopped", "command held"}[e]
}

// advance moves the command by a sample. Hold and stop last until the command has arrived,
// however slow the rate is; a ramp ends with its time. With the end of the action the guard
// is Tripped.
func (g *Guard) advance() {
	there := g.mover.advance(g.watch.each)
	g.watch.value.rate = 0
	for i := range g.mover.sent {
		g.watch.value.rate = max(g.watch.value.rate, g.watch.each[i].rate)
	}
	if g.latch.ended = g.end(there); g.latch.ended != notEnded {
		g.latch.endK = g.mover.k
		g.take(onOver)
	}
}

// end says how the action ends in this sample, if it does; there: the command has arrived.
func (g *Guard) end(there bool) ending {
	inTime := g.mover.remaining > 0
	switch acting := phaseFacts[g.latch.phase].acting; {
	case acting == Ramp && there:
		return rampFinished
	case acting == Ramp && !inTime:
		return rampLate
	case acting == Stop && there:
		return stopped
	case acting == Hold && there && !inTime:
		return held
	}
	return notEnded
}

// sendOwn sends the command of a hold, ramp or stop and returns a TripError at its end. A
// failed Write of the rig does not end the action: the next command may arrive.
func (g *Guard) sendOwn() error {
	if g.latch.phase != tripped {
		g.mover.placed = true
		g.advance()
		_ = g.rig.Write(g.mover.sent)
	}
	if g.latch.phase != tripped {
		return nil
	}
	return g.trip(g.latch.endK, g.latch.ended.String())
}

func (g *Guard) trip(k int, end string) *TripError {
	l := &g.latch
	return &TripError{
		Cause: l.first, Reading: l.reading, Why: l.why, Apart: g.mover.apart, T: float64(k) / g.c.RateHz, RateHz: g.c.RateHz,
		End: end,
	}
}

// Unfinished is the error of a run that ends during or after a guard's action: a TripError,
// or nil if no limit has acted.
func (g *Guard) Unfinished() error {
	switch g.State() {
	case Holding:
		return g.trip(g.mover.k, "command still held when the run ended")
	case Ramping:
		return g.trip(g.mover.k, "command's ramp not finished when the run ended")
	case Tripped:
		return g.trip(g.latch.endK, g.latch.ended.String())
	}
	return nil
}
