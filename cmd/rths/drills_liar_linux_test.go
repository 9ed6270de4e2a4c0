package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
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
	"rths/lab/rig"
)

// doubted is a test of 3 s at 256 Hz whose rig is lab/rig/udp/testdata/liar.py: actuator and specimen are those of its
// default flags.
const doubted = `name: a specimen in somebody else's laboratory
rate_hz: 256
ground: {kind: sine, frequency_hz: 2, amplitude_m_s2: 1, duration_s: 3}
structure: {kind: shear, masses: [1000, 1000], stiffnesses: [1e6, 1e6], damping: {modal_ratio: [0.02]}}
specimen: {kind: linear, mass: 0, damping: 300, stiffness: 1e5}
transfer: {kind: second-order, omega_rad_s: 125, damping_ratio: 0.8, stroke_m: 0.05, rate_m_s: 0.25}
compensator: {kind: cats}
sensors: {displacement_noise: 1e-6, force_noise: 1}
rig: {kind: udp, clock: lockstep, watchdog_ms: 3000, supervisor_silent_s: 1}
`

// atRigsClock are sets of a test whose rig ticks by itself. A stall of a shared machine trips nothing.
var atRigsClock = []string{"rig.clock=rig", "rig.late={hold_after: 500, ramp_after: 600}"}

// liar is the rig of another author, as a process. Its true motion is known, whatever it says.
type liar struct {
	*drill
	process *exec.Cmd
	log     string // file of the truth
	said    safeBuffer
	told    safeBuffer // standard error
	ended   chan error
}

// newLiar starts the rig with flags beside noise and watchdog, and rehearses the test with sets.
func newLiar(t *testing.T, sets []string, flags ...string) *liar {
	t.Helper()
	python := rthstest.Python(t)
	d := &drill{T: t, dir: t.TempDir(), ended: make(chan error, 1)}
	d.path, d.ring = filepath.Join(d.dir, "test.yaml"), filepath.Join(d.dir, "ring")
	d.run = filepath.Join(d.dir, "runs", "test")
	if err := os.WriteFile(d.path, []byte(doubted), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(d.ring, 0o755); err != nil {
		t.Fatal(err)
	}
	d.must(append([]string{"run", d.path, "-o", filepath.Join(d.dir, "runs", "rehearsal")}, setFlags(sets)...)...)
	l := &liar{drill: d, log: filepath.Join(d.dir, "true.csv"), ended: make(chan error, 1)}
	l.serve(python, flags)
	return l
}

// serve starts the rig, and waits until it listens.
func (l *liar) serve(python string, flags []string) {
	l.Helper()
	program := filepath.Join("..", "..", "lab", "rig", "udp", "testdata", "liar.py")
	args := append([]string{program, "--log", l.log, "--noise-m", "1e-6", "--noise-n", "1", "--watchdog", "3"}, flags...)
	l.process = exec.Command(python, args...)
	l.process.Stdout, l.process.Stderr = &l.said, &l.told
	if err := l.process.Start(); err != nil {
		l.Fatal(err)
	}
	go func() { l.ended <- l.process.Wait() }()
	l.Cleanup(func() { _ = l.process.Process.Kill() })
	l.until("the rig listens", func() bool { return strings.Contains(l.said.String(), "\n") || l.told.String() != "" })
	var first struct{ Address string }
	if err := json.Unmarshal([]byte(l.said.String()), &first); err != nil {
		l.Fatalf("%v: the rig says %q, %q", err, l.said.String(), l.told.String())
	}
	l.address = first.Address
}

// setFlags are the flags of rths that set keys of the scenario.
func setFlags(sets []string) (out []string) {
	for _, set := range sets {
		out = append(out, "--set", set)
	}
	return out
}

// parting is what the rig has said at the end of a session.
type parting struct {
	Session         int
	End, State      string
	Watchdog, Limit bool
	X               []float64 `json:"displacement_m"` // true
	F               []float64 `json:"force_N"`        // true
	Counts          map[string]int
}

// partings are the sessions that have ended.
func (l *liar) partings() (out []parting) {
	l.Helper()
	for line := range strings.Lines(l.said.String()) {
		var p parting
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			l.Fatalf("%v: the rig says %q", err, line)
		}
		if p.Session > 0 {
			out = append(out, p)
		}
	}
	return out
}

