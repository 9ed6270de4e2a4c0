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
	"strings"
	"sync"
	"sync/atomic"

	"rths"
	"rths/record"
	"rths/scenario"
	"rths/scenarios"
)

// Suite is a published study that can be run again.
type Suite struct {
	Name, Short, Long, Example string
	New                        func() Study // with its settings at their defaults
}

// Suites are all of them.
var Suites = []Suite{sisoSuite, multiAxialSuite, admSuite, kalmanSuite, nonlinearSuite, predictorsSuite, soilSuite, scaleSuite, stabilitySuite}

// Study is a suite with its settings: the fields of a struct that have a tag flag, which
// is the name of the setting, and a tag usage.
type Study interface {
	Run(ctx context.Context, lab Lab) (*Result, error)
}

// Drawer is a study that can draw its result.
type Drawer interface {
	Drawing() string // what is drawn
	Draw(dir string, r *Result) (files []string, err error)
}

// Lab is what the runs of a study need beside their settings.
type Lab struct {
	RecordsDir string // of named ground motions
	Workers    int
	Progress   func(done, of int) // told of every run that is over; nil: nobody
}

// Result is what a study found: rows, structs whose tags are the columns (record.Flat), and
// tables to print. A field of a row is printed if it has a tag print, the format of its
// value, under its tag head or, without one, its key.
type Result struct {
	Suite  string
	Rows   []any
	Tables []Table // the first stands for the rows
}

// Table is a table with the text before and after it. A row that has a method Below is
// printed with a second line.
type Table struct {
	Before, After string
	Rows          []any
}

// Below is a line below a row: a text, and values under some keys of the row.
type Below interface {
	Below() (label string, values record.Row)
}

// MarshalJSON writes {"suite": …, "rows": […]}.
func (r *Result) MarshalJSON() ([]byte, error) {
	out := struct {
		Suite string       `json:"suite"`
		Rows  []record.Row `json:"rows"`
	}{r.Suite, []record.Row{}}
	for _, row := range r.Rows {
		out.Rows = append(out.Rows, record.Flat(row))
	}
	return json.Marshal(out)
}

// result of a suite whose rows are printed as they are.
func result[T any](suite string, rows []T, after string) *Result {
	return &Result{Suite: suite, Rows: list(rows), Tables: []Table{{Rows: list(rows), After: after}}}
}

// list forgets the type of rows.
func list[T any](rows []T) []any {
	var out []any
	for _, r := range rows {
		out = append(out, r)
	}
	return out
}

// each does job 0 … n−1 on the lab's workers, and stops at the first error or when ctx
// ends.
func (lab Lab) each(ctx context.Context, n int, job func(i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var done atomic.Int64
	next := make(chan int)
	var wg sync.WaitGroup
	for range max(1, min(lab.Workers, n)) {
		wg.Go(func() {
			for i := range next {
				if err := job(i); err != nil {
					cancel(err)
				} else if finished := done.Add(1); lab.Progress != nil {
					lab.Progress(int(finished), n)
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

// shipped is a scenario of the program with some keys set, as rths run and its --set
// read it.
func shipped(file string, sets ...string) (*scenario.Scenario, error) {
	text, err := scenarios.Files.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return scenario.Parse(file, text, ".", sets)
}

// outcome is how a run ended.
type outcome struct {
	*scenario.Run
	status string
	values []rths.Value // criteria
}

// play builds a scenario and runs it until it is over, completed or diverged. shaking may be nil: the scenario's own.
// attach, if given, may add observers.
func (lab Lab) play(sc *scenario.Scenario, shaking *scenario.Shaking, attach func(*scenario.Run)) (*outcome, error) {
	run, err := sc.Build(scenario.Options{RecordsDir: lab.RecordsDir, Shaking: shaking})
	if err != nil {
		return nil, err
	}
	if attach != nil {
		attach(run)
	}
	failed := run.Loop.Run(0, nil)
	status, _ := scenario.Status(failed)
	if status != "failed" { // a test that diverges has a result too
		failed = nil
	}
	return &outcome{run, status, run.Summary()}, failed
}

// value is the value of that name, NaN where there is none.
func value(values []rths.Value, name string) float64 {
	i := slices.IndexFunc(values, func(v rths.Value) bool { return v.Name == name })
	if i < 0 {
		return math.NaN()
	}
	return values[i].V
}

// pick are the values of some names, in that order.
func pick(values []rths.Value, names []string) []rths.Value {
	var out []rths.Value
	for _, name := range names {
		out = append(out, rths.Value{Name: name, V: value(values, name)})
	}
	return out
}

// keysOf are the columns of a row.
func keysOf(row any) (keys []string) {
	for _, c := range record.Flat(row) {
		keys = append(keys, c.Key)
	}
	return keys
}

// distinct wants a list of values without repetition, each among some if any are given.
func distinct[T comparable](what string, list, among []T) error {
	for i, v := range list {
		switch {
		case slices.Contains(list[:i], v):
			return fmt.Errorf("%s %v stands twice", what, v)
		case among != nil && !slices.Contains(among, v):
			return fmt.Errorf("%s %q: want one of %s", what, fmt.Sprint(v), strings.Trim(strings.ReplaceAll(fmt.Sprint(among), " ", ", "), "[]"))
		}
	}
	if len(list) == 0 {
		return fmt.Errorf("nothing to run: want at least one %s", what)
	}
	return nil
}

// settings says below a heading what the compensators of a suite start with, each on the
// scenario that of gives; write makes a line of a compensator and its parameters.
func settings(heading string, compensators []string, of func(name string) (*scenario.Scenario, error), write func(name, line string) string) (string, error) {
	for _, name := range compensators {
		sc, err := of(name)
		if err != nil {
			return "", err
		}
		lines, err := sc.CompensatorSettings()
		if err != nil {
			return "", err
		}
		for _, line := range lines {
			heading += "\n  " + write(name, line)
		}
	}
	return heading + "\n", nil
}
