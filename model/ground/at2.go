package ground

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"rths"
)

// ReadAT2 reads a record of the PEER NGA strong-motion database: lines of heading, four in most files, then the
// accelerations, usually five or eight a line. The second line of four names earthquake, station and component, a line
// the unit ("… IN UNITS OF G"; in any words that statedUnit knows), the last one that has them number and step, as in
//
//	NPTS=   4000, DT=   .0050 SEC
//	4000   0.0050   NPTS, DT
//
// The number of values must be the announced one. Numbers may touch. Velocity and displacement
// series (.VT2, .DT2) are refused by their words. Without any unit the values are taken for g, which Notes say.
func ReadAT2(r io.Reader, name string, want Want) (Motion, error) {
	if want.Unit == asIs {
		return Motion{}, fmt.Errorf("%s: want a file without accelerations, such as csv: an AT2 file holds accelerations",
			name)
	}
	l := newLines(r, name)
	h, err := readAT2Heading(l)
	if err != nil {
		return Motion{}, err
	}
	factor, stated, err := headingUnit(h.lines, want.Unit)
	if err != nil {
		return Motion{}, fmt.Errorf("%s: %w", name, err)
	}
	m := Motion{Name: name, Dt: h.dt}
	if !stated {
		factor = StandardGravity
	}
	if m.A, err = h.values(l, factor); err != nil {
		return Motion{}, err
	}
	if h.line == 4 {
		m.Event, m.Station, m.Component = splitAT2Title(h.lines[1].text)
	}
	if !stated {
		m.Notes = []string{fmt.Sprintf(
			"%s: no unit of acceleration is stated: taken for g, as in other AT2 files (peak %.3g g)", name,
			m.PGA()/StandardGravity)}
	}
	return m, nil
}

// at2Heading is the lines before the values.
type at2Heading struct {
	heading
	npts int
	line int // of NPTS
	dt   float64
}

// readAT2Heading reads up to the first line of numbers below NPTS and DT, which is read again.
func readAT2Heading(l *lines) (h at2Heading, err error) {
	for l.next() {
		if fields := unglued(l.text); h.npts > 0 && len(fields) > 0 {
			if _, err := parseFortranNumber(fields[0]); err == nil {
				l.back()
				return h, checkStep(fmt.Sprintf("%s: line %d", l.name, h.line), h.dt)
			}
		}
		if err := h.take(cmp.Or(l.text, "-"), []string{""}, l.n); err != nil {
			return h, l.errorf("%w", err)
		}
		if !nptsWord().MatchString(l.text) {
			continue
		}
		if h.npts, h.dt, err = parseNPTS(l.text); err != nil {
			return h, l.errorf("%w", err)
		}
		h.line = l.n
	}
	if h.npts > 0 && l.err == nil {
		return h, l.ended(fmt.Sprintf("the NPTS=%d values announced in line %d, found none", h.npts, h.line))
	}
	return h, l.ended("a heading with NPTS= and DT=, and values below it (PEER AT2)")
}

// values reads the numbers, as m/s².
func (h at2Heading) values(l *lines, factor float64) (a []float64, err error) {
	for l.next() {
		for _, f := range unglued(l.text) {
			v, err := parseFortranNumber(f)
			if err != nil {
				return nil, l.errorf("%w", err)
			}
			if len(a) == h.npts {
				return nil, l.errorf("more than the NPTS=%d values announced in line %d", h.npts, h.line)
			}
			a = append(a, factor*v)
			if !rths.Finite(factor * v) {
				return nil, l.errorf("found %s, want an acceleration", f)
			}
		}
	}
	if l.err != nil || len(a) != h.npts {
		return nil, l.ended(fmt.Sprintf("the NPTS=%d values announced in line %d, found %d", h.npts, h.line, len(a)))
	}
	return a, nil
}

// unglued cuts a line of numbers at blanks and commas, and before the signs of numbers that touch, as in
// "-.100000E-01-.418240E-01".
func unglued(line string) []string {
	var out []string
	for _, word := range strings.FieldsFunc(line, isBlankOrComma) {
		from := 0
		for i := 1; i < len(word); i++ {
			if (word[i] == '-' || word[i] == '+') && strings.IndexByte("0123456789.", word[i-1]) >= 0 {
				out, from = append(out, word[from:i]), i
			}
		}
		out = append(out, word[from:])
	}
	return out
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
