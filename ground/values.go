package ground

import (
	"fmt"
	"io"

	"rths"
)

// readValues reads accelerations without times, every dt seconds: any number a
// line, in the order of the text, as OpenSees reads them (Path, -filePath with -dt).
// Separators, comments, title line and unit are as in ReadCSV. A file that looks
// like times and accelerations is refused.
func readValues(r io.Reader, name string, dt float64, unit string) (Motion, error) {
	if !(dt >= minStep && dt <= maxStep) {
		return Motion{}, fmt.Errorf("%s: time step %g s: want %g to %g s", name, dt, minStep, maxStep)
	}
	v := valueList{pairs: true}
	titles, err := readRows(r, name, v.add)
	if err != nil {
		return Motion{}, err
	}
	if len(v.a) < 2 {
		return Motion{}, fmt.Errorf("%s: too few points: found %d, want 2 or more", name, len(v.a))
	}
	if v.pairs && len(v.a) > 2 {
		return Motion{}, fmt.Errorf("%s: two columns of which the first increases: want accelerations alone, or times and no time step beside them", name)
	}
	factor, stated, err := chooseUnit(unit, last(titles))
	if err != nil {
		return Motion{}, fmt.Errorf("%s: %w", name, err)
	}
	for i := range v.a {
		if v.a[i] *= factor; !rths.Finite(v.a[i]) {
			return Motion{}, fmt.Errorf("%s: value %d: want a finite acceleration", name, i+1)
		}
	}
	m := Motion{Name: name, Dt: dt, A: v.a}
	m.Notes = assumed(m, true, stated)
	return m, nil
}

// valueList has the numbers of the lines.
type valueList struct {
	a     []float64
	pairs bool // so far two numbers a line, the first larger than the first of the line before
}

func (v *valueList) add(fields []string, _ int) error {
	if len(v.a)+len(fields) > maxSamples {
		return fmt.Errorf("want at most %d samples", maxSamples)
	}
	for _, f := range fields {
		x, err := parseNumber(f)
		if err != nil {
			return err
		}
		v.a = append(v.a, x)
	}
	n := len(v.a)
	v.pairs = v.pairs && len(fields) == 2 && (n == 2 || v.a[n-2] > v.a[n-4])
	return nil
}
