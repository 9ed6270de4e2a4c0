package front_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browser is Debian's Chromium with one tab. It notes what goes wrong in the page.
type browser struct {
	*testing.T
	ctx context.Context

	sync.Mutex
	wrong []string // what the console says
}

// newBrowser starts Chromium; a test without it is skipped.
func newBrowser(t *testing.T) *browser {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil || os.Getenv("RTHS_BROWSER") == "" {
		t.Skip("want chromium installed, and RTHS_BROWSER=1: it takes much of two processors; make browser runs it")
	}
	all, end := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU)...)
	ctx, cancel := chromedp.NewContext(all)
	ctx, late := context.WithTimeout(ctx, 90*time.Second)
	b := &browser{T: t, ctx: ctx}
	t.Cleanup(func() { late(); cancel(); end() })
	_, logs := chromedp.Call(ctx, log.Enable, cdp.Empty{})
	_, console := chromedp.Call(ctx, runtime.Enable, cdp.Empty{})
	if err := errors.Join(chromedp.Listen(ctx, b.hear), logs, console); err != nil {
		t.Fatal(err)
	}
	return b
}

// hear notes what the browser tells.
func (b *browser) hear(event any) {
	b.Lock()
	defer b.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.wrong = append(b.wrong, fmt.Sprint(e.ExceptionDetails))
	case *runtime.EventConsoleAPICalled:
		b.wrong = append(b.wrong, fmt.Sprint(e.Type, e.Args))
	case *log.EventEntryAdded:
		b.wrong = append(b.wrong, e.Entry.Text+" "+e.Entry.URL)
	}
}

// says is the value of a script, a text.
func (b *browser) says(script string) string {
	b.Helper()
	out, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("String("+script+")"))
	if err != nil {
		b.Fatalf("%s: %v", script, err)
	}
	return out
}

func (b *browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.Fatal(err)
	}
}

// until waits until a script says a text.
func (b *browser) until(script, want string) {
	b.Helper()
	for begun := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		got := b.says(script)
		if got == want {
			return
		}
		if time.Since(begun) > 5*time.Second {
			b.Fatalf("%s is %q after 5 s: want %q; console: %q", script, got, want, b.wrong)
		}
	}
}
