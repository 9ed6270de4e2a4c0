package session

import (
	"bytes"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rths"
	"rths/kit/rthstest"
	"rths/lab/realtime"
	"rths/lab/rig/wire"
	"rths/lab/ring"
	"rths/result/record"
	"rths/scenario"
)

// builtLoop is a loop in this process that has begun its session with the rig inside and made its checks, and its ring.
func builtLoop(t *testing.T, rows int) (*loop, *ring.Consumer) {
	t.Helper()
	l := &loop{out: newLines(new(bytes.Buffer))}
	if err := l.build(t.Context(), &Job{Scenario: quick, Source: "quick"}); err != nil {
		t.Fatal(err)
	}
	path, columns := filepath.Join(t.TempDir(), "ring"), l.layout.Columns
	c := rthstest.Must(ring.Create(path, ring.Shape{Session: 1, Columns: columnsHash(columns), Width: len(columns),
		Rows: rows, RateHz: 256}))
	t.Cleanup(func() { l.ring.Close(); c.Close() })
	c.Beat(realtime.Now() + 3600e9)
	if err := l.connect(path); err != nil {
		t.Fatal(err)
	}
	rthstest.Must(l.check(4))
	return l, c
}

// toEnd takes a loop that has begun to its end, as fast as it goes.
func (l *loop) toEnd(t *testing.T, at func(tick int)) {
	t.Helper()
	for k := 0; l.course.phase != ended; k++ {
		at(k)
		l.look()
		l.course.tick()
		l.ring.SetState(l.state())
		if k > 10000 {
			t.Fatalf("the test does not end: phase %d", l.course.phase)
		}
	}
}

// Requests of the supervisor through the ring, its silence, its slowness and SIGTERM are
// causes. The operator's wish comes first.
func TestLoopLooks(t *testing.T) {
	for name, c := range map[string]struct {
		rows int
		do   func(l *loop, c *ring.Consumer)
		want string // cause; "": none
	}{
		"nothing": {2000, func(*loop, *ring.Consumer) {}, ""},
		"stop": {2000, func(_ *loop, c *ring.Consumer) { c.SetRequest(uint64(rampDown)) },
			"supervisor: the operator stopped the test"},
		"stop at once": {2000, func(_ *loop, c *ring.Consumer) { c.SetRequest(uint64(holdNow)) },
			"supervisor: the operator stopped the test at once"},
		"let go": {2000, func(_ *loop, c *ring.Consumer) { c.SetRequest(uint64(letGo)) },
			"supervisor: the operator stopped the test at once"},
		"no record": {2000, func(_ *loop, c *ring.Consumer) { c.SetRequest(uint64(goOn | noRecord)) },
			"supervisor: the record could not be kept"},
		"stop and no record": {2000, func(_ *loop, c *ring.Consumer) { c.SetRequest(uint64(rampDown | noRecord)) },
			"supervisor: the operator stopped the test"},
		"silence": {2000, func(_ *loop, c *ring.Consumer) { c.Beat(realtime.Now() - 61e9) },
			"supervisor: the supervisor was silent"},
		"a beat in time": {2000, func(_ *loop, c *ring.Consumer) { c.Beat(realtime.Now() - 1e9) }, ""},
		"told to end": {2000, func(l *loop, _ *ring.Consumer) { l.terminated.Store(true) },
			"supervisor: the process of the loop was told to end"},
		// the ring says what it wants
		"supervisor has left": {2000, func(l *loop, _ *ring.Consumer) { l.left.Store(true) }, ""},
		"no row is taken":     {24, func(*loop, *ring.Consumer) {}, "supervisor: the record could not be kept"},
	} {
		l, ring := builtLoop(t, c.rows)
		ring.SetRequest(uint64(goOn))
		if err := l.start(&arm{First: []float64{0}, Near: []float64{1}}); err != nil {
			t.Fatal(err)
		}
		var states []uint64
		l.toEnd(t, func(k int) {
			if k == 10 {
				c.do(l, ring)
			}
			states = append(states, ring.State())
		})
		if got := l.course.cause(); got != c.want {
			t.Errorf("%s: cause %q: want %q", name, got, c.want)
		}
		if realtime.Now()-ring.LoopBeat() > 60e9 || ring.State()&startedBit == 0 || phase(ring.State()&0xff) != ended ||
			ring.State()>>8&0xff != uint64(l.course.guard.State()) || ring.State()&unrest != 0 {
			t.Errorf("%s: state %#x", name, ring.State())
		}
		if phase(states[1]&0xff) != running {
			t.Errorf("%s: state %#x in the run", name, states[1])
		}
		if full := l.lost > 0; full != (c.rows == 24) {
			t.Errorf("%s: %d rows lost in a ring of %d", name, l.lost, c.rows)
		}
	}
}

