package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"time"

	"rths"
	"rths/result/record"
	"rths/scenario"
)

// Trial is the loop of a test as it runs in a laboratory, to be timed: nobody is asked, and nothing is recorded.
type Trial struct {
	Job        Job // without an address the rig is virtual, and in the loop's process
	CPU        int // of the loop's thread
	RingFolder string
	Command    *exec.Cmd // the loop's process, which has not started

	Watch func(row []float64, at map[string]int) // gets every row of the run, with the places of the columns; nil: nobody
}

// Run runs the trial and says how the loop kept its instants, what the machine granted, and how a
// numerical part in a process of its own kept its main steps: Realtime and MainSteps of a test. A trial
// that did not run to its end is an error.
func (t *Trial) Run(ctx context.Context) (*record.Test, error) {
	s, err := scenario.ParseResolved(t.Job.Source, []byte(t.Job.Scenario), t.Job.Folder, nil)
	if err != nil {
		return nil, err
	}
	p := &process{command: t.Command, job: &t.Job, say: func(string) {}}
	early, err := t.start(ctx, p)
	if err != nil {
		p.quit()
		return nil, fmt.Errorf("trial of the loop: %w", err)
	}
	defer func() { p.stopBeating(); _ = p.ring.Remove() }()
	out := new(record.Test)
	main := newMainSteps(out, place(p.built.Manifest.Columns), s)
	r := t.drain(ctx, p, early, &main)
	p.want(letGo)
	last, died := p.parted()
	switch {
	case r == nil || last == nil:
		return nil, fmt.Errorf("trial of the loop: its process has died (%v)", died)
	case ctx.Err() != nil:
		return nil, errTrialStopped
	case r.Manifest.Status != rths.Completed:
		return nil, fmt.Errorf("trial of the loop: %s: %s", r.Manifest.Status, r.Manifest.Reason)
	}
	main.end()
	out.Realtime = p.realtime(true)
	out.Realtime.PageFaults = last.PageFaults
	return out, nil
}

var errTrialStopped = errors.New("stopped")

func (t *Trial) start(ctx context.Context, p *process) (early *result, err error) {
	for _, step := range []func(context.Context) error{
		p.launch,
		func(ctx context.Context) error { return p.enter(ctx, t.CPU, true) },
		func(context.Context) error { return p.makeRing(t.RingFolder, p.built.Samples+p.around(), 4*p.around()) },
		p.connect,
		func(context.Context) error { return os.Remove(p.path) }, // both sides have it, and nobody recovers a trial
		p.check,
		func(ctx context.Context) error {
			axes := len(p.checked.X)
			return p.arm(ctx, &arm{First: make([]float64, axes), Near: slices.Repeat([]float64{1}, axes)})
		},
	} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	p.want(goOn)
	return p.awaitStart(ctx)
}

// drain takes the rows until the run has ended; a result is nil if the loop has died.
func (t *Trial) drain(ctx context.Context, p *process, early *result, main *mainSteps) *result {
	row, at := make([]float64, len(p.built.Manifest.Columns)), place(p.built.Manifest.Columns)
	take := func() {
		for p.ring.Take(row) {
			if phase(row[at["phase"]]) != running {
				continue
			}
			if main.see(row); t.Watch != nil {
				t.Watch(row, at)
			}
		}
	}
	ticker, stop := time.NewTicker(drainEvery), ctx.Done()
	defer ticker.Stop()
	for early == nil {
		select {
		case <-ticker.C:
			take()
		case <-stop:
			p.want(rampDown)
			stop = nil
		case m, ok := <-p.answers:
			if !ok {
				return nil
			}
			early = m.Result
		}
	}
	take()
	return early
}
