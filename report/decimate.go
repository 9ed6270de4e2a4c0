package report

import (
	"math"

	"gonum.org/v1/plot/plotter"

	"rths"
)

// Points of a curve in an image: a few for each pixel across, and more for a path that folds
// over itself.
const (
	imageColumns = 2000
	imagePoints  = 40000
)

// between is the part of a trace from one time to another, s.
func (t trace) between(from, to float64) trace {
	place := func(s float64) int {
		return int(max(0, min(math.Round((s-t.start)*t.rate), float64(len(t.values)))))
	}
	i := place(from)
	return trace{start: t.start + float64(i)/t.rate, rate: t.rate, values: t.values[i:max(i, place(to))]}
}

// overTimePoints is the trace over time. A long trace keeps the smallest and the largest
// value of each column of the image, in order, so that no peak is lost.
func overTimePoints(t trace) plotter.XYs {
	at := func(i int) plotter.XY { return plotter.XY{X: t.start + float64(i)/t.rate, Y: t.values[i]} }
	n := len(t.values)
	var points plotter.XYs
	if n <= 2*imageColumns {
		for i := range n {
			points = appendFinite(points, at(i))
		}
		return points
	}
	for c := range imageColumns {
		low, high := extremes(t.values, c*n/imageColumns, (c+1)*n/imageColumns)
		points = appendFinite(points, at(min(low, high)))
		if low != high {
			points = appendFinite(points, at(max(low, high)))
		}
	}
	return points
}

// extremes are the places of the smallest and the largest finite value in
// [from, to).
func extremes(values []float64, from, to int) (low, high int) {
	low, high = from, from
	for i := from; i < to; i++ {
		if !rths.Finite(values[i]) {
			continue
		}
		if !(values[low] <= values[i]) {
			low = i
		}
		if !(values[high] >= values[i]) {
			high = i
		}
	}
	return low, high
}

// overQuantityPoints is y over x; of a long trace every n-th value.
func overQuantityPoints(x, y trace) plotter.XYs {
	n := min(len(x.values), len(y.values))
	every := max(1, (n+imagePoints-1)/imagePoints)
	var points plotter.XYs
	for i := 0; i < n; i += every {
		points = appendFinite(points, plotter.XY{X: x.values[i], Y: y.values[i]})
	}
	return points
}

func appendFinite(points plotter.XYs, p plotter.XY) plotter.XYs {
	if rths.Finite(p.X) && rths.Finite(p.Y) {
		points = append(points, p)
	}
	return points
}
