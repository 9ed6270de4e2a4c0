package report

import (
	"encoding/json"
	"math"
	"rths/result/panels"
)

// SketchPanels is panels as the script of a page draws them: JSON, a section for each title.
func SketchPanels(titles []string, sections [][]panels.Panel) ([]byte, error) {
	data := pageData{Plain: true, StepS: 1, Traces: []string{}, Sections: []pageSection{}}
	for i, list := range sections {
		s := pageSection{Title: titles[i]}
		for _, p := range list {
			s.Figures = append(s.Figures, data.panel(p))
		}
		data.Sections = append(data.Sections, s)
	}
	return json.Marshal(data)
}

// panel is a figure of the page. Marks become strokes, a hundredth of the box long.
func (d *pageData) panel(p panels.Panel) pageFigure {
	box := p.Box
	if box == [4]float64{} {
		box = p.Room(0)
	}
	out := pageFigure{Title: p.Title, XLabel: p.X, YLabel: p.Y, Shape: "broad", LogX: p.LogX, LogY: p.LogY,
		X: [2]float64{box[0], box[1]}, Y: [2]float64{box[2], box[3]}}
	for _, l := range p.Lines {
		if l.Mark != panels.NoMark {
			l = strokes(l, (box[1]-box[0])/100, (box[3]-box[2])/100)
		}
		at := len(d.Traces)
		d.Traces = append(d.Traces, plainly(l.X), plainly(l.Y))
		out.Curves = append(out.Curves, pageCurve{Name: l.Name, X: at, Y: at + 1, Colour: l.Colour, Dashed: l.Dashed})
	}
	return out
}

// strokes are the marks of a line, of half width a and half height b.
func strokes(l panels.Line, a, b float64) panels.Line {
	out := panels.Line{Name: l.Name, Colour: l.Colour}
	add := func(x, y float64) { out.X, out.Y = append(out.X, x), append(out.Y, y) }
	for k, x := range l.X {
		y := l.Y[k]
		if l.Mark == panels.Saltire {
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
