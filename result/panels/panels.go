// Package panels draws diagrams of curves: linear or in decades, below each other.
package panels

import (
	"math"
	"rths"
	"rths/maths/lti"
	"rths/result/plotting"
)

// Mark is what stands at the points of a line.
type Mark int

// NoMark leaves the line as it is.
const (
	NoMark Mark = iota
	Circle
	Saltire
)

// Line is a curve of a panel. Values that are not finite, or not above 0 on a
// logarithmic axis, interrupt it.
type Line struct {
	Name   string // in the legend; "": not there
	X, Y   []float64
	Colour string  // #RRGGBB
	Width  float64 // points; 0: 1.2
	Dashed bool
	Dots   bool // at the points
	Mark   Mark // drawn at the points, without a line
}

// Panel is a diagram with linear or logarithmic axes.
type Panel struct {
	Title      string // on a page
	X, Y       string // labels
	Lines      []Line
	LogX, LogY bool
	Box        [4]float64 // x from, to, y from, to; zeros: what the lines need
	Notes      []Note     // in image files
}

// Note is a word within a panel, to the right of its place and above it.
type Note struct {
	X, Y float64
	Text string
}

// BodeCurve is one system of a Bode diagram.
type BodeCurve struct {
	Name string
	lti.Bode
	Colour string // #RRGGBB
	Width  float64
	Dashed bool
	Bundle bool // one of a bundle: drawn behind the others, only the first in the legend
}

// bodePanel is one of the three panels of a Bode diagram.
type bodePanel struct {
	title string
	label string
	of    func(lti.Bode) []float64
	least float64 // the axis spans at least this
}

// A phase axis shows at least a quarter turn.
var bodePanels = []bodePanel{
	{"Magnitude", "magnitude, dB", func(b lti.Bode) []float64 { return b.MagDB }, 6},
	{"Phase", "phase, °", func(b lti.Bode) []float64 { return b.PhaseDeg }, 90},
	{"Delay", "delay, ms", func(b lti.Bode) []float64 { return b.DelayMs }, 1},
}

// logRoom is the factor that is free above and below curves over a logarithmic axis.
const logRoom = 1.2

// OfBode is the panels of a Bode diagram. A bundle is one curve.
func OfBode(curves []BodeCurve) (list []Panel) {
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
		p.Box = p.Room(of.least)
		list = append(list, p)
	}
	return list
}

// Room is the box that the lines need, at least so high.
func (p Panel) Room(least float64) [4]float64 {
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for _, l := range p.Lines {
		for k := range l.X {
			if rths.Finite(l.X[k]) && rths.Finite(l.Y[k]) && !(p.LogX && l.X[k] <= 0) && !(p.LogY && l.Y[k] <= 0) {
				for i, v := range []float64{l.X[k], l.Y[k]} {
					low[i], high[i] = min(low[i], v), max(high[i], v)
				}
			}
		}
	}
	if low[0] > high[0] {
		return [4]float64{0, 1, 0, 1}
	}
	if p.LogY {
		return [4]float64{low[0], high[0], low[1] / logRoom, high[1] * logRoom}
	}
	free := max(plotting.Room*(high[1]-low[1]), (least-(high[1]-low[1]))/2)
	if free == 0 {
		free = 1
	}
	return [4]float64{low[0], high[0], low[1] - free, high[1] + free}
}
