package catalogue

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"rths"
)

// Condition compares a number of a run with a limit: J2_pct<3. A run without the number does
// not fulfil it.
type Condition struct {
	Name  string
	Sign  string // one of Signs
	Limit float64
}

// Text is the condition as ParseCondition reads it.
func (c Condition) Text() string { return c.Name + c.Sign + strconv.FormatFloat(c.Limit, 'g', -1, 64) }

// Signs are the comparisons.
var Signs = []string{"<=", ">=", "<", ">", "="}

// ParseCondition reads a name, a sign and a number, with or without blanks between them.
func ParseCondition(text string) (Condition, error) {
	at := strings.IndexAny(text, "<>=!")
	if at < 0 {
		return Condition{}, fmt.Errorf("%q: want a name, one of %s, and a number, as in J2_pct<3", text,
			strings.Join(Signs, " "))
	}
	rest := strings.TrimLeft(text[at:], "<>=!")
	c := Condition{Name: strings.TrimSpace(text[:at]), Sign: text[at : len(text)-len(rest)]}
	if strings.ContainsFunc(c.Name, notOfName) || c.Name == "" {
		return Condition{}, fmt.Errorf("%q: found the name %q: want the name of one criterion or indicator, as in J2_pct<3",
			text, c.Name)
	}
	if !strings.Contains(" "+strings.Join(Signs, " ")+" ", " "+c.Sign+" ") {
		return Condition{}, fmt.Errorf("%q: found %s: want one of %s", text, c.Sign, strings.Join(Signs, " "))
	}
	number := strings.TrimSpace(rest)
	limit, err := strconv.ParseFloat(number, 64)
	if err != nil || !rths.Finite(limit) {
		return Condition{}, fmt.Errorf("%q: found %q after %s: want a number, as in J2_pct<3", text, number, c.Sign)
	}
	c.Limit = limit
	return c, nil
}

// holds compares.
func (c Condition) holds(v float64) bool {
	switch c.Sign {
	case "<":
		return v < c.Limit
	case "<=":
		return v <= c.Limit
	case "=":
		return v == c.Limit
	case ">=":
		return v >= c.Limit
	case ">":
		return v > c.Limit
	}
	return false
}

// notOfName says what no name of a number has.
func notOfName(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_.-:", r)
}

// ParseDate reads the date of a flag, a date of the calendar here, with or without a time, or with a zone.
func ParseDate(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{
		time.DateOnly, "2006-01-02 15:04", time.DateTime, "2006-01-02T15:04", "2006-01-02T15:04:05", time.RFC3339,
	} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("runs: %s %q: want a date as 2026-11-02, '2026-11-02 14:30' or RFC 3339", flag, text)
}
