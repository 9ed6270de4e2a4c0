package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"rths/result/catalogue"
	"rths/result/record"
	"rths/result/report"
)

func showCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "show RUN",
		Short: "Print what is known of a run or study: how it ended, criteria, files",
		Long: `Prints the facts of a run, its events, criteria, indicators and parameters, and the files
in its folder. RUN is a folder, or what rths runs lists: the name of a folder or of a
run, or the beginning of a folder's name. LAB/NAME is looked for in the folder LAB.

The files are compared with the SHA-256 in the manifest: the line record says whether
they are as the run left them. Exit status 1 where one was cut off or altered.`,
		Example: `  rths runs show runs/demo-20261102
  rths runs show demo --json`,
		Args:              want(1, "one run: its folder, or a name that rths runs lists"),
		ValidArgsFunction: runNames(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := catalogue.Find(args[0])
			if err != nil {
				return fmt.Errorf("runs show: %w", err)
			}
			return a.showRun(cmd.OutOrStdout(), &r)
		},
	}
}

// showRun prints a run. Of a run whose folder is gone it prints what the catalogue knows.
func (a *app) showRun(out io.Writer, r *catalogue.Item) error {
	files := []string{}
	if list, err := os.ReadDir(r.Path()); err == nil {
		for _, f := range list {
			files = append(files, f.Name())
		}
	}
	m, state, err := r.Look()
	if errors.As(err, new(*record.Damage)) {
		err = failed{err}
	} else if err != nil {
		return err
	}
	row := catalogue.Rows([]catalogue.Item{*r})["runs"][0]
	row.Put("files", files)
	row.Put("record", state)
	shown := a.show(out, row, func(out io.Writer) {
		r.PrintFacts(out, &m, state)
		m.PrintDetails(out)
		io.WriteString(out, lines(files))
	})
	return errors.Join(shown, err)
}

func learnedCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "learned RUN",
		Short: "Print what the devices of a run have learned, as blocks for a scenario",
		Long: `Prints the blocks devices, specimen and scatter of a scenario that goes on where a run with
devices that learn has ended: paste them in place of its own. Comments before them have
the standard deviations and covariances. RUN is as for rths runs show.`,
		Example:           `  rths runs learned runs/damper > learned.yaml`,
		Args:              want(1, "one run: its folder, or a name that rths runs lists"),
		ValidArgsFunction: runNames(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := catalogue.Find(args[0])
			if err != nil {
				return fmt.Errorf("runs learned: %w", err)
			}
			m, err := r.Known()
			switch {
			case err != nil:
				return fmt.Errorf("runs learned: %w", err)
			case m.Blocks == "":
				return fmt.Errorf("runs learned: nothing was learned in %s: want a run whose scenario has devices with learn", args[0])
			case a.json:
				return record.WriteJSON(cmd.OutOrStdout(), map[string]any{"learned": m.Blocks})
			}
			_, err = io.WriteString(cmd.OutOrStdout(), m.Blocks)
			return err
		},
	}
}

func compareCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "compare RUN RUN...",
		Short: "Print the settings that differ and the criteria of runs side by side",
		Long: `Prints a column for each run: the settings of the scenarios that are not the same, then the
criteria. RUN is as for rths runs show. rths report RUN RUN draws the runs side by side.`,
		Example: `  rths runs compare runs/pi runs/amb
  rths runs compare pi amb kf --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return fmt.Errorf(
					"runs compare: found %d arguments: want two or more runs: their folders, or names that rths runs lists", len(args))
			}
			return nil
		},
		ValidArgsFunction: runNames(math.MaxInt),
		RunE: func(cmd *cobra.Command, args []string) error {
			runs, err := catalogue.FindAll(args)
			if err != nil {
				return fmt.Errorf("runs compare: %w", err)
			}
			if a.json {
				return record.WriteJSON(cmd.OutOrStdout(), catalogue.Rows(runs))
			}
			return compareRuns(cmd.OutOrStdout(), runs)
		},
	}
}

// compareRuns prints the runs side by side. What has no manifest is compared by the numbers
// that the catalogue keeps.
func compareRuns(out io.Writer, runs []catalogue.Item) error {
	var list []*record.Archive
	for _, r := range runs {
		m, err := r.Known()
		if err != nil {
			return fmt.Errorf("runs compare: %w", err)
		}
		list = append(list, &record.Archive{Manifest: m, Dir: r.Path()})
	}
	return report.WriteComparison(out, list)
}

// runNames completes the folders of runs.
func runNames(most int) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, begun string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
		if len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		dirs, err := catalogue.Folders(nil)
		if err != nil {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
		all, err := catalogue.ListAll(dirs, catalogue.Query{})
		if err != nil {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
		for _, r := range all.Items {
			if strings.HasPrefix(r.Path(), begun) && !r.Gone {
				names = append(names, cobra.CompletionWithDesc(r.Path(), r.Name+", "+r.Status))
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
