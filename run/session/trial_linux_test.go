package session

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/scenario"
)

// newTrial is a trial of the quick test.
func newTrial(t *testing.T, sets ...string) *Trial {
	t.Helper()
	s := rthstest.Must(scenario.Parse("quick", []byte(quick), ".", sets))
	tr := &Trial{Job: Job{Scenario: rthstest.Must(s.YAML()), Source: "quick", Program: "v1"}, CPU: -1,
		RingFolder: t.TempDir(), Command: exec.Command("/proc/self/exe", "loop")}
	tr.Command.Stderr = os.Stderr
	return tr
}

// left reports what is left of a trial: files of its ring, or its process.
func (tr *Trial) left(t *testing.T) {
	t.Helper()
	if files := rthstest.Must(os.ReadDir(tr.RingFolder)); len(files) != 0 ||
		tr.Command.Process != nil && tr.Command.ProcessState == nil {
		t.Errorf("%d files and the process %v are left", len(files), tr.Command.ProcessState)
	}
}

// A trial shows every tick of the run and says how the loop kept its instants.
func TestTrial(t *testing.T) {
	t.Parallel()
	tr := newTrial(t)
	n := 0
	tr.Watch = func(row []float64, at map[string]int) {
		if n++; phase(row[at["phase"]]) != running {
			t.Errorf("row %d is of phase %g", n, row[at["phase"]])
		}
	}
	out, err := tr.Run(t.Context())
	if err != nil || n != quickSamples {
		t.Fatalf("%v, %d rows: want %d", err, n, quickSamples)
	}
	if rt := out.Realtime; !rt.Soft || rt.Timing.Ticks == 0 || rt.PageFaults < 0 || out.MainSteps != nil {
		t.Errorf("%+v, main steps %+v", rt, out.MainSteps)
	}
	tr.left(t)
}

// A trial of two processes counts its main steps too.
func TestTrialInTwoProcesses(t *testing.T) {
	t.Parallel()
	tr := newTrial(t, append([]string{"limits=[{channel: measured_m, trip: 0.1}]"}, separate...)...)
	out, err := tr.Run(t.Context())
	if err != nil {
		if !strings.Contains(err.Error(), "has given no result") { // on a machine that is too busy
			t.Fatal(err)
		}
		t.Skip(err)
	}
	if of := out.MainSteps; of == nil || of.Steps != (quickSamples-1)/4 || of.Took.Count == 0 {
		t.Errorf("main steps %+v", of)
	}
	tr.left(t)
}

// A trial that did not run to its end is an error that says why.
func TestTrialFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sets []string
		do   func(tr *Trial, cancel func())
		want string
	}{
		"stopped": {nil, func(tr *Trial, cancel func()) {
			tr.Watch = func([]float64, map[string]int) { cancel() }
		}, "stopped"},
		"killed": {nil, func(tr *Trial, _ func()) {
			tr.Watch = func([]float64, map[string]int) { _ = tr.Command.Process.Kill() }
		}, "trial of the loop: its process has died (signal: killed)"},
		"limit": {[]string{"limits=[{channel: measured_m, trip: 1e-4}]"}, nil,
			"trial of the loop: tripped: tripped at t = "},
		"no scenario": {nil, func(tr *Trial, _ func()) { tr.Job.Scenario = "rate_hz: 0" }, "quick"},
		"no program": {nil, func(tr *Trial, _ func()) { tr.Command = exec.Command("/nowhere/rths") },
			"trial of the loop: the process of the loop: "},
		"no folder": {nil, func(tr *Trial, _ func()) { tr.RingFolder += "/none" }, "trial of the loop: "},
		"no limits": {[]string{"limits=none"}, nil, "trial of the loop: limits: none: want limits"},
		"given up soon": {nil, func(_ *Trial, cancel func()) { cancel() },
			"trial of the loop: stopped by the operator before the start"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := newTrial(t, c.sets...)
			folder := tr.RingFolder
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if c.do != nil {
				c.do(tr, cancel)
			}
			out, err := tr.Run(ctx)
			if err == nil || out != nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v: want %q", err, c.want)
			}
			if name == "stopped" && !errors.Is(err, errTrialStopped) {
				t.Errorf("%v: want %v", err, errTrialStopped)
			}
			tr.RingFolder = folder
			tr.left(t)
		})
	}
}
