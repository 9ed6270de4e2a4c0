package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"rths/record"
	"rths/report"
)

func reportCommand(a *app) *cobra.Command {
	var out, plots string
	c := &cobra.Command{
		Use:   "report RUN...",
		Short: "Make a self-contained HTML page of one run, or of several side by side",
		Long: `Reads the folders of runs and writes one page: plots with zoom, criteria,
scenario. With --plots png or svg each plot is written as a file too.`,
		Example: `  rths report runs/demo
  rths report runs/pi runs/amb -o comparison.html
  rths report runs/amb --plots png`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("report: found no arguments: want one or more folders of runs")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if plots != "" && plots != "png" && plots != "svg" {
				return fmt.Errorf("report: --plots %s: want png or svg", plots)
			}
			archives, err := openAll(args)
			if err != nil {
				return err
			}
			if out == "" {
				out = filepath.Join(args[0], reportFile)
				if len(args) > 1 {
					out = "comparison.html"
				}
			}
			if err := writeReport(out, archives); err != nil {
				return err
			}
			files := []string{out}
			for i, archive := range archives {
				if plots == "" {
					break
				}
				more, err := report.Plots(args[i], archive, plots)
				if err != nil {
					return err
				}
				files = append(files, more...)
			}
			bad := failures(archives)
			if a.json {
				return printJSON(cmd.OutOrStdout(), reported{bad, files})
			}
			for _, r := range bad {
				fmt.Fprintf(cmd.OutOrStdout(), "%s: failed: %s\n", r.Run, r.Reason)
			}
			fmt.Fprintln(cmd.OutOrStdout(), strings.Join(files, "\n"))
			return nil
		},
	}
	c.Flags().StringVarP(&out, "out", "o", "", "file of the page (default report.html in the run's folder, or comparison.html)")
	c.Flags().StringVar(&plots, "plots", "", "write each plot as a file too: png or svg, in the run's folder")
	return c
}

// reported is the document of report --json.
type reported struct {
	Failed []failedRun `json:"failed,omitempty"`
	Files  []string    `json:"files"`
}

type failedRun struct {
	Run    string `json:"run"`
	Reason string `json:"reason"`
}

// failures are the runs whose rig or record has failed. The command prints them first.
func failures(runs []*record.Archive) []failedRun {
	var out []failedRun
	for _, a := range runs {
		if a.Status == record.Failed {
			out = append(out, failedRun{a.Dir, a.Reason})
		}
	}
	return out
}

func openAll(dirs []string) ([]*record.Archive, error) {
	var out []*record.Archive
	for _, dir := range dirs {
		archive, err := record.Open(dir)
		if err != nil {
			return nil, err
		}
		out = append(out, archive)
	}
	return out, nil
}
