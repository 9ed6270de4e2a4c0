package session

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rths/kit/rthstest"
	"rths/lab/numerical"
	"rths/lab/realtime"
	"rths/lab/ring"
	"rths/method/stability"
	"rths/scenario"
)

// fakeLink is a link that has an error.
type fakeLink struct {
	numericalLink
	err error
}

func (l fakeLink) Err() error { return l.err }

// talks is a process of the numerical part that says these words, and then ends.
func talks(stop bool, words ...fromNumerical) (*numericalProcess, *[]string, *bytes.Buffer) {
	said, gone := make(chan fromNumerical, len(words)), make(chan struct{})
	for _, w := range words {
		said <- w
	}
	if !stop {
		close(said)
		close(gone)
	}
	told, asked := new([]string), new(bytes.Buffer)
	return &numericalProcess{
		said: said, gone: gone, to: newLines(asked), link: fakeLink{err: errors.New("its process has ended (by itself)")},
		stop: func() bool { return stop }, note: func(text string) { *told = append(*told, text) },
	}, told, asked
}

// The loop takes the answer of the numerical part, passes its notes on, and says why there is none.
func TestNumericalHears(t *testing.T) {
	p, told, asked := talks(false, fromNumerical{Note: "listening"}, fromNumerical{Note: "still"},
		fromNumerical{Ready: &ready{LongestUs: 7}}, fromNumerical{Wrong: "later"})
	m, err := p.ask("make main steps", toNumerical{Try: 3})
	if err != nil || m.Ready == nil || m.Ready.LongestUs != 7 || !slices.Equal(*told, []string{"listening", "still"}) ||
		!strings.Contains(asked.String(), `"Try":3`) {
		t.Errorf("%+v, %v, told %q, asked %s", m, err, *told, asked)
	}
	for want, c := range map[string]struct {
		stop  bool
		words []fromNumerical
	}{
		"the numerical part: no such file": {false, []fromNumerical{{Note: "a"}, {Wrong: "no such file"}}},
		"the numerical part: its process has ended (by itself) before the start: nothing has moved": {false, nil},
		"the numerical part: not ready to build when the test was ended: nothing has moved":         {true, nil},
		"the numerical part: not ready to build when the test was ended: nothing has moved, after a note.": {true,
			[]fromNumerical{{Note: "a"}}},
	} {
		p, _, _ := talks(c.stop, c.words...)
		want = strings.TrimSuffix(want, ", after a note.")
		if _, err := p.hear("build"); err == nil || err.Error() != want {
			t.Errorf("%v: want %q", err, want)
		}
	}
	p, _, _ = talks(false, fromNumerical{Entered: &entered{Grants: []realtime.Grant{{Name: "scheduler"}}}})
	if grants, err := p.enter(3); err != nil || len(grants) != 1 || grants[0].Name != "numerical part, scheduler" {
		t.Errorf("%+v, %v", grants, err)
	}
	p, _, _ = talks(false, fromNumerical{Wrong: "no"})
	if _, err := p.enter(3); err == nil {
		t.Error("a refusal gives grants")
	}
	if err := p.early(); !strings.HasPrefix(err.Error(),
		"the numerical part: its process has ended (by itself) before the start") {
		t.Errorf("%v", err)
	}
	if endedBy(nil) != "by itself" || endedBy(io.EOF) != "EOF" {
		t.Errorf("ended %q, %q", endedBy(nil), endedBy(io.EOF))
	}
}

// talkative in the environment makes the process of the numerical part say so many words and end.
const talkative = "RTHS_TALKATIVE"

func serveNumerical() {
	n, err := strconv.Atoi(os.Getenv(talkative))
	if err != nil {
		ServeNumerical(os.Stdin, os.Stdout)
	}
	for k := range n {
		_ = newLines(os.Stdout).to.Encode(fromNumerical{Note: strconv.Itoa(k)})
	}
}

// ending is a link that is told how its process has ended.
type ending struct {
	fakeLink
	why error
}

func (l *ending) Ended(why error) { l.why = why }

