package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"rths"
	"rths/kit/rthstest"
	"rths/result/record"
)

// twoComputers is a test whose numerical part has a process of its own: main steps of 31 ms, of
// which so many may be late.
func twoComputers(predictor string, fit, late int) string {
	text := rthstest.TwoStoreys(4, "{kind: udp, clock: lockstep, watchdog_ms: 5000, supervisor_silent_s: 1}")
	return text +
		fmt.Sprintf("integrator: {kind: gui, lambda: 3}\ntiming: {target: next}\ntwo_rate: {main_step: 8, predictor: "+
			"{kind: %s}, force_fit: %d, process: own, late: %d}\n", predictor, fit, late)
}

// gone wants a process to be gone.
func (d *drill) gone(pid int) {
	d.Helper()
	d.until(fmt.Sprintf("process %d ends", pid), func() bool { return syscall.Kill(pid, 0) != nil })
}

// With the numerical part in a process of its own the test in lockstep is the virtual run to the bit, while no
// main step is late; and that is the run of one process, but for num_*.
func TestLaboratoryTestOfTwoProcesses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		predictor string
		fit       int
	}{{"poly3", 0}, {"dual-explicit", 8}, {"dual-explicit", 0}, {"none", 8}}[:rthstest.Draws(2, 4)] {
		t.Run(fmt.Sprintf("%s, fit %d", c.predictor, c.fit), func(t *testing.T) {
			t.Parallel()
			if c.predictor != "poly3" {
				rthstest.Long(t)
			}
			d := newDrill(t, twoComputers(c.predictor, c.fit, 20))
			d.start()
			if code := d.wait(); code != exitDone {
				t.Errorf("exit status %d\n%s", code, d.errs.String())
			}
			m := d.sound(t.Context(), rths.Completed, "")
			of := m.Test.MainSteps
			if of.Steps != 128 || of.Took.Count != uint64(of.Steps) || of.PeriodUs != 31250 {
				t.Errorf("%d main steps of %g µs, %d came: want 128 of 31250 µs", of.Steps, of.PeriodUs, of.Took.Count)
			}
			if of.Late > 0 {
				t.Skipf("%d main steps were late: the machine is busy", of.Late)
			}
			sameColumns(t, rthstest.Must(record.Open(filepath.Join(d.dir, "runs", "rehearsal"))), m.frames)
			one := filepath.Join(d.dir, "one")
			text := strings.Replace(twoComputers(c.predictor, c.fit, 20), ", process: own, late: 20", "", 1)
			path := filepath.Join(d.dir, "one.yaml")
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			d.must("run", path, "-o", one)
			single := rthstest.Must(record.Open(one))
			for _, name := range []string{"target_m", "command_m", "measured_m", "force_N", "force_used_N"} {
				a, _ := single.Column(name)
				b, _ := m.frames.Column(name)
				if k := firstDifference(a, b); k >= 0 || len(a) == 0 {
					t.Errorf("%s differs at tick %d of %d from the run of one process", name, k, len(a))
				}
			}
			x, _ := single.Column("num_x1_m")
			y, _ := m.frames.Column("num_x1_m")
			if k := firstDifference(x[:len(x)-8], y[8:]); k >= 0 {
				t.Errorf("num_x1_m is not a main step late at tick %d", k)
			}
		})
	}
}

func firstDifference(a, b []float64) int {
	for k := range a {
		if k >= len(b) || a[k] != b[k] {
			return k
		}
	}
	return -1
}

// withoutResults sends the process of the numerical part a signal in the run. No results come after it. The guard
// must hold after the main steps that are allowed, and the process must end with the test.
func (d *drill) withoutResults(ctx context.Context, s syscall.Signal, allowed int) *test {
	d.Helper()
	d.start()
	d.reaches(400)
	pid := d.numerical()
	d.signal(pid, s)
	if code := d.wait(); code != exitFailed {
		d.Errorf("exit status %d\n%s", code, d.errs.String())
	}
	m := d.sound(ctx, rths.Tripped, "loop: main step")
	if want := fmt.Sprintf(
		"has given no result: the target has been the predicted one for %d main steps, as many as two_rate.late allows",
		allowed); !strings.Contains(m.Test.Cause, want) || !strings.Contains(m.Reason, want) {
		d.Errorf("first cause %q: want %q\nreason %q", m.Test.Cause, want, m.Reason)
	}
	if of := m.Test.MainSteps; of.LongestLate != allowed+1 || of.Late < of.LongestLate {
		d.Errorf("%d late main steps, %d in a row: want %d in a row", of.Late, of.LongestLate, allowed+1)
	}
	d.heldStill(m)
	d.gone(pid)
	return m
}

// A process of the numerical part that is killed: the target is the predicted one for the main steps that are allowed,
// then the guard holds. The first cause says why.
func TestDrillNumericalKilled(t *testing.T) {
	t.Parallel()
	m := newDrill(t, twoComputers("none", 0, 40)).withoutResults(t.Context(), syscall.SIGKILL, 40)
	want := "its process has ended (signal: killed)"
	if !strings.HasSuffix(m.Test.Cause, want) {
		t.Errorf("first cause %q: want %q at its end", m.Test.Cause, want)
	}
	if !slices.ContainsFunc(m.Warnings, func(w string) bool { return strings.Contains(w, want) }) {
		t.Errorf("warnings %q: want %q", m.Warnings, want)
	}
}

