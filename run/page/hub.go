package page

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"rths"
	"rths/result/record"
)

// Bounds of the hub.
const (
	frameEvery  = 40 * time.Millisecond
	queueFrames = 8    // of a viewer
	historyBins = 1024 // of the newest curves, and of those of the whole test
	inboxBins   = 256
	logLines    = 300
	lineBytes   = 1000
	viewersMost = 32
	resyncEvery = 2 * time.Second // a viewer that has lost a frame gets the history again
	roomEvery   = time.Second
)

// Hub gets what a Feed hands over, and sends it to the viewers. One goroutine has the history and the viewers.
type Hub struct {
	desk
	program string                         // tells this one from another one at the same address
	room    func() (free int64, err error) // of the disk; nil: nothing is recorded
	joins   chan *viewer
	parts   chan *viewer
	done    chan struct{}
	ended   chan struct{}

	mail    sync.Mutex // held for the time of a copy
	inbox   *history   // nil: no test yet
	sum     summary
	peak    []float64 // of limits since the last frame
	level   []float64 // of limits now
	news    []line    // of the log, not sent yet
	verdict *Verdict
	armed   string // by whom

	of      atomic.Pointer[About] // the test of inbox; nil: none yet
	now     atomic.Pointer[Now]
	shown   atomic.Bool // Show was called since the last look
	seen    atomic.Int64
	present atomic.Int64 // viewers
	dropped atomic.Int64 // frames

	// of the goroutine
	about   *About
	newest  *recent
	whole   *history
	log     []line
	lines   int
	number  int    // of the frame
	word    string // of the last one
	viewers map[*viewer]bool
	free    atomic.Int64
	holder  atomic.Int64 // viewer with the arming right; 0: nobody

	last   sync.Mutex
	latest frame // for metrics
	limits []Limit
}

// line is an entry of the log.
type line struct {
	N    int    `json:"n"`
	At   string `json:"at"`
	Text string `json:"text"`
}

// viewer is a browser that looks on. Its queue is bounded: who does not read loses frames.
type viewer struct {
	queue   chan []byte
	you     you
	behind  bool // it has lost a frame
	synced  time.Time
	dropped int
}

// you is what a viewer is told about itself.
type you struct {
	Number int  `json:"number"` // 0: has shown no token
	Arm    bool `json:"arm"`    // has shown the token of arming
}

// NewHub begins to send. room says how much room the disk has.
func NewHub(room func() (int64, error)) *Hub {
	h := newHub(room)
	go h.serve()
	go h.measure()
	return h
}

// newHub is a hub that sends nothing yet.
func newHub(room func() (int64, error)) *Hub {
	h := &Hub{program: secret()[:8], room: room, joins: make(chan *viewer), parts: make(chan *viewer),
		done: make(chan struct{}), ended: make(chan struct{}), viewers: map[*viewer]bool{}}
	h.free.Store(-1)
	h.Show(Now{Word: "DISARMED", Phase: "before the test", Next: "the program builds the loop and meets the rig"})
	return h
}

// Close ends the hub and the connections of all viewers.
func (h *Hub) Close() {
	close(h.done)
	<-h.ended
}

// Begin takes a test, or the next one of a ladder, and gives the feed of its rows.
func (h *Hub) Begin(t *Test) (*Feed, error) {
	a, err := newAbout(t)
	if err != nil {
		return nil, err
	}
	f, err := newFeed(h, a, places(t.Manifest.Columns))
	if err != nil {
		return nil, err
	}
	h.mail.Lock()
	defer h.mail.Unlock()
	h.inbox, h.peak, h.level = newHistory(f.shape, inboxBins), make([]float64, len(a.Limits)),
		make([]float64, len(a.Limits))
	h.of.Store(a)
	h.sum, h.verdict, h.armed = summary{}, nil, ""
	return f, nil
}

// Say adds a line to the log.
func (h *Hub) Say(text string) {
	if len(text) > lineBytes {
		text = strings.ToValidUTF8(text[:lineBytes], "") + " …"
	}
	h.mail.Lock()
	defer h.mail.Unlock()
	h.write(text)
}

// write adds a line to the log, under the lock.
func (h *Hub) write(text string) {
	h.lines++
	h.news = append(h.news, line{N: h.lines, At: time.Now().Format("15:04:05"), Text: text})
	if len(h.news) > logLines {
		h.news = h.news[len(h.news)-logLines:]
	}
}

