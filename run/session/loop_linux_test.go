package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"rths"
	"rths/kit/rthstest"
	"rths/lab/realtime"
	"rths/lab/rig/wire"
	"rths/lab/ring"
)

// begunLoop is a loop in this process that has begun, and its ring.
func begunLoop(t *testing.T, rateHz float64) (*loop, *ring.Consumer) {
	t.Helper()
	l := &loop{out: newLines(io.Discard)}
	job := &Job{Scenario: rthstest.TwoStoreys(20, "{kind: udp, clock: lockstep}"), Source: "test"}
	if err := l.build(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "ring")
	columns := l.layout.Columns
	c := rthstest.Must(ring.Create(path, ring.Shape{Session: 1, Columns: columnsHash(columns), Width: len(columns),
		Rows: 6000, RateHz: 256}))
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

// A tick of the loop's process allocates nothing as a whole: it waits for its instant, looks at the requests, runs,
// writes its row, and counts. So does a tick that holds the rig.
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
	rows, before := 0, math.Inf(-1)
	row := make([]float64, len(l.layout.Columns))
	at := place(l.layout.Columns)
	for range 500 {
		l.tick()
		l.count()
		for c.Take(row) {
			rows++
			if due, taken, left := row[at["due_at_s"]], row[at["taken_at_s"]],
				row[at["left_at_s"]]; rows > 1 && !(before < due && due <= taken && taken <= left) {
				t.Fatalf("row %d: due at %g s behind %g, taken at %g, left at %g s", rows, due, before, taken, left)
			}
			before = row[at["due_at_s"]]
		}
	}
	of := timingOf(c.Counters())
	if of.Ticks != 500-realtime.LeftOut || of.Execution.Count != of.Ticks || of.Departure.Count != of.Ticks ||
		of.Lateness.Count != of.Slept || of.Late > of.Ticks {
		t.Errorf("%d rows and %+v", rows, of)
	}
	if of.Departure.MaxUs < of.Lateness.MaxUs || of.Departure.MaxUs <= 0 {
		t.Errorf("the longest departure, %g µs, is shorter than the longest lateness, %g µs", of.Departure.MaxUs,
			of.Lateness.MaxUs)
	}
}

// A tick is late if the link has called it so, or if its command left after the instant of the next one.
func TestLoopCountsLateTicks(t *testing.T) {
	l, c := begunLoop(t, 100)
	for range realtime.LeftOut {
		l.count()
	}
	for k, of := range []struct {
		called float64 // by the link
		leftS  float64 // after the instant
		late   uint64
	}{{0, 0.003, 0}, {0, 0.01, 0}, {0, 0.0101, 1}, {1, 0.003, 1}, {1, 0.5, 1}} {
		before := timingOf(c.Counters())
		l.now = realtime.Tick{Due: l.origin + 2e9, Begun: l.origin + 2e9, Slept: true}
		l.tape.values[atRawLate], l.tape.values[atTaken], l.tape.values[atLeft] = of.called, 2, 2+of.leftS
		l.count()
		if now := timingOf(c.Counters()); now.Late-before.Late != of.late || now.LateSlept != now.Late ||
			now.Ticks != uint64(k+1) {
			t.Errorf("left after %g s, called late %g: %d of %d ticks were late, now %d", of.leftS, of.called, before.Late,
				before.Ticks, now.Late)
		}
		if now := timingOf(c.Counters()); k == 4 && math.Abs(now.Departure.MaxUs-5e5) > 5e4 {
			t.Errorf("the longest departure is %g µs: want half a second", now.Departure.MaxUs)
		}
	}
}

// stampedLink is a link with the numbers of its readings, which paces the loop or not.
type stampedLink struct {
	link
	number, acted uint64
	measured      int64
	paces         bool
}

func (r *stampedLink) Given() (number, acted uint64, status wire.Status, measured int64) {
	return r.number, r.acted, wire.Status(wire.Running), r.measured
}
func (r *stampedLink) Paces() bool                              { return r.paces }
func (r *stampedLink) Waited() (late time.Duration, slept bool) { return time.Millisecond, true }

// A row says which reading the loop had, when it was measured and which command acts in it; before the
// first reading it says none. Its instant is the loop's own, or, with the clock of the rig, so much
// before the reading was taken as this came late.
func TestLoopStamps(t *testing.T) {
	l, _ := begunLoop(t, 100)
	rig := &stampedLink{link: l.link}
	l.link = rig
	values := &l.tape.values
	values[atReading], values[atMeasured] = -1, 0
	for k, c := range []struct {
		number, acted                     uint64
		measured                          int64
		paces                             bool
		reading, acts, at, due, begunDueS float64
	}{
		{wire.None, wire.None, 9e9, false, -1, -1, 0, 3, 0},
		{7, wire.None, 5e9, false, 7, -1, 0, 3, 0},
		{9, 4, 5.5e9, false, 9, 4, 0.5, 3, 0},
		{9, 4, 5.5e9, true, 9, 4, 0.5, 1.999, 0.001},
	} {
		rig.number, rig.acted, rig.measured, rig.paces = c.number, c.acted, c.measured, c.paces
		values[atTaken] = 2
		l.now = realtime.Tick{Due: l.origin + 3e9, Begun: l.origin + 3e9}
		l.stamps(l.tape)
		for what, of := range map[string][2]float64{
			"reading": {values[atReading], c.reading}, "command that acts": {values[atActed], c.acts},
			"measured at": {values[atMeasured], c.at}, "due at": {values[atDue], c.due},
			"begun after": {float64(l.now.Begun-l.now.Due) / 1e9, c.begunDueS},
		} {
			if math.Abs(of[0]-of[1]) > 1e-9 {
				t.Errorf("%d, %s: %g: want %g", k, what, of[0], of[1])
			}
		}
		if l.now.Slept != c.paces || wire.Status(values[atStatus]).State() != wire.Running {
			t.Errorf("%d: slept %t, status %g", k, l.now.Slept, values[atStatus])
		}
	}
}

