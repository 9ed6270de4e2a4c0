package session

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"os"
	"os/signal"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"rths"
	"rths/record"
	"rths/rig/udp"
	"rths/ring"
	"rths/scenario"
)

// ServeLoop is the loop of a test, in a process of its own. It builds everything first, begins a session with the rig,
// runs, comes to rest, and holds until its supervisor lets it go. It talks with its supervisor in lines of
// JSON before the start and after the end, and through the ring between: there it neither reads nor writes
// anything but the rig and the ring.
//
// The loop survives its supervisor: it ramps down then, and ends by itself. Ctrl-C and a closed terminal are the supervisor's
// affair; SIGTERM ramps down.
func ServeLoop(in io.Reader, out io.Writer) error {
	signal.Ignore(syscall.SIGINT, syscall.SIGHUP, syscall.SIGPIPE, syscall.SIGTERM) // whoever took them before
	l := &loop{out: newLines(out)}
	l.asked = receive[asked](in, func() { l.left.Store(true) })
	terminate := make(chan os.Signal, 1)
	signal.Notify(terminate, syscall.SIGTERM)
	go func() {
		for range terminate {
			l.terminated.Store(true)
		}
	}()
	err := l.serve()
	if err != nil {
		l.say(said{Wrong: err.Error()})
	}
	return err
}

// loop is the loop's process.
type loop struct {
	asked      <-chan asked
	out        lines
	left       atomic.Bool // the supervisor has closed its side: before the start it wants no test
	terminated atomic.Bool // SIGTERM has come

	run      *scenario.Run
	link     *udp.Rig
	tape     *tape
	layout   *record.Layout
	ring     *ring.Producer
	path     string // of the ring
	course   *course
	manifest record.Manifest
	origin   int64 // instant of the start, ns
	zero     int64 // instant of reading 0 on the rig's clock, ns
	silent   int64 // the supervisor may be silent for so long, ns
	next     int64 // instant of the next tick by the loop's own clock, ns
	period   int64 // ns
	lost     int   // rows for which the ring had no room
	began    bool
}

var errLeft = errors.New("the supervisor has gone before the start")

func (l *loop) say(s said) { _ = l.out.to.Encode(s) } // a supervisor that has gone hears nothing

// serve is the life of the process, in its order.
func (l *loop) serve() error {
	first, ok := <-l.asked
	if !ok || first.Job == nil {
		return errLeft
	}
	if err := l.build(first.Job); err != nil {
		return err
	}
	defer func() { l.link.Close() }()
	defer l.clear()
	for !l.began {
		a, ok := l.wait()
		if !ok {
			return nil
		}
		if err := l.obey(a); err != nil {
			return err
		}
	}
	l.drive()
	l.hold()
	return nil
}

// clear removes the ring of a test that has not begun: a supervisor that was killed cannot.
func (l *loop) clear() {
	if l.path != "" && !l.began {
		_ = os.Remove(l.path)
	}
}

// keepEvery is the time between questions to an idle rig.
const keepEvery = 200 * time.Millisecond

// wait waits for the next thing that is asked, and lets the rig see meanwhile that the loop is there.
func (l *loop) wait() (asked, bool) {
	for {
		select {
		case a, ok := <-l.asked:
			return a, ok
		case <-time.After(keepEvery):
		}
		if l.terminated.Load() {
			return asked{}, false
		}
		if l.ring == nil {
			continue
		}
		if _, err := l.link.Idle(&l.tape.read); err != nil {
			l.say(said{Wrong: err.Error()})
			return asked{}, false
		}
	}
}

// build makes everything that the test needs.
func (l *loop) build(j *Job) error {
	s, err := scenario.Parse(j.Source, []byte(j.Scenario), j.Folder, nil)
	if err != nil {
		return err
	}
	s.CameFrom(j.Inputs...)
	wish, of := s.Wish("rths "+j.Program), s.Link()
	l.link, err = udp.New(udp.Config{
		Address: j.Address, Wish: wish, ReplyWithin: time.Duration(of.ReplyWithinUs * 1e3),
		Notice: func(text string) { l.note(text) },
		Stop:   l.look,
	})
	if err != nil {
		return err
	}
	l.tape = newTape(l.link, wish.NX, wish.NF, wish.NA)
	l.tape.stamps = l.stamps
	if l.run, err = s.Build(scenario.Options{RecordsDir: j.Records, Rig: l.tape, Disarmed: true}); err != nil {
		return err
	}
	if l.course, err = newCourse(l.run, l.tape, l.row); err != nil {
		return err
	}
	if l.layout, err = record.NewLayout(l.run.Loop.Frame(), l.run.Channels); err != nil {
		return err
	}
	if l.manifest, err = Begin(l.run, j.Program); err != nil {
		return err
	}
	l.manifest.Columns = l.layout.Columns
	l.manifest.Notes = slices.Concat(l.run.Warnings, l.run.Notes)
	l.period = int64(1e9 / s.RateHz)
	l.silent = int64(of.SupervisorSilentS * 1e9)
	rating := s.Rating()
	l.say(said{Built: &built{
		Manifest: manifest{l.manifest}, Samples: l.run.Samples, AroundS: l.aroundS(), SilentS: of.SupervisorSilentS,
		Stroke: rating.Stroke, Rate: rating.Rate,
	}})
	return nil
}

