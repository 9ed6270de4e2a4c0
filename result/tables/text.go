package tables

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"rths/model/foreign"
	"rths/result/record"
)

// textReader reads the columns of a text.
type textReader struct {
	*foreign.Rows
	heading
	table    *Table
	store    *store
	row      []float64
	clocks   map[int]*foreign.Clock // of the columns that hold times of day
	jumps    []jump                 // rows whose line does not follow the line of the row before
	recorder bool                   // the text has no titles: every line is a row
	comment  string                 // the last one before the first line
}

// jump is a row and its line, from 1.
type jump struct{ row, line int }

// maxText is the most bytes of a text.
const maxText = 4 << 30

// readText reads titles, if there are any, a line of units, if there is one, and
// rows of numbers. Blank lines and lines that begin with # or % are skipped; where there
// are no titles, such a line just before the numbers that has as many words is them, as
// NumPy writes it. A column without a title is called by its position, from 1.
func readText(file *os.File, t *Table) error {
	if err := checkSize(file); err != nil {
		return err
	}
	return t.readText(file)
}

func checkSize(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if info.Size() > maxText {
		return fmt.Errorf("found %.4g MB of text: want at most %.4g MB; cut or thin it out", float64(info.Size())/1e6,
			maxText/1e6)
	}
	return nil
}

func (t *Table) readText(from io.Reader) error {
	return (&textReader{table: t}).read(from, nil)
}

// read reads the lines that split finds.
func (r *textReader) read(from io.Reader, split bufio.SplitFunc) (err error) {
	if r.Rows, err = foreign.NewRows(from, split); err != nil {
		return err
	}
	if !r.recorder {
		r.heading = headingOf(r.Rows, r.table.skip)
	}
	r.free = max(r.free, r.table.skip)
	for {
		ok, err := r.Next()
		if err != nil {
			r.store.discard()
			return err
		}
		if !ok {
			break
		}
		if r.Line <= r.free {
			continue
		}
		if r.store != nil && len(r.clocks) == 0 && r.Numbers(r.row) {
			err = r.keep()
		} else {
			err = r.take()
		}
		if err != nil {
			r.store.discard()
			return fmt.Errorf("line %d: %w", r.Line, err)
		}
	}
	r.table.line = func(_, row int) string { return fmt.Sprintf("line %d", r.lineOf(row)) }
	if r.store == nil {
		return nil
	}
	if r.store.rows == 0 && !r.recorder {
		return fmt.Errorf("line %d: titles, and no row of numbers below them: want rows", r.titles)
	}
	r.table.Understood = append(r.table.Understood, r.understood())
	return r.store.end(r.table)
}

// understood is what the text was taken for, in one line.
func (r *textReader) understood() string {
	s := r.Of(len(r.table.Names))
	if r.free > 0 {
		s += fmt.Sprintf("; the first %d lines are a heading and are not read", r.free)
	}
	if r.titles > 0 {
		s += fmt.Sprintf("; titles in line %d", r.titles)
	}
	if r.units > 0 {
		s += fmt.Sprintf(", units in line %d", r.units)
	}
	if n := r.store.rows; n > 0 {
		s += fmt.Sprintf("; rows from line %d: %d", r.lineOf(0), n)
	}
	for i := range len(r.table.Names) {
		if r.clocks[i] != nil {
			s += fmt.Sprintf("; column %s is a time of day, read as seconds after its first", r.table.Names[i])
		}
	}
	return s
}

// lineOf is the line of a row: rows stand on neighbouring lines but for jumps.
func (r *textReader) lineOf(row int) int {
	last, _ := slices.BinarySearchFunc(r.jumps, row+1, func(j jump, row int) int { return j.row - row })
	j := r.jumps[last-1]
	return j.line + row - j.row
}

