package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"rths"
	"rths/kit/rthstest"
	"rths/result/record"
)

// These tests drive runs by a client that speaks as OpenSees does, and by some that do not.

// analysisOf is a client of one degree of freedom.
type analysisOf struct {
	net.Conn
	t testing.TB
}

func connect(t testing.TB, port string) *analysisOf {
	t.Helper()
	c := &analysisOf{rthstest.Must(net.Dial("tcp", "127.0.0.1:"+port)), t}
	t.Cleanup(func() { c.Close() })
	return c
}

func (c *analysisOf) header(order binary.ByteOrder, dof int32) {
	b := make([]byte, 0, 44)
	for _, v := range []int32{dof, dof, dof, 0, 1, 0, 0, 0, dof, 0, 256} {
		b = order.(binary.AppendByteOrder).AppendUint32(b, uint32(v))
	}
	rthstest.Must(c.Write(b))
}

// send sends a message of these numbers.
func (c *analysisOf) send(v ...float64) {
	b := make([]byte, 8*256)
	for i, x := range v {
		binary.LittleEndian.PutUint64(b[8*i:], math.Float64bits(x))
	}
	rthstest.Must(c.Write(b))
}

// steps makes steps of 0.01 s along 20 mm (1 − cos 2πt): after 0.75 s in full motion.
func (c *analysisOf) steps(n int) {
	b := make([]byte, 8*256)
	for j := range n {
		at := 0.01 * float64(j+1)
		c.send(3, 0.02*(1-math.Cos(2*math.Pi*at)), 0, 0, at)
		c.send(10)
		rthstest.Must(io.ReadFull(c, b))
		c.send(5)
	}
}

// sprung is a spring on an actuator, under an analysis.
const sprung = `name: a spring, by an analysis
rate_hz: 1000
duration_s: 5
timing: {target: next}
structure: {kind: external, dt_s: 0.01}
specimen: {kind: linear, stiffness: 40e3}
transfer: {kind: second-order, omega_rad_s: 150, damping_ratio: 0.8, stroke_m: 0.2, rate_m_s: 1}
sensors: {displacement_noise: 1e-6, force_noise: 1}
compensator: {kind: amb}
`

// An analysis that says farewell in the middle of a motion leaves a specimen at rest, without a command beyond the rate
// of the actuator. Its run says so in notes before, in runs show and in the report.
func TestAnalysisEnds(t *testing.T) {
	t.Parallel()
	h := serveModel(t, sprung, "--report")
	before := h.errs.String()
	c := connect(t, h.port)
	c.header(binary.LittleEndian, 1)
	c.steps(75)
	c.send(99)
	m := h.end()
	if m.Status != rths.Completed || len(m.Events) > 0 || m.Client == nil || m.Samples != 750+10+100 {
		t.Fatalf("%s (%s), %d samples, events %+v, %+v: want 750 samples, 10 to slow down, 100 to stand\n%s", m.Status,
			m.Reason, m.Samples, m.Events, m.Client, h.errs.String())
	}
	if c := *m.Client; c.DOF != 1 || c.Units != "N-m" || c.Steps != 75 || c.Motions != 75 || c.End != record.Farewell ||
		!c.Ended || c.RestSamples != 110 || math.Abs(c.TimeScale-1) > 1e-9 {
		t.Errorf("%+v", c)
	}
	if note := "note: when the analysis is late, a virtual run waits in its tick; in a test the path extrapolates for 5 " +
		"samples (5 ms), slows down within 5 samples (5 ms) more, and holds until the target comes"; !strings.Contains(before,
		note) || strings.Count(h.errs.String(), note) != 1 {
		t.Errorf("before the analysis came:\n%s\nwant %q, once", before, note)
	}

	a := rthstest.Must(record.Open(h.folder))
	column := func(name string) []float64 {
		c, ok := a.Column(name)
		if !ok {
			t.Fatalf("no column %s", name)
		}
		return c
	}
	x, sent, exact, state := column("target_m"), column("guard_command_m"), column("true_m"), column("path_state")
	last := len(x) - 1
	speed := 0.02 * 2 * math.Pi / 1000 // of the last target, m a sample
	for k := 751; k <= last; k++ {
		if jump := math.Abs((x[k] - x[k-1]) - (x[k-1] - x[k-2])); jump > 1.2*speed/5 {
			t.Fatalf("sample %d: the velocity of the target jumps by %g m a sample: want at most a fifth of %g", k, jump, speed)
		}
		if step := math.Abs(sent[k] - sent[k-1]); step > 1e-3*(1+1e-9) {
			t.Fatalf("sample %d: the command steps by %g m: want at most 1 m/s", k, step)
		}
	}
	if moved := math.Abs(exact[last] - exact[last-20]); moved > 2e-6 || math.Abs(exact[last]-x[last]) > 5e-6 ||
		state[last] != 3 {
		t.Errorf("the specimen ends at %g m, and was %g m away 20 samples before; the target is %g, the state of the path "+
			"%g: want rest", exact[last], moved, x[last], state[last])
	}

	show := string(rthstest.Must(exec.Command("rths", "runs", "show", h.folder).Output()))
	page := string(rthstest.Must(os.ReadFile(filepath.Join(h.folder, "report.html"))))
	for _, want := range []string{
		"; 1 degree of freedom, units N-m",
		"75 to its time 0.75 s, 75 motions (1 in a step) of 10 samples (10 ms) each, path cubic; the test took 1 " +
			"times as long",
		"none: a virtual run waits in its tick",
		"it sent its last message; the path slowed down and stood for 110 samples (110 ms)",
	} {
		if !strings.Contains(show, want) || !strings.Contains(strings.ReplaceAll(page, "&#39;", "'"), want) {
			t.Errorf("%q is missing in the report or in\n%s", want, show)
		}
	}
	for text, want := range map[string]bool{"Targets of the analysis as they came": true, `"client_time_s"`: false,
		`"new_target"`: false} {
		if strings.Contains(page, text) != want {
			t.Errorf("%s in the report: %t: want %t", text, !want, want)
		}
	}
}

