package ground

import (
	"fmt"
	"io"
	"strings"
)

// The lines of the heading of an ASA file that are read, as KEY : /channel 1/channel 2/….
const (
	asaPoints    = "NUM. TOTAL DE MUESTRAS"
	asaStep      = "INTERVALO DE MUESTREO"
	asaDirection = "ORIENTACION C1"
	asaPeak      = "ACEL. MAX"
)

// ReadASA reads the standard file of accelerations (ASA) of Mexican networks: a heading of KEY : VALUE, then a column
// for each channel, in gal. want.Part is the number or direction of the channel, as in ReadCOSMOS. Number of samples
// and peak are compared with those of the heading.
func ReadASA(r io.Reader, name string, want Want) (Motion, error) {
	l := newLines(r, name)
	h := map[string][]string{}
	var station, event string
	numbers := 0 // in the first row
	for l.n < maxHeading && l.next() {
		key, value, ok := strings.Cut(l.text, ":")
		key, value = tidyWords(key), strings.TrimSpace(value)
		switch {
		case ok && key == "CLAVE DE LA ESTACION":
			station = value
		case ok && strings.HasPrefix(key, "FECHA DEL SISMO"):
			event = value
		}
		for _, k := range []string{asaPoints, asaStep, asaDirection, asaPeak} {
			if ok && strings.HasPrefix(key, k) {
				h[k] = strings.Split(strings.Trim(value, "/ "), "/")
			}
		}
		if words := strings.Fields(l.text); !ok && len(h[asaStep]) > 0 && len(words) == len(h[asaStep]) && allNumbers(words) {
			numbers = len(words)
			break
		}
	}
	if numbers == 0 || len(h[asaPoints]) < numbers {
		return Motion{}, l.ended(fmt.Sprintf("the heading of an ASA file with %s and %s, and a row of numbers below it",
			asaPoints,
			asaStep))
	}
	f := cosmosFile{lines: l, wanted: tidyWords(want.Part)}
	at, all := -1, make([]cosmosChannel, numbers)
	for i := range all {
		c := cosmosChannel{number: fmt.Sprint(i + 1)}
		if d := h[asaDirection]; i < len(d) {
			c.direction = tidyWords(strings.Trim(d[i], "; "))
		}
		all[i], f.channels = c, append(f.channels, c.String())
		if c.is(f.wanted) {
			at = i
			f.found++
		}
	}
	if f.found != 1 {
		return f.choose()
	}
	dt, err := parseNumber(strings.TrimSpace(h[asaStep][at]))
	if err == nil {
		err = checkStep(asaStep, dt)
	}
	var points float64
	if err == nil {
		points, err = parseNumber(strings.TrimSpace(h[asaPoints][at]))
	}
	var n int
	if err == nil {
		n, err = wholePoints(points, 2)
	}
	if err != nil {
		return Motion{}, fmt.Errorf("%s: heading, channel %s: %w", name, all[at], err)
	}
	m := Motion{Name: name, Station: station, Event: event, Component: all[at].String(), Dt: dt}
	l.back()
	for l.nextFilled() {
		words := strings.Fields(l.text)
		if len(words) != numbers {
			return Motion{}, l.errorf("found %d numbers, want %d, one for each channel", len(words), numbers)
		}
		v, err := parseNumber(words[at])
		if err != nil {
			return Motion{}, l.errorf("%w", err)
		}
		if len(m.A) == n {
			return Motion{}, l.errorf("more than the %d samples of the heading", n)
		}
		m.A = append(m.A, v)
	}
	if l.err != nil || len(m.A) != n {
		return Motion{}, l.ended(fmt.Sprintf("%d samples as in the heading, found %d", n, len(m.A)))
	}
	peak := 0.0
	if p := h[asaPeak]; at < len(p) {
		peak, _ = parseNumber(strings.TrimSpace(p[at])) // 0: it is not stated as a number
	}
	return m, m.toUnit(0.01, peak, l)
}
