package report

import (
	"math"

	"rths/result/plotting"
)

// sight is what the axes of a figure show at first: images and the page have it from here. The page ends a zoomed
// vertical axis by the same rules (page.js, span).
type sight struct{ x, y [2]float64 }

func (fs *figures) sight(f figure) sight {
	x, y := none(), none()
	for _, c := range f.curves {
		t := fs.traces[c.y]
		if f.to > f.from {
			t = t.between(f.from, f.to)
		}
		y = y.with(positive(t, f.logY))
		if c.band != [2]int{} {
			y = y.with(endsOf(fs.traces[c.band[0]])).with(endsOf(fs.traces[c.band[1]]))
		}
		if c.x != overTime {
			x = x.with(positive(fs.traces[c.x], f.logX))
		} else {
			x = x.with(ends{true, t.start, t.start + t.duration()})
		}
	}
	if f.to > f.from {
		x = ends{true, f.from, f.to}
	}
	s := sight{x.axis(f.logX, f.shape == broad || !f.logX && !f.overTime()), f.limit(y).axis(f.logY, true)}
	if f.box[0] > 0 && f.box[1] > 0 {
		s.x, s.y = ends{true, -f.box[0], f.box[0]}.axis(false, true), ends{true, -f.box[1], f.box[1]}.axis(false, true)
	}
	if f.shape == broad && y.low < y.high { // a histogram stands on its axis
		s.y[0] = y.low
	}
	if f.diagonal {
		s.x = [2]float64{min(s.x[0], s.y[0]), max(s.x[1], s.y[1])}
		s.y = s.x
	}
	return s
}

// positive are the ends of a trace, above 0 for an axis in decades.
func positive(t trace, log bool) ends {
	if !log || endsOf(t).low > 0 {
		return endsOf(t)
	}
	e := none()
	for k := range t.values.Len() {
		if v := t.values.At(k); v > 0 && v <= math.MaxFloat64 {
			e.low, e.high = min(e.low, v), max(e.high, v)
		}
	}
	return e
}

// limit applies the figure's own limits to the ends of its curves.
func (f figure) limit(y ends) ends {
	if f.level > 0 {
		y = y.with(ends{true, -1.2 * f.level, f.level})
	}
	if y.low > y.high {
		return y
	}
	of := y
	for _, b := range f.bounds { // near: the curves keep a third of the axis
		if max(of.high, b)-min(of.low, b) <= 3*(of.high-of.low) {
			y = y.with(ends{true, b, b})
		}
	}
	if f.most > 0 {
		y.low, y.high = max(y.low, -f.most), min(y.high, f.most)
	}
	if lack := (f.least - (y.high - y.low)) / 2; lack > 0 {
		y.low, y.high = y.low-lack, y.high+lack
	}
	return y
}

// axis is an axis from end to end, in decades or not, with room at both on request. An axis of one value goes from 0 to
// twice the value, of none from −1 to 1.
func (e ends) axis(log, room bool) [2]float64 {
	low, high := e.low, e.high
	switch {
	case log && low < high:
		low, high = math.Log10(low), math.Log10(high)
		if more := plotting.Room * (high - low); room {
			low, high = low-more, high+more
		}
		return [2]float64{math.Pow(10, low), math.Pow(10, high)}
	case log && low == high:
		return [2]float64{low / 10, high * 10}
	case log:
		return [2]float64{0.1, 10}
	case low > high:
		return [2]float64{-1, 1}
	case low == high && low == 0:
		return [2]float64{-1, 1}
	case low == high:
		return [2]float64{low - math.Abs(low), low + math.Abs(low)}
	}
	if more := plotting.Room * (high - low); room && more <= math.MaxFloat64 {
		low, high = low-more, high+more
	}
	return [2]float64{low, high}
}
