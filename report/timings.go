package report

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rths/realtime"
)

// TimingRow is how a loop has kept its instants, and the name of that loop.
type TimingRow struct {
	Name     string
	PeriodUs float64 // one sample, µs; 0: not marked
	Timing   realtime.Timing
}

// Sizes of the picture, with text that can be read on paper and on a small screen.
const (
	timingsWidth = 95 * vg.Millimeter
	timingHeight = 46 * vg.Millimeter
	timingName   = 56 // letters
)

// DrawTimings draws the histograms of lateness and departure of each row below each other, over one axis, into a .png
// or .svg file.
func DrawTimings(path string, list []TimingRow) error {
	format := strings.TrimPrefix(filepath.Ext(path), ".")
	switch {
	case format != "png" && format != "svg":
		return fmt.Errorf("report: %s: want a .png or .svg file", path)
	case len(list) == 0:
		return errors.New("report: no timings to draw: want at least one")
	}
	fs := &figures{}
	p := paper{list: fs.timings(list), columns: 1, titled: true, width: timingsWidth, cell: timingHeight}
	p.height = p.cell * vg.Length(len(list))
	sheet, to := newSheet(p.width, p.height, format, pngDPI)
	if err := fs.drawPaper(p, draw.New(sheet)); err != nil {
		return fmt.Errorf("report: %s: %w", path, err)
	}
	return writeSheet(path, to)
}

// timings are the panels, whose names have the numbers. The lowest names their axis.
func (fs *figures) timings(list []TimingRow) []figure {
	var out []figure
	for _, row := range list {
		f := newHistograms()
		f.title = short(row.Name, timingName)
		fs.histogram(&f, tail("lateness", row.Timing.Lateness), colours[0], row.Timing.Lateness)
		fs.histogram(&f, tail("departure", row.Timing.Departure), colours[1], row.Timing.Departure)
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
