package report

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
	X, Y       string // labels
	Lines      []Line
	LogX, LogY bool
	Box        [4]float64 // x from, to, y from, to; zeros: what the lines need
}
