package picture

import (
	"fmt"
	"math"
	"strings"

	"rths/result/plotting"
	"rths/result/record"
)

// finalTable has the methods of the final runs.
func (a *Advice) finalTable() studyTable {
	t := adviceTable(a.Final, "Final runs", true)
	t.Note = "In brackets: where the 90th percentile of as many further runs lies with 95 %. Global error: against the " +
		"undivided structure. Delay margin: further delay that the loop of the nominal plant tolerates at rest. Radius: " +
		"the largest spectral radius of the loop, at the start or the end of a run; a loop is stable below 1. Global error and " +
		"roughness are medians."
	return t
}

// otherTable has the methods that did not come to the final runs.
func (a *Advice) otherTable() studyTable {
	t := adviceTable(a.Others, "Other methods", false)
	t.Note = "These methods fit, but others were better in the runs for selecting. The numbers are of these runs, " +
		"which are few."
	return t
}

// adviceTable is a table of methods; with intervals and margins of those of the final runs.
func adviceTable(rows []AdviceRow, title string, final bool) studyTable {
	t := studyTable{Title: title, Class: "advice", Heads: []studyCell{{Text: "Method"}, {Text: "Adapts"}}}
	for _, head := range []string{"Failed", "Median J2_true, %", "90th percentile, %", "Global error, %", "Roughness, µm",
		"Delay margin, ms", "Radius"} {
		if final || head != "Delay margin, ms" {
			t.Heads = append(t.Heads, studyCell{Text: head, Number: true})
		}
	}
	for _, r := range rows {
		cells := []studyCell{{Text: r.marked(), More: joined(r.Settings, r.Note)},
			{Text: map[bool]string{true: "yes", false: "no"}[r.Adaptive]},
			{Text: fmt.Sprintf("%d of %d", r.Failures, r.Runs), Number: true}, plainCell(r.Median),
			{Text: inDigits(r.P90), More: strings.TrimSpace(r.interval()), Number: true}, plainCell(r.Global),
			plainCell(r.Rough)}
		if final {
			cells = append(cells, plainCell(r.MarginMs))
		}
		cells = append(cells, studyCell{Text: record.Text("%.6f", r.Radius), Number: true})
		if r.Reason != "" {
			cells[0].More = joined(cells[0].More, "first failure: "+r.Reason)
		}
		if r.Recommended {
			for i := range cells {
				cells[i].Style = "font-weight:600;background:var(--band, " + plotting.Band + ")"
			}
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// marked is the method with a word on what it is to the reader.
func (r *AdviceRow) marked() string {
	var words []string
	if r.Recommended {
		words = append(words, "recommended")
	}
	if r.Today {
		words = append(words, "today's method")
	}
	if len(words) == 0 {
		return r.Method
	}
	return r.Method + " (" + strings.Join(words, ", ") + ")"
}

// interval is the interval of the 90th percentile, if there is one.
func (r *AdviceRow) interval() string {
	if shown(r.From) && math.IsInf(r.To, 1) {
		return fmt.Sprintf(" [%s or more]", inDigits(r.From))
	}
	return between(r.From, r.To)
}

func plainCell(v float64) studyCell { return studyCell{Text: inDigits(v), Number: true} }

// joined puts texts one after the other, without empty ones.
func joined(texts ...string) string {
	var out []string
	for _, text := range texts {
		if text != "" {
			out = append(out, text)
		}
	}
	return strings.Join(out, "; ")
}

// failingTable says in words what the picture of the directions shows.
func (a *Advice) failingTable() studyTable {
	t := studyTable{Title: "How far from failing", Heads: []studyCell{{Text: "Change of the test"},
		{Text: "Tolerated", Number: true}, {Text: "Fails at", Number: true}, {Text: "What fails"}}}
	for _, f := range a.Fails {
		row := []studyCell{{Text: f.What}, {Text: inDigits(f.Bears) + " " + f.Unit, Number: true},
			{Text: "not reached", Number: true}, {Text: f.Why}}
		if f.reached() {
			row[2].Text = inDigits(f.Fails) + " " + f.Unit
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// remedyTable says why each remedy suffices or does not.
func (a *Advice) remedyTable() studyTable {
	t := studyTable{Title: "Changes of the test that were tried",
		Heads: []studyCell{{Text: "Change of the test"}, {Text: "Best method"}, {Text: "Failed", Number: true},
			{Text: "90th percentile, %", Number: true}, {Text: "Suffices"}}}
	for _, m := range a.Remedies {
		verdict := studyCell{Text: "no", More: m.Why}
		if m.Suffices {
			verdict = studyCell{Text: "yes"}
		}
		t.Rows = append(t.Rows, []studyCell{{Text: m.What}, {Text: m.Method, More: m.Settings},
			{Text: fmt.Sprintf("%d of %d", m.Failures, m.Runs), Number: true}, plainCell(m.P90), verdict})
	}
	return t
}
