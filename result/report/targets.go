package report

import (
	"fmt"
	"math"

	"rths/result/plotting"
	"rths/result/record"
)

// ofClient are the quantities of an analysis in another program: its facts and the figures of targets show them.
var ofClient = []string{
	"new_target", "switch_pc", "at_target", "path_state", "late_samples",
	"client_ended", "client_target", "client_time", "client_steps", "client_motions", "client_fault",
}

// analysis says which analysis in another program gave the targets of a run, and what became of them.
func analysis(a *record.Archive) (out []fact) {
	for _, l := range a.Analysis() {
		out = append(out, fact{l.Name, l.Text})
	}
	if longest := longestAnswer(a); longest > 0 && a.Manifest.Test != nil {
		out = append(out, fact{"Its answers",
			fmt.Sprintf("the force of a target was answered at most %s ms after the loop had the target",
				record.Text("%.4g", 1e3*longest))})
	}
	return out
}

// longestAnswer is the longest time from the tick that took a target to the tick that answered, on the
// loop's clock, s; 0: not recorded.
func longestAnswer(a *record.Archive) float64 {
	taken, timed := a.Signal("taken_at_s")
	came, targeted := a.Signal("new_target")
	reached, ok := a.Signal("at_target")
	if !timed || !targeted || !ok {
		return 0
	}
	since, longest := math.NaN(), 0.0
	for k := range taken.Len() {
		at := taken.At(k)
		if reached.At(k) != 0 {
			if at-since > longest {
				longest = at - since
			}
			since = math.NaN()
		}
		if came.At(k) != 0 {
			since = at
		}
	}
	return longest
}

// detailTargets is the length of a detail of targets, in ways from target to target.
const detailTargets = 16

// targets is the targets of an analysis in another program with the path to them, and where the path waited.
func (fs *figures) targets(s source) (list []figure) {
	c := s.archive.Manifest.Client
	if c == nil || c.PerTarget < 1 {
		return nil
	}
	for i := range s.count("client_target", "m") {
		if f, ok := fs.staircase(s, i); ok {
			list = append(list, f)
		}
	}
	for _, w := range []struct {
		channel, title, label string
		scale                 float64
	}{
		{"path_state", "State of the path: 0 on its way, 1 extrapolates, 2 slows down, 3 stands still", "state", 1},
		{"late_samples", "Time by which late targets have stretched the test", "ms", 1e3 / s.rate},
	} {
		t, ok := s.trace(w.channel, w.scale)
		if !ok || c.LateSamples == 0 {
			continue
		}
		t.largest = true
		f := figure{id: "targets", title: w.title, xLabel: timeLabel, yLabel: w.label, shape: strip}
		f.line(true, w.channel, overTime, fs.add(t), plotting.Colours[3])
		list = append(list, f)
	}
	return list
}

// staircase is the targets of degree of freedom i as they came, and the path to them: around the longest wait for a
// target, or around the largest target where none was late.
func (fs *figures) staircase(s source, i int) (figure, bool) {
	target, ok := s.trace(s.numbered("client_target", "m", i), 1000)
	path, there := s.trace(s.numbered("target", "m", i), 1000)
	if !ok || !there || target.values.Len() < 2 {
		return figure{}, false
	}
	c := s.archive.Manifest.Client
	where, at := "around the largest one", largestAt(target.values)
	if c.LateSamples > 0 {
		where, at = "around the longest wait for one", s.longestWaitAt()
	}
	f := figure{id: "targets", title: "Targets of the analysis as they came, and the path to them, " + where,
		xLabel: timeLabel, yLabel: "displacement, mm"}
	if n := s.count("client_target", "m"); n > 1 {
		f.title += fmt.Sprintf(", degree of freedom %d", i+1)
	}
	f.line(true, "target of the analysis", overTime, fs.add(target), plotting.Colours[1])
	f.line(true, "path", overTime, fs.add(path), plotting.Colours[0])
	if length := (detailTargets*float64(c.PerTarget) + float64(c.LongestWait)) / s.rate; target.duration() > length {
		f.from = max(target.start, min(target.start+float64(at)/s.rate-length/2, target.start+target.duration()-length))
		f.to = f.from + length
	}
	return f, true
}

// largestAt is the place of the largest magnitude.
func largestAt(values record.Signal) (at int) {
	largest := math.Inf(1)
	for k := range values.Len() {
		if v := math.Abs(values.At(k)); k == 0 || v > largest {
			at, largest = k, v
		}
	}
	return at
}

// longestWaitAt is the row at which the target came that was waited for longest.
func (s source) longestWaitAt() (at int) {
	came, _ := s.archive.Signal("new_target")
	reached, _ := s.archive.Signal("at_target")
	since, longest := -1, 0
	for k := range min(came.Len(), reached.Len()) {
		if reached.At(k) != 0 {
			since = k
		}
		if came.At(k) != 0 && since >= 0 && k-since > longest {
			at, longest = k, k-since
		}
	}
	return at
}
