package report

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Panel is one diagram of a sheet. All panels of a sheet share their legend, which
// is that of the first.
type Panel struct {
	XLabel, YLabel string
	YMin, YMax     float64 // the range shown; that of the curves if equal
	Lines          []Line
}

// Line is a named curve.
type Line struct {
	Name   string
	X, Y   []float64
	Colour string // #RRGGBB
	Dashed bool
}

// Panels draws the panels one below the other into NAME.png and NAME.svg of dir
// and returns their paths.
func Panels(dir, name, title string, list []Panel) ([]string, error) {
	return save(dir, name, func(c draw.Canvas) error { return drawPanels(c, title, list) })
}

func drawPanels(c draw.Canvas, title string, list []Panel) error {
	c = draw.Crop(c, margin, -margin, margin, -margin)
	legend := newLegend()
	var plots [][]*plot.Plot
	for i, p := range list {
		out := newPlot(figure{xLabel: p.XLabel, yLabel: p.YLabel})
		for _, l := range p.Lines {
			line, err := l.line()
			if err != nil {
				return err
			}
			out.Add(line)
			if i == 0 {
				legend.Add(l.Name, line)
			}
		}
		if widen(&out.Y); p.YMin < p.YMax {
			out.Y.Min, out.Y.Max = p.YMin, p.YMax
		}
		plots = append(plots, []*plot.Plot{out})
	}
	stack(c, title, legend, plots)
	return nil
}

func (l Line) line() (*plotter.Line, error) {
	var points plotter.XYs
	for i, x := range l.X {
		points = appendFinite(points, plotter.XY{X: x, Y: l.Y[i]})
	}
	line, err := plotter.NewLine(points)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.Name, err)
	}
	line.Color, line.Width = rgb(l.Colour), vg.Points(1.4)
	if l.Dashed {
		line.Dashes = dashes
	}
	return line, nil
}
