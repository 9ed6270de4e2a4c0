package rths

import "math"

// StateVisitor goes through the numbers that a part remembers, in their order: it appends them to a list, or takes them
// from the front of one. So a part lists its fields once, for both. A bool is 0 or 1 in the list.
//
// Hot paths keep a StateVisitor and call Append and Restore: these allocate nothing once the list has its length.
type StateVisitor struct {
	numbers   []float64 // appended so far, or left to restore
	restoring bool
}

// Append appends the state of a part to dst.
func (v *StateVisitor) Append(dst []float64, p Stateful) []float64 {
	v.numbers, v.restoring = dst, false
	p.VisitState(v)
	return v.numbers
}

// Restore sets a part to the state at the front of src, and returns the rest of src.
func (v *StateVisitor) Restore(src []float64, p Stateful) (rest []float64) {
	v.numbers, v.restoring = src, true
	p.VisitState(v)
	return v.numbers
}

// Restoring reports whether the numbers are restored. A part asks where it computes something from them.
func (v *StateVisitor) Restoring() bool { return v.restoring }

// Float visits numbers.
func (v *StateVisitor) Float(list ...*float64) {
	if v.restoring {
		for _, x := range list {
			*x = v.next()
		}
		return
	}
	for _, x := range list {
		v.numbers = append(v.numbers, *x)
	}
}

// Floats visits all numbers of lists, whose lengths stay.
func (v *StateVisitor) Floats(lists ...[]float64) {
	for _, l := range lists {
		if v.restoring {
			v.numbers = v.numbers[copy(l, v.numbers):]
		} else {
			v.numbers = append(v.numbers, l...)
		}
	}
}

// Complex visits complex numbers: the real part of each, then the imaginary.
func (v *StateVisitor) Complex(list ...*complex128) {
	for _, z := range list {
		re, im := real(*z), imag(*z)
		v.Float(&re, &im)
		*z = complex(re, im)
	}
}

// Int visits whole numbers.
func (v *StateVisitor) Int(list ...*int) {
	for _, n := range list {
		if v.restoring {
			*n = int(math.Round(v.next()))
		} else {
			v.numbers = append(v.numbers, float64(*n))
		}
	}
}

// Bool visits flags.
func (v *StateVisitor) Bool(list ...*bool) {
	for _, on := range list {
		switch {
		case v.restoring:
			*on = v.next() >= 0.5
		case *on:
			v.numbers = append(v.numbers, 1)
		default:
			v.numbers = append(v.numbers, 0)
		}
	}
}

// State visits the states of parts.
func (v *StateVisitor) State(parts ...Stateful) {
	for _, p := range parts {
		p.VisitState(v)
	}
}

// StateOf visits the states of parts, or of what they wrap. A part without a state has no numbers.
func (v *StateVisitor) StateOf(parts ...any) {
	for _, p := range parts {
		if s, ok := As[Stateful](p); ok {
			s.VisitState(v)
		}
	}
}

// AdaptationOf visits what parts, or what they wrap, have learnt.
func (v *StateVisitor) AdaptationOf(parts ...any) {
	for _, p := range parts {
		if a, ok := As[Adaptive](p); ok {
			a.VisitAdaptation(v)
		}
	}
}

func (v *StateVisitor) next() float64 {
	x := v.numbers[0]
	v.numbers = v.numbers[1:]
	return x
}

// AppendState appends the state of a part, or of what the part wraps, if there is one.
func AppendState(dst []float64, part any) []float64 {
	v := StateVisitor{numbers: dst}
	v.StateOf(part)
	return v.numbers
}

// SetState restores what AppendState appended, and returns the rest of src.
func SetState(src []float64, part any) (rest []float64) {
	v := StateVisitor{numbers: src, restoring: true}
	v.StateOf(part)
	return v.numbers
}

// AppendAdaptation appends what a part, or a part that it wraps, has learnt.
func AppendAdaptation(dst []float64, part any) []float64 {
	v := StateVisitor{numbers: dst}
	v.AdaptationOf(part)
	return v.numbers
}

// SetAdaptation restores what AppendAdaptation appended, and returns the rest of src.
func SetAdaptation(src []float64, part any) (rest []float64) {
	v := StateVisitor{numbers: src, restoring: true}
	v.AdaptationOf(part)
	return v.numbers
}