// take takes one line: nothing, a comment, titles, units or numbers.
func (r *textReader) take() error {
	t, text := r.table, r.Text()
	if text == "" {
		return nil
	}
	if r.IsComment() {
		r.comment = strings.TrimLeft(text, "#% \t")
		return nil
	}
	fields := r.Split(text)
	if n := len(fields); n > 1 && n == len(t.Names)+1 && fields[n-1] == "" {
		fields = fields[:n-1] // no column
	}
	switch first := len(t.Names) == 0; {
	case first && !r.recorder && !r.anyNumber(fields):
		r.titles = r.Line
		return r.begin(r.titled(fields))
	case first:
		names := r.Split(r.comment)
		if len(names) != len(fields) || r.anyNumber(names) || r.recorder {
			names = make([]string, len(fields)) // begin numbers them
		}
		if err := r.begin(names); err != nil {
			return err
		}
	case r.remarked && len(fields) == len(t.Names)-1:
		fields = append(fields, "")
	case len(fields) != len(t.Names):
		return fmt.Errorf("found %d columns: want %d, as in the first line%s", len(fields), len(t.Names),
			r.advice(len(fields)))
	case r.titles > 0 && r.store.rows == 0 && !r.anyNumber(fields):
		return r.takeUnits(fields)
	}
	for i, f := range fields {
		v, err := r.value(i, f)
		if err != nil {
			v = math.NaN()
			if _, found := t.strange[i]; !found {
				t.strange[i] = strange{r.store.rows, f}
			}
		}
		r.row[i] = v
	}
	return r.keep()
}

// keep keeps the row.
func (r *textReader) keep() error {
	if r.store.rows == 0 || r.lineOf(r.store.rows-1)+1 != r.Line {
		r.jumps = append(r.jumps, jump{r.store.rows, r.Line})
	}
	return r.store.add(r.row)
}

// titled is the titles of the line: commas or semicolons may separate them, and blanks the numbers.
func (r *textReader) titled(fields []string) []string {
	for _, separator := range []byte{';', ','} {
		if by := (foreign.Dialect{Separator: separator}); r.Separator == 0 && len(by.Split(r.Text())) == r.columns {
			return by.Split(r.Text())
		}
	}
	return fields
}

// value is the number in a field, or the time of day there as seconds after the first of its column.
func (r *textReader) value(column int, field string) (float64, error) {
	if c := r.clocks[column]; c != nil {
		if v, ok := c.Seconds(field); ok {
			return v, nil
		}
		return 0, strconv.ErrSyntax
	}
	v, err := r.Number(field)
	switch {
	case err == nil:
		return v, nil
	case field == "-nan": // as the C library prints it
		return math.NaN(), nil
	case r.store.rows == 0 && !r.recorder:
		if c := foreign.NewClock(field); c != nil {
			r.clocks[column] = c
			if r.table.Units == nil {
				r.table.Units = make([]string, len(r.table.Names))
			}
			r.table.Units[column] = "s"
			return 0, nil
		}
	}
	return 0, err
}

// takeUnits takes the line of units below the titles.
func (r *textReader) takeUnits(fields []string) error {
	isTitle := func(f string) bool { return slices.Contains(TimeRole.Usual, strings.ToLower(f)) }
	if r.table.Units != nil || slices.ContainsFunc(fields, isTitle) {
		return fmt.Errorf("found %.40q: want a row of numbers%s", fields[0], r.advice(len(fields)))
	}
	r.units = r.Line
	for _, f := range fields {
		r.table.Units = append(r.table.Units, strings.Trim(f, "[]() "))
	}
	return nil
}

// advice is for errors near the heading, in a line of so many columns.
func (r *textReader) advice(columns int) string {
	switch {
	case r.store.rows > 1:
		return ""
	case r.Separator == ',' && columns == 2*len(r.table.Names):
		return "; decimal commas: write decimal points, or another separator"
	}
	return "; titles are one line, units may be one below, and # begins other lines of a heading; --skip leaves lines out"
}

// begin makes the columns. The position names a column without a title. No title is a number:
// see anyNumber.
func (r *textReader) begin(names []string) error {
	for i, n := range names {
		if n == "" {
			n = strconv.Itoa(i + 1)
		}
		r.table.Names = append(r.table.Names, n)
	}
	r.remarked = r.titles > 0 && isRemark(names[len(names)-1])
	r.row, r.clocks, r.store = make([]float64, len(names)), map[int]*foreign.Clock{}, newStore(len(names))
	return nil
}

// heading is the lines before the rows.
type heading struct {
	columns  int  // fields of the rows; 0: there are none
	free     int  // lines that are no titles, before them
	titles   int  // line of the titles; 0: none
	units    int  // line of the units; 0: none
	remarked bool // the last title is of remarks, which a row may lack
}

