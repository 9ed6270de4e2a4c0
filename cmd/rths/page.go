package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rths/page"
	"rths/realtime"
	"rths/record"
	"rths/report"
	"rths/rig"
	"rths/ring"
	"rths/scenario"
	"rths/session"
)

// pageUsage is the flag --page.
const pageUsage = "serve a live page at this address, as in 127.0.0.1:7480 (docs/control-room.md)"

// live is the page of a run or of a test. Its stop button ends the context of the command, as Ctrl-C does.
type live struct {
	*page.Hub
	cmd    *cobra.Command
	server *page.Server
	first  context.Context // of the command before the page: Ctrl-C alone ends it
	out    string          // folder of the record
	feed   *page.Feed      // of the test at work; nil: there is none yet
	rate   float64
	asks   bool
	lines  chan string // that the operator types
	stale  *string     // the answer that the terminal still owes, after the page has given it
}

// openLive serves the page, and tells where. ask: somebody may arm from the page.
func openLive(cmd *cobra.Command, address, out string, ask bool) (*live, error) {
	l := &live{cmd: cmd, first: cmd.Context(), out: out, asks: ask}
	ctx, cancel := context.WithCancelCause(cmd.Context())
	l.Hub = page.NewHub(l.room)
	var err error
	l.server, err = page.Listen(page.Config{
		Address: address, Hub: l.Hub, Ask: ask, Report: l.report, Folder: func() string { return l.out },
		Stop: func(who string) {
			l.Say(who + " has pressed STOP")
			cancel(errors.New(who + " has pressed STOP"))
		},
	})
	if err != nil {
		cancel(nil)
		l.Hub.Close()
		return nil, err
	}
	cmd.SetContext(ctx)
	for _, text := range l.server.Words() {
		fmt.Fprintln(cmd.ErrOrStderr(), text)
	}
	return l, nil
}

// room is what the disk has left for the record.
func (l *live) room() (int64, error) {
	folder := l.out
	for {
		if _, err := os.Stat(folder); err == nil || folder == filepath.Dir(folder) {
			return ring.Room(folder)
		}
		folder = filepath.Dir(folder)
	}
}

// report writes the report of what is in the folder.
func (l *live) report(w io.Writer) error {
	a, err := record.Open(l.out)
	if err != nil {
		return err
	}
	return report.Page(w, besideRehearsal(a))
}

// ready begins a test on the page.
func (l *live) ready(r *session.Ready, out string) {
	l.out = out
	t := &page.Test{Manifest: r.Manifest, Samples: r.Samples, Parameters: r.Parameters, WatchdogS: r.WatchdogS, SilentS: r.SilentS, Folder: out}
	if of := r.Manifest.Rig; of != nil {
		t.Virtual, t.Laboratory = of.Virtual, of.Laboratory
	}
	feed, err := l.Begin(t)
	if err != nil {
		l.cmd.PrintErrln("the page shows no curves:", err)
		return
	}
	l.feed, l.rate = feed, r.Manifest.RateHz
	if !l.asks {
		l.Armed("nobody was asked (--yes)")
	}
	l.feed.Show(page.Now{Word: "DISARMED", Phase: session.AtRest, Next: "the operator is asked to ARM; nothing moves"})
}

// row gives the page a row.
func (l *live) row(row []float64) {
	if l.feed != nil {
		l.feed.Row(row)
	}
}

// state shows how a test goes.
func (l *live) state(s session.State) {
	if l.feed == nil {
		return
	}
	l.feed.Show(page.Now{
		Word: strings.ToUpper(s.Guard.String()), Phase: s.Phase, Next: l.next(s), Tick: s.Tick, Rows: s.Rows, Behind: s.Behind,
		Late: s.Late, Most: s.LongestLate, Cycle: cycle(s.Timing, l.rate),
	})
}

