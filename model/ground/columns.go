package ground

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"rths"
)

// motion is the motion of a text, from its columns or from accelerations that follow each other.
func (g *grid) motion(want Want) (Motion, error) {
	if len(g.rows) == 0 {
		return Motion{}, g.heading.noRows(g.name)
	}
	count, err := g.count(want.Dt)
	if err != nil {
		return Motion{}, fmt.Errorf("%s: %w", g.name, err)
	}
	columns, shorter, err := g.columns(count.rows)
	if err != nil {
		return Motion{}, err
	}
	titles, err := g.heading.titles(columns)
	if err != nil {
		return Motion{}, fmt.Errorf("%s: %w", g.name, err)
	}
	dt, err := count.step(want.Dt, columns)
	if err != nil {
		return Motion{}, fmt.Errorf("%s: %w", g.name, err)
	}
	t := table{grid: g, from: count.rows, columns: columns, titles: titles, dt: dt, time: -1}
	alone := dt == 0 && len(titles) == 0 && count.rows > 0 && columns > 1 && count.n == g.numbers(count.rows)
	if alone {
		return Motion{}, g.errorf(0,
			"found the count of %d accelerations without their time step: want it (dt_s of a ground motion, --dt of "+
				"rths ground)", count.n)
	}
	if err := t.findTime(want); err != nil {
		return Motion{}, err
	}
	switch {
	case t.time < 0 && dt == 0 && want.Unit == asIs:
		return Motion{}, g.errorf(t.from, "found one column, want time and value in a line")
	case t.time < 0 && dt == 0:
		return Motion{}, g.errorf(t.from,
			"found one column, want time and acceleration; accelerations alone need their time step (dt_s of a ground motion, "+
				"--dt of rths ground)")
	case t.time >= 0 || want.Column != "" || len(titles) > 1:
		if shorter {
			return Motion{}, g.errorf(len(g.rows)-1, "found %d columns, want %d as in the lines above",
				len(g.row(len(g.rows)-1)), columns)
		}
		return t.column(want)
	}
	if err := t.sequence(); err != nil {
		return Motion{}, err
	}
	return t.values(g.v[g.rows[t.from].at:], want)
}

// table is the rows of a grid as columns.
type table struct {
	*grid
	from    int // first row
	columns int
	titles  []string // of the columns, or none
	dt      float64  // step that is stated, s; 0: none is
	time    int      // column of times; -1: there are none
	doubts  []string // about what was understood
}

// findTime finds the column of times: the one that a title calls so, else the first where no step is stated, else
// one that goes on by the stated step. A first column that rises or falls otherwise is refused, unless it numbers the
// samples and another one is chosen.
func (t *table) findTime(want Want) error {
	chosen := want.Column != ""
	if want.Time != "" {
		hits := t.matches(want.Time)
		if len(hits) != 1 || t.columns == 1 {
			return &fileError{t.name, &KeyError{"time", want.Time, fmt.Sprintf("the column of times, by title or position; "+
				"%d columns have this name, of %s", len(hits), t.list())}}
		}
		t.time = hits[0]
		return nil
	}
	if t.columns == 1 {
		return nil
	}
	if t.time = slices.IndexFunc(t.titles, isTime); t.time >= 0 {
		return nil
	}
	if t.dt == 0 {
		t.time = 0
		return nil
	}
	if len(t.row(len(t.rows)-1)) < t.columns {
		return nil // a table has full rows
	}
	for j := range min(t.columns, mostColumns) {
		s := t.series(j)
		if _, ok := s.onGrid(t.dt); ok {
			t.time = j
			return nil
		}
	}
	first := t.series(0)
	n := len(first.t)
	monotone := n > 1 && first.monotone()
	if monotone && (t.columns == 2 && n > 2 || n >= 8 || n > 2 && first.even()) &&
		!(chosen && first.even() && first.t[1]-first.t[0] == 1) {
		return fmt.Errorf(
			"%s: two columns or more of which the first goes from %g to %g in steps of about %.4g: want accelerations alone, "+
				"or times that go on by the step of %g s; or column, for another column", t.name, first.t[0], first.t[n-1],
			(first.t[n-1]-first.t[0])/float64(n-1), t.dt)
	}
	return nil
}

