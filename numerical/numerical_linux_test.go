package numerical

import (
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rths/integrate"
	"rths/realtime"
	"rths/ring"
	"rths/rthstest"
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
	}
	p.collected++
	return true
}

// Target, command and measured displacement with the numerical part elsewhere are those of one process, to the bit, through
// the decay behind the motion too; so are the criteria up to the main step that is not compared.
func TestTwoSidesAreOneProcess(t *testing.T) {
	for _, set := range []string{
		"predictor: {kind: none}", "predictor: {kind: poly3}", "predictor: {kind: dual-explicit}",
		"predictor: {kind: none}, force_fit: 8", "predictor: {kind: poly3}, force_fit: 8", "predictor: {kind: dual-explicit}, force_fit: 8",
	} {
		sets := []string{"ground={kind: sine, frequency_hz: 2, amplitude_m_s2: 1, duration_s: 1}", "duration_s=60", "structure.damping={modal_ratio: [0.2]}"} // states come down to zero
		one := rthstest.Must(scenario.Shipped("two-rate.yaml", append(sets, "two_rate={main_step: 20, "+set+"}")...))
		two := rthstest.Must(scenario.Shipped("two-rate.yaml", append(sets, "two_rate={main_step: 20, "+set+", process: own}")...))
		taken := 0.0
		p := newPair(t, two, &taken)
		p.serve(t, two)
		a := rthstest.Must(one.Build(scenario.Options{}))
		b := rthstest.Must(two.Build(scenario.Options{Numerical: &patient{Link: p.link}}))
		most := 0.0
		for !a.Loop.Done() {
			if err := errors.Join(a.Loop.Step(), b.Loop.Step()); err != nil {
				t.Fatal(err)
			}
			x, y := a.Loop.Frame(), b.Loop.Frame()
			for i, pair := range [][2]float64{{x.Target.X[0], y.Target.X[0]}, {x.Command[0], y.Command[0]}, {x.Read.X[0], y.Read.X[0]}, {x.Force[0], y.Force[0]}} {
				if math.Float64bits(pair[0]) != math.Float64bits(pair[1]) {
					t.Fatalf("%s, tick %d, number %d: %g and %g", set, x.K, i, pair[0], pair[1])
				}
			}
			most = max(most, math.Abs(x.Read.X[0]))
		}
		if end := a.Loop.Frame().Wanted.X[0]; most < 1e-5 || end != 0 {
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

// The loop's side allocates nothing and says when results came.
func TestLinkAllocatesNothing(t *testing.T) {
	s := rthstest.Must(scenario.Shipped("two-rate.yaml", "two_rate={main_step: 20, predictor: {kind: poly3}, process: own}"))
	taken := 1.5
	p := newPair(t, s, &taken)
	p.link.Start(realtime.Now() - 2e9)
	server := NewServer(p.calc, 20)
	asked, given := make([]float64, p.calc.Asks()), make([]float64, p.calc.Gives())
	server.asked = make([]float64, p.ask.Shape().Width)
	asked[len(asked)-1] = 1000
	n := testing.AllocsPerRun(200, func() {
		p.link.Post(asked)
		if !p.ask.Take(server.asked) {
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
	s := rthstest.Must(scenario.Shipped("two-rate.yaml", "two_rate={main_step: 20, predictor: {kind: poly3}, process: own, late: 3}"))
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

// Timing main steps leaves the state as it was.
func TestLongestLeavesTheState(t *testing.T) {
	s := rthstest.Must(scenario.Shipped("soil-structure.yaml", "two_rate={main_step: 8, predictor: {kind: poly3}, process: own}"))
	calc, steps, err := s.Calculator(scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	server := NewServer(calc, steps)
	if d := server.Longest(8); !(d > 0 && d < 10*time.Second) {
		t.Errorf("a main step of %v", d)
	}
	for i, x := range calc.AppendState(nil) {
		if math.Float64bits(x) != 0 {
			t.Fatalf("state %d is %g", i, x)
		}
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

// Energies, floors and all that sets the numerical part against other values see every tick once, with the state of that
// tick, also where results come late: the energies balance; and in an open loop, whose numerical part does not depend on
// the targets, the floors are those of a run in time, to the bit.
func TestLateResultsAreJudgedAtTheirInstants(t *testing.T) {
	run := func(late bool, sets ...string) map[string]float64 {
		s := rthstest.Must(scenario.Shipped("two-rate.yaml", append(sets, "criteria={floors: true}", "duration_s=30", "two_rate={main_step: 20, predictor: {kind: none}, process: own, late: 4}")...))
		o, d := scenario.Options{}, new(delayed)
		if late {
			o.Numerical = d
		}
		r := rthstest.Must(s.Build(o))
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
