package rths

import (
	"fmt"
	"math"
)

// parts are the loop's stateful parts, in canonical order.
func (l *Loop) parts() []any {
	return []any{l.c.Integrator, l.c.Compensator, l.c.Rig}
}

// each does something with those parts that are a T, or wrap one.
func each[T, P any](parts []P, do func(T)) {
	for _, p := range parts {
		if t, ok := As[T](p); ok {
			do(t)
		}
	}
}

// AppendState appends everything the loop remembers from tick to tick: its own
// registers, then integrator, compensator and rig. Parameters that adaptive
// parts have learnt are not in it; see Checkpoint.
func (l *Loop) AppendState(dst []float64) []float64 {
	dst = l.appendRegisters(dst)
	each(l.parts(), func(s Stateful) { dst = s.AppendState(dst) })
	return dst
}

// SetState restores what AppendState appended.
func (l *Loop) SetState(src []float64) []float64 {
	src = l.setRegisters(src)
	each(l.parts(), func(s Stateful) { src = s.SetState(src) })
	return src
}

// appendRegisters: the target already made for this tick, the delay lines, and the force
// that a prediction and a prompt acceleration start from.
func (l *Loop) appendRegisters(dst []float64) []float64 {
	switch {
	case l.closing:
	case l.c.Timing.Target == Next:
		dst = append(dst, l.frame.Target.X...)
	default:
		dst = append(dst, l.ahead.X...)
		dst = append(dst, l.ahead.V...)
		dst = append(dst, l.ahead.A...)
	}
	dst = l.forceDelay.AppendState(dst)
	dst = append(append(dst, l.lastForce...), l.update.before...)
	return l.commandDelay.AppendState(dst)
}

func (l *Loop) setRegisters(src []float64) []float64 {
	take := func(x []float64) { src = src[copy(x, src):] }
	switch {
	case l.closing:
	case l.c.Timing.Target == Next:
		take(l.frame.Target.X)
	default:
		take(l.ahead.X)
		take(l.ahead.V)
		take(l.ahead.A)
	}
	src = l.forceDelay.SetState(src)
	take(l.lastForce)
	take(l.update.before)
	return l.commandDelay.SetState(src)
}

// AppendAdaptation appends what the adaptive parts have learnt.
func (l *Loop) AppendAdaptation(dst []float64) []float64 {
	each(l.parts(), func(a Adaptive) { dst = a.AppendAdaptation(dst) })
	return dst
}

// SetAdaptation restores what AppendAdaptation appended, also of another loop with the same
// adaptive parts.
func (l *Loop) SetAdaptation(src []float64) (rest []float64) {
	each(l.parts(), func(a Adaptive) { src = a.SetAdaptation(src) })
	return src
}

// Checkpoint returns all a loop needs to go on later with the same bits: the
// tick, the state, what adaptive parts have learnt and the state of observers.
func (l *Loop) Checkpoint() []float64 {
	dst := l.AppendAdaptation(l.AppendState([]float64{float64(l.k)}))
	each(l.c.Observers, func(s Stateful) { dst = s.AppendState(dst) })
	return dst
}

// Resume takes a checkpoint of a loop made from the same configuration.
func (l *Loop) Resume(checkpoint []float64) error {
	if want := len(l.Checkpoint()); len(checkpoint) != want {
		return fmt.Errorf("loop: checkpoint of %d numbers: want %d, from a loop of the same configuration", len(checkpoint), want)
	}
	l.k = int(checkpoint[0])
	src := l.SetAdaptation(l.SetState(checkpoint[1:]))
	each(l.c.Observers, func(s Stateful) { src = s.SetState(src) })
	return nil
}

// Freeze stops or restarts the adaptation of every part that adapts.
func (l *Loop) Freeze(on bool) {
	l.frozen = on
	each(l.parts(), func(a Adaptive) { a.Freeze(on) })
}

// Idealise switches noise, quantizers, ranges and saturation off or on.
func (l *Loop) Idealise(on bool) {
	l.ideal = on
	each(l.parts(), func(i Idealiser) { i.Idealise(on) })
}

// Flusher puts decayed states to zero. A motion that has ended decays on below 1e-308
// in a computer. Numbers so small, the subnormal ones, take many processors ten to a
// hundred times as long to multiply: a quiet hour would be a slow hour, and a state
// whose factor per tick is above 1/2 never comes to zero by itself.
//
// Flusher uses AppendState and SetState, so parts need no code of their own. A look at all
// states costs about a tick and happens every 512 ticks, by the number of the tick alone:
// a resumed run gives the same bits.
type Flusher struct {
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

// NewFlusher makes a Flusher for some parts.
func NewFlusher(parts ...Stateful) *Flusher {
	r := &Flusher{}
	r.Add(parts...)
	return r
}

// Add adds parts, before the first tick.
func (r *Flusher) Add(parts ...Stateful) {
	r.parts = append(r.parts, parts...)
	for _, p := range parts {
		r.state = p.AppendState(r.state[:0]) // makes room
	}
}

// At is called at the start of tick k.
func (r *Flusher) At(k int) {
	if k%ticksPerLook == 0 {
		r.flush()
	}
}

// Between is At of the ticks after one tick up to another, for parts that are not called in every tick.
func (r *Flusher) Between(behind, upTo int) {
	if upTo/ticksPerLook > behind/ticksPerLook {
		r.flush()
	}
}

func (r *Flusher) flush() {
	for _, p := range r.parts {
		r.state = p.AppendState(r.state[:0])
		if FlushDecayed(r.state) {
			p.SetState(r.state)
		}
	}
}

// FlushDecayed sets values of size below 1e-100 to zero and reports whether there were any. Apply
// FlushDecayed once to a ground motion or force history: a decaying envelope would keep a
// structure in equally small motion.
func FlushDecayed(x []float64) (some bool) {
	for i, v := range x {
		if math.Abs(v) < decayed && v != 0 {
			x[i], some = 0, true
		}
	}
	return some
}
