//go:build !js

package report

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rths/result/plotting"
	"rths/result/record"
)

// Sizes of a figure for a paper.
const (
	paperGap   = vg.Length(4)       // between the parts, points
	paperTile  = 60 * vg.Millimeter // width of one of several small plots, at least
	slimmest   = 30 * vg.Millimeter
	widest     = 500 * vg.Millimeter
	timeHeight = 0.5 // of a plot over time, over its width
)

// trackingFigure is the displacement above the tracking error.
const trackingFigure = "tracking"

// ParseWidth reads the width of a figure, as in 90mm, 9cm or 3.5in.
func ParseWidth(text string) (vg.Length, error) {
	known := slices.ContainsFunc([]string{"mm", "cm", "in"},
		func(unit string) bool { return strings.HasSuffix(text, unit) })
	w, err := vg.ParseLength(text)
	if err != nil || !known || !(w >= slimmest && w <= widest) {
		return 0, fmt.Errorf("width %q: want a length from 30mm to 500mm, as 90mm, 9cm or 3.5in", text)
	}
	return w, nil
}

// Figure draws one figure of runs for a paper, without a title, into a .pdf, .svg or .png file of the given width.
// Several names, with commas, become parts of one figure.
func Figure(path, name string, width vg.Length, runs []*record.Archive) error {
	format := strings.TrimPrefix(filepath.Ext(path), ".")
	if !slices.Contains(FigureFormats, format) {
		return fmt.Errorf("report: %s: want a .pdf, .svg or .png file", path)
	}
	if len(runs) == 0 || runs[0].Rows() == 0 {
		return errors.New("report: found no samples: want a run with a record")
	}
	names, _ := shortNames(runNames(runs))
	fs := newFigures(runs, names)
	fs.marks = nil
	var list []figure
	for one := range strings.SplitSeq(name, ",") {
		found := fs.named(one)
		if len(found) == 0 {
			return fmt.Errorf("report: figure %q: want one of %s", one, strings.Join(fs.names(), ", "))
		}
		list = append(list, found...)
	}
	p := newPaper(list, width)
	sheet, to := plotting.NewSheet(width, p.height, format, plotting.JournalDPI)
	if err := fs.drawPaper(p, draw.New(sheet)); err != nil {
		return fmt.Errorf("report: %s: %w", path, err)
	}
	if err := unread(runs); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return plotting.WriteSheet(path, to)
}

// names are the names of the figures, as of the image files; after them the channels that have a figure each.
func (fs *figures) names() []string {
	names := []string{trackingFigure}
	var channels []string
	for _, s := range fs.sections {
		for _, f := range s.figures {
			if !slices.Contains(names, f.id) {
				names = append(names, f.id)
			}
			if f.channel != "" {
				channels = append(channels, f.channel)
			}
		}
	}
	return append(names, channels...)
}

// named are the figures of that name, or of that channel, from top to bottom.
func (fs *figures) named(name string) []figure {
	ids := []string{name}
	if axis, ok := strings.CutPrefix(name, trackingFigure); ok {
		ids = []string{"displacement" + axis, "error" + axis}
	}
	var list []figure
	for _, s := range fs.sections {
		for _, f := range s.figures {
			if slices.Contains(ids, f.id) || name != "" && f.channel == name {
				list = append(list, f)
			}
		}
	}
	if name == trackingFigure { // parts of one figure need no names
		for i := range list {
			list[i].title = ""
		}
	}
	return list
}

// paper is the layout of a figure: its parts in rows of one or several.
type paper struct {
	list          []figure
	columns       int
	titled        bool // parts have names
	width, height vg.Length
	cell          vg.Length // height of one
}

func newPaper(list []figure, width vg.Length) paper {
	p := paper{list: list, columns: 1, titled: len(list) > 1, width: width}
	if shape := list[0].shape; shape == small || shape == loop {
		p.columns = max(1, min(len(list), int(width/paperTile)))
	}
	tile := width / vg.Length(p.columns)
	p.cell = timeHeight * tile
	if !list[0].overTime() && list[0].shape != broad {
		p.cell = tile
	}
	rows := (len(list) + p.columns - 1) / p.columns
	p.height = p.cell * vg.Length(rows)
	return p
}

