package tables

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"
)

// readRecorder reads a file of a recorder of OpenSees or OpenFresco (-file, -fileCSV): rows
// of numbers without titles. The names of the columns are their positions: 1, 2, 3. A last
// line without its end was cut off, as where OpenSees was killed. Its last number may
// lack digits, so the line is left out, and a note says so.
func readRecorder(file *os.File, t *Table) error {
	if err := checkSize(file); err != nil {
		return err
	}
	return t.readRecorder(file)
}

func (t *Table) readRecorder(from io.Reader) error {
	var cut string
	r := &textReader{table: t, recorder: true}
	b := bufio.NewReader(from)
	if head, _ := b.Peek(looked); isBinary(head) { // an error of from comes again
		return errors.New("found binary data: want text, which a recorder of OpenSees writes with -file in place of -binary")
	}
	if err := r.read(b, wholeLines(&cut)); err != nil {
		return err
	}
	if cut != "" {
		t.Notes = append(t.Notes, fmt.Sprintf("the last row, %.40q, has no end of line: it was cut off and is left out", cut))
	}
	if r.store == nil || r.store.rows == 0 {
		return errors.New(
			"found no row: want the file of a recorder after OpenSees has ended, or after wipe, which writes what is left")
	}
	return nil
}

// looked is the number of bytes that tell binary data from text.
const looked = 512

// isBinary reports whether the beginning of a file has bytes that no text has.
func isBinary(head []byte) bool {
	for len(head) > 0 && utf8.FullRune(head) {
		r, size := utf8.DecodeRune(head)
		if r == 0 || r == utf8.RuneError && size == 1 {
			return true
		}
		head = head[size:]
	}
	return false
}

// wholeLines finds the lines that have an end, as bufio.ScanLines. cut gets a last line
// without one.
func wholeLines(cut *string) bufio.SplitFunc {
	return func(data []byte, atEOF bool) (int, []byte, error) {
		if atEOF && len(data) > 0 && bytes.IndexByte(data, '\n') < 0 {
			*cut = string(data)
			return len(data), nil, nil
		}
		return bufio.ScanLines(data, atEOF)
	}
}
