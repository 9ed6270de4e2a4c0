package study

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

const tunedOnSlurm = `
points: 2
calibrate:
  keys: {compensator.gain: {from: 0.8, to: 1.2}, compensator.tau_ms: {from: 2, to: 60, log: true}}
  radius_below: 1
  search: {kind: pso, particles: 3, iterations: 2}
`

// newSearch is a small calibration. Its bench also looks at the loop's radius.
func newSearch(t *testing.T) (*Bench, *Calibration) {
	t.Helper()
	b, p := planned(t, tunedOnSlurm, "compensator={kind: forward-prediction, order: 2, tau_ms: 10}")
	b.Radii = true
	c, err := NewCalibration(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return b, c
}

// calibrated is the optimum of the small calibration and the way there, with all digits.
func calibrated(t *testing.T, by Executor) string {
	t.Helper()
	b, c := newSearch(t)
	for !c.Search.Done() {
		if err := c.Step(t.Context(), b, by, nil); err != nil {
			t.Fatal(err)
		}
	}
	u, best, _ := c.Search.Best()
	return fmt.Sprintf("%#v %#v %#v", u, best, c.History)
}

// Calibrated gains are the same by workers and by Slurm, also where the calibration was left in a
// generation: its tasks are not submitted again.
func TestSlurmCalibrates(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and other tests run the same goroutines")
	}
	fake := newFake(t, "run")
	want := calibrated(t, Workers(1))
	var l heard
	s := quickSlurm(t.TempDir(), &l)
	ctx, cancel := context.WithCancel(t.Context())
	s.Say = func(format string, args ...any) { l.say(format, args...); cancel() }
	b, c := newSearch(t)
	if err := c.Step(ctx, b, s, nil); !errors.Is(err, context.Canceled) || len(c.History) > 0 {
		t.Fatalf("%v, %d candidates", err, len(c.History))
	}
	s.Say = l.say
	if got := calibrated(t, s); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if n := len(fake.calls(t)); n != 3 {
		t.Errorf("%d submissions: want one a generation, 3", n)
	}
}
