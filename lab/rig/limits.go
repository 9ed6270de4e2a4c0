package rig

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"rths"
)

// Limit bounds the magnitude of a channel: one of the guard's own,
//
//	command_m          command, before it leaves
//	command_rate_m_s   its change over a sample
//	measured_m         measured displacement
//	velocity_m_s       measured velocity; without a sensor the mean over 5 ms
//	error_m            measured displacement minus target
//	force_N            measured force
//	age                samples since the reading was measured
//	late_ticks         ticks in a row that were late: the loop was too slow, or readings are old
//
// where the largest magnitude of all axes counts; or of one of several axes, as in
// measured_2_m or command_rate_1_m_s; or any channel of the loop's parts (sw_pct,
// energy_residual_J, a parameter).
type Limit struct {
	Channel string
	Warn    float64 // warning level; 0: none
	Trip    float64
	Action  Action
}

// quantity is one that a guard watches by itself. Its channels are its largest magnitude, and its magnitude of each
// axis or force where there are several.
type quantity struct {
	name, unit string
	of         func(*values) *float64
	each       func(*GuardConfig) int // axes or forces; nil: there are none
	scale      func(*GuardConfig) float64
	onCommand  bool                  // checked before the command leaves
	target     bool                  // needs the target of a loop
	blind      bool                  // a loop without new readings may cross a limit
	framed     bool                  // a record has it anyway, of every axis
	fresh      func(*watch) *float64 // its size at the last fresh reading; nil: not kept
}

func axesOf(c *GuardConfig) int   { return c.Axes }
func forcesOf(c *GuardConfig) int { return c.Forces }

// Quantities, by their places in quantities.
const (
	ofCommand = iota
	ofRate
	ofMeasured
	ofVelocity
	ofError
	ofForce
	ofAge
	ofLates
)

var quantities = [...]quantity{
	ofCommand: {
		name: "command", unit: "m", of: func(v *values) *float64 { return &v.command }, each: axesOf,
		onCommand: true, blind: true, framed: true, fresh: func(w *watch) *float64 { return &w.freshCommand },
	},
	ofRate: {
		name: "command_rate", unit: "m/s", of: func(v *values) *float64 { return &v.rate }, each: axesOf,
		scale: func(c *GuardConfig) float64 { return 1 / c.RateHz }, onCommand: true, blind: true,
	},
	ofMeasured: {name: "measured", unit: "m", of: func(v *values) *float64 { return &v.measured }, each: axesOf,
		framed: true},
	ofVelocity: {name: "velocity", unit: "m/s", of: func(v *values) *float64 { return &v.velocity }, each: axesOf},
	ofError: {
		name: "error", unit: "m", of: func(v *values) *float64 { return &v.err }, each: axesOf,
		target: true, blind: true, fresh: func(w *watch) *float64 { return &w.freshErr },
	},
	ofForce: {name: "force", unit: "N", of: func(v *values) *float64 { return &v.force }, each: forcesOf, framed: true},
	ofAge:   {name: "age", unit: "-", of: func(v *values) *float64 { return &v.age }, framed: true},
	ofLates: {name: "late_ticks", unit: "-", of: func(v *values) *float64 { return &v.lates }, blind: true},
}

// channel is the name of the channel of an axis or force, or of the largest of all of them (0).
func (q *quantity) channel(number int) string {
	name := q.name
	if number > 0 {
		name += fmt.Sprintf("_%d", number)
	}
	if q.unit == "-" {
		return name
	}
	return name + "_" + strings.ReplaceAll(q.unit, "/", "_")
}

// ownChannel is a channel of a guard's own.
type ownChannel struct {
	name   string
	q      *quantity
	number int // of an axis or a force; 0: the largest of all
}

// v is where the value of a channel stands.
func (o *ownChannel) v(w *watch) *float64 {
	if o.number == 0 {
		return o.q.of(&w.value)
	}
	return o.q.of(&w.each[o.number-1])
}

