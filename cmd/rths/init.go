package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rths/result/record"
	"rths/scenario/files"
	"rths/scenarios"
)

func initCommand(a *app) *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "init [CASE]",
		Short: "Write a commented scenario to begin with",
		Long: `Writes a scenario in which every part is explained, as CASE.yaml or to --out. It lints and
runs as it stands; change the numbers to yours. Without a CASE, init lists the cases. A file
that exists is not overwritten.`,
		Example: `  rths init
  rths init frame
  rths init shake-table --out table.yaml`,
		Args: wantAtMostOne("a case that rths init shows"),
		RunE: func(cmd *cobra.Command, args []string) error {
			cases, err := scenarios.Cases()
			if err != nil {
				return err
			}
			if len(args) == 0 {
				if out != "" {
					return fmt.Errorf("init: --out %s without a case: want one of %s", out, names(cases))
				}
				return printCases(cmd.OutOrStdout(), cases, a.json)
			}
			return writeCase(cmd.OutOrStdout(), cases, args[0], out, a.json)
		},
	}
	c.Flags().StringVarP(&out, "out", "o", "", "file to write (default CASE.yaml)")
	return c
}

func names(cases []scenarios.Case) string {
	var out []string
	for _, c := range cases {
		out = append(out, c.Name)
	}
	return strings.Join(out, ", ")
}

func printCases(out io.Writer, cases []scenarios.Case, json bool) error {
	if json {
		return record.WriteJSON(out, cases)
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, c := range cases {
		fmt.Fprintf(t, "%s\t%s\n", c.Name, c.Doc)
	}
	return t.Flush()
}

// writeCase writes a case to a file that does not exist yet.
func writeCase(to io.Writer, cases []scenarios.Case, name, file string, json bool) error {
	var found *scenarios.Case
	var all []string
	for i, c := range cases {
		if all = append(all, c.Name); c.Name == name {
			found = &cases[i]
		}
	}
	if found == nil {
		return fmt.Errorf("init: case %q: %s", name, wantOneOf(name, all))
	}
	if file == "" {
		file = name + ".yaml"
	}
	if _, err := os.Lstat(file); !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("init: %s exists: want another --out", file)
	}
	// The comments name the file as init writes it by default.
	text := strings.ReplaceAll(found.Text, " "+name+".yaml", " "+file)
	if err := files.Write(file, writeText(text)); err != nil {
		return fmt.Errorf("init: %w", err)
	}
	if json {
		return record.WriteJSON(to, map[string][]string{"files": {file}})
	}
	_, err := fmt.Fprintf(to, "%s\n", file)
	return err
}
