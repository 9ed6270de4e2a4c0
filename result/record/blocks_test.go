package record_test

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/result/record"
	"rths/result/tables"
)

// columnsOf writes rows of random bits and returns them by columns.
func columnsOf(t *testing.T, dir string, names []string, rows int) [][]float64 {
	t.Helper()
	var columns []record.Column
	for _, name := range names {
		columns = append(columns, record.Column{Name: name, Unit: "m", Source: "channel"})
	}
	m := record.Manifest{Name: "blocks", RateHz: 1024, Status: rths.Completed}
	w, err := record.Create(dir, m, columns)
	if err != nil {
		t.Fatal(err)
	}
	r, want, row := rand.New(rand.NewPCG(5, 6)), make([][]float64, len(names)), make([]float64, len(names))
	for range rows {
		for i := range row {
			row[i] = math.Float64frombits(r.Uint64())
			want[i] = append(want[i], row[i])
		}
		w.Append(row)
	}
	if err := w.Close(m); err != nil {
		t.Fatal(err)
	}
	return want
}

// Values read a block at a time, in any order, equal the values written, to the bit, for
// lengths around those of blocks and batches.
func TestSignalsAreWhatWasWritten(t *testing.T) {
	names := []string{"time_s", "a", "b"}
	for _, rows := range []int{0, 1, 1023, 8191, 8192, 8193, 20000} {
		dir := filepath.Join(t.TempDir(), "run")
		want := columnsOf(t, dir, names, rows)
		a, err := record.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if a.Rows() != rows {
			t.Fatalf("%d rows: want %d", a.Rows(), rows)
		}
		for i, name := range names {
			s, _ := a.Signal(name)
			whole, ok := a.Column(name)
			for j := range rows {
				k := rows - 1 - j // backwards
				if bits := math.Float64bits(want[i][k]); math.Float64bits(s.At(k)) != bits || math.Float64bits(whole[k]) != bits {
					t.Fatalf("%d rows: %s in row %d: %x: want %x", rows, name, k, math.Float64bits(s.At(k)), bits)
				}
			}
			if !math.IsNaN(s.At(-1)) || !math.IsNaN(s.At(rows)) {
				t.Errorf("%d rows: %s beyond its ends: %g, %g: want none", rows, name, s.At(-1), s.At(rows))
			}
			if !ok || len(whole) != rows {
				t.Errorf("%d rows: %s has %d", rows, name, len(whole))
			}
		}
		k := 0
		for row := range a.All() {
			for i := range names {
				if math.Float64bits(row[i]) != math.Float64bits(want[i][k]) {
					t.Fatalf("%d rows: row %d differs", rows, k)
				}
			}
			k++
		}
		if k != rows || a.Err() != nil {
			t.Errorf("%d rows of %d, %v", k, rows, a.Err())
		}
	}
}

// A file that gets shorter after it was opened gives an error that names it, and no numbers.
func TestFileThatGetsShorter(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	columnsOf(t, dir, []string{"time_s", "a"}, 30000)
	a, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, record.FramesFile), 4096); err != nil {
		t.Fatal(err)
	}
	values, ok := a.Column("a")
	if ok || !math.IsNaN(values[29999]) || a.Err() == nil || !strings.Contains(a.Err().Error(), record.FramesFile) ||
		!strings.Contains(a.Err().Error(), "rows 1 to 248 of column 2: ") {
		t.Errorf("%v, %v: want an error that names the file", ok, a.Err())
	}
	if n := len(slices.Collect(a.All())); n != 0 {
		t.Errorf("%d rows after the error: want none", n)
	}
}

// The numbers of a block are no values of a file that cannot be read: after the first error,
// which stays, every number is NaN.
func TestSignalAfterAnError(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	columnsOf(t, dir, []string{"time_s", "a"}, 30000)
	a, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, _ := a.Signal("a")
	other, _ := a.Signal("time_s")
	s.At(29999)
	if err := os.Truncate(filepath.Join(dir, record.FramesFile), 64<<10); err != nil {
		t.Fatal(err)
	}
	if s.At(16384); a.Err() == nil || !strings.Contains(a.Err().Error(), "rows 16385 to 16616 of column 2: ") {
		t.Fatalf("%v: want the rows that are gone", a.Err())
	}
	first := a.Err().Error()
	for _, k := range []int{16384, 16385, 29999, 0} {
		if !math.IsNaN(s.At(k)) || !math.IsNaN(other.At(k)) {
			t.Errorf("row %d: %g, %g: want none", k, s.At(k), other.At(k))
		}
	}
	if a.Err().Error() != first {
		t.Errorf("%v: want the first error, %s", a.Err(), first)
	}
}

// A table of a file that gets shorter says which file, and which of its rows, whether it stands
// alone or beside another.
func TestTableOfAFileThatGetsShorter(t *testing.T) {
	for _, with := range []string{"", "other.csv"} {
		dir := t.TempDir()
		t.Chdir(dir)
		columnsOf(t, filepath.Join(dir, "run"), []string{"time_s", "a"}, 20000)
		paths := []string{filepath.Join("run", record.FramesFile)}
		if with != "" {
			paths = append(paths, with)
			if err := os.WriteFile(with, []byte(strings.Repeat("1\n", 20000)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		table, err := tables.ReadAll(paths, "", 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := table.Err(); err != nil {
			t.Errorf("a sound file: %v", err)
		}
		if err := os.Truncate(paths[0], 4096); err != nil {
			t.Fatal(err)
		}
		if _, err := table.Signal(table.Names[0]); err == nil || !strings.Contains(err.Error(), "run/frames.arrow: rows ") ||
			!strings.Contains(err.Error(), " of column 1: ") || table.Err() == nil {
			t.Errorf("%q: %v, %v: want the rows of the file that is too short", paths, err, table.Err())
		}
		if err := table.Close(); err != nil {
			t.Error(err)
		}
	}
}
