package tables

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"rths/model/foreign"
	"rths/result/record"
)

// part is one file of a table of several.
type part struct {
	name  string // FILE in the names of its columns, FILE:COLUMN
	table *Table
}

// ReadAll reads files whose rows belong together, as recorders leave command and
// measurement in files of their own. One file is read as by Read. The first skip lines of texts are not read.
//
// The columns of several files are called FILE:COLUMN, as in daq.out:2. FILE is the file's
// name without its folder, or the path where two files have one name. columns is as for
// NewChooser. With "time=ctrl.out:1" in it, the other files must have a column 1 too, with the
// same times row by row. Rows beyond the end of the shortest file are left out then, and Notes
// says how many. Without a time the files must have the same number of rows.
//
// Errors: those of Read; a file given twice; a comma in a name; times that differ; another number of rows.
func ReadAll(paths []string, columns string, skip int) (*Table, error) {
	if skip < 0 {
		return nil, fmt.Errorf("--skip %d: want 0 or more lines", skip)
	}
	if len(paths) == 1 {
		return read(paths[0], skip)
	}
	names, err := partNames(paths)
	if err != nil {
		return nil, err
	}
	parts := make([]part, len(paths))
	for i, path := range paths {
		table, err := read(path, skip)
		if err != nil {
			return nil, err
		}
		parts[i] = part{names[i], table}
	}
	t := join(parts)
	if err := t.distinct(); err != nil {
		return nil, err
	}
	return t, t.align(timeIn(columns))
}

// partNames are short names of files, no two of them the same.
func partNames(paths []string) ([]string, error) {
	files := map[string]int{}
	for i, path := range paths {
		if slices.Contains(paths[:i], path) {
			return nil, fmt.Errorf("%s is given twice: want each file once", path)
		}
		files[filepath.Base(path)]++
	}
	names := make([]string, len(paths))
	for i, path := range paths {
		if names[i] = filepath.Base(path); files[names[i]] > 1 {
			names[i] = path
		}
		if strings.Contains(names[i], ",") {
			return nil, fmt.Errorf("%s: found a comma in the name, which separates columns in --columns: want a name "+
				"without comma", names[i])
		}
	}
	return names, nil
}

// join puts the columns of all parts side by side.
func join(parts []part) *Table {
	t := newTable()
	t.parts = parts
	for _, p := range parts {
		before := len(t.Names)
		for j, name := range p.table.Names {
			t.add(p.name+":"+name, p.table.Units[j], p.table.Columns[j])
		}
		for j, s := range p.table.strange {
			t.strange[before+j] = s
		}
		t.Understood = append(t.Understood, p.table.Understood...)
		t.Notes, t.Inputs = append(t.Notes, p.table.Notes...), append(t.Inputs, p.table.Inputs...)
	}
	t.line = func(column, row int) string {
		p, at := t.origin(column)
		return p.name + ": " + p.table.line(at, row)
	}
	return t
}

// Twin is a signal that two files have under one title.
type Twin struct {
	A, B  string // FILE:COLUMN
	table *Table
}

// Twins are the columns that two files have under one title, but for times and columns without a title.
func (t *Table) Twins() (out []Twin) {
	for i, name := range t.Names {
		title := t.title(i)
		if _, err := strconv.Atoi(title); err == nil || areTitles([]string{title}) {
			continue
		}
		for j := i + 1; j < len(t.Names); j++ {
			p, _ := t.origin(i)
			if q, _ := t.origin(j); p.name != q.name && t.title(j) == title && t.Units[i] == t.Units[j] {
				out = append(out, Twin{name, t.Names[j], t})
			}
		}
	}
	return out
}

// Signals reads both columns.
func (p Twin) Signals() (a, b record.Signal, err error) {
	if a, err = p.table.Signal(p.A); err == nil {
		b, err = p.table.Signal(p.B)
	}
	return a, b, err
}

// origin is the part of a column, and the column's place in it.
func (t *Table) origin(column int) (part, int) {
	for _, p := range t.parts {
		if column < len(p.table.Names) {
			return p, column
		}
		column -= len(p.table.Names)
	}
	return part{table: t}, column // a table of one file
}

// timeIn is the column of time in "time=ctrl.out:1,…", or "".
func timeIn(columns string) string {
	for item := range strings.SplitSeq(columns, ",") {
		if role, column, _ := strings.Cut(item, "="); strings.TrimSpace(role) == TimeRole.Name {
			name, _ := cutUnit(strings.TrimSpace(column))
			return name
		}
	}
	return ""
}

// rows is the length of the longest column.
func (p part) rows() (n int) {
	for _, c := range p.table.Columns {
		n = max(n, c.Len())
	}
	return n
}

