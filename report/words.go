package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"rths/record"
)

// parts are the keys of a scenario in the summary. A scenario of another form leaves them
// empty, so that reports of old archives can still be made.
type parts struct {
	Structure   any `yaml:"structure"`
	Ground      any `yaml:"ground"`
	Compensator any `yaml:"compensator"`
	Limits      any `yaml:"limits"`
}

// summary describes the test in a paragraph.
func summary(a *record.Archive) string {
	var p parts
	if err := yaml.Unmarshal([]byte(a.Scenario), &p); err != nil {
		p = parts{}
	}
	var about []string
	for _, part := range []struct {
		name string
		v    any
	}{{"structure", p.Structure}, {"ground motion", p.Ground}, {"compensator", p.Compensator}} {
		if word := describe(part.v); word != "" {
			about = append(about, part.name+" "+word)
		}
	}
	text := sentence(strings.Join(about, ", "))
	kept := ""
	if a.RowsKept != nil {
		kept = " kept"
	}
	text += fmt.Sprintf("%.4g s at %.4g Hz (%d samples%s)", simulated(a), a.RateHz, a.Rows(), kept)
	if a.WallS > 0 {
		text += fmt.Sprintf(", run in %.3g s", a.WallS)
	}
	if a.RealtimeFactor > 0 {
		text += fmt.Sprintf(", %s times real time", factor(a.RealtimeFactor))
	}
	if a.Started != "" {
		text += ", started " + a.Started
	}
	if a.Status == record.Tripped {
		text += ". Criteria are of the whole run, with what the limit did to the command"
	}
	if p.Limits == "none" {
		text += ". No limits acted on this run"
	}
	if a.RowsKept != nil {
		text += ". Criteria are of the run until it ended, also of samples that are not kept"
	}
	return text + "."
}

// factor is a ratio without needless digits.
func factor(x float64) string {
	if x >= 10 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.2g", x)
}

// sentence ends the text with a full stop and begins it with a capital letter.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:] + ". "
}

// simulated is the simulated time, s.
func simulated(a *record.Archive) float64 {
	if a.SimulatedS > 0 || !(a.RateHz > 0) {
		return a.SimulatedS
	}
	return float64(a.Rows()) / a.RateHz
}

// describe is the name of a part with its scale, as in "elcentro (scale 0.4)"; several parts
// give several names.
func describe(part any) string {
	switch p := part.(type) {
	case string:
		return p
	case []any:
		var words []string
		for _, one := range p {
			words = append(words, describe(one))
		}
		return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " and ")
	case map[string]any:
		word := first(p, "record", "file", "kind", "name")
		var more []string
		for _, key := range []string{"case", "scale", "pga_g"} {
			if v, ok := p[key]; ok && fmt.Sprint(v) != "0" { // 0 stands for not given
				more = append(more, fmt.Sprintf("%s %v", key, v))
			}
		}
		if word != "" && len(more) > 0 {
			word += " (" + strings.Join(more, ", ") + ")"
		}
		return word
	}
	return ""
}

// first is the first of the keys that holds a text.
func first(m map[string]any, keys ...string) string {
	for _, key := range keys {
		if text, ok := m[key].(string); ok && text != "" {
			return text
		}
	}
	return ""
}

// status is the end of the run in words.
func status(a *record.Archive) string {
	words := map[string]string{
		record.Completed: "Completed",
		record.Tripped:   "Tripped by a limit",
		record.Diverged:  "Diverged",
		record.Stopped:   "Stopped",
		record.Failed:    "Failed",
		record.Running:   "Still running, or killed",
	}
	word, ok := words[a.Status]
	if !ok {
		word = "Status " + a.Status
	}
	if a.Truncated && a.RowsKept == nil { // else the reason says how many rows are kept
		word += fmt.Sprintf(" (record ends without its end mark, %d rows read)", a.Rows())
	}
	return word
}

// runNames are the names of the runs; equal names get the folder or a number.
func runNames(runs []*record.Archive) []string {
	names := make([]string, len(runs))
	for i, a := range runs {
		names[i] = a.Name
		if a.Name == "" {
			names[i] = a.Dir
		}
	}
	count := map[string]int{}
	for _, n := range names {
		count[n]++
	}
	seen := map[string]int{}
	for i, n := range names {
		if count[n] > 1 {
			seen[n]++
			names[i] = fmt.Sprintf("%s [%d]", n, seen[n])
		}
	}
	return names
}
