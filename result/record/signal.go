package record

import (
	"math"

	"rths"
)

// Signal is numbers in a row that are read where they stand, in memory or in a file. The zero Signal is none.
type Signal struct {
	n      int
	at     func(k int) float64
	values []float64 // in place of at, where the numbers are in memory: each times factor
	factor float64
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
func (s Signal) None() bool { return s.at == nil && s.values == nil }

// Len is how many numbers there are.
func (s Signal) Len() int { return s.n }

// At is number k, from 0.
func (s Signal) At(k int) float64 {
	if s.values != nil {
		return s.factor * s.values[k]
	}
	return s.at(k)
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
	low, high = from, from
	least, most := math.Inf(1), math.Inf(-1)
	for k := from; k < to; k++ {
		v := s.At(k)
		if !rths.Finite(v) {
			continue
		}
		if v < least {
			low, least = k, v
		}
		if v > most {
			high, most = k, v
		}
	}
	return low, high
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
	if s.values != nil {
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
