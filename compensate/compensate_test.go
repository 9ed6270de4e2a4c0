package compensate_test

import (
	"testing"

	"rths"
	"rths/compensate"
	"rths/rthstest"
)

const rate = 4096

func made(t *testing.T, m compensate.Maker) rths.Compensator {
	t.Helper()
	c, err := m.Make(compensate.At{RateHz: rate, Rates: true})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Every row of the table keeps what every compensator must keep.
func TestConformance(t *testing.T) {
	for _, k := range compensate.Kinds {
		t.Run(k.Name, func(t *testing.T) {
			limit := 0.1 // m, for a target of 4 mm
			if k.Name == "kf-literal" {
				limit = 1e3 // a third difference of noise
			}
			rthstest.Compensator(t, rate, limit, func() rths.Compensator { return made(t, k.Defaults()) })
		})
	}
}

// Rows are documented and their names unique.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range compensate.Kinds {
		if k.Doc == "" || k.Ref == "" || seen[k.Name] {
			t.Errorf("row %q: want a unique name, a line of documentation and a reference", k.Name)
		}
		seen[k.Name] = true
	}
}
