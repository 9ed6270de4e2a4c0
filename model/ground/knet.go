package ground

import (
	"fmt"
	"io"
	"math"
	"strings"

	"rths"
)

// ReadKNET reads one component in the K-NET ASCII format of NIED (Japan), which
// KiK-net shares: 17 lines of heading, then whole numbers, eight a line, to be
// multiplied by the scale factor ("2000(gal)/8388608").
//
// The numbers stand on an arbitrary offset of the recorder. The mean of the
// whole record is removed, as NIED does for the maximum in the heading, with which the peak is compared; nothing
// else is corrected. A record that ends more than a second before its announced
// duration is refused.
func ReadKNET(r io.Reader, name string, _ Want) (Motion, error) {
	l := newLines(r, name)
	h, err := readKNETHeading(l)
	if err != nil {
		return Motion{}, err
	}
	m := Motion{Name: name, Station: h.station, Component: h.component(), Event: h.event(), Dt: 1 / h.rate}
	for l.nextFilled() {
		for _, word := range strings.Fields(l.text) {
			v, err := parseNumber(word)
			if err != nil {
				return Motion{}, l.errorf("%w", err)
			}
			if len(m.A) == maxSamples {
				return Motion{}, l.errorf("want at most %d samples", maxSamples)
			}
			m.A = append(m.A, h.scale*v)
			if !rths.Finite(h.scale * v * maxSamples) { // the sum, too
				return Motion{}, l.errorf("found %.40s, want a count of the recorder", word)
			}
		}
	}
	if l.err != nil || float64(len(m.A)) < max(2, (h.duration-1)*h.rate) {
		return Motion{}, l.ended(fmt.Sprintf("%g s of samples at %g Hz, found %d samples", h.duration, h.rate, len(m.A)))
	}
	m.removeMean()
	if own := m.PGA(); h.peak > 0 && math.Abs(own-h.peak) > max(0.01*h.peak, h.digit) {
		return Motion{}, l.errorf("the peak is %.6g gal, but the heading says %.6g gal: want the same: is the file complete?",
			100*own, 100*h.peak)
	}
	return m, nil
}

// removeMean subtracts the mean of all samples.
func (m Motion) removeMean() {
	mean := 0.0
	for _, a := range m.A {
		mean += a / float64(len(m.A))
	}
	for i := range m.A {
		m.A[i] -= mean
	}
}

// knetHeading has the used part of the heading.
type knetHeading struct {
	origin, magnitude string
	station, dir      string
	rate, duration    float64 // Hz, s
	scale             float64 // m/s² of a count
	peak, digit       float64 // m/s², and one of its last digit; 0: none is stated
}

// knetKeys are the words the lines of the heading begin with ("Lon." and
// "Long.", "Max." and "Max" are both in use), and what reads them.
var knetKeys = []struct {
	word string
	read func(h *knetHeading, value string) error
}{
	{"Origin Time", func(h *knetHeading, v string) error { h.origin = v; return nil }},
	{"Lat.", nil}, {"Lon", nil}, {"Depth.", nil},
	{"Mag.", func(h *knetHeading, v string) error { h.magnitude = v; return nil }},
	{"Station Code", func(h *knetHeading, v string) error { h.station = v; return nil }},
	{"Station Lat.", nil}, {"Station Lon", nil}, {"Station Height", nil}, {"Record Time", nil},
	{"Sampling Freq", (*knetHeading).readRate},
	{"Duration Time", (*knetHeading).readDuration},
	{"Dir.", func(h *knetHeading, v string) error { h.dir = v; return nil }},
	{"Scale Factor", (*knetHeading).readScale},
	{"Max", (*knetHeading).readPeak}, {"Last Correction", nil}, {"Memo", nil},
}

// readKNETHeading reads the 17 lines.
func readKNETHeading(l *lines) (h knetHeading, err error) {
	for _, key := range knetKeys {
		if !l.next() {
			return h, l.ended(fmt.Sprintf("%q (K-NET heading of %d lines)", key.word, len(knetKeys)))
		}
		text := strings.TrimPrefix(l.text, "\ufeff")
		if !strings.HasPrefix(text, key.word) {
			return h, l.errorf("found %.60q, want %q (line %d of a K-NET file)", l.text, key.word, l.n)
		}
		if key.read == nil {
			continue
		}
		if err := key.read(&h, knetValue(text, key.word)); err != nil {
			return h, l.errorf("%w", err)
		}
	}
	return h, checkStep(l.name, 1/h.rate)
}

// knetValue is the text after the key and its unit in brackets.
func knetValue(text, key string) string {
	v := strings.TrimSpace(strings.TrimPrefix(text, key))
	if strings.HasPrefix(v, "(") {
		if i := strings.IndexByte(v, ')'); i >= 0 {
			v = v[i+1:]
		}
	}
	return tidyWords(v)
}

// readRate reads "100Hz".
func (h *knetHeading) readRate(v string) (err error) {
	if h.rate, err = parseNumber(strings.TrimSuffix(v, "Hz")); err != nil || !(h.rate > 0) {
		return fmt.Errorf("found sampling frequency %.40q, want one such as 100Hz", v)
	}
	return nil
}

// readDuration reads a whole number of seconds.
func (h *knetHeading) readDuration(v string) (err error) {
	if h.duration, err = parseNumber(v); err != nil || !(h.duration > 0) {
		return fmt.Errorf("found duration %.40q, want one in s, above 0", v)
	}
	return nil
}

// readPeak reads "Acc. (gal) 48.060"; what is no number is none.
func (h *knetHeading) readPeak(v string) error {
	_, v, _ = strings.Cut(v, "(gal)")
	v = strings.TrimSpace(v)
	gal, err := parseNumber(v)
	if err != nil || !(gal > 0) || !rths.Finite(gal) {
		return nil
	}
	_, decimals, _ := strings.Cut(v, ".")
	h.peak, h.digit = 0.01*gal, 0.01*math.Pow(10, -float64(len(decimals)))
	return nil
}

// readScale reads "2000(gal)/8388608".
func (h *knetHeading) readScale(v string) error {
	top, bottom, _ := strings.Cut(v, "(gal)/")
	gal, err1 := parseNumber(strings.TrimSpace(top))
	counts, err2 := parseNumber(strings.TrimSpace(bottom))
	h.scale = 0.01 * gal / counts
	if err1 != nil || err2 != nil || !(h.scale > 0) || !rths.Finite(h.scale) {
		return fmt.Errorf("found scale factor %.40q, want one such as 2000(gal)/8388608", v)
	}
	return nil
}

// component is the direction in words: KiK-net numbers its six sensors.
func (h knetHeading) component() string {
	switch h.dir {
	case "1", "2", "3":
		return map[string]string{"1": "N-S", "2": "E-W", "3": "U-D"}[h.dir] + " borehole"
	case "4", "5", "6":
		return map[string]string{"4": "N-S", "5": "E-W", "6": "U-D"}[h.dir] + " surface"
	}
	return h.dir
}

// event is origin time and magnitude.
func (h knetHeading) event() string {
	if h.magnitude == "" {
		return h.origin
	}
	return h.origin + " M" + h.magnitude
}
