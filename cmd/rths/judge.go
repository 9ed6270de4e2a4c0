package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"rths"
	"rths/method/criteria"
	"rths/result/judge"
	"rths/result/record"
	"rths/result/report"
	"rths/result/tables"
	"rths/scenario/files"
)

// judgeFlags are the flags of judge.
type judgeFlags struct {
	*app
	columns, unit, out string
	rate               float64
}

func judgeCommand(a *app) *cobra.Command {
	f := &judgeFlags{app: a}
	c := &cobra.Command{
		Use:   "judge DATA...",
		Short: "Judge a test that another program has recorded",
		Long: `Reads columns of a file and judges how well the measured displacement follows its
target: J1 to J3 as for a run, delays between samples, at zero crossings and by the
frequency-domain evaluation index, and, with a force, the energy that the tracking error
adds. DATA is a CSV or text file, a file of an OpenSees recorder (.out), a MATLAB v5 file
(save -v7), a Parquet file, an Arrow stream or file, or the folder of a run.

--columns names the columns of time, target, measured, command and force, each with a
unit in brackets if need be. Others are found by their usual names. Target and
measurement in a row must belong to the same instant, and the times must be uniform.
Several actuators are target_1, measured_1, command_1, force_1 and so on. J4 to J6 judge
their common node by the columns numerical_x and measured_x, numerical_theta and
measured_theta. A column without a title is named by its position, from 1.

In several files, whose rows belong together, a column is named FILE:COLUMN. The times of
all files stand in the column that time names, and must be the same.

--out leaves the folder of a run, with report and plots.`,
		Example: `  rths judge test.csv --columns time=t,target=xt[mm],measured=xm[mm],force=F[kN]
  rths judge test.mat --rate 1024 --unit mm --out judged
  rths judge ctrl.out daq.out --columns time=ctrl.out:1,target=ctrl.out:2,measured=daq.out:2[mm]
  rths judge runs/demo --json`,
		Args: wantSome("one data file, or several whose rows belong together"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.judge(cmd, args) },
	}
	c.Flags().StringVar(&f.columns, "columns", "", "time=NAME,target=NAME,measured=NAME,command=NAME,force=NAME; NAME[mm] gives a unit; FILE:NAME of several files")
	c.Flags().StringVar(&f.unit, "unit", "", "unit of lengths without a unit: m, mm, cm, in, … (default m)")
	c.Flags().Float64Var(&f.rate, "rate", 0, "sampling rate, Hz, of data without times")
	c.Flags().StringVarP(&f.out, "out", "o", "", "folder for record, report.html and plots")
	return c
}

// wholeColumns is how much memory, %, garbage may take beside columns of 67 MB and more, which cost
// the collector nothing to look at.
const wholeColumns = 25

// judge reads, judges, records and prints.
func (f *judgeFlags) judge(cmd *cobra.Command, paths []string) error {
	out := cmd.OutOrStdout()
	defer debug.SetGCPercent(debug.SetGCPercent(wholeColumns))
	if f.rate < 0 {
		return fmt.Errorf("judge: --rate %g: want more than 0 Hz", f.rate)
	}
	table, err := tables.ReadAll(paths, f.columns)
	if err != nil {
		return fmt.Errorf("judge: %w", err)
	}
	defer table.Close()
	data := strings.Join(paths, ", ")
	test, err := judge.New(table, f.columns, f.unit, f.rate)
	if err != nil {
		return fmt.Errorf("judge: %s: %w", data, err)
	}
	values := test.Criteria()
	notes := test.Notes(values)
	if err := table.Err(); err != nil {
		return fmt.Errorf("judge: %w", err)
	}
	v := verdict{
		Data: data, Columns: test.Used, RateHz: test.RateHz, Samples: test.Samples(),
		DurationS: float64(test.Samples()) / test.RateHz, Verdict: criteria.Verdict(values, false), Criteria: values, Notes: append(append([]string{}, table.Notes...), notes...), Files: []string{},
		name: filepath.Base(paths[0]), inputs: table.Inputs,
	}
	if f.out != "" {
		if v.Files, err = f.writeFolder(test, &v); err != nil {
			return err
		}
		if err := table.Err(); err != nil {
			return failed{err}
		}
		catalogued(cmd.ErrOrStderr(), f.out)
	}
	if f.json {
		return record.WriteJSON(out, v)
	}
	v.print(out)
	return nil
}

// verdict is the document of judge --json.
type verdict struct {
	Data      string        `json:"data"`
	Columns   []tables.Used `json:"columns"`
	RateHz    float64       `json:"rate_hz"`
	Samples   int           `json:"samples"`
	DurationS float64       `json:"duration_s"`
	Verdict   string        `json:"verdict"` // of criteria.Verdict, with the sensor's noise
	Criteria  record.Values `json:"criteria"`
	Notes     []string      `json:"notes"`
	Files     []string      `json:"files"`

	name   string        // of the first file
	inputs []files.Input // the files
}

func (v *verdict) print(out io.Writer) {
	fmt.Fprintf(out, "%s: %d samples at %g Hz, %.2f s", v.Data, v.Samples, v.RateHz, v.DurationS)
	if v.Verdict != "" {
		fmt.Fprintf(out, ", %s", v.Verdict)
	}
	fmt.Fprintln(out)
	printColumns(out, v.Columns)
	fmt.Fprintln(out)
	v.Criteria.Print(out)
	for _, note := range v.Notes {
		fmt.Fprintf(out, "note: %s\n\n", note)
	}
	for _, name := range v.Files {
		fmt.Fprintln(out, name)
	}
}

// origin is the source of the frames, as comments of YAML in place of a scenario.
func (v *verdict) origin() string {
	text := record.JudgedFrom + v.Data + "\n"
	for _, u := range v.Columns {
		text += fmt.Sprintf("# %s\n", u)
	}
	for _, note := range v.Notes {
		text += "# note: " + note + "\n"
	}
	return text
}

// writeFolder writes record, report and plots into a new folder.
func (f *judgeFlags) writeFolder(test *judge.Test, v *verdict) ([]string, error) {
	left := []string{record.ManifestFile, record.FramesFile, report.File}
	m := record.Manifest{
		Name: strings.TrimSuffix(v.name, filepath.Ext(v.name)), Status: rths.Completed, Verdict: v.Verdict, Criteria: v.Criteria, Version: version(), Files: left,
		Scenario: v.origin(), Inputs: v.inputs,
	}
	release := f.keep()
	err := test.Record(f.out, m)
	release()
	if errors.As(err, new(*record.Failure)) {
		return nil, failed{err}
	}
	if err != nil {
		return nil, err
	}
	archive, err := record.Open(f.out)
	if err != nil {
		return nil, failed{err}
	}
	page := filepath.Join(f.out, report.File)
	if err := report.WritePage(page, []*record.Archive{archive}); err != nil {
		return nil, failed{err}
	}
	plots, err := report.Plots(f.out, archive, "png")
	if err != nil {
		return nil, failed{err}
	}
	for i := range left {
		left[i] = filepath.Join(f.out, left[i])
	}
	return append(left, plots...), nil
}

// printColumns lists the column, the unit and the origin of every role.
func printColumns(out io.Writer, used []tables.Used) {
	for _, u := range used {
		fmt.Fprintln(out, u)
	}
}
