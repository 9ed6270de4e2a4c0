package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"

	"rths"
	"rths/lab/ring"
	"rths/result/record"
	"rths/scenario"
)

// rows are those of a test, in their order, row by row in one array.
type rows struct {
	columns []record.Column
	width   int
	phase   int       // place of the column phase
	numbers []float64 // all rows
}

func newRows(columns []record.Column) (*rows, error) {
	at, ok := place(columns)["phase"]
	if !ok {
		return nil, errors.New("the record has no column phase: want the record of a test in the laboratory (rths test)")
	}
	return &rows{columns: columns, width: len(columns), phase: at}, nil
}

func (r *rows) len() int { return len(r.numbers) / r.width }

func (r *rows) at(i int) []float64 { return r.numbers[i*r.width : (i+1)*r.width] }

func (r *rows) of(i int) phase { return phase(r.at(i)[r.phase]) }

// lastRead is the last row with a reading; nil: there is none.
func (r *rows) lastRead() []float64 {
	failed := place(r.columns)["raw_failed"]
	for i := r.len() - 1; i >= 0; i-- {
		if row := r.at(i); row[failed] == 0 {
			return row
		}
	}
	return nil
}

// all are the rows of some phases.
func (r *rows) all(wanted func(phase) bool) iter.Seq[[]float64] {
	return func(yield func([]float64) bool) {
		for i := range r.len() {
			if wanted(r.of(i)) && !yield(r.at(i)) {
				return
			}
		}
	}
}

func ofRun(p phase) bool  { return p == running }
func around(p phase) bool { return p != running }
func every(phase) bool    { return true }

// read appends the rows of an archive: those before the run, the run, and those after it.
func (r *rows) read(dir string) error {
	run, err := record.Open(dir)
	if err != nil {
		return err
	}
	defer run.Close()
	beside, err := record.OpenAround(dir)
	if err != nil {
		return err
	}
	defer beside.Close()
	for _, a := range []*record.Archive{run, beside} {
		if !slices.EqualFunc(a.Columns, r.columns, func(a, b record.Column) bool { return a.Name == b.Name }) {
			return fmt.Errorf("%s: the rows have other columns than the manifest says: want the folder as the test left it", dir)
		}
	}
	list := func(a *record.Archive, wanted func(phase) bool) {
		for row := range a.All() {
			if wanted(phase(row[r.phase])) {
				r.numbers = append(r.numbers, row...)
			}
		}
	}
	list(beside, func(p phase) bool { return p != after })
	list(run, every)
	list(beside, func(p phase) bool { return p == after })
	return errors.Join(run.Err(), beside.Err())
}

// complete takes what a ring still has: all rows, or the last ones, which go on where the archive ended.
func (r *rows) complete(rest *ring.Rest) (gap int) {
	row := make([]float64, r.width)
	for i := rest.First; i < rest.Head; i++ {
		gap = max(gap, int(i)-r.len())
		if !rest.Row(i, row) {
			continue
		}
		if int(i)-gap >= r.len() { // what is archived was synced to a disk
			r.numbers = append(r.numbers, row...)
		}
	}
	return gap
}

// errWhole says that there is nothing to recover.
var errWhole = errors.New("the record is complete: there is nothing to recover")

// Recover completes the folder of a test whose processes have died, or whose disk was full, from
// its archive and its ring, and computes its results by a replay.
func Recover(ctx context.Context, dir string, o scenario.Options) (record.Manifest, error) {
	m, err := record.LoadManifest(dir)
	switch {
	case err != nil:
		return m, err
	case m.Test == nil:
		return m, fmt.Errorf("%s is no test in the laboratory: run it again (rths run %s)", dir, dir)
	case m.Unchecked() == "":
		if err := m.Verify(dir); err != nil {
			return m, err
		}
		return m, fmt.Errorf("%s: %w", dir, errWhole)
	}
	r, err := newRows(m.Columns)
	if err != nil {
		return m, err
	}
	if err := r.read(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return m, err
	}
	rest, err := ring.Read(m.Test.Ring)
	switch {
	case err == nil && (rest.Shape.Width != r.width || rest.Shape.Columns != columnsHash(m.Columns) ||
		rest.Shape.RateHz != m.RateHz):
		rest.Close()
		return m, fmt.Errorf("%s is the ring of another test: %d columns at %g Hz, and the manifest has %d at %g Hz: want "+
			"the ring of this one, or, where it is gone, no file of that name", m.Test.Ring, rest.Shape.Width, rest.Shape.RateHz,
			r.width, m.RateHz)
	case err == nil:
		defer rest.Close()
	case errors.Is(err, ring.ErrInUse):
		return m, fmt.Errorf("%s: %w: stop it first (Ctrl-C in its window)", dir, err)
	case !errors.Is(err, fs.ErrNotExist):
		return m, err
	}
	whole := rescue(ctx, &m, r, rest, o)
	if err := record.Rewrite(dir, m, r.all(ofRun), r.all(around)); err != nil {
		return m, err
	}
	if rest != nil && whole {
		_ = rest.Remove()
	}
	return m, nil
}

