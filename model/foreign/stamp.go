package foreign

import (
	"strconv"
	"strings"

	"rths/maths/words"
)

// Clock reads the times of samples that a data logger writes as a date and a time of day, or as a time of day. Dates are
// year-month-day, day.month.year, or month/day/year; day/month/year where a month cannot be meant. Seconds may have a
// fraction, after a point or a comma.
type Clock struct{ first, last moment }

// moment is a day, counted from any one, and the seconds of it.
type moment struct {
	dated bool
	day   int
	s     float64
}

var stamp = words.Pattern(`(?i)^(?:(\d{1,4})([-/.])(\d{1,2}|[a-z]{3})[-/.](\d{1,4})[ T-]+)?` +
	`(\d{1,2}):(\d\d):(\d\d(?:[.,]\d*)?)\s*(AM|PM)?(?:Z|[-+]\d\d:?\d\d)?$`)

// momentOf is the moment in a field; false: there is none.
func momentOf(field string) (m moment, ok bool) {
	p := stamp().FindStringSubmatch(field)
	if p == nil {
		return m, false
	}
	hour, _ := strconv.Atoi(p[5])
	minute, _ := strconv.Atoi(p[6])
	second, err := strconv.ParseFloat(strings.Replace(p[7], ",", ".", 1), 64)
	if half := strings.ToUpper(p[8]); half != "" {
		if hour < 1 || hour > 12 {
			return m, false
		}
		if hour %= 12; half == "PM" {
			hour += 12
		}
	}
	if err != nil || hour > 23 || minute > 59 || second >= 61 {
		return m, false
	}
	m.s = float64(3600*hour+60*minute) + second
	if p[1] == "" {
		return m, true
	}
	year, month, day := p[1], p[3], p[4]
	switch first, _ := strconv.Atoi(p[1]); {
	case len(p[1]) == 4:
	case p[2] == "." || len(month) == 3 || first > 12:
		year, day = p[4], p[1]
	default:
		year, month, day = p[4], p[1], p[3]
	}
	m.dated = true
	m.day, ok = dayOf(year, month, day)
	return m, ok
}

// dayOf counts days of the Gregorian calendar; false: the date is none.
func dayOf(year, month, day string) (int, bool) {
	y, err1 := strconv.Atoi(year)
	d, err2 := strconv.Atoi(day)
	m, err3 := strconv.Atoi(month)
	if len(month) == 3 {
		at := strings.Index("janfebmaraprmayjunjulaugsepoctnovdec", strings.ToLower(month))
		if m, err3 = at/3+1, nil; at < 0 || at%3 != 0 {
			return 0, false
		}
	}
	if err1 != nil || err2 != nil || err3 != nil || m < 1 || m > 12 || d < 1 || d > 31 {
		return 0, false
	}
	if m <= 2 { // years begin in March, so that the leap day is their last
		y, m = y-1, m+12
	}
	return 365*y + y/4 - y/100 + y/400 + (153*(m-3)+2)/5 + d, true
}

// NewClock is the clock that reads a field, or nil where it is no time of day. Its zero is this time.
func NewClock(field string) *Clock {
	m, ok := momentOf(field)
	if !ok {
		return nil
	}
	return &Clock{first: m, last: m}
}

// Seconds is the time of a field after the clock's zero; false where it is no time as the first was. A time of day
// without date that is half a day before the last one is one of the next day.
func (c *Clock) Seconds(field string) (float64, bool) {
	m, ok := momentOf(field)
	if !ok || m.dated != c.first.dated {
		return 0, false
	}
	if !m.dated {
		if m.day = c.last.day; m.s < c.last.s-43200 {
			m.day++
		}
	}
	c.last = m
	return float64(86400*(m.day-c.first.day)) + (m.s - c.first.s), true
}
