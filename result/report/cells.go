package report

import (
	"rths"
	"rths/result/record"
)

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
