package session

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/lab/numerical"
	"rths/lab/realtime"
	"rths/lab/rig"
	"rths/lab/ring"
	"rths/method/stability"
	"rths/result/record"
	"rths/scenario"
)

// The server of an analysis listens where its scenario says, and a scenario that it cannot serve is
// refused with the key that is wrong.
func TestListenFor(t *testing.T) {
	taken := rthstest.Must(net.Listen("tcp", "127.0.0.1:0"))
	defer taken.Close()
	for name, c := range map[string]struct {
		sets []string
		want string // of the error; "": none
	}{
		"tcp":            {[]string{"structure.listen=127.0.0.1:0"}, ""},
		"udp":            {[]string{"structure.listen=127.0.0.1:0", "structure.protocol=udp"}, ""},
		"address in use": {[]string{"structure.listen=" + taken.Addr().String()}, "structure.listen: "},
		"no specimen":    {[]string{"structure.listen=127.0.0.1:0", "specimen.stiffness=-1"}, "stiffness"},
	} {
		s := rthstest.Must(scenario.Parse("external", []byte(external), ".", c.sets))
		var told []string
		server, err := listenFor(s, func() bool { return true }, func(text string) { told = append(told, text) })
		if c.want != "" {
			if err == nil || server != nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v: want %q", name, err, c.want)
			}
			continue
		}
		if err != nil || !strings.HasPrefix(server.Invitation(), "listening at 127.0.0.1:") ||
			!strings.Contains(server.Invitation(), "("+name+")") {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if server.AwaitClient() == nil { // stopped
			t.Errorf("%s: met nobody", name)
		}
	}
}

// The process of the numerical part serves an analysis in place of main steps: through rings of its degrees of freedom,
// and with an invitation before it waits.
func TestNumericalListens(t *testing.T) {
	answers := new(bytes.Buffer)
	n := &numericalPart{out: newLines(answers)}
	text := rthstest.Must(rthstest.Must(scenario.Parse("external", []byte(external), ".",
		[]string{"structure.listen=127.0.0.1:0"})).YAML())
	if err := n.obey(toNumerical{Job: &Job{Scenario: text, Source: "external"}}); err != nil || n.client == nil ||
		n.dof != 1 || !strings.Contains(answers.String(), `"Built":true`) {
		t.Fatalf("%v: %s", err, answers)
	}
	if ask, give := numerical.ClientShapes(1, ringNumber, 256); n.askShape != ask || n.giveShape != give {
		t.Errorf("rings %+v, %+v", n.askShape, n.giveShape)
	}
	of := rings{Ask: filepath.Join(t.TempDir(), "ask"), Give: filepath.Join(t.TempDir(), "give")}
	give := rthstest.Must(ring.Create(of.Give, n.giveShape))
	defer give.Close()
	if err := n.obey(toNumerical{Rings: &of}); err != nil {
		t.Fatal(err)
	}
	n.left.Store(true) // the loop has gone: nobody is waited for
	answers.Reset()
	if err := n.obey(toNumerical{Try: 1}); err == nil ||
		!strings.Contains(answers.String(), `"Note":"listening at 127.0.0.1:`) ||
		strings.Contains(answers.String(), `"Ready":{`) {
		t.Errorf("%v: %s", err, answers)
	}
	other := rthstest.Must(scenario.Parse("external", []byte(external), ".",
		[]string{"structure.listen=127.0.0.1:0", "specimen.stiffness=-1"}))
	if err := n.listen(other); err == nil {
		t.Error("listens for the analysis of a specimen that cannot be")
	}
}

// supervised is a supervisor whose loop is in this test: what it shows in its ring is set here.
func supervised(t *testing.T, o *operated) (*supervisor, *ring.Producer) {
	t.Helper()
	s := &supervisor{Test: &o.Test, process: process{built: &built{Samples: quickSamples,
		Manifest: manifest{record.Manifest{RateHz: 256, Columns: []record.Column{{Name: "a", Unit: "m"}}}}}}}
	if err := s.makeRing(t.TempDir(), 16, 16); err != nil {
		t.Fatal(err)
	}
	p := rthstest.Must(ring.Open(s.path))
	p.Beat(realtime.Now())
	t.Cleanup(func() {
		s.stopBeating()
		p.Close()
		_ = s.ring.Remove()
	})
	return s, p
}

