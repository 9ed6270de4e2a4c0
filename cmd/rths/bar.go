package main

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// bar shows progress with rate and time left when standard error is a terminal, and nothing otherwise.
type bar struct {
	stderr io.Writer
	what   string
	begun  sync.Once
	p      *progressbar.ProgressBar // nil: not begun, or no terminal
}

func newBar(stderr io.Writer, what string) *bar { return &bar{stderr: stderr, what: what} }

func (b *bar) begin(of int) {
	f := terminal(b.stderr)
	if f == nil {
		return
	}
	b.p = progressbar.NewOptions(of,
		progressbar.OptionSetWriter(f), progressbar.OptionSetDescription(b.what), progressbar.OptionShowIts(),
		progressbar.OptionSetPredictTime(true), progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(),
		progressbar.OptionThrottle(100*time.Millisecond))
}

// terminal is the terminal of standard error, whose cursor the bar moves by itself; nil: there is
// none.
func terminal(stderr io.Writer) *os.File {
	if p, ok := stderr.(*printer); ok {
		stderr = p.to
	}
	f, ok := stderr.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return f
}

// set shows how many are done. A bar that cannot be drawn is no reason to fail a run.
func (b *bar) set(n, of int) {
	if b.begun.Do(func() { b.begin(of) }); b.p != nil {
		_ = b.p.Set(n)
	}
}

func (b *bar) done() {
	if b.p != nil {
		_ = b.p.Finish()
	}
}

// bars show one stage of a work after the other.
type bars struct {
	stderr io.Writer
	stage  string
	now    *bar // nil: none
}

func newBars(stderr io.Writer) *bars { return &bars{stderr: stderr} }

func (b *bars) set(stage string, done, of int) {
	if b.now == nil || stage != b.stage || done == 1 {
		b.done()
		b.stage, b.now = stage, newBar(b.stderr, stage)
	}
	b.now.set(done, of)
}

func (b *bars) done() {
	if b.now != nil {
		b.now.done()
	}
	b.now = nil
}
