package page

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Figures of the page in Chromium. make page runs it.
const (
	firstPaintMs = 300
	framesPlayed = 18000 // 12 minutes
	tabBytes     = 200e6
)

// A page is there at once, and 18 000 frames that come as fast as it takes them stay within its memory.
func TestPageSpeed(t *testing.T) {
	if os.Getenv("RTHS_PAGE") == "" {
		t.Skip("times a page: make page runs it")
	}
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("want chromium installed")
	}
	o := open(t, nil)
	all, end := chromedp.NewExecAllocator(context.Background(),
		append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU)...)
	defer end()
	ctx, cancel := chromedp.NewContext(all)
	defer cancel()
	number := func(script string) float64 {
		t.Helper()
		v, err := chromedp.Run(ctx, chromedp.Evaluate[float64](script))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	open := func(address string) {
		t.Helper()
		if err := chromedp.Do(ctx, chromedp.EmulateViewport(1280, 800), chromedp.Navigate(address)); err != nil {
			t.Fatal(err)
		}
	}
	open("http://" + o.Server.Address())
	time.Sleep(time.Second)
	paint := number("performance.getEntriesByName('first-contentful-paint')[0].startTime")
	t.Logf("first paint after %.0f ms", paint)
	if paint > firstPaintMs {
		t.Errorf("first paint after %.0f ms: want %d", paint, firstPaintMs)
	}

	played := httptest.NewServer(o.player(t))
	defer func() { played.CloseClientConnections(); played.Close() }()
	begun := time.Now()
	open(played.URL)
	for number("Number(document.getElementById('progress').value)") < framesPlayed {
		if time.Since(begun) > 3*time.Minute {
			t.Fatalf("%g of %d frames after 3 min", number("Number(document.getElementById('progress').value)"), framesPlayed)
		}
		time.Sleep(200 * time.Millisecond)
	}
	took := time.Since(begun)
	heap, err := chromedp.Call(ctx, runtime.GetHeapUsage, struct{}{})
	if err != nil {
		t.Fatal(err)
	}
	used := heap.TotalSize + heap.BackingStorageSize + heap.EmbedderHeapUsedSize
	t.Logf("%d frames in %.1f s; the tab has %.0f MB: heap %.0f of %.0f MB, arrays %.0f MB, the page itself %.0f MB",
		framesPlayed, took.Seconds(), used/1e6, heap.UsedSize/1e6, heap.TotalSize/1e6, heap.BackingStorageSize/1e6,
		heap.EmbedderHeapUsedSize/1e6)
	if used > tabBytes {
		t.Errorf("the tab has %.0f MB: want %.0f", used/1e6, tabBytes/1e6)
	}
}

// player serves the page, and frames as fast as a viewer takes them.
func (o *opened) player(t *testing.T) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/events" {
			r.Host = o.Server.Address()
			r.Header.Del("Origin")
			o.http.Handler.ServeHTTP(w, r)
			return
		}
		h := NewHub(nil)
		defer h.Close()
		f, err := h.Begin(plainTest(t))
		if err != nil {
			t.Error(err)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		h.mail.Lock() // the hub's own goroutine waits: this one plays
		a := *h.of.Load()
		a.Samples = framesPlayed
		hello := fmt.Sprintf(
			"event: hello\ndata: "+
				"{\"you\":{},\"about\":%s,\"log\":[],\"lost\":0,\"newest\":[],\"whole\":[],\"each\":1,\"last\":0}\n\n",
			appendJSON(nil, &a))
		_, _ = w.Write([]byte(hello))
		for k := range framesPlayed {
			for i := range 10 {
				f.Row(rowAt(10*k+i, -1))
			}
			of := frame{Number: k, T: f.summary.t, Rows: 10 * k,
				Now: Now{Word: "RUNNING", Tick: k + 1, Next: strings.Repeat("so ", k%9)}, values: f.q, peak: f.summary.peak,
				worst: f.summary.worst}
			if _, err := w.Write(of.text(f.pending.all())); err != nil {
				break
			}
			f.pending.clear()
		}
		h.mail.Unlock()
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
}
