package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
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

// browser is Debian's Chromium with one tab. It notes what the page asks for and what goes wrong in it.
type browser struct {
	*testing.T
	ctx context.Context

	sync.Mutex
	wrong []string // errors of the console
	asked []string // addresses of requests
}

// browserWithin is how long a test in the browser may take.
var browserWithin = 90 * time.Second

// newBrowser starts Chromium; a test without it is skipped.
func newBrowser(t *testing.T, more ...chromedp.ExecAllocatorOption) *browser {
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
	ctx, late := context.WithTimeout(ctx, browserWithin)
	b := &browser{T: t, ctx: ctx}
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
func (b *browser) hear(event any) {
	b.Lock()
	defer b.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.wrong = append(b.wrong, fmt.Sprint(e.ExceptionDetails))
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "warning" {
			for _, a := range e.Args {
				b.wrong = append(b.wrong, fmt.Sprint(e.Type, " ", string(a.Value)))
			}
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == "error" {
			b.wrong = append(b.wrong, e.Entry.Text+" "+e.Entry.URL)
		}
	case *network.EventRequestWillBeSent:
		b.asked = append(b.asked, e.Request.URL)
	}
}

func (b *browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.Fatal(err)
	}
}

// size sets the window, and whether the reader wants a dark page.
func (b *browser) size(width, height int64, dark bool) {
	b.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	b.do(chromedp.EmulateViewport(width, height))
	of := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme",
		Value: scheme}}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, of); err != nil {
		b.Fatal(err)
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

// text is the text of an element.
func (b *browser) text(name string) string {
	b.Helper()
	return b.says("document.getElementById('" + name + "').innerText")
}

// until waits until a script says true, and gives the time that took.
func (b *browser) until(script string, within time.Duration) time.Duration {
	b.Helper()
	begun := time.Now()
	for b.says(script) != "true" {
		if time.Since(begun) > within {
			b.Fatalf("not in %v: %s\n%s\nconsole: %q", within, script,
				b.says(`["word", "why", "log"].map(n => document.getElementById(n)).map(e => e ? e.innerText : "").join("\n")`), b.wrong)
		}
		time.Sleep(10 * time.Millisecond)
	}
	return time.Since(begun)
}

// word waits for the state in large words.
func (b *browser) word(want string, within time.Duration) {
	b.Helper()
	b.until(fmt.Sprintf("document.getElementById('word').innerText === %q", want), within)
}

func (b *browser) click(selector string) { b.Helper(); b.do(chromedp.Click(selector)) }

// shot takes a picture of the window. With RTHS_SHOTS it goes into that folder too, and with -update a picture of the
// documentation into docs.
func (b *browser) shot(name string) image.Image {
	b.Helper()
	text, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.Fatal(err)
	}
	if dir := os.Getenv("RTHS_SHOTS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name+".png"), text, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	if *update && strings.HasPrefix(name, "control-room") {
		if err := os.WriteFile(filepath.Join("..", "..", "docs", "guides", name+".png"), text, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	out, err := png.Decode(bytes.NewReader(text))
	if err != nil {
		b.Fatal(err)
	}
	return out
}

// sound wants a quiet console, and no request to another host.
func (b *browser) sound(host string) {
	b.Helper()
	b.Lock()
	defer b.Unlock()
	if len(b.wrong) > 0 {
		b.Errorf("console: %q", b.wrong)
	}
	for _, address := range b.asked {
		if !strings.HasPrefix(address, "http://"+host+"/") && !strings.HasPrefix(address, "data:") {
			b.Errorf("a request to another host: %s", address)
		}
	}
	if len(b.asked) < 5 {
		b.Errorf("%d requests were seen: want those of the page", len(b.asked))
	}
}
