package kit

import (
	"math"

	"rths"
)

// Ticks whose readings are said to be old, in the midst of good ones.
const oldFrom, oldTo = Ticks / 4, Ticks/4 + 300

// old: what an adaptive compensator has learnt does not move in a tick whose reading is old,
// although its values move.
func (c *Compensator) old(r *report, s *script) {
	p := c.part()
	var parts []rths.Adaptive
	if a, ok := rths.As[rths.Adaptive](p.self); ok {
		parts = []rths.Adaptive{a}
	}
	if c.Learners != nil {
		parts = c.Learners(p.self.(rths.Compensator))
	}
	learnt := func(dst []float64) []float64 {
		for _, a := range parts {
			dst = rths.AppendAdaptation(dst, a)
		}
		return dst
	}
	in, out := make([]float64, s.ins), make([]float64, s.outs)
	step, age := p.call(in, out), &in[s.ins-1]
	var before, after []float64
	for k := range s.ticks() {
		if copy(in, s.input(k)); k >= oldFrom && k < oldTo {
			*age = float64(k - oldFrom + 1)
		}
		before = learnt(before[:0])
		step()
		after = learnt(after[:0])
		if *age > 0 && !sameBits(before, after) {
			r.add(OldTeachNo, "tick %d: parameters move with a reading %g samples old", k, *age)
			return
		}
	}
}

// Ticks of the runs that compare what has been learnt: readings are old for heldTicks from heldFrom
// on, and it is looked at every heldLook ticks afterwards.
const heldFrom, heldTicks, heldLook = Ticks / 2, 200, 300

// heldShare is what the values of old readings may change of the commands, relative to the largest:
// a filter that has forgotten them to a thousandth leaves so much of them. Where the method has
// feedback, which chases the value that is held, the specimen moves otherwise, and what is learnt from
// that motion is not false: chasedShare of the difference of the commands in the old ticks, too.
const heldShare, chasedShare = 1e-3, 0.02

// held: a message that is repeated shows a specimen that stands still, and a jump when messages come
// again. Neither may be learnt, in the old ticks or later: what has been learnt after them is the
// same as if the old readings had had the true values. Both runs lose the same time to learn in, so
// that only false lessons are left. What has been learnt is compared by the commands it gives.
func (c *Compensator) held(r *report) {
	if _, ok := rths.As[rths.Adaptive](c.Make()); !ok || c.Learners != nil {
		return
	}
	kept, chased := c.lessons(true)
	moved, commands := c.lessons(false)
	allowed := heldShare + chasedShare*apart(chased, commands)
	for i := range kept {
		off := apart(c.taught(kept[i]), c.taught(moved[i]))
		if !(off <= allowed) {
			r.add(OldTeachNo,
				"%d ticks after old readings: commands differ by %.2g of the largest with what they held: want at most %.2g",
				(i+1)*heldLook, off, allowed)
			return
		}
	}
}

// apart is the largest difference of two lists over the largest number of the second.
func apart(a, b []float64) float64 {
	most, off := 0.0, 0.0
	for k := range b {
		most, off = max(most, math.Abs(b[k])), max(off, math.Abs(a[k]-b[k]))
	}
	if off == 0 {
		return 0
	}
	return off / most
}

// lessons are what a method on the bench has learnt at some ticks after old readings, which hold the
// last fresh displacement, or have the true one, and the commands of the old ticks. The force is held
// in either case: some methods command by it, and that moves the specimen.
func (c *Compensator) lessons(hold bool) (out [][]float64, commands []float64) {
	b, made := newBench(c.Axes, c.RateHz), c.Make()
	a, _ := rths.As[rths.Adaptive](made)
	s := newSeat(make([]float64, c.ins()), make([]float64, c.Axes))
	last := newSeat(make([]float64, c.ins()), s.command)
	for k := range Ticks {
		Sine(&s.target, k, c.RateHz)
		b.clean(&s.read)
		since := k - heldFrom
		if since >= 0 && since < heldTicks {
			s.read.Age = since + 1
		}
		if s.read.Age > 0 {
			copy(s.read.F, last.read.F)
		}
		if s.read.Age > 0 && hold {
			copy(s.read.X, last.read.X)
		}
		copy(last.in, s.in)
		made.Step(s.command, &s.target, &s.read)
		b.write(s.command)
		if s.read.Age > 0 {
			commands = append(commands, s.command...)
		}
		if after := since - heldTicks + 1; after > 0 && after%heldLook == 0 {
			out = append(out, rths.AppendAdaptation(nil, a))
		}
	}
	return out, commands
}

// taught are the commands of a fresh part that has learnt this and learns no more, the bench
// following the target.
func (c *Compensator) taught(learnt []float64) (commands []float64) {
	made := c.Make()
	a, _ := rths.As[rths.Adaptive](made)
	rths.SetAdaptation(learnt, a)
	a.Freeze(true)
	b := newBench(c.Axes, c.RateHz)
	s := newSeat(make([]float64, c.ins()), make([]float64, c.Axes))
	for k := range Ticks / 4 {
		Sine(&s.target, k, c.RateHz)
		b.clean(&s.read)
		made.Step(s.command, &s.target, &s.read)
		b.write(s.target.X)
		commands = append(commands, s.command...)
	}
	return commands
}
