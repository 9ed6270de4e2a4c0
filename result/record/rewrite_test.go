package record_test

import (
	"bytes"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/result/record"
)

// Rows of a killed test in the folder, and rows that are in its ring too.
const (
	keptFrames, allFrames = 16, 21
	keptAround, allAround = 8, 13
)

// killedTest leaves the folder of a test whose process was killed, with a file that this package does not
// know and an export.
func killedTest(t testing.TB) string {
	t.Helper()
	running := filepath.Join(t.TempDir(), "run")
	w, err := record.Create(running, bench(), three)
	if err != nil {
		t.Fatal(err)
	}
	appendBoth(w, allFrames, allAround)
	dir := filepath.Join(t.TempDir(), "killed")
	if err := os.CopyFS(dir, os.DirFS(running)); err != nil { // as a kill at this moment leaves it
		t.Fatal(err)
	}
	if err := w.Close(bench()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"notes.txt", record.CSVFile} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// lost is the manifest of a test that was recovered. Its rate and columns are in the old manifest.
func lost(t testing.TB, dir string) record.Manifest {
	t.Helper()
	m, err := record.LoadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	kept := 3
	m.Status, m.Reason, m.RowsKept, m.Test.Ring = rths.Lost, "the loop was killed", &kept, ""
	m.Files = append(m.Files, record.CSVFile, "report.html")
	return m
}

// checkLost wants a whole folder of so many rows.
func checkLost(t *testing.T, dir string, frames, around int) {
	t.Helper()
	a, err := record.Open(dir)
	checkRows(t, a, err, frames, ofFrames, false)
	defer a.Close()
	if a.Status != rths.Lost || a.Reason != "the loop was killed" || a.Samples != frames || a.RowsKept != nil ||
		a.Test.AroundRows != around || a.Test.FirstSample != 42 || a.Format != record.Format {
		t.Errorf("%+v, %+v: want a lost test of %d and %d rows", a.Manifest, a.Test, frames, around)
	}
	a, err = record.OpenAround(dir)
	checkRows(t, a, err, around, ofAround, false)
	defer a.Close() // a file that is replaced while it is open takes room
	want := []string{record.ManifestFile, record.FramesFile, record.AroundFile, record.CSVFile}
	if around == 0 {
		want = slices.Delete(want, 2, 3)
	}
	if !slices.Equal(a.Files, want) {
		t.Errorf("files %q: want %q", a.Files, want)
	}
	checkFiles(t, dir, append(want, "notes.txt"))
	if a, b := read(t, dir, "notes.txt"), read(t, dir, record.CSVFile); string(a) != "notes.txt" ||
		string(b) != record.CSVFile {
		t.Errorf("%q and %q: want both files as they were", a, b)
	}
}

// both is the rows of two sequences.
func both(a, b iter.Seq[[]float64]) iter.Seq[[]float64] {
	return func(yield func([]float64) bool) {
		for _, seq := range []iter.Seq[[]float64]{a, b} {
			for row := range seq {
				if !yield(row) {
					return
				}
			}
		}
	}
}

// after are the rows from the first on.
func after(first, n int, start float64) iter.Seq[[]float64] {
	return func(yield func([]float64) bool) {
		for k := first; k < n && yield(rowAt(k, start)); k++ {
		}
	}
}

// A folder of a killed test is completed by the rows that are in it and those of the ring, and again by
// the rows that are then in it.
func TestRewrite(t *testing.T) {
	dir := killedTest(t)
	for _, kept := range [][2]int{{keptFrames, keptAround}, {allFrames, allAround}, {allFrames, allAround}} {
		frames, err := record.Open(dir)
		checkRows(t, frames, err, kept[0], ofFrames, kept[0] == keptFrames)
		around, err := record.OpenAround(dir)
		checkRows(t, around, err, kept[1], ofAround, kept[1] == keptAround)
		m := lost(t, dir)
		if err := record.Rewrite(dir, m, both(frames.All(), after(kept[0], allFrames, ofFrames)),
			both(around.All(), after(kept[1], allAround, ofAround))); err != nil {
			t.Fatal(err)
		}
		checkLost(t, dir, allFrames, allAround)
		if m.Test.AroundRows != kept[1] && m.Test.AroundRows != 0 || m.RowsKept == nil || len(m.Files) == 0 {
			t.Errorf("the caller's manifest has changed: %+v", m)
		}
	}
}

// A rewritten stream has the bytes of a written one.
func TestRewriteIsTheRecord(t *testing.T) {
	dir, want := killedTest(t), filepath.Join(t.TempDir(), "run")
	if err := record.Rewrite(dir, lost(t, dir), rowsFrom(allFrames, ofFrames), rowsFrom(allAround, ofAround)); err != nil {
		t.Fatal(err)
	}
	w := newBench(t, want)
	appendBoth(w, allFrames, allAround)
	if err := w.Close(bench()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{record.FramesFile, record.AroundFile} {
		if a, b := read(t, dir, name), read(t, want, name); !bytes.Equal(a, b) {
			t.Errorf("%s: %d bytes: want the %d bytes of the writer", name, len(a), len(b))
		}
	}
}

// A sequence that is nil leaves its stream as it is, and an empty one of rows around leaves no file.
func TestRewriteLeavesStreams(t *testing.T) {
	dir := killedTest(t)
	m := lost(t, dir)
	m.Samples, m.Test.Ring = 7, "/dev/shm/rths-1" // streams that nobody has hashed want another Rewrite
	frames, around := read(t, dir, record.FramesFile), read(t, dir, record.AroundFile)
	if err := record.Rewrite(dir, m, nil, nil); err != nil {
		t.Fatal(err)
	}
	a, err := record.OpenAround(dir)
	checkRows(t, a, err, keptAround, ofAround, true)
	if !bytes.Equal(frames, read(t, dir, record.FramesFile)) || !bytes.Equal(around, read(t, dir, record.AroundFile)) ||
		a.Samples != 7 || *a.RowsKept != 3 || !slices.Contains(a.Files, record.AroundFile) {
		t.Errorf("%+v: want the streams as they were", a.Manifest)
	}
	if err := record.Rewrite(dir, m, rowsFrom(allFrames, ofFrames), nil); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(around, read(t, dir, record.AroundFile)) {
		t.Error("the stream around the run has changed")
	}
	m.Test.Ring = ""
	for _, cut := range []int{0, len(around) / 8, -1} { // without a row
		path := filepath.Join(dir, record.AroundFile)
		if os.Remove(path); cut >= 0 {
			os.WriteFile(path, around[:cut], 0o644)
		}
		if err := record.Rewrite(dir, m, rowsFrom(allFrames, ofFrames), rowsFrom(0, 0)); err != nil {
			t.Fatal(err)
		}
		checkLost(t, dir, allFrames, 0)
	}
}

// A folder without frames, of a program killed before it made them, gets them.
func TestRewriteWithoutStreams(t *testing.T) {
	dir := killedTest(t)
	m := lost(t, dir)
	for _, name := range []string{record.FramesFile, record.AroundFile, record.ManifestFile + ".tmp"} {
		os.Remove(filepath.Join(dir, name))
	}
	if err := record.Rewrite(dir, m, rowsFrom(allFrames, ofFrames), rowsFrom(allAround, ofAround)); err != nil {
		t.Fatal(err)
	}
	checkLost(t, dir, allFrames, allAround)
}

// contents are the files of a folder.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range list {
		if !e.IsDir() {
			out[e.Name()] = string(read(t, dir, e.Name()))
		}
	}
	return out
}

