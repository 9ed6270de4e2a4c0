package report

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rths"
)

// LogLog is a figure of curves over two logarithmic axes.
type LogLog struct {
	Name           string // of the files
	Title          string
	XLabel, YLabel string
	Curves         []LogLogCurve
}

// LogLogCurve is one of its curves, points that are joined; a single point is a
// dot. Coordinates are more than 0.
type LogLogCurve struct {
	Name   string
	X, Y   []float64
	Dashed bool
}

// Draw draws the figure into NAME.png and NAME.svg of dir and returns their
// paths.
func (f *LogLog) Draw(dir string) ([]string, error) {
	return saveSheet(dir, f.Name, logLogWidth, logLogHeight, f.draw)
}

const (
	logLogWidth  = 18 * vg.Centimeter
	logLogHeight = 10 * vg.Centimeter
	logRoom      = 1.2 // factor left free around the curves
)

// draw draws the plot, above it a strip with title and legend.
func (f *LogLog) draw(c draw.Canvas) error {
	p := newPlot(figure{xLabel: f.XLabel, yLabel: f.YLabel})
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, logTicks{labels: true}
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, logTicks{labels: true}
	legend := newLegend()
	for i, curve := range f.Curves {
		if err := curve.addTo(p, &legend, colours[i%len(colours)]); err != nil {
			return fmt.Errorf("%s: %w", curve.Name, err)
		}
	}
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Min, axis.Max = axis.Min/logRoom, axis.Max*logRoom
	}
	c = draw.Crop(c, margin, -margin, margin, -margin)
	title := p.Title.TextStyle
	title.XAlign, title.YAlign = draw.XLeft, draw.YTop
	c.FillText(title, vg.Point{X: c.Min.X, Y: c.Max.Y}, f.Title)
	legend.Draw(c)
	strip := max(title.Height(f.Title), legend.Rectangle(c).Size().Y)
	p.Draw(draw.Crop(c, 0, 0, 0, -strip-margin))
	return nil
}

func (curve LogLogCurve) addTo(p *plot.Plot, legend *plot.Legend, colour string) error {
	var points plotter.XYs
	for i, x := range curve.X {
		if y := curve.Y[i]; !(x > 0) || !(y > 0) || !rths.Finite(x) || !rths.Finite(y) {
			return fmt.Errorf("point (%g, %g) on logarithmic axes: want numbers above 0", x, y)
		}
		points = append(points, plotter.XY{X: x, Y: curve.Y[i]})
	}
	line, dots, err := plotter.NewLinePoints(points)
	if err != nil {
		return err
	}
	line.Color, line.Width, dots.Color = rgb(colour), vg.Points(1.2), rgb(colour)
	dots.Shape, dots.Radius = draw.CircleGlyph{}, vg.Points(2.5)
	switch {
	case curve.Dashed:
		line.Dashes = dashes
		p.Add(line)
		legend.Add(curve.Name, line)
	case len(points) == 1:
		p.Add(dots)
		legend.Add(curve.Name, dots)
	default:
		p.Add(line, dots)
		legend.Add(curve.Name, line, dots)
	}
	return nil
}
