package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"rths/record"
	"rths/rthstest"
)

// paged is a scenario for a page: it has every kind of curve.
const paged = `name: two storeys, one in the laboratory
rate_hz: 256
ground: {kind: sine, frequency_hz: 2, amplitude_m_s2: 1, duration_s: %DURATION%}
structure: {kind: shear, masses: [1000, 1000], stiffnesses: [1e6, 1e6], damping: {modal_ratio: [0.02]}}
specimen: {kind: linear, mass: 10, damping: 100, stiffness: 1e5}
transfer: {kind: second-order, stroke_m: 0.05, rate_m_s: 0.5}
compensator: {kind: cats}
sensors: {displacement_noise: 1e-6, force_noise: 1}
limits:
  - {channel: command_m, trip: 0.02, warn: 0.015}
  - {channel: measured_m, trip: 0.02}
  - {channel: error_m, trip: 0.001}
  - {channel: force_N, trip: 2000}
  - {channel: non_finite, action: hold}
`

// pageRun is rths with a page, as a process.
type pageRun struct {
	*testing.T
	command *exec.Cmd
	errs    safeBuffer
	out     bytes.Buffer
	in      io.WriteCloser // the terminal
	ended   chan error
	address string // http://host:port/, with the token if there is one
}

// startPage starts a command with --page, and waits for the address.
func startPage(t *testing.T, args ...string) *pageRun {
	t.Helper()
	p := &pageRun{T: t, command: exec.Command("rths", append(args, "--page", "127.0.0.1:0")...), ended: make(chan error, 1)}
	p.command.Stdout, p.command.Stderr, p.command.WaitDelay = &p.out, &p.errs, 100*time.Millisecond
	p.in = rthstest.Must(p.command.StdinPipe())
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.ended <- p.command.Wait() }()
	t.Cleanup(func() { _ = p.command.Process.Kill() })
	at := regexp.MustCompile(`http://\S+`)
	for deadline := time.Now().Add(20 * time.Second); p.address == ""; time.Sleep(10 * time.Millisecond) {
		if p.address = at.FindString(p.errs.String()); time.Now().After(deadline) {
			t.Fatalf("no address of a page\n%s", p.errs.String())
		}
	}
	return p
}

// host is host:port of the page.
func (p *pageRun) host() string {
	return strings.Split(strings.TrimPrefix(p.address, "http://"), "/")[0]
}

// wait waits for the end of the command, and returns its exit status.
func (p *pageRun) wait() int {
	p.Helper()
	select {
	case <-p.ended:
	case <-time.After(60 * time.Second):
		p.Fatalf("the command goes on\n%s", p.errs.String())
	}
	return p.command.ProcessState.ExitCode()
}

