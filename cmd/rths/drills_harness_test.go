package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"rths/kit/rthstest"
	"rths/lab/rig/udp"
	"rths/result/record"
	"rths/run/session"
	"rths/scenario"
)

// drilled is a test of 5 s at 256 Hz whose rig has a clock of its own. A stall of a shared machine trips nothing.
var drilled = rthstest.TwoStoreys(5,
	"{kind: udp, clock: rig, watchdog_ms: 1500, supervisor_silent_s: 1, late: {hold_after: 200, ramp_after: 300}}")

// drill is a test in the laboratory, with its rig, while something goes wrong.
type drill struct {
	*testing.T
	dir      string
	path     string // of the scenario
	address  string // of the rig
	sessions chan udp.Session
	ring     string // folder of rings
	run      string // folder of the record
	command  *exec.Cmd
	out      bytes.Buffer
	errs     safeBuffer
	ended    chan error
}

// safeBuffer is written and read by several goroutines.
type safeBuffer struct {
	sync.Mutex
	b bytes.Buffer
}

func (s *safeBuffer) Write(b []byte) (int, error) {
	s.Lock()
	defer s.Unlock()
	return s.b.Write(b)
}

func (s *safeBuffer) String() string {
	s.Lock()
	defer s.Unlock()
	return s.b.String()
}

// newDrill serves the rig of a scenario, with sets that only the rig has, and rehearses the test.
func newDrill(t *testing.T, scenarioText string, rigSets ...string) *drill {
	t.Helper()
	return newDrillAt(t, scenarioText, nil, rigSets...)
}

// newDrillAt has a rig that stands somewhere.
func newDrillAt(t *testing.T, scenarioText string, at []float64, rigSets ...string) *drill {
	t.Helper()
	d := newDrillUnrehearsed(t, scenarioText, at, rigSets...)
	d.must("run", d.path, "-o", filepath.Join(d.dir, "runs", "rehearsal"))
	return d
}

// newDrillUnrehearsed serves the rig alone.
func newDrillUnrehearsed(t *testing.T, scenarioText string, at []float64, rigSets ...string) *drill {
	t.Helper()
	d := &drill{T: t, dir: t.TempDir(), ended: make(chan error, 1)}
	d.path, d.ring, d.run = filepath.Join(d.dir, "test.yaml"), filepath.Join(d.dir, "ring"),
		filepath.Join(d.dir, "runs", "test")
	if err := os.WriteFile(d.path, []byte(scenarioText), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(d.ring, 0o755); err != nil {
		t.Fatal(err)
	}
	d.address, d.sessions = serveLabAt(t, d.path, at, rigSets...)
	return d
}

// must runs a command that has to succeed, and returns its output.
func (d *drill) must(args ...string) string {
	d.Helper()
	var out, errs strings.Builder
	if code := run(args, &out, &errs); code != exitDone {
		d.Fatalf("rths %s: exit status %d\n%s%s", strings.Join(args, " "), code, errs.String(), out.String())
	}
	return out.String()
}

// start starts the test with its supervisor as a process.
func (d *drill) start(more ...string) {
	d.Helper()
	d.command = d.supervisor(more...)
	d.command.Stdout, d.command.Stderr = &d.out, &d.errs
	d.command.WaitDelay = 100 * time.Millisecond // the loop, which may live longer, has standard error too
	if err := d.command.Start(); err != nil {
		d.Fatal(err)
	}
	go func() { d.ended <- d.command.Wait() }()
	d.Cleanup(func() { _ = d.command.Process.Kill() })
}

func (d *drill) supervisor(more ...string) *exec.Cmd {
	args := []string{"test", d.path, "--soft", "--yes", "-o", d.run, "--ring", d.ring, "--rig", "udp://" + d.address}
	return exec.Command("rths", append(args, more...)...)
}

// until waits until something is so.
func (d *drill) until(what string, so func() bool) {
	d.Helper()
	for deadline := time.Now().Add(patience); !so(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			d.Fatalf("not in %v: %s\n%s", patience, what, d.errs.String())
		}
	}
}

// rows is the number of rows that the loop has written, from the header of the ring.
func (d *drill) rows() int {
	rings, _ := filepath.Glob(filepath.Join(d.ring, "rths-*"))
	if len(rings) != 1 {
		return 0
	}
	file, err := os.Open(rings[0])
	if err != nil {
		return 0
	}
	defer file.Close()
	var head [8]byte
	_, _ = file.ReadAt(head[:], 64)
	return int(binary.LittleEndian.Uint64(head[:]))
}

