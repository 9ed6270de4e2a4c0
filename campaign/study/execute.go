package study

import (
	"context"
	"sync"

	"rths/scenario"
	"rths/scenario/files"
	"rths/scenario/syntax"
)

// Jobs are runs to make: run i is Template with Settings(i).
type Jobs struct {
	Name     string // what the runs are, for messages: "rows", "runs of candidates"
	N        int
	Todo     []int         // the runs that are wanted; nil: all N
	Inputs   []files.Input // that the runs read: the same are wanted on every computer; nil: those of run 0
	Template *scenario.Template
	Settings func(i int) []syntax.Setting // several goroutines may call Settings
}

// todo are the runs that are wanted.
func (j *Jobs) todo() []int {
	if j.Todo != nil {
		return j.Todo
	}
	all := make([]int, j.N)
	for i := range all {
		all[i] = i
	}
	return all
}

// Executor makes runs: Workers here, Slurm on a cluster. An executor changes no result.
type Executor interface {
	// Make makes the wanted jobs of a bench, and gives keep the row of each as it ends: in any order, one
	// at a time, with the number of the job as Row.Run. Make stops when ctx ends or keep fails.
	Make(ctx context.Context, b *Bench, jobs Jobs, keep func(Row) error) error
}

// Workers is the executor of this machine: the number of goroutines.
type Workers int

// Make makes the jobs. When ctx ends it waits for no job: the build of a large structure may take minutes. Such a job
// ends by itself, and its row is not kept.
func (w Workers) Make(ctx context.Context, b *Bench, jobs Jobs, keep func(Row) error) error {
	var one sync.Mutex // at a time; held before over is read
	over, todo, ended := false, jobs.todo(), make(chan error, 1)
	job := func(ctx context.Context, at int) error {
		i := todo[at]
		row, err := b.Play(ctx, jobs.Template, jobs.Settings(i))
		if err != nil {
			return err
		}
		row.Run = i
		one.Lock()
		defer one.Unlock()
		if over {
			return context.Cause(ctx)
		}
		return keep(row)
	}
	go func() { ended <- Each(ctx, int(w), len(todo), job, nil) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	one.Lock()
	defer one.Unlock()
	over = true
	return context.Cause(ctx)
}

// Execute makes the missing runs of a folder. It stops when ctx ends, or when a row cannot be
// kept; rows that are there stay.
func (b *Bench) Execute(ctx context.Context, p *Plan, f *Folder, by Executor, progress func(done, of int)) error {
	missing := f.Table.Missing()
	jobs := Jobs{Name: "rows", N: p.Runs(), Todo: missing, Inputs: p.Inputs, Template: p.Template, Settings: p.Settings}
	return by.Make(ctx, b, jobs, counting(len(missing), progress, f.Add))
}

// counting is keep with progress.
func counting(of int, progress func(done, of int), keep func(Row) error) func(Row) error {
	done := 0
	return func(row Row) error {
		err := keep(row)
		if done++; err == nil && progress != nil {
			progress(done, of)
		}
		return err
	}
}
