package judge

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"rths/record"
)

// What a column can be.
const (
	roleTime     = "time"
	roleTarget   = "target"
	roleMeasured = "measured"
	roleCommand  = "command"
	roleForce    = "force"
)

// Roles lists them. Target and measured displacement are needed, and time or a
// rate.
var Roles = []string{roleTime, roleTarget, roleMeasured, roleCommand, roleForce}

// usual are the names programs give the columns, in lower case and without unit.
var usual = map[string][]string{
	roleTime:     {"time", "t", "zeit", "time_s", "t_s"},
	roleTarget:   {"target", "desired", "reference", "xt", "x_t", "xd", "x_d", "d_target", "disp_target", "target_displacement", "displacement_target", "xn", "x_n"},
	roleMeasured: {"measured", "xm", "x_m", "meas", "feedback", "achieved", "actual", "response", "d_measured", "disp_measured", "measured_displacement", "displacement_measured"},
	roleCommand:  {"command", "cmd", "xc", "x_c", "u", "d_command", "command_displacement"},
	roleForce:    {"force", "f", "fm", "f_m", "load", "measured_force", "force_measured", "restoring_force"},
}

// Units of lengths in m, forces in N and times in s.
var (
	lengths = map[string]float64{"m": 1, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "µm": 1e-6, "in": 0.0254, "inch": 0.0254, "ft": 0.3048}
	forces  = map[string]float64{"N": 1, "kN": 1e3, "MN": 1e6, "lbf": 4.4482216152605, "kip": 4448.2216152605}
	times   = map[string]float64{"s": 1, "sec": 1, "ms": 1e-3, "us": 1e-6, "min": 60}
)

// scales are the units a role can have.
func scales(role string) (units map[string]float64, si string) {
	switch role {
	case roleTime:
		return times, "s"
	case roleForce:
		return forces, "N"
	}
	return lengths, "m"
}

// parseColumns reads "time=t,target=xt[mm],…".
func parseColumns(text string) (map[string]Used, error) {
	out := map[string]Used{}
	if strings.TrimSpace(text) == "" {
		return out, nil
	}
	for _, item := range strings.Split(text, ",") {
		role, column, ok := strings.Cut(item, "=")
		role, column = strings.TrimSpace(role), strings.TrimSpace(column)
		if !ok || column == "" {
			return nil, fmt.Errorf("columns %q: want role=name or role=name[unit], as in target=xt[mm]", item)
		}
		if !slices.Contains(Roles, role) {
			return nil, fmt.Errorf("columns %q: want one of %s before =", item, strings.Join(Roles, ", "))
		}
		if _, twice := out[role]; twice {
			return nil, fmt.Errorf("columns %q: %s is given twice", item, role)
		}
		u := Used{Role: role, Column: column}
		if open := strings.LastIndex(column, "["); open > 0 && strings.HasSuffix(column, "]") {
			u.Column, u.Unit = column[:open], column[open+1:len(column)-1]
		}
		out[role] = u
	}
	return out, nil
}

// chooser finds the columns of a table.
type chooser struct {
	table *record.Table
	given map[string]Used
	unit  string // of lengths whose unit nothing else says
}

// choose is the column given for a role, or the one whose name is usual for it,
// or nothing.
func (c *chooser) choose(role string) (u Used, found bool, err error) {
	u, found = c.given[role]
	if !found {
		if u, found, err = c.guess(role); !found {
			return u, false, err
		}
	}
	at := slices.Index(c.table.Names, u.Column)
	if at < 0 {
		return u, false, fmt.Errorf("%s: no column %s: the file has %s", role, u.Column, strings.Join(c.table.Names, ", "))
	}
	units, si := scales(role)
	for _, unit := range []string{u.Unit, c.table.Units[at], unitInName(u.Column, units)} {
		if u.Unit == "" {
			u.Unit = unit
		}
	}
	if u.Unit == "" && si == "m" {
		u.Unit = c.unit
	}
	if u.Unit == "" {
		u.Unit = si
	}
	if _, ok := units[u.Unit]; !ok {
		return u, false, fmt.Errorf("%s: column %s in %q: want one of %s, as in %s=%s[%s]", role, u.Column, u.Unit, unitList(units), role, u.Column, si)
	}
	return u, true, nil
}

// guess looks for a usual name. A column that is spoken for is not taken again.
func (c *chooser) guess(role string) (u Used, found bool, err error) {
	var hits []string
	units, _ := scales(role)
	for _, name := range c.table.Names {
		plain := strings.ToLower(strings.ReplaceAll(name, " ", "_"))
		bare := plain
		if unit := unitInName(name, units); unit != "" {
			bare = plain[:len(plain)-len(unit)-1]
		}
		if (slices.Contains(usual[role], plain) || slices.Contains(usual[role], bare)) && !c.spokenFor(name) {
			hits = append(hits, name)
		}
	}
	if len(hits) > 1 {
		return u, false, fmt.Errorf("%s: %s could be it: want --columns %s=NAME", role, strings.Join(hits, " and "), role)
	}
	if len(hits) == 0 {
		return u, false, nil
	}
	return Used{Role: role, Column: hits[0], Guess: true}, true, nil
}

