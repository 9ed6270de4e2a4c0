package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rths"
	"rths/result/record"
	"rths/result/report"
	"rths/scenario/files"
)

// outputs are what a run leaves: its folder, and files on request.
type outputs struct {
	out     string
	csv     bool
	parquet bool
	mat     bool
	report  bool
}

func (f *outputs) addTo(c *cobra.Command) {
	c.Flags().StringVarP(&f.out, "out", "o", "", "folder for the record (default runs/NAME-TIME)")
	f.addExtraFlags(c)
}

// addExtraFlags adds the flags of files on request.
func (f *outputs) addExtraFlags(c *cobra.Command) {
	c.Flags().BoolVar(&f.csv, "csv", false, "write frames.csv too")
	c.Flags().BoolVar(&f.parquet, "parquet", false, "write frames.parquet too")
	c.Flags().BoolVar(&f.mat, "mat", false, "write frames.mat for MATLAB and Octave too")
	c.Flags().BoolVar(&f.report, "report", false, "write report.html too")
}

// addExtras writes the files on request (CSV, Parquet, MAT, report) and lists all files. If
// this fails, the record is unharmed, and the command fails.
func (f *outputs) addExtras(m *record.Manifest) {
	extras := f.extras()
	if m.RowsKept == nil && len(extras) > 0 {
		if err := f.writeExtras(extras); err != nil {
			m.Status, m.Reason = rths.Failed, strings.TrimPrefix(m.Reason+"; "+err.Error(), "; ")
		}
	}
	m.Files = nil
	for _, name := range append([]string{record.ManifestFile, record.FramesFile, record.AroundFile}, extras...) {
		if _, err := os.Stat(filepath.Join(f.out, name)); err == nil {
			m.Files = append(m.Files, name)
		}
	}
}

func (f *outputs) writeExtras(names []string) error {
	archive, err := record.Open(f.out)
	if err != nil {
		return err
	}
	for _, name := range names {
		if name == reportFile {
			err = writeReport(filepath.Join(f.out, name), besideRehearsal(archive))
		} else {
			err = archive.Export(name)
		}
		if err != nil {
			return fmt.Errorf("%s was not written: %w", name, err)
		}
	}
	return nil
}

// besideRehearsal is a run, and its rehearsal if it is a test that has one. The rehearsal is in the folder that the
// manifest names, or beside the test if both were moved.
func besideRehearsal(run *record.Archive) []*record.Archive {
	t := run.Manifest.Test
	if t == nil || t.Rehearsal == nil {
		return []*record.Archive{run}
	}
	for _, dir := range []string{t.Rehearsal.Folder, filepath.Join(filepath.Dir(filepath.Clean(run.Dir)), filepath.Base(t.Rehearsal.Folder))} {
		if r, err := record.Open(dir); err == nil && report.Rehearses(&r.Manifest, &run.Manifest) {
			return []*record.Archive{run, r}
		}
	}
	return []*record.Archive{run} // the rehearsal may be gone
}

const reportFile = "report.html"

func (f *outputs) extras() []string {
	var out []string
	for _, e := range []struct {
		name string
		want bool
	}{{record.CSVFile, f.csv}, {record.ParquetFile, f.parquet}, {record.MATFile, f.mat}, {reportFile, f.report}} {
		if e.want {
			out = append(out, e.name)
		}
	}
	return out
}

// writeReport writes the page of runs.
func writeReport(path string, runs []*record.Archive) error {
	return files.Write(path, func(w io.Writer) error { return report.Page(w, runs) })
}

// result is the document of run --json.
type result struct {
	Name           string            `json:"name"`
	Status         string            `json:"status"`
	Reason         string            `json:"reason"`
	Verdict        string            `json:"verdict"`
	RateHz         float64           `json:"rate_hz"`
	Samples        int               `json:"samples"`
	RowsKept       *int              `json:"rows_kept,omitempty"`
	SimulatedS     float64           `json:"simulated_s"`
	WallS          float64           `json:"wall_s"`
	RealtimeFactor float64           `json:"realtime_factor"`
	Drawn          record.Values     `json:"drawn,omitempty"`
	Client         *record.Client    `json:"client,omitempty"`
	Rig            *record.Rig       `json:"rig,omitempty"`
	Test           *record.Test      `json:"test,omitempty"`
	Notes          []string          `json:"notes"`
	Warnings       []string          `json:"warnings"`
	Unmet          []string          `json:"unmet"`
	Criteria       record.Values     `json:"criteria"`
	Indicators     record.Values     `json:"indicators"`
	Events         []record.Event    `json:"events"`
	Compensator    record.Values     `json:"compensator"`
	Spectra        []record.Spectrum `json:"spectra,omitempty"`
	Files          []string          `json:"files"`
}