// reaches waits until the loop has run for so many ticks.
func (d *drill) reaches(ticks int) {
	d.Helper()
	d.until(fmt.Sprintf("%d ticks", ticks), func() bool { return d.rows() > ticks })
}

// loop is the process of the loop: the only child of the supervisor.
func (d *drill) loop() int {
	d.Helper()
	return d.child(d.command.Process.Pid)
}

// numerical is the process of the numerical part: the only child of the loop.
func (d *drill) numerical() int {
	d.Helper()
	return d.child(d.loop())
}

// child is the only child of a process.
func (d *drill) child(of int) int {
	d.Helper()
	list := children(of)
	if len(list) != 1 {
		d.Fatalf("process %d has the children %d: want one", of, list)
	}
	return list[0]
}

// children are the processes that the threads of a process have started.
func children(of int) (out []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", of))
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for field := range strings.FieldsSeq(string(text)) {
			out = append(out, rthstest.Must(strconv.Atoi(field)))
		}
	}
	return out
}

// signal signals a process.
func (d *drill) signal(pid int, s syscall.Signal) {
	d.Helper()
	if err := signalTo(pid, s); err != nil {
		d.Fatal(err)
	}
}

// signalTo signals a process by its number, as every system compiles it.
func signalTo(pid int, s syscall.Signal) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	defer p.Release()
	return p.Signal(s)
}

// wait waits for the end of the supervisor, and returns its exit status; -1 if it was killed.
func (d *drill) wait() int {
	d.Helper()
	select {
	case <-d.ended:
	case <-time.After(patience):
		d.Fatalf("the test goes on\n%s", d.errs.String())
	}
	return d.command.ProcessState.ExitCode()
}

// manifest is the manifest of the test.
func (d *drill) manifest() record.Manifest {
	d.Helper()
	return rthstest.Must(record.LoadManifest(d.run))
}

// test is a test that has ended, with all of its rows.
type test struct {
	record.Manifest
	frames, around *record.Archive
}

// sound wants status and first cause, and what every record of a test has to have.
func (d *drill) sound(ctx context.Context, status, cause string) *test {
	d.Helper()
	out := d.whole(ctx)
	m := &out.Manifest
	if m.Status != status || !strings.Contains(m.Test.Cause, cause) || (cause == "") != (m.Test.Cause == "") {
		d.Errorf("status %s (%s), first cause %q: want %s, %q\n%s", m.Status, m.Reason, m.Test.Cause, status, cause,
			d.errs.String())
	}
	return out
}

// whole wants what every record of a test has to have, whatever went wrong: a row for each tick, commands within
// the rate, a replay to the bit.
func (d *drill) whole(ctx context.Context) *test {
	d.Helper()
	out := &test{Manifest: d.manifest(), frames: rthstest.Must(record.Open(d.run)),
		around: rthstest.Must(record.OpenAround(d.run))}
	d.Cleanup(func() { out.frames.Close(); out.around.Close() }) // before a disk is unmounted
	m := &out.Manifest
	if m.Samples != out.frames.Rows() || m.Test.AroundRows != out.around.Rows() || m.RowsKept != nil {
		d.Errorf("%d ticks and %d around the run in the manifest, %d and %d rows", m.Samples, m.Test.AroundRows,
			out.frames.Rows(), out.around.Rows())
	}
	if left, _ := filepath.Glob(filepath.Join(d.ring, "*")); len(left) > 0 || m.Test.Ring != "" {
		d.Errorf("the ring is still there: %q, %q", left, m.Test.Ring)
	}
	if slices.ContainsFunc(m.Warnings, func(w string) bool { return strings.Contains(w, "ended badly") }) {
		d.Errorf("warnings %q\n%s", m.Warnings, d.errs.String())
	}
	out.withinRate(d)
	r, err := session.NewReplay(ctx, d.run, scenario.Options{})
	if err != nil {
		d.Fatalf("replay: %v", err)
	}
	if r.First != nil || r.Ticks != m.Samples || r.Rows != m.Samples+m.Test.AroundRows {
		d.Errorf("replay of %d rows, %d ticks: %v: want %d rows to the bit", r.Rows, r.Ticks, r.First,
			m.Samples+m.Test.AroundRows)
	}
	return out
}

