package rig

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"rths"
)

// Action is what a limit does when it is crossed, from the mildest up.
type Action int

// The actions of a limit.
const (
	Indicate Action = iota // an event, nothing else
	Hold                   // the command stays where it is
	Ramp                   // the command is brought to a safe position, smoothly
	Stop                   // the run ends at once; the rig keeps its last command
)

var actionNames = []string{"indicate", "hold", "ramp", "stop"}

// String is the word a scenario uses.
func (a Action) String() string { return actionNames[a] }

// ParseAction reads the word a scenario uses.
func ParseAction(word string) (Action, error) {
	for i, name := range actionNames {
		if name == word {
			return Action(i), nil
		}
	}
	return 0, fmt.Errorf("action %q: want indicate, hold, ramp or stop", word)
}

// State is where the latch of a Guard stands.
type State int

// The states, in their order.
const (
	Disarmed State = iota // lets no command through
	Armed                 // waits for the first command
	Running
	Holding
	Ramping
	Tripped // over: Reset leads back to Disarmed
)

var stateNames = []string{"disarmed", "armed", "running", "holding", "ramping", "tripped"}

// String is the state's name.
func (s State) String() string { return stateNames[s] }

// Event is a limit that was crossed. Every limit makes at most one for its
// warning level and one for its action.
type Event struct {
	K       int
	T       float64 // s
	Channel string
	Value   float64
	Limit   float64
	Action  string    // "warn" or that of the limit
	Values  []float64 // of all channels of Guard.Watched at that instant
}

// TripError is how a run ends whose guard acted.
type TripError struct {
	Cause Event // the first
	T     float64
	End   string // what became of the command
}

// Error says when, which limit, and what was done.
func (e *TripError) Error() string {
	c := &e.Cause
	return fmt.Sprintf("tripped at t = %.4f s: %s is %.5g, limit %.5g: %s at t = %.4f s", c.T, c.Channel, c.Value, c.Limit, e.End, e.T)
}

// Guard puts limits around a rig. It is a rig, and with Observer the last
// observer of its loop: limits on the command are checked before it leaves, all
// others at the end of a tick, and Guard acts at the next Write, within a sample
// of the crossing. Values that are not finite are noticed at once: the loop never
// reads them (the last sound value stands in their place), and the rig is never
// sent them.
//
// A latch keeps what happened: Disarmed, Armed (by Arm), Running with the first
// command, Holding or Ramping once a limit acts, Tripped when that is done, which
// ends the run with a TripError. From then on no command of the loop gets
// through until Reset. A harder action takes over from a milder one; the first
// cause is kept. A loop that diverges is handed to the guard too (rths.Keeper).
//
// Guard stands behind the sensors it reads and before the computer's own
// failures: it is no substitute for limits in the servo controller, hydraulic
// interlocks and an emergency stop.
type Guard struct {
	rig    rths.Rig
	c      GuardConfig
	before []*limit // checked in Write
	after  []*limit // checked in Observe
	ideal  bool

	state    State
	acting   Action
	k        int // tick of the next Write
	left     int // ticks of hold or ramp still allowed
	sent     []float64
	speed    []float64 // of sent, m/s
	safe     []float64
	goal     []float64
	sound    []float64 // the last finite reading: X, then F
	past     *ring     // of X
	profile  profile
	value    values   // the largest of all axes and forces
	each     []values // of each, where there are several
	stateV   float64  // state, for the record
	first    Event
	events   []Event
	nonFin   limit
	diverged limit
	latched  []*limit // all of them
}

// GuardConfig is what a Guard is made of.
type GuardConfig struct {
	RateHz       float64
	Axes, Forces int
	Start        []float64 // command the rig stands at; nil: zeros
	Limits       []Limit
	Channels     []rths.Channel // that limits may name beside the guard's own
	NonFinite    Action         // for values that are not finite, and a loop that diverges
	HoldS        float64        // a hold lasts so long, s
	Profile      Profile        // of a ramp
}

// values are the quantities a Guard watches by itself.
type values struct {
	command, rate, measured, velocity, err, force, age float64
}

// velocityS is the span a velocity is a mean over where no sensor measures it,
// s: noise of 16 µm makes 5 mm/s of it.
const velocityS = 0.005

