package tables

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/model/foreign"
	"rths/result/record"
)

func TestUniformRate(t *testing.T) {
	for want, times := range map[string][]float64{
		"1 rows: want two":                          {1},
		"it does not increase":                      {1, 0},
		"after sample 2, at 0.5 s, a step of 1.5 s": {0, 0.5, 2, 2.5},
		"samples 2 and 3 are both at 0.5 s: want increasing times: write more digits if the step is lost in them " +
			"(OpenSees: -precision 12), or delete the rows of a step that was repeated": {0, 0.5, 0.5, 1, 1.5},
	} {
		if _, err := UniformRate(record.SignalOf(times), Used{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v: want one that says %q", times, err, want)
		}
	}
	rounded := make([]float64, 5000) // written with six digits
	for i := range rounded {
		rounded[i] = math.Round(float64(i)/1024*1e6) / 1e6
	}
	if rate, err := UniformRate(record.SignalOf(rounded), Used{}); err != nil || rate != 1024 {
		t.Errorf("rate %g Hz, %v: want 1024", rate, err)
	}
}

// A step of 1 or more is one of seconds only if that is stated.
func TestUniformRateWithoutUnit(t *testing.T) {
	numbers := []float64{1, 2, 3, 4}
	if _, err := UniformRate(record.SignalOf(numbers), Used{Column: "t", NoUnit: true}); err == nil ||
		!strings.Contains(err.Error(),
			"a step of 1 in column t, and no unit is stated: want one, as in --columns time=t[ms]") {
		t.Errorf("sample numbers: %v", err)
	}
	if rate, err := UniformRate(record.SignalOf(numbers), Used{Column: "t"}); err != nil || rate != 1 {
		t.Errorf("seconds: %g Hz, %v", rate, err)
	}
	if rate, err := UniformRate(record.SignalOf([]float64{0, 0.5, 1}), Used{Column: "t", NoUnit: true}); err != nil ||
		rate != 2 {
		t.Errorf("half seconds: %g Hz, %v", rate, err)
	}
}

// Names as laboratories write them are found; words that only say that a column is
// a displacement do not matter.
func TestUsualNames(t *testing.T) {
	table := newTable()
	table.Names = []string{"Time", "Target disp.", "disp-measured_mm", "Cmd", "Load cell"}
	table.Units = []string{"s", "mm", "", "mm", "kN"}
	for i := range table.Names {
		table.Columns = append(table.Columns, record.SignalOf([]float64{float64(i), 1000}))
	}
	c, err := NewChooser(table, []Role{TimeRole, TargetRole, MeasuredRole, CommandRole, ForceRole}, "", "")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		role  Role
		value float64 // of 1000
	}{{TimeRole, 1000}, {TargetRole, 1}, {MeasuredRole, 1}, {CommandRole, 1}, {ForceRole, 1e6}} {
		v, used, err := c.Take(want.role)
		if err != nil || used.Column != table.Names[i] || !used.Guess || v.Len() != 2 ||
			math.Abs(v.At(1)-want.value) > 1e-9*want.value {
			t.Errorf("%s: %v of %+v, %v: want %g", want.role.Name, v, used, err, want.value)
		}
	}
}

// A column that was given to one role is not guessed for another, wherever it stands.
func TestGivenColumnsAreNotGuessed(t *testing.T) {
	for _, names := range [][]string{{"measured", "strain", "force"}, {"strain", "measured", "force"}} {
		table := newTable()
		table.Names, table.Units = names, []string{"m", "m", "N"}
		for range names {
			table.Columns = append(table.Columns, record.SignalOf([]float64{1, 2}))
		}
		c, err := NewChooser(table, []Role{TargetRole, MeasuredRole, ForceRole}, "target=measured", "")
		if err != nil {
			t.Fatal(err)
		}
		if _, used, err := c.Take(TargetRole); err != nil || used.Column != "measured" || used.Guess {
			t.Errorf("%q: target %+v, %v", names, used, err)
		}
		if _, used, err := c.Take(MeasuredRole); err == nil && used.Column != "" {
			t.Errorf("%q: measured %+v: want none", names, used)
		}
		if _, used, err := c.Take(ForceRole); err != nil || used.Column != "force" {
			t.Errorf("%q: force %+v, %v", names, used, err)
		}
	}
}