// parts waits until so many sessions have ended, and the rig is free.
func (l *liar) parts(sessions int) parting {
	l.Helper()
	l.until(fmt.Sprintf("%d sessions of the rig have ended", sessions),
		func() bool { return len(l.partings()) >= sessions })
	return l.partings()[sessions-1]
}

// stop ends the rig, which goes to safety first, unless it was killed.
func (l *liar) stop() {
	l.Helper()
	_ = l.process.Process.Signal(syscall.SIGTERM)
	select {
	case <-l.ended:
	case <-time.After(patience):
		l.Fatal("the rig does not end by SIGTERM")
	}
	if l.told.String() != "" {
		l.Errorf("the rig: %s", l.told.String())
	}
}

// moment is a sample of the rig's true motion.
type moment struct {
	Session, Sample int // Sample is counted from Start: that of the reading with this number; -1 before
	State           string
	X, F, Command   []float64 // of every actuator: true, and the command in effect
	SaidX, SaidF    []float64 // what the sensors said
}

// safe reports whether the rig has gone to safety by itself, or after bye.
func (m moment) safe() bool { return m.State == "tripped" || m.State == "free" }

// truth is the true motion of a session in full lines of the log: a rig that was killed may have left half of one.
func (l *liar) truth(session int) (out []moment) {
	l.Helper()
	text := string(rthstest.Must(os.ReadFile(l.log)))
	for line := range strings.Lines(text[strings.Index(text, "\n")+1:]) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), ",")
		if !strings.HasSuffix(line, "\n") || fields[0] != strconv.Itoa(session) {
			continue
		}
		m := moment{Session: session, Sample: -1, State: fields[2]}
		if fields[1] != "" {
			m.Sample = rthstest.Must(strconv.Atoi(fields[1]))
		}
		for values := fields[3:]; len(values) > 0; values = values[5:] {
			for i, to := range []*[]float64{&m.X, &m.F, &m.Command, &m.SaidX, &m.SaidF} {
				*to = append(*to, rthstest.Must(strconv.ParseFloat(values[i], 64)))
			}
		}
		out = append(out, m)
	}
	return out
}

// kill is a kill -9 at a state of the test.
type kill struct {
	what string // rig, loop, supervisor, both (supervisor and loop); "": nothing
	rows int    // of the record, when it happens
}

// aftermath is what became of a test with a rig that may lie.
type aftermath struct {
	*test
	Exit      int    // of rths test; -1: it was killed
	Out, Err  string // of rths test; Err also of the loop
	Recovered string // what rths recover says, where the supervisor was killed
	Partings  []parting
	Truth     []moment // of the session

	Trip   int     // sample at which the loop's guard or the rig began to act; -1: none
	Before float64 // largest true displacement up to Trip, m; without a trip of the whole session
	Sent   float64 // largest command that had left by then, m
	After  float64 // largest true displacement after Trip, m
	Rest   float64 // true displacement when the loop let the rig go, or the rig was killed, m
	End    float64 // true displacement at the end of all, m
}

// drillLiar plays a test with a rig that has flags, as --lie drift@1=0.002, a scenario with sets, and a kill. It wants
// the record to be whole, and to replay to the bit.
func drillLiar(t *testing.T, flags, sets []string, k kill) *aftermath {
	t.Helper()
	l := newLiar(t, sets, flags...)
	l.start(setFlags(sets)...)
	if k.what != "" {
		l.reaches(k.rows)
		l.kill(k.what)
	}
	out := &aftermath{Exit: l.wait(), Trip: -1}
	if k.what == "loop" || k.what == "both" {
		l.until("the rig is at safety", func() bool { return slices.ContainsFunc(l.truth(1), moment.safe) })
	}
	if k.what == "supervisor" || k.what == "both" {
		out.Recovered = l.must("recover", l.run)
	}
	l.stop()
	out.Out, out.Err, out.Partings, out.Truth = l.out.String(), l.errs.String(), l.partings(), l.truth(1)
	out.test = l.whole(t.Context())
	out.measure()
	return out
}