// A run whose time is over before its analysis says so.
func TestAnalysisOutlasts(t *testing.T) {
	t.Parallel()
	h := serveModel(t, sprung, "--set", "duration_s=0.3")
	c := connect(t, h.port)
	c.header(binary.LittleEndian, 1)
	c.steps(50)
	c.send(99)
	m := h.end()
	if m.Status != rths.Completed || m.Client.End != record.TimeUp || m.Client.Ended ||
		!slices.ContainsFunc(m.Warnings, func(w string) bool {
			return strings.Contains(w, "the run was over at its duration_s, 0.3 s, before the analysis had ended")
		}) {
		t.Errorf("%s, %+v, warnings %q: want one of duration_s", m.Status, m.Client, m.Warnings)
	}
}

// Clients that are none, or whose element is another one, end the run before it begins, with what to mend.
func TestAnalysisRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		do   func(*analysisOf)
		code int
		want string
	}{
		{"two degrees of freedom", func(c *analysisOf) { c.header(binary.LittleEndian, 2) }, exitWrong,
			"degrees of freedom: 2 in the element of the analysis (its header), 1 in structure.dof: want 1 in the -dof lists " +
				"of the element, or structure.dof: 2 with as many actuators; end the analysis too"},
		{"bytes swapped", func(c *analysisOf) { c.header(binary.BigEndian, 1) }, exitWrong,
			"a header whose bytes are swapped"},
		{"a browser", func(c *analysisOf) {
			fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: none\r\n\r\n")
		}, exitWrong, `"GET / HTTP/1", begin no header: want element genericClient`},
		{"gone", func(c *analysisOf) { c.Close() }, exitFailed,
			"closed the connection without its last message: its program has ended or was killed, before the 44 bytes of " +
				"its header were there"},
	} {
		h := serveModel(t, sprung)
		c.do(connect(t, h.port))
		h.refused(c.name, c.code, c.want)
	}

	h := serveModel(t, sprung) // nobody comes
	if err := h.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	h.refused("Ctrl-C", exitFailed, "stopped by the user before the analysis came")

	l := rthstest.Must(net.Listen("tcp", "127.0.0.1:0"))
	defer l.Close()
	path := filepath.Join(t.TempDir(), "test.yaml")
	if err := os.WriteFile(path, []byte(sprung), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("rths", "run", path, "--no-record", "--set",
		"structure.listen="+l.Addr().String()).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "structure.listen: "+l.Addr().String()+
		" is in use by another program: end that one, or take another port") {
		t.Errorf("a port in use: %v\n%s", err, out)
	}
}

// refused wants a run that has ended with this exit status, these words, and without a folder.
func (h *hybrid) refused(name string, code int, want string) {
	h.t.Helper()
	select {
	case <-h.ended:
	case <-time.After(patience):
		h.t.Fatalf("%s: the run goes on\n%s", name, h.errs.String())
	}
	if got := h.cmd.ProcessState.ExitCode(); got != code || !strings.Contains(h.errs.String(), want) {
		h.t.Errorf("%s: exit status %d: want %d, and %q\n%s", name, got, code, want, h.errs.String())
	}
	if _, err := os.Stat(h.folder); err == nil {
		h.t.Errorf("%s: a folder of a run that has not begun", name)
	}
}
