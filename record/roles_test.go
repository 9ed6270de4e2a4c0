package record

import (
	"math"
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