// kill kills processes, and waits until the loop is gone where nobody else does.
func (l *liar) kill(what string) {
	l.Helper()
	loop := l.loop()
	switch what {
	case "rig":
		l.signal(l.process.Process.Pid, syscall.SIGKILL)
	case "loop":
		l.signal(loop, syscall.SIGKILL)
	case "supervisor":
		l.signal(l.command.Process.Pid, syscall.SIGKILL)
		l.until("the loop ends", func() bool { return syscall.Kill(loop, 0) != nil })
	case "both":
		l.signal(l.command.Process.Pid, syscall.SIGKILL)
		l.signal(loop, syscall.SIGKILL)
		l.until("the loop is gone", func() bool { return syscall.Kill(loop, 0) != nil })
	default:
		l.Fatalf("kill %q: want rig, loop, supervisor or both", what)
	}
}

// measure looks at the true motion before and after the trip.
func (o *aftermath) measure() {
	if row := slices.IndexFunc(o.all("guard_state"), func(s float64) bool { return s >= float64(rig.Holding) }); row >= 0 {
		o.Trip = row
	}
	for _, m := range o.Truth {
		if m.State == "ramping" && (o.Trip < 0 || m.Sample < o.Trip) {
			o.Trip = m.Sample
		}
	}
	for _, m := range o.Truth {
		to := &o.Before
		if o.Trip >= 0 && m.Sample > o.Trip {
			to = &o.After
		}
		*to = max(*to, largest(m.X))
		if o.End = m.X[0]; m.State != "homing" && m.State != "free" {
			o.Rest = m.X[0]
		}
	}
	sent := o.all("raw_command_m")
	if o.Trip >= 0 {
		sent = sent[:min(o.Trip+1, len(sent))]
	}
	o.Sent = largest(sent)
}

// largest is the largest magnitude.
func largest(list []float64) (most float64) {
	for _, v := range list {
		most = max(most, math.Abs(v))
	}
	return most
}

// want wants exit status, status, and words of the first cause; "" of a cause: none.
func (o *aftermath) want(t *testing.T, exit int, status, cause string) {
	t.Helper()
	got := o.Test.Cause
	caused := strings.Contains(got, cause) && (cause == "") == (got == "")
	if o.Exit != exit || o.Status != status || !caused {
		t.Errorf("exit status %d, %s (%s), first cause %q: want %d, %s, %q\n%s",
			o.Exit, o.Status, o.Reason, got, exit, status, cause, o.Err)
	}
	if tripped := status == rths.Tripped; tripped != (o.Trip >= 0) {
		t.Errorf("%s, and the guard or the rig began to act at sample %d", o.Status, o.Trip)
	}
}

// asSaid wants row k of the record to be sample k of the rig, to the bit: the reading, and the command before it. Row 0
// is of the rig before Start.
func (o *aftermath) asSaid(t *testing.T) {
	t.Helper()
	x, f, sent := o.all("raw_m"), o.all("raw_N"), o.all("raw_command_m")
	of := map[int]moment{}
	for _, m := range o.Truth {
		of[m.Sample] = m
	}
	for k := 1; k < len(x); k++ {
		if m := of[k]; m.X == nil || m.SaidX[0] != x[k] || m.SaidF[0] != f[k] || m.Command[0] != sent[k] {
			t.Fatalf("sample %d: the record has %g m, %g N, command %g m; the rig %+v", k, x[k], f[k], sent[k], m)
		}
	}
}

