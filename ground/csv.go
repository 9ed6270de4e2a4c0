package ground

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"rths"
)

// ReadCSV reads two columns of text, time in s and acceleration: separated by
// semicolons, commas, tabs or blanks, one sample a line. Blank lines and text behind #
// or % are skipped; the first line may be a title line, as in
// "time_s,accel_m_s2". Times must be uniform (see the message of the error for
// the tolerance) and may start anywhere; with want.Dt there are none.
//
// Without a unit it is the one that the title states (accel_g, "a [cm/s2]"), else
// m/s². A unit that contradicts the title is an error.
func ReadCSV(r io.Reader, name string, want Want) (Motion, error) {
	if want.Dt != 0 {
		return readValues(r, name, want.Dt, want.Unit)
	}
	t := table{name: name}
	if err := t.read(r); err != nil {
		return Motion{}, err
	}
	factor, err := chooseUnit(want.Unit, t.unit)
	if err != nil {
		return Motion{}, fmt.Errorf("%s: %w", name, err)
	}
	s := series{name: name, t: t.t, a: t.a, where: func(i int) string { return fmt.Sprintf("line %d", t.lines[i]) }}
	m, err := s.motion(factor)
	m.NoUnit = want.Unit == "" && t.unit == ""
	return m, err
}

// chooseUnit is the factor to m/s² of the asked unit, else of the stated one,
// else 1.
func chooseUnit(asked, stated string) (float64, error) {
	switch {
	case asked == asIs, asked == "" && stated == "":
		return 1, nil
	case asked == "":
		return unitFactor(stated)
	}
	factor, err := unitFactor(asked)
	if err != nil || stated == "" {
		return factor, err
	}
	if own, _ := unitFactor(stated); own != factor {
		return 0, fmt.Errorf("unit %q: the title line says %s: want the same, or no unit", asked, stated)
	}
	return factor, nil
}

// table has the numbers of a two-column text.
type table struct {
	name  string
	unit  string // stated by the title line, or ""
	t, a  []float64
	lines []int32 // line number of each sample, from 1
}

// read fills the table.
func (tb *table) read(r io.Reader) (err error) {
	tb.unit, err = readRows(r, tb.name, tb.add)
	return err
}

// readRows calls row with the fields of each line that holds some, and returns the
// unit that the title line states, "" without one.
func readRows(r io.Reader, name string, row func(fields []string, line int) error) (unit string, err error) {
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 1<<20)
	line, begun := 0, false
	for sc.Scan() {
		line++
		fields := splitLine(strings.TrimPrefix(sc.Text(), "\ufeff"))
		if len(fields) == 0 {
			continue
		}
		if !begun && isTitle(fields) {
			unit = headerUnit(fields[len(fields)-1])
		} else if err := row(fields, line); err != nil {
			return unit, err
		}
		begun = true
	}
	if err := sc.Err(); errors.Is(err, bufio.ErrTooLong) {
		return unit, fmt.Errorf("%s: line %d: longer than 1 MB: want two numbers a line", name, line+1)
	} else if err != nil {
		return unit, fmt.Errorf("%s: line %d: %w", name, line+1, err)
	}
	return unit, nil
}

// add appends the sample of one line.
func (tb *table) add(fields []string, line int) error {
	if len(fields) == 1 && len(tb.t) == 0 {
		return fmt.Errorf("%s: line %d: found one column, want time and acceleration; or a time step, dt_s, for accelerations alone", tb.name, line)
	}
	if len(fields) != 2 {
		return fmt.Errorf("%s: line %d: found %d columns, want 2: time and acceleration", tb.name, line, len(fields))
	}
	if len(tb.t) == maxSamples {
		return fmt.Errorf("%s: line %d: want at most %d samples", tb.name, line, maxSamples)
	}
	var v [2]float64
	for i, f := range fields {
		x, err := parseNumber(f)
		if err != nil {
			return fmt.Errorf("%s: line %d: %w", tb.name, line, err)
		}
		v[i] = x
	}
	tb.t, tb.a, tb.lines = append(tb.t, v[0]), append(tb.a, v[1]), append(tb.lines, int32(line))
	return nil
}

// splitLine cuts a line into fields at its semicolons, else its commas, else
// its blanks, and drops comments and one empty last field.
func splitLine(s string) []string {
	if i := strings.IndexAny(s, "#%"); i >= 0 {
		s = s[:i]
	}
	s = strings.TrimSpace(s)
	var fields []string
	switch {
	case s == "":
		return nil
	case strings.Contains(s, ";"):
		fields = strings.Split(s, ";")
	case strings.Contains(s, ","):
		fields = strings.Split(s, ",")
	default:
		return strings.Fields(s)
	}
	if n := len(fields); n > 1 && strings.TrimSpace(fields[n-1]) == "" {
		fields = fields[:n-1]
	}
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	return fields
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
