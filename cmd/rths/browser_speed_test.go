package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"rths"
	"rths/kit/browsertest"
	"rths/result/catalogue"
	"rths/result/plotting"
	"rths/result/record"
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

// The time from the click on the tab of the runs to their rows on the screen, beside the bare query of the catalogue.
func TestRunsSpeed(t *testing.T) {
	if os.Getenv("RTHS_PAGE") == "" {
		t.Skip("times: make page prints them")
	}
	t.Setenv("RTHS_BROWSER", "1")
	for _, c := range []struct {
		runs  int
		limit time.Duration
	}{{1000, 300 * time.Millisecond}, {50_000, 1500 * time.Millisecond}} {
		folder := t.TempDir()
		dir := filepath.Join(folder, "runs")
		if err := os.WriteFile(filepath.Join(folder, "frame.yaml"), []byte(must(frame())), 0o644); err != nil {
			t.Fatal(err)
		}
		leaveRuns(t, dir, c.runs)
		begun := time.Now()
		if list := must(catalogue.List(dir, catalogue.Query{})); len(list.Entries) != c.runs {
			t.Fatalf("%d runs: want %d", len(list.Entries), c.runs)
		}
		bare := time.Since(begun)
		b := slowBench(t, folder)
		const rows = `document.querySelectorAll(".runs-grid tbody tr[id]").length`
		b.Says(`(() => { window.took = 0; const from = performance.now(); document.getElementById("tab-runs").click();
  const look = () => { if (` + rows + ` > 5) requestAnimationFrame(() => { took = performance.now() - from; });
    else requestAnimationFrame(look); };
  look(); })()`)
		b.Until("took > 0", time.Minute)
		first := b.Says("took.toFixed(0)")
		again := func(act string) string {
			b.Says(`(() => { window.took = 0; const n = rthsRuns, from = performance.now(); ` + act + `;
  const look = () => { if (rthsRuns > n) requestAnimationFrame(() => { took = performance.now() - from; });
    else requestAnimationFrame(look); };
  look(); })()`)
			b.Until("took > 0", time.Minute)
			return b.Says("took.toFixed(0)")
		}
		sorted := again(`[...document.querySelectorAll(".runs-grid th button")].find(e => /J2/.test(e.textContent)).click()`)
		scrolled := again(`document.querySelector(".runs-grid").scrollTop = 1e5`)
		fmt.Printf("%6d runs: bare query %.0f ms; click to rows %s ms (limit %d), sorted %s ms, scrolled %s ms\n", c.runs,
			1e3*bare.Seconds(), first, c.limit.Milliseconds(), sorted, scrolled)
		b.calm()
	}
}

// slowBench is the workbench of a folder with a scenario that has run, for ten minutes.
func slowBench(t *testing.T, folder string) *bench {
	t.Helper()
	b := &bench{browser: browser{browsertest.New(t, 10*time.Minute)}, folder: folder}
	b.w = benchOf(t, folder, "127.0.0.1:0")
	b.Size(1400, 900, false)
	b.Do(chromedp.Navigate(b.w.URL()))
	b.ran()
	return b
}

