package main

import (
	"github.com/spf13/cobra"

	"rths/session"
)

// loopCommand is the loop of a test, in a process of its own. It is hidden: rths test starts it.
func loopCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "loop",
		Hidden:  true,
		Short:   "Run the loop of a test for its supervisor",
		Example: "  rths loop",
		Args:    want(0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			session.ServeLoop(cmd.InOrStdin(), cmd.OutOrStdout())
			return nil
		},
	}
}