// bounded wants the true displacement after the trip within 1.2 times what it was before, or what had been commanded.
func (o *aftermath) bounded(t *testing.T) {
	t.Helper()
	if most := 1.2*max(o.Before, o.Sent) + 1e-5; o.After > most {
		t.Errorf("trip at sample %d; the specimen moved to %g m after it: want at most %g", o.Trip, o.After, most)
	}
}

// homeAgain wants a specimen that was moved by some mm, without a trip, and stood at zero in truth when the loop let
// the rig go.
func (o *aftermath) homeAgain(t *testing.T) {
	t.Helper()
	if o.Trip >= 0 || !(o.Before > 0.003) || math.Abs(o.Rest) > 1e-5 || math.Abs(o.End) > 1e-6 {
		t.Errorf("trip %d, up to %g m, at rest at %g m, in the end at %g m", o.Trip, o.Before, o.Rest, o.End)
	}
}

// A rig that says the truth: the test completes in lockstep, the record says what the rig said, and both sides
// count the same datagrams.
func TestOtherRigInLockstep(t *testing.T) {
	t.Parallel()
	o := drillLiar(t, nil, nil, kill{})
	o.want(t, exitDone, rths.Completed, "")
	o.asSaid(t)
	o.homeAgain(t)
	if o.Samples != 769 {
		t.Errorf("%d ticks: want 769", o.Samples)
	}
	if pct := float64(o.Test.Rehearsal.DisplacementPct); !(pct < 1) {
		t.Errorf("the displacement differs from the rehearsal by %g %%", pct)
	}
	p := o.Partings[0]
	alike := p.Counts["sent"] == p.Counts["received"] && p.Counts["bad"]+p.Counts["clipped"] == 0
	if p.End != "bye" || p.State != "running" || p.Watchdog || p.Limit || !alike {
		t.Errorf("the rig says %+v", p)
	}
}

// The same with the rig's own clock.
func TestOtherRigAtItsClock(t *testing.T) {
	t.Parallel()
	rthstest.Long(t)
	for _, rate := range []string{"256", "128"}[:rthstest.Draws(1, 2)] {
		t.Run(rate+" Hz", func(t *testing.T) {
			t.Parallel()
			o := drillLiar(t, nil, append([]string{"rate_hz=" + rate}, atRigsClock...), kill{})
			o.want(t, exitDone, rths.Completed, "")
			o.homeAgain(t)
		})
	}
}

// While its session lasts the rig is busy, and then it is free for a second test. A loop with a key that the rig does
// not have gets no answer.
func TestOtherRigOneLoopAtATime(t *testing.T) {
	t.Parallel()
	rthstest.Full(t) // TestSecondLoopIsRefused, without processes
	short, long := setFlags([]string{"ground.duration_s=1"}), setFlags([]string{"ground.duration_s=120"})
	l := newLiar(t, []string{"ground.duration_s=1"})
	l.must(append([]string{"run", l.path, "-o", filepath.Join(l.dir, "runs", "long")}, long...)...)
	l.start(long...)
	l.reaches(100)
	other := l.supervisor(append(short, "-o", filepath.Join(l.dir, "runs", "other"), "--ring", l.dir)...)
	text, _ := other.CombinedOutput()
	wrong(t, other, string(text), "another loop has the rig")
	l.signal(l.command.Process.Pid, syscall.SIGINT)
	if code := l.wait(); code != exitFailed {
		t.Errorf("exit status %d\n%s", code, l.errs.String())
	}
	l.sound(t.Context(), rths.Stopped, "supervisor: the operator stopped the test")
	l.parts(1)
	keyed := l.supervisor(append(short, "-o", filepath.Join(l.dir, "runs", "keyed"))...)
	keyed.Env = append(os.Environ(), "RTHS_RIG_KEY=a key that the rig does not have")
	text, _ = keyed.CombinedOutput()
	wrong(t, keyed, string(text), "the rig does not answer")
	again := l.supervisor(append(short, "-o", filepath.Join(l.dir, "runs", "again"))...)
	if text, err := again.CombinedOutput(); err != nil {
		t.Errorf("the second test after the first: %v\n%s", err, text)
	}
	if p := l.parts(2); p.End != "bye" || math.Abs(p.X[0]) > 1e-6 {
		t.Errorf("the rig says %+v", p)
	}
	l.stop()
}

