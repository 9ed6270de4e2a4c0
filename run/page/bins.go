package page

import "math"

// bin has what some consecutive rows have come to, as the page gets it:
//
//	from, to                     time of the first and of the last row, s
//	lowest, largest              of every quantity
//	x, y, x, y                   of every pair: the points with the lowest and the largest y, in the order of time
//
// A quantity that had no number has NaN.
type bin []float64

// shape is how many quantities and pairs a bin has.
type shape struct{ quantities, pairs int }

func (s shape) width() int { return 2 + 2*s.quantities + 4*s.pairs }

// make is a list of bins without rows, in one piece.
func (s shape) make(n int) []bin {
	out, all := make([]bin, n), make([]float64, n*s.width())
	for i := range out {
		out[i] = all[i*s.width() : (i+1)*s.width()]
	}
	return out
}

// clear makes a bin one without rows.
func (b bin) clear() {
	for i := range b {
		b[i] = math.NaN()
	}
}

// see adds a row: its time, its quantities, and of each pair the two quantities with these places.
func (s shape) see(b bin, t float64, q []float64, pairs [][2]int) {
	if b[0] != b[0] {
		b[0] = t
	}
	b[1] = t
	for i, v := range q {
		spread(b[2+2*i:], v, v)
	}
	for i, p := range pairs {
		keep(b[2+2*s.quantities+4*i:], q[p[0]], q[p[1]])
	}
}

// merge adds the rows of a later bin.
func (s shape) merge(b, later bin) {
	if b[0] != b[0] {
		copy(b, later)
		return
	}
	b[1] = later[1]
	for i := 2; i < 2+2*s.quantities; i += 2 {
		spread(b[i:], later[i], later[i+1])
	}
	for i := 2 + 2*s.quantities; i < len(b); i += 4 {
		keep(b[i:], later[i], later[i+1])
		keep(b[i:], later[i+2], later[i+3])
	}
}

// spread widens lowest and largest.
func spread(of []float64, low, high float64) {
	if !(of[0] <= low) && low == low {
		of[0] = low
	}
	if !(of[1] >= high) && high == high {
		of[1] = high
	}
}

// keep keeps of the points so far and a later one those with the lowest and the largest y, in the order of time.
func keep(p []float64, x, y float64) {
	switch rises := p[1] <= p[3]; {
	case x != x || y != y:
	case p[1] != p[1]:
		p[0], p[1], p[2], p[3] = x, y, x, y
	case rises && y < p[1], !rises && y > p[1]:
		p[0], p[1], p[2], p[3] = p[2], p[3], x, y
	case rises && y > p[3], !rises && y < p[3]:
		p[2], p[3] = x, y
	}
}

// history is the past of a test in a bounded number of bins. When there is no room, two neighbours become one: bins
// grow longer, and no extreme is lost.
type history struct {
	shape
	bins []bin
	used int
	each int // bins that have been given for one of these
	last int // bins in the last one
}

func newHistory(s shape, most int) *history { return &history{shape: s, bins: s.make(most), each: 1} }

// add takes a later bin.
func (h *history) add(b bin) {
	if h.used > 0 && h.last < h.each {
		h.merge(h.bins[h.used-1], b)
		h.last++
		return
	}
	if h.used == len(h.bins) {
		h.halve()
		if h.last < h.each {
			h.add(b)
			return
		}
	}
	copy(h.bins[h.used], b)
	h.used, h.last = h.used+1, 1
}

// halve makes one bin of two. An odd last one stays alone, half full.
func (h *history) halve() {
	if h.used%2 == 0 {
		h.last += h.each
	}
	for i := range h.used / 2 {
		h.merge(h.bins[2*i], h.bins[2*i+1])
		copy(h.bins[i], h.bins[2*i])
	}
	if h.used%2 == 1 {
		copy(h.bins[h.used/2], h.bins[h.used-1])
	}
	h.used, h.each = (h.used+1)/2, 2*h.each
}

// all are the bins, oldest first.
func (h *history) all() []bin { return h.bins[:h.used] }

// clear forgets everything.
func (h *history) clear() { h.used, h.last, h.each = 0, 0, 1 }

// recent is the last bins.
type recent struct {
	bins  []bin
	first int
	used  int
}

func newRecent(s shape, most int) *recent { return &recent{bins: s.make(most)} }

func (r *recent) add(b bin) {
	copy(r.bins[(r.first+r.used)%len(r.bins)], b)
	if r.used < len(r.bins) {
		r.used++
		return
	}
	r.first = (r.first + 1) % len(r.bins)
}

// all are the bins, oldest first.
func (r *recent) all() []bin {
	out := make([]bin, r.used)
	for i := range out {
		out[i] = r.bins[(r.first+i)%len(r.bins)]
	}
	return out
}