// The supervisor reads all that the process of the numerical part said before it ended, also after its end.
func TestNumericalIsHeardToItsEnd(t *testing.T) {
	const words = 300 // more than wait in the channel, less than fit into the pipe
	t.Setenv(talkative, strconv.Itoa(words))
	link := &ending{}
	p := rthstest.Must(startNumerical(&Job{}, link, nil, nil))
	for { // until it has ended
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.command.Process.Pid))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			break
		}
		time.Sleep(time.Millisecond)
	}
	heard := 0
	for m := range p.said {
		if m.Note != strconv.Itoa(heard) {
			t.Fatalf("%+v: want word %d", m, heard)
		}
		heard++
	}
	<-p.gone
	if heard != words || link.why == nil || link.why.Error() != "its process has ended (by itself)" {
		t.Errorf("%d words of %d, then %v", heard, words, link.why)
	}
}

// connecting is a link that takes its rings.
type connecting struct {
	fakeLink
	ask  *ring.Producer
	give *ring.Consumer
}

func (l *connecting) Connect(ask *ring.Producer, give *ring.Consumer) { l.ask, l.give = ask, give }

// The loop connects the process of the numerical part by two rings, whose files go away, and then asks it for main
// steps, or to meet its analysis; rings of another shape are refused.
func TestNumericalConnects(t *testing.T) {
	external := rthstest.Must(rthstest.Must(scenarioOf(external)).Build(t.Context(),
		scenario.Options{Rehearsed: true, Client: &numerical.RecordedClient{X: make([]float64, 1)}}))
	steps := rthstest.Must(rthstest.Must(scenario.Parse("quick", []byte(quick), ".", separate)).Build(t.Context(),
		scenario.Options{Rehearsed: true, Numerical: new(numerical.Recorded)}))
	for what, run := range map[string]*scenario.Run{"meet the analysis": external, "make 64 main steps": steps} {
		for _, spoilt := range []int{0, 1} {
			dir := t.TempDir()
			path := filepath.Join(dir, "ring")
			shape, _ := shapes(run)
			shape.Width += spoilt
			made := rthstest.Must(ring.Create(path+askSuffix, shape)) // as the process does
			p, _, _ := talks(false, fromNumerical{Rings: true}, fromNumerical{Ready: &ready{LongestUs: 7}})
			of := &connecting{}
			p.link = of
			r, err := p.connect(path, run)
			if spoilt == 0 && (err != nil || r == nil || r.LongestUs != 7 || of.ask == nil || of.give == nil) ||
				spoilt > 0 && (err == nil || of.ask != nil) {
				t.Errorf("%s, columns too many: %d: %v, %+v", what, spoilt, err, r)
			}
			if left := rthstest.Must(os.ReadDir(dir)); len(left) != 0 {
				t.Errorf("%s: %d files are left", what, len(left))
			}
			made.Close()
		}
		dir := t.TempDir()
		made := rthstest.Must(ring.Create(filepath.Join(dir, "ring"+askSuffix), first(shapes(run))))
		p, _, _ := talks(true, fromNumerical{Rings: true})
		p.link = &connecting{}
		if _, err := p.connect(filepath.Join(dir, "ring"), run); err == nil ||
			!strings.Contains(err.Error(), "not ready to "+what+" when the test was ended") {
			t.Errorf("%s: %v", what, err)
		}
		made.Close()
		p, _, _ = talks(false, fromNumerical{Wrong: "no"})
		if _, err := p.connect(filepath.Join(dir, "none", "ring"), run); err == nil ||
			!strings.Contains(err.Error(), "none") {
			t.Errorf("%s: rings in a folder that is not there: %v", what, err)
		}
	}
}

func first(a, _ ring.Shape) ring.Shape { return a }

