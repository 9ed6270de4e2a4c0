package session

import (
	"context"
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
	"rths/lab/numerical"
	"rths/lab/realtime"
	"rths/lab/rig/wire"
	"rths/lab/ring"
	"rths/result/record"
	"rths/scenario"
)

// ServeLoop is the loop of a test, in a process of its own. It builds everything first, begins a
// session with the rig, runs, comes to rest, and holds until its supervisor lets it go. It talks
// with its supervisor in lines of JSON before the start and after the end, and through the ring
// between: there it neither reads nor writes anything but the rig and the ring.
//
// The loop survives its supervisor: it ramps down then, and ends by itself. Ctrl-C and a closed
// terminal are the supervisor's affair; SIGTERM ramps down.
func ServeLoop(ctx context.Context, in io.Reader, out io.Writer) {
	signal.Ignore(endingSignals...) // whoever took them before
	l := &loop{out: newLines(out)}
	l.orders = receive[toLoop](in, func() { l.left.Store(true) })
	terminate := make(chan os.Signal, 1)
	signal.Notify(terminate, syscall.SIGTERM)
	go func() {
		for range terminate {
			l.terminated.Store(true)
		}
	}()
	if err := l.serve(ctx); err != nil { // the supervisor tells the operator
		l.say(toSupervisor{Wrong: err.Error()})
	}
}

// loop is the loop's process.
type loop struct {
	orders     <-chan toLoop
	out        lines
	left       atomic.Bool // the supervisor has closed its side: before the start it wants no test
	terminated atomic.Bool // SIGTERM has come

	run      *scenario.Run
	link     link
	process  *realtime.Process // nil: not asked for
	numeric  *numericalProcess // nil: the loop makes the main steps
	mainStep *ready            // how long one takes there
	tape     *tape
	layout   *record.Layout
	ring     *ring.Producer
	path     string // of the ring
	course   *course
	manifest record.Manifest
	idle     *idle
	origin   int64          // instant of the start, ns
	zero     int64          // instant of reading 0 on the rig's clock, ns
	silent   int64          // the supervisor may be silent for so long, ns
	pacer    realtime.Pacer // by the loop's own clock
	now      realtime.Tick  // the present one
	ticks    *realtime.Ticks
	faults   int64 // page faults of this thread before arming
	period   int64 // ns
	lost     int   // rows for which the ring had no room
	started  bool
}

var errLeft = errors.New("the supervisor has gone before the start")

// say says something. A supervisor that has gone hears nothing.
func (l *loop) say(s toSupervisor) {
	if err := l.out.to.Encode(s); err != nil {
		_ = l.out.to.Encode(toSupervisor{Wrong: err.Error()})
	}
}

// serve is the life of the process, in its order.
func (l *loop) serve(ctx context.Context) error {
	first, ok := <-l.orders
	if !ok || first.Job == nil {
		return errLeft
	}
	defer l.endNumerical()
	if err := l.build(ctx, first.Job); err != nil {
		return err
	}
	defer func() { l.link.Close() }()
	defer l.clear()
	for !l.started {
		a, ok := l.wait()
		if !ok {
			return nil
		}
		if err := l.obey(a); err != nil {
			return err
		}
	}
	l.drive()
	l.hold(ctx)
	return nil
}

// clear removes the ring of a test that has not begun: a supervisor that was killed cannot.
func (l *loop) clear() {
	if l.path != "" && !l.started {
		_ = os.Remove(l.path)
	}
}

// keepEvery is the time between questions to an idle rig.
const keepEvery = 200 * time.Millisecond

// wait waits for the next thing that is asked, and lets the rig see meanwhile that the loop is there.
func (l *loop) wait() (toLoop, bool) {
	for {
		select {
		case a, ok := <-l.orders:
			return a, ok
		case <-time.After(keepEvery):
		}
		if l.terminated.Load() {
			return toLoop{}, false
		}
		if l.ring == nil {
			continue
		}
		if err := l.keep(); err != nil {
			l.say(toSupervisor{Wrong: err.Error()})
			return toLoop{}, false
		}
	}
}

