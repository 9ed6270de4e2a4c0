package study

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"

	"rths"
	"rths/result/record"
	"rths/scenario/files"
)

// Files of a calibration beside those of a study.
const (
	candidatesFile = "candidates.csv"
	bestFile       = "best.yaml"
	TunedFile      = "scenario.yaml" // of an advice too
	mapsFile       = "maps.json"
)

// WriteFiles writes what the search has found so far into a folder, and names the files. The tuned scenario is among
// them only where the calibration has completed.
func (c *Calibration) WriteFiles(dir, status string) (names []string, err error) {
	write := func(name string, content func(io.Writer) error) {
		if err == nil {
			if err = files.Write(filepath.Join(dir, name), content); err == nil {
				names = append(names, name)
			}
		}
	}
	if c.Search.Generation() > 0 {
		names = append(names, CheckpointFile)
		write(candidatesFile, c.Sheet().WriteCSV)
	}
	if len(c.Maps) > 0 {
		write(mapsFile, func(w io.Writer) error { return record.WriteJSON(w, c.Maps) })
	}
	u, best, ok := c.Search.Best()
	if !ok || status != rths.Completed {
		return names, err
	}
	fragment, whole, tuneErr := c.tuned(u, dir)
	if err = errors.Join(err, tuneErr); err == nil {
		write(bestFile, text(best.warning()+fragment))
		write(TunedFile, text(best.warning()+c.heading(best)+whole))
	}
	return names, err
}

// tuned are the tuned blocks, and the whole scenario as a file in a folder.
func (c *Calibration) tuned(u []float64, dir string) (fragment, whole string, err error) {
	s, err := c.Plan.Template.With(c.Plan.File.Calibrate.Settings(u)...)
	if err != nil {
		return "", "", err
	}
	var keys []string
	for _, e := range c.Plan.File.Calibrate.Keys {
		keys = append(keys, e.Key)
	}
	fragment, fragmentErr := s.Fragment(keys...)
	whole, wholeErr := s.YAMLIn(dir)
	return fragment, whole, errors.Join(fragmentErr, wholeErr)
}

// warning is a comment where the best candidate breaks constraints.
func (f *Fitness) warning() string {
	if f.Violation == 0 {
		return ""
	}
	return fmt.Sprintf("# No candidate keeps all constraints: of this one %.3g %% of the runs fail or break one.\n",
		100*f.Violation)
}

// heading says in a comment where the tuned scenario comes from.
func (c *Calibration) heading(best Fitness) string {
	p := c.Plan
	return fmt.Sprintf("# Tuned by rths calibrate: %s, %s = %.6g over %d runs.\n",
		p.File.Name, p.File.Calibrate.Objective(c.Criterion), best.Value, p.Runs())
}

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// String is the value, with a word on runs that break constraints.
func (f Fitness) String() string {
	value := record.Text("%.5g", f.Value)
	if f.Violation == 0 {
		return value
	}
	return fmt.Sprintf("%s, but %.3g %% of the runs fail or break a constraint", value, 100*f.Violation)
}

// Calibrated is a calibration as rths calibrate --json prints it.
type Calibrated struct {
	Name        string     `json:"name"`
	Status      string     `json:"status"`
	Reason      string     `json:"reason"`
	Objective   string     `json:"objective"`
	Margin      float64    `json:"margin,omitempty"`
	Before      Fitness    `json:"before"` // the base scenario, without a margin
	Best        *Fitness   `json:"best"`
	Keys        record.Row `json:"keys"` // tuned
	Search      string     `json:"search"`
	Ended       string     `json:"search_ended"`
	Generations int        `json:"generations"`
	Evaluations int        `json:"evaluations"`
	RunsEach    int        `json:"runs_each"`
	WallS       float64    `json:"wall_s"`
	Executor    string     `json:"executor"`
	Workers     int        `json:"workers"` // 0: not of this machine
	Summary     *Summary   `json:"summary"` // of the optimum
	Files       []string   `json:"files"`
}

// Result is what a calibration in a finished folder has come to. before is the fitness of the base scenario, s the
// summary of the optimum.
func (c *Calibration) Result(f *Folder, before Fitness, s *Summary) *Calibrated {
	of, m := &c.Plan.File.Calibrate, &f.Manifest
	settings, _ := of.Search.Settings() // a text for the reader
	out := &Calibrated{
		Name: m.Name, Status: m.Status, Reason: m.Reason, Objective: of.Objective(c.Criterion), Margin: of.Margin,
		Before: before,
		Search: settings, Ended: c.Search.Reason(), Generations: c.Search.Generation(), Evaluations: len(c.History),
		RunsEach: c.Plan.Runs(), WallS: m.WallS, Executor: m.Executor, Workers: m.Workers, Summary: s, Keys: record.Row{},
		Files: f.paths(),
	}
	if u, best, ok := c.Search.Best(); ok {
		out.Best = &best
		for i, x := range of.Values(u) {
			out.Keys.Put(of.Keys[i].Key, x)
		}
	}
	return out
}

// Print prints the optimum, and the runs of it.
func (r *Calibrated) Print(out io.Writer) {
	fmt.Fprintf(out, "%s: %s after %d generations, %d candidates of %d runs in %.3g s by %s\n",
		r.Name, r.Status, r.Generations, r.Evaluations, r.RunsEach, r.WallS, MadeBy(r.Executor, r.Workers))
	if r.Best == nil {
		return
	}
	fmt.Fprintf(out, "%s: %s\n", r.Objective, r.Best)
	without := ""
	if r.Margin > 0 {
		without = ", without the margin"
	}
	fmt.Fprintf(out, "in the base scenario%s: %s\n\n", without, r.Before)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, key := range r.Keys {
		fmt.Fprintf(t, "%s\t%.6g\n", key.Key, key.V)
	}
	t.Flush()
	fmt.Fprintln(out)
	if r.Summary != nil && r.Status == rths.Completed {
		fmt.Fprintln(out, "runs of the optimum")
		r.Summary.Print(out)
	}
	for _, name := range r.Files {
		fmt.Fprintln(out, name)
	}
}
