package ground

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"rths/maths/words"
)

// What a line of a heading may say of units: "IN UNITS OF G", "UNITS: (CM/SEC2)", "The units are cm/s2"; "in g";
// "(CM/SEC/SEC)", "[g]"; "500 0.02 gal"; "Scale factor: 980.665".
var (
	aboutUnit  = words.Pattern(`(?i)accel|\bacc\b|units?\b|time[- ]*(?:hist|ser)`)
	afterUnits = words.Pattern(`(?i)units?\b\s*(?:(?:of accel\w*|of|are|is|in)\b\s*|[:=]\s*)*`)
	afterIn    = words.Pattern(`(?i)\bin\s+`)
	// before a unit that is known
	partOfUnit = words.Pattern(`(?i)percent|milli|micro|\bof$|fraction|[%*/^]`)
	// before the unit of "500 0.02 gal"
	countOnly   = words.Pattern(`^[#%\s]*(?:(?:[-+]?[.\d]+(?:[eE][-+]?\d+)?[\s,;]+){2,}|\d+[\s,;]+)?`)
	factorAfter = words.Pattern(`(?i)^[\s,]*(?:[x×*·/^]\s*[\d.]|e[-+]?\d|(?:times|by)\b.*\d)`)
	factorFront = words.Pattern(`^[-+.\deE]+\s`)
	percentG    = words.Pattern(`(?i)(?:%|percent)\s*(?:of\s+)?g\b`)
	factorWord  = words.Pattern(
		`(?i)\b(?:scal(?:e|ing)[- _]*factor|(?:scaled?|multipl(?:y|ied)|divided?) by|multiplier)\W*([\d.]+)`)
	likeUnit = words.Pattern(`(?i)[/^*%²⁻]|(?:^|[^a-z])(?:gals?|cm|mm|ft|sec|percent|milli|micro|fractions?|` +
		`volts?|counts?|lsb|gravity|kgf|tonf?|tons?|tf|lbs?|klbf|kips|dyn|[a-z]{0,3}ps2|[ckmu]?m ?s-?2)(?:[^a-z]|$)`)
	remark = words.Pattern(
		`(?i)^(?:[nsewudxyz+-]+|\w*\d\w*|north|south|east|west|up|down|\w+al|\w+ed|transverse|raw|(?-i:[A-Z][a-z]{2,}))$`)
)

// The words that say which quantity numbers are. A word may stand between underscores.
var (
	seriesOfOther = words.Pattern(`(?i)\b(?:veloc|displac|vel\b|disp\b|forces?\b)`)
	ofSeries      = words.Pattern(`(?i)\bunits?\b|time[- ]*(?:hist|ser)|\bdata\b`)
	ofMeasure     = words.Pattern(`(?i)\b(?:peak|max\w*|min\w*|pg[vd]|shear|waves?|filter\w*|final|initial)\b`)
	spectral      = words.Pattern(`(?i)(?:^|[^a-z])(?:(?:spectral|pseudo)\W*acc\w*|psa)(?:[^a-z]|$)|^sa(?:[^a-z]|$)`)
	titleWords    = map[string]func() *regexp.Regexp{
		Time.Name: titleWord(`times?|t`), Acceleration.Name: titleWord(`acc\w*`), Length.Name: titleWord(`disp|displ\w*`),
		Force.Name: titleWord(`forces?|loads?`), "velocity": titleWord(`vel|veloc\w*`),
		"spectral acceleration": spectral, "period": titleWord(`periods?`), "frequency": titleWord(`freq\w*`),
		"strain": titleWord(`strains?`),
	}
)

// titleWord finds words in a title.
func titleWord(word string) func() *regexp.Regexp {
	return words.Pattern(`(?i)(?:^|[^a-z])(?:` + word + `)(?:[^a-z]|$)`)
}

// statedUnit is the unit of acceleration that the lines of a heading state, "" if they state none. A unit that is
// not known is an error, and so are two of them, and velocities or displacements.
func statedUnit(lines []headingLine) (unit string, err error) {
	var doubt error
	accelerations := false
	for _, l := range lines {
		found, perhaps, err := unitOf(l.text)
		if err == nil && unit != "" && found != "" && Acceleration.Units[found] != Acceleration.Units[unit] {
			err = fmt.Errorf("the heading says %s, and %s above: want one unit", found, unit)
		}
		if err != nil {
			return "", fmt.Errorf("line %d: %w", l.line, err)
		}
		unit = cmp.Or(found, unit)
		if doubt == nil && perhaps != nil {
			doubt = fmt.Errorf("line %d: %w", l.line, perhaps)
		}
		accelerations = accelerations || strings.Contains(strings.ToLower(l.text), "acc")
	}
	if unit != "" || accelerations && errors.As(doubt, new(quantityError)) {
		return unit, nil
	}
	return "", doubt
}

// quantityError is the error of a heading that says that the numbers are no accelerations.
type quantityError struct{ text string }

func (e quantityError) Error() string {
	return fmt.Sprintf("found %.80q, want accelerations: this is a series of another quantity", e.text)
}

