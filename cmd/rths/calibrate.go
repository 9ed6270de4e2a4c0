package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"rths"
	"rths/campaign/picture"
	"rths/campaign/study"
	"rths/result/record"
	"rths/scenario/files"
)

// calibrateFlags are the flags of calibrate.
type calibrateFlags struct{ studyFlags }

func calibrateCommand(a *app) *cobra.Command {
	f := &calibrateFlags{studyFlags{app: a}}
	c := &cobra.Command{
		Use:   "calibrate STUDY",
		Short: "Tune gains and other keys of a scenario by many runs",
		Long: `Searches the values of some keys of a scenario, such as adaptive gains, that make a criterion
small over all runs of a study file: the block calibrate says which keys within which
bounds, the objective, the constraints and the method of the search. All candidates meet
the same plants, motions and noise.

best.yaml has the tuned blocks ready to paste, scenario.yaml the whole scenario,
candidates.csv all that was tried, rows.csv the runs of the optimum. Each generation is a
checkpoint; --resume goes on behind the last one. --executor slurm makes the runs on a cluster.`,
		Example: `  rths calibrate studies/galmez-gains.yaml --out runs/gains
  rths calibrate studies/galmez-gains.yaml --out runs/gains --resume
  rths calibrate studies/galmez-gains.yaml --out runs/gains --executor slurm --partition short`,
		Args:              want(1, "one study file"),
		RunE:              func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
		ValidArgsFunction: scenarioFiles,
	}
	f.addTo(c)
	return c
}

// run searches, and prints the result.
func (f *calibrateFlags) run(cmd *cobra.Command, path string) error {
	if isStudy, err := study.Is(path); err == nil && !isStudy {
		return fmt.Errorf("%s has no key scenario: want a study file with the keys scenario and calibrate", path)
	}
	if err := f.check(cmd.Flags().Changed); err != nil {
		return err
	}
	bench := study.NewBench(f.app.records)
	p, err := f.plan(cmd.Context(), bench, path)
	if err != nil {
		return err
	}
	bench.Radii = p.File.Calibrate.Radius > 0
	search, err := study.NewCalibration(cmd.Context(), p)
	if err != nil {
		return err
	}
	printDoubts(cmd.ErrOrStderr(), p.Base.Scenario)
	printRemarks(cmd.ErrOrStderr(), p.Base)
	m, err := studyManifest(study.CalibrationKind, p, path, &f.executorFlags)
	if err != nil {
		return err
	}
	m.Identity = search.Identity()
	f.keep() // from here on Ctrl-C ends the calibration, which keeps its generations
	folder, err := f.folder(m, p)
	if err != nil {
		return err
	}
	printNotes(cmd.ErrOrStderr(), folder)
	if f.resume {
		if err := search.Resume(folder.Dir); err != nil {
			return err
		}
	}
	start := time.Now()
	by := f.executor(cmd.ErrOrStderr(), folder.Dir)
	before, failure := f.search(cmd, bench, p, search, folder, by)
	folder.Manifest.WallS += time.Since(start).Seconds()
	return f.finish(cmd, p, search, folder, before, failure)
}

// search makes the generations, then the maps and the runs of the optimum. before is the
// fitness of the base scenario.
func (f *calibrateFlags) search(cmd *cobra.Command, bench *study.Bench, p *study.Plan, search *study.Calibration, folder *study.Folder, by study.Executor) (before study.Fitness, err error) {
	ctx, out := cmd.Context(), cmd.ErrOrStderr()
	first, err := bench.Evaluate(ctx, p, search.Criterion, [][]float64{nil}, by, nil)
	if err != nil {
		return before, err
	}
	before = first[0]
	for !search.Search.Done() {
		name := fmt.Sprintf("generation %d", search.Search.Generation()+1)
		bar := newBar(out, len(search.Search.Ask())*p.Runs(), name)
		err := search.Step(ctx, bench, by, func(done, _ int) { bar.set(done) })
		bar.done()
		if err == nil {
			err = search.Save(folder.Dir)
		}
		if err != nil {
			return before, err
		}
		_, best, _ := search.Search.Best()
		fmt.Fprintf(out, "%s: best %s %s%s\n", name, p.File.Calibrate.Objective(search.Criterion), record.Text("%.5g", best.Value), violated(best))
	}
	if err := f.around(cmd, bench, p, search, by); err != nil {
		return before, err
	}
	u, _, _ := search.Search.Best()
	p.Tune(p.File.Calibrate.Settings(u))
	return before, bench.Execute(ctx, p, folder, by, nil)
}

