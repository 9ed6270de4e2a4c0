//go:build !js

package report

import (
	"rths/result/plotting"

	"gonum.org/v1/plot/plotter"
)

// Points of a curve in an image: a few for each pixel across, and more for a path that folds
// over itself.
const (
	imageColumns = 2000
	imagePoints  = 40000
)

// overTimePoints is the trace over time. A long trace keeps the smallest and the largest
// value of each column of the image, in order, so that no peak is lost.
func overTimePoints(t trace) plotter.XYs {
	at := func(i int) plotter.XY { return plotter.XY{X: t.start + float64(i)/t.rate, Y: t.values.At(i)} }
	n := t.values.Len()
	var points plotter.XYs
	if n <= 2*imageColumns {
		for i := range n {
			points = plotting.AppendFinite(points, at(i))
		}
		return points
	}
	for c := range imageColumns {
		low, high := t.values.Extremes(c*n/imageColumns, (c+1)*n/imageColumns)
		points = plotting.AppendFinite(points, at(min(low, high)))
		if low != high {
			points = plotting.AppendFinite(points, at(max(low, high)))
		}
	}
	return points
}

// overQuantityPoints is y over x. A long trace keeps the places at which either is smallest or largest,
// so that no peak is lost.
func overQuantityPoints(x, y trace) plotter.XYs {
	n := min(x.values.Len(), y.values.Len())
	var points plotter.XYs
	add := func(i int) { points = plotting.AppendFinite(points, plotter.XY{X: x.values.At(i), Y: y.values.At(i)}) }
	if n <= imagePoints {
		for i := range n {
			add(i)
		}
		return points
	}
	for c := range imagePoints / 4 {
		for _, i := range corners(x.values, y.values, c*n/(imagePoints/4), (c+1)*n/(imagePoints/4)) {
			add(i)
		}
	}
	return points
}
