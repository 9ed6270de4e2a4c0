package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"rths/campaign/analyse"
	"rths/campaign/picture"
	"rths/campaign/study"
	"rths/model/plant"
	"rths/run/session"
	"rths/scenario"
	"rths/scenario/doubts"
)

// lintFlags are the flags of lint.
type lintFlags struct {
	*app
	source
	force bool
	out   string
}

func lintCommand(a *app) *cobra.Command {
	f := &lintFlags{app: a}
	c := &cobra.Command{
		Use:   "lint SCENARIO",
		Short: "Check a scenario without running it",
		Long: `Reads a scenario, builds every part of it and says what is wrong, with file, line
and column: misspelt keys, wrong types and units, missing files, an unstable
integration step, and an unstable closed loop (--force lets it pass), with a setting that
makes it stable, if one is known. Warnings ask about values that are improbable, as after a
slip of units (percent, ms, t, kN), and limits that guard nothing. Notes say which
checks a large structure has to go without. A compensator of your own (kind wasm) is put
through what every compensator must keep. Of actuators on a rigid body (coupler
rigid-body) lint says what the predicted motion asks of each, and how well they hold the
body; --out draws them. The folder of a run stands for its scenario.
Of a study file lint reads every value of every variable and says how many runs there are.
Exit status 2 if anything is wrong.`,
		Example: `  rths lint scenarios/benchmark-siso.yaml
  rths lint scenarios/loading-block.yaml --out pictures`,
		Args: wantScenario,
		RunE: func(cmd *cobra.Command, args []string) error {
			if isStudy, err := study.Is(args[0]); err == nil && isStudy {
				if f.out != "" {
					return fmt.Errorf("lint: --out %s: %s is a study: want a scenario to draw", f.out, args[0])
				}
				return lintStudy(cmd, a, args[0], f.sets)
			}
			return f.lint(cmd, args[0])
		},
	}
	f.addTo(c)
	c.Flags().BoolVar(&f.force, "force", false, "accept a loop that is unstable")
	c.Flags().StringVarP(&f.out, "out", "o", "", "folder for a picture of the actuators of a rigid body")
	return c
}

// lint builds a scenario, looks at the loop, and prints what there is to say.
func (f *lintFlags) lint(cmd *cobra.Command, path string) error {
	s, err := f.load(path)
	if err != nil {
		return err
	}
	if _, body := s.Coupler.Params.(*plant.RigidBody); f.out != "" && !body {
		return fmt.Errorf("lint: --out %s: only the actuators of a coupler rigid-body are drawn: want a scenario with one, "+
			"or no --out", f.out)
	}
	printDoubts(cmd.ErrOrStderr(), s)
	o := scenario.Options{RecordsDir: f.records, Rehearsed: s.Rig.Given(), Shared: scenario.NewShared()}
	out := cmd.OutOrStdout()
	with := func(set string) (*scenario.Scenario, error) {
		other := f.source
		other.sets = append(slices.Clone(f.sets), set)
		return other.load(path)
	}
	r, geometry, err := analyse.Lint(cmd.Context(), path, s, o, f.force, f.build, with)
	var files []string
	if f.out != "" && geometry != nil {
		var failed error
		files, failed = picture.Actuators(f.out, s.Name, geometry)
		err = errors.Join(err, failed)
	}
	if err != nil {
		if r != nil && !f.json {
			analyse.PrintModes(out, r)
			geometry.Print(out)
			fmt.Fprint(out, lines(files))
			printRemarks(out, r.Warnings, r.Notes)
		}
		return err
	}
	text, err := r.Scenario.YAML()
	if err != nil {
		return err
	}
	reactions := session.Reactions(r)
	document := map[string]any{
		"scenario": path, "ok": true, "samples": r.Samples, "steps": r.Steps, "resolved": text,
		"reactions": append([]session.Reaction{}, reactions...),
		"warnings":  append(append([]string{}, doubts.Of(s)...), r.Warnings...), "notes": append([]string{}, r.Notes...),
	}
	if geometry != nil {
		document["geometry"], document["files"] = geometry, append([]string{}, files...)
	}
	return f.show(out, document, func(out io.Writer) {
		what := "samples"
		if s.Slow() && s.External() == nil {
			what = "steps"
		}
		fmt.Fprintf(out, "%s: ok, %d %s at %g Hz (%.2f s), motion %s%s\n", path, r.Steps, what, s.StepHz(),
			float64(r.Steps)/s.StepHz(), r.Motion.Name, analyse.Peak(s, r.Motion))
		if n := len(s.Faults); n > 0 {
			fmt.Fprintf(out, "faults on request: %d (the stability of the loop is checked without them)\n", n)
		}
		analyse.PrintModes(out, r)
		geometry.Print(out)
		fmt.Fprint(out, lines(files))
		session.PrintReactions(out, reactions)
		printRemarks(out, r.Warnings, r.Notes)
	})
}

// lintStudy checks a study file without running it.
func lintStudy(cmd *cobra.Command, a *app, path string, sets []string) error {
	p, err := study.NewBench(a.records).LoadPlan(cmd.Context(), path, sets)
	if err != nil {
		return err
	}
	tuned := len(p.File.Calibrate.Keys)
	if tuned > 0 {
		if _, err := study.NewCalibration(cmd.Context(), p); err != nil {
			return err
		}
	}
	return a.show(cmd.OutOrStdout(), map[string]any{
		"study": path, "ok": true, "runs": p.Runs(), "design": p.Describe(), "tuned": tuned,
	}, func(out io.Writer) {
		fmt.Fprintf(out, "%s: ok, %d runs: %s", path, p.Runs(), p.Describe())
		if tuned > 0 {
			fmt.Fprintf(out, "; %d keys to tune", tuned)
		}
		fmt.Fprintln(out)
	})
}

// printDoubts prints the values of the scenario that are improbable, before anything is
// computed from them.
func printDoubts(errs io.Writer, s *scenario.Scenario) {
	for _, doubt := range doubts.Of(s) {
		fmt.Fprintln(errs, "warning:", doubt)
	}
}

func schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON Schema of scenarios, for editors",
		Example: "  rths schema > scenario.schema.json",
		Args:    want(0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			text, err := scenario.Schema()
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		},
	}
}
