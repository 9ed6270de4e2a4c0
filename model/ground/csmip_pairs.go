package ground

import (
	"fmt"
	"strconv"
	"strings"

	"rths/maths/words"
)

// pairs is the part of a CSMIP V1 file that has no data line: times and accelerations of a digitised film stand below
// the heading. A V1 file of a digital recorder has a data line too, and the same words in its heading.
type pairs struct {
	points int       // as the heading says; 0: it does not
	unit   string    // of the accelerations
	v      []float64 // the numbers since the last line of text: integers and reals of the heading, then the pairs
}

var (
	csmipPoints = words.Pattern(`(?i)\bno\.? of points\s*=\s*(\d+)`)
	csmipPairs  = words.Pattern(`(?i)\bunits of uncor\w*\.? \w+ are sec and (.*?)\s*(?:\.\s|\.?\s{2}|\.?$)`)
)

// text takes a line of the heading.
func (p *pairs) text(text string) {
	if m := csmipPoints().FindStringSubmatch(text); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil && n <= maxSamples {
			p.points = n
		}
	}
	if m := csmipPairs().FindStringSubmatch(text); m != nil {
		p.unit = m[1]
	}
	p.v = nil
}

// take takes a line that has numbers alone; numbers may touch.
func (p *pairs) take(text string) bool {
	before, words := len(p.v), unglued(text)
	for _, word := range words {
		x, err := parseNumber(word)
		if err != nil || len(p.v) >= 2*maxSamples+mostHeaderValues {
			p.v = p.v[:before]
			return false
		}
		p.v = append(p.v, x)
	}
	return len(words) > 0
}

// mostHeaderValues are the 100 integers and 100 reals of a heading.
const mostHeaderValues = 200

// complete tells whether the heading says pairs, and they are there.
func (p pairs) complete() bool {
	more := len(p.v) - 2*p.points
	return p.points >= 2 && p.unit != "" && more >= 0 && more <= mostHeaderValues
}

// found is for errors: pairs that are not all there.
func (p pairs) found() string {
	if p.unit == "" || p.points == 0 {
		return ""
	}
	return fmt.Sprintf("; or the %d pairs of time and acceleration (s and %s) of the heading, found %d numbers", p.points,
		p.unit, len(p.v))
}

// digitised keeps the motion of pairs, if its channel is wanted.
func (f *cosmosFile) digitised(c cosmosChannel) error {
	if len(f.channels) == maxChannels {
		return f.errorf("want at most %d channels", maxChannels)
	}
	f.channels = append(f.channels, c.String())
	if !c.is(f.wanted) {
		return nil
	}
	if f.found++; f.found > 1 {
		return nil
	}
	factor, err := networkUnit(strings.TrimSuffix(c.pairs.unit, "."), 0)
	if err != nil {
		return f.errorf("%w", err)
	}
	s := series{name: f.name, where: func(i int) string {
		return fmt.Sprintf("line %d: the pairs above it: sample %d", f.n,
			i+1)
	}}
	s.t, s.a = splitPairs(c.pairs.v[len(c.pairs.v)-2*c.pairs.points:], true)
	m, err := s.motion(factor, 0)
	if err != nil {
		return err
	}
	m.Name, m.Station, m.Component, m.Event = f.name, c.station, c.String(), c.event
	f.motion = m
	return nil
}
