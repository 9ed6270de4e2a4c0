package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"rths/result/plotting"
	"rths/result/record"
)

// Overlay is chosen columns of runs, laid over each other.
type Overlay struct {
	Runs     []*record.Archive
	Names    []string // of the runs, each its own
	Columns  []string
	Together bool    // columns of one unit share a figure
	Points   int     // of a curve, at most
	From, To float64 // the part of the time that the curves have, s; all of it if equal
}

// Sketch is the figures, as Sketch has those of runs. A column that no run has has none.
func (o Overlay) Sketch() ([]byte, error) {
	fs := &figures{marks: marks(o.Runs), several: len(o.Runs) > 1}
	var sources []source
	for _, a := range o.Runs {
		sources = append(sources, newSource(a))
	}
	list := o.each(fs, sources)
	if o.Together {
		list = o.byUnit(fs, sources)
	}
	fs.section("Curves", list)
	data, err := fs.encode(o.grid(fs.traces))
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return data, unread(o.Runs)
}

// shownIn is the factor and the unit in which a column is shown.
func shownIn(c record.Column) (scale float64, unit string) {
	switch c.Unit {
	case "m":
		return 1000, "mm"
	case "N":
		return 1e-3, "kN"
	}
	return 1, channelLabel(c)
}

// find is a column by its name, of the first run that has it.
func (o Overlay) find(name string) (record.Column, bool) {
	for _, a := range o.Runs {
		if i := slices.IndexFunc(a.Columns, func(c record.Column) bool { return c.Name == name }); i >= 0 {
			return a.Columns[i], true
		}
	}
	return record.Column{}, false
}

// each is a figure for each column.
func (o Overlay) each(fs *figures, sources []source) (list []figure) {
	for _, name := range o.Columns {
		c, ok := o.find(name)
		if !ok {
			continue
		}
		scale, unit := shownIn(c)
		if scale == 1 {
			scale, unit = fs.readable(sources, c)
		}
		list = append(list, fs.compareChannel(sources, o.Names, name, readableName(c), unit, scale))
	}
	return list
}

// byUnit is a figure for each unit, whose curves have one scale.
func (o Overlay) byUnit(fs *figures, sources []source) (list []figure) {
	for _, name := range o.Columns {
		c, ok := o.find(name)
		if !ok {
			continue
		}
		scale, unit := shownIn(c)
		i := slices.IndexFunc(list, func(f figure) bool { return f.id == c.Unit })
		if i < 0 {
			i, list = len(list), append(list, figure{id: c.Unit, xLabel: timeLabel, yLabel: unit})
		}
		f := &list[i]
		f.title = strings.TrimPrefix(f.title+", "+readableName(c), ", ")
		for r, s := range sources {
			if t, ok := s.trace(name, scale); ok {
				label, n := readableName(c), len(f.curves)
				if len(sources) > 1 {
					label = o.Names[r] + ": " + label
				}
				f.line(true, label, overTime, fs.add(t), plotting.Colour(n))
				f.curves[n].dashed = n >= len(plotting.Colours)
			}
		}
	}
	return list
}

// grid is the time axis. Where its points stand for many samples, they stand for whole blocks of a pyramid.
func (o Overlay) grid(traces []trace) grid {
	points := float64(max(2, o.Points))
	g := newGrid(traces, points)
	g.plain, g.snap = true, 1e-3
	if g.points == 0 {
		return g
	}
	samples := float64((g.points-1)*g.every + 1)
	if o.To > o.From {
		first := math.Floor(max(0, min((o.From-g.start)*g.rate, samples-1))/record.PyramidBlock) * record.PyramidBlock
		samples = max(1, min(samples-first, math.Ceil((o.To-g.start)*g.rate)-first+1))
		g.start, g.to = g.start+first/g.rate, o.To
		g.every = max(1, int(math.Ceil(samples/points)))
	}
	if two := 2 * record.PyramidBlock; g.every > two {
		g.every = (g.every + two - 1) / two * two
	}
	g.points = int((samples-1)/float64(g.every)) + 1
	if g.every > 1 {
		g.points += g.points % 2
	}
	return g
}

// Beside is a table of runs, with a column for each.
type Beside struct {
	Title string      `json:"title"`
	First string      `json:"first"` // head of the first column
	Heads []string    `json:"heads"`
	Rows  []BesideRow `json:"rows"`
}

// BesideRow is a row of such a table.
type BesideRow struct {
	Name  string   `json:"name"`
	Doc   string   `json:"doc,omitempty"`
	Cells []string `json:"cells"`
}

// Tables are the settings that differ among runs, and their results. The manifests are enough. names are those of the
// runs, each its own.
func Tables(runs []*record.Archive) (names []string, tables []Beside) {
	names, _ = namesOf(runs)
	list := append([]table{differences(runs, names)}, newTables(runs, names)...)
	for _, t := range list {
		if len(t.Rows) == 0 && t.Title != list[0].Title {
			continue
		}
		one := Beside{t.Title, cmp.Or(t.First, "Run"), t.Heads, []BesideRow{}}
		for _, r := range t.Rows {
			one.Rows = append(one.Rows, BesideRow(r))
		}
		tables = append(tables, one)
	}
	if len(runs) == 1 {
		tables = tables[1:]
	}
	return names, tables
}
