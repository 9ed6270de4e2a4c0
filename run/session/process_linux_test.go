package session

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/lab/realtime"
	"rths/lab/rig"
	"rths/result/record"
)

// deaf is the input of a process that has died.
type deaf struct{}

func (deaf) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
}

// answering is a process of the loop that says these words, and then ends.
func answering(to io.Writer, words ...toSupervisor) (p *process, told *[]string) {
	list := make(chan toSupervisor, len(words))
	for _, w := range words {
		list <- w
	}
	close(list)
	told = new([]string)
	return &process{to: newLines(to), answers: list, path: "/dev/shm/ring",
		say: func(text string) { *told = append(*told, text) }}, told
}

// Every question before the start waits for its own answer, passes notes on, and ends with the
// fault, or with the death of the loop.
func TestProcessIsAsked(t *testing.T) {
	granted := &entered{CPU: 2, Grants: []realtime.Grant{{Name: "scheduler", Granted: true}}}
	for name, c := range map[string]struct {
		call   func(*process, context.Context) error
		answer toSupervisor
		asked  string
	}{
		"enter": {func(p *process, ctx context.Context) error { return p.enter(ctx, 2, true) },
			toSupervisor{Entered: granted}, `"Enter":{"CPU":2}`},
		"connect": {(*process).connect,
			toSupervisor{Welcome: rthstest.Must(newInside(rthstest.Must(scenarioOf(quick)), "")).Info()},
			`"Ring":"/dev/shm/ring"`},
		"check": {(*process).check, toSupervisor{Checked: &checked{TripUs: 7}}, `"Check":64`},
		"arm": {func(p *process, ctx context.Context) error { return p.arm(ctx, &arm{First: []float64{0.5}}) },
			toSupervisor{Armed: true}, `"First":[0.5]`},
	} {
		asked := new(bytes.Buffer)
		p, told := answering(asked, toSupervisor{Note: "wait"}, c.answer, toSupervisor{Wrong: "later"})
		if err := c.call(p, t.Context()); err != nil || !slices.Equal(*told, []string{"wait"}) ||
			!strings.Contains(asked.String(), c.asked) {
			t.Errorf("%s: %v; told %q, asked %s", name, err, *told, asked)
		}
		if of := (<-p.answers).Wrong; of != "later" {
			t.Errorf("%s: took the word behind its answer, and left %q", name, of)
		}
		p, _ = answering(asked, toSupervisor{Note: "wait"}, toSupervisor{Wrong: "no rig"}, c.answer)
		if err := c.call(p, t.Context()); err == nil || err.Error() != "no rig" {
			t.Errorf("%s: %v: want what is wrong", name, err)
		}
		for what, to := range map[string]io.Writer{"hears nothing": deaf{}, "dies then": io.Discard} {
			p, _ = answering(to, toSupervisor{Note: "wait"})
			if err := c.call(p, t.Context()); err != errLoopGone {
				t.Errorf("%s of a loop that %s: %v: want %v", name, what, err, errLoopGone)
			}
		}
		stopped, cancel := context.WithCancel(t.Context())
		cancel()
		p, _ = answering(asked)
		p.answers = nil // says nothing
		if err := c.call(p, stopped); err != errStopped {
			t.Errorf("%s: %v: want %v", name, err, errStopped)
		}
	}
	p, _ := answering(io.Discard, toSupervisor{Armed: true})
	if err := p.arm(t.Context(), &arm{First: []float64{math.NaN()}}); err == nil || !strings.Contains(err.Error(), "NaN") {
		t.Errorf("a first command that is not a number is told: %v", err)
	}
}

// A test goes no step further without its rig, its checks or its start.
func TestNoStepWithoutTheLoop(t *testing.T) {
	for name, step := range map[string]func(*supervisor, context.Context) error{"meet": (*supervisor).openSession,
		"inspect": (*supervisor).inspect, "ready": (*supervisor).ready} {
		s, _ := supervised(t, newOperated(t))
		words := make(chan toSupervisor, 1)
		words <- toSupervisor{Wrong: "no rig answers"}
		s.answers, s.to = words, newLines(io.Discard)
		if err := step(s, t.Context()); err == nil || err.Error() != "no rig answers" || s.manifest.Rig != nil ||
			len(s.test.Steps) != 0 || len(s.test.Checks) != 0 {
			t.Errorf("%s: %v, %+v", name, err, s.test)
		}
	}
}

