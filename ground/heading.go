package ground

import (
	"fmt"
	"strings"
)

// heading has the titles of a text.
type heading struct {
	titles  []string
	line    int    // of the titles; 0: none yet
	units   bool   // a line of units came
	comment string // the last one
	ended   bool   // numbers came
}

// longestTitle is the length of a title, bytes.
const longestTitle = 1000

// take takes a line without numbers: titles, then units.
func (h *heading) take(fields []string, line int) error {
	for _, f := range fields {
		if len(f) > longestTitle {
			return fmt.Errorf("found a title of %d bytes, want at most %d", len(f), longestTitle)
		}
	}
	if h.line == 0 {
		h.titles, h.line = fields, line
		return nil
	}
	if h.units || len(fields) != len(h.titles) {
		return h.refuse(fields)
	}
	for i, f := range fields {
		if f = strings.Trim(f, "[]() "); !isUnit(f) {
			return h.refuse(fields)
		}
		h.titles[i] += " [" + f + "]"
	}
	h.units = true
	return nil
}

func (h *heading) refuse(fields []string) error {
	if _, err := parseNumber(fields[0]); strings.Contains(fields[0], ",") {
		return err
	}
	return fmt.Errorf("found %.40q, want a number; or the units of the titles in line %d; # begins other lines of a heading", fields[0], h.line)
}

// end closes the heading before a line of so many numbers. Without titles a comment with as
// many words is them, as NumPy writes it, if the first is time; a remark is not.
func (h *heading) end(columns int) {
	if h.ended {
		return
	}
	h.ended = true
	if len(h.comment) > longestTitle {
		return
	}
	words := splitLine(strings.TrimLeft(strings.TrimSpace(h.comment), "#% \t"))
	if h.line == 0 && len(words) == columns && (columns == 1 || isTime(words[0])) && isTitle(words) {
		h.titles = words
	}
}

// joinBrackets joins words that blanks have cut: "Time", "(s)" is one title, "[s]", "[g]"
// are two units.
func joinBrackets(words []string) []string {
	out := make([]string, 0, len(words))
	for _, f := range words {
		n := len(out)
		if n > 0 && len(out[n-1]) < longestTitle && (strings.IndexAny(f, "[(") == 0 && strings.IndexAny(out[n-1], "[(") != 0 || isOpen(out[n-1])) {
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

// isUnit tells whether the text is a unit of any quantity.
func isUnit(text string) bool {
	for _, q := range []Quantity{Time, Length, Angle, Force, acceleration} {
		if _, ok := q.Find(text); ok {
			return true
		}
	}
	return false
}

// last is the title of the last column, "" without titles.
func last(titles []string) string {
	if len(titles) == 0 {
		return ""
	}
	return titles[len(titles)-1]
}

// isTime tells whether a title is that of times.
func isTime(title string) bool {
	if at := strings.IndexAny(title, "[("); at > 0 {
		title = title[:at]
	}
	bare, _ := Time.Behind(strings.TrimSpace(title))
	return strings.EqualFold(bare, "time") || strings.EqualFold(bare, "t")
}

// takeTimeUnit takes the unit of the times from the titles and makes the times seconds.
func (s *series) takeTimeUnit(titles []string) error {
	if len(titles) < 2 {
		s.noUnit = true
		return nil
	}
	if isTime(titles[1]) && !isTime(titles[0]) {
		return fmt.Errorf("found the titles %q and %q: want time in the first column and acceleration in the second", titles[0], titles[1])
	}
	unit, err := Time.stated(titles[0])
	if err != nil {
		return err
	}
	s.noUnit = unit == ""
	if factor := Time.Units[unit]; unit != "" && factor != 1 {
		for i := range s.t {
			s.t[i] *= factor
		}
	}
	return nil
}

// chooseUnit is the factor to m/s² of the asked unit, else of the one that the title
// states, else 1, and whether one of them was given.
func chooseUnit(asked, title string) (factor float64, given bool, err error) {
	if asked == asIs {
		return 1, true, nil
	}
	stated, err := acceleration.stated(title)
	switch {
	case asked == "" && (err != nil || stated == ""):
		return 1, false, err
	case asked == "":
		return acceleration.Units[stated], true, nil
	}
	factor, err = acceleration.factor(asked)
	if own := acceleration.Units[stated]; err == nil && stated != "" && own != factor {
		err = fmt.Errorf("unit %q: the title line says %s: want the same, or no unit", asked, stated)
	}
	return factor, true, err
}

// assumed says which units were stated nowhere.
func assumed(m Motion, time, unit bool) []string {
	step, peak := fmt.Sprintf("s (step %.4g s)", m.Dt), fmt.Sprintf("m/s² (peak %.3g m/s²)", m.PGA())
	switch {
	case !time && !unit:
		return []string{fmt.Sprintf("%s: no unit is stated: times are taken for %s, accelerations for %s; titles state units, as in time_s,accel_g", m.Name, step, peak)}
	case !unit:
		return []string{fmt.Sprintf("%s: no unit of acceleration is stated: taken for %s; unit or a title such as accel_g states it", m.Name, peak)}
	case !time:
		return []string{fmt.Sprintf("%s: no unit of time is stated: taken for %s; a title such as time_s states it", m.Name, step)}
	}
	return nil
}