// After its start the loop hears its supervisor through the ring alone. Before, it gives up where nobody wants a test.
func TestLoopLooksBeforeTheStart(t *testing.T) {
	l, _ := builtLoop(t, 100)
	if l.look() {
		t.Error("gives up a test that is wanted")
	}
	if l.left.Store(true); !l.look() {
		t.Error("goes on for a supervisor that has left")
	}
	l.left.Store(false)
	if l.terminated.Store(true); !l.look() {
		t.Error("goes on though it was told to end")
	}
}

// A loop refuses to start where the supervisor wants no start any more, or where the rig is not
// where the checks found it.
func TestLoopStartRefused(t *testing.T) {
	for want, c := range map[string]struct {
		arm arm
		do  func(l *loop, c *ring.Consumer)
	}{
		"a first command of 2 axes: want 1": {arm{First: []float64{0, 0}, Near: []float64{1, 1}}, nil},
		"a first command of 1 axes: want 1": {arm{First: []float64{0}, Near: nil}, nil},
		"stopped by the operator before the start": {arm{First: []float64{0}, Near: []float64{1}},
			func(_ *loop, c *ring.Consumer) { c.SetRequest(uint64(rampDown)) }},
		"was told to end before the start": {arm{First: []float64{0}, Near: []float64{1}},
			func(l *loop, _ *ring.Consumer) { l.terminated.Store(true) }},
		"the supervisor was silent before the start": {arm{First: []float64{0}, Near: []float64{1}},
			func(l *loop, c *ring.Consumer) { c.Beat(realtime.Now() - 61e9) }},
		"the supervisor was silent before the start: no": {arm{First: []float64{0}, Near: []float64{1}},
			func(l *loop, c *ring.Consumer) { l.left.Store(true) }},
		"the numerical part: its process has ended before the start": {arm{First: []float64{0}, Near: []float64{1}},
			func(l *loop, c *ring.Consumer) {
				l.numeric = &numericalProcess{link: fakeLink{err: errors.New("its process has ended")}}
				c.SetRequest(uint64(goOn))
			}},
		errGone.Error(): {arm{First: []float64{0}, Near: []float64{1}},
			func(l *loop, _ *ring.Consumer) { l.link = brokenLink{l.link} }},
		"before the start, nothing has moved: guard approaches 0.2 m": {arm{First: []float64{0.2}, Near: []float64{1}},
			func(_ *loop, c *ring.Consumer) {
				c.SetRequest(uint64(goOn))
			}},
		"actuator 1 has moved from 0 m to 0.0015 m since the checks, more than 0.001 m": {arm{First: []float64{0},
			Near: []float64{0.001}}, func(l *loop, c *ring.Consumer) {
			l.link = movedRig{l.link, func(out *rths.Reading) { // one reading of four
				out.X[0] = 0.006
				c.SetRequest(uint64(goOn))
			}}
		}},
	} {
		l, ring := builtLoop(t, 100)
		if c.do != nil {
			c.do(l, ring)
		}
		err := l.start(&c.arm)
		if err == nil || !strings.Contains(err.Error(), want) || l.started || ring.State()&startedBit != 0 {
			t.Errorf("%v, begun %t: want %q", err, l.started, want)
		}
		if l.clear(); exists(l.path) {
			t.Errorf("%s: the ring is left", want)
		}
	}
}

// movedRig is a rig whose idle readings are spoilt.
type movedRig struct {
	link
	spoil func(*rths.Reading)
}

func (r movedRig) Idle(out *rths.Reading) (time.Duration, error) {
	trip, err := r.link.Idle(out)
	r.spoil(out)
	return trip, err
}

// A loop whose rig has moved within what is allowed begins where it is, and goes from there to the first command.
func TestLoopBeginsWhereTheRigIs(t *testing.T) {
	l, c := builtLoop(t, 2000)
	readings := 0
	l.link = movedRig{l.link, func(out *rths.Reading) { // all four
		out.X[0] = 0.001
		if readings++; readings == 4 {
			c.SetRequest(uint64(goOn))
		}
	}}
	if err := l.start(&arm{First: []float64{0}, Near: []float64{0.0011}}); err != nil {
		t.Fatal(err)
	}
	if l.course.phase != approach || l.tape.command[0] != 0.001 || !l.started {
		t.Errorf("phase %d, command %g m: want the way from 0.001 m", l.course.phase, l.tape.command[0])
	}
	if l.clear(); !exists(l.path) {
		t.Error("the ring of a test that has begun is gone")
	}
}

