package catalogue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Rebuilt says what Rebuild has done.
type Rebuilt struct {
	Runs, Studies int
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

// scan reads the runs and studies in a folder, the oldest first.
func scan(dir string) (list []Entry, done Rebuilt, err error) {
	names, err := os.ReadDir(dir)
	if err != nil {
		return nil, done, err
	}
	for _, n := range names {
		if !isEntry(dir, n.Name()) {
			continue
		}
		e, err := Read(filepath.Join(dir, n.Name()))
		switch {
		case err != nil:
			done.LeftOut = append(done.LeftOut, err)
			continue
		case e.Kind == Run:
			done.Runs++
		default:
			done.Studies++
		}
		list = append(list, e)
	}
	slices.SortFunc(list, Older)
	return list, done, nil
}

// isEntry reports whether a name in a folder is that of a run or study. Hidden folders are not
// looked at.
func isEntry(dir, name string) bool {
	return !strings.HasPrefix(name, ".") && IsRun(filepath.Join(dir, name))
}

// Older compares two entries by their beginnings, then by their folders. An entry without a
// beginning comes first.
func Older(a, b Entry) int {
	began, _ := a.Began()
	other, _ := b.Began()
	return cmp.Or(began.Compare(other), strings.Compare(a.Folder, b.Folder))
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
		if err := s.drop(ctx, list); err != nil {
			return err
		}
		for _, e := range list {
			if err := s.put(ctx, e); err != nil {
				return err
			}
		}
		return nil
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

// drop removes the entries that are not in the list: their folders are gone or broken. A run
// that has ended since the list was made stays.
func (s *store) drop(ctx context.Context, list []Entry) error {
	kept := map[string]bool{}
	for _, e := range list {
		kept[e.Folder] = true
	}
	gone := map[int64]bool{}
	err := s.each(ctx, "SELECT id, folder FROM runs", nil, func(scan func(...any) error) error {
		var id int64
		var folder string
		if err := scan(&id, &folder); err != nil || kept[folder] {
			return err
		}
		_, err := Read(filepath.Join(s.dir, folder))
		gone[id] = err != nil || filepath.Base(folder) != folder
		return nil
	})
	if err != nil {
		return err
	}
	for id, is := range gone {
		if is {
			if err := errors.Join(s.forget(ctx, id), s.exec(ctx, "DELETE FROM runs WHERE id = ?", id)); err != nil {
				return err
			}
		}
	}
	return nil
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
