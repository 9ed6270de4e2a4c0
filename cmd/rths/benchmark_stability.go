package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rths/study"
)

func stabilitySuite() *suite {
	s := &study.StabilitySuite{}
	c := &cobra.Command{
		Use:   "stability",
		Short: "Critical delays: oscillators and partition cases, by several methods",
		Long: `Critical delays of Gálmez 2021: the oscillator of section 5.1, both systems of
Fig. 5.4 over the specimen's share of the stiffness, and partition cases I to IV of
the benchmark (eq. 7.26). A value that does not exist, or was not published, is null.`,
		Example: `  rths benchmark stability
  rths benchmark stability --json`,
	}
	return &suite{
		command: c,
		run:     func(cmd *cobra.Command) (*study.Suite, error) { return s.Run(cmd.Context()) },
		print:   printStabilitySuite,
	}
}

func printStabilitySuite(out io.Writer, suite *study.Suite) error {
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
	return t.Flush()
}
