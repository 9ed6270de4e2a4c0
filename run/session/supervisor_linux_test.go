package session

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"rths"
	"rths/kit/rthstest"
	"rths/lab/realtime"
	"rths/lab/rig"
	"rths/lab/ring"
	"rths/result/record"
	"rths/scenario"
)

// TestMain is the process of the loop or of the numerical part too, where a test starts this binary as one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		serve := map[string]func(){
			"loop":      func() { ServeLoop(context.Background(), os.Stdin, os.Stdout) },
			"numerical": serveNumerical,
		}[os.Args[1]]
		if serve != nil {
			time.AfterFunc(time.Minute, func() { os.Exit(3) }) // of a test that was killed
			serve()
			return
		}
	}
	rthstest.FewCollections()
	_ = flag.Set("test.parallel", "8") // tests that wait for a loop leave the processor to others
	os.Exit(m.Run())
}

// operated is a test with its supervisor here, its loop in a process of its own, and an operator who says yes.
type operated struct {
	Test
	dir     string
	said    []string
	asked   []string // steps, with the words wanted
	states  []State
	rows    [][]float64
	rested  int
	columns map[string]int
	at      func(step string) (answer string) // at a question; "": yes
	row     func(n int)                       // at a row of the run, from 0
	ran     int
}

func newOperated(t *testing.T, sets ...string) *operated {
	t.Helper()
	o := &operated{dir: t.TempDir()}
	s := rthstest.Must(scenario.Parse("quick", []byte(quick), o.dir, sets))
	text := rthstest.Must(s.YAML())
	for _, folder := range []string{"ring", "runs"} {
		if err := os.Mkdir(filepath.Join(o.dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	o.Test = Test{
		Scenario: s, Out: filepath.Join(o.dir, "runs", "test"), Runs: []string{filepath.Join(o.dir, "runs")}, CPU: -1,
		Soft:   true,
		Proven: &Proven{RateHz: 1e4, Text: "examined"}, RingFolder: filepath.Join(o.dir, "ring"),
		Job:     Job{Scenario: text, Source: "quick", Folder: o.dir, Program: "v1"},
		Command: exec.Command("/proc/self/exe", "loop"),
		Say:     func(text string) { o.said = append(o.said, text) },
		Show:    func(s State) { o.states = append(o.states, s) },
		Ask:     o.answer, Row: o.see,
		Ready:  func(r *Ready) { o.columns = place(r.Manifest.Columns) },
		Rested: func(*record.Manifest) { o.rested++ },
	}
	o.Command.Stderr = os.Stderr
	t.Cleanup(func() {
		if p := o.Command.Process; p != nil {
			_ = p.Kill() // has ended in a test that passes
		}
	})
	return o
}

func (o *operated) answer(_ context.Context, q Question) (string, error) {
	o.asked = append(o.asked, q.Step+" "+q.Want)
	if o.at != nil {
		if answer := o.at(q.Step); answer != "" {
			return answer, nil
		}
	}
	return q.Want, nil
}

func (o *operated) see(row []float64) {
	o.rows = append(o.rows, slices.Clone(row))
	if phase(row[o.columns["phase"]]) == running {
		if o.row != nil {
			o.row(o.ran)
		}
		o.ran++
	}
}

// rehearse makes the virtual run of the same scenario.
func (o *operated) rehearse(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(o.dir, "runs", "rehearsal")
	s := rthstest.Must(scenario.Parse("quick", []byte(o.Job.Scenario), o.dir, nil))
	run := rthstest.Must(s.Build(t.Context(), scenario.Options{}))
	m := rthstest.Must(newManifest(run, o.Job.Program))
	w := rthstest.Must(record.NewRecorder(dir, m, run.Loop.Frame(), run.Channels))
	run.Loop.Attach(w)
	if conclude(t.Context(), &m, run, run.Loop.Run(1, nil)); m.Status != rths.Completed {
		t.Fatalf("rehearsal: %s %s", m.Status, m.Reason)
	}
	if err := w.Close(m); err != nil {
		t.Fatal(err)
	}
	return dir
}

// rehearsed is a test that can be armed.
func rehearsed(t *testing.T, sets ...string) *operated {
	t.Helper()
	o := newOperated(t, sets...)
	o.rehearse(t)
	return o
}

// tells reports whether the operator was told something that contains a text.
func (o *operated) tells(text string) bool {
	return slices.ContainsFunc(o.said, func(s string) bool { return strings.Contains(s, text) })
}

// steps of the operator's list, by name.
func steps(m *record.Manifest) (out []string) {
	for _, s := range m.Test.Steps {
		out = append(out, s.Name)
	}
	return out
}

// rings are the files left in the folder of the ring.
func (o *operated) rings() int { return len(rthstest.Must(os.ReadDir(o.RingFolder))) }

// sound reports the faults of a record: it is whole, a replay is equal to the bit and ends for the same cause,
// every row was shown, and its manifest is the one that the test has returned.
func (o *operated) sound(t *testing.T, m *record.Manifest) {
	t.Helper()
	saved := rthstest.Must(record.LoadManifest(o.Out))
	if saved.Status != m.Status || saved.Reason != m.Reason || saved.Test.Cause != m.Test.Cause ||
		len(saved.Test.Steps) != len(m.Test.Steps) {
		t.Errorf("the folder says %s, %s, cause %q: want %s, %s, cause %q", saved.Status, saved.Reason, saved.Test.Cause,
			m.Status, m.Reason, m.Test.Cause)
	}
	again, err := NewReplay(t.Context(), o.Out, scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if again.First != nil || again.Unchecked != "" || again.Cause != m.Test.Cause && m.Status != rths.Lost ||
		again.Rested != (m.Status != rths.Lost) {
		t.Errorf("replay: %v, unchecked %q, cause %q, to the end: %t: want equal to the bit, and cause %q", again.First,
			again.Unchecked, again.Cause, again.Rested, m.Test.Cause)
	}
	if again.Ticks != m.Samples || again.Rows != m.Samples+m.Test.AroundRows || len(o.rows) != again.Rows ||
		o.ran != m.Samples {
		t.Errorf("%d rows of the run and %d around it; %d replayed, %d shown, %d of the run: want the same", m.Samples,
			m.Test.AroundRows, again.Rows, len(o.rows), o.ran)
	}
	if o.rings() != 0 || m.Test.Ring != "" {
		t.Errorf("%d files of the ring are left, and the manifest names %q", o.rings(), m.Test.Ring)
	}
}

// In a test without faults the operator is asked and told in order, the record is whole, and in lockstep the test is
// the run that rehearsed it. The verdict names the expectations that it misses.
func TestOperated(t *testing.T) {
	t.Parallel()
	o := rehearsed(t, "expect={J2_pct: {max: 1e-9}}")
	var ready *Ready
	o.Ready = func(r *Ready) { ready = r; o.columns = place(r.Manifest.Columns) }
	o.at = func(step string) string {
		if step == "END" && o.rested != 1 {
			t.Error("asked for the end before the record was shown")
		}
		return ""
	}
	began := time.Now().Truncate(time.Second)
	m, err := o.Run(t.Context())
	if err != nil || m.Status != rths.Completed || m.Reason != "" || m.Test.Cause != "" || m.Samples != quickSamples {
		t.Fatalf("%s, %s, cause %q, %d samples, %v", m.Status, m.Reason, m.Test.Cause, m.Samples, err)
	}
	o.sound(t, &m)
	if len(m.Unmet) != 1 || !strings.Contains(m.Unmet[0], "J2_pct") {
		t.Errorf("unmet %q: want J2_pct", m.Unmet)
	}
	if want := []string{"ARM ARM", "START START", "END "}; !slices.Equal(o.asked, want) {
		t.Errorf("asked %q: want %q", o.asked, want)
	}
	if got, want := steps(&m), []string{"real time", "connect", "checks", "ARM", "START", "end",
		"disarm"}; !slices.Equal(got, want) {
		t.Errorf("steps %q: want %q", got, want)
	}
	if of := m.Test.Rehearsal; of.DisplacementPct != 0 || of.ForcePct != 0 || of.PartedS == of.PartedS ||
		filepath.Base(of.Folder) != "rehearsal" || of.PeakM != of.RehearsedPeakM || !(of.PeakM > 0) {
		t.Errorf("beside the rehearsal: %+v: want equal", of)
	}
	if started, err := time.Parse(time.RFC3339, m.Started); err != nil || started.Before(began) {
		t.Errorf("started %q, %v", m.Started, err)
	}
	if r := m.Rig; !r.Virtual || r.Clock != "lockstep" || r.Address != "" || !r.Parted {
		t.Errorf("rig %+v", r)
	}
	if rt := m.Test.Realtime; !rt.Soft || rt.Timing.Ticks == 0 || rt.PageFaults < 0 || len(rt.Grants) == 0 {
		t.Errorf("real time %+v", rt)
	}
	if rest := m.Test.Rest; rest == nil || !rest.AtRest || m.Test.Held == 0 ||
		m.Test.FirstSample != 1 && m.Test.FirstSample != 0 {
		t.Errorf("rest %+v, held for %d ticks, first reading %d", rest, m.Test.Held, m.Test.FirstSample)
	}
	if ready == nil || ready.Samples != quickSamples || ready.WatchdogS != 1.5 || ready.SilentS != 60 ||
		len(ready.Parameters) == 0 || ready.Manifest.Test == nil || len(ready.Manifest.Test.Checks) != len(m.Test.Checks) {
		t.Errorf("ready %+v", ready)
	}
	for _, c := range m.Test.Checks {
		if !c.OK || !o.tells(c.Name+": ") {
			t.Errorf("check %+v: want it to hold, and to be told", c)
		}
	}
	want := map[string]float64{}
	for _, c := range m.Test.Checks {
		want[c.Name] = float64(c.Value)
	}
	if spare := want["free space on disk"] - want["free shared memory"]; spare != 64<<20 {
		t.Errorf("%g bytes of the disk beside the rows: want 64 MiB", spare)
	}
	o.toldFaults(t)
	o.shown(t, &m)
	if o.tells("warning") || o.tells("stood still") {
		t.Errorf("told %q: want no warning", o.said)
	}
}

// toldFaults wants the table of faults told.
func (o *operated) toldFaults(t *testing.T) {
	t.Helper()
	run := rthstest.Must(o.Scenario.Build(t.Context(), scenario.Options{}))
	list := Reactions(run)
	if len(list) < 10 {
		t.Errorf("%d reactions", len(list))
	}
	for _, r := range list {
		if !o.tells("  " + r.Fault + ": " + r.Then) {
			t.Errorf("%q was not told", r.Fault)
		}
	}
}

// shown wants the phases of a test that ended well shown in their order, with its rows.
func (o *operated) shown(t *testing.T, m *record.Manifest) {
	t.Helper()
	order := map[string]int{AtRest: 0, Approach: 1, Running: 2, Resting: 3, Held: 4}
	before, rows := 0, 0
	for _, s := range o.states {
		now, ok := order[s.Phase]
		if !ok || now < before || s.Rows < rows || s.Samples != quickSamples || s.Behind < 0 {
			t.Fatalf("after phase %d and %d rows: %+v", before, rows, s)
		}
		before, rows = now, s.Rows
	}
	if o.states[0].Guard != rig.Armed || o.states[0].Phase != AtRest {
		t.Errorf("first state %+v: want one that is armed", o.states[0])
	}
	if last := o.states[len(o.states)-1]; last.Phase != Held || last.Guard == rig.Armed || last.Tick != m.Samples ||
		last.Rows != m.Samples+m.Test.AroundRows || last.Timing == nil || last.Late != m.Test.LateTicks {
		t.Errorf("last state %+v", last)
	}
}

// stopping is what stops a test while it runs, and what is said of it.
type stopping struct {
	stop          func(o *operated, cancel context.CancelCauseFunc, again func())
	status, cause string
	step          string // text of the step stop; "": none
	told          string
	asked         []cause // that acted, in order
}

// says wants the causes that acted, the step stop and the results of a test that has ended.
func (c stopping) says(t *testing.T, o *operated, m *record.Manifest, twice bool) {
	t.Helper()
	var asked []cause
	for _, row := range o.rows {
		if why := cause(row[o.columns["asked"]]); why != nothing {
			asked = append(asked, why)
		}
	}
	if twice && asked[len(asked)-1] != operatorHolds || !twice && !slices.Equal(asked, c.asked) {
		t.Errorf("causes %d acted: want %d", asked, c.asked)
	}
	var stop string
	for _, s := range m.Test.Steps {
		if s.Name == "stop" {
			stop += s.Text
		}
	}
	if stop != c.step || !o.tells(c.told) {
		t.Errorf("step stop %q: want %q; told %q: want %q", stop, c.step, o.said, c.told)
	}
	if m.Status == rths.Lost && (m.Test.Realtime.PageFaults != -1 || len(m.Criteria) == 0 || m.Test.Rest.AtRest ||
		o.rested != 0) {
		t.Errorf("%d criteria, rest %+v: want results, and nothing known of the specimen", len(m.Criteria), m.Test.Rest)
	}
}

// What stops a test while it runs is its cause, and the record is whole whatever it is.
func TestOperatedStops(t *testing.T) {
	t.Parallel()
	const at = quickSamples / 2
	for name, c := range map[string]stopping{
		"Ctrl-C": {stop: func(_ *operated, cancel context.CancelCauseFunc, _ func()) { cancel(nil) },
			status: rths.Stopped, cause: "supervisor: the operator stopped the test", step: "Ctrl-C or SIGTERM",
			asked: []cause{operatorStops}},
		"from the page": {
			stop:   func(_ *operated, cancel context.CancelCauseFunc, _ func()) { cancel(errors.New("by the page")) },
			status: rths.Stopped, cause: "supervisor: the operator stopped the test", step: "by the page",
			asked: []cause{operatorStops}},
		"Ctrl-C twice": {stop: func(_ *operated, cancel context.CancelCauseFunc, again func()) { cancel(nil); again() },
			status: rths.Stopped, cause: "supervisor: the operator stopped the test", step: "Ctrl-C or SIGTERM"},
		"SIGTERM to the loop": {stop: func(o *operated, _ context.CancelCauseFunc, _ func()) {
			_ = o.Command.Process.Signal(syscall.SIGTERM)
		}, status: rths.Stopped, cause: "supervisor: the process of the loop was told to end",
			asked: []cause{loopTerminated}},
		"Ctrl-C and a closed terminal, at the loop": {stop: func(o *operated, _ context.CancelCauseFunc, _ func()) {
			for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGHUP, syscall.SIGPIPE} {
				_ = o.Command.Process.Signal(s)
			}
		}, status: rths.Completed},
		"loop killed": {stop: func(o *operated, _ context.CancelCauseFunc, _ func()) { _ = o.Command.Process.Kill() },
			status: rths.Lost, cause: "loop: its process has died (signal: killed)"},
		"loop stopped": {stop: func(o *operated, _ context.CancelCauseFunc, _ func()) {
			_ = o.Command.Process.Signal(syscall.SIGSTOP)
			o.Say = func(text string) {
				if o.said = append(o.said, text); strings.Contains(text, "the loop has stood still for ") {
					_ = o.Command.Process.Signal(syscall.SIGCONT)
				}
			}
		}, status: rths.Completed, told: "the loop goes on"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := rehearsed(t)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			again := make(chan struct{})
			o.Again = again
			o.row = func(n int) {
				if n == at {
					c.stop(o, cancel, func() { close(again) })
				}
			}
			m, err := o.Run(ctx)
			if err != nil || m.Status != c.status || !strings.HasPrefix(m.Test.Cause, c.cause) ||
				c.cause == "" && m.Test.Cause != "" {
				t.Fatalf("%s, %s, cause %q, %v: want %s, %q", m.Status, m.Reason, m.Test.Cause, err, c.status, c.cause)
			}
			o.sound(t, &m)
			c.says(t, o, &m, name == "Ctrl-C twice")
		})
	}
}

// A record that fails stops the test, its ring stays, and recovery makes the record whole from it.
func TestOperatedRecordFails(t *testing.T) {
	t.Parallel()
	o := rehearsed(t)
	o.row = func(n int) {
		if n == 5 {
			if err := os.Remove(filepath.Join(o.Out, record.FramesFile)); err != nil {
				t.Error(err)
			}
		}
	}
	o.Ask = nil // yes to everything
	m, err := o.Run(t.Context())
	if err != nil || m.Status != rths.Failed || m.RowsKept == nil || !strings.Contains(m.Reason, "frames.arrow") ||
		o.rings() != 1 || filepath.Dir(m.Test.Ring) != o.RingFolder {
		t.Fatalf("%s, %s, %v; ring %q: want failed, and the ring kept", m.Status, m.Reason, err, m.Test.Ring)
	}
	if !o.tells("the record has failed, the test is stopped: ") || !o.tells("ARM: yes (--yes)") || o.rested != 1 {
		t.Errorf("told %q", o.said)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) { // the loop's process may still be ending
		if m, err = Recover(t.Context(), o.Out, scenario.Options{}); !errors.Is(err, ring.ErrInUse) || time.Now().After(end) {
			break
		}
	}
	if err != nil || m.RowsKept != nil || m.Test.Cause != "supervisor: the record could not be kept" &&
		o.ran < quickSamples {
		t.Fatalf("%v, cause %q", err, m.Test.Cause)
	}
	o.sound(t, &m)
	if _, err := Recover(t.Context(), o.Out, scenario.Options{}); !errors.Is(err, errWhole) {
		t.Errorf("a second recovery: %v", err)
	}
}

// A loop that dies while it holds the rig is told at once, and the record of the test stays what it is.
func TestOperatedDiesHeld(t *testing.T) {
	t.Parallel()
	o := rehearsed(t)
	over := make(chan struct{})
	o.Ask = func(ctx context.Context, q Question) (string, error) {
		if q.Step == "END" {
			_ = o.Command.Process.Kill()
			<-ctx.Done() // nobody presses Enter
			close(over)
		}
		return q.Want, nil
	}
	m, err := o.Run(t.Context())
	<-over
	if err == nil || !strings.Contains(err.Error(), "has died (signal: killed) while it held the rig") ||
		m.Status != rths.Completed || !slices.Contains(m.Warnings, err.Error()) {
		t.Errorf("%s, %v, warnings %q", m.Status, err, m.Warnings)
	}
	if !o.tells("the process of the loop has died while it held the rig: the rig's watchdog takes the specimen to " +
		"safety") {
		t.Errorf("told %q", o.said)
	}
	o.sound(t, &m)
}

// Ctrl-C is an answer to the last question; a stop from elsewhere is none, as the rig is held already.
func TestOperatedEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		why    error
		step   string
		cancel bool // and Ctrl-C twice
	}{"Ctrl-C": {nil, "", false}, "stop from elsewhere, then Ctrl-C": {errors.New("by the page"),
		"by the page: the rig is held already", true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := rehearsed(t)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			again, over := make(chan struct{}), make(chan struct{})
			o.Again = again
			o.Say = func(text string) {
				if o.said = append(o.said, text); strings.HasPrefix(text, "stop: ") {
					close(again)
				}
			}
			o.Ask = func(asked context.Context, q Question) (string, error) {
				if q.Step == "END" {
					cancel(c.why)
					<-asked.Done()
					close(over)
				}
				return q.Want, nil
			}
			m, err := o.Run(ctx)
			<-over
			if err != nil || m.Status != rths.Completed {
				t.Fatalf("%s, %s, %v", m.Status, m.Reason, err)
			}
			o.sound(t, &m)
			if told := o.tells("stop: "); told != c.cancel || !o.tells(c.step) {
				t.Errorf("told %q: want %q", o.said, c.step)
			}
		})
	}
}