// wrong wants a command to have been refused, and to have said why.
func wrong(t *testing.T, c *exec.Cmd, text, why string) {
	t.Helper()
	if code := c.ProcessState.ExitCode(); code != exitWrong || !strings.Contains(text, why) {
		t.Errorf("exit status %d: want %d and %q\n%s", code, exitWrong, why, text)
	}
}

// A rig that is not ready is asked again; one that wants something else is not.
func TestOtherRigRefuses(t *testing.T) {
	t.Parallel()
	rthstest.Long(t)
	t.Run("not ready twice", func(t *testing.T) {
		t.Parallel()
		o := drillLiar(t, []string{"--refuse", "6x2"}, []string{"ground.duration_s=1"}, kill{})
		o.want(t, exitDone, rths.Completed, "")
		if n := strings.Count(o.Err, "refused on request"); n != 2 {
			t.Errorf("refused %d times: want 2\n%s", n, o.Err)
		}
	})
	for name, c := range map[string]struct{ flag, value, why string }{
		"clock":    {"--clock", "rig", "clock: want the other one"},
		"rate":     {"--rate", "128", "want 128 Hz"},
		"channels": {"--actuators", "2", "this rig has 2 displacements, 2 forces, 0 accelerations"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLiar(t, nil, c.flag, c.value)
			l.start()
			l.unmoved(c.why)
			l.stop()
		})
	}
}

// A key that both sides have.
func TestOtherRigWithAKey(t *testing.T) {
	rthstest.Long(t)
	t.Setenv("RTHS_RIG_KEY", "sixteen bytes at the least")
	o := drillLiar(t, nil, []string{"ground.duration_s=1"}, kill{})
	o.want(t, exitDone, rths.Completed, "")
	o.asSaid(t)
}

// A rig that is stopped in the midst of a session says bye, and goes to safety.
func TestOtherRigStopped(t *testing.T) {
	t.Parallel()
	rthstest.Full(t) // TestDrillRigKilled has the same end
	l := newLiar(t, nil)
	l.start()
	l.reaches(300)
	l.signal(l.process.Process.Pid, syscall.SIGTERM)
	if code := l.wait(); code != exitFailed {
		t.Errorf("exit status %d\n%s", code, l.errs.String())
	}
	if m := l.whole(t.Context()); !strings.Contains(m.Test.Cause, "has ended the session") {
		t.Errorf("first cause %q", m.Test.Cause)
	}
	if p := l.parts(1); p.End != "stopped" || math.Abs(p.X[0]) > 1e-6 {
		t.Errorf("the rig says %+v", p)
	}
	l.stop()
}

// Whatever is killed at whatever instant: the record is whole and replays, and the rig goes to safety by itself, unless
// it was killed. RTHS_FULL=all kills each at 30 instants.
func TestOtherRigKilledAtRandom(t *testing.T) {
	t.Parallel()
	rthstest.Long(t)
	each := rthstest.Draws(1, 2)
	if rthstest.All() {
		each = 30
	}
	draw := rand.New(rand.NewPCG(42, 0))
	for _, what := range []string{"rig", "loop", "supervisor", "both"} {
		for i := range each {
			k, clock, sets := kill{what, 5 + draw.IntN(700)}, "lockstep", []string(nil)
			if i%2 == 1 && what != "rig" { // the end of the run would come before the age of atRigsClock
				clock, sets = "the rig's clock", atRigsClock
			}
			t.Run(fmt.Sprintf("%s at row %d, %s", what, k.rows, clock), func(t *testing.T) {
				t.Parallel()
				if what == "loop" || what == "supervisor" { // TestDrill…Killed kills them beside the other rig
					rthstest.Full(t)
				}
				killed(t, sets, k)
			})
		}
	}
}

