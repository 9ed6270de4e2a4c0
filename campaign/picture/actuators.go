package picture

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rths/campaign/analyse"
	"rths/model/rigidbody"
	"rths/result/plotting"
)

// Sizes of the sheet of actuators. It is narrow, so that its text can be read on a small screen too.
const (
	actuatorsWidth = 14 * vg.Centimeter
	viewTall       = 11 * vg.Centimeter // most
	viewRoom       = vg.Length(34)      // around what stands in a view: supports and labels
	legendRow      = vg.Length(14)
	headRow        = vg.Length(20)
	support        = vg.Length(8)
	pinRadius      = vg.Length(3)
)

type place = [3]float64 // m, in the axes of the points

// setup is a body with its actuators, as it is drawn.
type setup struct {
	g          *analyse.Geometry
	base, pin  []place
	long       []bool     // the actuator has a direction and no base
	cables     [2][]place // ends of instruments: bases, pins
	node       place
	poses      [][]place // of pins and, last, node, drawn larger by the factor
	factor     float64
	axes       [3]place // of the coordinates, of length 1
	style      text.Style
	scale      float64 // points per m
	low, high  place   // of all that is drawn
	flat       bool
	inked, sky color.Color
}

// Actuators draws a rigid body with its actuators, and the poses of the predicted motion in which an actuator is
// shortest or longest, into actuators.png and actuators.svg of a folder, and returns their paths. A set-up in a plane
// has one view, another one plan and two elevations.
func Actuators(dir, title string, g *analyse.Geometry) ([]string, error) {
	s, err := newSetup(g)
	if err != nil {
		return nil, err
	}
	across, up := s.room()
	return plotting.SaveSheet(dir, "actuators", actuatorsWidth, up+2*plotting.Margin+headRow, func(c draw.Canvas) error {
		c.SetColor(color.White) // also on a dark page
		c.Fill(c.Rectangle.Path())
		c = draw.Crop(c, plotting.Margin, -plotting.Margin, plotting.Margin, -plotting.Margin)
		head := s.style
		head.Font.Size, head.YAlign = plotting.TextSize+1, draw.YTop
		c.FillText(head, vg.Point{X: c.Min.X, Y: c.Max.Y}, plotting.Short(title, nameLetters))
		s.draw(draw.Crop(c, 0, 0, 0, -headRow), across)
		return nil
	})
}

func newSetup(g *analyse.Geometry) (*setup, error) {
	p := g.Body
	body, err := p.Body()
	if err != nil {
		return nil, err
	}
	s := &setup{g: g, flat: p.Plane(), node: pad(p.Node), style: plotting.NewPlot("", "").X.Tick.Label,
		inked: plotting.RGB(plotting.Ink), sky: plotting.RGB(plotting.SkyBlue)}
	s.style.XAlign, s.style.YAlign = draw.XLeft, draw.YCenter
	n := len(p.Actuators)
	for i := range s.axes {
		var e place
		e[i] = 1
		s.axes[i] = minus(p.InSpace(e), s.node)
	}
	rest := s.placed(body, make([]float64, n))
	s.pin = rest[:n]
	size, moved := 0.0, 0.0
	for _, a := range s.pin {
		size = max(size, metres(a, s.node), metres(a, s.pin[0]))
	}
	for i, a := range p.Actuators {
		s.long = append(s.long, len(a.Direction) > 0)
		if s.base = append(s.base, pad(a.Base)); s.long[i] {
			d := pad(a.Direction)
			s.base[i] = along(s.pin[i], d, -1.5*max(size, 0.5)/metres(d, place{}))
		}
	}
	for _, l := range p.Instruments {
		from, to := pad(l.Base), pad(l.Pin)
		if d := pad(l.Direction); len(l.Base) == 0 {
			from = along(to, d, -max(size, 0.5)/metres(d, place{}))
		}
		s.cables[0], s.cables[1] = append(s.cables[0], from), append(s.cables[1], to)
	}
	for _, u := range g.Actuators {
		for _, q := range u.Poses {
			pose := s.placed(body, q)
			for i := range pose {
				moved = max(moved, metres(pose[i], rest[i]))
			}
			s.poses = append(s.poses, pose)
		}
	}
	s.factor = 1
	for _, f := range []float64{2, 5, 10, 20, 50, 100} {
		if moved > 0 && f*moved <= size/4 {
			s.factor = f
		}
	}
	for _, pose := range s.poses {
		for i := range pose {
			pose[i] = along(rest[i], minus(pose[i], rest[i]), s.factor)
		}
	}
	s.low, s.high = s.node, s.node
	for _, list := range append(s.poses, s.pin, s.base, s.cables[0], s.cables[1]) {
		for _, at := range list {
			for k, v := range at {
				s.low[k], s.high[k] = min(s.low[k], v), max(s.high[k], v)
			}
		}
	}
	return s, nil
}

