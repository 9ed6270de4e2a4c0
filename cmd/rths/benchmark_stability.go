package main

import (
	"fmt"
	"io"
	"runtime"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rths/papers"
)

func stabilitySuite(a *app) *suite {
	s := &papers.StabilitySuite{}
	c := &cobra.Command{
		Use:   "stability",
		Short: "Critical delays by several methods, and tests with SW and EEI",
		Long: `Critical delays of Gálmez 2021: the oscillator of section 5.1, both systems of
Fig. 5.4 over the specimen's share of the stiffness, and partition cases I to IV of
the benchmark (eq. 7.26). With ground motions (RTHS_RECORDS or --records) also the tests of
its section 7.4: case IV under Kobe × 0.4 with constant delays and four sets of gains,
with tracking error, stability warning indicator SW and energy error indicator. SW is
that of the force as RK4 holds it; a table of its own has that of trapezoids as printed
(eq. 5.18), up to 1.4 points lower. A value that does not exist, or was not published, is null.`,
		Example: `  rths benchmark stability
  rths benchmark stability --json`,
	}
	return &suite{
		command: c,
		run: func(cmd *cobra.Command) (*papers.Suite, error) {
			s.RecordsDir, s.Workers = a.records, runtime.GOMAXPROCS(0)
			return s.Run(cmd.Context())
		},
		print: func(out io.Writer, suite *papers.Suite) error { return printStabilitySuite(out, s, suite) },
	}
}

// longDelays is about values beyond the thesis' range.
const longDelays = `
– where none exists. Gálmez (2021) looked for critical delays from 0 to 100 ms only; those
beyond exist as well and are given.
`

func printStabilitySuite(out io.Writer, s *papers.StabilitySuite, suite *papers.Suite) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "quantity\tcase\tmethod\tvalue\tunit\tGálmez 2021\t")
	for _, row := range suite.Rows {
		published := "–"
		if v, ok := row.Get("published").(float64); ok {
			published = fmt.Sprintf("%g", v)
		}
		fmt.Fprintf(t, "%v\t%v\t%v\t%s\t%v\t%s\t\n", row.Get("quantity"), row.Get("case"), row.Get("method"),
			orDash("%.3f", row.Float("value")), row.Get("unit"), published)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprint(out, longDelays)
	if err := printTrips(out, s.Trips); err != nil {
		return err
	}
	return printTrapezoids(out, s.Trapezoids)
}

// printTrapezoids shows what the printed formula makes of SW.
func printTrapezoids(out io.Writer, rows []papers.Row) error {
	if len(rows) == 0 {
		return nil
	}
	fmt.Fprintln(out, "\nSW with the work of trapezoids of the force, eq. 5.18 as printed, in place of that of the force RK4 holds.")
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "case\tlargest SW, %\treaches 100 %, s\t")
	for _, r := range rows {
		fmt.Fprintf(t, "%v\t%s\t%s\t\n", r.Get("case"), orDash("%.3f", r.Float("sw_max_pct")), orDash("%.3f", r.Float("sw_cross_s")))
	}
	return t.Flush()
}

// printTrips shows what a limit of SW at 100 % prevents.
func printTrips(out io.Writer, trips []papers.Row) error {
	if len(trips) == 0 {
		return nil
	}
	fmt.Fprintf(out, "\nThe same tests with SW limited to 100 %%; the others do not trip. Largest displacement of the reference: %.2f mm.\n", trips[0].Float("reference_peak_mm"))
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "case\ttrips at, s\tdisplacement then, mm\tlargest before, mm\twith the way down, mm\t")
	for _, r := range trips {
		fmt.Fprintf(t, "%v\t%.2f\t%.2f\t%.2f\t%.2f\t\n", r.Get("case"), r.Float("trip_s"), r.Float("displacement_mm"), r.Float("largest_before_mm"), r.Float("largest_mm"))
	}
	return t.Flush()
}
