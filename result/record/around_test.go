package record_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/ipc"

	"rths"
	"rths/result/record"
)

// three are the columns of a small test, whose batches have 8 rows.
var three = []record.Column{{Name: "time_s", Unit: "s", Source: "frame"}, {Name: "x_m", Unit: "m", Source: "frame"},
	{Name: "late", Unit: "-", Source: "frame"}}

// bench is the manifest of a test in the laboratory at 32 Hz.
func bench() record.Manifest {
	m := manifest()
	m.RateHz, m.Status, m.Test = 32, rths.Completed, &record.Test{Ring: "/dev/shm/rths-1", FirstSample: 42}
	return m
}

// rowAt is row k of a stream, whose times begin at start.
func rowAt(k int, start float64) []float64 {
	return []float64{start + float64(k)/32, math.Sin(float64(k)), float64(k % 2)}
}

// rowsFrom are n such rows.
func rowsFrom(n int, start float64) func(yield func([]float64) bool) {
	return func(yield func([]float64) bool) {
		for k := range n {
			if !yield(rowAt(k, start)) {
				return
			}
		}
	}
}

// Times at which the rows of the two streams begin.
const ofFrames, ofAround = 0.0, 100.0

// checkRows wants n such rows, whole or cut off.
func checkRows(t *testing.T, a *record.Archive, err error, n int, start float64, truncated bool) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if a.Rows() != n || a.Truncated != truncated || !slices.Equal(a.Names(), []string{"time_s", "x_m", "late"}) {
		t.Fatalf("%d rows of %q, truncated %v: want %d, %v", a.Rows(), a.Names(), a.Truncated, n, truncated)
	}
	k := 0
	for row := range a.All() {
		if want := rowAt(k, start); !slices.Equal(row, want) {
			t.Fatalf("row %d: %g: want %g", k, row, want)
		}
		k++
	}
	if k != n {
		t.Fatalf("All has %d rows: want %d", k, n)
	}
}

// newBench begins the record of a test in the laboratory.
func newBench(t *testing.T, dir string) *record.Writer {
	t.Helper()
	w, err := record.Create(dir, bench(), three)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// appendBoth appends rows to both streams in turn, and the rest of the longer one.
func appendBoth(w *record.Writer, frames, around int) {
	for k := range max(frames, around) {
		if k < frames {
			w.Append(rowAt(k, ofFrames))
		}
		if k < around {
			w.AppendAround(rowAt(k, ofAround))
		}
	}
}

// Flush writes the rows of partial batches, and Discard leaves nothing.
func TestFlushAndDiscard(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	w := newBench(t, dir)
	for k := range 3 {
		w.AppendAround(rowAt(k, ofAround))
	}
	w.Append(rowAt(0, ofFrames))
	for want, flush := range []func(){func() {}, w.Flush, w.Flush} {
		flush()
		a, err := record.OpenAround(dir)
		checkRows(t, a, err, 3*min(1, want), ofAround, true)
		a, err = record.Open(dir)
		checkRows(t, a, err, min(1, want), ofFrames, true)
	}
	if w.Rows() != 1 || w.AroundRows() != 3 {
		t.Errorf("%d and %d rows", w.Rows(), w.AroundRows())
	}
	w.Discard()
	if _, err := os.Stat(dir); err == nil {
		t.Error("the folder is still there")
	}
}

// Rows around the run come back from a stream of their own, and do not change the frames.
func TestAroundRoundTrip(t *testing.T) {
	for _, n := range []int{0, 1, 7, 8, 9, 40} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			dir, alone, end := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "run"), bench()
			for folder, around := range map[string]int{dir: n, alone: 0} {
				w := newBench(t, folder)
				appendBoth(w, 21, around)
				if w.Rows() != 21 || w.AroundRows() != around {
					t.Errorf("%d and %d rows: want 21 and %d", w.Rows(), w.AroundRows(), around)
				}
				if err := w.Close(end); err != nil {
					t.Fatal(err)
				}
				if w.Rows() != 21 || w.AroundRows() != around {
					t.Errorf("closed: %d and %d rows: want 21 and %d", w.Rows(), w.AroundRows(), around)
				}
			}
			a, err := record.Open(dir)
			checkRows(t, a, err, 21, ofFrames, false)
			a, err = record.OpenAround(dir)
			checkRows(t, a, err, n, ofAround, false)
			want := []string{record.ManifestFile, record.FramesFile}
			if n > 0 {
				want = append(want, record.AroundFile)
			}
			checkFiles(t, dir, want)
			if !slices.Equal(a.Files, want) || a.Test.AroundRows != n || a.Test.FirstSample != 42 || end.Test.AroundRows != 0 {
				t.Errorf("files %q, %+v, the caller's %+v: want %q, %d rows, the caller's as it was", a.Files, a.Test, end.Test,
					want, n)
			}
			if one, two := read(t, dir, record.FramesFile), read(t, alone, record.FramesFile); !bytes.Equal(one, two) {
				t.Errorf("%d bytes of frames beside %d rows: want the %d bytes without", len(one), n, len(two))
			}
		})
	}
}

