package ground

import (
	"fmt"
	"io"
	"strconv"
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
	h, err := readASAHeading(l)
	if err != nil {
		return Motion{}, err
	}
	f := cosmosFile{lines: l, wanted: tidyWords(want.Part)}
	at := -1
	for i := range h.numbers {
		c := h.channel(i)
		if f.channels = append(f.channels, c.String()); c.is(f.wanted) {
			at = i
			f.found++
		}
	}
	if f.found != 1 {
		return f.choose()
	}
	m := Motion{Name: name, Station: h.station, Event: h.event, Component: f.channels[at]}
	n := 0
	if m.Dt, n, err = h.sampling(at); err != nil {
		return Motion{}, fmt.Errorf("%s: heading, channel %s: %w", name, m.Component, err)
	}
	l.back()
	for l.nextFilled() {
		words := strings.Fields(l.text)
		if len(words) != h.numbers {
			return Motion{}, l.errorf("found %d numbers, want %d, one for each channel", len(words), h.numbers)
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
	peak, _ := h.number(asaPeak, at) // 0: it is not stated as a number
	return m, m.toUnit(0.01, peak, l)
}

// asaHeading is the heading of an ASA file.
type asaHeading struct {
	values         map[string][]string // of the channels, by key
	station, event string
	numbers        int // in a row
}

// readASAHeading reads to the first row of numbers: as many as there are steps.
func readASAHeading(l *lines) (h asaHeading, err error) {
	h.values = map[string][]string{}
	for l.n < maxHeading && l.next() {
		key, value, ok := strings.Cut(l.text, ":")
		if !ok {
			words := strings.Fields(l.text)
			if n := len(h.values[asaStep]); n > 0 && len(words) == n && allNumbers(words) {
				h.numbers = n
				break
			}
			continue
		}
		key, value = tidyWords(key), strings.TrimSpace(value)
		switch {
		case key == "CLAVE DE LA ESTACION":
			h.station = value
		case strings.HasPrefix(key, "FECHA DEL SISMO"):
			h.event = value
		}
		for _, k := range []string{asaPoints, asaStep, asaDirection, asaPeak} {
			if strings.HasPrefix(key, k) {
				h.values[k] = strings.Split(strings.Trim(value, "/ "), "/")
			}
		}
	}
	if h.numbers == 0 || len(h.values[asaPoints]) < h.numbers {
		err = l.ended(fmt.Sprintf("the heading of an ASA file with %s and %s, and a row of numbers below it", asaPoints,
			asaStep))
	}
	return h, err
}

// channel is channel i, from 0.
func (h asaHeading) channel(i int) cosmosChannel {
	c := cosmosChannel{number: strconv.Itoa(i + 1)}
	if d := h.values[asaDirection]; i < len(d) {
		c.direction = tidyWords(strings.Trim(d[i], "; "))
	}
	return c
}

// number is the value of a key for channel i; 0 and an error where there is none.
func (h asaHeading) number(key string, i int) (float64, error) {
	v := h.values[key]
	if i >= len(v) {
		return 0, fmt.Errorf("%s: want a value of each channel", key)
	}
	return parseNumber(strings.TrimSpace(v[i]))
}

// sampling is the step, s, and the number of samples of channel i.
func (h asaHeading) sampling(i int) (dt float64, n int, err error) {
	if dt, err = h.number(asaStep, i); err == nil {
		err = checkStep(asaStep, dt)
	}
	if err != nil {
		return 0, 0, err
	}
	points, err := h.number(asaPoints, i)
	if err == nil {
		n, err = wholePoints(points, 2)
	}
	return dt, n, err
}
