package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rths"
	"rths/lab/rig/openfresco"
	"rths/lab/rig/udp"
	"rths/result/record"
	"rths/run/session"
	"rths/scenario"
)

// runFlags are the flags of run and demo.
type runFlags struct {
	*app
	source
	outputs
	rig      string
	link     *udp.Rig           // to the rig of the flag --rig; nil without
	client   *openfresco.Server // analysis of an external structure; nil without
	noRecord bool
	page     string  // address of the live page; "": none
	pace     float64 // times real time; 0: as fast as it can
	live     *live   // nil without a page

	warned, noted int // warnings and notes of the run that are printed already
}

func runCommand(a *app) *cobra.Command {
	f := &runFlags{app: a}
	c := &cobra.Command{
		Use:   "run SCENARIO",
		Short: "Run the virtual test a scenario describes",
		Long: `Runs a scenario and leaves a folder with its record: manifest.json (the resolved
scenario, criteria, status) and frames.arrow (every signal at every sample). A
run that diverges or trips a limit keeps its record and exits with status 1.

The folder of a run in place of SCENARIO runs its resolved scenario again, into a new
folder. An input file that has changed since is a warning.

With --rig the loop loads a rig in another process, in lockstep and as fast as both
go: a rehearsal across processes (docs/virtual-laboratory.md).`,
		Example: `  rths run scenarios/benchmark-siso.yaml --report
  rths run scenarios/benchmark-siso.yaml --set compensator.kind=kf --set structure.case=4
  rths run scenarios/benchmark-siso.yaml --no-record --json
  rths run runs/demo --set rate_hz=2048
  rths run scenarios/benchmark-siso.yaml --rig udp://127.0.0.1:7400
  rths run scenarios/benchmark-siso.yaml --pace 1 --page 127.0.0.1:7480`,
		Args: wantScenario,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := f.load(args[0])
			if err != nil {
				return err
			}
			printDoubts(cmd.ErrOrStderr(), s)
			return f.run(cmd, s)
		},
	}
	f.source.addTo(c)
	f.addTo(c)
	c.Flags().StringVar(&f.rig, "rig", "", "load the rig at this address, as in udp://127.0.0.1:7400, in place of the simulated one")
	c.Flags().StringVar(&f.page, "page", "", pageUsage)
	c.Flags().Float64Var(&f.pace, "pace", 0, "go at so many times real time, as in 1 (default as fast as it can)")
	return c
}

func (f *runFlags) addTo(c *cobra.Command) {
	f.outputs.addTo(c)
	c.Flags().BoolVar(&f.noRecord, "no-record", false, "leave no folder")
}

// check refuses flags that want a folder beside --no-record.
func (f *runFlags) check() error {
	if !(f.pace >= 0 && f.pace <= 1e6) {
		return fmt.Errorf("--pace %g: want 0 (as fast as it can) or more, at most 1e6", f.pace)
	}
	if wanted := f.extras(); f.noRecord && (f.out != "" || len(wanted) > 0) {
		return errors.New("--no-record leaves no folder for --out, --csv, --parquet, --mat and --report: want one or the other")
	}
	return nil
}

// run builds, runs, records, judges and prints.
func (f *runFlags) run(cmd *cobra.Command, s *scenario.Scenario) (err error) {
	if err := errors.Join(f.check(), f.keepsArchive(f.out)); err != nil {
		return err
	}
	o := scenario.Options{RecordsDir: f.records}
	if f.link, err = f.toRig(cmd, &s); err != nil {
		return err
	}
	if f.link != nil {
		defer f.link.Close()
		o.Rig = f.link
	}
	if f.client, err = listenFor(cmd, s); err != nil {
		return err
	}
	if f.client != nil {
		defer f.client.Close()
		o.Client = f.client
	}
	r, err := f.build(cmd.Context(), s, o)
	if err != nil {
		return err
	}
	if f.page != "" {
		if f.live, err = openLive(cmd, &f.stopControl, nil, f.page, f.out, false); err != nil {
			return err
		}
		defer func() { f.live.keepServing(err) }()
	}
	f.keep()             // from here on Ctrl-C ends the run, which keeps and prints what is done
	if f.client != nil { // before the rig, which waits for commands only as long as its watchdog
		f.remark(cmd.ErrOrStderr(), r)
		if err := awaitClient(cmd, f.client); err != nil {
			return err
		}
	}
	if f.link != nil {
		if err := f.link.Begin(); cmd.Context().Err() != nil {
			f.link.Close()
			return failed{errors.New("stopped by the user before the start")}
		} else if err != nil {
			return err
		}
	}
	r.Notes = append(r.Notes, elsewhere(f.link, s)...)
	r.Warnings = append(r.Warnings, narrower(f.link, s.Rating())...)
	m, err := session.Begin(r, version())
	if err != nil {
		return err
	}
	m.Rig = rigOf(f.link)
	m.Notes = slices.Concat(s.Doubts(), r.Warnings, r.Notes)
	if err := f.simulate(cmd, r, &m); err != nil {
		return err
	}
	f.remark(cmd.ErrOrStderr(), r)
	if !f.noRecord {
		f.addExtras(&m)
	}
	if f.live != nil {
		f.live.end(&m, f.out, nil)
	}
	if err := f.print(cmd.OutOrStdout(), f.json, &m); err != nil {
		return err
	}
	return outcome(&m)
}

