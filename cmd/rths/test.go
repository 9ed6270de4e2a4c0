package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"rths/lab/realtime"
	"rths/result/catalogue"
	"rths/result/record"
	"rths/run/doctor"
	"rths/run/page"
	"rths/run/session"
	"rths/scenario"
)

// testFlags are the flags of test.
type testFlags struct {
	*app
	source
	outputs
	rig, rehearsal, ring, ladder, page string
	cpu                                int // of the loop's thread
	yes, soft, anyway                  bool
	operator                           *page.Operator  // nil: nobody is asked
	atOnce                             <-chan struct{} // Ctrl-C a second time
	live                               *page.Live      // nil without a page
}

func testCommand(a *app) *cobra.Command {
	f := &testFlags{app: a}
	c := &cobra.Command{
		Use:   "test SCENARIO",
		Short: "Run a test in the laboratory: check, arm, start, record",
		Long: `Runs a scenario on the rig of its block rig. The loop runs in a process of its own;
this one checks, asks, records and judges (docs/start/first-test-on-a-rig.md). Nothing moves
before you have armed and started the test.

Ctrl-C once ramps the rig down; twice holds it at once. A test wants a rehearsal: a
virtual run of the same scenario by this version of the program (rths run).`,
		Example: `  rths run test.yaml
  rths test test.yaml --rig udp://192.168.1.20:7400 --soft
  rths test test.yaml --rehearsal runs/rehearsal --soft --yes --report
  rths test test.yaml --ladder 10,25,50,100 --soft
  rths test test.yaml --page 127.0.0.1:7480`,
		Args: wantScenario,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := f.load(args[0])
			if err != nil {
				return err
			}
			return f.test(cmd, s)
		},
	}
	f.source.addTo(c)
	f.outputs.addTo(c)
	c.Flags().StringVar(&f.rig, "rig", "",
		"address of the rig, as in udp://192.168.1.20:7400 (default rig.address of the scenario)")
	c.Flags().StringVar(&f.rehearsal, "rehearsal", "",
		"run that is the rehearsal (default the newest that fits beside the record and in runs)")
	c.Flags().StringVar(&f.ring, "ring", "", "folder in memory for the rows of the running test (default /dev/shm)")
	c.Flags().StringVar(&f.ladder, "ladder", "",
		"the same test at growing amplitude, as in 10,25,50,100 (percent): each step is rehearsed, made and compared "+
			"before the next")
	c.Flags().StringVar(&f.page, "page", "", pageUsage)
	c.Flags().BoolVar(&f.yes, "yes", false, "arm, start and end without asking, for scripts")
	c.Flags().BoolVar(&f.soft, "soft", false,
		"go on where this machine grants no real time, for slow tests: it may stall the loop")
	c.Flags().IntVar(&f.cpu, "cpu", realtime.DefaultCPU(), "processor of the loop's thread")
	c.Flags().BoolVar(&f.anyway, "rate-unproven", false,
		"arm above the rate that rths doctor has found this machine to hold")
	return c
}

func (f *testFlags) test(cmd *cobra.Command, s *scenario.Scenario) (err error) {
	if err := realtime.Possible(); err != nil {
		return err
	}
	steps, err := f.wants(s)
	if err != nil {
		return err
	}
	if f.out == "" {
		f.out = catalogue.Fresh("", s.Name)
	}
	f.atOnce = f.takeSecond()
	if f.page != "" {
		if f.live, err = f.openPage(cmd, f.page, f.out, !f.yes); err != nil {
			return err
		}
		defer func() { f.live.KeepServing(cmd.Context(), f.atOnce, byHand, err) }()
	}
	if !f.yes {
		f.operator = page.NewOperator(cmd.InOrStdin(), cmd.ErrOrStderr(), f.live, errStopped)
	}
	f.keep() // from here on Ctrl-C ramps the rig down, and what has happened is kept
	if steps != nil {
		return f.climb(cmd, s, steps)
	}
	m, ended := f.one(cmd, s, f.out, f.rehearsal)
	if ended != nil && m.NotBegun() {
		f.verdict(&m, f.out, ended)
		return ended
	}
	f.addExtras(&m)
	f.verdict(&m, f.out, ended)
	if err := f.print(cmd.OutOrStdout(), f.json, &m); err != nil {
		return err
	}
	return cmp.Or(ended, outcome(&m))
}

// one is one test, into a folder.
func (f *testFlags) one(cmd *cobra.Command, s *scenario.Scenario, out, rehearsal string) (record.Manifest, error) {
	job, err := session.NewJob(s, f.records, cmp.Or(f.rig, s.Link().Address), version())
	if err != nil {
		return record.Manifest{}, err
	}
	bar, phase := newBar(cmd.ErrOrStderr(), s.Name), ""
	say := func(text string) { fmt.Fprintln(cmd.ErrOrStderr(), text) }
	t := &session.Test{
		Scenario: s, Out: out, Rehearsal: rehearsal, Runs: slices.Compact([]string{filepath.Dir(out), catalogue.Default}),
		RingFolder: f.ring, CPU: f.cpu, Soft: f.soft, Proven: f.proven(cmd), Job: job,
		Command: loopProcess(), Again: f.atOnce, Say: say,
		Show: func(now session.State) {
			if bar.set(now.Tick, now.Samples); now.Phase != phase {
				phase = now.Phase
				say(phase)
			}
		},
	}
	if f.live != nil {
		f.live.Follow(t, out)
	}
	if f.operator != nil {
		t.Ask = f.operator.Ask
	}
	m, err := t.Run(cmd.Context())
	bar.done()
	if !m.NotBegun() {
		catalogued(cmd.ErrOrStderr(), out)
	}
	var refused *session.Refused
	switch {
	case errors.As(err, &refused) && !refused.ByOperator:
		return m, err
	case err != nil:
		return m, failed{err}
	}
	return m, nil
}

// verdict shows on the page what a test has come to.
func (f *testFlags) verdict(m *record.Manifest, out string, err error) {
	if f.live != nil {
		f.live.End(m, out, err)
	}
}

// wants refuses what no test can be made of, and reads the steps of a ladder.
func (f *testFlags) wants(s *scenario.Scenario) ([]float64, error) {
	switch {
	case f.archive != "":
		return nil, fmt.Errorf("%s is a run: want the scenario of a test; the run may be its rehearsal (--rehearsal %[1]s)",
			f.archive)
	case !s.Rig.Given():
		return nil, errors.New("the scenario has no block rig: want one, with its clock and what the loop does when " +
			"readings are late (docs/guides/rig.md): both are part of the test and of its rehearsal")
	}
	if err := errors.Join(doctor.WantCPU(f.cpu), s.WantVirtual(), s.WantLate()); err != nil {
		return nil, err
	}
	switch {
	case f.ladder == "":
		return nil, nil
	case f.rehearsal != "":
		return nil, errors.New("--rehearsal with --ladder: every step has a rehearsal of its own, which it makes: " +
			"leave one of them out")
	}
	return session.Rungs(f.ladder)
}

// proven is what the doctor has found about this machine, or nil.
func (f *testFlags) proven(cmd *cobra.Command) *session.Proven {
	found, err := doctor.Proven(f.cpu)
	if err != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "%v\n", err)
		return nil
	}
	if found != nil {
		found.Anyway = f.anyway
	}
	return found
}

// loopProcess is this program once more, as the loop.
func loopProcess() *exec.Cmd {
	c := exec.Command("/proc/self/exe", "loop")
	c.Args[0] = "rths"
	c.Stderr = os.Stderr
	return c
}
