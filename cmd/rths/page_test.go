package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

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
