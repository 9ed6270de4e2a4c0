package page

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"rths"
	"rths/lab/realtime"
	"rths/lab/rig"
	"rths/lab/ring"
	"rths/result/record"
	"rths/result/report"
	"rths/run/session"
	"rths/scenario"
)

// Live is the page of a run or of a test: it takes the states of a session and shows them in words. Its stop button
// asks for what Ctrl-C asks for.
type Live struct {
	*Hub
	server  *Server
	note    func(text string) // for the terminal
	folder  atomic.Value      // of the record, a string
	feed    *Feed             // of the test at work; nil: there is none yet
	rate    float64
	asks    bool
	verdict bool // is there
}

// NewLive shows tests by a hub. note tells the terminal something.
func NewLive(h *Hub, note func(text string)) *Live { return &Live{Hub: h, note: note} }

// Open serves a page at an address. out is the folder of the record. ask: somebody may arm from the page. stop stops
// the command, for whoever has pressed STOP. note tells the terminal something: first of all where the page is.
func Open(address, out string, ask bool, stop func(who string), note func(text string)) (*Live, error) {
	l := &Live{note: note, asks: ask}
	l.folder.Store(out)
	l.Hub = NewHub(l.room)
	var first sync.Once
	var err error
	l.server, err = Listen(Config{
		Address: address, Hub: l.Hub, Ask: ask, Report: l.report, Folder: l.out,
		Stop: func(who string) {
			stop(who)
			first.Do(func() { l.Say(who + " has pressed STOP") })
		},
	})
	if err != nil {
		l.Hub.Close()
		return nil, err
	}
	for _, text := range l.server.Words() {
		note(text)
	}
	return l, nil
}

// out is the folder of the record.
func (l *Live) out() string { return l.folder.Load().(string) }

// room is what the disk has left for the record.
func (l *Live) room() (int64, error) {
	folder := l.out()
	for {
		if _, err := os.Stat(folder); err == nil || folder == filepath.Dir(folder) {
			return ring.Room(folder)
		}
		folder = filepath.Dir(folder)
	}
}

// report writes the report of what is in the folder.
func (l *Live) report(w io.Writer) error {
	a, err := record.Open(l.out())
	if err != nil {
		return err
	}
	return report.Page(w, report.WithRehearsal(a))
}

// Follow shows a test of a folder on the page too.
func (l *Live) Follow(t *session.Test, out string) {
	say, show := t.Say, t.Show
	t.Say = func(text string) { say(text); l.Say(strings.TrimSpace(text)) }
	t.Show = func(s session.State) { show(s); l.state(s) }
	t.Ready = func(r *session.Ready) { l.ready(r, out) }
	t.Row, t.Rested = l.row, l.rested
}

// ready begins a test on the page.
func (l *Live) ready(r *session.Ready, out string) {
	l.folder.Store(out)
	t := &Test{
		Manifest: r.Manifest, Samples: r.Samples, Parameters: r.Parameters, WatchdogS: r.WatchdogS, SilentS: r.SilentS,
		Folder: out,
	}
	if of := r.Manifest.Rig; of != nil {
		t.Virtual, t.Laboratory = of.Virtual, of.Laboratory
	}
	l.rate = r.Manifest.RateHz
	var err error
	if l.feed, err = l.Begin(t); err != nil {
		l.note(fmt.Sprint("the page shows no curves: ", err))
		l.Say("no curves: " + err.Error())
	}
	if !l.asks {
		l.Armed("nobody was asked (--yes)")
	}
	l.publish(Now{Word: "DISARMED", Phase: session.AtRest, Next: "the operator is asked to ARM; nothing moves"})
}

// row gives the page a row.
func (l *Live) row(row []float64) {
	if l.feed != nil {
		l.feed.Row(row)
	}
}

// publish says how a test goes, also where there are no curves.
func (l *Live) publish(now Now) {
	if l.feed != nil {
		l.feed.Show(now)
		return
	}
	l.Show(now)
}

