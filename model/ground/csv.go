package ground

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"rths"
	"rths/maths/words"
	"rths/model/foreign"
)

// ReadCSV reads columns of text, time and acceleration, separated by semicolons, commas, tabs or blanks, one
// sample a line (see foreign.DialectOf). Blank lines and text after # or % are skipped, and so are want.Skip lines.
// Lines of a heading may stand before the numbers; the last are the titles, as in "time_s,accel_m_s2", and units in a
// line below them. Of more than two columns want.Column names the accelerations, by title or position from 1. Times
// must be uniform (see the message of the error for the tolerance) and may start anywhere.
//
// Accelerations alone need the step, of want.Dt or of a heading: "400 0.01", or NPTS= 400, DT= 0.01. A line may
// hold several of them, which follow each other, as OpenSees reads them (Path, -filePath with -dt). A first line
// whose whole number is the count of what follows is a heading. What looks like columns is not read so.
//
// Units are those that titles or heading state (time_ms, accel_g, "a [cm/s2]"), else s and m/s²,
// which Notes say. want.Unit stands for a title that states none; one that contradicts the
// title is an error.
func ReadCSV(r io.Reader, name string, want Want) (Motion, error) {
	if want.Dt != 0 && !(want.Dt >= minStep && want.Dt <= maxStep) {
		return Motion{}, fmt.Errorf("%s: time step %g s: want %g to %g s", name, want.Dt, minStep, maxStep)
	}
	g, err := readGrid(r, name, want.Skip)
	if err != nil {
		return Motion{}, err
	}
	return g.motion(want)
}

// splitLine cuts a line of a heading into fields at its semicolons, else its commas, else
// its blanks, and drops quotes and one empty last field.
func splitLine(s string) []string {
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
		fields[i] = foreign.Unquoted(strings.TrimSpace(fields[i]))
	}
	return fields
}

var perCent = words.Pattern(`^%\s?[gG](?:[^a-zA-Z]|$)`)

// comment is where the comment of a line begins; the unit %g is none.
func comment(s string) int {
	for i := range len(s) {
		if s[i] == '#' || s[i] == '%' && (i == 0 || !perCent().MatchString(s[i:])) {
			return i
		}
	}
	return len(s)
}

// isNumber tells whether a field is a number, finite or not.
func isNumber(field string) bool {
	_, err := strconv.ParseFloat(field, 64)
	return !errors.Is(err, strconv.ErrSyntax)
}

// allNumbers tells whether every field of a line is a number.
func allNumbers(fields []string) bool {
	for _, f := range fields {
		if !isNumber(f) {
			return false
		}
	}
	return true
}

// isTitle tells whether no field of a line is a number, nor empty.
func isTitle(fields []string) bool {
	for _, f := range fields {
		if f == "" || isNumber(f) || isNumber(strings.Replace(f, ",", ".", 1)) {
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
