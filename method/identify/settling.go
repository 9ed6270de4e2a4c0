package identify

import (
	"math"

	"rths"
)

// settling says when a method may learn again after old readings. An old reading repeats a value while
// the specimen moves on. Filters, differences and taps of the adaptation go on with it, as any
// real-time loop must, and when readings are fresh again they hold a plateau and a step, which are no
// motion of the specimen: paired with the commands they would teach a plant that is not there.
//
// The slowest pole z of the method's filter forgets in T = 1/(1 − |z|) samples. A motion that the
// filter passes needs as long to change by its own size, so that a reading n samples old is wrong by
// up to n/T of it. Of this there is in the filter
//
//	c[k] = |z| c[k−1] + min(n/T, 1)/T                                              (1)
//
// and nothing is learnt while c is above 1 %, nor in the
//
//	ln(ε/1 %)/ln |z| + m samples,  ε = 0.1 %,                                     (2)
//
// after: until ε is left, and this has passed a line of m samples. After a long silence this is
// ln ε/ln |z| + m samples. One reading of ten that is lost at random leaves less than 1 %, with a
// filter of 20 Hz at 4096 Hz: these are left out, and the method learns on. Where half of them are
// lost it keeps what it has learnt. A late tick counts as an old reading: its command acts later than the
// method thinks.
//
// Age, c and count are part of the state of a run, not of what has been learnt.
type Settling struct {
	age, held, wait float64 // n; c; samples to pass yet
	pole, after     float64 // |z|, 0: no filter; (2)
}

// disturbs and leftOver are 1 % and ε; where c is below nothingLeft it is 0.
const disturbs, leftOver, nothingLeft = 1e-2, 1e-3, 1e-9

// NewSettling is for a pole, 0: no filter, and a line of so many samples beyond the newest.
func NewSettling(pole float64, line int) Settling {
	s := Settling{pole: pole, after: float64(line)}
	if pole > 0 {
		s.after += math.Ceil(math.Log(leftOver/disturbs) / math.Log(pole))
	}
	return s
}

// Learns takes note of a reading, and reports whether there is something to learn from it.
func (s *Settling) Learns(read *rths.Reading) bool {
	return s.Takes(read, Timely(read) && rths.Finite(read.X[0]))
}

// Absurd is the size, m, beyond which a reading is lost.
const Absurd = 1e3

// Timely reports whether a reading is of its tick, and the commands act when the method thinks.
func Timely(read *rths.Reading) bool { return read.Age == 0 && !read.Late }

// Takes is Learns for a method that says by itself which readings are fresh.
func (s *Settling) Takes(read *rths.Reading, fresh bool) bool {
	if fresh && s.held == 0 && s.wait == 0 {
		return true
	}
	return s.forget(read, fresh)
}

// forget is (1). Readings that are lost without an age, not a number, are counted.
func (s *Settling) forget(read *rths.Reading, fresh bool) bool {
	if s.age++; fresh {
		s.age = 0
	} else {
		s.age = max(s.age, float64(read.Age))
	}
	part := 1 - s.pole
	s.held = s.pole*s.held + part*min(part*s.age, 1)
	switch {
	case s.held > disturbs:
		s.wait = s.after
		return false
	case s.held < nothingLeft:
		s.held = 0
	}
	if s.wait > 0 {
		s.wait--
		return false
	}
	return fresh
}

// Settles reports whether too much of old readings is still in the filters.
func (s *Settling) Settles() bool { return s.wait > 0 }

// VisitState visits age, c and count.
func (s *Settling) VisitState(v *rths.StateVisitor) { v.Float(&s.age, &s.held, &s.wait) }

// Unaimed counts down the first readings of a run. No command aimed at these
// readings, so they make no pair to learn from (paper 000, section 2.4, steps 4 to 9:
// updates from d_m[1] on), and nothing is forgotten either.
type Unaimed float64

// Pass reports whether a reading is one of them.
func (u *Unaimed) Pass() bool {
	if *u > 0 {
		*u--
		return true
	}
	return false
}
