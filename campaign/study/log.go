package study

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"rths"
	"rths/method/criteria"
)

// The log of a study is a text of lines: a heading, then lists of names and rows, as runs end.
// Fields are separated by tabulators:
//
//	rths rows 2  IDENTITY
//	names        NAME …
//	row          RUN  LIST  STATUS  VERDICT  WALL_S  SIMULATED_S  "REASON"  "WARNINGS"  VALUE …
//
// RUN counts from 1, LIST the lines names from 0. Numbers have all their digits. Each line is written at
// once: a program that is killed leaves whole lines, and an incomplete last line is taken away
// when the study goes on.
const (
	logHeading = "rths rows 2"
	longestRow = 1 << 20
)

// errOther is the error of a log that belongs to another study.
var errOther = errors.New("another study")

func appendHeading(line []byte, identity string) []byte {
	return append(append(append(line, logHeading+"\t"...), identity...), '\n')
}

func appendNames(line []byte, names []string) []byte {
	line = append(line, "names"...)
	for _, name := range names {
		line = append(append(line, '\t'), name...)
	}
	return append(line, '\n')
}

func appendRow(line []byte, row *Row, set int, values []float64) []byte {
	line = append(line, "row\t"...)
	line = append(strconv.AppendInt(line, int64(row.Run)+1, 10), '\t')
	line = append(strconv.AppendInt(line, int64(set), 10), '\t')
	line = append(append(line, row.Status...), '\t')
	line = append(append(line, row.Verdict...), '\t')
	line = append(strconv.AppendFloat(line, row.WallS, 'g', -1, 64), '\t')
	line = append(strconv.AppendFloat(line, row.SimulatedS, 'g', -1, 64), '\t')
	line = append(strconv.AppendQuote(line, row.Reason), '\t')
	line = strconv.AppendQuote(line, row.Warnings)
	for _, v := range values {
		line = strconv.AppendFloat(append(line, '\t'), v, 'g', -1, 64)
	}
	return append(line, '\n')
}

// longestText bounds a reason in the log.
const longestText = 4000

func cut(text string) string {
	if len(text) <= longestText {
		return text
	}
	return strings.ToValidUTF8(text[:longestText], "") + " …"
}

// readLog reads the rows of a log into the table, and returns the length of its whole lines; 0 of
// a log without its heading.
func readLog(r io.Reader, identity string, t *Table) (whole int64, err error) {
	in := bufio.NewReaderSize(r, longestRow)
	for n := 1; ; n++ {
		line, err := in.ReadSlice('\n')
		if err == io.EOF { // an incomplete last line
			return whole, nil
		}
		if err != nil {
			return whole, fmt.Errorf("line %d: %w", n, err)
		}
		if err := t.read(line[:len(line)-1], n, identity); err != nil {
			return whole, fmt.Errorf("line %d: %w", n, err)
		}
		whole += int64(len(line))
	}
}

// read takes one line.
func (t *Table) read(line []byte, n int, identity string) error {
	word, rest, _ := bytes.Cut(line, []byte{'\t'})
	switch {
	case n == 1 && string(word) != logHeading:
		return fmt.Errorf("found %.40q: want %q", word, logHeading)
	case n == 1 && string(rest) != identity:
		return errOther
	case n == 1:
	case string(word) == "names":
		names := strings.Split(string(rest), "\t")
		if len(rest) == 0 {
			names = []string{}
		}
		t.sets = append(t.sets, names)
	case string(word) == "row":
		return t.readRow(rest)
	default:
		return fmt.Errorf("found %.40q: want names or row", word)
	}
	return nil
}

func (t *Table) readRow(line []byte) error {
	var f [8][]byte // run, list, status, verdict, wall, simulated, reason, warnings
	for i := range f {
		f[i], line, _ = bytes.Cut(line, []byte{'\t'})
	}
	run, err1 := strconv.Atoi(string(f[0]))
	set, err2 := strconv.Atoi(string(f[1]))
	wall, err3 := strconv.ParseFloat(string(f[4]), 64)
	simulated, err4 := strconv.ParseFloat(string(f[5]), 64)
	reason, err5 := strconv.Unquote(string(f[6]))
	warnings, err6 := strconv.Unquote(string(f[7]))
	if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
		return fmt.Errorf("row: %w", err)
	}
	run--
	if run < 0 || run >= len(t.rows) || set < 0 || set >= len(t.sets) {
		return fmt.Errorf("row: run %d of %d, list %d of %d: want numbers that there are", run+1, len(t.rows), set,
			len(t.sets))
	}
	s := stored{Row: Row{Run: run, Status: word(f[2]), Verdict: word(f[3]), WallS: wall, SimulatedS: simulated,
		Reason: reason, Warnings: warnings}, set: set}
	s.values = make([]float64, 0, len(t.sets[set]))
	for len(line) > 0 {
		var cell []byte
		cell, line, _ = bytes.Cut(line, []byte{'\t'})
		v, err := strconv.ParseFloat(string(cell), 64)
		if err != nil {
			return fmt.Errorf("row: %w", err)
		}
		s.values = append(s.values, v)
	}
	if len(s.values) != len(t.sets[set]) {
		return fmt.Errorf("row of run %d: %d values: want %d, as list %d has names", run+1, len(s.values), len(t.sets[set]),
			set)
	}
	t.keep(s)
	return nil
}

// outcomes are the words of a status and of a verdict, so that rows share them.
var outcomes = []string{
	rths.Completed, rths.Tripped, rths.Diverged, rths.Failed, rths.Refused, criteria.Good, criteria.Poor, criteria.Lost,
}

func word(text []byte) string {
	if i := slices.Index(outcomes, string(text)); i >= 0 {
		return outcomes[i]
	}
	return string(text)
}

// openLog opens the log of a study that goes on, reads its rows, and takes an incomplete last
// line away.
func openLog(path, identity string, t *Table) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	err = lock(file)
	if err == nil {
		var whole int64
		whole, err = readLog(file, identity, t)
		if err == nil {
			_, seek := file.Seek(whole, io.SeekStart)
			err = errors.Join(file.Truncate(whole), seek)
		}
		if err == nil && whole == 0 { // the program was killed before its first line
			_, err = file.Write(appendHeading(nil, identity))
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	return file, nil
}
