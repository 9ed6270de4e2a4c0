package main

import (
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rths/result/catalogue"
	"rths/result/record"
)

// runsFlags are the flags of runs.
type runsFlags struct {
	*app
	name, since, before, kind, sort string
	statuses, tags, where           []string
	rebuild                         bool
}

func runsCommand(a *app) *cobra.Command {
	f := &runsFlags{app: a}
	c := &cobra.Command{
		Use:   "runs [FOLDER]",
		Short: "List, find, compare and open runs and studies",
		Long: `Lists what the catalogue of a folder knows: the oldest first, with date,
rig, status, compensator and criteria. The rig is VIRTUAL where no real rig has moved,
or else the name of the laboratory. The compensator of an advice is the one that it
recommends. Every run, study and advice puts itself into the catalogue
(catalogue.rths) of the folder that its own folder lies in. Without FOLDER,
runs lists the folder runs and, if it has a catalogue, the current folder.

The flags choose among the runs; all of them have to hold. A run whose folder is gone has
the status gone. A catalogue that is lost or damaged costs nothing: --rebuild makes it from
the folders. A FOLDER with the name of one of the commands below is ./NAME.`,
		Example: `  rths runs
  rths runs --status tripped,diverged --since 2026-11-02
  rths runs --where 'J2_pct<3' --where 'rate_hz=4096' --sort J2_pct
  rths runs lab --name 'frame*' --tag specimen-b --json
  rths runs --rebuild lab
  rths runs show runs/demo-20261102`,
		Args: wantAtMostOne("a folder with runs"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.rebuild {
				return f.rebuildAll(cmd, args)
			}
			return f.list(cmd, args)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	f.addTo(c)
	c.AddCommand(showCommand(a), compareCommand(a), openCommand(a), learnedCommand(a))
	return c
}

func (f *runsFlags) addTo(c *cobra.Command) {
	c.Flags().StringVar(&f.name, "name", "",
		"a part of the name or of the folder's name, or a pattern of the whole with * ? [ ]; upper and lower case "+
			"are the same")
	c.Flags().StringVar(&f.since, "since", "", "begun at this date or later: 2026-11-02, '2026-11-02 14:30' or RFC 3339")
	c.Flags().StringVar(&f.before, "before", "", "begun before this date")
	c.Flags().StringSliceVar(&f.statuses, "status", nil, "one of these: "+strings.Join(catalogue.States, ", "))
	c.Flags().StringArrayVar(&f.where, "where", nil,
		"condition for a criterion, an indicator or rate_hz, samples, simulated_s, wall_s, realtime_factor, as in "+
			"'J2_pct<3' (repeatable)")
	c.Flags().StringArrayVar(&f.tags, "tag", nil, "with this tag (repeatable)")
	c.Flags().StringVar(&f.kind, "kind", "", strings.Join(catalogue.Kinds, ", "))
	c.Flags().StringVar(&f.sort, "sort", "date",
		"order: "+strings.Join(catalogue.Orders, ", ")+", or a number as in --where, the smallest first")
	c.Flags().BoolVar(&f.rebuild, "rebuild", false, "make the catalogue from the folders in FOLDER")
	lists := map[string][]string{"status": catalogue.States, "kind": catalogue.Kinds, "sort": catalogue.Orders}
	for flag, words := range lists {
		if err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words,
			cobra.ShellCompDirectiveNoFileComp)); err != nil {
			panic(err) // no flag of this name
		}
	}
}

// mostUncollected is the memory from which on a list has its garbage collected, bytes.
const mostUncollected = 1 << 30