// leaveRuns leaves the folders of runs, with their manifests, and a catalogue of them.
func leaveRuns(t *testing.T, dir string, n int) {
	t.Helper()
	for i := range n {
		folder := filepath.Join(dir, fmt.Sprintf("frame-%05d", i))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		m := record.Manifest{Format: record.Format, Name: fmt.Sprintf("frame %d", i%17), Status: rths.Completed,
			Verdict: "good", RateHz: 1024, Samples: 41984, SimulatedS: 41, WallS: 0.1,
			Tags:     []string{fmt.Sprintf("series-%d", i%9)},
			Started:  time.Date(2026, 1, 1, 0, i, 0, 0, time.UTC).Format(time.RFC3339),
			Scenario: "name: frame\ncompensator: {kind: amb}\n"}
		for k := range 12 {
			m.Criteria = append(m.Criteria, rths.Value{Name: fmt.Sprintf("J%d_pct", k+1), V: float64((i*7919+k*31)%1000) / 100})
		}
		text := must(m.Text())
		if err := os.WriteFile(filepath.Join(folder, record.ManifestFile), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if done := must(catalogue.Rebuild(dir)); done.Runs != n {
		t.Fatalf("%d runs in the catalogue: want %d", done.Runs, n)
	}
}

// The time from the click on a run of ten million samples to its curves, at its first opening, at its second one, and
// zoomed in.
func TestLongRunSpeed(t *testing.T) {
	if os.Getenv("RTHS_PAGE") == "" {
		t.Skip("times: make page prints them")
	}
	t.Setenv("RTHS_BROWSER", "1")
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "frame.yaml"), []byte(must(frame())), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(folder, "runs", "long")
	leaveLong(t, dir, 10_000_000)
	if err := catalogue.Add(dir); err != nil {
		t.Fatal(err)
	}
	const laid = `(window.rthsLaid || 0)`
	timed := func(b *bench, act string) string {
		b.Says(`(() => { window.took = 0; const n = ` + laid + `, from = performance.now(); ` + act + `;
  const look = () => { if (` + laid + ` > n) requestAnimationFrame(() => { took = performance.now() - from; });
    else requestAnimationFrame(look); };
  look(); })()`)
		b.Until("took > 0", time.Minute)
		return b.Says("took.toFixed(0)")
	}
	for _, opening := range []string{"first", "second"} {
		b := slowBench(t, folder)
		b.Says(`document.getElementById("tab-runs").click()`)
		b.Until(`!!document.querySelector(".runs-grid [data-of=run] button")`, 10*time.Second)
		took := timed(b, `document.querySelector(".runs-grid [data-of=run] button").click()`)
		zoomed := timed(b, `rthsPlots[0].plot.setScale("x", { min: 5000, max: 5100 })`)
		near := timed(b, `rthsPlots[0].plot.setScale("x", { min: 5050, max: 5050.5 })`)
		fmt.Printf("a run of 10 000 000 samples, %s opening: curves in %s ms (limit 1000 of the second), zoomed to 1 %% in "+
			"%s ms, to 0.5 s in %s ms\n", opening, took, zoomed, near)
		b.shot("runs-long-" + opening)
		begun := time.Now()
		for {
			if info, err := os.Stat(filepath.Join(dir, record.PyramidFile)); err == nil {
				fmt.Printf("its pyramid has %.1f MB\n", float64(info.Size())/1e6)
				break
			}
			if time.Since(begun) > time.Minute {
				t.Fatal("no pyramid in a minute")
			}
			time.Sleep(50 * time.Millisecond)
		}
		b.calm()
	}
}

// leaveLong records a run of so many samples with ten columns.
func leaveLong(t *testing.T, dir string, rows int) {
	t.Helper()
	names := []string{"time_s", "target_m", "measured_m", "command_m", "force_N", "age", "num_x1_m", "num_x2_m",
		"num_x3_m", "num_x4_m"}
	var columns []record.Column
	for _, name := range names {
		unit := map[string]string{"m": "m", "N": "N", "s": "s"}[name[strings.LastIndexByte(name, '_')+1:]]
		columns = append(columns, record.Column{Name: name, Unit: unit, Source: "frame"})
	}
	m := record.Manifest{Name: "long", RateHz: 1024, Scenario: "name: long\n", Started: "2026-11-02T10:00:00Z"}
	w := must(record.Create(dir, m, columns))
	row := make([]float64, len(columns))
	for k := range rows {
		row[0] = float64(k) / 1024
		x := 1e-3 * float64((k*7919)%2048-1024) / 1024
		for i := 1; i < len(row); i++ {
			row[i] = x * float64(i)
		}
		w.Append(row)
	}
	m.Status, m.Samples, m.SimulatedS = rths.Completed, rows, float64(rows)/1024
	if err := w.Close(m); err != nil {
		t.Fatal(err)
	}
}
