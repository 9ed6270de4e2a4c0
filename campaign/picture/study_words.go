package picture

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"rths"
	"rths/campaign/study"
	"rths/result/plotting"
	"rths/result/record"
)

// inDigits is a number with four digits, or a dash.
func inDigits(v float64) string {
	if v == 0 {
		return "0"
	}
	return plotting.Powers(strings.TrimSuffix(record.Text("%#.4g", v), "."))
}

// shortNumber is a number with three digits, in images.
func shortNumber(v float64) string { return strings.TrimSuffix(record.Text("%#.3g", v), ".") }

// between is an interval in brackets, if there is one.
func between(from, to float64) string {
	if !shown(from) || !shown(to) {
		return ""
	}
	return fmt.Sprintf(" [%s, %s]", inDigits(from), inDigits(to))
}

// verdicts are the sentences at the top of the page.
func (s *Study) verdicts() []string {
	var out []string
	if n := s.runs(); n > 0 || s.Search == nil {
		out = append(out, s.runVerdict())
	}
	if s.Search != nil {
		out = append(out, s.Search.verdict())
	}
	return out
}

// runVerdict says how many runs there are, how many failed, and how the main criterion lies.
func (s *Study) runVerdict() string {
	text := plotting.CountOf(s.runs(), "run") + s.failed() + "."
	if len(s.Outputs) == 0 || s.runs() == 0 {
		return text
	}
	o := s.Outputs[0]
	values := s.values(o)
	switch len(values) {
	case 0:
		return fmt.Sprintf("%s No run has a value of %s.", text, criterion(o))
	case 1:
		return fmt.Sprintf("%s %s: %s.", text, criterion(o), inDigits(values[0]))
	}
	if groups := s.groups(); len(groups) > 1 {
		return text + best(o, groups)
	}
	g := s.overall(o)
	text += fmt.Sprintf(" %s: mean %s%s", criterion(o), inDigits(g.Mean), between(g.MeanFrom, g.MeanTo))
	if q, ok := g.high(); ok {
		text += fmt.Sprintf(", 90 %% quantile %s%s", inDigits(q.Value), between(q.From, q.To))
	}
	largest := slices.Max(values)
	for i := range o.Values {
		if s.has(o, i) && o.Values[i] == largest {
			text += fmt.Sprintf(", largest %s in run %d.", inDigits(largest), s.number(i))
			break
		}
	}
	if g.bounded() {
		text += " " + s.levelWords()
	}
	return text
}

// groups are the summaries of the main output by group, of runs that have a value; none if there is a
// summary of all runs together.
func (s *Study) groups() (out []StudySummary) {
	for _, g := range s.Summary {
		switch {
		case len(s.Outputs) == 0 || g.Output != s.Outputs[0].Name || g.N == 0:
		case g.Group == "":
			return nil
		default:
			out = append(out, g)
		}
	}
	return out
}

// best says which group has the smallest mean, and which the largest.
func best(o StudyOutput, groups []StudySummary) string {
	least, most := groups[0], groups[0]
	for _, g := range groups {
		if g.Mean < least.Mean {
			least = g
		}
		if g.Mean > most.Mean {
			most = g
		}
	}
	return fmt.Sprintf(" Mean of %s by group: smallest %s of %s, largest %s of %s.", criterion(o), inDigits(least.Mean),
		least.Group, inDigits(most.Mean), most.Group)
}

// bounded reports whether the summary has intervals.
func (g StudySummary) bounded() bool {
	return between(g.MeanFrom, g.MeanTo) != "" || slices.ContainsFunc(g.Quantiles,
		func(q study.Quantile) bool { return between(q.From, q.To) != "" })
}

// failed says how many runs did not complete, by status, and how many have no value.
func (s *Study) failed() string {
	list := s.statuses()
	lost := 0
	var parts []string
	for _, f := range list {
		lost += f.Runs
		parts = append(parts, fmt.Sprintf("%d %s", f.Runs, cmp.Or(f.Status, "without status")))
	}
	text := ", none failed"
	switch {
	case lost > 0 && lost == s.runs():
		text = ", all failed (" + strings.Join(parts, ", ") + ")"
	case lost > 0:
		text = fmt.Sprintf(", %d failed (%s)", lost, strings.Join(parts, ", "))
	case s.runs() == 0:
		text = ""
	}
	if len(s.Outputs) > 0 {
		if bare := s.runs() - lost - len(s.values(s.Outputs[0])); bare > 0 {
			text += fmt.Sprintf(", %d completed without a value", bare)
		}
	}
	return text
}

// statuses counts the runs that did not complete, the most frequent status first.
func (s *Study) statuses() []study.Failure {
	var out []study.Failure
	for _, status := range s.Status {
		if status == rths.Completed {
			continue
		}
		i := slices.IndexFunc(out, func(f study.Failure) bool { return f.Status == status })
		if i < 0 {
			i = len(out)
			out = append(out, study.Failure{Status: status})
		}
		out[i].Runs++
	}
	slices.SortStableFunc(out, func(a, b study.Failure) int { return b.Runs - a.Runs })
	return out
}

// verdict says what a calibration found.
func (h *StudySearch) verdict() string {
	text := fmt.Sprintf("Calibration of %s: %s", plotting.CountOf(len(h.Tuned), "parameter"),
		plotting.CountOf(len(h.Value), "candidate"))
	if n := len(h.Best); n > 0 {
		text += fmt.Sprintf(" in %s", plotting.CountOf(n, "generation"))
		if shown(h.Best[n-1]) {
			text += fmt.Sprintf(", smallest %s: %s", objectiveName(h.Objective), inDigits(h.Best[n-1]))
		}
	}
	var at []string
	for i, v := range h.Optimum {
		at = append(at, fmt.Sprintf("%s = %s", h.Tuned[i].Name, inDigits(v)))
	}
	if len(at) > 0 {
		text += " at " + strings.Join(at, ", ")
	}
	if lost := len(h.Value) - len(h.feasible()); lost > 0 {
		text += fmt.Sprintf("; candidates without a value or with a broken limit: %d", lost)
	}
	return text + "."
}

// levelWords name the intervals in brackets, if there are any.
func (s *Study) levelWords() string {
	if !slices.ContainsFunc(s.Summary, StudySummary.bounded) {
		return ""
	}
	if !(s.Level > 0) {
		return "In brackets: confidence intervals."
	}
	return fmt.Sprintf("In brackets: %g %% confidence intervals.", math.Round(1e4*s.Level)/100)
}
