package kit

import (
	"math"
	"slices"

	"rths"
)

// Names of the promises that all families share.
const (
	NoAllocations = "a step allocates nothing"
	NoGoroutines  = "a step starts no goroutine"
	EqualBits     = "equal inputs give equal bits"
	Filled        = "all outputs are filled with finite numbers"
	InputsStay    = "inputs stay unchanged"
	NothingKept   = "nothing of the caller's is kept or read before it is filled"
	ConstantState = "the state has a constant length"
	Resumes       = "a state resumes with the same bits"
	RestIsRest    = "rest stays rest"
)

// part is a method under test. All its inputs of one tick stand in one slice, all its
// outputs in another, so that families differ by call only.
type part struct {
	self any // the method itself: its state is looked for here
	// call returns a step whose arguments are views of in and whose results are
	// written to out.
	call func(in, out []float64) (step func())
}

// script has the inputs of a part, tick by tick, and its outputs of the first time.
type script struct {
	fresh   func() *part
	ins     int // numbers of one tick
	outs    int
	given   []float64 // all ticks one after the other
	answers []float64
	cuts    []int // ticks to stop at, beside the usual ones
	erratic bool  // equal inputs gave other bits: comparisons say nothing
}

func (s *script) ticks() int { return len(s.given) / s.ins }

func (s *script) input(k int) []float64 { return s.given[k*s.ins : (k+1)*s.ins] }

func (s *script) answer(k int) []float64 { return s.answers[k*s.outs : (k+1)*s.outs] }

// run steps p through some ticks. look is called after each tick with what the part was
// given and what it answered; if it returns false the run ends.
func (s *script) run(p *part, from, to int, look func(k int, in, out []float64) bool) {
	in, out := make([]float64, s.ins), make([]float64, s.outs)
	step := p.call(in, out)
	for k := from; k < to; k++ {
		copy(in, s.input(k))
		poison(out)
		step()
		if look != nil && !look(k, in, out) {
			return
		}
	}
}

// same runs p through some ticks, with columns of the inputs scrambled, and returns the
// first tick whose answer differs, or −1.
func (s *script) same(p *part, from, to int, scrambled ...int) int {
	at := -1
	in, out := make([]float64, s.ins), make([]float64, s.outs)
	step := p.call(in, out)
	for k := from; k < to && at < 0; k++ {
		copy(in, s.input(k))
		for _, c := range scrambled {
			if in[c] = float64(k); k%3 == 0 {
				in[c] = math.NaN()
			}
		}
		poison(out)
		step()
		if !sameBits(out, s.answer(k)) {
			at = k
		}
	}
	return at
}

// shared are the promises of all families. If the script is erratic afterwards the kit
// ends there.
func (s *script) shared() (r report) {
	s.costs(&r)
	s.first(&r)
	if s.again(&r); s.erratic {
		return r
	}
	s.owned(&r)
	n := s.ticks()
	s.resumed(&r, append([]int{0, 1, 2, 7, n / 8, n*5/16 + 3, n / 2, n*13/16 + 1}, s.cuts...)...)
	return r
}

// costs: no allocation and no goroutine in any of the ticks.
func (s *script) costs(r *report) {
	allocations, goroutines := Least(func() func() {
		p, in, out := s.fresh(), make([]float64, s.ins), make([]float64, s.outs)
		step := p.call(in, out)
		return func() {
			for k := range s.ticks() {
				copy(in, s.input(k))
				step()
			}
		}
	})
	if allocations > 0 {
		r.add(NoAllocations, "%d allocations in %d ticks", allocations, s.ticks())
	}
	if goroutines > 0 {
		r.add(NoGoroutines, "%d goroutines in %d ticks", goroutines, s.ticks())
	}
}

// first keeps the answers, and looks at inputs and outputs.
func (s *script) first(r *report) {
	s.answers = make([]float64, 0, s.outs*s.ticks())
	changed, endless := -1, -1
	s.run(s.fresh(), 0, s.ticks(), func(k int, in, out []float64) bool {
		if changed < 0 && !sameBits(in, s.input(k)) {
			changed = k
			r.add(InputsStay, "tick %d: inputs are now %g: want %g", k, in, s.input(k))
		}
		if endless < 0 && slices.ContainsFunc(out, notFinite) {
			endless = k
			r.add(Filled, "tick %d: %g", k, out)
		}
		s.answers = append(s.answers, out...)
		return true
	})
}