// placed are the places of pins and node in a pose.
func (s *setup) placed(body *rigidbody.Body, q []float64) (out []place) {
	for i := range len(s.g.Body.Actuators) + len(s.g.Body.Instruments) {
		out = append(out, s.g.Body.InSpace(body.Pin(i, q)))
	}
	var by place
	for i, name := range s.g.Body.Coordinates {
		if k := slices.Index([]string{"x", "y", "z"}, name); k >= 0 {
			by[k] = q[i]
		}
	}
	return append(out, s.g.Body.InSpace(by))
}

func pad(v []float64) (out place) {
	copy(out[:], v)
	return out
}

func along(a, d place, by float64) place {
	return place{a[0] + by*d[0], a[1] + by*d[1], a[2] + by*d[2]}
}
func minus(a, b place) place { return along(a, b, -1) }
func metres(a, b place) float64 {
	d := minus(a, b)
	return math.Hypot(math.Hypot(d[0], d[1]), d[2])
}

// room finds the scale, and says how broad the left views are and how tall everything is. All views have one scale.
func (s *setup) room() (left, up vg.Length) {
	d := minus(s.high, s.low)
	broad, tall := float64(actuatorsWidth-2*plotting.Margin-2*viewRoom), float64(viewTall)
	legend := s.legendTall()
	if s.flat {
		s.scale = min(broad/max(d[0], 1e-3), tall/max(d[1], 1e-3))
		return 0, s.length(d[1]) + 2*viewRoom + legend
	}
	s.scale = min((broad-2*float64(viewRoom))/max(d[0]+d[1], 1e-3), 2*tall/max(d[1]+d[2], 1e-3))
	plan := max(s.length(d[1])+2*viewRoom, legend)
	return s.length(d[0]) + 2*viewRoom, plan + s.length(d[2]) + 2*viewRoom
}

func (s *setup) length(m float64) vg.Length { return vg.Length(m * s.scale) }

func (s *setup) draw(c draw.Canvas, left vg.Length) {
	d := minus(s.high, s.low)
	if s.flat {
		bottom := c.Min.Y + s.legendTall()
		s.view(c, vg.Point{X: (c.Min.X + c.Max.X - s.length(d[0])) / 2, Y: bottom + viewRoom}, 0, 1, "")
		s.legend(c, vg.Point{X: c.Min.X, Y: bottom})
		return
	}
	lower := c.Min.Y + s.length(d[2]) + 2*viewRoom
	s.view(c, vg.Point{X: c.Min.X + viewRoom, Y: c.Max.Y - viewRoom - s.length(d[1])}, 0, 1, "plan")
	s.view(c, vg.Point{X: c.Min.X + viewRoom, Y: c.Min.Y + viewRoom}, 0, 2, "elevation")
	s.view(c, vg.Point{X: c.Min.X + left + viewRoom, Y: c.Min.Y + viewRoom}, 1, 2, "elevation")
	s.legend(c, vg.Point{X: c.Min.X + left + viewRoom/2, Y: max(c.Max.Y, lower+s.legendTall())})
}

// view draws the set-up over two of the axes; at is the place of what is lowest.
func (s *setup) view(c draw.Canvas, at vg.Point, across, up int, name string) {
	to := func(p place) vg.Point {
		return vg.Point{X: at.X + s.length(p[across]-s.low[across]), Y: at.Y + s.length(p[up]-s.low[up])}
	}
	all := func(list []place) (out []vg.Point) {
		for _, p := range list {
			out = append(out, to(p))
		}
		return hull(out)
	}
	body := all(slices.Concat(s.pin, s.cables[1], []place{s.node}))
	filled(c, body, plotting.RGB(plotting.Band))
	for _, pose := range s.poses {
		outline(c, all(pose), s.sky, 0.6)
	}
	outline(c, body, s.inked, 1.2)
	for i := range s.cables[0] {
		from, to := to(s.cables[0][i]), to(s.cables[1][i])
		s.cable(c, from, to)
		s.ring(c, from, pinRadius-1)
		s.ring(c, to, pinRadius-1)
	}
	for i := range s.pin {
		s.actuator(c, to(s.base[i]), to(s.pin[i]), s.long[i])
	}
	for _, p := range s.pin {
		s.ring(c, to(p), pinRadius)
	}
	s.cross(c, to(s.node))
	s.number(c, vg.Rectangle{Min: vg.Point{X: at.X - viewRoom, Y: at.Y - viewRoom + 20},
		Max: vg.Point{X: at.X + s.length(s.high[across]-s.low[across]) + viewRoom,
			Y: at.Y + s.length(s.high[up]-s.low[up]) + viewRoom}}, body, to)
	corner := vg.Point{X: at.X - viewRoom + 8, Y: at.Y - viewRoom + 8}
	s.arrow(c, corner, vg.Point{X: 1}, axisNames[across], s.inked)
	s.arrow(c, corner, vg.Point{Y: 1}, axisNames[up], s.inked)
	if s.turned() {
		for k, e := range s.axes {
			if d := (vg.Point{X: vg.Length(e[across]), Y: vg.Length(e[up])}); math.Hypot(float64(d.X), float64(d.Y)) > 0.2 {
				s.arrow(c, to(s.node), d, axisNames[k], plotting.RGB(plotting.Vermillion))
			}
		}
	}
	if name != "" {
		c.FillText(s.style, vg.Point{X: corner.X + 40, Y: corner.Y}, fmt.Sprintf("%s %s–%s", name, axisNames[across],
			axisNames[up]))
	}
}

