package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"rths/result/catalogue"
	"rths/workbench"
)

// Wanted are the runs that a page shows: rows of a list.
type Wanted struct {
	Filter  string   `json:"filter"`
	Sort    string   `json:"sort"` // one of catalogue.Orders, another head, or a number
	Down    bool     `json:"down"` // the largest first
	Numbers []string `json:"numbers,omitempty"`
	From    int      `json:"from"` // the first row, from 0
	Rows    int      `json:"rows"` // at most mostRows
}

// Listed is a part of a list.
type Listed struct {
	Heads   []string `json:"heads"`
	Rows    []Row    `json:"rows"`
	From    int      `json:"from"`
	Total   int      `json:"total"`
	Of      int      `json:"of"`      // runs without the filter; 0: not counted
	Names   []string `json:"names"`   // of the numbers that runs have
	Notes   []string `json:"notes"`   // what a list cannot have
	Command string   `json:"command"` // of a terminal; "": none
	Empty   string   `json:"empty,omitempty"`
	Version string   `json:"version"`           // of the list: rows of another one stand elsewhere
	Rebuild bool     `json:"rebuild,omitempty"` // there are runs that the catalogue does not have
}

// Row is a run as the table shows it.
type Row struct {
	Run   string   `json:"run"` // its folder, from that of the bench
	Kind  string   `json:"kind"`
	State string   `json:"state"`
	Tags  []string `json:"tags,omitempty"`
	Note  string   `json:"note,omitempty"`
	Cells []string `json:"cells"` // below the heads
}

// Bounds of what is shown and kept.
const (
	mostRows    = 500
	mostNumbers = 20
	mostRunning = 100 // runs that are in no catalogue, and are read from their folders
	keptLists   = 3
)

// list is a list that was asked for.
type list struct {
	key      string
	stamp    string // of the folders when they were read
	version  string
	items    []catalogue.Item
	names    []string
	of       int
	notes    []string
	unlisted bool
}

func (b *Bench) runs(ctx context.Context, in Wanted) (Listed, error) {
	f, err := parseFilter(in.Filter)
	if err != nil {
		return Listed{}, err
	}
	dirs := b.below()
	if len(dirs) == 0 {
		return b.none(), nil
	}
	numbers := shownNumbers(in, f)
	b.listing.Lock() // two windows that ask for the same get it once
	defer b.listing.Unlock()
	l, err := b.list(dirs, in, f, numbers)
	if err != nil {
		return Listed{}, err
	}
	out := Listed{Heads: heads(numbers), Rows: []Row{}, Total: len(l.items), Of: l.of,
		Names: l.names, Notes: append([]string{}, l.notes...), Command: f.command("date"), Rebuild: l.unlisted,
		Version: l.version}
	if known := slices.Concat(catalogue.Orders, l.names); !in.Down && slices.Contains(known, in.Sort) {
		out.Command = f.command(in.Sort)
	}
	out.From = max(0, min(in.From, len(l.items)))
	for i := range l.items[out.From:min(len(l.items), out.From+max(0, min(in.Rows, mostRows)))] {
		out.Rows = append(out.Rows, b.row(&l.items[out.From+i], numbers))
	}
	return out, nil
}

func (b *Bench) row(r *catalogue.Item, numbers []string) Row {
	out := Row{Run: b.nameOf(r), Kind: r.Kind, State: r.State(), Tags: r.Tags, Note: r.Note}
	cells := r.Cells(numbers)
	cells[0] = out.Run
	for _, head := range before {
		out.Cells = append(out.Cells, cells[slices.Index(catalogue.Heads, head)])
	}
	out.Cells = append(out.Cells, cells[len(catalogue.Heads):]...)
	for _, head := range behind {
		out.Cells = append(out.Cells, cells[slices.Index(catalogue.Heads, head)])
	}
	return out
}

// before and behind are the heads of catalogue.Heads as the page has them: before the numbers, and behind.
var (
	before = []string{"run", "date", "status", "verdict", "compensator"}
	behind = []string{"tags", "note", "kind", "rig"}
)

func heads(numbers []string) []string { return slices.Concat(before, numbers, behind) }

