//go:build !js

package plotting

import (
	"rths"

	"gonum.org/v1/plot/plotter"
)

// AppendFinite appends a point that is finite.
func AppendFinite(points plotter.XYs, p plotter.XY) plotter.XYs {
	if rths.Finite(p.X) && rths.Finite(p.Y) {
		points = append(points, p)
	}
	return points
}
