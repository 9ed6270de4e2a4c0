package signal

import "rths"

// Line remembers the last n values of one signal.
type Line struct {
	buf []float64 // a power of two of at least n
	at  int       // place of the newest
	n   int
}

// NewLine returns a line of n values (at least 1), all zero.
func NewLine(n int) *Line {
	n = max(n, 1)
	size := 1
	for size < n {
		size *= 2
	}
	return &Line{buf: make([]float64, size), n: n}
}

// Push makes x the newest value.
func (l *Line) Push(x float64) {
	l.at = (l.at + 1) & (len(l.buf) - 1)
	l.buf[l.at] = x
}

// At is the value pushed j pushes before the newest, 0 ≤ j < n.
func (l *Line) At(j int) float64 { return l.buf[(l.at-j)&(len(l.buf)-1)] }

// Len is the number of values remembered.
func (l *Line) Len() int { return l.n }

// VisitState visits all values but the oldest, newest first: the next Push drops the
// oldest.
func (l *Line) VisitState(v *rths.StateVisitor) {
	for j := range l.n - 1 {
		v.Float(&l.buf[(l.at-j)&(len(l.buf)-1)])
	}
}
