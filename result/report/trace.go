package report

import (
	"fmt"
	"math"
	"slices"

	"rths"
	"rths/method/criteria"
	"rths/result/record"
)

// trace is one quantity of one run over time, in the unit it is shown in.
type trace struct {
	start  float64 // s
	rate   float64 // values per second; 0 is a list that is not over time
	values record.Signal

	of      string // the column, and what was done with it: equal traces are kept once; "": not known
	largest bool   // a point shows the largest of the samples around it, so that none is lost
	ends    *ends  // once they are known; nil: they are not kept
}

// ends are the smallest and the largest finite number of a trace; low is above high where there is none.
type ends struct {
	known     bool
	low, high float64
}

// none are the ends of nothing.
func none() ends { return ends{known: true, low: math.Inf(1), high: math.Inf(-1)} }

// with are the ends of both.
func (e ends) with(o ends) ends { return ends{true, min(e.low, o.low), max(e.high, o.high)} }

// peak is the largest magnitude.
func (e ends) peak() float64 { return max(0, -e.low, e.high) }

// endsOf looks through a trace once.
func endsOf(t trace) ends {
	if t.ends != nil && t.ends.known {
		return *t.ends
	}
	e := none()
	if low, high := t.values.Extremes(0, t.values.Len()); low < t.values.Len() && rths.Finite(t.values.At(low)) {
		e.low, e.high = t.values.At(low), t.values.At(high)
	}
	if t.ends != nil {
		*t.ends = e
	}
	return e
}

// peakOf is the largest finite magnitude of a trace.
func peakOf(t trace) float64 { return endsOf(t).peak() }

// largestAround is the largest of the values in a width around a place, both in samples; NaN where there are none.
func (t trace) largestAround(at, width float64) float64 {
	out := math.NaN()
	for k := max(0, math.Ceil(at-width/2)); k < min(at+width/2, float64(t.values.Len())); k++ {
		if v := t.values.At(int(k)); !(v <= out) {
			out = v
		}
	}
	return out
}

// timed is a trace over time of values in memory.
func timed(start, rate float64, values []float64) trace {
	return trace{start: start, rate: rate, values: record.SignalOf(values)}
}

// listed is a trace that is not over time.
func listed(values []float64) trace { return trace{values: record.SignalOf(values)} }

// first is the first n values.
func (t trace) first(n int) trace {
	t.values, t.ends, t.of = t.values.First(n), nil, ""
	return t
}

// upTo is how many values there are up to a time, s.
func (t trace) upTo(s float64) int {
	return max(0, min(t.values.Len(), int(math.Floor((s-t.start)*t.rate+1e-6))+1))
}

// duration is the time from the first to the last value, s.
func (t trace) duration() float64 { return float64(max(0, t.values.Len()-1)) / t.rate }

// source finds the columns of one archive.
type source struct {
	archive     *record.Archive
	start, rate float64
}

// newSource takes the time axis from the time column, or else from the rate.
func newSource(a *record.Archive) source {
	s := source{archive: a, rate: a.RateHz}
	if t, ok := a.Signal("time_s"); ok && t.Len() > 0 && rths.Finite(t.At(0)) {
		s.start = t.At(0)
		if rate := float64(t.Len()-1) / (t.At(t.Len()-1) - s.start); t.Len() > 1 && rate > 0 && rths.Finite(rate) {
			s.rate = rate
		}
	}
	if !(s.rate > 0) {
		s.rate = 1
	}
	return s
}

func (s source) has(name string) bool { return s.archive.Has(name) }

// trace is the column of that name times scale.
func (s source) trace(name string, scale float64) (trace, bool) {
	column, ok := s.archive.Signal(name)
	return trace{start: s.start, rate: s.rate, values: column.Times(scale), ends: new(ends),
		of: fmt.Sprintf("%p %s × %g", s.archive, name, scale)}, ok
}

// numbered is the name of component i (from 0) of a frame column. Several components have
// numbers: target_1_m, target_2_m, …; a single one has none: target_m.
func (s source) numbered(quantity, unit string, i int) string {
	name := rths.ColumnName(quantity, unit, i, 2)
	if i > 0 || s.has(name) {
		return name // of several, measured_m is a channel of the guard
	}
	return rths.ColumnName(quantity, unit, 0, 1)
}

// count is the number of components of a frame column.
func (s source) count(quantity, unit string) int {
	n := 0
	for {
		if !s.has(s.numbered(quantity, unit, n)) {
			return n
		}
		n++
	}
}

// difference is a − b, as long as the shorter.
func difference(a, b trace) trace {
	d := trace{start: a.start, rate: a.rate, values: a.values.Minus(b.values), ends: new(ends)}
	if a.of != "" && b.of != "" {
		d.of = a.of + " − " + b.of
	}
	return d
}

// of is the trace of the column of that meaning times scale.
func (s source) of(meaning rths.Meaning, scale float64) (trace, bool) {
	i := slices.IndexFunc(s.archive.Columns, func(c record.Column) bool { return c.Meaning == meaning })
	if i < 0 {
		return trace{}, false
	}
	return s.trace(s.archive.Columns[i].Name, scale)
}

// reference is the trace in mm of the floor i (from 0) of a reference structure.
func (s source) reference(i int) (trace, bool) {
	return s.of(rths.Meaning{Quantity: criteria.ReferenceX, Floor: i + 1}, 1000)
}

// shared are the quantities of channels that share figures: of criteria.Response and criteria.Floors.
var shared = []string{criteria.ReferenceX, criteria.FloorAcceleration, criteria.Drift, criteria.BaseShear}

// ofPoint reports whether a channel is one of criteria.Frame, which share figures.
func ofPoint(c record.Column) bool {
	return c.Coordinate != "" && slices.Contains(criteria.Points, c.Quantity)
}

// taped are the quantities from which a test in the laboratory is replayed, and its stamps; messages draws what a
// reader needs of them.
var taped = []string{
	"phase", "asked", "reading", "acted", "rig_status", "raw", "raw_command", "raw_age", "raw_late", "raw_failed",
	"measured_at", "due_at", "taken_at", "left_at",
}

// channels are the columns with a panel of their own.
func (s source) channels() []record.Column {
	var list []record.Column
	outside, test := s.has("client_ended"), s.archive.Manifest.Test != nil
	for _, c := range s.archive.Columns {
		switch {
		case c.Source != "channel", slices.Contains(shared, c.Quantity), ofPoint(c):
		case outside && slices.Contains(ofClient, c.Quantity), test && slices.Contains(taped, c.Quantity):
		default:
			list = append(list, c)
		}
	}
	return list
}
