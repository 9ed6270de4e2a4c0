package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"text/tabwriter"

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
			r, err := findRun(args[0])
			if err != nil {
				return fmt.Errorf("runs show: %w", err)
			}
			return r.show(cmd.OutOrStdout(), a.json)
		},
	}
}

// show prints a run. Of a run whose folder is gone it prints what the catalogue knows.
func (r *listedRun) show(out io.Writer, json bool) error {
	files := []string{}
	if list, err := os.ReadDir(r.path()); err == nil {
		for _, f := range list {
			files = append(files, f.Name())
		}
	}
	m, state, damage := r.look()
	if damage != nil && !errors.As(damage, new(failed)) {
		return damage
	}
	if json {
		row := rowsOf([]listedRun{*r})["runs"][0]
		row.Put("files", files)
		row.Put("record", state)
		return errors.Join(record.WriteJSON(out, row), damage)
	}
	r.printFacts(out, &m, state)
	m.PrintDetails(out)
	for _, name := range files {
		fmt.Fprintln(out, name)
	}
	return damage
}

// look reads the manifest of a run and compares its files with it. state says in words how they are, "" of what is no
// run or gone; of a damaged record the error is a failed one.
func (r *listedRun) look() (m record.Manifest, state string, err error) {
	if r.Kind != catalogue.Run || r.Gone {
		return record.Manifest{Criteria: r.Numbers}, "", nil
	}
	if m, err = record.LoadManifest(r.path()); err != nil {
		return m, "", fmt.Errorf("runs show: %w", err)
	}
	if why := m.Unchecked(); why != "" {
		return m, "not checked: " + why, nil
	}
	err = m.Verify(r.path())
	if errors.As(err, new(*record.Damage)) {
		return m, "DAMAGED", failed{fmt.Errorf("runs show: %w", err)}
	}
	return m, "as the run left it (SHA-256)", err
}

// printFacts prints how the run ended, and what it was.
func (r *listedRun) printFacts(out io.Writer, m *record.Manifest, state string) {
	fmt.Fprintf(out, "%s: %s", r.path(), (&record.Manifest{Status: r.Status, Verdict: r.Verdict}).Ended())
	if r.Reason != "" {
		fmt.Fprintf(out, ", %s", strings.TrimPrefix(r.Reason, r.Status+" "))
	}
	if r.Gone {
		fmt.Fprint(out, "; its folder is gone")
	}
	fmt.Fprintln(out)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fact := func(name, text string) {
		if text != "" {
			fmt.Fprintf(t, "%s\t%s\n", name, text)
		}
	}
	fact("kind", r.Kind)
	fact("rig", cmp.Or(r.Rig, "not known: another program has recorded the data"))
	fact("name", r.Name)
	fact("started", r.Started)
	fact("record", state)
	fact("tags", strings.Join(r.Tags, ", "))
	fact("compensator", r.Compensator)
	if m.RateHz > 0 {
		fact("length", fmt.Sprintf("%d samples at %g Hz, %.2f s", m.Samples, m.RateHz, m.SimulatedS))
		fact("seed", fmt.Sprint(m.Seed))
		fact("took", m.Took())
		fact("computer", m.Machine)
		fact("program", m.Version)
	}
	for _, input := range m.Inputs {
		fact("read", input.File)
	}
	t.Flush()
	fmt.Fprintln(out)
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
				return fmt.Errorf("runs compare: found %d arguments: want two or more runs: their folders, or names that rths runs lists", len(args))
			}
			return nil
		},
		ValidArgsFunction: runNames(math.MaxInt),
		RunE: func(cmd *cobra.Command, args []string) error {
			runs, err := findRuns(args)
			if err != nil {
				return fmt.Errorf("runs compare: %w", err)
			}
			if a.json {
				return record.WriteJSON(cmd.OutOrStdout(), rowsOf(runs))
			}
			return compareRuns(cmd.OutOrStdout(), runs)
		},
	}
}

// bare is what the catalogue knows, as a manifest.
func (r *listedRun) bare() record.Manifest {
	m := record.Manifest{Name: r.Name, Status: r.Status, Verdict: r.Verdict, Criteria: r.Numbers}
	switch r.Rig {
	case record.Virtual:
	case "":
		m.Scenario = record.JudgedFrom
	default:
		m.Rig = &record.Rig{Laboratory: r.Rig}
	}
	return m
}

// compareRuns prints the runs side by side. What has no manifest is compared by the numbers
// that the catalogue keeps.
func compareRuns(out io.Writer, runs []listedRun) error {
	var list []*record.Archive
	for _, r := range runs {
		m, err := record.LoadManifest(r.path())
		if r.Kind != catalogue.Run || errors.Is(err, os.ErrNotExist) {
			m, err = r.bare(), nil
		}
		if err != nil {
			return fmt.Errorf("runs compare: %w", err)
		}
		list = append(list, &record.Archive{Manifest: m, Dir: r.path()})
	}
	return report.WriteComparison(out, list)
}
