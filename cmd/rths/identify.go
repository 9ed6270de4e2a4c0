package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"rths/campaign/analyse"
	"rths/campaign/picture"
	"rths/model/rigidbody"
	"rths/result/tables"
)

// identifyFlags are the flags of identify.
type identifyFlags struct {
	*app
	columns, unit, out       string
	rate, to, period         float64
	spacing, skip            int
	geometry, nonlinear      string
	noise, tape, survey, pin float64 // µm and mm
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

Where DATA have commands and measurements of several actuators (columns command_1, measured_1,
command_2, …), identify finds the matrix of frequency responses from all commands to all displacements,
with standard errors, gain, delay and bandwidth of each actuator, and how far each moves with the
commands of the others. The commands have to repeat themselves, in a run by the target multisine, else
with --period S, and to excite the actuators by lines of their own.

With --geometry SCENARIO, whose coupler is rigid-body with instruments, DATA are slow moves in all
coordinates. identify then finds where the actuators stand, from what actuators (columns
measured_1, measured_2, …) and surveyed instruments (length_1, …) have measured, all counted from
the body at rest. It prints the corrected actuators with their standard errors. Six coordinates
want three instruments. Points that the moves do not show are refused.

With --nonlinear SCENARIO, whose transfer system is servo-hydraulic-nonlinear or one of its
sizes, DATA hold the measured force too. identify then finds valve, overlap, leakage, oil and
friction of the actuator: those with which the plant, moved by the recorded commands, gives
displacement and force best. The scenario is the first guess, right within a factor of 2; its
specimen, inner controller, areas, mass and supply count as known. A parameter whose standard
error is above 20 %, or that the data do not tell from another, is not held: identify names
the experiment that shows it. Make one test from rest of steps that open the valve fully,
sweeps at two amplitudes to beyond the valve's frequency, slow ramps to and fro, and a slow
sine that opens the valve by 5 % (target: {kind: file}, loop: open, compensator none), at
1 kHz or more.

--out leaves a folder with plots of fit, residual and frequency response. Make the
loading test in open loop, without compensation, with the motion of the later tests and
with as little noise as possible.`,
		Example: `  rths identify test.csv --columns time=t,command=u[mm],measured=x[mm] --out identified
  rths identify ctrl.out daq.out --columns time=ctrl.out:1,command=ctrl.out:2,measured=daq.out:2[mm]
  rths identify runs/loading --json
  rths identify runs/multisine --out identified
  rths identify axes.csv --period 20
  rths identify test.mat --rate 1024 --unit mm --spacing 8
  rths identify moves.csv --geometry block.yaml --survey-mm 0.05 --pins-mm 0.05
  rths identify loading.csv --nonlinear actuator.yaml --columns force=F[kN] --out identified`,
		Args: wantSome("one data file, or several whose rows belong together"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.identify(cmd.OutOrStdout(), args) },
	}
	c.Flags().StringVar(&f.columns, "columns", "",
		"time=NAME,command=NAME,measured=NAME; NAME[mm] gives a unit; FILE:NAME of several files; command_1, "+
			"measured_1, command_2, … of several actuators")
	c.Flags().StringVar(&f.unit, "unit", "", "unit of lengths without a unit: m, cm, mm, um, in (default m)")
	c.Flags().Float64Var(&f.rate, "rate", 0, "sampling rate, Hz, of data without times")
	c.Flags().IntVar(&f.skip, "skip", 0, "lines of a text that are not read, from the first on")
	c.Flags().IntVar(&f.spacing, "spacing", 0, "distance of the taps, samples (default about 7.5 ms)")
	c.Flags().Float64Var(&f.to, "to", 0,
		"top of the band of the continuous model and of the matrix, Hz (default as far as the command reaches)")
	c.Flags().Float64Var(&f.period, "period", 0,
		"several actuators: time, s, after which the commands repeat themselves (default of the run's target)")
	c.Flags().StringVarP(&f.out, "out", "o", "",
		"folder for fit.png, bode.png and their svg; several actuators: axes.png, axes.svg; --nonlinear: hydraulic.png, "+
			"hydraulic.svg")
	c.Flags().StringVar(&f.nonlinear, "nonlinear", "",
		"scenario of a servo-hydraulic actuator, the first guess of its valve, oil and friction")
	c.Flags().StringVar(&f.geometry, "geometry", "", "scenario of a rigid body whose actuators are to be located")
	c.Flags().Float64Var(&f.noise, "noise-um", 0, "standard deviation of a length, µm (default from the residual)")
	c.Flags().Float64Var(&f.tape, "tape-mm", 1e3*rigidbody.TapeM,
		"how well the scenario knows a base point of an actuator: standard deviation of each coordinate, mm")
	c.Flags().Float64Var(&f.survey, "survey-mm", 0, "the same of a base point of an instrument, mm")
	c.Flags().Float64Var(&f.pin, "pins-mm", 0, "the same of a pin of any of them, mm")
	return c
}

func (f *identifyFlags) identify(out io.Writer, paths []string) error {
	if f.rate < 0 || math.IsNaN(f.rate) {
		return fmt.Errorf("identify: --rate %g: want more than 0 Hz", f.rate)
	}
	if err := f.wantUsed(); err != nil {
		return err
	}
	table, err := tables.ReadAll(paths, f.columns, f.skip)
	if err != nil {
		return fmt.Errorf("identify: %w", err)
	}
	defer table.Close()
	data := strings.Join(paths, ", ")
	if f.geometry != "" {
		return f.locate(out, table, data)
	}
	if f.nonlinear != "" {
		return f.hydraulic(out, table, paths)
	}
	several, err := analyse.NewIdentifyAxes(table, f.columns, f.unit, f.rate)
	if err != nil {
		return fmt.Errorf("identify: %s: %w", data, err)
	}
	if several != nil {
		return f.axes(out, several, table, paths)
	}
	if f.period != 0 {
		return errors.New("identify: --period has no effect with one actuator: leave it out")
	}
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

// axes identifies several actuators.
func (f *identifyFlags) axes(out io.Writer, s *analyse.IdentifyAxes, table *tables.Table, paths []string) error {
	s.Spacing, s.ToHz, s.PeriodS = f.spacing, f.to, f.period
	if f.period == 0 && len(paths) == 1 {
		s.PeriodS = analyse.PeriodOf(paths[0])
	}
	result, err := s.Run()
	if err != nil {
		return err
	}
	result.Read, result.Notes = table.Understood, append(table.Notes, result.Notes...)
	files := []string{}
	if f.out != "" {
		if files, err = picture.IdentifiedAxes(f.out, titleOf(paths), result); err != nil {
			return err
		}
	}
	return f.show(out, result.Document(strings.Join(paths, ", "), s, files), func(out io.Writer) {
		if result.Print(out, s); len(files) > 0 {
			fmt.Fprintf(out, "\n%s", lines(files))
		}
	})
}

// wantUsed refuses flags that the command would not look at.
func (f *identifyFlags) wantUsed() error {
	geometry := f.geometry != ""
	if f.nonlinear != "" {
		for _, flag := range []struct {
			name  string
			given bool
		}{{"geometry", geometry}, {"to", f.to != 0}, {"period", f.period != 0}, {"spacing", f.spacing != 0}} {
			if flag.given {
				return fmt.Errorf("identify: --%s has no effect with --nonlinear: leave it out", flag.name)
			}
		}
	}
	for _, flag := range []struct {
		name         string
		given, moves bool // moves: it is for --geometry
	}{
		{"out", f.out != "", false}, {"rate", f.rate != 0, false}, {"to", f.to != 0, false}, {"period", f.period != 0, false},
		{"spacing", f.spacing != 0, false}, {"noise-um", f.noise != 0, true}, {"survey-mm", f.survey != 0, true},
		{"pins-mm", f.pin != 0, true}, {"tape-mm", f.tape != 1e3*rigidbody.TapeM, true},
	} {
		if flag.given && flag.moves != geometry {
			return fmt.Errorf("identify: --%s has no effect %s --geometry: leave it out", flag.name,
				map[bool]string{true: "with", false: "without"}[geometry])
		}
	}
	return nil
}

// locate finds where the actuators of a rigid body stand.
func (f *identifyFlags) locate(out io.Writer, table *tables.Table, data string) error {
	s, err := (&source{}).load(f.geometry)
	if err != nil {
		return err
	}
	c, err := analyse.NewCalibration(table, s, f.columns, f.unit)
	if err != nil {
		return fmt.Errorf("identify: %s: %w", data, err)
	}
	m := &c.Measurement
	m.Noise, m.TapeM, m.SurveyM, m.PinM = f.noise/1e6, f.tape/1e3, f.survey/1e3, f.pin/1e3
	if err := c.Run(); err != nil {
		return fmt.Errorf("identify: %s: %w", data, err)
	}
	return f.show(out, c.Document(data), c.Print)
}

// hydraulic identifies a servo-hydraulic actuator.
func (f *identifyFlags) hydraulic(out io.Writer, table *tables.Table, paths []string) error {
	s, err := (&source{}).load(f.nonlinear)
	if err != nil {
		return err
	}
	data := strings.Join(paths, ", ")
	test, err := analyse.NewHydraulicTest(table, s, f.columns, f.unit, f.rate)
	if err != nil {
		return fmt.Errorf("identify: %s: %w", data, err)
	}
	result, err := test.Run()
	if err != nil {
		return fmt.Errorf("identify: %s: %w", data, err)
	}
	result.Read, result.Notes = table.Understood, append(table.Notes, result.Notes...)
	files := []string{}
	if f.out != "" {
		if files, err = picture.IdentifiedHydraulic(f.out, titleOf(paths), test, result); err != nil {
			return err
		}
	}
	return f.show(out, result.Document(data, test, files), func(out io.Writer) {
		if result.Print(out, test); len(files) > 0 {
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
