package record_test

import (
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"rths"
	"rths/result/record"
)

// version are n rows of the times that a killed test has, with a version in the second column.
func version(v, n int, start float64) iter.Seq[[]float64] {
	return func(yield func([]float64) bool) {
		for row := range rowsFrom(n, start) {
			if row[1] = float64(v); !yield(row) {
				return
			}
		}
	}
}

// rewriteForever rewrites the folder, each time with the next version in the rows and in the manifest.
func rewriteForever(dir string) {
	m, err := record.LoadManifest(dir)
	m.Status = rths.Lost
	fmt.Println("begins")
	for v := 1; err == nil; v++ {
		m.Reason = strconv.Itoa(v)
		err = record.Rewrite(dir, m, version(v, allFrames, ofFrames), version(v, allAround, ofAround))
	}
	fmt.Println(err)
	os.Exit(1)
}

// A Rewrite that is killed at any moment leaves each file old or new: the frames first, then the rows
// around the run, then the manifest. Another Rewrite completes the folder.
func TestKilledRewrite(t *testing.T) {
	kills := 40
	if testing.Short() {
		kills = 12
	}
	random := rand.New(rand.NewPCG(1, 2))
	left := map[string]int{} // what the kills have left
	for i := range kills {
		dir := killedTest(t)
		if shm := inMemory(t); shm != "" && i%2 == 0 { // syncing takes no time there
			if err := os.CopyFS(filepath.Join(shm, "run"), os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			dir = filepath.Join(shm, "run")
		}
		m := lost(t, dir)
		killRewrite(t, dir, time.Duration(random.IntN(int(5*time.Millisecond))))
		left[checkVersions(t, dir)]++
		if err := record.Rewrite(dir, m, rowsFrom(allFrames, ofFrames), rowsFrom(allAround, ofAround)); err != nil {
			t.Fatal(err)
		}
		checkLost(t, dir, allFrames, allAround)
	}
	t.Log(left)
}

// killRewrite starts a program that rewrites the folder, and kills it a while after it has begun.
func killRewrite(t *testing.T, dir string, after time.Duration) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), rewriteIn+"="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len("begins\n"))); err != nil {
		t.Error(err)
	}
	time.Sleep(after)
	child.Process.Kill()
	if said, err := io.ReadAll(out); len(said) > 0 {
		t.Errorf("the program said %s, %v", said, err)
	}
	child.Wait()
}

// checkVersions wants a folder in which every file is of one version, the manifest is not newer than the
// streams, and no version is lost in between. It returns what is newer than the manifest or left over.
func checkVersions(t *testing.T, dir string) string {
	t.Helper()
	frames, err := record.Open(dir)
	f := versionOf(t, frames, err, keptFrames, allFrames, ofFrames)
	around, err := record.OpenAround(dir)
	a := versionOf(t, around, err, keptAround, allAround, ofAround)
	m := 0
	if frames.Status == rths.Lost {
		if m, err = strconv.Atoi(frames.Reason); err != nil {
			t.Fatal(err)
		}
	} else if frames.Status != rths.Running {
		t.Errorf("status %s: want running or lost", frames.Status)
	}
	if !(m <= a && a <= f && f <= m+1) {
		t.Errorf("frames of version %d, rows around of %d, manifest of %d", f, a, m)
	}
	state := fmt.Sprintf("frames +%d, around +%d", f-m, a-m)
	for _, name := range []string{record.FramesFile, record.AroundFile, record.ManifestFile} {
		if _, err := os.Stat(filepath.Join(dir, name+".tmp")); err == nil {
			state += ", " + name + ".tmp"
		}
	}
	return state
}

// versionOf is the version of a stream: 0 as the killed test left it.
func versionOf(t *testing.T, a *record.Archive, err error, kept, all int, start float64) int {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if a.Truncated {
		checkRows(t, a, nil, kept, start, true)
		return 0
	}
	x, _ := a.Column("x_m")
	if len(x) != all {
		t.Fatalf("%d rows: want %d", len(x), all)
	}
	for k, v := range x {
		if times, _ := a.Column("time_s"); v != x[0] || times[k] != rowAt(k, start)[0] {
			t.Fatalf("row %d at %g s is of version %g: want %g", k, times[k], v, x[0])
		}
	}
	return int(x[0])
}

// inMemory is a folder in memory, or "" where there is none.
func inMemory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "rths-test-")
	if err != nil {
		return ""
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
