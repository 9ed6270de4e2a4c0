package compensate

import (
	"math"
	"slices"

	"rths"
)

// group is the parts of a compensator that has several. What a part can do, the whole can.
type group []rths.Compensator

// ofParts does something to each part that is a T.
func ofParts[T any](g group, do func(T)) {
	for _, p := range g {
		if t, ok := rths.As[T](p); ok {
			do(t)
		}
	}
}

func (g group) parts() group { return g }

// leavesOf are the parts, and the parts of parts, that are a T.
func leavesOf[T any](c rths.Compensator) (out []T) {
	if g, ok := rths.As[interface{ parts() group }](c); ok {
		for _, p := range g.parts() {
			out = append(out, leavesOf[T](p)...)
		}
		return out
	}
	if t, ok := rths.As[T](c); ok {
		out = append(out, t)
	}
	return out
}

func (g group) VisitState(v *rths.StateVisitor) {
	for _, p := range g {
		v.StateOf(p)
	}
}

func (g group) Freeze(on bool) { ofParts(g, func(a rths.Adaptive) { a.Freeze(on) }) }

func (g group) VisitAdaptation(v *rths.StateVisitor) {
	for _, p := range g {
		v.AdaptationOf(p)
	}
}

func (g group) Idealise(on bool) { ofParts(g, func(i rths.Idealiser) { i.Idealise(on) }) }

// settles reports whether a part does.
func (g group) Settles() bool {
	return slices.ContainsFunc(g, func(p rths.Compensator) bool {
		s, ok := rths.As[Settler](p)
		return ok && s.Settles()
	})
}

// Failers are the parts that may fail.
func (g group) Failers() (out []rths.Failer) {
	for _, p := range g {
		out = append(out, rths.FailersOf(p)...)
	}
	return out
}

// useCurrentForce reports whether a part needs the target's acceleration with the force of its tick.
func useCurrentForce(parts group) bool {
	return slices.ContainsFunc(parts, func(p rths.Compensator) bool {
		u, ok := rths.As[rths.CurrentForceUser](p)
		return ok && u.UsesCurrentForce()
	})
}

// Pinned reports whether a bound holds a parameter of a part.
func (g group) Pinned() bool {
	for _, p := range g {
		if b, ok := rths.As[Pinned](p); ok && b.Pinned() {
			return true
		}
	}
	return false
}

// Residual is of all parts: the roots of the sums of squares.
func (g group) Residual() (left, noise float64) {
	for _, p := range g {
		if w, ok := rths.As[Watched](p); ok {
			e, n := w.Residual()
			left, noise = math.Hypot(left, e), math.Hypot(noise, n)
		}
	}
	return left, noise
}
