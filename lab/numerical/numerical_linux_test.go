package numerical

import (
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rths"
	"rths/kit/rthstest"
	"rths/lab/realtime"
	"rths/lab/ring"
	"rths/model/integrate"
	"rths/scenario"
)

// pair is a loop's side and a calculator's side with their rings.
type pair struct {
	link *Link
	calc *integrate.Calculator
	ask  *ring.Consumer
	give *ring.Producer
}

func newPair(t *testing.T, s *scenario.Scenario, taken *float64) *pair {
	t.Helper()
	calc, steps, err := s.Calculator(scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	askShape, giveShape := Shapes(calc, 1, s.LateMainSteps(), 100)
	dir := t.TempDir()
	ask, give := filepath.Join(dir, "ask"), filepath.Join(dir, "give")
	p := &pair{link: NewLink(taken, steps), calc: calc, ask: rthstest.Must(ring.Create(ask, askShape))}
	results := rthstest.Must(ring.Create(give, giveShape))
	p.give = rthstest.Must(ring.Open(give))
	p.link.Connect(rthstest.Must(ring.Open(ask)), results)
	t.Cleanup(func() { p.link.Close(); p.ask.Close(); p.give.Close() })
	return p
}

// ownProcess is a scenario with main steps of 20 samples in another process, of which 3 results may be missing.
func ownProcess(predictor string) *scenario.Scenario {
	s, err := scenario.Shipped("two-rate.yaml", "two_rate={main_step: 20, predictor: {kind: "+predictor+
		"}, process: own, late: 3}")
	if err != nil {
		panic(err)
	}
	return s
}

// serve makes main steps until the test ends.
func (p *pair) serve(t *testing.T, s *scenario.Scenario) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		NewServer(p.calc, s.TwoRate.MainStep).Serve(p.ask, p.give, func() bool {
			select {
			case <-done:
				return true
			default:
				return false
			}
		})
	}()
	t.Cleanup(func() { close(done); <-ended })
}

// patient waits for the result of every main step, as a loop in virtual time may.
type patient struct {
	*Link
	posted, collected int
}

func (p *patient) Post(asked []float64) {
	p.posted++
	p.Link.Post(asked)
}

func (p *patient) Collect(given []float64) bool {
	if p.collected == p.posted {
		return false
	}
	for deadline := time.Now().Add(20 * time.Second); !p.Link.Collect(given); {
		if time.Now().After(deadline) {
			return false
		}
		_, _, _ = unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0) // a loaded machine has no processor for both sides
	}
	p.collected++
	return true
}

// Target, command and measured displacement with the numerical part elsewhere equal those of one process, to the bit,
// through the decay after the motion too. So do the criteria, up to the main step that is not compared.
func TestTwoSidesAreOneProcess(t *testing.T) {
	for _, set := range []string{
		"predictor: {kind: none}", "predictor: {kind: poly3}", "predictor: {kind: dual-explicit}",
		"predictor: {kind: none}, force_fit: 8", "predictor: {kind: poly3}, force_fit: 8",
		"predictor: {kind: dual-explicit}, force_fit: 8",
	} {
		// states come down to zero
		sets := []string{"ground={kind: sine, frequency_hz: 2, amplitude_m_s2: 1, duration_s: 1}", "duration_s=60",
			"structure.damping={modal_ratio: [0.2]}"}
		one := rthstest.Must(scenario.Shipped("two-rate.yaml", append(sets, "two_rate={main_step: 20, "+set+"}")...))
		two := rthstest.Must(scenario.Shipped("two-rate.yaml",
			append(sets, "two_rate={main_step: 20, "+set+", process: own}")...))
		taken := 0.0
		p := newPair(t, two, &taken)
		p.serve(t, two)
		a := rthstest.Must(one.Build(t.Context(), scenario.Options{}))
		b := rthstest.Must(two.Build(t.Context(), scenario.Options{Numerical: &patient{Link: p.link}}))
		most := 0.0
		for !a.Loop.Done() {
			x := sameTick(t, a, b)
			most = max(most, math.Abs(x.Read.X[0]))
		}
		if end := a.Loop.Frame().InterfaceTarget.X[0]; most < 1e-5 || end != 0 {
			t.Errorf("%s: the specimen moved by %g m, and its target is %g m at the end: want 0", set, most, end)
		}
		want := a.Summary()
		for i, v := range b.Summary() {
			if strings.HasPrefix(v.Name, "J1") || strings.HasPrefix(v.Name, "J2") {
				rthstest.Near(t, v.Name, v.V, want[i].V, 0)
			} else if !(math.Abs(v.V-want[i].V) <= 1e-6*math.Abs(want[i].V)+1e-12) && want[i].V == want[i].V {
				t.Errorf("%s: %s is %g: want %g", set, v.Name, v.V, want[i].V)
			}
		}
	}
}

