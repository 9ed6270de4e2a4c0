package catalogue

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"rths/scenario/files"
)

// Query says which entries are wanted. What is empty is not asked for.
type Query struct {
	Name   string // a part of the name or of the folder's, or with * ? [ a pattern of the whole
	Since  time.Time
	Before time.Time
	Kind   string
	Tags   []string // all of them
	Where  []Condition

	Select func(name string) bool // the numbers that the entries get; nil: all
}

// Listing is what a catalogue and the folder that it lies in say together.
type Listing struct {
	Entries []Entry // those that the query chooses, in the order in which they were added
	// folders of runs and studies that are not in the catalogue: not over, killed, or older than the catalogue
	Unlisted []string
	Names    []string // of the numbers that entries have, sorted
}

// List reads the catalogue in a folder, and looks once at the names in the folder: an entry whose folder is not there
// is Gone. A catalogue of an older version is rebuilt.
func List(dir string, q Query) (out Listing, err error) {
	var there map[string]bool
	looked := make(chan error, 1) // the folder is read beside the catalogue
	go func() {
		var err error
		there, err = entriesIn(dir)
		looked <- err
	}()
	path := filepath.Join(dir, File)
	c, err := loadOld(path)
	if errors.Is(err, errOlder) {
		if _, err = Rebuild(dir); err == nil {
			c, err = loadOld(path)
		}
	}
	if err == nil {
		err = c.list(q, path, &out)
	}
	if err = cmp.Or(err, <-looked); err != nil {
		return Listing{}, err
	}
	out.compare(dir, there, c.folders)
	return out, nil
}

// compare compares the folders that are there with have, those of all entries.
func (l *Listing) compare(dir string, there map[string]bool, have []string) {
	for i := range l.Entries {
		e := &l.Entries[i]
		e.Gone = !there[e.Folder] && !files.IsFolder(filepath.Join(dir, e.Folder)) // it may have come since
	}
	for _, name := range have {
		delete(there, name)
	}
	for name := range there {
		if isEntry(dir, name) {
			l.Unlisted = append(l.Unlisted, name)
		}
	}
	slices.Sort(l.Unlisted)
}

// entriesIn are the names of folders in a folder, and of links to folders.
func entriesIn(dir string) (map[string]bool, error) {
	folder, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	list, err := folder.ReadDir(-1)
	there := make(map[string]bool, len(list))
	for _, e := range list {
		if e.IsDir() || e.Type()&os.ModeSymlink != 0 && files.IsFolder(filepath.Join(dir, e.Name())) {
			there[e.Name()] = true
		}
	}
	return there, err
}

// list reads the entries that a query chooses, and the names of numbers.
func (c *contents) list(q Query, path string, out *Listing) error {
	w := wishing(slices.Clone(c.names))
	w.fits, w.all = q.fits(), len(q.Where)
	for id, name := range c.names {
		if q.Select != nil && !q.Select(name) {
			w.names[id] = ""
			w.wanted--
		}
		for _, c := range q.Where {
			if c.Name == name {
				w.where[id] = append(w.where[id], c)
			}
		}
	}
	out.Entries = make([]Entry, 0, len(c.folders))
	for i, folder := range c.folders {
		e := Entry{Folder: folder}
		fits, err := e.unpack(c.pieces[i], w)
		if err != nil {
			return fmt.Errorf("%s: found a damaged entry of %s: %w", path, folder, ErrUnusable)
		}
		if fits {
			out.Entries = append(out.Entries, e)
		}
	}
	for id, name := range c.names {
		if w.seen[id] {
			out.Names = append(out.Names, name)
		}
	}
	slices.Sort(out.Names)
	out.Names = slices.Compact(out.Names)
	return nil
}
