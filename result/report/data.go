package report

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sync"
)

// maxPoints is the largest number of points of a curve, roomOne and roomSeveral about the bytes of all curves of a page
// of one run and of several. A point takes 2.1 to 2.6 bytes.
const (
	maxPoints     = 42500 // all of 41 s at 1024 Hz
	roomOne       = 2.0e6
	roomSeveral   = 4.2e6
	bytesPerPoint = 2.4
)

// pageData is the input of the script of the page.
type pageData struct {
	StartS   float64       `json:"start_s"` // time of the first point
	StepS    float64       `json:"step_s"`  // time between points
	Traces   []string      `json:"traces"`  // packed, unless plain
	Plain    bool          `json:"plain,omitempty"`
	Sections []pageSection `json:"sections"`
	Marks    []mark        `json:"marks,omitempty"`
	Moving   *moving       `json:"moving,omitempty"`
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
	X        [2]float64  `json:"x"` // what the axes show at first
	Y        [2]float64  `json:"y"`
	Part     bool        `json:"part,omitempty"` // of the time, with a time axis of its own:
	StartS   float64     `json:"start_s,omitempty"`
	StepS    float64     `json:"step_s,omitempty"`
	Least    float64     `json:"least,omitempty"` // length of the vertical axis
	Most     float64     `json:"most,omitempty"`  // its largest magnitude; 0: any
	Level    float64     `json:"level,omitempty"`
	LevelOf  string      `json:"level_name,omitempty"`
	Bounds   []float64   `json:"bounds,omitempty"`
	Curves   []pageCurve `json:"curves"`
}

type pageCurve struct {
	Name   string `json:"name"`
	X      int    `json:"x"`
	Y      int    `json:"y"`
	Less   int    `json:"less,omitempty"` // less the first curve: its place; 0: not known
	Colour string `json:"colour"`
	Dashed bool   `json:"dashed"`
	Band   [2]int `json:"band,omitzero"` // lower and upper end
}

// grid is the common time axis of a page: points of the run with the lowest
// rate, every one or every n-th.
type grid struct {
	start, rate float64 // s, Hz
	every       int
	points      int
	plain       bool    // traces are not packed
	to          float64 // where curves end that go on, s; 0: nowhere
	snap        float64 // what is no distance between an instant and a sample, samples
}

// write writes a trace.
func (g grid) write(values []float64) string {
	if g.plain {
		return plainly(values)
	}
	return pack(values)
}

func (g grid) step() float64 { return float64(g.every) / g.rate }

// newGrid chooses every so that no curve has more points than that. Points that stand for several samples come in
// pairs.
func newGrid(traces []trace, points float64) grid {
	g := grid{start: math.Inf(1), rate: math.Inf(1), every: 1}
	duration := 0.0
	for _, t := range traces {
		if t.rate > 0 {
			g.start = min(g.start, t.start)
			g.rate = min(g.rate, t.rate)
		}
	}
	for _, t := range traces {
		if t.rate > 0 && t.values.Len() > 0 {
			duration = max(duration, t.start-g.start+t.duration())
			g.points = 1
		}
	}
	if g.points == 0 {
		return grid{rate: 1, every: 1}
	}
	samples := math.Floor(duration*g.rate+1e-6) + 1
	g.every = max(1, int(math.Ceil(samples/points)))
	g.points = int((samples-1)/float64(g.every)) + 1
	if g.every > 1 {
		g.points += g.points % 2
	}
	return g
}

// span are the samples [from, to) of a trace around points of the grid. The last points have all that follow.
func (g grid) span(t trace, point, points int) (from, to int) {
	place := func(point int) int {
		at := (g.start + (float64(point)-0.5)*g.step() - t.start) * t.rate
		return int(max(0, min(math.Ceil(at-g.snap), float64(t.values.Len()))))
	}
	from, to = place(point), place(point+points)
	if point+points >= g.points {
		to = t.values.Len()
	}
	return from, to
}

