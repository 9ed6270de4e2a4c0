package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// large is a foundation whose band alone takes a quarter of a gigabyte and tens of seconds.
const large = `name: large
rate_hz: 1024
ground: {kind: sine, duration_s: 2, frequency_hz: 2, amplitude_m_s2: 1}
structure: {kind: fe-foundation, elements_x: 120, elements_y: 120}
integrator: {kind: gui}
specimen: {kind: linear, mass: 10, damping: 100, stiffness: 1e4}
transfer: {kind: second-order}
`

// Ctrl-C ends a command wherever it is: a long build ends in seconds, and
// leaves nothing.
func TestStopWhileBuilding(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals")
	}
	for s, commands := range map[os.Signal][]string{os.Interrupt: {"lint", "stability"}, syscall.SIGTERM: {"run"}} {
		for _, command := range commands {
			t.Run(fmt.Sprintf("%s, %v", command, s), func(t *testing.T) {
				t.Chdir(t.TempDir())
				if err := os.WriteFile("large.yaml", []byte(large), 0o644); err != nil {
					t.Fatal(err)
				}
				var out, errs bytes.Buffer
				c := exec.Command("rths", command, "large.yaml")
				c.Stdout, c.Stderr = &out, &errs
				if err := c.Start(); err != nil {
					t.Fatal(err)
				}
				untilBusy(c.Process.Pid)
				stopped := time.Now()
				if err := c.Process.Signal(s); err != nil {
					t.Fatal(err)
				}
				err := c.Wait()
				if c.ProcessState.ExitCode() != exitFailed || errs.String() != "rths: stopped by the user\n" || out.Len() > 0 {
					t.Errorf("%v, exit status %d, %q, %q: want %d and that the user has stopped it", err, c.ProcessState.ExitCode(),
						&errs, &out, exitFailed)
				}
				if took := time.Since(stopped); took > 20*time.Second {
					t.Errorf("it went on for %v", took)
				}
				left, _ := filepath.Glob("*")
				hidden, _ := filepath.Glob(".*")
				if len(left) != 1 || len(hidden) > 0 {
					t.Errorf("left %q %q: want the scenario alone", left, hidden)
				}
			})
		}
	}
}

// untilBusy waits until a process has used more processor time than it takes to start: it is
// building. Where the system does not tell, it waits longer than a start takes.
func untilBusy(pid int) {
	const ticks = 30 // of 1/100 s: with the race detector a start takes half of them
	for n := range 1000 {
		time.Sleep(10 * time.Millisecond)
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if fields := strings.Fields(string(stat)); err == nil && len(fields) > 14 {
			if user, _ := strconv.Atoi(fields[13]); user >= ticks {
				return
			}
		} else if n >= 50 {
			return
		}
	}
}

// stopped runs a command that calls began when it is at work, and signals it n times.
func stopped(k *stopControl, n int, command func(ctx context.Context, began func()) error) error {
	signals, begun := make(chan os.Signal, 2), make(chan bool)
	began := sync.OnceFunc(func() { close(begun) })
	defer began()
	go func() {
		<-begun
		for range n {
			signals <- os.Interrupt
		}
	}()
	return untilStopped(signals, k, func(ctx context.Context) error { return command(ctx, began) })
}

// A command that keeps something ends by itself after the first signal, at once after
// the second; any other ends at the first.
func TestUntilStopped(t *testing.T) {
	mine, forever := errors.New("kept"), make(chan bool)
	defer close(forever)
	for name, c := range map[string]struct {
		signals int
		command func(k *stopControl) func(context.Context, func()) error
		want    error
	}{
		"at work": {1, func(*stopControl) func(context.Context, func()) error {
			return func(_ context.Context, began func()) error { began(); <-forever; return nil }
		}, errStopped},
		"listening": {1, func(*stopControl) func(context.Context, func()) error {
			return func(ctx context.Context, began func()) error { began(); <-ctx.Done(); return context.Cause(ctx) }
		}, errStopped},
		"keeping": {1, func(k *stopControl) func(context.Context, func()) error {
			return func(ctx context.Context, began func()) error { k.keep(); began(); <-ctx.Done(); return mine }
		}, mine},
		"keeping, and done with it": {1, func(k *stopControl) func(context.Context, func()) error {
			return func(ctx context.Context, began func()) error {
				release := k.keep()
				began()
				<-ctx.Done()
				release()
				<-forever
				return nil
			}
		}, errStopped},
		"keeping for ever": {2, func(k *stopControl) func(context.Context, func()) error {
			return func(_ context.Context, began func()) error { k.keep(); began(); <-forever; return nil }
		}, errStopped},
		"not stopped": {0, func(k *stopControl) func(context.Context, func()) error {
			return func(context.Context, func()) error { return mine }
		}, mine},
	} {
		t.Run(name, func(t *testing.T) {
			k := &stopControl{}
			if err := stopped(k, c.signals, c.command(k)); err != c.want {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}

// A stop from elsewhere counts as the first signal: the next Ctrl-C is the second one.
func TestStopFromElsewhere(t *testing.T) {
	k, cause := &stopControl{}, errors.New("somebody has pressed STOP")
	signals := make(chan os.Signal, 1)
	err := untilStopped(signals, k, func(ctx context.Context) error {
		k.keep()
		again := k.takeSecond()
		k.ask(cause)
		k.ask(errors.New("too late"))
		<-ctx.Done()
		if context.Cause(ctx) != cause || byHand(ctx) {
			t.Errorf("stopped by %v, by hand %t: want %v", context.Cause(ctx), byHand(ctx), cause)
		}
		signals <- os.Interrupt
		<-again
		return cause
	})
	if err != cause {
		t.Errorf("got %v: want the command to end by itself", err)
	}
}