// kill ends the process of the loop.
func kill(o *operated) { _ = o.Command.Process.Kill() }

// at does something at a step of the operator, who then answers as wanted.
func at(step string, do func(o *operated)) func(*testing.T, *operated) {
	return func(_ *testing.T, o *operated) {
		o.at = func(s string) string {
			if s == step {
				do(o)
			}
			return ""
		}
	}
}

// answer is another word of the operator at a step.
func answer(step, word string) func(*testing.T, *operated) {
	return func(_ *testing.T, o *operated) {
		o.at = func(s string) string {
			if s == step {
				return word
			}
			return ""
		}
	}
}

// waits does something at a step, and the operator says nothing.
func waits(step string, do func(o *operated)) func(*testing.T, *operated) {
	return func(_ *testing.T, o *operated) {
		o.Ask = func(ctx context.Context, q Question) (string, error) {
			if q.Step == step {
				do(o)
				<-ctx.Done()
			}
			return q.Want, nil
		}
	}
}

// A test that is refused says why; nothing has moved, and neither record nor ring nor process is left.
func TestOperatedRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sets     []string
		spoil    func(*testing.T, *operated)
		want     string
		operator bool
	}{
		"no limits": {sets: []string{"limits=none"},
			want: "limits: none: want limits for a test in the laboratory: leave the key out"},
		"folder in use": {spoil: func(t *testing.T, o *operated) {
			if err := errors.Join(os.Mkdir(o.Out, 0o755), os.WriteFile(filepath.Join(o.Out, "notes.txt"), nil,
				0o644)); err != nil {
				t.Fatal(err)
			}
		}, want: "holds notes.txt: want a new or empty folder for the record"},
		"no program": {spoil: func(_ *testing.T, o *operated) { o.Command = exec.Command("/nowhere/rths") },
			want: "the process of the loop: "},
		"another program": {spoil: func(_ *testing.T, o *operated) { o.Command = exec.Command("/bin/true") }, want: ""},
		"scenario":        {spoil: func(_ *testing.T, o *operated) { o.Job.Scenario = "rate_hz: 0" }, want: "quick"},
		"no rehearsal": {spoil: func(_ *testing.T, o *operated) { o.Runs = []string{o.Out} },
			want: "no rehearsal of this scenario by this version"},
		"another version": {spoil: func(_ *testing.T, o *operated) { o.Job.Program = "v2" },
			want: "is by version v1 of the program, and this is v2"},
		"no such rehearsal": {spoil: func(_ *testing.T, o *operated) { o.Rehearsal = filepath.Join(o.dir, "nothing") },
			want: "nothing"},
		"no memory folder": {spoil: func(_ *testing.T, o *operated) { o.RingFolder = filepath.Join(o.dir, "none") },
			want: "want a folder in memory for the rows of the running test, such as /dev/shm (--ring)"},
		"ring in a file": {spoil: func(t *testing.T, o *operated) {
			o.RingFolder = filepath.Join(o.dir, "file")
			if err := os.WriteFile(o.RingFolder, nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}, want: "not a directory"},
		"machine too slow": {spoil: func(_ *testing.T, o *operated) { o.Proven.RateHz = 100 },
			want: "the test is not armed, nothing has moved: rate that this machine holds: found 256, want 100 Hz or less " +
				"(examined)"},
		"no to ARM": {spoil: answer("ARM", "arm"),
			want: `ARM: the operator answered "arm", not ARM: nothing has moved`, operator: true},
		"no to START": {spoil: answer("START", "no"),
			want: `START: the operator answered "no", not START: nothing has moved`, operator: true},
		"killed at ARM": {spoil: at("ARM", kill), want: ""},
		"killed and waiting": {spoil: waits("ARM", kill),
			want: "the process of the loop has ended before the start: nothing has moved"},
		"killed at START": {spoil: at("START", kill),
			want: "the process of the loop has ended before the start: nothing has moved"},
		"terminated at START": {spoil: waits("START", func(o *operated) { _ = o.Command.Process.Signal(syscall.SIGTERM) }),
			want: "the process of the loop was told to end before the start: nothing has moved"},
		"no operator": {spoil: func(_ *testing.T, o *operated) {
			o.Ask = func(context.Context, Question) (string, error) { return "", errors.New("the terminal has closed") }
		}, want: "the terminal has closed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOperated(t, c.sets...)
			if c.sets == nil {
				o.rehearse(t)
			}
			if c.spoil != nil {
				c.spoil(t, o)
			}
			_, err := o.Run(t.Context())
			o.refused(t, err, c.want, c.operator)
		})
	}
}

