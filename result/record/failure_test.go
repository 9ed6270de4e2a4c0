package record_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/result/record"
)

// lowRate makes batches of 56 rows: fifteen and a part are failRows.
const (
	lowRate  = 256
	failRows = 15*56 + 20
)

// recordInto records a run of failRows into dir and calls between after some ticks. end
// ends the run.
func recordInto(dir string, end record.Manifest, between func()) error {
	m := manifest()
	m.RateHz = lowRate
	tk := newTick()
	w, err := record.NewRecorder(dir, m, &tk.frame, tk.channels)
	if err != nil {
		return err
	}
	for k := range failRows {
		if k == failRows/2 && between != nil {
			between()
		}
		w.Observe(tk.at(k))
	}
	return w.Close(end)
}

// completed is the manifest of a run that has made all its ticks.
func completed() record.Manifest {
	m := manifest()
	m.RateHz, m.Status, m.Samples = lowRate, rths.Completed, failRows
	m.Criteria = record.Values{{Name: "J1_ms", V: 4.6, Doc: "mean delay"}}
	return m
}

// checkFailed wants a record that says of itself what err says: failed, why, and as many
// rows as can be read.
func checkFailed(t *testing.T, dir string, err error) *record.Archive {
	t.Helper()
	var failure *record.Failure
	if !errors.As(err, &failure) || failure.Unsaid != nil {
		t.Fatalf("error %v: want a failure that the manifest tells", err)
	}
	a, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if a.Status != rths.Failed || a.RowsKept == nil || *a.RowsKept != a.Rows() || a.Samples != a.Rows() ||
		failure.Rows != a.Rows() {
		t.Fatalf("status %s, %v rows kept, %d samples, failure of %d: want failed and %d rows", a.Status, a.RowsKept,
			a.Samples, failure.Rows, a.Rows())
	}
	if !strings.HasSuffix(a.Reason, failure.Error()) && !strings.HasSuffix(a.Reason, " …") {
		t.Errorf("reason %q: want %q in it", a.Reason, failure)
	}
	checkColumns(t, a, a.Rows())
	checkFiles(t, dir, a.Files)
	return a
}

// checkFiles wants these files in the folder and no others.
func checkFiles(t *testing.T, dir string, want []string) {
	t.Helper()
	var there []string
	inside, err := os.ReadDir(dir)
	for _, e := range inside {
		there = append(there, e.Name())
	}
	slices.Sort(there)
	if want = slices.Sorted(slices.Values(want)); err != nil || !slices.Equal(there, want) {
		t.Errorf("files %q, error %v: want %q", there, err, want)
	}
}

// A sound record takes nothing from a failed one: no key of it, no spaces, no file.
func TestSoundRecordSaysNothingOfFailures(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if err := recordInto(dir, completed(), nil); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, record.ManifestFile))
	if err != nil || strings.Contains(string(text), "rows_kept") || !strings.HasSuffix(string(text), "}\n") ||
		strings.Contains(string(text), " \n") {
		t.Errorf("error %v, manifest %s", err, text)
	}
	checkFiles(t, dir, []string{record.ManifestFile, record.FramesFile})
}

// While it runs, the manifest says so, and the room of the next one is there.
func TestRoomIsReserved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	err := recordInto(dir, completed(), func() {
		var m record.Manifest
		text, err := os.ReadFile(filepath.Join(dir, record.ManifestFile))
		if err := errors.Join(err, json.Unmarshal(text, &m)); err != nil || m.Status != rths.Running {
			t.Errorf("status %s, error %v: want running", m.Status, err)
		}
		if info, err := os.Stat(filepath.Join(dir, record.ManifestFile+".tmp")); err != nil || info.Size() < 64<<10 {
			t.Errorf("%v, error %v: want 64 KiB and more", info, err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What the run itself said stays in front of what became of its record.
func TestFailedRecordOfATrippedRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	end := completed()
	end.Status, end.Reason = rths.Tripped, "tripped at t = 1 s"
	err := recordInto(dir, end, func() { os.Remove(filepath.Join(dir, record.FramesFile)) })
	a := checkFailed(t, dir, err)
	if want := "tripped at t = 1 s; the record failed after 0 of 860 rows: "; !strings.HasPrefix(a.Reason, want) ||
		a.Rows() != 0 {
		t.Errorf("%d rows, reason %q: want 0 and %q", a.Rows(), a.Reason, want)
	}
}

// A folder that is gone claims nothing, and another folder in its place is left alone.
func TestVanishedFolder(t *testing.T) {
	for _, c := range []struct {
		name   string
		vanish func(dir string) error
	}{
		{"removed", os.RemoveAll},
		{"replaced", func(dir string) error {
			return errors.Join(os.RemoveAll(dir), recordInto(dir, completed(), nil))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			err := recordInto(dir, completed(), func() {
				if err := c.vanish(dir); err != nil {
					t.Fatal(err)
				}
			})
			var failure *record.Failure
			if !errors.As(err, &failure) || failure.Rows != 0 || failure.Unsaid == nil ||
				!strings.Contains(err.Error(), "moved or removed") {
				t.Fatalf("error %v: want a failure that no manifest tells", err)
			}
			a, err := record.Open(dir)
			if c.name == "removed" && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("error %v: want no folder", err)
			}
			if c.name == "replaced" && (err != nil || a.Status != rths.Completed || a.Rows() != failRows) {
				t.Errorf("error %v: the other run was touched", err)
			}
		})
	}
}

// A folder that was moved holds a record that says what is in it.
func TestMovedFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	err := recordInto(dir, completed(), func() {
		if err := os.Rename(dir, dir+"-moved"); err != nil {
			t.Fatal(err)
		}
	})
	if a := checkFailed(t, dir+"-moved", err); a.Rows() != failRows {
		t.Errorf("%d rows: want %d", a.Rows(), failRows)
	}
}

// Check sees a folder that is gone before the end of the run, Err does not look.
func TestCheckSeesVanishedFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	tk := newTick()
	w, err := record.NewRecorder(dir, manifest(), &tk.frame, tk.channels)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Check(); err != nil {
		t.Fatal(err)
	}
	os.RemoveAll(dir)
	if err := w.Err(); err != nil {
		t.Errorf("Err: %v: want nil before the first look", err)
	}
	if w.Check() == nil || w.Err() == nil {
		t.Error("no failure: want one")
	}
	if w.Close(manifest()) == nil {
		t.Error("Close: want a failure")
	}
}

