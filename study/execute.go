package study

import (
	"context"
	"sync"

	"rths/scenario"
)

// Jobs are runs to make: run i is Template with Settings(i).
type Jobs struct {
	Name     string // what the runs are, for messages: "rows", "generation 3"
	N        int
	Template *scenario.Template
	Settings func(i int) []scenario.Setting // several goroutines may call Settings
}

// Executor makes runs: Workers here, Slurm on a cluster. An executor changes no result.
type Executor interface {
	// Make makes all jobs of a bench, and gives keep the row of each as it ends: in any order, one
	// at a time, with the number of the job as Row.Run. Make stops when ctx ends or keep fails.
	Make(ctx context.Context, b *Bench, jobs Jobs, keep func(Row) error) error
}

// Workers is the executor of this machine: the number of goroutines.
type Workers int

// Make makes the jobs.
func (w Workers) Make(ctx context.Context, b *Bench, jobs Jobs, keep func(Row) error) error {
	var one sync.Mutex
	return Each(ctx, int(w), jobs.N, func(ctx context.Context, i int) error {
		row, err := b.Play(ctx, jobs.Template, jobs.Settings(i))
		if err != nil {
			return err
		}
		row.Run = i
		one.Lock()
		defer one.Unlock()
		return keep(row)
	}, nil)
}

// Execute makes the missing runs of a folder. It stops when ctx ends, or when a row cannot be
// kept; rows that are there stay.
func (b *Bench) Execute(ctx context.Context, p *Plan, f *Folder, by Executor, progress func(done, of int)) error {
	missing := f.Table.Missing()
	jobs := Jobs{Name: "rows", N: len(missing), Template: p.Template, Settings: func(i int) []scenario.Setting { return p.Settings(missing[i]) }}
	return by.Make(ctx, b, jobs, counting(jobs.N, progress, func(row Row) error {
		row.Run = missing[row.Run]
		return f.Add(row)
	}))
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
