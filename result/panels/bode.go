//go:build !js

package panels

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rths/result/plotting"
)

// DrawBode draws magnitude, phase and delay of the curves over frequency into
// bode.png and bode.svg of dir and returns their paths.
func DrawBode(dir, title string, curves []BodeCurve) ([]string, error) {
	return plotting.SaveSheet(dir, "bode", bodeWidth, bodeHeight,
		func(c draw.Canvas) error { return bodeOn(c, title, curves) })
}

const (
	bodeWidth  = 19 * vg.Centimeter
	bodeHeight = 22 * vg.Centimeter
	bodeGap    = 2 * vg.Millimeter
)

// bodeTicks mark the axes of the panels.
var bodeTicks = []plot.Ticker{plotting.RoundTicks(6), angleTicks(6), plotting.RoundTicks(6)}

// bodeOn stacks the panels over a common frequency axis, the legend beside
// them.
func bodeOn(c draw.Canvas, title string, curves []BodeCurve) error {
	c = draw.Crop(c, plotting.Margin, -plotting.Margin, plotting.Margin, -plotting.Margin)
	legend := plotting.NewLegend()
	var plots [][]*plot.Plot
	for i, p := range bodePanels {
		drawn, err := p.plot(curves, bodeTicks[i], i == len(bodePanels)-1)
		if err != nil {
			return err
		}
		plots = append(plots, []*plot.Plot{drawn})
	}
	if err := addNames(&legend, curves); err != nil {
		return err
	}
	stack(c, title, legend, plots)
	return nil
}

// stack draws the title, the legend on the right below it, and the rows of plots one
// below the other beside that.
func stack(c draw.Canvas, title string, legend plot.Legend, plots [][]*plot.Plot) {
	head := plots[0][0].Title.TextStyle
	head.XAlign, head.YAlign = draw.XLeft, draw.YTop
	c.FillText(head, vg.Point{X: c.Min.X, Y: c.Max.Y}, title)
	c = draw.Crop(c, 0, 0, 0, -head.Height(title)-plotting.Margin)
	legend.Draw(c)
	c = draw.Crop(c, 0, -legend.Rectangle(c).Size().X-plotting.Margin, 0, 0)
	tiles := draw.Tiles{Rows: len(plots), Cols: len(plots[0]), PadX: bodeGap, PadY: bodeGap}
	for i, cells := range plot.Align(plots, tiles, c) {
		for j, cell := range cells {
			plots[i][j].Draw(cell)
		}
	}
}

// plot is a panel with its curves; the last one names the frequencies.
func (p bodePanel) plot(curves []BodeCurve, ticks plot.Ticker, last bool) (*plot.Plot, error) {
	xLabel := ""
	if last {
		xLabel = "frequency, Hz"
	}
	out := plotting.NewPlot(xLabel, p.label)
	out.X.Scale, out.X.Tick.Marker, out.Y.Tick.Marker = plot.LogScale{}, logTicks{last, false}, ticks
	for _, behind := range []bool{true, false} {
		for _, c := range curves {
			if c.Bundle != behind {
				continue
			}
			values := p.of(c.Bode)
			if values == nil {
				continue // a coupling has no delay
			}
			line, err := c.line(values)
			if err != nil {
				return nil, err
			}
			out.Add(line)
		}
	}
	if less := p.least - (out.Y.Max - out.Y.Min); less > 0 {
		out.Y.Min, out.Y.Max = out.Y.Min-less/2, out.Y.Max+less/2
	}
	plotting.Widen(&out.Y)
	return out, nil
}

func (c BodeCurve) line(y []float64) (*plotter.Line, error) {
	var points plotter.XYs
	for i, hz := range c.Hz {
		points = plotting.AppendFinite(points, plotter.XY{X: hz, Y: y[i]})
	}
	line, err := plotter.NewLine(points)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	line.Color, line.Width = plotting.RGB(c.Colour), vg.Points(c.Width)
	if c.Dashed {
		line.Dashes = plotting.Dashes
	}
	return line, nil
}

func addNames(legend *plot.Legend, curves []BodeCurve) error {
	for i, c := range curves {
		if c.Bundle && i > 0 && curves[i-1].Bundle {
			continue
		}
		line, err := c.line(c.MagDB)
		if err != nil {
			return err
		}
		legend.Add(c.Name, line)
	}
	return nil
}

// angleTicks marks an axis at about so many multiples of a familiar part of a turn.
type angleTicks int

// Ticks implements plot.Ticker.
func (a angleTicks) Ticks(low, high float64) []plot.Tick {
	step := 15.0
	for _, more := range []float64{30, 45, 90, 180, 360} {
		if (high-low)/step > float64(a) {
			step = more
		}
	}
	if (high-low)/step > 2*float64(a) {
		return plotting.RoundTicks(a).Ticks(low, high)
	}
	var ticks []plot.Tick
	for k := math.Ceil(low / step); k <= math.Floor(high/step); k++ {
		ticks = append(ticks, plot.Tick{Value: k * step, Label: strconv.FormatFloat(k*step+0, 'f', 0, 64)})
	}
	return ticks
}

// logTicks marks a logarithmic axis at 1, 2 and 5 times powers of ten, labelled on request,
// and at the other digits by small marks; or at powers of ten alone.
type logTicks struct{ labels, decades bool }

// Ticks implements plot.Ticker.
func (l logTicks) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for power := math.Floor(math.Log10(low)); power <= math.Log10(high); power++ {
		for digit := 1.0; digit < 10; digit++ {
			value := digit * math.Pow(10, power)
			if value < low*(1-1e-9) || value > high*(1+1e-9) || l.decades && digit > 1 {
				continue
			}
			t := plot.Tick{Value: value}
			if digit == 1 || digit == 2 || digit == 5 {
				t.Label = " " // a mark of full length, with a grid line
				if l.labels {
					t.Label = strconv.FormatFloat(value, 'g', 6, 64)
				}
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}
