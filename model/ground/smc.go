package ground

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"rths"
	"rths/maths/words"
)

// The heading of an SMC file: lines of text, then whole numbers, then real numbers. Places count from 1.
const (
	smcTexts        = 11
	smcIntegers     = 48 // eight a line, ten wide
	smcReals        = 50 // five a line, fifteen wide
	placeSMCComment = 16 // integer: lines of comment below the reals
	placeSMCPoints  = 17 // integer: samples
	placeSMCRate    = 2  // real: samples a second
	smcUnknown      = 1.7e38
)

var smcPeak = words.Pattern(`(?i)\bpk\s*=\s*([-+.\d]+)`)

// ReadSMC reads an uncorrected or corrected accelerogram in the SMC format of the U.S. Geological Survey: 11 lines of
// text, 48 whole numbers, 50 real numbers, comments, then the accelerations in cm/s², eight a line, ten wide, so that
// they may touch. Velocities, displacements and response spectra are refused by the first line. The number of
// samples is the announced one, and their peak that of the heading, if one stands there.
func ReadSMC(r io.Reader, name string, _ Want) (Motion, error) {
	l := newLines(r, name)
	m := Motion{Name: name}
	peak, err := m.smcTexts(l)
	if err != nil {
		return Motion{}, err
	}
	integers, err := l.numbers(smcIntegers, fortran{8, 10}, "whole numbers of a heading")
	if err != nil {
		return Motion{}, err
	}
	reals, err := l.numbers(smcReals, fortran{5, 15}, "real numbers of a heading")
	if err != nil {
		return Motion{}, err
	}
	n, rate := integers[placeSMCPoints-1], reals[placeSMCRate-1]
	if n < 2 || n > maxSamples || !(rate > 0 && rate < smcUnknown) {
		return Motion{}, l.errorf("%g points at %g Hz: want 2 to %d, and a rate above 0", n, rate, maxSamples)
	}
	if m.Dt = 1 / rate; checkStep(name, m.Dt) != nil {
		return Motion{}, l.errorf("%w", checkStep("rate", m.Dt))
	}
	for range int(math.Max(0, math.Min(integers[placeSMCComment-1], maxHeading))) {
		if !l.next() {
			return Motion{}, l.ended("lines of comment")
		}
	}
	if m.A, err = l.numbers(int(n), fortran{8, 10}, "accelerations"); err != nil {
		return Motion{}, err
	}
	if err := l.wantEnd(fmt.Sprintf("%g accelerations", n)); err != nil {
		return Motion{}, err
	}
	return m, m.toUnit(0.01, peak, l)
}

// smcTexts reads the lines of text, and the peak (cm/s²) that they state, 0 if they state none.
func (m *Motion) smcTexts(l *lines) (peak float64, err error) {
	for i := range smcTexts {
		if !l.next() {
			return 0, l.ended(fmt.Sprintf("the %d lines of text of an SMC heading", smcTexts))
		}
		text := strings.TrimSpace(l.text)
		switch {
		case i == 0 && !strings.Contains(strings.ToUpper(text), "ACCELEROGRAM"):
			return 0, l.errorf(`found %.60q, want "1 UNCORRECTED ACCELEROGRAM" or "2 CORRECTED ACCELEROGRAM" (USGS SMC)`, l.text)
		case i == 2 && text != "*":
			m.Station = tidyWords(text)
		case i == 3:
			m.Event = tidyWords(text)
		}
		if _, component, ok := strings.Cut(text, "component="); ok {
			m.Component = tidyWords(component)
		}
		if found := smcPeak().FindStringSubmatch(text); found != nil && peak == 0 {
			peak, _ = strconv.ParseFloat(found[1], 64) // not known is *
		}
	}
	return peak, nil
}

// toUnit makes the values m/s², and compares their peak with the one that the heading states, in the unit of the
// file; 0 is none. An error leaves no values.
func (m *Motion) toUnit(factor, peak float64, l *lines) error {
	for i := range m.A {
		m.A[i] *= factor
		if !rths.Finite(m.A[i]) {
			m.A = nil
			return l.errorf("value %d: want an acceleration", i+1)
		}
	}
	if own, stated := m.PGA(), math.Abs(factor*peak); peak != 0 && math.Abs(own-stated) > 0.01*stated {
		m.A = nil
		return l.errorf("the peak is %.6g m/s², but the heading says %.6g m/s²: want the same: is the file complete?", own,
			stated)
	}
	return nil
}