func read(t *testing.T, dir, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The file is an ordinary Arrow stream with the schema of the frames.
func TestAroundIsPlainArrow(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	w := newBench(t, dir)
	appendBoth(w, 3, 21)
	if err := w.Close(bench()); err != nil {
		t.Fatal(err)
	}
	streams := map[string]*ipc.Reader{}
	for name, want := range map[string]int64{record.FramesFile: 3, record.AroundFile: 21} {
		r, err := ipc.NewReader(bytes.NewReader(read(t, dir, name)))
		if err != nil {
			t.Fatal(err)
		}
		streams[name] = r
		rows := int64(0)
		for r.Next() {
			rows += r.RecordBatch().NumRows()
		}
		if r.Err() != nil || rows != want {
			t.Errorf("%s: %d rows, error %v: want %d", name, rows, r.Err(), want)
		}
	}
	if a, b := streams[record.FramesFile].Schema(), streams[record.AroundFile].Schema(); !a.Equal(b) {
		t.Errorf("schemas %v and %v: want one", a, b)
	}
}

// An archive of rows around a run does not become the frames in another format.
func TestAroundIsNotExported(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	w := newBench(t, dir)
	appendBoth(w, 3, 3)
	if err := w.Close(bench()); err != nil {
		t.Fatal(err)
	}
	a, err := record.OpenAround(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Export(record.CSVFile); err == nil || !strings.Contains(err.Error(), "export of around.arrow") {
		t.Errorf("%v: want a refusal", err)
	}
	checkFiles(t, dir, a.Files)
}

// However short the stream is cut off, even before its first row, what is whole is read.
func TestAroundCutOff(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	w := newBench(t, dir)
	appendBoth(w, 3, 21)
	if err := w.Close(bench()); err != nil {
		t.Fatal(err)
	}
	whole := read(t, dir, record.AroundFile)
	seen := map[int]bool{}
	for n := range len(whole) {
		if err := os.WriteFile(filepath.Join(dir, record.AroundFile), whole[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		a, err := record.OpenAround(dir)
		if err != nil {
			t.Fatalf("%d of %d bytes: %v", n, len(whole), err)
		}
		checkRows(t, a, nil, a.Rows(), ofAround, true)
		seen[a.Rows()] = true
	}
	if len(seen) != 4 || !seen[0] || !seen[8] || !seen[16] || !seen[21] {
		t.Errorf("rows %v: want 0, 8, 16 and 21", seen)
	}
}

// A program that is killed between the manifest and the first row leaves an archive without rows.
func TestKilledBeforeTheFirstRow(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	w := newBench(t, dir)
	defer w.Close(bench())
	head := read(t, dir, record.FramesFile)
	path := filepath.Join(dir, record.FramesFile)
	for _, n := range []int{len(head), len(head) - 1, 0, -1} {
		if n >= 0 {
			os.WriteFile(path, head[:n], 0o644)
		} else {
			os.Remove(path)
		}
		a, err := record.Open(dir)
		checkRows(t, a, err, 0, ofFrames, true)
	}
}

// Sync writes nothing: a reader finds the whole batches, before and after.
func TestSync(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	w := newBench(t, dir)
	for k, around := range []int{0, 0, 5, 8, 20} {
		if k == 2 {
			if _, err := os.Stat(filepath.Join(dir, record.AroundFile)); err == nil {
				t.Error("a stream of rows around the run is there before the first one")
			}
		}
		for i := w.AroundRows(); i < around; i++ {
			w.AppendAround(rowAt(i, ofAround))
		}
		for range 7 {
			w.Append(rowAt(w.Rows(), ofFrames))
		}
		if err := w.Sync(); err != nil {
			t.Fatal(err)
		}
		if w.Rows() != 7*(k+1) || w.AroundRows() != around {
			t.Errorf("%d and %d rows: want %d and %d", w.Rows(), w.AroundRows(), 7*(k+1), around)
		}
		a, err := record.Open(dir)
		checkRows(t, a, err, w.Rows()/8*8, ofFrames, true)
		b, err := record.OpenAround(dir)
		checkRows(t, b, err, around/8*8, ofAround, around > 0)
	}
	if err := w.Close(bench()); err != nil {
		t.Fatal(err)
	}
	a, err := record.Open(dir)
	checkRows(t, a, err, 35, ofFrames, false)
	a, err = record.OpenAround(dir)
	checkRows(t, a, err, 20, ofAround, false)
}

// Neither stream allocates in a tick, whole batches or not.
func TestAppendAllocatesNothing(t *testing.T) {
	w := newBench(t, filepath.Join(t.TempDir(), "run"))
	defer w.Close(bench())
	row := rowAt(1, 0)
	w.AppendAround(row) // opens the stream
	if n := testing.AllocsPerRun(100, func() { w.Append(row); w.AppendAround(row) }); n != 0 {
		t.Errorf("%g allocations: want none", n)
	}
}

// checkBroken wants a failed record with these rows, as err and the manifest say.
func checkBroken(t *testing.T, dir string, err error, frames, around int, cause string) *record.Archive {
	t.Helper()
	var failure *record.Failure
	if !errors.As(err, &failure) || failure.Unsaid != nil || failure.Rows != frames ||
		!strings.Contains(err.Error(), cause) {
		t.Fatalf("%v: want a failure after %d rows, %q", err, frames, cause)
	}
	a, err := record.Open(dir)
	checkRows(t, a, err, frames, ofFrames, true)
	b, err := record.OpenAround(dir)
	checkRows(t, b, err, around, ofAround, slices.Contains(a.Files, record.AroundFile))
	if a.Status != rths.Failed || a.RowsKept == nil || *a.RowsKept != frames || a.Test.AroundRows != around {
		t.Errorf("status %s, %v rows, %d around: want failed, %d, %d", a.Status, a.RowsKept, a.Test.AroundRows, frames,
			around)
	}
	checkFiles(t, dir, a.Files)
	return a
}

// A failure of the rows around the run is one of the record: nothing is written to either stream
// after it.
func TestAroundFails(t *testing.T) {
	t.Run("name taken", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "run")
		w := newBench(t, dir)
		appendBoth(w, 21, 0)
		if err := os.MkdirAll(filepath.Join(dir, record.AroundFile, "in"), 0o755); err != nil {
			t.Fatal(err)
		}
		w.AppendAround(rowAt(0, ofAround))
		if w.Err() == nil || w.Rows() != 16 || w.AroundRows() != 0 {
			t.Errorf("%v, %d and %d rows: want a failure, 16 and 0", w.Err(), w.Rows(), w.AroundRows())
		}
		first := w.Err()
		os.RemoveAll(filepath.Join(dir, record.AroundFile))
		for range 20 {
			w.Append(rowAt(w.Rows(), ofFrames))
			w.AppendAround(rowAt(0, ofAround))
		}
		if w.Sync() != first || w.Check() != first {
			t.Errorf("%v and %v: want the first failure, %v", w.Sync(), w.Check(), first)
		}
		checkBroken(t, dir, w.Close(bench()), 16, 0, "the record failed after 16 of 16 rows: openat")
	})
	t.Run("removed", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "run")
		w := newBench(t, dir)
		appendBoth(w, 21, 10)
		os.Remove(filepath.Join(dir, record.AroundFile))
		if err := w.Check(); err == nil || !strings.Contains(err.Error(), "around.arrow was moved or removed") {
			t.Errorf("%v: want that the file is missed", err)
		}
		checkBroken(t, dir, w.Close(bench()), 16, 0, "around.arrow was moved or removed")
	})
	t.Run("removed before the end", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "run")
		w := newBench(t, dir)
		appendBoth(w, 21, 10)
		os.Remove(filepath.Join(dir, record.AroundFile))
		var failure *record.Failure
		if err := w.Close(sealed()); !errors.As(err, &failure) || failure.Rows != 21 {
			t.Errorf("%v: want a failure with all rows of the frames", err)
		}
		a, err := record.Open(dir)
		checkRows(t, a, err, 21, ofFrames, false)
		checkSums(t, dir, record.FramesFile)
	})
	t.Run("another row", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "run")
		w := newBench(t, dir)
		appendBoth(w, 21, 10)
		w.AppendAround([]float64{1})
		appendBoth(w, 21, 10)
		checkBroken(t, dir, w.Close(bench()), 16, 8, "row of 1 numbers: want 3")
	})
	t.Run("the frames fail", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "run")
		w := newBench(t, dir)
		appendBoth(w, 21, 10)
		w.Append([]float64{1})
		appendBoth(w, 21, 10)
		checkBroken(t, dir, w.Close(bench()), 16, 8, "row of 1 numbers: want 3")
	})
}
