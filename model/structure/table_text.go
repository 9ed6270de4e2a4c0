package structure

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"rths"
	"rths/model/foreign"
)

// lines reads lines that hold something, and knows where it is.
type lines struct {
	sc *bufio.Scanner
	n  int // number of the line in text, from 1
}

// newLines reads text of UTF-8, or UTF-16 with its mark.
func newLines(r io.Reader) (*lines, error) {
	r, err := foreign.Text(r)
	if err != nil {
		return nil, err
	}
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, longestLine)
	return &lines{sc: sc}, nil
}

// longestLine is the most bytes of a line: a row of 5000 numbers takes 0.15 MB.
const longestLine = 4 << 20

// next is the next line without blanks around it; lines without text, and comments, are left out. ok
// is false at the end of the text.
func (l *lines) next(comments string) (text string, ok bool, err error) {
	for l.sc.Scan() {
		l.n++
		text = strings.TrimSpace(l.sc.Text())
		if text != "" && !strings.ContainsAny(text[:1], comments) {
			return text, true, nil
		}
	}
	if err := l.sc.Err(); errors.Is(err, bufio.ErrTooLong) {
		return "", false, fmt.Errorf("line %d is longer than %d MB: want a row of a matrix in a line", l.n+1, longestLine>>20)
	} else if err != nil {
		return "", false, err
	}
	return "", false, nil
}

func (l *lines) errorf(format string, args ...any) error {
	return fmt.Errorf("line %d: %w", l.n, fmt.Errorf(format, args...))
}

// readRows reads rows of numbers that semicolons, tabs, commas or blanks separate. The whole text has one separator,
// the first of these that the first row has. Lines that begin with # or % are left out. Decimals follow a point.
func readRows(r io.Reader) (*Table, error) {
	l, err := newLines(r)
	if err != nil {
		return nil, err
	}
	t, separator := &Table{}, ""
	for {
		text, ok, err := l.next("#%")
		switch {
		case err != nil:
			return nil, err
		case !ok && t.rows == 0:
			return nil, errNoNumbers
		case !ok:
			return t, nil
		case t.rows == 0:
			separator = separatorOf(text)
		}
		if err := t.addRow(l, splitRow(text, separator), separator); err != nil {
			return nil, err
		}
	}
}

// separatorOf is the separator of a row; "" is blanks.
func separatorOf(row string) string {
	for _, s := range []string{";", "\t", ","} {
		if strings.Contains(row, s) {
			return s
		}
	}
	return ""
}

// splitRow cuts a row; an empty field at its end is no column.
func splitRow(row, separator string) []string {
	if separator == "" {
		return strings.Fields(row)
	}
	fields := strings.Split(row, separator)
	if n := len(fields); n > 1 && strings.TrimSpace(fields[n-1]) == "" {
		fields = fields[:n-1]
	}
	return fields
}

// addRow adds a row of numbers.
func (t *Table) addRow(l *lines, fields []string, separator string) error {
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
		v, err := number(f)
		if err != nil {
			return l.errorf("column %d: %w%s", i+1, err, rowHint(f, t.rows, separator))
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

// rowHint says what is wrong with a field in place of a number.
func rowHint(field string, row int, separator string) string {
	_, err := strconv.ParseFloat(strings.Replace(strings.TrimSpace(field), ",", ".", 1), 64)
	switch {
	case strings.Contains(field, ",") && err == nil:
		return " with a point before the decimals"
	case row == 0 && separator != "" && strings.TrimSpace(field) == "":
		return " between two separators"
	case row == 0:
		return "; a line of titles begins with #"
	}
	return ""
}