// align checks that rows belong together, and cuts them to the length of the shortest part.
func (t *Table) align(time string) error {
	short := slices.MinFunc(t.parts, func(a, b part) int { return cmp.Compare(a.rows(), b.rows()) })
	for _, p := range t.parts {
		more := p.rows() > short.rows()
		if more && time == "" {
			return fmt.Errorf(
				"%s has %d rows and %s has %d: without times nothing says which rows belong together: want --columns time=%s, or "+
					"the same number of rows", short.name, short.rows(), p.name, p.rows(), t.Names[0])
		}
		if more {
			t.Notes = append(t.Notes, fmt.Sprintf("%s: %d of %d rows are left out: %s ends before them", p.name,
				p.rows()-short.rows(), p.rows(), short.name))
		}
	}
	if time == "" {
		return nil
	}
	if err := t.sameTimes(time); err != nil {
		return err
	}
	t.cut(short.rows())
	return nil
}

// sameTimes wants the times of one part in the column of the same name of each other.
func (t *Table) sameTimes(time string) error {
	times, err := t.Signal(time)
	if err != nil {
		return fmt.Errorf("time: %w", err)
	}
	at := slices.Index(t.Names, time)
	from, _ := t.origin(at)
	title := t.title(at)
	for _, p := range t.parts {
		others, err := t.Signal(p.name + ":" + title)
		if err != nil {
			return fmt.Errorf("time: %w; every file has its times in the column of one name, here %s", err, title)
		}
		for k := range min(times.Len(), others.Len()) {
			if other := others.At(k); other != times.At(k) {
				return fmt.Errorf(
					"time: in row %d found %g in %s and %g in %s: want the same times in all files: record with the same -dT and "+
						"-precision; if a file has no times (no -time), want --rate HZ in place of time=", k+1, times.At(k), from.name,
					other, p.name)
			}
		}
	}
	return nil
}

// cut leaves the first rows.
func (t *Table) cut(rows int) {
	for i, c := range t.Columns {
		t.Columns[i] = c.First(rows)
		if s, ok := t.strange[i]; ok && s.row >= rows {
			delete(t.strange, i)
		}
	}
}

// title is the name of a column in its file.
func (t *Table) title(at int) string {
	p, at := t.origin(at)
	return p.table.Names[at]
}

// find is the column of a name, of a title as the file writes it, with its unit in brackets, or of a position from 1;
// -1 is none.
func (t *Table) find(column string) int {
	if at := slices.Index(t.Names, column); at >= 0 {
		return at
	}
	plain := strings.NewReplacer(" ", "", "(", "[", ")", "]")
	for i, name := range t.Names {
		if t.Units[i] != "" && plain.Replace(name+"["+t.Units[i]+"]") == plain.Replace(column) {
			return i
		}
	}
	if at, err := strconv.Atoi(column); err == nil && len(t.parts) == 0 && at >= 1 && at <= len(t.Names) {
		return at - 1
	}
	return -1
}

// absent is the error of a column that is not there.
func (t *Table) absent(column string) error {
	for _, p := range t.parts {
		if title, ok := strings.CutPrefix(column, p.name+":"); ok {
			return fmt.Errorf("no column %s%s: %s %s", column, didYouMean(title, p.table.Names), p.name, p.table.has(title))
		}
	}
	if len(t.parts) > 0 {
		return fmt.Errorf("no column %s%s: want FILE:COLUMN, as in %s", column, didYouMean(column, t.Names), t.Names[0])
	}
	if open := strings.LastIndexAny(column, "[("); open > 0 {
		name, unit := strings.TrimSpace(column[:open]), strings.Trim(column[open:], "[]() ")
		if at := slices.Index(t.Names, name); at >= 0 && t.Units[at] != "" {
			return fmt.Errorf("no column %s: the file has %s in %s: want %s, or %s[%s] if the file is wrong", column, name,
				t.Units[at], name, name, unit)
		}
	}
	return fmt.Errorf("no column %s%s: %s", column, didYouMean(column, t.Names), t.holds(column))
}

// want is how a column is named.
func (t *Table) want() string {
	switch {
	case len(t.parts) > 0:
		return "FILE:COLUMN"
	case t.untitled():
		return "POSITION"
	}
	return "NAME"
}

// holds says which columns there are, and what is left out, where one was asked for.
func (t *Table) holds(asked string) string {
	if len(t.parts) == 0 {
		return "the file " + t.has(asked)
	}
	var out []string
	for _, p := range t.parts {
		out = append(out, p.name+" "+p.table.has(asked))
	}
	return strings.Join(out, "; ")
}

// has is holds for one file.
func (t *Table) has(asked string) string {
	if left := foreign.ListLeft(t.left, asked); left != "" {
		return t.lists() + "; " + left
	}
	return t.lists()
}

// lists lists the columns of one file, or the first of many.
func (t *Table) lists() string {
	const most = 30
	switch n := len(t.Names); {
	case t.untitled() && n == 1:
		return "has column 1, without title"
	case t.untitled():
		return fmt.Sprintf("has columns 1 to %d, without titles", n)
	case n > most:
		return fmt.Sprintf("has %s and %d more", strings.Join(t.Names[:most], ", "), n-most)
	}
	return "has " + strings.Join(t.Names, ", ")
}

// untitled reports whether the columns are called by their positions.
func (t *Table) untitled() bool {
	for i, name := range t.Names {
		if name != strconv.Itoa(i+1) {
			return false
		}
	}
	return true
}