// sameTick is a tick of two loops, which have the same target, command, reading and force.
func sameTick(t *testing.T, a, b *scenario.Run) *rths.Frame {
	t.Helper()
	if err := errors.Join(a.Loop.Step(), b.Loop.Step()); err != nil {
		t.Fatal(err)
	}
	numbers := func(f *rths.Frame) []float64 { return []float64{f.Target.X[0], f.Command[0], f.Read.X[0], f.Force[0]} }
	x := a.Loop.Frame()
	if one, other := numbers(x), numbers(b.Loop.Frame()); !equal(one, other) {
		t.Fatalf("tick %d: %v and %v", x.K, one, other)
	}
	return x
}

// A replay that gives every result in time equals one process, to the bit, through the decay after the motion
// too.
func TestReplayIsOneProcess(t *testing.T) {
	build := func(process string, o scenario.Options) *scenario.Run {
		s := rthstest.Must(scenario.Shipped("two-rate.yaml",
			"ground={kind: sine, frequency_hz: 2, amplitude_m_s2: 1, duration_s: 1}", "duration_s=60",
			"structure.damping={modal_ratio: [0.2]}", "two_rate={main_step: 20, predictor: {kind: none}"+process+"}"))
		return rthstest.Must(s.Build(t.Context(), o))
	}
	recorded := &Recorded{Results: math.Inf(1)}
	one, replay := build("", scenario.Options{}), build(", process: own", scenario.Options{Numerical: recorded})
	recorded.Connect(replay.MainSteps())
	for !one.Loop.Done() {
		sameTick(t, one, replay)
	}
	if end := one.Loop.Frame().InterfaceTarget.X[0]; end != 0 {
		t.Errorf("the target is %g m at the end: want 0", end)
	}
}

// The loop's side allocates nothing and says when results came.
func TestLinkAllocatesNothing(t *testing.T) {
	s := rthstest.Must(scenario.Shipped("two-rate.yaml",
		"two_rate={main_step: 20, predictor: {kind: poly3}, process: own}"))
	taken := 1.5
	p := newPair(t, s, &taken)
	p.link.Start(realtime.Now() - 2e9)
	server := NewServer(p.calc, 20)
	asked, given := make([]float64, p.calc.Asks()), make([]float64, p.calc.Gives())
	server.request = make([]float64, p.ask.Shape().Width)
	asked[len(asked)-1] = 1000
	n := testing.AllocsPerRun(200, func() {
		p.link.Post(asked)
		if !p.ask.Take(server.request) {
			t.Fatal("nothing was asked")
		}
		server.step(p.give)
		if !p.link.Collect(given) || p.link.Collect(given) {
			t.Fatal("want one result")
		}
	})
	if n != 0 {
		t.Errorf("%g allocations in a main step", n)
	}
	c := p.link.Channels()
	if at, took := *c[0].V, *c[1].V; !(at >= 2 && at < 30 && math.Abs(took-1e6*(at-1.5)) < 1e-3) {
		t.Errorf("arrived %g s after the start and took %g µs: want more than 2 s, and the time since 1.5 s", at, took)
	}
	if given[0] >= 0 {
		t.Errorf("the interface goes to %g m: a force of 1000 N pulls it back", given[0])
	}
}

// Rows that nobody takes are not waited for: a loop posts on, and its results stay away.
func TestLinkWithoutServer(t *testing.T) {
	s := rthstest.Must(scenario.Shipped("two-rate.yaml",
		"two_rate={main_step: 20, predictor: {kind: poly3}, process: own, late: 3}"))
	taken := 0.0
	p := newPair(t, s, &taken)
	for range 100 {
		p.link.Post(make([]float64, p.calc.Asks()))
	}
	if p.link.Collect(make([]float64, p.calc.Gives())) || p.link.Err() != nil {
		t.Errorf("a result, or %v: want none of both", p.link.Err())
	}
	p.link.Ended(errors.New("killed"))
	if err := p.link.Err(); err == nil || err.Error() != "killed" {
		t.Errorf("%v: want killed", err)
	}
}

