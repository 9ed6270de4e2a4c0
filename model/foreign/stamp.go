package foreign

import (
	"strings"
	"time"
)

// stampLayouts are how data loggers write the time of a sample. Seconds may have a fraction, after a point or a comma.
var stampLayouts = []string{
	"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006/01/02 15:04:05",
	"2006/01/02-15:04:05", "01/02/2006 03:04:05 PM", "01/02/2006 15:04:05", "02/01/2006 15:04:05", "02.01.2006 15:04:05",
	"02-01-2006 15:04:05", "2-Jan-2006 15:04:05", "15:04:05", "03:04:05 PM",
}

// Clock reads the times of samples that are written as a date and a time of day, or as a time of day.
type Clock struct {
	layout string
	first  time.Time
	last   time.Duration
}

// NewClock is the clock that reads a field, or nil where it is no time of day. Its zero is this time.
func NewClock(field string) *Clock {
	if strings.Count(field, ":") < 2 {
		return nil
	}
	for _, layout := range stampLayouts {
		if t, err := time.Parse(layout, field); err == nil {
			return &Clock{layout: layout, first: t}
		}
	}
	return nil
}

// Seconds is the time of a field after the clock's zero; false where it is no time as the first was. A time of day
// without date that is half a day before the last one is one of the next day.
func (c *Clock) Seconds(field string) (float64, bool) {
	t, err := time.Parse(c.layout, field)
	if err != nil {
		return 0, false
	}
	d := t.Sub(c.first)
	if t.Year() == 0 { // no date
		for d < c.last-12*time.Hour {
			d += 24 * time.Hour
		}
	}
	c.last = d
	return d.Seconds(), true
}
