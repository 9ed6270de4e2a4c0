package catalogue

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// ErrUnusable is the error of a file that Rebuild would put aside, but for an older version.
var ErrUnusable = errors.New("not a catalogue of runs")

var (
	errEmpty = errors.New("empty")
	errOlder = errors.New("it has to be rebuilt")
)

// explain is an error of SQLite in words, after the name of the file.
func (s *store) explain(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", filepath.Join(s.dir, File), inWords(err))
}

func inWords(err error) error {
	var e *sqlite.Error
	code := 0
	if errors.As(err, &e) {
		code = e.Code() & 0xff // without the part that says where in SQLite
	}
	switch {
	case errors.Is(err, errEmpty):
		return fmt.Errorf("found an empty file: %w", ErrUnusable)
	case errors.Is(err, context.DeadlineExceeded), code == sqlite3.SQLITE_BUSY, code == sqlite3.SQLITE_INTERRUPT:
		return fmt.Errorf("another program has locked it for %v: %w", patience, err)
	case code == sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("found no SQLite file: %w", ErrUnusable)
	case code == sqlite3.SQLITE_CORRUPT, errors.Is(err, errPacked):
		return fmt.Errorf("found a damaged SQLite file: %w", ErrUnusable)
	case code == sqlite3.SQLITE_READONLY, code == sqlite3.SQLITE_CANTOPEN, code == sqlite3.SQLITE_PERM:
		return fmt.Errorf("it cannot be opened, or not written: want the right to write to the file and its folder: %w", err)
	case code == sqlite3.SQLITE_FULL:
		return fmt.Errorf("the disk is full: %w", err)
	}
	return err
}
