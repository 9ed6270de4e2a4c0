package session

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"rths"
	"rths/lab/numerical"
	"rths/lab/rig/wire"
	"rths/model/integrate"
	"rths/result/record"
	"rths/scenario"
)

// Difference is the first place where a replay is not what the record says.
type Difference struct {
	Row      int // of all rows of the test, those around the run included
	Column   string
	Recorded float64
	Replayed float64
}

// String says where and what.
func (d *Difference) String() string {
	return fmt.Sprintf("row %d: %s is %.17g in the record and %.17g in the replay", d.Row, d.Column, d.Recorded,
		d.Replayed)
}

// Replay is a fresh loop that has had the readings of a record.
type Replay struct {
	Rows  int         // that were replayed
	Ticks int         // of the run among them
	First *Difference // nil: every number of every row is equal to the bit
	// why the record is not known to be as the test left it; "": its hashes are those of the manifest
	Unchecked string
	Manifest  record.Manifest // with the results of the fresh loop
	Run       *scenario.Run   // the fresh loop, at its end
	Cause     string          // what stopped the fresh loop first; "": nothing
	Rested    bool            // the record goes to the end of the test
	Moves     []record.Move
	ShiftX    []float64 // m
	ShiftF    []float64 // N
}

// NewReplay gives the recorded readings of the test in a folder to a fresh loop of its scenario, and compares every
// number of every row. Readings and stamps come from the record itself: only its hashes tell that they were altered
// (record.Damage).
func NewReplay(ctx context.Context, dir string, o scenario.Options) (*Replay, error) {
	m, err := record.LoadManifest(dir)
	if err != nil {
		return nil, err
	}
	if m.Test == nil {
		return nil, fmt.Errorf("%s is no test in the laboratory: a virtual run is run again (rths run %s)", dir, dir)
	}
	r, err := newRows(m.Columns)
	if err == nil {
		err = r.read(dir)
	}
	if err != nil {
		return nil, err
	}
	p, err := replay(ctx, &m, r, o)
	if err == nil {
		p.Unchecked = m.Unchecked()
	}
	return p, err
}

func replay(ctx context.Context, m *record.Manifest, r *rows, o scenario.Options) (*Replay, error) {
	if r.len() == 0 {
		return nil, errors.New("the record has no rows: want a test that has begun")
	}
	p, err := newPlayer(ctx, m, o)
	if err != nil {
		return nil, err
	}
	out, test := &Replay{Rows: r.len(), Manifest: *m}, *m.Test
	out.Manifest.Test = &test
	for i := 0; i < out.Rows && p.first == nil; i++ { // after a difference everything may differ
		if err := p.play(r.at(i), i); err != nil {
			return nil, err
		}
	}
	run, end := p.course.run, p.course.err
	out.Run, out.Ticks, out.First, out.Cause = run, run.Loop.Ticks(), p.first, p.course.cause()
	out.Moves, out.ShiftX, out.ShiftF = p.course.moves, p.course.tape.shiftX, p.course.tape.shiftF
	conclude(ctx, &out.Manifest, run, end)
	out.Manifest.Client = clientOf(run, &out.Manifest)
	at := lastSeen(r.columns, r.lastRead(), m.RateHz)
	if out.Rested = p.course.phase == ended; out.Rested {
		at = p.course.still.rest()
	}
	restless(&out.Manifest, at)
	return out, nil
}

// player is a rig that gives recorded readings, and the course that they go through.
type player struct {
	course  *course
	layout  *record.Layout
	columns []record.Column
	place   map[string]int // of a column
	row     []float64      // recorded
	now     []float64      // replayed
	wrote   bool
	first   *Difference
	steps   *numerical.Recorded       // nil: the loop makes the main steps
	client  *numerical.RecordedClient // nil: the structure was here
	targets []int                     // places of the client's targets
	sensors rths.Sensors
	x, f    []int // places of the raw readings
	a, l    []int
}