// refused wants the error of a test that has left nothing.
func (o *operated) refused(t *testing.T, err error, want string, operator bool) {
	t.Helper()
	var no *Refused
	if !errors.As(err, &no) || no.ByOperator != operator || !strings.Contains(err.Error(), want) ||
		errors.Unwrap(err) == nil {
		t.Errorf("%v, by the operator: %t: want %q, %t", err, no != nil && no.ByOperator, want, operator)
	}
	if _, err := record.LoadManifest(o.Out); err == nil || o.rested != 0 || len(o.rows) != 0 {
		t.Errorf("a record is left, or rows were shown: %v", err)
	}
	if left, err := os.ReadDir(o.RingFolder); err == nil && len(left) != 0 {
		t.Errorf("%d files of the ring are left", len(left))
	}
	if of := o.Command; of.Process != nil && of.ProcessState == nil {
		t.Error("the process of the loop is left")
	}
}

// Ctrl-C before the start is the operator's no, at any step.
func TestOperatedStoppedBefore(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"note", "real time", "connect", "ARM", "START"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			o := rehearsed(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			o.Say = func(text string) {
				if o.said = append(o.said, text); strings.HasPrefix(text, at+": ") {
					cancel()
				}
			}
			o.Ask = func(asked context.Context, q Question) (string, error) {
				if q.Step == at {
					cancel()
					<-asked.Done()
				}
				return q.Want, nil
			}
			if at == "note" {
				cancel()
			}
			_, err := o.Run(ctx)
			o.refused(t, err, "stopped by the operator before the start: nothing has moved", true)
		})
	}
}

