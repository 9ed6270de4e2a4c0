package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"rths"
	"rths/result/catalogue"
	"rths/result/record"
	"rths/run/page"
	"rths/run/session"
	"rths/scenario"
)

// runFlags are the flags of run and demo.
type runFlags struct {
	*app
	source
	outputs
	rig      string
	noRecord bool
	page     string     // address of the live page; "": none
	pace     float64    // times real time; 0: as fast as it can
	live     *page.Live // nil without a page
}

func runCommand(a *app) *cobra.Command {
	f := &runFlags{app: a}
	c := &cobra.Command{
		Use:   "run SCENARIO",
		Short: "Run the virtual test a scenario describes",
		Long: `Runs a scenario and leaves a folder with its record: manifest.json (the resolved
scenario, criteria, status) and frames.arrow (every signal at every sample). A
run that diverges or trips a limit keeps its record and exits with status 1.

The folder of a run in place of SCENARIO runs its resolved scenario again, into a new
folder. An input file that has changed since is a warning.

With --rig the loop loads a rig in another process, in lockstep and as fast as both
go: a rehearsal across processes (docs/guides/virtual-laboratory.md).`,
		Example: `  rths run scenarios/benchmark-siso.yaml --report
  rths run scenarios/benchmark-siso.yaml --set compensator.kind=kf --set structure.case=4
  rths run scenarios/benchmark-siso.yaml --no-record --json
  rths run runs/demo --set rate_hz=2048
  rths run scenarios/benchmark-siso.yaml --rig udp://127.0.0.1:7400
  rths run scenarios/benchmark-siso.yaml --pace 1 --page 127.0.0.1:7480`,
		Args: wantScenario,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := f.load(args[0])
			if err != nil {
				return err
			}
			printDoubts(cmd.ErrOrStderr(), s)
			return f.run(cmd, s)
		},
	}
	f.source.addTo(c)
	f.addTo(c)
	c.Flags().StringVar(&f.rig, "rig", "",
		"load the rig at this address, as in udp://127.0.0.1:7400, in place of the simulated one")
	c.Flags().StringVar(&f.page, "page", "", pageUsage)
	c.Flags().Float64Var(&f.pace, "pace", 0, "go at so many times real time, as in 1 (default as fast as it can)")
	return c
}

func (f *runFlags) addTo(c *cobra.Command) {
	f.outputs.addTo(c)
	c.Flags().BoolVar(&f.noRecord, "no-record", false, "leave no folder")
}

// check refuses flags out of range, and those that want a folder beside --no-record.
func (f *runFlags) check(cmd *cobra.Command) error {
	if !(f.pace >= 0 && f.pace <= 1e6) {
		return fmt.Errorf("--pace %g: want 0 (as fast as it can) or more, at most 1e6", f.pace)
	}
	if cmd.Flags().Changed("rig") && f.rig == "" {
		return errors.New(`--rig "": want udp://host:port, as in udp://127.0.0.1:7400`)
	}
	if wanted := f.extras(); f.noRecord && (f.out != "" || len(wanted) > 0) {
		return errors.New(
			"--no-record leaves no folder for --out, --csv, --parquet, --mat and --report: want one or the other")
	}
	return nil
}

// run builds, runs, records, judges and prints.
func (f *runFlags) run(cmd *cobra.Command, s *scenario.Scenario) (err error) {
	if err := errors.Join(f.check(cmd), f.keepsArchive(f.out)); err != nil {
		return err
	}
	v := &session.Virtual{Version: version(), Pace: f.pace,
		Say: func(text string) { fmt.Fprintln(cmd.ErrOrStderr(), text) }}
	defer v.Close()
	if s, err = v.Connect(cmd.Context(), s, f.rig); err != nil {
		return err
	}
	r, err := f.build(cmd.Context(), s, v.Options(f.records))
	if err != nil {
		return err
	}
	if f.out == "" && !f.noRecord {
		f.out = catalogue.Fresh("", r.Name)
	}
	if f.page != "" {
		if f.live, err = f.openPage(cmd, f.page, f.out, false); err != nil {
			return err
		}
		defer func() { f.live.KeepServing(cmd.Context(), nil, byHand, err) }()
		v.Begun = func(m *record.Manifest) error { return f.live.ShowRun(r, *m, f.out) }
		v.Look = func() { f.live.Look(r) }
	}
	f.keep() // from here on Ctrl-C ends the run, which keeps and prints what is done
	m, err := f.play(cmd, v, r)
	if err != nil {
		return err
	}
	if !f.noRecord {
		f.addExtras(&m)
	}
	if f.live != nil {
		f.live.End(&m, f.out, nil)
	}
	if err := f.print(cmd.OutOrStdout(), f.json, &m); err != nil {
		return err
	}
	return outcome(&m)
}

// play plays a run under a bar, and lists its record.
func (f *runFlags) play(cmd *cobra.Command, v *session.Virtual, r *scenario.Run) (record.Manifest, error) {
	bar := newBar(cmd.ErrOrStderr(), r.Name)
	v.Out, v.Progress = f.out, func(ticks int) { bar.set(ticks, r.Samples) }
	m, err := v.Play(cmd.Context(), r)
	bar.done()
	var refused *session.Refused
	switch {
	case errors.As(err, &refused):
		return m, failed{err}
	case err == nil && f.out != "":
		catalogued(cmd.ErrOrStderr(), f.out)
	}
	return m, err
}

// outcome is the error of a run that did not complete, or missed what it had to reach.
func outcome(m *record.Manifest) error {
	if m.Status != rths.Completed {
		return failed{errors.New(m.Reason)}
	}
	if len(m.Unmet) > 0 {
		return failed{fmt.Errorf("expect: %s", strings.Join(m.Unmet, "; "))}
	}
	return nil
}

// printRemarks prints warnings and notes.
func printRemarks(out io.Writer, warnings, notes []string) {
	for _, warning := range warnings {
		fmt.Fprintln(out, "warning:", warning)
	}
	for _, note := range notes {
		fmt.Fprintln(out, "note:", note)
	}
}
