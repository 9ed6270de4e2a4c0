package ground

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"rths/model/foreign"
)

// grid is a text of numbers: its heading, and rows of any number of columns.
type grid struct {
	name string
	foreign.Dialect
	heading heading
	first   []string // fields of the first row
	v       []float64
	rows    []gridRow
	commas  commas
	clocks  map[int]*foreign.Clock // of the columns that hold times of day

	least, most int // decimals of the numbers below the first row
	whole       int // of them are whole, and not 0
}

// gridRow is where the numbers of a row begin, and its line, from 1.
type gridRow struct{ at, line int32 }

// maxNumbers bounds the columns of a table: four of the longest motion.
const maxNumbers = 4 * maxSamples

// readGrid reads a text to its end, but for the first lines.
func readGrid(r io.Reader, name string, skip int) (*grid, error) {
	rows, err := foreign.NewRows(r, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	g := &grid{name: name, Dialect: rows.Dialect, clocks: map[int]*foreign.Clock{}}
	for {
		switch more, err := rows.Next(); {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", name, err)
		case !more:
			return g, nil
		case rows.Line <= skip:
			continue
		}
		if err := g.take(rows.Text(), rows.Line); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", name, rows.Line, err)
		}
	}
}

// take takes one line: of the heading until the first row of numbers, then a row.
func (g *grid) take(text string, line int) error {
	raw := g.split(text)
	fields, err := g.plain(raw)
	switch {
	case err != nil:
		return err
	case len(g.rows) == 0 && (len(fields) == 0 || !allNumbers(fields)):
		g.clocks = map[int]*foreign.Clock{}
		return g.heading.take(text, raw, line)
	case len(fields) == 0:
		return nil
	case len(g.rows) == 0:
		g.first = fields[:min(len(fields), 3)]
	}
	if len(g.rows) == maxSamples {
		return fmt.Errorf("want at most %d samples", maxSamples)
	}
	if len(g.v)+len(fields) > maxNumbers {
		return fmt.Errorf("want at most %d numbers", maxNumbers)
	}
	g.rows = append(g.rows, gridRow{int32(len(g.v)), int32(line)})
	for _, f := range fields {
		x, err := parseNumber(f)
		if err != nil && len(g.rows) <= 3 && isTitle(fields) {
			return fmt.Errorf("%w; # begins the lines of a heading", err)
		}
		if err != nil {
			return err
		}
		if len(g.rows) > 1 {
			g.form(f, x)
		}
		g.v = append(g.v, x)
	}
	if g.Separator == ',' && !g.Comma {
		g.commas.look(text, fields)
	}
	return nil
}

// split cuts a line: a row by the dialect of the text, another line as it is written itself.
func (g *grid) split(text string) []string {
	text = strings.TrimSpace(text[:comment(text)])
	row := g.Separator == 0 && strings.IndexAny(text, "0123456789+-.,") == 0
	if !row && (g.Separator == 0 || strings.IndexByte(text, g.Separator) < 0) {
		return splitLine(text)
	}
	fields := g.Split(text)
	if n := len(fields); n > 1 && fields[n-1] == "" {
		fields = fields[:n-1]
	}
	return fields
}

// plain is the fields of a row with decimal points and exponents E. Times of day become seconds after the first.
func (g *grid) plain(fields []string) ([]string, error) {
	out := slices.Clone(fields)
	number := slices.ContainsFunc(fields, func(f string) bool { return isNumber(g.Plain(f)) })
	for i, f := range fields {
		if number && len(g.rows) == 0 && g.clocks[i] == nil {
			if c := foreign.NewClock(f); c != nil {
				g.clocks[i] = c
			}
		}
		if c := g.clocks[i]; number && c != nil {
			s, ok := c.Seconds(f)
			if !ok {
				return nil, fmt.Errorf("found %.40q, want a time of day as in the first row", f)
			}
			out[i] = strconv.FormatFloat(s, 'f', -1, 64)
			continue
		}
		if v, err := g.Number(f); err == nil && !isNumber(f) {
			if out[i] = g.Plain(f); !isNumber(out[i]) {
				out[i] = strconv.FormatFloat(v, 'g', -1, 64)
			}
		} else if g.Comma && len(g.rows) > 0 && strings.Contains(f, ".") {
			return nil, fmt.Errorf("found %.40q, want a number with a decimal comma, as in the lines above", f)
		}
	}
	return out, nil
}

