package picture

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rths"
	"rths/campaign/study"
	"rths/result/plotting"
	"rths/result/report"
)

// criterion is the name of an output with its unit. The rows of a study keep names alone.
func criterion(o StudyOutput) string {
	_, unit := rths.CutUnit(o.Name)
	return report.Label(rths.Value{Name: o.Name, Unit: cmp.Or(o.Unit, unit)})
}

// overall is the summary of an output over all runs: what the study says or, without intervals, what
// the values say.
func (s *Study) overall(o StudyOutput) StudySummary {
	for _, g := range s.Summary {
		if g.Group == "" && g.Output == o.Name {
			return g
		}
	}
	nan := math.NaN()
	values := s.values(o)
	g := StudySummary{Output: o.Name, N: len(values), Mean: nan, MeanFrom: nan, MeanTo: nan, SD: nan}
	if len(values) == 0 {
		return g
	}
	g.Mean = 0
	for _, v := range values {
		g.Mean += v / float64(len(values))
	}
	slices.Sort(values)
	g.Quantiles = []study.Quantile{{P: 0.9, Value: quantile(values, 0.9), From: nan, To: nan}}
	return g
}

// highShare is the share of runs of the quantile in verdict and pictures.
const highShare = 0.9

// high is the 90 % quantile.
func (g StudySummary) high() (study.Quantile, bool) {
	for _, q := range g.Quantiles {
		if math.Abs(q.P-highShare) < 1e-9 && shown(q.Value) {
			return q, true
		}
	}
	return study.Quantile{}, false
}

// distribution is histogram and empirical distribution function of the main criterion.
func (s *Study) distribution() (picture, bool) {
	o := s.Outputs[0]
	values := s.values(o)
	if len(values) == 0 {
		return picture{}, false
	}
	g := s.overall(o)
	pic := picture{file: "distribution", title: "Distribution of " + criterion(o), wide: true,
		caption: fmt.Sprintf("Of %s with a value. Solid line: mean %s.", plotting.CountOf(len(values), "run"),
			inDigits(g.Mean))}
	if q, ok := g.high(); ok {
		pic.caption += fmt.Sprintf(" Dashed line: 90 %% quantile %s.", inDigits(q.Value))
	}
	if lost := s.runs() - len(values); lost > 0 {
		pic.caption += fmt.Sprintf(" The %s not drawn.", plotting.CountOf(lost, "failed run")+isAre(lost))
	}
	bars := histogramTile("Histogram", o, values, g)
	bars.explored = true
	pic.tiles = []tile{bars, ecdfTile(o, values, g)}
	return pic, true
}

func isAre(n int) string {
	if n == 1 {
		return " is"
	}
	return " are"
}

// addCentre adds lines at the mean and at the 90 % quantile.
func addCentre(p *plot.Plot, across axis, g StudySummary) {
	if shown(g.Mean) {
		p.Add(upright(across.at(g.Mean), false))
	}
	if q, ok := g.high(); ok {
		p.Add(upright(across.at(q.Value), true))
	}
}

// mostOutputs is the number of other outputs whose histograms are drawn.
const mostOutputs = 12

// others are the histograms of the other outputs.
func (s *Study) others() (picture, bool) {
	pic := picture{file: "outputs", title: "Other outputs", caption: "Solid lines: means. Dashed lines: 90 % quantiles."}
	for _, o := range s.Outputs[1:] {
		values := s.values(o)
		if len(values) == 0 {
			continue
		}
		if len(pic.tiles) == mostOutputs {
			pic.caption += fmt.Sprintf(" Only the first %d are drawn; the table has all.", mostOutputs)
			break
		}
		pic.tiles = append(pic.tiles, histogramTile("", o, values, s.overall(o)))
	}
	return pic, len(pic.tiles) > 0
}

// leastCount is where the axis of a count ends at least, so that its marks are whole numbers.
const leastCount = 5

func histogramTile(title string, o StudyOutput, values []float64, g StudySummary) tile {
	across := newAxis(false, values...)
	at := make([]float64, len(values))
	for i, v := range values {
		at[i] = across.at(v)
	}
	edges, counts := histogram(at)
	most := slices.Max(counts)
	across.low, across.high = min(across.low, edges[0]), max(across.high, edges[len(edges)-1])
	p := newTilePlot(title, criterion(o), "runs", across, axis{high: (1 + plotting.Room) * float64(max(most, leastCount))})
	p.Add(drawing(func(c draw.Canvas, toX, toY func(float64) vg.Length) {
		var bars []vg.Rectangle
		for i, n := range counts {
			if n > 0 {
				bars = append(bars, vg.Rectangle{Min: vg.Point{X: toX(edges[i]), Y: c.Min.Y},
					Max: vg.Point{X: max(toX(edges[i+1])-0.7, toX(edges[i])+0.7), Y: toY(float64(n))}})
			}
		}
		fillRects(c, plotting.RGB(plotting.Colours[5]), bars)
	}))
	addCentre(p, across, g)
	peak := slices.Index(counts, most)
	words := fmt.Sprintf("Histogram of %s of %s, from %s to %s; the highest bar, %s to %s, has %d of them.", criterion(o),
		plotting.CountOf(len(values), "run"),
		inDigits(slices.Min(values)), inDigits(slices.Max(values)), inDigits(across.value(edges[peak])),
		inDigits(across.value(edges[peak+1])), most)
	return newTile(words, p)
}

// ecdfSteps is the number of steps above which an empirical distribution is drawn by as many quantiles.
const ecdfSteps = 500

// ecdf are the corners of the empirical distribution function: at the k-th of n sorted values it
// rises to k/n.
func ecdf(values []float64) (x, y []float64) {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	steps := min(n, ecdfSteps)
	before := 0.0
	for k := range steps {
		i := (k+1)*n/steps - 1
		share := float64(i+1) / float64(n)
		x, y = append(x, sorted[i], sorted[i]), append(y, before, share)
		before = share
	}
	return x, y
}

func ecdfTile(o StudyOutput, values []float64, g StudySummary) tile {
	across := newAxis(false, values...)
	p := newTilePlot("Empirical distribution", criterion(o), "share of runs", across, axis{high: 1 + plotting.Room})
	x, y := ecdf(values)
	p.Add(drawing(func(c draw.Canvas, toX, toY func(float64) vg.Length) {
		line := []vg.Point{{X: c.Min.X, Y: toY(0)}}
		for i := range x {
			line = append(line, vg.Point{X: toX(across.at(x[i])), Y: toY(y[i])})
		}
		line = append(line, vg.Point{X: c.Max.X, Y: toY(1)})
		c.StrokeLines(draw.LineStyle{Color: plotting.RGB(plotting.Colours[0]), Width: vg.Points(1.4)}, line)
	}))
	addCentre(p, across, g)
	sorted := slices.Sorted(slices.Values(values))
	return newTile(fmt.Sprintf(
		"Empirical distribution of %s: half of the runs are at %s or below, nine in ten at %s or below.", criterion(o),
		inDigits(quantile(sorted, 0.5)), inDigits(quantile(sorted, highShare))), p)
}
