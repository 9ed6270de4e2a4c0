package picture

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"rths/result/plotting"
)

// studyTable is a table of the page.
type studyTable struct {
	Title, Note string
	Class       string // "matrix": shaded cells
	Folded      bool   // opened on request
	Heads       []studyCell
	Rows        [][]studyCell
}

type studyCell struct {
	Text, More string // More is said below in small letters
	Number     bool
	Style      string
}

// Rows of tables beyond these are left out, and the table says so.
const (
	mostGroups   = 1000
	mostFailures = 50
)

// tables are matrices, summaries and failures, without empty ones.
func (s *Study) tables() []studyTable {
	var out []studyTable
	if len(s.Outputs) > 0 && s.runs() > 0 {
		for _, m := range s.matrices() {
			out = append(out, m.table(s.Outputs[0]))
		}
	}
	out = append(out, s.summaries()...)
	out = append(out, s.failures())
	return slices.DeleteFunc(out, func(t studyTable) bool { return len(t.Rows) == 0 })
}

// table is the matrix with shaded cells.
func (m matrix) table(o StudyOutput) studyTable {
	t := studyTable{Title: m.title(o), Class: "matrix", Note: "A darker cell has a larger mean. " + m.words()}
	t.Heads = []studyCell{{Text: fmt.Sprintf("%s \\ %s", plotting.Short(m.rows.name, nameLetters),
		plotting.Short(m.columns.name, nameLetters))}}
	for _, level := range m.columns.levels {
		t.Heads = append(t.Heads, studyCell{Text: plotting.Short(level, rowLetters), Number: true})
	}
	shade := m.shade()
	for i, level := range m.rows.levels {
		row := []studyCell{{Text: level}}
		for j, v := range m.mean[i] {
			c := studyCell{Text: "–", Number: true}
			if m.n[i][j] > 0 {
				ground, white := shade(v)
				ink := plotting.Letters
				if white {
					ink = plotting.White
				}
				c.Text, c.Style = inDigits(v), fmt.Sprintf("background:#%02x%02x%02x;color:%s", ground.R, ground.G,
					ground.B, ink)
			}
			if lost := m.lost[i][j]; lost > 0 {
				c.More = fmt.Sprintf("%d failed", lost)
			}
			row = append(row, c)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// summaries are tables of all outputs over all runs, of the main output by group, and of the
// other outputs by group.
func (s *Study) summaries() []studyTable {
	all := studyTable{Title: "Outputs of all runs", Note: strings.TrimSpace(s.levelWords() + " SD: standard deviation.")}
	main, others := all, all
	main.Title, others.Title, others.Folded = "By group", "Other outputs by group", true
	var list, groups, rest []StudySummary
	docs := map[string]StudyOutput{}
	for _, o := range s.Outputs {
		list, docs[o.Name] = append(list, s.overall(o)), o
	}
	for _, g := range s.Summary {
		switch {
		case g.Group == "":
		case len(s.Outputs) > 0 && g.Output == s.Outputs[0].Name:
			groups = append(groups, g)
		default:
			rest = append(rest, g)
		}
	}
	if len(s.Outputs) > 0 {
		main.Title = criterion(s.Outputs[0]) + " by group"
	}
	all.summary(list, docs, false, true)
	main.summary(groups, docs, true, false)
	others.summary(rest, docs, true, true)
	if len(s.groups()) > 1 {
		return []studyTable{main, others} // of all groups together there are no statistics
	}
	return []studyTable{all, main, others}
}

// summary fills a table of summaries.
func (t *studyTable) summary(list []StudySummary, docs map[string]StudyOutput, group, output bool) {
	if len(list) > mostGroups {
		t.Note += fmt.Sprintf(" The first %d of %d rows.", mostGroups, len(list))
		list = list[:mostGroups]
	}
	shares := sharesOf(list)
	t.Heads = summaryHeads(shares, group, output)
	for _, g := range list {
		var row []studyCell
		if group {
			row = append(row, studyCell{Text: g.Group})
		}
		if output {
			o := docs[g.Output]
			o.Name = g.Output
			row = append(row, studyCell{Text: criterion(o), More: o.Doc})
		}
		t.Rows = append(t.Rows, append(row, g.cells(shares)...))
	}
}

func summaryHeads(shares []float64, group, output bool) []studyCell {
	var heads []studyCell
	if group {
		heads = append(heads, studyCell{Text: "Group"})
	}
	if output {
		heads = append(heads, studyCell{Text: "Output"})
	}
	for _, head := range []string{"Runs", "Mean", "SD"} {
		heads = append(heads, studyCell{Text: head, Number: true})
	}
	for _, p := range shares {
		heads = append(heads, studyCell{Text: fmt.Sprintf("%g %% quantile", math.Round(1e4*p)/100), Number: true})
	}
	return heads
}

// cells are the numbers of a summary, with the quantiles of the given shares.
func (g StudySummary) cells(shares []float64) []studyCell {
	out := []studyCell{{Text: fmt.Sprint(g.N), Number: true}, valueCell(g.Mean, g.MeanFrom, g.MeanTo),
		valueCell(g.SD, math.NaN(), math.NaN())}
	for _, p := range shares {
		c := studyCell{Text: "–", Number: true}
		for _, q := range g.Quantiles {
			if q.P == p {
				c = valueCell(q.Value, q.From, q.To)
			}
		}
		out = append(out, c)
	}
	return out
}

// sharesOf are the shares of the quantiles of all summaries, in increasing order.
func sharesOf(list []StudySummary) []float64 {
	var out []float64
	for _, g := range list {
		for _, q := range g.Quantiles {
			out = append(out, q.P)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// valueCell is a value with its interval.
func valueCell(v, from, to float64) studyCell {
	return studyCell{Text: inDigits(v) + between(from, to), Number: true}
}

// failures lists how many runs ended early, and why.
func (s *Study) failures() studyTable {
	list := s.Failures
	if len(list) == 0 {
		list = s.statuses()
	}
	t := studyTable{Title: "Runs that failed", Heads: []studyCell{{Text: "Status"}, {Text: "Reason"},
		{Text: "Runs", Number: true}}}
	if len(list) > mostFailures {
		t.Note = fmt.Sprintf("The first %d of %d reasons.", mostFailures, len(list))
		list = list[:mostFailures]
	}
	for _, f := range list {
		t.Rows = append(t.Rows, []studyCell{{Text: f.Status}, {Text: f.Reason}, {Text: fmt.Sprint(f.Runs), Number: true}})
	}
	return t
}
