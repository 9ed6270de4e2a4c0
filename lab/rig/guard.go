package rig

import (
	"cmp"
	"errors"
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

// Event is a limit that was crossed. Every limit makes at most one for its
// warning level and one for its action.
type Event struct {
	K       int
	T       float64 // s
	Age     int     // of the reading, samples
	Silent  int     // samples for which no new reading had come; of channels that this cannot move, 0
	Fresh   float64 // where the reading is old: error or command at the last fresh one, m; of other channels 0
	Channel string
	Value   float64
	Limit   float64
	Action  string    // "warn", "clip" or the action of the limit
	Values  []float64 // of all channels of Guard.Watched at that instant
}

// TripError ends a run whose guard acted.
type TripError struct {
	Cause   Event // the first
	Reading error // error of the failed reading that was the cause; nil for other causes
	Why     error // why the integrator failed, where that was the cause; nil for other causes
	Apart   Apart // the action began elsewhere than at the reading; zero: it did not
	T       float64
	RateHz  float64
	End     string // how the action ended
}

// Apart is a reading where no command had been, and the command at which an action began instead.
type Apart struct {
	Axis             int     // from 1; 0: readings and commands agreed
	Reading, Command float64 // m
}

// SinceS is the instant of the last reading before the cause, s.
func (e *TripError) SinceS() float64 { return e.Cause.T - float64(e.Cause.Age)/e.RateHz }

// Silent reports whether the readings had stopped before the cause: the limit was far away at the last fresh one, and
// was crossed by a loop that had no new ones.
func (e *TripError) Silent() bool {
	c := &e.Cause
	if c.Channel == "late_ticks" { // of them, most without a reading
		return float64(c.Silent) > c.Value/2
	}
	return c.Silent >= silentAge && c.Fresh < c.Limit/2
}

// silentAge is the number of samples from which on no single lost reading explains what a limit sees.
const silentAge = 2

// since says from when on there was no reading. Before the first tick there is no time.
func (e *TripError) since() string {
	if e.Cause.K == 0 {
		return fmt.Sprintf("no reading for %d samples", e.Cause.Age)
	}
	return fmt.Sprintf("no reading since t = %.4f s", e.SinceS())
}

// What says what was crossed, and since when no reading had come where this is why.
func (e *TripError) What() string {
	c := &e.Cause
	switch {
	case e.Reading != nil:
		return fmt.Sprintf("the reading failed (%v)", e.Reading)
	case e.Why != nil:
		return fmt.Sprintf("the integrator failed (%v)", e.Why)
	case c.Channel == "age":
		return fmt.Sprintf("%s (age is %.5g, limit %.5g)", e.since(), c.Value, c.Limit)
	case e.Silent():
		return fmt.Sprintf("%s, then %s is %.5g, limit %.5g", e.since(), c.Channel, c.Value, c.Limit)
	}
	return fmt.Sprintf("%s is %.5g, limit %.5g", c.Channel, c.Value, c.Limit)
}

// Error says time, limit and action.
func (e *TripError) Error() string {
	text := fmt.Sprintf("tripped at t = %.4f s: %s: %s at t = %.4f s", e.Cause.T, e.What(), e.End, e.T)
	if e.Apart.Axis > 0 {
		text += "; " + e.Apart.String()
	}
	return text
}

// String says where the action began, and why there.
func (a Apart) String() string {
	return fmt.Sprintf("actuator %d was measured at %.4g mm, where none of the last commands had been: the action began at the nearest of them, %.4g mm",
		a.Axis, 1e3*a.Reading, 1e3*a.Command)
}

// Unwrap returns the error of the failed reading or integrator, or nil.
func (e *TripError) Unwrap() error { return cmp.Or(e.Reading, e.Why) }

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
// A latch keeps the state: Disarmed, Armed (by Arm), Running with the first command,
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
	// What every tick needs stands together: a guard that is calm costs little.
	rig            rths.Rig
	axes           int
	rateHz         float64
	k              int // tick of the next Write
	state          State
	acting         Action
	readingAge     int         // age of the last reading, samples
	silent         int         // samples for which this age has grown
	lateTicks      int         // ticks in a row that were late
	window         window      // of the last ticks: which were late
	ideal          bool        // see Idealise
	started        bool        // where the command stands is known: by StartAt, StepAlone or a command of the loop
	underway       bool        // what moves the command began outside the loop: it keeps to the profile, and limits act though disarmed
	exceeded       bool        // some of the last reading is above a level
	needsVelocity  bool        // some limit needs velocities
	busy           bool        // more than the levels of one actuator is to be looked at in every tick
	catchingUp     bool        // the last command was clipped
	trail          []float64   // commands that left, by their ticks, in places whose number is a power of two
	sent           []float64   // the last command that left
	wanted         []float64   // the last one of the loop, while catching up
	lastValid      []float64   // the last valid reading: X, then F
	validBefore    []float64   // the one before it
	one, oneBefore *[2]float64 // both of one actuator with one force, whose checks take numbers instead of vectors: half the cost; else nil
	tolerance      float64     // how far from the last valid reading a valid one is, m; below 0: there is none yet
	reach          float64     // how far from a valid reading the next one may be, m; +Inf: not known
	move           float64     // how far the actuator may move in a sample, m; +Inf: not known
	most           values      // up to which nothing is crossed; rate here is the change in a sample, m
	value          values      // the largest of all axes and forces
	each           []values    // of each, for channels with a number
	past           ring        // of X
	pace           float64     // of a mean velocity: 1 over the time that past spans, 1/s

	c         GuardConfig
	onCommand []*limit // checked in Write
	onReading []*limit // checked in Observe
	stroke    float64  // largest |command|, m; +Inf: not known
	step      float64  // its largest change in a sample, m; +Inf: not known

	remaining              int       // ticks of hold or ramp still allowed
	at                     []float64 // where hold, ramp and approach want the command
	speed                  []float64 // of at, m/s
	safe                   []float64 // the last valid measured position at which no level was crossed
	goal                   []float64 // of ramp and approach
	profile                profile
	doubted                []float64 // the last reading that was not valid, m
	agreeing               int       // readings in a row, up to this one, that agree with each other
	freshErr, freshCommand float64   // at the last fresh reading, while readings are old, m
	agreeingNeeded         int       // as many of them are valid
	span                   int       // commands that are recent
	least                  []float64 // smallest command that left, where Profile.ToSafe, m
	largest                []float64 // and the largest
	apart                  Apart     // of the action that began in the run

	alone   []*limit                // checked in StepAlone: what needs neither target nor another part
	late    []*limit                // of GuardConfig.Late
	outside [len(actionNames)]limit // Trip, by its action
	ended   ending
	endK    int   // tick in which the action ended
	spare   Event // where events has no room

	stateV   float64 // state, for the record
	first    Event
	cause    int   // its place among the latched
	reading  error // of the first cause, where that is a reading
	why      error // of the first cause, where that is the integrator
	events   []Event
	nonFin   limit
	diverged limit
	failed   limit    // readings
	beyond   limit    // commands clipped at the stroke
	faster   limit    // and at the rate
	latched  []*limit // all of them
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

// values are the quantities a Guard watches by itself.
type values struct {
	command, rate, measured, velocity, err, force, age, lates float64
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
	g := &Guard{rig: r, axes: c.Axes, rateHz: c.RateHz, c: c, state: Disarmed, stroke: orInf(c.Stroke), step: orInf(c.Rate) / c.RateHz}
	if err := g.check(); err != nil {
		return nil, err
	}
	span := max(1, int(math.Round(VelocityS*c.RateHz)))
	g.past, g.pace = newRing(span, c.Axes), c.RateHz/float64(span)
	g.window = newWindow(c.Late.Within)
	trust := c.Trust()
	g.move, g.reach, g.agreeingNeeded, g.span = trust.Move, trust.Reach, trust.Agree, trust.Recent
	g.trail = newRing(g.span, c.Axes).x
	g.reserve()
	g.each = make([]values, max(c.Axes, c.Forces))
	if c.Axes == 1 && c.Forces == 1 {
		g.one, g.oneBefore = (*[2]float64)(g.lastValid), (*[2]float64)(g.validBefore)
	}
	g.busy = len(g.each) > 1 || c.Profile.ToSafe
	for _, list := range [][]float64{g.sent, g.safe, g.lastValid, g.validBefore} {
		copy(list, c.Start)
	}
	if err := g.take(c.Limits); err != nil {
		return nil, err
	}
	ramps := c.NonFinite == Ramp || c.Late.RampAfter > 0 || c.Late.Most > 0 || slices.ContainsFunc(c.Limits, func(l Limit) bool { return l.Action == Ramp })
	g.c.Profile.Velocity = min(c.Profile.Velocity, orInf(c.Rate))
	if err := g.c.Profile.check(c.Limits, ramps); err != nil {
		return nil, err
	}
	g.c.Profile.Velocity = min(g.c.Profile.Velocity, lowestRate(c.Limits))
	g.tolerance = -1
	g.latches()
	g.reserveEvents()
	g.profile = g.c.Profile.at(c.RateHz)
	g.stopCommand()
	g.resetTrail()
	return g, nil
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
	return lowestRate(c.Limits)
}

// lowestRate is the lowest level at which a limit on the command's rate acts, m/s.
func lowestRate(limits []Limit) float64 {
	most := math.Inf(1)
	for _, l := range limits {
		if channelFamily(l.Channel) == "command_rate_m_s" && l.Action != Indicate {
			most = min(most, l.Trip)
		}
	}
	return most
}

// orInf reads 0 as no bound.
func orInf(bound float64) float64 {
	if bound == 0 {
		return math.Inf(1)
	}
	return bound
}

// latches lists everything that is crossed once.
func (g *Guard) latches() {
	own := func(name string, level float64, action Action) limit {
		return limit{name: name, trip: level, action: action}
	}
	g.nonFin = own("non_finite", 0, g.c.NonFinite)
	g.diverged = own(runaways[0], 0, g.c.NonFinite)
	g.diverged.fresh, g.diverged.blind = &g.freshCommand, true
	g.failed = own("reading", 0, g.c.NonFinite)
	g.beyond = own("command_m", g.stroke, Indicate)
	g.faster = own("command_rate_m_s", g.c.Rate, Indicate)
	g.latched = append(g.limits(), &g.nonFin, &g.diverged, &g.failed, &g.beyond, &g.faster)
	for i := range g.outside {
		g.outside[i] = own("", 0, Action(i))
		g.latched = append(g.latched, &g.outside[i])
	}
	for _, old := range []struct {
		channel string
		v       *float64
		after   int
		action  Action
	}{
		{"age", &g.value.age, g.c.Late.HoldAfter, Hold}, {"age", &g.value.age, g.c.Late.RampAfter, Ramp},
		{"late_ticks", &g.value.lates, g.c.Late.HoldAfter, Hold}, {"late_ticks", &g.value.lates, g.c.Late.RampAfter, Ramp},
	} {
		if old.after > 0 {
			l := own(old.channel, float64(old.after), old.action)
			l.v, l.blind = old.v, true
			l.most, l.scale = g.bound(old.channel)
			g.late = append(g.late, &l)
		}
	}
	if g.c.Late.Most > 0 {
		l := own("late", float64(g.c.Late.Most), Ramp)
		l.v = &g.window.late
		g.late = append(g.late, &l)
	}
	g.latched = append(g.latched, g.late...)
	g.levels()
}

// levels sets the levels below which the guard's own channels need no closer look: the
// lowest level not yet crossed, of all axes together.
func (g *Guard) levels() {
	const finite = math.MaxFloat64
	m := &g.most
	*m = values{command: min(g.stroke, finite), rate: min(g.step, finite), measured: finite, velocity: finite, err: finite, force: finite, age: finite, lates: finite}
	for _, l := range g.onCommand {
		l.lower()
	}
	for _, l := range g.onReading {
		l.lower()
	}
	for _, l := range g.late {
		l.lower()
	}
}

// bound returns the field for the level of one of the guard's own channels, with its
// scale; nil for channels of other parts.
func (g *Guard) bound(channel string) (most *float64, scale float64) {
	m := &g.most
	switch channelFamily(channel) {
	case "command_m":
		return &m.command, 1
	case "command_rate_m_s":
		return &m.rate, 1 / g.c.RateHz
	case "measured_m":
		return &m.measured, 1
	case "velocity_m_s":
		return &m.velocity, 1
	case "error_m":
		return &m.err, 1
	case "force_N":
		return &m.force, 1
	case "age":
		return &m.age, 1
	case "late_ticks":
		return &m.lates, 1
	}
	return nil, 0
}

// reserve makes the lists, one array for all.
func (g *Guard) reserve() {
	n := g.axes
	all := make([]float64, 11*n+2*g.c.Forces)
	for _, list := range []struct {
		of *[]float64
		n  int
	}{{&g.sent, n}, {&g.wanted, n}, {&g.lastValid, n + g.c.Forces}, {&g.validBefore, n + g.c.Forces}, {&g.at, n}, {&g.speed, n}, {&g.safe, n}, {&g.goal, n}, {&g.doubted, n}, {&g.least, n}, {&g.largest, n}} {
		*list.of, all = all[:list.n:list.n], all[list.n:]
	}
}

// reserveEvents makes room for every event there can be: a warning and an action of each
// limit, before the run and in it.
func (g *Guard) reserveEvents() {
	watched := len(g.Watched())
	g.events = make([]Event, 0, 4*len(g.latched))
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

// State is the state of the latch.
func (g *Guard) State() State { return g.state }

// Events are the limits crossed so far.
func (g *Guard) Events() []Event { return g.events }

// Watched has the names of Event.Values.
func (g *Guard) Watched() []string {
	var out []string
	for _, l := range g.limits() {
		out = append(out, l.name)
	}
	return out
}

func (g *Guard) limits() []*limit {
	return append(append([]*limit(nil), g.onCommand...), g.onReading...)
}

// Arm lets the next command begin the run. Limits warn and act afresh.
func (g *Guard) Arm() error {
	if g.state != Disarmed {
		return fmt.Errorf("guard is %s: want it disarmed to arm it", g.state)
	}
	g.set(Armed)
	g.open()
	return nil
}

// Reset opens the latch after a trip. Limits warn and act afresh; the events
// stay.
func (g *Guard) Reset() error {
	if g.state != Tripped {
		return fmt.Errorf("guard is %s: want it tripped to reset it", g.state)
	}
	g.stopCommand()
	g.set(Disarmed)
	g.underway = false
	g.acting, g.first, g.reading, g.why, g.apart = Indicate, Event{}, nil, nil, Apart{}
	g.open()
	return nil
}

// alert reports whether limits act.
func (g *Guard) alert() bool {
	return g.state != Tripped && (g.state != Disarmed || g.underway)
}

// open lets every limit warn and act again, and forgets late ticks of the window.
func (g *Guard) open() {
	for _, l := range g.latched {
		l.warned, l.acted = false, false
	}
	g.window.clear()
	g.levels()
}

func (g *Guard) set(s State) { g.state, g.stateV = s, float64(s) }

var errDisarmed = errors.New("guard is disarmed: arm it before the run")

// runaways has the names that rths.DivergedError uses.
var runaways = []string{"target_m", "measured_m", "command_m"}

// TakeOver takes over from a loop that diverges; see rths.FailSafe.
func (g *Guard) TakeOver(d *rths.DivergedError) bool {
	if g.ideal || g.state == Disarmed {
		return false
	}
	if i := slices.Index(runaways, d.What+"_m"); i >= 0 {
		g.diverged.name = runaways[i]
	}
	if g.acting == Indicate {
		g.why = d.Why
	}
	g.cross(&g.diverged, d.Value, d.Limit)
	return g.state != Running && g.state != Armed
}
