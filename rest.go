package rths

import "math"

// Rest puts decayed states to zero. A motion that has ended decays on below 1e-308
// in a computer. Numbers so small, the subnormal ones, take many processors ten to a
// hundred times as long to multiply: a quiet hour would be a slow hour, and a state
// whose factor per tick is above 1/2 never comes to zero by itself.
//
// Rest uses AppendState and SetState, so parts need no code of their own. A look at all
// states costs about a tick and happens every 512 ticks, by the number of the tick alone:
// a resumed run gives the same bits.
type Rest struct {
	parts []Stateful
	state []float64 // of one of them
}

// decayed is the size below which a state is zero, whatever its unit: far below
// any motion, force or energy of a test. The square of a larger one, which energies
// and criteria need, is a normal number.
//
// A state above it at one look is subnormal before the next only if it loses 208
// decades in 512 ticks: its factor per tick is below 10^(−208/512) = 0.39. Such a
// state crosses the 16 decades of subnormal numbers in 40 ticks and comes to zero
// by itself.
const decayed = 1e-100

// ticksPerLook is the number of ticks from one look at the states to the next.
const ticksPerLook = 512

// NewRest makes a Rest for some parts.
func NewRest(parts ...Stateful) *Rest {
	r := &Rest{}
	r.Add(parts...)
	return r
}

// Add adds parts, before the first tick.
func (r *Rest) Add(parts ...Stateful) {
	r.parts = append(r.parts, parts...)
	for _, p := range parts {
		r.state = p.AppendState(r.state[:0]) // makes room
	}
}

// At is called at the start of tick k.
func (r *Rest) At(k int) {
	if k%ticksPerLook == 0 {
		r.look()
	}
}

// Between is At of the ticks behind one tick up to another, for parts that are not called in every tick.
func (r *Rest) Between(behind, upTo int) {
	if upTo/ticksPerLook > behind/ticksPerLook {
		r.look()
	}
}

func (r *Rest) look() {
	for _, p := range r.parts {
		r.state = p.AppendState(r.state[:0])
		if Settle(r.state) {
			p.SetState(r.state)
		}
	}
}

// Settle sets values of size below 1e-100 to zero and reports whether there were any. Apply
// Settle once to a ground motion or force history: a decaying envelope would keep a
// structure in equally small motion.
func Settle(x []float64) (some bool) {
	for i, v := range x {
		if math.Abs(v) < decayed && v != 0 {
			x[i], some = 0, true
		}
	}
	return some
}