// list prints the runs that the flags choose.
func (f *runsFlags) list(cmd *cobra.Command, args []string) error {
	q, err := f.query()
	if err != nil {
		return err
	}
	dirs, err := catalogue.Folders(args)
	if err != nil {
		return err
	}
	columns := catalogue.Columns(q, f.sort)
	if !f.json {
		q.Select = catalogue.Shown(columns)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a list stays whole until it is printed: garbage is little
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(mostUncollected))
	all, err := catalogue.ListAll(dirs, q)
	if err != nil {
		return fmt.Errorf("runs: %w", err)
	}
	if err := all.WantNumbers(dirs, q, f.sort); err != nil {
		return err
	}
	for _, note := range all.Notes {
		fmt.Fprintln(cmd.ErrOrStderr(), note)
	}
	runs := slices.DeleteFunc(all.Items, func(r catalogue.Item) bool {
		return len(f.statuses) > 0 && !slices.Contains(f.statuses, r.State())
	})
	catalogue.Sort(runs, f.sort)
	if f.json {
		return record.WriteJSON(cmd.OutOrStdout(), catalogue.Rows(runs))
	}
	catalogue.Print(cmd.OutOrStdout(), runs, columns)
	return nil
}

// query reads the flags.
func (f *runsFlags) query() (q catalogue.Query, err error) {
	q.Name, q.Kind, q.Tags = f.name, f.kind, f.tags
	if f.kind != "" && !slices.Contains(catalogue.Kinds, f.kind) {
		return q, fmt.Errorf("runs: --kind %s: %s", f.kind, wantOneOf(f.kind, catalogue.Kinds))
	}
	for _, s := range f.statuses {
		if !slices.Contains(catalogue.States, s) {
			return q, fmt.Errorf("runs: --status %s: %s", s, wantOneOf(s, catalogue.States))
		}
	}
	for _, text := range f.where {
		c, err := catalogue.ParseCondition(text)
		if err != nil {
			return q, fmt.Errorf("runs: --where %w", err)
		}
		q.Where = append(q.Where, c)
	}
	q.Since, err = catalogue.ParseDate("--since", f.since)
	if err == nil {
		q.Before, err = catalogue.ParseDate("--before", f.before)
	}
	return q, err
}

// rebuilt is the document of runs --rebuild --json, for each folder.
type rebuilt struct {
	Folder  string   `json:"folder"`
	Runs    int      `json:"runs"`
	Studies int      `json:"studies"`
	LeftOut []string `json:"left_out"`
	Aside   string   `json:"aside,omitempty"`
}

func (f *runsFlags) rebuildAll(cmd *cobra.Command, args []string) error {
	for _, name := range []string{"name", "since", "before", "kind", "status", "where", "tag", "sort"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("runs: found --rebuild and --%s: want --rebuild alone: it takes all runs of the folder", name)
		}
	}
	dirs, err := catalogue.Rebuildable(args)
	if err != nil {
		return err
	}
	list := []rebuilt{}
	for _, dir := range dirs {
		one, err := rebuild(cmd.ErrOrStderr(), dir)
		if err != nil {
			return err
		}
		if list = append(list, one); !f.json {
			fmt.Fprintf(cmd.OutOrStdout(), "%s: runs %d, studies %d, left out %d\n", dir, one.Runs, one.Studies,
				len(one.LeftOut))
		}
	}
	if f.json {
		return record.WriteJSON(cmd.OutOrStdout(), map[string][]rebuilt{"rebuilt": list})
	}
	return nil
}

// rebuild makes the catalogue of a folder, and notes what it leaves out.
func rebuild(stderr io.Writer, dir string) (rebuilt, error) {
	done, err := catalogue.Rebuild(dir)
	if err != nil {
		return rebuilt{}, fmt.Errorf("runs: --rebuild %s: %w", dir, err)
	}
	if done.Aside != "" {
		fmt.Fprintf(stderr, "note: the file %s was no catalogue of this version: it is %s now\n", catalogue.File, done.Aside)
	}
	one := rebuilt{dir, done.Runs, done.Studies, []string{}, done.Aside}
	for _, err := range done.LeftOut {
		fmt.Fprintf(stderr, "note: left out: %v\n", err)
		one.LeftOut = append(one.LeftOut, err.Error())
	}
	return one, nil
}

// catalogued puts the run in a folder into the catalogue beside it. A failure is a note and
// costs the run nothing.
func catalogued(stderr io.Writer, folder string) {
	if err := catalogue.Add(folder); err != nil {
		dir, _, _ := catalogue.Of(folder)
		fmt.Fprintf(stderr, "note: the run is in no catalogue: %v: rebuild with rths runs --rebuild %s\n", err, dir)
	}
}
