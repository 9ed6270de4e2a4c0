package foreign

import (
	"slices"
	"strconv"
	"strings"

	"rths/maths/words"
)

// Dialect is how a text writes its rows: what stands between two fields, and what before decimals. The zero Dialect is
// blanks and decimal points.
type Dialect struct {
	Separator byte // ';', '\t' or ','; 0 is blanks and tabs
	Comma     bool // a comma stands before the decimals
}

// rowsLooked is the number of rows that tell a dialect: the last ones of the beginning of a text, below its heading.
const rowsLooked = 200

// DialectOf finds the dialect of a text by its first rows: the lines that begin with a number, below the last one that
// does not.
//
// Semicolons or tabs in every row separate fields; so do commas in any row, unless each word between blanks is a number
// with a decimal comma. Commas are decimal where each field with one is such a number, no field has a point, and not
// all could be thousands, as 1,234 could. Where words and rows do not tell, commas separate and points are decimal.
func DialectOf(head string) Dialect {
	rows, above := rowsOf(head)
	every := func(separator string) bool {
		return !slices.ContainsFunc(rows, func(row string) bool { return !strings.Contains(row, separator) })
	}
	by := func(separator byte) Dialect {
		return Dialect{separator, decimalCommas(rows, Dialect{Separator: separator}.Split)}
	}
	switch {
	case len(rows) == 0:
		return Dialect{}
	case every(";"):
		return by(';')
	case every("\t") && !slices.ContainsFunc(rows, mixed):
		return by('\t')
	case !slices.ContainsFunc(rows, func(row string) bool { return strings.Contains(row, ",") }):
		if at := strings.IndexAny(above, ";\t,"); at >= 0 && !wordy(rows) {
			return Dialect{Separator: above[at]} // rows of one field below titles
		}
		return Dialect{}
	case decimalCommas(rows, strings.Fields) && (wordy(rows) || padded(rows)):
		return Dialect{Comma: true}
	}
	return by(',')
}

// rowsOf is the last lines of a beginning that begin with a number, and the line above the first of all; or the lines
// that are no comments where none does. The last line may be cut off.
func rowsOf(head string) (rows []string, above string) {
	if at := strings.LastIndexByte(head, '\n'); at >= 0 && at < len(head)-1 && len(head) >= mostHeading {
		head = head[:at]
	}
	var others []string
	for line := range strings.Lines(head) {
		switch line = strings.TrimSpace(line); {
		case line == "" || strings.ContainsAny(line[:1], "#%"):
		case strings.IndexAny(strings.TrimLeft(line, `"' `), "0123456789+-.,") == 0:
			rows = append(rows, line)
		default:
			rows, above = rows[:0], line
			others = append(others, line)
		}
	}
	if len(rows) == 0 {
		rows, above = others, ""
	}
	return rows[max(0, len(rows)-rowsLooked):], above
}

// mixed tells whether tabs are not the only separator of a row: a field between two of them holds several numbers.
func mixed(row string) bool {
	for field := range strings.SplitSeq(row, "\t") {
		if words := strings.Fields(field); len(words) > 1 && isPlain(words[0]) && isPlain(words[1]) {
			return true
		}
	}
	return false
}

// wordy tells whether a row has several words between blanks, none of which is empty but for a comma.
func wordy(rows []string) bool {
	return slices.ContainsFunc(rows, func(row string) bool { return len(strings.Fields(row)) > 1 })
}

// padded tells whether digits after a comma begin with 0, as no whole number of a column of its own does.
func padded(rows []string) bool {
	return slices.ContainsFunc(rows, func(row string) bool {
		_, decimals, _ := strings.Cut(row, ",")
		return len(decimals) > 1 && decimals[0] == '0' && strings.Count(row, ",") == 1
	})
}

var (
	withComma = words.Pattern(`^[-+]?\d*,\d+(?:[eEdD][-+]?\d+)?$`)
	thousands = words.Pattern(`^[-+]?[1-9]\d{0,2},\d{3}$`)
)

// decimalCommas tells whether commas stand before decimals in fields of rows.
func decimalCommas(rows []string, split func(row string) []string) bool {
	sure := false
	for _, row := range rows {
		for _, f := range split(row) {
			switch {
			case strings.Contains(f, ","):
				if !withComma().MatchString(f) {
					return false
				}
				sure = sure || !thousands().MatchString(f)
			case strings.Contains(f, ".") && isPlain(f):
				return false
			}
		}
	}
	return sure
}