// shownNumbers are the numbers of the table: those of rths runs, and those that the page adds.
func shownNumbers(in Wanted, f filter) []string {
	by := cmp.Or(in.Sort, "date")
	if slices.Contains(catalogue.Heads, by) || by == "folder" {
		by = "date"
	}
	out := catalogue.Columns(f.Query, by)
	for _, name := range in.Numbers[:min(len(in.Numbers), mostNumbers)] {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// below are the folders with a catalogue.
func (b *Bench) below() []string { return catalogue.Below(b.folder) }

// none says how runs come here.
func (b *Bench) none() Listed {
	out := Listed{Heads: heads(nil), Rows: []Row{}, Names: []string{}, Notes: []string{}}
	out.Empty = "This folder has no runs yet. “Rehearse and record” of the tab Laboratory makes one, and so does " +
		"rths run FILE in a terminal of this folder: both write into its folder runs."
	if dirs := b.holding(); len(dirs) > 0 {
		out.Empty = "There are runs here, and no catalogue of them. Made once from their folders, it lists them from then on."
		out.Rebuild = true
	}
	return out
}

// stamp changes where a run comes, ends, goes or is labelled.
func stamp(dirs []string) string {
	out := ""
	for _, path := range dirs {
		for _, p := range []string{path, filepath.Join(path, catalogue.File)} {
			if info, err := os.Stat(p); err == nil {
				out += fmt.Sprintln(p, info.ModTime().UnixNano(), info.Size())
			}
		}
	}
	return out
}

// forget is said where the catalogue has been changed from here: its instant may be the same still.
func (b *Bench) forget() {
	b.listing.Lock()
	defer b.listing.Unlock()
	b.lists = nil
}

// list is the list of a page, which is kept while the folders are as they were.
func (b *Bench) list(dirs []string, in Wanted, f filter, numbers []string) (*list, error) {
	key, now := fmt.Sprintf("%q %q %t %q", in.Filter, in.Sort, in.Down, numbers), stamp(dirs)
	if i := slices.IndexFunc(b.lists, func(l *list) bool { return l.key == key }); i >= 0 && b.lists[i].stamp == now {
		return b.lists[i], nil
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // a list is made at once, and most of it stays
	l, err := b.read(dirs, f, numbers)
	if err != nil {
		return nil, err
	}
	b.made++
	l.key, l.stamp, l.version = key, now, fmt.Sprint(b.made)
	sorted(l.items, cmp.Or(in.Sort, "date"), in.Down, l.names)
	b.lists = slices.DeleteFunc(b.lists, func(old *list) bool { return old.key == key })
	b.lists = slices.Insert(b.lists, 0, l)[:min(keptLists, len(b.lists)+1)]
	return l, nil
}

// read reads the catalogues.
func (b *Bench) read(dirs []string, f filter, numbers []string) (*list, error) {
	l := &list{}
	f.Select = catalogue.Shown(numbers)
	found := catalogue.Found{}
	for _, dir := range dirs {
		one, err := catalogue.List(dir, f.Query)
		if errors.Is(err, catalogue.ErrUnusable) {
			return nil, workbench.Refuse("%w: Rebuild makes it from the folders", err)
		}
		if err != nil {
			return nil, workbench.Refuse("%w", err)
		}
		l.items = slices.Grow(l.items, len(one.Entries))
		for i := range one.Entries {
			l.items = append(l.items, catalogue.Item{Dir: dir, Entry: &one.Entries[i]})
		}
		found.Names = append(found.Names, one.Names...)
		b.unlisted(l, dir, one.Unlisted, f.bare())
	}
	slices.Sort(found.Names)
	found.Names = slices.Compact(found.Names)
	if l.names = append([]string{}, found.Names...); f.bare() {
		l.of = len(l.items)
	}
	if err := found.WantNumbers(dirs, f.Query, "date"); err != nil {
		return nil, workbench.Refuse("%w", err)
	}
	l.items = slices.DeleteFunc(l.items, func(r catalogue.Item) bool { return !f.takes(&r) })
	return l, nil
}

// unlisted adds the runs of a folder that its catalogue does not have: most of them go on.
func (b *Bench) unlisted(l *list, dir string, names []string, shown bool) {
	var other []string
	for i, name := range names {
		e, err := catalogue.Entry{}, error(nil)
		if i < mostRunning && shown {
			e, err = catalogue.Read(filepath.Join(dir, name))
		}
		switch {
		case err != nil:
			l.notes = append(l.notes, fmt.Sprintf("%s cannot be read: %v", name, err))
		case i < mostRunning && shown:
			l.items = append(l.items, catalogue.Item{Dir: dir, Entry: &e})
			if e.Status != "running" {
				other = append(other, name)
			}
		default:
			other = append(other, name)
		}
	}
	if n := len(other); n > 0 {
		l.unlisted = true
		l.notes = append(l.notes, fmt.Sprintf("%d not in the catalogue: %s%s", n, strings.Join(other[:min(n, 3)], ", "),
			map[bool]string{true: ", …"}[n > 3]))
	}
}

// sorted sorts by a head or a number. Runs without the number come last, both ways.
func sorted(items []catalogue.Item, by string, down bool, names []string) {
	i := slices.Index(catalogue.Heads, by)
	switch {
	case by == "run":
		by = "folder"
	case i >= 0 && !slices.Contains(catalogue.Orders, by):
		catalogue.Sort(items, "date")
		sortTexts(items, by)
		by = ""
	case !slices.Contains(catalogue.Orders, by) && !slices.Contains(names, by):
		if j := slices.IndexFunc(names, func(name string) bool { return catalogue.IsOf(name, by) }); j >= 0 {
			by = names[j] // of the first actuator
		}
	}
	if by != "" {
		catalogue.Sort(items, by)
	}
	if !down {
		return
	}
	have := len(items)
	if by != "" && !slices.Contains(catalogue.Orders, by) {
		for have > 0 && isNaN(items[have-1].Numbers.Of(by)) {
			have--
		}
	}
	slices.Reverse(items[:have])
	slices.Reverse(items[have:])
}

func isNaN(x float64) bool { return x != x }

// sortTexts sorts by a column of texts, those without one last; equal ones stay in their order.
func sortTexts(items []catalogue.Item, by string) {
	of := func(r *catalogue.Item) string {
		switch by {
		case "rig":
			return r.Rig
		case "verdict":
			return r.Verdict
		case "tags":
			return strings.Join(r.Tags, ", ")
		}
		return r.Note
	}
	slices.SortStableFunc(items, func(a, b catalogue.Item) int { return strings.Compare(of(&a), of(&b)) })
}
