package report

import (
	"math"
	"testing"
)

// A single sample that stands out is still in the image.
func TestOverTimeKeepsPeaks(t *testing.T) {
	for _, n := range []int{1, 4000, 4001, 100003} {
		for _, peak := range []int{0, n / 3, n - 1} {
			values := make([]float64, n)
			values[peak] = -7
			found := false
			last := math.Inf(-1)
			for _, p := range overTimePoints(timed(1, 10, values)) {
				found = found || p.Y == -7 && p.X == 1+float64(peak)/10
				if p.X <= last {
					t.Fatalf("%d samples: times %g then %g", n, last, p.X)
				}
				last = p.X
			}
			if !found {
				t.Errorf("%d samples: the peak at %d is lost", n, peak)
			}
		}
	}
}

func TestGrid(t *testing.T) {
	long := timed(0, 4096, make([]float64, 41*4096))
	short := timed(0, 1024, make([]float64, 10*1024))
	for _, c := range []struct {
		name          string
		traces        []trace
		every, points int
	}{
		{"none", nil, 1, 0},
		{"no rows", []trace{{rate: 4096}}, 1, 0},
		{"one row", []trace{timed(0, 4096, []float64{1})}, 1, 1},
		{"all shown", []trace{short}, 1, 10240},
		{"one in four", []trace{long}, 4, 41984},
		{"lowest rate", []trace{long, short}, 1, 41984},
		{"many curves", make100(long), 9, 18660},
	} {
		points := min(maxPoints, 18750*100/float64(max(1, len(c.traces))))
		if g := newGrid(c.traces, points); g.every != c.every || g.points != c.points {
			t.Errorf("%s: every %d, %d points: want %d, %d", c.name, g.every, g.points, c.every, c.points)
		}
	}
}

func make100(t trace) []trace {
	list := make([]trace, 100)
	for i := range list {
		list[i] = t
	}
	return list
}
