package study

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rths"
)

// onSlurm makes a study by an executor, and gives its rows.
func onSlurm(t *testing.T, s *Slurm, text string) ([]Row, error) {
	t.Helper()
	b, p := planned(t, text)
	f, err := Create(filepath.Join(t.TempDir(), "study"), Manifest{Kind: StudyKind, Name: "s"}, p)
	if err != nil {
		t.Fatal(err)
	}
	if s.Folder == "" {
		s.Folder = f.Dir
	}
	err = b.Execute(t.Context(), p, f, s, nil)
	rows := rowsOf(f)
	if err := f.log.Close(); err != nil {
		t.Fatal(err)
	}
	return rows, err
}

// odd has runs of all statuses: refused ones, ones that trip, and ones that complete.
const odd = `
seed: 7
points: 2
variables:
  specimen.stiffness: {kind: uniform, from: 1.1e6, to: 1.3e6}
  structure.case: [1, 77, 2]
  limits: [[{channel: measured_m, trip: 1e-5, action: ramp}], none]
`

// Rows are the same, to the last bit and letter, whoever makes them.
func TestSlurmMakesTheSameRows(t *testing.T) {
	statuses := map[string]int{}
	for _, text := range []string{crossed, odd} {
		newFake(t, "run")
		b, p := planned(t, text)
		want := rowsOf(made(t, b, p, 1))
		b, p = planned(t, text)
		sameRows(t, rowsOf(made(t, b, p, 2)), want)
		var l heard
		got, err := onSlurm(t, quickSlurm("", &l), text)
		if err != nil {
			t.Fatal(err, l.lines)
		}
		sameRows(t, got, want)
		for _, row := range got {
			statuses[row.Status]++
		}
	}
	if statuses[rths.Completed] < 8 || statuses["tripped"] != 4 || statuses[rths.Refused] != 4 {
		t.Errorf("%v: want rows of all statuses", statuses)
	}
}

// Lost shards are submitted again, these alone, and no row is lost.
func TestSlurmSubmitsLostShardsAgain(t *testing.T) {
	fake := newFake(t, "half", "lose", "run")
	b, p := planned(t, crossed)
	want := rowsOf(made(t, b, p, 2))
	var l heard
	got, err := onSlurm(t, quickSlurm("", &l), crossed)
	if err != nil {
		t.Fatal(err, l.lines)
	}
	sameRows(t, got, want)
	var arrays []string
	for _, call := range fake.calls(t) {
		arrays = append(arrays, fakeArg(strings.Fields(call), "--array="))
	}
	if strings.Join(arrays, " ") != "0-2 1 1" {
		t.Errorf("arrays %q: want all shards, and twice the lost one", arrays)
	}
	if !l.has("shard 1 has left the queue without rows (submission 2 of 3)") {
		t.Errorf("%q", l.lines)
	}
}

// A shard that is lost as often as it may be ends the study with its reason; the rows of the other
// shards are kept, and the study goes on.
func TestSlurmGivesUp(t *testing.T) {
	fake := newFake(t, "half", "lose")
	b, p := planned(t, crossed)
	want := rowsOf(made(t, b, p, 2))
	var l heard
	s := quickSlurm(t.TempDir(), &l)
	got, err := onSlurm(t, s, crossed)
	wantError(t, err, "shard 1, 2 runs, left the queue without rows after 3 submissions", "want a folder that", "--out")
	if len(got) != 4 || len(fake.calls(t)) != 3 {
		t.Errorf("%d rows, %d submissions: want 4 and 3", len(got), len(fake.calls(t)))
	}
	newFake(t, "empty")
	_, err = onSlurm(t, quickSlurm("", &l), crossed)
	wantError(t, err, "shards 0-2, 6 runs, left the queue without rows after 3 submissions each",
		"is empty: the task was killed, or the folder is full")
	newFake(t, "run")
	got, err = onSlurm(t, quickSlurm(s.Folder, &l), crossed) // the same jobs again: two shards are there
	if err != nil {
		t.Fatal(err)
	}
	sameRows(t, got, want)
}

