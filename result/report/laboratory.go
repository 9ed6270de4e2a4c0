package report

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"rths"
	"rths/result/plotting"
	"rths/result/record"
)

// labTest is what a page shows of a test in the laboratory beyond the run: what was done in the session with the rig.
type labTest struct {
	Title  string
	Facts  []fact
	Steps  []labStep
	Checks []labCheck
	Moves  []labMove
	Times  *labTimes // nil: not known
	Late   []labLate
	More   string // late ticks that Late leaves out
}

type (
	labStep  struct{ At, Since, Name, Text string }
	labCheck struct{ Name, Value, Wanted, Text, Verdict string }
	labMove  struct{ Actuator, Gain, Stiffness string }
)

// newLabTest is nil for a virtual run. name is "" where the page has one run.
func newLabTest(a *record.Archive, name string) *labTest {
	t := a.Manifest.Test
	if t == nil {
		return nil
	}
	l := &labTest{Title: "Session with the rig"}
	if name != "" {
		l.Title += ": " + name
	}
	if t.Cause != "" {
		l.Facts = append(l.Facts, fact{"First cause of the end", t.Cause})
	}
	l.Facts = append(l.Facts, fact{"Late ticks", lateness(a)})
	if l.Times = newLabTimes(a); l.Times != nil {
		l.Facts = append(l.Facts, fact{"Real time", realTime(t.Realtime)})
	}
	l.Late, l.More = lateTable(a)
	if us := float64(t.RoundTripUs); us > 0 {
		l.Facts = append(l.Facts, fact{"Round trip", record.Text("%.4g", us) +
			" µs to the rig and back, the shortest before arming"})
	}
	for i, m := range t.Moves {
		if text := m.InsteadText(); text != "" {
			l.Facts = append(l.Facts, fact{fmt.Sprintf("Small move of actuator %d", i+1), text})
		}
		l.Moves = append(l.Moves, labMove{fmt.Sprint(i + 1), record.Text("%.4f", float64(m.Gain)),
			stiffnessText(float64(m.Stiffness))})
	}
	l.Steps = labSteps(t.Steps)
	for _, c := range t.Checks {
		l.Checks = append(l.Checks, newLabCheck(c))
	}
	return l
}

func stiffnessText(k float64) string {
	if k == 0 {
		return "no load cell of its own"
	}
	return record.Text("%.4g", k/1000) + " kN/m"
}

// lateness says how many ticks were late.
func lateness(a *record.Archive) string {
	t := a.Manifest.Test
	switch {
	case a.Samples == 0:
		return "the run had no ticks"
	case t.LateTicks == 0:
		return fmt.Sprintf("none of %d", a.Samples)
	}
	text := fmt.Sprintf("%d of %d, at most %d in a row", t.LateTicks, a.Samples, t.LongestLate)
	if age, ok := newSource(a).trace("age", 1); ok && peakOf(age) > 0 {
		text += fmt.Sprintf("; the oldest reading was %s old", samples(peakOf(age)))
	}
	return text
}

// labSteps are the steps with the clock of the laboratory, and the time since the first.
func labSteps(steps []record.Step) (out []labStep) {
	var first time.Time
	for i, s := range steps {
		step := labStep{At: s.At, Name: s.Name, Text: s.Text}
		if at, err := time.Parse(record.StepTime, s.At); err == nil {
			if i == 0 {
				first = at
			}
			step.At = at.Format("15:04:05.000")
			if !first.IsZero() {
				step.Since = fmt.Sprintf("%.3f", at.Sub(first).Seconds())
			}
		}
		out = append(out, step)
	}
	return out
}

func newLabCheck(c record.Check) labCheck {
	out := labCheck{Name: c.Name, Value: checkNumber(float64(c.Value), c.Unit), Wanted: "–", Text: c.Text,
		Verdict: "holds"}
	if limit := float64(c.Limit); rths.Finite(limit) && math.Abs(limit) < math.MaxInt64 { // that large: no limit
		out.Wanted = c.Compare + " " + checkNumber(limit, c.Unit)
	}
	switch {
	case !c.OK:
		out.Verdict = "FAILED"
	case c.Warn:
		out.Verdict = "WARNING"
	}
	return out
}

// checkNumber is a number of a check in the size that is usual on paper.
func checkNumber(x float64, unit string) string {
	switch {
	case !rths.Finite(x):
		return "none"
	case unit == "bytes" && x >= 1<<30:
		return record.Text("%.1f", x/(1<<30)) + " GiB"
	case unit == "bytes":
		return record.Text("%.1f", x/(1<<20)) + " MiB"
	}
	return quantity(x, unit)
}