// series is a column as times.
func (t *table) series(j int) series {
	return series{name: t.name, t: t.grid.column(j, t.from),
		where: func(i int) string { return fmt.Sprintf("line %d", t.rows[t.from+i].line) }}
}

// mostColumns bounds the columns that are looked at.
const mostColumns = 20

// monotone tells whether the times rise or fall, never both.
func (s series) monotone() bool {
	n := len(s.t)
	sign := math.Copysign(1, s.t[n-1]-s.t[0])
	for i := 1; i < n; i++ {
		if sign*(s.t[i]-s.t[i-1]) < 0 {
			return false
		}
	}
	return s.t[n-1] != s.t[0]
}

// even tells whether the steps are equal within 1 %.
func (s series) even() bool { return evenly(s.t, 1) }

// column is the motion of one column.
func (t *table) column(want Want) (Motion, error) {
	j, err := t.choose(want.Column)
	if err != nil {
		return Motion{}, err
	}
	if t.time < 0 {
		t.titles = t.title(j)
		return t.values(t.grid.column(j, t.from), want)
	}
	if other := t.secondTime(); other > 0 {
		return Motion{},
			fmt.Errorf("%s: columns %d and %d go on by one step: pairs of time and acceleration, several in a line? Want one "+
				"pair in a line", t.name, t.time+1, other+1)
	}
	s := t.series(t.time)
	s.a = t.grid.column(j, t.from)
	title := ""
	if len(t.titles) > 0 {
		title = t.titles[j]
	}
	switch {
	case t.clocks[t.time] != nil: // in s
	case len(t.titles) == 0:
		s.noUnit = true
	default:
		if err := s.takeTimeUnit(t.titles[t.time]); err != nil {
			return Motion{}, fmt.Errorf("%s: %w", t.name, err)
		}
	}
	factor, stated, err := t.unit(want.Unit, title)
	if err != nil {
		return Motion{}, fmt.Errorf("%s: %w", t.name, err)
	}
	m, err := s.motion(factor, t.dt)
	if err != nil {
		return Motion{}, err
	}
	m.title, m.unstated, m.Notes = title, !stated, assumed(m, t.dt != 0 || !s.noUnit, stated)
	m.Understood = t.understood("accelerations in column "+t.place(j), factor)
	if t.columns > 2 {
		m.Component = t.called(j)
	}
	return m, nil
}

// understood is how the text was read, in one line.
func (t *table) understood(values string, factor float64) string {
	s := t.Of(t.columns) + "; "
	if t.time >= 0 {
		s += "times in column " + t.place(t.time)
		if t.clocks[t.time] != nil {
			s += ", of day"
		}
		s += "; "
	}
	s += values
	if factor != 1 {
		s += fmt.Sprintf(", each %.6g m/s²", factor)
	}
	return s + fmt.Sprintf("; rows from line %d: %d", t.rows[t.from].line, len(t.rows)-t.from)
}

// place is a column's position and title.
func (t *table) place(j int) string {
	if len(t.titles) == 0 {
		return strconv.Itoa(j + 1)
	}
	return fmt.Sprintf("%d, %s", j+1, t.titles[j])
}

// secondTime is another column without title that rises by the step of the times; 0: none does.
func (t *table) secondTime() int {
	if len(t.titles) > 0 || t.columns < 3 || len(t.rows)-t.from < 3 {
		return 0
	}
	times := t.series(t.time)
	for j := t.time + 1; j < min(t.columns, mostColumns); j++ {
		s := t.series(j)
		if s.even() && times.even() && math.Abs(s.t[len(s.t)-1]-s.t[0]-times.t[len(s.t)-1]+
			times.t[0]) < 1e-6*math.Abs(times.t[len(s.t)-1]-times.t[0]) {
			return j
		}
	}
	return 0
}

// title is that of a column, alone.
func (t *table) title(j int) []string {
	if len(t.titles) == 0 {
		return nil
	}
	return t.titles[j : j+1]
}

