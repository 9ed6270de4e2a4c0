// Package rthstest helps tests: the conformance kit as failures of a test, comparisons,
// scenarios, files and programs to compare with.
package rthstest

import (
	"flag"
	"os"
	"runtime/debug"
	"testing"

	"rths"
	"rths/kit"
)

// The conformance kit, see package kit.
type (
	Broken      = kit.Broken
	Compensator = kit.Compensator
	Integrator  = kit.Integrator
	Plant       = kit.Plant
	Stepper     = kit.Stepper
	Rates       = kit.Rates
	Commits     = kit.Commits
	Rig         = kit.Rig
	Criterion   = kit.Criterion
)

// Constants and functions of the kit.
const (
	Ticks         = kit.Ticks
	CriteriaHz    = kit.CriteriaHz
	CriteriaTicks = kit.CriteriaTicks
	CriteriaDOFs  = kit.CriteriaDOFs
)

var (
	Sine           = kit.Sine
	BenchModel     = kit.BenchModel
	CheckCriterion = kit.CheckCriterion
	Specimen       = kit.Specimen
	Coupler        = kit.Coupler
)

// Table checks a table, see kit.Table.
func Table[M any](table []rths.Kind[M]) []Broken { return kit.Table(table) }

// Keeps fails the test for every broken promise.
func Keeps(t testing.TB, broken []Broken) {
	t.Helper()
	for _, b := range broken {
		t.Error(b)
	}
}

// NoAllocation runs step 500 times and wants no allocation in any of them.
func NoAllocation(t testing.TB, step func()) {
	t.Helper()
	step() // what the first step alone allocates is not counted
	allocations, _ := kit.Least(func() func() {
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

// Long leaves a test of many numbers out of go test -short. The race detector, which makes
// it ten times slower, is run that way; the other tests show it the same goroutines.
func Long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: many numbers")
	}
}

// FewCollections has the garbage collector wait for a heap five times as large: the small heaps of tests it would
// collect a hundred times a second. Benchmarks have it as the program has it. It is called in TestMain.
func FewCollections() {
	flag.Parse()
	if bench := flag.Lookup("test.bench"); bench == nil || bench.Value.String() == "" {
		debug.SetGCPercent(400)
	}
}

// Draws is how many random cases a test tries: all of them with RTHS_FULL=1 (make full), some of
// them otherwise.
func Draws(some, all int) int {
	if os.Getenv("RTHS_FULL") != "" {
		return all
	}
	return some
}

// Full leaves a test to RTHS_FULL=1: one like it, or some of its cases, are always tried.
func Full(t *testing.T) {
	t.Helper()
	Long(t)
	if Draws(0, 1) == 0 {
		t.Skip("RTHS_FULL=1 tries this too")
	}
}

// All reports RTHS_FULL=all (make full): also the cases for which .ci/run has no time.
func All() bool { return os.Getenv("RTHS_FULL") == "all" }
