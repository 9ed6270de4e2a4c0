package study

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"rths/kit/rthstest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestMain makes this binary the program that tasks run, which is known by its name, and the
// programs of a Slurm that does what a test asks for.
func TestMain(m *testing.M) {
	name := filepath.Base(os.Args[0])
	fakes := map[string]func([]string) error{"sbatch": fakeBatch, "squeue": fakeQueue, "scontrol": fakeControl}
	if strings.HasPrefix(name, "rths-") {
		fakes[name] = shardCommand
	}
	if fake := fakes[name]; fake != nil {
		if err := fake(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	rthstest.FewCollections()
	os.Exit(m.Run())
}

// shardCommand is rths shard FOLDER NUMBER --workers N.
func shardCommand(args []string) error {
	number, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	workers, err := strconv.Atoi(args[4])
	if err != nil {
		return err
	}
	if wait, err := time.ParseDuration(os.Getenv("RTHS_TEST_SLOW")); err == nil {
		time.Sleep(wait)
	}
	return PlayShard(context.Background(), args[1], number, workers)
}

// fakeSlurm is a folder: mode has a word for every call of sbatch, of which the last holds for all further
// calls; queue is what squeue prints; config is what scontrol prints; calls are the arguments.
type fakeSlurm struct{ dir string }

const fakeEnv = "RTHS_TEST_SLURM"

func newFake(t *testing.T, modes ...string) fakeSlurm {
	t.Helper()
	f := fakeSlurm{t.TempDir()}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sbatch", "squeue", "scontrol"} {
		if err := os.Symlink(self, filepath.Join(f.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	f.set(t, "mode", strings.Join(modes, "\n"))
	f.set(t, "queue", "other-0|1|R|None\n") // a job of the same user
	f.set(t, "config", "MaxArraySize            = 1001\n")
	f.set(t, "calls", "")
	t.Setenv("PATH", f.dir+":/usr/bin:/bin")
	t.Setenv(fakeEnv, f.dir)
	t.Setenv("GORACE", "atexit_sleep_ms=0") // every process would wait a second under the race detector
	return f
}

func (f fakeSlurm) set(t *testing.T, name, text string) {
	t.Helper()
	write(t, filepath.Join(f.dir, name), text)
}

// calls are the calls of sbatch.
func (f fakeSlurm) calls(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(f.dir, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func fakeFile(name string) string { return filepath.Join(os.Getenv(fakeEnv), name) }

func fakePrint(name string) error {
	text, err := os.ReadFile(fakeFile(name))
	if err == nil && strings.HasPrefix(string(text), "error: ") {
		return errors.New(string(text))
	}
	fmt.Print(string(text))
	return err
}

func fakeQueue([]string) error   { return fakePrint("queue") }
func fakeControl([]string) error { return fakePrint("config") }

func fakeBatch(args []string) error {
	before, err := os.ReadFile(fakeFile("calls"))
	if err != nil {
		return err
	}
	n := strings.Count(string(before), "\n")
	if err := os.WriteFile(fakeFile("calls"), []byte(string(before)+strings.Join(args, " ")+"\n"), 0o666); err != nil {
		return err
	}
	modes, err := os.ReadFile(fakeFile("mode"))
	if err != nil {
		return err
	}
	words := strings.Split(string(modes), "\n")
	mode := words[min(n, len(words)-1)]
	if strings.HasPrefix(mode, "error: ") {
		return errors.New(mode)
	}
	script, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	fmt.Println(100 + n)
	for i, id := range fakeIDs(fakeArg(args, "--array=")) {
		if err := fakeTask(mode, i, id, 100+n, args, string(script)); err != nil {
			return err
		}
	}
	return nil
}

func fakeTask(mode string, i, id, job int, args []string, script string) error {
	output := strings.NewReplacer("%%", "%", "%a", strconv.Itoa(id), "%A",
		strconv.Itoa(job)).Replace(fakeArg(args, "--output="))
	switch {
	case mode == "lose", mode == "half" && i%2 == 1:
		return nil
	case mode == "empty":
		return os.WriteFile(output, nil, 0o666)
	case mode == "hold":
		file, err := os.OpenFile(fakeFile("queue"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		fmt.Fprintf(file, "%s|%d|PD|AssocGrpCpuLimit\n", fakeArg(args, "--job-name="), id)
		return file.Close()
	}
	c := exec.Command("/bin/sh", "-s")
	c.Stdin, c.Dir = strings.NewReader(script), "/" // relative file names do not hang on where a task begins
	c.Env = append(os.Environ(), "SLURM_ARRAY_TASK_ID="+strconv.Itoa(id))
	text, _ := c.CombinedOutput() // a task that fails is in its output
	return os.WriteFile(output, text, 0o666)
}

func fakeArg(args []string, prefix string) string {
	for _, a := range args {
		if value, ok := strings.CutPrefix(a, prefix); ok {
			return value
		}
	}
	return ""
}

// fakeIDs are the numbers of 0-4,7.
func fakeIDs(text string) (ids []int) {
	for part := range strings.SplitSeq(text, ",") {
		a, b, more := strings.Cut(part, "-")
		from, _ := strconv.Atoi(a)
		to := from
		if more {
			to, _ = strconv.Atoi(b)
		}
		for ; from <= to; from++ {
			ids = append(ids, from)
		}
	}
	return ids
}

// heard collects what an executor says.
type heard struct{ lines []string }

func (l *heard) say(format string, args ...any) {
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}

func (l *heard) has(part string) bool {
	return slices.ContainsFunc(l.lines, func(line string) bool { return strings.Contains(line, part) })
}

// quickSlurm is the executor of tests: two runs to a shard, and little patience.
func quickSlurm(dir string, l *heard) *Slurm {
	return &Slurm{Folder: dir, ShardSize: 2, Poll: 5 * time.Millisecond, Grace: 20 * time.Millisecond, Say: l.say}
}

// wantError wants an error that says all parts.
func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error %v\nwant %q in it", err, part)
		}
	}
}

// shardFiles are the shards below a folder.
func shardFiles(folder string) []string {
	names, err := filepath.Glob(filepath.Join(folder, "slurm", "*", shardGlob))
	if err != nil {
		panic(err) // our own pattern
	}
	return names
}

// jobsOf counts the arrays that were submitted.
func jobsOf(l *heard) (n int) {
	for _, line := range l.lines {
		if strings.HasPrefix(line, "job ") {
			n++
		}
	}
	return n
}
