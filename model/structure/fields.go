package structure

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"rths"
)

// fields reads a text line by line, of fields between spaces, and counts the lines for its errors.
type fields struct {
	name  string
	sc    *bufio.Scanner
	n     int // number of the line, from 1
	text  string
	words []string
}

const longestField = 1 << 16

func newFields(r io.Reader, name string) *fields {
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, longestField)
	return &fields{name: name, sc: sc}
}

// next reads a line; wanted says what stands there.
func (f *fields) next(wanted string) error {
	f.n++
	if !f.sc.Scan() {
		switch err := f.sc.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			return f.refuse("a line of more than %d characters: want %s", longestField, wanted)
		case err != nil:
			return f.refuse("%w", err)
		}
		return f.refuse("the file ends here: want %s; the whole file ends with the line end", wanted)
	}
	f.text = strings.TrimSpace(f.sc.Text())
	f.words = strings.Fields(f.text)
	return nil
}

// named reads a line that begins with a word, and so many fields after it.
func (f *fields) named(word string, behind int) error {
	if err := f.next("the line " + word); err != nil {
		return err
	}
	if len(f.words) != 1+behind || f.words[0] != word {
		return f.wrong(fmt.Sprintf("the word %s and %d fields after it", word, behind))
	}
	return nil
}

// count reads a line of a word and a whole number in a range.
func (f *fields) count(word string, least, most int) (int, error) {
	if err := f.named(word, 1); err != nil {
		return 0, err
	}
	return f.whole(1, least, most)
}

// whole is a field as a whole number in a range.
func (f *fields) whole(at, least, most int) (int, error) {
	v, err := strconv.Atoi(f.words[at])
	if err != nil || v < least || v > most {
		if least == most {
			return 0, f.wrong(fmt.Sprintf("%d in field %d", least, at+1))
		}
		return 0, f.wrong(fmt.Sprintf("a whole number from %d to %d in field %d", least, most, at+1))
	}
	return v, nil
}

// number is a field as a finite number.
func (f *fields) number(at int) (float64, error) {
	v, err := strconv.ParseFloat(f.words[at], 64)
	if err != nil || !rths.Finite(v) {
		return 0, f.wrong(fmt.Sprintf("a finite number in field %d", at+1))
	}
	return v, nil
}

// wrong is the error of a line.
func (f *fields) wrong(wanted string) error {
	return f.refuse("found %.80q: want %s", f.text, wanted)
}

// refuse is an error at the line.
func (f *fields) refuse(format string, args ...any) error {
	return fmt.Errorf("%s: line %d: "+format, append([]any{f.name, f.n}, args...)...)
}
