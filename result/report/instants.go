package report

import (
	"fmt"
	"math"
	"slices"

	"rths"
	"rths/lab/realtime"
	"rths/result/plotting"
	"rths/result/record"
)

// A drawn histogram has steps of about equal ratio, each of whole bins of realtime.Histogram, whose narrowest are
// 1 µs wide below 1 ms. What is shorter than the first edge is in a step in front of it.
const (
	stepsPerDecade = 16
	firstStepUs    = 1
	lastStepUs     = 1e7
)

var (
	stepRatio = math.Pow(10, 1.0/stepsPerDecade)
	stepEdges = makeStepEdges() // µs
)

func makeStepEdges() (edges []float64) {
	for i := 0.0; ; i++ {
		edge := firstStepUs * math.Pow(10, i/stepsPerDecade)
		if edge < 1000 {
			edge = math.Round(edge)
		}
		edges = append(edges, edge)
		if edge >= lastStepUs*(1-1e-9) {
			return slices.Compact(edges)
		}
	}
}

// noTicks is where a step without ticks stands on the logarithmic axis: a single tick is seen above it.
const noTicks = 0.5

// steps are the corners of a histogram, from its first step with ticks to its last.
func steps(d realtime.Distribution) (us, ticks []float64) {
	counts := make([]float64, len(stepEdges)+1)
	first, last := len(counts), -1
	for _, b := range d.Bins {
		if b.Count == 0 {
			continue
		}
		at, _ := slices.BinarySearch(stepEdges, (b.FromUs+b.ToUs)/2)
		counts[at] += float64(b.Count)
		first, last = min(first, at), max(last, at)
	}
	if last < 0 {
		return nil, nil
	}
	add := func(x, y float64) { us, ticks = append(us, x), append(ticks, y) }
	add(stepFrom(first), noTicks)
	for i := first; i <= last; i++ {
		n := max(counts[i], noTicks)
		add(stepFrom(i), n)
		add(stepFrom(i+1), n)
	}
	add(stepFrom(last+1), noTicks)
	return us, ticks
}

// stepFrom is where step i begins, µs.
func stepFrom(i int) float64 {
	switch {
	case i == 0:
		return stepEdges[0] / stepRatio
	case i > len(stepEdges):
		return stepEdges[len(stepEdges)-1] * stepRatio
	}
	return stepEdges[i-1]
}

// histogram adds the steps of a distribution to a figure; none of an empty one.
func (fs *figures) histogram(f *figure, name, colour string, d realtime.Distribution) {
	us, ticks := steps(d)
	if len(us) == 0 {
		return
	}
	f.line(true, name, fs.add(listed(us)), fs.add(listed(ticks)), colour)
}

// newHistograms is a figure for histograms.
func newHistograms() figure {
	return figure{yLabel: "ticks", shape: broad, logX: true, logY: true}
}

// acrossUs names the axis across of histograms, and gives its ends, µs: equal where there are no curves.
func (fs *figures) acrossUs(list ...figure) (label string, from, to float64) {
	from, to = math.Inf(1), math.Inf(-1)
	for _, f := range list {
		for _, c := range f.curves {
			us := fs.traces[c.x].values
			from, to = min(from, us.At(0)), max(to, us.At(us.Len()-1))
		}
	}
	switch {
	case from > to:
		return "time, µs", 0, 0
	case from < firstStepUs:
		return "time, µs; values below 1 µs are drawn left of 1", from, to
	}
	return "time, µs", from, to
}

// upTo is a dashed line at one sample, µs, as high as the steps; none where the sample is not known.
func (fs *figures) upTo(f *figure, us float64) {
	if us > 0 && rths.Finite(us) {
		fs.line(f, "one sample, "+microseconds(us)+" µs", us)
	}
}

