package numerical

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rths"
	"rths/kit/rthstest"
	"rths/lab/ring"
	"rths/model/integrate"
)

// analysis is a program that gives its targets in order, takes an answer to each, and ends with a farewell or an error.
// Its time, steps and motions are numbers of their own at each target.
type analysis struct {
	targets [][]float64
	err     error // in place of the farewell
	silent  int   // looks in vain before each target

	looks              int
	given              int
	x, f               [][]float64 // answered
	time, steps, moved float64
	gone               atomic.Bool
}

func (a *analysis) Next(x []float64) (integrate.Arrival, error) {
	if a.looks++; a.looks <= a.silent {
		return integrate.Nothing, nil
	}
	a.looks = 0
	k := float64(a.given)
	a.time, a.steps, a.moved = 0.1+k/3, 1e3+k, 2e3+2*k
	if a.given == len(a.targets) {
		if a.err != nil {
			return integrate.Nothing, a.err
		}
		return integrate.TheEnd, nil
	}
	copy(x, a.targets[a.given])
	a.given++
	return integrate.NewTarget, nil
}

func (a *analysis) Answer(now *rths.Reading) {
	a.x, a.f = append(a.x, slices.Clone(now.X)), append(a.f, slices.Clone(now.F))
}
func (a *analysis) Hold()      {}
func (a *analysis) Gone() bool { return a.gone.Load() }
func (a *analysis) Channels() []rths.Channel {
	return ClientChannels(&a.time, &a.steps, &a.moved, new(float64))
}

// clientPair is a loop's link and the rings of the process beside it.
type clientPair struct {
	link *ClientLink
	ask  *ring.Consumer
	give *ring.Producer
	dof  int
}

func newClientPair(t *testing.T, dof int) *clientPair {
	t.Helper()
	askShape, giveShape := ClientShapes(dof, 7, 100)
	dir := t.TempDir()
	ask, give := filepath.Join(dir, "ask"), filepath.Join(dir, "give")
	p := &clientPair{link: NewClientLink(dof), ask: rthstest.Must(ring.Create(ask, askShape)), dof: dof}
	results := rthstest.Must(ring.Create(give, giveShape))
	p.give = rthstest.Must(ring.Open(give))
	p.link.Connect(rthstest.Must(ring.Open(ask)), results)
	t.Cleanup(func() { p.link.Close(); p.ask.Close(); p.give.Close() })
	return p
}

// serve talks with the analysis until either side has ended; ended is closed then. The loop is gone when stop is true.
func (p *clientPair) serve(t *testing.T, a *analysis, stop *atomic.Bool) (ended chan struct{}) {
	t.Helper()
	ended = make(chan struct{})
	go func() {
		defer close(ended)
		ServeClient(a, p.dof, p.ask, p.give, stop.Load)
	}()
	t.Cleanup(func() { stop.Store(true); await(t, ended, "the process to end") })
	return ended
}

// await waits for a state; a machine under load may take long for it.
func await(t *testing.T, done <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatalf("a minute has gone: want %s", what)
	}
}

// next looks until something comes.
func (p *clientPair) next(t *testing.T, x []float64) (integrate.Arrival, error) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); runtime.Gosched() {
		if what, err := p.link.Next(x); what != integrate.Nothing || err != nil {
			return what, err
		}
	}
	t.Fatal("nothing has come in a minute")
	return integrate.Nothing, nil
}

// values are the numbers of channels.
func values(channels []rths.Channel) (v []float64) {
	for _, c := range channels {
		v = append(v, *c.V)
	}
	return v
}

// random is a row of numbers that no other row has.
func random(rng *rand.Rand, n int) []float64 {
	row := make([]float64, n)
	for i := range row {
		row[i] = rng.NormFloat64()
	}
	return row
}

