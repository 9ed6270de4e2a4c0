package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"rths"
	"rths/result/record"
)

// Sentence is the status and the verdict of a run, as they stand at the top of its report.
func Sentence(a *record.Archive) string {
	if words := verdict(a); words != "" {
		return status(a) + ": " + words + "."
	}
	return status(a) + "."
}

// verdict is the sentence at the top of a report after the status: why the run ended, how well
// the measured displacement follows its target, and what spoils it most.
func verdict(a *record.Archive) string {
	var parts []string
	if a.Reason != "" {
		parts = append(parts, a.Reason)
	}
	if a.Unstable {
		parts = append(parts, "the loop is unstable")
	}
	if old := a.Stale(); old != "" {
		parts = append(parts, old)
	}
	if t := a.Manifest.Test; t != nil && t.LateTicks > 0 && a.Samples > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d ticks were late", t.LateTicks, a.Samples))
	}
	if a.Manifest.Test != nil && a.Rows() == 0 {
		parts = append(parts, "the run had not begun")
	}
	if t, ok := worstTracked(a); ok {
		parts = append(parts, t.words(a))
	}
	if share := clipped(a); share > 0 && a.Status != rths.Tripped && !cutShort(a) {
		parts = append(parts, fmt.Sprintf("the limits changed %s %% of the commands", record.Text("%.2g", 100*share)))
	}
	if share, at := cutOff(a); share > 0 {
		parts = append(parts, fmt.Sprintf("the converters clipped %s %% of the commands, at ±%s mm",
			record.Text("%.2g", 100*share), record.Text("%.3g", 1e3*at)))
	}
	if list := faults(a); len(list) > 0 {
		parts = append(parts, "faults on request: "+strings.Join(list, ", "))
	}
	return strings.Join(parts, "; ")
}

// cutShort reports whether a run that did not complete was stopped by a cause outside of its limits.
func cutShort(a *record.Archive) bool {
	e, ok := takeOver(a)
	return ok && a.Status != rths.Completed && stopOf(a, e) != ""
}

// faults are the faults on request, each named once.
func faults(a *record.Archive) []string {
	var out []string
	for _, e := range a.Events {
		if label := faultLabel(e); e.Action == record.Begins && !slices.Contains(out, label) {
			out = append(out, label)
		}
	}
	return out
}

// words say how far the measured displacement is from its target, and why.
func (t tracked) words(a *record.Archive) string {
	who := "the measured displacement"
	if t.actuator > 0 {
		who += fmt.Sprintf(" of actuator %d", t.actuator)
	}
	text := fmt.Sprintf("%s misses its target by %s (J2)", who, percent(t.j2))
	e, acted := takeOver(a)
	switch {
	case a.Status == rths.Completed:
		return text + t.why()
	case acted && stopOf(a, e) != "": // the delay of the criteria is of the whole run, with the way to rest
		return "before the test was stopped " + text
	case acted || a.Status == rths.Tripped: // the same, with what the limit did
		return "before the limit acted " + text
	}
	return "until then " + text + t.why()
}

// why names the largest share of the error. Without the share, J2 is the root of what is
// left.
func (t tracked) why() string {
	without := func(share float64) string { return percent(100 * math.Sqrt(max(0, t.j2*t.j2/1e4-share))) }
	direction, delay := "lags", t.delayMs
	if delay < 0 {
		direction, delay = "leads", -delay
	}
	if percent(t.j2) == percent(0) {
		return ""
	}
	switch max(t.delay, t.gain, t.noise, t.rest) {
	case t.noise:
		return fmt.Sprintf(", and noise of the sensor alone makes %s", percent(100*math.Sqrt(t.noise)))
	case t.delay:
		return fmt.Sprintf(", mainly because it %s the target by %.1f ms: without this delay J2 is %s", direction, delay,
			without(t.delay))
	case t.gain:
		return fmt.Sprintf(", mainly because its amplitude is %.1f %% of the target's: with 100 %% J2 is %s", t.amplitude,
			without(t.gain))
	}
	text := fmt.Sprintf(", which neither its delay (%s ms) nor its amplitude (%.1f %%) explains: ",
		record.Text("%.1f", t.delayMs), t.amplitude)
	if t.early > 2*t.late || t.late > 2*t.early {
		return text + fmt.Sprintf("J2 is %s in the first half of the motion and %s in the second", percent(t.early),
			percent(t.late))
	}
	return text + "the rest is noise, or motion that the target does not have"
}

// percent writes a percentage with one decimal, a large one without.
func percent(x float64) string {
	if math.Abs(x) >= 100 {
		return record.Text("%.0f", x) + " %"
	}
	return record.Text("%.1f", x) + " %"
}

// clipped is the share of samples at which the limits let another command through than the
// compensator's.
func clipped(a *record.Archive) float64 {
	s := newSource(a)
	changed, all := 0, 0
	for i := range s.count("command", "m") {
		command, _ := a.Signal(s.numbered("command", "m", i))
		sent, ok := a.Signal(s.numbered("guard_command", "m", i))
		if !ok {
			continue
		}
		for k := range min(command.Len(), sent.Len()) {
			all++
			if command.At(k) != sent.At(k) {
				changed++
			}
		}
	}
	return float64(changed) / float64(max(1, all))
}

// cutOff is the share of commands that the converters cannot express, and the largest that
// they can, m (plant.Converters).
func cutOff(a *record.Archive) (share, at float64) {
	b, _ := newBlocks(a).value("converters").(yaml.MapSlice)
	span, _ := number(blocks(b).value("span_v"))
	switch blocks(b).text("reading") {
	case "metres":
		at = span
	case "volts":
		perVolt, _ := number(blocks(b).value("mm_per_v"))
		at = span * perVolt / 1e3
	}
	if !(at > 0) {
		return 0, 0
	}
	s := newSource(a)
	beyond, all := 0, 0
	for i := range s.count("command", "m") {
		sent, ok := a.Signal(s.numbered("guard_command", "m", i))
		if !ok {
			sent, _ = a.Signal(s.numbered("command", "m", i))
		}
		for k := range sent.Len() {
			all++
			if math.Abs(sent.At(k)) > at {
				beyond++
			}
		}
	}
	return float64(beyond) / float64(max(1, all)), at
}
