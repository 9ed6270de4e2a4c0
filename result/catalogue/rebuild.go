package catalogue

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
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

// Rebuild makes the catalogue in a folder from the folders of the runs. It changes the file
// by one transaction, so that other programs see the old rows or the new ones, and lose none
// that they add meanwhile. (A new file that takes the name of the old one would lose these,
// and the journal of a program that was killed would be applied to the wrong file.) A file
// that is no usable catalogue gets another name, Rebuilt.Aside.
func Rebuild(dir string) (Rebuilt, error) {
	list, done, err := scan(dir)
	if err != nil {
		return done, err
	}
	err = replace(dir, list)
	if errors.Is(err, ErrUnusable) || errors.Is(err, errOlder) {
		if done.Aside, err = putAside(filepath.Join(dir, File)); err == nil {
			err = replace(dir, list)
		}
	}
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

// replace makes the catalogue one of the entries of a list.
func replace(dir string, list []Entry) error {
	ctx := context.Background()
	s, err := open(ctx, dir, "rwc")
	if err != nil {
		return err
	}
	defer s.close()
	return s.write(ctx, func() error {
		if err := s.sound(ctx); err != nil {
			return err
		}
		late, err := s.late(ctx, list)
		if err != nil {
			return err
		}
		for _, table := range []string{"runs", "tags", "numbers", "names"} {
			if err := s.exec(ctx, "DELETE FROM "+table); err != nil {
				return err
			}
		}
		return s.insert(ctx, late, sql.NullInt64{})
	})
}

// sound refuses a file that is damaged where a query may not come across it.
func (s *store) sound(ctx context.Context) error {
	var found string
	if err := s.c.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&found); err != nil {
		return err
	}
	if found != "ok" {
		return fmt.Errorf("%s: %w", found, ErrUnusable)
	}
	return nil
}

// late is the list with what other programs have added since it was made: a folder that the list does not have, or
// has with another status, is read again. A folder that is gone or broken is left out.
func (s *store) late(ctx context.Context, list []Entry) ([]Entry, error) {
	places := make(map[string]int, len(list))
	for i, e := range list {
		places[e.Folder] = i
	}
	err := s.each(ctx, "SELECT folder, status FROM runs ORDER BY id", nil, func(scan func(...any) error) error {
		var folder, status string
		if err := scan(&folder, &status); err != nil || filepath.Base(folder) != folder {
			return err
		}
		at, known := places[folder]
		if known && list[at].Status == status {
			return nil
		}
		e, err := Read(filepath.Join(s.dir, folder))
		switch {
		case err != nil:
		case known:
			list[at] = e
		default:
			list = append(list, e)
		}
		return nil
	})
	return list, err
}

// putAside gives a file a name that is free. Its journal goes first: SQLite would take it for
// the journal of the next file.
func putAside(path string) (aside string, err error) {
	aside = path + ".old"
	for i := 2; ; i++ {
		if _, err := os.Lstat(aside); errors.Is(err, os.ErrNotExist) {
			break
		}
		aside = fmt.Sprintf("%s.old-%d", path, i)
	}
	for _, end := range []string{"-journal", "-wal", "-shm", ""} {
		if err := os.Rename(path+end, aside+end); err != nil && (end == "" || !errors.Is(err, os.ErrNotExist)) {
			return "", err
		}
	}
	return aside, nil
}
