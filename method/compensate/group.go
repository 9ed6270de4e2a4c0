package compensate

import (
	"math"
	"slices"

	"rths"
)

// Group is the parts of a compensator that has several. What a part can do, the whole can.
type Group []rths.Compensator

// ofParts does something to each part that is a T.
func ofParts[T any](g Group, do func(T)) {
	for _, p := range g {
		if t, ok := rths.As[T](p); ok {
			do(t)
		}
	}
}

func (g Group) parts() Group { return g }

// LeavesOf are the parts, and the parts of parts, that are a T.
func LeavesOf[T any](c rths.Compensator) (out []T) {
	if g, ok := rths.As[interface{ parts() Group }](c); ok {
		for _, p := range g.parts() {
			out = append(out, LeavesOf[T](p)...)
		}
		return out
	}
	if t, ok := rths.As[T](c); ok {
		out = append(out, t)
	}
	return out
}

// VisitState visits the states of all parts.
func (g Group) VisitState(v *rths.StateVisitor) {
	for _, p := range g {
		v.StateOf(p)
	}
}

// Freeze holds what all parts have learnt.
func (g Group) Freeze(on bool) { ofParts(g, func(a rths.Adaptive) { a.Freeze(on) }) }

// VisitAdaptation visits what all parts have learnt.
func (g Group) VisitAdaptation(v *rths.StateVisitor) {
	for _, p := range g {
		v.AdaptationOf(p)
	}
}

// Idealise reaches all parts.
func (g Group) Idealise(on bool) { ofParts(g, func(i rths.Idealiser) { i.Idealise(on) }) }

// Settles reports whether a part does.
func (g Group) Settles() bool {
	return slices.ContainsFunc(g, func(p rths.Compensator) bool {
		s, ok := rths.As[Settler](p)
		return ok && s.Settles()
	})
}

// Failers are the parts that may fail.
func (g Group) Failers() (out []rths.Failer) {
	for _, p := range g {
		out = append(out, rths.FailersOf(p)...)
	}
	return out
}

// UseCurrentForce reports whether a part needs the target's acceleration with the force of its tick.
func UseCurrentForce(parts Group) bool {
	return slices.ContainsFunc(parts, func(p rths.Compensator) bool {
		u, ok := rths.As[rths.CurrentForceUser](p)
		return ok && u.UsesCurrentForce()
	})
}

// Pinned reports whether a bound holds a parameter of a part.
func (g Group) Pinned() bool {
	for _, p := range g {
		if b, ok := rths.As[Pinned](p); ok && b.Pinned() {
			return true
		}
	}
	return false
}

// Residual is of all parts: the roots of the sums of squares.
func (g Group) Residual() (left, noise float64) {
	for _, p := range g {
		if w, ok := rths.As[Watched](p); ok {
			e, n := w.Residual()
			left, noise = math.Hypot(left, e), math.Hypot(noise, n)
		}
	}
	return left, noise
}