// Columns are given by role, name and unit; what is wrong with them is said in their words.
func TestParseColumns(t *testing.T) {
	roles := []Role{TimeRole, TargetRole, MeasuredRole}
	got, err := parseColumns(roles, " time = t [ms] ,target=x[y] [mm],measured=[z]")
	want := map[string]Used{"time": {Role: "time", Column: "t", Unit: "ms"},
		"target": {Role: "target", Column: "x[y]", Unit: "mm"}, "measured": {Role: "measured", Column: "[z]"}}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v: want %v", got, err, want)
	}
	if got, err := parseColumns(roles, " "); err != nil || len(got) != 0 {
		t.Errorf("%v, %v: want none", got, err)
	}
	for text, want := range map[string]string{
		"time":            `columns "time": want role=name or role=name[unit], as in measured=x[mm]`,
		"time= ":          `columns "time= ": want role=name`,
		"force=f":         `columns "force=f": want one of time, target, measured before =`,
		"tine=t":          `columns "tine=t" (did you mean time?): want one of time, target, measured before =`,
		"time=t,time=t":   `columns "time=t": time is given twice`,
		"time=t,,target=": `columns "": want role=name`,
	} {
		if _, err := parseColumns(roles, text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v: want %q", text, err, want)
		}
	}
}

// A column tells what of it was guessed.
func TestUsedInWords(t *testing.T) {
	for want, u := range map[string]Used{
		"time: column t in s":                       {Role: "time", Column: "t", Unit: "s"},
		"time: column t in s (by its name)":         {Role: "time", Column: "t", Unit: "s", Guess: true},
		"force: column f in kN (no unit is stated)": {Role: "force", Column: "f", Unit: "kN", NoUnit: true},
		"force: column f in kN (by its name; no unit is stated)": {Role: "force", Column: "f", Unit: "kN", Guess: true,
			NoUnit: true},
	} {
		if u.String() != want {
			t.Errorf("%s: want %s", u, want)
		}
	}
}

// Times without a unit are asked about from steps on that milliseconds may have.
func TestTimeDoubts(t *testing.T) {
	bare := []Used{{Role: "target", NoUnit: true}, {Role: "time", Column: "t", NoUnit: true}}
	want := "the times of column t have no unit and are taken for s: a step of 0.5 s, 50 s in all; if they are ms, say " +
		"--columns time=t[ms]"
	if got := TimeDoubts(bare, 2, 100); !slices.Equal(got, []string{want}) {
		t.Errorf("%q: want %q", got, want)
	}
	if got := TimeDoubts(bare, 20, 100); len(got) != 1 {
		t.Errorf("a step of 0.05 s: %q: want a doubt", got)
	}
	for name, got := range map[string][]string{"a shorter step": TimeDoubts(bare, 20.01, 100),
		"a unit":   TimeDoubts([]Used{bare[0], {Role: "time", Column: "t"}}, 2, 100),
		"no times": TimeDoubts(bare[:1], 2, 100)} {
		if got != nil {
			t.Errorf("%s: %q: want no doubt", name, got)
		}
	}
}

// tableOf has columns of 1 and 2 with these titles, and their units, in turn.
func tableOf(titles ...string) *Table {
	t := newTable()
	for i := 0; i < len(titles); i += 2 {
		t.Names, t.Units = append(t.Names, titles[i]), append(t.Units, titles[i+1])
		t.Columns = append(t.Columns, record.SignalOf([]float64{1, 2}))
	}
	return t
}

// A column is given by its name or by its title with the unit; its unit is the one that is given, or else the unit of
// its title or name, or else the unit for all lengths.
func TestUnitsOfColumns(t *testing.T) {
	table := tableOf("x one", "mm", "y_mm", "", "z", "", "f", "kN")
	for _, c := range []struct {
		columns, length string
		role            Role
		si              float64 // of 2
		unit            string
		bare            bool
	}{
		{"target=x one", "", TargetRole, 2e-3, "mm", false},
		{"target=x one [mm]", "", TargetRole, 2e-3, "mm", false},
		{"target=x one[cm]", "", TargetRole, 2e-2, "cm", false},
		{"target=y_mm", "cm", TargetRole, 2e-3, "mm", false},
		{"target=z", "cm", TargetRole, 2e-2, "cm", false},
		{"target=z", "", TargetRole, 2, "m", true},
		{"force=f", "cm", ForceRole, 2e3, "kN", false},
		{"force=z", "cm", ForceRole, 2, "N", true},
	} {
		chooser, err := NewChooser(table, []Role{TimeRole, TargetRole, ForceRole}, c.columns, c.length)
		if err != nil {
			t.Fatal(err)
		}
		v, u, err := chooser.Take(c.role)
		if err != nil || math.Abs(v.At(1)-c.si) > 1e-12*c.si || u.Unit != c.unit || u.NoUnit != c.bare || u.Guess ||
			!chooser.Has(c.role) {
			t.Errorf("%s, lengths in %q: %g, %+v, %v: want %g in %s", c.columns, c.length, v.At(1), u, err, c.si, c.unit)
		}
		if v, u, err := chooser.Take(TimeRole); !v.None() || u.Column != "" || err != nil || chooser.Has(TimeRole) {
			t.Errorf("times %+v, %v: want none", u, err)
		}
	}
}

