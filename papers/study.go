// Package papers reproduces published studies: suites of tests with the published values
// beside ours, and the page that compares every equation, table and figure (validation).
// Every run of a suite depends on its scenario only, so that results are the same for any
// number of workers. A user's own tests need nothing of this package.
package papers

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"rths"
)

// Cell is one key of a row. V is a string, an int, a float64 or nil.
type Cell struct {
	Key string
	V   any
}

// Row is one flat JSON object with its keys in order.
type Row []Cell

// Get is the value under a key, or nil.
func (r Row) Get(key string) any {
	for _, c := range r {
		if c.Key == key {
			return c.V
		}
	}
	return nil
}

// Float is the number under a key; NaN where there is none.
func (r Row) Float(key string) float64 {
	if v, ok := r.Get(key).(float64); ok {
		return v
	}
	return math.NaN()
}

// MarshalJSON writes the keys in order; numbers that JSON does not know are
// null.
func (r Row) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, c := range r {
		if i > 0 {
			out = append(out, ',')
		}
		out = strconv.AppendQuote(out, c.Key)
		out = append(out, ':')
		v := c.V
		if f, ok := v.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
			v = nil
		}
		text, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("row: %s: %w", c.Key, err)
		}
		out = append(out, text...)
	}
	return append(out, '}'), nil
}

// Suite is the result of a benchmark suite: {"suite": …, "rows": […]}.
type Suite struct {
	Name string `json:"suite"`
	Rows []Row  `json:"rows"`
}

// parallel does job 0 … n−1 on some workers and stops at the first error or
// when ctx ends. progress, if given, is told how many are done.
func parallel(ctx context.Context, workers, n int, progress func(done int), job func(i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var done atomic.Int64
	next := make(chan int)
	var wg sync.WaitGroup
	for range max(1, min(workers, n)) {
		wg.Go(func() {
			for i := range next {
				if err := job(i); err != nil {
					cancel(err)
				} else if finished := done.Add(1); progress != nil {
					progress(int(finished))
				}
			}
		})
	}
feed:
	for i := range n {
		select {
		case next <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	wg.Wait()
	return context.Cause(ctx)
}

// value is the value of that name, NaN where there is none.
func value(values []rths.Value, name string) float64 {
	i := slices.IndexFunc(values, func(v rths.Value) bool { return v.Name == name })
	if i < 0 {
		return math.NaN()
	}
	return values[i].V
}
