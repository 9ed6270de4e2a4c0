package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rths/result/catalogue"
	"rths/scenario"
)

// listedRun is a run or study of the catalogue in a folder.
type listedRun struct {
	dir string
	*catalogue.Entry
}

// path is the folder of the run.
func (r *listedRun) path() string { return filepath.Join(r.dir, r.Folder) }

func (r *listedRun) status() string {
	if r.Gone {
		return gone
	}
	return r.Status
}

// runsFolder is the folder that rths run writes to by default.
const runsFolder = "runs"

// catalogues are the folders whose catalogues are listed.
func catalogues(args []string) ([]string, error) {
	if len(args) == 1 {
		info, err := os.Stat(args[0])
		switch {
		case err == nil && !info.IsDir(), errors.Is(err, os.ErrNotExist):
			return nil, fmt.Errorf("runs: %s is no folder: want a folder with runs, or one of show, compare, open%s", args[0], meant(scenario.Like(args[0], []string{"show", "compare", "open"})))
		case err == nil && !hasCatalogue(args[0]):
			return nil, fmt.Errorf("runs: %s has no %s: if it holds runs, make it with rths runs --rebuild %s", args[0], catalogue.File, args[0])
		}
		return args, err
	}
	dirs := slices.DeleteFunc([]string{runsFolder, "."}, func(dir string) bool { return !hasCatalogue(dir) })
	if len(dirs) == 0 {
		return nil, fmt.Errorf("runs: found no %s in %s or in this folder: want the folder that holds the runs, or make it with rths runs --rebuild FOLDER", catalogue.File, runsFolder)
	}
	return dirs, nil
}

func hasCatalogue(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, catalogue.File))
	return err == nil
}

// rebuildable are the folders that --rebuild is for.
func rebuildable(args []string) ([]string, error) {
	if len(args) == 1 {
		return args, nil
	}
	dirs := []string{}
	if info, err := os.Stat(runsFolder); err == nil && info.IsDir() {
		dirs = append(dirs, runsFolder)
	}
	if hasCatalogue(".") {
		dirs = append(dirs, ".")
	}
	if len(dirs) == 0 {
		return nil, fmt.Errorf("runs: --rebuild: found no folder %s and no %s here: want the folder that holds the runs", runsFolder, catalogue.File)
	}
	return dirs, nil
}

// listedRuns are what several catalogues list.
type listedRuns struct {
	runs  []listedRun
	names []string // of the numbers, sorted
	notes []string // which runs a list cannot have
}

// listAll lists the runs of several catalogues.
func listAll(dirs []string, q catalogue.Query) (all listedRuns, err error) {
	for _, dir := range dirs {
		list, err := catalogue.List(dir, q)
		if errors.Is(err, catalogue.ErrUnusable) {
			return all, fmt.Errorf("%w: rths runs --rebuild %s makes it from the folders", err, dir)
		}
		if err != nil {
			return all, err
		}
		all.runs = slices.Grow(all.runs, len(list.Entries))
		for i := range list.Entries {
			all.runs = append(all.runs, listedRun{dir, &list.Entries[i]})
		}
		all.names = append(all.names, list.Names...)
		if n := len(list.Unlisted); n > 0 {
			all.notes = append(all.notes, noteUnlisted(dir, list.Unlisted))
		}
	}
	slices.Sort(all.names)
	all.names = slices.Compact(all.names)
	return all, nil
}

// noteUnlisted says which runs a list cannot have.
func noteUnlisted(dir string, folders []string) string {
	n := len(folders)
	some := strings.Join(folders[:min(n, 3)], ", ")
	if n > 3 {
		some += ", …"
	}
	return fmt.Sprintf("note: not in the catalogue of %s: %d, %s: rths runs --rebuild %s takes them in or says why not", dir, n, some, dir)
}

// findRuns finds the runs that arguments mean.
func findRuns(args []string) (found []listedRun, err error) {
	for _, arg := range args {
		r, err := findRun(arg)
		if err != nil {
			return nil, err
		}
		found = append(found, r)
	}
	return found, nil
}

// findRun finds a run: its folder, or else by a catalogue the name of a folder, of a run, or
// the beginning of a folder's name. lab/demo is looked for in the catalogue of lab.
func findRun(arg string) (listedRun, error) {
	if catalogue.IsRun(arg) {
		e, err := catalogue.Read(arg)
		return listedRun{filepath.Dir(filepath.Clean(arg)), &e}, err
	}
	var in []string
	if strings.ContainsRune(arg, filepath.Separator) {
		in = []string{filepath.Dir(filepath.Clean(arg))}
	}
	dirs, err := catalogues(in)
	if err != nil {
		return listedRun{}, fmt.Errorf("%s is not the folder of a run, and there is no catalogue to look it up: %w", arg, err)
	}
	all, err := listAll(dirs, catalogue.Query{})
	if err != nil {
		return listedRun{}, err
	}
	return pick(all.runs, arg, filepath.Base(filepath.Clean(arg)))
}

// pick takes the one run that a word means.
func pick(all []listedRun, arg, word string) (listedRun, error) {
	for _, is := range []func(r listedRun) bool{
		func(r listedRun) bool { return r.Folder == word },
		func(r listedRun) bool { return r.Name == word },
		func(r listedRun) bool { return strings.HasPrefix(r.Folder, word) },
	} {
		var found []listedRun
		var paths []string
		for _, r := range all {
			if is(r) {
				found, paths = append(found, r), append(paths, r.path())
			}
		}
		switch n := len(found); {
		case n == 1:
			return found[0], nil
		case n > 4:
			paths = append(paths[:3], fmt.Sprintf("%d more", n-3))
			fallthrough
		case n > 1:
			return listedRun{}, fmt.Errorf("%s means %d runs: want one of %s", arg, n, strings.Join(paths, ", "))
		}
	}
	var names []string
	for _, r := range all {
		names = append(names, r.Folder)
	}
	return listedRun{}, fmt.Errorf("%s: found no such run: want its folder, or a name that rths runs lists%s", arg, meant(scenario.Like(word, names)))
}

// runNames completes the folders of runs.
func runNames(most int) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, begun string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
		if len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		dirs, err := catalogues(nil)
		if err != nil {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
		all, err := listAll(dirs, catalogue.Query{})
		if err != nil {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
		for _, r := range all.runs {
			if strings.HasPrefix(r.path(), begun) && !r.Gone {
				names = append(names, cobra.CompletionWithDesc(r.path(), r.Name+", "+r.Status))
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
