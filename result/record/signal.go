package record

// Signal is numbers in a row that are read where they stand, in memory or in a file. The zero Signal is none.
type Signal struct {
	n  int
	at func(k int) float64
}

// SignalOf is the signal of values in memory.
func SignalOf(values []float64) Signal {
	return SignalBy(len(values), func(k int) float64 { return values[k] })
}

// SignalBy is the signal of n numbers that a function gives.
func SignalBy(n int, at func(k int) float64) Signal { return Signal{n, at} }

// None reports whether there is no signal.
func (s Signal) None() bool { return s.at == nil }

// Len is how many numbers there are.
func (s Signal) Len() int { return s.n }

// At is number k, from 0.
func (s Signal) At(k int) float64 { return s.at(k) }

// First is the first n numbers.
func (s Signal) First(n int) Signal { return Signal{min(n, s.n), s.at} }

// Times is the signal times a factor.
func (s Signal) Times(factor float64) Signal {
	if s.None() {
		return s
	}
	return Signal{s.n, func(k int) float64 { return factor * s.at(k) }}
}

// Minus is the difference of two signals, as long as the shorter.
func (s Signal) Minus(other Signal) Signal {
	return Signal{min(s.n, other.n), func(k int) float64 { return s.at(k) - other.at(k) }}
}

// From is the signal without its first n numbers.
func (s Signal) From(n int) Signal {
	n = min(n, s.n)
	return Signal{s.n - n, func(k int) float64 { return s.at(n + k) }}
}

// Values are all numbers in memory; nil where there is no signal.
func (s Signal) Values() []float64 {
	if s.None() {
		return nil
	}
	values := make([]float64, s.n)
	for k := range values {
		values[k] = s.at(k)
	}
	return values
}
