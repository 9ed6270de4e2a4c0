package papers

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"rths/campaign/suite"
)

// Every row of Suites is described, shows how to run it, and describes its flags.
func TestSuites(t *testing.T) {
	for _, s := range Suites {
		if s.Name == "" || s.Short == "" || s.Long == "" || !strings.Contains(s.Example, "rths benchmark "+s.Name) ||
			s.New == nil {
			t.Errorf("%+v: want name, short and long text, an example of rths benchmark NAME, settings", s)
			continue
		}
		settings := reflect.Indirect(reflect.ValueOf(s.New())).Type()
		for _, f := range reflect.VisibleFields(settings) {
			if f.Tag.Get("flag") != "" && f.Tag.Get("usage") == "" {
				t.Errorf("%s: --%s has no usage", s.Name, f.Tag.Get("flag"))
			}
		}
	}
}

// A table with a key stands in JSON beside the rows; others are only printed.
func TestTablesWithAKeyAreInJSON(t *testing.T) {
	r := suite.OneTable("x", []tripRow{}, "")
	r.Tables = append(r.Tables, suite.Table{Key: "sw_trapezoids",
		Rows: suite.List([]trapezoidRow{{Case: "d0", Largest: 1, Cross: math.NaN()}})},
		suite.Table{Rows: suite.List([]tripRow{{Case: "d1"}})})
	text, err := json.Marshal(r)
	if want := `{"suite":"x","rows":[],"sw_trapezoids":[{"case":"d0","sw_max_pct":1,"sw_cross_s":null}]}`; err != nil ||
		string(text) != want {
		t.Errorf("%s, %v: want %s", text, err, want)
	}
}