// equal compares rows to the bit.
func equal(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// Every target comes to the loop and every reading to the analysis, to the bit and in order, with the analysis's own
// time; its farewell ends both sides. A replay that is given the same rows gives the same targets and channels.
func TestClientOverRings(t *testing.T) {
	for dof := 1; dof <= 3; dof++ {
		p, rng := newClientPair(t, dof), rand.New(rand.NewPCG(1, uint64(dof)))
		a := &analysis{silent: 2}
		for range 50 {
			a.targets = append(a.targets, random(rng, dof))
		}
		ended := p.serve(t, a, new(atomic.Bool))
		replay := &RecordedClient{X: make([]float64, dof)}
		x, again, now := make([]float64, dof), make([]float64, dof), rths.NewReading(dof, dof)
		var read, felt [][]float64
		for k, want := range a.targets {
			what, err := p.next(t, x)
			if what != integrate.NewTarget || err != nil || !equal(x, want) {
				t.Fatalf("target %d: %v, %v, %v: want %v", k, what, err, x, want)
			}
			got := values(p.link.Channels())
			if want := []float64{0.1 + float64(k)/3, 1e3 + float64(k), 2e3 + 2*float64(k), 0}; !equal(got, want) {
				t.Fatalf("channels %v at target %d: want %v", got, k, want)
			}
			replay.What, replay.Time, replay.Steps, replay.Moved = what, got[0], got[1], got[2]
			copy(replay.X, x)
			if what, err := replay.Next(again); what != integrate.NewTarget || err != nil || !equal(again, x) ||
				!equal(values(replay.Channels()), got) {
				t.Fatalf("the replay of target %d: %v, %v, %v, %v", k, what, err, again, values(replay.Channels()))
			}
			if what, err := p.link.Next(again); what != integrate.Nothing || err != nil || !equal(again, x) {
				t.Fatalf("behind target %d: %v, %v, %v: want nothing before the answer", k, what, err, again)
			}
			copy(now.X, random(rng, dof))
			copy(now.F, random(rng, dof))
			read, felt = append(read, slices.Clone(now.X)), append(felt, slices.Clone(now.F))
			p.link.Answer(&now)
		}
		if what, err := p.next(t, x); what != integrate.TheEnd || err != nil {
			t.Fatalf("%v, %v: want the end", what, err)
		}
		await(t, ended, "the process to end with its analysis")
		if !slices.EqualFunc(a.x, read, equal) || !slices.EqualFunc(a.f, felt, equal) {
			t.Errorf("%d degrees of freedom: the analysis was not told what was measured", dof)
		}
	}
}

// The fault of an analysis comes to the loop as an error that is still this fault, and as a number in the record,
// with the time of the analysis.
func TestClientFaults(t *testing.T) {
	for f := Left; f <= Other; f++ {
		err := fmt.Errorf("at its time 3 s: %w", f.Err())
		if FaultOf(err) != f {
			t.Errorf("%v is fault %d: want %d", err, FaultOf(err), f)
		}
		p := newClientPair(t, 2)
		ended := p.serve(t, &analysis{err: err}, new(atomic.Bool))
		x := []float64{1, 2}
		what, got := p.next(t, x)
		if what != integrate.Nothing || !errors.Is(got, f.Err()) || !equal(x, []float64{1, 2}) {
			t.Errorf("fault %d: %v, %v, target %v: want its error and no target", f, what, got, x)
		}
		if v := values(p.link.Channels()); !equal(v, []float64{0.1, 1e3, 2e3, float64(f)}) {
			t.Errorf("fault %d: channels %v", f, v)
		}
		await(t, ended, "the process to end with its analysis")

		replay := &RecordedClient{Fault: f, X: make([]float64, 2)}
		if what, err := replay.Next(x); what != integrate.Nothing || !errors.Is(err, f.Err()) ||
			*replay.Channels()[3].V != float64(f) {
			t.Errorf("the replay of fault %d: %v, %v", f, what, err)
		}
	}
	for _, f := range []Fault{-1, 0, Other + 1} {
		if f.Err() != nil {
			t.Errorf("fault %d is %v: want no error", f, f.Err())
		}
	}
	if FaultOf(nil) != 0 || FaultOf(errors.New("a message of unknown type")) != Other {
		t.Error("want no fault of no error, and Other for what the protocol does not have")
	}
}

// While the loop owes an answer, the loop is told of an analysis that has gone, and a loop that
// has gone ends the process.
func TestClientGoesWhileItWaits(t *testing.T) {
	for _, loop := range []bool{false, true} {
		p, a, stop := newClientPair(t, 1), &analysis{targets: [][]float64{{0.5}}}, new(atomic.Bool)
		ended := p.serve(t, a, stop)
		x := make([]float64, 1)
		if what, err := p.next(t, x); what != integrate.NewTarget || err != nil {
			t.Fatal(what, err)
		}
		if loop {
			stop.Store(true)
			await(t, ended, "the process to end with the loop")
			if what, err := p.link.Next(x); what != integrate.Nothing || err != nil {
				t.Errorf("the loop has gone: %v, %v", what, err)
			}
			continue
		}
		a.gone.Store(true)
		if _, err := p.next(t, x); !errors.Is(err, Left.Err()) {
			t.Errorf("%v: want %v", err, Left.Err())
		}
		await(t, ended, "the process to end with its analysis")
	}
}

// A process whose loop has gone before the analysis had a target ends, and has given nothing.
func TestClientStopsBeforeATarget(t *testing.T) {
	p, stop := newClientPair(t, 1), new(atomic.Bool)
	ended := p.serve(t, &analysis{silent: math.MaxInt}, stop)
	stop.Store(true)
	await(t, ended, "the process to end with the loop")
	if what, err := p.link.Next(make([]float64, 1)); what != integrate.Nothing || err != nil {
		t.Errorf("%v, %v: want nothing", what, err)
	}
}

// A guard that acts ends the dialogue: the analysis gets no more answers. Only the first Hold is told. Before
// the rings exist nobody is told.
func TestClientHold(t *testing.T) {
	early := NewClientLink(1)
	early.Hold()
	early.Close()
	p, a := newClientPair(t, 1), &analysis{targets: [][]float64{{0.5}, {0.6}}}
	for range 3 {
		p.link.Hold()
	}
	if n := p.ask.Behind(); n != 1 {
		t.Errorf("%d rows: want one", n)
	}
	await(t, p.serve(t, a, new(atomic.Bool)), "the process to end")
	if len(a.x) != 0 || a.given != 1 {
		t.Errorf("%d answers to %d targets: want none to one", len(a.x), a.given)
	}
}

// A process that has ended is told once its rows have been taken, as what the session knows of it.
func TestClientProcessEnds(t *testing.T) {
	p := newClientPair(t, 1)
	p.say(float64(integrate.NewTarget), 0.25)
	killed := errors.New("killed")
	p.link.Ended(killed)
	x := make([]float64, 1)
	if what, err := p.link.Next(x); what != integrate.NewTarget || err != nil || x[0] != 0.25 ||
		*p.link.Channels()[3].V != 0 {
		t.Errorf("%v, %v, %g: want the target that had come", what, err, x[0])
	}
	if what, err := p.link.Next(x); what != integrate.Nothing || err != killed ||
		*p.link.Channels()[3].V != float64(Other) {
		t.Errorf("%v, %v, fault %g: want %v as another fault", what, err, *p.link.Channels()[3].V, killed)
	}
}

// say publishes a row as the process does.
func (p *clientPair) say(what float64, x ...float64) {
	slot := p.give.Next()
	slot[clientWhat] = what
	copy(slot[clientColumns:], x)
	p.give.Publish()
}

// A loop whose process has ended before the first question says the first cause.
func TestWhy(t *testing.T) {
	killed := errors.New("killed")
	for _, c := range []struct {
		rows []float64
		want error
	}{
		{nil, killed},
		{[]float64{float64(integrate.NewTarget)}, killed},
		{[]float64{float64(integrate.NewTarget), float64(integrate.TheEnd)}, errEmpty},
		{[]float64{-float64(TwoMotion)}, TwoMotion.Err()},
		{[]float64{-float64(Left)}, Left.Err()},
		{[]float64{float64(integrate.NewTarget), -float64(Other)}, Other.Err()},
	} {
		p := newClientPair(t, 1)
		for _, what := range c.rows {
			p.say(what, 0)
		}
		p.link.Ended(killed)
		if got := p.link.Why(); got != c.want {
			t.Errorf("behind the rows %v: %v: want %v", c.rows, got, c.want)
		}
	}
}

// The loop waits for nobody: rows that nobody takes fill their ring, and those after them are left out.
// Neither side of a link allocates.
func TestClientLinkNeverWaits(t *testing.T) {
	p, now := newClientPair(t, 1), rths.NewReading(1, 1)
	for range 3 * p.ask.Shape().Rows {
		p.link.Answer(&now)
	}
	if got, want := p.ask.Behind(), p.ask.Shape().Rows; got != want {
		t.Errorf("%d rows: want %d", got, want)
	}
	p.link.Hold() // finds no place
	row, x := make([]float64, p.ask.Shape().Width), make([]float64, 1)
	for p.ask.Take(row) {
		if row[0] != clientAnswer {
			t.Errorf("a row of kind %g: want answers", row[0])
		}
	}
	if p.link.Hold(); !p.ask.Take(row) || row[0] != clientHold {
		t.Error("a hold that found no place was not told later")
	}
	rthstest.NoAllocation(t, func() {
		p.say(float64(integrate.NewTarget), 0.5)
		if what, err := p.link.Next(x); what != integrate.NewTarget || err != nil {
			t.Fatal(what, err)
		}
		p.link.Answer(&now)
		p.ask.Take(row)
	})
}

// Whatever the loop gives wakes a process that sleeps.
func TestLoopWakes(t *testing.T) {
	c, now := newClientPair(t, 1), rths.NewReading(1, 1)
	wakes(t, "an answer", c.ask, func() { c.link.Answer(&now) })
	c.ask.Take(make([]float64, c.ask.Shape().Width))
	wakes(t, "a hold", c.ask, c.link.Hold)
	p := newPair(t, ownProcess("poly3"), new(float64))
	wakes(t, "a main step", p.ask, func() { p.link.Post(make([]float64, p.calc.Asks())) })
}

// A link gives both of its rings back.
func TestLinkCloses(t *testing.T) {
	askShape, giveShape := ClientShapes(1, 7, 100)
	paths := []string{filepath.Join(t.TempDir(), "ask"), filepath.Join(t.TempDir(), "give")}
	ask, give := rthstest.Must(ring.Create(paths[0], askShape)), rthstest.Must(ring.Create(paths[1], giveShape))
	l := NewClientLink(1)
	l.Connect(rthstest.Must(ring.Open(paths[0])), give)
	ask.Close()
	for _, path := range paths {
		if _, err := ring.Read(path); !errors.Is(err, ring.ErrInUse) {
			t.Errorf("%s, which the link has: %v: want %v", path, err, ring.ErrInUse)
		}
	}
	l.Close()
	for _, path := range paths {
		rthstest.Must(ring.Read(path)).Close()
	}
}

// wakes waits until a thread sleeps for a row, and fails if it sleeps on after the post.
func wakes(t *testing.T, what string, c *ring.Consumer, post func()) {
	t.Helper()
	var thread atomic.Int64
	woken := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		thread.Store(int64(unix.Gettid()))
		for !c.Wait(time.Hour) { // a signal ends it early
		}
		close(woken)
	}()
	for asleep := false; !asleep; runtime.Gosched() {
		select {
		case <-woken:
			t.Fatalf("%s: the process does not wait for it", what)
		default:
		}
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/stat", thread.Load()))
		asleep = strings.Contains(string(stat), ") S ")
	}
	post()
	await(t, woken, what+" to wake the process")
}
