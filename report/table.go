package report

import (
	"regexp"
	"slices"

	"rths/record"
)

// table is values by name with a column for each run.
type table struct {
	Title     string
	Heads     []string
	Rows      []tableRow
	Explained bool // some row has a meaning to show
}

type tableRow struct {
	Name, Doc string
	Cells     []string
}

// newTables makes the tables and leaves out tables without rows.
func newTables(runs []*record.Archive, names []string) []table {
	heads := names
	if len(runs) == 1 {
		heads = []string{"Value"}
	}
	var tables []table
	for _, kind := range []struct {
		title string
		of    func(*record.Archive) record.Values
	}{
		{"Criteria", func(a *record.Archive) record.Values { return a.Criteria }},
		{"Indicators", func(a *record.Archive) record.Values { return a.Indicators }},
		{"Compensator parameters at the end", func(a *record.Archive) record.Values { return a.Compensator }},
	} {
		t := table{Title: kind.title, Heads: heads}
		for i, a := range runs {
			t.add(kind.of(a), i, len(runs))
		}
		if len(t.Rows) > 0 {
			tables = append(tables, t)
		}
	}
	return tables
}

// numbered are the criteria of the benchmarks proper: J1_ms, J2_pct, ….
var numbered = regexp.MustCompile(`^J\d+_(ms|pct)$`)

// newHeadline is the numbered criteria as papers print them: a line for each run, a column
// for each criterion. The table has no rows if a run has no numbered criteria.
func newHeadline(runs []*record.Archive, names []string) table {
	var t table
	for i, a := range runs {
		row := tableRow{Name: names[i]}
		var heads []string
		for _, v := range a.Criteria {
			if numbered.MatchString(v.Name) {
				heads = append(heads, v.Name)
				row.Cells = append(row.Cells, record.Text("%.2f", v.V))
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

// add puts the values of run i into its column, in the order they first appear.
func (t *table) add(values record.Values, i, runs int) {
	for _, v := range values {
		row := t.row(v.Name, runs)
		row.Cells[i] = record.Text("%.5g", v.V)
		if row.Doc == "" {
			row.Doc = v.Doc
		}
		t.Explained = t.Explained || v.Doc != ""
	}
}

// row finds the row of that name or adds it.
func (t *table) row(name string, runs int) *tableRow {
	for i := range t.Rows {
		if t.Rows[i].Name == name {
			return &t.Rows[i]
		}
	}
	row := tableRow{Name: name, Cells: make([]string, runs)}
	for i := range row.Cells {
		row.Cells[i] = "–"
	}
	t.Rows = append(t.Rows, row)
	return &t.Rows[len(t.Rows)-1]
}
