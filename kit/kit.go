// Package kit is the conformance kit: what a method of the tables must keep, whatever it
// computes. Each family's test ranges over its table (rthstest.Keeps), so a new method is
// tested from its first line; rths lint runs the kit on a method of the user's own.
//
// A kit runs a method over some thousand ticks with rest, jumps, large motion and lost
// readings and returns the promises that the method breaks. The kit's own tests run it on
// methods that break one promise each.
package kit

import (
	"flag"
	"fmt"
	"math"
	"runtime"
	"runtime/metrics"
	"slices"

	"rths"
)

// Ticks is how long a kit runs a method.
const Ticks = 8192

// length is how long a kit runs a method that may be run for less: as long as asked, or for
// Ticks, with go test -short an eighth of them. (The flag is looked up by name, so that package
// testing stays out of the program.)
func length(asked int) int {
	short := flag.Lookup("test.short")
	switch {
	case asked > 0:
		return asked
	case short != nil && short.Value.String() == "true":
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

// report is a list of broken promises that grows.
type report []Broken

func (r *report) add(promise, format string, args ...any) {
	*r = append(*r, Broken{promise, fmt.Sprintf(format, args...)})
}

// Least is the least cost of up to ten runs, each made afresh: what the runtime itself
// does now and then does not come ten times, even on a loaded machine.
func Least(fresh func() (run func())) (allocations, goroutines uint64) {
	allocations, goroutines = cost(fresh())
	for try := 1; try < 10 && allocations+goroutines > 0; try++ {
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
