package picture

import (
	"fmt"
	"unicode/utf8"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rths/result/plotting"
)

const (
	mostLevels     = 40  // of an input with boxes and a matrix
	mostCategories = 3   // inputs of levels whose pairs are drawn
	mostBoxes      = 400 // of a picture
	fewPoints      = 5   // fewer values are drawn as dots, not as a box
	rowHeight      = 5.5 * vg.Millimeter
	rowsFrame      = 20 * vg.Millimeter // title, labels and margins of a tile of rows
	letter         = vg.Length(5.2)     // the width of one in the labels of an axis
	countRoom      = vg.Length(72)      // right of the rows, for their numbers of runs
)

// category is an input of levels.
type category struct {
	name   string
	levels []string // in the order of their first runs
	of     []int    // the level of each run
}

// categories are the inputs of levels that pictures and matrices can show, and the names of those that
// have too many levels or are too many.
func (s *Study) categories() (list []category, left []string) {
	for _, in := range s.Inputs {
		if len(in.Labels) == 0 {
			continue
		}
		f := category{name: in.Name, of: make([]int, len(in.Labels))}
		place := map[string]int{}
		for i, l := range in.Labels {
			at, ok := place[l]
			if !ok {
				at = len(f.levels)
				place[l], f.levels = at, append(f.levels, l)
			}
			f.of[i] = at
		}
		if len(f.levels) > mostLevels || len(list) == mostCategories {
			left = append(left, f.name)
			continue
		}
		list = append(list, f)
	}
	return list, left
}

// pairs are the pairs of categories, the one with more levels first; an only category has no partner.
func (s *Study) pairs() [][2]*category {
	list, _ := s.categories()
	if len(list) == 1 {
		return [][2]*category{{&list[0], nil}}
	}
	var out [][2]*category
	for i := range list {
		for j := range list[:i] {
			rows, columns := &list[j], &list[i]
			if len(rows.levels) < len(columns.levels) {
				rows, columns = columns, rows
			}
			out = append(out, [2]*category{rows, columns})
		}
	}
	return out
}

// boxes are box plots of the main criterion: rows are the levels of one category, tiles those of
// another.
func (s *Study) boxes() []picture {
	var out []picture
	for _, pair := range s.pairs() {
		rows, columns := pair[0], pair[1]
		if tooMany(rows, columns) {
			continue
		}
		pic := picture{file: fileName("boxes", len(out)), title: criterion(s.Outputs[0]) + " by " +
			plotting.Short(rows.name, nameLetters), wide: true}
		pic.caption = "Box: quartiles and median. Whiskers: the last runs within 1.5 quartile distances of the box. Dots: " +
			"runs beyond. Of fewer than 5 runs each is a dot. On the right: number of runs."
		across := newAxis(false, s.values(s.Outputs[0])...)
		if columns == nil {
			pic.tiles = []tile{s.boxTile(rows, across, "", func(int) bool { return true })}
		} else {
			pic.title += " and " + plotting.Short(columns.name, nameLetters)
			for c, level := range columns.levels {
				pic.tiles = append(pic.tiles, s.boxTile(rows, across,
					plotting.Short(columns.name, titleLetters/2)+": "+plotting.Short(level, titleLetters/2),
					func(run int) bool { return columns.of[run] == c }))
			}
		}
		out = append(out, pic)
	}
	return out
}

// tooMany reports whether a picture would have more boxes than anybody reads.
func tooMany(rows, columns *category) bool {
	return columns != nil && len(rows.levels)*len(columns.levels) > mostBoxes
}

// fileName is the name of a file, of later ones with a number.
func fileName(name string, i int) string {
	if i == 0 {
		return name
	}
	return fmt.Sprintf("%s-%d", name, i+1)
}

// boxTile has a row for each level of a category, of the runs that are in.
func (s *Study) boxTile(rows *category, across axis, title string, in func(run int) bool) tile {
	o := s.Outputs[0]
	values, lost := make([][]float64, len(rows.levels)), make([]int, len(rows.levels))
	for run, level := range rows.of {
		switch {
		case !in(run):
		case s.has(o, run):
			values[level] = append(values[level], o.Values[run])
		default:
			lost[level]++
		}
	}
	p := newRows(title, criterion(o), across, rows.levels, countRoom)
	marks := levelMarks(rows.name, rows.levels)
	p.Add(drawing(func(c draw.Canvas, toX, toY func(float64) vg.Length) {
		for i, list := range values {
			y := toY(rowAt(i, len(values)))
			colour := plotting.Blue
			if isMethod(rows.name) {
				colour = marks[i].colour
			}
			drawBox(c, colour, list, y, func(v float64) vg.Length { return toX(across.at(v)) })
			drawCount(c, p.X.Tick.Label, y, len(list), lost[i])
		}
	}))
	return rowsTile(boxWords(title, criterion(o), rows.levels, values), p, len(values), countRoom)
}