// number writes the numbers of the actuators beside their bases, where they cover nothing. Actuators behind each other
// have one label.
func (s *setup) number(c draw.Canvas, area vg.Rectangle, body []vg.Point, to func(place) vg.Point) {
	t := taken{area: area, all: []vg.Rectangle{around(to(s.node), 5), {Min: area.Min, // with the axes
		Max: vg.Point{X: area.Min.X + 16, Y: area.Min.Y + 20}}}}
	line := func(a, b vg.Point, r vg.Length) {
		for k := vg.Length(0); k <= 1; k += 0.02 {
			t.all = append(t.all, around(vg.Point{X: a.X + k*(b.X-a.X), Y: a.Y + k*(b.Y-a.Y)}, r))
		}
	}
	for i, p := range body {
		line(p, body[(i+1)%len(body)], 1)
	}
	var at []vg.Point
	var names []string
	for i := range s.pin {
		base, pin := to(s.base[i]), to(s.pin[i])
		line(base, pin, 3)
		away, far := unit(pin, base)
		where := vg.Point{X: base.X + support*away.X, Y: base.Y + support*away.Y}
		if t.all = append(t.all, around(pin, pinRadius), around(where, support)); far <= 2*support {
			where = base
			t.all = append(t.all, around(base, support))
		}
		near := slices.IndexFunc(at, func(p vg.Point) bool { return apartBy(p, where) < 2 })
		if near < 0 {
			at, names = append(at, where), append(names, fmt.Sprint(i+1))
		} else {
			names[near] += ", " + fmt.Sprint(i+1)
		}
	}
	style := s.style
	style.Font.Size, style.YAlign = plotting.TextSize, draw.YBottom
	for i, p := range at {
		place := t.place(p, vg.Point{X: style.Width(names[i]), Y: style.Font.Size})
		t.all = append(t.all, place)
		c.FillText(style, place.Min, names[i])
	}
}

var axisNames = []string{"x", "y", "z"}

func (s *setup) turned() bool { return pad(s.g.Body.Turned) != place{} }

// actuator draws a cylinder with its rod, and the support of its base; a long one comes from outside.
func (s *setup) actuator(c draw.Canvas, base, pin vg.Point, long bool) {
	blue := plotting.RGB(plotting.Blue)
	away, far := unit(pin, base)
	if far <= 2*support { // seen from its end
		if !long {
			square := []vg.Point{}
			for _, d := range [][2]vg.Length{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}} {
				square = append(square, vg.Point{X: base.X + 0.8*support*d[0], Y: base.Y + 0.8*support*d[1]})
			}
			filled(c, square, color.White)
			outline(c, square, s.inked, 0.9)
			for k := vg.Length(-0.8); k < 0.9; k += 0.4 {
				c.StrokeLine2(draw.LineStyle{Color: plotting.RGB(plotting.Hatching), Width: 0.5},
					base.X+support*max(-0.8, k-0.8), base.Y+support*max(-0.8, -k-0.8),
					base.X+support*min(0.8, k+0.8), base.Y+support*min(0.8, 0.8-k))
			}
		}
		c.StrokeLine2(draw.LineStyle{Color: blue, Width: 3}, base.X, base.Y, pin.X, pin.Y)
		return
	}
	middle := vg.Point{X: pin.X + 0.45*far*away.X, Y: pin.Y + 0.45*far*away.Y}
	rod := draw.LineStyle{Color: blue, Width: 1.6}
	cylinder := draw.LineStyle{Color: blue, Width: 5}
	if long {
		rod.Dashes = plotting.Dashes
		c.StrokeLine2(rod, base.X, base.Y, middle.X, middle.Y)
		c.StrokeLine2(draw.LineStyle{Color: blue, Width: 1.6}, middle.X, middle.Y, pin.X, pin.Y)
		return
	}
	c.StrokeLine2(rod, base.X, base.Y, pin.X, pin.Y)
	c.StrokeLine2(cylinder, base.X-support*away.X, base.Y-support*away.Y, middle.X, middle.Y)
	s.support(c, base, away)
}

