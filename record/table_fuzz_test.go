package record

import (
	"math"
	"strings"
	"testing"
)

// FuzzReadText reads any text: an error, or columns of one length.
func FuzzReadText(f *testing.F) {
	f.Add("t,x [mm]\n0,1\n1,2\n")
	f.Add("t;x\n[s];[mm]\n0;0,5\n")
	f.Add("0 1\n# x\n1 NaN\n")
	f.Fuzz(func(t *testing.T, text string) {
		table := newTable()
		if err := table.readText(strings.NewReader(text)); err != nil {
			return
		}
		table.fillUnits()
		for i, name := range table.Names {
			if len(table.Columns[i]) != len(table.Columns[0]) || len(table.Units) != len(table.Names) {
				t.Errorf("column %s has %d rows, the first %d; %d units", name, len(table.Columns[i]), len(table.Columns[0]), len(table.Units))
			}
			values, err := table.Column(name)
			for _, v := range values {
				if err == nil && math.IsNaN(v) {
					t.Errorf("column %s holds NaN", name)
				}
			}
		}
	})
}
