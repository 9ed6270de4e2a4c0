package main

import (
	"github.com/spf13/cobra"

	"rths/run/session"
)

// numericalCommand is the numerical part of a test, in a process of its own. It is hidden: rths loop starts it.
func numericalCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "numerical",
		Hidden:  true,
		Short:   "Integrate the numerical part for the loop of a test",
		Example: "  rths numerical",
		Args:    want(0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			session.ServeNumerical(cmd.InOrStdin(), cmd.OutOrStdout())
			return nil
		},
	}
}

// loopCommand is the loop of a test, in a process of its own. It is hidden: rths test starts it.
func loopCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "loop",
		Hidden:  true,
		Short:   "Run the loop of a test for its supervisor",
		Example: "  rths loop",
		Args:    want(0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			session.ServeLoop(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
			return nil
		},
	}
}
