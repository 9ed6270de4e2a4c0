package tables

import (
	"bufio"
	"errors"
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

// textReader reads columns of text separated by semicolons, tabs, commas or
// blanks: whichever the first line that is not a comment has, in this order.
type textReader struct {
	table     *Table
	columns   [][]float64
	separator string // "" for blanks
	rows      int
	jumps     []jump // rows whose line does not follow the line of the row before
	titled    bool
	remarked  bool   // the last title is of remarks, which a row may lack
	recorder  bool   // the text has no titles: every line is a row
	comment   string // the last one before the first line
}

// jump is a row and its line, from 1.
type jump struct{ row, line int }

// A text of more than these is refused: what it holds would fill the memory.
const (
	maxText    = 4 << 30 // bytes
	maxNumbers = 1 << 27 // 1 GB
)

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
	return (&textReader{table: t}).read(from, bufio.ScanLines)
}

// read reads the lines that split finds.
func (r *textReader) read(from io.Reader, split bufio.SplitFunc) error {
	from, err := foreign.Text(from)
	if err != nil {
		return err
	}
	begin := bufio.NewReaderSize(from, mostHeading)
	free := 0
	if !r.recorder {
		head, _ := begin.Peek(mostHeading)
		if free = freeLines(string(head)); free > 0 {
			r.table.Notes = append(r.table.Notes,
				fmt.Sprintf("the first %d lines are a heading and are not read: titles stand in line %d", free, free+1))
		}
	}
	sc := bufio.NewScanner(begin)
	sc.Buffer(nil, 1<<20)
	sc.Split(split)
	for line := 1; sc.Scan(); line++ {
		text := strings.TrimSpace(sc.Text())
		if text == "" || line <= free {
			continue
		}
		if text[0] == '#' || text[0] == '%' {
			r.comment = strings.TrimLeft(text, "#% \t")
			continue
		}
		if err := r.take(text, line); err != nil {
			return err
		}
	}
	if err := sc.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			err = errors.New("a line longer than 1 MB: want a row of numbers a line")
		}
		return err
	}
	for _, values := range r.columns {
		r.table.Columns = append(r.table.Columns, record.SignalOf(values))
	}
	r.table.line = func(_, row int) string { return fmt.Sprintf("line %d", r.line(row)) }
	return nil
}

// line is the line of a row: rows stand on neighbouring lines but for jumps.
func (r *textReader) line(row int) int {
	last, _ := slices.BinarySearchFunc(r.jumps, row+1, func(j jump, row int) int { return j.row - row })
	j := r.jumps[last-1]
	return j.line + row - j.row
}

// take takes one line: titles, units or numbers.
func (r *textReader) take(text string, line int) error {
	t := r.table
	first := len(t.Names) == 0
	if first {
		r.separator = separatorOf(text)
	}
	fields := r.split(text)
	if r.remarked && len(fields) == len(t.Names)-1 {
		fields = append(fields, "")
	}
	switch {
	case first && !r.recorder && !anyNumber(fields):
		r.titled, r.remarked = true, isRemark(fields[len(fields)-1])
		r.begin(fields)
		return nil
	case first:
		names := r.split(r.comment)
		if len(names) != len(fields) || anyNumber(names) || r.recorder {
			names = make([]string, len(fields)) // begin numbers them
		}
		r.begin(names)
	case len(fields) != len(t.Names):
		return fmt.Errorf("line %d: found %d columns: want %d, as in the first line%s", line, len(fields), len(t.Names),
			r.advice(len(fields)))
	case r.titled && r.rows == 0 && !anyNumber(fields) && !slices.ContainsFunc(fields, decimalComma):
		return r.takeUnits(fields, line)
	}
	if (r.rows+1)*len(fields) > maxNumbers {
		return fmt.Errorf("line %d: want at most %d numbers: cut the file or thin it out", line, maxNumbers)
	}
	for i, f := range fields {
		v, err := strconv.ParseFloat(f, 64)
		switch {
		case f == "-nan": // as the C library prints it
			v = math.NaN()
		case err != nil:
			v = math.NaN()
			if _, found := t.strange[i]; !found {
				t.strange[i] = strange{r.rows, f}
			}
		}
		r.columns[i] = append(r.columns[i], v)
	}
	if r.rows == 0 || r.line(r.rows-1)+1 != line {
		r.jumps = append(r.jumps, jump{r.rows, line})
	}
	r.rows++
	return nil
}