// unitOf is the unit that one line states. Text after the word units has to be one. A doubt is something that may be a
// unit that is not known, a factor or another quantity: it matters where the heading states no unit.
func unitOf(text string) (unit string, doubt, err error) {
	text = strings.TrimSpace(text)
	about, other := aboutUnit().MatchString(text), seriesOfOther().MatchString(text) &&
		!strings.Contains(strings.ToLower(text), "acc")
	if other && ofSeries().MatchString(text) || spectral().MatchString(text) {
		return "", nil, quantityError{text}
	}
	strange := fmt.Errorf("found %.80q, want a unit of acceleration, one of %s; or unit, which says it", text,
		Acceleration.List())
	if at := afterUnits().FindStringIndex(text); at != nil && strings.TrimSpace(text[at[1]:]) != "" {
		if unit = leadingUnit(text[at[1]:]); unit == "" {
			return "", nil, strange
		}
		return unit, nil, nil
	}
	if unit = unitAmong(text, about); unit != "" {
		return unit, nil, nil
	}
	factor := factorWord().FindStringSubmatch(text)
	_, isTime := Time.Find(alone(text))
	switch {
	case other && !ofMeasure().MatchString(text):
		doubt = quantityError{text}
	case about && unknownUnit(text), !isTime && likeUnit().MatchString(alone(text)) && len(strings.Fields(text)) <= 3 &&
		!strings.Contains(text, ":"):
		doubt = strange
	case factor != nil:
		if x, err := parseNumber(factor[1]); err != nil || x != 1 {
			doubt = fmt.Errorf(
				"found %.80q, a factor: take the line out, and give the factor as scale or in the unit, if the numbers lack it",
				text)
		}
	}
	return "", doubt, nil
}

// unitAmong is a known unit that stands alone, between commas, in brackets or after "in". Away from words about
// accelerations one or two letters are none.
func unitAmong(text string, about bool) string {
	if unit, ok := findWritten(alone(text)); ok {
		return unit
	}
	for _, part := range append(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",;:", r) }),
		brackets(text)...) {
		if unit, ok := findWritten(part); ok && (about || len(unit) > 2) && !factorAfter().MatchString(behindBrackets(text)) {
			return unit
		}
	}
	for _, at := range afterIn().FindAllStringIndex(text, -1) {
		if unit := leadingUnit(text[at[1]:]); unit != "" && about {
			return unit
		}
	}
	return ""
}

// alone is a text without the numbers of a count before it, and without brackets around it.
func alone(text string) string {
	return strings.Trim(countOnly().ReplaceAllString(text, ""), "[]() ")
}

// leadingUnit is the unit with which a text begins, "" if it begins with none, or if a factor follows.
func leadingUnit(text string) string {
	text = strings.TrimLeft(text, "[( ")
	if end := strings.IndexAny(text, "]),;"); end >= 0 {
		text = text[:end]
	}
	words := strings.Fields(text)
	for n := min(len(words), 6); n > 0; n-- {
		unit, ok := findWritten(strings.Join(words[:n], " "))
		if ok && !factorAfter().MatchString(strings.Join(words[n:], " ")) {
			return unit
		}
	}
	return ""
}

// unknownUnit tells whether a line about accelerations may state a unit, in brackets or after "in".
func unknownUnit(text string) bool {
	for _, group := range brackets(text) {
		if likeUnit().MatchString(group) || !strings.Contains(group, " ") && !remark().MatchString(group) {
			return true
		}
	}
	for _, at := range afterIn().FindAllStringIndex(text, -1) {
		first, more, _ := strings.Cut(text[at[1]:], " ")
		if likeUnit().MatchString(first) || more == "" && !remark().MatchString(first) ||
			leadingUnit(factorFront().ReplaceAllString(text[at[1]:], "")) != "" {
			return true
		}
	}
	return percentG().MatchString(text) || factorAfter().MatchString(behindBrackets(text))
}

// written makes one word of the ways in which headings spell a unit: G'S, gals, cm per sec per sec.
var written = strings.NewReplacer("g's", "g", "gals", "gal", " per ", "/", " s-2", "/s2", ".s-2", "/s2", "·s-2", "/s2",
	" ", "", "\"", "", "'", "")

// findWritten is the unit of acceleration that a heading writes.
func findWritten(text string) (string, bool) {
	return Acceleration.Find(strings.TrimRight(text, " .;:"))
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
	stated, err := Acceleration.stated(title)
	switch {
	case errors.As(err, new(titleError)):
		return 1, false, err
	case asked == "" && (err != nil || stated == ""):
		return 1, false, err
	case asked == "":
		return Acceleration.Units[stated], true, nil
	}
	factor, err = Acceleration.factor(asked)
	if own := Acceleration.Units[stated]; err == nil && stated != "" && own != factor {
		err = fmt.Errorf("unit %q: the title line says %s: want the same, or no unit", asked, stated)
	}
	return factor, true, err
}

// assumed says which units were stated nowhere.
func assumed(m Motion, time, unit bool) []string {
	step, peak := fmt.Sprintf("s (step %.4g s)", m.Dt), fmt.Sprintf("m/s² (peak %.3g m/s²)", m.PGA())
	switch {
	case !time && !unit:
		return []string{fmt.Sprintf(
			"%s: no unit is stated: times are taken for %s, accelerations for %s; titles state units, as in time_s,accel_g",
			m.Name, step, peak)}
	case !unit:
		return []string{fmt.Sprintf(
			"%s: no unit of acceleration is stated: taken for %s; unit or a title such as accel_g states it", m.Name, peak)}
	case !time:
		return []string{fmt.Sprintf("%s: no unit of time is stated: taken for %s; a title such as time_s states it", m.Name,
			step)}
	}
	return nil
}
