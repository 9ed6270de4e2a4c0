package session

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/lab/numerical"
	"rths/lab/rig"
	"rths/model/integrate"
	"rths/result/record"
	"rths/scenario"
)

// small is a test on one actuator.
var small = rthstest.TwoStoreys(1,
	"{kind: udp, clock: rig, watchdog_ms: 1500, late: {hold_after: 20, ramp_after: 60, most: 60, within: 200}}")

func scenarioOf(text string) (*scenario.Scenario, error) {
	return scenario.Parse("it", []byte(text), ".", nil)
}

// chaos is a rig that loses, repeats and fails readings at random.
type chaos struct {
	rig  rths.Rig
	r    *rand.Rand
	last rths.Reading
	old  int     // samples for which readings go on to be lost
	harm float64 // probability
}

var errChaos = errors.New("the rig takes no commands any more")

func (c *chaos) Read(out *rths.Reading) error {
	now := rths.Sensors{X: len(out.X), F: len(out.F), A: len(out.A), L: len(out.L)}.Reading()
	if err := c.rig.Read(&now); err != nil {
		return err
	}
	switch u := c.r.Float64() * 1e3; {
	case c.old > 0:
		c.old--
		c.last.Age++
		c.last.Late = true
	case u < c.harm:
		c.old = c.r.IntN(40)
		c.last.Age++
		c.last.Late = true
	case u < 1.1*c.harm:
		return errChaos
	default:
		now.Age, now.Late = 0, u < 2*c.harm
		c.last = now
	}
	if c.last.X == nil { // the first one was lost
		c.last = now
	}
	out.Take(&c.last)
	if c.r.Float64()*1e4 < c.harm {
		out.X[0] = []float64{math.NaN(), math.Inf(1), 5}[c.r.IntN(3)]
	}
	return nil
}

func (c *chaos) Write(command []float64) error { return c.rig.Write(command) }

// lateSteps is a numerical part in a process of its own whose results come late at random.
type lateSteps struct {
	numerical.Recorded
	r      *rand.Rand
	harm   float64
	posted int
}

func (l *lateSteps) Post(asked []float64) {
	l.Recorded.Post(asked)
	l.posted++
	late := 0
	if l.r.Float64()*100 < l.harm {
		late = 1 + l.r.IntN(4)
	}
	l.Results = max(l.Results, float64(l.posted-late)) // what has come by the next main instant
	l.ArrivedS, l.TookUs = l.r.Float64(), 1e3*l.r.Float64()
}

// analysis is one in another program: it gives targets, some of them late, until it ends or has gone.
type analysis struct {
	numerical.RecordedClient
	r       *rand.Rand
	late    float64 // probability
	targets int
	last    numerical.Fault // after the targets; 0: its farewell
}

func (a *analysis) Next(x []float64) (integrate.Arrival, error) {
	a.What, a.Fault = integrate.Nothing, 0
	if a.r.Float64() >= a.late {
		a.What = integrate.NewTarget
		if a.targets--; a.targets < 0 {
			a.What, a.Fault = integrate.TheEnd, a.last
		}
		a.Steps, a.Moved, a.Time = a.Steps+1, a.Moved+2, a.Time+0.03125
		for i := range a.X {
			a.X[i] = 2e-3 * (a.r.Float64() - 0.5)
		}
	}
	return a.RecordedClient.Next(x)
}

// take runs a test by its course, with causes from outside at random ticks, and returns its rows.
func take(t *testing.T, s *scenario.Scenario, r *rand.Rand, harm float64) (*rows, *record.Manifest, *course) {
	t.Helper()
	return takeFrom(t, s, r, harm, 0)
}

