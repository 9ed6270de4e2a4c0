package ground

import (
	"fmt"
	"slices"
	"strings"

	"rths/maths/words"
)

// heading is the lines before the first row of numbers, comments among them.
type heading struct {
	lines []headingLine
	size  int // bytes of the lines
}

// headingLine is one line. Of a comment the fields are none.
type headingLine struct {
	text   string
	fields []string
	line   int // from 1
}

const (
	longestTitle   = 1000    // bytes
	longestHeading = 1 << 18 // bytes
)

// take takes a line without numbers, or one that is not all numbers.
func (h *heading) take(text string, fields []string, line int) error {
	if text = strings.TrimSpace(text); text == "" {
		return nil
	}
	for _, f := range fields {
		if len(f) > longestTitle {
			return fmt.Errorf("found a title of %d bytes, want at most %d", len(f), longestTitle)
		}
	}
	if h.size += len(text); h.size > longestHeading {
		if len(fields) == 0 {
			return nil // a comment
		}
		return fmt.Errorf("found %d bytes without a line of numbers: want numbers", h.size)
	}
	h.lines = append(h.lines, headingLine{text, fields, line})
	return nil
}

// titles are those of so many columns: the last line that is no comment, with the units in a line below it, or the
// comment before the numbers, as NumPy writes it, if it has as many words and the first is time; a remark is not.
// Lines above the titles are free. A row of numbers that something has spoiled is none of the heading.
func (h *heading) titles(columns int) ([]string, error) {
	filled := h.filled()
	for _, l := range filled {
		if err := l.spoiled(columns); err != nil {
			return nil, fmt.Errorf("line %d: %w", l.line, err)
		}
	}
	last := len(filled) - 1
	isTitles := func(i int) bool { return i >= 0 && len(filled[i].fields) == columns && isTitle(filled[i].fields) }
	switch {
	case !isTitles(last):
		return h.commented(columns), h.lost(filled, columns)
	case isTitles(last-1) && areUnits(filled[last].fields):
		titles := make([]string, columns)
		for i, unit := range filled[last].fields {
			titles[i] = filled[last-1].fields[i] + " [" + strings.Trim(unit, "[]() ") + "]"
		}
		return titles, h.lost(filled[:last-1], columns)
	}
	return filled[last].fields, h.lost(filled[:last], columns)
}

// filled is the lines that are no comments.
func (h *heading) filled() (out []headingLine) {
	for _, l := range h.lines {
		if len(l.fields) > 0 {
			out = append(out, l)
		}
	}
	return out
}

// sequence is the line of titles in files of Taiwan: "#DataSequence: Time U(+); N(+); E(+)".
var sequence = words.Pattern(`(?i)^#\s*DataSequence:(.*)`)

// commented is the titles in the last comment, or in the line of the sequence of columns.
func (h *heading) commented(columns int) []string {
	for _, l := range h.lines {
		if found := sequence().FindStringSubmatch(l.text); found != nil {
			if titles := strings.Fields(strings.NewReplacer(";", " ", "(+)", "").Replace(found[1])); len(titles) == columns {
				return titles
			}
		}
	}
	if len(h.lines) == 0 {
		return nil
	}
	last := h.lines[len(h.lines)-1]
	if len(last.fields) > 0 || len(last.text) > longestTitle {
		return nil
	}
	words := splitLine(strings.TrimLeft(last.text, "#% \t"))
	if len(words) != columns || columns > 1 && !isTime(words[0]) || !isTitle(words) {
		return nil
	}
	return words
}

// lost refuses titles with units in a line that is not next to the numbers: the units would be passed over.
func (h *heading) lost(lines []headingLine, columns int) error {
	for _, l := range lines {
		if columns > 1 && len(l.fields) == columns && isTitle(l.fields) && l.statesUnit() {
			next := h.after(l.line)
			return fmt.Errorf(
				"line %d: found %.40q, want a number; or the units of the titles in line %d; # begins other lines of a heading",
				next.line, next.fields[0], l.line)
		}
	}
	return nil
}