// cable is an instrument.
func (s *setup) cable(c draw.Canvas, from, to vg.Point) {
	c.StrokeLine2(draw.LineStyle{Color: plotting.RGB(plotting.Green), Width: 1.2, Dashes: []vg.Length{4, 3}}, from.X, from.Y,
		to.X, to.Y)
}

// support is a hatched triangle with its tip in a point, away from it.
func (s *setup) support(c draw.Canvas, tip, away vg.Point) {
	at := func(back, side vg.Length) vg.Point {
		return vg.Point{X: tip.X + back*away.X - side*away.Y, Y: tip.Y + back*away.Y + side*away.X}
	}
	triangle := []vg.Point{tip, at(support, 0.75*support), at(support, -0.75*support)}
	filled(c, triangle, color.White)
	outline(c, triangle, s.inked, 0.9)
	line := draw.LineStyle{Color: s.inked, Width: 0.6}
	for k := vg.Length(-1); k <= 1; k += 0.4 {
		from, to := at(support, k*0.8*support), at(1.45*support, (k-0.4)*0.8*support)
		c.StrokeLine2(line, from.X, from.Y, to.X, to.Y)
	}
	s.ring(c, tip, 2)
}

// ring is a pin.
func (s *setup) ring(c draw.Canvas, at vg.Point, r vg.Length) {
	var p vg.Path
	plotting.Circle(&p, at, r)
	c.SetColor(color.White)
	c.Fill(p)
	c.SetLineStyle(draw.LineStyle{Color: s.inked, Width: 1})
	c.Stroke(p)
}

// cross is the node.
func (s *setup) cross(c draw.Canvas, at vg.Point) {
	var p vg.Path
	plotting.Saltire(&p, at, 4)
	c.SetLineStyle(draw.LineStyle{Color: plotting.RGB(plotting.Vermillion), Width: 1.8})
	c.Stroke(p)
}

// arrow is an axis with its name.
func (s *setup) arrow(c draw.Canvas, from, d vg.Point, name string, of color.Color) {
	const long, head = 18, 4
	end := vg.Point{X: from.X + long*d.X, Y: from.Y + long*d.Y}
	u, far := unit(from, end)
	line := draw.LineStyle{Color: of, Width: 0.9}
	c.StrokeLine2(line, from.X, from.Y, end.X, end.Y)
	for _, side := range []vg.Length{-0.5, 0.5} {
		c.StrokeLine2(line, end.X, end.Y, end.X-head*(u.X-side*u.Y), end.Y-head*(u.Y+side*u.X))
	}
	style := s.style
	style.Color, style.XAlign = of, draw.XCenter
	c.FillText(style, vg.Point{X: from.X + (far+7)*u.X, Y: from.Y + (far+8)*u.Y}, name)
}

// legend says what is drawn, with a bar of the scale, and what each actuator is to do.
func (s *setup) legend(c draw.Canvas, at vg.Point) {
	row := at.Y
	next := func(words string, sign func(y vg.Length)) {
		row -= legendRow
		if sign != nil {
			sign(row)
		}
		c.FillText(s.style, vg.Point{X: at.X + 34, Y: row + 1}, words)
	}
	x := at.X + 14
	bar := roundBelow(60 / s.scale)
	next(fmt.Sprintf("%g m", bar), func(y vg.Length) {
		line := draw.LineStyle{Color: s.inked, Width: 1.2}
		end := at.X + s.length(bar)
		c.StrokeLine2(line, at.X, y, end, y)
		c.StrokeLine2(line, at.X, y-3, at.X, y+3)
		c.StrokeLine2(line, end, y-3, end, y+3)
		at.X = max(at.X, end-26)
	})
	at.X = x - 14
	if slices.Contains(s.long, false) {
		next("base, on the reaction frame", func(y vg.Length) { s.support(c, vg.Point{X: x - 5, Y: y}, vg.Point{X: 1}) })
	}
	next("pin, on the body", func(y vg.Length) { s.ring(c, vg.Point{X: x, Y: y}, pinRadius) })
	if len(s.cables[0]) > 0 {
		next("instrument", func(y vg.Length) { s.cable(c, vg.Point{X: x - 12, Y: y}, vg.Point{X: x + 12, Y: y}) })
	}
	next("node of the numerical part", func(y vg.Length) { s.cross(c, vg.Point{X: x, Y: y}) })
	if s.turned() {
		next("axes of the coordinates, at the node", func(y vg.Length) {
			s.arrow(c, vg.Point{X: x - 12, Y: y}, vg.Point{X: 0.9}, "", plotting.RGB(plotting.Vermillion))
		})
	}
	if len(s.poses) > 0 {
		next(s.posesWords(), func(y vg.Length) {
			c.StrokeLine2(draw.LineStyle{Color: s.sky, Width: 1.2}, x-12, y, x+12, y)
		})
	}
	if len(s.g.Actuators) > 0 {
		if s.flat {
			s.table(c, at.X+200, at.Y)
		} else {
			s.table(c, at.X, row-legendRow/2)
		}
	}
}