// failedChecks names the checks that did not hold.
func failedChecks(t *record.Test) string {
	var out []string
	for _, c := range t.Checks {
		if !c.OK {
			out = append(out, c.Name)
		}
	}
	return strings.Join(out, ", ")
}

// session adds the figures of tests in the laboratory: messages and instants, in front, and the motion before and after
// the run. It returns what could not be read.
func (fs *figures) session(runs []*record.Archive, names []string) (unread []string) {
	behind := fs.sections
	fs.sections = nil
	for i, a := range runs {
		if len(runs) > 1 && a.Manifest.Test != nil {
			fs.section("Messages between loop and rig: "+names[i], fs.messages(newSource(a)))
			fs.section("Instants of the loop: "+names[i], fs.instants(a))
			fs.section("Targets of the analysis: "+names[i], fs.targets(newSource(a)))
		}
	}
	fs.sections = append(fs.sections, behind...)
	for i, a := range runs {
		if a.Manifest.Test == nil {
			continue
		}
		title := "Before the first tick and after the last one"
		if len(runs) > 1 {
			title += ": " + names[i]
		}
		around, err := record.OpenAround(a.Dir)
		if err != nil {
			unread = append(unread, fmt.Sprintf("%s cannot be read: %v", record.AroundFile, err))
			continue
		}
		fs.section(title, fs.around(newSource(around)))
		if err := errors.Join(around.Err(), around.Close()); err != nil {
			unread = append(unread, fmt.Sprintf("%s cannot be read: %v", record.AroundFile, err))
		}
	}
	return unread
}

// fewSamples need no figure.
const fewSamples = 8

// runningPhase is the channel phase in the ticks of the run: lower before, higher after.
const runningPhase = 2

// around is the command that left and the measured displacement of every actuator before the run and after it. Time
// counts from the first tick of the run, if there was one.
func (fs *figures) around(s source) (list []figure) {
	times, ok := s.archive.Signal("time_s")
	phase, phased := s.archive.Signal("phase")
	if !ok || !phased || !(s.archive.RateHz > 0) {
		return nil
	}
	first := 0 // after the run
	for first < times.Len() && phase.At(first) < runningPhase {
		first++
	}
	begin, label := float64(s.archive.Manifest.Test.FirstSample)/s.archive.RateHz, "time from the first tick, s"
	if s.archive.Samples == 0 {
		begin, label = 0, "time in the session, s"
	}
	axes := s.count("measured", "m")
	for i := range axes {
		for _, part := range []struct {
			id, title string
			from, to  int
		}{{"before", "Before the first tick", 0, first}, {"after", "After the last tick", first, times.Len()}} {
			if part.to-part.from < fewSamples {
				continue
			}
			f := figure{id: part.id, title: part.title, xLabel: label, yLabel: "displacement, mm", shape: half}
			if axes > 1 {
				f.title += fmt.Sprintf(", actuator %d", i+1)
			}
			for _, c := range []struct{ name, quantity, colour string }{{"measured", "measured", plotting.Colours[0]},
				{"command", "guard_command", plotting.Colours[1]}} {
				if t, ok := s.trace(s.numbered(c.quantity, "m", i), 1000); ok {
					x, y := thinned(times.First(part.to).From(part.from), t.values.First(part.to).From(part.from), begin)
					f.line(true, c.name, fs.add(listed(x)), fs.add(listed(y)), c.colour)
				}
			}
			if len(f.curves) > 0 {
				list = append(list, f)
			}
		}
	}
	return list
}

// thinned are the points of a curve over time since begin; of many the smallest and the largest of every column.
func thinned(times, values record.Signal, begin float64) (x, y []float64) {
	n := min(values.Len(), thinColumns)
	for c := range n {
		from, to := c*values.Len()/n, (c+1)*values.Len()/n
		low, high := values.Extremes(from, to)
		for _, i := range []int{min(low, high), max(low, high)} {
			x, y = append(x, times.At(i)-begin), append(y, values.At(i))
			if low == high {
				break
			}
		}
	}
	return x, y
}

// thinColumns of a plot of half the width of a page.
const thinColumns = 1000

// samples is a number of them in words.
func samples(n float64) string {
	if n == 1 {
		return "1 sample"
	}
	return fmt.Sprintf("%.0f samples", n)
}