// A machine that nobody has examined is told and noted.
func TestOperatedUnproven(t *testing.T) {
	t.Parallel()
	o := rehearsed(t)
	o.Proven = nil
	m, err := o.Run(t.Context())
	if err != nil || !o.tells("  WARNING rate that this machine holds: 256 Hz ("+unproven+")") ||
		!slices.Contains(m.Notes, unproven) {
		t.Errorf("%v; told %q, notes %q", err, o.said, m.Notes)
	}
}

// A test of two processes is the same as its rehearsal in one where every main step comes in time,
// and its main steps are counted.
func TestOperatedInTwoProcesses(t *testing.T) {
	t.Parallel()
	o := rehearsed(t, separate...)
	m, err := o.Run(t.Context())
	of := m.Test.MainSteps
	if err != nil || of == nil || of.Steps != (m.Samples-1)/4 || m.Status == rths.Completed && of.Took.Count == 0 {
		t.Fatalf("%s, %s, %v; main steps %+v", m.Status, m.Reason, err, of)
	}
	if r := m.Test.Rehearsal; m.Status != rths.Completed && of.LongestLate < 4 || of.Late == 0 && r.DisplacementPct != 0 {
		t.Errorf("%s, %s: %g %% beside the rehearsal with %d late main steps", m.Status, m.Reason, r.DisplacementPct, of.Late)
	}
	if !slices.ContainsFunc(m.Test.Realtime.Grants,
		func(g realtime.Grant) bool { return strings.HasPrefix(g.Name, "numerical part, ") }) {
		t.Errorf("grants %+v: want those of the numerical part", m.Test.Realtime.Grants)
	}
	o.sound(t, &m)
}

