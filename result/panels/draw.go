//go:build !js

package panels

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rths"
	"rths/result/plotting"
)

const (
	panelWidth  = 19 * vg.Centimeter
	panelHeight = 10 * vg.Centimeter
)

// Draw draws panels below each other, each with its legend, into name.png and
// name.svg of dir and returns their paths.
func Draw(dir, name, title string, panels []Panel) ([]string, error) {
	height := panelHeight * vg.Length(len(panels))
	return plotting.SaveSheet(dir, name, panelWidth, height,
		func(c draw.Canvas) error { return drawPanels(c, title, panels) })
}

func drawPanels(c draw.Canvas, title string, panels []Panel) error {
	c = draw.Crop(c, plotting.Margin, -plotting.Margin, plotting.Margin, -plotting.Margin)
	var plots [][]*plot.Plot
	legends := make([]plot.Legend, len(panels))
	widest := vg.Length(0)
	for i, p := range panels {
		legends[i] = plotting.NewLegend()
		drawn, err := p.plot(&legends[i])
		if err != nil {
			return err
		}
		plots = append(plots, []*plot.Plot{drawn})
		widest = max(widest, legends[i].Rectangle(c).Size().X)
	}
	head := plots[0][0].Title.TextStyle
	head.XAlign, head.YAlign = draw.XLeft, draw.YTop
	c.FillText(head, vg.Point{X: c.Min.X, Y: c.Max.Y}, title)
	c = draw.Crop(c, 0, 0, 0, -head.Height(title)-plotting.Margin)
	rows := draw.Tiles{Rows: len(panels), Cols: 1, PadY: bodeGap}
	cells := plot.Align(plots, rows, draw.Crop(c, 0, -widest-plotting.Margin, 0, 0))
	for i, row := range plots {
		row[0].Draw(cells[i][0])
		legends[i].Draw(rows.At(c, 0, i))
	}
	return nil
}

// DrawGrid draws rows of small panels over the axes of the first, with one legend, into name.png and name.svg of dir
// and returns their paths.
func DrawGrid(dir, name, title string, rows [][]Panel) ([]string, error) {
	return plotting.SaveSheet(dir, name, panelWidth, panelWidth, func(c draw.Canvas) error {
		legend, plots := plotting.NewLegend(), make([][]*plot.Plot, len(rows))
		for i, row := range rows {
			for j, p := range row {
				legend, p.Box = plotting.NewLegend(), rows[0][0].Box
				drawn, err := p.plot(&legend)
				if err != nil {
					return err
				}
				drawn.Title.Text, drawn.Title.TextStyle.Font.Size = p.Title, plotting.TextSize
				drawn.X.Tick.Marker, drawn.Y.Tick.Marker = logTicks{i == len(rows)-1, true}, logTicks{j == 0, true}
				drawn.X.Tick.Length, drawn.Y.Tick.Length = bodeGap/2, bodeGap/2
				plots[i] = append(plots[i], drawn)
			}
		}
		stack(draw.Crop(c, plotting.Margin, -plotting.Margin, plotting.Margin, -plotting.Margin), title, legend, plots)
		return nil
	})
}

func (p Panel) plot(legend *plot.Legend) (*plot.Plot, error) {
	out := plotting.NewPlot(p.X, p.Y)
	if p.LogX {
		out.X.Scale, out.X.Tick.Marker = plot.LogScale{}, logTicks{true, false}
	}
	for _, l := range p.Lines {
		if l.Mark != NoMark {
			marks := &plotter.Scatter{XYs: slices.Concat(p.pieces(l)...),
				GlyphStyle: draw.GlyphStyle{Color: plotting.RGB(l.Colour), Shape: glyphs[l.Mark], Radius: vg.Points(4)}}
			out.Add(marks)
			legend.Add(l.Name, marks)
			continue
		}
		for i, points := range p.pieces(l) {
			line, dots, err := plotter.NewLinePoints(points)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", l.Name, err)
			}
			line.Color, line.Width = plotting.RGB(l.Colour), vg.Points(cmp.Or(l.Width, 1.2))
			if l.Dashed {
				line.Dashes = plotting.Dashes
			}
			marks := []plot.Thumbnailer{line}
			out.Add(line)
			if l.Dots {
				dots.Color, dots.Shape, dots.Radius = plotting.RGB(l.Colour), draw.CircleGlyph{}, vg.Points(2.5)
				marks = append(marks, dots)
				out.Add(dots)
			}
			if i == 0 && l.Name != "" {
				legend.Add(l.Name, marks...)
			}
		}
	}
	if err := p.addNotes(out); err != nil {
		return nil, err
	}
	if p.LogY {
		out.Y.Scale, out.Y.Tick.Marker = plot.LogScale{}, logTicks{true, false}
	}
	switch {
	case p.Box != [4]float64{}:

		out.X.Min, out.X.Max, out.Y.Min, out.Y.Max = p.Box[0], p.Box[1], p.Box[2], p.Box[3]
	case p.LogY:
		out.Y.Min, out.Y.Max = out.Y.Min/logRoom, out.Y.Max*logRoom
	default:
		plotting.Widen(&out.Y)
	}
	return out, nil
}

func (p Panel) addNotes(to *plot.Plot) error {
	if len(p.Notes) == 0 {
		return nil
	}
	var at plotter.XYLabels
	for _, n := range p.Notes {
		at.XYs, at.Labels = append(at.XYs, plotter.XY{X: n.X, Y: n.Y}), append(at.Labels, n.Text)
	}
	notes, err := plotter.NewLabels(at)
	if err != nil {
		return err
	}
	for i := range notes.TextStyle {
		style := &notes.TextStyle[i]
		style.Font.Size, style.Font.Variant, style.Color = plotting.SmallText, "Sans", plotting.RGB(plotting.Hatching)
	}
	notes.Offset = vg.Point{X: vg.Points(2), Y: vg.Points(2)}
	to.Add(notes)
	return nil
}

// pieces are the runs of points of a line that the axes have: finite, and above 0 on a
// logarithmic axis.
func (p Panel) pieces(l Line) []plotter.XYs {
	var out []plotter.XYs
	open := false
	for i, x := range l.X {
		if y := l.Y[i]; !rths.Finite(x+y) || p.LogX && x <= 0 || p.LogY && y <= 0 {
			open = false
			continue
		}
		if !open {
			out, open = append(out, nil), true
		}
		out[len(out)-1] = append(out[len(out)-1], plotter.XY{X: x, Y: l.Y[i]})
	}
	return out
}

// glyph is a mark of lines that can be seen in print.
type glyph func(p *vg.Path, at vg.Point, r vg.Length)

// DrawGlyph implements draw.GlyphDrawer.
func (g glyph) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	c.SetLineStyle(draw.LineStyle{Color: style.Color, Width: vg.Points(1.8)})
	var p vg.Path
	g(&p, at, style.Radius)
	c.Stroke(p)
}

var glyphs = map[Mark]glyph{Circle: plotting.Circle, Saltire: plotting.Saltire}
