package rig

import (
	"math"
	"slices"
)

// begin starts an action. During the run the first action starts at the last valid measured
// position, at rest; outside the loop it starts where the profile has the command, with its
// velocity. A harder action continues from the milder one's command.
func (g *Guard) begin() {
	switch g.state {
	case Disarmed, Armed:
		g.underway = true
	case Running:
		g.takeCommand()
	}
	switch g.acting {
	case Hold:
		g.set(Holding)
		g.remaining = int(math.Ceil(g.c.HoldS * g.c.RateHz))
		g.brake()
	case Ramp:
		g.set(Ramping)
		g.remaining = int(math.Ceil(g.c.Profile.WithinS * g.c.RateHz))
		g.setSafeGoal()
	case Stop:
		g.set(Holding)
		g.brake()
	}
}

// brake makes the goal where the profile comes to rest soonest. A stop of a ramp that began
// in the run is sudden.
func (g *Guard) brake() {
	if !g.underway {
		clear(g.speed)
	}
	for i, x := range g.at {
		g.goal[i] = g.within(x + g.profile.rest(g.speed[i]))
	}
}

// stopCommand wants the command where it is, at rest.
func (g *Guard) stopCommand() {
	copy(g.at, g.sent)
	copy(g.goal, g.sent)
	clear(g.speed)
}

// takeCommand takes the command from the loop to the last valid measured position, at rest, or to the command of the
// last trailS that is nearest to this position.
func (g *Guard) takeCommand() {
	for i := range g.at {
		low, high := g.recent(i)
		x := g.within(g.validBefore[i])
		g.at[i] = min(max(x, low), high)
		if far := math.Abs(x - g.at[i]); far > g.apartAbove(low, high) && far > math.Abs(g.apart.Reading-g.apart.Command) {
			g.apart = Apart{Axis: i + 1, Reading: x, Command: g.at[i]}
		}
	}
	clear(g.speed)
	g.catchingUp = false
}

// apartAbove is the distance of a reading from all commands that noise, gain and overshoot of a sound actuator do not
// explain, m.
func (g *Guard) apartAbove(low, high float64) float64 {
	return noiseShare*g.c.Stroke + apartShare*max(math.Abs(low), math.Abs(high), high-low)
}

// apartShare is the gain and the overshoot of a sound actuator.
const apartShare = 0.2

// setSafeGoal makes the profile's goal the one to go to. No safe position is beyond all commands that left.
func (g *Guard) setSafeGoal() {
	clear(g.goal)
	if g.c.Profile.ToSafe {
		for i, x := range g.safe {
			g.goal[i] = min(max(x, g.least[i]), g.largest[i])
		}
	}
}

// trailPlace is where the commands of a tick stand in the trail.
func (g *Guard) trailPlace(k int) int { return (k & (len(g.trail)/g.axes - 1)) * g.axes }

// recent are the smallest and the largest command of the last trailS.
func (g *Guard) recent(axis int) (low, high float64) {
	low, high = g.sent[axis], g.sent[axis]
	for n := 1; n < g.span; n++ {
		u := g.trail[g.trailPlace(g.k-n)+axis]
		low, high = min(low, u), max(high, u)
	}
	return low, high
}

// resetTrail forgets the commands that left: the rig stands at the present one.
func (g *Guard) resetTrail() {
	for i := range g.trail {
		g.trail[i] = g.sent[i%g.axes]
	}
	copy(g.least, g.sent)
	copy(g.largest, g.sent)
}

// keepSent keeps the command that leaves.
func (g *Guard) keepSent() {
	for i, u := range g.sent {
		g.trail[g.trailPlace(g.k)+i] = u
	}
	if g.c.Profile.ToSafe {
		for i, u := range g.sent {
			g.least[i], g.largest[i] = min(g.least[i], u), max(g.largest[i], u)
		}
	}
}

// sendOwn sends the command of a hold, ramp or stop and returns a TripError at its end. A
// failed Write of the rig does not end the action: the next command may arrive.
func (g *Guard) sendOwn() error {
	if g.state != Tripped {
		g.started = true
		g.advance()
		_ = g.rig.Write(g.sent)
	}
	if g.state != Tripped {
		return nil
	}
	return g.trip(g.endK, g.ended.String())
}

