package plant

import (
	"fmt"
	"slices"

	"rths"
)

// Lean is how a specimen between two points, as a column, leans: its upper end moves sideways by s = R q, a row of R
// for each direction, and comes down by the length of the chord,
//
//	e = b q − |s|²/2L
//
// so that by virtual work its force N also pushes sideways, by −N s/L at s: the P–Δ effect. For |s| up to a tenth of L.
type Lean struct {
	Rows   [][]float64 // R: displacement sideways per unit of each coordinate; none: it does not lean
	Length float64     // L, m
}

// Shortens is |s|²/2L, m, at displacements q.
func (l *Lean) Shortens(q []float64) (sum float64) {
	for _, row := range l.Rows {
		s := dot(row, q)
		sum += s * s
	}
	return sum / (2 * l.Length)
}

// Rates are the first and the second rate of change of Shortens, m/s and m/s².
func (l *Lean) Rates(q *rths.Motion) (first, second float64) {
	for _, row := range l.Rows {
		s, v, a := dot(row, q.X), dot(row, q.V), dot(row, q.A)
		first += s * v / l.Length
		second += (v*v + s*a) / l.Length
	}
	return first, second
}

func dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// check wants rows over n coordinates.
func (l *Lean) check(n int) error {
	for _, row := range l.Rows {
		if len(row) != n || slices.ContainsFunc(row, func(v float64) bool { return !rths.Finite(v) }) {
			return fmt.Errorf("lean %g: want lists of %d finite numbers, one for each coordinate", l.Rows, n)
		}
	}
	if len(l.Rows) > 0 && !(l.Length > 0 && l.Length <= mostArm) {
		return fmt.Errorf("length_m %g: want the length of a specimen that leans, more than 0, at most %g m", l.Length,
			mostArm)
	}
	return nil
}

// leaning is a Lean at work.
type leaning struct {
	Lean
	s []float64 // in each direction, at the motion of the last to
}

// lean lets specimen i lean.
func (a *Assembly) lean(i int, l *Lean) error {
	if len(l.Rows) == 0 {
		return nil
	}
	if err := l.check(a.axes); err != nil {
		return err
	}
	if m := a.parts[i].Mass(); m != 0 {
		return fmt.Errorf("mass %g kg of a specimen that leans: want 0, and the mass in the structure", m)
	}
	a.parts[i].lean = &leaning{*l, make([]float64, len(l.Rows))}
	return nil
}

// to is Shortens and its first rate at a motion, which push then uses.
func (l *leaning) to(m *rths.Motion) (less, slower float64) {
	for r, row := range l.Rows {
		s := dot(row, m.X)
		l.s[r] = s
		less += s * s / (2 * l.Length)
		slower += s * dot(row, m.V) / l.Length
	}
	return less, slower
}

// push adds what the force n of the specimen does sideways.
func (l *leaning) push(force []float64, n float64) {
	for r, row := range l.Rows {
		by := n * l.s[r] / l.Length
		for i, v := range row {
			force[i] -= by * v
		}
	}
}
