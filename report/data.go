package report

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// maxPoints is the largest number of points of a curve, maxBytes about the largest size of
// all curves of a page.
const (
	maxPoints = 40000
	maxBytes  = 5 << 20
)

// pageData is the input of the script of the page.
type pageData struct {
	StartS   float64       `json:"start_s"` // time of the first point
	StepS    float64       `json:"step_s"`  // time between points
	Traces   []string      `json:"traces"`  // float32, little-endian, base64
	Sections []pageSection `json:"sections"`
	Marks    []mark        `json:"marks,omitempty"`
}

type pageSection struct {
	Title   string       `json:"title"`
	Figures []pageFigure `json:"figures"`
}

type pageFigure struct {
	Title    string      `json:"title"`
	XLabel   string      `json:"x_label"`
	YLabel   string      `json:"y_label"`
	Shape    string      `json:"shape"`
	Diagonal bool        `json:"diagonal"`
	LogX     bool        `json:"log_x"`
	LogY     bool        `json:"log_y,omitempty"`
	FromS    float64     `json:"from_s"` // shown at first; all of it if equal
	ToS      float64     `json:"to_s"`
	Least    float64     `json:"least"` // length of the vertical axis
	Most     float64     `json:"most"`  // its largest magnitude; 0: any
	Box      [2]float64  `json:"box"`   // largest magnitudes across and up; zeros: any
	Level    float64     `json:"level,omitempty"`
	LevelOf  string      `json:"level_name,omitempty"`
	Curves   []pageCurve `json:"curves"`
}

type pageCurve struct {
	Name   string `json:"name"`
	X      int    `json:"x"`
	Y      int    `json:"y"`
	Colour string `json:"colour"`
	Dashed bool   `json:"dashed"`
}

// grid is the common time axis of a page: points of the run with the lowest
// rate, every one or every n-th.
type grid struct {
	start, rate float64 // s, Hz
	every       int
	points      int
}

func (g grid) step() float64 { return float64(g.every) / g.rate }

// newGrid chooses every so that neither a curve nor the page grows too large.
func newGrid(traces []trace) grid {
	g := grid{start: math.Inf(1), rate: math.Inf(1), every: 1}
	duration := 0.0
	for _, t := range traces {
		if t.rate > 0 {
			g.start = min(g.start, t.start)
			g.rate = min(g.rate, t.rate)
		}
	}
	for _, t := range traces {
		if t.rate > 0 && len(t.values) > 0 {
			duration = max(duration, t.start-g.start+t.duration())
			g.points = 1
		}
	}
	if g.points == 0 {
		return grid{rate: 1, every: 1}
	}
	bytesPerPoint := len(traces) * 16 / 3 // four bytes are 16/3 in base64
	limit := float64(min(maxPoints, maxBytes/bytesPerPoint))
	samples := math.Floor(duration*g.rate+1e-6) + 1
	g.every = max(1, int(math.Ceil(samples/limit)))
	g.points = int((samples-1)/float64(g.every)) + 1
	return g
}

// encode samples the trace on the grid, with NaN where the trace has no value. A list keeps
// its points.
func (g grid) encode(t trace) string {
	if t.rate == 0 {
		return encodeList(t.values)
	}
	raw := make([]byte, 0, 4*g.points)
	for i := range g.points {
		value := math.NaN()
		at := (g.start + float64(i)*g.step() - t.start) * t.rate
		if k := math.Round(at); k >= 0 && k < float64(len(t.values)) {
			value = t.values[int(k)]
		}
		if t.largest {
			value = t.largestAround(at, g.step()*t.rate)
		}
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(value)))
	}
	return base64.StdEncoding.EncodeToString(raw)
}

func encodeList(values []float64) string {
	raw := make([]byte, 0, 4*len(values))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(v)))
	}
	return base64.StdEncoding.EncodeToString(raw)
}

// note says which samples the curves leave out.
func (g grid) note() string {
	if g.points == 0 {
		return "No samples were recorded."
	}
	shown := "Curves show every sample."
	if g.every > 1 {
		shown = fmt.Sprintf("Curves show one sample in %d (a point every %.3g ms); the archive has all of them.", g.every, 1000*g.step())
	}
	return shown + " Drag over a plot to zoom, double-click to see all of it again."
}

// encode turns the figures into the JSON the page's script reads. It is safe
// within a script element: json.Marshal escapes <, > and &.
func (fs *figures) encode(g grid) ([]byte, error) {
	data := pageData{StartS: g.start, StepS: g.step(), Traces: []string{}, Sections: []pageSection{}, Marks: fs.marks}
	for _, t := range fs.traces {
		data.Traces = append(data.Traces, g.encode(t))
	}
	for _, s := range fs.sections {
		if g.points == 0 {
			s.figures = slices.DeleteFunc(slices.Clone(s.figures), func(f figure) bool { return f.shape != half && f.shape != broad })
		}
		if len(s.figures) > 0 {
			data.Sections = append(data.Sections, s.data())
		}
	}
	return json.Marshal(data)
}

func (s section) data() pageSection {
	shapes := map[shape]string{wide: "wide", square: "square", small: "small", loop: "loop", strip: "strip", half: "half", broad: "broad"}
	p := pageSection{Title: s.title}
	for _, f := range s.figures {
		figure := pageFigure{Title: f.title, XLabel: f.xLabel, YLabel: f.yLabel, Shape: shapes[f.shape], Diagonal: f.diagonal, LogX: f.logX, LogY: f.logY, FromS: f.from, ToS: f.to, Least: f.least, Most: f.most, Box: f.box, Level: f.level, LevelOf: f.levelName}
		for _, c := range f.curves {
			figure.Curves = append(figure.Curves, pageCurve{c.name, c.x, c.y, c.colour, c.dashed})
		}
		p.Figures = append(p.Figures, figure)
	}
	return p
}
