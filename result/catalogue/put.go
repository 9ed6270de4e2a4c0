package catalogue

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"
	"strings"

	"rths"
)

// put adds an entry, or replaces the one of its folder.
func (s *store) put(ctx context.Context, e Entry) error {
	id, err := s.forget(ctx, e.Folder)
	if err != nil {
		return err
	}
	return s.insert(ctx, []Entry{e}, id)
}

// insert adds entries of folders that have none. The first one gets the given id, if there is
// one; else the ids count on.
func (s *store) insert(ctx context.Context, list []Entry, first sql.NullInt64) error {
	if err := s.learn(ctx, list); err != nil {
		return err
	}
	ids, err := s.putRuns(ctx, list, first)
	if err != nil {
		return err
	}
	return errors.Join(s.putTags(ctx, list, ids), s.putNumbers(ctx, list, ids))
}

// learn gives every name of a number its id.
func (s *store) learn(ctx context.Context, list []Entry) error {
	names, err := s.names(ctx, "SELECT id, name FROM names")
	if err != nil {
		return err
	}
	s.ids = make(map[string]uint64, len(names))
	for id, name := range names {
		s.ids[name] = id
	}
	for _, e := range list {
		for _, v := range e.Numbers {
			if _, known := s.ids[v.Name]; known {
				continue
			}
			var id uint64
			if err := s.c.QueryRowContext(ctx, "INSERT INTO names (name) VALUES (?) RETURNING id",
				v.Name).Scan(&id); err != nil {
				return err
			}
			s.ids[v.Name] = id
		}
	}
	return nil
}

// inUse reads the names that entries have: a name may be left of an entry that was replaced.
const inUse = "SELECT id, name FROM names WHERE EXISTS (SELECT 1 FROM numbers WHERE numbers.name = names.name)"

// names are names of numbers, by id.
func (s *store) names(ctx context.Context, query string) (map[uint64]string, error) {
	names := map[uint64]string{}
	err := s.each(ctx, query, nil, func(scan func(...any) error) error {
		var id uint64
		var name string
		err := scan(&id, &name)
		names[id] = name
		return err
	})
	return names, err
}

// putRuns adds the rows of new entries, and returns their ids.
func (s *store) putRuns(ctx context.Context, list []Entry, id sql.NullInt64) ([]int64, error) {
	insert, err := s.c.PrepareContext(ctx,
		`INSERT INTO runs (id, folder, kind, name, status, reason, verdict, started, began, rig, compensator, packed)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
	if err != nil {
		return nil, err
	}
	defer insert.Close()
	ids := make([]int64, len(list))
	for i, e := range list {
		began := sql.NullFloat64{}
		if t, ok := e.Began(); ok {
			began = sql.NullFloat64{Float64: seconds(t), Valid: true}
		}
		done, err := insert.ExecContext(ctx, id, e.Folder, e.Kind, e.Name, e.Status, e.Reason, e.Verdict, e.Started, began,
			e.Rig, e.Compensator, pack(&e, s.ids))
		if err != nil {
			return nil, err
		}
		if ids[i], err = done.LastInsertId(); err != nil {
			return nil, err
		}
		id = sql.NullInt64{}
	}
	return ids, nil
}

func (s *store) putTags(ctx context.Context, list []Entry, ids []int64) error {
	rows := &bulk{s: s, into: "tags (run, place, tag)", columns: 3}
	for i, e := range list {
		for place, tag := range e.Tags {
			if err := rows.add(ctx, ids[i], place, tag); err != nil {
				return err
			}
		}
	}
	return rows.flush(ctx)
}

// placed is a number of a run, with its place among them.
type placed struct {
	run   int64
	place int
	v     float64
}

// putNumbers adds numbers in the order of the table, name by name, so that each goes after the one before.
func (s *store) putNumbers(ctx context.Context, list []Entry, ids []int64) error {
	of := map[string][]placed{}
	for i, e := range list {
		for place, v := range e.Numbers {
			of[v.Name] = append(of[v.Name], placed{ids[i], place, v.V})
		}
	}
	rows := &bulk{s: s, into: "numbers (run, place, name, value)", columns: 4}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		for _, n := range of[name] {
			if err := rows.add(ctx, n.run, n.place, name, sql.NullFloat64{Float64: n.v, Valid: rths.Finite(n.v)}); err != nil {
				return err
			}
		}
	}
	return rows.flush(ctx)
}

// forget removes the entry of a folder, and returns its id, if there is one.
func (s *store) forget(ctx context.Context, folder string) (id sql.NullInt64, err error) {
	err = s.c.QueryRowContext(ctx, "SELECT id FROM runs WHERE folder = ?", folder).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return id, nil
	}
	return id, errors.Join(err,
		s.exec(ctx, "DELETE FROM runs WHERE id = ?", id),
		s.exec(ctx, "DELETE FROM tags WHERE run = ?", id),
		s.exec(ctx, "DELETE FROM numbers WHERE name IN (SELECT name FROM names) AND run = ?", id))
}

// bulk inserts many rows by few statements.
type bulk struct {
	s       *store
	into    string // table and columns
	columns int
	args    []any
	full    *sql.Stmt
}

// rowsAtOnce are the rows of a full statement.
const rowsAtOnce = 64

func (b *bulk) add(ctx context.Context, row ...any) (err error) {
	if b.args = append(b.args, row...); len(b.args) < rowsAtOnce*b.columns {
		return nil
	}
	if b.full == nil {
		if b.full, err = b.s.c.PrepareContext(ctx, b.text(rowsAtOnce)); err != nil {
			return err
		}
	}
	_, err = b.full.ExecContext(ctx, b.args...)
	b.args = b.args[:0]
	return err
}

func (b *bulk) text(rows int) string {
	row := "(" + strings.Repeat("?, ", b.columns-1) + "?)"
	return "INSERT INTO " + b.into + " VALUES " + strings.Repeat(row+", ", rows-1) + row
}

// flush inserts the rows that are left.
func (b *bulk) flush(ctx context.Context) (err error) {
	if b.full != nil {
		err = b.full.Close()
	}
	if len(b.args) > 0 {
		err = errors.Join(err, b.s.exec(ctx, b.text(len(b.args)/b.columns), b.args...))
	}
	return err
}
