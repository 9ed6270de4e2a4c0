package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rths/papers"
	"rths/report"
)

func nonlinearSuite(a *app) *suite {
	s := &papers.Nonlinear{}
	var out string
	c := &cobra.Command{
		Use:   "nonlinear",
		Short: "Nonlinear specimens of Gálmez 2021: cases × compensators × scales",
		Long: `Runs compensators on the Bouc–Wen specimens A to D of Gálmez 2021, Table 7.5:
partition case I, El Centro, no delay of the force, the actuator with the numbers
the thesis prints. It states a J2 under 4 % for every case with the adaptive
model-based compensation, amb. J2_floor_pct is what the sensor's noise alone makes
of it, dissipated_J the work done on the specimen. --out draws force over
displacement as in its Fig. 7.20. The ground motions are not part of the program:
set RTHS_RECORDS or --records.`,
		Example: `  rths benchmark nonlinear
  rths benchmark nonlinear --compensator amb --cases B,D --scale 0.6 --out loops`,
	}
	c.Flags().StringSliceVar(&s.Cases, "cases", papers.NonlinearCases, "specimens")
	c.Flags().StringSliceVar(&s.Compensators, "compensator", papers.NonlinearCompensators, "compensators to run")
	c.Flags().Float64SliceVar(&s.Scales, "scale", []float64{0.5, 0.6}, "factors on the ground motion")
	c.Flags().StringVar(&s.Record, "record", "elcentro", "ground motion, by name")
	c.Flags().Uint64Var(&s.Seed, "seed", 1, "seed of sensor noise")
	c.Flags().StringVarP(&out, "out", "o", "", "folder for the force–displacement loops, PNG and SVG")
	return &suite{
		command: c,
		run:     func(cmd *cobra.Command) (*papers.Suite, error) { return runNonlinear(cmd, a, s, out) },
		print:   func(out io.Writer, result *papers.Suite) error { return printNonlinear(out, s, result) },
	}
}

func runNonlinear(cmd *cobra.Command, a *app, s *papers.Nonlinear, out string) (*papers.Suite, error) {
	s.RecordsDir, s.Workers = a.records, runtime.GOMAXPROCS(0)
	b := newBar(cmd.ErrOrStderr(), len(s.Cases)*len(s.Compensators)*len(s.Scales), "benchmark nonlinear")
	defer b.done()
	s.Progress = b.set
	result, err := s.Run(cmd.Context())
	if err != nil || out == "" {
		return result, err
	}
	return result, drawLoops(cmd.ErrOrStderr(), out, s.Loops)
}

// drawLoops draws one sheet per compensator and scale.
func drawLoops(log io.Writer, dir string, loops []papers.Loop) error {
	sheets, names := map[string][]report.Loop{}, []string(nil)
	for _, l := range loops {
		name := fmt.Sprintf("loops-%s-%g", l.Compensator, l.Scale)
		if sheets[name] == nil {
			names = append(names, name)
		}
		sheets[name] = append(sheets[name], report.Loop{Name: "specimen " + l.Case, X: l.X, F: l.F})
	}
	for _, name := range names {
		paths, err := report.Loops(dir, name, sheets[name])
		if err != nil {
			return err
		}
		fmt.Fprintln(log, strings.Join(paths, "\n"))
	}
	return nil
}

// nonlinearColumns are those of the printed table.
var nonlinearColumns = []string{"J2_pct", "J2_true_pct", "J2_floor_pct", "J3_pct", "nrmse_pct", "dissipated_J"}

func printNonlinear(out io.Writer, s *papers.Nonlinear, suite *papers.Suite) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "case\tcompensator\tscale\t\t%s\tGálmez 2021, J2\t\n", strings.Join(nonlinearColumns, "\t"))
	for _, row := range suite.Rows {
		published := "–"
		if below, ok := row.Get("published_J2_below_pct").(float64); ok {
			published = fmt.Sprintf("under %g", below)
		}
		fmt.Fprintf(t, "%v\t%v\t%v\t%v\t%s\t%s\t\n", row.Get("case"), row.Get("compensator"), row.Get("scale"), row.Get("status"), columns(row, "", nonlinearColumns), published)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return printSettings(out, s, fmt.Sprintf("\nSettings (%s, seed %d):", s.Record, s.Seed))
}
