package page

import (
	"fmt"
	"math"
	"slices"

	"rths"
	"rths/method/stability"
)

// Feed takes the rows of a test. It belongs to the goroutine of the rows, which it never lets wait.
type Feed struct {
	hub     *Hub
	about   *About
	shape   shape
	rate    float64
	row     int       // rows so far
	q       []float64 // quantities of the row
	pairs   [][2]int
	indices []index
	frame   rths.Frame // targets and readings of the row, for the indices
	current bin
	inside  int // rows in it
	most    int // rows of a bin
	pending *history

	phase, state, asked, late int // places of columns; -1: there is none
	readings, commands        counted
	target, measured          []int
	levels                    []level
	summary                   summary
	notes                     []string // for the log
}

// level is a limit at work.
type level struct {
	of      *Limit
	columns []int   // whose largest magnitude counts
	inRun   bool    // it has no meaning outside the run
	value   float64 // of the row; NaN: not known
	peak    float64 // since the last frame
	worst   float64 // of the test
	warned  bool
}

// counted is a column with the numbers of what the link has brought; what it leaves out was lost, or overtaken.
type counted struct {
	place int // -1: there is none
	last  float64
	left  int
}

func (c *counted) see(row []float64) {
	if c.place < 0 {
		return
	}
	if n := row[c.place]; n > c.last {
		c.left += int(n-c.last) - 1
		c.last = n
	}
}

// summary is what the rows have told beside curves.
type summary struct {
	rows     int
	t        float64
	start    *float64 // time of tick 0 of the run, s; nil: not yet
	late     int      // rows with readings that were late
	row      int      // of them, in a row
	mostLate int
	readings int    // numbers that no row has: readings that were lost or overtaken
	commands int    // commands that have never acted on the specimen
	cause    string // what has acted first
	now      []float64
	peak     []float64 // of the limits since the last frame
	worst    []float64
}

// Times of a page.
const (
	binS       = 0.01 // a bin of the newest curves
	pendingMax = 64
)

func newFeed(h *Hub, a *About, at map[string]int) (*Feed, error) {
	f := &Feed{hub: h, about: a, rate: a.RateHz, shape: shape{len(a.Quantities), len(a.Pairs)},
		most: max(1, int(binS*a.RateHz))}
	f.q, f.summary.now = make([]float64, len(a.Quantities)), make([]float64, len(a.Quantities))
	for _, p := range a.Pairs {
		f.pairs = append(f.pairs, [2]int{p.X, p.Y})
	}
	f.current, f.pending = f.shape.make(1)[0], newHistory(f.shape, pendingMax)
	f.current.clear()
	f.phase, f.state, f.asked, f.late = placeOf(at, "phase"), placeOf(at, "guard_state"), placeOf(at, "asked"),
		placeOf(at, "late")
	f.readings, f.commands = counted{place: placeOf(at, "reading"), last: -1},
		counted{place: placeOf(at, "acted"), last: -1}
	for i := range a.Axes {
		of, err := newIndex(a.RateHz, i, a.Axes)
		if err != nil {
			return nil, err
		}
		f.indices = append(f.indices, of)
		f.target = append(f.target, at[rths.ColumnName("target", "m", i, a.Axes)])
		f.measured = append(f.measured, at[rths.ColumnName("measured", "m", i, a.Axes)])
	}
	for i := range a.Limits {
		f.levels = append(f.levels, newLevel(&a.Limits[i], at, a.Axes))
	}
	f.summary.peak, f.summary.worst = make([]float64, len(f.levels)), make([]float64, len(f.levels))
	f.frame = rths.Frame{Desired: make([]float64, a.Axes), Read: rths.NewReading(a.Axes, 0)}
	return f, nil
}

// index is the frequency-domain evaluation index of an actuator over the last 2 s, as the
// indicators of stability have it.
type index struct {
	*stability.Synchrony
	amplitude, delayMs *float64
}

