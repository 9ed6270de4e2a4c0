package report

import (
	"slices"
	"strings"

	"rths"
	"rths/result/record"
)

// mark is a mark in every figure over time: the span of a fault on request, or, if From and
// To are equal, the instant at which a limit acted or a compensator fell back. A mark without a label stands at the
// lower edge alone: ticks that were late, or that have no reading.
type mark struct {
	From  float64 `json:"from_s"`
	To    float64 `json:"to_s"`
	Label string  `json:"label"`
}

func (m mark) low() bool { return m.Label == "" }

// marks are the marks of all runs, each once.
func marks(runs []*record.Archive) []mark {
	var out []mark
	for _, a := range runs {
		for _, m := range marksOf(a) {
			if !slices.Contains(out, m) {
				out = append(out, m)
			}
		}
	}
	for _, a := range runs {
		out = append(out, lapses(newSource(a))...)
	}
	return out
}

// mostLapses is how many marks at the lower edge the time of a run has room for.
const mostLapses = 400

// lapses are the ticks that were late, and those without a reading before the last one. Marks that would touch are one.
func lapses(s source) []mark {
	late, _ := s.archive.Signal("late")
	measured, _ := s.archive.Signal(s.numbered("measured", "m", 0))
	return lapsesIn(late, measured, s.start, s.rate)
}

func lapsesIn(late, measured record.Signal, start, rate float64) []mark {
	n := measured.Len()
	for n > 0 && !rths.Finite(measured.At(n-1)) {
		n--
	}
	var out []mark
	for k := range n {
		if !(k < late.Len() && late.At(k) != 0) && rths.Finite(measured.At(k)) {
			continue
		}
		from, to := start+float64(k)/rate, start+float64(k+1)/rate
		if last := len(out) - 1; last >= 0 && from-out[last].To <= float64(n)/rate/mostLapses {
			out[last].To = to
			continue
		}
		out = append(out, mark{From: from, To: to})
	}
	return out
}

// marksOf are the faults, each to its end or to the end of the run, the changes between a
// compensator and its fallback, and the first limit that took the command over.
func marksOf(a *record.Archive) []mark {
	var out []mark
	acted := false
	for i, e := range a.Events {
		switch {
		case e.Action == record.Begins:
			out = append(out, mark{e.TimeS, endOf(a, i), faultLabel(e)})
		case e.Action == record.FallsBack, e.Action == record.Returns:
			out = append(out, mark{e.TimeS, e.TimeS, e.Action})
		case !acted && tookOver(e):
			acted = true
			label := e.Action
			if stopOf(a, e) != "" {
				label = strings.ReplaceAll(e.Channel, "_", " ") + ": " + label
			}
			out = append(out, mark{e.TimeS, e.TimeS, label})
		}
	}
	return out
}

// tookOver reports whether a limit took the command over.
func tookOver(e record.Event) bool {
	return slices.Contains([]string{"hold", "ramp", "stop"}, e.Action)
}

// stops are the causes outside of its limits that stop a test in the laboratory, by the channels of their events.
var stops = map[string]string{
	"operator":          "the operator stopped the test",
	"operator_twice":    "the operator stopped the test at once",
	"supervisor_silent": "the supervisor was silent",
	"record":            "the record could not be kept",
	"terminated":        "the process of the loop was told to end",
}

// stopOf says which cause outside of its limits stopped a test by an event; "": none.
func stopOf(a *record.Archive, e record.Event) string {
	if a.Manifest.Test == nil || !tookOver(e) {
		return ""
	}
	return stops[e.Channel]
}

// takeOver is the first event that took the command over, and whether there is one.
func takeOver(a *record.Archive) (record.Event, bool) {
	i := slices.IndexFunc(a.Events, tookOver)
	if i < 0 {
		return record.Event{}, false
	}
	return a.Events[i], true
}

// faultLabel is the kind of the fault, with the channel unless the kind implies it.
func faultLabel(e record.Event) string {
	if strings.HasSuffix(e.Fault, "-"+e.Channel) {
		return e.Fault
	}
	return e.Fault + " " + e.Channel
}

// endOf is the end of the fault whose beginning is event i.
func endOf(a *record.Archive, i int) float64 {
	e := a.Events[i]
	for _, o := range a.Events[i+1:] {
		if o.Action == record.Ends && o.Fault == e.Fault && o.Channel == e.Channel {
			return o.TimeS
		}
	}
	return max(e.TimeS, a.SimulatedS)
}
