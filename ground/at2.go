package ground

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"rths"
)

// ReadAT2 reads a record of the PEER NGA strong-motion database: four lines of
// heading, then the accelerations in g, usually five or eight a line. The third
// line names the unit ("… IN UNITS OF G"), the fourth number and step, as in
//
//	NPTS=   4000, DT=   .0050 SEC
//	4000   0.0050   NPTS, DT
//
// The number of values must be the announced one. Velocity and displacement
// series (.VT2, .DT2) are refused by their unit.
func ReadAT2(r io.Reader, name string, want Want) (Motion, error) {
	if factor, err := acceleration.factor(want.Unit); want.Unit != "" && (err != nil || factor != StandardGravity) {
		return Motion{}, fmt.Errorf("%s: unit %q: want g or none, because AT2 files are in g", name, want.Unit)
	}
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, maxLine)
	m, npts, err := readAT2Heading(sc, name)
	if err != nil {
		return Motion{}, err
	}
	line := 4
	for sc.Scan() {
		line++
		for _, f := range strings.FieldsFunc(sc.Text(), isBlankOrComma) {
			g, err := parseNumber(f)
			if err != nil {
				return Motion{}, fmt.Errorf("%s: line %d: %w", name, line, err)
			}
			if len(m.A) == npts {
				return Motion{}, fmt.Errorf("%s: line %d: more than the NPTS=%d values announced in line 4", name, line, npts)
			}
			m.A = append(m.A, StandardGravity*g)
			if !rths.Finite(m.A[len(m.A)-1]) {
				return Motion{}, fmt.Errorf("%s: line %d: found %s g, want an acceleration", name, line, f)
			}
		}
	}
	if err := sc.Err(); err != nil {
		return Motion{}, fmt.Errorf("%s: line %d: %w", name, line+1, lineError(err))
	}
	if len(m.A) != npts {
		return Motion{}, fmt.Errorf("%s: line %d: found %d values, want the NPTS=%d announced in line 4", name, line, len(m.A), npts)
	}
	return m, nil
}

// readAT2Heading reads the four lines of heading: a motion without values, and
// how many are to come.
func readAT2Heading(sc *bufio.Scanner, name string) (m Motion, npts int, err error) {
	var heading [4]string
	for i := range heading {
		if !sc.Scan() {
			if err := sc.Err(); err != nil {
				return m, 0, fmt.Errorf("%s: line %d: %w", name, i+1, lineError(err))
			}
			return m, 0, fmt.Errorf("%s: found %d lines, want four lines of heading and values (PEER AT2)", name, i)
		}
		heading[i] = sc.Text()
	}
	if err := checkAT2Unit(heading[2]); err != nil {
		return m, 0, fmt.Errorf("%s: line 3: %w", name, err)
	}
	npts, dt, err := parseNPTS(heading[3])
	if err != nil {
		return m, 0, fmt.Errorf("%s: line 4: %w", name, err)
	}
	m = Motion{Name: name, Dt: dt}
	m.Event, m.Station, m.Component = splitAT2Title(heading[1])
	return m, npts, checkStep(name+": line 4", dt)
}

// splitAT2Title separates the second line: "Imperial Valley-02, 5/19/1940, El
// Centro Array #9, 180" is event, station, component.
func splitAT2Title(line string) (event, station, component string) {
	parts := strings.Split(line, ",")
	n := len(parts)
	if n < 3 {
		return tidyWords(line), "", ""
	}
	return tidyWords(strings.Join(parts[:n-2], ",")), tidyWords(parts[n-2]), tidyWords(parts[n-1])
}

// checkAT2Unit refuses a third line that names another unit than g.
func checkAT2Unit(line string) error {
	_, after, found := strings.Cut(strings.ToUpper(line), "UNITS OF")
	if !found {
		return nil
	}
	words := strings.FieldsFunc(after, func(r rune) bool { return isBlankOrComma(r) || r == '.' || r == ';' })
	if len(words) == 0 || words[0] != "G" {
		return fmt.Errorf("found %.80q, want UNITS OF G (an acceleration record)", strings.TrimSpace(line))
	}
	return nil
}

// parseNPTS finds the number of points and the step (s) in the fourth line:
// each after its word, or both before the words in the old form.
func parseNPTS(line string) (npts int, dt float64, err error) {
	bad := func() (int, float64, error) {
		return 0, 0, fmt.Errorf("found %.80q, want NPTS= and DT= with a whole number of at least 2 and a step in s, as in a PEER AT2 file", strings.TrimSpace(line))
	}
	words := strings.FieldsFunc(strings.ToUpper(line), func(r rune) bool { return isBlankOrComma(r) || r == '=' || r == ':' })
	var names, numbers []string
	for _, w := range words {
		switch {
		case w == "NPTS" || w == "DT":
			names = append(names, w)
		case strings.ContainsAny(w, "0123456789"):
			numbers = append(numbers, strings.TrimRight(w, "SEC"))
		}
	}
	if len(names) != 2 || names[0] == names[1] || len(numbers) < 2 {
		return bad()
	}
	if names[0] == "DT" {
		numbers[0], numbers[1] = numbers[1], numbers[0]
	}
	npts, err = strconv.Atoi(strings.TrimSuffix(numbers[0], "."))
	if err != nil || npts < 2 || npts > maxSamples {
		return bad()
	}
	if dt, err = parseNumber(numbers[1]); err != nil {
		return bad()
	}
	return npts, dt, nil
}

// isBlankOrComma reports the separators of words and values in an AT2 file.
func isBlankOrComma(r rune) bool { return r == ' ' || r == '\t' || r == '\r' || r == ',' }