// NewGuard checks the limits and returns a disarmed guard.
func NewGuard(r rths.Rig, c GuardConfig) (*Guard, error) {
	g := &Guard{rig: r, c: c, state: Disarmed, past: newRing(max(1, int(math.Round(velocityS*c.RateHz))), c.Axes)}
	g.sent, g.speed = make([]float64, c.Axes), make([]float64, c.Axes)
	g.safe, g.goal = make([]float64, c.Axes), make([]float64, c.Axes)
	g.sound, g.each = make([]float64, c.Axes+c.Forces), make([]values, max(c.Axes, c.Forces))
	copy(g.sent, c.Start)
	copy(g.safe, c.Start)
	if err := g.check(); err != nil {
		return nil, err
	}
	if err := g.take(c.Limits); err != nil {
		return nil, err
	}
	ramps := c.NonFinite == Ramp || slices.ContainsFunc(c.Limits, func(l Limit) bool { return l.Action == Ramp })
	if err := c.Profile.check(c.Limits, ramps); err != nil {
		return nil, err
	}
	g.nonFin = limit{name: "non_finite", action: c.NonFinite}
	g.diverged = limit{name: "target_m", action: c.NonFinite}
	g.latched = append(g.limits(), &g.nonFin, &g.diverged)
	g.reserve()
	g.profile = c.Profile.at(c.RateHz)
	return g, nil
}

// reserve makes room for every event there can be.
func (g *Guard) reserve() {
	watched := len(g.Watched())
	g.events = make([]Event, 0, 2*len(g.c.Limits)+2)
	for i := range g.events[:cap(g.events)] {
		g.events[:cap(g.events)][i].Values = make([]float64, watched)
	}
}

// Unwrap is the rig inside.
func (g *Guard) Unwrap() any { return g.rig }

// Idealise switches the guard off with everything else that is not linear.
func (g *Guard) Idealise(on bool) {
	g.ideal = on
	if i, ok := rths.As[rths.Idealiser](g.rig); ok {
		i.Idealise(on)
	}
}

// State is where the latch stands.
func (g *Guard) State() State { return g.state }

// Events are the limits crossed so far.
func (g *Guard) Events() []Event { return g.events }

// Watched names what Event.Values holds.
func (g *Guard) Watched() []string {
	var out []string
	for _, l := range g.limits() {
		out = append(out, l.name)
	}
	return out
}

func (g *Guard) limits() []*limit { return append(append([]*limit(nil), g.before...), g.after...) }

// Arm lets the next command begin the run.
func (g *Guard) Arm() error {
	if g.state != Disarmed {
		return fmt.Errorf("guard is %s: want it disarmed to arm it", g.state)
	}
	g.set(Armed)
	return nil
}

// Reset opens the latch after a trip. Limits warn and act afresh; the events
// stay.
func (g *Guard) Reset() error {
	if g.state != Tripped {
		return fmt.Errorf("guard is %s: want it tripped to reset it", g.state)
	}
	g.set(Disarmed)
	g.acting, g.first = Indicate, Event{}
	for _, l := range g.latched {
		l.warned, l.acted = false, false
	}
	return nil
}

func (g *Guard) set(s State) { g.state, g.stateV = s, float64(s) }

var errDisarmed = errors.New("guard is disarmed: arm it before the run")

// Read reads the rig. What is not finite is replaced by the last value that
// was.
func (g *Guard) Read(out *rths.Reading) error {
	if err := g.rig.Read(out); err != nil {
		return err
	}
	g.sane(out.X, g.sound[:len(out.X)])
	g.sane(out.F, g.sound[len(out.X):])
	return nil
}

func (g *Guard) sane(x, last []float64) {
	for i, v := range x {
		if v-v != 0 {
			g.cross(&g.nonFin, v, 0)
			x[i] = last[i]
			continue
		}
		last[i] = v
	}
}

// Write checks the command and sends it, or what the guard has in its place.
func (g *Guard) Write(command []float64) error {
	switch {
	case g.ideal:
		return g.rig.Write(command)
	case g.state == Disarmed:
		return errDisarmed
	case g.state == Armed:
		g.set(Running)
	}
	if g.state == Running {
		g.examine(command)
	}
	if g.state == Running {
		g.send(command)
		return g.rig.Write(g.sent)
	}
	if err := g.over(); err != nil {
		return err
	}
	return g.rig.Write(g.sent)
}

