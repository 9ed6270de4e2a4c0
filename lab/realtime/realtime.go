// Package realtime keeps a loop at its instants: it makes a process ready for real time (Enter), sleeps until
// an instant, gives the ticks of a loop their instants (Pacer), and counts how far they were met (Ticks).
//
// An instant is a number of ns on a clock that all processes of a computer share, and that nobody sets
// (CLOCK_MONOTONIC, Now).
//
// Real time needs Linux, and rights: docs/guides/real-time-machine.md goes from a new Debian to a machine that holds
// 4096 Hz. On other systems Enter says that nothing is granted, and the instants are met as far as the
// system lets them.
//
// Not for a loop that nobody waits for: a virtual run is as fast as the machine, and needs none of this.
package realtime

import "time"

// The clock of time.Now is the same one, read without a call of the system.
var base, baseNow = readBase()

// readBase reads both clocks. Of several pairs it takes the one that was read fastest.
func readBase() (time.Time, int64) {
	var at time.Time
	var now int64
	shortest := time.Hour
	for range 16 {
		before := time.Now()
		read := monotonic()
		if took := time.Since(before); took < shortest {
			at, now, shortest = before.Add(took/2), read, took
		}
	}
	return at, now
}

// Now is the present instant, ns.
func Now() int64 { return baseNow + int64(time.Since(base)) }

// Pacer gives the ticks of a loop their instants, one period apart. After an overrun of a whole period
// the instants move: the ticks go on at their rate, and none is made up for. Use it where the
// loop owns the time. Where the rig ticks by itself, its readings are the instants.
type Pacer struct {
	period float64 // ns
	start  int64   // instant of tick 0 since the instants have moved, ns
	tick   int64   // since then
}

// NewPacer paces at a rate, above 0. The first tick is at once.
func NewPacer(rateHz float64) Pacer { return Pacer{period: 1e9 / rateHz} }

// Wait waits for the instant of the next tick. slept says whether there was time to wait; if not, the tick begins
// at its new instant, now.
func (p *Pacer) Wait() (due int64, slept bool) {
	due = p.start + int64(float64(p.tick)*p.period)
	p.tick++
	if now := Now(); now > due {
		p.start, p.tick = now, 1
		return now, false
	}
	SleepUntil(due)
	return due, true
}

// Restart has the next tick a period from now.
func (p *Pacer) Restart() { p.start, p.tick = Now(), 1 }
