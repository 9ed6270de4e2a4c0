package ground

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// The heading of a component in a file of GeoNet: lines of text, then numbers, ten a line. Places count from 0.
const (
	geonetTexts   = 16
	geonetNumbers = 100
	geonetRaw     = 30 // samples of an uncorrected acceleration
	geonetAcc     = 33 // samples of a corrected acceleration, then of velocity and displacement
	geonetRawStep = 64 // s
	geonetStep    = 65 // s, of corrected samples
	geonetPeak    = 70 // mm/s²
)

// geonetFormat is the format of all numbers.
var geonetFormat = fortran{10, 8}

// ReadGeoNet reads an uncorrected (V1A) or corrected (V2A) accelerogram of GeoNet (New Zealand): three components one
// after the other, each with a heading of 16 lines of text and 100 numbers, then accelerations in mm/s², and of a
// corrected one velocities and displacements. want.Part is the number or direction of the component, as in ReadCOSMOS.
// The peak is compared with that of the heading.
func ReadGeoNet(r io.Reader, name string, want Want) (Motion, error) {
	f := cosmosFile{lines: newLines(r, name), wanted: tidyWords(want.Part)}
	for f.nextFilled() {
		if err := f.component(); err != nil {
			return Motion{}, err
		}
	}
	if f.err != nil || len(f.channels) == 0 {
		return Motion{}, f.ended("a component of a GeoNet file")
	}
	return f.choose()
}

// component reads the heading that begins in the present line, and the numbers below it.
func (f *cosmosFile) component() error {
	first := strings.ToLower(strings.TrimPrefix(f.text, "\ufeff"))
	corrected := strings.HasPrefix(first, "corrected accelerogram")
	if !corrected && !strings.HasPrefix(first, "uncorrected accelerogram") || !strings.Contains(first, "gns") {
		return f.errorf(`found %.60q, want "Uncorrected accelerogram … GNS Science" or "Corrected …" (GeoNet)`, f.text)
	}
	c := cosmosChannel{number: strconv.Itoa(len(f.channels) + 1)}
	for i := 1; i < geonetTexts; i++ {
		if !f.next() {
			return f.ended(fmt.Sprintf("the %d lines of text of a GeoNet heading", geonetTexts))
		}
		words := strings.Fields(f.text)
		switch {
		case len(words) < 2:
		case words[0] == "Site":
			c.station = words[1]
		case words[0] == "Component":
			c.direction = words[1]
		case i == 6:
			c.event = tidyWords(f.text)
		}
	}
	h, err := f.numbers(geonetNumbers, geonetFormat, "numbers of a heading")
	if err != nil {
		return err
	}
	dt, points := h[geonetRawStep], h[geonetRaw:geonetRaw+1]
	if corrected {
		dt, points = h[geonetStep], h[geonetAcc:geonetAcc+3]
	}
	n, err := wholePoints(points[0], 2)
	if err == nil {
		err = checkStep("component "+c.String(), dt)
	}
	if err == nil && len(f.channels) == maxChannels {
		err = fmt.Errorf("want at most %d components", maxChannels)
	}
	if err != nil {
		return f.errorf("%w", err)
	}
	a, err := f.numbers(n, geonetFormat, "accelerations")
	if err != nil {
		return err
	}
	f.channels = append(f.channels, c.String())
	if c.is(f.wanted) {
		if f.found++; f.found == 1 {
			f.motion = Motion{Name: f.name, Station: c.station, Component: c.String(), Event: c.event, Dt: dt, A: a}
			if err := f.motion.toUnit(1e-3, h[geonetPeak], f.lines); err != nil {
				return err
			}
		}
	}
	for _, x := range points[1:] { // velocities, displacements
		n, err := wholePoints(x, 0)
		if err == nil && n > 0 {
			_, err = f.numbers(n, geonetFormat, "velocities or displacements")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// wholePoints is a number of points, of at least so many.
func wholePoints(x float64, least int) (int, error) {
	if !(x >= float64(least) && x <= maxSamples && x == math.Trunc(x)) {
		return 0, fmt.Errorf("%g points: want a whole number of %d to %d", x, least, maxSamples)
	}
	return int(x), nil
}