// Armed says who has armed the test.
func (h *Hub) Armed(by string) {
	h.mail.Lock()
	defer h.mail.Unlock()
	h.armed = by
}

// Show says how a test goes. Nobody waits for it, and it is never lost.
func (h *Hub) Show(now Now) {
	h.now.Store(&now)
	h.shown.Store(true)
}

// Conclude shows the result of a test. word is the state that stays, as in TRIPPED; empty: as
// it is. next: what happens next.
func (h *Hub) Conclude(word, next string, v Verdict) {
	h.mail.Lock()
	defer h.mail.Unlock()
	now := *h.now.Load()
	if word != "" {
		now.Word = word
	}
	now.Phase, now.Next = v.Status, next
	h.now.Store(&now)
	if old := h.verdict; old != nil && old.Status == v.Status && old.Reason == v.Reason {
		v.Words = old.Words
	}
	h.verdict = &v
}

// Word adds the words of the report to the verdict, unless another test has begun since.
func (h *Hub) Word(of *About, words string) {
	h.mail.Lock()
	defer h.mail.Unlock()
	if h.verdict == nil || h.of.Load() != of {
		return
	}
	v := *h.verdict
	v.Words = words
	h.verdict = &v
}

// Over says that nothing comes any more.
func (h *Hub) Over() {
	h.mail.Lock()
	defer h.mail.Unlock()
	now := *h.now.Load()
	now.Next = "nothing: the test has ended"
	h.now.Store(&now)
	v := Verdict{Status: "not begun", Values: []Value{}}
	if h.verdict != nil {
		v = *h.verdict
	}
	v.Ended = true
	h.verdict = &v
}

// VerdictOf is the verdict of a manifest.
func VerdictOf(m *record.Manifest, report bool) Verdict {
	v := Verdict{Status: m.Status, Reason: m.Reason, Report: report, Values: []Value{}}
	if m.Test != nil {
		v.Cause = m.Test.Cause
	}
	for _, list := range []record.Values{m.Criteria, m.Indicators, m.Compensator} {
		for _, c := range list {
			v.Values = append(v.Values, Value{rths.WithoutUnit(c.Name, c.Unit), record.Number(c.V), c.Unit})
		}
	}
	return v
}

// moving reports whether a test is under way.
func (h *Hub) moving() bool {
	h.mail.Lock()
	defer h.mail.Unlock()
	word := h.now.Load().Word
	return h.verdict == nil && (word == "RUNNING" || word == "HOLDING" || word == "RAMPING")
}

// reports is the verdict of which there is a report; nil: there is none.
func (h *Hub) reports() *Verdict {
	h.mail.Lock()
	defer h.mail.Unlock()
	if h.verdict == nil || !h.verdict.Report {
		return nil
	}
	return h.verdict
}

// measure looks at the disk, which may be slow.
func (h *Hub) measure() {
	for t := time.NewTicker(roomEvery); ; {
		if h.room != nil {
			if free, err := h.room(); err == nil {
				h.free.Store(free)
			}
		}
		select {
		case <-t.C:
		case <-h.done:
			t.Stop()
			return
		}
	}
}

// serve sends a frame at every beat.
func (h *Hub) serve() {
	defer close(h.ended)
	beat := time.NewTicker(frameEvery)
	defer beat.Stop()
	for {
		select {
		case <-beat.C:
			h.send()
		case v := <-h.joins:
			h.viewers[v] = true
			v.queue <- h.hello(v)
			h.present.Store(int64(len(h.viewers)))
		case v := <-h.parts:
			delete(h.viewers, v)
			h.present.Store(int64(len(h.viewers)))
		case <-h.done:
			for v := range h.viewers {
				close(v.queue)
			}
			return
		}
	}
}

// join begins to send to a viewer; nil: there are too many, or the hub has ended.
func (h *Hub) join(y you) *viewer {
	if h.present.Load() >= viewersMost {
		return nil
	}
	v := &viewer{queue: make(chan []byte, queueFrames), you: y}
	select {
	case h.joins <- v:
		return v
	case <-h.ended:
		return nil
	}
}

func (h *Hub) part(v *viewer) {
	select {
	case h.parts <- v:
	case <-h.ended:
	}
}