// around makes the maps around the optimum.
func (f *calibrateFlags) around(cmd *cobra.Command, bench *study.Bench, p *study.Plan, search *study.Calibration, by study.Executor) error {
	k, n := len(p.File.Calibrate.Keys), p.File.Calibrate.Neighbourhood
	bar := newBar(cmd.ErrOrStderr(), max(1, k*(k-1)/2*n*n*p.Runs()), "maps around the optimum")
	defer bar.done()
	return search.Neighbourhood(cmd.Context(), bench, by, func(done, _ int) { bar.set(done) })
}

func violated(f study.Fitness) string {
	if f.Violation == 0 {
		return ""
	}
	return fmt.Sprintf(", but %.3g %% of the runs fail or break a constraint", 100*f.Violation)
}

// finish writes the files of the result, and prints it.
func (f *calibrateFlags) finish(cmd *cobra.Command, p *study.Plan, search *study.Calibration, folder *study.Folder, before study.Fitness, failure error) error {
	status, reason := ended(failure, cmd.Context(), folder)
	if status == rths.Stopped {
		reason = fmt.Sprintf("stopped by the user after %d generations", search.Search.Generation())
	}
	summary, err := folder.Finish(p, status, reason, func(s *study.Summary) ([]string, error) {
		names, err := f.extras(p, search, folder, status)
		pictures := picture.OfStudy(p, folder, s)
		pictures.AddSearch(search)
		drawn, drawErr := drawStudy(folder.Dir, f.plots, pictures)
		return append(names, drawn...), errors.Join(err, drawErr)
	})
	if err != nil && status == study.Completed {
		status, reason = study.Failed, err.Error()
	}
	catalogued(cmd.ErrOrStderr(), folder.Dir)
	result := newCalibrated(p, search, folder, before, summary, &f.executorFlags)
	if f.json {
		err = record.WriteJSON(cmd.OutOrStdout(), result)
	} else {
		err = result.print(cmd.OutOrStdout())
	}
	if _, best, ok := search.Search.Best(); err == nil && status == study.Completed && ok && best.Violation > 0 {
		return failed{fmt.Errorf("no candidate keeps all constraints in all runs: of the best one %.3g %% of the runs fail or break a constraint", 100*best.Violation)}
	}
	if err == nil && status != study.Completed {
		err = failed{fmt.Errorf("%s: %s keeps %d generations; %s", reason, folder.Dir, search.Search.Generation(), f.goOn(cmd, folder.Dir, status))}
	}
	return err
}

// goOn says how the calibration goes on.
func (f *calibrateFlags) goOn(cmd *cobra.Command, dir, status string) string {
	if f.kind != bySlurm {
		return "--resume continues after them"
	}
	left := ""
	if status == rths.Stopped {
		left = "tasks of Slurm that are left run on. "
	}
	return left + "This takes their rows and continues: " + again(cmd, cmd.Flags().Args(), dir, nil, "--resume")
}

// Files of a calibration beside those of a study.
const (
	candidatesFile = "candidates.csv"
	bestFile       = "best.yaml"
	tunedFile      = "scenario.yaml"
	mapsFile       = "maps.json"
)

// extras writes what a calibration has found so far, and names the files.
func (f *calibrateFlags) extras(p *study.Plan, search *study.Calibration, folder *study.Folder, status string) (names []string, err error) {
	write := func(name string, content func(io.Writer) error) {
		if err == nil {
			if err = files.Write(filepath.Join(folder.Dir, name), content); err == nil {
				names = append(names, name)
			}
		}
	}
	if search.Search.Generation() > 0 {
		names = append(names, study.CheckpointFile)
		write(candidatesFile, search.Sheet().WriteCSV)
	}
	if len(search.Maps) > 0 {
		write(mapsFile, func(w io.Writer) error { return record.WriteJSON(w, search.Maps) })
	}
	u, _, ok := search.Search.Best()
	if !ok || status != study.Completed {
		return names, err
	}
	s, tuneErr := p.Template.With(p.File.Calibrate.Settings(u)...)
	if tuneErr != nil {
		return names, errors.Join(err, tuneErr)
	}
	var keys []string
	for _, e := range p.File.Calibrate.Keys {
		keys = append(keys, e.Key)
	}
	fragment, fragmentErr := s.Fragment(keys...)
	whole, wholeErr := s.YAMLIn(folder.Dir)
	if err = errors.Join(err, fragmentErr, wholeErr); err == nil {
		write(bestFile, text(warned(search)+fragment))
		write(tunedFile, text(tunedHeading(p, search)+whole))
	}
	return names, err
}