// takeFrom is take with the first command of each actuator, m.
func takeFrom(t *testing.T, s *scenario.Scenario, r *rand.Rand, harm, first float64) (*rows, *record.Manifest,
	*course) {
	t.Helper()
	lab := rthstest.Must(s.Laboratory(scenario.Options{}))
	band := newTape(&chaos{rig: lab.Rig, r: r, harm: harm}, s.Expectation(""), s.Rating().Rate)
	late := &lateSteps{r: r, harm: harm}
	o := scenario.Options{Rig: band, Disarmed: true, Rehearsed: true}
	if s.Separate() {
		o.Numerical = late
	}
	if of := s.External(); of != nil {
		o.Client = &analysis{
			RecordedClient: numerical.RecordedClient{X: make([]float64, of.DOF)}, r: r, late: 0.3 * r.Float64(), targets: 20,
			last: []numerical.Fault{0, 0, numerical.Left, numerical.NotFinite}[r.IntN(4)],
		}
	}
	run := rthstest.Must(s.Build(t.Context(), o))
	if s.Separate() {
		late.Connect(run.MainSteps())
	}
	layout := rthstest.Must(record.NewLayout(run.Loop.Frame(), run.Channels))
	m := rthstest.Must(newManifest(run, ""))
	m.Columns, m.Test = layout.Columns, &record.Test{}
	list := rthstest.Must(newRows(m.Columns))
	row := make([]float64, len(m.Columns))
	c := rthstest.Must(newCourse(run, band, func() {
		if err := layout.Row(row, run.Loop.Frame()); err != nil {
			t.Fatal(err)
		}
		list.numbers = append(list.numbers, row...)
	}))
	n := 0
	band.stamps = func(t *tape) {
		t.values[atReading], t.values[atActed], t.values[atTaken] = float64(n), float64(n-1), float64(n)/s.RateHz
		n++
	}
	at := lab.Sensors.Reading()
	if err := lab.Rig.Read(&at); err != nil {
		t.Fatal(err)
	}
	to := r.IntN(2) == 0
	if to {
		at.X[0] = 1e-4 * (r.Float64() - 0.5)
	}
	if err := c.begin(&at, slices.Repeat([]float64{first}, lab.Sensors.X), to); err != nil {
		t.Fatal(err)
	}
	for k := 0; c.phase != ended; k++ {
		if k > 50000 {
			t.Fatalf("the test does not end: phase %d, guard %s", c.phase, c.guard.State())
		}
		if r.Float64()*1e3 < harm/4 {
			c.ask(cause(1 + r.IntN(int(causes)-1)))
		}
		c.tick()
	}
	m.Test.Cause = c.cause()
	if s.External() != nil {
		finish(&m, run, c.err)
		describeClient(&m, run)
	}
	for range 10 { // held, without rows: what happens then is not of the test
		c.tick()
	}
	return list, &m, c
}

