package picture

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rths/result/plotting"
)

// trend is an output over a swept input, of the runs of one level: median and band of the runs at each value.
type trend struct {
	level             string // "": of all runs
	x                 []float64
	low, median, high []float64 // NaN where no run has a value
	n                 []int     // runs with a value
	lost              []float64 // x of the runs that did not complete
	mark              mark
}

const (
	bandLow, bandHigh = 0.1, 0.9 // quantiles
	mostLines         = 12       // of a diagram
	mostBands         = 3        // of more lines there are no bands
	sweepTile         = 8 * vg.Centimeter
	bandAlpha         = 0x33
)

// distinct are the different numbers among some, in increasing order; NaN is none.
func distinct(values []float64) []float64 {
	out := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !shown(v) })
	slices.Sort(out)
	return slices.Compact(out)
}

// trend is an output over an input, of the runs that are in.
func (s *Study) trend(in StudyInput, o StudyOutput, level string, is func(run int) bool) trend {
	t := trend{level: level, x: distinct(in.Values)}
	at := make([][]float64, len(t.x))
	for run, x := range in.Values {
		switch i, found := slices.BinarySearch(t.x, x); {
		case !found || !is(run):
		case s.has(o, run):
			at[i] = append(at[i], o.Values[run])
		case !s.completed(run):
			t.lost = append(t.lost, x)
		}
	}
	for _, values := range at {
		of := [3]float64{math.NaN(), math.NaN(), math.NaN()}
		if slices.Sort(values); len(values) > 0 {
			of = [3]float64{quantile(values, bandLow), quantile(values, 0.5), quantile(values, bandHigh)}
		}
		t.low, t.median, t.high = append(t.low, of[0]), append(t.median, of[1]), append(t.high, of[2])
		t.n = append(t.n, len(values))
	}
	return t
}

// trends are an output over an input, a trend for each level of the compared category that has a value.
func (s *Study) trends(in StudyInput, o StudyOutput) (out []trend) {
	lines := s.compared(in.Name)
	if lines == nil {
		t := s.trend(in, o, "", func(int) bool { return true })
		t.mark = levelMarks("", []string{""})[0]
		return []trend{t}
	}
	marks := levelMarks(lines.name, lines.levels)
	for i, level := range lines.levels[:min(len(lines.levels), mostLines)] {
		out = append(out, s.trend(in, o, level, func(run int) bool { return lines.of[run] == i }))
		out[i].mark = marks[i]
	}
	return out
}

// sweeps are pictures over each swept input: of the criteria, and of the parameters that adapt.
func (s *Study) sweeps() (out []picture) {
	inputs := slices.DeleteFunc(slices.Clone(s.Inputs),
		func(in StudyInput) bool { return !in.Swept || len(distinct(in.Values)) == 0 })
	for i, in := range inputs {
		learnt := slices.DeleteFunc(slices.Clone(s.Outputs), func(o StudyOutput) bool { return o.Role != Parameter })
		for _, of := range []struct {
			file, title string
			outputs     []StudyOutput
		}{{"sweep", "Criteria", s.criteria()}, {"parameters", "Parameters at the end of the run", learnt}} {
			if pic := s.sweep(in, of.outputs); len(pic.tiles) > 0 {
				pic.file = fileName(of.file, i)
				pic.title = of.title + " over " + plotting.Short(in.Name, nameLetters)
				out = append(out, pic)
			}
		}
	}
	return out
}

// sweep is a picture of outputs over an input.
func (s *Study) sweep(in StudyInput, outputs []StudyOutput) picture {
	pic := picture{size: sweepTile, beside: 2}
	most, lines, lost := 0, 0, 0 // runs at a value, lines, runs that failed
	for _, o := range outputs[:min(len(outputs), mostOutputs)] {
		before, trends := len(pic.tiles), s.trends(in, o)
		for _, t := range trends {
			if n := slices.Max(t.n); n > 0 && len(pic.tiles) == before {
				pic.tiles = append(pic.tiles, trendTile(in, o, trends))
			}
			most, lines, lost = max(most, slices.Max(t.n)), len(trends), max(lost, len(t.lost))
		}
	}
	if len(pic.tiles) == 0 {
		return pic
	}
	pic.caption = "A dot is a run. "
	if most > 1 {
		pic.caption = "Line: median of the runs at each value. "
	}
	if most > 1 && lines <= mostBands {
		pic.caption += fmt.Sprintf("Band: %g to %g %% of them. ", 100*bandLow, 100*bandHigh)
	}
	if lost > 0 {
		pic.caption += "Crosses in the grey strip are values at which runs failed. "
	}
	if lines := s.compared(in.Name); lines != nil {
		if n := len(lines.levels); n > mostLines {
			pic.caption += fmt.Sprintf("The first %d of %d levels are drawn. ", mostLines, n)
		}
		pic.tiles = append([]tile{legendTile(lines.name, lines.levels[:min(len(lines.levels), mostLines)])}, pic.tiles...)
	}
	if n := len(outputs) - mostOutputs; n > 0 {
		pic.caption += fmt.Sprintf("%s more in the tables. ", plotting.CountOf(n, "output"))
	}
	return pic
}