// blockNext puts a folder where the next manifest is written.
func blockNext(t *testing.T, dir string) {
	t.Helper()
	next := filepath.Join(dir, record.ManifestFile+".tmp")
	if err := errors.Join(os.Remove(next), os.MkdirAll(filepath.Join(next, "in"), 0o755)); err != nil {
		t.Fatal(err)
	}
}

// Where no other file can take the place of the manifest "running", the manifest is
// written over: failed, for it lacks the criteria, with all rows.
func TestManifestIsWrittenOver(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	err := recordInto(dir, completed(), func() { blockNext(t, dir) })
	os.RemoveAll(filepath.Join(dir, record.ManifestFile+".tmp"))
	if a := checkFailed(t, dir, err); a.Rows() != failRows || len(a.Criteria) != 0 {
		t.Errorf("%d rows, criteria %v: want %d and none", a.Rows(), a.Criteria, failRows)
	}
}

// A reason of any length fits.
func TestLongReasonFits(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	end := completed()
	end.Status, end.Reason = rths.Failed, strings.Repeat("\x01é", 1<<14)
	err := recordInto(dir, end, func() { blockNext(t, dir) })
	os.RemoveAll(filepath.Join(dir, record.ManifestFile+".tmp"))
	checkFailed(t, dir, err)
}

// Where not even that is possible, the manifest keeps saying "running" and Close says
// that it does.
func TestNoManifestCanBeWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	path := filepath.Join(dir, record.ManifestFile)
	err := recordInto(dir, completed(), func() {
		blockNext(t, dir)
		if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o755)); err != nil {
			t.Fatal(err)
		}
	})
	var failure *record.Failure
	if !errors.As(err, &failure) || failure.Unsaid == nil || !strings.Contains(err.Error(), "no manifest that says so") {
		t.Errorf("error %v: want a failure that no manifest tells", err)
	}
}

// An export that fails leaves neither a file nor an entry; one that was there stays.
func TestExportFailsWhole(t *testing.T) {
	dir := recordRun(t, 10, manifest())
	a, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, record.CSVFile, "in"), 0o755); err != nil { // cannot be renamed over
		t.Fatal(err)
	}
	if err := a.Export(record.CSVFile); err == nil {
		t.Error("csv: want an error")
	}
	os.RemoveAll(filepath.Join(dir, record.CSVFile))
	if err := os.MkdirAll(filepath.Join(dir, record.ManifestFile+".tmp", "in"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := a.Export(record.MATFile); err == nil {
		t.Error("mat: want an error")
	}
	os.RemoveAll(filepath.Join(dir, record.ManifestFile+".tmp"))
	want := []string{record.ManifestFile, record.FramesFile}
	checkFiles(t, dir, want)
	if again, err := record.Open(dir); err != nil || !slices.Equal(again.Files, want) || !slices.Equal(a.Files, want) {
		t.Errorf("error %v, files %q and %q: want %q", err, again.Files, a.Files, want)
	}
}

// A frame that cannot be recorded fails the record like a full disk.
func TestOtherFrameFailsTheRecord(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	tk, other := newTick(), newTick()
	w, err := record.NewRecorder(dir, manifest(), &tk.frame, tk.channels)
	if err != nil {
		t.Fatal(err)
	}
	for k := range 1500 {
		w.Observe(tk.at(k))
	}
	w.Observe(&rths.Frame{})
	w.Observe(other.at(0))
	end := completed()
	end.Samples = 1502
	if a := checkFailed(t, dir, w.Close(end)); a.Rows() != 1016 ||
		!strings.Contains(a.Reason, "1016 of 1502 rows: observed another frame") {
		t.Errorf("%d rows, reason %q", a.Rows(), a.Reason)
	}
}