// inFrame reports whether a record has the channel anyway.
func (o *ownChannel) inFrame(c *GuardConfig) bool {
	return o.q.framed && (o.number > 0 || o.q.each == nil || o.q.each(c) == 1)
}

// own are the guard's own channels: the largest of all axes first, then those of each axis.
func (c *GuardConfig) own() (out []ownChannel) {
	for number := range 1 + max(c.Axes, c.Forces) {
		for i := range quantities {
			q := &quantities[i]
			if number == 0 || q.each != nil && q.each(c) > 1 && number <= q.each(c) {
				out = append(out, ownChannel{q.channel(number), q, number})
			}
		}
	}
	return out
}

// is reports whether a channel is one of a quantity, of all axes or of one.
func (c *GuardConfig) is(channel string, of int) bool {
	return slices.ContainsFunc(c.own(), func(o ownChannel) bool { return o.name == channel && o.q == &quantities[of] })
}

// lowestRate is the lowest level at which a limit on the command's rate acts, m/s.
func (c *GuardConfig) lowestRate() float64 {
	most := math.Inf(1)
	for _, l := range c.Limits {
		if c.is(l.Channel, ofRate) && l.Action != Indicate {
			most = min(most, l.Trip)
		}
	}
	return most
}

// check looks at everything but the limits.
func (c *GuardConfig) check() error {
	switch {
	case !(c.RateHz > 0) || math.IsInf(c.RateHz, 0):
		return fmt.Errorf("guard: rate %g Hz: want more than 0", c.RateHz)
	case c.Axes < 1 || c.Forces < 0:
		return fmt.Errorf("guard: %d axes, %d forces: want at least one axis", c.Axes, c.Forces)
	case c.Start != nil && len(c.Start) != c.Axes:
		return fmt.Errorf("guard: start of %d commands: want %d", len(c.Start), c.Axes)
	case !(c.Stroke >= 0) || !(c.Rate >= 0):
		return fmt.Errorf("guard: stroke %g m, rate %g m/s: want 0 (not known) or more", c.Stroke, c.Rate)
	case slices.ContainsFunc(c.Start, func(u float64) bool { return !(math.Abs(u) <= orInf(c.Stroke)) }):
		return fmt.Errorf("guard: the rig starts at %g m: want at most the stroke, %g m", c.Start, c.Stroke)
	case c.Late.HoldAfter < 0 || c.Late.RampAfter < 0:
		return fmt.Errorf("guard: hold after an age of %d samples, ramp after %d: want 0 (never) or more", c.Late.HoldAfter,
			c.Late.RampAfter)
	case c.Late.RampAfter > 0 && c.Late.RampAfter <= c.Late.HoldAfter:
		return fmt.Errorf(
			"guard: ramp after an age of %d samples, hold after %d: the hold would never come first: want the ramp after "+
				"more samples", c.Late.RampAfter, c.Late.HoldAfter)
	case (c.Late.Most != 0 || c.Late.Within != 0) &&
		!(c.Late.Most >= 1 && c.Late.Most < c.Late.Within && c.Late.Within <= LongestWindow):
		return fmt.Errorf(
			"guard: ramp above %d late ticks of the last %d: want at least 1, of more ticks than these and at most %d, or 0 "+
				"of 0 (never)", c.Late.Most, c.Late.Within, LongestWindow)
	case !(c.HoldS >= 0) || c.HoldS > LongestS:
		return fmt.Errorf("hold of %g s: want 0 to %g", c.HoldS, float64(LongestS))
	}
	return nil
}

// LongestS is the longest that a hold or a ramp may take, s.
const LongestS = 3600