// table is what each actuator is to do.
func (s *setup) table(c draw.Canvas, left, row vg.Length) {
	cells := [][]string{{"", "from, mm", "to, mm", "force, kN", "stroke"}}
	for i := range s.g.Actuators {
		u, stroke := &s.g.Actuators[i], "–"
		if u.StrokePct > 0 {
			stroke = fmt.Sprintf("%.3g %%", u.StrokePct)
		}
		cells = append(cells, []string{fmt.Sprint(i + 1), minusSign(1e3 * u.Least), minusSign(1e3 * u.Most),
			minusSign(u.Force / 1e3), stroke})
	}
	style := s.style
	style.XAlign = draw.XRight
	for _, line := range cells {
		row -= legendRow
		for k, text := range line {
			c.FillText(style, vg.Point{X: left + tableColumns[k], Y: row}, text)
		}
	}
}

// tableColumns are the right ends of the columns.
var tableColumns = []vg.Length{12, 54, 88, 132, 168}

// minusSign is a number with the sign of print.
func minusSign(v float64) string { return strings.Replace(fmt.Sprintf("%.3g", v), "-", "−", 1) }

func (s *setup) posesWords() string {
	if s.factor == 1 {
		return "predicted motion, extremes"
	}
	return fmt.Sprintf("predicted motion × %g, extremes", s.factor)
}

func (s *setup) legendTall() vg.Length {
	rows, table := 4, 1.5+float64(len(s.g.Actuators))
	if s.turned() {
		rows++
	}
	if len(s.poses) > 0 {
		rows++
	}
	if len(s.cables[0]) > 0 {
		rows++
	}
	if s.flat { // beside each other
		return legendRow * vg.Length(max(float64(rows), table)+0.5)
	}
	return legendRow * vg.Length(float64(rows)+table+0.5)
}

// roundBelow is the largest of 1, 2, 5, 10, … that is not above v.
func roundBelow(v float64) float64 {
	decade := math.Pow(10, math.Floor(math.Log10(v)))
	for _, digit := range []float64{5, 2} {
		if digit*decade <= v {
			return digit * decade
		}
	}
	return decade
}

func filled(c draw.Canvas, ring []vg.Point, of color.Color) { c.FillPolygon(of, ring) }

func outline(c draw.Canvas, ring []vg.Point, of color.Color, width vg.Length) {
	c.StrokeLines(draw.LineStyle{Color: of, Width: width}, append(slices.Clone(ring), ring[0]))
}

// unit is the direction from one point to another, and how far it is.
func unit(from, to vg.Point) (d vg.Point, far vg.Length) {
	if far = apartBy(from, to); far == 0 {
		return vg.Point{X: 1}, 0
	}
	return vg.Point{X: (to.X - from.X) / far, Y: (to.Y - from.Y) / far}, far
}

// hull is the convex hull of points, by Andrew's chains.
func hull(points []vg.Point) []vg.Point {
	slices.SortFunc(points, func(a, b vg.Point) int {
		if a.X < b.X || a.X == b.X && a.Y < b.Y {
			return -1
		}
		return 1
	})
	chain := func() (out []vg.Point) {
		for _, p := range points {
			for n := len(out); n > 1; n = len(out) {
				a, b := out[n-2], out[n-1]
				if (b.X-a.X)*(p.Y-a.Y)-(b.Y-a.Y)*(p.X-a.X) > 0 {
					break
				}
				out = out[:n-1]
			}
			out = append(out, p)
		}
		return out[:max(1, len(out)-1)]
	}
	lower := chain()
	slices.Reverse(points)
	return append(lower, chain()...)
}
