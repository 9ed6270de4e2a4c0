package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"rths/lab/realtime"
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
with a rig over UDP, and counts the ticks that missed their deadline. With --load it does so
once more under load: stress-ng where it is installed, loops of the shell otherwise.

A rate is held where at most 1 tick in 10 000 was late in every measurement. The findings are
kept: rths test refuses a rate above the one that is held. A list says what the kernel, its
settings and the processor contribute, with the command that corrects each
(docs/guides/real-time-machine.md).`,
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
	if err := realtime.Possible(); err != nil {
		return err
	}
	switch {
	case !(f.rate >= doctor.LeastRateHz && f.rate <= doctor.MostRateHz):
		return fmt.Errorf("--rate %g: want %d to %d Hz", f.rate, doctor.LeastRateHz, doctor.MostRateHz)
	case !(f.seconds >= 0.5 && f.seconds <= 86400):
		return fmt.Errorf("--seconds %g: want 0.5 to 86400", f.seconds)
	}
	if err := doctor.WantCPU(f.cpu); err != nil {
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
	kept := errors.Join(found.Keep(path), found.Draw(picture))
	err = f.show(cmd.OutOrStdout(), found, func(out io.Writer) {
		found.Print(out)
		io.WriteString(out, lines([]string{filepath.ToSlash(path), filepath.ToSlash(picture)}))
	})
	if kept != nil {
		return failed{kept}
	}
	return err
}
