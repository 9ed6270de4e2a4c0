package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"rths/result/plotting"
	"rths/result/record"
)

// labLate is a stretch of late ticks, and what was done on them.
type labLate struct{ At, Ticks, Latest, Oldest, Done string }

// mostLate is how many stretches a page shows.
const mostLate = 20

// lateTable is the stretches of late ticks of a run, the latest first and of equal ones that with the oldest reading,
// and words on those that it leaves out. It is empty where the record has no instants.
func lateTable(a *record.Archive) (rows []labLate, more string) {
	k, ok := newKept(a)
	if !ok {
		return nil, ""
	}
	list, n := k.stretches(mostLate + 1)
	if n > mostLate {
		more = fmt.Sprintf("%d more, none later than %s µs.", n-mostLate, microseconds(1e6*list[mostLate].latest))
		list = list[:mostLate]
	}
	for _, s := range list {
		rows = append(rows, labLate{
			At: fmt.Sprintf("%.4f", k.time.At(s.from)), Ticks: fmt.Sprint(s.to - s.from), Latest: microseconds(1e6 * s.latest),
			Oldest: fmt.Sprintf("%.0f", s.oldest), Done: strings.Join(k.done(s), "; "),
		})
	}
	return rows, more
}

// kept are the columns that tell what was done on late ticks.
type kept struct {
	time, due, taken, left, late, age, reading, acted record.Signal

	events   []record.Event
	lockstep bool
	period   float64 // s
	first    float64 // number of the reading of row 0
}

// newKept is false where a column is not there.
func newKept(a *record.Archive) (*kept, bool) {
	k := &kept{events: a.Events, lockstep: lockstep(a), period: periodUs(a) / 1e6, first: math.Inf(-1)}
	for _, c := range []struct {
		name string
		of   *record.Signal
	}{
		{"time_s", &k.time}, {"due_at_s", &k.due}, {"taken_at_s", &k.taken}, {"left_at_s", &k.left}, {"late", &k.late},
		{"age", &k.age},
		{"reading", &k.reading}, {"acted", &k.acted},
	} {
		var ok bool
		if *c.of, ok = a.Signal(c.name); !ok {
			return nil, false
		}
	}
	for i := range k.reading.Len() { // a reading never comes before its tick
		k.first = max(k.first, k.reading.At(i)-float64(i))
	}
	return k, k.period > 0
}

// stretch is late ticks in a row, those of the rows from to to-1.
type stretch struct {
	from, to int
	latest   float64 // s from the instant of a tick to its command's leaving
	oldest   float64 // age of a reading, samples
}

// stretches are the first of all stretches in the order of the table, at most so many, and the number of all.
func (k *kept) stretches(most int) (list []stretch, n int) {
	for i := 0; i < k.time.Len(); i++ {
		if !k.isLate(i) {
			continue
		}
		s := stretch{from: i, latest: math.Inf(-1)}
		for ; i < k.time.Len() && k.isLate(i); i++ {
			s.to, s.latest, s.oldest = i+1, max(s.latest, k.left.At(i)-k.due.At(i)), max(s.oldest, k.age.At(i))
		}
		n++
		at, _ := slices.BinarySearchFunc(list, s, func(x, s stretch) int { return cmp.Or(x.compare(s), -1) }) // after equals
		if at < most {
			list = slices.Insert(list, at, s)
			list = list[:min(len(list), most)]
		}
	}
	return list, n
}

// compare puts the latest first, and of equally late ones, to a µs, that with the oldest reading.
func (s stretch) compare(other stretch) int {
	return cmp.Or(cmp.Compare(math.Round(1e6*other.latest), math.Round(1e6*s.latest)), cmp.Compare(other.oldest, s.oldest))
}

// isLate reports whether the loop has called a tick late, or its command left after the instant of the next one.
func (k *kept) isLate(i int) bool { return k.late.At(i) != 0 || k.left.At(i)-k.due.At(i) > k.period }

// done says what was done on the ticks of a stretch, each thing once.
func (k *kept) done(s stretch) []string {
	if k.lockstep {
		return append([]string{k.moved(s)}, k.guarded(s)...)
	}
	return append(k.reasons(s).words(), k.guarded(s)...)
}

// reasons are why ticks were late where the rig ticks by itself, each as far as it went.
type reasons struct {
	old     float64 // age of a reading in place of one that had not come, samples; -1: all had come
	stalled bool    // the loop had
	madeUp  int     // ticks that began more than one period after their instant
	held    float64 // samples more that the rig held a command
	unnamed bool    // the rig did not say which command acted
}

func (k *kept) reasons(s stretch) reasons {
	r := reasons{old: -1}
	for i := s.from; i < s.to; i++ {
		held := k.reading.At(i) - k.acted.At(i) - 1
		switch {
		case k.reading.At(i) < k.first+float64(i):
			r.old = max(r.old, k.age.At(i))
		case k.taken.At(i)-k.due.At(i) >= k.period:
			r.stalled = true
			r.madeUp++
		case held <= 0:
			r.stalled = true
		case k.acted.At(i) < 0:
			r.unnamed = true
		default:
			r.held = max(r.held, held)
		}
	}
	return r
}

// words say what was done.
func (r reasons) words() (out []string) {
	if r.old >= 0 {
		out = append(out, fmt.Sprintf("went on with the last reading, %s old; methods learned nothing", samples(r.old)))
	}
	if r.stalled {
		out = append(out, "the loop had stalled")
	}
	if r.madeUp > 0 {
		out = append(out, fmt.Sprintf("caught up %s without waiting", plotting.CountOf(r.madeUp, "tick")))
	}
	switch {
	case r.held == 1:
		out = append(out, "the rig held the previous command for one more sample")
	case r.held > 1:
		out = append(out, fmt.Sprintf("the rig held the previous command for %s more", samples(r.held)))
	}
	if r.unnamed {
		out = append(out, "the rig did not say which command acted")
	}
	return out
}

// moved says what was done where the loop makes the ticks. A reading that came late may be the rig's doing.
func (k *kept) moved(s stretch) string {
	who := "the loop"
	for i := s.from; i < s.to; i++ {
		if k.taken.At(i)-k.due.At(i) > k.left.At(i)-k.taken.At(i) {
			who = "the loop or the rig"
		}
	}
	by := k.left.At(s.to-1) - k.due.At(s.from) - float64(s.to-s.from)*k.period
	if s.to < k.due.Len() {
		by = k.due.At(s.to) - k.due.At(s.from) - float64(s.to-s.from)*k.period
	}
	return fmt.Sprintf("%s had stalled; the instants moved by %s ms", who, record.Text("%.3g", 1e3*by))
}

// guarded says what the guard did for old readings and late ticks.
func (k *kept) guarded(s stretch) (out []string) {
	words := map[string]string{"hold": "the guard held", "ramp": "the guard ramped", "stop": "the guard stopped"}
	from, to := k.time.At(s.from)-k.period/2, k.time.At(s.to-1)+k.period/2
	for _, e := range k.events {
		text := words[e.Action]
		if (e.Channel == "age" || e.Channel == "late") && text != "" && e.TimeS > from && e.TimeS < to &&
			!slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}
