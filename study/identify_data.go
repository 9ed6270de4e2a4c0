package study

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"rths/record"
)

// usualNames are those programs give the columns of a loading test.
var usualNames = map[string][]string{
	"time":     {"time", "t", "time_s", "t_s"},
	"command":  {"command", "cmd", "u", "xc", "x_c", "command_m"},
	"measured": {"measured", "x", "xm", "x_m", "feedback", "achieved", "measured_m"},
}

// lengthUnits in m.
var lengthUnits = map[string]float64{"m": 1, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "µm": 1e-6, "in": 0.0254}

// NewIdentify takes the columns of a loading test from a table: columns as
// "time=t,command=u[mm],measured=x[mm]", what it leaves out by usual names; unit is
// that of lengths without one, "" is m. The rate is found from the times unless it is given.
func NewIdentify(t *record.Table, columns, unit string, rateHz float64) (*Identify, error) {
	given, err := splitColumns(columns)
	if err != nil {
		return nil, err
	}
	s := &Identify{RateHz: rateHz}
	for role, dst := range map[string]*[]float64{"command": &s.Command, "measured": &s.Measured} {
		name, of, err := chooseColumn(t, role, given)
		if err != nil {
			return nil, err
		}
		if of == "" {
			of = cmpOr(t.Units[slices.Index(t.Names, name)], unit, "m")
		}
		factor, ok := lengthUnits[of]
		if !ok {
			return nil, fmt.Errorf("%s: column %s in %q: want one of m, cm, mm, um, in, as in %s=%s[mm]", role, name, of, role, name)
		}
		values, err := t.Column(name)
		if err != nil {
			return nil, err
		}
		for _, v := range values {
			*dst = append(*dst, factor*v)
		}
	}
	if rateHz != 0 {
		return s, nil
	}
	name, _, err := chooseColumn(t, "time", given)
	if err != nil {
		return nil, fmt.Errorf("%w; or --rate", err)
	}
	times, err := t.Column(name)
	if err != nil {
		return nil, err
	}
	s.RateHz, err = uniformRate(times)
	return s, err
}

// cmpOr is the first text that is not empty.
func cmpOr(texts ...string) string {
	return texts[slices.IndexFunc(texts, func(s string) bool { return s != "" })]
}

// splitColumns reads "role=name[unit],…".
func splitColumns(text string) (map[string]string, error) {
	out := map[string]string{}
	if strings.TrimSpace(text) == "" {
		return out, nil
	}
	for item := range strings.SplitSeq(text, ",") {
		role, name, ok := strings.Cut(strings.TrimSpace(item), "=")
		_, known := usualNames[role]
		if !ok || name == "" || !known {
			return nil, fmt.Errorf("columns %q: want time=NAME, command=NAME or measured=NAME, with a unit as in command=u[mm]", item)
		}
		if out[role] != "" {
			return nil, fmt.Errorf("columns %q: %s is given twice", item, role)
		}
		out[role] = name
	}
	return out, nil
}

// chooseColumn is the column given for a role with its unit if one is given, or the
// only one with a usual name.
func chooseColumn(t *record.Table, role string, given map[string]string) (name, unit string, err error) {
	if name = given[role]; name != "" {
		if !slices.Contains(t.Names, name) && strings.HasSuffix(name, "]") {
			if open := strings.LastIndex(name, "["); open > 0 {
				name, unit = name[:open], name[open+1:len(name)-1]
			}
		}
		if !slices.Contains(t.Names, name) {
			return "", "", fmt.Errorf("%s: no column %s: the file has %s", role, name, strings.Join(t.Names, ", "))
		}
		return name, unit, nil
	}
	var hits []string
	for _, n := range t.Names {
		if slices.Contains(usualNames[role], strings.ToLower(n)) {
			hits = append(hits, n)
		}
	}
	if len(hits) != 1 {
		return "", "", fmt.Errorf("%s: no column is it for sure: the file has %s: want --columns %s=NAME", role, strings.Join(t.Names, ", "), role)
	}
	return hits[0], "", nil
}

// uniformRate wants times that are even to a tenth of a step.
func uniformRate(t []float64) (float64, error) {
	if len(t) < 2 {
		return 0, errors.New("time: fewer than two rows")
	}
	h := (t[len(t)-1] - t[0]) / float64(len(t)-1)
	if !(h > 0) {
		return 0, fmt.Errorf("time: from %g to %g s: want increasing times", t[0], t[len(t)-1])
	}
	for i, v := range t {
		if math.Abs(v-t[0]-float64(i)*h) > 0.1*h {
			return 0, fmt.Errorf("time: row %d is at %.7g s, %.7g s expected: want uniform times; resample first", i+1, v, t[0]+float64(i)*h)
		}
	}
	// What was written with few digits is most likely a whole rate.
	rate := 1 / h
	if whole := math.Round(rate); math.Abs(rate-whole) < 1e-6*rate {
		rate = whole
	}
	return rate, nil
}