// pagedFile writes the scenario.
func pagedFile(t *testing.T, durationS string) (path, dir string) {
	t.Helper()
	dir = t.TempDir()
	path = filepath.Join(dir, "test.yaml")
	if err := os.WriteFile(path, []byte(strings.Replace(paged, "%DURATION%", durationS, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	return path, dir
}

// A virtual run at its pace, in three sizes, light and dark.
func TestPageOfARun(t *testing.T) {
	b := newBrowser(t)
	path, dir := pagedFile(t, "60")
	p := startPage(t, "run", path, "--pace", "1", "-o", filepath.Join(dir, "run"))
	b.size(1280, 800, false)
	b.do(chromedp.Navigate(p.address))
	b.word("RUNNING", 10*time.Second)
	time.Sleep(6 * time.Second)
	b.shot("run-1280")
	b.size(1920, 1080, true)
	time.Sleep(500 * time.Millisecond)
	b.shot("run-1920-dark")
	b.size(400, 800, false)
	time.Sleep(500 * time.Millisecond)
	b.shot("run-400")
	b.do(chromedp.KeyEvent("s"))
	b.until("!document.getElementById('verdict').hidden", 5*time.Second)
	b.shot("run-400-end")
	b.size(1280, 800, true)
	time.Sleep(300 * time.Millisecond)
	b.shot("run-1280-dark-end")
	b.sound(p.host())
}

// pagedTest is a test with a page, its rig, and a browser before it. duration in s; sets are of the rig alone.
func pagedTest(t *testing.T, durationS string, rigSets ...string) (*browser, *drill, *pageRun) {
	t.Helper()
	b := newBrowser(t)
	d := newDrill(t, strings.Replace(paged, "%DURATION%", durationS, 1)+
		"rig: {kind: udp, clock: rig, watchdog_ms: 1500, supervisor_silent_s: 3, late: {hold_after: 200, ramp_after: 300}, start: {move_m: 0.0005, settle_s: 0.3}}\n", rigSets...)
	p := startPage(t, "test", d.path, "--soft", "-o", d.run, "--ring", d.ring, "--rig", "udp://"+d.address)
	return b, d, p
}

// answer answers the question that is open, with its confirmation.
func (b *browser) answer(step string) {
	b.Helper()
	b.until(fmt.Sprintf("!document.getElementById('question').hidden && document.getElementById('ask').innerText === %q", step+" …"), 20*time.Second)
	b.click("#ask")
	b.until("!document.getElementById('confirm').hidden", time.Second)
	if text := b.text("confirm"); !strings.Contains(text, "two storeys") || !strings.Contains(text, "mass 10 kg") || !strings.Contains(text, "error at most 1 mm, then ramp") {
		b.Errorf("the confirmation of %s says %q: want test, specimen and limits", step, text)
	}
	b.click("#yes")
}

// A test is armed and started in the browser; the page is reloaded, loses its supervisor for a while, and stops the test.
func TestPageOfATest(t *testing.T) {
	b, d, p := pagedTest(t, "60")
	b.size(1280, 800, false)
	b.do(chromedp.Navigate(p.address))
	b.word("DISARMED", 20*time.Second)
	b.until("location.hash === '' && document.cookie === ''", 5*time.Second)
	b.until("document.getElementById('checks').children.length > 10", 20*time.Second)
	b.until("!document.getElementById('question').hidden", 20*time.Second)
	b.click("#ask")
	b.shot("test-arm")
	b.click("#no")
	b.answer("ARM")
	b.word("ARMED", 10*time.Second)
	b.answer("START")
	b.word("RUNNING", 20*time.Second)
	b.until("!document.getElementById('cycles').hidden && Number(document.getElementById('progress').value) > 300", 20*time.Second)
	b.shot("test-running")
	b.do(chromedp.Reload())
	b.word("RUNNING", 10*time.Second)
	b.until("document.getElementById('log').innerText.includes('START: answered by the page')", 5*time.Second)

	supervisor := p.command.Process
	d.signal(supervisor.Pid, syscall.SIGSTOP)
	if took := b.until("!document.getElementById('lost').hidden && document.getElementById('lost-word').innerText === 'NOT CONNECTED'", 5*time.Second); took > time.Second {
		t.Errorf("the page says after %v that it is not connected: want 1 s", took)
	}
	b.shot("test-lost")
	d.signal(supervisor.Pid, syscall.SIGCONT)
	b.until("document.getElementById('lost').hidden", 5*time.Second)
	b.word("RUNNING", 2*time.Second)

	b.click("#stop")
	b.word("RAMPING", 5*time.Second)
	b.answerEnd(t)
	b.until("document.getElementById('outcome').innerText.startsWith('stopped')", 20*time.Second)
	b.shot("test-stopped")
	b.sound(p.host())
	b.do(chromedp.Navigate("about:blank"))
	if code := p.wait(); code != exitFailed {
		t.Errorf("exit status %d: want %d\n%s", code, exitFailed, p.errs.String())
	}
	out := d.sound(record.Stopped, "the operator stopped the test")
	for _, want := range []string{"ARM", "START", "stop", "end"} {
		if !slices.ContainsFunc(out.Test.Steps, func(s record.Step) bool { return s.Name == want }) {
			t.Errorf("no step %s in the manifest: %v", want, out.Test.Steps)
		}
	}
	if !strings.Contains(fmt.Sprint(out.Test.Steps), "viewer 1 at 127.0.0.1 has pressed STOP") {
		t.Errorf("the manifest does not say who has pressed STOP: %v", out.Test.Steps)
	}
}

// answerEnd ends the session from the page: it wants no specimen and no limits.
func (b *browser) answerEnd(t *testing.T) {
	t.Helper()
	b.until("document.getElementById('ask').innerText === 'END …' && !document.getElementById('question').hidden", 30*time.Second)
	b.click("#ask")
	b.click("#yes")
}

// A sensor with a spike trips the test: word, first cause, bars and plots say so.
func TestPageOfATrip(t *testing.T) {
	b, d, p := pagedTest(t, "20", "faults=[{kind: spike, channel: measured_m, from_s: 4, size: 0.003}]")
	b.size(1280, 800, true)
	b.do(chromedp.Navigate(p.address))
	b.answer("ARM")
	b.answer("START")
	b.until("['RAMPING', 'TRIPPED'].includes(document.getElementById('word').innerText)", 40*time.Second)
	b.until("document.getElementById('why').innerText.startsWith('First cause: error is')", 2*time.Second)
	b.until("document.querySelector('.crossed') !== null && document.querySelector('.crossed').innerText.includes('CROSSED')", 2*time.Second)
	b.shot("test-tripped")
	b.answerEnd(t)
	b.word("TRIPPED", 20*time.Second)
	b.until("document.getElementById('outcome').innerText.startsWith('tripped')", 20*time.Second)
	b.do(chromedp.Navigate("about:blank"))
	if code := p.wait(); code != exitFailed {
		t.Errorf("exit status %d: want %d\n%s", code, exitFailed, p.errs.String())
	}
	d.sound(record.Tripped, "guard: error_m")
}
