package ground

import (
	"fmt"
	"strconv"
	"strings"

	"rths/maths/words"
)

// The heading of a channel in the COSMOS format V1.20: text lines (13 and, in
// exceptional cases, more), integers, reals, comments. Places count from 1, as
// the format's tables do.
const (
	placeQuantity = 2  // integer: table 1
	placeUnit     = 3  // integer: table 2
	placeRawStep  = 34 // real: sample interval of the raw record, s
	placeStepMS   = 62 // real: sample interval of this series, ms
	placeLength   = 63 // real: length of this series, s
)

// maxHeading bounds the counts of a heading.
const maxHeading = 10_000

var (
	cosmosFirst    = words.Pattern(`(?i)\(\s*format\s+v\s*([\d.]+)\s+with\s+(\d+)\s+text\s+lines\s*\)`)
	cosmosNumbers  = words.Pattern(`(?i)^\s*(\d+)\s+(integer|real)-?\s*header\s+values.*?format\s*=?\s*(\(.*)$`)
	cosmosComments = words.Pattern(`(?i)^\s*(\d+)\s+comment`)
	cosmosStation  = words.Pattern(`(?i)\bcode:\s*(.*)$`)
	cosmosChan     = words.Pattern(`(?i)^\s*sta\s+chan\s*([^:\s]+)\s*:?\s*([^(]*?)\s*(\(|location|$)`)
	eventWords     = words.Pattern(`(?i)^\s*(?:record|rcrd)\s+of\s+`)
)

// cosmosHeading reads the heading whose first line is the present one.
func (f *cosmosFile) cosmosHeading() (cosmosChannel, error) {
	c := cosmosChannel{number: strconv.Itoa(len(f.channels) + 1)}
	n, err := strconv.Atoi(cosmosFirst().FindStringSubmatch(f.text)[2])
	if err != nil || n < 1 || n > maxHeading {
		return c, f.errorf("found %.80q, want 1 to %d text lines", f.text, maxHeading)
	}
	for i := 2; i <= n; i++ {
		if !f.next() {
			return c, f.ended(fmt.Sprintf("%d text lines", n))
		}
		c.textLine(i, f.text)
	}
	integers, err := f.headerValues("integer")
	if err != nil {
		return c, err
	}
	reals, err := f.headerValues("real")
	if err != nil {
		return c, err
	}
	c.quantity, c.unit = int(known(integers, placeQuantity)), int(known(integers, placeUnit))
	c.length = known(reals, placeLength)
	if c.dt = known(reals, placeStepMS) / 1000; c.dt == 0 {
		c.dt = known(reals, placeRawStep)
	}
	if c.dt == 0 {
		return c, f.errorf("no sample interval in the real header: want it in ms at place %d or in s at place %d",
			placeStepMS, placeRawStep)
	}
	return c, f.comments()
}

// textLine takes from line i of the text what is shown to people.
func (c *cosmosChannel) textLine(i int, text string) {
	switch i {
	case 2:
		c.event = tidyWords(eventWords().ReplaceAllString(text, ""))
	case 5:
		if m := cosmosStation().FindStringSubmatch(text); m != nil {
			c.station = tidyWords(m[1])
		}
	case 9:
		if m := cosmosChan().FindStringSubmatch(text); m != nil {
			if m[1] != "?" {
				c.number = m[1]
			}
			c.direction = tidyWords(m[2])
		}
	}
}

// headerValues reads the integer or the real header.
func (f *cosmosFile) headerValues(kind string) ([]float64, error) {
	want := fmt.Sprintf(`"100 %s-header values follow on … lines, Format= (…)"`, kind)
	if !f.nextFilled() {
		return nil, f.ended(want)
	}
	m := cosmosNumbers().FindStringSubmatch(f.text)
	if m == nil || !strings.EqualFold(m[2], kind) {
		return nil, f.errorf("found %.60q, want %s", f.text, want)
	}
	n, err := strconv.Atoi(m[1])
	if err != nil || n > maxHeading {
		return nil, f.errorf("found %.20s values, want at most %d", m[1], maxHeading)
	}
	format, err := parseFortran(m[3])
	if err != nil {
		return nil, f.errorf("%w", err)
	}
	return f.numbers(n, format, kind+"-header values")
}

