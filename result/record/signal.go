package record

import "rths"

// Signal is numbers in a row that are read where they stand, in memory or in a file. The zero Signal is none.
type Signal struct {
	n      int
	at     func(k int) float64
	values []float64 // in place of at, where the numbers are in memory: each times factor
	column *cursor   // in place of at, where they are in a file: from place first on, each times factor
	first  int
	factor float64

	peaks *peaks // of the column; nil: not known
}

// mostAtOnce is the longest signal in memory of which differences are computed at once; of a longer one they are
// computed where they are read.
const mostAtOnce = 1 << 20

// SignalOf is the signal of values in memory.
func SignalOf(values []float64) Signal {
	if values == nil {
		values = []float64{}
	}
	return Signal{n: len(values), values: values, factor: 1}
}

// SignalBy is the signal of n numbers that a function gives.
func SignalBy(n int, at func(k int) float64) Signal { return Signal{n: n, at: at} }

// None reports whether there is no signal.
func (s Signal) None() bool { return s.at == nil && s.values == nil && s.column == nil }

// Apart is the signal for a goroutine that reads it beside another one; false: it is computed, perhaps from what the
// other one reads.
func (s Signal) Apart() (Signal, bool) {
	if s.column != nil {
		s.column = &cursor{of: s.column.of, column: s.column.column}
	}
	return s, s.at == nil
}

// Len is how many numbers there are.
func (s Signal) Len() int { return s.n }

// At is number k, from 0.
func (s Signal) At(k int) float64 {
	if s.values != nil {
		return s.factor * s.values[k]
	}
	if s.column == nil {
		return s.at(k)
	}
	v := s.column.at(s.first + k)
	if s.factor == 1 { // a NaN of a file stays as it is
		return v
	}
	return s.factor * v
}

// Extremes are the places of the smallest and the largest finite number from one place to before another; both from
// where there is none.
func (s Signal) Extremes(from, to int) (low, high int) {
	if s.values != nil && from < to {
		low, high = extremes(s.values[from:to])
		low, high = from+low, from+high
		if s.factor < 0 {
			low, high = high, low
		}
		if rths.Finite(s.At(low)) && rths.Finite(s.At(high)) { // so is what lies between them
			return low, high
		}
	}
	e := s.reach(from, to)
	return e.lowAt, e.highAt
}

// reach is Extremes with the numbers.
func (s Signal) reach(from, to int) reach {
	e := nowhere
	if s.peaks != nil {
		e = s.peaks.between(func(k int) float64 { return s.At(k - s.first) }, s.factor, s.first+from, s.first+to)
		e.lowAt, e.highAt = e.lowAt-s.first, e.highAt-s.first
		if rths.Finite(e.low) && rths.Finite(e.high) {
			return e
		}
		e = nowhere // no number, or one that the factor makes infinite
	}
	e.lowAt, e.highAt = from, from
	for k := from; k < to; k++ {
		e.number(k, s.At(k))
	}
	return e
}

// Outer are the numbers at the places of Extremes, in the order of these.
func (s Signal) Outer(from, to int) (first, second float64) {
	if s.values != nil {
		low, high := s.Extremes(from, to)
		return s.At(min(low, high)), s.At(max(low, high))
	}
	switch e := s.reach(from, to); {
	case e.low > e.high:
		v := s.At(from)
		return v, v
	case e.lowAt <= e.highAt:
		return e.low, e.high
	default:
		return e.high, e.low
	}
}

// extremes are the places of the smallest and the largest of at least one number.
func extremes(values []float64) (low, high int) {
	least, most := values[0], values[0]
	for i, v := range values {
		if v < least {
			low, least = i, v
		} else if v > most {
			high, most = i, v
		}
	}
	return low, high
}

// First is the first n numbers.
func (s Signal) First(n int) Signal {
	s.n = min(n, s.n)
	return s
}

// Times is the signal times a factor.
func (s Signal) Times(factor float64) Signal {
	if s.None() || factor == 1 {
		return s
	}
	if s.values != nil || s.column != nil && s.factor == 1 {
		s.factor *= factor
		return s
	}
	return SignalBy(s.n, func(k int) float64 { return factor * s.At(k) })
}

// Minus is the difference of two signals, as long as the shorter.
func (s Signal) Minus(other Signal) Signal {
	n := min(s.n, other.n)
	if s.values == nil || other.values == nil || n > mostAtOnce {
		return SignalBy(n, func(k int) float64 { return s.At(k) - other.At(k) })
	}
	values := make([]float64, n)
	for k := range values {
		values[k] = s.factor*s.values[k] - other.factor*other.values[k]
	}
	return SignalOf(values)
}

// From is the signal without its first n numbers.
func (s Signal) From(n int) Signal {
	n = min(n, s.n)
	if s.values != nil {
		s.n, s.values = s.n-n, s.values[n:s.n]
		return s
	}
	if s.column != nil {
		s.n, s.first = s.n-n, s.first+n
		return s
	}
	return SignalBy(s.n-n, func(k int) float64 { return s.at(n + k) })
}

// Values are all numbers in memory; nil where there is no signal.
func (s Signal) Values() []float64 {
	if s.None() {
		return nil
	}
	values := make([]float64, s.n)
	for k := range values {
		values[k] = s.At(k)
	}
	return values
}
