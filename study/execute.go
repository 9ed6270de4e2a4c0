package study

import (
	"context"
	"sync"
)

// Execute makes the missing runs of a folder on some workers. It stops when ctx ends, or when a
// row cannot be kept; rows that are there stay.
func (b *Bench) Execute(ctx context.Context, p *Plan, f *Folder, workers int, progress func(done, of int)) error {
	missing := f.Table.Missing()
	var keep sync.Mutex
	return Each(ctx, workers, len(missing), func(ctx context.Context, i int) error {
		row, err := b.Play(ctx, p.Template, p.Settings(missing[i]))
		if err != nil {
			return err
		}
		row.Run = missing[i]
		keep.Lock()
		defer keep.Unlock()
		return f.Add(row)
	}, progress)
}
