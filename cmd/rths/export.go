package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"rths"
	"rths/result/export"
	"rths/result/record"
	"rths/run/session"
	"rths/scenario"
)

// exportFlags are the flags of export.
type exportFlags struct {
	*app
	source
	c, fmu, name        string
	end, frozen, limits bool
	sourcesOnly         bool
	devices             int
}

func exportCommand(a *app) *cobra.Command {
	f := &exportFlags{app: a}
	c := &cobra.Command{
		Use:   "export SCENARIO",
		Short: "Write the compensator as C or FMU, devices that learn as C",
		Long: `Writes the compensator of a scenario, or of the folder of a run, as C99: one header, one source, a
self-test with samples of a run, and an example of use. The C needs no library but math.h,
allocates nothing, has no global state, and gives the commands of rths to the bit
(compiled with -ffp-contract=off on amd64).

The parameters are those at the start of a test. With --end they are those at the end of the
adaptation: a scenario is run for this, and a test in the laboratory is replayed. Filters and delay
lines start at rest in both cases.

--devices N writes group N of the scenario's devices, which learn, in place of the compensator: the
filter, and the copies for an integrator of your own.

--fmu writes an FMI 2.0 co-simulation FMU with the same sources, for tools that import these. The
binary in it, for Linux on amd64, is made by the C compiler in $CC, or cc.`,
		Example: `  rths export scenarios/benchmark-siso.yaml --set compensator.kind=amb --c amb
  rths export runs/demo --end --frozen --c learnt
  rths export frame.yaml --devices 1 --c damper
  rths export scenarios/demo.yaml --fmu compensator.fmu
  rths export scenarios/demo.yaml --fmu compensator.fmu --sources-only`,
		Args: wantScenario,
		RunE: func(cmd *cobra.Command, args []string) error { return f.export(cmd, args[0]) },
	}
	f.addTo(c)
	c.Flags().StringVar(&f.c, "c", "", "folder for the C, a new one")
	c.Flags().StringVar(&f.fmu, "fmu", "", "file for an FMU of FMI 2.0, a new one")
	c.Flags().BoolVar(&f.sourcesOnly, "sources-only", false, "an FMU without a binary, which needs no C compiler")
	c.Flags().StringVar(&f.name, "name", "",
		"word of C that files, types and functions begin with (default the kind of the compensator, or of the devices)")
	c.Flags().IntVar(&f.devices, "devices", 0, "group of devices that learn, from 1, in place of the compensator")
	c.Flags().BoolVar(&f.end, "end", false, "parameters at the end of the run, in place of those at its start")
	c.Flags().BoolVar(&f.frozen, "frozen", false, "without adaptation: the parameters stay")
	c.Flags().BoolVar(&f.limits, "limits", false,
		"limits of the scenario on the command in front of the output: stroke, rate, position, jump, not finite")
	return c
}

// export writes the files.
func (f *exportFlags) export(cmd *cobra.Command, path string) error {
	byDevices := cmd.Flags().Changed("devices")
	if err := f.check(byDevices); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	s, err := f.load(path)
	if err != nil {
		return err
	}
	of := &export.Choice{
		Scenario: s, Name: f.name, Program: "rths " + version(), End: f.end, Frozen: f.frozen, Limits: f.limits,
		Group: f.devices,
	}
	if err := of.Refuse(); err != nil {
		return err
	}
	fresh, twin, m, learnt, err := f.played(cmd.Context(), of, path)
	if err != nil {
		return err
	}
	if of.Group != 0 {
		return f.exportDevices(cmd, of, fresh, twin, m, learnt)
	}
	e, others, err := of.Source(fresh, twin, m, learnt)
	if err != nil {
		return err
	}
	names := []string{f.fmu}
	if f.fmu != "" {
		err = export.WriteFMU(f.fmu, e, !f.sourcesOnly)
	} else {
		var content map[string]string
		if content, err = export.C(e); err == nil {
			names, err = export.WriteC(f.c, content)
		}
	}
	if errors.As(err, new(*export.NotC)) {
		return fmt.Errorf("export: compensator %s cannot be written as C: %w", s.CompensatorKind(), err)
	}
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	written := of.Written(&e, others, names)
	return f.show(cmd.OutOrStdout(), written, func(out io.Writer) {
		if written.Print(out); f.fmu == "" {
			f.selfTest(out, e.Name)
		}
	})
}

func (f *exportFlags) selfTest(out io.Writer, name string) {
	fmt.Fprintf(out, "the self-test: cc -std=c99 -O2 -ffp-contract=off %s/%s.c %[1]s/%[2]s_test.c -lm -o test && ./test\n",
		f.c, name)
}

