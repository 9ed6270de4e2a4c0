package page

import (
	"fmt"
	"math"
	"strings"
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
	lags    []lag
	current bin
	inside  int // rows in it
	most    int // rows of a bin
	pending *history

	phase, state, asked, late int // places of columns; -1: there is none
	readings, commands        counted
	target, measured, command []int
	levels                    []level
	past                      [][]float64 // commands and readings of the rows before, for velocities
	summary                   summary
}

// level is a limit at work.
type level struct {
	columns []int // whose largest magnitude counts
	kind    string
	value   float64 // of the row
	peak    float64 // since the last frame
	worst   float64 // of the test
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
	row      int      // of them, one behind the other
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
	binS       = 0.01  // a bin of the newest curves
	velocityS  = 0.005 // a mean velocity where no sensor measures it, as in rig.Guard
	pendingMax = 64
)

func newFeed(h *Hub, a *About, at map[string]int) *Feed {
	f := &Feed{hub: h, about: a, rate: a.RateHz, shape: shape{len(a.Quantities), len(a.Pairs)}, most: max(1, int(binS*a.RateHz))}
	f.q, f.summary.now = make([]float64, len(a.Quantities)), make([]float64, len(a.Quantities))
	for _, p := range a.Pairs {
		f.pairs = append(f.pairs, [2]int{p.X, p.Y})
	}
	f.current, f.pending = f.shape.make(1)[0], newHistory(f.shape, pendingMax)
	f.current.clear()
	f.phase, f.state, f.asked, f.late = placeOf(at, "phase"), placeOf(at, "guard_state"), placeOf(at, "asked"), placeOf(at, "late")
	f.readings, f.commands = counted{place: placeOf(at, "reading"), last: -1}, counted{place: placeOf(at, "acted"), last: -1}
	for i := range a.Axes {
		f.lags = append(f.lags, newLag(a.RateHz))
		f.target = append(f.target, at[numbered("target", "m", i, a.Axes)])
		f.measured = append(f.measured, at[numbered("measured", "m", i, a.Axes)])
		f.command = append(f.command, at[numbered("command", "m", i, a.Axes)])
	}
	f.past = make([][]float64, max(2, 1+int(math.Round(velocityS*a.RateHz))))
	for i := range f.past {
		f.past[i] = make([]float64, 2*a.Axes)
	}
	for _, l := range a.Limits {
		f.levels = append(f.levels, newLevel(l.Channel, at, a.Axes))
	}
	f.summary.peak, f.summary.worst = make([]float64, len(f.levels)), make([]float64, len(f.levels))
	return f
}

func placeOf(at map[string]int, name string) int {
	if i, ok := at[name]; ok {
		return i
	}
	return -1
}

// newLevel finds out what a limit looks at: a column, several ones, or what is computed from them.
func newLevel(channel string, at map[string]int, axes int) level {
	axis := -1
	name := channel
	for i := range axes {
		if cut := strings.Replace(channel, fmt.Sprintf("_%d_", i+1), "_", 1); axes > 1 && cut != channel {
			axis, name = i, cut
		}
	}
	l := level{kind: name, columns: []int{}}
	for i := range axes {
		if axis >= 0 && axis != i {
			continue
		}
		l.columns = append(l.columns, i)
	}
	switch name {
	case "command_m", "measured_m", "command_rate_m_s", "velocity_m_s", "error_m":
		return l
	case "force_N":
		l.columns = nil
		cells := count(at, "force", "N")
		for i := range cells {
			if axis < 0 || axis == i {
				l.columns = append(l.columns, at[numbered("force", "N", i, cells)])
			}
		}
	default:
		l.columns = nil
		if i, ok := at[channel]; ok {
			l.columns = []int{i}
		}
	}
	l.kind = "column"
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
	f.quantities(row, running)
	f.shape.see(f.current, s.t, f.q, f.pairs)
	if f.inside++; f.inside >= f.most {
		f.pending.add(f.current)
		f.current.clear()
		f.inside = 0
	}
	f.compare(row, running)
	f.watch(row)
	last := f.past[(f.row-1)%len(f.past)]
	for i := range f.command {
		last[2*i], last[2*i+1] = row[f.command[i]], row[f.measured[i]]
	}
}

