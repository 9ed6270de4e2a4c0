package catalogue

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	ctx := context.Background()
	var there map[string]bool
	var have []string
	looked := make(chan error, 1) // the folder is read beside the catalogue
	go func() {
		var err error
		there, err = entriesIn(dir)
		looked <- err
	}()
	read := func() error {
		s, err := open(ctx, dir, "rw")
		if err != nil {
			return err
		}
		defer s.close()
		return s.read(ctx, func() error { have, err = s.list(ctx, q, &out); return err })
	}
	if err = read(); errors.Is(err, errOlder) {
		if _, err = Rebuild(dir); err == nil {
			err = read()
		}
	}
	if err = cmp.Or(err, <-looked); err != nil {
		return Listing{}, err
	}
	out.compare(dir, there, have)
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

// everything is the clause of an empty query.
const everything = "TRUE"

// clause is the query as SQL: every value that a user gives is bound and no part of the text.
func (q *Query) clause() (text string, args []any) {
	parts := []string{everything}
	add := func(part string, values ...any) { parts, args = append(parts, part), append(args, values...) }
	switch {
	case strings.ContainsAny(q.Name, "*?["):
		add("(lower(r.name) GLOB lower(?) OR lower(r.folder) GLOB lower(?))", q.Name, q.Name)
	case q.Name != "":
		add("(instr(lower(r.name), lower(?)) OR instr(lower(r.folder), lower(?)))", q.Name, q.Name)
	}
	if !q.Since.IsZero() {
		add("r.began >= ?", seconds(q.Since))
	}
	if !q.Before.IsZero() {
		add("r.began < ?", seconds(q.Before))
	}
	if q.Kind != "" {
		add("r.kind = ?", q.Kind)
	}
	for _, tag := range q.Tags {
		add("r.id IN (SELECT run FROM tags WHERE tag = ?)", tag)
	}
	for _, c := range q.Where {
		for _, sign := range Signs {
			if sign == c.Sign {
				add("r.id IN (SELECT run FROM numbers WHERE name = ? AND value "+sign+" ?)", c.Name, c.Limit)
			}
		}
	}
	return strings.Join(parts, " AND "), args
}

// mostNames is above the ids of names in any catalogue of ours.
const mostNames = 1 << 20

// list reads the entries that a query chooses and the names of numbers, and returns the folders of all entries.
func (s *store) list(ctx context.Context, q Query, out *Listing) (have []string, err error) {
	names, err := s.names(ctx, inUse)
	if err != nil {
		return nil, err
	}
	out.Names = slices.Sorted(maps.Values(names))
	var wanted []string // at their ids
	for id, name := range names {
		if id >= mostNames {
			return nil, errPacked
		}
		if q.Select == nil || q.Select(name) {
			if more := int(id) + 1 - len(wanted); more > 0 {
				wanted = append(wanted, make([]string, more)...)
			}
			wanted[id] = name
		}
	}
	var n int // at most
	if err := s.c.QueryRowContext(ctx, "SELECT count(*) FROM runs").Scan(&n); err != nil {
		return nil, err
	}
	out.Entries, have = make([]Entry, 0, n), make([]string, 0, n)
	clause, args := q.clause()
	err = s.each(ctx, "SELECT r.folder, r.packed FROM runs r WHERE "+clause+" ORDER BY r.id", args,
		func(scan func(...any) error) error {
			var e Entry
			var piece sql.RawBytes
			err := scan(&e.Folder, &piece)
			if err == nil {
				err = e.unpack(piece, wanted)
			}
			out.Entries, have = append(out.Entries, e), append(have, e.Folder)
			return err
		})
	if err != nil || clause == everything {
		return have, err
	}
	have = have[:0]
	return have, s.each(ctx, "SELECT folder FROM runs", nil, func(scan func(...any) error) error {
		var folder string
		err := scan(&folder)
		have = append(have, folder)
		return err
	})
}

// each calls look for every row of a query.
func (s *store) each(ctx context.Context, query string, args []any, look func(scan func(...any) error) error) error {
	rows, err := s.c.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := look(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}