// Without what real time needs a test is refused, with each thing that is missing; a soft one goes on.
func TestRealTimeIsWanted(t *testing.T) {
	list := []realtime.Grant{{Name: "scheduler", Text: "normal", Mend: "priority 80", Needed: true},
		{Name: "memory", Text: "locked", Granted: true},
		{Name: "processor", Text: "any", Mend: "a processor of its own", Needed: true}, {Name: "steal", Text: "1 %"}}
	missing := realtime.Missing(list)
	if len(missing) < 2 {
		t.Fatalf("missing %+v", missing)
	}
	p, _ := answering(io.Discard, toSupervisor{Entered: &entered{Grants: list}})
	err := p.enter(t.Context(), 1, false)
	if err == nil {
		t.Fatal("no real time is taken for some")
	}
	for _, g := range missing {
		if !strings.Contains(err.Error(), g.Name+": "+g.Text+"; want "+g.Mend) {
			t.Errorf("%v: want %q in it", err, g.Name)
		}
	}
	p, _ = answering(io.Discard, toSupervisor{Entered: &entered{Grants: list}})
	if err := p.enter(t.Context(), 1, true); err != nil {
		t.Errorf("soft: %v", err)
	}
	if got, want := granted(list[:2]), "scheduler NOT granted: normal; memory locked"; got != want {
		t.Errorf("%q: want %q", got, want)
	}
}

