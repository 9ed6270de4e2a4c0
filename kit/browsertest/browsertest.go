// Package browsertest drives Debian's Chromium in tests of pages.
package browsertest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Browser is Debian's Chromium with one tab. It notes what the page asks for and what goes wrong in it.
type Browser struct {
	*testing.T
	Ctx context.Context

	sync.Mutex
	Wrong []string // errors of the console
	Asked []string // addresses of requests
}

// Within is how long a test in the browser takes at most.
const Within = 90 * time.Second

// New starts Chromium for so long; a test without it is skipped.
func New(t *testing.T, within time.Duration, more ...chromedp.ExecAllocatorOption) *Browser {
	t.Helper()
	if os.Getenv("RTHS_BROWSER") == "" {
		t.Skip("a browser beside all other tests takes much of two processors: make browser runs it")
	}
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("want chromium installed")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.Flag("autoplay-policy", "no-user-gesture-required"))
	options = append(options, more...)
	all, end := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(all)
	ctx, late := context.WithTimeout(ctx, within)
	b := &Browser{T: t, Ctx: ctx}
	t.Cleanup(func() { late(); cancel(); end() })
	if err := chromedp.Listen(ctx, b.hear); err != nil {
		t.Fatal(err)
	}
	for _, enable := range []func() error{
		func() error { _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); return err },
		func() error { _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); return err },
		func() error { _, err := chromedp.Call(ctx, runtime.Enable, cdp.Empty{}); return err },
	} {
		if err := enable(); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// hear notes what the browser tells.
func (b *Browser) hear(event any) {
	b.Lock()
	defer b.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.Wrong = append(b.Wrong, fmt.Sprint(e.ExceptionDetails))
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "warning" {
			for _, a := range e.Args {
				b.Wrong = append(b.Wrong, fmt.Sprint(e.Type, " ", string(a.Value)))
			}
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == "error" {
			b.Wrong = append(b.Wrong, e.Entry.Text+" "+e.Entry.URL)
		}
	case *network.EventRequestWillBeSent:
		b.Asked = append(b.Asked, e.Request.URL)
	}
}

// Do takes steps in the browser.
func (b *Browser) Do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.Ctx, steps...); err != nil {
		b.Fatal(err)
	}
}

// Size sets the window, and whether the reader wants a dark page.
func (b *Browser) Size(width, height int64, dark bool) {
	b.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	b.Do(chromedp.EmulateViewport(width, height))
	of := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme",
		Value: scheme}}}
	if _, err := chromedp.Call(b.Ctx, emulation.SetEmulatedMedia, of); err != nil {
		b.Fatal(err)
	}
}

// Says is the value of a script, a text.
func (b *Browser) Says(script string) string {
	b.Helper()
	out, err := chromedp.Run(b.Ctx, chromedp.Evaluate[string]("String("+script+")"))
	if err != nil {
		b.Fatalf("%s: %v", script, err)
	}
	return out
}

// Text is the text of an element.
func (b *Browser) Text(name string) string {
	b.Helper()
	return b.Says("document.getElementById('" + name + "').innerText")
}

// Until waits until a script says true, and gives the time that took.
func (b *Browser) Until(script string, within time.Duration) time.Duration {
	b.Helper()
	begun := time.Now()
	for b.Says(script) != "true" {
		if time.Since(begun) > within {
			b.Fatalf("not in %v: %s\n%s\nconsole: %q", within, script,
				b.Says(`["word", "why", "log"].map(n => document.getElementById(n)).map(e => e ? e.innerText : "").join("\n")`), b.Wrong)
		}
		time.Sleep(10 * time.Millisecond)
	}
	return time.Since(begun)
}

// Sound wants a quiet console, and no request to another host.
func (b *Browser) Sound(host string) {
	b.Helper()
	b.Lock()
	defer b.Unlock()
	if len(b.Wrong) > 0 {
		b.Errorf("console: %q", b.Wrong)
	}
	for _, address := range b.Asked {
		if !strings.HasPrefix(address, "http://"+host+"/") && !strings.HasPrefix(address, "data:") {
			b.Errorf("a request to another host: %s", address)
		}
	}
	if len(b.Asked) < 5 {
		b.Errorf("%d requests were seen: want those of the page", len(b.Asked))
	}
}

// Click clicks on the element of a selector.
func (b *Browser) Click(selector string) { b.Helper(); b.Do(chromedp.Click(selector)) }

// Shot takes a picture of the window; with RTHS_SHOTS it goes into that folder too.
func (b *Browser) Shot(name string) []byte {
	b.Helper()
	text, err := chromedp.Run(b.Ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.Fatal(err)
	}
	if dir := os.Getenv("RTHS_SHOTS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name+".png"), text, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return text
}
