package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rths/lab/realtime"
	"rths/result/record"
	"rths/result/report"
	"rths/run/doctor"
)

// doctorFlags are the flags of doctor.
type doctorFlags struct {
	*app
	rate, seconds float64
	load          bool
	cpu           int
}

func doctorCommand(a *app) *cobra.Command {
	f := &doctorFlags{app: a}
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Judge which rate this machine holds",
		Long: `Runs the process of a test's loop at a quarter, half and all of a rate, without a network and
with a rig behind UDP, and counts the ticks that missed their deadline. With --load it does so
once more under load: stress-ng where it is installed, loops of the shell otherwise.

A rate is held where at most 1 tick in 10 000 was late in every measurement. The findings are
kept: rths test refuses a rate above the one that is held. What the kernel, its settings and
the processor have to do with it is listed, with the command that mends it
(docs/real-time-machine.md).`,
		Example: `  rths doctor
  sudo rths doctor --rate 4096 --seconds 60 --load`,
		Args: want(0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.examine(cmd) },
	}
	c.Flags().Float64Var(&f.rate, "rate", 4096, "highest rate of the ladder, Hz")
	c.Flags().Float64Var(&f.seconds, "seconds", 30, "length of each measurement, s")
	c.Flags().BoolVar(&f.load, "load", false, "measure once more under load")
	c.Flags().IntVar(&f.cpu, "cpu", realtime.DefaultCPU(), "processor of the loop's thread")
	return c
}

func (f *doctorFlags) examine(cmd *cobra.Command) error {
	switch {
	case !(f.rate >= doctor.LeastRateHz && f.rate <= doctor.MostRateHz):
		return fmt.Errorf("--rate %g: want %d to %d Hz", f.rate, doctor.LeastRateHz, doctor.MostRateHz)
	case !(f.seconds >= 0.5 && f.seconds <= 86400):
		return fmt.Errorf("--seconds %g: want 0.5 to 86400", f.seconds)
	}
	if err := wantCPU(f.cpu); err != nil {
		return err
	}
	path, err := doctor.Path()
	if err != nil {
		return err
	}
	if err := doctor.Keepable(path); err != nil { // now, and not after minutes
		return err
	}
	e := doctor.Examination{
		RateHz: f.rate, Seconds: f.seconds, Load: f.load, CPU: f.cpu, Program: version(), Loop: loopProcess,
		Say: func(text string) { fmt.Fprintln(cmd.ErrOrStderr(), text) },
	}
	f.keep() // Ctrl-C ends the load too
	found, err := e.Run(cmd.Context())
	if err != nil {
		return failed{err}
	}
	picture := strings.TrimSuffix(path, ".json") + ".png"
	kept := errors.Join(found.Keep(path), drawFindings(picture, found))
	if f.json {
		err = record.WriteJSON(cmd.OutOrStdout(), found)
	} else {
		err = printFindings(cmd.OutOrStdout(), found, path, picture)
	}
	if kept != nil {
		return failed{kept}
	}
	return err
}

// wantCPU refuses a processor that this machine has not.
func wantCPU(cpu int) error {
	online := realtime.Online("/")
	for _, c := range online {
		if c == cpu {
			return nil
		}
	}
	return fmt.Errorf("--cpu %d: want a processor of this machine: one of %s", cpu, strings.Trim(strings.Join(strings.Fields(fmt.Sprint(online)), ", "), "[]"))
}

func drawFindings(path string, f *doctor.Findings) error {
	var rows []report.TimingRow
	for _, rate := range slices.Backward(f.Rates()) {
		row := report.TimingRow{Name: fmt.Sprintf("%g Hz: when commands left behind their instants", rate), PeriodUs: 1e6 / rate}
		for i := range f.Measurements {
			if m := &f.Measurements[i]; m.RateHz == rate {
				row.Curves = append(row.Curves, report.TimingCurve{Name: m.Where(), Of: m.Realtime.Timing.Departure})
			}
		}
		rows = append(rows, row)
	}
	return report.DrawTimings(path, rows)
}

// printFindings prints the verdict first.
func printFindings(out io.Writer, f *doctor.Findings, paths ...string) error {
	fmt.Fprintf(out, "%s\n\n", f.Verdict.Sentence)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "rate\trig\tload\tticks\tlate\twoke late: p50\tp99\tp99.9\tmost\tcommand left: p99.9\tmost, µs\t")
	for i := range f.Measurements {
		m := &f.Measurements[i]
		rig, load := "none", "idle"
		if m.UDP {
			rig = "UDP"
		}
		if m.Load != "" {
			load = "loaded"
		}
		of := &m.Realtime.Timing
		fmt.Fprintf(t, "%g Hz\t%s\t%s\t%d\t%d\t%.4g\t%.4g\t%.4g\t%.4g\t%.4g\t%.4g\t\n", m.RateHz, rig, load, of.Ticks, of.Late, of.Lateness.P50Us, of.Lateness.P99Us, of.Lateness.P999Us, of.Lateness.MaxUs, of.Departure.P999Us, of.Departure.MaxUs)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	printMachine(out, f)
	for _, path := range paths {
		fmt.Fprintln(out, filepath.ToSlash(path))
	}
	return nil
}

// printMachine prints what the machine grants, and what is not as real time wants it: first what stands in the
// way of the rate, if it is not held.
func printMachine(out io.Writer, f *doctor.Findings) {
	last := f.Measurements[len(f.Measurements)-1]
	fmt.Fprintf(out, "\nprocessor %d; %s\n", f.CPU, load(f))
	for _, g := range last.Realtime.Grants {
		if !g.Granted {
			fmt.Fprintf(out, "  not granted  %s: %s\n%s", g.Name, g.Text, mend(g.Mend))
		}
	}
	word := "matters"
	if f.Held() {
		word = "no matter"
	}
	for _, c := range f.Notable() {
		state := word
		if !c.Known {
			state = "unknown"
		}
		fmt.Fprintf(out, "  %-11s  %s: %s\n%s", state, c.Name, c.Found, mend(c.Mend))
	}
	fmt.Fprintln(out)
}

func mend(command string) string {
	if command == "" {
		return ""
	}
	return "               mend: " + command + "\n"
}

func load(f *doctor.Findings) string {
	for _, m := range f.Measurements {
		if m.Load != "" {
			return "load: " + m.Load
		}
	}
	return "no load beside: --load measures with one"
}