// build makes everything that the test needs.
func (l *loop) build(ctx context.Context, j *Job) error {
	s, err := scenario.ParseResolved(j.Source, []byte(j.Scenario), j.Folder, nil)
	if err != nil {
		return err
	}
	s.CameFrom(j.Inputs...)
	if l.link, err = l.newLink(s, j); err != nil {
		return err
	}
	l.tape = newTape(l.link, s.Expectation(""), s.Rating().Rate)
	l.tape.stamps = l.stamps
	if err := l.make(ctx, s, j); err != nil {
		return err
	}
	if l.course, err = newCourse(l.run, l.tape, l.row); err != nil {
		return err
	}
	if l.layout, err = record.NewLayout(l.run.Loop.Frame(), l.run.Channels); err != nil {
		return err
	}
	if l.manifest, err = newManifest(l.run, j.Program); err != nil {
		return err
	}
	l.manifest.Columns = l.layout.Columns
	l.manifest.Notes = slices.Concat(l.run.Warnings, l.run.Notes)
	l.period, l.pacer = int64(1e9/s.RateHz), realtime.NewPacer(s.RateHz)
	of, rating := s.Link(), s.Rating()
	l.silent = int64(of.SupervisorSilentS * 1e9)
	l.say(toSupervisor{Built: &built{
		Manifest: manifest{l.manifest}, Samples: l.run.Samples, Parameters: l.run.Learnt(), AroundS: l.aroundS(),
		SilentS:   of.SupervisorSilentS,
		Reactions: Reactions(l.run),
		Stroke:    rating.Stroke, Rate: rating.Rate,
	}})
	return nil
}

// make builds the loop, and beside it the process of the numerical part, if this has one.
func (l *loop) make(ctx context.Context, s *scenario.Scenario, j *Job) (err error) {
	o := scenario.Options{RecordsDir: j.Records, Rig: l.tape, Disarmed: true, Rehearsed: true}
	if of := s.External(); of != nil {
		link := numerical.NewClientLink(of.DOF)
		if l.numeric, err = startNumerical(j, link, l.givenUp, l.note); err != nil {
			return err
		}
		l.numeric.stays = true
		o.Client = link
	}
	if s.Separate() {
		link := numerical.NewLink(&l.tape.values[atTaken], s.TwoRate.MainStep)
		if l.numeric, err = startNumerical(j, link, l.givenUp, l.note); err != nil {
			return err
		}
		o.Numerical = link
	}
	if l.run, err = s.Build(ctx, o); err != nil || l.numeric == nil {
		return err
	}
	_, err = l.numeric.hear("build")
	return err
}

// givenUp reports whether the test is given up before its start.
func (l *loop) givenUp() bool { return l.left.Load() || l.terminated.Load() }

// endNumerical ends the process of the numerical part.
func (l *loop) endNumerical() {
	if l.numeric != nil {
		l.numeric.end()
	}
}

// aroundS is the longest time before and after the run for which there are rows, s: start,
// approach, hold, ramp, rest.
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
	return ramps*s.LongestRampS() + s.OnTrip.HoldS + settle + (1+mostWindows)*restS
}

// note tells the operator something, before the start.
func (l *loop) note(text string) {
	if !l.started {
		l.say(toSupervisor{Note: text})
	}
}

// obey does what is asked before the start.
func (l *loop) obey(a toLoop) error {
	switch {
	case a.Enter != nil:
		return l.enter(a.Enter.CPU)
	case a.Ring != "":
		return l.connect(a.Ring)
	case l.ring == nil:
		return errors.New("asked for something before the ring: want the ring first")
	case a.Check > 0:
		c, err := l.check(a.Check)
		if err == nil {
			l.say(toSupervisor{Checked: c})
		}
		return err
	case a.Arm != nil:
		return l.start(a.Arm)
	}
	return nil
}

// enter makes the process ready for real time, and the one of the numerical part.
func (l *loop) enter(cpu int) error {
	var theirs []realtime.Grant
	if l.numeric != nil {
		var err error
		if theirs, err = l.numeric.enter(cpu); err != nil {
			return err
		}
	}
	l.process = realtime.Enter(cpu)
	l.say(toSupervisor{Entered: &entered{CPU: l.process.CPU, Grants: slices.Concat(l.process.Grants, theirs)}})
	return nil
}