// A test with an analysis has a ring with room for all, and tells the operator of an analysis that gives no target.
func TestRoomOfATest(t *testing.T) {
	o := newOperated(t)
	o.Scenario = rthstest.Must(scenarioOf(external))
	s := &supervisor{Test: &o.Test, process: process{built: &built{Samples: 384, AroundS: 2, SilentS: 1}},
		rehearsal: new(rehearsal)}
	var columns []record.Column
	for _, name := range []string{"phase", "raw_failed", "reading", "late", "due_at_s", "left_at_s", "at_target",
		"new_target", "client_ended", stability.ImplausiblePct} {
		columns = append(columns, record.Column{Name: name, Unit: "-"})
	}
	s.manifest = record.Manifest{RateHz: 256, Columns: columns}
	s.built.Manifest = manifest{s.manifest}
	if err := s.room(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer func() { s.stopBeating(); _ = s.ring.Remove() }()
	if rows := s.ring.Shape().Rows; rows < 384+3*256+3 || rows > 2*(384+3*256+3) || s.test.Ring != s.path ||
		filepath.Dir(s.path) != o.RingFolder {
		t.Errorf("a ring of %d rows at %s: want those of 384 samples and of 3 s around them in %s", rows, s.test.Ring,
			o.RingFolder)
	}
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	s.writer = newOnly(t, names...)
	for k := range 700 { // 2.7 s after the target
		clear(s.row)
		s.row[s.at["phase"]] = float64(running)
		if k == 0 {
			s.row[s.at["at_target"]] = 1
		}
		s.append()
	}
	if len(o.said) != 1 || !o.tells("the analysis has given no target for 2 s") || s.ticks != 700 {
		t.Errorf("%d ticks, told %q", s.ticks, o.said)
	}
}

// At the end the operator is asked, and told where the specimen is unless it is at rest. Enter is an answer, and so is
// a loop that has gone or has let the rig go by itself.
func TestEndIsAsked(t *testing.T) {
	const held = "The rig is held. Enter ends the session; the rig then goes to safety by itself: "
	for _, c := range []struct {
		rest *record.Rest
		text string
	}{{nil, held}, {&record.Rest{AtRest: true, Text: "it stands"}, held},
		{&record.Rest{Text: "it moves"}, "The command is held; it moves. Enter ends the session with the rig: "}} {
		s, _ := supervised(t, newOperated(t))
		s.test.Rest = c.rest
		s.Ask = func(_ context.Context, q Question) (string, error) {
			if q.Step != "END" || q.Text != c.text {
				t.Errorf("%s %q: want %q", q.Step, q.Text, c.text)
			}
			return "", nil
		}
		s.wait(t.Context())
	}
	for what, words := range map[string][]toSupervisor{"gone": {{Note: "a"}},
		"parted": {{Note: "a"}, {Parted: &parted{}}, {Wrong: "later"}}} {
		o := newOperated(t)
		s, _ := supervised(t, o)
		list := make(chan toSupervisor, len(words))
		for _, w := range words {
			list <- w
		}
		if s.answers = list; what == "gone" {
			close(list)
		}
		s.Ask = func(ctx context.Context, _ Question) (string, error) { <-ctx.Done(); return "", ctx.Err() }
		if s.wait(t.Context()); o.tells("the process of the loop has died while it held the rig") != (what == "gone") ||
			what == "parted" && len(list) != 1 {
			t.Errorf("%s: told %q", what, o.said)
		}
	}
}

// The analysis of a test is asked to end once, as soon as the guard acts or the run is over. A
// folder that takes no file is reported.
func TestAnalysisIsAskedToStop(t *testing.T) {
	state := func(p phase, g rig.State) uint64 { return uint64(p) | uint64(g)<<8 | startedBit }
	for name, c := range map[string]struct {
		scenario string
		state    uint64
		folder   string
		want     string // told; "": nothing
	}{
		"running":  {external, state(running, rig.Running), "", ""},
		"approach": {external, state(approach, rig.Disarmed), "", ""},
		"held": {external, state(running, rig.Holding), "",
			"an analysis that is still there gets held forces until it leaves: it should end by "},
		"over":      {external, state(after, rig.Disarmed), "", "an analysis that is still there"},
		"no folder": {external, state(after, rig.Disarmed), "none", "the analysis is not told to end: "},
		"structure": {quick, state(after, rig.Holding), "", ""},
	} {
		o := newOperated(t)
		s, p := supervised(t, o)
		s.writer = newOnly(t, "a")
		s.row, s.Scenario, s.Out = []float64{0}, rthstest.Must(scenarioOf(c.scenario)), filepath.Join(t.TempDir(), c.folder)
		p.SetState(c.state)
		s.drain()
		s.drain()
		if want := map[bool]int{true: 0, false: 1}[c.want == ""]; len(o.said) != want || !o.tells(c.want) && want > 0 {
			t.Errorf("%s: told %q: want %q once", name, o.said, c.want)
		}
		if _, err := os.Stat(filepath.Join(s.Out, stopFile)); (err == nil) != strings.HasPrefix(c.want, "an analysis") {
			t.Errorf("%s: file %s: %v", name, stopFile, err)
		}
	}
}
