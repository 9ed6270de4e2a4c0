package record

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestMATNames(t *testing.T) {
	columns := []Column{
		{Name: "time_s", Unit: "s"}, {Name: "target_m", Unit: "m"}, {Name: "num_v1_m_s", Unit: "m/s"},
		{Name: "num_a1_m_s2", Unit: "m/s²"},
		{Name: "force_N", Unit: "N"}, {Name: "force_true_N", Unit: "N"}, {Name: "a0", Unit: "-"}, {Name: "target", Unit: "m"},
		{Name: "units", Unit: "s"}, {Name: "k̂ 1", Unit: "N/m"}, {Name: "2nd", Unit: "-"}, {Name: "_m", Unit: "m"},
		{Name: "0"}, {Name: "9"}, {Name: "Z9_az"}, {Name: "é"}, {Name: ""},
		{Name: strings.Repeat("n", 70)}, {Name: strings.Repeat("n", 71)},
	}
	want := []string{"time", "target", "num_v1", "num_a1", "force", "force_true", "a0", "target_2", "units_2", "k__1",
		"x2nd", "x_m", "x0", "x9", "Z9_az", "x_", "x",
		strings.Repeat("n", 63), strings.Repeat("n", 61) + "_2"}
	for i, got := range matNames(columns) {
		if got != want[i] {
			t.Errorf("column %s is %s: want %s", columns[i].Name, got, want[i])
		}
	}
}

// A MAT-file begins with a text of 116 bytes, of characters that any MATLAB shows, then version and byte order. A
// file that cannot be written is an error.
func TestMATHeading(t *testing.T) {
	a := &Archive{Manifest: Manifest{Name: "é m² m³ N·m\n"}}
	var out bytes.Buffer
	if err := a.WriteMAT(&out); err != nil {
		t.Fatal(err)
	}
	text := "MATLAB 5.0 MAT-file, written by rths, run ? m^2 m^3 N*m?"
	want := text + strings.Repeat(" ", 116-len(text)) + strings.Repeat("\x00", 8) + "\x00\x01IM"
	if got := string(out.Bytes()[:128]); got != want {
		t.Errorf("%q: want %q", got, want)
	}
	if err := a.WriteMAT(full{}); !errors.Is(err, errFull) || !strings.HasPrefix(err.Error(), "record: mat: ") {
		t.Errorf("%v", err)
	}
	if err := a.WriteCSV(full{}); !errors.Is(err, errFull) || !strings.HasPrefix(err.Error(), "record: csv: ") {
		t.Errorf("%v", err)
	}
}