// again: a fresh part gives the same bits, and its state keeps its length.
func (s *script) again(r *report) {
	p := s.fresh()
	length, at, differs := remembered(p.self), -1, -1
	s.run(p, 0, s.ticks(), func(k int, _, out []float64) bool {
		if n := 0; k%16 == 0 && at < 0 {
			if n = remembered(p.self); n != length {
				at = k
				r.add(ConstantState, "tick %d: %d numbers: want %d as at the start", k, n, length)
			}
		}
		if differs < 0 && !sameBits(out, s.answer(k)) {
			differs, s.erratic = k, true
			r.add(EqualBits, "tick %d: %g: want %g as the first time", k, out, s.answer(k))
		}
		return true
	})
}

// owned: every tick gets slices of its own, which hold nothing before and are spoilt
// afterwards. A part that keeps one reads what is spoilt or writes where nobody looks.
func (s *script) owned(r *report) {
	p := s.fresh()
	var lastIn, lastOut []float64
	for k := range s.ticks() {
		in, out := slices.Clone(s.input(k)), make([]float64, s.outs)
		poison(out)
		p.call(in, out)()
		if !sameBits(out, s.answer(k)) {
			r.add(NothingKept, "tick %d, with slices of its own: %g: want %g", k, out, s.answer(k))
			return
		}
		if !allNaN(lastIn) || !allNaN(lastOut) {
			r.add(NothingKept, "tick %d changed the slices of the tick before", k)
			return
		}
		poison(in)
		poison(out)
		lastIn, lastOut = in, out
	}
}

func allNaN(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return v == v })
}

// resumed: a state taken at some ticks and set into a part that has been used for
// something else goes on with the same bits.
func (s *script) resumed(r *report, cuts ...int) {
	slices.Sort(cuts)
	n := s.ticks()
	p, k := s.fresh(), 0
	for _, cut := range cuts {
		s.run(p, k, cut, nil)
		k = cut
		saved, used := save(p.self), s.fresh()
		s.run(used, n/3, n/3+50, nil)
		if !restore(used.self, saved) {
			r.add(Resumes,
				"tick %d: the state is appended to what is there and taken from the front: want no more and no less of it", cut)
			return
		}
		if at := s.same(used, cut, min(cut+n/4, n)); at >= 0 {
			r.add(Resumes, "resumed at tick %d: other bits at tick %d", cut, at)
			return
		}
	}
}

// still: nothing in, nothing out.
func (s *script) still(r *report, ticks int) {
	p, in, out := s.fresh(), make([]float64, s.ins), make([]float64, s.outs)
	step := p.call(in, out)
	for k := range ticks {
		step()
		for _, v := range out {
			if v != 0 {
				r.add(RestIsRest, "tick %d without input: %g", k, out)
				return
			}
		}
	}
}

// blind: columns of the inputs are not looked at.
func (s *script) blind(r *report, promise string, columns ...int) {
	if at := s.same(s.fresh(), 0, s.ticks(), columns...); at >= 0 {
		r.add(promise, "tick %d differs when they are scrambled", at)
	}
}

// save appends state and adaptation of a part, each to a number that must stay.
func save(part any) (both [2][]float64) {
	return [2][]float64{rths.AppendState([]float64{42}, part), rths.AppendAdaptation([]float64{42}, part)}
}

// remembered is how many numbers a part remembers.
func remembered(part any) int {
	both := save(part)
	return len(both[0]) + len(both[1]) - 2
}

// restore sets what save returned, with two numbers after each that must be left over.
func restore(part any, saved [2][]float64) bool {
	for i, set := range []func([]float64, any) []float64{rths.SetState, rths.SetAdaptation} {
		rest := set(append(slices.Clone(saved[i][1:]), 8, 9), part)
		if saved[i][0] != 42 || !slices.Equal(rest, []float64{8, 9}) {
			return false
		}
	}
	return true
}
