package record

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestUniformRate(t *testing.T) {
	for want, times := range map[string][]float64{
		"1 rows: want two":                          {1},
		"it does not increase":                      {1, 0},
		"after sample 2, at 0.5 s, a step of 1.5 s": {0, 0.5, 2, 2.5},
		"samples 2 and 3 are both at 0.5 s: want increasing times: write more digits if the step is lost in them (OpenSees: -precision 12), or delete the rows of a step that was repeated": {0, 0.5, 0.5, 1, 1.5},
	} {
		if _, err := UniformRate(SignalOf(times), Used{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v: want one that says %q", times, err, want)
		}
	}
	rounded := make([]float64, 5000) // written with six digits
	for i := range rounded {
		rounded[i] = math.Round(float64(i)/1024*1e6) / 1e6
	}
	if rate, err := UniformRate(SignalOf(rounded), Used{}); err != nil || rate != 1024 {
		t.Errorf("rate %g Hz, %v: want 1024", rate, err)
	}
}

// A step of 1 or more is one of seconds only if that is stated.
func TestUniformRateWithoutUnit(t *testing.T) {
	numbers := []float64{1, 2, 3, 4}
	if _, err := UniformRate(SignalOf(numbers), Used{Column: "t", NoUnit: true}); err == nil || !strings.Contains(err.Error(), "a step of 1 in column t, and no unit is stated: want one, as in --columns time=t[ms]") {
		t.Errorf("sample numbers: %v", err)
	}
	if rate, err := UniformRate(SignalOf(numbers), Used{Column: "t"}); err != nil || rate != 1 {
		t.Errorf("seconds: %g Hz, %v", rate, err)
	}
	if rate, err := UniformRate(SignalOf([]float64{0, 0.5, 1}), Used{Column: "t", NoUnit: true}); err != nil || rate != 2 {
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
		table.Columns = append(table.Columns, SignalOf([]float64{float64(i), 1000}))
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
		if err != nil || used.Column != table.Names[i] || !used.Guess || v.Len() != 2 || math.Abs(v.At(1)-want.value) > 1e-9*want.value {
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
			table.Columns = append(table.Columns, SignalOf([]float64{1, 2}))
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
	want := map[string]Used{"time": {Role: "time", Column: "t", Unit: "ms"}, "target": {Role: "target", Column: "x[y]", Unit: "mm"}, "measured": {Role: "measured", Column: "[z]"}}
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
		"time: column t in s":                                    {Role: "time", Column: "t", Unit: "s"},
		"time: column t in s (by its name)":                      {Role: "time", Column: "t", Unit: "s", Guess: true},
		"force: column f in kN (no unit is stated)":              {Role: "force", Column: "f", Unit: "kN", NoUnit: true},
		"force: column f in kN (by its name; no unit is stated)": {Role: "force", Column: "f", Unit: "kN", Guess: true, NoUnit: true},
	} {
		if u.String() != want {
			t.Errorf("%s: want %s", u, want)
		}
	}
}

// Times without a unit are asked about from steps on that milliseconds may have.
func TestTimeDoubts(t *testing.T) {
	bare := []Used{{Role: "target", NoUnit: true}, {Role: "time", Column: "t", NoUnit: true}}
	want := "the times of column t have no unit and are taken for s: a step of 0.5 s, 50 s in all; if they are ms, say --columns time=t[ms]"
	if got := TimeDoubts(bare, 2, 100); !slices.Equal(got, []string{want}) {
		t.Errorf("%q: want %q", got, want)
	}
	if got := TimeDoubts(bare, 20, 100); len(got) != 1 {
		t.Errorf("a step of 0.05 s: %q: want a doubt", got)
	}
	for name, got := range map[string][]string{"a shorter step": TimeDoubts(bare, 20.01, 100), "a unit": TimeDoubts([]Used{bare[0], {Role: "time", Column: "t"}}, 2, 100), "no times": TimeDoubts(bare[:1], 2, 100)} {
		if got != nil {
			t.Errorf("%s: %q: want no doubt", name, got)
		}
	}
}
