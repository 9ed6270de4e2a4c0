package record_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rths/result/record"
	"rths/result/tables"
)

// Whatever a run is exported as, the table is the run.
func TestReadTableReadsEveryExport(t *testing.T) {
	dir := recordRun(t, 1200, manifest())
	a, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{record.CSVFile, record.ParquetFile, record.MATFile} {
		if err := a.Export(name); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"", record.FramesFile, record.CSVFile, record.ParquetFile, record.MATFile} {
		table, err := tables.Read(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if len(table.Names) != len(a.Columns) {
			t.Fatalf("%s: columns %v: want %v", name, table.Names, a.Names())
		}
		for i, c := range a.Columns {
			want, _ := a.Column(c.Name)
			if name != record.MATFile && table.Names[i] != c.Name {
				t.Errorf("%s: column %d is %s: want %s", name, i+1, table.Names[i], c.Name)
			}
			if fmt.Sprint(table.Columns[i].Values()) != fmt.Sprint(want) { // as text: NaN is NaN
				t.Errorf("%s: column %s has other values", name, c.Name)
			}
			if carries := name != record.CSVFile && name != record.MATFile; carries && table.Units[i] != c.Unit {
				t.Errorf("%s: unit of %s is %q: want %q", name, c.Name, table.Units[i], c.Unit)
			}
		}
	}
}

// Octave loads what WriteMAT writes.
func TestOctaveLoadsMAT(t *testing.T) {
	octave, err := exec.LookPath("octave-cli")
	if err != nil {
		t.Skip("octave-cli is not installed")
	}
	dir := recordRun(t, 100, manifest())
	a, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Export(record.MATFile); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(octave, "--no-init-file", "--quiet", "--eval",
		`s = load("frames.mat"); printf("%.17g ", s.time); printf("|%s|%s|%d %d", s.units.time, s.units.ground, `+
			`size(s.target)); `+
			`assert(sort(fieldnames(s.units)), sort(setdiff(fieldnames(s), {"units"})))`)
	c.Dir = dir
	out, err := c.Output() // on leaving, octave may complain on standard error
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var want strings.Builder
	times, _ := a.Column("time_s")
	for _, v := range times {
		fmt.Fprintf(&want, "%.17g ", v)
	}
	if got := string(out); got != want.String()+"|s|m/s^2|100 1" {
		t.Errorf("octave says %s: want %s", got, want.String())
	}
}
