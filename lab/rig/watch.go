package rig

import (
	"math"

	"rths"
)

// watch is the part of a Guard that watches: the size of every channel, the levels of the limits, and which ticks were
// late.
type watch struct {
	value    values   // the largest of all axes and forces
	each     []values // of each, for channels with a number
	most     values   // up to which nothing is crossed; rate here is the change in a sample, m
	ceiling  values   // most without limits
	past     ring     // of X
	pace     float64  // of a mean velocity: 1 over the time that past spans, 1/s
	window   window   // of the last ticks: which were late
	mostLate float64  // of them, above which the guard ramps

	readingAge             int     // age of the last reading, samples
	silent                 int     // samples for which this age has grown
	lateTicks              int     // ticks in a row that were late
	freshErr, freshCommand float64 // at the last fresh reading, while readings are old, m
	exceeded               bool    // some of the last reading is above a level
	needsVelocity          bool    // some limit needs velocities
	busy                   bool    // more than the levels of one actuator is to be looked at in every tick

	onCommand []*limit                // checked in Write
	onReading []*limit                // checked in Observe
	alone     []*limit                // checked in StepAlone: what needs neither target nor another part
	late      []*limit                // of GuardConfig.Late
	outside   [len(actionNames)]limit // Trip, by its action
	nonFin    limit
	diverged  limit
	failed    limit    // readings
	beyond    limit    // commands clipped at the stroke
	faster    limit    // and at the rate
	latched   []*limit // all of them
}

// values are the quantities a Guard watches by itself.
type values struct {
	command, rate, measured, velocity, err, force, age, lates float64
}

// limit is a Limit at work.
type limit struct {
	name          string
	v             *float64
	warn, trip    float64
	action        Action
	warned, acted bool
	fresh         *float64 // of Event.Fresh; nil: 0
	blind         bool     // a loop without new readings may cross it
	most          *float64 // where next counts, see watch.levels; nil: a channel of another part
	scale         float64
}

// next is the lowest level that has not been crossed yet.
func (l *limit) next() float64 {
	switch {
	case !l.warned && l.warn > 0:
		return l.warn
	case !l.acted:
		return l.trip
	}
	return math.Inf(1)
}

// lowest is the level below which a channel is safe.
func (l *limit) lowest() float64 {
	if l.warn > 0 {
		return l.warn
	}
	return l.trip
}

// levels sets the levels below which the guard's own channels need no closer look: the
// lowest level not yet crossed, of all axes together.
func (w *watch) levels() {
	w.most = w.ceiling
	for _, list := range [...][]*limit{w.onCommand, w.onReading, w.late} {
		for _, l := range list {
			if l.most != nil {
				*l.most = min(*l.most, l.next()*l.scale)
			}
		}
	}
}

// open lets every limit warn and act again, and forgets late ticks of the window.
func (w *watch) open() {
	for _, l := range w.latched {
		l.warned, l.acted = false, false
	}
	w.window.clear()
	w.levels()
}

// start says that everything stands still at a reading.
func (w *watch) start(r *rths.Reading) {
	w.past.fill(r.X, r.Age)
	w.value.velocity = 0
	for i := range w.each {
		w.each[i].velocity = 0
	}
	w.readingAge, w.lateTicks = r.Age, 0
	w.open()
}

// limits are those that Watched names.
func (w *watch) limits() []*limit {
	return append(append([]*limit(nil), w.onCommand...), w.onReading...)
}

// watched gives the values of the channels that Watched names.
func (w *watch) watched(dst []float64) {
	for i, l := range w.onCommand {
		dst[i] = *l.v
	}
	for i, l := range w.onReading {
		dst[len(w.onCommand)+i] = *l.v
	}
}

// settled reports whether no level of a limit that acts is crossed.
func (w *watch) settled() bool {
	for _, l := range w.onReading {
		if l.action != Indicate && !(math.Abs(*l.v) <= l.lowest()) {
			return false
		}
	}
	return true
}

// sizes brings displacement and force up to date.
func (w *watch) sizes(measured, force []float64) {
	v := &w.value
	v.measured, v.force = 0, 0
	for i, x := range measured {
		v.measured = max(v.measured, math.Abs(x))
		w.each[i].measured = math.Abs(x)
	}
	for i, x := range force {
		v.force = max(v.force, math.Abs(x))
		w.each[i].force = math.Abs(x)
	}
}

// ageGrows takes an age above 0 of the next reading: readings are silent while it grows by one with each sample.
// A rig may state a constant age. sent is the last command that left.
func (w *watch) ageGrows(age int, sent []float64) {
	if w.readingAge == 0 || age != w.readingAge+1 {
		w.silent = 0
	}
	if age == w.readingAge+1 {
		if w.silent++; w.silent == 1 {
			w.freshErr, w.freshCommand = w.value.err, largestOf(sent)
		}
	}
}

// largestOf is the largest magnitude.
func largestOf(list []float64) (most float64) {
	for _, v := range list {
		most = max(most, math.Abs(v))
	}
	return most
}

// lateness brings the age of the reading and the number of late ticks in a row up to date: a loop that is too slow
// has the reading of every tick, and its commands act later and later. Late ticks go into the window, too.
func (w *watch) lateness(r *rths.Reading) {
	if w.lateTicks++; !r.Late {
		w.lateTicks = 0
	}
	w.value.age, w.value.lates = float64(r.Age), float64(w.lateTicks)
	if w.window.add(r.Late || r.Age > 0); w.window.late > w.mostLate || w.value.lates > w.most.lates {
		w.exceeded = true
	}
}

// farthest is the largest distance of a measured displacement from its target, NaN if one
// is NaN.
func farthest(measured, desired []float64) float64 {
	most := 0.0
	for i, x := range measured {
		if e := math.Abs(x - desired[i]); !(e <= most) {
			most = e
		}
	}
	return most
}

// measureVelocity takes velocities from their sensors, or from the displacements. A reading
// that was measured no later than the last one leaves them as they are.
func (w *watch) measureVelocity(read *rths.Reading) {
	n := w.past.later(read.Age)
	if n <= 0 {
		return
	}
	if n > 1 {
		w.past.bridge(read.X, n)
	}
	largest := 0.0
	for i, x := range read.X {
		velocity := math.Abs(x-w.past.replace(i, x)) * w.pace
		if i < len(read.V) {
			velocity = math.Abs(read.V[i])
		}
		if !(velocity <= largest) {
			largest = velocity
		}
		w.each[i].velocity = velocity
	}
	w.value.velocity = largest
	w.past.at++
}

// finite replaces a value that is not finite by the last valid one; bad is the first such
// value.
func (w *watch) finite(v *float64, most, last float64, bad *float64) {
	if math.Abs(*v) <= most {
		return
	}
	w.exceeded = true
	if !rths.Finite(*v) {
		if *bad == 0 {
			*bad = *v
		}
		*v = last
	}
}
