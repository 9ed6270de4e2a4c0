package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rths/papers"
)

// suite is one published study: its command with flags, how it runs and how it
// prints.
type suite struct {
	command *cobra.Command
	run     func(*cobra.Command) (*papers.Suite, error)
	print   func(io.Writer, *papers.Suite) error
}

func benchmarkCommand(a *app) *cobra.Command {
	var all, validation bool
	suites := []*suite{
		sisoSuite(a),
		multiAxialSuite(a),
		admSuite(a),
		kalmanSuite(),
		nonlinearSuite(a),
		predictorsSuite(a),
		soilSuite(a),
		scaleSuite(),
		stabilitySuite(a),
	}
	var names []string
	for _, s := range suites {
		names = append(names, s.command.Name())
	}
	c := &cobra.Command{
		Use:   "benchmark SUITE",
		Short: "Reproduce a published study and print it beside the published values",
		Example: `  rths benchmark siso --record elcentro --cases 1
  rths benchmark --all --validation > docs/validation.md`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 0 || !all:
				return fmt.Errorf("benchmark: found %q: want a suite: %s; or --all", strings.Join(args, " "), strings.Join(names, ", "))
			case validation:
				e := &papers.Evidence{Context: cmd.Context(), RecordsDir: a.records, Workers: runtime.GOMAXPROCS(0)}
				return papers.WriteValidation(cmd.OutOrStdout(), e)
			}
			return runSuites(cmd, a, suites)
		},
	}
	c.Flags().BoolVar(&all, "all", false, "run every suite with its defaults")
	c.Flags().BoolVar(&validation, "validation", false, "with --all: print the page docs/validation.md in place of the tables")
	for _, s := range suites {
		s.command.Args = want(0, "none")
		s.command.RunE = func(cmd *cobra.Command, _ []string) error {
			out, err := s.run(cmd)
			if err != nil {
				return err
			}
			noLimits(cmd)
			if a.json {
				return printJSON(cmd.OutOrStdout(), out)
			}
			return s.print(cmd.OutOrStdout(), out)
		}
		c.AddCommand(s.command)
	}
	return c
}

// noLimits reminds that suites reproduce results without limits.
func noLimits(cmd *cobra.Command) {
	fmt.Fprintln(cmd.ErrOrStderr(), "note: no limits act on the runs of benchmark suites (limits: none), but where a suite studies limits")
}

// runSuites runs every suite with its defaults.
func runSuites(cmd *cobra.Command, a *app, suites []*suite) error {
	noLimits(cmd)
	var results []*papers.Suite
	for i, s := range suites {
		out, err := s.run(cmd)
		if err != nil {
			return err
		}
		results = append(results, out)
		if a.json {
			continue
		}
		if i > 0 {
			fmt.Fprintln(cmd.OutOrStdout())
		}
		if err := s.print(cmd.OutOrStdout(), out); err != nil {
			return err
		}
	}
	if a.json {
		return printJSON(cmd.OutOrStdout(), map[string]any{"suites": results})
	}
	return nil
}

func sisoSuite(a *app) *suite {
	s := &papers.SISO{}
	var noise string
	c := &cobra.Command{
		Use:   "siso",
		Short: "Single-actuator RTHS benchmark: compensators × cases × records × noise",
		Long: `Runs every compensator on the partition cases and ground motions of the
single-actuator RTHS benchmark (Silva et al. 2020), on the nominal plant and, with
--perturbed N, on N random ones with means and standard deviations per case and
record. Values of Ning et al. 2020, Table 5 (nominal) and Tables 6 and 7 (perturbed) stand
beside those of its Kalman-filter compensator. The ground motions are not part of
the program: set RTHS_RECORDS or --records.`,
		Example: `  rths benchmark siso --record elcentro --cases 1 --noise both
  rths benchmark siso --compensator kf-table5 --perturbed 20 --json`,
	}
	c.Flags().StringSliceVar(&s.Compensators, "compensator", papers.SISOCompensators, "compensators to run")
	c.Flags().IntSliceVar(&s.Cases, "cases", []int{1, 2, 3, 4}, "partition cases")
	c.Flags().StringSliceVar(&s.Records, "record", papers.SISORecords, "ground motions, by name")
	c.Flags().StringVar(&noise, "noise", "on", "sensor noise: on, off or both")
	c.Flags().Float64Var(&s.Scale, "scale", 0.4, "factor on the ground motions")
	c.Flags().IntVar(&s.Perturbed, "perturbed", 0, "random plants beside the nominal one")
	c.Flags().Uint64Var(&s.Seed, "seed", 1, "seed of sensor noise and random plants")
	return &suite{
		command: c,
		run:     func(cmd *cobra.Command) (*papers.Suite, error) { return runSISO(cmd, a, s, noise) },
		print:   func(out io.Writer, result *papers.Suite) error { return printSISO(out, s, result) },
	}
}