// headingOf finds the titles of a text that begins with other lines: rows are the last lines of the beginning, of one
// number of fields, and the titles a line of as many fields without numbers right above, with units between at most.
// Nothing that could be data is left out: a text in which a row stands above the titles has no free lines but those
// that are to be passed over.
func headingOf(rows *foreign.Rows, skip int) heading {
	type line struct {
		at     int // from 0
		fields []string
		number bool
	}
	var lines []line
	texts := strings.SplitAfter(rows.Head, "\n")
	for at, text := range texts {
		whole := at < len(texts)-1 || !strings.HasSuffix(text, "\n") && len(texts) < 100
		if text = strings.TrimSpace(text); text != "" && at >= skip && whole && !strings.ContainsAny(text[:1], "#%") {
			fields := rows.Split(text)
			lines = append(lines, line{at, fields, anyNumber(rows.Dialect, fields)})
		}
	}
	if len(lines) == 0 {
		return heading{}
	}
	first := len(lines)
	for first > 0 && lines[first-1].number {
		first--
	}
	if len(lines)-first < leastRows {
		return heading{columns: len(lines[len(lines)-1].fields)}
	}
	n := len(lines[first+1].fields) // the first row alone may have a remark
	has := func(i int) bool {
		return i >= 0 && !lines[i].number && (len(lines[i].fields) == n || len(lines[i].fields) == n+1)
	}
	titles := first - 1
	if has(first-2) && has(first-1) && !areTitles(lines[first-1].fields) {
		titles = first - 2
	}
	if !has(titles) || titles == 0 || n < 2 {
		return heading{columns: n}
	}
	if f := lines[titles].fields; len(f) > n && !isRemark(f[n]) {
		return heading{columns: n}
	}
	for _, l := range lines[:titles] {
		if l.number && len(l.fields) >= n-1 && strings.ContainsAny(l.fields[0][:min(1, len(l.fields[0]))], "0123456789+-.") {
			return heading{columns: n}
		}
	}
	return heading{columns: n, free: lines[titles].at}
}

// areTitles tells whether a field is a usual name of times.
func areTitles(fields []string) bool {
	return slices.ContainsFunc(fields, func(f string) bool {
		bare, _ := unitInName(f, TimeRole.Quantity)
		return slices.Contains(TimeRole.Usual, bareName(bare))
	})
}

// leastRows below a line make it titles.
const leastRows = 3

// isRemark reports whether a title is of remarks.
func isRemark(title string) bool {
	return slices.Contains([]string{"comment", "comments", "event", "events", "marker", "markers", "note", "notes",
		"remark", "remarks"}, strings.ToLower(title))
}

func (r *textReader) anyNumber(fields []string) bool { return anyNumber(r.Dialect, fields) }

// anyNumber tells a row from titles: a time of day may stand beside the numbers.
func anyNumber(d foreign.Dialect, fields []string) bool {
	for _, f := range fields {
		if _, err := d.Number(f); err == nil && !strings.EqualFold(f, "nan") && !strings.EqualFold(f, "inf") {
			return true
		}
	}
	return false
}

// store keeps rows: in memory, and in a file of the temporary folder where there are many.
type store struct {
	columns [][]float64
	spool   *record.Spool // nil: all rows are in memory
	rows    int
}

// mostInMemory is the most numbers of a table that are in memory: 32 MB.
var mostInMemory = 1 << 22

func newStore(columns int) *store { return &store{columns: make([][]float64, columns)} }

// add adds a row.
func (s *store) add(row []float64) error {
	s.rows++
	if s.spool != nil {
		return s.spool.Append(row)
	}
	for i, v := range row {
		s.columns[i] = append(s.columns[i], v)
	}
	if s.rows*len(row) < mostInMemory {
		return nil
	}
	names := make([]string, len(row))
	for i := range names {
		names[i] = strconv.Itoa(i + 1)
	}
	var err error
	if s.spool, err = record.NewSpool(names); err != nil {
		return err
	}
	for k := range s.rows {
		for i := range row {
			row[i] = s.columns[i][k]
		}
		if err := s.spool.Append(row); err != nil {
			return err
		}
	}
	s.columns = nil
	return nil
}

// discard removes what is kept.
func (s *store) discard() {
	if s != nil && s.spool != nil {
		s.spool.Discard()
	}
}

// end gives the rows to the table.
func (s *store) end(t *Table) error {
	for _, values := range s.columns {
		t.Columns = append(t.Columns, record.SignalOf(values))
	}
	if s.spool == nil {
		return nil
	}
	a, err := s.spool.Archive()
	if err != nil {
		return err
	}
	for _, c := range a.Columns {
		column, _ := a.Signal(c.Name)
		t.Columns = append(t.Columns, column)
	}
	t.archive, t.spooled = a, true
	return nil
}