func (c *chooser) spokenFor(column string) bool {
	for _, u := range c.given {
		if u.Column == column {
			return true
		}
	}
	return false
}

// unitInName is the unit behind the last underscore of a name, as in force_kN.
func unitInName(name string, units map[string]float64) string {
	at := strings.LastIndexByte(name, '_')
	if at <= 0 {
		return ""
	}
	if _, ok := units[name[at+1:]]; ok && (at > 1 || name[at+1:] != "m") { // x_m is the measured x, not x in metres
		return name[at+1:]
	}
	return ""
}

func unitList(units map[string]float64) string {
	var names []string
	for n := range units {
		names = append(names, n)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// shortest is the least number of samples delays of 49 are looked for in.
const shortest = 103

// New makes a test of the columns of a table. columns says which they are, as in
// "time=t,target=xt[mm],measured=xm,force=F[kN]"; what it does not name is looked
// for under usual names. A unit is that of columns, else the file's, else the
// name's (force_kN), else lengthUnit for lengths, else SI. rateHz is needed where
// there is no time, and stands in its place.
func New(table *record.Table, columns, lengthUnit string, rateHz float64) (*Test, error) {
	given, err := parseColumns(columns)
	if err != nil {
		return nil, err
	}
	if _, ok := lengths[lengthUnit]; !ok && lengthUnit != "" {
		return nil, fmt.Errorf("unit %q: want one of %s", lengthUnit, unitList(lengths))
	}
	if rateHz != 0 && !(rateHz > 0 && rateHz <= 1e9) {
		return nil, fmt.Errorf("rate %g Hz: want more than 0", rateHz)
	}
	t := &Test{RateHz: rateHz}
	c := &chooser{table: table, given: given, unit: lengthUnit}
	var times []float64
	for i, to := range []*[]float64{&times, &t.Target, &t.Measured, &t.Command, &t.Force} {
		if Roles[i] == roleTime && rateHz > 0 {
			continue
		}
		if *to, err = t.take(c, Roles[i]); err != nil {
			return nil, err
		}
	}
	if err := t.check(table, times); err != nil {
		return nil, err
	}
	if rateHz == 0 {
		t.StartS = times[0]
		t.RateHz, err = rateOf(times)
	}
	return t, err
}

// take is the values of a role in SI units, nil where there is none.
func (t *Test) take(c *chooser, role string) ([]float64, error) {
	u, found, err := c.choose(role)
	if !found {
		return nil, err
	}
	raw, err := c.table.Column(u.Column)
	if err != nil {
		return nil, err
	}
	t.Used = append(t.Used, u)
	units, _ := scales(role)
	values := make([]float64, len(raw))
	for i, v := range raw {
		values[i] = units[u.Unit] * v
	}
	return values, nil
}

// check wants the columns that are needed, of one length.
func (t *Test) check(table *record.Table, times []float64) error {
	missing := func(role string) error {
		return fmt.Errorf("no column for %s: want --columns %s=NAME; the file has %s", role, role, strings.Join(table.Names, ", "))
	}
	switch {
	case t.Target == nil:
		return missing(roleTarget)
	case t.Measured == nil:
		return missing(roleMeasured)
	case t.RateHz == 0 && times == nil:
		return fmt.Errorf("%w, or --rate HZ", missing(roleTime))
	case len(t.Target) < shortest:
		return fmt.Errorf("%d samples: want at least %d, in which delays of up to 49 are looked for", len(t.Target), shortest)
	}
	for _, other := range [][]float64{times, t.Measured, t.Command, t.Force} {
		if other != nil && len(other) != len(t.Target) {
			return fmt.Errorf("columns of %d and %d values: want one length", len(t.Target), len(other))
		}
	}
	return nil
}

// crooked is the part of a step a time may be off a straight line: a quarter
// lets times through that are rounded, but no lost sample, which is half a step
// off or more.
const crooked = 0.25

// rateOf is the rate of uniform times. One within rounding of a whole number of
// Hz is that number, so that nothing depends on the last digit of a time.
func rateOf(times []float64) (float64, error) {
	n := len(times) - 1
	dt := (times[n] - times[0]) / float64(n)
	if !(dt > 0) {
		return 0, errors.New("time: it does not increase: want uniform steps")
	}
	for k, v := range times {
		if math.Abs(v-(times[0]+float64(k)*dt)) > crooked*dt {
			return 0, crookedError(times)
		}
	}
	rate := 1 / dt
	if whole := math.Round(rate); math.Abs(rate-whole) < 1e-9*whole {
		return whole, nil
	}
	return rate, nil
}

// crookedError names the step that differs most from the usual one.
func crookedError(times []float64) error {
	steps := make([]float64, len(times)-1)
	for k := range steps {
		steps[k] = times[k+1] - times[k]
	}
	sorted := slices.Sorted(slices.Values(steps))
	usual := sorted[len(sorted)/2]
	worst := 0
	for k, s := range steps {
		if math.Abs(s-usual) > math.Abs(steps[worst]-usual) {
			worst = k
		}
	}
	return fmt.Errorf("time: after sample %d, at %g s, a step of %.4g s among steps of %.4g s: want uniform times (resample, or give --rate)", worst+1, times[worst], steps[worst], usual)
}
