package main

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"rths"
	"rths/kit/rthstest"
	"rths/lab/rig/wire"
	"rths/result/record"
)

// asks starts the test with an operator who types. until is the last question that gets its word at once.
func (d *drill) asks(until string) io.WriteCloser {
	d.Helper()
	d.command = d.supervisor()
	d.command.Args = append([]string(nil), d.command.Args...)
	for i, a := range d.command.Args {
		if a == "--yes" {
			d.command.Args = append(d.command.Args[:i], d.command.Args[i+1:]...)
			break
		}
	}
	in := rthstest.Must(d.command.StdinPipe())
	d.command.Stdout, d.command.Stderr = &d.out, &d.errs
	d.command.WaitDelay = 100 * time.Millisecond
	if err := d.command.Start(); err != nil {
		d.Fatal(err)
	}
	go func() { d.ended <- d.command.Wait() }()
	d.Cleanup(func() { _ = d.command.Process.Kill() })
	for _, q := range []string{"ARM", "START", "Enter"} {
		what := "Type " + q
		if q == "Enter" {
			what = "Enter ends"
		}
		d.until(what, func() bool { return strings.Contains(d.errs.String(), what) })
		if q == until {
			break
		}
		_, _ = io.WriteString(in, q+"\n")
	}
	return in
}

func reseal(b []byte) []byte {
	binary.LittleEndian.PutUint32(b[len(b)-4:], crc32.Checksum(b[:len(b)-4], crc32.MakeTable(crc32.Castagnoli)))
	return b
}

func atX(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b[64:])) }

func setX(b []byte, at int, v float64) {
	binary.LittleEndian.PutUint64(b[64+8*at:], math.Float64bits(v))
}

// A test that ended before anything moved is not "lost to the watchdog".
func TestEndsBeforeTheFirstTick(t *testing.T) {
	t.Parallel()
	rthstest.Long(t)
	for name, act := range map[string]func(d *drill, in io.Writer){
		"Ctrl-C at START": func(d *drill, in io.Writer) {
			_, _ = io.WriteString(in, "START\n")
			d.signal(d.command.Process.Pid, syscall.SIGINT)
		},
		"loop gone at START": func(d *drill, in io.Writer) {
			d.signal(d.loop(), syscall.SIGTERM)
			time.Sleep(300 * time.Millisecond)
			_, _ = io.WriteString(in, "START\n")
		},
		"supervisor stopped and continued at START": func(d *drill, in io.Writer) {
			d.signal(d.command.Process.Pid, syscall.SIGSTOP)
			time.Sleep(1200 * time.Millisecond)
			d.signal(d.command.Process.Pid, syscall.SIGCONT)
			time.Sleep(300 * time.Millisecond)
			_, _ = io.WriteString(in, "START\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDrill(t, drilled)
			in := d.asks("START")
			act(d, in)
			in.Close() // a test that had begun asks for its end
			d.wait()
			if m, err := record.LoadManifest(d.run); err == nil && strings.Contains(m.Reason+m.Test.Cause, "watchdog") {
				t.Errorf("%s: %s; first cause %s: nothing has moved, and no watchdog has acted", m.Status, m.Reason, m.Test.Cause)
			}
		})
	}
}

// The rig was moved between the checks and the start: the first command must not jump there.
func TestRigMovedBeforeTheStart(t *testing.T) {
	t.Parallel()
	rthstest.Long(t)
	d := newDrill(t, drilled)
	var moved atomic.Bool
	var mu sync.Mutex
	first := math.NaN()
	d.address = proxy(t, d.address, func(up bool, b []byte) [][]byte {
		mu.Lock()
		defer mu.Unlock()
		if up && wire.Kind(b[5]) == wire.Command && math.IsNaN(first) {
			first = atX(b)
		}
		if !up && wire.Kind(b[5]) == wire.Reading && moved.Load() {
			setX(b, 0, atX(b)+0.02)
			reseal(b)
		}
		return [][]byte{b}
	})
	in := d.asks("START")
	moved.Store(true)
	time.Sleep(500 * time.Millisecond)
	_, _ = io.WriteString(in, "START\n")
	time.Sleep(time.Second)
	mu.Lock()
	defer mu.Unlock()
	if step := math.Abs(0.02 - first); step > 0.5/256 { // NaN: no command, refused
		t.Errorf("the rig stands at 0.02 m, the first command is %g m: a step of %g m, want at most %g", first, step, 0.5/256)
	}
}

