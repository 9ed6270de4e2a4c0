package picture

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rths/result/plotting"
)

const (
	mapShades  = 48
	allCells   = 40000          // of all maps
	mostCells  = 64             // of a map in each direction: of more, every n-th is drawn
	overlap    = vg.Length(0.6) // of cells, so that no line shows between them
	mapLetters = 26
	scaleRoom  = 58 // right of a map, for its scale, points
)

// maps are the colour maps around the optimum; maps of one objective have one scale.
func (s *Study) maps() []picture {
	var out []picture
	var seen []string
	for _, m := range s.Maps {
		if slices.Contains(seen, m.Objective) {
			continue
		}
		out = append(out, s.mapsOf(m.Objective, len(seen)))
		seen = append(seen, m.Objective)
	}
	return out
}

func (s *Study) mapsOf(objective string, i int) picture {
	pic := picture{file: fileName("map", i), title: objectiveName(objective) + " around the optimum"}
	pic.caption = "Dark is small, bright is large; the red cross is the optimum, the other parameters stay there."
	var all []float64
	thinned, most := false, s.mapCells()
	for _, m := range s.Maps {
		if m.Objective == objective {
			all = append(all, slices.Concat(m.Value...)...)
			thinned = thinned || max(len(m.AtX), len(m.AtY)) > most
		}
	}
	if slices.ContainsFunc(all, func(v float64) bool { return !shown(v) }) {
		pic.caption += " Grey cells with lines have no value: the runs failed there, or the point is not feasible."
	}
	if thinned {
		pic.caption += fmt.Sprintf(" Of a map with more than %d points in a direction, every n-th is drawn.", most)
	}
	scale := newScale(tight(all...), all...)
	for _, m := range s.Maps {
		if m.Objective == objective {
			pic.tiles = append(pic.tiles, m.thin(most).tile(scale))
		}
	}
	return pic
}

// objectiveName is the name of an objective with its unit.
func objectiveName(name string) string { return criterion(StudyOutput{Name: name}) }

// mapCells is the number of cells that a map may have in each direction.
func (s *Study) mapCells() int {
	return min(mostCells, int(math.Sqrt(float64(allCells/len(s.Maps)))))
}

// thin keeps every n-th point in a direction with more than most.
func (m Map) thin(most int) Map {
	every := func(n int) int { return (n + most - 1) / most }
	stepX, stepY := every(len(m.AtX)), every(len(m.AtY))
	out := m
	out.AtX, out.AtY, out.Value = nil, nil, nil
	for i := 0; i < len(m.AtX); i += stepX {
		out.AtX = append(out.AtX, m.AtX[i])
	}
	for j := 0; j < len(m.AtY); j += stepY {
		out.AtY = append(out.AtY, m.AtY[j])
		var row []float64
		for i := 0; i < len(m.AtX); i += stepX {
			row = append(row, m.Value[j][i])
		}
		out.Value = append(out.Value, row)
	}
	return out
}

// mapAxis is the axis over the cells around points, whose edges stand in the middle between them.
func mapAxis(log bool, at []float64) (a axis, edges []float64) {
	a = newAxis(log, at...)
	if !log && a.log { // the map says which axes are logarithmic
		a = axis{power: readablePower(max(-at[0], at[len(at)-1]))}
	}
	var places []float64
	for _, v := range at {
		places = append(places, a.at(v))
	}
	first, last := a.low, a.high
	if n := len(places); n > 1 {
		first, last = places[0]-(places[1]-places[0])/2, places[n-1]+(places[n-1]-places[n-2])/2
	}
	edges = append(edges, first)
	for i := range places[1:] {
		edges = append(edges, (places[i]+places[i+1])/2)
	}
	edges = append(edges, last)
	a.low, a.high = first, last
	return a, edges
}

func (m Map) tile(scale axis) tile {
	across, edgesX := mapAxis(m.LogX, m.AtX)
	up, edgesY := mapAxis(m.LogY, m.AtY)
	p := newTilePlot("", m.X, m.Y, across, up)
	across.set(&p.X, plotting.Short(m.X, axisLetters), mapLetters)
	if m.NamesY != nil {
		var names []plot.Tick
		for j, name := range m.NamesY {
			names = append(names, plot.Tick{Value: up.at(m.AtY[j]), Label: name})
		}
		p.Y.Tick.Marker = plot.ConstantTicks(names)
	}
	p.Add(drawing(func(c draw.Canvas, toX, toY func(float64) vg.Length) {
		cells, none := m.cells(scale, edgesX, edgesY, toX, toY)
		for i, list := range cells {
			fillRects(c, blend(plotting.Viridis, float64(i)/(mapShades-1)), grown(list, c.Rectangle))
		}
		fillRects(c, plotting.RGB(plotting.NoValue), none)
		c.SetLineStyle(draw.LineStyle{Color: plotting.RGB(plotting.Hatching), Width: vg.Points(0.6)})
		for _, r := range none {
			c.Stroke(vg.Path{{Type: vg.MoveComp, Pos: r.Min}, {Type: vg.LineComp, Pos: r.Max}})
		}
		if m.Contours {
			m.drawContours(c, scale, across, up, toX, toY)
		} else if m.Limit != nil {
			m.drawEdges(c, edgesX, edgesY, toX, toY)
		}
		if across.inside(m.MarkX) && up.inside(m.MarkY) {
			drawMark(c, vg.Point{X: toX(across.at(m.MarkX)), Y: toY(up.at(m.MarkY))})
		}
	}))
	bar := colourBar(objectiveName(m.Objective), scale)
	return tile{words: m.words(), height: usualTile, draw: func(c draw.Canvas) {
		c = draw.Crop(c, tileMargin, -tileMargin, tileMargin, -2*tileMargin)
		left := draw.Crop(c, 0, -scaleRoom, 0, 0)
		p.Draw(left)
		area := p.DataCanvas(left)
		right := draw.Crop(c, c.Size().X-scaleRoom+6, 0, 0, 0)
		right.Min.Y, right.Max.Y = area.Min.Y, area.Max.Y
		bar(right)
	}}
}

