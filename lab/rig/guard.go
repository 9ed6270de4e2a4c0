package rig

import (
	"fmt"
	"math"
	"slices"

	"rths"
)

// Action is the reaction to a crossed limit, from the mildest up.
type Action int

// The actions of a limit.
const (
	Indicate Action = iota // an event, nothing else
	Hold                   // the command goes to the last valid measured position and stays there
	Ramp                   // the command goes there, and from there to its goal, smoothly
	Stop                   // as Hold, and the run ends as soon as the command is there
)

var actionNames = [...]string{"indicate", "hold", "ramp", "stop"}

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

// State is the state of a Guard's latch.
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

// Guard puts limits around a rig. It is a rig; Observer must be the last observer of its
// loop. Guard checks limits on the command before the command leaves and all others at the
// end of a tick, and acts at the next Write, within a sample of the crossing. Values that
// are not finite never reach the loop (the last finite value takes their place) or the rig.
//
// Before and after a trip every command stays within GuardConfig.Stroke and changes at
// most at GuardConfig.Rate: Guard clips a command beyond them, and the first clipped
// command makes an event.
//
// When a limit acts, Guard ignores the commands of the loop. The command goes to the last
// valid measured position and stays there (Hold) or goes on to its goal (Ramp). Guard does
// not start from the last command, which may be the runaway that crossed the limit, nor
// from the last reading, which may be a spike. Guard starts from the reading before the last
// valid one. A reading is valid if its distance from the last valid one is at most noiseShare
// of the stroke and rateMargin times what the actuator moves in the time between, at
// GuardConfig.Rate or, if unknown, at the rate at which a limit on the command acts. Readings
// beyond are valid again once they agree with each other for trustS.
//
// Where no command of the last trailS has been, no sensor sends the specimen: an action that
// would begin beyond them begins at the nearest of these commands (TripError.Apart). A
// displacement sensor that drifts does not pull the specimen along.
//
// Guard has three parts: watch (limits and channels), latch (the table transitions: which phase follows which) and
// mover (profile, rate, stroke). The latch keeps the state: Disarmed, Armed (by Arm), Running with the first command,
// Holding or Ramping once a limit acts, Tripped when hold or ramp is done, which ends the
// run with a TripError. From then on no command of the loop passes until Reset. A harder
// action replaces a milder one; the first cause is kept. Guard also takes over from a loop
// that diverges (rths.FailSafe) and from a reading that fails. Trip acts for a cause that no
// channel shows.
//
// Without a loop, StepAlone reads, moves the command and writes, one sample with every call:
// before the first tick towards the position of Approach, after the last one to the end of
// hold or ramp, or after Finish to rest. StartAt begins at the measured position. From Approach
// or Finish on limits act though the guard is disarmed. An action that begins there, and not
// in the run, keeps to the profile: a ramp goes on with the command's velocity, hold and stop
// brake. None of these methods may be called while another one runs.
//
// Guard depends on its sensors and on this computer. It is no substitute for limits in
// the servo controller, hydraulic interlocks and an emergency stop.
type Guard struct {
	rig   rths.Rig
	c     GuardConfig
	ideal bool          // see Idealise
	valid validReadings // which of them are valid
	watch watch         // what watches
	latch latch         // what decides
	mover mover         // what moves
}

// GuardConfig describes a Guard.
type GuardConfig struct {
	RateHz       float64
	Axes, Forces int
	Start        []float64 // command the rig stands at when a loop begins without StartAt; nil: zeros
	Stroke       float64   // largest displacement of every actuator from its zero, m; 0: not known
	Rate         float64   // its largest velocity, m/s; 0: not known
	Limits       []Limit
	Channels     []rths.Channel // that limits may name beside the guard's own
	NonFinite    Action         // for values that are not finite, a loop that diverges and readings that fail
	HoldS        float64        // a hold lasts so long, s
	Profile      Profile        // of a ramp

	// Late acts when the age of the reading (samples), or the number of ticks in a row that
	// were late (Reading.Late), is above HoldAfter or RampAfter;
	// 0: never. Events call the channels age and late_ticks. Limits may name them too.
	//
	// The guard also ramps when more than Most of the last Within ticks were late: Reading.Late,
	// or an age above 0; 0 and 0: never. Ticks of the loop and of StepAlone count; StartAt, Arm and Reset
	// begin the count anew. The event calls the channel late.
	Late struct{ HoldAfter, RampAfter, Most, Within int }
}

// VelocityS (s) is the span of the mean velocity where no sensor measures velocity; 16 µm
// of displacement noise give 5 mm/s.
const VelocityS = 0.005

// Where an action may begin.
const (
	rateMargin = 1.5  // an actuator may move so many times faster than stated
	noiseShare = 0.01 // of the stroke: a change of a reading that says nothing
	trustS     = 0.01 // readings that agree with each other for so long are valid, s
	leastTrust = 3    // and at least so many of them
	trailS     = 0.25 // commands of so long a time are recent, s: no actuator of a real-time test lags more
	leastTrail = 8    // and at least so many of them
)