// take finds the channel of each limit.
func (w *watch) take(c *GuardConfig) error {
	own := c.own()
	seen := map[string]bool{}
	for _, l := range c.Limits {
		at := &limit{name: l.Channel, warn: l.Warn, trip: l.Trip, action: l.Action}
		i := slices.IndexFunc(own, func(o ownChannel) bool { return o.name == l.Channel })
		j := slices.IndexFunc(c.Channels, func(of rths.Channel) bool { return of.Name == l.Channel })
		switch {
		case i < 0 && j < 0:
			return fmt.Errorf("channel %q: there is none of this name: want one of %s", l.Channel, c.names())
		case seen[l.Channel]:
			return fmt.Errorf("channel %s: has two limits: want one", l.Channel)
		case !(l.Trip > 0) || math.IsInf(l.Trip, 0):
			return fmt.Errorf("channel %s: trip %g: want a number above 0", l.Channel, l.Trip)
		case !(l.Warn >= 0):
			return fmt.Errorf("channel %s: warn %g: want 0 (none) or more", l.Channel, l.Warn)
		case l.Warn >= l.Trip:
			return fmt.Errorf("channel %s: warn %g is not below trip %g: the warning would never come first", l.Channel, l.Warn,
				l.Trip)
		}
		seen[l.Channel] = true
		if i >= 0 {
			w.takeOwn(at, &own[i], c)
			continue
		}
		at.v, at.blind, w.busy = c.Channels[j].V, true, true
		w.onReading = append(w.onReading, at)
	}
	return nil
}

// takeOwn takes a limit on a channel of the guard's own.
func (w *watch) takeOwn(l *limit, of *ownChannel, c *GuardConfig) {
	q := of.q
	l.v, l.blind = of.v(w), q.blind
	l.bounds(w, q, c)
	if q.fresh != nil {
		l.fresh = q.fresh(w)
	}
	w.needsVelocity = w.needsVelocity || q == &quantities[ofVelocity]
	if q.onCommand {
		w.onCommand = append(w.onCommand, l)
		return
	}
	w.onReading = append(w.onReading, l)
	if !q.target {
		w.alone = append(w.alone, l)
	}
}

// bounds says which of the levels of a watch the limit lowers.
func (l *limit) bounds(w *watch, q *quantity, c *GuardConfig) {
	l.most, l.scale = q.of(&w.most), 1
	if q.scale != nil {
		l.scale = q.scale(c)
	}
}

// names are the channels that limits may name.
func (c *GuardConfig) names() string {
	var out []string
	for _, o := range c.own() {
		out = append(out, o.name)
	}
	for _, of := range c.Channels {
		out = append(out, of.Name)
	}
	return strings.Join(out, ", ")
}

// latches lists everything that is crossed once.
func (w *watch) latches(c *GuardConfig) {
	own := func(name string, level float64, action Action) limit {
		return limit{name: name, trip: level, action: action}
	}
	w.nonFin = own("non_finite", 0, c.NonFinite)
	w.diverged = own(runaways[0], 0, c.NonFinite)
	w.diverged.fresh, w.diverged.blind = &w.freshCommand, true
	w.failed = own("reading", 0, c.NonFinite)
	w.beyond = own(quantities[ofCommand].channel(0), orInf(c.Stroke), Indicate)
	w.faster = own(quantities[ofRate].channel(0), c.Rate, Indicate)
	w.latched = append(w.limits(), &w.nonFin, &w.diverged, &w.failed, &w.beyond, &w.faster)
	for i := range w.outside {
		w.outside[i] = own("", 0, Action(i))
		w.latched = append(w.latched, &w.outside[i])
	}
	for _, of := range []int{ofAge, ofLates} {
		for _, at := range []struct {
			after  int
			action Action
		}{{c.Late.HoldAfter, Hold}, {c.Late.RampAfter, Ramp}} {
			if at.after > 0 {
				q := &quantities[of]
				l := own(q.channel(0), float64(at.after), at.action)
				l.v, l.blind = q.of(&w.value), true
				l.bounds(w, q, c)
				w.late = append(w.late, &l)
			}
		}
	}
	if c.Late.Most > 0 {
		l := own("late", float64(c.Late.Most), Ramp)
		l.v = &w.window.late
		w.late = append(w.late, &l)
	}
	w.latched = append(w.latched, w.late...)
	w.levels()
}
