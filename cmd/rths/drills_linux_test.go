package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rths"
	"rths/kit/rthstest"
	"rths/lab/realtime"
	"rths/lab/rig"
	"rths/lab/rig/wire"
	"rths/result/export"
	"rths/result/record"
	"rths/run/session"
	"rths/scenario"
)

// A test in the laboratory that nothing disturbs completes, and its specimen ends at rest.
func TestLaboratoryTest(t *testing.T) {
	t.Parallel()
	d := newDrill(t, drilled)
	d.start()
	if code := d.wait(); code != exitDone {
		t.Errorf("exit status %d\n%s", code, d.errs.String())
	}
	m := d.sound(t.Context(), rths.Completed, "")
	d.near(d.rests("bye").At[0], 0, 1e-5)
	if m.Samples != 1281 || m.Test.FirstSample != 0 || !m.Rig.Virtual || !m.Rig.Parted || len(m.Test.Steps) != 7 {
		t.Errorf("%d ticks from reading %d, rig %+v, steps %+v", m.Samples, m.Test.FirstSample, m.Rig, m.Test.Steps)
	}
	var names []string
	for _, s := range m.Test.Steps {
		names = append(names, s.Name)
	}
	rows := m.Samples + m.Test.AroundRows
	// The first row is no tick; the first ticks are not counted.
	if of := m.Test.Realtime; of == nil || !of.Soft || len(of.Grants) < 4 || of.PageFaults < 0 ||
		of.Timing.Ticks != uint64(rows-1-realtime.LeftOut) || of.Timing.Lateness.Count != of.Timing.Slept {
		t.Errorf("%d rows, real time %+v", rows, of)
	}
	if want := []string{"real time", "connect", "checks", "ARM", "START", "end", "disarm"}; !slices.Equal(names, want) {
		t.Errorf("steps %q: want %q", names, want)
	}
	if len(m.Test.Checks) < 12 || slices.ContainsFunc(m.Test.Checks, func(c record.Check) bool { return !c.OK }) {
		t.Errorf("checks %+v", m.Test.Checks)
	}
	d.exports(m)
}

// exports wants the parameters of the manifest in an export of the end of the test.
func (d *drill) exports(m *test) {
	d.Helper()
	dir := filepath.Join(d.dir, "learnt")
	var out, errs bytes.Buffer
	if code := run([]string{"export", d.run, "--end", "--c", dir}, &out, &errs); code != exitDone {
		d.Fatalf("exit status %d\n%s", code, errs.String())
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.c"))
	if err != nil || len(names) != 3 {
		d.Fatalf("%q, %v: want three files of C", names, err)
	}
	text := string(rthstest.Must(os.ReadFile(names[0])))
	if len(m.Compensator) == 0 {
		d.Error("the test has no parameters: want a method that adapts")
	}
	for _, v := range m.Compensator {
		if !strings.Contains(text, " = "+export.Hex(v.V)+";") {
			d.Errorf("the C has no %s = %g", v.Name, v.V)
		}
	}
}

// In lockstep the test is the virtual run to the bit.
func TestLaboratoryTestInLockstepIsTheVirtualRun(t *testing.T) {
	t.Parallel()
	rthstest.Long(t)
	d := newDrill(t, strings.NewReplacer("clock: rig, watchdog_ms: 1500",
		"clock: lockstep, watchdog_ms: 5000").Replace(drilled))
	d.start()
	if code := d.wait(); code != exitDone {
		t.Errorf("exit status %d\n%s", code, d.errs.String())
	}
	m := d.sound(t.Context(), rths.Completed, "")
	sameColumns(t, rthstest.Must(record.Open(filepath.Join(d.dir, "runs", "rehearsal"))), m.frames)
}

// Readings and commands that are lost or late: the test goes on with the last reading, whose age the record shows.
func TestDrillLossAndJitter(t *testing.T) {
	t.Parallel()
	rthstest.Long(t)
	for name, c := range map[string]struct {
		fault string
		least int // readings that do not come in time
	}{
		"1 % lost": {"{kind: loss, share: 0.01}", 6},
		"5 % lost": {"{kind: loss, share: 0.05}", 45},
		"jitter":   {"{kind: jitter, share: 0.1, least: 2, most: 5}", 90},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "1 % lost" {
				rthstest.Full(t)
			}
			d := newDrill(t, drilled, "rig={kind: udp, clock: rig, watchdog_ms: 1500, network: ["+c.fault+"]}")
			d.start()
			if code := d.wait(); code != exitDone {
				t.Errorf("exit status %d\n%s", code, d.errs.String())
			}
			m := d.sound(t.Context(), rths.Completed, "")
			late, aged := 0, 0
			lates, _ := m.frames.Column("late")
			ages, _ := m.frames.Column("age")
			due, _ := m.frames.Column("due_at_s")
			left, _ := m.frames.Column("left_at_s")
			for k := range lates {
				if lates[k] != 0 || left[k]-due[k] > 1/m.RateHz {
					late++
				}
				if ages[k] > 0 {
					aged++
				}
				if ages[k] > 0 && lates[k] == 0 {
					t.Errorf("tick %d: age %g and not late", k, ages[k])
				}
			}
			s := d.rests("bye")
			// A lost reading is at least one tick with an old one; a busy machine adds late ticks.
			// Some are lost around the run.
			if lost := int(s.Lost[1]); late != m.Test.LateTicks || aged < c.least || aged < lost*3/4 {
				t.Errorf("%d late ticks, %d in the manifest, %d with an old reading: want those and at least %d old ones, %d "+
					"readings were lost", late, m.Test.LateTicks, aged, c.least, lost)
			}
			d.near(s.At[0], 0, 1e-5)
		})
	}
}