// Blocks of MaxArraySize: ids end before it.
func TestSlurmKeepsWithinMaxArraySize(t *testing.T) {
	fake := newFake(t, "run")
	fake.set(t, "config", "Something = 1\nMaxArraySize            = 2\n")
	b, p := planned(t, crossed)
	want := rowsOf(made(t, b, p, 2))
	var l heard
	s := quickSlurm("", &l)
	s.ShardSize, s.Partition, s.Time = 1, "short", "1:00"
	got, err := onSlurm(t, s, crossed)
	if err != nil {
		t.Fatal(err)
	}
	sameRows(t, got, want)
	calls := fake.calls(t)
	if len(calls) != 3 {
		t.Fatalf("%q: want three arrays of two tasks", calls)
	}
	for i, call := range calls {
		for _, part := range []string{"--array=0-1 ", fmt.Sprintf("-%d --array", 2*i), "--partition=short", "--time=1:00",
			"--ntasks=1", "--no-requeue"} {
			if !strings.Contains(call, part) {
				t.Errorf("sbatch %s: want %s", call, part)
			}
		}
	}
}

// What Slurm refuses, it says itself.
func TestSlurmRefuses(t *testing.T) {
	var l heard
	newFake(t, "error: invalid partition specified: nowhere")
	_, err := onSlurm(t, quickSlurm("", &l), crossed)
	wantError(t, err, "sbatch: error: invalid partition specified: nowhere: want a partition that sinfo lists")
	fake := newFake(t, "run")
	fake.set(t, "queue", "error: Unable to contact slurm controller")
	_, err = onSlurm(t, quickSlurm("", &l), crossed)
	wantError(t, err, "squeue: error: Unable to contact slurm controller")
	fake = newFake(t, "run")
	fake.set(t, "config", "MaxArraySize = 0\n")
	_, err = onSlurm(t, quickSlurm("", &l), crossed)
	wantError(t, err, "MaxArraySize = 0: want 2 or more")
	t.Setenv("PATH", t.TempDir())
	_, err = onSlurm(t, quickSlurm("", &l), crossed)
	wantError(t, err, "squeue", "not found", "want to be on a login node")
	s := quickSlurm(t.TempDir(), &l)
	s.Collect = true
	_, err = onSlurm(t, s, crossed)
	wantError(t, err, "6 rows missing", "6 rows in no shard that this version of the program has submitted")
	if made, err := os.ReadDir(s.Folder); err != nil || len(made) > 0 {
		t.Errorf("%v, %v: want nothing made by collecting", made, err)
	}
}

// Ctrl-C leaves the tasks; who asks again finds shards that wait, and submits none.
func TestSlurmIsLeftAndFoundAgain(t *testing.T) {
	fake := newFake(t, "hold")
	b, p := planned(t, crossed)
	want := rowsOf(made(t, b, p, 2))
	var l heard
	s := quickSlurm(t.TempDir(), &l)
	ctx, cancel := context.WithCancel(t.Context())
	s.Say = func(format string, args ...any) {
		if l.say(format, args...); l.has("shards wait in the queue: AssocGrpCpuLimit") {
			cancel()
		}
	}
	rows := 0
	jobs := Jobs{N: p.Runs(), Inputs: p.Inputs, Template: p.Template, Settings: p.Settings}
	if err := s.Make(ctx, b, jobs, func(Row) error { rows++; return nil }); !errors.Is(err, context.Canceled) ||
		rows != 0 {
		t.Fatalf("%v, %d rows", err, rows)
	}
	s.Collect = true
	_, err := onSlurm(t, s, crossed)
	wantError(t, err, "6 rows missing: 3 shards in the queue, 0 lost")
	folders, err := filepath.Glob(filepath.Join(s.Folder, "slurm", "*", "shard-0001.json"))
	if err != nil || len(folders) != 1 {
		t.Fatal(folders, err)
	}
	if err := PlayShard(t.Context(), filepath.Dir(folders[0]), 1, 1); err != nil {
		t.Fatal(err)
	}
	fake.set(t, "queue", fmt.Sprintf("rths-%s-0|2|R|None\n", filepath.Base(filepath.Dir(folders[0]))))
	got, err := onSlurm(t, s, crossed)
	wantError(t, err, "4 rows missing: 1 shard in the queue, 1 lost")
	sameRows(t, got, want[2:4])
	fake.set(t, "queue", "error: Unable to contact slurm controller")
	_, err = onSlurm(t, s, crossed)
	wantError(t, err, "4 rows missing, in 2 shards")
	if n := len(fake.calls(t)); n != 1 {
		t.Errorf("%d submissions: want the first alone", n)
	}
	fake.set(t, "queue", "")
	fake.set(t, "mode", "run")
	s.Collect = false
	if got, err = onSlurm(t, s, crossed); err != nil {
		t.Fatal(err)
	}
	sameRows(t, got, want)
}