// outcome is the error of a run that did not complete, or missed what it had to reach.
func outcome(m *record.Manifest) error {
	if m.Status != rths.Completed {
		return failed{errors.New(m.Reason)}
	}
	if len(m.Unmet) > 0 {
		return failed{fmt.Errorf("expect: %s", strings.Join(m.Unmet, "; "))}
	}
	return nil
}

// printRemarks prints the warnings and notes of a run.
func printRemarks(out io.Writer, r *scenario.Run) {
	for _, warning := range r.Warnings {
		fmt.Fprintln(out, "warning:", warning)
	}
	for _, note := range r.Notes {
		fmt.Fprintln(out, "note:", note)
	}
}

// remark prints the warnings and notes of a run that are not printed yet.
func (f *runFlags) remark(out io.Writer, r *scenario.Run) {
	printRemarks(out, &scenario.Run{Warnings: r.Warnings[f.warned:], Notes: r.Notes[f.noted:]})
	f.warned, f.noted = len(r.Warnings), len(r.Notes)
}

// simulate runs the loop to its end and records it. The manifest tells of a failed record;
// an error means wrong use.
func (f *runFlags) simulate(cmd *cobra.Command, r *scenario.Run, m *record.Manifest) error {
	if f.noRecord {
		if err := f.watched(r, m); err != nil {
			return err
		}
		f.finish(cmd, r, nil, m)
		f.closeLinks(r, m)
		f.dismiss(cmd)
		return nil
	}
	if f.out == "" {
		f.out = freshFolder(m.Name)
	}
	if err := f.watched(r, m); err != nil {
		return err
	}
	w, err := record.NewRecorder(f.out, *m, r.Loop.Frame(), r.Channels)
	if err == nil {
		r.Loop.Attach(w)
		f.finish(cmd, r, w, m)
		f.closeLinks(r, m)
		err = w.Close(*m)
		f.dismiss(cmd)
	}
	var broken *record.Failure
	if errors.As(err, &broken) {
		m.Fail(broken)
		err = nil
	}
	if err == nil {
		catalogued(cmd.ErrOrStderr(), f.out)
	}
	return err
}

// watched lets the page see the run, if there is one.
func (f *runFlags) watched(r *scenario.Run, m *record.Manifest) error {
	if f.live == nil {
		return nil
	}
	return f.live.show(r, *m, f.out)
}

// closeLinks ends what the run had with others.
func (f *runFlags) closeLinks(r *scenario.Run, m *record.Manifest) {
	closeRig(f.link, m)
	if session.DescribeClient(m, r); f.client != nil { // with the port that the system has chosen
		m.Client.Address = f.client.Address()
	}
}

// freshFolder is a folder under runs that does not exist yet.
func freshFolder(name string) string {
	slug := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, name)
	for strings.Contains(slug, "--") {
		slug = strings.ReplaceAll(slug, "--", "-")
	}
	if slug = strings.Trim(slug, "-"); slug == "" {
		slug = "run"
	}
	base := filepath.Join("runs", slug+time.Now().Format("-20060102-150405"))
	dir := base
	for i := 2; ; i++ {
		if _, err := os.Stat(dir); err != nil {
			return dir
		}
		dir = fmt.Sprintf("%s-%d", base, i)
	}
}

// Ticks that pass between looks at Ctrl-C, between looks at the clock and the page, and between looks at the record and at
// the progress bar. A tick of a large structure, or of a method of the user's own, may take tenths of a second.
const (
	stopStride = 2
	lookStride = 256
	rigStride  = 1 // a tick over a rig, or with an analysis in another program, may take seconds
	barStride  = 4096
)

// finish runs the loop to its end, at its pace, and completes the manifest. A run whose record has failed
// ends at the next stride. w is nil without a record.
func (f *runFlags) finish(cmd *cobra.Command, r *scenario.Run, w *record.Recorder, m *record.Manifest) {
	ctx, by := cmd.Context(), pace{factor: f.pace, rate: m.RateHz}
	stride := lookStride
	if m.Rig != nil || r.Scenario.External() != nil {
		stride = rigStride
	}
	if f.pace > 0 {
		stride = by.stride(stride)
	}
	bar := newBar(cmd.ErrOrStderr(), r.Samples, m.Name)
	start := time.Now()
	err := r.Loop.Run(min(stopStride, stride), func() bool {
		if ctx.Err() != nil {
			return false
		}
		if r.Loop.Ticks()%stride != 0 {
			return true
		}
		if f.pace > 0 {
			by.wait(ctx, r.Loop.Ticks())
		}
		if f.live != nil {
			f.live.run(r)
		}
		if r.Loop.Ticks()%barStride != 0 {
			return true
		}
		bar.set(r.Loop.Ticks())
		return w == nil || w.Check() == nil
	})
	m.WallS = time.Since(start).Seconds()
	bar.done()
	session.Conclude(context.WithoutCancel(ctx), m, r, err) // a run that is stopped has results too
	switch early := m.Status == rths.Completed && !r.Loop.Done(); {
	case early && ctx.Err() != nil:
		m.Status, m.Reason, m.Verdict = rths.Stopped, fmt.Sprintf("%s at t = %.4f s", stopper(ctx), m.SimulatedS), ""
	case early:
		m.Status, m.Reason, m.Verdict = rths.Failed, fmt.Sprintf("stopped at t = %.4f s", m.SimulatedS), ""
	}
	session.Judge(ctx, m, r)
}

// stopper says who has stopped a run.
func stopper(ctx context.Context) string {
	if !byHand(ctx) {
		return context.Cause(ctx).Error()
	}
	return "stopped by the user"
}

func printJSON(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