// all is a column over all rows of the test: before the run, the run, after it.
func (t *test) all(name string) []float64 {
	beside, _ := t.around.Column(name)
	phases, _ := t.around.Column("phase")
	run, _ := t.frames.Column(name)
	n := 0
	for n < len(phases) && phases[n] < 2 {
		n++
	}
	return append(append(append([]float64(nil), beside[:n]...), run...), beside[n:]...)
}

// frame is a column of the run.
func (t *test) frame(name string) []float64 {
	c, _ := t.frames.Column(name)
	return c
}

// withinRate wants every step of what left for the rig within its rate.
func (t *test) withinRate(d *drill) {
	d.Helper()
	most := 0.5 / t.RateHz * (1 + 1e-9)
	sent := t.all("raw_command_m")
	if len(sent) < 2 {
		d.Errorf("%d commands", len(sent))
	}
	for k := 1; k < len(sent); k++ { // row 0 is where the command stood before
		if step := math.Abs(sent[k] - sent[k-1]); !(step <= most) {
			d.Errorf("row %d: the command steps by %g m: want at most %g", k, step, most)
			return
		}
	}
}

// rests wants the specimen at zero at the end, as its rig says.
func (d *drill) rests(end string) udp.Session {
	d.Helper()
	select {
	case s := <-d.sessions:
		if !strings.Contains(s.End, end) {
			d.Errorf("the session of the rig ended with %q: want %q", s.End, end)
		}
		return s
	case <-time.After(patience):
		d.Fatal("the session of the rig goes on")
	}
	return udp.Session{}
}

// near wants a position, m.
func (d *drill) near(at, want, within float64) {
	d.Helper()
	if !(math.Abs(at-want) <= within) {
		d.Errorf("the specimen is at %g m: want %g ± %g", at, want, within)
	}
}

// proxy stands between the loop and a rig. change says what becomes of a datagram: none, one or
// several; up is on the way to the rig.
func proxy(t *testing.T, rig string, change func(up bool, datagram []byte) [][]byte) string {
	t.Helper()
	front := rthstest.Must(net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}))
	back := rthstest.Must(net.DialUDP("udp", nil, rthstest.Must(net.ResolveUDPAddr("udp", rig))))
	var from sync.Map
	pass := func(up bool, read func([]byte) (int, *net.UDPAddr, error), write func([]byte, *net.UDPAddr)) {
		buf := make([]byte, 1<<16)
		for {
			n, at, err := read(buf)
			if err != nil {
				if strings.Contains(err.Error(), "closed") {
					return
				}
				continue
			}
			if up {
				from.Store(0, at)
			}
			to, _ := from.Load(0)
			for _, b := range change(up, bytes.Clone(buf[:n])) {
				if to != nil {
					write(b, to.(*net.UDPAddr))
				}
			}
		}
	}
	var done sync.WaitGroup
	done.Add(2)
	go func() {
		defer done.Done()
		pass(true, front.ReadFromUDP, func(b []byte, _ *net.UDPAddr) { _, _ = back.Write(b) })
	}()
	go func() {
		defer done.Done()
		pass(false, func(b []byte) (int, *net.UDPAddr, error) { n, err := back.Read(b); return n, nil, err },
			func(b []byte, to *net.UDPAddr) { _, _ = front.WriteToUDP(b, to) })
	}()
	t.Cleanup(func() { front.Close(); back.Close(); done.Wait() })
	return front.LocalAddr().String()
}

// put writes a manifest in place of the one that is there.
func (d *drill) put(m record.Manifest) {
	d.Helper()
	if err := os.WriteFile(filepath.Join(d.run, record.ManifestFile), rthstest.Must(m.Text()), 0o644); err != nil {
		d.Fatal(err)
	}
}

// flip changes the last bit of a number of the run's frames.
func (d *drill) flip(frames, around *record.Archive, column string, tick int) {
	d.Helper()
	rows := func(a *record.Archive, change bool) iter.Seq[[]float64] {
		return func(yield func([]float64) bool) {
			for k := range a.Rows() {
				var row []float64
				for _, c := range a.Columns {
					v, _ := a.Column(c.Name)
					row = append(row, v[k])
					if change && k == tick && c.Name == column {
						row[len(row)-1] = math.Float64frombits(math.Float64bits(v[k]) ^ 1)
					}
				}
				if !yield(row) {
					return
				}
			}
		}
	}
	if err := record.Rewrite(d.run, d.manifest(), rows(frames, true), rows(around, false)); err != nil {
		d.Fatal(err)
	}
}
