package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"rths/campaign/analyse"
	"rths/campaign/picture"
	"rths/method/stability"
	"rths/result/record"
	"rths/scenario"
	"rths/scenario/doubts"
)

// stabilityFlags are the flags of stability.
type stabilityFlags struct {
	*app
	analyse.Stability
	source
	weight []float64
	out    string
	mapped bool
}

func stabilityCommand(a *app) *cobra.Command {
	f := &stabilityFlags{app: a}
	c := &cobra.Command{
		Use:   "stability SCENARIO",
		Short: "Say which delay a test tolerates, and if it is stable",
		Long: `Analyses a scenario before the test and says in one sentence which delay the
partition tolerates, which delay the loop leaves without and with compensator, and
whether the loop is stable, after the modes of the undivided structure:

  critical delay    of the partition: by the exact delay equation (crossings, and
                    roots followed from delay 0), by Padé (--pade ORDER), and by
                    the modal method of Gao and You; PSI
  spectral radius   of one tick of the whole loop, linearised, compensator frozen
                    at its initial parameters
  margins           gain, phase and delay margin, distance from −1; of several
                    actuators for a change in all of them, and in each alone
  random plants     --perturbed N, by scatter or within the published scatter
  unmodelled        --weight LOW,CORNER: |W| = LOW √(1 + (f/CORNER)²), CORNER in Hz:
                    robustly stable if |W T| < 1 at every frequency
  map               --map: over stiffness ratio, mass ratio and damping ratio; over
                    natural frequency and stiffness ratio; over mass and damping of
                    the specimen; with two_rate, over the main step. Of a specimen
                    that yields, with its tangent at rest

No ground motion is read. --out draws nyquist, poles (with impulse responses of the
partition) and, with --map, map, margins, psi and steps.`,
		Example: `  rths stability scenarios/demo.yaml
  rths stability scenarios/demo.yaml --perturbed 20 --weight 0.05,20 --out stability
  rths stability scenarios/demo.yaml --map --json`,
		Args: wantScenario,
		RunE: func(cmd *cobra.Command, args []string) error { return f.stability(cmd, args[0]) },
	}
	f.addTo(c)
	c.Flags().IntVar(&f.Order, "pade", 2, "order of the Padé approximation, 1 to 10")
	c.Flags().IntVar(&f.Perturbed, "perturbed", 0, "number of random plants")
	c.Flags().Float64SliceVar(&f.weight, "weight", nil,
		"relative uncertainty LOW,CORNER: LOW at low frequencies, growing above CORNER Hz")
	c.Flags().BoolVar(&f.mapped, "map", false, "maps over stiffness, mass and damping ratio")
	c.Flags().StringVarP(&f.out, "out", "o", "", "folder for the pictures")
	return c
}

func (f *stabilityFlags) check() error {
	switch {
	case f.Perturbed < 0 || f.Perturbed > 1000:
		return fmt.Errorf("stability: --perturbed %d: want 0 to 1000", f.Perturbed)
	case f.Order < 1 || f.Order > 10:
		return fmt.Errorf("stability: --pade %d: want 1 to 10", f.Order)
	case f.weight == nil:
		return nil
	case len(f.weight) != 2 || !(f.weight[0] > 0) || !(f.weight[1] > 0):
		return fmt.Errorf("stability: --weight %g: want LOW,CORNER, both above 0", f.weight)
	}
	f.Weight = &stability.Weight{Low: f.weight[0], CornerHz: f.weight[1]}
	return nil
}

func (f *stabilityFlags) stability(cmd *cobra.Command, path string) error {
	if err := f.check(); err != nil {
		return err
	}
	s, err := f.load(path)
	if err != nil {
		return err
	}
	printDoubts(cmd.ErrOrStderr(), s)
	if !f.json {
		if err := printFirst(cmd.Context(), cmd.OutOrStdout(), s); err != nil {
			return err
		}
	}
	v, err := f.Run(cmd.Context(), s)
	if err != nil {
		return err
	}
	var maps *analyse.Maps
	if f.mapped {
		if maps, err = f.Maps(cmd.Context(), s); err != nil {
			return err
		}
	}
	var files []string
	if f.out != "" {
		if files, err = picture.Stability(f.out, v, maps); err != nil {
			return err
		}
	}
	if f.json {
		fmt.Fprint(cmd.ErrOrStderr(), lines(files))
		return record.WriteJSON(cmd.OutOrStdout(), v.Document(maps, doubts.Of(s)))
	}
	v.Print(cmd.OutOrStdout(), maps)
	fmt.Fprint(cmd.OutOrStdout(), lines(files))
	return nil
}

// printFirst prints the name and the modes of the structure: a wrong unit shows there,
// whatever the loop does.
func printFirst(ctx context.Context, out io.Writer, s *scenario.Scenario) error {
	run, err := s.AtRest(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, s.Name)
	analyse.PrintModes(out, run)
	if run.Reduced != nil {
		for _, note := range run.Reduced.Notes() {
			fmt.Fprintln(out, "note:", note)
		}
	}
	_, err = fmt.Fprintln(out)
	return err
}
