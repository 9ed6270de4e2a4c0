package ground

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"rths/maths/words"
)

// count is what a heading says of the numbers below it: how many there are, and their step.
type count struct {
	n     int       // 0: no count is stated
	rows  int       // rows of numbers that are the heading
	line  int       // 1, …: where the step stands
	dt    float64   // s; 0: no step is stated
	other []float64 // numbers beside the count that are no step
}

// The words of a heading before the number of points, the step and the rate: "Number of samples: 500", "dt = 0.02 sec",
// "Sampling interval (ms): 5", "Sampling rate 200 Hz".
var (
	nptsWord       = words.Pattern(`(?i)\bNPTS\b`)
	inMilliseconds = words.Pattern(`(?i)[\d\s]m(?:illi)?s(?:ec\w*)?\b`)
	countWords     = words.Pattern(
		`(?i)(?:\bnpts|\b(?:number|no\.?|num)\s*of\s*(?:samples|(?:data[ -]*)?points|values|data|lines)|` +
			`\b(?:n?samples|n?points)|^\W*n)\s*[:=]\s*(\d+)(?:[^\d.]|\.?$|\.\D)`)
	stepWords = words.Pattern(
		`(?i)(?:^|[^a-z])(dt|delta[ _-]*t|(?:time|sampl\w*)[ _-]*(?:step|int\w*|incr\w*|spacing|period)|equal\w* spac\w*|` +
			`fs|sampl\w*[ _-]*(?:rate|freq\w*))\s*(?:[\[(]([^\])]*)[\])])?\s*(?:=|:|is\b|of\b|at\b)?\s*` +
			`([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*([^\s,;)\]]*)`)
	rateWord    = words.Pattern(`(?i)^(?:fs|.*(?:rate|freq\w*))$`)
	strangeTime = words.Pattern(`(?i)^(?:[µunm]|micro|milli|nano)?s(?:ec\w*)?$|^(?:h|hrs?|hours?|minutes?|days?)$`)
)

// count reads the last lines of the heading that state the number of points and the step, or the first rows where their
// whole number is the count of what follows: "400 0.01", or 400 and 0.01 below each other. A first number that looks
// like a count or a step and is none is an error: of a file that was cut, or has several motions.
func (g *grid) count(asked float64) (count, error) {
	c, err := g.heading.count()
	if err != nil {
		return c, err
	}
	for _, rows := range []int{1, 2} {
		if rows < len(g.rows) && g.counts(rows, c.n) {
			c.rows = rows
		}
	}
	if c.n > 0 && g.numbers(c.rows) != c.n && len(g.rows)-c.rows != c.n {
		return c, fmt.Errorf("line %d: the heading says %d points, but %d numbers in %d lines follow: want the same", c.line,
			c.n, g.numbers(c.rows), len(g.rows)-c.rows)
	}
	if c.rows == 0 {
		return c, g.noCount(asked)
	}
	return c, c.takeRows(g)
}

// count is the step and number of points that the lines state last. Such lines are no titles.
func (h *heading) count() (c count, err error) {
	for i := range h.lines {
		l := &h.lines[i]
		n, dt, err := l.counted()
		if m := stepWords().FindStringSubmatch(l.text); m != nil {
			dt, err = parseStep(m[1], cmp.Or(m[2], m[4]), m[3])
		}
		if m := countWords().FindStringSubmatch(l.text); err == nil && m != nil {
			n, err = strconv.Atoi(m[1])
		} else if err == nil && nptsWord().MatchString(l.text) {
			n, dt, err = parseNPTS(l.text)
		}
		if err != nil {
			return c, fmt.Errorf("line %d: %w", l.line, err)
		}
		if n > 0 || dt != 0 {
			c.n, c.dt, c.line, l.fields = cmp.Or(n, c.n), cmp.Or(dt, c.dt), l.line, nil
		}
	}
	return c, nil
}

// counted is the count and step of a line such as "500 0.02 gal", whose words are a unit alone.
func (l headingLine) counted() (n int, dt float64, err error) {
	numbers, rest := countOnly().FindString(l.text), alone(l.text)
	u, isTime := Time.Find(rest)
	if _, ok := findWritten(rest); !ok && !isTime || len(l.fields) == 0 {
		return 0, 0, nil
	}
	factor := cmp.Or(Time.Units[u], 1)
	for _, f := range strings.FieldsFunc(numbers, isBlankOrComma) {
		switch x, err := parseNumber(f); {
		case err != nil || n == 0 && !(x >= 2 && x == math.Trunc(x)):
			return 0, 0, nil
		case n == 0:
			n = int(min(x, maxSamples+1))
		case checkStep("", factor*x) != nil:
			return 0, 0, fmt.Errorf("found %.40q, want a count, a step of %g to %g s, and a unit", l.text, minStep, maxStep)
		default:
			dt = factor * x
		}
	}
	return n, dt, nil
}