// state shows how a test goes.
func (l *Live) state(s session.State) {
	l.publish(Now{
		Word: strings.ToUpper(acting(s).String()), Phase: s.Phase, Next: l.next(s), Tick: s.Tick, Rows: s.Rows,
		Behind: s.Behind, Late: s.Late, Most: s.LongestLate, Cycle: cycle(s.Timing, l.rate),
	})
}

// acting is the state of a test. Around the run the guard's own state says that nothing is
// armed any more, while the guard moves the rig.
func acting(s session.State) rig.State {
	switch {
	case s.Guard != rig.Disarmed:
	case s.Phase == session.Approach:
		return rig.Running
	case s.Phase == session.Resting:
		return rig.Ramping
	case s.Phase == session.Held, s.Phase == session.Unrest:
		return rig.Holding
	}
	return s.Guard
}

// next says what happens next in a test.
func (l *Live) next(s session.State) string {
	whole := float64(s.Samples) / l.rate
	switch {
	case s.Phase == session.Unrest:
		return "a person looks after the specimen: the emergency stop first; then the session ends"
	case s.Guard == rig.Holding:
		return "the rig is held where it is; then the test ends"
	case s.Guard == rig.Ramping:
		return "the rig is brought to rest and held; then the test ends"
	case s.Guard == rig.Armed && s.Phase == session.AtRest:
		return fmt.Sprintf("at START the rig moves: small move, approach, then the run of %.1f s", whole)
	case s.Phase == session.AtRest:
		return "the operator is asked to ARM; nothing moves"
	case s.Phase == session.Running:
		return fmt.Sprintf("at %.1f s the run ends, and the rig is brought to rest", whole)
	case s.Phase == session.Approach:
		return fmt.Sprintf("the run of %.1f s begins by itself when the rig is at its first command", whole)
	case s.Phase == session.Held:
		return "the session ends, and the rig goes to safety by itself"
	}
	return "the rig comes to rest and is held"
}

// cycleBars are so many bars over the range of a histogram.
const cycleBars = 60

// cycle is the distribution of the times of ticks. Bars that touch are joined, as long as they are short.
func cycle(t *realtime.Timing, rate float64) *Cycle {
	if t == nil || t.Execution.Count == 0 {
		return nil
	}
	d := &t.Execution
	c := &Cycle{P50Us: d.P50Us, P99Us: d.P99Us, MaxUs: d.MaxUs, Of: 1e6 / rate}
	first, end := d.Bins[0], d.Bins[len(d.Bins)-1].ToUs
	most := math.Pow(end/max(first.FromUs, first.ToUs/2), 1./cycleBars) // end over beginning of a bar
	for _, b := range d.Bins {
		if n := len(c.To) - 1; n >= 0 && c.To[n] == b.FromUs && b.ToUs <= most*c.From[n] {
			c.To[n], c.Count[n] = b.ToUs, c.Count[n]+float64(b.Count)
			continue
		}
		c.From, c.To, c.Count = append(c.From, b.FromUs), append(c.To, b.ToUs), append(c.Count, float64(b.Count))
	}
	return c
}

// Answered tells the page who has answered what.
func (l *Live) Answered(q session.Question, answer, who string) {
	if answer != q.Want {
		l.Say(fmt.Sprintf("%s: %s has answered %q", q.Step, who, answer))
		return
	}
	l.Say(q.Step + ": answered by " + who)
	if q.Step == "ARM" {
		l.Armed(fmt.Sprintf("%s, %s", who, time.Now().Format("15:04:05")))
	}
}

// rested shows the verdict of a test whose rig is held.
func (l *Live) rested(m *record.Manifest) {
	l.conclude(m, "at END the session ends, and the rig goes to safety by itself", "")
}

// End shows the verdict of a test that is over, with its folder. err is why it has not begun.
func (l *Live) End(m *record.Manifest, out string, err error) {
	l.folder.Store(out)
	if m.NotBegun() {
		l.verdict = true
		l.Conclude("DISARMED", waits, Verdict{Status: "not begun", Reason: errorText(err), Values: []Value{}})
		return
	}
	l.conclude(m, waits, "DISARMED")
}

