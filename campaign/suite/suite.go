// Package suite is what a suite of tests is made of: settings that are flags, the laboratory that runs its scenarios on
// several workers, and a result whose tables are printed and drawn by the tags of their rows.
package suite

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"rths"
	"rths/campaign/study"
	"rths/method/compensate"
	"rths/result/record"
	"rths/scenario"
)

// Suite is one row of papers.Suites: a published study, or one of our own, run by rths benchmark NAME.
type Suite struct {
	Name, Short, Long, Example string
	New                        func() Study // makes the settings, with their defaults
	Apart                      bool         // no part of rths benchmark --all
}

// Study is the settings of a suite: a pointer to a struct, or a struct without settings. A
// field with the tags flag and usage is a flag of the command.
type Study interface {
	Run(ctx context.Context, lab Lab) (*Result, error)
}

// Sets are overrides of the scenarios that a study runs, KEY=VALUE as rths run --set takes
// them: to try a reading of a paper that its defaults do not have.
type Sets []string

// Drawer is a study that draws its result into a folder, by --out, in another way than Result.DrawTables.
type Drawer interface {
	Drawing() string // the usage of --out is "folder for " + Drawing()
	Draw(dir string, r *Result) (files []string, err error)
}

// Lab has the folder of records, the number of workers and the progress bar of a study.
type Lab struct {
	RecordsDir string // of named ground motions
	Workers    int
	Progress   func(done, of int) // called after every run; nil: no calls
}

// Result is the result of a study: rows, and tables to print. A row is a struct. The tag
// col of a field is the key in JSON (record.Flat). A field with the tag print, a format,
// is printed too, under the tag head or else under its key.
type Result struct {
	Suite  string
	Rows   []any
	Tables []Table
}

// Table is a table with the text before and after it. A row that has a method Below is
// printed with a second line. With a key the table stands in JSON, beside the rows.
type Table struct {
	Key           string
	Before, After string
	Rows          []any
}

// Below is a line below a row: a text, and values under some keys of the row.
type Below interface {
	Below() (label string, values record.Row)
}

// MarshalJSON writes {"suite": …, "rows": […]}, and the tables with keys.
func (r *Result) MarshalJSON() ([]byte, error) {
	flat := func(rows []any) []record.Row {
		out := []record.Row{}
		for _, row := range rows {
			out = append(out, record.Flat(row))
		}
		return out
	}
	out := record.Row{{Key: "suite", V: r.Suite}, {Key: "rows", V: flat(r.Rows)}}
	for _, t := range r.Tables {
		if t.Key != "" {
			out = append(out, record.Cell{Key: t.Key, V: flat(t.Rows)})
		}
	}
	return json.Marshal(out)
}

// OneTable makes the result of a suite that prints all its rows in one table.
func OneTable[T any](suite string, rows []T, after string) *Result {
	return &Result{Suite: suite, Rows: List(rows), Tables: []Table{{Rows: List(rows), After: after}}}
}

// List converts rows to []any.
func List[T any](rows []T) []any {
	var out []any
	for _, r := range rows {
		out = append(out, r)
	}
	return out
}

// Each does jobs 0 … n−1 on the lab's workers, and stops at the first error or when ctx
// ends.
func (lab Lab) Each(ctx context.Context, n int, job func(i int) error) error {
	return study.Each(ctx, lab.Workers, n, func(_ context.Context, i int) error { return job(i) }, lab.Progress)
}

// Watch is an observer that is a function.
type Watch func(*rths.Frame)

// Observe takes a tick.
func (w Watch) Observe(f *rths.Frame) { w(f) }

// Outcome is how a run ended.
type Outcome struct {
	*scenario.Run
	Status string
	Values []rths.Value // criteria
}

// Play builds a scenario and runs it to its end, completed or diverged. shaking nil takes
// the scenario's own. attach, if given, may add observers.
func (lab Lab) Play(ctx context.Context, sc *scenario.Scenario, shaking *scenario.Shaking,
	attach func(*scenario.Run)) (*Outcome, error) {
	run, err := sc.Build(ctx, scenario.Options{RecordsDir: lab.RecordsDir, Shaking: shaking})
	if err != nil {
		return nil, err
	}
	if attach != nil {
		attach(run)
	}
	failed := run.Loop.Run(0, nil)
	status, _ := scenario.Status(failed)
	if status != rths.Failed { // a test that diverges has a result too
		failed = nil
	}
	return &Outcome{run, status, run.Summary()}, failed
}

// Shakings are the ground motions of n runs by key, each made once: of the first run that has the key.
func Shakings[K comparable](lab Lab, n int, key func(i int) K,
	of func(i int) (*scenario.Scenario, error)) (map[K]*scenario.Shaking, error) {
	out := map[K]*scenario.Shaking{}
	for i := range n {
		if out[key(i)] != nil {
			continue
		}
		sc, err := of(i)
		if err != nil {
			return nil, err
		}
		if out[key(i)], err = sc.Shake(lab.RecordsDir); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Value is the value of that name, NaN where there is none.
func Value(values []rths.Value, name string) float64 {
	i := slices.IndexFunc(values, func(v rths.Value) bool { return v.Name == name })
	if i < 0 {
		return math.NaN()
	}
	return values[i].V
}

// Pick returns the values of some names, in the order of the names.
func Pick(values []rths.Value, names []string) []rths.Value {
	var out []rths.Value
	for _, name := range names {
		out = append(out, rths.Value{Name: name, V: Value(values, name)})
	}
	return out
}

// Keys are the columns of a row.
func Keys(row any) (keys []string) {
	for _, c := range record.Flat(row) {
		keys = append(keys, c.Key)
	}
	return keys
}

// Distinct wants a list without repetition, whose values are in among unless among is nil.
func Distinct[T comparable](what string, list, among []T) error {
	for i, v := range list {
		switch {
		case slices.Contains(list[:i], v):
			return fmt.Errorf("%s %v stands twice", what, v)
		case among != nil && !slices.Contains(among, v):
			return fmt.Errorf("%s %q: want one of %s", what, fmt.Sprint(v),
				strings.Trim(strings.ReplaceAll(fmt.Sprint(among), " ", ", "), "[]"))
		}
	}
	if len(list) == 0 {
		return fmt.Errorf("nothing to run: want at least one %s", what)
	}
	return nil
}

// Known wants compensators that there are, each once.
func Known(compensators []string) error {
	for _, name := range compensators {
		if _, err := rths.Find(compensate.Kinds, name); err != nil {
			return fmt.Errorf("compensator: %w", err)
		}
	}
	return Distinct("compensator", compensators, nil)
}

// Settings says below a heading what the compensators of a suite start with, each on the
// scenario that of gives; write makes a line of a compensator and its parameters.
func Settings(heading string, compensators []string, of func(name string) (*scenario.Scenario, error),
	write func(name, line string) string) (string, error) {
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

// Statistic is the further columns of a row with a mean or a standard deviation.
type Statistic struct {
	Name      string `col:"statistic"`
	Runs      int    `col:"runs"`
	Completed int    `col:"completed"`
}

// String is its name, and of how many runs it is.
func (s *Statistic) String() string { return fmt.Sprintf("%s of %d", s.Name, s.Completed) }
