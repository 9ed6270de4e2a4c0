package rig

import (
	"errors"
	"slices"
	"testing"

	"rths"
)

// What is written at tick k acts from tick k+1 on; the first tick has zeros. Readings pass.
func TestCommandActsFromTheNextTick(t *testing.T) {
	s := &stair{}
	c := NewOwnClock(s, 2, 0)
	out := rths.NewReading(2, 1)
	for k := range 10 {
		if err := c.Read(&out); err != nil || out.X[1] != float64(k+100) || out.F[0] != -float64(k) {
			t.Fatalf("tick %d: %v, %v: want the reading of the rig", k, err, out)
		}
		u := ramp(k+1, 2)
		if err := c.Write(u); err != nil || !slices.Equal(u, ramp(k+1, 2)) {
			t.Fatalf("tick %d: %v, the loop's command is %v", k, err, u)
		}
		want := []float64{0, 0}
		if k > 0 {
			want = ramp(k, 2)
		}
		if !slices.Equal(s.sent[k], want) {
			t.Errorf("tick %d: the rig has %v: want %v", k, s.sent[k], want)
		}
	}
}

// On the way to its start the rig takes commands at once; the first tick of the run has the
// last of them.
func TestOwnClockStandsAtItsStart(t *testing.T) {
	s := &stair{}
	c := NewOwnClock(s, 1, 3)
	for _, u := range []float64{1, 2, 3, 40, 50} {
		if err := c.Write([]float64{u}); err != nil {
			t.Fatal(err)
		}
	}
	if got := slices.Concat(s.sent...); !slices.Equal(got, []float64{1, 2, 3, 3, 40}) {
		t.Errorf("the rig has %v: want 1, 2, 3, then 3 and 40 a tick late", got)
	}
}

// broken is a rig that fails.
type broken struct{ read, write error }

func (b broken) Read(*rths.Reading) error { return b.read }
func (b broken) Write([]float64) error    { return b.write }

// Errors of the rig pass, and so do its optional interfaces: faults and ideal parts are found
// inside.
func TestOwnClockHidesNothing(t *testing.T) {
	read, write := errors.New("no reading"), errors.New("no command")
	c := NewOwnClock(broken{read, write}, 1, 0)
	if err := c.Read(nil); err != read {
		t.Errorf("%v: want the rig's", err)
	}
	if err := c.Write([]float64{1}); err != write {
		t.Errorf("%v: want the rig's", err)
	}
	f := NewFaults(&stair{}, short, made(t, short, everyFault()...))
	if got, ok := rths.As[*Faults](NewOwnClock(f, 1, 0)); !ok || got != f {
		t.Error("the faults inside are not found")
	}
}

// A resumed rig has the command that acts next.
func TestOwnClockResumes(t *testing.T) {
	first, second := &stair{}, &stair{}
	a, b := NewOwnClock(first, 1, 0), NewOwnClock(second, 1, 0)
	if err := a.Write([]float64{7}); err != nil {
		t.Fatal(err)
	}
	if rest := rths.SetState(append(rths.AppendState(nil, a), 8), b); !slices.Equal(rest, []float64{8}) {
		t.Errorf("rest %v: want [8]", rest)
	}
	if err := b.Write([]float64{9}); err != nil || second.sent[0][0] != 7 {
		t.Errorf("%v: the rig has %v: want 7", err, second.sent[0])
	}
}
