package catalogue

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver
)

// SQLite keeps two numbers in the file for its owner: whose file it is, and the version of
// its tables.
const (
	application = 0x72746873 // "rths"
	version     = 6          // of the tables: another one is rebuilt
)

const tables = `
CREATE TABLE runs (
	id          INTEGER PRIMARY KEY,
	folder      TEXT NOT NULL UNIQUE, -- its name, in the folder of this file
	kind        TEXT NOT NULL,        -- run, study, calibration or advice
	name        TEXT NOT NULL,
	status      TEXT NOT NULL,
	reason      TEXT NOT NULL,
	verdict     TEXT NOT NULL,        -- good, poor, lost, or '' where nobody can tell
	started     TEXT NOT NULL,        -- RFC 3339
	began       REAL,                 -- the same, s since 1970 (UTC)
	rig         TEXT NOT NULL,        -- VIRTUAL, the name of the laboratory, or '' where it is not known
	compensator TEXT NOT NULL,
	packed      BLOB NOT NULL         -- the whole entry in one piece: a list reads nothing else
) STRICT;
CREATE TABLE tags (
	run   INTEGER NOT NULL,
	place INTEGER NOT NULL,
	tag   TEXT NOT NULL,
	PRIMARY KEY (run, tag)
) STRICT, WITHOUT ROWID;
CREATE TABLE numbers (
	run   INTEGER NOT NULL,
	place INTEGER NOT NULL,
	name  TEXT NOT NULL, -- ends in the unit
	value REAL,          -- NULL where it is not finite
	PRIMARY KEY (name, run) -- a condition looks at one name of all runs
) STRICT, WITHOUT ROWID;
CREATE TABLE names (
	id   INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE -- of numbers
) STRICT;
`

// store is an open catalogue.
type store struct {
	dir string
	db  *sql.DB
	c   *sql.Conn
	ids map[string]uint64 // of the table names, while entries are put in
}

// open opens the catalogue of a folder, in the mode rw or, to make it if there is none, rwc.
// A file that may only be read can be opened as well.
func open(ctx context.Context, dir, mode string) (*store, error) {
	path := filepath.Join(dir, File)
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: want a plain file: %w", path, ErrUnusable)
	case err != nil && (mode != "rwc" || !errors.Is(err, os.ErrNotExist)):
		return nil, err
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	options := url.Values{
		"mode": {mode}, "_busy_timeout": {fmt.Sprint(patience.Milliseconds())}, "_error_rc": {"1"},
		"_defensive": {"1"}, "_pragma": {"trusted_schema(0)"}, // the file may be anybody's
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: whole}).EscapedPath()+"?"+options.Encode())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s := &store{dir: dir, db: db}
	if s.c, err = db.Conn(ctx); err != nil {
		db.Close()
		return nil, s.explain(err)
	}
	return s, nil
}

// close ends a transaction that is open, without its changes.
func (s *store) close() {
	s.c.Close()
	s.db.Close()
}

func (s *store) exec(ctx context.Context, text string, args ...any) error {
	_, err := s.c.ExecContext(ctx, text, args...)
	return err
}

// write changes the catalogue by one transaction: whole or not at all. It makes the tables of
// an empty file.
func (s *store) write(ctx context.Context, change func() error) error {
	err := s.exec(ctx, "BEGIN IMMEDIATE")
	if err == nil {
		err = s.check(ctx)
	}
	if errors.Is(err, errEmpty) {
		err = s.exec(ctx, tables+fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d;", application, version))
	}
	if err == nil {
		err = change()
	}
	if err == nil {
		err = s.exec(ctx, "COMMIT")
	}
	return s.explain(err)
}

// read reads from one state of the catalogue.
func (s *store) read(ctx context.Context, look func() error) error {
	err := s.exec(ctx, "BEGIN")
	if err == nil {
		err = s.check(ctx)
	}
	if err == nil {
		err = look()
	}
	return s.explain(err)
}

// check refuses a file that is no catalogue of this version.
func (s *store) check(ctx context.Context) error {
	var owner, found, n int64
	row := s.c.QueryRowContext(ctx,
		"SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version), "+
			"(SELECT count(*) FROM sqlite_schema)")
	if err := row.Scan(&owner, &found, &n); err != nil {
		return err
	}
	switch {
	case owner == 0 && found == 0 && n == 0:
		return errEmpty
	case owner != application:
		return fmt.Errorf("a database of another program: %w", ErrUnusable)
	case found > version:
		return fmt.Errorf("version %d, by a newer rths: want version %d, or the newer rths", found, version)
	case found < version:
		return fmt.Errorf("version %d: want version %d: %w", found, version, errOlder)
	}
	return nil
}
