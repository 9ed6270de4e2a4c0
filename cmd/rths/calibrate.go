package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"rths"
	"rths/campaign/job"
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
	s, err := f.plan(cmd, path, study.Comparison{})
	if err != nil {
		return err
	}
	c, err := job.NewCalibration(cmd.Context(), *s)
	if err != nil {
		return err
	}
	errs := cmd.ErrOrStderr()
	printDoubts(errs, s.Plan.Base.Scenario)
	printRemarks(errs, s.Plan.Base.Warnings, s.Plan.Base.Notes)
	f.keep() // from here on Ctrl-C ends the calibration, which keeps its generations
	if err := c.Open(); err != nil {
		return err
	}
	printRemarks(errs, nil, c.Folder.Manifest.Notes)
	bars := newBars(errs)
	c.Progress = bars.set
	c.Say = func(text string) {
		bars.done()
		fmt.Fprintln(errs, text)
	}
	result, wrong := c.Run(cmd.Context())
	bars.done()
	catalogued(errs, c.Out)
	if wrong != nil && result.Status == rths.Completed {
		result.Status, result.Reason = rths.Failed, wrong.Error()
	}
	return f.end(cmd, c, result)
}

// end prints the result, and says what is wrong with it.
func (f *calibrateFlags) end(cmd *cobra.Command, c *job.Calibration, result *study.Calibrated) error {
	err := f.show(cmd.OutOrStdout(), result, result.Print)
	completed := result.Status == rths.Completed
	if best := result.Best; err == nil && completed && best != nil && best.Violation > 0 {
		return failed{fmt.Errorf("no candidate keeps all constraints in all runs: of the best one %.3g %% of the runs fail "+
			"or break a constraint", 100*best.Violation)}
	}
	if err == nil && !completed {
		err = failed{fmt.Errorf("%s: %s keeps %d generations; %s",
			result.Reason, c.Out, result.Generations, f.goOn(cmd, c.Out, result.Status))}
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
