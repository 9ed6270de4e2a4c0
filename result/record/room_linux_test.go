package record_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"rths"
	"rths/result/record"
	"rths/result/tables"
)

func init() { recordLimited = serveOrders }

// order asks the recording program for a run in Dir, or for an export of the run there,
// while its files may have at most Limit bytes.
type order struct {
	Limit  uint64
	Dir    string
	Export string
}

// outcome is the error of an order, taken apart.
type outcome struct {
	Rows, Ticks       int
	Err, Unsaid, Text string
	Failure           bool
}

func (o outcome) error() error {
	switch {
	case o.Failure && o.Unsaid != "":
		return &record.Failure{Rows: o.Rows, Ticks: o.Ticks, Err: errors.New(o.Err), Unsaid: errors.New(o.Unsaid)}
	case o.Failure:
		return &record.Failure{Rows: o.Rows, Ticks: o.Ticks, Err: errors.New(o.Err)}
	case o.Text != "":
		return errors.New(o.Text)
	}
	return nil
}

// serveOrders is the recording program: the limit is one of its process.
func serveOrders() {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var o order
		if in.Decode(&o) != nil {
			return
		}
		var r outcome
		err := o.follow()
		var failure *record.Failure
		if r.Failure = errors.As(err, &failure); r.Failure {
			r.Rows, r.Ticks, r.Err = failure.Rows, failure.Ticks, failure.Err.Error()
			if failure.Unsaid != nil {
				r.Unsaid = failure.Unsaid.Error()
			}
		}
		if err != nil {
			r.Text = err.Error()
		}
		if out.Encode(r) != nil {
			return
		}
	}
}

func (o order) follow() error {
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		return err
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: o.Limit, Max: old.Max}); err != nil {
		return err
	}
	defer syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old)
	if o.Export == "" {
		return recordInto(o.Dir, completed(), nil)
	}
	a, err := record.Open(o.Dir)
	if err != nil {
		return err
	}
	return a.Export(o.Export)
}

// startProgram starts the recording program and returns what gives it an order.
func startProgram(t *testing.T) func(o order) error {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), recordWithin+"=1")
	child.Stderr = os.Stderr
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); child.Wait() })
	orders, outcomes := json.NewEncoder(in), json.NewDecoder(out)
	return func(o order) error {
		var r outcome
		if err := errors.Join(orders.Encode(o), outcomes.Decode(&r)); err != nil {
			t.Fatalf("limit %d: the recording program ended: %v", o.Limit, err)
		}
		return r.error()
	}
}

// stage is how far a record came.
type stage string

const (
	nothing  stage = "no manifest"
	noStream stage = "a manifest, no room reserved or no whole head of the stream"
	someRows stage = "some rows"
	allRows  stage = "all rows, no end mark or no manifest of a sound record"
	wholeRun stage = "everything"
)

// checkStage wants a record in the state that err reports, and returns how far it came.
func checkStage(t *testing.T, dir string, err error) stage {
	t.Helper()
	var failure *record.Failure
	if err == nil {
		a, err := record.Open(dir)
		if err != nil || a.Status != rths.Completed || a.Rows() != failRows || a.RowsKept != nil {
			t.Fatalf("error %v, %+v: want a sound record", err, a)
		}
		return wholeRun
	}
	if errors.As(err, &failure) && failure.Unsaid != nil {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("%v: want nothing left of a record without manifest", err)
		}
		return nothing
	}
	a := checkFailed(t, dir, err)
	if !strings.Contains(a.Reason, "make free space") {
		t.Errorf("reason %q: want advice", a.Reason)
	}
	switch a.Rows() {
	case 0:
		return noStream
	case failRows:
		return allRows
	}
	return someRows
}

func wantStages(t *testing.T, seen map[stage]int, want ...stage) {
	t.Helper()
	for _, s := range want {
		if seen[s] == 0 {
			t.Errorf("no record came as far as: %s", s)
		}
	}
	t.Log(seen)
}

// wholeStream is the stream of a run that no limit disturbs.
func wholeStream(t *testing.T) []byte {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	if err := recordInto(dir, completed(), nil); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(dir, record.FramesFile))
	if err != nil {
		t.Fatal(err)
	}
	return whole
}

// readable is the number of rows in the first n bytes of a stream.
func readable(t *testing.T, whole []byte, n int) int {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cut.arrow")
	if err := os.WriteFile(path, whole[:min(n, len(whole))], 0o644); err != nil {
		t.Fatal(err)
	}
	table, err := tables.Read(path)
	if err != nil {
		return 0
	}
	return table.Columns[0].Len()
}

// A record under a limit on the size of files says how much of it is there, whatever
// the limit: nothing, the manifest alone, some batches, all but the end mark.
func TestFileSizeLimit(t *testing.T) {
	whole := wholeStream(t)
	limits := []int{0, 1, 2, len(whole) - 9, len(whole) - 8, len(whole) - 7, len(whole) - 1, len(whole), len(whole) + 1}
	for n := 500; n < len(whole)+2000; n += 1499 {
		limits = append(limits, n)
	}
	seen := map[stage]int{}
	program := startProgram(t)
	for _, limit := range limits {
		dir := filepath.Join(t.TempDir(), "run")
		s := checkStage(t, dir, program(order{Limit: uint64(limit), Dir: dir}))
		seen[s]++
		if (s == wholeRun) != (limit >= len(whole)) {
			t.Errorf("limit %d of %d: %s", limit, len(whole), s)
		}
		if a, err := record.Open(dir); s == someRows || s == allRows {
			if want := readable(t, whole, limit); err != nil || a.Rows() != want {
				t.Errorf("limit %d: %d rows, error %v: want %d", limit, a.Rows(), err, want)
			}
		}
	}
	wantStages(t, seen, nothing, noStream, someRows, allRows, wholeRun)
}