// killed plays a test in which something is killed, and wants what is true whatever that is.
func killed(t *testing.T, sets []string, k kill) {
	t.Helper()
	o := drillLiar(t, nil, sets, k)
	if want := map[bool]int{false: exitFailed, true: -1}[o.Recovered != ""]; o.Exit != want {
		t.Errorf("exit status %d: want %d\n%s", o.Exit, want, o.Err)
	}
	if n := o.Samples + o.Test.AroundRows; n < k.rows || o.Status == rths.Completed || o.Status == rths.Running {
		t.Errorf("%d rows, killed at row %d: %s", n, k.rows, o.Status)
	}
	o.bounded(t)
	cause := map[string]string{"rig": "rig: ", "loop": "loop: its process has died", "supervisor": "supervisor: ",
		"both": "supervisor and loop: their processes have died"}[k.what]
	if !strings.HasPrefix(o.Test.Cause, cause) {
		t.Errorf("first cause %q: want %q", o.Test.Cause, cause)
	}
	switch k.what {
	case "rig":
		o.unknown(t)
		return
	case "supervisor":
		if at := o.Test.Rest; at == nil || !at.AtRest || math.Abs(float64(at.X[0])) > 1e-4 {
			t.Errorf("said %+v of a specimen that the loop has brought to rest", at)
		}
	default:
		o.unknown(t)
	}
	if p := o.Partings; len(p) != 1 || math.Abs(o.End) > 1e-6 {
		t.Errorf("the specimen ends at %g m, the rig says %+v", o.End, p)
	}
}

// What becomes of a test whose rig lies, or fails, after one of three seconds. The first nine rows stand for the
// others, which want RTHS_FULL=1.
func TestLies(t *testing.T) {
	t.Parallel()
	rthstest.Long(t)
	lies := []struct {
		lie           string
		sets          []string
		exit          int
		status, cause string
		also          func(*aftermath, *testing.T)
	}{
		{"jump@1=0.03", nil, exitFailed, rths.Tripped, "guard: error_m", (*aftermath).bounded},
		{"nan@1", atRigsClock, exitFailed, rths.Tripped, "guard: non_finite", (*aftermath).bounded},
		{"trip@1", nil, exitFailed, rths.Tripped, "takes no commands any more", (*aftermath).bounded},
		{"dead@1", nil, exitFailed, rths.Tripped, "does not answer", (*aftermath).bounded},
		{"flag-limit@1", atRigsClock, exitFailed, rths.Tripped, "it is running (own limit)", (*aftermath).bounded},
		{"drift@1=0.004", nil, exitFailed, rths.Failed, "rig: the specimen has not come to rest at its command",
			(*aftermath).doubted},
		{"cell-zero@1", nil, exitDone, rths.Completed, "", (*aftermath).doubted},
		{"lost@1=0.2", atRigsClock, exitDone, rths.Completed, "", (*aftermath).stale},
		{"runaway@1=1", nil, exitFailed, rths.Tripped, "guard: ", (*aftermath).ranAway},
		{"lost@1=0.01", nil, exitDone, rths.Completed, "", (*aftermath).asSaid},
		{"nan@1", nil, exitFailed, rths.Tripped, "guard: non_finite", (*aftermath).bounded},
		{"trip@1", atRigsClock, exitFailed, rths.Tripped, "takes no commands any more", (*aftermath).bounded},
		{"garbage@1", nil, exitFailed, rths.Tripped, "does not answer", (*aftermath).bounded},
		{"flag-watchdog@1", nil, exitFailed, rths.Tripped, "it is running (watchdog)", (*aftermath).bounded},
		{"drift@1=0.05", nil, exitFailed, rths.Tripped, "guard: error_m", (*aftermath).bounded},
		{"gain@1=3", nil, exitDone, rths.Completed, "", (*aftermath).doubted},
		{"cell-frozen@1", nil, exitDone, rths.Completed, "", (*aftermath).doubted},
		{"cell-reversed@1", nil, exitDone, rths.Completed, "", (*aftermath).doubted},
		{"cell-times@1=3", nil, exitDone, rths.Completed, "", (*aftermath).doubted},
		{"stuck@3.004", nil, exitFailed, rths.Failed, "rig: the specimen has not come to rest at its command",
			(*aftermath).unrest},
		{"slow@1=5", atRigsClock, exitFailed, rths.Tripped, "loop or link: 501 ticks in a row", (*aftermath).bounded},
		{"runaway@1=-1", atRigsClock, exitFailed, rths.Tripped, "guard: ", (*aftermath).ranAway},
	}
	for _, c := range lies[:rthstest.Draws(9, len(lies))] {
		clock := "lockstep"
		if c.sets != nil {
			clock = "the rig's clock"
		}
		t.Run(c.lie+", "+clock, func(t *testing.T) {
			t.Parallel()
			o := drillLiar(t, []string{"--lie", c.lie}, c.sets, kill{})
			o.want(t, c.exit, c.status, c.cause)
			c.also(o, t)
		})
	}
}

