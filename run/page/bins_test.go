package page

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// rowsOf puts rows of two quantities, and the pair of them, into bins.
func rowsOf(rows [][]float64, each int) (shape, []bin) {
	s := shape{2, 1}
	var out []bin
	for k, q := range rows {
		if k%each == 0 {
			b := s.make(1)[0]
			b.clear()
			out = append(out, b)
		}
		s.see(out[len(out)-1], float64(k), q, [][2]int{{0, 1}})
	}
	return s, out
}

// In whatever bins rows go, and however often the history halves them, the history covers the time without a gap,
// has every extreme, and its pairs are points that were there, in the order of time.
func TestHistoryLosesNoExtreme(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 400).Draw(t, "rows")
		rows := make([][]float64, n)
		for k := range rows {
			rows[k] = []float64{float64(k) + 0.5, rapid.Float64Range(-1, 1).Draw(t, "y")}
		}
		each := rapid.IntRange(1, 5).Draw(t, "each")
		s, bins := rowsOf(rows, each)
		h := newHistory(s, rapid.IntRange(1, 16).Draw(t, "most"))
		for _, b := range bins {
			h.add(b)
		}
		next := 0
		for i, b := range h.all() {
			from, to := int(b[0]), int(b[1])
			if i < h.used-1 && to-from+1 != h.each*each || i == h.used-1 && (to-from)/each+1 != h.last {
				t.Fatalf("bin %d of %d has rows %d to %d: want %d bins of %d rows, in the last %d", i, h.used, from, to, h.each,
					each, h.last)
			}
			if from != next || to < from {
				t.Fatalf("a bin goes from row %d to %d: want one that begins at %d", from, to, next)
			}
			next = to + 1
			low, high := math.Inf(1), math.Inf(-1)
			for _, r := range rows[from : to+1] {
				low, high = min(low, r[1]), max(high, r[1])
			}
			if b[4] != low || b[5] != high {
				t.Fatalf("rows %d to %d: %g to %g, want %g to %g", from, to, b[4], b[5], low, high)
			}
			x1, y1, x2, y2 := b[6], b[7], b[8], b[9]
			if min(y1, y2) != low || max(y1, y2) != high || x1 > x2 || rows[int(x1)][1] != y1 || rows[int(x2)][1] != y2 {
				t.Fatalf("rows %d to %d have the points (%g, %g), (%g, %g): want the lowest and the highest, %g and %g, in the "+
					"order of time", from, to, x1, y1, x2, y2, low, high)
			}
		}
		if len(bins) > len(h.bins) && 2*h.used < len(h.bins) || len(bins) <= len(h.bins) && h.used != len(bins) {
			t.Fatalf("%d of %d bins are used for %d: want half of them or more", h.used, len(h.bins), len(bins))
		}
		if next != n {
			t.Fatalf("the history ends at row %d of %d", next, n)
		}
	})
}

// Rows without a number leave no trace beside those with one.
func TestBinsWithoutNumbers(t *testing.T) {
	nan := math.NaN()
	_, bins := rowsOf([][]float64{{1, nan}, {nan, 5}, {2, 3}, {nan, nan}}, 4)
	want := []float64{0, 3, 1, 2, 3, 5, 2, 3, 2, 3}
	for i, v := range bins[0] {
		if v != want[i] {
			t.Fatalf("bin %v: want %v", bins[0], want)
		}
	}
}

// The newest bins are the last ones.
func TestRecent(t *testing.T) {
	s := shape{0, 0}
	r := newRecent(s, 3)
	for k := range 8 {
		r.add(bin{float64(k), float64(k)})
		for i, b := range r.all() {
			if want := float64(max(0, k-2) + i); b[0] != want {
				t.Fatalf("after %d bins, place %d has %g: want %g", k+1, i, b[0], want)
			}
		}
	}
	if len(r.all()) != 3 {
		t.Errorf("%d bins: want 3", len(r.all()))
	}
}