// A command that cannot get its pipes, or does not exist, is not started.
func TestStartPiped(t *testing.T) {
	for name, c := range map[string]*exec.Cmd{
		"input": {Path: "/bin/true", Stdin: new(bytes.Buffer)}, "output": {Path: "/bin/true", Stdout: new(bytes.Buffer)},
		"program": {Path: "/nowhere/rths"},
	} {
		if _, _, err := startPiped(c); err == nil || c.Process != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	c := exec.Command("cat")
	in, out, err := startPiped(c)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(in, "heard")
	_ = in.Close()
	if text, err := io.ReadAll(out); string(text) != "heard" || errors.Join(err, c.Wait()) != nil {
		t.Errorf("%q, %v", text, err)
	}
}

// What is asked of a running loop never becomes less; that the record cannot be kept stands beside it.
func TestWantNeverBecomesLess(t *testing.T) {
	s, p := supervised(t, newOperated(t))
	for _, c := range []struct{ wanted, asked request }{
		{goOn, goOn}, {noRecord, goOn | noRecord}, {goOn, goOn | noRecord}, {rampDown, rampDown | noRecord},
		{noRecord, rampDown | noRecord}, {goOn, rampDown | noRecord}, {letGo, letGo | noRecord}, {holdNow, letGo | noRecord},
	} {
		if s.want(c.wanted); request(p.Request()) != c.asked {
			t.Errorf("%d wanted: the ring says %#x: want %#x", c.wanted, p.Request(), uint64(c.asked))
		}
	}
	if p.SupervisorBeat() == 0 {
		t.Error("the supervisor shows no beat")
	}
}

// A process that is given up leaves no file of its rings, though the loop has died while it made its own.
func TestQuitLeavesNothing(t *testing.T) {
	s, _ := supervised(t, newOperated(t))
	p := &process{built: s.built}
	dir := t.TempDir()
	if err := p.makeRing(dir, 16, 16); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{askSuffix, giveSuffix} {
		if err := os.WriteFile(p.path+suffix, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.command = exec.Command("cat") // which ends as soon as its input has
	p.stdin, _, _ = startPiped(p.command)
	if p.quit(); p.command.ProcessState == nil {
		t.Error("the process is left")
	}
	if left := rthstest.Must(os.ReadDir(dir)); len(left) != 0 {
		t.Errorf("%d files are left", len(left))
	}
	(&process{}).quit() // of a process that was never started
}

// A loop that has begun has, whatever it has said before; a result that comes with its begin is kept.
func TestBegunEarly(t *testing.T) {
	s, p := supervised(t, newOperated(t))
	words := make(chan toSupervisor)
	s.answers = words
	done := make(chan struct{})
	go func() {
		defer close(done)
		words <- toSupervisor{Note: "a"}
		words <- toSupervisor{Result: &result{Held: 7}}
		p.SetState(startedBit)
	}()
	if early, err := s.awaitStart(t.Context()); err != nil || early == nil || early.Held != 7 {
		t.Errorf("%+v, %v", early, err)
	}
	if early, err := s.awaitStart(t.Context()); err != nil || early != nil {
		t.Errorf("without words: %+v, %v", early, err)
	}
	<-done
}

// A loop that stands still is told once, and when it goes on once too.
func TestStillLoopIsTold(t *testing.T) {
	o := newOperated(t)
	s, p := supervised(t, o)
	s.info = rthstest.Must(newInside(o.Scenario, "")).Info()
	for k, c := range []struct {
		silentS float64
		told    int
		last    string
	}{{0, 0, ""},
		{30, 1, "the loop has stood still for 30.0 s: the rig goes to safety by itself when no commands come for 1.5 s"},
		{40, 1, "still for 30"}, {0, 2, "the loop goes on"}, {0, 2, "goes on"}, {50, 3, "still for 50"}} {
		p.Beat(realtime.Now() - int64(c.silentS*1e9))
		if s.watch(); len(o.said) != c.told || c.told > 0 && !strings.Contains(o.said[c.told-1], c.last) {
			t.Errorf("%d: told %q: want %q", k, o.said, c.last)
		}
	}
}

// The manifest of a test takes what its loop says, and keeps what the supervisor knows. A record without all rows
// of the run is one that failed.
func TestAdopt(t *testing.T) {
	for recorded, want := range map[int]string{100: rths.Stopped, 98: rths.Failed} {
		s := &supervisor{ticks: recorded, result: &result{
			Manifest: manifest{record.Manifest{Status: rths.Stopped, Reason: "by the operator", Samples: 100,
				Warnings: []string{"w"}}},
			Cause: "supervisor: the operator", Held: 4, Lost: 2, Moves: []record.Move{{Gain: 1}},
			ShiftX: numbers([]float64{0.25}), ShiftF: numbers([]float64{0}),
			Rest: &record.Rest{AtRest: true},
		}}
		m := record.Manifest{Started: "then", Notes: []string{"n"}, Rig: &record.Rig{Laboratory: "here"}}
		s.adopt(&m)
		if m.Status != want || m.Started != "then" || !slices.Equal(m.Notes, []string{"n"}) || m.Rig.Laboratory != "here" ||
			!slices.Equal(m.Warnings, []string{"w"}) || m.Test != &s.test {
			t.Errorf("%d rows of 100: %+v: want %s", recorded, m, want)
		}
		if told := m.Reason == "98 of 100 rows of the run are recorded; the loop found no space for 2: stopped, by "+
			"the operator"; told != (recorded == 98) {
			t.Errorf("%d rows of 100: %s", recorded, m.Reason)
		}
		if of := m.Test; of.Cause != "supervisor: the operator" || of.Held != 4 || len(of.Moves) != 1 || !of.Rest.AtRest ||
			!slices.Equal(of.ShiftX, []float64{0.25}) || !slices.Equal(of.ShiftF, []float64{0}) {
			t.Errorf("%d rows of 100: %+v", recorded, of)
		}
	}
	var unmoved record.Test
	if shifted(&unmoved, []float64{0}, []float64{0}); unmoved.ShiftX != nil || unmoved.ShiftF != nil {
		t.Errorf("nothing was zeroed: %+v", unmoved)
	}
}

// The room for a record is on the disk of the nearest folder that there is.
func TestExisting(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{dir: dir, filepath.Join(dir, "a", "b"): dir, filepath.Join(file, "a"): dir,
		"/nowhere/at/all": "/", "nowhere": "."} {
		if got := existing(path); got != want {
			t.Errorf("%s: %s: want %s", path, got, want)
		}
	}
}

// What the operator sees of a test is what its ring and its rows say.
func TestStateIsShown(t *testing.T) {
	o := newOperated(t)
	s, p := supervised(t, o)
	for range 3 {
		p.Next()[0] = 1
		p.Publish()
	}
	s.ticks, s.test.AroundRows, s.test.LateTicks, s.test.LongestLate = 5, 2, 4, 3
	s.show(uint64(running) | uint64(rig.Holding)<<8 | startedBit)
	if of := o.states[0]; of.Phase != Running || of.Guard != rig.Holding || of.Tick != 5 || of.Rows != 7 ||
		of.Samples != quickSamples || of.Behind != 3 || of.Late != 4 || of.LongestLate != 3 || of.Timing == nil {
		t.Errorf("%+v", of)
	}
	s.Show = nil
	s.show(0) // to nobody
}
