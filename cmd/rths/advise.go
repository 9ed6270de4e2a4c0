package main

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"rths"
	"rths/campaign/advice"
	"rths/campaign/job"
	"rths/campaign/study"
	"rths/scenario"
)

// adviseFlags are the flags of advise.
type adviseFlags struct {
	*app
	executorFlags
	sets    []string
	out     string
	runs    int
	minutes float64
	seed    uint64
	good    float64
	rough   float64
	records []string
}

func adviseCommand(a *app) *cobra.Command {
	f := &adviseFlags{app: a}
	c := &cobra.Command{
		Use:   "advise SCENARIO",
		Short: "Say which compensator a test should take",
		Long: `Tunes all compensators that fit a scenario, selects the best ones with plants, seeds and motions
that the tuning has not used, and judges these with further new ones. The plant is drawn by the
scenario's block scatter, or within the published scatter of a benchmark.

A run counts as failed when it does not complete, when the loop is unstable with the parameters
that the compensator has at the start or at the end, when command, rate or force are above what the
actuators can do, or when the command is rougher than --rough-um. A method is good when
none of its final runs has failed, and when 9 of 10 have a J2_true up to --good-pct.

The answer is a page (report.html), a table, the scenario with the recommended method (scenario.yaml), and two
sentences: how good the method is, and what would make it fail first. If no method is good, the
second says what would help.`,
		Example: `  rths advise scenarios/wang2020-sdof.yaml
  rths advise scenarios/benchmark-siso.yaml --minutes 10 --record elcentro,kobe,maule
  rths advise scenarios/benchmark-siso.yaml --executor slurm --partition short`,
		Args:              want(1, "one scenario file"),
		RunE:              func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
		ValidArgsFunction: scenarioFiles,
	}
	flags := c.Flags()
	flags.StringArrayVar(&f.sets, "set", nil, "override a key of the scenario, as rths run does (repeatable)")
	flags.StringVarP(&f.out, "out", "o", "", "folder of the result (default runs/NAME-advice-TIME)")
	flags.IntVar(&f.runs, "runs", advice.DefaultRuns, "budget: number of runs")
	flags.Float64Var(&f.minutes, "minutes", 0,
		"in place of --runs: time on this machine, minutes; the number of runs that fit is printed")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of all that is drawn")
	flags.Float64Var(&f.good, "good-pct", advice.DefaultGoodPct, "largest J2_true of a good method in 9 of 10 runs, %")
	flags.Float64Var(&f.rough, "rough-um", 0, "largest roughness of the command (rms second difference), µm; 0: any")
	flags.StringSliceVar(&f.records, "record", nil,
		"named ground motions, shared out between tuning, selecting and the final runs")
	f.executorFlags.addTo(c, runtime.GOMAXPROCS(0))
	return c
}

func (f *adviseFlags) run(cmd *cobra.Command, path string) error {
	if err := f.check(cmd.Flags().Changed); err != nil {
		return err
	}
	switch timed := cmd.Flags().Changed("minutes"); {
	case timed && cmd.Flags().Changed("runs"):
		return errors.New("--minutes together with --runs: want one of the two")
	case timed && f.kind != study.ByWorkers:
		return errors.New("--minutes counts the time of this machine: want --runs with --executor slurm")
	}
	t, err := scenario.LoadTemplate(path, "", f.sets)
	if err != nil {
		return err
	}
	a, err := advice.New(cmd.Context(), study.NewBench(f.app.records), advice.Question{
		Template: t, Seed: f.seed, GoodPct: f.good, RoughUm: f.rough, Records: f.records,
	})
	if err != nil {
		return err
	}
	if cmd.Flags().Changed("minutes") {
		if f.runs, err = a.RunsIn(cmd.Context(), f.minutes, f.workers); err != nil {
			return err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "%g minutes are about %d runs; --runs %d repeats this advice\n", f.minutes, f.runs,
			f.runs)
	}
	if err := a.Allot(f.runs); err != nil {
		return err
	}
	of := study.Asked{File: path, Sets: f.sets, Comparison: study.Comparison{Records: f.records}}
	return f.ask(cmd, a, of)
}

// ask makes the runs, and writes and prints the answer.
func (f *adviseFlags) ask(cmd *cobra.Command, a *advice.Advice, of study.Asked) error {
	errs := cmd.ErrOrStderr()
	j := &job.Advice{Order: f.order(cmd), Work: a}
	j.Out, j.Asked = f.out, of
	switch err := j.Open(cmd.Context()); {
	case err != nil && j.Answer != nil:
		return failed{err}
	case err != nil:
		return err
	}
	f.keep() // from here on Ctrl-C ends the work, which keeps its trials
	b := a.Budget
	fmt.Fprintf(errs, "%d methods fit, %d do not; %d runs: %d for tuning, %d for selecting, %d final\n",
		len(a.Methods)-1, len(a.Misfits), b.Runs, b.Tuning, b.Selecting, b.Final)
	bars := newBars(errs)
	j.Progress = bars.set
	wrong := j.Run(cmd.Context())
	bars.done()
	catalogued(errs, j.Out)
	err := f.show(cmd.OutOrStdout(), j.Answer, j.Answer.Print)
	if wrong != nil {
		err = errors.Join(wrong, err)
		return failed{fmt.Errorf("%w: the files in %s are complete; make free space there, and run the command "+
			"again", err, j.Out)}
	}
	if err == nil && j.Answer.Status != rths.Completed {
		left := j.Out + " has the trials"
		if a.Done == 0 {
			left = "no run was finished"
		}
		err = failed{fmt.Errorf("%s: %s%s", j.Answer.Reason, left, f.goOn(cmd, j.Out))}
	}
	return err
}

// goOn says how an advice on a cluster goes on.
func (f *adviseFlags) goOn(cmd *cobra.Command, dir string) string {
	if f.kind != study.BySlurm {
		return ""
	}
	return "; tasks of Slurm that are left run on. This takes their rows and continues: " +
		again(cmd, cmd.Flags().Args(), dir, nil)
}
