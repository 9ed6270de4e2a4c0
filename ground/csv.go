package ground

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"rths"
	"rths/foreign"
)

// ReadCSV reads two columns of text, time and acceleration: separated by
// semicolons, commas, tabs or blanks, one sample a line. Blank lines and text behind #
// or % are skipped. Titles, as in "time_s,accel_m_s2", may stand in the first line or
// in the comment before the numbers, and units in a line below them. Times must be
// uniform (see the message of the error for the tolerance) and may start anywhere; with
// want.Dt there are none.
//
// Units are those that the titles state (time_ms, accel_g, "a [cm/s2]"), else s and m/s²,
// which Notes say. want.Unit stands for a title that states none; one that contradicts the
// title is an error.
func ReadCSV(r io.Reader, name string, want Want) (Motion, error) {
	if want.Dt != 0 {
		return readValues(r, name, want.Dt, want.Unit)
	}
	t := table{name: name}
	titles, err := readRows(r, name, t.add)
	if err != nil {
		return Motion{}, err
	}
	s := series{name: name, t: t.t, a: t.a, where: func(i int) string { return fmt.Sprintf("line %d", t.lines[i]) }}
	if err := s.takeTimeUnit(titles); err != nil {
		return Motion{}, fmt.Errorf("%s: %w", name, err)
	}
	factor, stated, err := chooseUnit(want.Unit, last(titles))
	if err != nil {
		return Motion{}, fmt.Errorf("%s: %w", name, err)
	}
	m, err := s.motion(factor)
	if err != nil {
		return Motion{}, err
	}
	m.title, m.Notes = last(titles), assumed(m, !s.noUnit, stated)
	return m, nil
}

// table has the numbers of a two-column text.
type table struct {
	name  string
	t, a  []float64
	lines []int32 // line number of each sample, from 1
}

// readRows calls row with the fields of each line of numbers, and returns the titles,
// none if there are none.
func readRows(r io.Reader, name string, row func(fields []string, line int) error) (titles []string, err error) {
	r, err = foreign.Text(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 1<<20)
	h := heading{}
	line := 0
	for sc.Scan() {
		line++
		fields := splitLine(sc.Text())
		if len(fields) == 0 {
			h.comment = cmp.Or(strings.TrimSpace(sc.Text()), h.comment)
			continue
		}
		if h.ended || !isTitle(fields) {
			h.end(len(fields))
			err = row(fields, line)
		} else {
			err = h.take(fields, line)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", name, line, err)
		}
	}
	if err := sc.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("%s: line %d: longer than 1 MB: want two numbers a line", name, line+1)
	} else if err != nil {
		return nil, fmt.Errorf("%s: line %d: %w", name, line+1, err)
	}
	return h.titles, nil
}

// add appends the sample of one line.
func (tb *table) add(fields []string, line int) error {
	if err := tb.wantTwo(fields); err != nil {
		return err
	}
	var v [2]float64
	for i, f := range fields {
		x, err := parseNumber(f)
		if err != nil {
			return err
		}
		v[i] = x
	}
	tb.t, tb.a, tb.lines = append(tb.t, v[0]), append(tb.a, v[1]), append(tb.lines, int32(line))
	return nil
}

// wantTwo refuses lines of other than two fields.
func (tb *table) wantTwo(fields []string) error {
	switch n := len(fields); {
	case n == 2 && len(tb.t) == maxSamples:
		return fmt.Errorf("want at most %d samples", maxSamples)
	case n == 2:
		return nil
	case n == 1 && len(tb.t) == 0:
		return errors.New("found one column, want time and acceleration; accelerations alone need their time step (dt_s of a ground motion, --dt of rths ground)")
	case len(tb.t) == 0 && decimalCommas(fields):
		return fmt.Errorf("found %d columns, want 2: time and acceleration; decimal commas: write decimal points", n)
	default:
		return fmt.Errorf("found %d columns, want 2: time and acceleration", n)
	}
}

// decimalCommas tells whether a line was cut at decimal commas: "0,02,0,15" is four whole
// numbers then, and "0,02 0,15" has a blank between digits.
func decimalCommas(fields []string) bool {
	whole := len(fields) == 4
	for _, f := range fields {
		whole = whole && strings.Trim(f, "+-0123456789") == ""
	}
	return whole || len(fields) == 3 && len(strings.Fields(fields[1])) == 2
}

// splitLine cuts a line into fields at its semicolons, else its commas, else
// its blanks, and drops comments, quotes and one empty last field.
func splitLine(s string) []string {
	s = strings.TrimSpace(s[:comment(s)])
	var fields []string
	switch {
	case s == "":
		return nil
	case strings.Contains(s, ";"):
		fields = strings.Split(s, ";")
	case strings.Contains(s, ","):
		fields = strings.Split(s, ",")
	default:
		fields = joinBrackets(strings.Fields(s))
	}
	if n := len(fields); n > 1 && strings.TrimSpace(fields[n-1]) == "" {
		fields = fields[:n-1]
	}
	for i := range fields {
		fields[i] = strings.Trim(strings.TrimSpace(fields[i]), `"`)
	}
	return fields
}

// comment is where the comment of a line begins; the unit [%g] is none.
func comment(s string) int {
	for i := range len(s) {
		if s[i] == '#' || s[i] == '%' && (i == 0 || s[i-1] != '[' && s[i-1] != '(') {
			return i
		}
	}
	return len(s)
}

// isTitle tells whether no field of a line is a number.
func isTitle(fields []string) bool {
	for _, f := range fields {
		if _, err := strconv.ParseFloat(f, 64); !errors.Is(err, strconv.ErrSyntax) || f == "" {
			return false
		}
	}
	return true
}

// parseNumber is a finite number, or an error that shows what stands there.
func parseNumber(s string) (float64, error) {
	x, err := strconv.ParseFloat(s, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("found %.40q, want a number that double precision holds", s)
	case err != nil && strings.Contains(s, ","):
		return 0, fmt.Errorf("found %.40q, want a number with a decimal point", s)
	case err != nil:
		return 0, fmt.Errorf("found %.40q, want a number", s)
	case !rths.Finite(x):
		return 0, fmt.Errorf("found %s, want a finite number", s)
	}
	return x, nil
}