// choose is the column that is asked for, or the only one beside the times.
func (t *table) choose(asked string) (int, error) {
	others := t.columns
	if t.time >= 0 {
		others--
	}
	bad := func(format string, args ...any) error {
		return &fileError{t.name, &KeyError{"column", asked, fmt.Sprintf(format, args...) + t.list()}}
	}
	switch hits := t.matches(asked); {
	case asked == "" && others == 1:
		return (t.time + 1) % t.columns, nil // of one or two columns
	case asked == "" && t.commas.err() != nil:
		return 0, t.errorf(t.from, "%w", t.commas.err())
	case asked == "":
		return 0, bad("one of the file's columns, by title or position: ")
	case len(hits) > 1:
		return 0, bad("one column, but %d have this name, of ", len(hits))
	case len(hits) == 0:
		return 0, bad("one of the file's columns, by title or position: ")
	case hits[0] == t.time:
		return 0, bad("values, and this is the column of times, one of ")
	default:
		return hits[0], nil
	}
}

// matches is the columns that a text names: by title, by title without unit, by a word of the title, or by position
// from 1.
func (t *table) matches(asked string) []int {
	bare := func(title string) string {
		if at := strings.IndexAny(title, "[("); at > 0 {
			title = title[:at]
		}
		title, _ = Acceleration.Behind(strings.TrimSpace(title))
		return title
	}
	words := func(title string) []string {
		return strings.FieldsFunc(bare(title), func(r rune) bool { return strings.ContainsRune(" _-./:", r) })
	}
	for _, is := range []func(title string) bool{
		func(title string) bool { return title == asked },
		func(title string) bool { return strings.EqualFold(title, asked) },
		func(title string) bool { return strings.EqualFold(bare(title), asked) },
		func(title string) bool {
			return slices.ContainsFunc(words(title), func(w string) bool { return strings.EqualFold(w, asked) })
		},
	} {
		var hits []int
		for j, title := range t.titles {
			if is(title) {
				hits = append(hits, j)
			}
		}
		if len(hits) > 0 {
			return hits
		}
	}
	if at, err := strconv.Atoi(asked); err == nil && at >= 1 && at <= t.columns {
		return []int{at - 1}
	}
	return nil
}

// list is the columns for people.
func (t *table) list() string {
	if len(t.titles) == 0 {
		return fmt.Sprintf("1 to %d, without titles", t.columns)
	}
	var names []string
	for j, title := range t.titles {
		if j != t.time {
			names = append(names, title)
		}
	}
	return listNames(names)
}

// called is a column's title or position.
func (t *table) called(j int) string {
	if len(t.titles) == 0 {
		return fmt.Sprintf("column %d", j+1)
	}
	return t.titles[j]
}

// unit is the factor to m/s² and whether it is stated: asked for, in the title, or in the lines of the heading.
func (t *table) unit(asked, title string) (factor float64, stated bool, err error) {
	factor, stated, err = chooseUnit(asked, title)
	if err != nil || asked == asIs {
		return factor, stated, err
	}
	if stated && asked == "" {
		return factor, true, nil // by the title
	}
	return headingUnit(t.heading.free(t.columns), asked)
}

// headingUnit is the factor to m/s² of the asked unit or the one that the lines of a heading state, else 1, and
// whether one of them was given.
func headingUnit(lines []headingLine, asked string) (factor float64, stated bool, err error) {
	unit, err := statedUnit(lines)
	if other := (quantityError{}); err != nil && (asked == "" || errors.As(err, &other)) {
		return 0, false, err
	}
	switch own := Acceleration.Units[unit]; {
	case asked == "" && unit == "":
		return 1, false, nil
	case asked == "":
		return own, true, nil
	default:
		factor, err := Acceleration.factor(asked)
		if err == nil && unit != "" && own != factor {
			err = fmt.Errorf("unit %q: the heading says %s: want the same, or no unit", asked, unit)
		}
		return factor, true, err
	}
}

