package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rths/campaign/analyse"
	"rths/maths/lti"
	"rths/result/plotting"
	"rths/result/record"
	"rths/result/report"
	"rths/result/tables"
)

// identifyFlags are the flags of identify.
type identifyFlags struct {
	*app
	columns, unit, out string
	rate, to           float64
	spacing            int
}

func identifyCommand(a *app) *cobra.Command {
	f := &identifyFlags{app: a}
	c := &cobra.Command{
		Use:   "identify DATA...",
		Short: "Identify a loading system from a loading test, and start a compensator",
		Long: `Reads command and measured displacement of a loading test and finds

  - a discrete model: the number of past commands and displacements and the delay by the
    Bayesian information criterion (AIC beside it), the parameters by least squares;
  - the delay in slow motion, from the instant a command leaves;
  - a continuous model of order 1 to 3 with a pure delay, stable, fitted to the frequency
    response (Sanathanan and Koerner 1963);
  - blocks to paste into a scenario: compensator adm with θ0 and P0 of the test (Wang et
    al. 2020, eq. 4), transfer tf.

A row of DATA holds the command that leaves at an instant and the displacement measured
at it. DATA is a CSV or text file, a file of an OpenSees recorder (.out), a MATLAB v5
file, a Parquet file, an Arrow stream or file, or the folder of a run. --columns names the
columns; others are found by their usual names. A column without a title is named by its
position, from 1. In several files, whose rows belong together, a column is named
FILE:COLUMN. The times of all files stand in the column that time names, and must be the
same.

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
	c.Flags().StringVar(&f.columns, "columns", "", "time=NAME,command=NAME,measured=NAME; NAME[mm] gives a unit; FILE:NAME of several files")
	c.Flags().StringVar(&f.unit, "unit", "", "unit of lengths without a unit: m, cm, mm, um, in (default m)")
	c.Flags().Float64Var(&f.rate, "rate", 0, "sampling rate, Hz, of data without times")
	c.Flags().IntVar(&f.spacing, "spacing", 0, "distance of the taps, samples (default about 7.5 ms)")
	c.Flags().Float64Var(&f.to, "to", 0, "top of the band of the continuous model, Hz (default as far as the command reaches)")
	c.Flags().StringVarP(&f.out, "out", "o", "", "folder for fit.png, bode.png and their svg")
	return c
}

func (f *identifyFlags) identify(out io.Writer, paths []string) error {
	if f.rate < 0 || math.IsNaN(f.rate) {
		return fmt.Errorf("identify: --rate %g: want more than 0 Hz", f.rate)
	}
	table, err := tables.ReadAll(paths, f.columns)
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
	result.Notes = append(table.Notes, result.Notes...)
	files := []string{}
	if f.out != "" {
		if files, err = drawIdentified(f.out, titleOf(paths), s, result); err != nil {
			return err
		}
	}
	if f.json {
		return record.WriteJSON(out, identifyJSON(data, s, result, files))
	}
	return printIdentified(out, s, result, files)
}

// compensatorText and transferText are the blocks to paste.
func compensatorText(r *analyse.Identification) string {
	return fmt.Sprintf("timing: {target: next}\ncompensator:\n  kind: adm\n  p: %d\n  q: %d\n  spacing: %d\n  theta0: %s\n  p0: %s\n",
		r.Fit.P, r.Fit.Q, r.Spacing, yamlList(r.Fit.Theta), yamlList(r.Fit.P0))
}

func transferText(c *analyse.Continuous) string {
	return fmt.Sprintf("transfer: {kind: tf, num: %s, den: %s, delay_ms: %.4g}\n", yamlList(c.Num), yamlList(c.Den), c.DelayMS)
}

func yamlList(v []float64) string {
	out := make([]string, len(v))
	for i, x := range v {
		out[i] = strconv.FormatFloat(x, 'g', 9, 64)
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// candidatesShown is the number of models in the printed table.
const candidatesShown = 5

func printIdentified(out io.Writer, s *analyse.Identify, r *analyse.Identification, files []string) error {
	fmt.Fprintf(out, "%d samples at %g Hz, %.4g s; taps %d samples apart\n", len(s.Command), s.RateHz, float64(len(s.Command))/s.RateHz, r.Spacing)
	printColumns(out, s.Used)
	fmt.Fprintln(out)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "past commands p\tdisplacements q\tdelay, samples\terror, mm\tBIC\tAIC\t")
	for _, m := range r.Candidates[:min(candidatesShown, len(r.Candidates))] {
		fmt.Fprintf(t, "%d\t%d\t%d\t%.3g\t%.0f\t%.0f\t\n", m.P, m.Q, m.Delay, 1e3*m.SD, m.BIC, m.AIC)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nDelay in slow motion, from the instant a command leaves: %.2f ms%s\n", r.DelayMS, estimates(r))
	fmt.Fprintf(out, "Gain in slow motion: %.4g\n", r.Gain)
	fmt.Fprintf(out, "Compensator's regressor: condition number %.3g, residual %.3g mm\n", r.Fit.Condition, 1e3*r.Fit.Residual)
	if c := r.Continuous; c != nil {
		fmt.Fprintf(out, "Continuous model of order %d, %.3g to %.3g Hz: leaves %.2f %% of the measurement\n", c.Order, c.FromHz, c.ToHz, c.ErrorPct)
	}
	for _, n := range r.Notes {
		fmt.Fprintln(out, "Note:", n)
	}
	fmt.Fprintf(out, "\nTo paste into a scenario:\n\n%s", compensatorText(r))
	if r.Continuous != nil {
		fmt.Fprint(out, transferText(r.Continuous))
	}
	if len(files) > 0 {
		fmt.Fprintf(out, "\n%s", lines(files))
	}
	return nil
}

// estimates says where the delay comes from, and what the other estimate is.
func estimates(r *analyse.Identification) string {
	if r.BandHz == nil {
		return " (discrete model)"
	}
	return fmt.Sprintf(" (frequency response, %.3g to %.3g Hz); %.2f ms by the discrete model", r.BandHz[0], r.BandHz[1], r.DiscreteMS)
}

func identifyJSON(data string, s *analyse.Identify, r *analyse.Identification, files []string) any {
	out := record.Row{
		{Key: "data", V: data}, {Key: "rate_hz", V: s.RateHz}, {Key: "samples", V: len(s.Command)},
		{Key: "p", V: r.Fit.P}, {Key: "q", V: r.Fit.Q}, {Key: "delay_samples", V: r.Model.Delay}, {Key: "spacing", V: r.Spacing},
		{Key: "model_p", V: r.Model.P}, {Key: "model_q", V: r.Model.Q},
		{Key: "bic", V: r.Model.BIC}, {Key: "aic", V: r.Model.AIC}, {Key: "error_mm", V: 1e3 * r.Model.SD},
		{Key: "delay_ms", V: r.DelayMS}, {Key: "delay_discrete_ms", V: r.DiscreteMS}, {Key: "gain", V: r.Gain},
		{Key: "offset_mm", V: 1e3 * r.Offset}, {Key: "drift_um_s", V: 1e6 * r.Drift}, {Key: "theta0", V: r.Fit.Theta}, {Key: "p0", V: r.Fit.P0},
		{Key: "condition", V: r.Fit.Condition}, {Key: "residual_mm", V: 1e3 * r.Fit.Residual},
	}
	transfer := ""
	if c := r.Continuous; c != nil {
		out = append(out, record.Row{
			{Key: "order", V: c.Order}, {Key: "num", V: c.Num}, {Key: "den", V: c.Den}, {Key: "transport_delay_ms", V: c.DelayMS},
			{Key: "from_hz", V: c.FromHz}, {Key: "to_hz", V: c.ToHz}, {Key: "fit_error_pct", V: c.ErrorPct},
		}...)
		transfer = transferText(c)
	}
	if b := r.Backlash; b != nil {
		out = append(out, record.Row{
			{Key: "backlash_mm", V: 1e3 * b.Play}, {Key: "delay_without_backlash_ms", V: b.DelayMS}, {Key: "gain_without_backlash", V: b.Gain},
		}...)
	}
	return append(out, record.Row{
		{Key: "compensator", V: compensatorText(r)}, {Key: "transfer", V: transfer},
		{Key: "notes", V: append([]string{}, r.Notes...)}, {Key: "files", V: files},
	}...)
}

// titleOf is the title of the plots: the names of the files.
func titleOf(paths []string) string {
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = filepath.Base(path)
	}
	return strings.Join(names, ", ")
}

// drawIdentified leaves plots of fit, residual and frequency response.
func drawIdentified(dir, name string, s *analyse.Identify, r *analyse.Identification) ([]string, error) {
	files, err := report.Fit(dir, name, s.RateHz, s.Measured, r.Simulated)
	if err != nil || r.Continuous == nil {
		return files, err
	}
	h, spectrum := 1/s.RateHz, r.Spectrum
	band := lti.Bode{}
	model := lti.Bode{}
	for k, hz := range spectrum.Hz {
		if hz < r.Continuous.FromHz || hz > r.Continuous.ToHz {
			continue
		}
		addBode(&band, hz, spectrum.H[k])
		addBode(&model, hz, r.Continuous.At(hz, h))
	}
	more, err := report.Bode(dir, name+": frequency response", []report.BodeCurve{
		{Name: "measured", Bode: band, Colour: plotting.Ink, Width: 1.6},
		{Name: "continuous model", Bode: model, Colour: plotting.Vermillion, Width: 1.2, Dashed: true},
	})
	return append(files, more...), err
}

// addBode appends a frequency, its phase followed from the one before.
func addBode(b *lti.Bode, hz float64, v complex128) {
	phase := 180 / math.Pi * math.Atan2(imag(v), real(v))
	before := 0.0
	if n := len(b.PhaseDeg); n > 0 {
		before = b.PhaseDeg[n-1]
	}
	phase -= 360 * math.Round((phase-before)/360)
	b.Hz, b.MagDB = append(b.Hz, hz), append(b.MagDB, 20*math.Log10(math.Hypot(real(v), imag(v))))
	b.PhaseDeg, b.DelayMs = append(b.PhaseDeg, phase), append(b.DelayMs, -phase/360/hz*1e3)
}
