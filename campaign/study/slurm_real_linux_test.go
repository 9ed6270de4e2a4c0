package study

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// realSlurm skips without a Slurm, and else gives an executor that is patient enough for one.
func realSlurm(t *testing.T, l *heard) *Slurm {
	t.Helper()
	if os.Getenv("RTHS_SLURM") != "1" {
		t.Skip("no Slurm: want bash .ci/slurm, which starts one")
	}
	s := quickSlurm("", l)
	s.ShardSize, s.Poll, s.Grace = 1, 100*time.Millisecond, 300*time.Millisecond
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s", strings.Join(l.lines, "\n"))
		}
	})
	return s
}

// Rows are the same by one worker, by two, and by Slurm, also of a study of several arrays: .ci/slurm sets
// MaxArraySize 5.
func TestRealSlurmMakesTheSameRows(t *testing.T) {
	var l heard
	s := realSlurm(t, &l)
	s.ShardSize = 2
	b, p := planned(t, odd)
	want := rowsOf(made(t, b, p, 1))
	b, p = planned(t, odd)
	sameRows(t, rowsOf(made(t, b, p, 2)), want)
	got, err := onSlurm(t, s, odd)
	if err != nil {
		t.Fatal(err)
	}
	sameRows(t, got, want)
	if arrays := jobsOf(&l); len(want) != 12 || arrays != 2 {
		t.Errorf("%d arrays of %d runs: want 6 tasks in 2 arrays of at most 5", arrays, len(want))
	}
}

// Calibrated gains are the same by workers and by Slurm.
func TestRealSlurmCalibrates(t *testing.T) {
	var l heard
	s := realSlurm(t, &l)
	s.Folder, s.ShardSize = t.TempDir(), 4
	want := calibrated(t, Workers(1))
	for _, by := range []Executor{Workers(2), s} {
		if got := calibrated(t, by); got != want {
			t.Errorf("%T: %s\nwant %s", by, got, want)
		}
	}
	if n := jobsOf(&l); n != 3 {
		t.Errorf("%d arrays: want one a generation, 3", n)
	}
}

// A task that is cancelled and one that is killed cost a submission and no row.
func TestRealSlurmLosesTasks(t *testing.T) {
	var l heard
	s := realSlurm(t, &l)
	b, p := planned(t, crossed)
	want := rowsOf(made(t, b, p, 2))
	s.Folder, s.ShardSize = t.TempDir(), 3 // two tasks, which run at the same time
	t.Setenv("RTHS_TEST_SLOW", "1500ms")
	done := make(chan struct{})
	go func() {
		defer close(done)
		pids := tasksOf(s.Folder, 2)
		if len(pids) < 2 {
			t.Errorf("%d tasks run: want 2", len(pids))
			return
		}
		if err := syscall.Kill(pids[0], syscall.SIGKILL); err != nil {
			t.Error(err)
		}
		name := filepath.Base(filepath.Dir(shardFiles(s.Folder)[0]))
		if out, err := exec.Command("scancel", "--name=rths-"+name+"-0").CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}()
	got, err := onSlurm(t, s, crossed)
	<-done
	if err != nil {
		t.Fatal(err)
	}
	sameRows(t, got, want)
	for _, number := range []string{"0", "1"} {
		if !l.has("shard " + number + " has left the queue without rows (submission 1 of 3)") {
			t.Errorf("shard %s was not lost: %q", number, l.lines)
		}
	}
}

// tasksOf waits until n tasks of a folder run, and gives their processes.
func tasksOf(folder string, n int) (pids []int) {
	for range 100 {
		pids = pids[:0]
		names, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, name := range names {
			text, _ := os.ReadFile(name) // the process may have ended
			var pid int
			if _, err := fmt.Sscanf(name, "/proc/%d/", &pid); err == nil &&
				strings.HasPrefix(string(text), folder+"/slurm/rths-") {
				pids = append(pids, pid)
			}
		}
		if len(pids) >= n {
			return pids
		}
		time.Sleep(50 * time.Millisecond)
	}
	return pids
}

