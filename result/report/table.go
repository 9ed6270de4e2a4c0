package report

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"rths"
	"rths/method/criteria"
	"rths/result/plotting"
	"rths/result/record"
)

// table is values by name, with a column for each run or, of one run, for each way to look.
type table struct {
	Title, First string // First is the head of the first column
	Heads        []string
	Rows         []tableRow
	Across       bool // the columns are criteria, whose names are short
	Titled       bool // the title says what the values are
	Ranked       bool // of several runs: the smaller a value, the better
}

type tableRow struct {
	Name, Doc string
	Cells     []string
}

// newTables makes the tables and leaves out tables without rows.
func newTables(runs []*record.Archive, names []string) []table {
	list := []table{criteriaTable(runs, names)}
	for _, kind := range []struct {
		title, first string
		of           func(*record.Archive) record.Values
	}{
		{"Indicators", "Indicator", func(a *record.Archive) record.Values { return a.Indicators }},
		{"Compensator parameters at the end", "Parameter", func(a *record.Archive) record.Values { return a.Compensator }},
	} {
		t := table{Title: kind.title, First: kind.first, Heads: names, Titled: kind.first == "Parameter"}
		if len(runs) == 1 {
			t.Heads = []string{"Value"}
		}
		for i, a := range runs {
			t.add(kind.of(a), i)
		}
		list = append(list, t)
	}
	list = append(list, learnedTable(runs, names), limitsTable(runs, names))
	return slices.DeleteFunc(list, func(t table) bool { return len(t.Rows) == 0 })
}

// criteriaTable is the criteria of runs. Of one run, the value without sensor noise stands
// beside the measured value.
func criteriaTable(runs []*record.Archive, names []string) table {
	t := table{Title: "Criteria", First: "Criterion", Heads: names}
	if len(runs) > 1 {
		t.Ranked = true
		for i, a := range runs {
			t.add(a.Criteria, i)
		}
		return t
	}
	t.Heads = []string{"Value"}
	var measured, exact record.Values
	for _, v := range runs[0].Criteria {
		if twin, ok := measuredTwin(runs[0].Criteria, v); ok {
			twin.V = v.V
			exact = append(exact, twin)
			continue
		}
		measured = append(measured, v)
	}
	if len(exact) > 0 {
		t.Heads = append(t.Heads, "Without sensor noise")
	}
	t.add(measured, 0)
	t.add(exact, 1)
	return t
}

// measuredTwin is the value with sensor noise of one without, and whether v is one that has such a twin.
func measuredTwin(values record.Values, v rths.Value) (twin rths.Value, ok bool) {
	of := v.Meaning
	of.Exact = false
	i := slices.IndexFunc(values, func(w rths.Value) bool { return w.Meaning == of })
	if !v.Exact || i < 0 {
		return twin, false
	}
	return values[i], true
}

// numbered reports whether a value is one of the criteria of the benchmarks proper, J1_ms, J2_pct, …, of the only
// actuator, or the acceleration error, which stands beside J2.
func numbered(v rths.Value) bool {
	of := v.Meaning
	return (v.Number > 0 || of.Quantity == criteria.AccelerationError) && of == rths.Meaning{Quantity: of.Quantity}
}

// newHeadline is the numbered criteria as papers print them: a line for each run, a column for each criterion. Of
// several runs the delay stands there too, since J1 of a lead is 0. The table has no rows if a run has no numbered
// criteria.
func newHeadline(runs []*record.Archive, names []string) table {
	t := table{First: "Run", Across: true, Ranked: len(runs) > 1}
	for i, a := range runs {
		row := tableRow{Name: names[i]}
		if len(runs) == 1 {
			t.First, row.Name = "Criterion", "Value"
		}
		var heads []string
		for _, v := range a.Criteria {
			if numbered(v) || len(runs) > 1 && v.Meaning == (rths.Meaning{Quantity: "delay"}) {
				heads = append(heads, Label(v))
				row.Cells = append(row.Cells, cell(v))
			}
		}
		if i > 0 && !slices.Equal(heads, t.Heads) {
			return table{} // runs with different criteria: see the full table
		}
		t.Heads, t.Rows = heads, append(t.Rows, row)
	}
	if len(t.Heads) == 0 {
		return table{}
	}
	return t
}

// add puts values into column i, in the order they first appear.
func (t *table) add(values record.Values, i int) {
	for _, v := range values {
		row := t.row(Label(v))
		row.Cells[i] = cell(v)
		if row.Doc == "" && !t.Titled {
			row.Doc = v.Doc
		}
	}
}

// row finds the row of that name or adds it.
func (t *table) row(name string) *tableRow {
	for i := range t.Rows {
		if t.Rows[i].Name == name {
			return &t.Rows[i]
		}
	}
	row := tableRow{Name: name, Cells: make([]string, len(t.Heads))}
	for i := range row.Cells {
		row.Cells[i] = "–"
	}
	t.Rows = append(t.Rows, row)
	return &t.Rows[len(t.Rows)-1]
}

// Label is the name of a value with its unit, as in "J2, %".
func Label(v rths.Value) string {
	name, unit := nameUnit(v)
	if unit == "" {
		return name
	}
	return name + ", " + unit
}

// nameUnit is the name of a value without its unit, and the unit. Of the parameter in s⁴ it is not shown.
func nameUnit(v rths.Value) (name, unit string) {
	if unit = v.Unit; unit == "s⁴" {
		unit = ""
	}
	return rths.WithoutUnit(v.Name, v.Unit), unit
}

// cell is a value in the digits of its unit: percentages and milliseconds have two decimals, percentages below 0.1 two
// digits, other values four digits.
func cell(v rths.Value) string {
	_, unit := nameUnit(v)
	switch {
	case (unit == "%" || unit == "ms") && math.Abs(v.V) >= 1000:
		return record.Text("%.0f", v.V)
	case unit == "%" && v.V != 0 && math.Abs(v.V) < 0.1:
		return record.Text("%.2g", v.V)
	case unit == "%" || unit == "ms":
		return record.Text("%.2f", v.V)
	}
	return plotting.Powers(record.Text("%.4g", v.V))
}

// FigureFormats are the endings of a figure's file.
var FigureFormats = []string{"pdf", "svg", "png"}

// WantEnding refuses the name of a file with another ending than the format that is written into it: that of a table
// (one of TableFormats), or of a page ("").
func WantEnding(path, table string) error {
	found, wanted := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), ".")), cmp.Or(table, "html")
	if found == "" || found == wanted || found == "htm" && wanted == "html" {
		return nil
	}
	hint := ""
	switch {
	case table != "":
	case slices.Contains(FigureFormats, found):
		hint = ", or --figure NAME for a picture"
	case slices.Contains(TableFormats, found):
		hint = fmt.Sprintf(", or --table %s for the criteria", found)
	}
	return fmt.Errorf("report: --out %s: found the ending .%s: want .%s%s", path, found, wanted, hint)
}
