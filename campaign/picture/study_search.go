package picture

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rths/result/plotting"
)

// search is the history of a calibration: objective and parameters of the candidates of each
// generation.
func (s *Study) search() []picture {
	h := s.Search
	if h == nil || len(h.Value) == 0 {
		return nil
	}
	lost := len(h.Value) - len(h.feasible())
	best := picture{file: "search", title: "Search for the smallest " + objectiveName(h.Objective), wide: true,
		tiles: []tile{h.tile()}}
	best.caption = dotWords(len(h.Value)-lost, dotLimit(1), "candidate") + "The line is the best value so far. "
	if lost > 0 {
		best.caption += "Bars in the grey strip are the share of candidates that break a limit in some of their runs, or " +
			"have no value; a bar over the whole strip is all of them. "
	}
	out := []picture{best}
	swarm := picture{file: "search-parameters", title: "Parameters of the candidates",
		caption: dotWords(len(h.Value), dotLimit(len(h.Tuned)), "candidate") + "All are drawn, whatever their values."}
	if h.Optimum != nil {
		swarm.caption += " The dashed line is the optimum."
	}
	for i, in := range h.Tuned {
		swarm.tiles = append(swarm.tiles, h.parameter(in, i))
	}
	if len(swarm.tiles) > 0 {
		out = append(out, swarm)
	}
	return out
}

// feasible are the candidates that have a value and break no limit.
func (h *StudySearch) feasible() []int {
	var out []int
	for i, v := range h.Value {
		if shown(v) && (h.Violation == nil || !(h.Violation[i] > 0)) {
			out = append(out, i)
		}
	}
	return out
}

// generations is the axis of the generations.
func (h *StudySearch) generations() axis {
	last := max(len(h.Best), slices.Max(h.Generation))
	return axis{low: 0.5, high: float64(last) + 0.5}
}

// mostColumns is the number of generations up to which each has its share of candidates that
// break a limit.
const mostColumns = 100

func (h *StudySearch) columns() int {
	g := h.generations()
	return int(min(mostColumns, g.high-g.low))
}

func (h *StudySearch) tile() tile {
	var x, y, lost, values []float64
	for _, i := range h.feasible() {
		values = append(values, h.Value[i])
	}
	all := slices.Concat(values, h.Best)
	up := newAxis(tight(all...), all...)
	ok := h.feasible()
	for i, g := range h.Generation {
		if _, found := slices.BinarySearch(ok, i); !found {
			lost = append(lost, float64(g))
			continue
		}
		x, y = append(x, float64(g)), append(y, up.at(h.Value[i]))
	}
	if len(lost) > 0 {
		up.high += failRoom * (up.high - up.low)
	}
	p := newTilePlot("", "generation", objectiveName(h.Objective), h.generations(), up)
	p.Add(cloud(x, y, dotLimit(1)), failures(lost, slices.Concat(x, lost), h.columns()), bestLine(h.Best, up))
	words := fmt.Sprintf("%s of %s over the generation", objectiveName(h.Objective),
		plotting.CountOf(len(h.Value), "candidate"))
	if n := len(h.Best); n > 0 {
		words += fmt.Sprintf(": the best value goes from %s to %s", inDigits(h.Best[0]), inDigits(h.Best[n-1]))
	}
	if len(lost) > 0 {
		words += fmt.Sprintf("; %d break a limit or have no value", len(lost))
	}
	return newTile(words+".", p)
}

// bestLine draws the best value after each generation.
func bestLine(values []float64, up axis) drawing {
	return func(c draw.Canvas, toX, toY func(float64) vg.Length) {
		var line []vg.Point
		for g, v := range values {
			if at := up.at(v); shown(v) && !math.IsNaN(at) {
				line = append(line, vg.Point{X: toX(float64(g + 1)), Y: toY(at)})
			}
		}
		c.StrokeLines(draw.LineStyle{Color: plotting.RGB(plotting.Colours[1]), Width: vg.Points(1.8)}, line)
	}
}

// parameter is one parameter of the candidates.
func (h *StudySearch) parameter(in StudyInput, i int) tile {
	values := in.Values
	if h.Optimum != nil {
		values = append(slices.Clone(values), h.Optimum[i])
	}
	up := newAxis(in.Log, values...)
	var x, y []float64
	for k, g := range h.Generation {
		if at := up.at(in.Values[k]); shown(in.Values[k]) && !math.IsNaN(at) {
			x, y = append(x, float64(g)), append(y, at)
		}
	}
	p := newTilePlot("", "generation", in.label(), h.generations(), up)
	p.Add(cloud(x, y, dotLimit(len(h.Tuned))))
	words := in.Name + " of the candidates over the generation"
	if h.Optimum != nil && up.inside(h.Optimum[i]) {
		p.Add(level(up.at(h.Optimum[i])))
		words += ": the optimum is " + inDigits(h.Optimum[i])
	}
	return newTile(words+".", p)
}

// level draws a dashed horizontal line at a coordinate.
func level(at float64) drawing {
	return func(c draw.Canvas, _, toY func(float64) vg.Length) {
		c.StrokeLine2(draw.LineStyle{Color: plotting.RGB(plotting.Optimum), Width: vg.Points(1.4), Dashes: plotting.Dashes},
			c.Min.X, toY(at), c.Max.X, toY(at))
	}
}
