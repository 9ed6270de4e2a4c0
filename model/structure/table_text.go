package structure

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"rths"
	"rths/model/foreign"
)

// lines reads lines that hold something, and knows where it is.
type lines struct{ *foreign.Rows }

// newLines reads text of UTF-8, or UTF-16 with its mark.
func newLines(r io.Reader) (*lines, error) {
	rows, err := foreign.NewRows(r, nil)
	return &lines{rows}, err
}

// next is the next line without blanks around it; lines without text, and comments, are left out. ok
// is false at the end of the text.
func (l *lines) next(comments string) (text string, ok bool, err error) {
	for {
		if ok, err := l.Next(); !ok || err != nil {
			return "", false, err
		}
		if text = l.Text(); text != "" && !strings.ContainsAny(text[:1], comments) {
			return text, true, nil
		}
	}
}

func (l *lines) errorf(format string, args ...any) error {
	return fmt.Errorf("line %d: %w", l.Line, fmt.Errorf(format, args...))
}

// readRows reads rows of numbers in the dialect of the text. Lines that begin with # or % are left out.
func readRows(r io.Reader) (*Table, error) {
	l, err := newLines(r)
	if err != nil {
		return nil, err
	}
	t := &Table{}
	for {
		text, ok, err := l.next("#%")
		switch {
		case err != nil:
			return nil, err
		case !ok && t.rows == 0:
			return nil, errNoNumbers
		case !ok:
			return t, nil
		}
		fields := l.Split(text)
		if n := len(fields); n > 1 && fields[n-1] == "" {
			fields = fields[:n-1] // no column
		}
		if err := t.addRow(l, fields); err != nil {
			return nil, err
		}
	}
}

// addRow adds a row of numbers.
func (t *Table) addRow(l *lines, fields []string) error {
	if t.rows == 0 {
		t.cols = len(fields)
	}
	if len(fields) != t.cols {
		return l.errorf("found %d numbers: want %d, as in the first row", len(fields), t.cols)
	}
	if (t.rows+1)*t.cols > mostFull {
		return l.errorf("%w", errFull)
	}
	for i, f := range fields {
		v, err := l.Number(f)
		if err != nil || !rths.Finite(v) {
			return l.errorf("column %d: found %.40q: want a finite number%s", i+1, f, t.hint(f, l))
		}
		t.full = append(t.full, v)
	}
	t.rows++
	return nil
}

// number is a finite number.
func number(field string) (float64, error) {
	field = strings.TrimSpace(field)
	v, err := strconv.ParseFloat(field, 64)
	if err != nil || !rths.Finite(v) {
		return 0, fmt.Errorf("found %.40q: want a finite number", field)
	}
	return v, nil
}

// hint says what is wrong with a field in place of a number.
func (t *Table) hint(field string, l *lines) string {
	_, err := strconv.ParseFloat(strings.Replace(field, ",", ".", 1), 64)
	switch {
	case strings.Contains(field, ",") && err == nil:
		return " with a point before the decimals"
	case t.rows == 0 && l.Separator != 0 && field == "":
		return " between two separators"
	case t.rows == 0:
		return "; a line of titles begins with #"
	}
	return ""
}
