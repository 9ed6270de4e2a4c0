package main

import (
	"fmt"
	"io"
	"runtime"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rths/papers"
)

func multiAxialSuite(a *app) *suite {
	s := &papers.MultiAxial{}
	var noise string
	names := papers.MultiAxialCompensators()
	c := &cobra.Command{
		Use:   "multiaxial",
		Short: "Multi-axial RTHS benchmark: two coupled actuators, compensators × cases × noise",
		Long: `Runs compensators of two coupled actuators on the partition cases of the
multi-axial RTHS benchmark, on the nominal plant (trial 1) and, with --trials N, on N
uncertain ones (trials 2 to N+1) with means and standard deviations. none is the inner
PI loop alone, ats and adm stand around it on each actuator, the others on the raw
plant. J7 to J10 are against the undivided structure and, with _mono in the name,
against numerical part and specimen as one: only there can a perfect test score 0.
loop_radius is the spectral radius of one tick of the whole loop, below 1 when motion
decays. The ground motions are not part of the program: set RTHS_RECORDS or --records.`,
		Example: `  rths benchmark multiaxial --cases 1 --noise both
  rths benchmark multiaxial --trials 20 --json`,
	}
	c.Flags().StringSliceVar(&s.Compensators, "compensator", names, "compensators to run")
	c.Flags().IntSliceVar(&s.Cases, "cases", []int{1, 2, 3, 4}, "partition cases")
	c.Flags().StringSliceVar(&s.Records, "record", []string{"elcentro"}, "ground motions, by name")
	c.Flags().StringVar(&noise, "noise", "on", "sensor noise: on, off or both")
	c.Flags().Float64Var(&s.Scale, "scale", 0.4, "factor on the ground motions")
	c.Flags().IntVar(&s.Trials, "trials", 0, "uncertain plants beside the nominal one")
	c.Flags().Uint64Var(&s.Seed, "seed", 123, "seed of sensor noise and uncertain plants")
	return &suite{
		command: c,
		run:     func(cmd *cobra.Command) (*papers.Suite, error) { return runMultiAxial(cmd, a, s, noise) },
		print:   func(out io.Writer, result *papers.Suite) error { return printMultiAxial(out, s, result) },
	}
}

func runMultiAxial(cmd *cobra.Command, a *app, s *papers.MultiAxial, noise string) (*papers.Suite, error) {
	var err error
	if s.Noise, err = noiseSettings(noise); err != nil {
		return nil, fmt.Errorf("benchmark multiaxial: %w", err)
	}
	s.RecordsDir, s.Workers = a.records, runtime.GOMAXPROCS(0)
	b := newBar(cmd.ErrOrStderr(), len(s.Compensators)*len(s.Cases)*len(s.Records)*len(s.Noise)*(s.Trials+1), "benchmark multiaxial")
	defer b.done()
	s.Progress = b.set
	return s.Run(cmd.Context())
}

// multiAxialColumns are those of the printed table: pairs of actuators, or of
// displacement and rotation.
var multiAxialColumns = []struct{ head, first, second string }{
	{"delay ms", "delay_1_ms", "delay_2_ms"},
	{"J2 %", "J2_1_pct", "J2_2_pct"},
	{"J2 true %", "J2_1_true_pct", "J2_2_true_pct"},
	{"J3 %", "J3_1_pct", "J3_2_pct"},
	{"J5 %", "J5_x_pct", "J5_theta_pct"},
	{"J6 %", "J6_x_pct", "J6_theta_pct"},
	{"J7 %", "J7_x_pct", "J7_theta_pct"},
	{"J7 mono %", "J7_x_mono_pct", "J7_theta_mono_pct"},
	{"J8 mono %", "J8_x2_mono_pct", "J8_theta2_mono_pct"},
}

// printMultiAxial prints one line per nominal run or statistic, and the settings. All
// criteria and the single uncertain plants are in the JSON.
func printMultiAxial(out io.Writer, s *papers.MultiAxial, suite *papers.Suite) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "compensator\tcase\trecord\tnoise\t\t")
	for _, c := range multiAxialColumns {
		fmt.Fprintf(t, "%s\t", c.head)
	}
	fmt.Fprint(t, "loop radius\t\n")
	for _, row := range suite.Rows {
		if trial, ok := row.Get("trial").(int); ok && trial > 1 {
			continue
		}
		what, radius := row.Get("status"), row.Float("loop_radius")
		if row.Get("statistic") != nil {
			what, radius = fmt.Sprintf("%s of %d", row.Get("statistic"), row.Get("completed")), row.Float("loop_radius_max")
		}
		fmt.Fprintf(t, "%v\t%v\t%v\t%v\t%v\t", row.Get("compensator"), row.Get("case"), row.Get("record"), row.Get("noise"), what)
		for _, c := range multiAxialColumns {
			fmt.Fprintf(t, "%.2f/%.2f\t", row.Float(c.first), row.Float(c.second))
		}
		fmt.Fprintf(t, "%.6f\t\n", radius)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return printSettings(out, s, fmt.Sprintf("\nPairs are actuators 1 and 2, or x and θ. Settings (scale %g, seed %d):", s.Scale, s.Seed))
}