func newIndex(rateHz float64, axis, axes int) (out index, err error) {
	if out.Synchrony, err = stability.NewSynchrony(rateHz, axis, axes); err != nil {
		return out, err
	}
	for _, c := range out.Channels() {
		switch {
		case c.Quantity == stability.RunningAmplitude:
			out.amplitude = c.V
		case c.Quantity == stability.RunningIndexDelay:
			out.delayMs = c.V
		}
	}
	return out, nil
}

// absurdM is no displacement, m: the index would not forget it.
const absurdM = 1e3

// follow shows the indices a row of the run.
func (f *Feed) follow(row []float64) {
	for i := range f.indices {
		x, d := row[f.measured[i]], row[f.target[i]]
		if !(math.Abs(x) < absurdM) || !(math.Abs(d) < absurdM) {
			return
		}
		f.frame.Read.X[i], f.frame.Desired[i] = x, d
	}
	for _, of := range f.indices {
		of.Observe(&f.frame)
	}
}

func placeOf(at map[string]int, name string) int {
	if i, ok := at[name]; ok {
		return i
	}
	return -1
}

// ofRun reports whether the channel of a limit has no meaning outside the run: the tracking error and its work.
func ofRun(channel string, axes int) bool {
	names := []string{rths.ColumnName("error", "m", 0, 1)}
	for i := range axes {
		names = append(names, rths.ColumnName("error", "m", i, axes))
	}
	for _, q := range stability.ErrorWorks {
		names = append(names, q.NameIn("%"), q.NameIn("J"))
	}
	return slices.Contains(names, channel)
}

// newLevel finds the columns of a limit: the guard's own, as it has looked at them. Outside the run too a command is
// what the guard sends. Without a column nothing is known.
func newLevel(of *Limit, at map[string]int, axes int) (l level) {
	channel := of.Channel
	l.of = of
	l.inRun = ofRun(channel, axes)
	if channel == "command_m" {
		for i := range axes {
			if c := placeOf(at, rths.ColumnName("guard_command", "m", i, axes)); c >= 0 {
				l.columns = append(l.columns, c)
			}
		}
	}
	for _, name := range []string{"guard_" + channel, channel} {
		if c := placeOf(at, name); c >= 0 && len(l.columns) == 0 {
			l.columns = []int{c}
		}
	}
	return l
}

// Row takes a row of the record, in the order of its columns. It copies what it needs.
func (f *Feed) Row(row []float64) {
	running := f.phase < 0 || row[f.phase] == 2
	s := &f.summary
	s.t = float64(f.row) / f.rate
	if running && s.start == nil {
		s.start = new(s.t)
	}
	f.row++
	s.rows++
	if running {
		f.follow(row)
	}
	f.quantities(row, running)
	f.shape.see(f.current, s.t, f.q, f.pairs)
	if f.inside++; f.inside >= f.most {
		f.pending.add(f.current)
		f.current.clear()
		f.inside = 0
	}
	f.compare(row, running)
	f.watch(row)
}

// ofTheRun are quantities that nothing writes outside the run.
var ofTheRun = []string{"target", "pose", "num_x"}

// quantities fills in what is drawn.
func (f *Feed) quantities(row []float64, running bool) {
	for i := range f.about.Quantities {
		q := &f.about.Quantities[i]
		if q.place >= 0 {
			f.q[i] = row[q.place] * q.scale
			if slices.Contains(ofTheRun, q.Name) && !running { // left over from the run
				f.q[i] = math.NaN()
			}
			continue
		}
		f.q[i] = math.NaN()
		of := f.indices[q.Axis]
		switch {
		case !running:
		case q.Name == "error":
			f.q[i] = (row[f.measured[q.Axis]] - row[f.target[q.Axis]]) * q.scale
		case *of.amplitude == 0: // there is no index yet
		case q.Name == "delay":
			f.q[i] = *of.delayMs
		case q.Name == "amplitude":
			f.q[i] = *of.amplitude * q.scale
		}
	}
}

