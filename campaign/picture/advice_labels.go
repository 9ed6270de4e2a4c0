package picture

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rths/result/plotting"
)

// drawLabels writes the name of each method beside its mark, with a line to the mark if there is no
// room close to it.
func drawLabels(c draw.Canvas, style draw.TextStyle, points []AdvicePoint, at []vg.Point) {
	names, sizes := make([]string, len(points)), make([]vg.Point, len(points))
	for i, p := range points {
		names[i] = plotting.Short(p.Method, rowLetters)
		sizes[i] = vg.Point{X: style.Width(names[i]) + 3, Y: style.Font.Size}
	}
	places := placeLabels(c.Rectangle, at, sizes, func(i int) bool { return points[i].Recommended })
	for i, place := range places {
		if end := nearest(place, at[i]); apartBy(end, at[i]) > leaderSpace {
			c.StrokeLine2(draw.LineStyle{Color: plotting.RGB(plotting.Grey), Width: vg.Points(0.5)}, at[i].X, at[i].Y, end.X,
				end.Y)
		}
	}
	for i, place := range places {
		c.FillText(style, place.Min, names[i])
	}
}

// labelAngles are the directions from a mark to its label, in parts of a whole turn, the usual ones first.
var labelAngles = []float64{0, 0.5, 0.25, 0.75, 0.125, 0.875, 0.375, 0.625, 0.0625, 0.9375, 0.1875, 0.8125, 0.3125,
	0.6875, 0.4375, 0.5625}

// placeLabels finds the places of labels of some sizes beside their marks: the nearest place inside
// the area that covers no mark, no label placed before and no line to one, and whose own line crosses
// no label. Those that come first are placed first. A label that has no free place stands where it
// covers the least.
func placeLabels(area vg.Rectangle, at, sizes []vg.Point, first func(i int) bool) []vg.Rectangle {
	t := taken{area: area}
	for i, p := range at {
		r := markRadius
		if first(i) {
			r *= 2 // its ring
		}
		t.all = append(t.all, around(p, r))
	}
	order := make([]int, len(at))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return rank(first(i)) - rank(first(j)) })
	out := make([]vg.Rectangle, len(at))
	for _, i := range order {
		out[i] = t.place(at[i], sizes[i])
		t.labels = append(t.labels, out[i])
		t.all = append(append(t.all, out[i]), leader(out[i], at[i])...)
	}
	return out
}

func rank(first bool) int {
	if first {
		return 0
	}
	return 1
}

// taken is what labels of an area must not cover.
type taken struct {
	area   vg.Rectangle
	all    []vg.Rectangle // marks, labels, lines
	labels []vg.Rectangle
}

// place is the place of one label.
func (t *taken) place(at, size vg.Point) (best vg.Rectangle) {
	best = vg.Rectangle{Min: at, Max: at.Add(size)} // of a label that is broader than the area
	least := vg.Length(math.Inf(1))
	for gap := vg.Length(5); gap < 110; gap += 5 {
		for _, angle := range labelAngles {
			sin, cos := math.Sincos(2 * math.Pi * angle)
			x, y := vg.Length(cos), vg.Length(sin)
			corner := vg.Point{X: at.X + gap*x - size.X*(1-x)/2, Y: at.Y + gap*y - size.Y*(1-y)/2}
			place := vg.Rectangle{Min: corner, Max: corner.Add(size)}
			if place.Min.X < t.area.Min.X || place.Max.X > t.area.Max.X || place.Min.Y < t.area.Min.Y ||
				place.Max.Y > t.area.Max.Y {
				continue
			}
			covered := cover(place, t.all)
			for _, piece := range leader(place, at) {
				covered += cover(piece, t.labels)
			}
			if covered == 0 {
				return place
			}
			if covered < least {
				best, least = place, covered
			}
		}
	}
	return best
}

// leader is the line from a mark to its label in small pieces; none to a label that is near.
func leader(place vg.Rectangle, at vg.Point) (pieces []vg.Rectangle) {
	end := nearest(place, at)
	long := apartBy(end, at)
	if long <= leaderSpace {
		return nil
	}
	for s := markRadius; s < long; s++ {
		part := s / long
		pieces = append(pieces, around(vg.Point{X: at.X + part*(end.X-at.X), Y: at.Y + part*(end.Y-at.Y)}, 0.5))
	}
	return pieces
}

// nearest is the place of a rectangle that is next to a point.
func nearest(r vg.Rectangle, p vg.Point) vg.Point {
	return vg.Point{X: min(max(p.X, r.Min.X), r.Max.X), Y: min(max(p.Y, r.Min.Y), r.Max.Y)}
}

// around is a square around a point.
func around(p vg.Point, r vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: p.X - r, Y: p.Y - r}, Max: vg.Point{X: p.X + r, Y: p.Y + r}}
}

// cover is the area that a rectangle covers of others.
func cover(r vg.Rectangle, others []vg.Rectangle) (sum vg.Length) {
	for _, s := range others {
		x, y := min(r.Max.X, s.Max.X)-max(r.Min.X, s.Min.X), min(r.Max.Y, s.Max.Y)-max(r.Min.Y, s.Min.Y)
		sum += max(x, 0) * max(y, 0)
	}
	return sum
}

func apartBy(p, q vg.Point) vg.Length {
	return vg.Length(math.Hypot(float64(p.X-q.X), float64(p.Y-q.Y)))
}