func (g *Guard) trip(k int, end string) *TripError {
	return &TripError{Cause: g.first, Reading: g.reading, Why: g.why, Apart: g.apart, T: float64(k) / g.c.RateHz, RateHz: g.c.RateHz, End: end}
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
	there, fastest := g.profile.move(g.at, g.speed, g.goal), 0.0
	for i, to := range g.at {
		from := g.sent[i]
		there = g.slew(i, to, g.step) && there
		rate := math.Abs(g.sent[i]-from) * g.rateHz
		fastest = max(fastest, rate)
		g.each[i].rate = rate
	}
	g.value.rate = fastest
	g.keepSent()
	g.remaining--
	if g.ended = g.end(there); g.ended != notEnded {
		g.endK = g.k
		g.set(Tripped)
	}
}

// end says how the action ends in this sample, if it does; there: the command has arrived.
func (g *Guard) end(there bool) ending {
	switch {
	case g.state == Ramping && there:
		return rampFinished
	case g.state == Ramping && g.remaining <= 0:
		return rampLate
	case g.acting == Stop && there:
		return stopped
	case g.acting == Hold && there && g.remaining <= 0:
		return held
	}
	return notEnded
}

// Unfinished is the error of a run that ends during or after a guard's action: a TripError,
// or nil if no limit has acted.
func (g *Guard) Unfinished() error {
	switch g.state {
	case Holding:
		return g.trip(g.k, "command still held when the run ended")
	case Ramping:
		return g.trip(g.k, "command's ramp not finished when the run ended")
	case Tripped:
		return g.trip(g.endK, g.ended.String())
	}
	return nil
}

// settled reports whether no level of a limit that acts is crossed.
func (g *Guard) settled() bool {
	return !slices.ContainsFunc(g.onReading, func(l *limit) bool {
		return l.action != Indicate && !(math.Abs(*l.v) <= l.lowest())
	})
}

// checkLimit compares a channel with its levels; NaN crosses every level.
func (g *Guard) checkLimit(l *limit) {
	v := math.Abs(*l.v)
	switch {
	case !l.acted && !(v <= l.trip):
		l.warned = true
		g.cross(l, *l.v, l.trip)
		g.levels()
	case !l.warned && l.warn > 0 && v > l.warn:
		l.warned = true
		g.event(l.name, *l.v, l.warn, "warn")
		g.levels()
	}
}

// Trip acts as a crossed limit does, for a cause from outside: a watchdog, an operator, a
// silent link. channel, value and limit describe the cause in its event and in the
// TripError. Indicate makes an event only. Of each action the first Trip counts until StartAt,
// Arm or Reset; later ones of the same action do nothing, whatever channel they name. Trip
// acts in every state but Tripped: also on a guard that is disarmed.
func (g *Guard) Trip(channel string, value, limit float64, action Action) {
	l := &g.outside[action]
	l.name = channel
	g.act(l, value, limit)
}

// cross records that a limit was crossed, once, and acts.
func (g *Guard) cross(l *limit, value, bound float64) {
	if g.alert() {
		g.act(l, value, bound)
	}
}

// act makes the event of a limit and takes its action, once.
func (g *Guard) act(l *limit, value, bound float64) {
	if l.acted || g.state == Tripped {
		return
	}
	l.acted = true
	e := g.event(l.name, value, bound, l.action.String())
	if e.Fresh, e.Silent = 0, 0; l.fresh != nil {
		e.Fresh = *l.fresh
	}
	if l.blind && g.readingAge > 0 {
		e.Silent = g.silent
	}
	if l.action == Indicate {
		return
	}
	if g.acting == Indicate {
		g.first, g.cause = *e, slices.Index(g.latched, l)
	}
	if l.action > g.acting {
		g.acting = l.action
		g.begin()
	}
}

// event keeps an event in preallocated room. Without room (a guard reset and tripped many
// times) the event is left out.
func (g *Guard) event(channel string, value, bound float64, action string) *Event {
	if len(g.events) == cap(g.events) {
		g.spare = Event{K: g.k, T: float64(g.k) / g.c.RateHz, Age: g.readingAge, Channel: channel, Value: value, Limit: bound, Action: action}
		return &g.spare
	}
	g.events = g.events[:len(g.events)+1]
	e := &g.events[len(g.events)-1]
	e.K, e.T, e.Age, e.Channel, e.Value, e.Limit, e.Action = g.k, float64(g.k)/g.c.RateHz, g.readingAge, channel, value, bound, action
	n := valuesOf(e.Values, g.onCommand)
	valuesOf(e.Values[n:], g.onReading)
	return e
}

func valuesOf(dst []float64, from []*limit) int {
	for i, l := range from {
		dst[i] = *l.v
	}
	return len(from)
}
