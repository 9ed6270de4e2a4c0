package picture

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rths/campaign/study"
	"rths/result/plotting"
)

// sobol are the Sobol' indices, a tile for each output.
func (s *Study) sobol() (picture, bool) {
	pic := picture{file: "sobol", title: "Sobol' indices", wide: true}
	pic.caption = "Share of the variance. Dark, upper bar: first-order index S, the input alone. Pale, lower bar: total " +
		"index T, with its interactions. Lines: intervals. An estimate from few runs may lie outside 0 to 1."
	for _, o := range s.Sobol {
		if len(o.Inputs) > 0 {
			pic.tiles = append(pic.tiles, indicesTile(o, objectiveName(o.Name)))
		}
	}
	return pic, len(pic.tiles) > 0
}

func indicesTile(o study.Indices, name string) tile {
	bars := slices.Clone(o.Inputs)
	slices.SortStableFunc(bars, func(a, b study.SobolOfInput) int { return cmp.Compare(b.Total.Value, a.Total.Value) })
	across := axis{low: 0, high: 1}
	var names []string
	for _, b := range bars {
		names = append(names, b.Key)
		for _, v := range []float64{b.First.Value, b.First.From, b.First.To, b.Total.Value, b.Total.From, b.Total.To} {
			if shown(v) {
				across.low, across.high = max(-1, min(across.low, v)), min(2, max(across.high, v))
			}
		}
	}
	across.high += plotting.Room
	p := newRows(name, "share of the variance", across, names, 0)
	p.Add(drawing(func(c draw.Canvas, toX, toY func(float64) vg.Length) {
		for i, b := range bars {
			y := toY(rowAt(i, len(bars)))
			drawIndex(c, plotting.Colours[0], y, b.First, toX)
			drawIndex(c, plotting.Colours[5], y-barHeight, b.Total, toX)
		}
	}))
	return rowsTile(sobolWords(name, bars), p, len(bars), 0)
}

const barHeight = 0.36 * rowHeight

// drawIndex draws a bar from 0 whose lower edge is at y, and its interval.
func drawIndex(c draw.Canvas, colour string, y vg.Length, of study.Index, toX func(float64) vg.Length) {
	v, from, to := of.Value, of.From, of.To
	clip := func(v float64) vg.Length { return max(c.Min.X, min(c.Max.X, toX(v))) }
	if shown(v) {
		fillRects(c, plotting.RGB(colour), []vg.Rectangle{{Min: vg.Point{X: min(clip(0), clip(v)), Y: y},
			Max: vg.Point{X: max(clip(0), clip(v)), Y: y + 0.92*barHeight}}})
	}
	if shown(from) && shown(to) {
		line := draw.LineStyle{Color: plotting.RGB(plotting.Ink), Width: vg.Points(0.9)}
		middle := y + barHeight/2
		c.StrokeLine2(line, clip(from), middle, clip(to), middle)
		for _, end := range []float64{from, to} {
			c.StrokeLine2(line, clip(end), middle-1.5, clip(end), middle+1.5)
		}
	}
}

func sobolWords(name string, bars []study.SobolOfInput) string {
	words := "Sobol' indices of " + name
	if math.IsNaN(bars[0].Total.Value) {
		return words + "."
	}
	return fmt.Sprintf("%s: the largest total index, %s%s, is of %s.", words, inDigits(bars[0].Total.Value),
		between(bars[0].Total.From, bars[0].Total.To), bars[0].Key)
}