// encodeAll encodes traces. Those of a page that is drawn at once are in memory, and are encoded side by side.
func (g grid) encodeAll(traces []trace) []string {
	out := make([]string, len(traces))
	var all sync.WaitGroup
	failed := make(chan any, len(traces))
	for i, t := range traces {
		if !g.plain {
			out[i] = g.encode(t)
			continue
		}
		all.Go(func() {
			defer func() { failed <- recover() }()
			out[i] = g.encode(t)
		})
	}
	all.Wait()
	close(failed)
	for p := range failed {
		if p != nil {
			panic(p) // where the caller can catch it
		}
	}
	return out
}

// encode samples the trace on the grid, with NaN where the trace has no value. Where a point stands for several
// samples, two points are the smallest and the largest of theirs, in order. A list keeps its points.
func (g grid) encode(t trace) string {
	if g.to > 0 {
		t = t.first(t.upTo(g.to))
	}
	switch {
	case t.rate == 0:
		return g.write(t.values.Values())
	case t.largest:
		return g.encodeEach(t, func(at float64) float64 { return t.largestAround(at, g.step()*t.rate) })
	case g.every == 1:
		return g.encodeEach(t, func(at float64) float64 {
			if k := math.Round(at); k >= 0 && k < float64(t.values.Len()) {
				return t.values.At(int(k))
			}
			return math.NaN()
		})
	}
	values := make([]float64, 0, g.points)
	for i := 0; i < g.points; i += 2 {
		from, to := g.span(t, i, 2)
		if from == to {
			values = append(values, math.NaN(), math.NaN())
			continue
		}
		first, second := t.values.Outer(from, to)
		values = append(values, first, second)
	}
	return g.write(values)
}

// encodeEach writes a value for each point, of whose place in the trace it depends.
func (g grid) encodeEach(t trace, value func(at float64) float64) string {
	values := make([]float64, g.points)
	for i := range values {
		values[i] = value((g.start + float64(i)*g.step() - t.start) * t.rate)
	}
	return g.write(values)
}

// encodePair writes y over x. Four points of the grid are the places at which one of both is smallest or largest.
func (g grid) encodePair(x, y trace) (string, string) {
	var xs, ys []float64
	for i := 0; i < g.points; i += 4 {
		from, to := g.span(x, i, 4)
		if to = min(to, y.values.Len()); from >= to {
			continue
		}
		for _, k := range corners(x.values, y.values, from, to) {
			xs, ys = append(xs, x.values.At(k)), append(ys, y.values.At(k))
		}
	}
	return g.write(xs), g.write(ys)
}

// note says which samples the curves leave out, and what marks at the lower edge are.
func (g grid) note(marks []mark) string {
	if g.points == 0 {
		return "No samples were recorded."
	}
	shown := "Curves show every sample."
	if g.every > 1 {
		shown = fmt.Sprintf(
			"Curves over all time show the smallest and the largest of every %d samples (%.3g ms); the archive has all.",
			2*g.every, 2000*g.step())
	}
	if slices.ContainsFunc(marks, mark.low) {
		shown += " Red strokes at the lower edge are late ticks, or ticks without a reading."
	}
	return shown + " Drag over a plot to zoom, with Shift to move it; double-click to see all of it again. " +
		"Click on a name to hide its curve, double-click to see it alone. Numbers on this page are right to five digits."
}

// pair is one quantity over another, as in curve.
type pair struct{ x, y int }

// pairs are the quantities over others that are thinned out together, each once.
func (fs *figures) pairs() (list []pair) {
	for _, s := range fs.sections {
		for _, f := range s.figures {
			for _, c := range f.curves {
				p := pair{c.x, c.y}
				if c.x != overTime && fs.traces[c.x].rate > 0 && !slices.Contains(list, p) {
					list = append(list, p)
				}
			}
		}
	}
	return list
}

