package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rths/campaign/analyse"
	"rths/campaign/study"
	"rths/model/ground"
	"rths/model/structure"
	"rths/result/record"
	"rths/run/session"
	"rths/scenario"
)

func lintCommand(a *app) *cobra.Command {
	var from source
	var force bool
	c := &cobra.Command{
		Use:   "lint SCENARIO",
		Short: "Check a scenario without running it",
		Long: `Reads a scenario, builds every part of it and says what is wrong, with file, line
and column: misspelt keys, wrong types and units, missing files, an unstable
integration step, and an unstable closed loop (--force lets it pass), with a setting that
makes it stable, if one is known. Warnings ask about values that are improbable, as after a
slip of units (percent, ms, t, kN), and limits that guard nothing. Notes say which
checks a large structure has to go without. A compensator of your own (kind wasm) is put
through what every compensator must keep. The folder of a run stands for its scenario.
Of a study file lint reads every value of every variable and says how many runs there are.
Exit status 2 if anything is wrong.`,
		Example: "  rths lint scenarios/benchmark-siso.yaml",
		Args:    wantScenario,
		RunE: func(cmd *cobra.Command, args []string) error {
			if isStudy, err := study.Is(args[0]); err == nil && isStudy {
				return lintStudy(cmd, a, args[0], from.sets)
			}
			s, err := from.load(args[0])
			if err != nil {
				return err
			}
			printDoubts(cmd.ErrOrStderr(), s)
			if err := keepsPromises(s); err != nil {
				return err
			}
			o := scenario.Options{RecordsDir: a.records, Rehearsed: s.Rig.Given(), Shared: scenario.NewShared()}
			r, err := from.build(cmd.Context(), s, o)
			if err != nil {
				return err
			}
			if !force {
				notes, err := wantStable(cmd.Context(), args[0], r)
				if loop := (*unstable)(nil); errors.As(err, &loop) {
					loop.remedy = from.remedy(cmd.Context(), args[0], s.CompensatorKind(), o)
				}
				if err != nil {
					if !a.json {
						printModes(cmd.OutOrStdout(), r)
					}
					return err
				}
				r.Notes = append(append([]string{}, r.Notes...), notes...)
			}
			text, err := r.Scenario.YAML()
			if err != nil {
				return err
			}
			if a.json {
				return record.WriteJSON(cmd.OutOrStdout(), map[string]any{
					"scenario": args[0], "ok": true, "samples": r.Samples, "resolved": text,
					"reactions": append([]session.Reaction{}, session.Reactions(r)...),
					"warnings":  append(append([]string{}, s.Doubts()...), r.Warnings...), "notes": append([]string{}, r.Notes...),
				})
			}
			out := cmd.OutOrStdout()
			fmt.Fprintf(out, "%s: ok, %d samples at %g Hz (%.2f s), motion %s%s\n", args[0], r.Samples, s.RateHz, float64(r.Samples)/s.RateHz, r.Motion.Name, peak(s, r.Motion))
			if n := len(s.Faults); n > 0 {
				fmt.Fprintf(out, "faults on request: %d (the stability of the loop is looked at without them)\n", n)
			}
			printModes(out, r)
			printReactions(out, session.Reactions(r))
			printRemarks(out, r)
			return nil
		},
	}
	from.addTo(c)
	c.Flags().BoolVar(&force, "force", false, "accept a loop that is unstable")
	return c
}

// printReactions prints what happens at each fault.
func printReactions(out io.Writer, list []session.Reaction) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintln(out, "what happens at a fault")
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, of := range list {
		fmt.Fprintf(t, "  %s\t%s\n", of.Fault, of.Then)
	}
	t.Flush()
}

// keepsPromises runs the conformance kit on the methods of the user's own.
func keepsPromises(s *scenario.Scenario) error {
	if len(s.OwnMethods()) == 0 {
		return nil
	}
	broken, err := analyse.Promises(s)
	if err != nil {
		return err
	}
	var errs []error
	for _, b := range broken {
		errs = append(errs, s.At(b.Key+".file", fmt.Errorf("%s breaks a promise of every compensator, that %s (docs/method-of-your-own.md)", b.File, b.Broken)))
	}
	return errors.Join(errs...)
}

