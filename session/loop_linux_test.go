package session

import (
	"io"
	"path/filepath"
	"testing"

	"rths"
	"rths/realtime"
	"rths/ring"
	"rths/rthstest"
)

// begunLoop is a loop in this process that has begun, and its ring.
func begunLoop(t *testing.T, rateHz float64) (*loop, *ring.Consumer) {
	t.Helper()
	l := &loop{out: newLines(io.Discard)}
	job := &Job{Scenario: rthstest.TwoStoreys(20, "{kind: udp, clock: lockstep}"), Source: "test"}
	if err := l.build(job); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "ring")
	columns := l.layout.Columns
	c := rthstest.Must(ring.Create(path, ring.Shape{Session: 1, Columns: columnsHash(columns), Width: len(columns), Rows: 6000, RateHz: 256}))
	t.Cleanup(func() { l.ring.Close(); c.Close() })
	c.Beat(realtime.Now() + 3600e9)
	if err := l.connect(path); err != nil {
		t.Fatal(err)
	}
	rthstest.Must(l.check(8))
	c.SetRequest(uint64(goOn))
	if err := l.start(&arm{First: []float64{0}, Near: []float64{1}}); err != nil {
		t.Fatal(err)
	}
	l.pacer, l.period = realtime.NewPacer(rateHz), int64(1e9/rateHz)
	return l, c
}

// A tick of the loop's process allocates nothing, whole as it is: it waits for its instant, looks at what is asked, runs, writes
// its row, and counts. So does a tick that holds the rig.
func TestLoopTickAllocatesNothing(t *testing.T) {
	l, c := begunLoop(t, 10_000)
	l.pacer.Restart()
	tick := func() { l.tick(); l.count() }
	for l.course.phase != running {
		tick()
	}
	for _, what := range []string{"running", "held"} {
		if what == "held" {
			c.SetRequest(uint64(holdNow))
		}
		if n := testing.AllocsPerRun(500, tick); n != 0 {
			t.Errorf("%s: %g allocations per tick", what, n)
		}
	}
}

// The loop counts every tick that has a row but the first: when it woke, worked and sent.
func TestLoopCounts(t *testing.T) {
	l, c := begunLoop(t, 10_000)
	l.pacer.Restart()
	rows := 0
	row := make([]float64, len(l.layout.Columns))
	at := place(l.layout.Columns)
	for range 500 {
		l.tick()
		l.count()
		for c.Take(row) {
			rows++
			if due, taken, left := row[at["due_at_s"]], row[at["taken_at_s"]], row[at["left_at_s"]]; rows > 1 && !(due <= taken && taken <= left) {
				t.Fatalf("row %d: due at %g, taken at %g, left at %g s", rows, due, taken, left)
			}
		}
	}
	of := timingOf(c.Counters())
	if of.Ticks != 500-realtime.LeftOut || of.Execution.Count != of.Ticks || of.Departure.Count != of.Ticks || of.Lateness.Count != of.Slept || of.Late > of.Ticks {
		t.Errorf("%d rows and %+v", rows, of)
	}
	if of.Departure.MaxUs < of.Lateness.MaxUs || of.Departure.MaxUs <= 0 {
		t.Errorf("the longest departure, %g µs, is shorter than the longest lateness, %g µs", of.Departure.MaxUs, of.Lateness.MaxUs)
	}
}

// The ring says that a held specimen is at rest, and that it is no more when it moves away.
func TestRingShowsUnrest(t *testing.T) {
	l, c := begunLoop(t, 10_000)
	off := 0.0
	l.tape.rig = &liar{Rig: l.tape.rig, course: l.course, reads: func(_ *course, out *rths.Reading) error {
		out.X[0] += off
		return nil
	}}
	l.pacer.Restart()
	c.SetRequest(uint64(holdNow))
	for l.course.phase != ended {
		l.tick()
	}
	l.tick()
	if got := phaseOf(c.State()); got != Held {
		t.Errorf("held it is %q: want %q", got, Held)
	}
	off = 0.02
	for range 2 * l.course.still.length {
		l.tick()
	}
	if got := phaseOf(c.State()); got != Unrest {
		t.Errorf("20 mm away it is %q: want %q", got, Unrest)
	}
	for p, words := range phases {
		if got := phaseOf(uint64(p)); got != words {
			t.Errorf("phase %d is %q: want %q", p, got, words)
		}
	}
	if got := phaseOf(0xff); got != Held {
		t.Errorf("a phase that there is not is %q", got)
	}
}
