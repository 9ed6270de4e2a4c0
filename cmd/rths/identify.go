package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"rths/campaign/analyse"
	"rths/campaign/picture"
	"rths/result/tables"
)

// identifyFlags are the flags of identify.
type identifyFlags struct {
	*app
	columns, unit, out string
	rate, to           float64
	spacing, skip      int
}

func identifyCommand(a *app) *cobra.Command {
	f := &identifyFlags{app: a}
	c := &cobra.Command{
		Use:   "identify DATA...",
		Short: "Identify a loading system from a loading test",
		Long: `Reads command and measured displacement of a loading test and finds

  - a discrete model: the number of past commands and displacements and the delay by the
    Bayesian information criterion (AIC beside it), the parameters by least squares;
  - the delay in slow motion, from the instant a command leaves;
  - a continuous model of order 1 to 3 with a pure delay, stable, fitted to the frequency
    response (Sanathanan and Koerner 1963);
  - blocks to paste into a scenario: compensator adm with θ0 and P0 of the test (Wang et
    al. 2020, eq. 4), transfer tf.

A row of DATA holds the command that leaves at an instant and the displacement measured
at it. DATA is a CSV or text file, a measurement file of LabVIEW (.lvm, .tdms), a file of an
OpenSees recorder (.out), a MATLAB or HDF5 file, a Parquet file, an Arrow stream or file, or
the folder of a run. --columns names the columns; others are found by their usual names.
A column can be named by its position, from 1. In several files, whose rows belong
together, a column is named FILE:COLUMN. The times of all files stand in the column that
time names, and must be the same.

--out leaves a folder with plots of fit, residual and frequency response. Make the
loading test in open loop, without compensation, with the motion of the later tests and
with as little noise as possible.`,
		Example: `  rths identify test.csv --columns time=t,command=u[mm],measured=x[mm] --out identified
  rths identify ctrl.out daq.out --columns time=ctrl.out:1,command=ctrl.out:2,measured=daq.out:2[mm]
  rths identify runs/loading --json
  rths identify test.mat --rate 1024 --unit mm --spacing 8`,
		Args: wantSome("one data file, or several whose rows belong together"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.identify(cmd.OutOrStdout(), args) },
	}
	c.Flags().StringVar(&f.columns, "columns", "",
		"time=NAME,command=NAME,measured=NAME; NAME[mm] gives a unit; FILE:NAME of several files")
	c.Flags().StringVar(&f.unit, "unit", "", "unit of lengths without a unit: m, cm, mm, um, in (default m)")
	c.Flags().Float64Var(&f.rate, "rate", 0, "sampling rate, Hz, of data without times")
	c.Flags().IntVar(&f.skip, "skip", 0, "lines of a text that are not read, from the first on")
	c.Flags().IntVar(&f.spacing, "spacing", 0, "distance of the taps, samples (default about 7.5 ms)")
	c.Flags().Float64Var(&f.to, "to", 0,
		"top of the band of the continuous model, Hz (default as far as the command reaches)")
	c.Flags().StringVarP(&f.out, "out", "o", "", "folder for fit.png, bode.png and their svg")
	return c
}

func (f *identifyFlags) identify(out io.Writer, paths []string) error {
	if f.rate < 0 || math.IsNaN(f.rate) {
		return fmt.Errorf("identify: --rate %g: want more than 0 Hz", f.rate)
	}
	table, err := tables.ReadAll(paths, f.columns, f.skip)
	if err != nil {
		return fmt.Errorf("identify: %w", err)
	}
	defer table.Close()
	data := strings.Join(paths, ", ")
	s, err := analyse.NewIdentify(table, f.columns, f.unit, f.rate)
	if err != nil {
		return fmt.Errorf("identify: %s: %w", data, err)
	}
	s.Spacing, s.ToHz = f.spacing, f.to
	result, err := s.Run()
	if err != nil {
		return err
	}
	result.Read, result.Notes = table.Understood, append(table.Notes, result.Notes...)
	files := []string{}
	if f.out != "" {
		if files, err = picture.Identified(f.out, titleOf(paths), s, result); err != nil {
			return err
		}
	}
	return f.show(out, result.Document(data, s, files), func(out io.Writer) {
		if result.Print(out, s); len(files) > 0 {
			fmt.Fprintf(out, "\n%s", lines(files))
		}
	})
}

// titleOf is the title of the plots: the names of the files.
func titleOf(paths []string) string {
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = filepath.Base(path)
	}
	return strings.Join(names, ", ")
}
