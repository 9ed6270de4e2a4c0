package tables

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"rths/maths/words"
	"rths/model/ground"
	"rths/result/record"
)

// Role is something a column of a table can be.
type Role struct {
	Name     string
	Usual    []string // names it is given, in lower case, without unit and words for displacement
	Quantity ground.Quantity
}

// What a column of a test can be, under the names that laboratories give it.
var (
	TimeRole   = Role{"time", []string{"time", "t"}, ground.Time}
	TargetRole = Role{"target", []string{"target", "desired", "reference", "xt", "x_t", "xd", "x_d", "xn", "x_n"},
		ground.Length}
	MeasuredRole = Role{"measured", []string{"measured", "measurement", "meas", "x", "xm", "x_m", "feedback", "achieved",
		"actual", "response", "disp", "displacement"}, ground.Length}
	CommandRole = Role{"command", []string{"command", "cmd", "xc", "x_c", "u"}, ground.Length}
	ForceRole   = Role{"force", []string{"force", "f", "fm", "f_m", "load", "load_cell", "loadcell", "measured_force",
		"force_measured", "restoring_force"}, ground.Force}
)

// Used is a column with its role.
type Used struct {
	Role   string `json:"role"`
	Column string `json:"column"`
	Unit   string `json:"unit"`
	Guess  bool   `json:"guessed"` // by its name
	NoUnit bool   `json:"no_unit"` // is stated: Unit is taken for granted
}

// String tells role, column and unit, and what of them was not stated.
func (u Used) String() string {
	var how []string
	if u.Guess {
		how = append(how, "by its name")
	}
	if u.NoUnit {
		how = append(how, "no unit is stated")
	}
	text := fmt.Sprintf("%s: column %s in %s", u.Role, u.Column, u.Unit)
	if len(how) > 0 {
		text += " (" + strings.Join(how, "; ") + ")"
	}
	return text
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
			return nil, fmt.Errorf("columns %q%s: want one of %s before =", item,
				didYouMean(role, strings.Split(roleNames(roles), ", ")), roleNames(roles))
		}
		if _, twice := out[role]; twice {
			return nil, fmt.Errorf("columns %q: %s is given twice", item, role)
		}
		u := Used{Role: role}
		u.Column, u.Unit = cutUnit(column)
		out[role] = u
	}
	return out, nil
}

// cutUnit cuts x[mm] into column and unit.
func cutUnit(column string) (name, unit string) {
	if open := strings.LastIndex(column, "["); open > 0 && strings.HasSuffix(column, "]") {
		return strings.TrimSpace(column[:open]), strings.TrimSpace(column[open+1 : len(column)-1])
	}
	return column, ""
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
	unit, ok := ground.Length.Find(lengthUnit)
	if !ok && lengthUnit != "" {
		return nil, fmt.Errorf("unit %q: want one of %s", lengthUnit, ground.Length.List())
	}
	return &Chooser{table: t, given: given, unit: unit}, nil
}

// Take is the values of a role in SI units, and the column they stand in; none where
// there is no column.
func (c *Chooser) Take(role Role) (record.Signal, Used, error) {
	u, found, err := c.choose(role)
	if !found {
		return record.Signal{}, u, err
	}
	raw, err := c.table.Signal(u.Column)
	return raw.Times(role.Quantity.Units[u.Unit]), u, err
}

// Has reports whether a role has a column, or a mistake in its name or unit.
func (c *Chooser) Has(role Role) bool {
	_, found, err := c.choose(role)
	return found || err != nil
}

// Missing is the error where a role that is needed has no column.
func (c *Chooser) Missing(role string) error {
	or := ""
	if role == TimeRole.Name {
		or = " or --rate HZ"
	}
	return fmt.Errorf("no column for %s: want --columns %s=%s%s; %s", role, role, c.table.want(), or, c.table.holds(role))
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
	at := c.table.find(u.Column)
	if at < 0 {
		return u, false, fmt.Errorf("%s: %w", role.Name, c.table.absent(u.Column))
	}
	u.Column = c.table.Names[at]
	q := role.Quantity
	_, inName := unitInName(c.table.title(at), q)
	u.Unit = cmp.Or(u.Unit, c.table.Units[at], inName)
	if u.Unit == "" && q.SI == "m" {
		u.Unit = c.unit
	}
	u.NoUnit = u.Unit == ""
	unit, ok := q.Find(cmp.Or(u.Unit, q.SI))
	if !ok {
		return u, false, fmt.Errorf("%s: column %s in %q: want one of %s, as in %s=%s[%s]", role.Name, u.Column, u.Unit,
			q.List(), role.Name, u.Column, q.SI)
	}
	u.Unit = unit
	return u, true, nil
}

// didYouMean asks for the name next to a wrong one, if there is one.
func didYouMean(name string, names []string) string {
	if best := words.Nearest(name, names); best != "" {
		return fmt.Sprintf(" (did you mean %s?)", best)
	}
	return ""
}

