package report

import (
	"encoding/json"
	"math"

	"rths"
	"rths/result/plotting"
)

// logRoom is the factor that is free above and below curves over a logarithmic axis.
const logRoom = 1.2

// SketchPanels is panels as the script of a page draws them: JSON, a section for each title.
func SketchPanels(titles []string, sections [][]Panel) ([]byte, error) {
	data := pageData{Plain: true, StepS: 1, Traces: []string{}, Sections: []pageSection{}}
	for i, panels := range sections {
		s := pageSection{Title: titles[i]}
		for _, p := range panels {
			s.Figures = append(s.Figures, data.panel(p))
		}
		data.Sections = append(data.Sections, s)
	}
	return json.Marshal(data)
}

// SketchBode is the panels of a Bode diagram, for SketchPanels. A bundle is one curve.
func SketchBode(curves []BodeCurve) (list []Panel) {
	for _, of := range bodePanels {
		p := Panel{Title: of.title, X: "frequency, Hz", Y: of.label, LogX: true}
		bundle := Line{Colour: plotting.Bundle}
		for _, c := range curves {
			y := of.of(c.Bode)
			switch {
			case y == nil: // a coupling has no delay
			case c.Bundle:
				bundle.Name = c.Name
				bundle.X, bundle.Y = append(append(bundle.X, c.Hz...), math.NaN()), append(append(bundle.Y, y...), math.NaN())
			default:
				p.Lines = append(p.Lines, Line{Name: c.Name, X: c.Hz, Y: y, Colour: c.Colour, Dashed: c.Dashed})
			}
		}
		if bundle.X != nil {
			p.Lines = append([]Line{bundle}, p.Lines...)
		}
		p.Box = p.room(of.least)
		list = append(list, p)
	}
	return list
}

// room is the box that the lines need, at least so high.
func (p Panel) room(least float64) [4]float64 {
	x, y := none(), none()
	for _, l := range p.Lines {
		for k := range l.X {
			if rths.Finite(l.X[k]) && rths.Finite(l.Y[k]) && !(p.LogX && l.X[k] <= 0) && !(p.LogY && l.Y[k] <= 0) {
				x, y = x.with(ends{true, l.X[k], l.X[k]}), y.with(ends{true, l.Y[k], l.Y[k]})
			}
		}
	}
	if x.low > x.high {
		return [4]float64{0, 1, 0, 1}
	}
	if p.LogY {
		return [4]float64{x.low, x.high, y.low / logRoom, y.high * logRoom}
	}
	free := max(plotting.Room*(y.high-y.low), (least-(y.high-y.low))/2)
	if free == 0 {
		free = 1
	}
	return [4]float64{x.low, x.high, y.low - free, y.high + free}
}

// panel is a figure of the page. Marks become strokes, a hundredth of the box long.
func (d *pageData) panel(p Panel) pageFigure {
	box := p.Box
	if box == [4]float64{} {
		box = p.room(0)
	}
	out := pageFigure{Title: p.Title, XLabel: p.X, YLabel: p.Y, Shape: "broad", LogX: p.LogX, LogY: p.LogY,
		X: [2]float64{box[0], box[1]}, Y: [2]float64{box[2], box[3]}}
	for _, l := range p.Lines {
		if l.Mark != NoMark {
			l = l.strokes((box[1]-box[0])/100, (box[3]-box[2])/100)
		}
		at := len(d.Traces)
		d.Traces = append(d.Traces, plainly(l.X), plainly(l.Y))
		out.Curves = append(out.Curves, pageCurve{Name: l.Name, X: at, Y: at + 1, Colour: l.Colour, Dashed: l.Dashed})
	}
	return out
}

// strokes are the marks of a line, of half width a and half height b.
func (l Line) strokes(a, b float64) Line {
	out := Line{Name: l.Name, Colour: l.Colour}
	add := func(x, y float64) { out.X, out.Y = append(out.X, x), append(out.Y, y) }
	for k, x := range l.X {
		y := l.Y[k]
		if l.Mark == Saltire {
			add(x-a, y-b)
			add(x+a, y+b)
			add(math.NaN(), math.NaN())
			add(x-a, y+b)
			add(x+a, y-b)
		} else {
			for i := range 13 {
				sin, cos := math.Sincos(math.Pi * float64(i) / 6)
				add(x+a*cos, y+b*sin)
			}
		}
		add(math.NaN(), math.NaN())
	}
	return out
}