// form keeps how a number below the first row is written.
func (g *grid) form(number string, x float64) {
	n := decimals(number)
	if len(g.v) == int(g.rows[1].at) {
		g.least, g.most = n, n
	}
	g.least, g.most = min(g.least, n), max(g.most, n)
	if n == 0 && x != 0 && !strings.ContainsAny(number, "eE") {
		g.whole++
	}
}

// row is the numbers of a row.
func (g *grid) row(i int) []float64 {
	if i == len(g.rows)-1 {
		return g.v[g.rows[i].at:]
	}
	return g.v[g.rows[i].at:g.rows[i+1].at]
}

// numbers is how many numbers the rows from the given one on have.
func (g *grid) numbers(from int) int {
	if from >= len(g.rows) {
		return 0
	}
	return len(g.v) - int(g.rows[from].at)
}

// columns is the number of columns of the rows from the given one on; shorter says that the last row has fewer.
// Another row that differs is an error: numbers are missing, or commas have cut them.
func (g *grid) columns(from int) (n int, shorter bool, err error) {
	n = len(g.row(from))
	for i := from; i < len(g.rows); i++ {
		switch found := len(g.row(i)); {
		case found == n:
		case found < n && i == len(g.rows)-1:
			return n, true, nil
		default:
			return 0, false, g.errorf(i, "found %d columns, want %d as in line %d", found, n, g.rows[from].line)
		}
	}
	return n, false, nil
}

// column is the numbers of a column, from the given row on.
func (g *grid) column(j, from int) []float64 {
	out := make([]float64, 0, len(g.rows)-from)
	for i := from; i < len(g.rows); i++ {
		out = append(out, g.row(i)[j])
	}
	return out
}

// errorf is an error in a row.
func (g *grid) errorf(row int, format string, args ...any) error {
	return fmt.Errorf("%s: line %d: %w", g.name, g.rows[row].line, fmt.Errorf(format, args...))
}

// commas asks whether the commas that have cut all rows stand inside numbers: "0,02" is two whole numbers then, of
// which the second has no sign, and "1,234.5" begins with at most three digits and goes on with three.
type commas struct{ other, decimal, thousands bool }

// look looks at a row of numbers.
func (c *commas) look(text string, fields []string) {
	if c.other || len(fields) == 1 {
		return
	}
	decimal, thousands := len(fields)%2 == 0, true
	for i, f := range fields {
		digits := strings.Trim(f, "0123456789")
		whole, point := digits == "", strings.IndexByte(f+".", '.')
		decimal = decimal && (whole || i%2 == 0 && (digits == "-" || digits == "+"))
		if i == 0 {
			f = strings.TrimLeft(f, "+-")
			point = strings.IndexByte(f+".", '.')
			thousands = thousands && point >= 1 && point <= 3 && point == len(f)
		} else {
			thousands = thousands && point == 3 && (whole || i == len(fields)-1 && digits == ".")
		}
	}
	if strings.Contains(text, ";") || !strings.Contains(text, ",") || strings.Contains(text, ", ") {
		decimal, thousands = false, false
	}
	c.decimal, c.thousands, c.other = c.decimal || decimal, c.thousands || thousands, !decimal && !thousands
}

// err is what the commas are, if they stand inside numbers.
func (c commas) err() error {
	switch {
	case c.other:
	case c.decimal:
		return errors.New(
			"commas between whole numbers: decimal commas? Write decimal points; or blanks between whole numbers")
	case c.thousands:
		return errors.New(
			"commas before three digits: separators of thousands? Leave them out; or write blanks between numbers")
	}
	return nil
}
