package study

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// defaultArray is MaxArraySize of a Slurm whose configuration does not say it.
const defaultArray = 1001

// queue is what squeue last said of the tasks of a batch. The name of an array is the name of the
// batch and the first shard of its block: a task is known by its name and number alone, also to
// a program that has not submitted it.
type queue struct {
	name     string
	state    map[int]string // of shards that run or wait
	reason   map[string]int // why shards wait
	answered time.Time
}

func (q *queue) has(shard int) bool { return q.state[shard] != "" }

// patient reports whether a squeue that does not answer is waited for: only one that has answered.
func (q *queue) patient() bool { return !q.answered.IsZero() && time.Since(q.answered) < patience }

// read asks squeue. Without an answer the tasks count as they were.
func (q *queue) read(ctx context.Context) error {
	out, err := slurm(ctx, "", "squeue", "--noheader", "--array", "--user="+strconv.Itoa(os.Getuid()),
		"--format=%j|%K|%t|%r")
	if err != nil {
		return err
	}
	q.answered, q.state, q.reason = time.Now(), map[int]string{}, map[string]int{}
	for line := range strings.Lines(out) {
		f := strings.SplitN(strings.TrimSpace(line), "|", 4)
		block, ours := strings.CutPrefix(f[0], q.name+"-")
		if !ours || len(f) < 4 {
			continue
		}
		first, err1 := strconv.Atoi(block)
		id, err2 := strconv.Atoi(f[1])
		if err1 != nil || err2 != nil {
			return fmt.Errorf("squeue prints %q: want name|task|state|reason", strings.TrimSpace(line))
		}
		q.state[first+id] = f[2]
		if f[2] == "PD" {
			q.reason[f[3]]++
		}
	}
	return nil
}

// why says for which reason shards wait.
func (q *queue) why() string {
	reasons := make([]string, 0, len(q.reason))
	for reason := range q.reason {
		if reason != "None" && reason != "Resources" && reason != "Priority" { // a queue as usual
			reasons = append(reasons, reason)
		}
	}
	if len(reasons) == 0 {
		return ""
	}
	slices.Sort(reasons)
	return "shards wait in the queue: " + strings.Join(reasons, ", ")
}

// submit submits shards, as arrays of at most MaxArraySize tasks.
func (f *follower) submit(ctx context.Context, tasks []*task) error {
	if len(tasks) == 0 {
		return nil
	}
	most, err := arraySize(ctx)
	if err == nil {
		err = f.copyProgram()
	}
	if err != nil {
		return err
	}
	for len(tasks) > 0 {
		first := tasks[0].Number / most * most
		n := slices.IndexFunc(tasks, func(t *task) bool { return t.Number < first || t.Number >= first+most })
		if n < 0 {
			n = len(tasks)
		}
		if err := f.array(ctx, first, tasks[:n]); err != nil {
			return err
		}
		tasks = tasks[n:]
	}
	return nil
}

// array submits shards of one block, whose first shard is task 0.
func (f *follower) array(ctx context.Context, first int, tasks []*task) error {
	args := []string{
		"--parsable", "--job-name=" + fmt.Sprintf("%s-%d", f.queue.name, first), "--array=" + ids(tasks, first),
		"--ntasks=1", "--cpus-per-task=1", "--no-requeue", "--output=" + f.outputs(first),
	}
	if f.Partition != "" {
		args = append(args, "--partition="+f.Partition)
	}
	if f.Time != "" {
		args = append(args, "--time="+f.Time)
	}
	out, err := slurm(ctx, f.script(first), "sbatch", args...)
	if err != nil {
		return fmt.Errorf(
			"%w: want a partition that sinfo lists, a time that it allows, and no more tasks than your account may have, by "+
				"--partition, --time and --shard-size", err)
	}
	job, _, _ := strings.Cut(strings.TrimSpace(out), ";")
	f.say("job %s: %s of %d %s", job, counted(len(tasks), "task"), runs(tasks), cmp.Or(f.jobs.Name, "runs"))
	for _, t := range tasks {
		t.attempts++
		t.gone = time.Time{}
	}
	return nil
}

// outputs is the name of the output files: block, task and job.
func (f *follower) outputs(first int) string {
	return strings.ReplaceAll(f.batch.dir, "%", "%%") + fmt.Sprintf("/task-%d-%%a-%%A.out", first)
}

// script is what a task runs: with the processors that Slurm has given it, and no more.
func (f *follower) script(first int) string {
	return fmt.Sprintf(
		"#!/bin/sh\nexport GOMAXPROCS=\"${SLURM_CPUS_PER_TASK:-1}\"\nexec %s shard %s $((%d + SLURM_ARRAY_TASK_ID)) "+
			"--workers \"$GOMAXPROCS\"\n",
		quoted(f.copied), quoted(f.batch.dir), first)
}

// quoted is a word of a shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func runs(tasks []*task) (n int) {
	for _, t := range tasks {
		n += len(t.Runs)
	}
	return n
}

// ids are the numbers of tasks within their block, as in 0-4,7.
func ids(tasks []*task, first int) string {
	var parts []string
	for i := 0; i < len(tasks); {
		j := i + 1
		for j < len(tasks) && tasks[j].Number == tasks[j-1].Number+1 {
			j++
		}
		part := strconv.Itoa(tasks[i].Number - first)
		if j > i+1 {
			part += "-" + strconv.Itoa(tasks[j-1].Number-first)
		}
		parts, i = append(parts, part), j
	}
	return strings.Join(parts, ",")
}

// numbers are the numbers of shards for a reader.
func numbers(tasks []*task) string { return ids(tasks, 0) }

// arraySize is MaxArraySize: the number of tasks of an array, whose ids begin with 0.
func arraySize(ctx context.Context) (int, error) {
	out, err := slurm(ctx, "", "scontrol", "show", "config")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(out) {
		key, value, _ := strings.Cut(line, "=")
		if strings.TrimSpace(key) != "MaxArraySize" {
			continue
		}
		n, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil || n < 2 {
			return 0, fmt.Errorf("scontrol show config: MaxArraySize =%s: want 2 or more, so that Slurm takes job arrays",
				strings.TrimRight(value, "\n"))
		}
		return n, nil
	}
	return defaultArray, nil
}

// slurm runs a program of Slurm and gives what it prints. Its error is Slurm's own words.
func slurm(ctx context.Context, stdin, program string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, program, args...)
	c.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	// settings that would hide tasks
	c.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "SQUEUE_") })
	err := c.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("%w: want to be on a login node of a cluster with Slurm", err)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %s", program, cmp.Or(strings.Join(strings.Fields(errs.String()), " "), err.Error()))
	}
	return out.String(), nil
}