// waits is what happens after a step of a ladder. Where there is no next step, stay says that
// nothing comes.
const waits = "the next step of the ladder, if the operator says GO"

// conclude shows the verdict of a manifest, and the state that stays: TRIPPED, or another one.
func (l *Live) conclude(m *record.Manifest, next, word string) {
	if m.Status == rths.Tripped {
		word = "TRIPPED"
	}
	if l.feed != nil {
		l.feed.Flush()
	}
	_, err := os.Stat(filepath.Join(l.out(), record.FramesFile))
	l.verdict = true
	l.Conclude(word, next, VerdictOf(m, err == nil))
	go l.word(l.of.Load(), l.out())
}

// word adds the words of the report to the verdict. Nobody waits for it: it reads the whole record.
func (l *Live) word(of *About, folder string) {
	if a, err := record.Open(folder); err == nil {
		l.Word(of, strings.TrimSpace(report.Sentence(a)+" "+report.DampingSentence(a)))
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Times for which the page stays when the test has ended.
const (
	reloads  = 3 * time.Second // nobody looks on any more
	farewell = time.Second / 2 // after Ctrl-C
)

// KeepServing serves the page after the test as long as somebody looks at it, or until the terminal asks for the end:
// by Ctrl-C at any time (byHand, once ctx has ended), or by again, Ctrl-C after a STOP (nil: there is none). err is how
// the command ends.
func (l *Live) KeepServing(ctx context.Context, again <-chan struct{}, byHand func(context.Context) bool, err error) {
	defer func() {
		l.Hub.Close() // ends the events, which the server would wait for
		l.server.Close()
	}()
	if !l.verdict {
		l.Conclude("", "", Verdict{Status: "not begun", Reason: errorText(err), Values: []Value{}})
	}
	l.Over()
	if byHand(ctx) {
		time.Sleep(farewell)
		return
	}
	stopped := ctx.Done()
	tell := sync.OnceFunc(func() {
		if err != nil { // the command prints it when it ends, which may be long after
			l.note(fmt.Sprint("rths: ", err))
		}
		l.note("the page stays while somebody watches; Ctrl-C ends it")
	})
	for left := time.Now(); ; {
		select {
		case <-stopped:
			if byHand(ctx) {
				return
			}
			stopped = nil // STOP on the page: there is nothing to stop
		case <-again:
			return
		case <-time.After(100 * time.Millisecond):
		}
		if l.Viewers() > 0 {
			tell()
			left = time.Now()
		} else if time.Since(left) > reloads {
			return
		}
	}
}

// ShowRun begins a virtual run on its page, which shows its ticks from then on.
func (l *Live) ShowRun(r *scenario.Run, m record.Manifest, out string) error {
	layout, err := record.NewLayout(r.Loop.Frame(), r.Channels)
	if err != nil {
		return err
	}
	m.Columns = layout.Columns
	t := &Test{Manifest: &m, Samples: r.Samples, Virtual: true, Parameters: r.Learnt(), Folder: out}
	if of := m.Rig; of != nil {
		t.Virtual, t.Laboratory = of.Virtual, of.Laboratory
	}
	if l.feed, err = l.Begin(t); err != nil {
		return err
	}
	l.rate = m.RateHz
	l.folder.Store(out)
	l.Armed("nobody: a virtual run")
	r.Loop.Attach(NewObserver(layout, l.feed))
	return nil
}

// Look shows how a virtual run goes.
func (l *Live) Look(r *scenario.Run) {
	word := rig.Running
	if r.Guard != nil {
		word = r.Guard.State()
	}
	now := Now{
		Word: strings.ToUpper(word.String()), Phase: session.Running, Tick: r.Loop.Ticks(), Rows: r.Loop.Ticks(),
		Next: fmt.Sprintf("at %.1f s the run ends", float64(r.Samples)/l.rate),
	}
	if r.Steps < r.Samples { // a slow test: nobody knows how long it holds
		now.Next = fmt.Sprintf("after %d steps of the structure the run ends", r.Steps)
	}
	if word >= rig.Holding {
		now.Next = "the rig is held or brought to rest; then the run ends"
	}
	l.feed.Show(now)
}
