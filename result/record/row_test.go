package record

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"rths"
)

type inner struct {
	A float64 `col:"a"`
	B float64 `col:"b_pct"`
}

type outer struct {
	Name   string       `col:"name"`
	Hidden int          // no column
	Loop   string       `col:"loop,omitempty"`
	inner  `col:"-"`    // an unexported struct, too
	Before *inner       `col:"before_"`
	Seed   *int         `col:"seed"`
	Left   *float64     `col:"left,omitempty"`
	Values []rths.Value `col:"all_"`
	Cells  Row          `col:"-"`
}

// A row of a struct has the columns of its tags in their order; JSON knows no NaN.
func TestFlat(t *testing.T) {
	row := outer{Name: "x \"y\"", inner: inner{1.5, math.NaN()}, Values: []rths.Value{{Name: "J1", V: 2}},
		Cells: Row{{"k", true}}}
	short := `{"name":"x \"y\"","a":1.5,"b_pct":null,"seed":null,"all_J1":2,"k":true}`
	if got, err := json.Marshal(Flat(row)); err != nil || string(got) != short {
		t.Errorf("%v: %s, want %s", err, got, short)
	}
	row.Loop, row.Before, row.Seed, row.Left = "open", &inner{3, math.Inf(1)}, new(7), new(0.5)
	long := `{"name":"x \"y\"","loop":"open","a":1.5,"b_pct":null,"before_a":3,"before_b_pct":null,` +
		`"seed":7,"left":0.5,"all_J1":2,"k":true}`
	if got, err := json.Marshal(Flat(&row)); err != nil || string(got) != long {
		t.Errorf("%v: %s, want %s", err, got, long)
	}
}

// Fill is the way back: numbers by their names, NaN where there is none.
func TestFill(t *testing.T) {
	row := outer{Name: "x", inner: inner{1, 2}}
	Fill(&row.inner, []rths.Value{{Name: "b_pct", V: 5}, {Name: "other", V: 6}})
	if row.B != 5 || !math.IsNaN(row.A) || row.Name != "x" {
		t.Errorf("%+v: want b 5, a not a number", row.inner)
	}
}

// A number for a reader has no sign before nothing but zeros, and a dash where it is none.
func TestText(t *testing.T) {
	for _, c := range []struct {
		format string
		x      float64
		want   string
	}{
		{"%.2f", -0.001, "0.00"}, {"%.2f", -1, "-1.00"}, {"%.3f", math.NaN(), "–"}, {"%g", math.Inf(-1), "–"},
		{"", 0, "0.00"}, {"", 0.05, "0.05"}, {"", 0.1, "0.10"}, {"", -0.01234567, "-0.012346"}, {"", 99999.4, "99999.40"},
		{"", 1e5, "1e+05"}, {"", 0.012345678, "0.012346"}, {"", 12.345, "12.35"}, {"", 123456, "1.2346e+05"},
		{"", -123456, "-1.2346e+05"},
	} {
		if got := Text(c.format, c.x); got != c.want {
			t.Errorf("%q of %g: %q, want %q", c.format, c.x, got, c.want)
		}
	}
}

// Cells of a row are found by their keys, and added at its end; one that JSON cannot hold is named.
func TestRowCells(t *testing.T) {
	var row Row
	row.Put("a", 1)
	row.Put("b", "x")
	row.Put("c", math.NaN())
	if row.Get("a") != 1 || row.Get("b") != "x" || row.Get("d") != nil {
		t.Errorf("%v", row)
	}
	if text, err := json.Marshal(row); err != nil || string(text) != `{"a":1,"b":"x","c":null}` {
		t.Errorf("%s, %v", text, err)
	}
	row.Put("d", func() {})
	if _, err := row.MarshalJSON(); err == nil || !strings.HasPrefix(err.Error(), "row: d: ") {
		t.Errorf("%v: want the key of the cell", err)
	}
}