// Whatever happens to a test, its replay is equal to the bit, and no command leaves that is faster
// than the rig's rate or beyond its stroke.
func TestReplayOfRandomTests(t *testing.T) {
	starts := []string{"", "start: {zero: both}, ", "start: {move_m: 0.0005, settle_s: 0.05}, ",
		"start: {preload_m: [0.001], zero: force, settle_s: 0.1}, "}
	seen := map[string]int{}
	for seed := range uint64(rthstest.Draws(60, 600)) {
		r := rand.New(rand.NewPCG(seed, 20))
		s := rthstest.Must(scenario.Parse("small", []byte(small), ".",
			[]string{fmt.Sprintf("seed=%d", seed), "rig={kind: udp, clock: rig, watchdog_ms: 1500, " + starts[r.IntN(4)] +
				"late: {hold_after: 20, ramp_after: 60, most: 60, within: 200}}"}))
		list, m, c := take(t, s, r, []float64{0, 4, 40}[r.IntN(3)])
		again, err := replay(t.Context(), m, list, scenario.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if again.First != nil || again.Ticks != c.run.Loop.Ticks() || kindOf(again.Cause) != kindOf(m.Test.Cause) {
			t.Errorf("seed %d: %v; %d ticks, cause %q: want %d and %q", seed, again.First, again.Ticks, again.Cause,
				c.run.Loop.Ticks(), m.Test.Cause)
		}
		sent := column(list, "raw_command_m")
		for k := 1; k < len(sent); k++ {
			if step := math.Abs(sent[k] - sent[k-1]); step > 0.5/256*(1+1e-9) || math.Abs(sent[k]) > 0.1+1e-3 {
				t.Errorf("seed %d, row %d: a command of %g m, by a step of %g m", seed, k, sent[k], step)
				break
			}
		}
		seen[again.Manifest.Status]++
	}
	if seen[rths.Completed] == 0 || seen[rths.Tripped] == 0 || seen[rths.Stopped] == 0 {
		t.Errorf("tests that ended %v: want each kind", seen)
	}
}

// A replay of a test whose numerical part had a process of its own is equal to the bit, with main steps late by one or
// more, up to the end of the test for that reason; and the counts are those of its rows.
func TestReplayOfLateMainSteps(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(rthstest.Draws(40, 400)) {
		r := rand.New(rand.NewPCG(seed, 22))
		kind := []string{"none", "poly3", "dual-explicit", "linear-acceleration"}[r.IntN(4)]
		s := rthstest.Must(scenario.Parse("small", []byte(small), ".", []string{
			fmt.Sprintf("seed=%d", seed), "timing.target=next", "integrator={kind: gui, lambda: 3}",
			"indicators={energies: true, tracking: true}",
			fmt.Sprintf("two_rate={main_step: %d, predictor: {kind: %s}, force_fit: %d, process: own, late: %d}", 1+r.IntN(7),
				kind, 4*r.IntN(2), 1+r.IntN(4)),
		}))
		list, m, c := take(t, s, r, []float64{0, 4, 40}[r.IntN(3)])
		again, err := replay(t.Context(), m, list, scenario.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if again.First != nil || again.Ticks != c.run.Loop.Ticks() || kindOf(again.Cause) != kindOf(m.Test.Cause) {
			t.Errorf("seed %d: %v; %d ticks, cause %q: want %d and %q", seed, again.First, again.Ticks, again.Cause,
				c.run.Loop.Ticks(), m.Test.Cause)
		}
		list.count(m)
		of, late := m.Test.MainSteps, 0
		missing, n := column(list, "main_missing"), s.TwoRate.MainStep
		k := 0
		for row := range list.all(ofRun) {
			if k > 0 && k%n == 0 && row[place(list.columns)["main_missing"]] > 0 {
				late++
			}
			k++
		}
		failed := strings.Contains(m.Test.Cause, "has given no result")
		// then nothing is asked for any more; something else may have stopped the test before
		over := slices.Max(missing) > float64(s.LateMainSteps())
		if of.Late > late || !over && of.Late != late || failed && !over || of.LongestLate > of.Late || of.Late > of.Steps ||
			of.Steps > 0 && !over && of.Took.Count == 0 {
			t.Errorf("seed %d: %d late of %d main steps, %d in a row, %d came: want %d late ones; failed: %t", seed, of.Late,
				of.Steps, of.LongestLate, of.Took.Count, late, failed)
		}
		switch {
		case failed:
			seen["failed"]++
		case of.Late > 0:
			seen["late"]++
		default:
			seen["in time"]++
		}
	}
	if len(seen) != 3 {
		t.Errorf("tests %v: want each kind", seen)
	}
}

// external is a test whose structure is an analysis in another program.
const external = `
name: external
rate_hz: 256
duration_s: 1.5
timing: {target: next}
structure: {kind: external, dt_s: 0.03125}
specimen: {kind: linear, stiffness: 1e5}
transfer: {kind: second-order, stroke_m: 0.1, rate_m_s: 0.5}
compensator: {kind: none}
limits: [{channel: measured_m, trip: 0.05, action: ramp}]
rig: {kind: udp, clock: rig, watchdog_ms: 1500, late: {hold_after: 20, ramp_after: 60, most: 60, within: 200}}
`

// A replay of a test that an analysis in another program has led is equal to the bit, whatever the analysis
// did, and tells the same of it.
func TestReplayOfAnAnalysis(t *testing.T) {
	seen := map[record.ClientEnd]int{}
	for seed := range uint64(rthstest.Draws(30, 300)) {
		r := rand.New(rand.NewPCG(seed, 23))
		s := rthstest.Must(scenario.Parse("external", []byte(external), ".",
			[]string{fmt.Sprintf("duration_s=%g", []float64{0.5, 1.5, 1.5}[r.IntN(3)])}))
		list, m, c := take(t, s, r, []float64{0, 0, 4}[r.IntN(3)])
		again, err := replay(t.Context(), m, list, scenario.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if again.First != nil || again.Ticks != c.run.Loop.Ticks() || kindOf(again.Cause) != kindOf(m.Test.Cause) ||
			!reflect.DeepEqual(again.Manifest.Client, m.Client) {
			t.Errorf("seed %d: %v; %d ticks, cause %q, client %+v: want %d, %q and %+v", seed, again.First, again.Ticks,
				again.Cause, again.Manifest.Client, c.run.Loop.Ticks(), m.Test.Cause, m.Client)
		}
		seen[m.Client.End]++
	}
	for _, end := range []record.ClientEnd{record.Farewell, record.Gone, record.NotFinite, record.TimeUp} {
		if seen[end] == 0 {
			t.Errorf("tests that ended %v: want each kind", seen)
		}
	}
}

// kindOf is who stopped a test; what a rig said in words is not in the record.
func kindOf(cause string) string {
	if who, _, ok := strings.Cut(cause, ": "); ok && who == "rig" {
		return who
	}
	return cause
}

func column(r *rows, name string) (out []float64) {
	at := place(r.columns)[name]
	for row := range r.all(every) {
		out = append(out, row[at])
	}
	return out
}

// Replays of tests with several actuators, computed and recovered forces, two rates,
// accelerometers and open loops are equal to the bit.
func TestReplayOfEveryKind(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		sets []string
	}{
		"several actuators, recovered forces": {"benchmark-multiaxial.yaml",
			[]string{"ground={kind: sine, frequency_hz: 2, amplitude_m_s2: 1, duration_s: 1}"}},
		"rigid body": {"loading-block.yaml",
			[]string{"expect=", "more_ground=", "ground={kind: sine, frequency_hz: 2, amplitude_m_s2: 1, duration_s: 1}"}},
		"two processes": {"two-rate.yaml",
			[]string{"two_rate.process=own", "ground={kind: sine, frequency_hz: 2, amplitude_m_s2: 1, duration_s: 1}"}},
		"two rates": {"two-rate.yaml",
			[]string{"ground={kind: sine, frequency_hz: 2, amplitude_m_s2: 1, duration_s: 1}"}},
		"accelerometer": {"shake-table-acceleration.yaml",
			[]string{"expect=", "ground={kind: sine, frequency_hz: 2, amplitude_m_s2: 1, duration_s: 1}"}},
		"yielding specimen": {"nonlinear-c.yaml",
			[]string{"ground={kind: sine, frequency_hz: 2, amplitude_m_s2: 1, duration_s: 1}"}},
		"computed force": {"demo.yaml",
			[]string{"duration_s=1", "force=computed", "transfer={kind: second-order, stroke_m: 0.1}",
				"specimen={kind: linear, damping: 114, stiffness: 1e6}",
				"structure={kind: shear, masses: [1000], stiffnesses: [5e6], damping: {modal_ratio: [0.05]}}"}},
		"kalman-inverse": {"demo.yaml", []string{"duration_s=1", "compensator={kind: kalman-inverse}"}},
		"loading test":   {"demo.yaml", []string{"duration_s=1", "loop=open", "expect="}},
	} {
		t.Run(name, func(t *testing.T) {
			for i, clock := range []string{"lockstep", "rig"} {
				s := rthstest.Must(scenario.Load("../../scenarios/"+c.file,
					append(slices.Clone(c.sets), "limits=[{channel: measured_m, trip: 0.2}, {channel: non_finite, action: hold}]",
						"rig={kind: udp, clock: "+clock+"}")))
				list, m, course := take(t, s, rand.New(rand.NewPCG(uint64(i), 1)), 0.5*float64(i))
				again, err := replay(t.Context(), m, list, scenario.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if again.First != nil || again.Ticks != course.run.Loop.Ticks() || i == 0 && again.Ticks < 200 {
					t.Errorf("clock %s: %v; %d ticks: want %d", clock, again.First, again.Ticks, course.run.Loop.Ticks())
				}
			}
		})
	}
}

// A tick of the course allocates nothing: before the run, in the run and after it.
func TestCourseAllocatesNothing(t *testing.T) {
	s := rthstest.Must(scenario.Parse("small", []byte(small), ".",
		[]string{"rig={kind: udp, clock: rig, start: {preload_m: [0.001], settle_s: 0.1}}"}))
	lab := rthstest.Must(s.Laboratory(scenario.Options{}))
	band := newTape(lab.Rig, s.Expectation(""), s.Rating().Rate)
	run := rthstest.Must(s.Build(t.Context(), scenario.Options{Rig: band, Disarmed: true}))
	layout := rthstest.Must(record.NewLayout(run.Loop.Frame(), run.Channels))
	row := make([]float64, len(layout.Columns))
	c := rthstest.Must(newCourse(run, band, func() { _ = layout.Row(row, run.Loop.Frame()) }))
	at := rths.Reading{Motion: rths.Motion{X: make([]float64, 1)}, F: make([]float64, 1)}
	if err := c.begin(&at, []float64{0}, false); err != nil {
		t.Fatal(err)
	}
	for _, wanted := range []phase{approach, running, after, ended} {
		for c.phase != wanted {
			c.tick()
		}
		if n := testing.AllocsPerRun(20, c.tick); n != 0 {
			t.Errorf("phase %d: %g allocations a tick", wanted, n)
		}
	}
	if c.guard.State() != rig.Disarmed || c.cause() != "" {
		t.Errorf("guard %s, cause %q", c.guard.State(), c.cause())
	}
}

// numb is a rig whose load cell says NaN from a reading on.
type numb struct {
	rths.Rig
	from, n int
}

func (r *numb) Read(out *rths.Reading) error {
	err := r.Rig.Read(out)
	if r.n++; r.n > r.from {
		out.F[0] = math.NaN()
	}
	return err
}

// A preload whose forces cannot be measured stops the test where it is: nothing is shifted, no command jumps.
func TestPreloadWithoutForces(t *testing.T) {
	for from := 40; from < 90; from++ { // in the settling time, which ends near row 90
		s := rthstest.Must(scenario.Parse("small", []byte(small), ".",
			[]string{"rig={kind: udp, clock: rig, start: {preload_m: [0.001], settle_s: 0.2}}", "force=measured"}))
		lab := rthstest.Must(s.Laboratory(scenario.Options{}))
		band := newTape(&numb{Rig: lab.Rig, from: from}, s.Expectation(""), s.Rating().Rate)
		run := rthstest.Must(s.Build(t.Context(), scenario.Options{Rig: band, Disarmed: true}))
		var sent []float64
		c := rthstest.Must(newCourse(run, band, func() { sent = append(sent, band.command[0]) }))
		at := rths.Reading{Motion: rths.Motion{X: make([]float64, 1)}, F: make([]float64, 1)}
		if err := c.begin(&at, []float64{0}, false); err != nil {
			t.Fatal(err)
		}
		for c.phase != ended {
			c.tick()
		}
		if run.Loop.Ticks() > 0 && from < 60 || c.guard.State() != rig.Tripped && from < 60 {
			t.Errorf("NaN from reading %d on: guard %s, %d ticks of the run", from, c.guard.State(), run.Loop.Ticks())
		}
		for k := 1; k < len(sent); k++ {
			if step := math.Abs(sent[k] - sent[k-1]); step > 0.02/256*1.01 && run.Loop.Ticks() == 0 {
				t.Fatalf("NaN from reading %d on, row %d: a step of %g m", from, k, step)
			}
		}
	}
}