// What is asked for out of order, and a ring of another test, are refused.
func TestLoopAskedWrongly(t *testing.T) {
	fresh := func() *loop {
		l := &loop{out: newLines(new(bytes.Buffer))}
		if err := l.build(t.Context(), &Job{Scenario: quick, Source: "quick"}); err != nil {
			t.Fatal(err)
		}
		return l
	}
	for _, a := range []toLoop{{Check: 4}, {Arm: &arm{}}, {}} {
		if err := fresh().obey(a); err == nil || !strings.Contains(err.Error(), "want the ring first") {
			t.Errorf("%+v before the ring: %v", a, err)
		}
	}
	l := fresh()
	path := filepath.Join(t.TempDir(), "ring")
	for name, shape := range map[string]ring.Shape{
		"names": {Columns: 1, Width: len(l.layout.Columns)}, "number": {Columns: columnsHash(l.layout.Columns), Width: 3},
	} {
		shape.Session, shape.Rows, shape.RateHz = 1, 100, 256
		c := rthstest.Must(ring.Create(path, shape))
		if err := l.obey(toLoop{Ring: path}); err == nil ||
			!strings.Contains(err.Error(), "a ring of other columns: want the one that was made for this loop") {
			t.Errorf("other %s: %v", name, err)
		}
		l.ring.Close()
		if err := c.Remove(); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.obey(toLoop{Ring: path}); err == nil {
		t.Error("a ring that is not there is opened")
	}
	if a, b := columnsHash([]record.Column{{Name: "a", Unit: "m"}}),
		columnsHash([]record.Column{{Name: "a", Unit: "N"}}); a == b {
		t.Error("columns of other units have the same hash")
	}
}

// A loop that cannot build its test, or reach its rig, says why.
func TestLoopBuildRefused(t *testing.T) {
	text := func(sets ...string) string {
		return rthstest.Must(rthstest.Must(scenario.Parse("quick", []byte(quick), ".", sets)).YAML())
	}
	for want, j := range map[string]Job{
		"rate_hz": {Scenario: "rate_hz: 0"}, "stiffness -1": {Scenario: text("specimen.stiffness=-1"),
			Address: "udp://127.0.0.1:9"}, "specimen: ": {Scenario: text("specimen.stiffness=-1")},
		"nowhere": {Scenario: text(), Address: "udp://nowhere"}, "limits: none: want limits": {Scenario: text("limits=none")},
	} {
		words := new(bytes.Buffer)
		l := &loop{out: newLines(words)}
		if err := l.build(t.Context(), &j); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(words.String(), `"Built":{`) {
			t.Errorf("%v, said %s: want %q", err, words, want)
		}
	}
	l := &loop{out: newLines(new(bytes.Buffer))}
	if err := l.build(t.Context(), &Job{Scenario: quick, Source: "quick"}); err != nil || l.period != 3906250 ||
		l.silent != 60e9 {
		t.Fatalf("%v, a period of %d ns, silent for %d ns", err, l.period, l.silent)
	}
	path := filepath.Join(t.TempDir(), "ring")
	c := rthstest.Must(ring.Create(path, ring.Shape{Session: 1, Columns: columnsHash(l.layout.Columns),
		Width: len(l.layout.Columns), Rows: 100, RateHz: 256}))
	defer c.Close()
	l.link = brokenLink{l.link}
	if err := l.connect(path); err != errGone {
		t.Errorf("%v: want %v", err, errGone)
	}
	l.numeric, _, _ = talks(false, fromNumerical{Wrong: "no"})
	if err := l.enter(0); err == nil || err.Error() != "the numerical part: no" || l.process != nil {
		t.Errorf("enters without its numerical part: %v", err)
	}
	l.ring.Close()
}

// A loop that is asked for nothing, or whose first word is no scenario, ends with an error; one
// that is left ends without.
func TestLoopServes(t *testing.T) {
	serve := func(l *loop, words ...toLoop) error {
		in := make(chan toLoop, len(words))
		for _, a := range words {
			in <- a
		}
		close(in)
		l.orders, l.out = in, newLines(new(bytes.Buffer))
		return l.serve(t.Context())
	}
	job := &Job{Scenario: quick, Source: "quick"}
	for name, words := range map[string][]toLoop{"nothing": nil, "no scenario": {{Check: 4}}} {
		if err := serve(&loop{}, words...); err != errLeft {
			t.Errorf("%s: %v: want %v", name, err, errLeft)
		}
	}
	if err := serve(&loop{}, toLoop{Job: &Job{Scenario: "x: 1", Source: "broken"}}); err == nil ||
		!strings.Contains(err.Error(), "broken") {
		t.Errorf("a broken scenario: %v", err)
	}
	if err := serve(&loop{}, toLoop{Job: job}); err != nil {
		t.Errorf("left: %v", err)
	}
	if err := serve(&loop{}, toLoop{Job: job}, toLoop{Check: 1}); err == nil {
		t.Error("checks without a ring")
	}
	l := &loop{}
	l.terminated.Store(true)
	in := make(chan toLoop, 1)
	in <- toLoop{Job: job}
	l.orders, l.out = in, newLines(new(bytes.Buffer))
	if err := l.serve(t.Context()); err != nil { // nobody says anything more
		t.Errorf("told to end: %v", err)
	}
}

// The rig inside moves with every command: the command before its last reading has acted.
func TestInside(t *testing.T) {
	s := rthstest.Must(scenario.Parse("quick", []byte(quick), ".", nil))
	r := rthstest.Must(newInside(s, ""))
	if n, acted, _, _ := r.Given(); n != wire.None || acted != wire.None {
		t.Errorf("before the first reading: %d, %d", n, acted)
	}
	out := reading(3, 4)
	out.A, out.Age = []float64{5}, 6
	if _, err := r.Idle(&out); err != nil || out.X[0] != 0 || out.F[0] != 0 || out.A[0] != 0 || out.Age != 0 {
		t.Errorf("idle: %+v, %v: want zeros", out, err)
	}
	out = reading(0, 0)
	for k := range 4 {
		if err := r.Read(&out); err != nil {
			t.Fatal(err)
		}
		want := uint64(wire.None)
		if k > 0 {
			want = uint64(k - 1)
		}
		if n, acted, status, at := r.Given(); n != uint64(k) || acted != want || status.State() != wire.Running ||
			math.Abs(float64(at)-float64(k)*1e9/256) > 1 {
			t.Errorf("reading %d: number %d, command %d acted, %s, at %d ns", k, n, acted, status, at)
		}
		if err := r.Write([]float64{0}); err != nil {
			t.Fatal(err)
		}
	}
	if theirs, known := r.Close(); !known || theirs != (wire.Counts{}) || r.Counts() != (wire.Counts{}) || r.Paces() ||
		r.Unwrap() != any(r.Rig) || !r.Info().Virtual {
		t.Errorf("at the end: %+v, known %t", theirs, known)
	}
}

// There is room in the ring for every row around the longest test that a scenario can make.
func TestRowsAroundATest(t *testing.T) {
	for start, stages := range map[string]float64{"": 0, "preload_m: [0.002]": 1, "move_m: 0.001": 4,
		"move_m: 0.001, preload_m: [0.002]": 4} {
		sets := []string{"rig={kind: udp, clock: rig, watchdog_ms: 1500, late: {hold_after: 20, ramp_after: 60}}"}
		if start != "" {
			sets = append(sets, "rig.start={settle_s: 0.2, "+start+"}")
		}
		s := rthstest.Must(scenario.Parse("small", []byte(small), ".", sets))
		of := (&loop{run: rthstest.Must(s.Build(t.Context(), scenario.Options{Disarmed: true}))}).aroundS()
		rows := 0
		away := &liar{reads: func(c *course, out *rths.Reading) error {
			if c.phase != running {
				rows++
			}
			if c.phase == after { // never at rest
				out.X[0] += 0.05
			}
			return nil
		}}
		c, _ := started(t, away, reading(0, 0), 0, true, sets...)
		if c.to(t, ended); float64(rows) > of*256 {
			t.Errorf("%s: %d rows around the run: room for %g", start, rows, of*256)
		}
		if want := (2+stages)*s.LongestRampS() + s.OnTrip.HoldS + 0.2*stages + 5*restS; math.Abs(of-want) > 1e-9 {
			t.Errorf("%s: room for %g s: want %g", start, of, want)
		}
	}
}
