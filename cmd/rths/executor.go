package main

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rths/campaign/job"
	"rths/campaign/study"
)

// executorFlags are the flags that say who makes many runs.
type executorFlags struct {
	kind      string
	workers   int
	partition string
	time      string
	shardSize int
	collect   bool   // of study alone
	plots     string // format of the pictures of the result; "": none
}

// addTo adds the flags of a command that makes many runs.
func (e *executorFlags) addTo(c *cobra.Command, workers int) {
	c.Flags().StringVar(&e.plots, "plots", "", "write the pictures into the folder plots too: png or svg")
	c.Flags().IntVar(&e.workers, "workers", workers, "number of runs at the same time; results do not depend on it")
	c.Flags().StringVar(&e.kind, "executor", study.ByWorkers,
		"who makes the runs: workers (of this machine) or slurm (a cluster)")
	c.Flags().StringVar(&e.partition, "partition", "", "slurm: partition of the tasks (default Slurm's)")
	c.Flags().StringVar(&e.time, "time", "", "slurm: time limit of a task, as sbatch takes it (default the partition's)")
	c.Flags().IntVar(&e.shardSize, "shard-size", 0,
		"slurm: runs of a task (default so many that a task lasts 30 s or more)")
}

// check refuses flags that do not go together.
func (e *executorFlags) check(given func(flag string) bool) error {
	if e.collect && !given("executor") {
		e.kind = study.BySlurm
	}
	switch {
	case e.plots != "" && e.plots != "png" && e.plots != "svg":
		return fmt.Errorf("--plots %q: want png or svg", e.plots)
	case e.workers < 1 || e.workers > 1000:
		return fmt.Errorf("--workers %d: want 1 to 1000", e.workers)
	case e.kind != study.ByWorkers && e.kind != study.BySlurm:
		return fmt.Errorf("--executor %q: want workers or slurm", e.kind)
	case e.kind == study.BySlurm && given("workers"):
		return errors.New("--workers: Slurm gives every task its processor: want --workers without --executor slurm")
	case given("shard-size") && e.shardSize < 1:
		return fmt.Errorf("--shard-size %d: want 1 or more", e.shardSize)
	case e.collect && e.kind != study.BySlurm:
		return errors.New("--collect takes the rows of tasks of Slurm: want --executor slurm, or --resume")
	}
	for _, flag := range []string{"partition", "time", "shard-size"} {
		if e.kind != study.BySlurm && given(flag) {
			return fmt.Errorf("--%s is for tasks of Slurm: want --executor slurm with it", flag)
		}
		if e.collect && given(flag) {
			return fmt.Errorf("--%s: --collect submits nothing: want one of the two", flag)
		}
	}
	return e.there()
}

// there looks for the programs of Slurm before anything is made.
func (e *executorFlags) there() error {
	if e.kind != study.BySlurm || e.collect {
		return nil
	}
	if runtime.GOOS == "windows" {
		return errors.New("--executor slurm: there is no Slurm on Windows: want --executor workers, or a login node of a " +
			"cluster with Slurm")
	}
	for _, program := range []string{"sbatch", "squeue", "scontrol"} {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("--executor slurm: %w: want to be on a login node of a cluster with Slurm", err)
		}
	}
	return nil
}

// executor is who makes the runs of a folder.
func (e *executorFlags) executor(stderr io.Writer, dir string) study.Executor {
	if e.kind == study.ByWorkers {
		return study.Workers(e.workers)
	}
	tty := terminal(stderr)
	return &study.Slurm{
		Folder: dir, Partition: e.partition, Time: e.time, ShardSize: e.shardSize, Collect: e.collect,
		Say: func(format string, args ...any) {
			if tty != nil {
				fmt.Fprint(tty, "\r\x1b[K") // over the bar, which draws itself again
			}
			fmt.Fprintf(stderr, "slurm: "+format+"\n", args...)
		},
	}
}

// order is what the flags say of a job.
func (e *executorFlags) order(cmd *cobra.Command) job.Order {
	return job.Order{Executor: e.kind, Workers: e.count(), Plots: e.plots, Version: version(),
		By: func(dir string) study.Executor { return e.executor(cmd.ErrOrStderr(), dir) }}
}

// ofSlurm are the flags that --collect does not go with.
var ofSlurm = []string{"executor", "partition", "time", "shard-size"}

// count is the number of workers of this machine.
func (e *executorFlags) count() int {
	if e.kind == study.BySlurm {
		return 0
	}
	return e.workers
}

// again is the command that goes on in a folder, as a shell takes it: the same flags, but for those
// that leave names, and more.
func again(c *cobra.Command, args []string, dir string, leave []string, more ...string) string {
	words := []string{c.CommandPath()}
	for _, w := range args {
		words = append(words, job.ShellWord(w))
	}
	drop := map[string]bool{"out": true, "resume": true, "collect": true}
	for _, name := range leave {
		drop[name] = true
	}
	c.Flags().Visit(func(f *pflag.Flag) {
		if !drop[f.Name] {
			words = append(words, flagWords(f)...)
		}
	})
	return strings.Join(append(append(words, "--out", job.ShellWord(dir)), more...), " ")
}

// flagWords are the words that give a flag its values again.
func flagWords(f *pflag.Flag) (words []string) {
	values := []string{f.Value.String()}
	if list, ok := f.Value.(pflag.SliceValue); ok {
		values = list.GetSlice()
	}
	if f.Value.Type() == "bool" {
		return []string{"--" + f.Name}
	}
	for _, value := range values {
		words = append(words, "--"+f.Name, job.ShellWord(value))
	}
	return words
}
