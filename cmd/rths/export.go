package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rths"
	"rths/export"
	"rths/files"
	"rths/record"
	"rths/scenario"
	"rths/session"
)

// exportFlags are the flags of export.
type exportFlags struct {
	*app
	source
	c, name             string
	end, frozen, limits bool
}

func exportCommand(a *app) *cobra.Command {
	f := &exportFlags{app: a}
	c := &cobra.Command{
		Use:   "export SCENARIO",
		Short: "Write the compensator as C for another controller",
		Long: `Writes the compensator of a scenario, or of the folder of a run, as C99: one header, one source, a
self-test with samples of a run, and an example of use. The C needs no library but math.h,
allocates nothing, has no global state, and gives the commands of rths to the bit
(compiled with -ffp-contract=off on amd64).

The parameters are those at the start of a test. With --end they are those that the
adaptation has reached at the end: of a virtual run, which is made for that, or of a test
in the laboratory, which is replayed. Filters and delay lines start at rest either way.`,
		Example: `  rths export scenarios/benchmark-siso.yaml --set compensator.kind=amb --c amb
  rths export runs/demo --end --frozen --c learnt
  rths export scenarios/benchmark-siso.yaml --limits --c guarded`,
		Args: wantScenario,
		RunE: func(cmd *cobra.Command, args []string) error { return f.export(cmd, args[0]) },
	}
	f.addTo(c)
	c.Flags().StringVar(&f.c, "c", "", "folder for the C, a new one")
	c.Flags().StringVar(&f.name, "name", "", "word of C that files, types and functions begin with (default the kind of the compensator)")
	c.Flags().BoolVar(&f.end, "end", false, "parameters at the end of the run, in place of those at its start")
	c.Flags().BoolVar(&f.frozen, "frozen", false, "without adaptation: the parameters stay")
	c.Flags().BoolVar(&f.limits, "limits", false, "limits of the scenario on the command in front of the output: stroke, rate, position, jump, not finite")
	return c
}

// export writes the files.
func (f *exportFlags) export(cmd *cobra.Command, path string) error {
	if f.c == "" {
		return errors.New("export: --c is missing: want a folder for the C, as in --c amb")
	}
	s, err := f.load(path)
	if err != nil {
		return err
	}
	if !s.Compensates() {
		return errors.New("export: the scenario has no compensator: want one, as in --set compensator.kind=amb")
	}
	e, err := f.exported(s, path)
	if err != nil {
		return err
	}
	content, err := export.C(e)
	var not *export.NotC
	if errors.As(err, &not) {
		return fmt.Errorf("export: compensator %s cannot be written as C: %w", s.CompensatorKind(), err)
	}
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if err := writeFolder(f.c, content); err != nil {
		return err
	}
	return f.print(cmd.OutOrStdout(), s, &e, slices.Sorted(maps.Keys(content)))
}

// writeFolder makes a folder of files that appears whole or not at all.
func writeFolder(path string, content map[string]string) error {
	return files.NewFolder(path, func(dir string) error {
		for name, text := range content {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				return err
			}
		}
		return nil
	})
}

// exported is the compensator with samples of a run.
func (f *exportFlags) exported(s *scenario.Scenario, path string) (e export.Source, err error) {
	fresh, err := f.fresh(s)
	if err != nil {
		return e, err
	}
	twin, err := f.fresh(s) // gives the commands of the self-test
	if err != nil {
		return e, err
	}
	motion, learnt, err := f.motion(s, path)
	if err != nil {
		return e, err
	}
	for _, c := range []rths.Compensator{fresh.Compensator(), twin.Compensator()} {
		if a, ok := rths.As[rths.Adaptive](c); ok {
			if f.end {
				a.SetAdaptation(learnt)
			}
			a.Freeze(f.frozen)
		}
	}
	e = export.Source{
		Name: cmp.Or(f.name, wordOf(s.CompensatorKind())), Title: fmt.Sprintf("Compensator %s of %q, parameters at the %s, adaptation %s", s.CompensatorKind(), s.Name, f.when(), f.adapts()),
		Program: "rths " + version(), Compensator: fresh.Compensator(), RateHz: s.RateHz, Axes: s.Axes(), Forces: len(fresh.Loop.Frame().Read.F),
	}
	if f.limits {
		if e.Limits, err = limitsOf(fresh); err != nil {
			return e, err
		}
	}
	e.Vectors, err = motion.Vectors(&e, twin.Compensator())
	return e, err
}

func (f *exportFlags) fresh(s *scenario.Scenario) (*scenario.Run, error) {
	return f.build(s, scenario.Options{RecordsDir: f.records})
}

