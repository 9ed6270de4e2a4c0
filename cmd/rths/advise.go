package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"rths"
	"rths/campaign/advice"
	"rths/campaign/study"
	"rths/result/catalogue"
	"rths/result/record"
	"rths/scenario"
	"rths/scenario/files"
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
	plots   string

	started string // RFC 3339
}

func adviseCommand(a *app) *cobra.Command {
	f := &adviseFlags{app: a}
	c := &cobra.Command{
		Use:   "advise SCENARIO",
		Short: "Say which compensator a test should take",
		Long: `Tunes all compensators that fit a scenario, chooses the best on plants, seeds and motions that
the tuning has not seen, and judges them on others again. The plant is drawn by the
scenario's block scatter, or within the published scatter of a benchmark.

A run counts as failed when it does not complete, when the loop is unstable with the parameters
that the compensator has at the start or at the end, when command, rate or force are above what the
actuators bear, or when the command is rougher than --rough-um. A method is good when
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
	flags.Float64Var(&f.minutes, "minutes", 0, "in place of --runs: about so long on this machine; the number of runs is printed")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of all that is drawn")
	flags.Float64Var(&f.good, "good-pct", advice.DefaultGoodPct, "largest J2_true of a good method in 9 of 10 runs, %")
	flags.Float64Var(&f.rough, "rough-um", 0, "largest roughness of the command (rms second difference), µm; 0: any")
	flags.StringSliceVar(&f.records, "record", nil, "named ground motions, shared out between tuning, selecting and the final runs")
	flags.StringVar(&f.plots, "plots", "", "write the pictures into the folder plots too: png or svg")
	f.executorFlags.addTo(c, runtime.GOMAXPROCS(0))
	return c
}

func (f *adviseFlags) run(cmd *cobra.Command, path string) error {
	if err := f.check(cmd.Flags().Changed); err != nil {
		return err
	}
	switch timed := cmd.Flags().Changed("minutes"); {
	case f.plots != "" && f.plots != "png" && f.plots != "svg":
		return fmt.Errorf("--plots %q: want png or svg", f.plots)
	case timed && cmd.Flags().Changed("runs"):
		return errors.New("--minutes beside --runs: want one of both")
	case timed && f.kind != byWorkers:
		return errors.New("--minutes counts the time of this machine: want --runs with --executor slurm")
	}
	t, err := scenario.LoadTemplate(path, "", f.sets)
	if err != nil {
		return err
	}
	a, err := advice.New(cmd.Context(), study.NewBench(f.app.records), advice.Question{Template: t, Seed: f.seed, GoodPct: f.good, RoughUm: f.rough, Records: f.records})
	if err != nil {
		return err
	}
	if cmd.Flags().Changed("minutes") {
		if f.runs, err = a.RunsIn(cmd.Context(), f.minutes, f.workers); err != nil {
			return err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "%g minutes are about %d runs: --runs %d asks the same again\n", f.minutes, f.runs, f.runs)
	}
	if err := a.Allot(f.runs); err != nil {
		return err
	}
	return f.ask(cmd, a, t)
}

// Files of an advice.
const (
	adviceFile = catalogue.AdviceFile
	trialsFile = "trials.csv"
)

// ask makes the runs, and writes and prints the answer.
func (f *adviseFlags) ask(cmd *cobra.Command, a *advice.Advice, t *scenario.Template) error {
	errs := cmd.ErrOrStderr()
	if f.out == "" {
		f.out = freshFolder(a.Result(cmd.Context()).Name + " advice")
	}
	before, err := readAdvice(f.out)
	if err == nil && before.Status == study.Completed {
		return fmt.Errorf("%s holds an advice already: want another folder", f.out)
	}
	f.started = cmp.Or(before.Started, time.Now().Format(time.RFC3339))
	if err := os.MkdirAll(f.out, 0o777); err != nil {
		return err
	}
	unlock, err := study.LockFolder(f.out)
	if err != nil {
		return err
	}
	defer func() { _ = unlock() }() // the end of the program unlocks too
	if err := f.begin(cmd.Context(), a); err != nil {
		return failed{err}
	}
	f.keep() // from here on Ctrl-C ends the work, which keeps its trials
	b := a.Budget
	fmt.Fprintf(errs, "%d methods fit, %d do not; %d runs: %d for tuning, %d for selecting, %d final\n", len(a.Methods)-1, len(a.Misfits), b.Runs, b.Tuning, b.Selecting, b.Final)
	start, stage := time.Now(), ""
	var shown *bar
	failure := a.Run(cmd.Context(), f.executor(errs, f.out), func(now string, done, of int) {
		if now != stage || done == 1 {
			if shown != nil {
				shown.done()
			}
			stage, shown = now, newBar(errs, of, now)
		}
		shown.set(done)
	})
	if shown != nil {
		shown.done()
	}
	return f.answer(cmd, a, t, time.Since(start).Seconds(), failure)
}

// readAdvice reads the answer in a folder.
func readAdvice(dir string) (before answer, err error) {
	text, err := os.ReadFile(filepath.Join(dir, adviceFile))
	if err == nil {
		err = json.Unmarshal(text, &before)
	}
	return before, err
}

// answer is the document of advise --json, and of advice.json.
type answer struct {
	Status  string `json:"status"` // completed, stopped, failed
	Reason  string `json:"reason"`
	Started string `json:"started"` // RFC 3339
	*advice.Result
	Scenario string   `json:"scenario_file"` // of the recommended method; "": none
	WallS    float64  `json:"wall_s"`
	Executor string   `json:"executor"`
	Workers  int      `json:"workers"` // 0: not of this machine
	Version  string   `json:"version"`
	Files    []string `json:"files"`
}

func (f *adviseFlags) answer(cmd *cobra.Command, a *advice.Advice, t *scenario.Template, wall float64, failure error) error {
	ctx := context.WithoutCancel(cmd.Context()) // advice that is stopped has an answer too
	out := answer{Status: study.Completed, Started: f.started, Result: a.Result(ctx), WallS: wall, Executor: f.kind, Workers: f.count(), Version: version()}
	switch {
	case failure == nil:
	case cmd.Context().Err() != nil:
		out.Status, out.Reason = rths.Stopped, fmt.Sprintf("stopped by the user after %d runs", a.Done)
	default:
		out.Status, out.Reason = study.Failed, failure.Error()
	}
	wrong := f.write(ctx, a, &out)
	catalogued(cmd.ErrOrStderr(), f.out)
	err := f.show(cmd.OutOrStdout(), &out)
	if wrong != nil {
		err = errors.Join(wrong, err)
		return failed{fmt.Errorf("%w: the files that are in %s are whole; want room there, and to ask again", err, f.out)}
	}
	if err == nil && out.Status != study.Completed {
		left := f.out + " has the trials"
		if a.Done == 0 {
			left = "no run was finished"
		}
		err = failed{fmt.Errorf("%s: %s%s", out.Reason, left, f.goOn(cmd))}
	}
	return err
}

// goOn says how an advice on a cluster goes on.
func (f *adviseFlags) goOn(cmd *cobra.Command) string {
	if f.kind != bySlurm {
		return ""
	}
	return "; tasks of Slurm that are left run on. This takes their rows and continues: " + again(cmd, cmd.Flags().Args(), f.out, nil)
}

// begin writes that the work is under way: a folder that takes nothing is found before the runs.
func (f *adviseFlags) begin(ctx context.Context, a *advice.Advice) error {
	return f.save(&answer{Status: "running", Started: f.started, Result: a.Result(ctx), Executor: f.kind, Workers: f.count(), Version: version()})
}

func (f *adviseFlags) save(out *answer) error {
	return files.Write(filepath.Join(f.out, adviceFile), func(w io.Writer) error { return record.WriteJSON(w, out) })
}

// write writes all files, the small ones first: where the room ends, the answer is there.
func (f *adviseFlags) write(ctx context.Context, a *advice.Advice, out *answer) error {
	var errs []error
	write := func(name string, content func(io.Writer) error) {
		path := filepath.Join(f.out, name)
		if err := files.Write(path, content); err != nil {
			errs = append(errs, err)
			return
		}
		out.Files = append(out.Files, path)
	}
	out.Files = []string{filepath.Join(f.out, adviceFile)}
	if out.Status == study.Completed && a.Winner != nil {
		if s, err := a.Recommended(ctx, f.out); err != nil {
			errs = append(errs, err)
		} else if write(tunedFile, text(s)); len(errs) == 0 {
			out.Scenario = filepath.Join(f.out, tunedFile)
		}
	}
	errs = append(errs, f.save(out))
	write(trialsFile, a.Sheet().WriteCSV)
	drawn, err := f.drawAdvice(ctx, a, out)
	out.Files = append(out.Files, drawn...)
	return errors.Join(append(errs, err, f.save(out))...)
}

// show prints the answer.
func (f *adviseFlags) show(to io.Writer, out *answer) error {
	if f.json {
		return record.WriteJSON(to, out)
	}
	return out.print(to)
}

func (r *answer) print(out io.Writer) error {
	by := "Slurm"
	if r.Executor == byWorkers {
		by = fmt.Sprintf("%d workers", r.Workers)
	}
	fmt.Fprintf(out, "%s: %s, %d runs in %.3g s by %s\n", r.Name, r.Status, r.Done, r.WallS, by)
	fmt.Fprintf(out, "plants: %s; motions: tuning %s, selecting %s, final %s\n\n", r.Scatter, r.Motions[0], r.Motions[1], r.Motions[2])
	for _, sentence := range r.Sentences {
		fmt.Fprintln(out, sentence)
	}
	if len(r.Table) > 0 {
		fmt.Fprintln(out, "\nfinal runs; * is the recommended method")
		printRows(out, r.Table)
	}
	if len(r.Table) > 0 && len(r.Others) > 0 {
		fmt.Fprintln(out, "\nothers, by the runs for selecting")
		printRows(out, r.Others)
	}
	if len(r.Table) > 0 && len(r.Misfits) > 0 {
		fmt.Fprintln(out, "\ndo not fit")
		t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		for _, m := range r.Misfits {
			fmt.Fprintf(t, "  %s\t%s\n", m.Kind, m.Reason)
		}
		t.Flush()
	}
	fmt.Fprintln(out)
	for _, note := range r.Notes {
		fmt.Fprintln(out, "note:", note)
	}
	for _, name := range r.Files {
		fmt.Fprintln(out, name)
	}
	return nil
}

func printRows(out io.Writer, rows []advice.Row) {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  method\tsettings\tadapts\tfailed\tJ2_true, median %\t90th percentile %\t95 %\tglobal error %\troughness µm\tdelay margin ms\tradius")
	for _, r := range rows {
		adapts := ""
		if r.Adaptive {
			adapts = "yes"
		}
		mark := " "
		if r.Recommended {
			mark = "*"
		}
		fmt.Fprintf(t, "%s %s\t%s\t%s\t%d/%d\t%s\t%s\t%s to %s\t%s\t%s\t%s\t%s\n", mark, r.Method, r.Settings, adapts, r.Failures, r.N,
			figure(r.Median), figure(r.P90), figure(r.From), figure(r.To), figure(r.Global), figure(r.Rough), figure(r.MarginMs), record.Text("%.5f", float64(r.Radius)))
	}
	t.Flush()
	for _, r := range rows {
		if r.FirstReason != "" {
			fmt.Fprintf(out, "  %s (%s), first failure: %s\n", r.Method, r.Settings, strings.TrimSpace(r.FirstReason))
		}
		if r.Note != "" {
			fmt.Fprintf(out, "  %s: %s\n", r.Method, r.Note)
		}
	}
}

func figure(x record.Number) string { return record.Text("%.4g", float64(x)) }