// drawPaper draws the parts, each below its key, with their axes in line.
func (fs *figures) drawPaper(p paper, c draw.Canvas) error {
	rows := (len(p.list) + p.columns - 1) / p.columns
	plots := make([][]*plot.Plot, rows)
	keys := make([]key, len(p.list))
	strip := vg.Length(0)
	for i := range rows * p.columns {
		row := &plots[i/p.columns]
		if i >= len(p.list) {
			*row = append(*row, nil)
			continue
		}
		f := p.list[i]
		if i+p.columns < len(p.list) && f.overTime() { // the time axis is named once, below the last
			f.xLabel = ""
		}
		legend := plotting.NewLegend()
		drawn, err := fs.plot(f, &legend)
		if err != nil {
			return err
		}
		shrink(drawn)
		*row = append(*row, drawn)
		keys[i] = newKey(f, p.titled, drawn.X.Tick.Label, p.width/vg.Length(p.columns)-2*paperGap)
		strip = max(strip, keys[i].height)
	}
	tiles := draw.Tiles{Rows: rows, Cols: p.columns, PadTop: strip + paperGap, PadY: strip + paperGap, PadX: paperGap,
		PadRight: paperGap, PadBottom: paperGap / 2, PadLeft: paperGap / 2}
	for i, row := range plot.Align(plots, tiles, c) {
		for j, cell := range row {
			if drawn := plots[i][j]; drawn != nil {
				keys[i*p.columns+j].draw(c, vg.Point{X: c.Min.X + paperGap + vg.Length(j)*p.width/vg.Length(p.columns),
					Y: cell.Max.Y + paperGap/2})
				drawn.Draw(cell)
			}
		}
	}
	return nil
}

// shrink gives a plot the text of a paper, and fewer ticks.
func shrink(p *plot.Plot) {
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font.Size, a.Tick.Label.Font.Size = plotting.SmallText, plotting.SmallText
		a.Label.Padding = vg.Points(2)
		if _, round := a.Tick.Marker.(plotting.RoundTicks); round {
			a.Tick.Marker = plotting.RoundTicks(5)
		}
	}
}

// key is the names of the curves of a part, in lines from left to right.
type key struct {
	entries []keyEntry
	height  vg.Length
	style   draw.TextStyle
}

type keyEntry struct {
	at     vg.Point // from the left end of the lowest line
	text   string
	sample *curve // nil for the name of the part
}

// sampleLength is the length of a curve's sample in a key.
const sampleLength = vg.Length(14)

// newKey lays out a key in the given width. The axis names an only curve. The names of curves that do not fit beside
// the name of the part begin below it.
func newKey(f figure, titled bool, style draw.TextStyle, width vg.Length) key {
	style.XAlign, style.YAlign = draw.XLeft, draw.YCenter
	k := key{style: style}
	line := style.Height("A") + paperGap
	if titled && f.title != "" {
		k.entries = append(k.entries, keyEntry{text: f.title})
	}
	if curves := f.named(); len(curves) > 1 {
		for i := range curves {
			k.entries = append(k.entries, keyEntry{text: curves[i].name, sample: &curves[i]})
		}
	}
	whole := -2 * paperGap
	for _, e := range k.entries {
		whole += e.width(style) + 2*paperGap
	}
	x, y := vg.Length(0), vg.Length(0)
	for i, e := range k.entries {
		if x > 0 && (x+e.width(style) > width || whole > width && k.entries[i-1].sample == nil) {
			x, y = 0, y-line
		}
		k.entries[i].at = vg.Point{X: x, Y: y}
		x += e.width(style) + 2*paperGap
	}
	if len(k.entries) > 0 {
		k.height = line - y
	}
	for i := range k.entries {
		k.entries[i].at.Y += k.height - line/2
	}
	return k
}

func (e keyEntry) width(style draw.TextStyle) vg.Length {
	if e.sample == nil {
		return style.Width(e.text)
	}
	return sampleLength + paperGap/2 + style.Width(e.text)
}

// named are the curves in a key.
func (f figure) named() []curve {
	if f.diagonal {
		return append(slices.Clone(f.curves), curve{name: "ideal", colour: plotting.Ink, dashed: true})
	}
	return f.curves
}

func (k key) draw(c draw.Canvas, at vg.Point) {
	for _, e := range k.entries {
		place := at.Add(e.at)
		if e.sample != nil {
			stroke := draw.LineStyle{Color: plotting.RGB(e.sample.colour), Width: vg.Points(1)}
			if e.sample.dashed {
				stroke.Dashes = plotting.Dashes
			}
			c.StrokeLine2(stroke, place.X, place.Y, place.X+sampleLength, place.Y)
			place.X += sampleLength + paperGap/2
		}
		c.FillText(k.style, place, e.text)
	}
}
