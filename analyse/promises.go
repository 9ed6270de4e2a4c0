package analyse

import (
	"context"
	"fmt"
	"slices"
	"time"

	"rths"
	"rths/kit"
	"rths/scenario"
)

// BrokenPromise is a promise of compensators that a method of the user's own breaks.
type BrokenPromise struct {
	Key  string `json:"key"`  // its block, as in each[2].compensator
	File string `json:"file"` // its module
	kit.Broken
}

// ownLimit is the largest command, m, that a method of the user's own may give for the kit's target
// of 4 mm, as for every method of the table.
const ownLimit = 0.1

// Promises runs the conformance kit on every method of the user's own in a scenario, on each for at
// most so long, and returns the promises that are broken: a step that does not return in time has an
// endless loop. The kit runs a second time on a method that keeps all promises, without the watch,
// which allocates and starts goroutines.
func Promises(s *scenario.Scenario, within time.Duration) (out []BrokenPromise, err error) {
	for i, own := range s.OwnMethods() {
		broken, err := watched(s, i, within)
		if err == nil && len(broken) == 0 {
			broken, err = brokenBy(context.Background(), s, i)
		}
		if err != nil {
			return nil, err
		}
		for _, b := range broken {
			out = append(out, BrokenPromise{own.Key, own.Maker.File, b})
		}
	}
	return out, nil
}

// watched runs the kit on method i with a watch on its time. What the watch costs is not the method's.
func watched(s *scenario.Scenario, i int, within time.Duration) ([]kit.Broken, error) {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	broken, err := brokenBy(ctx, s, i)
	if ctx.Err() != nil && err == nil && !slices.ContainsFunc(broken, func(b kit.Broken) bool { return b.Promise == kit.NeverFails }) {
		return []kit.Broken{{Promise: kit.NeverFails, How: fmt.Sprintf("%v were not enough for all ticks: want loops that end", within)}}, nil // the rest are consequences
	}
	return slices.DeleteFunc(broken, func(b kit.Broken) bool { return b.Promise == kit.NoAllocations || b.Promise == kit.NoGoroutines }), err
}

// brokenBy runs the kit on method i. It says once that the method fails.
func brokenBy(ctx context.Context, s *scenario.Scenario, i int) ([]kit.Broken, error) {
	s, err := s.ReadOwnMethods(ctx)
	if err != nil {
		return nil, err
	}
	own := s.OwnMethods()[i]
	if _, err := s.MakeOwn(own); err != nil {
		return nil, err
	}
	fresh := func() rths.Compensator {
		c, err := s.MakeOwn(own)
		if err != nil {
			return unmade{err}
		}
		return c
	}
	c := kit.Compensator{Axes: 1, RateHz: s.RateHz, Limit: ownLimit, Make: fresh}
	broken := c.Broken()
	return slices.CompactFunc(broken, func(a, b kit.Broken) bool { return a.Promise == b.Promise && a.Promise == kit.NeverFails }), nil
}

// unmade is a method that was made before and cannot be made any more, for want of time.
type unmade struct{ err error }

func (u unmade) Step(command []float64, target *rths.Motion, _ *rths.Reading) {
	copy(command, target.X)
}

func (u unmade) Err() error { return u.err }
