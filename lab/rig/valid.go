package rig

import (
	"math"

	"rths"
)

// validReadings are the last valid readings: an action begins there, and they stand in for a reading that fails.
type validReadings struct {
	axes   int
	last   []float64 // the last valid reading: X, then F
	before []float64 // the one before it
	// both of one actuator with one force, whose checks take numbers instead of vectors: half the cost; else nil
	one, oneBefore *[2]float64

	tolerance float64   // how far from the last valid reading a valid one is, m; below 0: there is none yet
	reach     float64   // how far from a valid reading the next one may be, m; +Inf: not known
	move      float64   // how far the actuator may move in a sample, m; +Inf: not known
	doubted   []float64 // the last reading that was not valid, m
	agreeing  int       // readings in a row, up to this one, that agree with each other
	needed    int       // as many of them are valid
}

// none reports whether there is no valid reading yet.
func (r *validReadings) none() bool { return r.tolerance < 0 }

// take makes a reading the last valid one, if no position is farther from the last valid position than the actuator
// moves in the time between (near), or if enough readings agree. The age of both readings counts in this time.
func (r *validReadings) take(out *rths.Reading, near bool) {
	if !r.none() && !near && !r.agree(out) {
		r.tolerance += r.move
		return
	}
	r.keepBefore()
	copy(r.last[copy(r.last, out.X):], out.F)
	r.resetTolerance(out.Age)
}

// start makes a reading the only valid one.
func (r *validReadings) start(x *rths.Reading) {
	copy(r.last[copy(r.last, x.X):], x.F)
	r.keepBefore()
	r.resetTolerance(x.Age)
}

// agree takes a reading that is not near the last valid one, and reports whether enough of them in a row were
// near each other. An old reading says nothing new.
func (r *validReadings) agree(out *rths.Reading) bool {
	if out.Age > 0 {
		return false
	}
	alike := r.tolerance > r.reach // the reading before was not valid either
	for i, x := range out.X {
		alike = alike && math.Abs(x-r.doubted[i]) <= r.reach
	}
	if !alike {
		r.agreeing = 0
	}
	r.agreeing++
	copy(r.doubted, out.X)
	return r.agreeing >= r.needed
}

// resetTolerance says how far from a valid reading of an age the next one may be.
func (r *validReadings) resetTolerance(age int) {
	r.tolerance = r.reach
	if age > 0 { // 0 times an unknown way is no number
		r.tolerance, r.agreeing = r.tolerance+r.move*float64(age), 0
	}
}

// keepBefore makes the last valid reading the one before.
func (r *validReadings) keepBefore() { copy(r.before, r.last) }

// repeat gives the last valid reading again.
func (r *validReadings) repeat(out *rths.Reading, age int) {
	copy(out.X, r.last[:r.axes])
	copy(out.F, r.last[r.axes:])
	out.Age = age
	if !r.none() {
		r.tolerance += r.move
	}
}