// What cannot be written leaves the folder as it was, and no other file.
func TestRewriteRefuses(t *testing.T) {
	dir := killedTest(t)
	before := contents(t, dir)
	with := func(change func(m *record.Manifest)) record.Manifest {
		m := lost(t, dir)
		change(&m)
		return m
	}
	wrong := func(yield func([]float64) bool) { _ = yield(rowAt(0, 0)) && yield([]float64{1}) }
	frames, around := rowsFrom(allFrames, ofFrames), rowsFrom(allAround, ofAround)
	for _, c := range []struct {
		name, want     string
		m              record.Manifest
		frames, around iter.Seq[[]float64]
	}{
		{"rate", "rate 0 Hz", with(func(m *record.Manifest) { m.RateHz = 0 }), frames, around},
		{"columns", "no columns", with(func(m *record.Manifest) { m.Columns = nil }), frames, around},
		{"names", "is empty or taken", with(func(m *record.Manifest) { m.Columns[1].Name = "time_s" }), frames, around},
		{"frame", "row of 1 numbers: want 3", lost(t, dir), wrong, around},
		{"row around", "row of 1 numbers: want 3", lost(t, dir), frames, wrong},
		{"fewer frames", "frames.arrow has 16 rows, and would have 15: want none lost", lost(t, dir), rowsFrom(15, ofFrames),
			around},
		{"fewer around", "around.arrow has 8 rows, and would have 0: want none lost", lost(t, dir), frames, rowsFrom(0, 0)},
	} {
		err := record.Rewrite(dir, c.m, c.frames, c.around)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v: want %q", c.name, err, c.want)
		}
		checkSame(t, c.name, before, contents(t, dir))
	}
	if err := record.Rewrite(filepath.Join(dir, "none"), lost(t, dir), frames, around); err == nil {
		t.Error("a folder that is not there: want an error")
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic of a sequence is gone")
			}
		}()
		record.Rewrite(dir, lost(t, dir), frames, func(yield func([]float64) bool) { yield(rowAt(0, 0)); panic("ring") })
	}()
	checkSame(t, "panic", before, contents(t, dir))
}

func checkSame(t *testing.T, what string, before, now map[string]string) {
	t.Helper()
	if maps.Equal(before, now) {
		return
	}
	t.Errorf("%s: files %q: want %q", what, slices.Sorted(maps.Keys(now)), slices.Sorted(maps.Keys(before)))
	for name, was := range before {
		if is := now[name]; was != is {
			t.Errorf("%s: %s has %d bytes: want its %d as they were", what, name, len(is), len(was))
		}
	}
}