// A rig that is silent for longer than its own watchdog: the guard holds in exactly the tick after
// hold_after, for hold_s on the loop's own clock.
func TestDrillSilence(t *testing.T) {
	t.Parallel()
	rthstest.Long(t)
	d := newDrill(t, drilled,
		"rig={kind: udp, clock: rig, watchdog_ms: 1500, network: [{kind: freeze, from_s: 1.1, duration_s: 3}]}")
	d.start()
	if code := d.wait(); code != exitFailed {
		t.Errorf("exit status %d\n%s", code, d.errs.String())
	}
	d.holds(d.sound(t.Context(), rths.Tripped, "rig: no reading since t = "))
	s := d.rests("bye")
	d.near(s.At[0], 0, 1e-4)
	if !s.Status.Has(wire.Watchdog) {
		t.Errorf("the rig was %s at the end: want its watchdog to have acted", s.Status)
	}
}

// holds wants a hold when readings are older than 200 samples and a ramp when they are older than
// 300, each in its tick, and the hold for its time.
func (d *drill) holds(m *test) {
	d.Helper()
	ages, _ := m.frames.Column("age")
	states, _ := m.frames.Column("guard_state")
	taken, _ := m.frames.Column("taken_at_s")
	lates, _ := m.frames.Column("late")
	// An age, or late ticks in a row where the machine was busy before: what is more.
	row, wantHold, wantRamp := 0, -1, -1
	for k, age := range ages {
		if row++; lates[k] == 0 {
			row = 0
		}
		if old := max(int(age), row); old > 200 && wantHold < 0 {
			wantHold = k
		} else if old > 300 && wantRamp < 0 {
			wantRamp = k
		}
	}
	first := slices.IndexFunc(states, func(s float64) bool { return s >= float64(rig.Holding) })
	ramp := slices.IndexFunc(states, func(s float64) bool { return s == float64(rig.Ramping) })
	if first < 0 || first != wantHold || ages[first] < 150 || ramp < 0 || ramp != wantRamp {
		d.Fatalf("the guard held from tick %d and ramped from tick %d on: want %d and %d", first, ramp, wantHold, wantRamp)
	}
	// 100 ticks of hold are 0.39 s.
	if s := taken[ramp] - taken[first]; s < 0.38 || s > 1 {
		d.Errorf("the hold lasted %g s on the loop's clock: want 0.39 s", s)
	}
}

// rigProcess serves the rig by a process.
func (d *drill) rigProcess() *exec.Cmd {
	d.Helper()
	l := rthstest.Must(net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}))
	d.address = l.LocalAddr().String()
	l.Close()
	c := exec.Command("rths", "rig", d.path, "--listen", d.address)
	var said safeBuffer
	c.Stderr = &said
	if err := c.Start(); err != nil {
		d.Fatal(err)
	}
	d.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	d.until("the rig listens", func() bool { return strings.Contains(said.String(), "virtual laboratory at") })
	return c
}

// The rig is killed: the loop holds by its own clock and ends.
func TestDrillRigKilled(t *testing.T) {
	t.Parallel()
	rthstest.Long(t)
	d := newDrill(t, drilled)
	lab := d.rigProcess()
	d.start()
	d.reaches(300)
	d.signal(lab.Process.Pid, syscall.SIGKILL)
	if code := d.wait(); code != exitFailed {
		t.Errorf("exit status %d\n%s", code, d.errs.String())
	}
	m := d.sound(t.Context(), rths.Tripped, "rig: no reading since t = ")
	d.holds(m)
	if m.Rig.Parted {
		t.Error("a rig that was killed has parted")
	}
}

// The loop is killed: every row is recorded, the rig's watchdog acts, and the results come from the archive.
func TestDrillLoopKilled(t *testing.T) {
	t.Parallel()
	rthstest.Long(t)
	d := newDrill(t, drilled)
	d.start()
	d.reaches(400)
	d.signal(d.loop(), syscall.SIGKILL)
	if code := d.wait(); code != exitFailed {
		t.Errorf("exit status %d\n%s", code, d.errs.String())
	}
	m := d.sound(t.Context(), rths.Lost, "loop: its process has died (signal: killed)")
	if m.Samples < 400 || len(m.Criteria) < 4 || !strings.Contains(m.Reason, "killed") {
		t.Errorf("%d ticks, %d criteria, %s", m.Samples, len(m.Criteria), m.Reason)
	}
	s := d.rests("nothing from the loop")
	if !s.Status.Has(wire.Watchdog) {
		t.Errorf("the rig was %s: want its watchdog to have acted", s.Status)
	}
	d.near(s.At[0], 0, 1e-4)
}