// aroundS is the longest time before and behind the run for which there are rows, s: start, approach, hold, ramp, rest.
func (l *loop) aroundS() float64 {
	s := l.run.Scenario
	ramps, settle := 2.0, 0.0
	if of := s.Rig.Params.Start; of != nil {
		stages := 1 // the preload
		if of.Move > 0 {
			stages += 3 * s.Axes()
		}
		ramps, settle = ramps+float64(stages), float64(stages)*of.SettleS
	}
	return ramps*s.LongestRampS() + s.OnTrip.HoldS + settle + 2*restS
}

// note tells the operator something, before the start.
func (l *loop) note(text string) {
	if !l.began {
		l.say(said{Note: text})
	}
}

// obey does what is asked before the start.
func (l *loop) obey(a asked) error {
	switch {
	case a.Ring != "":
		return l.connect(a.Ring)
	case l.ring == nil:
		return errors.New("asked for something before the ring: want the ring first")
	case a.Check > 0:
		c, err := l.check(a.Check)
		if err == nil {
			l.say(said{Checked: c})
		}
		return err
	case a.Arm != nil:
		return l.start(a.Arm)
	}
	return nil
}

// connect opens the ring and begins a session with the rig.
func (l *loop) connect(path string) (err error) {
	if l.ring, err = ring.Open(path); err != nil {
		return err
	}
	l.path = path
	if shape := l.ring.Shape(); shape.Width != len(l.layout.Columns) || shape.Columns != columnsHash(l.layout.Columns) {
		return fmt.Errorf("%s: a ring of other columns: want the one that was made for this loop", path)
	}
	if err := l.link.Begin(); err != nil {
		return err
	}
	l.say(said{Welcome: l.link.Info()})
	return nil
}

// columnsHash is a hash of the names of columns.
func columnsHash(columns []record.Column) uint64 {
	h := fnv.New64a()
	for _, c := range columns {
		fmt.Fprintf(h, "%s %s\n", c.Name, c.Unit)
	}
	return h.Sum64()
}

// check reads the sensors while nothing moves: means, spread, age, and the shortest trip.
func (l *loop) check(n int) (*checked, error) {
	r := &l.tape.read
	out := &checked{X: make([]float64, len(r.X)), F: make([]float64, len(r.F)), SpreadX: make([]float64, len(r.X)), Readings: n}
	shortest := time.Duration(math.MaxInt64)
	squares := make([]float64, len(r.X))
	for i := range n {
		// With the rig's own clock the answer comes with the rig's next tick. The questions are spread over a sample,
		// so that one of them comes just before it.
		time.Sleep(time.Duration(l.period) * time.Duration(i%16) / 16)
		trip, err := l.link.Idle(r)
		if err != nil {
			return nil, err
		}
		shortest = min(shortest, trip)
		out.Age = max(out.Age, r.Age)
		for j, x := range r.X { // Welford
			if !rths.Finite(x) {
				return nil, fmt.Errorf("displacement %d of the rig reads %g: want a finite number", j+1, x)
			}
			d := x - out.X[j]
			out.X[j] += d / float64(i+1)
			squares[j] += d * (x - out.X[j])
		}
		for j, f := range r.F {
			if !rths.Finite(f) {
				return nil, fmt.Errorf("force %d of the rig reads %g: want a finite number", j+1, f)
			}
			out.F[j] += (f - out.F[j]) / float64(i+1)
		}
	}
	for j, s := range squares {
		out.SpreadX[j] = math.Sqrt(s / float64(max(1, n-1)))
	}
	out.TripUs = float64(shortest) / 1e3
	copy(r.X, out.X)
	copy(r.F, out.F)
	return out, nil
}