// parseStep is the step, s, of a number and its unit after a word. A word that is no unit of time is another word of
// the line.
func parseStep(word, unit, number string) (dt float64, err error) {
	x, err := parseNumber(number)
	unit = strings.TrimRight(unit, ".")
	u, isTime := Time.Find(unit)
	switch rate, hertz := rateWord().MatchString(word), strings.ToLower(unit); {
	case rate && (isTime || hertz != "khz" && hertz != "hz" && strings.HasSuffix(hertz, "hz")),
		!rate && !isTime && strangeTime().MatchString(unit), factorAfter().MatchString(unit):
		x = 0 // no step
	case rate && hertz == "khz":
		x = 1e-3 / x
	case rate:
		x = 1 / x
	case isTime:
		x *= Time.Units[u]
	}
	if err == nil && checkStep("", x) != nil {
		err = fmt.Errorf("found %s %s %s, want a step of %g to %g s, or a rate in Hz", word, number, unit, minStep, maxStep)
	}
	return x, err
}

// counts tells whether the first rows are a heading: one of at most three numbers is the count of the numbers or
// rows that follow, as the text announces if it does; the others are a step, a rate or a number of columns.
func (g *grid) counts(rows, announced int) bool {
	head := g.v[:g.rows[rows].at]
	if len(head) > 3 || rows > 1 && len(head) > rows || len(head) > 1 && rows == len(g.rows)-1 &&
		len(g.row(rows)) == len(head) {
		return false // of two rows of a table, the first is none
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
			counted, c.n = true, int(x)
		case x >= minStep && x < maxStep:
			if c.dt != 0 && !sameStep(c.dt, x) {
				return fmt.Errorf("line %d: found a step of %g s, and one of %g s in line %d: want one", g.rows[0].line, x, c.dt,
					c.line)
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
		return 0, fmt.Errorf("line %d: the heading says a step of %g s, and %g s is asked for: want the same, or no step "+
			"beside the file's", c.line, c.dt, asked)
	}
	dt := cmp.Or(asked, c.dt)
	for _, x := range c.other {
		if x != float64(columns) && !(dt != 0 && sameStep(1/x, dt)) {
			return 0, fmt.Errorf("line %d: found a heading with the count of what follows and %g, which is no step of %g to "+
				"%g s: want no such line, and the step as dt_s (--dt of rths ground)", c.line, x, minStep, maxStep)
		}
	}
	return dt, nil
}

// sameStep tells whether two steps differ by rounding alone, as 0.0039 and 1/256 do not.
func sameStep(a, b float64) bool { return math.Abs(a-b) <= 1e-3*math.Abs(b) }

// noCount refuses first numbers that look like the count or step of a heading and do not fit: a whole number in a line
// of another width than the others; or one number alone that is larger than all else, whole where the others are not,
// the step that is asked for, or written with other decimals than all others.
func (g *grid) noCount(asked float64) error {
	head, others := g.row(0), g.v[len(g.row(0)):]
	if len(g.rows) < 2 || len(head) > 3 {
		return nil
	}
	whole := slices.ContainsFunc(g.first, func(f string) bool { n, err := strconv.Atoi(f); return err == nil && n > 1 })
	place := decimals(g.first[0])
	odd := false
	switch fixed := g.most == g.least; {
	case len(head) > 1 || len(g.rows) > 2 && len(g.row(1)) > 1:
		odd = whole && len(g.rows) > 2 && len(g.row(1)) != len(head)
	case whole && head[0] >= 10 && head[0] > 10*ninth(others):
		odd = true
	case len(others) >= 10 && head[0] > 0:
		odd = whole && 50*g.whole < len(others) || asked != 0 && sameStep(head[0], asked) && place < g.most ||
			fixed && place != g.most && g.most > 0
	}
	if !odd {
		return nil
	}
	or := ""
	if len(head) == 1 {
		or = fmt.Sprintf("; or %s if it is a value", strconv.FormatFloat(head[0], 'f', max(1, g.most), 64))
	}
	return fmt.Errorf(
		"line %d: found %s, which looks like the count, step or rate of a heading, but %d numbers follow in %d lines: want "+
			"all of one motion; or # before the line%s",
		g.rows[0].line, strings.Join(g.first, " "), len(others), len(g.rows)-1, or)
}

// ninth is the size that nine of ten numbers do not exceed.
func ninth(numbers []float64) float64 {
	sizes := make([]float64, len(numbers))
	for i, x := range numbers {
		sizes[i] = math.Abs(x)
	}
	slices.Sort(sizes)
	return sizes[len(sizes)*9/10]
}

// decimals is the number of digits after the point of a number; 0: it is whole.
func decimals(number string) int {
	_, behind, _ := strings.Cut(number, ".")
	return len(behind) - len(strings.TrimLeft(behind, "0123456789"))
}

// parseNPTS finds the number of points and the step (s) in a line:
// each after its word, or both before the words in the old form.
func parseNPTS(line string) (npts int, dt float64, err error) {
	bad := func() (int, float64, error) {
		return 0, 0, fmt.Errorf("found %.80q, want NPTS= and DT= with a whole number of at least 2 and a step in s, as in "+
			"a PEER AT2 file", strings.TrimSpace(line))
	}
	words := strings.FieldsFunc(strings.ToUpper(line),
		func(r rune) bool { return isBlankOrComma(r) || r == '=' || r == ':' })
	var names, numbers []string
	for _, w := range words {
		switch {
		case w == "NPTS" || w == "DT":
			names = append(names, w)
		case strings.ContainsAny(w, "0123456789"):
			numbers = append(numbers, strings.TrimRight(w, "SEC"))
		}
	}
	if inMilliseconds().MatchString(line) {
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