// rowAt is the coordinate of a row: the first is on top.
func rowAt(i, n int) float64 { return float64(n - 1 - i) }

// newRows is an empty plot whose vertical axis names rows, with room on their right.
func newRows(title, x string, across axis, names []string, right vg.Length) *plot.Plot {
	p := newTilePlot(title, x, "", across, axis{low: -0.6, high: float64(len(names)) - 0.4})
	var ticks []plot.Tick
	longest := 0
	for i, name := range names {
		longest = max(longest, utf8.RuneCountInString(plotting.Short(name, rowLetters)))
		ticks = append(ticks, plot.Tick{Value: rowAt(i, len(names)), Label: plotting.Short(name, rowLetters)})
	}
	across.set(&p.X, plotting.Short(x, axisLetters), int((wideTile-right)/letter)-longest-3)
	p.Y.Tick.Marker, p.Y.Tick.Length = plot.ConstantTicks(ticks), 0
	return p
}

// rowsTile is the tile of a plot of rows, with room on their right.
func rowsTile(words string, p *plot.Plot, rows int, right vg.Length) tile {
	return tile{words: words, height: rowsFrame + rowHeight*vg.Length(rows), draw: func(c draw.Canvas) {
		p.Draw(draw.Crop(c, tileMargin, -2*tileMargin-right, tileMargin, -tileMargin))
	}}
}

// drawCount writes how many runs a row has.
func drawCount(c draw.Canvas, style draw.TextStyle, y vg.Length, n, lost int) {
	style.XAlign, style.YAlign = draw.XLeft, draw.YCenter
	style.Font.Size = plotting.SmallText
	text := fmt.Sprintf("n = %d", n)
	if lost > 0 {
		text += fmt.Sprintf(", %d failed", lost)
	}
	c.FillText(style, vg.Point{X: c.Max.X + 4, Y: y}, text)
}

// drawBox draws a box at the height y, or the values if they are few.
func drawBox(c draw.Canvas, colour string, values []float64, y vg.Length, toX func(float64) vg.Length) {
	dots := func(list []float64) {
		var at []vg.Point
		for _, v := range list {
			at = append(at, vg.Point{X: toX(v), Y: y})
		}
		fillDots(c, plotting.RGB(colour), at)
	}
	if len(values) < fewPoints {
		dots(values)
		return
	}
	const half = 0.3 * rowHeight
	b := newBox(values)
	line := draw.LineStyle{Color: plotting.RGB(colour), Width: vg.Points(0.9)}
	for _, w := range [][2]float64{{b.whiskerLow, b.q1}, {b.q3, b.whiskerHigh}} {
		c.StrokeLine2(line, toX(w[0]), y, toX(w[1]), y)
	}
	for _, end := range []float64{b.whiskerLow, b.whiskerHigh} {
		c.StrokeLine2(line, toX(end), y-half/2, toX(end), y+half/2)
	}
	left, right := toX(b.q1), toX(b.q3)
	middle := plotting.RGB(plotting.Box)
	if colour != plotting.Blue {
		middle = pale(plotting.RGB(colour))
	}
	fillRects(c, middle,
		[]vg.Rectangle{{Min: vg.Point{X: left, Y: y - half}, Max: vg.Point{X: right, Y: y + half}}})
	c.StrokeLines(line, []vg.Point{{X: left, Y: y - half}, {X: right, Y: y - half}, {X: right, Y: y + half},
		{X: left, Y: y + half}, {X: left, Y: y - half}})
	c.StrokeLine2(draw.LineStyle{Color: plotting.RGB(plotting.Ink), Width: vg.Points(1.8)}, toX(b.median), y-half,
		toX(b.median), y+half)
	dots(b.beyond)
}

// boxWords name the rows with the lowest and the highest median.
func boxWords(title, name string, levels []string, values [][]float64) string {
	low, high := -1, -1
	medians := make([]float64, len(values))
	for i, list := range values {
		if len(list) == 0 {
			continue
		}
		medians[i] = newBox(list).median
		if low < 0 || medians[i] < medians[low] {
			low = i
		}
		if high < 0 || medians[i] > medians[high] {
			high = i
		}
	}
	words := "Box plots of " + name
	if title != "" {
		words += ", " + title
	}
	if low < 0 {
		return words + ": no run has a value."
	}
	return words + fmt.Sprintf(": medians from %s (%s) to %s (%s).", inDigits(medians[low]),
		plotting.Short(levels[low], nameLetters), inDigits(medians[high]), plotting.Short(levels[high], nameLetters))
}