// start waits for the start, which comes through the ring, and begins where the rig was measured.
func (l *loop) start(a *arm) error {
	if len(a.First) != len(l.tape.read.X) {
		return fmt.Errorf("a first command of %d axes: want %d", len(a.First), len(l.tape.read.X))
	}
	at := rths.Reading{Motion: rths.Motion{X: slices.Clone(l.tape.read.X), A: slices.Clone(l.tape.read.A)}, F: slices.Clone(l.tape.read.F)}
	l.say(said{Armed: true})
	for l.wanted() != goOn {
		if l.wanted() > goOn || l.alone() || l.left.Load() || l.terminated.Load() {
			return errLeft
		}
		time.Sleep(10 * time.Millisecond)
		if _, err := l.link.Idle(&l.tape.read); err != nil {
			return err
		}
	}
	l.began, l.origin = true, ring.Now()
	l.tape.now = func() int64 { return ring.Now() - l.origin }
	return l.course.begin(&at, a.First, a.To)
}

// request is a word of the supervisor in the ring. A higher one includes the lower ones.
type request uint64

// The requests.
const (
	noRequest request = iota
	goOn              // start
	rampDown          // Ctrl-C
	holdNow           // Ctrl-C twice
	letGo             // end the session with the rig

	noRecord request = 1 << 8 // beside the others: the record cannot be kept
)

// wanted is the request without what stands beside it.
func (l *loop) wanted() request { return request(l.ring.Request()) &^ noRecord }

// state is what the loop shows in the ring: its phase, and from bit 8 on the state of the guard.
func (l *loop) state() uint64 { return uint64(l.course.phase) | uint64(l.course.guard.State())<<8 }

// alone reports whether the supervisor is silent.
func (l *loop) alone() bool { return ring.Now()-l.ring.SupervisorBeat() > l.silent }

// look shows that the loop is alive, and takes what comes from outside of the limits. The link calls it too, while it
// waits for a rig: it never stops that.
func (l *loop) look() (stop bool) {
	if l.ring == nil || !l.began {
		return l.left.Load() || l.terminated.Load()
	}
	l.ring.Beat(ring.Now())
	switch c, r := l.course, l.wanted(); {
	case r >= holdNow:
		c.ask(operatorHolds)
	case r >= rampDown:
		c.ask(operatorStops)
	case l.terminated.Load():
		c.ask(loopTerminated)
	case l.alone():
		c.ask(supervisorSilent)
	case request(l.ring.Request())&noRecord != 0 || l.lost > 0 || l.ring.Behind() > 3*l.ring.Shape().Rows/4:
		c.ask(recordFull)
	}
	return false
}

// drive runs the test until it has come to rest.
func (l *loop) drive() {
	l.next = ring.Now()
	for l.course.phase != ended {
		l.tick()
	}
}

// tick is one tick, at its instant.
func (l *loop) tick() {
	l.pace()
	l.look()
	l.course.tick()
	l.ring.SetState(l.state())
}

// pace waits for the instant of the next tick where the rig does not: in lockstep, and when there is no rig any more. After a stall
// the ticks go on at their rate: in lockstep nobody waits for them, and the rig must not be moved faster than real time.
func (l *loop) pace() {
	if l.link.Paces() {
		l.next = ring.Now() + l.period
		return
	}
	now := ring.Now()
	if l.next > now {
		time.Sleep(time.Duration(l.next - now))
	} else {
		l.next = now
	}
	l.next += l.period
}

// row writes the row of the tick into the ring.
func (l *loop) row() {
	slot := l.ring.Next()
	if slot == nil {
		l.lost++
		return
	}
	if l.layout.Row(slot, l.run.Loop.Frame()) != nil {
		return
	}
	l.ring.Publish()
}

// stamps are of the reading that the link has given.
func (l *loop) stamps(t *tape) {
	number, status, measured := l.link.Given()
	if t.values[atReading] < 0 {
		l.zero = measured
	}
	t.values[atReading], t.values[atStatus] = float64(number), float64(status)
	t.values[atMeasured] = float64(measured-l.zero) / 1e9
}

// rest is the time at the goal after which a loop without supervisor ends.
const rest = 10 * time.Second

// hold says how the test has ended, and holds the rig until the supervisor lets it go.
func (l *loop) hold() {
	m := l.manifest
	m.WallS = float64(ring.Now()-l.origin) / 1e9
	finish(&m, l.run, l.course.err)
	why, lost, held := l.course.cause(), l.lost, l.course.held
	done := make(chan struct{})
	go func() { // this may take long
		defer close(done)
		judge(&m, l.run)
		l.say(said{Result: &result{Manifest: manifest{m}, Cause: why, Moves: l.course.moves, ShiftX: l.tape.shiftX, ShiftF: l.tape.shiftF, Lost: lost, Held: held}})
	}()
	for at := ring.Now(); l.wanted() < letGo && ring.Now()-at < int64(rest); l.tick() {
		if !l.alone() {
			at = ring.Now()
		}
	}
	theirs, known := l.link.Close()
	<-done
	l.say(said{Parted: &parted{Ours: l.link.Counts(), Theirs: theirs, Known: known, Held: l.course.held}})
}
