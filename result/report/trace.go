package report

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"rths"
	"rths/result/record"
)

// trace is one quantity of one run over time, in the unit it is shown in.
type trace struct {
	start  float64 // s
	rate   float64 // values per second; 0 is a list that is not over time
	values record.Signal

	largest bool     // a point shows the largest of the samples around it, so that none is lost
	peak    *float64 // the largest magnitude, once it is known; nil: it is not kept
}

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
	t.values, t.peak = t.values.First(n), nil
	return t
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
	return trace{start: s.start, rate: s.rate, values: column.Times(scale), peak: new(math.NaN())}, ok
}

// numbered is the name of component i (from 0) of a frame column. Several components have
// numbers: target_1_m, target_2_m, …; a single one has none: target_m.
func (s source) numbered(quantity, unit string, i int) string {
	name := fmt.Sprintf("%s_%d_%s", quantity, i+1, unit)
	if i > 0 || s.has(name) {
		return name // of several, measured_m is a channel of the guard
	}
	return quantity + "_" + unit
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
	return trace{start: a.start, rate: a.rate, values: a.values.Minus(b.values), peak: new(math.NaN())}
}

// reference is the trace in mm of the floor i (from 0) of a reference
// structure, a channel named ref_x1, ref_x2, ….
func (s source) reference(i int) (trace, bool) {
	name := fmt.Sprintf("ref_x%d", i+1)
	if t, ok := s.trace(name, 1000); ok {
		return t, true
	}
	return s.trace(name+"_m", 1000)
}

// floorChannel are the channels of criteria.Floors, which share figures.
var floorChannel = regexp.MustCompile(`^(floor\d+_acc|drift\d+|base_shear)$`)

// pointChannel are the channels of criteria.Frame, which share figures.
var pointChannel = regexp.MustCompile(`^(numerical|undivided|monolithic|measured)_(x|theta)\d*$`)

// tapeChannel are the channels from which a test in the laboratory is replayed, and its stamps; messages draws what a
// reader needs of them.
var tapeChannel = regexp.MustCompile(`^(phase|asked|reading|acted|rig_status|raw_.*|(measured|due|taken|left)_at_s)$`)

func (s source) taped(channel string) bool {
	return s.archive.Manifest.Test != nil && tapeChannel.MatchString(channel)
}

// channels are the columns with a panel of their own.
func (s source) channels() []record.Column {
	var list []record.Column
	outside := s.has("client_ended")
	for _, c := range s.archive.Columns {
		if outside && clientChannel.MatchString(c.Name) {
			continue
		}
		if c.Source == "channel" && !s.taped(c.Name) && !strings.HasPrefix(c.Name, "ref_x") && !floorChannel.MatchString(c.Name) && !pointChannel.MatchString(c.Name) {
			list = append(list, c)
		}
	}
	return list
}
