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
}

func exportCommand(a *app) *cobra.Command {
	f := &exportFlags{app: a}
	c := &cobra.Command{
		Use:   "export SCENARIO",
		Short: "Write the compensator as C or as an FMU",
		Long: `Writes the compensator of a scenario, or of the folder of a run, as C99: one header, one source, a
self-test with samples of a run, and an example of use. The C needs no library but math.h,
allocates nothing, has no global state, and gives the commands of rths to the bit
(compiled with -ffp-contract=off on amd64).

The parameters are those at the start of a test. With --end they are those at the end of the
adaptation: a scenario is run for this, and a test in the laboratory is replayed. Filters and delay
lines start at rest in both cases.

--fmu writes an FMI 2.0 co-simulation FMU with the same sources, for tools that import these. The
binary in it, for Linux on amd64, is made by the C compiler in $CC, or cc.`,
		Example: `  rths export scenarios/benchmark-siso.yaml --set compensator.kind=amb --c amb
  rths export runs/demo --end --frozen --c learnt
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
		"word of C that files, types and functions begin with (default the kind of the compensator)")
	c.Flags().BoolVar(&f.end, "end", false, "parameters at the end of the run, in place of those at its start")
	c.Flags().BoolVar(&f.frozen, "frozen", false, "without adaptation: the parameters stay")
	c.Flags().BoolVar(&f.limits, "limits", false,
		"limits of the scenario on the command in front of the output: stroke, rate, position, jump, not finite")
	return c
}

// export writes the files.
func (f *exportFlags) export(cmd *cobra.Command, path string) error {
	if err := f.check(); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	s, err := f.load(path)
	if err != nil {
		return err
	}
	of := &export.Choice{
		Scenario: s, Name: f.name, Program: "rths " + version(), End: f.end, Frozen: f.frozen, Limits: f.limits,
	}
	if err := of.Refuse(); err != nil {
		return err
	}
	e, others, err := f.exported(cmd.Context(), of, path)
	if err != nil {
		return err
	}
	names := []string{f.fmu}
	if f.fmu != "" {
		err = export.WriteFMU(f.fmu, e, !f.sourcesOnly)
	} else {
		names, err = export.WriteC(f.c, e)
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
			fmt.Fprintf(out, "the self-test: cc -std=c99 -O2 -ffp-contract=off %s/%s.c %[1]s/%[2]s_test.c -lm -o test "+
				"&& ./test\n", f.c, e.Name)
		}
	})
}

// check looks at the flags before anything is made.
func (f *exportFlags) check() error {
	switch {
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

// exported is the compensator with samples of a run.
func (f *exportFlags) exported(ctx context.Context, of *export.Choice, path string) (export.Source, []string, error) {
	fresh, err := f.fresh(ctx, of.Scenario)
	if err != nil {
		return export.Source{}, nil, err
	}
	twin, err := f.fresh(ctx, of.Scenario)
	if err != nil {
		return export.Source{}, nil, err
	}
	m, learnt, err := f.motion(ctx, of.Scenario, path, export.PeakOf(fresh))
	if err != nil {
		return export.Source{}, nil, err
	}
	return of.Source(fresh, twin, m, learnt)
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
		learnt = rths.AppendAdaptation(nil, run.Compensator())
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
	return rths.AppendAdaptation(nil, r.Run.Compensator()), nil
}