// brokenLink is a link whose rig has gone.
type brokenLink struct{ link }

var errGone = errors.New("the rig has gone")

func (brokenLink) Begin() error { return errGone }

func (brokenLink) Idle(*rths.Reading) (time.Duration, error) { return 0, errGone }

// Checks are the means of the readings asked for, and how long a main step takes beside the loop.
func TestLoopChecks(t *testing.T) {
	l, _ := builtLoop(t, 100)
	n := 0
	l.link = movedRig{l.link, func(out *rths.Reading) { n++; out.X[0], out.F[0], out.Age = float64(n), 10, n }}
	l.mainStep = &ready{LongestUs: 7}
	c, err := l.check(5)
	if err != nil || n != 5 || c.Readings != 5 || c.X[0] != 3 || c.F[0] != 10 || c.Age != 5 || c.MainStepUs != 7 {
		t.Errorf("%d readings, %+v, %v", n, c, err)
	}
	l.link = movedRig{l.link, func(out *rths.Reading) { out.F[0] = math.NaN() }}
	if _, err := l.check(5); err == nil || !strings.Contains(err.Error(), "force 1 of the rig reads NaN") {
		t.Errorf("%v", err)
	}
	l.link = brokenLink{l.link}
	if _, err := l.check(5); err != errGone {
		t.Errorf("%v: want %v", err, errGone)
	}
	said := new(bytes.Buffer)
	l.orders, l.out = nil, newLines(said)
	if _, ok := l.wait(); ok || !strings.Contains(said.String(), errGone.Error()) {
		t.Errorf("waits on for a rig that has gone: %s", said)
	}
	early, _ := builtLoop(t, 100)
	if early.idle = nil; early.keep() != nil {
		t.Error("an idle rig is kept before its checks")
	}
}

// A loop that has come to rest says so, holds the rig until it is told to let go, and then says how they have parted. A
// numerical part that had gone before the end is a warning.
func TestLoopHolds(t *testing.T) {
	runtime.LockOSThread() // page faults are of a thread
	defer runtime.UnlockOSThread()
	for name, gone := range map[string]error{"sound": nil, "numerical part gone": errors.New("its process has ended")} {
		l, c := begunLoop(t, 10_000)
		words := new(bytes.Buffer)
		l.out = newLines(words)
		if gone != nil {
			l.numeric = &numericalProcess{link: fakeLink{err: gone}}
		}
		const goOnFor = 300 // ticks
		held := 0
		l.tape.rig = &liar{Rig: l.tape.rig, course: l.course, reads: func(c2 *course, _ *rths.Reading) error {
			if c2.phase == ended {
				if held++; held == goOnFor {
					c.SetRequest(uint64(letGo))
				}
			}
			return nil
		}}
		c.SetRequest(uint64(rampDown))
		if l.drive(); held != 0 || l.course.phase != ended {
			t.Fatalf("%s: phase %d, held for %d ticks", name, l.course.phase, held)
		}
		at := l.course.held
		l.hold(t.Context())
		d := json.NewDecoder(words)
		var first, last toSupervisor
		if err := errors.Join(d.Decode(&first), d.Decode(&last)); err != nil || d.More() || first.Result == nil ||
			last.Parted == nil {
			t.Fatalf("%s: %v: said %s: want result and parting", name, err, words)
		}
		r, p := first.Result, last.Parted
		if m := r.Manifest; m.Status != rths.Stopped || r.Cause != "supervisor: the operator stopped the test" ||
			!(m.WallS > 0) || m.Samples != l.run.Loop.Ticks() || len(m.Criteria) == 0 || !r.Rest.AtRest || r.Held != at ||
			r.Lost != 0 {
			t.Errorf("%s: %s, cause %q, %g s, %d samples, rest %+v, held %d, lost %d", name, m.Status, r.Cause, m.WallS,
				m.Samples, r.Rest, r.Held, r.Lost)
		}
		if held != goOnFor || p.Held != at+goOnFor || !p.Rest.AtRest || !p.Known || p.PageFaults < 0 ||
			p.PageFaults > realtime.Faults() {
			t.Errorf("%s: held for %d ticks: %+v: want %d", name, held, p, goOnFor)
		}
		if told := slices.Contains(r.Manifest.Warnings,
			"the numerical part: its process has ended before the end of the test"); told != (gone != nil) {
			t.Errorf("%s: warnings %q", name, r.Manifest.Warnings)
		}
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