// examine looks at a command before it leaves.
func (g *Guard) examine(command []float64) {
	v := &g.value
	v.command, v.rate = 0, 0
	for i, u := range command {
		if u-u != 0 {
			g.cross(&g.nonFin, u, 0)
			return
		}
		own := &g.each[i]
		own.command, own.rate = math.Abs(u), math.Abs(u-g.sent[i])*g.c.RateHz
		v.command, v.rate = max(v.command, own.command), max(v.rate, own.rate)
	}
	for _, l := range g.before {
		g.look(l)
	}
}

func (g *Guard) send(command []float64) {
	for i, u := range command {
		g.speed[i] = (u - g.sent[i]) * g.c.RateHz
		g.sent[i] = u
	}
}

// over moves the command on in a hold or ramp, and says when it is over.
func (g *Guard) over() error {
	end := ""
	switch {
	case g.state == Tripped:
		end = "stopped"
	case g.state == Holding && g.left == 0:
		end = "held"
	case g.state == Ramping && g.profile.move(g.sent, g.speed, g.goal):
		end = "ramp finished"
	case g.state == Ramping && g.left == 0:
		end = "ramp not finished in time"
	}
	if end == "" {
		g.left--
		return nil
	}
	g.set(Tripped)
	return &TripError{Cause: g.first, T: float64(g.k) / g.c.RateHz, End: end}
}

// Keep takes over from a loop that diverges.
func (g *Guard) Keep(d *rths.Diverged) bool {
	if g.ideal || g.state == Disarmed {
		return false
	}
	g.diverged.name = d.What + "_m"
	g.cross(&g.diverged, d.Value, d.Limit)
	return g.state != Running && g.state != Armed
}

// look compares a channel with its levels; what is not a number crosses.
func (g *Guard) look(l *limit) {
	v := math.Abs(*l.v)
	switch {
	case !l.acted && !(v <= l.trip):
		l.warned = true
		g.cross(l, *l.v, l.trip)
	case !l.warned && l.warn > 0 && v > l.warn:
		l.warned = true
		g.event(l.name, *l.v, l.warn, "warn")
	}
}

// cross records that a limit was crossed, once, and acts.
func (g *Guard) cross(l *limit, value, bound float64) {
	if l.acted || g.state == Disarmed || g.state == Tripped {
		return
	}
	l.acted = true
	e := g.event(l.name, value, bound, l.action.String())
	if l.action == Indicate {
		return
	}
	if g.acting == Indicate {
		g.first = *e
	}
	if l.action > g.acting {
		g.acting = l.action
		g.begin()
	}
}

// begin starts the action.
func (g *Guard) begin() {
	switch g.acting {
	case Hold:
		g.set(Holding)
		g.left = int(math.Ceil(g.c.HoldS * g.c.RateHz))
	case Ramp:
		g.set(Ramping)
		g.left = int(math.Ceil(g.c.Profile.WithinS * g.c.RateHz))
		clear(g.goal)
		if g.c.Profile.ToSafe {
			copy(g.goal, g.safe)
		}
	case Stop:
		g.set(Tripped)
	}
}

// event keeps an event in the room made for it; one that finds none is left out
// (a guard that was reset and tripped again and again).
func (g *Guard) event(channel string, value, bound float64, action string) *Event {
	if len(g.events) == cap(g.events) {
		return &Event{K: g.k, T: float64(g.k) / g.c.RateHz, Channel: channel, Value: value, Limit: bound, Action: action}
	}
	g.events = g.events[:len(g.events)+1]
	e := &g.events[len(g.events)-1]
	e.K, e.T, e.Channel, e.Value, e.Limit, e.Action = g.k, float64(g.k)/g.c.RateHz, channel, value, bound, action
	n := valuesOf(e.Values, g.before)
	valuesOf(e.Values[n:], g.after)
	return e
}

func valuesOf(dst []float64, from []*limit) int {
	for i, l := range from {
		dst[i] = *l.v
	}
	return len(from)
}