// line is a dashed line at a time, µs, as high as the steps.
func (fs *figures) line(f *figure, name string, us float64) {
	top := 1.0
	for _, c := range f.curves {
		top = max(top, slices.Max(fs.traces[c.y].values.Values()))
	}
	f.line(true, name, fs.add(listed([]float64{us, us})), fs.add(listed([]float64{noTicks, top})), plotting.Ink)
	f.curves[len(f.curves)-1].dashed = true
}

// instants is how many ticks were how late, and how long they took.
func (fs *figures) instants(a *record.Archive) []figure {
	if a.Manifest.Test == nil || a.Manifest.Test.Realtime == nil {
		return nil
	}
	t := a.Manifest.Test.Realtime.Timing
	f := newHistograms()
	f.id, f.title = "instants", "Number of ticks over lateness, execution and departure"
	fs.histogram(&f, "lateness", plotting.Colours[0], t.Lateness)
	fs.histogram(&f, "execution", plotting.Colours[2], t.Execution)
	fs.histogram(&f, "departure", plotting.Colours[1], t.Departure)
	if len(f.curves) == 0 {
		return nil
	}
	fs.upTo(&f, periodUs(a))
	f.xLabel, _, _ = fs.acrossUs(f)
	return append([]figure{f}, fs.mainSteps(a.Manifest.Test.MainSteps)...)
}

// mainSteps is how many main steps took how long, where a process of their own made them.
func (fs *figures) mainSteps(m *record.MainSteps) []figure {
	if m == nil {
		return nil
	}
	f := newHistograms()
	f.id, f.title, f.yLabel = "mainsteps", "Number of main steps over the time that they took", "main steps"
	fs.histogram(&f, "main step", plotting.Colours[3], m.Took)
	if len(f.curves) == 0 {
		return nil
	}
	fs.line(&f, "due, "+microseconds(m.PeriodUs)+" µs", m.PeriodUs)
	f.xLabel, _, _ = fs.acrossUs(f)
	return []figure{f}
}

// missing is how many results of main steps were missing, over time; without a process of their
// own there is no such column.
func (fs *figures) missing(s source) []figure {
	t, ok := s.trace("main_missing", 1)
	if !ok || s.archive.Manifest.Test == nil || peakOf(t) == 0 {
		return nil
	}
	t.largest = true
	f := figure{id: "missing", title: "Results of main steps that were missing", xLabel: timeLabel, yLabel: "main steps",
		shape: strip}
	f.line(true, "missing", overTime, fs.add(t), plotting.Colours[3])
	return []figure{f}
}

// longUs is where departures are written in ms, µs.
const longUs = 1e4

// departures is how long after its instant the command left, over time. Each point shows the largest of the ticks
// around it.
func (fs *figures) departures(s source) []figure {
	left, ok := s.trace("left_at_s", 1e6)
	due, dated := s.trace("due_at_s", 1e6)
	if s.archive.Manifest.Test == nil || !ok || !dated {
		return nil
	}
	t, unit, scale := difference(left, due), "µs", 1.0
	if peakOf(t) >= longUs {
		unit, scale = "ms", 1e-3
	}
	t.values, t.ends, t.largest, t.of = t.values.Times(scale), nil, true, ""
	f := figure{id: "messages", title: "Command after its instant, " + unit, xLabel: timeLabel, yLabel: unit,
		shape: strip}
	if period := periodUs(s.archive); period > 0 {
		f.title += fmt.Sprintf(" (one sample is %s %s)", microseconds(scale*period), unit)
	}
	f.line(true, "departure", overTime, fs.add(t), plotting.Colours[1])
	return []figure{f}
}

// periodUs is one sample, µs; 0: not known.
func periodUs(a *record.Archive) float64 {
	if !(a.RateHz > 0) {
		return 0
	}
	return 1e6 / a.RateHz
}

// microseconds writes a time, µs: three digits below 100, and whole ones above.
func microseconds(us float64) string {
	if us < 100 {
		return record.Text("%.3g", us)
	}
	return record.Text("%.0f", us)
}