// Ctrl-C leaves the tasks, and their rows are collected without a submission.
func TestRealSlurmIsLeftAndCollected(t *testing.T) {
	var l heard
	s := realSlurm(t, &l)
	b, p := planned(t, crossed)
	want := rowsOf(made(t, b, p, 2))
	s.Folder = t.TempDir()
	t.Setenv("RTHS_TEST_SLOW", "500ms")
	ctx, cancel := context.WithCancel(t.Context())
	s.Say = func(format string, args ...any) {
		l.say(format, args...)
		if jobsOf(&l) == 2 { // all are submitted
			cancel()
		}
	}
	jobs := Jobs{N: p.Runs(), Inputs: p.Inputs, Template: p.Template, Settings: p.Settings}
	if err := s.Make(ctx, b, jobs, func(Row) error { return nil }); err == nil || ctx.Err() == nil {
		t.Fatal("not left", err)
	}
	s.Collect, s.Say = true, l.say
	_, err := onSlurm(t, s, crossed)
	wantError(t, err, "missing: ", " in the queue, 0 lost")
	var got []Row
	for range 100 {
		if got, err = onSlurm(t, s, crossed); err == nil {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if err != nil {
		t.Fatal(err)
	}
	sameRows(t, got, want)
	if n := jobsOf(&l); n != 2 {
		t.Errorf("%d arrays: want those of the first call, 2", n)
	}
}

// mounted mounts a small file system of its own at a folder.
func mounted(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("nothing can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// A folder that fills ends with a message; rows that are there are kept, and with room the study
// goes on.
func TestRealSlurmFillsItsFolder(t *testing.T) {
	var l heard
	s := realSlurm(t, &l)
	b, p := planned(t, crossed)
	want := rowsOf(made(t, b, p, 2))
	s.Folder, s.ShardSize, s.Attempts = mounted(t, "200m"), 3, 2
	filler := filepath.Join(s.Folder, "filler")
	full := func() {
		file, err := os.Create(filler)
		if err != nil {
			t.Error(err)
			return
		}
		for err == nil {
			_, err = file.Write(make([]byte, 4096))
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Setenv("RTHS_TEST_SLOW", "300ms")
	s.Say = func(format string, args ...any) {
		l.say(format, args...)
		if jobsOf(&l) == 1 && !slices.Contains(l.lines, "full") {
			l.say("full")
			full()
		}
	}
	got, err := onSlurm(t, s, crossed)
	wantError(t, err, "left the queue without rows after 2 submissions", "no space left on device")
	if len(got) == len(want) {
		t.Errorf("%d rows: want fewer", len(got))
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	t.Setenv("RTHS_TEST_SLOW", "")
	got, err = onSlurm(t, s, crossed)
	if err != nil {
		t.Fatal(err)
	}
	sameRows(t, got, want)
}

// A folder that the node does not see ends with a message, and soon. This program sees it alone: it
// runs in a mount namespace of its own.
func TestRealSlurmSharesNoFolder(t *testing.T) {
	const inside = "RTHS_TEST_HIDDEN"
	var l heard
	s := realSlurm(t, &l)
	if s.Folder = os.Getenv(inside); s.Folder != "" {
		s.ShardSize, s.Attempts = 3, 2
		got, err := onSlurm(t, s, crossed)
		wantError(t, err, "shards 0-1, 6 runs, left the queue without rows after 2 submissions each",
			"its node does not see this folder: want a folder that", "--out")
		if len(got) != 0 {
			t.Errorf("%d rows", len(got))
		}
		return
	}
	dir := t.TempDir()
	c := exec.Command("unshare", "--mount", "sh", "-c",
		`mount -t tmpfs none "$1" && exec "$0" -test.v -test.run '^TestRealSlurmSharesNoFolder$'`, os.Args[0], dir)
	c.Env = append(os.Environ(), inside+"="+dir)
	out, err := c.CombinedOutput()
	if strings.Contains(string(out), "unshare failed") || strings.Contains(string(out), "mount: ") {
		t.Skipf("nothing can be mounted here: %s", out)
	}
	if err != nil || !strings.Contains(string(out), "--- PASS: TestRealSlurmSharesNoFolder") {
		t.Errorf("%v\n%s", err, out)
	}
}
