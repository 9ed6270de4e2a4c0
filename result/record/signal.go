package record

// Signal is numbers in a row that are read where they stand, in memory or in a file. The zero Signal is none.
type Signal struct {
	n      int
	at     func(k int) float64
	values []float64 // in place of at, where the numbers are in memory
}

// mostAtOnce is the longest signal in memory of which factors and differences are computed at once; of a longer one they
// are computed where they are read.
const mostAtOnce = 1 << 20

// SignalOf is the signal of values in memory.
func SignalOf(values []float64) Signal {
	if values == nil {
		values = []float64{}
	}
	return Signal{n: len(values), values: values}
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
		return s.values[k]
	}
	return s.at(k)
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
	return by(s.n, s.short(), func(k int) float64 { return factor * s.At(k) })
}

// Minus is the difference of two signals, as long as the shorter.
func (s Signal) Minus(other Signal) Signal {
	n := min(s.n, other.n)
	return by(n, s.short() && other.short(), func(k int) float64 { return s.At(k) - other.At(k) })
}

// short reports whether the numbers are in memory and few.
func (s Signal) short() bool { return s.values != nil && s.n <= mostAtOnce }

// by is SignalBy, computed at once on request.
func by(n int, atOnce bool, at func(k int) float64) Signal {
	if !atOnce {
		return SignalBy(n, at)
	}
	values := make([]float64, n)
	for k := range values {
		values[k] = at(k)
	}
	return SignalOf(values)
}

// From is the signal without its first n numbers.
func (s Signal) From(n int) Signal {
	n = min(n, s.n)
	if s.values != nil {
		return SignalOf(s.values[n:s.n])
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