// compare sets every limit beside its quantity.
func (f *Feed) compare(row []float64, running bool) {
	for i := range f.levels {
		l := &f.levels[i]
		if l.inRun && !running {
			l.value = 0
			continue
		}
		l.value = math.NaN()
		for _, c := range l.columns {
			if v := math.Abs(row[c]) * l.of.scale; !(v <= l.value) {
				l.value = v
			}
		}
		l.peak = larger(l.peak, l.value)
		l.worst = larger(l.worst, l.value)
		if l.of.Warn > 0 && l.value >= l.of.Warn && !l.warned {
			l.warned = true
			f.notes = append(f.notes, "warning: "+l.of.crossed(l.value, "warning level", l.of.Warn))
		}
	}
}

// larger is the larger one of those that are numbers.
func larger(a, b float64) float64 {
	if a >= b || b != b {
		return a
	}
	return b
}

// crossed says how far a limit's quantity is, and the level that it has passed.
func (l *Limit) crossed(value float64, what string, level float64) string {
	unit := ""
	if l.Unit != "" {
		unit = " " + l.Unit
	}
	return fmt.Sprintf("%s is %.4g%s, %s %.4g%s", l.Name, value, unit, what, level, unit)
}

// watch counts late rows and finds what has acted first.
func (f *Feed) watch(row []float64) {
	s := &f.summary
	f.readings.see(row)
	f.commands.see(row)
	s.readings, s.commands = f.readings.left, f.commands.left
	if f.late >= 0 && row[f.late] != 0 {
		s.late++
		s.row++
		s.mostLate = max(s.mostLate, s.row)
	} else {
		s.row = 0
	}
	if s.cause != "" || f.state < 0 || row[f.state] < holding {
		return
	}
	s.cause = f.first(row)
	f.notes = append(f.notes, "first cause: "+s.cause)
}

const holding = 3 // of the column guard_state

// asked are the causes from outside, as in the column asked.
var asked = []string{"", "the operator stopped the test", "the operator stopped the test at once",
	"the supervisor was silent", "the record could not be kept", "the process of the loop was told to end"}

// first says what has acted in this row: somebody outside, or the limit that is crossed the most.
func (f *Feed) first(row []float64) string {
	if f.asked >= 0 {
		if n := int(row[f.asked]); n > 0 && n < len(asked) {
			return asked[n]
		}
	}
	worst, out := 1.0, ""
	for i := range f.levels {
		l := f.levels[i].of
		if ratio := f.levels[i].peak / l.Trip; ratio >= worst && l.Action != "indicate" {
			worst, out = ratio, l.crossed(f.levels[i].peak, "limit", l.Trip)
		}
	}
	if out == "" {
		out = "readings were missing or late, or a value was not finite"
	}
	return out
}

// Show says how the test goes, and hands over what has come if nobody is at it just now.
func (f *Feed) Show(now Now) {
	h := f.hub
	if h.of.Load() != f.about {
		return // another test has begun
	}
	h.Show(now)
	if h.mail.TryLock() {
		f.give()
		h.mail.Unlock()
	}
}

// Flush hands over all rows, with those of a bin that is not full. It is for the end of a test.
func (f *Feed) Flush() {
	if f.inside > 0 {
		f.pending.add(f.current)
		f.current.clear()
		f.inside = 0
	}
	f.hub.mail.Lock()
	defer f.hub.mail.Unlock()
	f.give()
}

// give hands over what has come.
func (f *Feed) give() {
	h := f.hub
	if h.of.Load() != f.about {
		return
	}
	for _, b := range f.pending.all() {
		h.inbox.add(b)
	}
	f.pending.clear()
	for _, text := range f.notes {
		h.write(text)
	}
	f.notes = f.notes[:0]
	copy(f.summary.now, f.q)
	for i := range f.levels {
		l := &f.levels[i]
		h.peak[i] = larger(l.peak, h.peak[i])
		h.level[i], f.summary.worst[i] = l.value, l.worst
		l.peak = l.value
	}
	h.sum = f.summary.copyTo(h.sum)
}

// copyTo copies into the slices of another one.
func (s *summary) copyTo(d summary) summary {
	now, worst := append(d.now[:0], s.now...), append(d.worst[:0], s.worst...)
	d = *s
	d.now, d.worst, d.peak = now, worst, nil
	return d
}