func (f *exportFlags) when() string {
	if f.end {
		return "end of the run"
	}
	return "start"
}

func (f *exportFlags) adapts() string {
	if f.frozen {
		return "off"
	}
	return "on"
}

// wordOf makes a word of C of the kind of a compensator.
func wordOf(kind string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToLower(kind))
}

// motion is a virtual run, whose samples the self-test takes, and what the adaptation has learnt at the end of the run that the parameters
// come from: of a test in the laboratory, its replay.
func (f *exportFlags) motion(s *scenario.Scenario, path string) (m *export.Motion, learnt []float64, err error) {
	m = &export.Motion{}
	if s.External() != nil {
		m.Sine(s.Axes(), s.RateHz)
		if f.end && f.before == nil {
			return nil, nil, errors.New("export: --end of an external structure needs its analysis: want the folder of a run")
		}
	} else {
		run, err := f.fresh(s)
		if err != nil {
			return nil, nil, err
		}
		run.Loop.Attach(m)
		if err := run.Loop.Run(0, nil); err != nil && f.end && !f.tested() {
			return nil, nil, failed{fmt.Errorf("export: --end: the run does not come to its end: %w", err)}
		}
		if a, ok := rths.As[rths.Adaptive](run.Compensator()); ok {
			learnt = a.AppendAdaptation(nil)
		}
	}
	if f.end && f.tested() {
		learnt, err = f.replayed(path)
	}
	return m, learnt, err
}

// tested reports whether the scenario comes from a test in the laboratory.
func (f *exportFlags) tested() bool { return f.before != nil && f.before.Test != nil }

// replayed is what the adaptation has learnt in a test.
func (f *exportFlags) replayed(path string) ([]float64, error) {
	if len(f.sets) > 0 {
		return nil, errors.New("export: --end of a test in the laboratory and --set: the test was made without: want one of them")
	}
	if filepath.Base(path) == record.ManifestFile {
		path = filepath.Dir(path)
	}
	r, err := session.NewReplay(path, scenario.Options{RecordsDir: f.records})
	if err != nil {
		return nil, err
	}
	if r.First != nil {
		return nil, failed{fmt.Errorf("export: --end: the replay is not the test: %s", r.First)}
	}
	a, ok := rths.As[rths.Adaptive](r.Run.Compensator())
	if !ok {
		return nil, nil
	}
	return a.AppendAdaptation(nil), nil
}

// limitsOf are the limits of a scenario on its command.
func limitsOf(r *scenario.Run) (*export.Limits, error) {
	if r.Guard == nil {
		return nil, errors.New("export: --limits: the scenario has limits: none: want limits, or no --limits")
	}
	c := r.Guard.Config()
	l := &export.Limits{Stroke: c.Stroke, Rate: c.Rate, Start: c.Start}
	for _, limit := range c.Limits {
		switch limit.Channel {
		case "command_m":
			l.Position = limit.Trip
		case "command_rate_m_s":
			l.Jump = limit.Trip
		}
	}
	return l, nil
}

// exportedJSON is the result of rths export.
type exportedJSON struct {
	Name        string   `json:"name"`
	Compensator string   `json:"compensator"`
	Parameters  string   `json:"parameters"`
	Adaptation  string   `json:"adaptation"`
	Limits      string   `json:"limits,omitempty"`
	RateHz      float64  `json:"rate_hz"`
	Axes        int      `json:"axes"`
	Dir         string   `json:"dir"`
	Files       []string `json:"files"`
}

func (f *exportFlags) print(out io.Writer, s *scenario.Scenario, e *export.Source, names []string) error {
	j := exportedJSON{e.Name, s.CompensatorKind(), "at the " + f.when(), f.adapts(), "", s.RateHz, e.Axes, f.c, names}
	if e.Limits != nil {
		j.Limits = e.Limits.String()
	}
	if f.json {
		return printJSON(out, j)
	}
	fmt.Fprintf(out, "compensator %s as C, %g samples a second, parameters %s, adaptation %s\n", j.Compensator, j.RateHz, j.Parameters, j.Adaptation)
	if j.Limits != "" {
		fmt.Fprintf(out, "limits: %s\n", j.Limits)
	}
	for _, name := range names {
		fmt.Fprintln(out, filepath.Join(f.c, name))
	}
	_, err := fmt.Fprintf(out, "the self-test: cc -std=c99 -O2 -ffp-contract=off %s/%s.c %s/%s_test.c -lm -o test && ./test\n", f.c, e.Name, f.c, e.Name)
	return err
}
