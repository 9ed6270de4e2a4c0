package ground

import (
	"fmt"
	"strconv"
	"strings"

	"rths/maths/words"
)

// fortran is the format of a line of numbers, as in (8F10.3): columns of a
// width. Width 0 is numbers separated by blanks.
type fortran struct{ columns, width int }

var fortranFormat = words.Pattern(`(?i)^\s*\(\s*(?:\d+p\s*,?\s*)?(\d*)\s*[fiegd](\d+)(?:\.\d+)?[^)]*\)`)

// parseFortran reads a format such as (8F10.3), (10I8), (5E15.6), (1P6E12.3).
func parseFortran(s string) (fortran, error) {
	m := fortranFormat().FindStringSubmatch(s)
	if m == nil {
		return fortran{}, fmt.Errorf("found format %.40q, want one such as (8F10.3)", strings.TrimSpace(s))
	}
	f := fortran{columns: 1}
	if m[1] != "" {
		f.columns, _ = strconv.Atoi(m[1])
	}
	f.width, _ = strconv.Atoi(m[2])
	if f.columns < 1 || f.columns > 1000 || f.width < 1 || f.width > 100 {
		return fortran{}, fmt.Errorf("found format %.40q, want 1 to 1000 columns, 1 to 100 wide", strings.TrimSpace(s))
	}
	return f, nil
}

// fields cuts a line of which at most left numbers are wanted. Numbers that
// fill their columns touch ("-999.000000426212.000000"), so the widths
// decide, except where blanks give the full count: then a file whose columns
// were shifted by hand still reads right.
func (f fortran) fields(line string, left int) []string {
	words := strings.Fields(line)
	if f.width == 0 || len(words) == min(f.columns, left) {
		return words
	}
	words = words[:0]
	for at := 0; at < len(line); at += f.width {
		words = append(words, strings.TrimSpace(line[at:min(at+f.width, len(line))]))
	}
	return words
}

// parseFortranNumber is a number as Fortran writes it: an exponent may be D.
func parseFortranNumber(s string) (float64, error) {
	if i := strings.IndexAny(s, "dD"); i > 0 {
		if v, err := parseNumber(s[:i] + "e" + s[i+1:]); err == nil {
			return v, nil
		}
	}
	return parseNumber(s)
}

// numbers reads n numbers in the format, from whole lines: a line may not hold
// more than are wanted.
func (l *lines) numbers(n int, f fortran, what string) ([]float64, error) {
	announced := l.n
	var out []float64
	for len(out) < n {
		if !l.nextFilled() {
			return nil, l.ended(fmt.Sprintf("%d %s announced in line %d, found %d", n, what, announced, len(out)))
		}
		for _, s := range f.fields(l.text, n-len(out)) {
			v, err := parseFortranNumber(s)
			if err != nil {
				return nil, l.errorf("%w (of %d %s announced in line %d)", err, n, what, announced)
			}
			if len(out) == n {
				return nil, l.errorf("more than the %d %s announced in line %d", n, what, announced)
			}
			out = append(out, v)
		}
	}
	return out, nil
}