// The supervisor is killed: the loop ramps down after supervisor_silent_s, holds, and ends by
// itself. The record is recovered.
func TestDrillSupervisorKilled(t *testing.T) {
	t.Parallel()
	rthstest.Full(t) // TestDrillLoopKilled has the same end
	d := newDrill(t, drilled)
	d.start()
	d.reaches(400)
	loop := d.loop()
	d.signal(d.command.Process.Pid, syscall.SIGKILL)
	d.wait()
	if m := d.manifest(); m.Status != rths.Running {
		t.Errorf("status %s: want running", m.Status)
	}
	if err := d.refuses("recover", d.run); !strings.Contains(err, "still running") {
		t.Errorf("recover beside the loop: %s", err)
	}
	killed := time.Now()
	d.near(d.rests("bye").At[0], 0, 1e-4)
	if s := time.Since(killed).Seconds(); s < 10 || s > 20 {
		t.Errorf("the loop let the rig go %g s after the supervisor's death: want 10 s at rest", s)
	}
	d.until("the loop ends", func() bool { return syscall.Kill(loop, 0) != nil })
	d.must("recover", d.run)
	m := d.sound(t.Context(), rths.Lost, "supervisor: the supervisor was silent")
	asked, _ := m.frames.Column("asked")
	at := slices.IndexFunc(asked, func(v float64) bool { return v != 0 })
	if at < 400+200 || at > 400+700 || len(m.Criteria) < 4 {
		t.Errorf("the loop ramped in tick %d, %d criteria: want about 1 s after tick 400", at, len(m.Criteria))
	}
}

// refuses runs a command that has to be refused, and returns what it says.
func (d *drill) refuses(args ...string) string {
	d.Helper()
	var out, errs strings.Builder
	if code := run(args, &out, &errs); code != exitWrong {
		d.Errorf("rths %s: exit status %d: want %d\n%s", strings.Join(args, " "), code, exitWrong, errs.String())
	}
	return errs.String()
}

// Supervisor and loop are killed: the ring has all rows.
func TestDrillBothKilled(t *testing.T) {
	t.Parallel()
	rthstest.Full(t) // TestDrillLoopKilled and TestDrillRigKilled kill one of the two
	d := newDrill(t, drilled)
	d.start()
	d.reaches(400)
	loop := d.loop()
	d.signal(loop, syscall.SIGSTOP) // so that the number of rows is known
	rows := d.rows()
	d.signal(d.command.Process.Pid, syscall.SIGKILL)
	d.signal(loop, syscall.SIGKILL)
	d.wait()
	d.until("the loop is gone", func() bool { return syscall.Kill(loop, 0) != nil })
	d.must("recover", d.run)
	m := d.sound(t.Context(), rths.Lost, "supervisor and loop: their processes have died")
	n := m.Samples + m.Test.AroundRows
	if n < rows {
		t.Errorf("%d rows: the ring had %d", n, rows)
	}
	if of := m.Test.Realtime; of == nil || len(of.Grants) < 4 || of.PageFaults != -1 ||
		int(of.Timing.Ticks) < n-2-realtime.LeftOut || int(of.Timing.Ticks) > n {
		t.Errorf("%d rows, real time %+v: want what the ring had counted", n, of)
	}
	s := d.rests("nothing from the loop")
	d.near(s.At[0], 0, 1e-4)
	if text := d.refuses("recover", d.run); !strings.Contains(text, "nothing to recover") {
		t.Errorf("recovered twice: %s", text)
	}
}

