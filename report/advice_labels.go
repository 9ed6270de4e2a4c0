package report

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// drawLabels writes the name of each method beside its mark, with a line to the mark if there is no
// room close to it.
func drawLabels(c draw.Canvas, style draw.TextStyle, points []AdvicePoint, at []vg.Point) {
	sizes := make([]vg.Point, len(points))
	for i, p := range points {
		sizes[i] = vg.Point{X: style.Width(p.Method), Y: style.Font.Size}
	}
	for i, where := range placeLabels(c.Rectangle, at, sizes, func(i int) bool { return points[i].Recommended }) {
		near := vg.Point{X: min(max(at[i].X, where.Min.X), where.Max.X), Y: min(max(at[i].Y, where.Min.Y), where.Max.Y)}
		if apartBy(near, at[i]) > leaderSpace {
			c.StrokeLine2(draw.LineStyle{Color: rgb("#9A9A9A"), Width: vg.Points(0.5)}, at[i].X, at[i].Y, near.X, near.Y)
		}
		c.FillText(style, where.Min, points[i].Method)
	}
}

// Directions in which a label may stand, as parts of its size from the mark to its corner, the
// usual ones first.
var labelSides = []vg.Point{{X: 0, Y: -0.5}, {X: -1, Y: -0.5}, {X: -0.5, Y: 0}, {X: -0.5, Y: -1}, {X: 0, Y: 0}, {X: 0, Y: -1}, {X: -1, Y: 0}, {X: -1, Y: -1}}

// placeLabels finds the places of labels of some sizes beside their marks: the nearest place inside
// the area that covers no mark and no label placed before. Those that come first are placed
// first. A label that has no free place stands where it covers the least.
func placeLabels(area vg.Rectangle, at, sizes []vg.Point, first func(i int) bool) []vg.Rectangle {
	var taken []vg.Rectangle
	for _, p := range at {
		taken = append(taken, vg.Rectangle{Min: vg.Point{X: p.X - markRadius, Y: p.Y - markRadius}, Max: vg.Point{X: p.X + markRadius, Y: p.Y + markRadius}})
	}
	order := make([]int, len(at))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return map[bool]int{true: 0, false: 1}[first(i)] - map[bool]int{true: 0, false: 1}[first(j)]
	})
	out := make([]vg.Rectangle, len(at))
	for _, i := range order {
		out[i] = freePlace(area, at[i], sizes[i], taken)
		taken = append(taken, out[i])
	}
	return out
}

// freePlace is the place of one label.
func freePlace(area vg.Rectangle, at, size vg.Point, taken []vg.Rectangle) (best vg.Rectangle) {
	least := vg.Length(math.Inf(1))
	for gap := vg.Length(5); gap < 90; gap += 6 {
		for _, side := range labelSides {
			away := func(part vg.Length) vg.Length { return gap * (1 + 2*part) } // −gap, 0 or gap
			corner := vg.Point{X: at.X + side.X*size.X + away(side.X), Y: at.Y + side.Y*size.Y + away(side.Y)}
			place := vg.Rectangle{Min: corner, Max: corner.Add(size)}
			if place.Min.X < area.Min.X || place.Max.X > area.Max.X || place.Min.Y < area.Min.Y || place.Max.Y > area.Max.Y {
				continue
			}
			covered := vg.Length(0)
			for _, t := range taken {
				covered += shared(place, t)
			}
			if covered == 0 {
				return place
			}
			if covered < least {
				best, least = place, covered
			}
		}
	}
	if math.IsInf(float64(least), 1) { // broader than the area
		best = vg.Rectangle{Min: at, Max: at.Add(size)}
	}
	return best
}

// shared is the area that two rectangles share.
func shared(r, s vg.Rectangle) vg.Length {
	x, y := min(r.Max.X, s.Max.X)-max(r.Min.X, s.Min.X), min(r.Max.Y, s.Max.Y)-max(r.Min.Y, s.Min.Y)
	return max(x, 0) * max(y, 0)
}

func apartBy(p, q vg.Point) vg.Length {
	return vg.Length(math.Hypot(float64(p.X-q.X), float64(p.Y-q.Y)))
}