// After a stall the command that the rig finds is within its rate of the one that it has, however
// many the loop makes up for.
func TestStallKeepsTheRate(t *testing.T) {
	t.Parallel()
	rthstest.Full(t) // TestDrillLoopStalls stalls too
	text := strings.NewReplacer("hold_after: 200, ramp_after: 300", "hold_after: 250, ramp_after: 350",
		"amplitude_m_s2: 1,", "amplitude_m_s2: 4,").Replace(drilled)
	d := newDrill(t, text)
	d.start()
	d.reaches(400)
	loop := d.loop()
	d.signal(loop, syscall.SIGSTOP)
	time.Sleep(280 * time.Millisecond)
	d.signal(loop, syscall.SIGCONT)
	d.wait()
	m := d.sound(t.Context(), rths.Completed, "")
	sent, _ := m.frames.Column("raw_command_m")
	wanted, _ := m.frames.Column("command_m")
	acted, _ := m.frames.Column("acted")
	ages, _ := m.frames.Column("age")
	held := 0
	for k := 1; k < len(sent); k++ {
		if acted[k] < 0 || ages[k] > 0 {
			continue
		}
		if step := math.Abs(sent[k] - sent[int(acted[k])]); step > 0.5/256*(1+1e-6) {
			t.Errorf("tick %d: the command is %g m away from the one that acts, of tick %g: want at most %g", k, step, acted[k],
				0.5/256)
			break
		}
		if sent[k] != wanted[k] {
			held++
		}
	}
	if held < 20 {
		t.Errorf("%d commands were held back: want those of a stall of 0.28 s", held)
	}
}

// A rig that falls silent with the datagram start.
func TestDrillSilentAtStart(t *testing.T) {
	t.Parallel()
	rthstest.Full(t) // TestDrillSilence is silent later
	d := newDrill(t, drilled)
	var gone atomic.Bool
	d.address = proxy(t, d.address, func(up bool, b []byte) [][]byte {
		if up && wire.Kind(b[5]) == wire.Start {
			gone.Store(true)
		}
		if gone.Load() {
			return nil
		}
		return [][]byte{b}
	})
	d.start()
	d.wait()
	m := d.sound(t.Context(), rths.Tripped, "rig: ")
	reading, _ := m.frames.Column("reading")
	if m.Test.FirstSample < -1 || reading[0] > 1e9 {
		t.Errorf("first sample %d, reading %g", m.Test.FirstSample, reading[0])
	}
}

// The loop dies while it holds the rig for the operator.
func TestDrillLoopKilledWhileHeld(t *testing.T) {
	t.Parallel()
	rthstest.Full(t) // TestDrillLoopKilled has the same end
	d := newDrill(t, strings.Replace(drilled, "duration_s: 5", "duration_s: 1", 1))
	in := d.asks("Enter")
	d.signal(d.loop(), syscall.SIGKILL)
	time.Sleep(2 * time.Second)
	if text := d.errs.String(); !strings.Contains(text, "died") {
		t.Error("nobody tells the operator that the loop, which holds the rig, has died")
	}
	_, _ = io.WriteString(in, "\n")
	if code := d.wait(); code == exitDone {
		t.Errorf("exit status %d; steps %+v", code, d.manifest().Test.Steps)
	}
}

// A power failure while the question at the end is open loses no row of the run.
func TestDrillPowerFailureWhileHeld(t *testing.T) {
	t.Parallel()
	rthstest.Full(t) // TestDrillLoopKilled is like it
	d := newDrill(t, drilled)
	d.asks("Enter")
	time.Sleep(600 * time.Millisecond)
	loop := d.loop()
	d.signal(d.command.Process.Pid, syscall.SIGKILL)
	d.signal(loop, syscall.SIGKILL)
	d.wait()
	for _, ring := range rthstest.Must(filepath.Glob(filepath.Join(d.ring, "*"))) {
		os.Remove(ring)
	}
	// The record was closed before the question.
	if m, a := d.manifest(), rthstest.Must(record.Open(d.run)); m.Status != rths.Completed || a.Rows() != 1281 ||
		m.Samples != 1281 || len(m.Criteria) == 0 {
		t.Errorf("%s, %d of 1281 ticks, %d rows, %d criteria; %q", m.Status, m.Samples, a.Rows(), len(m.Criteria), m.Notes)
	}
}