// Ctrl-C once ramps down; twice holds at once; SIGTERM of either process ramps down.
func TestDrillStopped(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		send  func(d *drill)
		cause string
	}{
		"Ctrl-C": {func(d *drill) { d.signal(d.command.Process.Pid, syscall.SIGINT) },
			"supervisor: the operator stopped the test"},
		"SIGTERM": {func(d *drill) { d.signal(d.command.Process.Pid, syscall.SIGTERM) },
			"supervisor: the operator stopped the test"},
		"SIGTERM of the loop": {func(d *drill) { d.signal(d.loop(), syscall.SIGTERM) },
			"the process of the loop was told to end"},
		"Ctrl-C twice": {func(d *drill) {
			d.signal(d.command.Process.Pid, syscall.SIGINT)
			d.until("the first Ctrl-C is heard", func() bool { return strings.Contains(d.errs.String(), "stop: ") })
			d.signal(d.command.Process.Pid, syscall.SIGINT)
		}, "supervisor: the operator stopped the test"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := drilled
			if name == "Ctrl-C twice" { // the second has to come before the ramp is at its end
				text += "on_trip: {velocity_m_s: 1e-4}\n"
			}
			d := newDrill(t, text)
			d.start()
			d.reaches(430)
			c.send(d)
			if code := d.wait(); code != exitFailed {
				t.Errorf("exit status %d\n%s", code, d.errs.String())
			}
			m := d.sound(t.Context(), rths.Stopped, c.cause)
			sent := m.all("guard_command_m")
			end := sent[len(sent)-1]
			if at := d.rests("bye").At[0]; name == "Ctrl-C twice" {
				d.near(at, end, 2e-4)
				if !strings.Contains(m.Reason, "stopped at t = "+fmt.Sprintf("%.4f s", float64(m.Samples-1)/256)) {
					t.Errorf("%s", m.Reason)
				}
			} else {
				d.near(end, 0, 0)
				d.near(at, 0, 1e-4)
			}
		})
	}
}

// The process of the loop is stopped and goes on: a short stall trips nothing, a long one the rig's watchdog.
func TestDrillLoopStalls(t *testing.T) {
	t.Parallel()
	rthstest.Long(t)
	stall := func(t *testing.T, d *drill, for_ time.Duration) {
		d.start()
		d.reaches(400)
		loop := d.loop()
		d.signal(loop, syscall.SIGSTOP)
		time.Sleep(for_)
		d.signal(loop, syscall.SIGCONT)
	}
	t.Run("0.3 s", func(t *testing.T) {
		t.Parallel()
		d := newDrill(t, strings.Replace(drilled, "hold_after: 200, ramp_after: 300", "hold_after: 250, ramp_after: 350", 1))
		stall(t, d, 300*time.Millisecond)
		if code := d.wait(); code != exitDone {
			t.Errorf("exit status %d\n%s", code, d.errs.String())
		}
		m := d.sound(t.Context(), rths.Completed, "")
		if m.Test.LongestLate < 50 {
			t.Errorf("%d late ticks in a row: want those of 0.3 s", m.Test.LongestLate)
		}
		d.near(d.rests("bye").At[0], 0, 1e-4)
	})
	t.Run("3 s", func(t *testing.T) {
		t.Parallel()
		d := newDrill(t, drilled)
		stall(t, d, 3*time.Second)
		if code := d.wait(); code != exitFailed {
			t.Errorf("exit status %d\n%s", code, d.errs.String())
		}
		m := d.sound(t.Context(), rths.Tripped, "rig: ")
		s := d.rests("bye")
		d.near(s.At[0], 0, 1e-4)
		// What is made up for is bounded by the rig's watchdog: 1.5 s.
		if most := 1.5*m.RateHz + 3; float64(m.Test.LongestLate) > most {
			t.Errorf("%d late ticks in a row: want at most %g", m.Test.LongestLate, most)
		}
		if !s.Status.Has(wire.Watchdog) {
			t.Errorf("the rig was %s: want its watchdog to have acted", s.Status)
		}
	})
}

// The disk is full: the test ramps down, and the record is completed from the ring once there is room.
func TestDrillDiskFull(t *testing.T) {
	t.Parallel()
	rthstest.Long(t)
	d := newDrill(t, drilled)
	d.start()
	d.reaches(300)
	full := unix.Rlimit{Cur: 60000, Max: unix.RLIM_INFINITY}
	if err := unix.Prlimit(d.command.Process.Pid, unix.RLIMIT_FSIZE, &full, nil); err != nil {
		t.Fatal(err)
	}
	if code := d.wait(); code != exitFailed {
		t.Errorf("exit status %d\n%s", code, d.errs.String())
	}
	m := d.manifest()
	if m.Status != rths.Failed || m.Test.Ring == "" || m.RowsKept == nil ||
		!strings.Contains(m.Reason, "could not be kept") {
		t.Errorf("%s, %s, ring %q: want failed, and the ring to be kept", m.Status, m.Reason, m.Test.Ring)
	}
	d.near(d.rests("bye").At[0], 0, 1e-4)
	d.must("recover", d.run)
	d.sound(t.Context(), rths.Failed, "the record could not be kept")
}