// A squeue that does not answer for a while is waited for.
func TestSlurmWaitsForItsController(t *testing.T) {
	fake := newFake(t, "hold", "run")
	b, p := planned(t, crossed)
	want := rowsOf(made(t, b, p, 2))
	var l heard
	s := quickSlurm("", &l)
	s.Say = func(format string, args ...any) {
		l.say(format, args...)
		switch last := l.lines[len(l.lines)-1]; {
		case last == "job 100: 3 tasks of 6 rows":
			fake.set(t, "queue", "error: Unable to contact slurm controller")
		case strings.HasSuffix(last, "what runs is not known"):
			fake.set(t, "queue", "")
		}
	}
	got, err := onSlurm(t, s, crossed)
	if err != nil {
		t.Fatal(err)
	}
	sameRows(t, got, want)
	if !l.has("Unable to contact slurm controller: what runs is not known") || len(fake.calls(t)) != 2 {
		t.Errorf("%q", l.lines)
	}
}

// A result that is cut off, or of other jobs, counts as missing, and the shard is made again.
func TestSlurmTrustsNoBrokenResult(t *testing.T) {
	newFake(t, "run")
	b, p := planned(t, crossed)
	want := rowsOf(made(t, b, p, 2))
	var l heard
	s := quickSlurm(t.TempDir(), &l)
	if _, err := onSlurm(t, s, crossed); err != nil {
		t.Fatal(err)
	}
	results, err := filepath.Glob(filepath.Join(s.Folder, "slurm", "*", "*.rows"))
	if err != nil || len(results) != 3 {
		t.Fatal(results, err)
	}
	whole, err := os.ReadFile(results[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", string(whole[:len(whole)-1]), string(whole[:len(whole)/2]),
		strings.Replace(string(whole), "-0-", "-1-", 1), "rths\n", strings.Replace(string(whole), "row\t1", "row\t9", 1)} {
		write(t, results[0], text)
		l.lines = nil
		got, err := onSlurm(t, s, crossed)
		if err != nil {
			t.Fatal(err)
		}
		sameRows(t, got, want)
		if !l.has("the shard counts as missing") {
			t.Errorf("%.60q: %q", text, l.lines)
		}
	}
}

// Without a size of shards a few runs are made here, and the others are one task if they are short.
func TestSlurmMeasures(t *testing.T) {
	fake := newFake(t, "run")
	b, p := planned(t, crossed)
	want := rowsOf(made(t, b, p, 2))
	var l heard
	s := quickSlurm("", &l)
	s.ShardSize = 0
	got, err := onSlurm(t, s, crossed)
	if err != nil {
		t.Fatal(err)
	}
	sameRows(t, got, want)
	if calls := fake.calls(t); len(calls) != 1 || fakeArg(strings.Fields(calls[0]), "--array=") != "0" ||
		!l.has("1 task of 2 rows") {
		t.Errorf("%q, %q: want one task", calls, l.lines)
	}
	s.Folder = t.TempDir() // the same executor again: a generation, which is sent whole
	if got, err = onSlurm(t, s, crossed); err != nil {
		t.Fatal(err)
	}
	sameRows(t, got, want)
	if !l.has("1 task of 6 rows") {
		t.Errorf("%q: want one task of all rows", l.lines)
	}
	for each, want := range map[float64]int{0: mostRuns, 1e-3: 60000, 1: 60, 45: 2, 61: 1, 1e4: 1} {
		if n := sized(each); n != want {
			t.Errorf("%g s a run: %d runs a task, want %d", each, n, want)
		}
	}
}

// A run that takes too long here is left to a task of its own.
func TestSlurmMeasuresNoLongRun(t *testing.T) {
	b, p := planned(t, crossed, "ground={kind: clough-penzien, duration_s: 60}")
	jobs := Jobs{N: p.Runs(), Inputs: p.Inputs, Template: p.Template, Settings: p.Settings}
	s := &Slurm{Folder: t.TempDir()}
	f, err := s.follow(t.Context(), b, jobs, func(Row) error { t.Error("a row"); return nil })
	if err != nil {
		t.Fatal(err)
	}
	f.want(jobs.todo())
	if size, err := f.measure(t.Context(), time.Nanosecond); size != 1 || err != nil || len(f.rest) != p.Runs() {
		t.Errorf("%d runs to a task, %v, %d runs are left: want 1 and all", size, err, len(f.rest))
	}
}

// Files of the scenario have to be the same on the node; a scenario file that has changed meanwhile is not
// looked at: the shard has its text.
func TestShardLooksAtItsInputs(t *testing.T) {
	newFake(t, "run")
	dir := t.TempDir()
	t.Chdir(dir)
	text := "rate_hz: 1024\nground: {file: motion.txt, unit: m/s2, dt_s: 0.1}\nstructure: {kind: silva2020, case: " +
		"1}\nspecimen: {kind: silva2020}\ntransfer: {kind: silva2020}\n"
	write(t, "motion.txt", "0 1 2 1 0 -1 -2 -1 0\n")
	write(t, "base.yaml", text)
	write(t, "study.yaml", "scenario: base.yaml\npoints: 2\n")
	made := func(s *Slurm, stated bool) ([]Row, error) {
		f, template, err := Load("study.yaml", nil)
		if err != nil {
			t.Fatal(err)
		}
		b := NewBench("")
		p, err := b.NewPlan(t.Context(), f, template)
		if err != nil {
			t.Fatal(err)
		}
		var rows []Row
		jobs := Jobs{N: p.Runs(), Template: p.Template, Settings: p.Settings}
		if stated {
			jobs.Inputs = p.Inputs
		}
		return rows, s.Make(t.Context(), b, jobs, func(row Row) error { rows = append(rows, row); return nil })
	}
	var l heard
	s := quickSlurm("shared", &l)
	for _, stated := range []bool{false, true} { // the same jobs
		if _, err := made(s, stated); err != nil {
			t.Fatal(err)
		}
	}
	shards := shardFiles(filepath.Join(dir, "shared"))
	if len(shards) != 1 {
		t.Fatalf("%q: want one shard", shards)
	}
	shard := filepath.Dir(shards[0])
	write(t, "base.yaml", "name: another\n"+text)
	if err := PlayShard(t.Context(), shard, 0, 1); err != nil {
		t.Error(err)
	}
	write(t, "motion.txt", "0 1 2 1 0 -1 -2 -1 7\n")
	wantError(t, PlayShard(t.Context(), shard, 0, 1), "motion.txt is another file than where the study was asked for")
	if err := os.Remove("motion.txt"); err != nil {
		t.Fatal(err)
	}
	wantError(t, PlayShard(t.Context(), shard, 0, 1), "motion.txt", "no such file",
		"want input files that login and compute nodes share")
	wantError(t, PlayShard(t.Context(), shard, 1, 1), "shard-0001.json",
		"want a folder that login and compute nodes share")
}

// Parts have every run once, in order, and at least the wanted size where the runs suffice.
func TestEvenly(t *testing.T) {
	for n := range 40 {
		for size := 1; size < 50; size++ {
			for _, exact := range []bool{false, true} {
				all := (&Jobs{N: n}).todo()
				next := 0
				for _, part := range evenly(all, size, exact) {
					if len(part) == 0 || !exact && len(part) < min(size, n) || exact && len(part) > size {
						t.Fatalf("%d runs by %d: a part of %d", n, size, len(part))
					}
					for _, run := range part {
						if run != next {
							t.Fatalf("%d runs by %d: run %d, want %d", n, size, run, next)
						}
						next++
					}
				}
				if next != n {
					t.Fatalf("%d runs by %d: %d in parts", n, size, next)
				}
			}
		}
	}
}

// Rows of other runs under the same number are not the rows of a shard.
func TestShardHasItsRuns(t *testing.T) {
	wrote, asked := &shard{Identity: "jobs", Runs: []int{0, 1}}, &shard{Identity: "jobs", Runs: []int{7, 8}}
	rows := []Row{{Run: 0, Status: rths.Completed}, {Run: 1, Status: rths.Completed}}
	text := string(appendShard(nil, wrote.heading(), rows))
	if rows, err := readShard(strings.NewReader(text), wrote.heading(), 2); err != nil || len(rows) != 2 {
		t.Errorf("its own rows: %v, %v", rows, err)
	}
	if rows, err := readShard(strings.NewReader(text), asked.heading(), 2); err == nil {
		t.Errorf("rows of the runs 0 and 1 are taken for 7 and 8: %v", rows)
	}
}

// A batch that goes on in a folder with another name has its tasks there.
func TestBatchMoves(t *testing.T) {
	dir := t.TempDir()
	c := common{Format: Format, Identity: strings.Repeat("a", 64), Folder: "before", Records: "there"}
	if _, err := openBatch(dir, c, true); err != nil {
		t.Fatal(err)
	}
	c.Folder, c.Records = "after", "elsewhere"
	b, err := openBatch(dir, c, true)
	if err != nil {
		t.Fatal(err)
	}
	var got common
	if err := readJSON(filepath.Join(b.dir, commonFile), &got); err != nil || got.Folder != "after" ||
		got.Records != "elsewhere" || b.common.Folder != "after" {
		t.Errorf("%+v, %v: want the present folders", got, err)
	}
}
