package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rths/study"
)

func benchmarkCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "benchmark SUITE",
		Short:   "Reproduce a published study and print it beside the published values",
		Example: "  rths benchmark siso --record elcentro --cases 1",
		RunE: func(_ *cobra.Command, args []string) error {
			return fmt.Errorf("benchmark: found %q: want a suite: siso", strings.Join(args, " "))
		},
	}
	c.AddCommand(sisoCommand(a))
	return c
}

func sisoCommand(a *app) *cobra.Command {
	s := &study.SISO{}
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
		Args: want(0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch noise {
			case "on":
				s.Noise = []bool{true}
			case "off":
				s.Noise = []bool{false}
			case "both":
				s.Noise = []bool{true, false}
			default:
				return fmt.Errorf("benchmark siso: --noise %s: want on, off or both", noise)
			}
			s.RecordsDir, s.Workers = a.records, runtime.GOMAXPROCS(0)
			b := newBar(cmd.ErrOrStderr(), len(s.Compensators)*len(s.Cases)*len(s.Records)*len(s.Noise)*(s.Perturbed+1), "benchmark siso")
			s.Progress = func(done, _ int) { b.set(done) }
			suite, err := s.Run(cmd.Context())
			b.done()
			if cmd.Context().Err() != nil {
				return failed{fmt.Errorf("benchmark siso: stopped")}
			}
			if err != nil {
				return err
			}
			if a.json {
				return printJSON(cmd.OutOrStdout(), suite)
			}
			return printSISO(cmd.OutOrStdout(), s, suite)
		},
	}
	c.Flags().StringSliceVar(&s.Compensators, "compensator", study.SISOCompensators, "compensators to run")
	c.Flags().IntSliceVar(&s.Cases, "cases", []int{1, 2, 3, 4}, "partition cases")
	c.Flags().StringSliceVar(&s.Records, "record", study.SISORecords, "ground motions, by name")
	c.Flags().StringVar(&noise, "noise", "on", "sensor noise: on, off or both")
	c.Flags().Float64Var(&s.Scale, "scale", 0.4, "factor on the ground motions")
	c.Flags().IntVar(&s.Perturbed, "perturbed", 0, "random plants beside the nominal one")
	c.Flags().Uint64Var(&s.Seed, "seed", 1, "seed of sensor noise and random plants")
	return c
}

// criteriaColumns are those of the printed table.
var criteriaColumns = []string{"J1_ms", "J2_pct", "J3_pct", "J4_pct", "J5_pct", "J6_pct", "J7_pct", "J8_pct", "J9_pct", "J2_true_pct", "J4_true_pct"}

// printSISO prints one line per nominal run or statistic, the published one
// below it, and the settings. Single perturbed runs are in the JSON.
func printSISO(out io.Writer, s *study.SISO, suite *study.Suite) error {
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
		fmt.Fprintf(t, "%v\t%v\t%v\t%v\t%v\t%s\t\n", row.Get("compensator"), row.Get("case"), row.Get("record"), row.Get("noise"), what, values(row, ""))
		if row.Get("published_J1_ms") != nil {
			fmt.Fprintf(t, "\t\t\t\tNing et al. 2020\t%s\t\n", values(row, "published_"))
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	lines, err := s.Settings()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nSettings (scale %g, seed %d):\n  %s\n", s.Scale, s.Seed, strings.Join(lines, "\n  "))
	return nil
}

func values(row study.Row, prefix string) string {
	var out []string
	for _, key := range criteriaColumns {
		text := "–"
		if v, ok := row.Get(prefix + key).(float64); ok {
			text = fmt.Sprintf("%.2f", v)
		}
		out = append(out, text)
	}
	return strings.Join(out, "\t")
}
