package tables

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// FuzzReadText reads any text, as a table and as the file of a recorder: an error, or columns of one length.
func FuzzReadText(f *testing.F) {
	f.Add("t,x [mm]\n0,1\n1,2\n")
	f.Add("t;x\n[s];[mm]\n0;0,5\n")
	f.Add("0 1\n# x\n1 NaN\n")
	f.Add("0.01 -nan\n0.02 1.2e-05\n0.0")
	f.Fuzz(func(t *testing.T, text string) {
		for _, read := range []func(*Table, io.Reader) error{(*Table).readText, (*Table).readRecorder} {
			table := newTable()
			if err := read(table, strings.NewReader(text)); err == nil {
				table.fillUnits()
				checkTable(t, table)
			}
		}
	})
}

// checkTable wants columns of one length without NaN, or an error.
func checkTable(t *testing.T, table *Table) {
	t.Helper()
	for i, name := range table.Names {
		if table.Columns[i].Len() != table.Columns[0].Len() || len(table.Units) != len(table.Names) {
			t.Errorf("column %s has %d rows, the first %d; %d units", name, table.Columns[i].Len(), table.Columns[0].Len(),
				len(table.Units))
		}
		values, err := table.Column(name)
		for _, v := range values {
			if err == nil && math.IsNaN(v) {
				t.Errorf("column %s holds NaN", name)
			}
		}
	}
}

// FuzzJoin puts the files of two recorders side by side: an error, or columns of one length with the same times.
func FuzzJoin(f *testing.F) {
	f.Add("0 1\n1 2\n", "0 3\n1 4\n2 5\n", "time=a.out:1,target=b.out:2")
	f.Add("0 1\n1 2\n", "0 3 x\n1 4 x\n2 5", "")
	f.Fuzz(func(t *testing.T, a, b, columns string) {
		var parts []part
		for i, text := range []string{a, b} {
			p := part{[]string{"a.out", "b.out"}[i], newTable()}
			if p.table.readRecorder(strings.NewReader(text)) != nil {
				return
			}
			p.table.fillUnits()
			parts = append(parts, p)
		}
		joined := join(parts)
		if joined.align(timeIn(columns)) != nil {
			return
		}
		checkTable(t, joined)
		if time := timeIn(columns); time != "" {
			_, at, _ := strings.Cut(time, ":")
			first, err := joined.Column("a.out:" + at)
			second, err2 := joined.Column("b.out:" + at)
			if err != nil || err2 != nil || !slices.Equal(first, second) {
				t.Errorf("times %v and %v (%v, %v): want the same", first, second, err, err2)
			}
		}
	})
}

// Two thousand damaged texts of each kind: a message or a sound reading.
func TestDamagedTexts(t *testing.T) {
	var csv, lvm strings.Builder
	csv.WriteString("a rig;\nDate/Time;x [mm];f [kN];Events\n")
	lvm.WriteString("LabVIEW Measurement\t\nSeparator\tTab\nDecimal_Separator\t,\nX_Columns\tOne\n***End_of_Header***\t\nChannels\t2\t\n" +
		"Y_Unit_Label\tmm\tkN\t\n***End_of_Header***\t\t\nX_Value\tx\tf\tComment\n")
	for k := range 60 {
		fmt.Fprintf(&csv, "2000-01-02 10:00:%02d,5;%d,25;-%d,5\n", k, k, k)
		fmt.Fprintf(&lvm, "%d,5\t%d,25\t-%d,5\n", k, k, k)
	}
	random := rand.New(rand.NewPCG(5, 6))
	for _, sound := range []string{csv.String(), lvm.String()} {
		read := 0
		for range 2000 {
			text := []byte(sound)
			for range 1 + random.IntN(5) {
				switch at := random.IntN(len(text)); random.IntN(4) {
				case 0:
					text[at] = byte(random.Uint32())
				case 1:
					text = text[:max(1, at)]
				case 2:
					text = slices.Delete(text, at, min(len(text), at+random.IntN(20)))
				default:
					text = slices.Insert(text, at, text[max(0, at-random.IntN(30)):at]...)
				}
				if len(text) == 0 {
					text = []byte("\n")
				}
			}
			table := newTable()
			if err := table.readText(bytes.NewReader(text)); err == nil {
				table.fillUnits()
				checkTable(t, table)
				read++
			}
		}
		if read == 0 || read == 2000 {
			t.Errorf("%d of 2000 were read", read)
		}
	}
}
