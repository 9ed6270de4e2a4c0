package rig

import (
	"math"
	"slices"
)

// begin starts an action. The first action starts at the last valid measured position, at
// rest; a harder one continues from the milder one's command.
func (g *Guard) begin() {
	if g.state == Running || g.state == Armed {
		for i := range g.at {
			g.at[i] = g.within(g.before[i])
		}
		clear(g.speed)
		g.behind = false
	}
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
		g.set(Holding)
	}
}

// over sends the command of a hold, ramp or stop and returns a TripError at its end. A
// failed Write of the rig does not end the action: the next command may arrive.
func (g *Guard) over() error {
	if g.state == Tripped {
		return g.trip("stopped")
	}
	end := g.advance()
	_ = g.rig.Write(g.sent)
	if end == "" {
		return nil
	}
	g.set(Tripped)
	return g.trip(end)
}

func (g *Guard) trip(end string) *TripError {
	return &TripError{Cause: g.first, Reading: g.reading, Why: g.why, T: float64(g.k) / g.c.RateHz, End: end}
}

// advance moves the command by a sample. Hold and stop last until the command has arrived,
// however slow the rate is; a ramp ends with its time. advance returns how the action
// ended, or "".
func (g *Guard) advance() string {
	there, fastest := true, 0.0
	if g.state == Ramping {
		there = g.profile.move(g.at, g.speed, g.goal)
	}
	for i, to := range g.at {
		from := g.sent[i]
		there = g.slew(i, to) && there
		rate := math.Abs(g.sent[i]-from) * g.rateHz
		fastest = max(fastest, rate)
		g.each[i].rate = rate
	}
	g.value.rate = fastest
	g.left--
	switch {
	case g.state == Ramping && there:
		return "ramp finished"
	case g.state == Ramping && g.left <= 0:
		return "ramp not finished in time"
	case g.acting == Stop && there:
		return "stopped"
	case g.acting == Hold && there && g.left <= 0:
		return "held"
	}
	return ""
}

// Unfinished is the error of a run that ends during a guard's action: a TripError, or nil
// if no limit has acted.
func (g *Guard) Unfinished() error {
	switch g.state {
	case Holding:
		return g.trip("still holding when the run ended")
	case Ramping:
		return g.trip("ramp not finished when the run ended")
	}
	return nil
}

// settled reports whether no level of a limit that acts is crossed.
func (g *Guard) settled() bool {
	return !slices.ContainsFunc(g.onReading, func(l *limit) bool {
		return l.action != Indicate && !(math.Abs(*l.v) <= l.lowest())
	})
}

// look compares a channel with its levels; NaN crosses every level.
func (g *Guard) look(l *limit) {
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
		return &Event{K: g.k, T: float64(g.k) / g.c.RateHz, Channel: channel, Value: value, Limit: bound, Action: action}
	}
	g.events = g.events[:len(g.events)+1]
	e := &g.events[len(g.events)-1]
	e.K, e.T, e.Channel, e.Value, e.Limit, e.Action = g.k, float64(g.k)/g.c.RateHz, channel, value, bound, action
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