// exportDevices writes devices that learn.
func (f *exportFlags) exportDevices(cmd *cobra.Command, of *export.Choice, fresh, twin *scenario.Run, m *export.Motion,
	learnt []float64) error {
	d, err := of.Devices(fresh, twin, m, learnt)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	content, err := d.C()
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	names, err := export.WriteC(f.c, content)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	written := of.WrittenDevices(d, names)
	return f.show(cmd.OutOrStdout(), written, func(out io.Writer) {
		written.Print(out)
		f.selfTest(out, d.Name)
	})
}

// check looks at the flags before anything is made.
func (f *exportFlags) check(byDevices bool) error {
	switch {
	case byDevices && f.devices < 1:
		return fmt.Errorf("--devices %d: want the number of a group of devices, from 1", f.devices)
	case byDevices && f.fmu != "":
		return errors.New("--devices and --fmu: an FMU has a compensator in it: want --c and a folder for the C")
	case byDevices && f.limits:
		return errors.New("--devices and --limits: limits are those of commands, which devices have not: want one of them")
	case f.c == "" && f.fmu == "":
		return errors.New("nothing to write: want --c and a folder for the C, or --fmu and a file for an FMU")
	case f.c != "" && f.fmu != "":
		return errors.New("--c and --fmu: want one of them")
	case f.sourcesOnly && f.fmu == "":
		return errors.New("--sources-only without --fmu: want --fmu and a file too")
	case f.fmu != "" && !strings.EqualFold(filepath.Ext(f.fmu), ".fmu"):
		return fmt.Errorf("--fmu %s: want a name that ends in .fmu", f.fmu)
	}
	if _, err := os.Lstat(cmp.Or(f.c, f.fmu)); err == nil {
		return fmt.Errorf("%s exists: want a new name", cmp.Or(f.c, f.fmu))
	}
	return nil
}

// played are two builds of the scenario, samples of a run, and what was learnt in it.
func (f *exportFlags) played(ctx context.Context, of *export.Choice, path string) (fresh, twin *scenario.Run,
	m *export.Motion, learnt []float64, err error) {
	if fresh, err = f.fresh(ctx, of.Scenario); err != nil {
		return nil, nil, nil, nil, err
	}
	if twin, err = f.fresh(ctx, of.Scenario); err != nil {
		return nil, nil, nil, nil, err
	}
	m, learnt, err = f.motion(ctx, of.Scenario, path, export.PeakOf(fresh))
	return fresh, twin, m, learnt, err
}

// learner is what adapts in a run.
func (f *exportFlags) learner(r *scenario.Run) any {
	if f.devices != 0 {
		return r.Learning
	}
	return r.Compensator()
}

func (f *exportFlags) fresh(ctx context.Context, s *scenario.Scenario) (*scenario.Run, error) {
	return f.build(ctx, s, scenario.Options{RecordsDir: f.records})
}

// motion is a virtual run, whose samples the self-test takes, and what the adaptation has learnt at the end of the run
// that the parameters come from: for a test in the laboratory, of its replay.
func (f *exportFlags) motion(ctx context.Context, s *scenario.Scenario, path string, peak float64) (m *export.Motion,
	learnt []float64, err error) {
	m = &export.Motion{}
	if s.External() != nil {
		m.Swing(s.Axes(), s.RateHz, peak)
		if f.end && !f.tested() {
			return nil, nil, errors.New("export: --end of an external structure: a run is not made again without its analysis" +
				": want the folder of a test in the laboratory, which is replayed, or no --end")
		}
	} else {
		run, err := f.fresh(ctx, s)
		if err != nil {
			return nil, nil, err
		}
		run.Loop.Attach(m)
		if err := run.Loop.Run(0, nil); err != nil && f.end && !f.tested() {
			return nil, nil, failed{fmt.Errorf("export: --end: the run does not come to its end: %w", err)}
		}
		learnt = rths.AppendAdaptation(nil, f.learner(run))
	}
	if f.end && f.tested() {
		learnt, err = f.replayed(ctx, path)
	}
	return m, learnt, err
}

// tested reports whether the scenario comes from a test in the laboratory.
func (f *exportFlags) tested() bool { return f.before != nil && f.before.Test != nil }

// replayed is what the adaptation has learnt in a test.
func (f *exportFlags) replayed(ctx context.Context, path string) ([]float64, error) {
	if len(f.sets) > 0 {
		return nil, errors.New("export: --end of a test in the laboratory and --set: the test was made without: want " +
			"one of them")
	}
	if filepath.Base(path) == record.ManifestFile {
		path = filepath.Dir(path)
	}
	r, err := session.NewReplay(ctx, path, scenario.Options{RecordsDir: f.records})
	if err != nil {
		return nil, err
	}
	if r.First != nil {
		return nil, failed{fmt.Errorf("export: --end: the replay is not the test: %s", r.First)}
	}
	return rths.AppendAdaptation(nil, f.learner(r.Run)), nil
}
