package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rths"
	"rths/campaign/analyse"
	"rths/campaign/picture"
	"rths/result/record"
	"rths/result/tables"
	"rths/scenario"
)

// explainFlags are the flags of explain.
type explainFlags struct {
	*app
	columns, unit, rehearsal, out string
	rate                          float64
	skip                          int
}

func explainCommand(a *app) *cobra.Command {
	f := &explainFlags{app: a}
	c := &cobra.Command{
		Use:   "explain TEST...",
		Short: "Say why a test differs from its rehearsal",
		Long: `Splits the tracking error of a servo-hydraulic actuator into constant delay, gain or resonance,
amplitude-dependent delay, saturation, friction, backlash, late ticks, noise, and what is not
in the model. TEST is the folder of a run, or data of another program with target, command and
measured displacement, read as by rths judge.

The actuator of the rehearsal (--rehearsal, the folder of a run or a scenario, with transfer
servo-hydraulic-nonlinear or one of its sizes) is fitted to the measured displacement: delay, flow,
oil, overlap, spool speed, pump, friction and play, as far as they show. Then models that take
up one cause more each follow the recorded commands. The parts add up to the error at every
sample. White noise is told from what is left by its spectrum.

A compensator that adapts answers to friction and play, and its commands are then wrong for
any other actuator. So where TEST is a run of a scenario, its virtual test runs again with
the fitted actuator and without each cause, and the first cause goes by what the error loses.

explain cannot tell where the first part is below 35 % of the error, the second is above 70 %
of the first (80 % where less than 5 % of the error is not in the model), a model without
the cause fits as well, or the model leaves more than 30 % of the error. The specimen, areas,
inner controller and valve frequency count as known.`,
		Example: `  rths explain runs/test --rehearsal runs/rehearsal --out explained
  rths explain test.csv --rehearsal actuator.yaml --columns target=xt[mm],command=u[mm],measured=xm[mm]`,
		Args: wantSome("the folder of a test, or data files whose rows belong together"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.explain(cmd, args) },
	}
	c.Flags().StringVar(&f.rehearsal, "rehearsal", "", "run that is the rehearsal, or a scenario of the actuator")
	c.Flags().StringVar(&f.columns, "columns", "",
		"time=NAME,target=NAME,command=NAME,measured=NAME,late=NAME; NAME[mm] gives a unit; FILE:NAME of several files")
	c.Flags().StringVar(&f.unit, "unit", "", "unit of lengths without a unit: m, cm, mm, um, in (default m)")
	c.Flags().Float64Var(&f.rate, "rate", 0, "sampling rate, Hz, of data without times")
	c.Flags().IntVar(&f.skip, "skip", 0, "lines of a text that are not read, from the first on")
	c.Flags().StringVarP(&f.out, "out", "o", "", "folder for explained.png and explained.svg")
	return c
}

func (f *explainFlags) explain(cmd *cobra.Command, paths []string) error {
	if f.rehearsal == "" {
		return errors.New("explain: --rehearsal is missing: want the run that rehearsed the test, or a scenario of its actuator")
	}
	rehearsal, err := (&source{}).load(f.rehearsal)
	if err != nil {
		return err
	}
	table, err := tables.ReadAll(paths, f.columns, f.skip)
	if err != nil {
		return fmt.Errorf("explain: %w", err)
	}
	defer table.Close()
	data := strings.Join(paths, ", ")
	e, err := analyse.NewExplain(table, rehearsal, f.columns, f.unit, f.rate)
	if err != nil {
		return fmt.Errorf("explain: %s: %w", data, err)
	}
	notes, err := f.compare(cmd, e, paths)
	if err != nil {
		return err
	}
	result, err := e.Run()
	if err != nil {
		return fmt.Errorf("explain: %s: %w", data, err)
	}
	result.Read, result.Notes = table.Understood, slices.Concat(table.Notes, notes, result.Notes)
	files := []string{}
	if f.out != "" {
		if files, err = picture.Explained(f.out, titleOf(paths), e, result); err != nil {
			return err
		}
	}
	return f.show(cmd.OutOrStdout(), result.Document(data, e, files), func(out io.Writer) {
		if result.Print(out, e); len(files) > 0 {
			fmt.Fprintf(out, "\n%s", lines(files))
		}
	})
}

// compare gives the explanation the motion of the rehearsal and the virtual test, where there are such. Of a test that
// tripped only the part before counts: the limit moves the actuator then, and not the command.
func (f *explainFlags) compare(cmd *cobra.Command, e *analyse.Explain, paths []string) (notes []string, err error) {
	test, err := record.LoadManifest(paths[0])
	isRun := err == nil && len(paths) == 1
	if isRun && test.Status == rths.Tripped {
		if i := slices.IndexFunc(test.Events, acts); i >= 0 {
			e.Until(test.Events[i].TimeS)
			notes = append(notes, "the test counts until a limit acted: "+test.Reason)
		}
	}
	if _, err := record.LoadManifest(f.rehearsal); err == nil {
		motion, err := tables.ReadAll([]string{f.rehearsal}, "", 0)
		if err != nil {
			return nil, fmt.Errorf("explain: --rehearsal: %w", err)
		}
		defer motion.Close()
		if err := e.Compare(motion); err != nil {
			return nil, fmt.Errorf("explain: --rehearsal %s: %w", f.rehearsal, err)
		}
	}
	if !isRun || test.Scenario == "" {
		return notes, nil
	}
	s, err := (&source{}).load(paths[0])
	if err == nil && s.Axes() == 1 {
		s.Faults = nil // the fitted actuator has what they do
		e.Again = &analyse.Again{Context: cmd.Context(), Scenario: s, Options: scenario.Options{RecordsDir: f.records}}
	}
	return notes, err
}

// acts reports whether a limit has taken the actuator from the command.
func acts(e record.Event) bool { return slices.Contains([]string{"hold", "ramp", "stop"}, e.Action) }