// rescue completes rows and manifest, and reports whether the ring is not needed any more: all
// rows are there, and their replay is the record.
func rescue(ctx context.Context, m *record.Manifest, r *rows, rest *ring.Rest, o scenario.Options) (whole bool) {
	from, gap := "the archive alone, as its ring is gone", 0
	if rest != nil {
		gap = r.complete(rest)
		if rt := m.Test.Realtime; rt != nil {
			rt.Timing = timingOf(rest.Counters())
		}
		from = "archive and ring"
	}
	m.RowsKept = nil
	r.count(m)
	if m.Status == rths.Running {
		m.Status, m.Test.Cause = rths.Lost, "supervisor and loop: their processes have died"
		m.Reason = fmt.Sprintf(
			"the manifest said running, and the processes of the test had died: %d ticks are recovered from %s", m.Samples, from)
	} else {
		m.Reason += fmt.Sprintf("; all %d ticks are recovered from %s", m.Samples, from)
	}
	m.Test.Rest = lastSeen(r.columns, r.lastRead(), m.RateHz)
	defer func() { restless(m, m.Test.Rest) }()
	if gap > 0 {
		m.Notes = append(m.Notes, fmt.Sprintf("%d rows are lost between archive and ring: results are left out", gap))
		return false
	}
	r.compare(m)
	p, whole := again(ctx, m, r, o)
	if p != nil && p.Rested { // the loop was there to the end of the test
		m.Test.Rest = p.Manifest.Test.Rest
		if p.Cause == "" && m.Status == rths.Lost {
			m.Test.Cause = "supervisor: its process has died"
		}
	}
	if whole || rest == nil {
		m.Test.Ring = ""
	}
	return whole
}

// compare compares the rows of the run with the rehearsal, if that is still there.
func (r *rows) compare(m *record.Manifest) {
	if m.Test.Rehearsal == nil {
		return
	}
	before, err := openRehearsal(m.Test.Rehearsal.Folder)
	if err != nil {
		return
	}
	c := before.compare(place(r.columns), m.RateHz)
	for row := range r.all(ofRun) {
		c.see(row)
	}
	c.put(m.Test.Rehearsal)
}

// count says what rows there are.
func (r *rows) count(m *record.Manifest) {
	at := place(r.columns)
	late := newLateness(m.Test, at, m.RateHz)
	var main mainSteps
	// else results are left out too
	if s, err := scenario.ParseResolved("the scenario of the record", []byte(m.Scenario), m.Folder, nil); err == nil {
		main = newMainSteps(m.Test, at, s)
	}
	m.Samples, m.Test.AroundRows = 0, 0
	for row := range r.all(every) {
		if phase(row[r.phase]) != running {
			m.Test.AroundRows++
			continue
		}
		if m.Samples == 0 {
			m.Test.FirstSample = int(row[at["reading"]])
		}
		m.Samples++
		late.see(row)
		main.see(row)
	}
	main.end()
	m.SimulatedS = float64(m.Samples) / m.RateHz
}

// place is where each column is in a row.
func place(columns []record.Column) map[string]int {
	out := map[string]int{}
	for i, c := range columns {
		out[c.Name] = i
	}
	return out
}

// again computes the results of a record by a replay. Where the replay parts from the record they
// are left out, and a note says so.
func again(ctx context.Context, m *record.Manifest, r *rows, o scenario.Options) (p *Replay, equal bool) {
	p, err := replay(ctx, m, r, o)
	if err == nil && p.First != nil {
		err = fmt.Errorf("the replay is not the record: %s", p.First)
	}
	if err != nil {
		m.Notes = append(m.Notes, fmt.Sprintf("results are left out, as they cannot be computed from the record: %v", err))
		return nil, false
	}
	of := &p.Manifest
	m.Test.Moves = p.Moves
	shifted(m.Test, p.ShiftX, p.ShiftF)
	m.Client = of.Client
	m.Criteria, m.Indicators, m.Compensator = of.Criteria, of.Indicators, of.Compensator
	m.Learned, m.Blocks, m.Spectra, m.Events = of.Learned, of.Blocks, of.Spectra, of.Events
	if p.Cause != "" {
		m.Test.Cause = p.Cause
	}
	return p, true
}
