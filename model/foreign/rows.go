package foreign

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Rows reads a text line by line, whose dialect it has found.
type Rows struct {
	Dialect
	Head string // the beginning of the text, up to 64 kB
	Text string // the line without blanks around it
	Line int    // its number, from 1

	sc *bufio.Scanner
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
	rows.sc.Buffer(nil, longestLine)
	if split != nil {
		rows.sc.Split(split)
	}
	return rows, nil
}

// Next reads a line; false is the end of the text, or an error.
func (r *Rows) Next() (bool, error) {
	if r.sc.Scan() {
		r.Line++
		r.Text = strings.TrimSpace(r.sc.Text())
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

// IsComment tells whether the line in Text is a comment as a whole.
func (r *Rows) IsComment() bool { return r.Text != "" && (r.Text[0] == '#' || r.Text[0] == '%') }
