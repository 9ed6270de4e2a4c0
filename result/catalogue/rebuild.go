package catalogue

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Rebuilt says what Rebuild has done.
type Rebuilt struct {
	Runs, Studies int     // calibrations and advice count as studies
	LeftOut       []error // folders of runs that cannot be read
	Aside         string  // new name of the file that was no usable catalogue; empty where there was none
}

// Rebuild makes the catalogue in a folder from the folders of the runs. The new file takes the
// name of the old one under its lock, so that other programs see the old entries or the new ones,
// and lose none that they add meanwhile. A file that is no usable catalogue gets another name,
// Rebuilt.Aside.
func Rebuild(dir string) (Rebuilt, error) {
	list, done, err := scan(dir)
	if err != nil {
		return done, err
	}
	if path := filepath.Join(dir, File); plain(path) != nil {
		if done.Aside, err = putAside(path); err != nil {
			return done, err
		}
	}
	err = locked(dir, func(path string) error {
		old, err := loadOld(path)
		switch {
		case errors.Is(err, ErrUnusable), errors.Is(err, errOlder):
			if done.Aside, err = putAside(path); err != nil {
				return err
			}
		case err == nil:
			list = old.late(dir, list)
		case errors.Is(err, fs.ErrNotExist):
			err = nil
		}
		if err != nil {
			return err
		}
		made := &contents{places: make(map[string]int, len(list))}
		for i := range list {
			made.set(&list[i])
		}
		return made.write(path)
	})
	return done, err
}

// readers is how many folders are read at a time: some wait for a disk.
const readers = 8

// scan reads the runs and studies in a folder, the oldest first.
func scan(dir string) (list []Entry, done Rebuilt, err error) {
	names, err := os.ReadDir(dir)
	if err != nil {
		return nil, done, err
	}
	found, errs := make([]Entry, len(names)), make([]error, len(names))
	var next atomic.Int64
	var all sync.WaitGroup
	for range readers {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(names)); i = next.Add(1) - 1 {
				if isEntry(dir, names[i].Name()) {
					found[i], errs[i] = Read(filepath.Join(dir, names[i].Name()))
				}
			}
		})
	}
	all.Wait()
	for i, e := range found {
		switch {
		case errs[i] != nil:
			done.LeftOut = append(done.LeftOut, errs[i])
			continue
		case e.Folder == "":
			continue
		case e.Kind == Run:
			done.Runs++
		default:
			done.Studies++
		}
		list = append(list, e)
	}
	sortByAge(list)
	return list, done, nil
}

// sortByAge sorts by the beginnings, then by the folders. An entry without a beginning comes first.
func sortByAge(list []Entry) {
	began := make(map[string]time.Time, len(list))
	for i := range list {
		began[list[i].Folder], _ = list[i].Began()
	}
	slices.SortFunc(list, func(a, b Entry) int {
		return cmp.Or(began[a.Folder].Compare(began[b.Folder]), strings.Compare(a.Folder, b.Folder))
	})
}

// isEntry reports whether a name in a folder is that of a run or study. Hidden folders are not
// looked at.
func isEntry(dir, name string) bool {
	return !strings.HasPrefix(name, ".") && IsRun(filepath.Join(dir, name))
}

// late is the list with what other programs have added since it was made: a folder that the list does not have, or
// has with another status, is read again. A folder that is gone or broken is left out.
func (c *contents) late(dir string, list []Entry) []Entry {
	places := make(map[string]int, len(list))
	for i, e := range list {
		places[e.Folder] = i
	}
	w := wishing(c.names)
	for i, folder := range c.folders {
		var was Entry
		if _, err := was.unpack(c.pieces[i], w); err != nil || filepath.Base(folder) != folder {
			continue
		}
		at, known := places[folder]
		if known && list[at].Status == was.Status {
			continue
		}
		e, err := Read(filepath.Join(dir, folder))
		switch {
		case err != nil:
		case known:
			list[at] = e
		default:
			list = append(list, e)
		}
	}
	return list
}

// putAside gives a file a name that is free.
func putAside(path string) (aside string, err error) {
	aside = path + ".old"
	for i := 2; ; i++ {
		if _, err := os.Lstat(aside); errors.Is(err, os.ErrNotExist) {
			break
		}
		aside = fmt.Sprintf("%s.old-%d", path, i)
	}
	return aside, os.Rename(path, aside)
}