// A numerical part that dies in the run ends the test by the loop's own action, and the manifest says of what.
func TestOperatedNumericalKilled(t *testing.T) {
	t.Parallel()
	o := rehearsed(t, separate...)
	o.row = func(n int) {
		if n != 8 {
			return
		}
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", o.Command.Process.Pid))
		killed := 0
		for _, task := range tasks {
			for child := range strings.FieldsSeq(string(rthstest.Must(os.ReadFile(task)))) {
				if err := syscall.Kill(rthstest.Must(strconv.Atoi(child)), syscall.SIGKILL); err == nil {
					killed++
				}
			}
		}
		if killed != 1 {
			t.Errorf("%d processes of the numerical part", killed)
		}
	}
	m, err := o.Run(t.Context())
	ended := func(w string) bool {
		return strings.HasPrefix(w, "the numerical part: ") &&
			strings.Contains(w, "its process has ended (signal: killed) before the end of the test")
	}
	if err != nil || !slices.ContainsFunc(m.Warnings, ended) {
		t.Fatalf("%v, %s, warnings %q", err, m.Status, m.Warnings)
	}
	if o.ran < quickSamples && (m.Status != rths.Tripped || !strings.HasPrefix(m.Test.Cause, "loop: ")) {
		t.Errorf("%s, %s, cause %q: want the loop to have ended it", m.Status, m.Reason, m.Test.Cause)
	}
}

