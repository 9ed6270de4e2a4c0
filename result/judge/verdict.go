package judge

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"rths"
	"rths/method/criteria"
	"rths/result/record"
	"rths/result/tables"
	"rths/scenario/files"
)

// Verdict is a judged test, as rths judge --json prints it.
type Verdict struct {
	Data      string        `json:"data"`
	Columns   []tables.Used `json:"columns"`
	RateHz    float64       `json:"rate_hz"`
	Samples   int           `json:"samples"`
	DurationS float64       `json:"duration_s"`
	Read      []string      `json:"read"`    // how the texts were read, a line each
	Verdict   string        `json:"verdict"` // of criteria.Verdict, with the sensor's noise
	Criteria  record.Values `json:"criteria"`
	Damping   *Damping      `json:"damping,omitempty"`  // of a test whose numerical part is known; nil: not looked for
	Response  *Swing        `json:"response,omitempty"` // of a test with a ground motion; nil: it has none
	Notes     []string      `json:"notes"`
	Files     []string      `json:"files"`

	name   string        // of the first file
	inputs []files.Input // the files
}

// NewVerdict judges a test of a table, which was read from files.
func NewVerdict(test *Test, table *tables.Table, paths []string) *Verdict {
	values, whole := test.criteria()
	notes := slices.Concat([]string{}, table.Notes, test.twice(table), test.Notes(values))
	whole()
	return &Verdict{
		Data: strings.Join(paths, ", "), Columns: test.Used, RateHz: test.RateHz, Samples: test.Samples(),
		Read:      append([]string{}, table.Understood...),
		DurationS: float64(test.Samples()) / test.RateHz, Verdict: criteria.Verdict(values, false), Criteria: values,
		Response: test.Swing(),
		Notes:    notes, Files: []string{}, name: filepath.Base(paths[0]), inputs: table.Inputs,
	}
}

// Manifest is the manifest of a folder that keeps the test in these files.
func (v *Verdict) Manifest(version string, files []string) record.Manifest {
	return record.Manifest{
		Name: strings.TrimSuffix(v.name, filepath.Ext(v.name)), Status: rths.Completed, Verdict: v.Verdict,
		Criteria: v.Criteria, Version: version, Files: files, Scenario: v.origin(), Inputs: v.inputs,
	}
}

// Print prints what was read, and the criteria.
func (v *Verdict) Print(out io.Writer) {
	fmt.Fprintf(out, "%s: %d samples at %g Hz, %.2f s", v.Data, v.Samples, v.RateHz, v.DurationS)
	if v.Verdict != "" {
		fmt.Fprintf(out, ", %s", v.Verdict)
	}
	fmt.Fprintln(out)
	for _, line := range v.Read {
		fmt.Fprintln(out, line)
	}
	for _, u := range v.Columns {
		fmt.Fprintln(out, u)
	}
	fmt.Fprintln(out)
	v.Criteria.Print(out)
	if v.Damping != nil {
		fmt.Fprintf(out, "%s.\n\n", v.Damping.Sentence())
	}
	if v.Response != nil {
		fmt.Fprintf(out, "%s.\n\n", v.Response.Sentence())
	}
	for _, note := range v.Notes {
		fmt.Fprintf(out, "note: %s\n\n", note)
	}
	for _, name := range v.Files {
		fmt.Fprintln(out, name)
	}
}

// origin is the source of the frames, as comments of YAML in place of a scenario.
func (v *Verdict) origin() string {
	text := record.JudgedFrom + v.Data + "\n"
	for _, u := range v.Columns {
		text += fmt.Sprintf("# %s\n", u)
	}
	for _, note := range v.Notes {
		text += "# note: " + note + "\n"
	}
	return text
}