// next says what happens next in a test.
func (l *live) next(s session.State) string {
	whole := float64(s.Samples) / l.rate
	switch {
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

// cycleBars are the most bars of a histogram.
const cycleBars = 60

// cycle is the distribution of the times of ticks, in few bars.
func cycle(t *realtime.Timing, rate float64) *page.Cycle {
	if t == nil || t.Execution.Count == 0 {
		return nil
	}
	d := &t.Execution
	c := &page.Cycle{P50Us: d.P50Us, P99Us: d.P99Us, MaxUs: d.MaxUs, Of: 1e6 / rate}
	each := (len(d.Bins) + cycleBars - 1) / cycleBars
	for i, b := range d.Bins {
		if i%each == 0 {
			c.From, c.Count = append(c.From, b.FromUs), append(c.Count, 0)
		}
		c.Count[len(c.Count)-1] += float64(b.Count)
	}
	return c
}

// ask asks the terminal and the page. The first answer counts, and the other one is told.
func (l *live) ask(in *bufio.Reader) func(session.Question) (string, error) {
	if l.lines == nil {
		l.lines = make(chan string)
		go typed(in, l.lines)
	}
	return func(q session.Question) (string, error) {
		answers := l.Ask(page.Question{Step: q.Step, Text: q.Text, Want: q.Want})
		defer l.Withdraw()
		fmt.Fprint(l.cmd.ErrOrStderr(), q.Text)
		stopped := l.cmd.Context().Done()
		if l.cmd.Context().Err() != nil { // asked behind a stop: whether to end the session
			stopped = nil
		}
		for {
			select {
			case a := <-answers:
				l.stale = &q.Want
				l.cmd.PrintErrf("\n%s: %s\n", q.Step, a.Who)
				l.answered(q, a.Who)
				return a.Text, nil
			case line, ok := <-l.lines:
				switch {
				case !ok:
					l.lines = nil
					l.cmd.PrintErrln("the terminal is closed: the page alone answers")
				case l.stale != nil && *l.stale == line && q.Want != line:
					l.cmd.PrintErrf("%s was answered by the page already. %s", line, q.Text)
					l.stale = nil
				default:
					l.answered(q, "the terminal")
					return line, nil
				}
			case <-stopped:
				return "", errStopped
			}
		}
	}
}

// typed reads what the operator types, line by line.
func typed(in *bufio.Reader, lines chan<- string) {
	defer close(lines)
	for {
		line, err := in.ReadString('\n')
		if err != nil && line == "" {
			return
		}
		lines <- strings.TrimSpace(line)
	}
}

// answered tells the page who has answered.
func (l *live) answered(q session.Question, who string) {
	l.Say(q.Step + ": answered by " + who)
	if q.Step == "ARM" {
		l.Armed(fmt.Sprintf("%s, %s", who, time.Now().Format("15:04:05")))
	}
}

// rested shows the verdict of a test whose rig is held.
func (l *live) rested(m *record.Manifest) {
	word := ""
	if m.Status == record.Tripped {
		word = tripped
	}
	l.Conclude(word, "at END the session ends, and the rig goes to safety by itself", l.verdict(m))
}

// end shows the verdict of a test. err is why it has not begun.
func (l *live) end(m *record.Manifest, out string, err error) {
	l.out = out
	l.Withdraw()
	word, v := "DISARMED", page.Verdict{Status: "not begun", Reason: errorText(err), Values: [][2]string{}}
	if !notBegun(m) {
		v = l.verdict(m)
	}
	if m.Status == record.Tripped {
		word = tripped
	}
	l.Conclude(word, "the next step of the ladder, if the operator says GO", v)
}

const tripped = "TRIPPED"

// verdict is what a manifest says, and whether there are rows for a report.
func (l *live) verdict(m *record.Manifest) page.Verdict {
	_, err := os.Stat(filepath.Join(l.out, record.FramesFile))
	return page.VerdictOf(m, err == nil)
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
	farewell = time.Second     // after Ctrl-C
)

// stay serves the page as long as somebody looks on, or until Ctrl-C.
func (l *live) stay() {
	l.Over()
	defer func() {
		l.Hub.Close() // ends the events, which the server would wait for
		l.server.Close()
	}()
	if l.first.Err() != nil {
		time.Sleep(farewell)
		return
	}
	if l.Viewers() > 0 {
		l.cmd.PrintErrln("the page stays while somebody looks on; Ctrl-C ends it")
	}
	for left := time.Now(); ; {
		select {
		case <-l.first.Done():
			return
		case <-time.After(100 * time.Millisecond):
		}
		if l.Viewers() > 0 {
			left = time.Now()
		} else if time.Since(left) > reloads {
			return
		}
	}
}

// show shows a virtual run on its page: its ticks, and how it goes.
func (l *live) show(r *scenario.Run, m record.Manifest, out string) error {
	layout, err := record.NewLayout(r.Loop.Frame(), r.Channels)
	if err != nil {
		return err
	}
	m.Columns = layout.Columns
	t := &page.Test{Manifest: &m, Samples: r.Samples, Virtual: true, Parameters: r.Learnt(), Folder: out}
	if of := m.Rig; of != nil {
		t.Virtual, t.Laboratory = of.Virtual, of.Laboratory
	}
	if l.feed, err = l.Begin(t); err != nil {
		return err
	}
	l.rate, l.out = m.RateHz, out
	l.Armed("nobody: a virtual run")
	r.Loop.Attach(page.NewObserver(layout, l.feed))
	return nil
}

// run shows how a virtual run goes.
func (l *live) run(r *scenario.Run) {
	word := rig.Running
	if r.Guard != nil {
		word = r.Guard.State()
	}
	now := page.Now{Word: strings.ToUpper(word.String()), Phase: session.Running, Tick: r.Loop.Ticks(), Rows: r.Loop.Ticks(), Next: fmt.Sprintf("at %.1f s the run ends", float64(r.Samples)/l.rate)}
	if word >= rig.Holding {
		now.Next = "the rig is held or brought to rest; then the run ends"
	}
	l.feed.Show(now)
}

// pace lets a virtual run go at a multiple of real time.
type pace struct {
	factor float64 // 0: as fast as it can
	rate   float64
	start  time.Time
}

// stride is how many ticks pass between looks at the clock: some 10 ms, and a power of two as the other strides.
func (p *pace) stride(most int) int {
	n := 1
	for n < most && float64(2*n) <= 0.01*p.rate*p.factor {
		n *= 2
	}
	return n
}

// wait waits for the instant of a tick, or for the end of the command.
func (p *pace) wait(ctx context.Context, ticks int) {
	if p.start.IsZero() {
		p.start = time.Now()
	}
	due := p.start.Add(time.Duration(float64(ticks) / p.rate / p.factor * 1e9))
	select {
	case <-time.After(time.Until(due)):
	case <-ctx.Done():
	}
}