// The process of the numerical part is asked in order: its scenario, its rings, then main steps. A question that comes
// too early, a broken scenario and rings of another test are refused.
func TestNumericalAskedInOrder(t *testing.T) {
	text := rthstest.Must(rthstest.Must(scenario.Parse("quick", []byte(quick), ".", separate)).YAML())
	answers := new(bytes.Buffer)
	n := &numericalPart{out: newLines(answers)}
	for _, early := range []toNumerical{{Enter: &enter{}}, {Rings: &rings{}}, {Try: 1}} {
		if err := n.obey(early); err == nil || !strings.Contains(err.Error(), "want the scenario first") {
			t.Errorf("%+v: %v", early, err)
		}
	}
	if err := n.obey(toNumerical{Job: &Job{Scenario: "x: 1", Source: "broken"}}); err == nil ||
		!strings.Contains(err.Error(), "broken") {
		t.Errorf("a broken scenario: %v", err)
	}
	if err := n.obey(toNumerical{Job: &Job{Scenario: text, Source: "quick"}}); err != nil ||
		!strings.Contains(answers.String(), `"Built":true`) {
		t.Fatalf("%v, %s", err, answers)
	}
	if err := n.obey(toNumerical{Try: 1}); err == nil || !strings.Contains(err.Error(), "want the rings first") {
		t.Errorf("main steps before the rings: %v", err)
	}
	dir := t.TempDir()
	of := rings{Ask: filepath.Join(dir, "ask"), Give: filepath.Join(dir, "give")}
	if err := n.obey(toNumerical{Rings: &of}); err == nil {
		t.Error("a ring that is not there is opened")
	}
	other := n.giveShape
	other.Width++
	wrong := rthstest.Must(ring.Create(of.Give, other))
	if err := n.obey(toNumerical{Rings: &of}); err == nil || exists(of.Ask) {
		t.Errorf("a ring of another shape: %v", err)
	}
	_ = wrong.Remove()
	give := rthstest.Must(ring.Create(of.Give, n.giveShape))
	defer give.Close()
	if err := n.obey(toNumerical{Rings: &of}); err != nil || !exists(of.Ask) ||
		!strings.Contains(answers.String(), `"Rings":true`) {
		t.Fatalf("%v, %s", err, answers)
	}
	ask := rthstest.Must(ring.Open(of.Ask))
	defer ask.Close()
	run := rthstest.Must(rthstest.Must(scenario.Parse("quick", []byte(text), ".", nil)).Build(t.Context(),
		scenario.Options{Rehearsed: true, Numerical: new(numerical.Recorded)}))
	wantAsk, wantGive := shapes(run)
	if numerical.Match(ask.Shape(), wantAsk) != nil || numerical.Match(give.Shape(), wantGive) != nil {
		t.Errorf("rings %+v, %+v: want those of the loop, %+v, %+v", ask.Shape(), give.Shape(), wantAsk, wantGive)
	}
	answers.Reset()
	if err := n.obey(toNumerical{Try: 8}); err != nil || !strings.Contains(answers.String(), `"LongestUs":`) ||
		strings.Contains(answers.String(), `"LongestUs":0}`) {
		t.Errorf("%v, %s: want a time", err, answers)
	}
	if n.clear(); exists(of.Ask) {
		t.Error("the ring that it made is left")
	}
	n.serving = true
	answers.Reset()
	if n.note("late"); answers.Len() != 0 {
		t.Errorf("a note that nobody takes any more: %s", answers)
	}
}

// Displacement and force that do not agree are told once, from the level of the rehearsal's observer on.
func TestDoubtIsToldOnce(t *testing.T) {
	o := newOperated(t)
	s := &supervisor{Test: &o.Test}
	run := rthstest.Must(o.Scenario.Build(t.Context(), scenario.Options{}))
	s.manifest = rthstest.Must(newManifest(run, ""))
	s.at = map[string]int{"phase": 0, stability.ImplausiblePct: 1, "reading": 2}
	o.columns = s.at
	w := newOnly(t, "phase", stability.ImplausiblePct, "reading")
	s.writer = w
	s.beside = (&rehearsal{}).compare(s.at, 256)
	s.late.test, s.late.due = &s.test, -1
	for _, pct := range []float64{0, stability.PlausiblePct - 1, stability.PlausiblePct, stability.PlausiblePct + 1, 0,
		3 * stability.PlausiblePct} {
		s.row = []float64{float64(running), pct, 41}
		if s.append(); !s.ran {
			t.Error("a row of the run is none")
		}
		want := 0
		if pct >= stability.PlausiblePct || s.ticks > 3 {
			want = 1
		}
		if len(o.said) != want {
			t.Errorf("%g %%: told %q: want %d warnings", pct, o.said, want)
		}
	}
	s.row = []float64{float64(after), 0, 50}
	s.append()
	if s.ran || s.ticks != 6 || s.test.AroundRows != 1 || s.test.FirstSample != 41 || w.Rows() != 6 ||
		w.AroundRows() != 1 {
		t.Errorf("%d ticks, %d rows around, first reading %d", s.ticks, s.test.AroundRows, s.test.FirstSample)
	}
}
