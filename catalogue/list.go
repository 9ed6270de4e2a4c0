package catalogue

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"rths"
)

// Query says which entries are wanted. What is empty is not asked for.
type Query struct {
	Name   string // a part of the name or of the folder's, or with * ? [ a pattern of the whole
	Since  time.Time
	Before time.Time
	Kind   string
	Tags   []string // all of them
	Where  []Condition
}

// List reads the entries of the catalogue in a folder, in the order in which they were added.
// A catalogue of an older version is rebuilt.
func List(dir string, q Query) (list []Entry, err error) {
	ctx := context.Background()
	read := func() error {
		s, err := open(ctx, dir, "rw")
		if err != nil {
			return err
		}
		defer s.close()
		return s.read(ctx, func() error { list, err = s.list(ctx, q); return err })
	}
	if err = read(); errors.Is(err, errOlder) {
		if _, err = Rebuild(dir); err == nil {
			err = read()
		}
	}
	return list, err
}

// Names are the names of the numbers that the entries have.
func Names(dir string) ([]string, error) {
	return words(dir, "SELECT DISTINCT name FROM numbers ORDER BY name")
}

// Unlisted are the folders of runs and studies that the catalogue in a folder does not have:
// they are not over, were killed, or are older than the catalogue.
func Unlisted(dir string) (folders []string, err error) {
	have, err := words(dir, "SELECT folder FROM runs ORDER BY folder")
	if err != nil {
		return nil, err
	}
	names, err := os.ReadDir(dir)
	for _, n := range names {
		if _, listed := slices.BinarySearch(have, n.Name()); !listed && isEntry(dir, n.Name()) {
			folders = append(folders, n.Name())
		}
	}
	return folders, err
}

// words reads a column of text.
func words(dir, query string) (list []string, err error) {
	ctx := context.Background()
	s, err := open(ctx, dir, "rw")
	if err != nil {
		return nil, err
	}
	defer s.close()
	err = s.read(ctx, func() error {
		return s.each(ctx, query, nil, func(scan func(...any) error) error {
			list = append(list, "")
			return scan(&list[len(list)-1])
		})
	})
	return list, err
}

// clause is the query as SQL: every value that a user gives is bound and no part of the text.
func (q *Query) clause() (text string, args []any) {
	parts := []string{"TRUE"}
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
		add("EXISTS (SELECT 1 FROM tags WHERE run = r.id AND tag = ?)", tag)
	}
	for _, c := range q.Where {
		for _, sign := range Signs {
			if sign == c.Sign {
				add("EXISTS (SELECT 1 FROM numbers WHERE run = r.id AND name = ? AND value "+sign+" ?)", c.Name, c.Limit)
			}
		}
	}
	return strings.Join(parts, " AND "), args
}

func (s *store) list(ctx context.Context, q Query) ([]Entry, error) {
	clause, args := q.clause()
	var list []Entry
	places := map[int64]int{} // in list, of the id in the table runs
	err := s.each(ctx, `SELECT r.id, r.folder, r.kind, r.name, r.status, r.reason, r.started, r.rig, r.compensator
		FROM runs r WHERE `+clause+` ORDER BY r.id`, args, func(scan func(...any) error) error {
		var id int64
		var e Entry
		if err := scan(&id, &e.Folder, &e.Kind, &e.Name, &e.Status, &e.Reason, &e.Started, &e.Rig, &e.Compensator); err != nil {
			return err
		}
		places[id] = len(list)
		list = append(list, e)
		return nil
	})
	if err != nil {
		return nil, err
	}
	at := func(id int64) *Entry { return &list[places[id]] }
	err = s.each(ctx, "SELECT t.run, t.tag FROM tags t JOIN runs r ON r.id = t.run WHERE "+clause+" ORDER BY t.run, t.place", args, func(scan func(...any) error) error {
		var id int64
		var tag string
		if err := scan(&id, &tag); err != nil {
			return err
		}
		at(id).Tags = append(at(id).Tags, tag)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return list, s.listNumbers(ctx, clause, args, at)
}

func (s *store) listNumbers(ctx context.Context, clause string, args []any, at func(id int64) *Entry) error {
	return s.each(ctx, "SELECT n.run, n.name, n.value FROM numbers n JOIN runs r ON r.id = n.run WHERE "+clause+" ORDER BY n.run, n.place", args, func(scan func(...any) error) error {
		var id int64
		var v rths.Value
		var number sql.NullFloat64
		if err := scan(&id, &v.Name, &number); err != nil {
			return err
		}
		if v.V = number.Float64; !number.Valid {
			v.V = math.NaN()
		}
		at(id).Numbers = append(at(id).Numbers, v)
		return nil
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
