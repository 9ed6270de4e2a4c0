package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"rths/result/judge"
	"rths/result/record"
	"rths/result/report"
	"rths/result/tables"
)

// judgeFlags are the flags of judge.
type judgeFlags struct {
	*app
	columns, unit, out string
	rate               float64
	skip               int
}

func judgeCommand(a *app) *cobra.Command {
	f := &judgeFlags{app: a}
	c := &cobra.Command{
		Use:   "judge DATA...",
		Short: "Judge a test that another program has recorded",
		Long: `Reads columns of a file and judges how well the measured displacement follows its
target: J1 to J3 as for a run, delays in fractions of a sample, at zero crossings and by the
frequency-domain evaluation index, and, with a force, the energy that the tracking error
adds. DATA is a CSV or text file, a measurement file of LabVIEW (.lvm, .tdms), a file of an
OpenSees recorder (.out), a MATLAB or HDF5 file, a Parquet file, an Arrow stream or file, or
the folder of a run.

--columns names the columns of time, target, measured, command and force, each with a
unit in brackets if need be. Others are found by their usual names. Target and
measurement in a row must belong to the same instant, and the times must be uniform.
Several actuators are target_1, measured_1, command_1, force_1 and so on. J4 to J6 judge
their common node by the columns numerical_x and measured_x, numerical_theta and
measured_theta. A column can be named by its position, from 1.

In several files, whose rows belong together, a column is named FILE:COLUMN. The times of
all files stand in the column that time names, and must be the same.

Of a run whose structure is known and whose actuators each move a coordinate of it, judge says what
control errors did to frequency and damping of mode 1 (after Molina et al. 2011), with two standard
errors: the secant of the measured force by the target, and that of the force with a perfect
actuator, each in the numerical part.

Of any test whose ground acceleration --columns names, as ground=NAME[unit], judge says frequency and
damping of the target by a filter model. What control errors added to it cannot be told then.

--out leaves the folder of a run, with report and plots.`,
		Example: `  rths judge test.csv --columns time=t,target=xt[mm],measured=xm[mm],force=F[kN]
  rths judge test.mat --rate 1024 --unit mm --out judged
  rths judge ctrl.out daq.out --columns time=ctrl.out:1,target=ctrl.out:2,measured=daq.out:2[mm]
  rths judge runs/demo --json`,
		Args: wantSome("one data file, or several whose rows belong together"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.judge(cmd, args) },
	}
	c.Flags().StringVar(&f.columns, "columns", "",
		"time=NAME,target=NAME,measured=NAME,command=NAME,force=NAME,ground=NAME; NAME[mm] gives a unit; FILE:NAME of several files")
	c.Flags().StringVar(&f.unit, "unit", "", "unit of lengths without a unit: m, mm, cm, in, … (default m)")
	c.Flags().Float64Var(&f.rate, "rate", 0, "sampling rate, Hz, of data without times")
	c.Flags().IntVar(&f.skip, "skip", 0, "lines of a text that are not read, from the first on")
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
	table, err := tables.ReadAll(paths, f.columns, f.skip)
	if err != nil {
		return fmt.Errorf("judge: %w", err)
	}
	defer table.Close()
	data := strings.Join(paths, ", ")
	test, err := judge.New(table, f.columns, f.unit, f.rate)
	if err != nil {
		return fmt.Errorf("judge: %s: %w", data, err)
	}
	v := judge.NewVerdict(test, table, paths)
	if len(paths) == 1 {
		ofRun(v, paths[0], test)
	}
	if err := table.Err(); err != nil {
		return fmt.Errorf("judge: %w", err)
	}
	if f.out != "" {
		if v.Files, err = f.writeFolder(test, v); err != nil {
			return err
		}
		if err := table.Err(); err != nil {
			return failed{err}
		}
		catalogued(cmd.ErrOrStderr(), f.out)
	}
	return f.show(out, v, v.Print)
}

// ofRun adds what is known of a run of this program, if the path is one.
func ofRun(v *judge.Verdict, path string, test *judge.Test) {
	if _, err := record.LoadManifest(path); err != nil {
		return
	}
	a, err := record.Open(path)
	if err != nil {
		return
	}
	defer a.Close()
	v.Damping = test.DampingOf(a)
	if judge.Slow(a) {
		v.Notes = append(v.Notes, "a slow test: these numbers count the ways between targets and the holds too, which the numerical "+
			"part does not see; the damping is of its steps")
	}
}

// writeFolder writes record, report and plots into a new folder.
func (f *judgeFlags) writeFolder(test *judge.Test, v *judge.Verdict) ([]string, error) {
	left := []string{record.ManifestFile, record.FramesFile, report.File}
	release := f.keep()
	err := test.Record(f.out, v.Manifest(version(), left))
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
