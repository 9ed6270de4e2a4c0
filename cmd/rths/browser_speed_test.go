package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"rths/kit/browsertest"
	"rths/result/plotting"
)

// How long a report takes until its first paint, until its plots stand, and for the values of all plots at an instant,
// beside a page with one empty plot: figures that make page prints.
func TestReportSpeed(t *testing.T) {
	if os.Getenv("RTHS_PAGE") == "" {
		t.Skip("times: make page prints them")
	}
	t.Setenv("RTHS_BROWSER", "1")
	dir := t.TempDir()
	one, ten := filepath.Join(dir, "one.html"), []string{"report"}
	for i, kind := range []string{"amb", "kf", "pi", "adm", "ats", "pe", "mbc", "smc", "wfei", "inverse"} {
		run := filepath.Join(dir, kind)
		args := []string{"run", "../../scenarios/benchmark-siso.yaml", "--out", run, "--set", "compensator.kind=" + kind}
		if code, _, errs := called(args...); code != 0 {
			t.Fatal(errs)
		}
		if ten = append(ten, run); i == 0 {
			if code, _, errs := called("report", run, "-o", one); code != 0 {
				t.Fatal(errs)
			}
		}
	}
	many, empty := filepath.Join(dir, "ten.html"), filepath.Join(dir, "empty.html")
	if code, _, errs := called(append(ten, "-o", many)...); code != 0 {
		t.Fatal(errs)
	}
	page := `<!DOCTYPE html><meta charset="utf-8"><main>one empty plot</main><script>` +
		plotting.Asset("uplot/uPlot.iife.min.js") + `</script><script>
const plot = new uPlot({ width: 900, height: 270, series: [{}, {}] }, [[0, 1], [0, 0]], document.querySelector("main"));
window.rthsPlots = [{ plot }];</script>`
	if err := os.WriteFile(empty, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	b := newBrowser(t)
	b.Size(1400, 1000, false)
	fmt.Printf("%-22s %8s %14s %14s %12s\n", "page", "MB", "first paint ms", "plots stand ms", "hover ms")
	for _, c := range []struct{ name, path string }{{"one empty plot", empty}, {"one run of 41 s", one},
		{"ten runs", many}} {
		b.Do(chromedp.Navigate("file://" + c.path))
		b.Until("!!window.rthsPlots && performance.getEntriesByType('paint').length > 0", 30*time.Second)
		stand := b.Says("performance.now().toFixed(0)")
		paint := b.Says("performance.getEntriesByType('paint').at(-1).startTime.toFixed(0)")
		hover := b.Says(`(() => { const o = rthsPlots[0].plot, n = 50, from = performance.now();
  for (let i = 0; i < n; i++) o.setCursor({ left: 100 + 10 * i, top: 20 }, true, true);
  return ((performance.now() - from) / n).toFixed(2); })()`)
		size := must(os.Stat(c.path)).Size()
		fmt.Printf("%-22s %8.2f %14s %14s %12s\n", c.name, float64(size)/1e6, paint, stand, hover)
	}
}

// The time from a keystroke in a number to new curves, on the benchmark scenario, beside the run alone, and the heap of
// the program after many changes.
func TestWorkbenchSpeed(t *testing.T) {
	if os.Getenv("RTHS_PAGE") == "" {
		t.Skip("times: make page prints them")
	}
	t.Setenv("RTHS_BROWSER", "1")
	folder := t.TempDir()
	text := must(os.ReadFile("../../scenarios/benchmark-siso.yaml"))
	if err := os.WriteFile(filepath.Join(folder, "benchmark.yaml"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	w := benchOf(t, folder, "127.0.0.1:0")
	b := browser{browsertest.New(t, 10*time.Minute)}
	b.Size(1400, 1000, false)
	b.Do(chromedp.Navigate(w.URL()))
	b.tried(0)
	b.Says(`(() => { rthsBench.editor.show(10, 36); window.took = []; window.tell = () => {};
  let n = rthsTried;
  Object.defineProperty(window, "rthsTried", { get: () => n, set: v => { n = v; tell(); } });
})()`)
	change := func(n int) {
		b.Says(fmt.Sprintf(`(() => { window.changed = false; (async () => {
  for (let i = 0; i < %d; i++) {
    await new Promise(r => setTimeout(r, 40 * Math.random())); // a key falls anywhere between two frames
    const seen = new Promise(act => { tell = act; }), from = performance.now();
    document.querySelector(".cm-content").dispatchEvent(new KeyboardEvent("keydown",
      { key: i %% 20 < 10 ? "ArrowUp" : "ArrowDown", code: "ArrowUp", altKey: true, bubbles: true, cancelable: true }));
    await seen;
    await new Promise(r => requestAnimationFrame(r));
    took.push(performance.now() - from);
  }
  window.changed = true;
})(); })()`, n))
		b.Until("window.changed", 5*time.Minute)
	}
	heap := func() float64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc) / 1e6
	}
	change(20)
	before := heap()
	b.Says(`took.length = 0`)
	change(100)
	times := b.Says(`(() => { took.sort((a, b) => a - b);
  return took[50].toFixed(0) + " ms, 95 % " + took[95].toFixed(0) + " ms"; })()`)
	paint := b.Says("performance.getEntriesByType('paint').at(-1).startTime.toFixed(0)")
	fmt.Printf("first paint %s ms\n", paint)
	alone := b.Says(`document.querySelector(".plots + .doc").textContent`)
	fmt.Printf("keystroke to new curves: median %s (limits 80 and 150); %s\n", times, alone)
	change(400)
	fmt.Printf("heap after collection: %.1f MB, after 500 changes %.1f MB\n", before, heap())
}