// values is a motion of accelerations alone.
func (t *table) values(a []float64, want Want) (Motion, error) {
	if len(a) < 2 {
		return Motion{}, fmt.Errorf("%s: too few points: found %d, want 2 or more", t.name, len(a))
	}
	if len(a) > maxSamples {
		return Motion{}, fmt.Errorf("%s: found %d samples, want at most %d samples", t.name, len(a), maxSamples)
	}
	title := ""
	if len(t.titles) == 1 {
		title = t.titles[0]
	}
	factor, stated, err := t.unit(want.Unit, title)
	if err != nil {
		return Motion{}, fmt.Errorf("%s: %w", t.name, err)
	}
	out := make([]float64, len(a))
	for i := range a {
		if out[i] = factor * a[i]; !rths.Finite(out[i]) {
			return Motion{}, fmt.Errorf("%s: value %d: want a finite acceleration", t.name, i+1)
		}
	}
	m := Motion{Name: t.name, Dt: t.dt, A: out, title: title, unstated: !stated}
	m.Notes = append(assumed(m, true, stated), t.doubts...)
	m.Understood = t.understood("accelerations alone", factor)
	return m, nil
}

// sequence refuses rows that are columns, where the numbers of a row are to follow each other: a table of smooth
// columns goes on more smoothly down a column than along a row.
func (t *table) sequence() error {
	if err := t.commas.err(); err != nil {
		return t.errorf(t.from, "%w", err)
	}
	if n := t.timesFirst(); n > 0 {
		return t.errorf(t.from,
			"the first %d numbers go on by one step, as times do: want one time and acceleration in a line, or "+
				"accelerations alone", n)
	}
	if k := t.interleaved(); k > 0 {
		return t.errorf(t.from,
			"one number in %d goes on by one step, as times do: want one time and acceleration in a line, or "+
				"accelerations alone", k)
	}
	rows := len(t.rows) - t.from
	if t.columns == 1 || rows < 8 || len(t.row(len(t.rows)-1)) < t.columns {
		return nil
	}
	v := t.v[t.rows[t.from].at:]
	along, down := roughness(v, 1), roughness(v, t.columns)
	switch {
	case down < along/2:
		return &fileError{t.name, &KeyError{"column", "",
			fmt.Sprintf("one of columns %s: along a line the numbers jump, down a column they do not", t.list())}}
	case down < along:
		t.doubts = []string{fmt.Sprintf(
			"%s: the %d numbers of a line are taken to follow each other; column takes one column instead", t.name, t.columns)}
	}
	return nil
}

// interleaved tells whether times stand between the numbers: every second to fourth goes on by one step, but all do
// not. 0: they do not.
func (t *table) interleaved() int {
	v := t.v[t.rows[t.from].at:]
	if evenly(v, 1) {
		return 0
	}
	for k := 2; k <= 4 && len(v) > 4*k; k++ {
		for from := range k {
			if evenly(v[from:], k) {
				return k
			}
		}
	}
	return 0
}

// timesFirst is how many times stand before the accelerations: a first row of eight numbers or more that goes on by
// one step, as no other row does, or the first half by the stated step. 0: none do.
func (t *table) timesFirst() int {
	first, v := t.row(t.from), t.v[t.rows[t.from].at:]
	if half := v[:len(v)/2]; len(half) > 4 && evenly(half, 1) && !evenly(v, 1) && sameStep(half[1]-half[0], t.dt) {
		return len(half)
	}
	if len(first) < 8 || !evenly(first, 1) {
		return 0
	}
	for i := t.from + 1; i < len(t.rows); i++ {
		if evenly(t.row(i), 1) {
			return 0
		}
	}
	return len(first)
}

// evenly tells whether numbers that are so many apart differ by one step within 1 %.
func evenly(v []float64, apart int) bool {
	if len(v) <= apart || v[apart] == v[0] {
		return false
	}
	step := v[apart] - v[0]
	for i := apart; i < len(v); i += apart {
		if math.Abs(v[i]-v[i-apart]-step) > 0.01*math.Abs(step) {
			return false
		}
	}
	return true
}

// roughness is the mean difference of numbers that are so far apart.
func roughness(v []float64, apart int) float64 {
	sum := 0.0
	for i := apart; i < len(v); i++ {
		sum += math.Abs(v[i]/float64(len(v)-apart) - v[i-apart]/float64(len(v)-apart))
	}
	return sum
}
