package foreign

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Rows reads a text line by line, whose dialect it has found.
type Rows struct {
	Dialect
	Head string // the beginning of the text, up to 64 kB
	Line int    // number of the line, from 1

	line []byte // without blanks around it
	sc   *bufio.Scanner
}

const (
	mostHeading = 64 << 10 // bytes in which the first rows are looked for
	longestLine = 1 << 20  // bytes: a row of 5000 numbers takes 0.15 MB
)

// NewRows reads text of UTF-8, or UTF-16 with its mark, and measurement files of LabVIEW as such text. split finds the
// lines; nil is bufio.ScanLines.
func NewRows(r io.Reader, split bufio.SplitFunc) (*Rows, error) {
	r, err := Text(r)
	if err != nil {
		return nil, err
	}
	begin := bufio.NewReaderSize(r, mostHeading)
	head, _ := begin.Peek(mostHeading) // an error of r comes again
	rows := &Rows{Dialect: DialectOf(string(head)), Head: string(head), sc: bufio.NewScanner(begin)}
	rows.sc.Buffer(make([]byte, mostHeading), longestLine)
	if split != nil {
		rows.sc.Split(split)
	}
	return rows, nil
}

// Next reads a line; false is the end of the text, or an error.
func (r *Rows) Next() (bool, error) {
	if r.sc.Scan() {
		r.Line++
		r.line = bytes.TrimSpace(r.sc.Bytes())
		return true, nil
	}
	err := r.sc.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = errors.New("longer than 1 MB: want a row of numbers in a line")
	}
	if err != nil {
		err = fmt.Errorf("line %d: %w", r.Line+1, err)
	}
	return false, err
}

// Text is the line without blanks around it.
func (r *Rows) Text() string { return string(r.line) }

// IsComment tells whether the line is a comment as a whole.
func (r *Rows) IsComment() bool { return len(r.line) > 0 && (r.line[0] == '#' || r.line[0] == '%') }