// warned is a comment where the best candidate breaks constraints.
func warned(search *study.Calibration) string {
	if _, best, _ := search.Search.Best(); best.Violation > 0 {
		return fmt.Sprintf("# No candidate keeps all constraints: of this one %.3g %% of the runs fail or break one.\n", 100*best.Violation)
	}
	return ""
}

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// tunedHeading says in comments where the scenario comes from.
func tunedHeading(p *study.Plan, search *study.Calibration) string {
	_, best, _ := search.Search.Best()
	return warned(search) + fmt.Sprintf("# Tuned by rths calibrate: %s, %s = %.6g over %d runs.\n",
		p.File.Name, p.File.Calibrate.Objective(search.Criterion), best.Value, p.Runs())
}

// calibrated is the document of calibrate --json.
type calibrated struct {
	Name        string         `json:"name"`
	Status      string         `json:"status"`
	Reason      string         `json:"reason"`
	Objective   string         `json:"objective"`
	Before      study.Fitness  `json:"before"` // the base scenario
	Best        *study.Fitness `json:"best"`
	Keys        record.Row     `json:"keys"` // tuned
	Search      string         `json:"search"`
	Ended       string         `json:"search_ended"`
	Generations int            `json:"generations"`
	Evaluations int            `json:"evaluations"`
	RunsEach    int            `json:"runs_each"`
	WallS       float64        `json:"wall_s"`
	Executor    string         `json:"executor"`
	Workers     int            `json:"workers"` // 0: not of this machine
	Summary     *study.Summary `json:"summary"` // of the optimum
	Files       []string       `json:"files"`

	by string
}

func newCalibrated(p *study.Plan, search *study.Calibration, folder *study.Folder, before study.Fitness, summary *study.Summary, by *executorFlags) calibrated {
	c, m := &p.File.Calibrate, folder.Manifest
	settings, _ := c.Search.Settings() // a text for the reader
	out := calibrated{
		Name: m.Name, Status: m.Status, Reason: m.Reason, Objective: c.Objective(search.Criterion), Before: before, Search: settings, Ended: search.Search.Reason(),
		Generations: search.Search.Generation(), Evaluations: len(search.History), RunsEach: p.Runs(), WallS: m.WallS, Executor: by.kind, Workers: by.count(), by: by.name(), Summary: summary, Keys: record.Row{},
	}
	if u, best, ok := search.Search.Best(); ok {
		out.Best = &best
		for i, x := range c.Values(u) {
			out.Keys.Put(c.Keys[i].Key, x)
		}
	}
	for _, name := range m.Files {
		out.Files = append(out.Files, filepath.Join(folder.Dir, name))
	}
	return out
}

func (r *calibrated) print(out io.Writer) error {
	fmt.Fprintf(out, "%s: %s after %d generations, %d candidates of %d runs in %.3g s by %s\n", r.Name, r.Status, r.Generations, r.Evaluations, r.RunsEach, r.WallS, r.by)
	if r.Best == nil {
		return nil
	}
	fmt.Fprintf(out, "%s: %s%s\n", r.Objective, record.Text("%.5g", r.Best.Value), violated(*r.Best))
	fmt.Fprintf(out, "in the base scenario: %s%s\n\n", record.Text("%.5g", r.Before.Value), violated(r.Before))
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, key := range r.Keys {
		fmt.Fprintf(t, "%s\t%.6g\n", key.Key, key.V)
	}
	t.Flush()
	fmt.Fprintln(out)
	if r.Summary != nil && r.Status == study.Completed {
		fmt.Fprintln(out, "runs of the optimum")
		printSummary(out, r.Summary)
	}
	for _, name := range r.Files {
		fmt.Fprintln(out, name)
	}
	return nil
}
