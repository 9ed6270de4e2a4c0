package catalogue

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rths/maths/words"
)

// Item is a run, study or advice of the catalogue in a folder.
type Item struct {
	Dir string // of the catalogue
	*Entry
}

// Path is the folder of the run.
func (r *Item) Path() string { return filepath.Join(r.Dir, r.Folder) }

// State is the status, or Gone of a run without its folder.
func (r *Item) State() string {
	if r.Gone {
		return Gone
	}
	return r.Status
}

// Default is the folder that rths run writes to by default.
const Default = "runs"

// Folders are the folders whose catalogues are listed: the one named, or those found here.
func Folders(args []string) ([]string, error) {
	if len(args) == 1 {
		info, err := os.Stat(args[0])
		switch {
		case err == nil && !info.IsDir(), errors.Is(err, os.ErrNotExist):
			return nil, fmt.Errorf("runs: %s is no folder: want a folder with runs, or one of show, compare, open%s",
				args[0], words.Meant(words.Like(args[0], []string{"show", "compare", "open"})))
		case err == nil && !hasCatalogue(args[0]):
			return nil, fmt.Errorf("runs: %s has no %s: if it holds runs, make it with rths runs --rebuild %s",
				args[0], File, args[0])
		}
		return args, err
	}
	dirs := Below(".")
	if len(dirs) == 0 {
		return nil, fmt.Errorf("runs: found no %s in %s or in this folder: want the folder that holds the runs, or make it "+
			"with rths runs --rebuild FOLDER", File, Default)
	}
	return dirs, nil
}

// Below are the folders with a catalogue among a folder and its folder Default.
func Below(folder string) []string {
	return slices.DeleteFunc([]string{filepath.Join(folder, Default), filepath.Clean(folder)},
		func(dir string) bool { return !hasCatalogue(dir) })
}

func hasCatalogue(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, File))
	return err == nil
}

// Rebuildable are the folders whose catalogues are made again: the one named, or those found here.
func Rebuildable(args []string) ([]string, error) {
	if len(args) == 1 {
		return args, nil
	}
	dirs := []string{}
	if info, err := os.Stat(Default); err == nil && info.IsDir() {
		dirs = append(dirs, Default)
	}
	if hasCatalogue(".") {
		dirs = append(dirs, ".")
	}
	if len(dirs) == 0 {
		return nil, fmt.Errorf("runs: --rebuild: found no folder %s and no %s here: want the folder that holds the runs",
			Default, File)
	}
	return dirs, nil
}

// Found are what several catalogues list.
type Found struct {
	Items []Item
	Names []string // of the numbers, sorted
	Notes []string // which runs a list cannot have
}

// ListAll lists the runs of several catalogues.
func ListAll(dirs []string, q Query) (all Found, err error) {
	for _, dir := range dirs {
		list, err := List(dir, q)
		if errors.Is(err, ErrUnusable) {
			return all, fmt.Errorf("%w: rths runs --rebuild %s makes it from the folders", err, dir)
		}
		if err != nil {
			return all, err
		}
		all.Items = slices.Grow(all.Items, len(list.Entries))
		for i := range list.Entries {
			all.Items = append(all.Items, Item{dir, &list.Entries[i]})
		}
		all.Names = append(all.Names, list.Names...)
		if n := len(list.Unlisted); n > 0 {
			all.Notes = append(all.Notes, noteUnlisted(dir, list.Unlisted))
		}
	}
	slices.Sort(all.Names)
	all.Names = slices.Compact(all.Names)
	return all, nil
}

// noteUnlisted says which runs a list cannot have.
func noteUnlisted(dir string, folders []string) string {
	n := len(folders)
	some := strings.Join(folders[:min(n, 3)], ", ")
	if n > 3 {
		some += ", …"
	}
	return fmt.Sprintf("note: not in the catalogue of %s: %d, %s: rths runs --rebuild %s takes them in or says why not",
		dir, n, some, dir)
}

// FindAll finds the runs that arguments mean.
func FindAll(args []string) (found []Item, err error) {
	for _, arg := range args {
		r, err := Find(arg)
		if err != nil {
			return nil, err
		}
		found = append(found, r)
	}
	return found, nil
}

// Find finds a run: its folder, or else by a catalogue the name of a folder, of a run, or
// the beginning of a folder's name. lab/demo is looked for in the catalogue of lab.
func Find(arg string) (Item, error) {
	if IsRun(arg) {
		e, err := Read(arg)
		return Item{filepath.Dir(filepath.Clean(arg)), &e}, err
	}
	var in []string
	if strings.ContainsRune(arg, filepath.Separator) {
		in = []string{filepath.Dir(filepath.Clean(arg))}
	}
	dirs, err := Folders(in)
	if err != nil {
		return Item{}, fmt.Errorf("%s is not the folder of a run, and there is no catalogue to look it up: %w", arg, err)
	}
	all, err := ListAll(dirs, Query{})
	if err != nil {
		return Item{}, err
	}
	return pick(all.Items, arg, filepath.Base(filepath.Clean(arg)))
}

// pick takes the one run that a word means.
func pick(all []Item, arg, word string) (Item, error) {
	for _, is := range []func(r Item) bool{
		func(r Item) bool { return r.Folder == word },
		func(r Item) bool { return r.Name == word },
		func(r Item) bool { return strings.HasPrefix(r.Folder, word) },
	} {
		var found []Item
		var paths []string
		for _, r := range all {
			if is(r) {
				found, paths = append(found, r), append(paths, r.Path())
			}
		}
		switch n := len(found); {
		case n == 1:
			return found[0], nil
		case n > 4:
			paths = append(paths[:3], fmt.Sprintf("%d more", n-3))
			fallthrough
		case n > 1:
			return Item{}, fmt.Errorf("%s means %d runs: want one of %s", arg, n, strings.Join(paths, ", "))
		}
	}
	var names []string
	for _, r := range all {
		names = append(names, r.Folder)
	}
	return Item{}, fmt.Errorf("%s: found no such run: want its folder, or a name that rths runs lists%s",
		arg, words.Meant(words.Like(word, names)))
}

// WantNumbers refuses names of numbers, in a query or as the order of a list, that no run in these folders has.
func (f *Found) WantNumbers(dirs []string, q Query, by string) error {
	wanted := map[string]string{}
	for _, c := range q.Where {
		wanted[c.Name] = "where"
	}
	if !slices.Contains(Orders, by) {
		wanted[by] = "sort"
	}
	for name, flag := range wanted {
		if _, known := slices.BinarySearch(f.Names, name); !known {
			return fmt.Errorf("runs: --%s %s: no run in %s has this number%s",
				flag, name, strings.Join(dirs, " and "), words.Meant(words.Like(name, f.Names)))
		}
	}
	return nil
}
