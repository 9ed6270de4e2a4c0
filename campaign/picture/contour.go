package picture

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rths/result/plotting"
)

// contour is the line of a level in pieces: each crosses a square of four neighbouring points of the map, which stand
// at coordinates x and y (marching squares). Between points the value is linear on its scale. A square with a point
// that has no value on the scale is left out.
func (m Map) contour(level float64, scale axis, x, y []float64) [][2][2]float64 {
	var out [][2][2]float64
	limit := scale.at(level)
	for j := range len(y) - 1 {
		for i := range len(x) - 1 {
			corners := [5][2]int{{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}, {i, j}}
			var cuts [][2]float64
			gap := false
			for k, b := range corners[1:] {
				a := corners[k]
				u, v := scale.at(m.Value[a[1]][a[0]]), scale.at(m.Value[b[1]][b[0]])
				gap = gap || !shown(u) || !shown(v)
				if (u < limit) != (v < limit) {
					part := (limit - u) / (v - u)
					cuts = append(cuts, [2]float64{x[a[0]] + part*(x[b[0]]-x[a[0]]), y[a[1]] + part*(y[b[1]]-y[a[1]])})
				}
			}
			for k := 0; !gap && k+1 < len(cuts); k += 2 {
				out = append(out, [2][2]float64{cuts[k], cuts[k+1]})
			}
		}
	}
	return out
}

// markRoom is free of names about the mark, points.
const markRoom = 20

// drawContours draws the lines of round values with their names, and the line of the limit.
func (m Map) drawContours(c draw.Canvas, scale, across, up axis, toX, toY func(float64) vg.Length) {
	var x, y []float64
	for _, v := range m.AtX {
		x = append(x, across.at(v))
	}
	for _, v := range m.AtY {
		y = append(y, up.at(v))
	}
	line := func(level float64, colour string, width vg.Length) (places []vg.Point) {
		pieces := m.contour(level, scale, x, y)
		for _, pen := range []draw.LineStyle{{Color: color.White, Width: width + 1.2},
			{Color: plotting.RGB(colour), Width: width}} {
			for _, p := range pieces {
				c.StrokeLine2(pen, toX(p[0][0]), toY(p[0][1]), toX(p[1][0]), toY(p[1][1]))
			}
		}
		for _, p := range pieces {
			at := vg.Point{X: toX(p[0][0]), Y: toY(p[0][1])}
			if !(math.Hypot(float64(at.X-toX(across.at(m.MarkX))), float64(at.Y-toY(up.at(m.MarkY)))) < markRoom) {
				places = append(places, at)
			}
		}
		return places
	}
	levels := scale.levels()
	for k, t := range levels {
		level := scale.value(t.Value)
		if m.Limit != nil && level >= *m.Limit { // beyond, only the colours say how fast motion grows
			continue
		}
		// names stand beside each other, on the diagonal
		part := vg.Length(0.15 + 0.7*float64(k)/float64(len(levels)))
		near := vg.Point{X: c.Min.X + c.Size().X*part, Y: c.Min.Y + c.Size().Y*part}
		writeNear(c, t.Label, near, line(level, plotting.Letters, 0.7))
	}
	if m.Limit != nil {
		line(*m.Limit, plotting.Unstable, 1.8)
	}
}

// drawEdges draws the limit between the cells of each row.
func (m Map) drawEdges(c draw.Canvas, edgesX, edgesY []float64, toX, toY func(float64) vg.Length) {
	pen := draw.LineStyle{Color: plotting.RGB(plotting.Unstable), Width: vg.Points(1.8)}
	for j, row := range m.Value {
		for i := range len(row) - 1 {
			if a, b := row[i], row[i+1]; shown(a) && shown(b) && (a > *m.Limit) != (b > *m.Limit) {
				x := toX(edgesX[i+1])
				c.StrokeLine2(pen, x, toY(edgesY[j]), x, toY(edgesY[j+1]))
			}
		}
	}
}

// levels are the labelled marks of the scale; over up to three decades at 1, 2 and 5 times the powers of ten.
func (a axis) levels() []plot.Tick {
	ticks := a.ticks(upLetters)
	if a.log && a.high-a.low < 3 {
		ticks = a.decades(1, math.MaxInt)
	}
	return slices.DeleteFunc(ticks, func(t plot.Tick) bool { return t.Label == "" })
}

// writeNear writes a name on white at the place that is nearest to a point.
func writeNear(c draw.Canvas, name string, to vg.Point, places []vg.Point) {
	if len(places) < 2 { // a corner of the map
		return
	}
	away := func(p vg.Point) float64 { return math.Hypot(float64(p.X-to.X), float64(p.Y-to.Y)) }
	at := slices.MinFunc(places, func(a, b vg.Point) int { return cmp.Compare(away(a), away(b)) })
	style := plotting.NewPlot("", "").Y.Tick.Label
	style.XAlign, style.YAlign, style.Font.Size = draw.XCenter, draw.YCenter, plotting.SmallText
	half := vg.Point{X: style.Width(name)/2 + 1, Y: style.Height(name) / 2}
	fillRects(c, color.White, []vg.Rectangle{{Min: at.Sub(half), Max: at.Add(half)}})
	c.FillText(style, at, name)
}