// A process of the numerical part that is stopped for good: the same, and it does not outlive the test.
func TestDrillNumericalStopped(t *testing.T) {
	t.Parallel()
	rthstest.Full(t) // TestDrillNumericalKilled has the same end
	m := newDrill(t, twoComputers("none", 8, 5)).withoutResults(t.Context(), syscall.SIGSTOP, 5)
	if strings.Contains(m.Test.Cause, "ended") {
		t.Errorf("first cause %q: the process lives", m.Test.Cause)
	}
}

// heldStill wants the command not to move any more at the end of the run.
func (d *drill) heldStill(m *test) {
	d.Helper()
	sent, _ := m.frames.Column("raw_command_m")
	n := len(sent)
	if n < 100 || sent[n-1] != sent[n-50] {
		d.Errorf("the command goes from %g to %g m in the last 50 of %d ticks: want a hold", sent[max(0, n-50)], sent[n-1], n)
	}
}

// Late main steps, as many as are allowed and fewer: the test completes, its record shows them, and its replay is
// equal to the bit.
func TestDrillNumericalLate(t *testing.T) {
	t.Parallel()
	// it counts stalls in milliseconds, which the race detector beside other tests stretches
	rthstest.Full(t)                              // TestDrillNumericalKilled has the same end
	d := newDrill(t, twoComputers("none", 0, 60)) // the target holds; a cubic runs away in 250 ms
	d.start()
	for i, stall := range []time.Duration{40, 90, 160, 250} {
		d.reaches(200 + 150*i)
		pid := d.numerical()
		d.signal(pid, syscall.SIGSTOP)
		time.Sleep(stall * time.Millisecond)
		d.signal(pid, syscall.SIGCONT)
	}
	if code := d.wait(); code != exitDone {
		t.Errorf("exit status %d\n%s", code, d.errs.String())
	}
	m := d.sound(t.Context(), rths.Completed, "")
	of := m.Test.MainSteps
	if of.Late < 10 || of.LongestLate < 6 || of.LongestLate > of.Late || of.Took.MaxUs < 200e3 {
		t.Errorf("%d late main steps, %d in a row, the longest took %g µs: want those of stalls of 40, 90, 160 and 250 ms",
			of.Late, of.LongestLate, of.Took.MaxUs)
	}
}

// The process ends with its loop, also when this is killed.
func TestDrillLoopOfTwoKilled(t *testing.T) {
	t.Parallel()
	rthstest.Full(t) // TestDrillLoopKilled kills the loop, TestDrillNumericalKilled the other process
	d := newDrill(t, twoComputers("none", 0, 20))
	d.start()
	d.reaches(400)
	pid := d.numerical()
	d.signal(d.loop(), syscall.SIGKILL)
	if code := d.wait(); code != exitFailed {
		t.Errorf("exit status %d\n%s", code, d.errs.String())
	}
	d.sound(t.Context(), rths.Lost, "loop: its process has died")
	d.gone(pid)
}

// A process that dies before the start ends the test before anything has moved.
func TestDrillNumericalKilledBeforeTheStart(t *testing.T) {
	t.Parallel()
	rthstest.Long(t)
	d := newDrill(t, twoComputers("poly3", 0, 2))
	c := d.supervisor()
	c.Args = append(c.Args[:len(c.Args):len(c.Args)], "--yes=false")
	stdin := rthstest.Must(c.StdinPipe())
	c.Stderr = &d.errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	d.command = c
	d.until("the question", func() bool { return strings.Contains(d.errs.String(), "Type ARM") })
	pid := d.numerical()
	d.signal(pid, syscall.SIGKILL)
	d.gone(pid)
	fmt.Fprintln(stdin, "ARM")
	fmt.Fprintln(stdin, "START")
	stdin.Close()
	if err := c.Wait(); err == nil || !strings.Contains(d.errs.String(),
		"the numerical part: its process has ended (signal: killed) before the start: nothing has moved") {
		t.Errorf("%v\n%s", err, d.errs.String())
	}
	if left, _ := filepath.Glob(filepath.Join(d.ring, "*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// A process that hangs while it builds: Ctrl-C ends the test, and nothing is left.
func TestDrillNumericalHangsBeforeTheStart(t *testing.T) {
	t.Parallel()
	rthstest.Full(t) // TestDrillNumericalKilled has the same end
	_, large, _ := strings.Cut(twoComputers("none", 0, 2), "structure: ")
	_, large, _ = strings.Cut(large, "\n")
	before, _, _ := strings.Cut(twoComputers("none", 0, 2), "structure: ")
	d := newDrill(t, before+"structure: {kind: fe-foundation, elements_x: 80, elements_y: 50}\n"+large)
	d.start()
	pid := 0
	d.until("the process of the numerical part", func() bool {
		for _, loop := range children(d.command.Process.Pid) {
			if list := children(loop); len(list) > 0 {
				pid = list[0]
				return true
			}
		}
		return false
	})
	d.signal(pid, syscall.SIGSTOP)
	time.Sleep(300 * time.Millisecond)
	d.signal(d.command.Process.Pid, syscall.SIGINT)
	began := time.Now()
	if code := d.wait(); code == exitDone || time.Since(began) > 20*time.Second {
		t.Errorf("exit status %d after %v\n%s", code, time.Since(began), d.errs.String())
	}
	d.gone(pid)
	if left, _ := filepath.Glob(filepath.Join(d.ring, "*")); len(left) > 0 || strings.Contains(d.errs.String(), "pipe") {
		t.Errorf("left behind: %q\n%s", left, d.errs.String())
	}
}