// A ring has room for the whole test, or for fewer rows where there is no space for all.
func TestRoomOfTheRing(t *testing.T) {
	columns := []record.Column{{Name: "a", Unit: "m"}, {Name: "b", Unit: "m"}}
	for _, c := range []struct {
		share float64 // of the free room that all rows would take; 0: 100 rows
		fewer int
		want  int
	}{{0, 50, 100}, {0.95, 50, 50}, {2, 50, 50}} {
		dir, rows := t.TempDir(), 100
		if c.share > 0 {
			rows = int(c.share*float64(rthstest.Must(ring.Room(dir)))) / 8 / len(columns)
		}
		p := &process{built: &built{Manifest: manifest{record.Manifest{Columns: columns, RateHz: 256}}}}
		if err := p.makeRing(dir, rows, c.fewer); err != nil {
			t.Fatal(err)
		}
		if got := p.ring.Shape().Rows; got < c.want || got >= 2*c.want {
			t.Errorf("all rows take %g of the room: a ring of %d: want %d", c.share, got, c.want)
		}
		p.stopBeating()
		_ = p.ring.Remove()
	}
}

// All rows have room up to nine tenths of what is free; where there is room for fewer, more than all are never made.
func TestRowsOfTheRing(t *testing.T) {
	all := ring.Bytes(30, 1000)
	for _, c := range []struct {
		free        int64
		fewer, want int
	}{{all * 10 / 9 * 2, 200, 1000}, {all*10/9 + 2, 200, 1000}, {all*10/9 - 2, 200, 200}, {all, 200, 200}, {0, 200, 200},
		{0, 5000, 1000}} {
		if got := rowsIn(c.free, 30, 1000, c.fewer); got != c.want {
			t.Errorf("%d bytes free, %d for all, or %d rows: %d: want %d", c.free, all, c.fewer, got, c.want)
		}
	}
}