// grown are rectangles that overlap each other, but not the edge of the plot.
func grown(list []vg.Rectangle, within vg.Rectangle) []vg.Rectangle {
	for i, r := range list {
		list[i] = vg.Rectangle{
			Min: vg.Point{X: max(within.Min.X, r.Min.X-overlap), Y: max(within.Min.Y, r.Min.Y-overlap)},
			Max: vg.Point{X: min(within.Max.X, r.Max.X+overlap), Y: min(within.Max.Y, r.Max.Y+overlap)},
		}
	}
	return list
}

// cells are the rectangles of each shade, neighbours of a row as one, and those without a value.
func (m Map) cells(scale axis, edgesX, edgesY []float64, toX,
	toY func(float64) vg.Length) (shades [mapShades][]vg.Rectangle, none []vg.Rectangle) {
	for j, row := range m.Value {
		for i := 0; i < len(row); {
			s, to := scale.shade(row[i]), i+1
			if math.IsInf(row[i], 1) { // the paper stays
				i = to
				continue
			}
			for s >= 0 && to < len(row) && scale.shade(row[to]) == s {
				to++
			}
			r := vg.Rectangle{Min: vg.Point{X: toX(edgesX[i]), Y: toY(edgesY[j])},
				Max: vg.Point{X: toX(edgesX[to]), Y: toY(edgesY[j+1])}}
			if s < 0 {
				none = append(none, r)
			} else {
				shades[s] = append(shades[s], r)
			}
			i = to
		}
	}
	return shades, none
}

// shade is the number of the shade of a value, -1 of no value.
func (a axis) shade(v float64) int {
	if !shown(v) {
		return -1
	}
	share := (a.at(v) - a.low) / (a.high - a.low)
	return max(0, min(mapShades-1, int(mapShades*share)))
}

// colourBar draws the scale of the colours with its ticks on the right.
func colourBar(name string, a axis) func(draw.Canvas) {
	return func(c draw.Canvas) {
		const width = 9
		style := plotting.NewPlot("", "").Y.Tick.Label
		style.XAlign, style.YAlign = draw.XLeft, draw.YCenter
		style.Font.Size = plotting.SmallText
		height := c.Size().Y
		for i := range mapShades {
			low := c.Min.Y + height*vg.Length(i)/mapShades
			fillRects(c, blend(plotting.Viridis, float64(i)/(mapShades-1)),
				[]vg.Rectangle{{Min: vg.Point{X: c.Min.X, Y: low},
					Max: vg.Point{X: c.Min.X + width, Y: min(c.Max.Y, low+height/mapShades+overlap)}}})
		}
		for _, t := range a.ticks(upLetters) {
			y := c.Min.Y + height*vg.Length((t.Value-a.low)/(a.high-a.low))
			if y < c.Min.Y || y > c.Max.Y || t.Label == "" {
				continue
			}
			c.StrokeLine2(draw.LineStyle{Color: color.Black, Width: vg.Points(0.5)}, c.Min.X+width, y, c.Min.X+width+3, y)
			c.FillText(style, vg.Point{X: c.Min.X + width + 4, Y: y}, t.Label)
		}
		style.Rotation, style.XAlign, style.YAlign = math.Pi/2, draw.XCenter, draw.YBottom
		c.FillText(style, vg.Point{X: c.Max.X, Y: (c.Min.Y + c.Max.Y) / 2}, plotting.Short(a.label(name), axisLetters))
	}
}

// drawMark draws a cross that stands out from every shade.
func drawMark(c draw.Canvas, at vg.Point) {
	for _, pen := range []draw.LineStyle{{Color: color.White, Width: vg.Points(3.6)},
		{Color: plotting.RGB(plotting.Optimum), Width: vg.Points(1.8)}} {
		r := vg.Length(6)
		if pen.Color == color.White {
			r = 7
		}
		c.StrokeLine2(pen, at.X-r, at.Y, at.X+r, at.Y)
		c.StrokeLine2(pen, at.X, at.Y-r, at.X, at.Y+r)
	}
}

// words name the place of the smallest value, and how many points have none.
func (m Map) words() string {
	var best [2]int
	none, found := 0, false
	for j, row := range m.Value {
		for i, v := range row {
			if !shown(v) {
				none++
				continue
			}
			if !found || v < m.Value[best[0]][best[1]] {
				best, found = [2]int{j, i}, true
			}
		}
	}
	words := fmt.Sprintf("%s over %s and %s", objectiveName(m.Objective), m.X, m.Y)
	if !found {
		return words + ": no point has a value."
	}
	words += fmt.Sprintf(": smallest %s at %s and %s; the optimum is at %s and %s", inDigits(m.Value[best[0]][best[1]]),
		inDigits(m.AtX[best[1]]), inDigits(m.AtY[best[0]]), inDigits(m.MarkX), inDigits(m.MarkY))
	if none > 0 {
		words += fmt.Sprintf("; %s without a value", plotting.CountOf(none, "point"))
	}
	return words + "."
}