// takeUnits takes the line of units below the titles.
func (r *textReader) takeUnits(fields []string, line int) error {
	isTitle := func(f string) bool { return slices.Contains(TimeRole.Usual, strings.ToLower(f)) }
	if r.table.Units != nil || slices.ContainsFunc(fields, isTitle) {
		return fmt.Errorf("line %d: found %.40q: want a row of numbers%s", line, fields[0], r.advice(len(fields)))
	}
	for _, f := range fields {
		r.table.Units = append(r.table.Units, strings.Trim(f, "[]() "))
	}
	return nil
}

// advice is for errors near the heading, in a line of so many columns.
func (r *textReader) advice(columns int) string {
	switch {
	case r.rows > 1:
		return ""
	case r.separator == "," && columns == 2*len(r.table.Names):
		return "; decimal commas: write decimal points"
	}
	return "; titles are one line, units may be one below, and # begins other lines of a heading"
}

// mostHeading is how far the titles are looked for, bytes.
const mostHeading = 64 << 10

// freeLines is the number of lines before the titles, where the text begins with others: titles are a line without
// numbers right above rows of as many fields, with units between at most. A text that begins with titles or rows has
// none, and neither has one in which a row stands above the titles: nothing that could be data is left out.
func freeLines(head string) int {
	lines := strings.Split(head, "\n")
	for i := range lines {
		if lines[i] = strings.TrimSpace(lines[i]); lines[i] != "" && strings.ContainsAny(lines[i][:1], "#%") {
			lines[i] = ""
		}
	}
	filled := func(l string) bool { return l != "" }
	for i := max(slices.IndexFunc(lines, filled), 0); i < len(lines); i++ {
		r := textReader{table: &Table{}, separator: separatorOf(lines[i])}
		titles := r.split(lines[i])
		if n := len(titles); n < 2 || anyNumber(titles) || !r.rowsBelow(lines[i+1:], n, isRemark(titles[n-1])) {
			continue
		}
		above := func(l string) bool {
			return filled(l) && strings.ContainsAny(l[:1], "0123456789+-.") && len(r.split(l)) == len(titles)
		}
		if slices.ContainsFunc(lines[:i], above) || !slices.ContainsFunc(lines[:i], filled) {
			return 0
		}
		return i
	}
	return 0
}

// rowsBelow reports whether lines begin with leastRows rows of n fields, after units at most;
// remarked rows may lack the last.
func (r *textReader) rowsBelow(lines []string, n int, remarked bool) bool {
	rows := 0
	for k, l := range lines {
		fields := r.split(l)
		switch number := anyNumber(fields) || slices.ContainsFunc(fields, decimalComma); {
		case rows == leastRows:
			return true
		case l == "" || k == 0 && !number && len(fields) == n:
		case number && (len(fields) == n || remarked && len(fields) == n-1):
			rows++
		default:
			return false
		}
	}
	return rows == leastRows
}

// leastRows below a line make it titles.
const leastRows = 3

// isRemark reports whether a title is of remarks.
func isRemark(title string) bool {
	return slices.Contains([]string{"comment", "comments", "event", "events", "marker", "markers", "note", "notes",
		"remark", "remarks"}, strings.ToLower(title))
}

// begin makes the columns. The position names a column without a title. No title is a number:
// see anyNumber.
func (r *textReader) begin(names []string) {
	t := r.table
	for i, n := range names {
		if n == "" {
			n = strconv.Itoa(i + 1)
		}
		t.Names = append(t.Names, n)
	}
	r.columns = make([][]float64, len(names))
}

func separatorOf(text string) string {
	for _, s := range []string{";", "\t", ","} {
		if strings.Contains(text, s) {
			return s
		}
	}
	return ""
}

// split cuts a line into fields without blanks and quotes around them; one empty
// field at the end is no column.
func (r *textReader) split(text string) []string {
	if r.separator == "" {
		return strings.Fields(text)
	}
	fields := strings.Split(text, r.separator)
	if n := len(fields); n > 1 && fields[n-1] == "" && n == len(r.table.Names)+1 {
		fields = fields[:n-1]
	}
	for i := range fields {
		fields[i] = strings.Trim(strings.TrimSpace(fields[i]), `"'`)
	}
	return fields
}

// decimalComma reports whether a field is a number but for its comma.
func decimalComma(f string) bool {
	_, err := strconv.ParseFloat(strings.Replace(f, ",", ".", 1), 64)
	return err == nil && strings.Contains(f, ",")
}

// anyNumber tells a row from titles: a stamp of date and time may stand beside
// the numbers.
func anyNumber(fields []string) bool {
	for _, f := range fields {
		if _, err := strconv.ParseFloat(f, 64); err == nil && !strings.EqualFold(f, "nan") && !strings.EqualFold(f, "inf") {
			return true
		}
	}
	return false
}
