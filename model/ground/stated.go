package ground

import (
	"fmt"
	"regexp"
	"strings"
)

// The ways in which a line of a heading names a unit: "IN UNITS OF G", "UNITS: (CM/SEC2)", "The units are cm/s2";
// "in g"; "(CM/SEC/SEC)", "[g]".
var (
	aboutUnit     = regexp.MustCompile(`(?i)accel|\bacc\b|\bunits?\b|time[- ]*(?:hist|ser)`)
	seriesOfOther = regexp.MustCompile(`(?i)\b(?:veloc|displac|vel\b|disp\b)`)
	ofSeries      = regexp.MustCompile(`(?i)\bunits?\b|time[- ]*(?:hist|ser)|\bdata\b`)
	afterUnits    = regexp.MustCompile(`(?i)\bunits?\b\s*(?:(?:of|are|is|in|:|=)\s*)*[\[(]?\s*([^\])\s,;]+(?:\s*/\s*[^\])\s,;]+)*)`)
	afterIn       = regexp.MustCompile(`(?i)\bin\s+[\[(]?([^\])\s,;]+)`)
	partOfUnit    = regexp.MustCompile(`(?i)percent|%|milli`)
	likeUnit      = regexp.MustCompile(`(?i)[/^*%]|(?:^|[^a-z])(?:g|gals?|cm|mm|ft|sec|percent)(?:[^a-z]|$)`)
)

// statedUnit is the unit of acceleration that the lines of a heading state, "" if they state none. A unit that is
// not known is an error, and so are two of them, and velocities or displacements.
func statedUnit(lines []headingLine) (unit string, err error) {
	for _, l := range lines {
		found, err := unitOf(l.text)
		if err == nil && unit != "" && found != "" && acceleration.Units[found] != acceleration.Units[unit] {
			err = fmt.Errorf("the heading says %s, and %s above: want one unit", found, unit)
		}
		if err != nil {
			return "", fmt.Errorf("line %d: %w", l.line, err)
		}
		if found != "" {
			unit = found
		}
	}
	return unit, nil
}

// quantityError is the error of a heading that says that the numbers are no accelerations.
type quantityError struct{ text string }

func (e quantityError) Error() string {
	return fmt.Sprintf("found %.80q, want accelerations: this is a series of another quantity", e.text)
}

// unitOf is the unit that one line states.
func unitOf(text string) (unit string, err error) {
	text = strings.TrimSpace(text)
	about, accelerations := aboutUnit.MatchString(text), strings.Contains(strings.ToLower(text), "acc")
	if seriesOfOther.MatchString(text) && !accelerations && ofSeries.MatchString(text) {
		return "", quantityError{text}
	}
	if m := afterUnits.FindStringSubmatch(text); m != nil {
		if unit, ok := findWritten(m[1]); ok {
			return unit, nil
		}
		return "", fmt.Errorf("found %.80q, want a unit of acceleration, one of %s", text, acceleration.List())
	}
	var strange bool
	for _, group := range brackets(text) {
		unit, ok := findWritten(group)
		if ok && (about || len(unit) > 2) {
			return unit, nil
		}
		strange = strange || !ok && about && likeUnit.MatchString(group)
	}
	if m := afterIn.FindStringSubmatch(text); m != nil && about {
		if unit, ok := findWritten(m[1]); ok {
			return unit, nil
		}
	}
	if strange || about && partOfUnit.MatchString(text) {
		return "", fmt.Errorf("found %.80q, want a unit of acceleration, one of %s", text, acceleration.List())
	}
	return "", nil
}

// titleOfOther tells velocities and displacements by the title of a column.
var titleOfOther = regexp.MustCompile(`(?i)(?:^|[^a-z])(?:vel|veloc\w*|disp|displ\w*)(?:[^a-z]|$)`)

// written makes one word of the ways in which headings spell a unit: G'S, gals, cm per sec per sec.
var written = strings.NewReplacer("g's", "g", "gals", "gal", " per ", "/", " ", "", "\"", "", "'", "")

// findWritten is the unit of acceleration that a heading writes.
func findWritten(text string) (string, bool) {
	return acceleration.Find(written.Replace(strings.ToLower(strings.TrimRight(text, " .;:"))))
}

// takeTimeUnit takes the unit of the times from their title and makes the times seconds.
func (s *series) takeTimeUnit(title string) error {
	unit, err := Time.stated(title)
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
