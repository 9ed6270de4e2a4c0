package ground

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// ascKeys are the lines that a heading has to have.
var ascKeys = []string{"NDATA", "SAMPLING_INTERVAL_S", "UNITS"}

// ReadASC reads one component in the ASCII format (DYNA) of ESM and ITACA, which AFAD (Türkiye) shares: lines of KEY:
// VALUE, then the accelerations, one a line. Number, step and unit are those of NDATA, SAMPLING_INTERVAL_S and UNITS;
// the peak is compared with that of PGA_CM/S^2.
func ReadASC(r io.Reader, name string, want Want) (Motion, error) {
	l := newLines(r, name)
	h, err := readASCHeading(l)
	if err != nil {
		return Motion{}, err
	}
	n, err := strconv.Atoi(h["NDATA"])
	if err != nil || n < 2 || n > maxSamples {
		return Motion{}, l.errorf("NDATA is %.20q, want a whole number of 2 to %d", h["NDATA"], maxSamples)
	}
	dt, err := parseNumber(h["SAMPLING_INTERVAL_S"])
	if err != nil {
		return Motion{}, l.errorf("SAMPLING_INTERVAL_S: %w", err)
	}
	if kind := h["DATA_TYPE"]; kind != "" && !strings.Contains(kind, "ACC") {
		return Motion{}, l.errorf("DATA_TYPE is %.40q, want ACCELERATION", kind)
	}
	unit, ok := findWritten(h["UNITS"])
	if !ok {
		return Motion{}, l.errorf("UNITS is %.40q, want one of %s", h["UNITS"], Acceleration.List())
	}
	m := Motion{Name: name, Event: h["EVENT_NAME"], Station: h["STATION_CODE"], Component: h["STREAM"], Dt: dt}
	if err := checkStep(fmt.Sprintf("%s: line %d", name, l.n), dt); err != nil {
		return Motion{}, err
	}
	l.back()
	if m.A, err = l.numbers(n, fortran{columns: 1}, "accelerations"); err != nil {
		return Motion{}, err
	}
	if err := l.wantEnd(fmt.Sprintf("NDATA=%d accelerations", n)); err != nil {
		return Motion{}, err
	}
	factor := Acceleration.Units[unit]
	peak, err := strconv.ParseFloat(h["PGA_CM/S^2"], 64)
	if err != nil {
		peak = 0 // not stated
	}
	return m, m.toUnit(factor, peak*0.01/factor, l)
}

// readASCHeading reads the lines of KEY: VALUE, and the one below them.
func readASCHeading(l *lines) (map[string]string, error) {
	h := map[string]string{}
	for l.n < maxHeading && l.nextFilled() {
		key, value, ok := strings.Cut(strings.TrimPrefix(l.text, "\ufeff"), ":")
		switch key = strings.TrimSpace(key); {
		case !ok && l.n == 1 || ok && strings.ContainsAny(key, " \t"):
			return nil, l.errorf(`found %.60q, want KEY: VALUE, as in "NDATA: 12500" (ESM and AFAD ASCII)`, l.text)
		case !ok:
			for _, key := range ascKeys {
				if h[key] == "" {
					return nil, l.errorf("the heading has no %s: want it as in ESM and AFAD ASCII", key)
				}
			}
			return h, nil
		}
		h[key] = strings.TrimSpace(value)
	}
	return nil, l.ended("accelerations below a heading of KEY: VALUE (ESM and AFAD ASCII)")
}
