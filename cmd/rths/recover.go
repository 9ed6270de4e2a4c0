package main

import (
	"github.com/spf13/cobra"

	"rths/run/session"
	"rths/scenario"
)

func recoverCommand(a *app) *cobra.Command {
	f := &outputs{}
	c := &cobra.Command{
		Use:   "recover RUN",
		Short: "Complete the record of a test that was killed",
		Long: `Completes the folder of a test in the laboratory whose processes were killed, or whose
disk was full, from what is in the folder and from the rows in shared memory. The results
are computed by a replay. A manifest that still said running then says lost, and why.`,
		Example: "  rths recover runs/test",
		Args:    want(1, "the folder of a test"),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.keep()
			m, err := session.Recover(cmd.Context(), args[0], scenario.Options{RecordsDir: a.records})
			if err != nil {
				return err
			}
			f.out = args[0]
			catalogued(cmd.ErrOrStderr(), f.out)
			f.addExtras(&m)
			return f.print(cmd.OutOrStdout(), a.json, &m)
		},
	}
	f.addExtraFlags(c)
	return c
}
