package main

import (
	_ "embed"
	"io"

	"github.com/spf13/cobra"

	"rths/result/record"
)

// licenses are the licences of what others have made and the binary holds: make licenses.
//
//go:embed licenses.txt
var licenses string

func licensesCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "licenses",
		Short:   "Print the licences of third-party software",
		Example: "  rths licenses > THIRD_PARTY_LICENSES",
		Args:    want(0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if a.json {
				return record.WriteJSON(cmd.OutOrStdout(), map[string]string{"licenses": licenses})
			}
			_, err := io.WriteString(cmd.OutOrStdout(), licenses)
			return err
		},
	}
}