func newPlayer(ctx context.Context, m *record.Manifest, o scenario.Options) (*player, error) {
	s, err := scenario.ParseResolved("the scenario of the record", []byte(m.Scenario), m.Folder, nil)
	if err != nil {
		return nil, err
	}
	p := &player{columns: m.Columns, place: place(m.Columns), now: make([]float64, len(m.Columns))}
	wish := s.Expectation("")
	t := newTape(p, wish, s.Rating().Rate)
	p.sensors = wish.Sensors
	for _, list := range []struct {
		of             *[]int
		quantity, unit string
		n              int
	}{{&p.x, raw, "m", p.sensors.X}, {&p.f, raw, "N", p.sensors.F}, {&p.a, raw, "m/s²", p.sensors.A},
		{&p.l, rawLength, "m", p.sensors.L}} {
		for i := range list.n {
			name := rths.ColumnName(list.quantity, list.unit, i, list.n)
			at, ok := p.place[name]
			if !ok {
				return nil, fmt.Errorf("the record has no column %s: want the record of a test in the laboratory (rths test)", name)
			}
			*list.of = append(*list.of, at)
		}
	}
	o.Rig, o.Disarmed, o.Rehearsed = t, true, true
	if s.Separate() {
		p.steps = new(numerical.Recorded)
		o.Numerical = p.steps
	}
	if of := s.External(); of != nil {
		p.client = &numerical.RecordedClient{X: make([]float64, of.DOF)}
		o.Client = p.client
		for i := range of.DOF {
			p.targets = append(p.targets, p.place[rths.ColumnName("client_target", "m", i, of.DOF)])
		}
	}
	r, err := s.Build(ctx, o)
	if err != nil {
		return nil, err
	}
	if of := m.Test.Rehearsal; of != nil {
		r.Plausibility.SetRehearsed(of.Specimen)
	}
	if p.steps != nil {
		p.steps.Connect(r.MainSteps())
	}
	if p.layout, err = record.NewLayout(r.Loop.Frame(), r.Channels); err != nil {
		return nil, err
	}
	if !slices.EqualFunc(p.layout.Columns, m.Columns, func(a, b record.Column) bool { return a.Name == b.Name }) {
		return nil, errors.New("the record has other columns than the loop of its scenario: want the version of the " +
			"program that made it")
	}
	t.stamps = func(t *tape) {
		for i, name := range []string{atReading: "reading", atStatus: "rig_status", atActed: "acted",
			atMeasured: "measured_at_s", atDue: "due_at_s", atTaken: "taken_at_s", atLeft: "left_at_s"} {
			if name != "" {
				t.values[i] = p.row[p.place[name]]
			}
		}
	}
	if p.course, err = newCourse(r, t, p.take); err != nil {
		return nil, err
	}
	return p, nil
}

// take has the replayed row.
func (p *player) take() { p.wrote = p.layout.Row(p.now, p.course.frame()) == nil }

func (p *player) number(column string) float64 { return p.row[p.place[column]] }

// play is a recorded row: the same tick once more.
func (p *player) play(row []float64, n int) error {
	p.row, p.wrote = row, false
	if p.steps != nil {
		p.steps.Results, p.steps.ArrivedS, p.steps.TookUs = p.number("main_results"), p.number("main_arrived_at_s"),
			p.number("main_took_us")
	}
	if p.client != nil {
		p.recall()
	}
	c := p.course
	if n == 0 {
		return p.begin()
	}
	if why := cause(p.number("asked")); why > nothing && why < causes {
		c.ask(why)
	}
	if c.phase == ended {
		return fmt.Errorf(
			"row %d: the replay has come to rest and the record goes on: the record is not of this scenario and version", n)
	}
	c.tick()
	p.compare(n)
	return nil
}

// recall gives the client what the row says of it.
func (p *player) recall() {
	c := p.client
	c.What, c.Fault = integrate.Nothing, numerical.Fault(p.number("client_fault"))
	switch {
	case p.number("new_target") != 0:
		c.What = integrate.NewTarget
	case p.number("client_ended") != 0:
		c.What = integrate.TheEnd
	}
	for i, at := range p.targets {
		c.X[i] = p.row[at]
	}
	c.Time, c.Steps, c.Moved = p.number("client_time_s"), p.number("client_steps"), p.number("client_motions")
}

// begin takes what the loop met.
func (p *player) begin() error {
	if phase(p.number("phase")) != met {
		return errors.New(
			"the record does not begin with the reading before the first command: want a complete record (rths recover)")
	}
	c := p.course
	at := p.sensors.Reading()
	if err := p.Read(&at); err != nil {
		return err
	}
	first := make([]float64, len(p.x))
	for i := range first {
		first[i] = p.number(rths.ColumnName("command", "m", i, len(first)))
	}
	// Whether the guard stood at the first command shows in what it sent.
	to := false
	for i, u := range first {
		to = to || math.Float64bits(u) != math.Float64bits(p.number(rths.ColumnName("guard_command", "m", i, len(first))))
	}
	if err := c.begin(&at, first, to); err != nil {
		return err
	}
	p.compare(0)
	return nil
}

// compare looks for the first difference.
func (p *player) compare(n int) {
	if p.first != nil {
		return
	}
	for i, v := range p.row {
		if !p.wrote || math.Float64bits(v) != math.Float64bits(p.now[i]) {
			p.first = &Difference{Row: n, Column: p.columns[i].Name, Recorded: v, Replayed: p.now[i]}
			return
		}
	}
}

// Read gives the recorded reading.
func (p *player) Read(out *rths.Reading) error {
	if p.number("raw_failed") != 0 {
		if s := wire.Status(p.number("rig_status")); s.Alone() {
			return fmt.Errorf("the rig takes no commands any more, it is %s", s)
		}
		return errors.New("the rig gave no reading any more")
	}
	for _, list := range []struct {
		to   []float64
		from []int
	}{{out.X, p.x}, {out.F, p.f}, {out.A, p.a}, {out.L, p.l}} {
		for i, at := range list.from {
			list.to[i] = p.row[at]
		}
	}
	out.Age, out.Late = int(p.number("raw_age")), p.number("raw_late") != 0
	return nil
}

// Write takes the command, which the row shows.
func (p *player) Write([]float64) error { return nil }
