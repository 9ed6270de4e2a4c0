package ground

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// count is what a heading says of the numbers below it: how many there are, and their step.
type count struct {
	rows  int       // rows of numbers that are the heading
	line  int       // 1, …: where the step stands
	dt    float64   // s; 0: no step is stated
	other []float64 // numbers beside the count that are no step
}

var (
	nptsWord       = regexp.MustCompile(`(?i)\bNPTS\b`)
	inMilliseconds = regexp.MustCompile(`(?i)[\d\s]m(?:illi)?s(?:ec\w*)?\b`)
	dtWord         = regexp.MustCompile(`(?i)\bDT\s*[=:]\s*([-+.\deE]+)`)
)

// count reads NPTS and DT of the last line of the heading that has them, or the first rows where their whole number
// is the count of what follows: "400 0.01", or 400 and 0.01 below each other. A first number that looks like a count
// and is none is an error: of a file that was cut, or has several motions.
func (g *grid) count() (count, error) {
	c, n, err := g.heading.count()
	if err != nil {
		return c, err
	}
	for _, rows := range []int{1, 2} {
		if rows < len(g.rows) && g.counts(rows, n) {
			c.rows = rows
		}
	}
	if n > 0 && g.numbers(c.rows) != n && len(g.rows)-c.rows != n {
		return c, fmt.Errorf("line %d: NPTS is %d, but %d numbers in %d lines follow: want the same", c.line, n, g.numbers(c.rows), len(g.rows)-c.rows)
	}
	if c.rows == 0 {
		return c, g.noCount()
	}
	return c, c.takeRows(g)
}

// count is the step and number of points of the last line with NPTS or DT. Such lines are no titles.
func (h *heading) count() (c count, npts int, err error) {
	for i := range h.lines {
		l := &h.lines[i]
		n, dt, err := 0, 0.0, error(nil)
		switch m := dtWord.FindStringSubmatch(l.text); {
		case nptsWord.MatchString(l.text):
			n, dt, err = parseNPTS(l.text)
		case m != nil:
			dt, err = parseNumber(m[1])
		default:
			continue
		}
		if err == nil {
			err = checkStep("DT", dt)
		}
		if err != nil {
			return c, 0, fmt.Errorf("line %d: %w", l.line, err)
		}
		c, npts = count{line: l.line, dt: dt}, n
		l.fields = nil
	}
	return c, npts, nil
}

// counts tells whether the first rows are a heading: one of at most three numbers is the count of the numbers or
// rows that follow, as the text announces if it does; the others are a step, a rate or a number of columns.
func (g *grid) counts(rows, announced int) bool {
	head := g.v[:g.rows[rows].at]
	if len(head) > 3 || rows > 1 && len(head) > rows {
		return false
	}
	least := 2.0
	if rows > 1 {
		least = 10 // an acceleration may be as large
	}
	counted := false
	for _, x := range head {
		switch {
		case !counted && x >= least && g.follow(rows, x) && (announced == 0 || x == float64(announced)):
			counted = true
		case x >= minStep && x < maxStep, x == float64(len(g.row(rows))), x >= 10: // a step, columns, or a rate
		default:
			return false
		}
	}
	return counted
}

// follow tells whether so many numbers, or lines of them, follow the first rows.
func (g *grid) follow(rows int, n float64) bool {
	return n == float64(g.numbers(rows)) || n == float64(len(g.rows)-rows)
}

// takeRows takes the step from the rows of the heading.
func (c *count) takeRows(g *grid) error {
	counted := false
	for i, x := range g.v[:g.rows[c.rows].at] {
		switch {
		case !counted && g.follow(c.rows, x):
			counted = true
		case x >= minStep && x < maxStep:
			if c.dt != 0 && !sameStep(c.dt, x) {
				return fmt.Errorf("line %d: found a step of %g s, and one of %g s in line %d: want one", g.rows[0].line, x, c.dt, c.line)
			}
			c.dt, c.line = x, int(g.rows[min(i, c.rows-1)].line)
		default:
			c.other = append(c.other, x)
			c.line = cmp.Or(c.line, int(g.rows[0].line))
		}
	}
	return nil
}

// step is the step of the numbers, s, by the heading and as it is asked for; 0 if neither says it. A number beside
// the count that is no step has to be the number of columns, or the rate of the step.
func (c *count) step(asked float64, columns int) (float64, error) {
	if asked != 0 && c.dt != 0 && !sameStep(asked, c.dt) {
		return 0, fmt.Errorf("line %d: the heading says a step of %g s, and %g s is asked for: want the same, or no step beside the file's", c.line, c.dt, asked)
	}
	dt := cmp.Or(asked, c.dt)
	for _, x := range c.other {
		if x != float64(columns) && !(dt != 0 && sameStep(1/x, dt)) {
			return 0, fmt.Errorf("line %d: found a heading with the count of what follows and %g, which is no step of %g to %g s: want no such line, and the step as dt_s (--dt of rths ground)", c.line, x, minStep, maxStep)
		}
	}
	return dt, nil
}

// sameStep tells whether two steps differ by rounding alone, as 0.0039 and 1/256 do not.
func sameStep(a, b float64) bool { return math.Abs(a-b) <= 1e-3*math.Abs(b) }

// noCount refuses a first whole number that is larger than all else: it counts something, and not what follows.
func (g *grid) noCount() error {
	n, err := strconv.Atoi(strings.TrimPrefix(g.first[0], "+"))
	if err != nil || n < 10 {
		return nil
	}
	others := make([]float64, 0, len(g.v))
	for _, x := range g.v[1:] {
		others = append(others, math.Abs(x))
	}
	if len(others) == 0 {
		return nil
	}
	slices.Sort(others)
	if float64(n) <= 10*others[len(others)*9/10] {
		return nil
	}
	return fmt.Errorf("line %d: found %d, which looks like the count of a heading, but %d numbers follow in %d lines: want all of one motion; or # before the line; or %d.0 if it is an acceleration", g.rows[0].line, n, len(others), len(g.rows)-1, n)
}

// parseNPTS finds the number of points and the step (s) in a line:
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
	if inMilliseconds.MatchString(line) {
		return bad()
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
