package main

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"rths/kit/rthstest"
)

// slowMethod has a method of the user's own whose steps take some hundredths of a second, about the most that is
// allowed: no command comes to its end within minutes.
const slowMethod = `name: slow
rate_hz: 1024
ground: {kind: sine, duration_s: 200, frequency_hz: 2, amplitude_m_s2: 1}
structure: {kind: shear, masses: [1000, 1000], stiffnesses: [2e6, 2e6], damping: {modal_ratio: [0.02]}}
specimen: {kind: linear, mass: 20, damping: 300, stiffness: 1e5}
transfer: {kind: second-order, omega_rad_s: 150, damping_ratio: 0.8, stroke_m: 0.2, rate_m_s: 1}
scatter: {specimen.stiffness: {kind: uniform, from: 0.9e5, to: 1.1e5}}
compensator: {kind: wasm, file: slow.wasm}
`

// tuned is a study that tunes.
const tuned = `name: tuned
scenario: plain.yaml
perturbed: 50
calibrate: {keys: {compensator.tau_ms: {from: 5, to: 50}}}
`

// longCommand is a command with an input that keeps it at work, and the text by which it says that it is
// there. Without a text it computes.
type longCommand struct {
	name, args, there string
	code              int // of its end by the user
}

// longCommands are all commands that compute for long, or wait; rths test has drills of its own (TestDrillStopped). The
// others read plain files and end.
var longCommands = []longCommand{
	{"run", "run slow.yaml --out out", "", exitFailed},
	{"run without a record", "run slow.yaml --no-record", "", exitFailed},
	{"run on the clock", "run plain.yaml --pace 0.01 --no-record --page 127.0.0.1:0", `http://`, exitFailed},
	{"run and no analysis", "run external.yaml --no-record", `listening at`, exitFailed},
	{"run and no rig", "run plain.yaml --no-record --rig udp://127.0.0.1:9", `asked 2 of`, exitFailed},
	{"study", "study slow.yaml --perturbed 8 --out out", "", exitFailed},
	{"study of builds", "study large.yaml --perturbed 8 --out out", "", exitFailed},
	{"calibrate", "calibrate tuned.yaml --out out", "", exitFailed},
	{"advise", "advise plain.yaml --out out", "", exitFailed},
	{"lint", "lint slow.yaml", "", exitFailed},
	{"stability", "stability slow.yaml", "", exitFailed},
	{"bode", "bode slow.yaml", "", exitFailed},
	{"benchmark", "benchmark scale", "", exitFailed},
	{"rig", "rig plain.yaml --listen 127.0.0.1:0", `virtual laboratory at`, exitDone},
}

// One signal ends every command, whatever a module does; no temporary file is left.
func TestOneSignalEndsEveryCommand(t *testing.T) {
	for i, c := range longCommands {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.stopped(t, []os.Signal{syscall.SIGINT, syscall.SIGTERM}[i%2])
		})
	}
}

// It does so within a second.
func TestRealtimeStops(t *testing.T) {
	timed(t)
	for _, c := range longCommands {
		for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM} {
			took := c.stopped(t, s)
			t.Logf("%s, %v: %v", c.name, s, took)
			if took > time.Second {
				t.Errorf("%s, %v: it ends %v after the signal: want 1 s at most", c.name, s, took)
			}
		}
	}
}

// stopped is the time from a signal to the end of a command.
func (c *longCommand) stopped(t *testing.T, s os.Signal) time.Duration {
	dir := longFolder(t)
	var errs safeBuffer
	p := exec.Command("rths", strings.Fields(c.args)...)
	p.Dir, p.Stderr, p.Stdout = dir, &errs, &errs
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- p.Wait() }()
	defer p.Process.Kill()
	c.untilThere(t, p.Process.Pid, &errs, ended)
	began := time.Now()
	if err := p.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if code := p.ProcessState.ExitCode(); code != c.code {
			t.Errorf("%v: want exit status %d\n%s", err, c.code, errs.String())
		}
	case <-time.After(time.Minute):
		t.Errorf("it goes on\n%s", errs.String())
	}
	took := time.Since(began)
	wantNothingHalf(t, dir)
	return took
}

// longFolder is a folder with the inputs of longCommands.
func longFolder(t *testing.T) string {
	dir := t.TempDir()
	module := rthstest.Must(os.ReadFile(filepath.Join(modules, "slow.wasm")))
	plain := strings.Replace(slowMethod, "{kind: wasm, file: slow.wasm}", "{kind: inverse, delay: given, tau_ms: 12}", 1)
	for name, text := range map[string]string{
		"slow.yaml": slowMethod, "plain.yaml": plain, "large.yaml": large +
			"scatter: {specimen.stiffness: {kind: uniform, from: 0.9e4, to: 1.1e4}}\n", "tuned.yaml": tuned,
		"slow.wasm":     string(module),
		"external.yaml": strings.Replace(sprung, "dt_s: 0.01", `dt_s: 0.01, listen: "127.0.0.1:0"`, 1),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// modules are those of the tests of package compensate. The tests change the folder later.
var modules = rthstest.Must(filepath.Abs("../../method/module/testdata/wasm"))

// untilThere waits until a command is at work, or says where it is.
func (c *longCommand) untilThere(t *testing.T, pid int, errs *safeBuffer, ended chan error) {
	t.Helper()
	if c.there == "" {
		untilBusy(pid)
		return
	}
	for !strings.Contains(errs.String(), c.there) {
		select {
		case err := <-ended:
			t.Fatalf("it has ended before: %v\n%s", err, errs.String())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// wantNothingHalf wants no temporary file in a folder.
func wantNothingHalf(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasPrefix(filepath.Base(path), ".rths-") {
			t.Errorf("left %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// A module without an end ends the command that runs it, by itself.
func TestEndlessModulesEnd(t *testing.T) {
	t.Parallel()
	dir := longFolder(t)
	for _, name := range []string{"endless", "endless_init"} {
		rthstest.Must(0, os.WriteFile(filepath.Join(dir, name+".wasm"),
			rthstest.Must(os.ReadFile(filepath.Join(modules, name+".wasm"))), 0o644))
	}
	for args, want := range map[string]string{
		"run slow.yaml --no-record --set compensator.file=endless.wasm":      "step did not return after",
		"run slow.yaml --no-record --set compensator.file=endless_init.wasm": "init did not return after",
		"lint slow.yaml --set compensator.file=endless.wasm":                 "step did not return after",
		"study slow.yaml --perturbed 4 --set compensator.file=endless.wasm":  "no run has completed",
	} {
		c := exec.Command("rths", strings.Fields(args)...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		if err == nil || !bytes.Contains(out, []byte(want)) {
			t.Errorf("%s: %v\n%s\nwant %q", args, err, out, want)
		}
	}
}

// An analysis that never reads its answers, and talks on and on, does not keep a run from its end at the first signal.
func TestDeafAnalysisIsLeft(t *testing.T) {
	t.Parallel()
	h := serveModel(t, sprung)
	c := connect(t, h.port)
	c.header(binary.LittleEndian, 1)
	go func() {
		for b := make([]byte, 1<<20); ; {
			if _, err := c.Write(b); err != nil { // words without a meaning
				return
			}
		}
	}()
	for !strings.Contains(h.errs.String(), "note:") {
		time.Sleep(5 * time.Millisecond)
	}
	untilBusy(h.cmd.Process.Pid)
	if err := h.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if m := h.end(); m.Status != "stopped" || !strings.Contains(h.errs.String(), "warning: the analysis was left") {
		t.Errorf("%s (%s): want stopped\n%s", m.Status, m.Reason, h.errs.String())
	}
}