// connect opens the ring and begins a session with the rig.
func (l *loop) connect(path string) (err error) {
	if l.ring, err = ring.Open(path); err != nil {
		return err
	}
	l.path, l.ticks = path, realtime.NewTicks(l.ring.Counters())
	if shape := l.ring.Shape(); shape.Width != len(l.layout.Columns) || shape.Columns != columnsHash(l.layout.Columns) {
		return fmt.Errorf("%s: a ring of other columns: want the one that was made for this loop", path)
	}
	if l.numeric != nil {
		if l.mainStep, err = l.numeric.connect(path, l.run); err != nil {
			return err
		}
	}
	if err := l.link.Begin(); err != nil {
		return err
	}
	l.say(toSupervisor{Welcome: l.link.Info()})
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

// check reads the sensors while nothing moves.
func (l *loop) check(n int) (*checked, error) {
	l.idle = newIdle(n, l.run.Scenario.Expectation("").Sensors)
	for i := range n {
		// With the rig's own clock the answer comes with the rig's next tick. The questions are spread over a sample,
		// so that one of them comes just before it.
		time.Sleep(time.Duration(l.period) * time.Duration(i%16) / 16)
		if err := l.keep(); err != nil {
			return nil, err
		}
	}
	c := l.idle.means()
	if l.mainStep != nil {
		c.MainStepUs = l.mainStep.LongestUs
	}
	return c, nil
}

// keep lets an idle rig see that the loop is there, and takes its reading.
func (l *loop) keep() error {
	r := &l.tape.read
	trip, err := l.link.Idle(r)
	if err != nil || l.idle == nil {
		return err
	}
	return l.idle.take(r, trip)
}

// start waits for the start, which comes through the ring, and begins where the rig is then.
func (l *loop) start(a *arm) error {
	before := l.idle.means()
	if len(a.First) != len(before.X) || len(a.Near) != len(before.X) {
		return fmt.Errorf("a first command of %d axes: want %d", len(a.First), len(before.X))
	}
	l.run.Plausibility.SetRehearsed(a.Rehearsed)
	l.faults = realtime.Faults()
	l.say(toSupervisor{Armed: true})
	for {
		r := l.wanted()
		if l.numeric != nil && l.numeric.link.Err() != nil {
			return l.numeric.early()
		}
		if r == goOn {
			break
		}
		switch {
		case r > goOn:
			return errBeforeStart
		case l.terminated.Load():
			return errors.New("the process of the loop was told to end before the start: nothing has moved")
		case l.left.Load() || l.alone():
			return errors.New(
				"the supervisor was silent before the start: nothing has moved; it was stopped, or the machine is too busy")
		}
		time.Sleep(10 * time.Millisecond)
		if err := l.keep(); err != nil {
			return err
		}
	}
	now := l.idle.means()
	for i, x := range now.X {
		if far := math.Abs(x - before.X[i]); far > a.Near[i] {
			return fmt.Errorf(
				"actuator %d has moved from %.6g m to %.6g m since the checks, more than %.3g m: nothing of this test has moved "+
					"it: want a rig at rest, and the test again", i+1, before.X[i], x, a.Near[i])
		}
	}
	at := rths.Reading{Motion: rths.Motion{X: now.X, A: make([]float64, len(l.tape.read.A))}, F: now.F, L: now.L}
	if err := l.course.begin(&at, a.First, elsewhere(now, a.First)); err != nil {
		return fmt.Errorf("before the start, nothing has moved: %w", err)
	}
	l.started, l.origin = true, realtime.Now()
	if l.numeric != nil {
		l.numeric.link.Start(l.origin)
	}
	l.tape.now = func() int64 { return realtime.Now() - l.origin }
	l.ring.SetState(l.state())
	return nil
}

var errBeforeStart = errors.New("stopped by the operator before the start: nothing has moved")

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
func (l *loop) state() uint64 {
	out := uint64(l.course.phase) | uint64(l.course.guard.State())<<8 | startedBit
	if l.course.still.moving() {
		out |= unrest
	}
	return out
}

const (
	startedBit = 1 << 16 // in the state from the start on: whatever happens then has rows
	unrest     = 1 << 17 // the specimen is not at rest, though the command stands
)

// alone reports whether the supervisor is silent.
func (l *loop) alone() bool { return realtime.Now()-l.ring.SupervisorBeat() > l.silent }

// look shows that the loop is alive, and takes what comes from outside of the limits. The link calls it too, while it
// waits for a rig: it never stops that.
func (l *loop) look() (stop bool) {
	if l.ring == nil || !l.started {
		return l.givenUp()
	}
	l.ring.Beat(realtime.Now())
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
	l.pacer.Restart()
	for l.course.phase != ended {
		l.tick()
		l.count()
	}
}

// tick is one tick, at its instant.
func (l *loop) tick() {
	l.pace()
	l.look()
	l.course.tick()
	l.ring.SetState(l.state())
}

// pace waits for the instant of the next tick where the rig does not: in lockstep, and when there
// is no rig any more. After a stall the ticks go on at their rate: in lockstep nobody waits for
// them, and the rig must not be moved faster than real time.
func (l *loop) pace() {
	if l.link.Paces() {
		l.pacer.Restart()
		return
	}
	l.now.Due, l.now.Slept = l.pacer.Wait()
	l.now.Begun = realtime.Now()
}

// count counts how the tick was kept. In lockstep the tick is late if its command left after the instant of the
// next one.
func (l *loop) count() {
	t := &l.now
	t.Taken, t.Left, t.Done = l.instant(atTaken), l.instant(atLeft), realtime.Now()
	t.Late = l.tape.values[atRawLate] != 0 || t.Left-t.Due > l.period
	l.ticks.See(t)
}

// instant is a stamp of the tape as an instant, ns.
func (l *loop) instant(stamp int) int64 {
	return l.origin + int64(math.Round(1e9*l.tape.values[stamp]))
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
	if l.link.Paces() {
		late, slept := l.link.Waited()
		l.now.Begun, l.now.Slept = l.instant(atTaken), slept
		l.now.Due = l.now.Begun - int64(late)
	}
	t.values[atDue] = float64(l.now.Due-l.origin) / 1e9
	number, acted, status, measured := l.link.Given()
	t.values[atStatus], t.values[atActed] = float64(status), -1
	if number == wire.None { // no reading since the start
		return
	}
	if t.values[atReading] < 0 {
		l.zero = measured
	}
	t.values[atReading], t.values[atMeasured] = float64(number), float64(measured-l.zero)/1e9
	if acted != wire.None {
		t.values[atActed] = float64(acted)
	}
}

// numbers may be not finite, which plain ones of JSON may not.
func numbers(v []float64) (out []record.Number) {
	for _, x := range v {
		out = append(out, record.Number(x))
	}
	return out
}

// rest is the time at the goal after which a loop without supervisor ends.
const rest = 10 * time.Second

// hold says how the test has ended, and holds the rig until the supervisor lets it go.
func (l *loop) hold(ctx context.Context) {
	m := l.manifest
	m.WallS = float64(realtime.Now()-l.origin) / 1e9
	finish(&m, l.run, l.course.err)
	describeClient(&m, l.run)
	at := l.course.still.rest()
	// After its farewell the client has nothing to do.
	if l.numeric != nil && l.numeric.link.Err() != nil && (m.Client == nil || m.Client.End != record.Farewell) {
		m.Warnings = append(m.Warnings, fmt.Sprintf("the numerical part: %v before the end of the test",
			l.numeric.link.Err()))
	}
	why, lost, held := l.course.cause(), l.lost, l.course.held
	l.relax()
	done := make(chan struct{})
	ctx = context.WithoutCancel(ctx) // a test that is stopped has results too
	go func() {                      // this may take long
		defer close(done)
		results(ctx, &m, l.run)
		judge(ctx, &m, l.run, false)
		l.say(toSupervisor{Result: &result{Manifest: manifest{m}, Cause: why, Rest: at, Moves: l.course.moves,
			ShiftX: numbers(l.tape.shiftX), ShiftF: numbers(l.tape.shiftF), Lost: lost, Held: held}})
	}()
	for heard := realtime.Now(); l.wanted() < letGo && realtime.Now()-heard < int64(rest); l.tick() {
		if !l.alone() {
			heard = realtime.Now()
		}
	}
	left := l.course.still.rest()
	theirs, known := l.link.Close()
	faults := realtime.Faults() - l.faults
	<-done
	l.say(toSupervisor{Parted: &parted{Ours: l.link.Counts(), Theirs: theirs, Known: known, Held: l.course.held,
		Rest: left, PageFaults: faults}})
}

// relax lets the garbage collector work again: results take memory.
func (l *loop) relax() {
	if l.process != nil {
		l.process.Relax()
	}
}