func runSISO(cmd *cobra.Command, a *app, s *papers.SISO, noise string) (*papers.Suite, error) {
	var err error
	if s.Noise, err = noiseSettings(noise); err != nil {
		return nil, fmt.Errorf("benchmark siso: %w", err)
	}
	s.RecordsDir, s.Workers = a.records, runtime.GOMAXPROCS(0)
	b := newBar(cmd.ErrOrStderr(), len(s.Compensators)*len(s.Cases)*len(s.Records)*len(s.Noise)*(s.Perturbed+1), "benchmark siso")
	defer b.done()
	s.Progress = b.set
	return s.Run(cmd.Context())
}

// noiseSettings are those that --noise asks for.
func noiseSettings(flag string) ([]bool, error) {
	settings, ok := map[string][]bool{"on": {true}, "off": {false}, "both": {true, false}}[flag]
	if !ok {
		return nil, fmt.Errorf("--noise %s: want on, off or both", flag)
	}
	return settings, nil
}

// criteriaColumns are those of the printed table.
var criteriaColumns = []string{"J1_ms", "J2_pct", "J3_pct", "J4_pct", "J5_pct", "J6_pct", "J7_pct", "J8_pct", "J9_pct", "J2_true_pct", "J4_true_pct"}

// printSISO prints one line per nominal run or statistic, the published one
// below it, and the settings. Single perturbed runs are in the JSON.
func printSISO(out io.Writer, s *papers.SISO, suite *papers.Suite) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "compensator\tcase\trecord\tnoise\t\t%s\t\n", strings.Join(criteriaColumns, "\t"))
	for _, row := range suite.Rows {
		if trial, ok := row.Get("perturbed").(int); ok && trial > 0 {
			continue
		}
		what := row.Get("status")
		if row.Get("statistic") != nil {
			what = fmt.Sprintf("%s of %d", row.Get("statistic"), row.Get("completed"))
		}
		fmt.Fprintf(t, "%v\t%v\t%v\t%v\t%v\t%s\t\n", row.Get("compensator"), row.Get("case"), row.Get("record"), row.Get("noise"), what, columns(row, "", criteriaColumns))
		if row.Get("published_J1_ms") != nil {
			fmt.Fprintf(t, "\t\t\t\tNing et al. 2020\t%s\t\n", columns(row, "published_", criteriaColumns))
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return printSettings(out, s, fmt.Sprintf("\nSettings (scale %g, seed %d):", s.Scale, s.Seed))
}

// printSettings prints the settings of a suite below a heading.
func printSettings(out io.Writer, suite interface{ Settings() ([]string, error) }, heading string) error {
	lines, err := suite.Settings()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s\n  %s\n", heading, strings.Join(lines, "\n  "))
	return err
}

// columns are the numbers under some keys, each behind a prefix, with two decimals.
func columns(row papers.Row, prefix string, keys []string) string {
	var out []string
	for _, key := range keys {
		text := "–"
		if v, ok := row.Get(prefix + key).(float64); ok {
			text = fmt.Sprintf("%.2f", v)
		}
		out = append(out, text)
	}
	return strings.Join(out, "\t")
}