// What the loop says instead of its begin is the operator's no only if the operator has stopped it.
func TestBegunOrNot(t *testing.T) {
	for name, c := range map[string]struct {
		words    []toSupervisor
		stopped  bool
		want     string
		operator bool
	}{
		"wrong":           {[]toSupervisor{{Note: "a"}, {Wrong: "the rig has moved"}}, false, "the rig has moved", false},
		"wrong, stopped":  {[]toSupervisor{{Wrong: "stopped"}}, true, "stopped", true},
		"gone":            {nil, false, errLoopGone.Error(), false},
		"gone, with note": {[]toSupervisor{{Note: "a"}}, true, errLoopGone.Error(), false},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		if c.stopped {
			cancel()
		}
		words := make(chan toSupervisor, len(c.words))
		for _, w := range c.words {
			words <- w
		}
		close(words)
		p := &process{answers: words,
			built: &built{Manifest: manifest{record.Manifest{Columns: []record.Column{{Name: "a"}}, RateHz: 256}}}}
		if err := p.makeRing(t.TempDir(), 100, 100); err != nil {
			t.Fatal(err)
		}
		early, err := p.awaitStart(ctx)
		if no := new(declined); early != nil || err == nil || err.Error() != c.want || errors.As(err, no) != c.operator {
			t.Errorf("%s: %v: want %q", name, err, c.want)
		}
		p.stopBeating()
		_ = p.ring.Remove()
		cancel()
	}
}
