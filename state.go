package rths

import (
	"fmt"
	"math"
)

// parts are the loop's stateful parts, in canonical order.
func (l *Loop) parts() []any {
	return []any{l.c.Integrator, l.c.Compensator, l.c.Coupler, l.c.Rig}
}

// each does something with those parts that are a T, or wrap one.
func each[T, P any](parts []P, do func(T)) {
	for _, p := range parts {
		if t, ok := As[T](p); ok {
			do(t)
		}
	}
}

// VisitState visits everything the loop remembers from tick to tick: its own registers (the target already made for
// this tick, the delay lines, and the force that a prediction and a prompt acceleration start from), then integrator,
// compensator, coupler and rig. Parameters that adaptive parts have learnt are not in it; see Checkpoint.
func (l *Loop) VisitState(v *StateVisitor) {
	l.visitBefore(v)
	v.State(&l.commandDelay)
	v.StateOf(l.parts()...)
}

// visitBefore visits the registers before the line of delayed commands.
func (l *Loop) visitBefore(v *StateVisitor) {
	switch {
	case l.closing:
	case l.c.Timing.Target == Next:
		v.Floats(l.frame.Target.X)
	default:
		v.Floats(l.ahead.X, l.ahead.V, l.ahead.A)
	}
	v.State(&l.forceDelay)
	v.Floats(l.lastForce, l.update.before)
}

// NewestCommand is the place in AppendState of the command that was computed last and waits for its tick, a number for
// each axis. Without Timing.CommandDelay no command waits, and there is no such place.
func (l *Loop) NewestCommand() int {
	var v StateVisitor
	l.visitBefore(&v)
	return len(v.numbers)
}

// AppendState appends the state of the loop.
func (l *Loop) AppendState(dst []float64) []float64 { return l.visitor.Append(dst, l) }

// SetState restores what AppendState appended.
func (l *Loop) SetState(src []float64) (rest []float64) { return l.visitor.Restore(src, l) }

// VisitAdaptation visits what the adaptive parts have learnt.
func (l *Loop) VisitAdaptation(v *StateVisitor) { v.AdaptationOf(l.parts()...) }

// AppendAdaptation appends what the adaptive parts have learnt.
func (l *Loop) AppendAdaptation(dst []float64) []float64 { return AppendAdaptation(dst, l) }

// SetAdaptation restores what AppendAdaptation appended, also of another loop with the same
// adaptive parts.
func (l *Loop) SetAdaptation(src []float64) (rest []float64) { return SetAdaptation(src, l) }

// visitAll visits all a loop needs to go on later.
func (l *Loop) visitAll(v *StateVisitor) {
	v.Int(&l.k)
	l.VisitState(v)
	l.VisitAdaptation(v)
	for _, o := range l.c.Observers {
		v.StateOf(o)
	}
}

// Checkpoint returns all a loop needs to go on later with the same bits: the
// tick, the state, what adaptive parts have learnt and the state of observers.
func (l *Loop) Checkpoint() []float64 {
	var v StateVisitor
	l.visitAll(&v)
	return v.numbers
}

// Resume takes a checkpoint of a loop made from the same configuration.
func (l *Loop) Resume(checkpoint []float64) error {
	if want := len(l.Checkpoint()); len(checkpoint) != want {
		return fmt.Errorf("loop: checkpoint of %d numbers: want %d, from a loop of the same configuration", len(checkpoint),
			want)
	}
	l.visitAll(&StateVisitor{numbers: checkpoint, restoring: true})
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
// Flusher uses VisitState, so parts need no code of their own. A look at all
// states costs about a tick and happens every 512 ticks, by the number of the tick alone:
// a resumed run gives the same bits.
type Flusher struct {
	parts   []Stateful
	visitor StateVisitor
	state   []float64 // of one of them
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
		r.state = r.visitor.Append(r.state[:0], p) // makes room
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
		r.state = r.visitor.Append(r.state[:0], p)
		if FlushDecayed(r.state) {
			r.visitor.Restore(r.state, p)
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