// Viewers is how many look on.
func (h *Hub) Viewers() int { return int(h.present.Load()) }

// send takes what has come and gives a frame to every queue that has room.
func (h *Hub) send() {
	f, bins, changed := h.take()
	if len(h.viewers) == 0 {
		return
	}
	if changed {
		for v := range h.viewers {
			h.offer(v, nil, true)
		}
		return
	}
	text := f.text(bins)
	for v := range h.viewers {
		h.offer(v, text, false)
	}
}

// offer puts a frame into a queue. A viewer that has lost one gets the history first, when there is room.
func (h *Hub) offer(v *viewer, text []byte, fresh bool) {
	if v.behind && time.Since(v.synced) >= resyncEvery && len(v.queue) == 0 {
		fresh = true
	}
	switch {
	case len(v.queue) == cap(v.queue), v.behind && !fresh:
		v.behind = true
		v.dropped++
		h.dropped.Add(1)
		return
	case fresh:
		text = h.hello(v)
		v.behind, v.synced = false, time.Now()
	}
	v.queue <- text // there is room: this goroutine alone fills the queue
}

// take takes the mail and brings the history up to date. changed: another test has begun.
func (h *Hub) take() (f *frame, bins []bin, changed bool) {
	h.mail.Lock()
	if of := h.of.Load(); of != h.about {
		changed = true
		h.about = of
		h.newest, h.whole = newRecent(h.inbox.shape, historyBins), newHistory(h.inbox.shape, historyBins)
	}
	if h.inbox != nil && h.inbox.used > 0 {
		bins = h.inbox.make(h.inbox.used)
		for i, b := range h.inbox.all() {
			copy(bins[i], b)
		}
		h.inbox.clear()
	}
	h.number++
	now := *h.now.Load()
	if now.Word != h.word {
		h.write(now.Word)
		h.word = now.Word
	}
	f = &frame{Number: h.number, Now: now, T: h.sum.t, Rows: h.sum.rows, Cause: h.sum.cause, Late: h.sum.late,
		MostLate: h.sum.mostLate, Readings: h.sum.readings, Commands: h.sum.commands, Start: h.sum.start, Log: h.news,
		Verdict: h.verdict, Armed: h.armed}
	f.values = append([]float64(nil), h.sum.now...)
	f.peak = append([]float64(nil), h.peak...)
	f.worst = append([]float64(nil), h.sum.worst...)
	h.news = nil
	copy(h.peak, h.level)
	h.mail.Unlock()
	if h.shown.Swap(false) {
		h.seen.Store(time.Now().UnixNano())
	}
	for _, b := range bins {
		h.newest.add(b)
		h.whole.add(b)
	}
	h.log = append(h.log, f.Log...)
	if len(h.log) > logLines {
		h.log = append([]line(nil), h.log[len(h.log)-logLines:]...)
	}
	f.Free, f.Viewers, f.Dropped, f.Question, f.Holder = h.free.Load(), len(h.viewers), h.dropped.Load(), h.open(),
		int(h.holder.Load())
	h.last.Lock()
	h.latest = *f
	if h.about != nil {
		h.limits = h.about.Limits
	}
	h.last.Unlock()
	return f, bins, changed
}

// hello is what a viewer gets first, and when it has lost frames: everything.
func (h *Hub) hello(v *viewer) []byte {
	out := []byte("event: hello\nretry: 500\ndata: {\"program\":\"" + h.program + "\",\"you\":")
	out = appendJSON(out, v.you)
	out = append(out, `,"about":`...)
	out = appendJSON(out, h.about)
	out = append(out, `,"log":`...)
	out = appendJSON(out, h.log)
	out = append(out, fmt.Sprintf(`,"lost":%d,"newest":`, v.dropped)...)
	if h.about == nil {
		return append(out, "[],\"whole\":[],\"each\":1,\"last\":0}\n\n"...)
	}
	out = appendBins(out, h.newest.all())
	out = append(out, `,"whole":`...)
	out = appendBins(out, h.whole.all())
	return append(out, fmt.Sprintf(",\"each\":%d,\"last\":%d}\n\n", h.whole.each, h.whole.last)...)
}

func appendJSON(out []byte, v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		return append(out, "null"...)
	}
	return append(out, text...)
}