// The disk is filled by somebody else while the test is under way.
func TestDrillDiskFilled(t *testing.T) {
	t.Parallel()
	rthstest.Full(t) // TestDrillDiskFull has the same end
	d := newDrill(t, drilled)
	disk := filepath.Join(d.dir, "disk")
	if err := os.Mkdir(disk, 0o755); err != nil {
		t.Fatal(err)
	}
	d.mounted(disk, "80M")
	d.run = filepath.Join(disk, "test")
	d.start("--rehearsal", filepath.Join(d.dir, "runs", "rehearsal"))
	d.reaches(300)
	filler := filepath.Join(disk, "filler")
	if out, err := exec.Command("sh", "-c", "cat /dev/zero > "+filler).CombinedOutput(); err == nil {
		t.Fatalf("the disk is not full: %s", out)
	}
	if code := d.wait(); code != exitFailed {
		t.Errorf("exit status %d\n%s", code, d.errs.String())
	}
	if m := d.manifest(); m.Status != rths.Failed || m.Test.Ring == "" || !strings.Contains(m.Reason, "no space left") {
		t.Errorf("%s, %s, ring %q: want failed, and the ring to be kept", m.Status, m.Reason, m.Test.Ring)
	}
	d.near(d.rests("bye").At[0], 0, 1e-4)
	if text := d.fails("recover", d.run); !strings.Contains(text, "no space left") {
		t.Errorf("recovered onto a full disk: %s", text)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	d.must("recover", d.run)
	d.sound(t.Context(), rths.Failed, "the record could not be kept")
}

// fails runs a command that cannot succeed, and returns what it says.
func (d *drill) fails(args ...string) string {
	d.Helper()
	var out, errs strings.Builder
	if code := run(args, &out, &errs); code == exitDone {
		d.Errorf("rths %s: exit status 0", strings.Join(args, " "))
	}
	return errs.String()
}

// A folder of rings without room: refused, and nothing moves.
func TestDrillFullRing(t *testing.T) {
	t.Parallel()
	rthstest.Long(t)
	d := newDrill(t, drilled)
	d.mounted(d.ring, "100k")
	d.start()
	d.unmoved("a ring of")
}

// unmoved wants a test that is refused before anything moved, and leaves nothing.
func (d *drill) unmoved(why string) {
	d.Helper()
	if code := d.wait(); code != exitWrong || !strings.Contains(d.errs.String(), why) {
		d.Errorf("exit status %d: want %d, and %q\n%s", code, exitWrong, why, d.errs.String())
	}
	if _, err := os.Stat(d.run); err == nil {
		d.Error("a folder is left")
	}
	select {
	case s := <-d.sessions:
		if s.Counts.Clipped != 0 || s.Status.State() != wire.Idle {
			d.Errorf("the rig was %s: want it idle", s.Status)
		}
	case <-time.After(10 * time.Millisecond):
	}
}

// A second supervisor while the test is under way is refused; the first one does not notice.
func TestDrillSecondMaster(t *testing.T) {
	t.Parallel()
	rthstest.Full(t) // TestSecondLoopIsRefused, without processes
	d := newDrill(t, strings.Replace(drilled, "duration_s: 5", "duration_s: 120", 1))
	d.start()
	d.reaches(300)
	other := d.supervisor("-o", filepath.Join(d.dir, "runs", "other"), "--ring", d.dir)
	text, _ := other.CombinedOutput()
	if code := other.ProcessState.ExitCode(); code != exitWrong || !strings.Contains(string(text), "another loop") {
		t.Errorf("the second test: exit status %d\n%s", code, text)
	}
	d.signal(d.command.Process.Pid, syscall.SIGINT)
	if code := d.wait(); code != exitFailed {
		t.Errorf("exit status %d\n%s", code, d.errs.String())
	}
	d.sound(t.Context(), rths.Stopped, "supervisor: the operator stopped the test")
}

// Datagrams of an older session, damaged ones and strangers' change nothing and are counted.
func TestDrillReplayedAndDamagedDatagrams(t *testing.T) {
	t.Parallel()
	rthstest.Full(t) // TestDrillLossAndJitter has other faults of the network
	d := newDrill(t, strings.Replace(drilled, "duration_s: 5", "duration_s: 3", 1))
	var old [][]byte
	second := new(atomic.Bool)
	n := 0
	lab := d.address
	d.address = proxy(t, lab, func(up bool, b []byte) [][]byte {
		if !up {
			return [][]byte{b}
		}
		if !second.Load() {
			old = append(old, b)
			return [][]byte{b}
		}
		out := [][]byte{b}
		if n++; n%3 == 0 && n/3 < len(old) {
			out = append(out, old[n/3])
		}
		if n%5 == 0 {
			bad := slices.Clone(b)
			bad[n%len(bad)] ^= 1 << (n % 8)
			out = append(out, bad)
		}
		return out
	})
	d.start()
	d.wait()
	first := d.sound(t.Context(), rths.Completed, "")
	d.rests("bye")
	second.Store(true)
	d.run += "-2"
	d.start()
	if code := d.wait(); code != exitDone {
		t.Errorf("exit status %d\n%s", code, d.errs.String())
	}
	d.sound(t.Context(), rths.Completed, "")
	s := d.rests("bye")
	if first.Samples != d.manifest().Samples || s.Counts.Old < 100 || s.Counts.Bad < 100 {
		t.Errorf("%d old and %d bad datagrams at the rig: want more than 100 of each", s.Counts.Old, s.Counts.Bad)
	}
	d.near(s.At[0], 0, 1e-4)
}

// A scenario that has changed since the rehearsal, and one that was never rehearsed: refused.
func TestDrillRehearsal(t *testing.T) {
	t.Parallel()
	rthstest.Long(t)
	d := newDrill(t, drilled)
	for name, c := range map[string]struct{ text, why string }{
		"changed": {strings.Replace(drilled, "amplitude_m_s2: 1,", "amplitude_m_s2: 1.5,", 1),
			"ground.amplitude_m_s2 is 1 in the run and 1.5 in this test"},
		"never rehearsed": {strings.Replace(drilled, "name: two", "name: three", 1), "no rehearsal"},
	} {
		t.Run(name, func(t *testing.T) {
			one := &drill{T: t, dir: d.dir, path: filepath.Join(t.TempDir(), "test.yaml"), address: d.address,
				sessions: d.sessions, ring: d.ring, run: d.run, ended: make(chan error, 1)}
			if err := os.WriteFile(one.path, []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			one.start()
			one.unmoved(c.why)
		})
	}
}

// One flipped bit of one reading is found. The hash of the file covers what the replay takes from the record, as
// stamps. Without a hash the replay says so.
func TestReplayFindsAFlippedBit(t *testing.T) {
	t.Parallel()
	rthstest.Long(t)
	d := newDrill(t, strings.Replace(drilled, "duration_s: 5", "duration_s: 1", 1))
	d.start()
	d.wait()
	m := d.sound(t.Context(), rths.Completed, "")
	columns := []string{"raw_m", "raw_age", "guard_command_m", "raw_N", "raw_late", "measured_m"}[:rthstest.Draws(2, 4)]
	rows := []int{0, 200}
	found := 0
	for _, column := range columns {
		for _, row := range rows {
			d.flip(m.frames, m.around, column, row)
			r, err := session.NewReplay(t.Context(), d.run, scenario.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if r.First == nil || r.First.Row != row+1 {
				t.Errorf("the last bit of %s in tick %d is flipped: the replay says %v", column, row, r.First)
				continue
			}
			found++
		}
	}
	if want := len(columns) * len(rows); found != want {
		t.Errorf("%d of %d found", found, want)
	}
	for _, column := range []string{"reading", "acted", "left_at_s", "rig_status", "measured_at_s", "due_at_s",
		"taken_at_s"}[:rthstest.Draws(3, 7)] {
		before := d.manifest().Sums
		d.flip(m.frames, m.around, column, 100)
		r, err := session.NewReplay(t.Context(), d.run, scenario.Options{})
		if err != nil || r.First != nil || r.Unchecked != "" {
			t.Errorf("%s is altered, with a new hash: %+v, %v: want an equal replay", column, r, err)
		}
		now := d.manifest()
		now.Sums = before
		d.put(now)
		if _, err := session.NewReplay(t.Context(), d.run, scenario.Options{}); !errors.As(err, new(*record.Damage)) {
			t.Errorf("%s is altered: %v: want a damage", column, err)
		}
	}
	now := d.manifest()
	now.Status = rths.Running
	d.put(now)
	if r, err := session.NewReplay(t.Context(), d.run, scenario.Options{}); err != nil || r.First != nil ||
		!strings.Contains(r.Unchecked, "the manifest says running") {
		t.Errorf("%+v, %v: want an equal replay of a record without hash", r, err)
	}
}

// startWith is the drilled test with a block start, 2 s long and in lockstep, so that a busy
// machine changes no number.
func startWith(block string) string {
	return strings.NewReplacer("duration_s: 5", "duration_s: 2", "clock: rig, watchdog_ms: 1500",
		"clock: lockstep, watchdog_ms: 5000", "late: {", "start: "+block+", late: {").Replace(drilled)
}

// A rig that stands beside the first command is brought there by the ramp's profile before the run.
func TestBumplessStart(t *testing.T) {
	t.Parallel()
	rthstest.Long(t)
	d := newDrillAt(t, strings.Replace(drilled, "duration_s: 5", "duration_s: 2", 1), []float64{2e-4})
	d.start()
	if code := d.wait(); code != exitDone {
		t.Errorf("exit status %d\n%s", code, d.errs.String())
	}
	m := d.sound(t.Context(), rths.Completed, "")
	sent := m.all("raw_command_m")
	first := m.Test.FirstSample
	if first < 8 || math.Abs(sent[0]-2e-4) > 1e-6 || sent[first+1] != 0 {
		t.Fatalf("the run begins with reading %d; commands %g m before and %g m then: want a way from 2e-4 to 0", first,
			sent[0], sent[first+1])
	}
	for k := 2; k <= first; k++ { // 0.5 m/s² is 7.6e-6 m in a sample
		if a := math.Abs(sent[k]-2*sent[k-1]+sent[k-2]) * 256 * 256; a > 0.5*(1+1e-6) {
			t.Errorf("row %d: acceleration %g m/s²: want at most 0.5", k, a)
		}
	}
	if x, _ := m.frames.Column("measured_m"); math.Abs(x[0]) > 1e-5 {
		t.Errorf("the run begins at %g m", x[0])
	}
	d.near(d.rests("bye").At[0], 0, 1e-5)
}

// A rig that stands far from the first command is refused, unless its sensors are zeroed: then the
// run counts from there.
func TestZero(t *testing.T) {
	t.Parallel()
	rthstest.Long(t)
	t.Run("none", func(t *testing.T) {
		t.Parallel()
		d := newDrillAt(t, drilled, []float64{3e-3})
		d.start()
		d.unmoved("distance of the actuator from the first command: found 0.00") // 3e-3 m, or as good as there
	})
	t.Run("both", func(t *testing.T) {
		t.Parallel()
		d := newDrillAt(t, startWith("{zero: both}"), []float64{3e-3}, "transfer.stroke_m=0.12")
		d.start()
		if code := d.wait(); code != exitDone {
			t.Errorf("exit status %d\n%s", code, d.errs.String())
		}
		m := d.sound(t.Context(), rths.Completed, "")
		if len(m.Test.ShiftX) != 1 || math.Abs(m.Test.ShiftX[0]-3e-3) > 1e-6 || math.Abs(m.Test.ShiftF[0]-300) > 1 {
			t.Errorf("shifts %g m, %g N: want 0.003 and 300", m.Test.ShiftX, m.Test.ShiftF)
		}
		if pct := float64(m.Test.Rehearsal.DisplacementPct); !(pct < 1) {
			t.Errorf("the displacement differs from the rehearsal by %g %%", pct)
		}
		d.near(d.rests("bye").At[0], 3e-3, 1e-5)
	})
}

// A preload is taken up before the run, and the run counts from there.
func TestPreload(t *testing.T) {
	t.Parallel()
	rthstest.Long(t)
	text := strings.Replace(startWith("{zero: force, preload_m: [0.002], settle_s: 1}"),
		"sensors: {displacement_noise: 1e-6, force_noise: 1}\n", "", 1)
	d := newDrill(t, text, "transfer.stroke_m=0.12")
	d.start()
	if code := d.wait(); code != exitDone {
		t.Errorf("exit status %d\n%s", code, d.errs.String())
	}
	m := d.sound(t.Context(), rths.Completed, "")
	if len(m.Test.ShiftX) != 1 || math.Abs(m.Test.ShiftX[0]-2e-3) > 1e-9 || math.Abs(m.Test.ShiftF[0]-200) > 1e-3 {
		t.Errorf("shifts %g m, %g N: want 0.002 and 200", m.Test.ShiftX, m.Test.ShiftF)
	}
	if pct := float64(m.Test.Rehearsal.DisplacementPct); !(pct < 1e-3) { // a linear specimen: the preload changes nothing
		t.Errorf("the displacement differs from the rehearsal by %g %%", pct)
	}
	d.near(d.rests("bye").At[0], 2e-3, 1e-5)
}

// A small move tells gain and stiffness; a force with the wrong sign stops the test before its first tick.
func TestSmallMove(t *testing.T) {
	t.Parallel()
	rthstest.Long(t)
	t.Run("sound", func(t *testing.T) {
		t.Parallel()
		d := newDrill(t, startWith("{move_m: 0.0005, settle_s: 0.4}"))
		d.start()
		if code := d.wait(); code != exitDone {
			t.Errorf("exit status %d\n%s", code, d.errs.String())
		}
		m := d.sound(t.Context(), rths.Completed, "")
		if len(m.Test.Moves) != 1 || math.Abs(float64(m.Test.Moves[0].Gain)-1) > 1e-3 ||
			math.Abs(float64(m.Test.Moves[0].Stiffness)-1e5) > 500 {
			t.Errorf("moves %+v: want a gain of 1 and 1e5 N/m", m.Test.Moves)
		}
		sent := m.all("raw_command_m")
		if most, least := slices.Max(sent[:m.Test.FirstSample]), slices.Min(sent[:m.Test.FirstSample]); most != 5e-4 ||
			least != -5e-4 {
			t.Errorf("the move went from %g to %g m", least, most)
		}
	})
	for name, c := range map[string]struct{ fault, cause string }{
		"force reversed":        {"faults=[{kind: reversed, channel: force_N, from_s: 0}]", "guard: stiffness_N_m"},
		"displacement reversed": {"faults=[{kind: reversed, channel: measured_m, from_s: 0}]", "guard: gain"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDrill(t, startWith("{move_m: 0.0005, settle_s: 0.4}"), c.fault)
			d.start()
			if code := d.wait(); code != exitFailed {
				t.Errorf("exit status %d\n%s", code, d.errs.String())
			}
			if m := d.sound(t.Context(), rths.Tripped, c.cause); m.Samples != 0 {
				t.Errorf("%d ticks of the run: want none", m.Samples)
			}
			d.near(d.rests("bye").At[0], 0, 1e-5)
		})
	}
}

// Limits wider than the rig's ranges, and no limits: refused before anything moves.
func TestWrongLimits(t *testing.T) {
	t.Parallel()
	rthstest.Long(t)
	d := newDrill(t, drilled, "transfer.stroke_m=0.05", "transfer.rate_m_s=0.2")
	d.start()
	d.unmoved("stroke of the actuator: found 0.1, want 0.05 m or less (range of the rig); displacement limit of the " +
		"actuator: found 0.1, want 0.05 m or less (range of the rig); rate of the actuator: found 0.5, want 0.2 m/s or " +
		"less (range of the rig)")
	none := &drill{T: t, dir: d.dir, path: filepath.Join(d.dir, "none.yaml"), address: d.address, sessions: d.sessions,
		ring: d.ring, run: d.run, ended: make(chan error, 1)}
	if err := os.WriteFile(none.path, []byte(strings.Replace(drilled,
		", supervisor_silent_s: 1, late: {hold_after: 200, ramp_after: 300}", "", 1)+"limits: none\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	none.start()
	none.unmoved("want limits for a test in the laboratory")
}

// In lockstep too a rig that is killed leads to a hold on the loop's own clock.
func TestDrillRigKilledInLockstep(t *testing.T) {
	t.Parallel()
	rthstest.Full(t) // TestOtherRigKilledAtRandom kills a rig in lockstep
	d := newDrill(t, strings.Replace(drilled, "clock: rig, watchdog_ms: 1500", "clock: lockstep, watchdog_ms: 1500", 1))
	lab := d.rigProcess()
	d.start()
	d.reaches(300)
	d.signal(lab.Process.Pid, syscall.SIGKILL)
	if code := d.wait(); code != exitFailed {
		t.Errorf("exit status %d\n%s", code, d.errs.String())
	}
	m := d.sound(t.Context(), rths.Tripped, "rig: rig at")
	states, _ := m.frames.Column("guard_state")
	taken, _ := m.frames.Column("taken_at_s")
	first := slices.IndexFunc(states, func(s float64) bool { return s >= float64(rig.Holding) })
	last := len(states) - 1
	if n, s := last-first+1, taken[last]-taken[first]; n != 256 || s < 0.98 || s > 1.6 {
		t.Errorf("the guard held for %d ticks, %g s: want hold_s, 1 s", n, s)
	}
}

// mounted mounts a small file system in memory.
func (d *drill) mounted(dir, size string) {
	d.Helper()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		d.Skipf("no tmpfs can be mounted: %v", err)
	}
	d.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
}

// A ring that does not hold the whole run is used over and over; a test whose processes are killed
// then is recovered from archive and ring.
func TestDrillBoundedRing(t *testing.T) {
	t.Parallel()
	rthstest.Full(t) // tests of run/session have rings of fewer rows
	long := strings.Replace(drilled, "duration_s: 5", "duration_s: 200", 1)
	long = strings.Replace(long, "supervisor_silent_s: 1", "supervisor_silent_s: 0.3", 1)
	long = strings.Replace(long, "rig: {",
		"on_trip: {within_s: 1.5, hold_s: 0.1, velocity_m_s: 0.2, acceleration_m_s2: 5}\nrig: {", 1)
	d := newDrill(t, long)
	d.mounted(d.ring, "1700k")
	d.start()
	d.reaches(400)
	rings, _ := filepath.Glob(filepath.Join(d.ring, "rths-*"))
	if len(rings) != 1 {
		t.Fatalf("rings %q", rings)
	}
	places := int(rthstest.Must(os.Stat(rings[0])).Size()-36864) / 8 / len(d.manifest().Columns)
	d.until("the ring is used again", func() bool { return d.rows() > places+100 })
	loop := d.loop()
	d.signal(loop, syscall.SIGSTOP)
	rows := d.rows()
	d.signal(d.command.Process.Pid, syscall.SIGKILL)
	d.signal(loop, syscall.SIGKILL)
	d.wait()
	d.until("the loop is gone", func() bool { return syscall.Kill(loop, 0) != nil })
	d.must("recover", d.run)
	m := d.sound(t.Context(), rths.Lost, "supervisor and loop: their processes have died")
	if n := m.Samples + m.Test.AroundRows; places > 4500 || n < rows {
		t.Errorf("%d rows of %d, in a ring of %d", n, rows, places)
	}
}

// A disk without room: refused before anything moves.
func TestDrillNoRoomOnDisk(t *testing.T) {
	t.Parallel()
	rthstest.Long(t)
	d := newDrill(t, drilled)
	small := filepath.Join(d.dir, "small")
	if err := os.Mkdir(small, 0o755); err != nil {
		t.Fatal(err)
	}
	d.mounted(small, "1M")
	d.run = filepath.Join(small, "test")
	d.start("--rehearsal", filepath.Join(d.dir, "runs", "rehearsal"))
	d.unmoved("free space on disk")
}
