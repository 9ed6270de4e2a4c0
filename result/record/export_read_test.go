package record_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	for _, name := range []string{record.CSVFile, record.ParquetFile, record.MATFile, record.HDF5File} {
		if err := a.Export(name); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"", record.FramesFile, record.CSVFile, record.ParquetFile, record.MATFile,
		record.HDF5File} {
		table, err := tables.Read(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if len(table.Names) != len(a.Columns) {
			t.Fatalf("%s: columns %v: want %v", name, table.Names, a.Names())
		}
		for i, c := range a.Columns {
			want, _ := a.Column(c.Name)
			if name == record.HDF5File { // by their names
				i = slices.Index(table.Names, c.Name)
			}
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

// HDF5's own tools read what WriteHDF5 writes: h5dump, h5py and, by its C library, Octave.
func TestOthersReadHDF5(t *testing.T) {
	dir := recordRun(t, 100, manifest())
	a, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Export(record.HDF5File); err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	times, _ := a.Column("time_s")
	for _, v := range times {
		fmt.Fprintf(&want, "%.17g ", v)
	}
	for name, args := range map[string][]string{
		"h5dump": {"-d", "/time_s", "-y", "-w", "1", "-m", "%.17g", record.HDF5File},
		"/usr/bin/python3": {"-c", "import h5py; f = h5py.File('frames.h5'); print(f'{len(f)}|' + f['time_s'].attrs['unit'].decode() + '|' + " +
			"str(f['time_s'].dtype) + '|' + ' '.join('%.17g' % v for v in f['time_s']))"},
		"octave-cli": {"--no-init-file", "--quiet", "--eval", `s = load("frames.h5"); printf("%.17g ", s.time_s);`},
	} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			program, err := exec.LookPath(name)
			if err != nil || name == "/usr/bin/python3" && exec.Command(name, "-c", "import h5py").Run() != nil {
				t.Skipf("%s with HDF5 is not installed", name)
			}
			c := exec.Command(program, args...)
			c.Dir = dir
			out, err := c.Output() // on leaving, octave may complain on standard error
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			got := string(out)
			switch name {
			case "h5dump":
				for _, part := range []string{"H5T_IEEE_F64LE", "SIMPLE { ( 100 ) / ( 100 ) }", `ATTRIBUTE "unit"`, `"s"`} {
					if !strings.Contains(got, part) {
						t.Errorf("want %s in\n%s", part, got)
					}
				}
				_, got, _ = strings.Cut(got, "DATA {")
				got, _, _ = strings.Cut(got, "}")
				got = strings.ReplaceAll(strings.Join(strings.Fields(got), " "), ",", "") + " "
			case "/usr/bin/python3":
				head := fmt.Sprintf("%d|s|float64|", len(a.Columns))
				if !strings.HasPrefix(got, head) {
					t.Errorf("h5py says %.60s: want %s", got, head)
				}
				got = strings.TrimSpace(strings.TrimPrefix(got, head)) + " "
			}
			if got != want.String() {
				t.Errorf("%s says %s: want %s", name, got, want.String())
			}
		})
	}
}

// A file of no columns, of one, and of many more than a node of symbols of other programs has, is read back.
func TestHDF5OfSomeColumns(t *testing.T) {
	a, err := record.Open(recordRun(t, 7, manifest()))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, len(a.Columns)} {
		path := filepath.Join(t.TempDir(), "some.h5")
		var b bytes.Buffer
		if err := a.WriteHDF5Of(&b, a.Columns[:n]); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		table, err := tables.Read(path)
		if n == 0 {
			if err == nil || !strings.Contains(err.Error(), "the file holds no variables") {
				t.Errorf("no columns: %v", err)
			}
			continue
		}
		if err != nil || len(table.Names) != n {
			t.Errorf("%d columns: %v", n, err)
		}
	}
}