// What a killed Rewrite leaves is written anew. Where one of the files cannot be written, none
// is replaced.
func TestRewriteAfterRewrite(t *testing.T) {
	dir := killedTest(t)
	for _, name := range []string{record.FramesFile, record.AroundFile, record.ManifestFile} {
		if err := os.WriteFile(filepath.Join(dir, name+".tmp"), bytes.Repeat([]byte("half"), 1<<15), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m := lost(t, dir)
	if err := record.Rewrite(dir, m, rowsFrom(allFrames, ofFrames), rowsFrom(allAround, ofAround)); err != nil {
		t.Fatal(err)
	}
	checkLost(t, dir, allFrames, allAround)
	for name, want := range map[string]string{record.FramesFile: "exists", record.AroundFile: "exists",
		record.ManifestFile: "directory"} {
		blocked := filepath.Join(dir, name+".tmp")
		if err := os.MkdirAll(filepath.Join(blocked, "in"), 0o755); err != nil {
			t.Fatal(err)
		}
		err := record.Rewrite(dir, m, rowsFrom(allFrames+1, ofFrames), rowsFrom(allAround+1, ofAround))
		if err == nil || !strings.Contains(err.Error(), "completing the folder") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v: want that it %q", blocked, err, want)
		}
		if err := os.RemoveAll(blocked); err != nil {
			t.Fatal(err)
		}
		checkLost(t, dir, allFrames, allAround)
	}
}

// A folder with the streams of another Rewrite half in place is completed.
func TestRewriteHalfInPlace(t *testing.T) {
	whole := killedTest(t)
	m := lost(t, whole)
	if err := record.Rewrite(whole, m, rowsFrom(allFrames, ofFrames), rowsFrom(allAround, ofAround)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{record.FramesFile, record.AroundFile} {
		dir := killedTest(t)
		if err := os.WriteFile(filepath.Join(dir, name), read(t, whole, name), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := record.Rewrite(dir, m, rowsFrom(allFrames, ofFrames), rowsFrom(allAround, ofAround)); err != nil {
			t.Fatal(err)
		}
		checkLost(t, dir, allFrames, allAround)
	}
}

// A Rewrite that cannot end leaves the manifest and no file of its own: what stands in the way of a stream is an
// error.
func TestRewriteThatCannotEnd(t *testing.T) {
	for name, c := range map[string]struct {
		around iter.Seq[[]float64]
		folder string // in place of a stream
		spoil  func(*record.Manifest)
	}{
		"a folder in place of the frames":      {rowsFrom(allAround, ofAround), record.FramesFile, nil},
		"a folder in place of the rows around": {rowsFrom(allAround, ofAround), record.AroundFile, nil},
		"a folder where no file is to be":      {rowsFrom(0, ofAround), record.AroundFile, nil},
		"columns without names": {rowsFrom(allAround, ofAround), "",
			func(m *record.Manifest) { m.Columns = nil }},
	} {
		dir := whole(t)
		m := lost(t, dir)
		if c.folder != "" {
			os.Remove(filepath.Join(dir, c.folder))
			if err := os.MkdirAll(filepath.Join(dir, c.folder, "inside"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if c.spoil != nil {
			c.spoil(&m)
		}
		before := contents(t, dir)
		if err := record.Rewrite(dir, m, rowsFrom(allFrames, ofFrames), c.around); err == nil {
			t.Errorf("%s: no error", name)
		}
		after := contents(t, dir)
		if !slices.Equal(slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after))) ||
			before[record.ManifestFile] != after[record.ManifestFile] {
			t.Errorf("%s: files %q: want %q and the manifest as it was", name, slices.Sorted(maps.Keys(after)),
				slices.Sorted(maps.Keys(before)))
		}
	}
}

// A single row around the run has its file; the manifest has the present format whatever the old one had.
func TestRewriteOfOneRow(t *testing.T) {
	dir := whole(t)
	os.Remove(filepath.Join(dir, record.AroundFile))
	m := lost(t, dir)
	m.Format = 0
	if err := record.Rewrite(dir, m, nil, rowsFrom(1, ofAround)); err != nil {
		t.Fatal(err)
	}
	a, err := record.OpenAround(dir)
	checkRows(t, a, err, 1, ofAround, false)
	if got, err := record.LoadManifest(dir); err != nil || got.Format != record.Format || got.Test.AroundRows != 1 ||
		!slices.Contains(got.Files, record.AroundFile) {
		t.Errorf("%v, format %d, %d rows around, files %q", err, got.Format, got.Test.AroundRows, got.Files)
	}
}

// The first sentence of a run says how many readings were old from more than 1 % on.
func TestStale(t *testing.T) {
	for pct, want := range map[float64]string{0: "", 1: "", 1.01: "1.01 % of the readings were old",
		50: "50 % of the readings were old"} {
		m := record.Manifest{Indicators: record.Values{{Name: "other", V: 99}, {Name: rths.OldReadings, V: pct}}}
		if got := m.Stale(); got != want {
			t.Errorf("%g %%: %q: want %q", pct, got, want)
		}
	}
}