// ranAway wants the specimen at the mechanical stop, which no command changes, and the trip before it.
func (o *aftermath) ranAway(t *testing.T) {
	t.Helper()
	if math.Abs(o.End) != 0.05 || o.Trip < 256 || !(o.Before < 0.05) {
		t.Errorf("trip at sample %d, up to %g m before, in the end at %g m", o.Trip, o.Before, o.End)
	}
	o.unrest(t)
}

// unrest wants manifest and terminal to say that the specimen is not at rest, and where it truly is.
func (o *aftermath) unrest(t *testing.T) {
	t.Helper()
	at := o.Test.Rest
	if at.AtRest || math.Abs(float64(at.X[0])-o.Rest) > 1e-5 || !strings.Contains(at.Text, "the specimen is NOT at ") ||
		!strings.Contains(at.Text, "emergency stop") {
		t.Errorf("said %+v: the specimen is at %g m", at, o.Rest)
	}
	if !strings.Contains(o.Err, "held, NOT at rest") || !strings.Contains(o.Out, at.Text) {
		t.Errorf("the terminal does not say that the specimen is not at rest:\n%s%s", o.Err, o.Out)
	}
}

// unknown wants the last reading as the place of a specimen of which nothing is known, near to where it truly was then.
func (o *aftermath) unknown(t *testing.T) {
	t.Helper()
	at := o.Test.Rest
	if at == nil || at.AtRest || !strings.Contains(at.Text, "nothing is known of the specimen since ") ||
		!strings.Contains(o.Reason, at.Text) {
		t.Fatalf("%s, said %+v: want that nothing is known", o.Reason, at)
	}
	last, numbers := o.Truth[len(o.Truth)-1], o.all("reading") // a rig that was killed has not logged its last sample
	k := slices.IndexFunc(o.Truth, func(m moment) bool { return m.Sample == int(numbers[len(numbers)-1])+1 })
	if k >= 0 {
		last = o.Truth[k]
	}
	if far := math.Abs(float64(at.X[0]) - last.SaidX[0]); far > 0.25/256 || k >= 0 && far > 0 {
		t.Errorf("said %+v: the last reading was %+v", at, last)
	}
}

// doubted wants terminal and manifest to say that the sensors do not agree as in the rehearsal.
func (o *aftermath) doubted(t *testing.T) {
	t.Helper()
	const words = "do not agree as in the rehearsal"
	said := slices.ContainsFunc(o.Warnings, func(s string) bool { return strings.Contains(s, words) })
	if !said || !strings.Contains(o.Out, words) || !strings.Contains(o.Err, words) {
		t.Errorf("warnings %q: want that sensors %s\n%s", o.Warnings, words, o.Err)
	}
}

// stale wants the first sentence to say that many readings were old.
func (o *aftermath) stale(t *testing.T) {
	t.Helper()
	first, _, _ := strings.Cut(o.Out, "\n")
	if old := o.Stale(); old == "" || !strings.Contains(first, old) {
		t.Errorf("the first sentence is %q: want %q", first, old)
	}
}