// NewGuard checks the limits and returns a disarmed guard.
func NewGuard(r rths.Rig, c GuardConfig) (*Guard, error) {
	g := &Guard{rig: r, c: c}
	if err := c.check(); err != nil {
		return nil, err
	}
	g.makeReadings()
	if err := g.makeWatch(); err != nil {
		return nil, err
	}
	ramps := c.NonFinite == Ramp || c.Late.RampAfter > 0 || c.Late.Most > 0 ||
		slices.ContainsFunc(c.Limits, func(l Limit) bool { return l.Action == Ramp })
	g.c.Profile.Velocity = min(c.Profile.Velocity, orInf(c.Rate))
	if err := g.c.Profile.check(&c, ramps); err != nil {
		return nil, err
	}
	g.c.Profile.Velocity = min(g.c.Profile.Velocity, c.lowestRate())
	g.makeMover()
	g.makeLatch()
	return g, nil
}

func (g *Guard) makeReadings() {
	n, trust := g.c.Axes+g.c.Forces, g.c.Trust()
	g.valid = validReadings{
		axes: g.c.Axes, tolerance: -1, move: trust.Move, reach: trust.Reach, needed: trust.Agree,
		last: make([]float64, n), before: make([]float64, n), doubted: make([]float64, g.c.Axes),
	}
	if g.c.Axes == 1 && g.c.Forces == 1 {
		g.valid.one, g.valid.oneBefore = (*[2]float64)(g.valid.last), (*[2]float64)(g.valid.before)
	}
	copy(g.valid.last, g.c.Start)
	copy(g.valid.before, g.c.Start)
}

// makeWatch finds the channels of the limits.
func (g *Guard) makeWatch() error {
	const finite = math.MaxFloat64
	span := max(1, int(math.Round(VelocityS*g.c.RateHz)))
	w := &g.watch
	*w = watch{
		each: make([]values, max(g.c.Axes, g.c.Forces)),
		ceiling: values{
			command: min(orInf(g.c.Stroke), finite), rate: min(orInf(g.c.Rate)/g.c.RateHz, finite), measured: finite,
			velocity: finite,
			err:      finite, force: finite, age: finite, lates: finite,
		},
		past: newRing(span, g.c.Axes), pace: g.c.RateHz / float64(span),
		window: newWindow(g.c.Late.Within), mostLate: float64(g.c.Late.Most),
	}
	w.busy = len(w.each) > 1 || g.c.Profile.ToSafe
	if err := w.take(&g.c); err != nil {
		return err
	}
	w.latches(&g.c)
	return nil
}

func (g *Guard) makeMover() {
	n, span := g.c.Axes, g.c.Trust().Recent
	g.mover = mover{
		rateHz: g.c.RateHz, stroke: orInf(g.c.Stroke), step: orInf(g.c.Rate) / g.c.RateHz, noise: noiseShare * g.c.Stroke,
		profile: g.c.Profile.at(g.c.RateHz), toSafe: g.c.Profile.ToSafe, span: span,
		trail: newRing(span, n).x, measured: g.valid.before[:n],
	}
	m := &g.mover
	for _, list := range []*[]float64{&m.sent, &m.wanted, &m.least, &m.largest, &m.at, &m.speed, &m.goal, &m.safe} {
		*list = make([]float64, n)
	}
	copy(m.sent, g.c.Start)
	copy(m.safe, g.c.Start)
	m.stand()
	m.resetTrail()
}

// makeLatch makes room for every event there can be: a warning and an action of each limit, before the run and in it.
func (g *Guard) makeLatch() {
	l, watched := &g.latch, len(g.Watched())
	l.events = make([]Event, 0, 4*len(g.watch.latched))
	for i := range l.events[:cap(l.events)] {
		l.events[:cap(l.events)][i].Values = make([]float64, watched)
	}
	for _, of := range g.watch.latched {
		l.names = append(l.names, of.name)
	}
	l.names = append(append(l.names, runaways...), causes[:]...)
}

// Config is the configuration that the guard was made with; what it left open is filled in.
func (g *Guard) Config() GuardConfig { return g.c }

// Trust says which readings are valid, and which commands are recent.
type Trust struct {
	Move   float64 // how far a measured position may move in a sample, m; +Inf: not known
	Reach  float64 // how far from a valid reading the next one may be, m
	Agree  int     // readings in a row that are valid, wherever they are, if they agree with each other
	Recent int     // commands: an action begins within their range
}

// Trust of a guard of this configuration.
func (c *GuardConfig) Trust() Trust {
	move := rateMargin * quickest(c) / c.RateHz
	return Trust{
		Move: move, Reach: move + noiseShare*c.Stroke,
		Agree: max(leastTrust, int(math.Ceil(trustS*c.RateHz))), Recent: max(leastTrail, int(math.Ceil(trailS*c.RateHz))),
	}
}

// quickest is the largest possible velocity of a measured position, m/s: the actuator's
// rate, or else the lowest limit on the command's rate.
func quickest(c *GuardConfig) float64 {
	if c.Rate > 0 {
		return c.Rate
	}
	return c.lowestRate()
}

// orInf reads 0 as no bound.
func orInf(bound float64) float64 {
	if bound == 0 {
		return math.Inf(1)
	}
	return bound
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

// Watched has the names of Event.Values.
func (g *Guard) Watched() []string {
	var out []string
	for _, l := range g.watch.limits() {
		out = append(out, l.name)
	}
	return out
}