// Recover: a ring of other columns, and what a recovered manifest says of the rehearsal, of moves and shifts.
func TestDrillRecoverOfAPreload(t *testing.T) {
	t.Parallel()
	rthstest.Full(t) // TestPreload, and TestDrillLoopKilled recovers
	d := newDrill(t, startWith("{zero: force, preload_m: [0.002], move_m: 0.0005, settle_s: 0.3}"),
		"transfer.stroke_m=0.12")
	d.start()
	d.reaches(650)
	loop := d.loop()
	d.signal(loop, syscall.SIGSTOP)
	d.signal(d.command.Process.Pid, syscall.SIGKILL)
	d.signal(loop, syscall.SIGKILL)
	d.wait()
	d.until("the loop is gone", func() bool { return syscall.Kill(loop, 0) != nil })
	path := d.manifest().Test.Ring
	whole := rthstest.Must(os.ReadFile(path))
	width, rows := binary.LittleEndian.Uint32(whole[32:]), binary.LittleEndian.Uint32(whole[36:])
	wide := append(append([]byte(nil), whole...), make([]byte, 5*8*rows)...)
	binary.LittleEndian.PutUint32(wide[32:], width+5)
	_ = os.WriteFile(path, wide, 0o600)
	if text, _ := exec.Command("rths", "recover", d.run).CombinedOutput(); strings.Contains(string(text), "panic") {
		t.Errorf("recover with a ring of other columns: %.80s", text)
	}
	_ = os.WriteFile(path, whole, 0o600)
	d.must("recover", d.run)
	m := d.manifest()
	if len(m.Test.Moves) != 1 || len(m.Test.ShiftX) != 1 {
		t.Errorf("moves %v, shift %v: want those of the test", m.Test.Moves, m.Test.ShiftX)
	}
	if r := m.Test.Rehearsal; float64(r.DisplacementPct) == 0 || float64(r.PartedS) == 0 {
		t.Errorf("the manifest claims 0 %% of difference, and that they part at 0 s: %+v", r)
	}
}

// NaN of a load cell that no limit watches.
func TestDrillNaNForceInTheMove(t *testing.T) {
	t.Parallel()
	rthstest.Long(t)
	text := strings.NewReplacer("mass: 10, damping", "damping", "\ntransfer", "\nforce: computed\ntransfer",
		"duration_s: 5", "duration_s: 1", "late: {", "start: {move_m: 0.0005, settle_s: 0.4}, late: {").Replace(drilled)
	d := newDrill(t, text)
	var moving atomic.Bool
	d.address = proxy(t, d.address, func(up bool, b []byte) [][]byte {
		if wire.Kind(b[5]) == wire.Command {
			moving.Store(true)
		}
		if !up && wire.Kind(b[5]) == wire.Reading && moving.Load() {
			setX(b, 1, math.NaN())
			reseal(b)
		}
		return [][]byte{b}
	})
	d.start()
	select {
	case <-d.ended:
	case <-time.After(patience):
		t.Errorf("the supervisor waits for ever for a result that JSON cannot hold; the loop holds the rig\n%s",
			d.errs.String()[max(0, len(d.errs.String())-200):])
	}
}

// Several actuators with default limits.
func TestLaboratoryTestOfSeveralActuators(t *testing.T) {
	t.Parallel()
	rthstest.Long(t)
	text := string(rthstest.Must(os.ReadFile("../../scenarios/benchmark-multiaxial.yaml")))
	text = strings.NewReplacer("rate_hz: 1024", "rate_hz: 256", "ground: {record: elcentro, scale: 0.4}",
		"ground: {kind: sine, frequency_hz: 2, amplitude_m_s2: 0.5, duration_s: 1}",
		"limits: none",
		"rig: {kind: udp, clock: rig, watchdog_ms: 1500, supervisor_silent_s: 1, late: {hold_after: 200, "+
			"ramp_after: 300}}").Replace(text)
	d := newDrill(t, text)
	d.start()
	if code := d.wait(); code != exitDone {
		t.Errorf("exit status %d\n%.600s", code, d.errs.String()[strings.Index(d.errs.String()+"panic", "panic"):])
	}
}
