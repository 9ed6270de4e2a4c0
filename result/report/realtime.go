package report

import (
	"cmp"
	"fmt"
	"strings"

	"rths/lab/realtime"
	"rths/result/record"
)

// labTimes is what a page shows of how the loop of a test kept its instants.
type labTimes struct {
	Facts   []fact
	Missing []labMissing
	Table   table
}

// labMissing is what real time wants of the machine and has not got.
type labMissing struct{ Name, Why, Mend, Class string }

// newLabTimes is nil of a test that ended before its loop had begun.
func newLabTimes(a *record.Archive) *labTimes {
	r := a.Manifest.Test.Realtime
	if r == nil {
		return nil
	}
	l := &labTimes{Facts: realtimeFacts(r), Missing: missing(r.Grants)}
	if r.Timing.Ticks > 0 {
		l.Table = timesTable(&r.Timing, lockstep(a))
	}
	if m := a.Manifest.Test.MainSteps; m != nil {
		l.Facts = append(l.Facts, fact{"Main steps", fmt.Sprintf("of %s µs, by a process of their own",
			microseconds(m.PeriodUs))}, fact{"Late main steps", lateMainSteps(m)})
		l.Table.distribution("Main step, µs",
			"from the reading of a main instant until its result was there; the longest where several came at once", m.Took)
	}
	return l
}

// lateMainSteps says at how many main instants a result was missing.
func lateMainSteps(m *record.MainSteps) string {
	if m.Late == 0 {
		return fmt.Sprintf("none of %d", m.Steps)
	}
	return fmt.Sprintf("%d of %d, at most %d in a row: there the target was the predicted "+
		"one", m.Late, m.Steps, m.LongestLate)
}

// lockstep reports whether the loop of a test makes the ticks, and not the rig.
func lockstep(a *record.Archive) bool { return a.Rig != nil && a.Rig.Clock == "lockstep" }

// realTime says whether the machine gave what real time needs.
func realTime(r *record.Realtime) string {
	var names []string
	for _, g := range realtime.Missing(r.Grants) {
		names = append(names, g.Name)
	}
	text, soft := "the machine gave all that it needs", "; without that the test was allowed to go on (--soft)"
	if len(names) > 0 {
		text, soft = "NOT granted: "+strings.Join(names, ", "), "; the test was allowed to go on without real time (--soft)"
	}
	if r.Soft {
		text += soft
	}
	return text
}

func realtimeFacts(r *record.Realtime) []fact {
	var granted []string
	for _, g := range r.Grants {
		if g.Granted {
			granted = append(granted, g.Name+": "+g.Text)
		}
	}
	out := []fact{{"Granted", cmp.Or(strings.Join(granted, "; "), "nothing")}, {"Processor of the loop", "any"}}
	if r.CPU >= 0 {
		out[1].Text = fmt.Sprint(r.CPU)
	}
	if r.PageFaults >= 0 {
		out = append(out, fact{"Page faults", fmt.Sprintf("%d, of the loop's thread from arming to disarming", r.PageFaults)})
	}
	return append(out, fact{"Ticks",
		fmt.Sprintf("%d counted before, in and after the run; the first %d ticks are not counted", r.Timing.Ticks,
			r.Timing.LeftOut)}, fact{"Missed deadlines", missed(&r.Timing)})
}

// missed says how many ticks missed their deadline, and how many of them followed a wait.
func missed(t *realtime.Timing) string {
	if t.Late == 0 {
		return "none"
	}
	text := fmt.Sprintf("%d, of which %d had time to wait for their instant", t.Late, t.LateSlept)
	if t.LateSlept < t.Late {
		text += "; the others came at once after a late tick"
	}
	return text
}

func missing(grants []realtime.Grant) (out []labMissing) {
	for _, g := range grants {
		if g.Granted {
			continue
		}
		m := labMissing{g.Name, g.Text, g.Mend, ""}
		if g.Needed {
			m.Name, m.Class = g.Name+" (needed)", "FAILED"
		}
		out = append(out, m)
	}
	return out
}

// timesTable has a row for each distribution, in µs.
func timesTable(t *realtime.Timing, lockstep bool) table {
	lateness := "from the instant at which the reading was expected until the loop had it; of the %d ticks that had " +
		"time to wait for it"
	if lockstep {
		lateness = "from the instant of the tick until the loop woke; of the %d ticks that had time to wait for it"
	}
	out := table{First: "Times of a tick", Heads: []string{"p50", "p99", "p99.9", "largest"}}
	for _, one := range []struct {
		name, doc string
		d         realtime.Distribution
	}{
		{"Lateness, µs", fmt.Sprintf(lateness, t.Slept), t.Lateness},
		{"Execution, µs", "from the reading to the end of the tick", t.Execution},
		{"Departure, µs", "from the instant of the tick until its command left", t.Departure},
	} {
		out.distribution(one.name, one.doc, one.d)
	}
	return out
}

// distribution adds a row with the quantiles of a distribution, in µs.
func (t *table) distribution(name, doc string, d realtime.Distribution) {
	row := t.row(name)
	row.Doc = doc
	if d.Count > 0 {
		row.Cells = []string{microseconds(d.P50Us), microseconds(d.P99Us), microseconds(d.P999Us), microseconds(d.MaxUs)}
	}
}
