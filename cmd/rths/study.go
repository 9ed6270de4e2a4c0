package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"rths"
	"rths/campaign/job"
	"rths/campaign/study"
)

// studyFlags are the flags of study.
type studyFlags struct {
	*app
	sets   []string
	out    string
	resume bool
	executorFlags
	compensators []string
	records      []string
	perturbed    int
}

func studyCommand(a *app) *cobra.Command {
	f := &studyFlags{app: a}
	c := &cobra.Command{
		Use:   "study STUDY|SCENARIO",
		Short: "Run a scenario many times: sweeps, random plants",
		Long: `Runs a scenario many times with keys varied as a study file says, or, of a scenario
file, with other compensators and records and on random plants. Each run is a row of
rows.csv and rows.parquet: inputs, status, criteria, indicators. summary.json has
means, quantiles and failures, report.html the pictures.

A run that diverges, trips or cannot be built is a row with its reason. Ctrl-C keeps the rows
that are there; --resume makes the missing ones.

--executor slurm makes the runs on a cluster: job arrays of tasks, and the same rows. Ctrl-C
leaves the tasks running; --collect takes the rows of the tasks that have ended.`,
		Example: `  rths study scenarios/benchmark-siso.yaml --compensator amb,kf,ats --record elcentro,kobe --perturbed 20
  rths study robustness.yaml --out runs/robustness
  rths study robustness.yaml --out runs/robustness --resume
  rths study robustness.yaml --out runs/robustness --executor slurm --partition short`,
		Args: want(1, "one study file or scenario file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd.Flags().Changed); err != nil {
				return err
			}
			of := study.Comparison{Compensators: f.compensators, Records: f.records, Perturbed: f.perturbed}
			s, err := f.plan(cmd, args[0], of)
			if err != nil {
				return err
			}
			return f.run(cmd, s)
		},
		ValidArgsFunction: scenarioFiles,
	}
	f.addTo(c)
	c.Flags().StringSliceVar(&f.compensators, "compensator", nil,
		"of a scenario: kinds of compensators; its own keeps its settings, another has its defaults")
	c.Flags().StringSliceVar(&f.records, "record", nil, "of a scenario: named ground motions")
	c.Flags().IntVar(&f.perturbed, "perturbed", 0, "of a scenario: number of random plants")
	c.Flags().BoolVar(&f.collect, "collect", false,
		"slurm: take the rows of the tasks in the folder --out that have ended, and wait for nothing")
	return c
}

// addTo adds the flags that study and calibrate share.
func (f *studyFlags) addTo(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.sets, "set", nil, "override a key of the base scenario, as rths run does (repeatable)")
	c.Flags().StringVarP(&f.out, "out", "o", "", "folder of the result (default runs/NAME-TIME)")
	c.Flags().BoolVar(&f.resume, "resume", false, "go on in the folder --out")
	f.executorFlags.addTo(c, runtime.GOMAXPROCS(0))
}

// check refuses flags that are wrong or do not go together.
func (f *studyFlags) check(given func(flag string) bool) error {
	switch {
	case f.resume && f.collect:
		return errors.New("--collect waits for nothing, and --resume makes what is missing: want one of the two")
	case (f.resume || f.collect) && f.out == "":
		flag := map[bool]string{true: "--resume", false: "--collect"}[f.resume]
		return fmt.Errorf("%s: want the folder of the study, by --out", flag)
	}
	return f.executorFlags.check(given)
}

// plan is the study of a file.
func (f *studyFlags) plan(cmd *cobra.Command, path string, of study.Comparison) (*job.Study, error) {
	s := &job.Study{Order: f.order(cmd), Bench: study.NewBench(f.app.records)}
	s.Out, s.Resume = f.out, f.resume || f.collect
	s.Asked = study.Asked{File: path, Sets: f.sets, Comparison: of}
	p, err := s.Bench.PlanOf(cmd.Context(), path, f.sets, of)
	s.Plan = p
	return s, err
}

// run makes the runs and prints the result.
func (f *studyFlags) run(cmd *cobra.Command, s *job.Study) error {
	errs, p := cmd.ErrOrStderr(), s.Plan
	printDoubts(errs, p.Base.Scenario)
	printRemarks(errs, p.Base.Warnings, p.Base.Notes)
	if len(p.File.Calibrate.Keys) > 0 {
		fmt.Fprintln(errs, "note: the block calibrate is for rths calibrate: nothing is tuned here")
	}
	f.keep() // from here on Ctrl-C ends the study, which keeps and prints what is done
	if err := s.Open(); err != nil {
		return err
	}
	printRemarks(errs, nil, s.Folder.Manifest.Notes)
	bars := newBars(errs)
	s.Progress = bars.set
	result, wrong := s.Run(cmd.Context())
	bars.done()
	catalogued(errs, s.Out)
	if err := f.show(cmd.OutOrStdout(), result, result.Print); err != nil {
		return err
	}
	m := &s.Folder.Manifest
	switch {
	case wrong == nil && m.Status == rths.Completed && result.Summary.Completed == 0:
		return failed{errors.New("no run has completed: the reasons are above")}
	case wrong == nil && m.Status != rths.Completed:
		wrong = errors.New(m.Reason)
	}
	if wrong != nil {
		return failed{fmt.Errorf("%w: %d of %d rows are in %s; %s", wrong, s.Folder.Table.Done(), p.Runs(),
			filepath.Join(s.Out, study.LogFile), f.goOn(cmd, s.File, s.Out, m.Status))}
	}
	return nil
}

// goOn says how the other rows are had.
func (f *studyFlags) goOn(cmd *cobra.Command, path, dir, status string) string {
	if f.kind != study.BySlurm {
		return "--resume makes the others"
	}
	resume := again(cmd, []string{path}, dir, []string{"executor"}, "--resume", "--executor", study.BySlurm)
	switch {
	case f.collect:
		return "this waits for the tasks that are left and makes lost rows again: " + resume
	case status == rths.Stopped:
		return "tasks of Slurm that are left run on. This takes their rows: " +
			again(cmd, []string{path}, dir, ofSlurm, "--collect") + "; this also makes the others: " + resume
	}
	return "this makes the others: " + resume
}