// grid is the time axis of the page.
func (fs *figures) grid() grid {
	if len(fs.traces) == 0 {
		return newGrid(nil, 1)
	}
	room := roomOne
	if fs.several {
		room = roomSeveral
	}
	points := func(traces int) float64 {
		return math.Floor(min(maxPoints, room/(bytesPerPoint*float64(traces))))
	}
	if g := newGrid(fs.traces, points(len(fs.traces))); g.every == 1 {
		return g
	}
	return newGrid(fs.traces, points(len(fs.traces)+2*len(fs.pairs())))
}

// encode turns the figures into the JSON the page's script reads. It is safe
// within a script element: json.Marshal escapes <, > and &.
func (fs *figures) encode(g grid) ([]byte, error) {
	data := pageData{StartS: g.start, StepS: g.step(), Plain: g.plain, Traces: []string{}, Sections: []pageSection{},
		Marks: fs.marks, Moving: fs.moving}
	data.Traces = append(data.Traces, g.encodeAll(fs.traces)...)
	thinned := map[pair]pair{} // places in data.Traces
	if g.every > 1 {
		for _, p := range fs.pairs() {
			x, y := g.encodePair(fs.traces[p.x], fs.traces[p.y])
			thinned[p] = pair{len(data.Traces), len(data.Traces) + 1}
			data.Traces = append(data.Traces, x, y)
		}
	}
	for _, s := range fs.sections {
		if g.points == 0 {
			s.figures = slices.DeleteFunc(slices.Clone(s.figures),
				func(f figure) bool { return f.shape != half && f.shape != broad })
		}
		if len(s.figures) > 0 {
			data.Sections = append(data.Sections, fs.data(s, thinned, &data))
		}
	}
	return json.Marshal(data)
}

// partPoints is the largest number of points of a curve in a figure of a part of the time.
const partPoints = 4200

// part gives a figure of a part of the time points of its own: those of the whole page are too far apart.
func (fs *figures) part(f figure, p *pageFigure, data *pageData) {
	g := grid{start: f.from, rate: math.Inf(1)}
	for _, c := range f.curves {
		if t := fs.traces[c.y]; t.rate < g.rate {
			g.rate, g.start = t.rate, t.start+math.Ceil((f.from-t.start)*t.rate-1e-6)/t.rate
		}
	}
	samples := math.Floor((f.to-g.start)*g.rate+1e-6) + 1
	g.every = max(1, int(math.Ceil(samples/partPoints)))
	g.points = max(1, int((samples-1)/float64(g.every))+1)
	if g.every > 1 {
		g.points += g.points % 2
	}
	p.StartS, p.StepS = g.start, g.step()
	keep := func(i int) int {
		data.Traces = append(data.Traces, g.encode(fs.traces[i].first(fs.traces[i].upTo(f.to+g.step()))))
		return len(data.Traces) - 1
	}
	for i, c := range f.curves {
		p.Curves[i].Y = keep(c.y)
		if c.less > 0 {
			p.Curves[i].Less = keep(c.less)
		}
	}
}

// data is a section. thinned has the places of quantities over others that were thinned out together.
func (fs *figures) data(s section, thinned map[pair]pair, data *pageData) pageSection {
	shapes := map[shape]string{wide: "wide", square: "square", small: "small", loop: "loop", strip: "strip", half: "half",
		broad: "broad"}
	p := pageSection{Title: s.title}
	for _, f := range s.figures {
		at := fs.sight(f)
		figure := pageFigure{Title: f.title, XLabel: f.xLabel, YLabel: f.yLabel, Shape: shapes[f.shape], Diagonal: f.diagonal,
			LogX: f.logX, LogY: f.logY, X: at.x, Y: at.y, Part: f.to > f.from, Least: f.least, Most: f.most, Level: f.level,
			LevelOf: f.levelName, Bounds: f.bounds}
		for _, c := range f.curves {
			at := pair{c.x, c.y}
			if together, ok := thinned[at]; ok {
				at = together
			}
			figure.Curves = append(figure.Curves, pageCurve{c.name, at.x, at.y, c.less, c.colour, c.dashed, c.band})
		}
		if figure.Part {
			fs.part(f, &figure, data)
		}
		p.Figures = append(p.Figures, figure)
	}
	return p
}
