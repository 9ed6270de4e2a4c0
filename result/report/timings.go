//go:build !js

package report

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rths/lab/realtime"
	"rths/result/plotting"
)

// TimingRow is a panel: histograms of loops at one rate.
type TimingRow struct {
	Name     string
	PeriodUs float64 // one sample, µs; 0: not marked
	Curves   []TimingCurve
}

// TimingCurve is one of them.
type TimingCurve struct {
	Name string
	Of   realtime.Distribution
}

// Sizes of the picture, with text that can be read on paper and on a small screen.
const (
	timingsWidth = 95 * vg.Millimeter
	timingHeight = 40 * vg.Millimeter // of a panel without its key
	timingKey    = 4 * vg.Millimeter  // of a curve in the key
	timingName   = 56                 // letters
)

// DrawTimings draws the panels below each other, over one axis, into a .png or .svg file.
func DrawTimings(path string, list []TimingRow) error {
	format := strings.TrimPrefix(filepath.Ext(path), ".")
	switch {
	case format != "png" && format != "svg":
		return fmt.Errorf("report: %s: want a .png or .svg file", path)
	case len(list) == 0:
		return errors.New("report: no timings to draw: want at least one")
	}
	fs := &figures{}
	curves := 0
	for _, row := range list {
		curves = max(curves, len(row.Curves))
	}
	p := paper{list: fs.timings(list), columns: 1, titled: true, width: timingsWidth,
		cell: timingHeight + timingKey*vg.Length(curves)}
	p.height = p.cell * vg.Length(len(list))
	sheet, to := plotting.NewSheet(p.width, p.height, format, plotting.PNGDPI)
	if err := fs.drawPaper(p, draw.New(sheet)); err != nil {
		return fmt.Errorf("report: %s: %w", path, err)
	}
	return plotting.WriteSheet(path, to)
}

// timings are the panels, whose names have the numbers. The lowest names their axis.
func (fs *figures) timings(list []TimingRow) []figure {
	var out []figure
	for _, row := range list {
		f := newHistograms()
		f.title = plotting.Short(row.Name, timingName)
		for i, c := range row.Curves {
			fs.histogram(&f, tail(c.Name, c.Of), plotting.Colours[i%len(plotting.Colours)], c.Of)
		}
		if len(f.curves) == 0 {
			f.title += ": no ticks were counted"
		}
		fs.upTo(&f, row.PeriodUs)
		out = append(out, f)
	}
	label, from, to := fs.acrossUs(out...)
	for i := range out {
		out[i].from, out[i].to = from, to
	}
	out[len(out)-1].xLabel = label
	return out
}

// tail is a name with the two longest times that are told.
func tail(name string, d realtime.Distribution) string {
	return fmt.Sprintf("%s p99.9: %s µs, largest: %s µs", name, microseconds(d.P999Us), microseconds(d.MaxUs))
}
