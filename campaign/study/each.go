package study

import (
	"context"
	"sync"
	"sync/atomic"
)

// Each does jobs 0 … n−1 on some workers, and stops at the first error or when ctx ends.
// progress, if given, is called after every job with the number of those that are done.
func Each(ctx context.Context, workers, n int, job func(ctx context.Context, i int) error,
	progress func(done, of int)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next, done atomic.Int64
	var wg sync.WaitGroup
	for range max(1, min(workers, n)) {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if err := job(ctx, i); err != nil {
					cancel(err)
				} else if finished := done.Add(1); progress != nil {
					progress(int(finished), n)
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}
