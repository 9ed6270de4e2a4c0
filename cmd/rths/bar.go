package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// bar shows progress with rate and time left when standard error is a
// terminal, and nothing otherwise.
type bar struct{ p *progressbar.ProgressBar }

func newBar(stderr io.Writer, total int, what string) *bar {
	f := terminal(stderr)
	if f == nil {
		return &bar{}
	}
	return &bar{progressbar.NewOptions(total,
		progressbar.OptionSetWriter(f), progressbar.OptionSetDescription(what), progressbar.OptionShowIts(),
		progressbar.OptionSetPredictTime(true), progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(),
		progressbar.OptionThrottle(100*time.Millisecond))}
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
func (b *bar) set(n int) {
	if b.p != nil {
		_ = b.p.Set(n)
	}
}

func (b *bar) done() {
	if b.p != nil {
		_ = b.p.Finish()
	}
}
