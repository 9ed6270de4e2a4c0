package report

import "rths/maths/lti"

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
