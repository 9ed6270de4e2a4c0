//go:build !js

package panels

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rths/result/plotting"
	"rths/result/record"
)

// DrawFit draws measured and modelled displacement over time, and below the residual, measured
// less model, in mm, into fit.png and fit.svg of dir. measured and model are in m.
func DrawFit(dir, title string, rateHz float64, measured, model []float64) ([]string, error) {
	if len(measured) != len(model) || !(rateHz > 0) {
		return nil, fmt.Errorf("report: fit of %d measured and %d model values at %g Hz: want equal numbers, and a "+
			"rate above 0", len(measured), len(model), rateHz)
	}
	residual := make([]float64, len(model))
	for i := range residual {
		residual[i] = measured[i] - model[i]
	}
	return plotting.SaveSheet(dir, "fit", bodeWidth, bodeHeight*2/3, func(c draw.Canvas) error {
		return fitOn(c, title, rateHz, measured, model, residual)
	})
}

func fitOn(c draw.Canvas, title string, rateHz float64, measured, model, residual []float64) error {
	c = draw.Crop(c, plotting.Margin, -plotting.Margin, plotting.Margin, -plotting.Margin)
	legend := plotting.NewLegend()
	above, below := plotting.NewPlot("", "displacement, mm"), plotting.NewPlot("time, s", "residual, mm")
	for _, curve := range []struct {
		in     *plot.Plot
		name   string
		y      []float64
		colour string
		dashed bool
	}{{above, "measured", measured, plotting.Ink, false}, {above, "model", model, plotting.Vermillion, false},
		{below, "", residual, plotting.Blue, false}} {
		points := millimetres(curve.y, rateHz)
		if len(points) == 0 {
			continue
		}
		line, err := plotter.NewLine(points)
		if err != nil {
			return err
		}
		line.Color, line.Width = plotting.RGB(curve.colour), vg.Points(0.8)
		if curve.dashed {
			line.Dashes = plotting.Dashes
		}
		curve.in.Add(line)
		if curve.name != "" {
			legend.Add(curve.name, line)
		}
	}
	plotting.Widen(&above.Y)
	plotting.Widen(&below.Y)
	head := above.Title.TextStyle
	head.XAlign, head.YAlign = draw.XLeft, draw.YTop
	c.FillText(head, vg.Point{X: c.Min.X, Y: c.Max.Y}, title)
	legend.Draw(c)
	c = draw.Crop(c, 0, 0, 0, -max(head.Height(title), legend.Rectangle(c).Size().Y)-plotting.Margin)
	plots := [][]*plot.Plot{{above}, {below}}
	cells := plot.Align(plots, draw.Tiles{Rows: 2, Cols: 1, PadY: bodeGap}, c)
	for i, row := range plots {
		row[0].Draw(cells[i][0])
	}
	return nil
}

// fitColumns is the number of columns of the image. A curve keeps the smallest and the
// largest value of each column; more columns of noise would take seconds to draw.
const fitColumns = 500

// millimetres thins a history out, in mm: the extremes of every column stay, in order.
func millimetres(y []float64, rateHz float64) plotter.XYs {
	var out plotter.XYs
	n := min(fitColumns, len(y))
	for c := range n {
		low, high := record.SignalOf(y).Extremes(c*len(y)/n, (c+1)*len(y)/n)
		for _, i := range []int{min(low, high), max(low, high)} {
			if out = plotting.AppendFinite(out, plotter.XY{X: float64(i) / rateHz, Y: 1e3 * y[i]}); low == high {
				break
			}
		}
	}
	return out
}
