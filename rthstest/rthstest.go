// Package rthstest holds the conformance kit: what a method of the tables must keep,
// whatever it computes. Each family's test ranges over its table, so a new method is
// tested from its first line.
//
// A kit runs a method over some thousand ticks with rest, jumps, large motion and lost
// readings and returns the promises that the method breaks; Keeps turns them into failures
// of a test. The kit's own tests run it on methods that break one promise each.
package rthstest

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/metrics"
	"slices"
	"testing"

	"rths"
)

// Ticks is how long a kit runs a method.
const Ticks = 8192

// length is how long a kit runs a method that may be run for less: as long as asked, or for
// Ticks, with go test -short an eighth of them.
func length(asked int) int {
	switch {
	case asked > 0:
		return asked
	case testing.Short():
		return Ticks / 8
	}
	return Ticks
}

// Broken is a promise that a method breaks.
type Broken struct {
	Promise string // its name, the same for all methods
	How     string // what was found and what was wanted
}

// String is the promise, and how it is broken.
func (b Broken) String() string { return b.Promise + ": " + b.How }

// Keeps fails the test for every broken promise.
func Keeps(t testing.TB, broken []Broken) {
	t.Helper()
	for _, b := range broken {
		t.Error(b)
	}
}

// report is a list of broken promises that grows.
type report []Broken

func (r *report) add(promise, format string, args ...any) {
	*r = append(*r, Broken{promise, fmt.Sprintf(format, args...)})
}

// NoAllocation runs step 500 times and wants no allocation in any of them.
func NoAllocation(t testing.TB, step func()) {
	t.Helper()
	step() // what the first step alone allocates is not counted
	allocations, _ := least(func() func() {
		return func() {
			for range 500 {
				step()
			}
		}
	})
	if allocations > 0 {
		t.Errorf("%d allocations in 500 steps: want 0", allocations)
	}
}

// least is the least cost of up to three runs, each made afresh: what the runtime itself
// does now and then does not come three times.
func least(fresh func() (run func())) (allocations, goroutines uint64) {
	allocations, goroutines = cost(fresh())
	for try := 1; try < 3 && allocations+goroutines > 0; try++ {
		a, g := cost(fresh())
		allocations, goroutines = min(allocations, a), min(goroutines, g)
	}
	return allocations, goroutines
}

// cost counts the allocations of f and the goroutines it starts, finished ones too.
func cost(f func()) (allocations, goroutines uint64) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	created := []metrics.Sample{{Name: "/sched/goroutines-created:goroutines"}}
	var before, after runtime.MemStats
	metrics.Read(created)
	first := created[0].Value.Uint64()
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	metrics.Read(created)
	return after.Mallocs - before.Mallocs, created[0].Value.Uint64() - first
}

// sameBits compares numbers by their bits, so that NaN equals itself.
func sameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

func notFinite(x float64) bool { return !rths.Finite(x) }

func poison(x []float64) {
	for i := range x {
		x[i] = math.NaN()
	}
}

// Long leaves a test of many numbers out of go test -short. The race detector, which makes
// it ten times slower, is run that way; the other tests show it the same goroutines.
func Long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: many numbers")
	}
}

// Draws is how many random cases a test tries: all of them with RTHS_FULL=1, as .ci/run
// does, some of them otherwise.
func Draws(some, all int) int {
	if os.Getenv("RTHS_FULL") != "" {
		return all
	}
	return some
}