// What is wrong with columns is said with those that there are.
func TestWrongColumns(t *testing.T) {
	roles := []Role{TimeRole, TargetRole}
	for _, c := range []struct {
		table           *Table
		columns, length string
		want            string
	}{
		{tableOf("t", "s"), "tine=t", "", `columns "tine=t" (did you mean time?): want one of time, target before =`},
		{tableOf("t", "s"), "", "mile", `unit "mile": want one of `},
		{tableOf("t", "s", "xa", "m"), "target=xb", "", "target: no column xb (did you mean xa?): the file has t, xa"},
		{tableOf("1", "", "2", ""), "target=3", "", "target: no column 3: the file has columns 1 to 2, without titles"},
		{tableOf("1", ""), "target=3", "", "target: no column 3: the file has column 1, without title"},
		{tableOf("target", "m", "xd", "m"), "", "",
			"target: the columns target and xd have names that mean it: want --columns target=NAME"},
		{tableOf("x", "kN"), "target=x", "", `target: column x in "kN": want one of `},
	} {
		chooser, err := NewChooser(c.table, roles, c.columns, c.length)
		if err == nil {
			_, _, err = chooser.Take(TargetRole)
			if !chooser.Has(TargetRole) {
				t.Errorf("%s: a mistake is no column", c.want)
			}
		}
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v: want %q", err, c.want)
		}
	}
	many := make([]string, 2*31)
	for i := range many {
		many[i] = "c" + strconv.Itoa(i/2)
	}
	for want, table := range map[string]*Table{
		"no column for time: want --columns time=NAME or --rate HZ; the file has a": tableOf("a",
			""),
		"no column for time: want --columns time=POSITION or --rate HZ; the file has columns 1 to 2, without": tableOf("1",
			"", "2", ""),
		"no column for time: want --columns time=FILE:COLUMN or --rate HZ; p.out has a; q.out has b": join(
			[]part{{"p.out", tableOf("a", "")}, {"q.out", tableOf("b", "")}}),
	} {
		chooser := &Chooser{table: table}
		if err := chooser.Missing("time"); !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v: want %q", err, want)
		}
		if err := chooser.Missing("force"); strings.Contains(err.Error(), "--rate") {
			t.Errorf("%v: a rate is no force", err)
		}
	}
	left := tableOf("t", "")
	for _, l := range [][2]string{{"a", "texts"}, {"b", "texts"}, {"c", "texts"}, {"d", "texts"}, {"e", "2 times"},
		{"f", "3 times"}, {"g/Target", "raw"}} {
		left.left = append(left.left, foreign.LeftOut{Name: l[0], Why: l[1]})
	}
	if got, want := (&Chooser{table: left}).Missing("target").Error(), "no column for target: want --columns target="+
		"NAME; the file has t; left out: g/Target: raw; a, b, c and 1 more: texts; and 2 more"; got != want {
		t.Errorf("%s: want %s", got, want)
	}
	file := rthstest.Must(Read("../../model/foreign/testdata/hdf5/left.h5"))
	if got, want := file.absent("target").Error(), "no column target: the file has time; left out: target, a, b and 3 "+
		"more: it is packed by the filter 32000 (LZF): want gzip, as by "; !strings.HasPrefix(got, want) {
		t.Errorf("%s: want %s", got, want)
	}
	if got := tableOf(many...).holds("time"); !strings.HasSuffix(got, ", c28, c29 and 1 more") {
		t.Errorf("%s", got)
	}
	if got := tableOf(many[2:]...).holds("time"); !strings.HasSuffix(got, ", c29, c30") {
		t.Errorf("%s", got)
	}
}
