//go:build !js

package report

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rths/result/plotting"
)

// draw draws one figure: a strip with title and legend, so that the legend
// covers no curve, and the plot below it.
func (fs *figures) draw(f figure, c draw.Canvas) error {
	legend := plotting.NewLegend()
	p, err := fs.plot(f, &legend)
	if err != nil {
		return err
	}
	c = draw.Crop(c, plotting.Margin, -plotting.Margin, plotting.Margin, -plotting.Margin)
	strip := p.Title.TextStyle.Height(f.title)
	if f.shape != small {
		legend.Draw(c)
		strip = max(strip, legend.Rectangle(c).Size().Y)
	}
	title := p.Title.TextStyle
	title.XAlign, title.YAlign = draw.XLeft, draw.YTop
	c.FillText(title, vg.Point{X: c.Min.X, Y: c.Max.Y}, f.title)
	p.Draw(draw.Crop(c, 0, 0, 0, -strip-plotting.Margin))
	return nil
}

// drawTable draws figures in rows, each below its title, with their axes in
// line and without legends.
func (fs *figures) drawTable(rows [][]figure, c draw.Canvas) error {
	plots := make([][]*plot.Plot, len(rows))
	strip := vg.Length(0)
	for i, row := range rows {
		for _, f := range row {
			legend := plotting.NewLegend()
			p, err := fs.plot(f, &legend)
			if err != nil {
				return err
			}
			plots[i] = append(plots[i], p)
			strip = max(strip, p.Title.TextStyle.Height(f.title)+plotting.Margin)
		}
	}
	cells := plot.Align(plots, draw.Tiles{
		Rows: len(rows), Cols: len(rows[0]), PadX: 2 * plotting.Margin, PadY: strip + plotting.Margin,
		PadTop: strip + plotting.Margin, PadBottom: plotting.Margin, PadLeft: plotting.Margin, PadRight: plotting.Margin,
	}, c)
	for i, row := range rows {
		for j, f := range row {
			title := plots[i][j].Title.TextStyle
			title.XAlign, title.YAlign = draw.XLeft, draw.YBottom
			left := c.Min.X + plotting.Margin + vg.Length(j)*(c.Max.X-c.Min.X)/vg.Length(len(row))
			c.FillText(title, vg.Point{X: left, Y: cells[i][j].Max.Y + plotting.Margin/2}, f.title)
			plots[i][j].Draw(cells[i][j])
		}
	}
	return nil
}

// plot is the plot of a figure, its curves also in the legend.
func (fs *figures) plot(f figure, legend *plot.Legend) (*plot.Plot, error) {
	p := plotting.NewPlot(f.xLabel, f.yLabel)
	if f.overTime() {
		p.Add(marked{fs.marks, f.shape == small})
	}
	fs.addBands(p, f)
	for _, curve := range f.curves {
		if err := fs.addCurve(p, legend, f, curve); err != nil {
			return nil, err
		}
	}
	s := fs.sight(f)
	for _, b := range f.bounds {
		line := &plotter.Line{XYs: plotter.XYs{{X: s.x[0], Y: b}, {X: s.x[1], Y: b}}}
		line.LineStyle = draw.LineStyle{Color: plotting.RGB(plotting.Ink), Width: vg.Points(0.5), Dashes: plotting.Dashes}
		p.Add(line)
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = s.x[0], s.x[1], s.y[0], s.y[1]
	if f.logX {
		p.X.Min, p.X.Max = math.Log10(s.x[0]), math.Log10(s.x[1])
	}
	if f.logY {
		p.Y.Min, p.Y.Max = math.Log10(s.y[0]), math.Log10(s.y[1])
	}
	f.decades(p)
	if f.diagonal {
		return p, addDiagonal(p, legend)
	}
	return p, nil
}

// addBands adds the bands of curves, which the curves then cover.
func (fs *figures) addBands(p *plot.Plot, f figure) {
	for _, c := range f.curves {
		if c.band != [2]int{} {
			ring, back := overTimePoints(fs.traces[c.band[0]]), overTimePoints(fs.traces[c.band[1]])
			slices.Reverse(back)
			p.Add(&plotter.Polygon{XYs: []plotter.XYs{append(ring, back...)}, Color: plotting.Tint(c.colour)})
		}
	}
}

// addCurve adds a line, or a dot where there is a single point.
func (fs *figures) addCurve(p *plot.Plot, legend *plot.Legend, f figure, c curve) error {
	y := fs.traces[c.y]
	var points plotter.XYs
	switch {
	case c.x != overTime:
		points = f.coordinates(overQuantityPoints(fs.traces[c.x], y))
	case f.to > f.from:
		points = overTimePoints(y.between(f.from, f.to))
	default:
		points = overTimePoints(y)
	}
	if len(points) == 0 {
		return nil
	}
	line, err := plotter.NewLine(points)
	if err != nil {
		return err
	}
	line.Color, line.Width = plotting.RGB(c.colour), vg.Points(0.8)
	if c.dashed {
		line.Dashes = plotting.Dashes
	}
	p.Add(line)
	legend.Add(c.name, line)
	if len(points) > 1 {
		return nil
	}
	dot, err := plotter.NewScatter(points)
	if err != nil {
		return err
	}
	dot.Color = line.Color
	p.Add(dot)
	return nil
}

// decades marks the axes in decades.
func (f figure) decades(p *plot.Plot) {
	if f.logX {
		p.X.Tick.Marker = plotting.InDecades{}
	}
	if f.logY {
		p.Y.Tick.Marker = plotting.InDecades{Bare: true}
	}
}

// coordinates are the points where the axes have them: an axis in decades has common logarithms. (With plot.LogScale
// the label of an axis takes room at its end.)
func (f figure) coordinates(points plotter.XYs) plotter.XYs {
	if !f.logX && !f.logY {
		return points
	}
	var out plotter.XYs
	for _, p := range points {
		if f.logX {
			p.X = math.Log10(p.X)
		}
		if f.logY {
			p.Y = math.Log10(p.Y)
		}
		out = plotting.AppendFinite(out, p)
	}
	return out
}

// addDiagonal adds the line on which both quantities are the same.
func addDiagonal(p *plot.Plot, legend *plot.Legend) error {
	low, high := p.X.Min, p.X.Max
	line, err := plotter.NewLine(plotter.XYs{{X: low, Y: low}, {X: high, Y: high}})
	if err != nil {
		return err
	}
	line.Color, line.Width, line.Dashes = plotting.RGB(plotting.Ink), vg.Points(0.8), plotting.Dashes
	p.Add(line)
	legend.Add("ideal", line)
	return nil
}