// isPlain tells whether a field is a number with a decimal point or none.
func isPlain(field string) bool {
	_, err := strconv.ParseFloat(field, 64)
	return err == nil
}

// Split cuts a line into fields without blanks and quotes around them. Numbers of fixed width that touch, as
// -.10E-01-.42E-01 does, are cut at their signs.
func (d Dialect) Split(line string) []string {
	if d.Separator == 0 {
		return unglued(stamped(strings.Fields(line)))
	}
	fields := make([]string, 0, 1+strings.Count(line, string(d.Separator)))
	for rest := line; ; {
		rest = strings.TrimLeft(rest, " ")
		end := strings.IndexByte(rest, d.Separator)
		if rest != "" && rest[0] == '"' {
			if closing := strings.IndexByte(rest[1:], '"'); closing >= end {
				end = strings.IndexByte(rest[1+closing:], d.Separator)
				if end >= 0 {
					end += 1 + closing
				}
			}
		}
		if end < 0 {
			return append(fields, Unquoted(strings.TrimSpace(rest)))
		}
		fields, rest = append(fields, Unquoted(strings.TrimSpace(rest[:end]))), rest[end+1:]
	}
}

// Unquoted is a text without the quotes around it. A quote that stands alone stays: a separator has cut a quoted text.
func Unquoted(s string) string {
	if len(s) > 1 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

var date = words.Pattern(`^\d{1,4}[-/.](?:\d{1,2}|[A-Za-z]{3})[-/.]\d{1,4}$`)

// stamped joins a date, the time of day after it, and AM or PM.
func stamped(fields []string) []string {
	for i := 0; i < len(fields); i++ {
		if strings.Count(fields[i], ":") < 2 {
			continue
		}
		if i+1 < len(fields) && (strings.EqualFold(fields[i+1], "AM") || strings.EqualFold(fields[i+1], "PM")) {
			fields[i] += " " + strings.ToUpper(fields[i+1])
			fields = slices.Delete(fields, i+1, i+2)
		}
		if i > 0 && date().MatchString(fields[i-1]) {
			fields[i-1] += " " + fields[i]
			fields = slices.Delete(fields, i, i+1)
		}
	}
	return fields
}

var glued = words.Pattern(`^(?:[-+]?(?:\d+\.\d*|\.\d+)(?:[eEdD][-+]?\d{1,3})?){2,}$`)

// unglued cuts numbers that touch at their signs. Each has a point, as dates and units have not.
func unglued(fields []string) []string {
	for i, f := range fields {
		if strings.LastIndexAny(f, "+-") <= 0 || strings.Count(f, ".") < 2 || !glued().MatchString(f) {
			continue
		}
		var parts []string
		from := 0
		for at := 1; at < len(f); at++ {
			if (f[at] == '-' || f[at] == '+') && !strings.ContainsAny(f[at-1:at], "eEdD") {
				parts, from = append(parts, f[from:at]), at
			}
		}
		return slices.Concat(fields[:i], append(parts, f[from:]), unglued(fields[i+1:]))
	}
	return fields
}

// Plain is a field with a decimal point, as Number reads it. A point in a text with decimal commas is no decimal point.
func (d Dialect) Plain(field string) string {
	if !d.Comma {
		return field
	}
	if strings.Contains(field, ".") {
		return ""
	}
	return strings.Replace(field, ",", ".", 1)
}

// Number is the number in a field: an exponent may be D, as Fortran writes it. An error is strconv's.
func (d Dialect) Number(field string) (float64, error) {
	plain := d.Plain(field)
	v, err := strconv.ParseFloat(plain, 64)
	if err == nil {
		return v, nil
	}
	if at := strings.IndexAny(plain, "dD"); at > 0 {
		if v, err := strconv.ParseFloat(plain[:at]+"e"+plain[at+1:], 64); err == nil {
			return v, nil
		}
	}
	return v, err
}

// String says what separates fields and what stands before decimals.
func (d Dialect) String() string { return d.Of(2) }

// Of is String of a text of so many columns: nothing separates one.
func (d Dialect) Of(columns int) string {
	s := map[byte]string{0: "blanks", ';': "semicolons", '\t': "tabs", ',': "commas"}[d.Separator] + " between columns"
	if columns == 1 {
		s = "one column"
	}
	if d.Comma {
		s += ", decimal commas"
	}
	return s
}