// guess looks for a usual name. A column that is spoken for is not taken again.
func (c *Chooser) guess(role Role) (u Used, found bool, err error) {
	var hits []string
	usual := role.Usual
	for _, name := range c.table.Names {
		bare, _ := unitInName(name, role.Quantity)
		if (slices.Contains(usual, bareName(name)) || slices.Contains(usual, bareName(bare))) && !c.spokenFor(name) {
			hits = append(hits, name)
		}
	}
	if len(hits) > 1 {
		return u, false, fmt.Errorf("%s: the columns %s have names that mean it: want --columns %s=NAME", role.Name,
			strings.Join(hits, " and "), role.Name)
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
		if at := c.table.find(u.Column); at >= 0 && c.table.Names[at] == column {
			return true
		}
	}
	return false
}

// unitInName is the unit at the end of a name, as in force_kN, and the name before it.
// x_m is the measured x, not x in metres.
func unitInName(name string, q ground.Quantity) (bare, unit string) {
	if bare, unit = q.Behind(name); len(bare) == 1 && unit == "m" && name[1] == '_' {
		return name, ""
	}
	return bare, unit
}

// crooked is the part of a step a time may be off a straight line: a quarter
// lets times through that are rounded, but no lost sample, which is half a step
// off or more.
const crooked = 0.25

// longStep is a step, s, that times have only if their unit is stated: sample numbers and
// milliseconds have it too.
const longStep = 1

// UniformRate is the rate of uniform times in a column. One within rounding of a whole
// number of Hz is that number, so that nothing depends on the last digit of a time.
func UniformRate(times record.Signal, column Used) (float64, error) {
	n := times.Len() - 1
	if n < 1 {
		return 0, fmt.Errorf("time: %d rows: want two or more", times.Len())
	}
	last, first := times.At(n), times.At(0)
	dt := (last - first) / float64(n)
	if !(dt > 0) {
		return 0, errors.New("time: it does not increase: want uniform steps")
	}
	for k := range n + 1 {
		if math.Abs(times.At(k)-(first+float64(k)*dt)) > crooked*dt {
			return 0, crookedError(times.Values())
		}
	}
	if column.NoUnit && dt >= longStep {
		return 0, fmt.Errorf("time: a step of %g in column %s, and no unit is stated: want one, as in --columns "+
			"time=%s[ms]; sample numbers are no times, want --rate HZ", dt, column.Column, column.Column)
	}
	rate := 1 / dt
	if whole := math.Round(rate); math.Abs(rate-whole) < 1e-6*whole {
		return whole, nil
	}
	return rate, nil
}

// AgreeRate refuses a rate, Hz, beside a column of times that say another one: by 0.5 %, or by 5 % where they are not
// uniform. Sample numbers and texts are no times.
func (c *Chooser) AgreeRate(rateHz float64) error {
	times, column, err := c.Take(TimeRole)
	if _, given := c.given[TimeRole.Name]; err != nil && given {
		return err
	}
	if err != nil || times.Len() < 2 {
		return nil
	}
	own, err := UniformRate(times, column)
	near := 0.005
	if err != nil {
		n := times.Len() - 1
		own, near = float64(n)/(times.At(n)-times.At(0)), 0.05
	}
	if column.NoUnit && own <= 1/longStep || !(own > 0) || math.Abs(own-rateHz) <= near*rateHz {
		return nil
	}
	return fmt.Errorf(
		"time: the times of column %s say %.6g Hz, and --rate %.6g Hz: want one of them: leave --rate out, or state the "+
			"unit of the times, as in --columns time=%s[ms]", column.Column, own, rateHz, column.Column)
}

// doubtfulStep is a step, s, from which times without a unit are asked about: at 2048 Hz
// milliseconds have a step of 0.49.
const doubtfulStep = 0.05

// TimeDoubts asks about a time column without a unit whose steps are long for seconds.
func TimeDoubts(used []Used, rateHz float64, samples int) []string {
	i := slices.IndexFunc(used, func(u Used) bool { return u.Role == TimeRole.Name && u.NoUnit })
	if i < 0 || !(1/rateHz >= doubtfulStep) {
		return nil
	}
	column := used[i].Column
	return []string{fmt.Sprintf(
		"the times of column %s have no unit and are taken for s: a step of %.4g s, %.4g s in all; if they are ms, say "+
			"--columns time=%s[ms]", column, 1/rateHz, float64(samples)/rateHz, column)}
}

// crookedError names two samples of one time, or the step that differs most from the usual one.
func crookedError(times []float64) error {
	steps := make([]float64, len(times)-1)
	for k := range steps {
		steps[k] = times[k+1] - times[k]
		if steps[k] == 0 {
			return fmt.Errorf(
				"time: samples %d and %d are both at %g s: want increasing times: write more digits if the step is lost in them "+
					"(OpenSees: -precision 12), or delete the rows of a step that was repeated", k+1, k+2, times[k])
		}
	}
	sorted := slices.Sorted(slices.Values(steps))
	usual := sorted[len(sorted)/2]
	worst := 0
	for k, s := range steps {
		if math.Abs(s-usual) > math.Abs(steps[worst]-usual) {
			worst = k
		}
	}
	return fmt.Errorf(
		"time: after sample %d, at %g s, a step of %.4g s among steps of %.4g s: want uniform times: resample, or give "+
			"--rate HZ if no sample is missing", worst+1, times[worst], steps[worst], usual)
}
