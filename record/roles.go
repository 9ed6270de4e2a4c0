package record

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Role is something a column of a table can be.
type Role struct {
	Name     string
	Usual    []string // names it is given, in lower case, without unit and words for displacement
	Quantity Quantity
}

// Quantity has units, each so many of the SI unit.
type Quantity struct {
	SI    string
	Units map[string]float64
}

// The quantities of a test.
var (
	Time   = Quantity{"s", map[string]float64{"s": 1, "sec": 1, "ms": 1e-3, "us": 1e-6, "min": 60}}
	Length = Quantity{"m", map[string]float64{"m": 1, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "µm": 1e-6, "in": 0.0254, "inch": 0.0254, "ft": 0.3048}}
	Angle  = Quantity{"rad", map[string]float64{"rad": 1, "mrad": 1e-3, "deg": math.Pi / 180}}
	Force  = Quantity{"N", map[string]float64{"N": 1, "kN": 1e3, "MN": 1e6, "lbf": 4.4482216152605, "kip": 4448.2216152605}}
)

// What a column of a test can be, under the names that laboratories give it.
var (
	TimeRole     = Role{"time", []string{"time", "t"}, Time}
	TargetRole   = Role{"target", []string{"target", "desired", "reference", "xt", "x_t", "xd", "x_d", "xn", "x_n"}, Length}
	MeasuredRole = Role{"measured", []string{"measured", "measurement", "meas", "x", "xm", "x_m", "feedback", "achieved", "actual", "response", "disp", "displacement"}, Length}
	CommandRole  = Role{"command", []string{"command", "cmd", "xc", "x_c", "u"}, Length}
	ForceRole    = Role{"force", []string{"force", "f", "fm", "f_m", "load", "load_cell", "loadcell", "measured_force", "force_measured", "restoring_force"}, Force}
)

// Used is a column with its role.
type Used struct {
	Role   string `json:"role"`
	Column string `json:"column"`
	Unit   string `json:"unit"`
	Guess  bool   `json:"guessed"` // by its name
}

// parseColumns reads "time=t,target=xt[mm],…".
func parseColumns(roles []Role, text string) (map[string]Used, error) {
	out := map[string]Used{}
	if strings.TrimSpace(text) == "" {
		return out, nil
	}
	for _, item := range strings.Split(text, ",") {
		role, column, ok := strings.Cut(item, "=")
		role, column = strings.TrimSpace(role), strings.TrimSpace(column)
		if !ok || column == "" {
			return nil, fmt.Errorf("columns %q: want role=name or role=name[unit], as in measured=x[mm]", item)
		}
		if !slices.ContainsFunc(roles, func(r Role) bool { return r.Name == role }) {
			return nil, fmt.Errorf("columns %q: want one of %s before =", item, roleNames(roles))
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

func roleNames(roles []Role) string {
	var names []string
	for _, r := range roles {
		names = append(names, r.Name)
	}
	return strings.Join(names, ", ")
}

// Chooser finds the columns of a table.
type Chooser struct {
	table *Table
	given map[string]Used
	unit  string // of lengths whose unit nothing else says
}

// NewChooser reads columns, "time=t,target=xt[mm],…", for the roles there are. lengthUnit
// is for lengths without a stated unit; "" is m.
func NewChooser(t *Table, roles []Role, columns, lengthUnit string) (*Chooser, error) {
	given, err := parseColumns(roles, columns)
	if err != nil {
		return nil, err
	}
	if _, ok := Length.Units[lengthUnit]; !ok && lengthUnit != "" {
		return nil, fmt.Errorf("unit %q: want one of %s", lengthUnit, unitList(Length.Units))
	}
	return &Chooser{table: t, given: given, unit: lengthUnit}, nil
}

// Take is the values of a role in SI units, and the column they stand in; nil where
// there is none.
func (c *Chooser) Take(role Role) ([]float64, Used, error) {
	u, found, err := c.choose(role)
	if !found {
		return nil, u, err
	}
	raw, err := c.table.Column(u.Column)
	if err != nil {
		return nil, u, err
	}
	values := make([]float64, len(raw))
	for i, v := range raw {
		values[i] = role.Quantity.Units[u.Unit] * v
	}
	return values, u, nil
}

// Missing is the error where a role that is needed has no column.
func (c *Chooser) Missing(role string) error {
	return fmt.Errorf("no column for %s: want --columns %s=NAME; the file has %s", role, role, c.names())
}

// names lists the columns of the table, or the first of many.
func (c *Chooser) names() string {
	const most = 30
	if n := len(c.table.Names); n > most {
		return fmt.Sprintf("%s and %d more", strings.Join(c.table.Names[:most], ", "), n-most)
	}
	return strings.Join(c.table.Names, ", ")
}

// choose is the column given for a role, or the one whose name is usual for it,
// or nothing.
func (c *Chooser) choose(role Role) (u Used, found bool, err error) {
	u, found = c.given[role.Name]
	if !found {
		if u, found, err = c.guess(role); !found {
			return u, false, err
		}
	}
	at := slices.Index(c.table.Names, u.Column)
	if at < 0 {
		return u, false, fmt.Errorf("%s: no column %s: the file has %s", role.Name, u.Column, c.names())
	}
	units, si := role.Quantity.Units, role.Quantity.SI
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
		return u, false, fmt.Errorf("%s: column %s in %q: want one of %s, as in %s=%s[%s]", role.Name, u.Column, u.Unit, unitList(units), role.Name, u.Column, si)
	}
	return u, true, nil
}

// guess looks for a usual name. A column that is spoken for is not taken again.
func (c *Chooser) guess(role Role) (u Used, found bool, err error) {
	var hits []string
	units, usual := role.Quantity.Units, role.Usual
	for _, name := range c.table.Names {
		bare := name
		if unit := unitInName(name, units); unit != "" {
			bare = name[:len(name)-len(unit)-1]
		}
		if (slices.Contains(usual, bareName(name)) || slices.Contains(usual, bareName(bare))) && !c.spokenFor(name) {
			hits = append(hits, name)
		}
	}
	if len(hits) > 1 {
		return u, false, fmt.Errorf("%s: the columns %s have names that mean it: want --columns %s=NAME", role.Name, strings.Join(hits, " and "), role.Name)
	}
	if len(hits) == 0 {
		return u, false, nil
	}
	return Used{Role: role.Name, Column: hits[0], Guess: true}, true, nil
}

// bareName is a name in lower case, its words joined by underscores, without those
// that only say that it is a displacement: "Target disp." is target.
func bareName(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune(" _-.", r) })
	kept := slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		return slices.Contains([]string{"d", "disp", "displ", "displacement"}, w)
	})
	return strings.Join(kept, "_")
}

func (c *Chooser) spokenFor(column string) bool {
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

// crooked is the part of a step a time may be off a straight line: a quarter
// lets times through that are rounded, but no lost sample, which is half a step
// off or more.
const crooked = 0.25

// UniformRate is the rate of uniform times. One within rounding of a whole number of
// Hz is that number, so that nothing depends on the last digit of a time.
func UniformRate(times []float64) (float64, error) {
	n := len(times) - 1
	if n < 1 {
		return 0, fmt.Errorf("time: %d rows: want two or more", len(times))
	}
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
	if whole := math.Round(rate); math.Abs(rate-whole) < 1e-6*whole {
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