// statesUnit tells whether a title of the line states a unit of time or acceleration.
func (l headingLine) statesUnit() bool {
	return slices.ContainsFunc(l.fields, func(title string) bool {
		for _, q := range []Quantity{Time, Acceleration} {
			if unit, err := q.stated(title); err == nil && unit != "" {
				return true
			}
		}
		return false
	})
}

// after is the line of the heading after a line.
func (h *heading) after(line int) headingLine {
	for _, l := range h.filled() {
		if l.line > line {
			return l
		}
	}
	return headingLine{line: line, fields: []string{""}}
}

// spoiled is the error of a line that is a row of numbers but for a field: it begins with a number and has as many
// columns as the rows, or quoted numbers that a comma has cut.
func (l headingLine) spoiled(columns int) error {
	first := strings.Replace(l.fields[0], ",", ".", 1)
	quoted := slices.ContainsFunc(l.fields, func(f string) bool { return strings.HasPrefix(f, `"`) })
	if !isNumber(first) || len(l.fields) != columns && !quoted {
		return nil
	}
	for _, f := range l.fields {
		if _, err := parseNumber(f); err != nil {
			return fmt.Errorf("%w; # begins the lines of a heading", err)
		}
	}
	return nil
}

// noRows is the error of a text without numbers.
func (h *heading) noRows(name string) error {
	for _, l := range h.filled() {
		if !strings.ContainsAny(l.fields[0][:min(1, len(l.fields[0]))], "+-.0123456789") {
			continue
		}
		if decimalCommas(l.fields) {
			return fmt.Errorf("%s: line %d: found decimal commas: write decimal points, or semicolons between columns", name,
				l.line)
		}
		for _, f := range l.fields {
			if _, err := parseNumber(f); err != nil {
				return fmt.Errorf("%s: line %d: %w", name, l.line, err)
			}
		}
	}
	return fmt.Errorf("%s: too few points: found 0, want 2 or more lines of time and acceleration", name)
}

// free is the lines that are no titles of so many columns.
func (h *heading) free(columns int) []headingLine {
	return slices.DeleteFunc(slices.Clone(h.lines), func(l headingLine) bool {
		return columns > 1 && len(l.fields) == columns && isTitle(l.fields)
	})
}

// decimalCommas tells whether a line was cut at decimal commas: "0,02,0,15" is four whole
// numbers then, and "0,02 0,15" has a blank between digits.
func decimalCommas(fields []string) bool {
	whole := len(fields) == 4
	for _, f := range fields {
		whole = whole && strings.Trim(f, "+-0123456789") == ""
	}
	return whole || len(fields) == 3 && len(strings.Fields(fields[1])) == 2
}

// joinBrackets joins words that blanks have cut: "Time", "(s)" is one title, "[s]", "[g]"
// are two units.
func joinBrackets(words []string) []string {
	out := make([]string, 0, len(words))
	for _, f := range words {
		n := len(out)
		if n > 0 && len(out[n-1]) < longestTitle && (strings.IndexAny(f, "[(") == 0 &&
			strings.IndexAny(out[n-1], "[(") != 0 || isOpen(out[n-1])) {
			out[n-1] += " " + f
		} else {
			out = append(out, f)
		}
	}
	return out
}

// isOpen tells whether a bracket of the text is not closed.
func isOpen(text string) bool {
	return strings.LastIndexAny(text, "[(") > strings.LastIndexAny(text, "])")
}

// areUnits tells whether a line is the units of titles: a field is a unit of time, and none is the title of times; or
// all are units.
func areUnits(fields []string) bool {
	times, known := false, 0
	for _, f := range fields {
		f = strings.Trim(f, "[]() ")
		if isTime(f) {
			return false
		}
		_, ok := Time.Find(f)
		times = times || ok
		if ok || slices.ContainsFunc([]Quantity{Length, Angle, Force, Acceleration},
			func(q Quantity) bool { _, ok := q.Find(f); return ok }) {
			known++
		}
	}
	return times || known == len(fields)
}

// isTime tells whether a title is that of times.
func isTime(title string) bool {
	if at := strings.IndexAny(title, "[("); at > 0 {
		title = title[:at]
	}
	bare, _ := Time.Behind(strings.TrimSpace(title))
	return slices.Contains([]string{"time", "t", "date/time", "datetime", "timestamp"}, strings.ToLower(bare))
}
