package rig

// ring keeps the vectors of the last ticks, in places whose number is a power of two.
type ring struct {
	width, span, mask int
	at                int // ticks so far, to that of the last value
	old               int // age of the last value, samples
	x                 []float64
}

func newRing(span, width int) ring {
	n := 1
	for n <= span {
		n *= 2
	}
	return ring{width: width, span: span, mask: n - 1, x: make([]float64, n*width)}
}

// replace keeps the value of an axis in this tick, and gives the one of span ticks ago.
func (r *ring) replace(axis int, x float64) float64 {
	r.x[(r.at&r.mask)*r.width+axis] = x
	return r.x[((r.at-r.span)&r.mask)*r.width+axis]
}

// later is called in every tick with the age of its reading, and gives the samples from the
// last value to this one; 0 or less: it is not newer.
func (r *ring) later(age int) int {
	r.old++
	n := r.old - age
	if n > 0 {
		r.old = age
	}
	return n
}

// bridge keeps the straight line to a value that comes n samples after the last one, for the
// n-1 samples between that were not read.
func (r *ring) bridge(v []float64, n int) {
	for i, x := range v {
		last := r.x[((r.at-1)&r.mask)*r.width+i]
		for j := max(1, n-r.span); j < n; j++ {
			r.x[((r.at+j-1)&r.mask)*r.width+i] = last + (x-last)*float64(j)/float64(n)
		}
	}
	r.at += n - 1
}

// fill says that everything stood still before a value of this age: over fewer samples noise
// would be a velocity.
func (r *ring) fill(v []float64, age int) {
	r.old = age
	for i := 0; i < len(r.x); i += r.width {
		copy(r.x[i:], v)
	}
}