// printDoubts prints the values of the scenario that are improbable, before anything is
// computed from them.
func printDoubts(errs io.Writer, s *scenario.Scenario) {
	for _, doubt := range s.Doubts() {
		fmt.Fprintln(errs, "warning:", doubt)
	}
}

// peak is the peak of the first history in words: a wrong unit shows there.
func peak(s *scenario.Scenario, m ground.Motion) string {
	switch {
	case len(m.A) == 0:
		return ""
	case s.Target.Given():
		return fmt.Sprintf(", peak %.3g mm", 1e3*m.PGA())
	case !s.Ground.Given() && len(s.MoreGround) == 0:
		return fmt.Sprintf(", peak %.3g kN", 1e-3*m.PGA())
	}
	return fmt.Sprintf(", peak %.3g m/s² (%.3g g)", m.PGA(), m.PGA()/ground.StandardGravity)
}

// wantStable refuses an unstable closed loop: a compensator that is stable on its plant may
// be unstable in the test. A loop with too many states passes with a note.
func wantStable(ctx context.Context, name string, r *scenario.Run) (notes []string, err error) {
	growth, err := r.Growth(ctx)
	var many *scenario.TooManyStates
	switch {
	case errors.As(err, &many):
		return []string{"whether the loop is stable is not looked at: " + many.Error()}, nil
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case growth == nil:
		return nil, nil
	case r.Scenario.Passivity != nil:
		return []string{fmt.Sprintf("without the damper of passivity the loop is unstable: %s; whether the damper holds it is not looked at: want a run, whose passivity_energy_max_J stays small", growth)}, nil
	}
	return nil, &unstable{name: name, growth: growth}
}

// unstable is the error of a loop whose motion grows.
type unstable struct {
	name   string // of the scenario's file
	growth *scenario.Growth
	remedy string // a setting with which it is stable; "": none is known
}

// Error says how the motion grows, and what to do.
func (u *unstable) Error() string {
	change := "change the compensator or its inner loop"
	if u.remedy != "" {
		change = fmt.Sprintf("with --set '%s' it is stable: take it, or change the compensator or its inner loop", u.remedy)
	}
	return fmt.Sprintf("%s: the loop is unstable: %s; %s, or take --force (rths stability says more)", u.name, u.growth, change)
}

// printModes lists the modes of the undivided structure, unless a degree of freedom has no
// mass; of a large structure the lowest modes, of a reduced one those up to up_to_hz.
func printModes(out io.Writer, r *scenario.Run) {
	s := r.Whole
	switch {
	case s == nil:
		return
	case s.Sparse != nil:
		printLowest(out, s)
		return
	}
	modes, err := s.Modes()
	if err != nil {
		return
	}
	of := ""
	switch reduced := r.Scenario.Reduce; {
	case reduced != nil:
		modes = slices.DeleteFunc(modes, func(m structure.Mode) bool { return m.FreqHz > reduced.UpToHz })
	case s.N > structure.DenseUpTo:
		modes, of = modes[:lowestModes], fmt.Sprintf(" of %d", s.N)
	}
	for i, m := range modes {
		if m.Omega == 0 {
			fmt.Fprintf(out, "mode %d%s: 0 Hz, a rigid body\n", i+1, of)
			continue
		}
		fmt.Fprintf(out, "mode %d%s: %.4g Hz, damping ratio %.2f %%\n", i+1, of, m.FreqHz, 100*m.Ratio)
	}
}

// lowestModes is the number of modes listed of a large structure.
const lowestModes = 5

func printLowest(out io.Writer, s *structure.Structure) {
	omega, err := s.Sparse.Lowest(min(lowestModes, s.N))
	if err != nil {
		return
	}
	for i, w := range omega {
		fmt.Fprintf(out, "mode %d of %d: %.4g Hz\n", i+1, s.N, w/(2*math.Pi))
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
