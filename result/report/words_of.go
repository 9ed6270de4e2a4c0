package report

import (
	"rths"
	"rths/result/record"
)

// InWords is how a run has ended, and how well its displacement follows the target: the first sentence of its page.
func InWords(a *record.Archive) (ended, sentence string) { return status(a), verdict(a) }

// Cell is a criterion of a run as its page shows it.
type Cell struct {
	Label string        `json:"label"` // with its unit
	Text  string        `json:"text"`
	Value record.Number `json:"value"`
	Doc   string        `json:"doc,omitempty"`
	Main  bool          `json:"main,omitempty"` // one of the criteria of the benchmarks, or the delay
}

// Cells are the criteria of a run.
func Cells(a *record.Archive) []Cell {
	out := []Cell{}
	for _, v := range a.Criteria {
		main := numbered(v) || v.Meaning == rths.Meaning{Quantity: "delay"}
		out = append(out, Cell{Label(v), cell(v), record.Number(v.V), v.Doc, main})
	}
	return out
}
