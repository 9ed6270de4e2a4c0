package record_test

import (
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rths/result/record"
)

// Rows that fill several pages of a disk.
const (
	manyFrames = 3000
	manyAround = 1000
)

// A folder on a disk with any number of free pages is completed, or is as it was, and the error says what
// to do. Of the room reserved for the manifest of the killed run nothing need be left.
func TestRewriteOnSmallDisk(t *testing.T) {
	killed := killedTest(t)
	needed := 0
	for _, n := range []int{manyFrames, manyAround} {
		needed += 8*len(three)*n/os.Getpagesize() + 40 // heads of batches too
	}
	disk := smallDisk(t, 2*needed)
	seen := map[string]int{}
	for free := range needed {
		dir := filepath.Join(disk, "run")
		if err := os.CopyFS(dir, os.DirFS(killed)); err != nil {
			t.Fatal(err)
		}
		m := lost(t, dir)
		if free%2 == 0 { // the manifest outgrows its room
			m.Notes = []string{strings.Repeat("x", 1<<17)}
		}
		before := contents(t, dir)
		leave(t, disk, free)
		err := record.Rewrite(dir, m, rowsFrom(manyFrames, ofFrames), rowsFrom(manyAround, ofAround))
		if err == nil {
			seen["completed"]++
			checkLost(t, dir, manyFrames, manyAround)
		} else {
			if !strings.Contains(err.Error(), "make free space") {
				t.Fatalf("%d pages free: %v: want advice", free, err)
			}
			now := contents(t, dir)
			if _, there := now[record.ManifestFile+".tmp"]; !there {
				seen["no space for the manifest"]++
				delete(before, record.ManifestFile+".tmp")
			} else {
				seen["no space for the streams"]++
			}
			checkSame(t, err.Error(), before, now)
			os.Remove(filepath.Join(disk, "filler"))
			if err := record.Rewrite(dir, m, rowsFrom(manyFrames, ofFrames), rowsFrom(manyAround, ofAround)); err != nil {
				t.Fatal(err)
			}
			checkLost(t, dir, manyFrames, manyAround)
		}
		os.RemoveAll(dir)
	}
	t.Log(seen)
	if len(seen) != 3 {
		t.Errorf("%q: want a completed folder, and one without room for streams and manifest each",
			slices.Sorted(maps.Keys(seen)))
	}
}

// leave fills the disk up to n pages.
func leave(t *testing.T, disk string, n int) {
	t.Helper()
	fill(t, disk, -1)
	path := filepath.Join(disk, "filler")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, max(0, info.Size()-int64(n*os.Getpagesize()))); err != nil {
		t.Fatal(err)
	}
}

// One program at a time writes into a folder.
func TestFolderIsLocked(t *testing.T) {
	const want = "another program is writing into it"
	dir := filepath.Join(t.TempDir(), "run")
	w := newBench(t, dir)
	m := lost(t, dir)
	if err := record.Rewrite(dir, m, rowsFrom(1, 0), nil); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("beside a writer: %v: want %q", err, want)
	}
	if err := w.Close(bench()); err != nil {
		t.Fatal(err)
	}
	var inner error
	frames := iter.Seq[[]float64](func(yield func([]float64) bool) {
		inner = record.Rewrite(dir, m, rowsFrom(2, 0), nil)
		yield(rowAt(0, 0))
	})
	if err := record.Rewrite(dir, m, frames, nil); err != nil || inner == nil || !strings.Contains(inner.Error(), want) {
		t.Errorf("%v, and a second at once: %v: want it refused", err, inner)
	}
	a, err := record.Open(dir)
	checkRows(t, a, err, 1, 0, false)
}