// An export under such a limit leaves no half file and no entry.
func TestFileSizeLimitOfExports(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if err := recordInto(dir, completed(), nil); err != nil {
		t.Fatal(err)
	}
	program := startProgram(t)
	for _, name := range []string{record.CSVFile, record.ParquetFile, record.MATFile} {
		for _, limit := range []uint64{0, 1, 1000, 30000} {
			err := program(order{limit, dir, name})
			if err == nil || !strings.Contains(err.Error(), "make free space") {
				t.Errorf("%s within %d bytes: error %v: want one with advice", name, limit, err)
			}
			checkFiles(t, dir, []string{record.ManifestFile, record.FramesFile})
		}
	}
	if a, err := record.Open(dir); err != nil || a.Status != rths.Completed || len(a.Files) != 2 {
		t.Errorf("error %v, %+v: want the record as it was", err, a)
	}
}

// smallDisk is a file system of the given number of pages.
func smallDisk(t *testing.T, pages int) string {
	t.Helper()
	dir := t.TempDir()
	size := pages * os.Getpagesize()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size)); err != nil {
		t.Skipf("a small disk cannot be mounted: %v: run this test as root", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

// fill takes n pages of the disk, or all that are left when n is negative.
func fill(t *testing.T, disk string, n int) {
	t.Helper()
	file, err := os.OpenFile(filepath.Join(disk, "filler"), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	page := make([]byte, os.Getpagesize())
	for i := 0; i != n; i++ {
		if _, err := file.Write(page); err != nil {
			return
		}
	}
}

// A disk with any number of free pages.
func TestSmallDisk(t *testing.T) {
	whole := wholeStream(t)
	pages := (len(whole)+90<<10)/os.Getpagesize() + 2
	disk := smallDisk(t, pages)
	seen := map[stage]int{}
	for taken := range pages + 1 {
		fill(t, disk, taken)
		dir := filepath.Join(disk, "run")
		seen[checkStage(t, dir, recordInto(dir, completed(), nil))]++
		os.RemoveAll(dir)
	}
	wantStages(t, seen, nothing, noStream, someRows, wholeRun)
}

// The disk fills up during the run: the manifest has its room.
func TestDiskFillsUp(t *testing.T) {
	disk := smallDisk(t, 100)
	dir := filepath.Join(disk, "run")
	err := recordInto(dir, completed(), func() { fill(t, disk, -1) })
	if s := checkStage(t, dir, err); s != someRows {
		t.Errorf("%s: want some rows", s)
	}
	if a, _ := record.Open(dir); len(a.Criteria) != 1 {
		t.Errorf("criteria %v: want the criteria of the run: there is room for them", a.Criteria)
	}
}

// The disk is full and the manifest larger than the room reserved for it: the short one
// keeps the numbers.
func TestLargeManifestOnFullDisk(t *testing.T) {
	disk := smallDisk(t, 100)
	dir := filepath.Join(disk, "run")
	end := completed()
	end.Spectra = []record.Spectrum{{Name: "floor 1", PeriodS: make([]float64, 1e5)}}
	a := checkFailed(t, dir, recordInto(dir, end, func() { fill(t, disk, -1) }))
	if len(a.Spectra) != 0 || a.RateHz != lowRate {
		t.Errorf("%d spectra at %g Hz: want none", len(a.Spectra), a.RateHz)
	}
	if text, err := os.ReadFile(filepath.Join(dir, record.ManifestFile)); err != nil ||
		strings.HasSuffix(string(text), " \n") {
		t.Errorf("error %v: the manifest was written over: want it renamed", err)
	}
}

// The disk is full and the rename refused.
func TestManifestIsWrittenOverOnFullDisk(t *testing.T) {
	disk := smallDisk(t, 100)
	dir := filepath.Join(disk, "run")
	err := recordInto(dir, completed(), func() {
		blockNext(t, dir)
		fill(t, disk, -1)
	})
	os.RemoveAll(filepath.Join(dir, record.ManifestFile+".tmp"))
	checkFailed(t, dir, err)
}

// The rename alone is refused: the manifest is a mount point of its own.
func TestRenameRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	path := filepath.Join(dir, record.ManifestFile)
	err := recordInto(dir, completed(), func() {
		if err := syscall.Mount(path, path, "", syscall.MS_BIND, ""); err != nil {
			t.Skipf("a file cannot be mounted: %v: run this test as root", err)
		}
		t.Cleanup(func() { syscall.Unmount(path, syscall.MNT_DETACH) })
	})
	if a := checkFailed(t, dir, err); a.Rows() != failRows || !strings.Contains(a.Reason, "renameat") {
		t.Errorf("%d rows, reason %q: want %d and a rename", a.Rows(), a.Reason, failRows)
	}
}

// The disk is full when the first row around the run comes, or is full soon after it.
func TestAroundOnFullDisk(t *testing.T) {
	for _, first := range []int{0, 8} {
		disk := smallDisk(t, 100)
		dir := filepath.Join(disk, "run")
		w := newBench(t, dir)
		appendBoth(w, 21, first)
		fill(t, disk, -1)
		for k := first; w.Err() == nil; k++ {
			if k > 1<<12 {
				t.Fatal("the disk is not full")
			}
			w.AppendAround(rowAt(k, ofAround))
		}
		around := w.AroundRows()
		a := checkBroken(t, dir, w.Close(bench()), 16, around, "make free space")
		if !strings.Contains(a.Reason, record.AroundFile) || around < first || first == 0 && around > 0 {
			t.Errorf("reason %q, %d rows around the run: want the file named, %d at least", a.Reason, around, first)
		}
	}
}