// clock is a clock that moves at every look, by the next of its steps.
type clock struct {
	at    int64 // ns
	steps []int64
}

func (c *clock) now() int64 {
	c.at += c.steps[0]
	c.steps = c.steps[1:]
	return c.at
}

// The longest of some main steps is the longest by their clock, without the first of all. It leaves the
// state of a structure in motion as it was.
func TestLongest(t *testing.T) {
	calc, steps, err := ownProcess("poly3").Calculator(scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	server := NewServer(calc, steps)
	asked, given := make([]float64, calc.Asks()), make([]float64, calc.Gives())
	asked[0], asked[len(asked)-1] = 1, 1000
	for range 5 {
		server.Step(given, asked)
	}
	before := rths.AppendState(nil, calc)
	c := &clock{steps: []int64{7, 900, 7, 20, 7, 50, 7, 30}} // between, first, between, second, …
	server.now = c.now
	if got := server.Longest(3); got != 50 || len(c.steps) != 0 {
		t.Errorf("the longest of 20, 50 and 30 ns is %v, and %d looks at the clock are left", got, len(c.steps))
	}
	if after := rths.AppendState(nil, calc); !equal(after, before) || before[0] == 0 {
		t.Errorf("the state is %v: want %v", after, before)
	}
}

// The time of a result counts from the start, and its duration from the reading of its main instant. Of results
// that are collected at once the longest time counts.
func TestLinkTellsWhenResultsCame(t *testing.T) {
	taken := 0.0
	p := newPair(t, ownProcess("poly3"), &taken)
	p.link.Start(100e9)
	server := NewServer(p.calc, 20)
	server.request = make([]float64, p.ask.Shape().Width)
	given := make([]float64, p.calc.Gives())
	post := func(at float64) {
		taken = at
		p.link.Post(make([]float64, p.calc.Asks()))
	}
	serve := func(done int64) {
		server.now = func() int64 { return done }
		if !p.ask.Take(server.request) {
			t.Fatal("nothing was asked")
		}
		server.step(p.give)
	}
	want := func(arrived, took float64) {
		t.Helper()
		if !p.link.Collect(given) {
			t.Fatal("no result")
		}
		c := p.link.Channels()
		rthstest.Near(t, "arrived", *c[0].V, arrived, 1e-12)
		rthstest.Near(t, "took", *c[1].V, took, 1e-6)
	}
	post(1)
	post(1.25)
	serve(101.5e9)
	serve(101.5625e9)
	want(1.5, 0.5e6)    // of the first, which is old
	want(1.5625, 0.5e6) // together with the second, which took 0.3125 s
	post(2)
	serve(102.125e9)
	want(2.125, 0.125e6)
	post(3)
	post(3.125)
	serve(103.25e9)
	serve(104.125e9)
	want(3.25, 0.25e6)
	want(4.125, 1e6)
}

// A replay gives each result once the record says that it had come, in order, with the times of the record's row. The
// times of the row before stay until then.
func TestRecordedGivesWhatHadCome(t *testing.T) {
	s := ownProcess("none")
	r, alone := new(Recorded), rthstest.Must(calculator(s))
	r.Connect(rthstest.Must(calculator(s)), s.TwoRate.MainStep)
	asked, given, want := make([]float64, alone.Asks()), make([]float64, alone.Gives()), make([]float64, alone.Gives())
	for k := range 3 {
		asked[0] = float64(k + 1)
		r.Post(asked)
	}
	for k, row := range []struct{ results, arrived, took float64 }{{0, 0.1, 10}, {1, 0.2, 20}, {1, 0.3, 30},
		{3, 0.4, 40}} {
		r.Results, r.ArrivedS, r.TookUs = row.results, row.arrived, row.took
		before, collected := values(r.Channels()), r.collected
		for r.Collect(given) {
			asked[0] = r.collected
			if alone.Step(want, asked); !equal(given, want) {
				t.Fatalf("row %d: result %g is %v: want %v", k, r.collected, given, want)
			}
			before = []float64{row.arrived, row.took}
		}
		if r.collected != row.results || !equal(values(r.Channels()), before) {
			t.Errorf("row %d: %g results, behind %g, with %v: want %g with %v", k, r.collected, collected, values(r.Channels()),
				row.results, before)
		}
	}
	if r.Results = 4; r.Collect(given) {
		t.Error("a fourth result of three main steps")
	}
}

// calculator is the calculating half of a scenario.
func calculator(s *scenario.Scenario) (*integrate.Calculator, error) {
	c, _, err := s.Calculator(scenario.Options{})
	return c, err
}

// A main step whose result has no place is made all the same: the state equals the state of a
// calculator whose results all have one.
func TestServerGoesOnWithoutPlace(t *testing.T) {
	s := ownProcess("none")
	p := newPair(t, s, new(float64))
	alone, steps, err := s.Calculator(scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	server, rows := NewServer(p.calc, steps), p.give.Shape().Rows
	server.request = make([]float64, p.ask.Shape().Width)
	var results [][]float64
	for k := range rows + 3 {
		server.request[askColumns] = float64(k + 1)
		server.step(p.give)
		result := make([]float64, alone.Gives())
		alone.Step(result, server.request[askColumns:])
		results = append(results, result)
	}
	if a, b := rths.AppendState(nil, p.calc), rths.AppendState(nil, alone); !equal(a, b) {
		t.Errorf("state %v: want %v", a, b)
	}
	given := make([]float64, p.calc.Gives())
	for k, want := range results[:rows] {
		if !p.link.Collect(given) || !equal(given, want) {
			t.Fatalf("result %d is %v: want %v", k, given, want)
		}
	}
	if p.link.Collect(given) {
		t.Errorf("more than %d results", rows)
	}
}

// A ring of another version or scenario is refused.
func TestMatch(t *testing.T) {
	s := ring.Shape{Session: 1, Width: 3, Rows: 5, RateHz: 10}
	other := s
	other.Width = 4
	if Match(s, s) != nil || Match(other, s) == nil {
		t.Error("want equal shapes only")
	}
}

// delayed gives results late: of ten main steps three, by one to three.
type delayed struct {
	Recorded
	posted int
}

func (d *delayed) Post(asked []float64) {
	d.Recorded.Post(asked)
	d.posted++
	late := []int{0, 0, 0, 1, 2, 3, 0, 0, 1, 0}[d.posted%10]
	d.Results = max(d.Results, float64(d.posted-late))
}

// Energies, floors and all that sets the numerical part against other values see every tick once, with the state of
// that tick, also where results come late: the energies balance. In an open loop, whose numerical part does not
// depend on the targets, the floors equal those of a run in time, to the bit.
func TestLateResultsAreJudgedAtTheirInstants(t *testing.T) {
	run := func(late bool, sets ...string) map[string]float64 {
		s := rthstest.Must(scenario.Shipped("two-rate.yaml",
			append(sets, "criteria={floors: true}", "duration_s=30",
				"two_rate={main_step: 20, predictor: {kind: none}, process: own, late: 4}")...))
		o, d := scenario.Options{}, new(delayed)
		if late {
			o.Numerical = d
		}
		r := rthstest.Must(s.Build(t.Context(), o))
		if late {
			d.Connect(r.MainSteps())
		}
		if err := r.Loop.Run(0, nil); err != nil {
			t.Fatal(err)
		}
		out := map[string]float64{}
		for _, v := range append(r.Summary(), r.Indicators()...) {
			out[v.Name] = v.V
		}
		return out
	}
	closed := run(true, "indicators={energies: true}")
	if left := closed["energy_residual_pct"]; !(left > 0 && left < 1e-6) {
		t.Errorf("the energies leave %g %%", left)
	}
	late, once := run(true, "loop=open"), run(false, "loop=open")
	floors := 0
	for name, want := range once {
		if strings.HasPrefix(name, "floor") || strings.HasPrefix(name, "drift") || strings.HasPrefix(name, "base") {
			if floors++; late[name] != want || !(want > 0) {
				t.Errorf("%s is %g, with results in time %g", name, late[name], want)
			}
		}
	}
	if floors < 6 {
		t.Errorf("%d results of floors: want 6 or more", floors)
	}
}