// legendTile names the lines, which are the levels of a category.
func legendTile(name string, levels []string) tile {
	const row = vg.Length(13)
	style := plotting.NewPlot("", "").X.Tick.Label
	style.XAlign, style.YAlign, style.Font.Size = draw.XLeft, draw.YCenter, plotting.TextSize
	marks := levelMarks(name, levels)
	return tile{words: "Lines: " + plotting.Short(fmt.Sprint(levels), mostLetters), height: row * vg.Length(len(levels)+3),
		draw: func(c draw.Canvas) {
			x, y := c.Min.X+5*tileMargin, c.Max.Y-2*row
			c.FillText(style, vg.Point{X: x, Y: y + row}, plotting.Short(name, titleLetters))
			for i, level := range levels {
				c.StrokeLine2(marks[i].stroke(), x, y, x+24, y)
				fillDots(c, plotting.RGB(marks[i].colour), []vg.Point{{X: x + 12, Y: y}})
				c.FillText(style, vg.Point{X: x + 30, Y: y}, plotting.Short(level, titleLetters-8))
				y -= row
			}
		}}
}

// trendTile is a diagram of an output over an input.
func trendTile(in StudyInput, o StudyOutput, trends []trend) tile {
	var values, lost []float64
	for _, t := range trends {
		values, lost = append(values, t.median...), append(lost, t.lost...)
		if len(trends) <= mostBands {
			values = slices.Concat(values, t.low, t.high)
		}
	}
	across, up := newAxis(in.Log, distinct(in.Values)...), newAxis(false, values...)
	if len(lost) > 0 {
		up.high += failRoom * (up.high - up.low)
	}
	p := newTilePlot("", in.label(), criterion(o), across, up)
	for _, t := range trends {
		if len(trends) <= mostBands {
			p.Add(t.band(plotting.RGB(t.mark.colour), across, up))
		}
	}
	for _, t := range trends {
		p.Add(t.line(t.mark.stroke(), across, up))
	}
	for i := range lost {
		lost[i] = across.at(lost[i])
	}
	p.Add(failures(lost, nil, 0))
	return newTile(trendWords(in, o, trends), p)
}

// pieces are the stretches of a trend in which each value has a median, as indices from and to.
func (t *trend) pieces() (out [][2]int) {
	for i := 0; i < len(t.x); i++ {
		from := i
		for i < len(t.x) && t.n[i] > 0 {
			i++
		}
		if i > from {
			out = append(out, [2]int{from, i})
		}
	}
	return out
}

// line draws the medians.
func (t *trend) line(stroke draw.LineStyle, across, up axis) drawing {
	return func(c draw.Canvas, toX, toY func(float64) vg.Length) {
		for _, piece := range t.pieces() {
			var at []vg.Point
			for i := piece[0]; i < piece[1]; i++ {
				at = append(at, vg.Point{X: toX(across.at(t.x[i])), Y: toY(up.at(t.median[i]))})
			}
			c.StrokeLines(stroke, at)
			fillDots(c, stroke.Color, at)
		}
	}
}

// band fills from the lower to the upper quantile.
func (t *trend) band(colour color.Color, across, up axis) drawing {
	return func(c draw.Canvas, toX, toY func(float64) vg.Length) {
		for _, piece := range t.pieces() {
			var edge []vg.Point
			for i := piece[0]; i < piece[1]; i++ {
				edge = append(edge, vg.Point{X: toX(across.at(t.x[i])), Y: toY(up.at(t.low[i]))})
			}
			for i := piece[1] - 1; i >= piece[0]; i-- {
				edge = append(edge, vg.Point{X: toX(across.at(t.x[i])), Y: toY(up.at(t.high[i]))})
			}
			c.FillPolygon(pale(colour), edge)
		}
	}
}

// pale is a colour that lets others through.
func pale(c color.Color) color.Color {
	r, g, b, _ := c.RGBA()
	return color.NRGBA{R: uint8(r >> 8), G: uint8(g >> 8), B: uint8(b >> 8), A: bandAlpha}
}

// trendWords say from where to where each trend goes.
func trendWords(in StudyInput, o StudyOutput, trends []trend) string {
	words := fmt.Sprintf("%s over %s, medians", criterion(o), in.Name)
	for _, t := range trends {
		pieces := t.pieces()
		if len(pieces) == 0 {
			continue
		}
		first, last := pieces[0][0], pieces[len(pieces)-1][1]-1
		words += "; "
		if t.level != "" {
			words += plotting.Short(t.level, nameLetters) + ": "
		}
		words += fmt.Sprintf("%s at %s, %s at %s", inDigits(t.median[first]), inDigits(t.x[first]), inDigits(t.median[last]),
			inDigits(t.x[last]))
	}
	return words + "."
}