// quantities fills in what is drawn.
func (f *Feed) quantities(row []float64, running bool) {
	for i := range f.about.Quantities {
		q := &f.about.Quantities[i]
		if q.place >= 0 {
			f.q[i] = row[q.place] * q.scale
			if q.Name == "target" && !running { // left over from the run
				f.q[i] = math.NaN()
			}
			continue
		}
		f.q[i] = math.NaN()
		l := &f.lags[q.Axis]
		switch {
		case !running:
		case q.Name == "error":
			x, y := row[f.measured[q.Axis]], row[f.target[q.Axis]]
			f.q[i] = (x - y) * q.scale
			l.see(y, x)
			if f.inside == 0 {
				l.find()
			}
		case q.Name == "delay":
			f.q[i] = l.delay
		case q.Name == "amplitude":
			f.q[i] = l.amount
		}
	}
}

// compare sets every limit beside its quantity.
func (f *Feed) compare(row []float64, running bool) {
	for i := range f.levels {
		l := &f.levels[i]
		l.value = 0
		for _, c := range l.columns {
			l.value = max(l.value, math.Abs(f.of(l.kind, c, row, running)))
		}
		l.value *= f.about.Limits[i].scale
		l.peak, l.worst = max(l.peak, l.value), max(l.worst, l.value)
	}
}

// of is a quantity that a limit may watch. c is an actuator, from 0, or a column.
func (f *Feed) of(kind string, c int, row []float64, running bool) float64 {
	ago := func(n int) []float64 { return f.past[((f.row-1-n)%len(f.past)+len(f.past))%len(f.past)] }
	switch kind {
	case "command_m":
		return row[f.command[c]]
	case "measured_m":
		return row[f.measured[c]]
	case "error_m":
		if !running {
			return 0
		}
		return row[f.measured[c]] - row[f.target[c]]
	case "command_rate_m_s":
		if f.row < 2 {
			return 0
		}
		return (row[f.command[c]] - ago(1)[2*c]) * f.rate
	case "velocity_m_s":
		n := min(f.row-1, len(f.past)-1)
		if n < 1 {
			return 0
		}
		return (row[f.measured[c]] - ago(n)[2*c+1]) * f.rate / float64(n)
	}
	return row[c]
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
}

const holding = 3 // of the column guard_state

// asked are the causes from outside, as in the column asked.
var asked = []string{"", "the operator stopped the test", "the operator stopped the test at once", "the supervisor was silent", "the record could not be kept", "the process of the loop was told to end"}

// first says what has acted in this row: somebody outside, or the limit that is crossed the most.
func (f *Feed) first(row []float64) string {
	if f.asked >= 0 {
		if n := int(row[f.asked]); n > 0 && n < len(asked) {
			return asked[n]
		}
	}
	worst, out := 1.0, ""
	for i := range f.levels {
		l := &f.about.Limits[i]
		if ratio := f.levels[i].peak / l.Trip; ratio >= worst && l.Action != "indicate" {
			worst, out = ratio, fmt.Sprintf("%s is %.4g %s, limit %.4g", plain(l.Channel), f.levels[i].peak, l.Unit, l.Trip)
		}
	}
	if out == "" {
		out = "readings were missing or late, or a value was not finite"
	}
	return out
}

// Show hands over what has come, if nobody is at it just now, and says how the test goes.
func (f *Feed) Show(now Now) {
	h := f.hub
	if !h.mail.TryLock() {
		return // the next call comes soon
	}
	defer h.mail.Unlock()
	if h.inbox == nil || h.of != f.about {
		return // another test has begun
	}
	for _, b := range f.pending.all() {
		h.inbox.add(b)
	}
	f.pending.clear()
	copy(f.summary.now, f.q)
	for i := range f.levels {
		l := &f.levels[i]
		h.peak[i] = max(h.peak[i], l.peak)
		f.summary.worst[i] = l.worst
		l.peak = l.value
	}
	h.sum = f.summary.copyTo(h.sum)
	h.now = now
	h.shown.Store(true)
}

// copyTo copies into the slices of another one.
func (s *summary) copyTo(d summary) summary {
	now, worst := append(d.now[:0], s.now...), append(d.worst[:0], s.worst...)
	d = *s
	d.now, d.worst, d.peak = now, worst, nil
	return d
}
