package main

import (
	"github.com/spf13/cobra"

	"rths/scenario"
)

func demoCommand(a *app) *cobra.Command {
	f := &runFlags{app: a}
	c := &cobra.Command{
		Use:   "demo",
		Short: "Run a first test and leave a report",
		Long: `Runs the single-actuator RTHS benchmark with adaptive compensation on an
artificial earthquake (Clough–Penzien spectrum), so that nothing but this program
is needed, and leaves a record with a report.`,
		Example: "  rths demo",
		Args:    want(0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := scenario.Shipped("demo.yaml")
			if err != nil {
				return err
			}
			if !cmd.Flags().Changed("report") {
				f.report = !f.noRecord
			}
			return f.run(cmd, s)
		},
	}
	f.addTo(c)
	return c
}