// known is the value at a place of a header, and 0 where there is none: unknown
// values are -999, and those read here are above 0.
func known(values []float64, place int) float64 {
	if place > len(values) || !(values[place-1] > 0) {
		return 0
	}
	return min(values[place-1], 1e9)
}

// comments passes over the comment lines.
func (f *cosmosFile) comments() error {
	if !f.nextFilled() {
		return f.ended("comments or data")
	}
	m := cosmosComments().FindStringSubmatch(f.text)
	if m == nil {
		f.back() // none
		return nil
	}
	n, err := strconv.Atoi(m[1])
	if err != nil || n > maxHeading {
		return f.errorf("found %.20s comment lines, want at most %d", m[1], maxHeading)
	}
	for range n {
		if !f.next() {
			return f.ended(fmt.Sprintf("%d comment lines", n))
		}
	}
	return nil
}

// The heading of CSMIP: text lines whose number changed over the years, 100
// integers and 100 reals that nothing announces, and then a data line, which
// says all that is needed.
var (
	csmipChan    = words.Pattern(`(?i)\bchan\s*(\d+)\s*:\s*(.*?)\s*(?:\s{2,}.*|\bfrom\s*)?$`)
	csmipStation = words.Pattern(`(?i)^\s*station\s+(?:no|id)\.?\s*(\S+)`)
	// two blanks stand in "Jul  5"
	csmipEvent = words.Pattern(`(?i)^\s*(?:rcrd|record)\s+of\s+(.*?)(?:\s{3,}.*|\s*\(.*)?$`)
)

// csmipHeading reads up to the data line, which is read again; or, where there is none, to the end of the pairs of
// time and acceleration of a digitised film.
func (f *cosmosFile) csmipHeading() (cosmosChannel, error) {
	c := cosmosChannel{number: strconv.Itoa(len(f.channels) + 1)}
	nameNext := false
	for i := 0; i < maxHeading; i++ {
		nameNext = c.csmipText(f.text, nameNext)
		more := f.next()
		for more && c.pairs.take(f.text) {
			more = f.next()
		}
		if f.err == nil && (!more || endOfData().MatchString(f.text) || f.headingReader() != nil) && c.pairs.complete() {
			if more && !endOfData().MatchString(f.text) {
				f.back()
			}
			return c, nil
		}
		switch {
		case !more:
			return c, f.ended(`"… points of accel data equally spaced at … sec"` + c.pairs.found())
		case csmipData().MatchString(f.text) || csmipRaw().MatchString(f.text):
			f.back()
			c.pairs = pairs{}
			return c, nil
		case endOfData().MatchString(f.text):
			i = maxHeading
		}
	}
	return c, f.errorf(`no data line in the heading: want "… points of accel data equally spaced at … sec" or `+
		`"… accelerogram points at … pts/sec"%s`, c.pairs.found())
}

// csmipText takes from a line of the heading what is shown to people, and what is said of pairs. It tells whether the
// next line goes on with the station.
func (c *cosmosChannel) csmipText(text string, goesOn bool) (nameNext bool) {
	if m := csmipChan().FindStringSubmatch(text); m != nil && c.direction == "" {
		c.number, c.direction = m[1], tidyWords(m[2])
	}
	if goesOn {
		c.station = tidyWords(c.station + " " + firstColumn(text))
	}
	if m := csmipStation().FindStringSubmatch(text); m != nil && c.station == "" {
		c.station, nameNext = m[1], true
	}
	if m := csmipEvent().FindStringSubmatch(text); m != nil && c.event == "" {
		c.event = tidyWords(m[1])
	}
	c.pairs.text(text)
	return nameNext
}

// firstColumn is the text before the first gap of two blanks.
func firstColumn(text string) string {
	before, _, _ := strings.Cut(strings.TrimSpace(text), "  ")
	return before
}
