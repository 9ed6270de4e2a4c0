package foreign

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// lvmMark begins a measurement file of LabVIEW (LVM).
const lvmMark = "LabVIEW Measurement"

// lvm rewrites a measurement file of LabVIEW, version 2.0 of the format, as a table of the same number of lines: the
// lines of the two headings are empty, titles have the units of Y_Unit_Label in brackets, and times that the file does
// not write (X_Columns No) are X0 + k Delta_X. The last column, of comments, is left out.
//
// Source: National Instruments, Specification for the LabVIEW Measurement File (.lvm).
type lvm struct {
	sc        *bufio.Scanner
	out       bytes.Buffer
	line      int
	separator string
	point     string // before decimals
	keys      map[string][]string
	state     lvmState
	columns   int // of a row, without comments
	k         int // rows so far
	err       error
}

// lvmState is where in the file a line stands.
type lvmState int

const (
	inHeader  lvmState = iota // before the first ***End_of_Header***
	inChannel                 // from there to the second
	atTitles                  // the line after it
	inRows
)

func newLVM(r io.Reader) *lvm {
	l := &lvm{sc: bufio.NewScanner(r), separator: "\t", point: ".", keys: map[string][]string{}}
	l.sc.Buffer(nil, longestLine)
	return l
}

// Read gives the table.
func (l *lvm) Read(p []byte) (int, error) {
	for l.out.Len() == 0 {
		switch {
		case l.err != nil:
			return 0, l.err
		case l.sc.Scan():
			l.line++
			if err := l.take(strings.TrimRight(l.sc.Text(), "\r\n ")); err != nil {
				l.err = fmt.Errorf("line %d: %w", l.line, err)
			}
			l.out.WriteByte('\n')
		default:
			l.err = cmp.Or(l.sc.Err(), l.ended())
		}
	}
	return l.out.Read(p)
}

// ended is the error at the end of the file.
func (l *lvm) ended() error {
	if l.state != inRows {
		return fmt.Errorf("line %d: the file ends: want ***End_of_Header*** twice, titles and rows, as LabVIEW writes them",
			l.line)
	}
	return io.EOF
}

// take takes a line.
func (l *lvm) take(text string) error {
	fields := strings.Split(text, l.separator)
	key := strings.TrimSpace(fields[0])
	switch {
	case strings.HasPrefix(key, "***End_of_Header***"):
		if l.state == inRows {
			return errors.New("a second heading: the file holds several measurements: want one: save each in a file of its " +
				"own, or cut the file before this line")
		}
		l.state++
	case l.state == inRows && strings.TrimSpace(text) == "":
	case l.state == inRows && l.keys[key] != nil:
		return fmt.Errorf("found the heading of another measurement: want one: cut the file before this line")
	case l.state == inRows:
		return l.row(fields)
	case l.state == atTitles && strings.TrimSpace(text) != "":
		l.state = inRows
		return l.titles(fields)
	case l.state == inHeader && key == lvmMark:
	case key != "":
		return l.key(key, fields[1:])
	}
	return nil
}

// key keeps a line of a heading.
func (l *lvm) key(key string, values []string) error {
	value := ""
	if len(values) > 0 {
		value = strings.TrimSpace(values[0])
	}
	switch {
	case key == "Separator" && value != "Tab" && value != "Comma":
		return fmt.Errorf("key Separator: found %q: want Tab or Comma", value)
	case key == "Separator" && value == "Comma":
		l.separator = ","
	case key == "Decimal_Separator":
		if l.point = value; value != "." && value != "," {
			return fmt.Errorf("key Decimal_Separator: found %q: want . or ,", value)
		}
	}
	l.keys[key] = values
	return nil
}

// value is the first value of a key.
func (l *lvm) value(key string) string {
	if v := l.keys[key]; len(v) > 0 {
		return strings.TrimSpace(v[0])
	}
	return ""
}

// without tells whether the file writes no times.
func (l *lvm) without() bool { return l.value("X_Columns") == "No" }

// titles writes the titles with their units. A second column of X values is numbered.
func (l *lvm) titles(fields []string) error {
	if at := slices.Index(fields, "Comment"); at >= 0 {
		fields = fields[:at]
	}
	if len(fields) < 2 {
		return fmt.Errorf("found %.40q: want the titles X_Value and those of the channels", strings.Join(fields, " "))
	}
	if l.without() {
		if v, err := l.number("Delta_X"); err != nil || !(v > 0) {
			return fmt.Errorf("key X_Columns is No and Delta_X is %q: want the step of the samples, more than 0", l.value("Delta_X"))
		}
	}
	l.columns = len(fields)
	units, next, xs := l.keys["Y_Unit_Label"], 0, 0
	for i, title := range fields {
		unit := ""
		switch {
		case title == "X_Value":
			if title, unit = "X_Value", l.value("X_Unit_Label"); cmp.Or(l.value("X_Dimension"), "Time") == "Time" {
				title, unit = "Time", cmp.Or(unit, "s")
			}
			if xs++; xs > 1 {
				title += "_" + strconv.Itoa(xs)
			}
		case next < len(units):
			unit = strings.TrimSpace(units[next])
			next++
		default:
			next++
		}
		if unit != "" {
			title += " [" + unit + "]"
		}
		if i > 0 {
			l.out.WriteString(l.separator)
		}
		l.out.WriteString(strings.ReplaceAll(title, l.separator, " "))
	}
	return nil
}

// number is the number of a key.
func (l *lvm) number(key string) (float64, error) {
	return strconv.ParseFloat(strings.Replace(l.value(key), l.point, ".", 1), 64)
}

// row writes a row without its comment.
func (l *lvm) row(fields []string) error {
	if len(fields) < l.columns {
		return fmt.Errorf("found %d fields: want %d, as the titles", len(fields), l.columns)
	}
	fields = fields[:l.columns]
	if l.without() {
		x0, _ := l.number("X0") // none is 0
		dt, _ := l.number("Delta_X")
		fields[0] = strings.Replace(strconv.FormatFloat(x0+float64(l.k)*dt, 'g', 15, 64), ".", l.point, 1)
	}
	l.k++
	l.out.WriteString(strings.Join(fields, l.separator))
	return nil
}
