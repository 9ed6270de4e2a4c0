package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"rths"
	"rths/campaign/picture"
	"rths/campaign/study"
)

// calibrateFlags are the flags of calibrate.
type calibrateFlags struct{ studyFlags }

func calibrateCommand(a *app) *cobra.Command {
	f := &calibrateFlags{studyFlags{app: a}}
	c := &cobra.Command{
		Use:   "calibrate STUDY",
		Short: "Tune gains and other keys by many runs",
		Long: `Searches the values of some keys of a scenario, such as adaptive gains, that make a criterion
small over all runs of a study file: the block calibrate says which keys within which
bounds, the objective, the constraints and the method of the search. All candidates meet
the same plants, motions and noise.

best.yaml has the tuned blocks ready to paste, scenario.yaml the whole scenario,
candidates.csv all that was tried, rows.csv the runs of the optimum. Each generation is a
checkpoint; --resume continues after the last one. --executor slurm makes the runs on a cluster.`,
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
	p, err := bench.PlanOf(cmd.Context(), path, f.sets, study.Comparison{})
	if err != nil {
		return err
	}
	bench.Radii = p.File.Calibrate.Radius > 0
	search, err := study.NewCalibration(cmd.Context(), p)
	if err != nil {
		return err
	}
	printDoubts(cmd.ErrOrStderr(), p.Base.Scenario)
	printRemarks(cmd.ErrOrStderr(), p.Base.Warnings, p.Base.Notes)
	m, err := f.manifest(study.CalibrationKind, p, path)
	if err != nil {
		return err
	}
	m.Identity = search.Identity()
	f.keep() // from here on Ctrl-C ends the calibration, which keeps its generations
	folder, err := f.folder(m, p)
	if err != nil {
		return err
	}
	printRemarks(cmd.ErrOrStderr(), nil, folder.Manifest.Notes)
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
func (f *calibrateFlags) search(cmd *cobra.Command, bench *study.Bench, p *study.Plan, search *study.Calibration,
	folder *study.Folder, by study.Executor) (before study.Fitness, err error) {
	ctx, out := cmd.Context(), cmd.ErrOrStderr()
	first, err := bench.Evaluate(ctx, p, search.Criterion, [][]float64{nil}, by, nil)
	if err != nil {
		return before, err
	}
	before = first[0]
	for !search.Search.Done() {
		name := fmt.Sprintf("generation %d", search.Search.Generation()+1)
		bar := newBar(out, name)
		err := search.Step(ctx, bench, by, bar.set)
		bar.done()
		if err == nil {
			err = search.Save(folder.Dir)
		}
		if err != nil {
			return before, err
		}
		_, best, _ := search.Search.Best()
		fmt.Fprintf(out, "%s: best %s %s\n", name, p.File.Calibrate.Objective(search.Criterion), best)
	}
	if err := f.around(cmd, bench, search, by); err != nil {
		return before, err
	}
	u, _, _ := search.Search.Best()
	p.Tune(p.File.Calibrate.Settings(u))
	return before, bench.Execute(ctx, p, folder, by, nil)
}

// around makes the maps around the optimum.
func (f *calibrateFlags) around(cmd *cobra.Command, bench *study.Bench, search *study.Calibration,
	by study.Executor) error {
	bar := newBar(cmd.ErrOrStderr(), "maps around the optimum")
	defer bar.done()
	return search.Neighbourhood(cmd.Context(), bench, by, bar.set)
}

// finish writes the files of the result, and prints it.
func (f *calibrateFlags) finish(cmd *cobra.Command, p *study.Plan, search *study.Calibration, folder *study.Folder,
	before study.Fitness, failure error) error {
	status, reason := folder.Ended(cmd.Context(), failure)
	if status == rths.Stopped {
		reason = fmt.Sprintf("stopped by the user after %d generations", search.Search.Generation())
	}
	summary, err := folder.Finish(p, status, reason, func(s *study.Summary) ([]string, error) {
		names, err := search.WriteFiles(folder.Dir, status)
		pictures := picture.OfStudy(p, folder, s)
		pictures.AddSearch(search)
		drawn, drawErr := pictures.Write(folder.Dir, f.plots)
		return append(names, drawn...), errors.Join(err, drawErr)
	})
	if err != nil && status == rths.Completed {
		status, reason = rths.Failed, err.Error()
	}
	catalogued(cmd.ErrOrStderr(), folder.Dir)
	result := search.Result(folder, before, summary)
	err = f.show(cmd.OutOrStdout(), result, result.Print)
	if _, best, ok := search.Search.Best(); err == nil && status == rths.Completed && ok && best.Violation > 0 {
		return failed{fmt.Errorf("no candidate keeps all constraints in all runs: of the best one %.3g %% of the runs fail "+
			"or break a constraint", 100*best.Violation)}
	}
	if err == nil && status != rths.Completed {
		err = failed{fmt.Errorf("%s: %s keeps %d generations; %s",
			reason, folder.Dir, search.Search.Generation(), f.goOn(cmd, folder.Dir, status))}
	}
	return err
}

// goOn says how the calibration goes on.
func (f *calibrateFlags) goOn(cmd *cobra.Command, dir, status string) string {
	if f.kind != study.BySlurm {
		return "--resume continues after them"
	}
	left := ""
	if status == rths.Stopped {
		left = "tasks of Slurm that are left run on. "
	}
	return left + "This takes their rows and continues: " + again(cmd, cmd.Flags().Args(), dir, nil, "--resume")
}