// print prints what a run has come to.
func (f *outputs) print(out io.Writer, asJSON bool, m *record.Manifest) error {
	var files []string
	for _, name := range m.Files {
		files = append(files, filepath.Join(f.out, name))
	}
	if asJSON {
		return printJSON(out, result{
			m.Name, m.Status, m.Reason, m.Verdict, m.RateHz, m.Samples, m.RowsKept, m.SimulatedS, m.WallS, m.RealtimeFactor, m.Drawn, m.Client, m.Rig, m.Test,
			append([]string{}, m.Notes...), append([]string{}, m.Warnings...), append([]string{}, m.Unmet...), m.Criteria, m.Indicators, append([]record.Event{}, m.Events...), m.Compensator, m.Spectra, append([]string{}, files...),
		})
	}
	fmt.Fprintf(out, "%s: %s", m.Name, m.Ended())
	if m.Reason != "" {
		fmt.Fprintf(out, ", %s", strings.TrimPrefix(m.Reason, m.Status+" "))
	}
	if old := m.Stale(); old != "" {
		fmt.Fprintf(out, "; %s", old)
	}
	fmt.Fprintf(out, "\n%.2f s simulated", m.SimulatedS)
	if took := took(m); took != "" {
		fmt.Fprintf(out, " in %s", took)
	}
	fmt.Fprint(out, "\n\n")
	printDrawn(out, m.Drawn)
	printRig(out, m.Rig)
	printClient(out, m)
	printTest(out, m)
	for _, warning := range m.Warnings {
		fmt.Fprintf(out, "warning: %s\n", warning)
	}
	for _, missed := range m.Unmet {
		fmt.Fprintf(out, "not reached: %s\n", missed)
	}
	if len(m.Warnings)+len(m.Unmet) > 0 {
		fmt.Fprintln(out)
	}
	printEvents(out, m.Events)
	if m.Status == rths.Tripped {
		fmt.Fprint(out, "criteria are of the whole run, with what the limit did to the command\n\n")
	}
	printValues(out, m.Criteria)
	printValues(out, m.Indicators)
	printValues(out, m.Compensator)
	for _, name := range files {
		fmt.Fprintln(out, name)
	}
	return nil
}

func printValues(out io.Writer, values []rths.Value) {
	if len(values) == 0 {
		return
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, v := range values {
		fmt.Fprintf(t, "%s\t%s\t%s\n", v.Name, record.Text("", v.V), v.Doc)
	}
	t.Flush()
	fmt.Fprintln(out)
}

// printDrawn prints the values of a random plant in digits enough to set them.
func printDrawn(out io.Writer, values []rths.Value) {
	if len(values) == 0 {
		return
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, v := range values {
		fmt.Fprintf(t, "%s\t%.6g\t%s\n", v.Name, v.V, v.Doc)
	}
	t.Flush()
	fmt.Fprintln(out)
}

// took says how long a run took, "" where nobody knows: its program died.
func took(m *record.Manifest) string {
	switch {
	case !(m.WallS > 0):
		return ""
	case m.WallS < 1e-3:
		return fmt.Sprintf("%.2g ms, %.*f times real time", 1e3*m.WallS, decimals(m.RealtimeFactor), m.RealtimeFactor)
	}
	return fmt.Sprintf("%.3f s, %.*f times real time", m.WallS, decimals(m.RealtimeFactor), m.RealtimeFactor)
}

// decimals is the number of decimals that shows two digits of a factor.
func decimals(x float64) int {
	if x >= 10 {
		return 0
	}
	return 2
}

// printRig says which rig a run loaded.
func printRig(out io.Writer, r *record.Rig) {
	if r == nil {
		return
	}
	kind := "the rig"
	if r.Virtual {
		kind = "the VIRTUAL rig"
	}
	if r.Sent == 0 {
		fmt.Fprintf(out, "%s %q at %s, clock %s\n\n", kind, r.Laboratory, r.Address, r.Clock)
		return
	}
	fmt.Fprintf(out, "%s %q at %s, clock %s: %d datagrams sent, %d received, of them %d repeated, %d old, %d bad\n\n", kind, r.Laboratory, r.Address, r.Clock, r.Sent, r.Received, r.Repeated, r.Old, r.Bad)
}

// printClient says which analysis in another program gave the targets of a run.
func printClient(out io.Writer, m *record.Manifest) {
	lines := m.Analysis()
	if len(lines) == 0 {
		return
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, l := range lines {
		fmt.Fprintf(t, "%s\t%s\n", strings.ToLower(l.Name), l.Text)
	}
	t.Flush()
	fmt.Fprintln(out)
}
