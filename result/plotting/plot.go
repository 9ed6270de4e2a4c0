//go:build !js

package plotting

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"rths"
)

// Dashes are those of a dashed line.
var Dashes = []vg.Length{vg.Points(5), vg.Points(3)}

// Sizes of a plot.
const (
	Margin    = 3 * vg.Millimeter
	TextSize  = font.Length(10)
	SmallText = font.Length(8) // in a paper, and within a picture
)

var gridColour = color.Gray{0xE4}

// NewPlot is an empty plot with labels and a grid.
func NewPlot(xLabel, yLabel string) *plot.Plot {
	p := plot.New()
	p.Title.TextStyle.Font.Size = TextSize + 2
	p.Title.TextStyle.Font.Variant = "Sans"
	p.X.Tick.Marker, p.Y.Tick.Marker = RoundTicks(8), RoundTicks(5)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font.Variant, a.Tick.Label.Font.Variant = "Sans", "Sans"
		a.Label.TextStyle.Font.Size = TextSize
		a.Tick.Label.Font.Size = TextSize - 1
		a.Label.Padding = vg.Points(3)
		a.Padding = 0
	}
	p.X.Label.Text, p.Y.Label.Text = xLabel, PlainPowers(yLabel)
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = gridColour, gridColour
	p.Add(grid)
	return p
}

// NewLegend is an empty legend.
func NewLegend() plot.Legend {
	l := plot.NewLegend()
	l.Top = true
	l.TextStyle.Font.Size = TextSize
	l.TextStyle.Font.Variant = "Sans"
	l.Padding = vg.Points(3)
	l.ThumbnailWidth = vg.Points(22)
	return l
}

// Widen leaves room on both ends of an axis that has a range.
func Widen(a *plot.Axis) {
	if more := Room * (a.Max - a.Min); more > 0 && rths.Finite(more) {
		a.Min -= more
		a.Max += more
	}
}
