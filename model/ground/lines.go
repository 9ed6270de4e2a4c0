package ground

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// lines reads a text file line by line and knows where it is.
type lines struct {
	name  string
	sc    *bufio.Scanner
	n     int    // number of the line in text, from 1
	text  string // without the end of the line
	again bool   // text is to be read once more
	err   error
}

// newLines reads lines of at most 1 MB; name stands in the errors.
func newLines(r io.Reader, name string) *lines {
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, maxLine)
	return &lines{name: name, sc: sc}
}

// maxLine is the longest line, in bytes.
const maxLine = 1 << 20

// lineError says in words that a line is too long.
func lineError(err error) error {
	if errors.Is(err, bufio.ErrTooLong) {
		return errors.New("longer than 1 MB: want a text file")
	}
	return err
}

// next reads the next line; false is the end of the file or err.
func (l *lines) next() bool {
	if l.again {
		l.again = false
		return true
	}
	if l.err != nil {
		return false
	}
	l.n++
	if !l.sc.Scan() {
		l.err = lineError(l.sc.Err())
		l.text = ""
		return false
	}
	l.text = strings.TrimRight(l.sc.Text(), " \t\r\x1a")
	return true
}

// nextFilled reads the next line that is not blank.
func (l *lines) nextFilled() bool {
	for l.next() {
		if l.text != "" {
			return true
		}
	}
	return false
}

// wantEnd refuses a line after the last one.
func (l *lines) wantEnd(what string) error {
	if l.nextFilled() {
		return l.errorf("found %.40q, want the end after %s", l.text, what)
	}
	if l.err != nil {
		return l.ended("the end after " + what)
	}
	return nil
}

// back lets next read the line again.
func (l *lines) back() { l.again = true }

// errorf is an error in the line in text.
func (l *lines) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: line %d: %w", l.name, l.n, fmt.Errorf(format, args...))
}

// ended is the error of a file that ends where more was wanted.
func (l *lines) ended(want string) error {
	if l.err != nil {
		return l.errorf("%w", l.err)
	}
	return l.errorf("the file ends, want %s", want)
}
