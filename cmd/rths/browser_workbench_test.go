package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"rths/docs"
	"rths/run/page"
	"rths/workbench"
	"rths/workbench/compare"
	"rths/workbench/decide"
	"rths/workbench/front"
)

// benchOf serves the workbench of a folder, as rths ui does.
func benchOf(t testing.TB, folder, address string) *page.Workbench {
	t.Helper()
	desk, err := workbench.Open(folder, os.Getenv("RTHS_RECORDS"), "a test")
	if err != nil {
		t.Fatal(err)
	}
	studies, err := decide.New(desk)
	if err != nil {
		t.Fatal(err)
	}
	desk.Add(studies.Calls())
	runs, err := compare.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	desk.Add(runs.Calls())
	w, err := page.ListenWorkbench(address, desk, front.Files(), must(docs.Site("../")))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close(); studies.Close(); desk.Close(); runs.Close() })
	return w
}

// tried waits until the newest text has run, and says what the page says of it.
func (b browser) tried(after int) string {
	b.Helper()
	b.Until(fmt.Sprintf(`(window.rthsTried || 0) > %d`, after), 30*time.Second)
	return b.Says(verdict)
}

// bench is a browser before the workbench of a folder.
type bench struct {
	browser
	w      *page.Workbench
	folder string
	hands  int // clicks and keys beside the digits of numbers
}

// openBench opens the workbench of a folder with these files; where there are some, the first has run.
func openBench(t *testing.T, files map[string]string) *bench {
	t.Helper()
	for _, text := range files {
		if strings.Contains(text, "record:") && os.Getenv("RTHS_RECORDS") == "" {
			t.Skip("want recorded ground motions in RTHS_RECORDS")
		}
	}
	t.Parallel() // waits more than it works
	b := &bench{browser: newBrowser(t), folder: t.TempDir()}
	for name, text := range files {
		b.write(name, text)
	}
	b.w = benchOf(t, b.folder, "127.0.0.1:0")
	b.Size(1400, 900, false)
	b.Do(chromedp.Navigate(b.w.URL()))
	if len(files) > 0 {
		b.ran()
	}
	return b
}

func (b *bench) write(name, text string) {
	b.Helper()
	if err := os.WriteFile(filepath.Join(b.folder, name), []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) read(name string) string {
	b.Helper()
	text, err := os.ReadFile(filepath.Join(b.folder, name))
	if err != nil {
		b.Fatal(err)
	}
	return string(text)
}

// ran waits until the text of the editor has run, and gives the verdict.
func (b *bench) ran() string {
	b.Helper()
	b.Until(`!!window.rthsBench && rthsBench.editor.text() !== "" && rthsBench.shown() === rthsBench.editor.text()`,
		60*time.Second)
	return b.Says(verdict)
}

const verdict = `document.querySelector(".verdict").textContent`

func (b *bench) text() string { b.Helper(); return b.Says("rthsBench.editor.text()") }

// spot is the middle of an element, scrolled into sight; script gives the element.
func (b *bench) spot(script string) (x, y float64) {
	b.Helper()
	b.Until("!!"+script, 10*time.Second)
	place := b.Says(fmt.Sprintf(`(() => { const e = %s; e.scrollIntoView({ block: "nearest" });
  const r = e.getBoundingClientRect(); return r.x + r.width / 2 + " " + (r.y + r.height / 2); })()`, script))
	if _, err := fmt.Sscan(place, &x, &y); err != nil {
		b.Fatal(err)
	}
	return x, y
}

// mouse moves, presses or releases; clicks counts those that follow each other quickly.
func (b *bench) mouse(of input.DispatchMouseEventType, x, y float64, down int64, clicks int64) {
	b.Helper()
	p := input.DispatchMouseEventParams{Type: of, X: x, Y: y, Buttons: down}
	if of != input.DispatchMouseEventTypeMouseMoved {
		p.Button, p.ClickCount = input.MouseButtonLeft, clicks
	}
	if _, err := chromedp.Call(b.Ctx, input.DispatchMouseEvent, p); err != nil {
		b.Fatal(err)
	}
}

const (
	moves    = input.DispatchMouseEventTypeMouseMoved
	presses  = input.DispatchMouseEventTypeMousePressed
	releases = input.DispatchMouseEventTypeMouseReleased
)

// press clicks an element so many times with the mouse.
func (b *bench) press(script string, times int64) {
	b.Helper()
	x, y := b.spot(script)
	b.mouse(moves, x, y, 0, 0)
	for i := range times {
		b.mouse(presses, x, y, 1, i+1)
		b.mouse(releases, x, y, 0, i+1)
		b.hands++
	}
}

// button is the button of that text.
func button(text string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("button")].find(e => e.checkVisibility() &&
  e.textContent.startsWith(%q))`, text)
}

// numeral is the n-th number of the editor, from 0, that is written so.
func numeral(text string, n int) string {
	return fmt.Sprintf(`[...document.querySelectorAll(".cm-number")].filter(e => e.textContent === %q)[%d]`, text, n)
}

func (b *bench) keys(text string, modifiers ...kb.Modifier) {
	b.Helper()
	b.Do(chromedp.KeyEvent(text, chromedp.KeyModifiers(modifiers...)))
}

// choose takes another file of the folder, as its list does.
func (b *bench) choose(file string) {
	b.Helper()
	b.Says(fmt.Sprintf(`(() => { const s = document.getElementById("file"); window.was = rthsBench.place(); s.value = %q;
  s.dispatchEvent(new Event("change")); })()`, file))
	b.Until(fmt.Sprintf(`rthsBench.place() !== was && rthsBench.place().path === %q`, file), 10*time.Second)
}

// calm wants no error in the console but those that are named, and no request elsewhere.
func (b *bench) calm(but ...string) {
	b.Helper()
	b.Lock()
	b.Wrong = slices.DeleteFunc(b.Wrong, func(text string) bool {
		return slices.ContainsFunc(but, func(s string) bool { return strings.Contains(text, s) })
	})
	b.Unlock()
	b.quietAt(b.w)
}

// From an empty folder to a judged run of an own frame: at most 8 clicks or keys beside the digits.
func TestBrowserWorkbenchBegins(t *testing.T) {
	b := openBench(t, nil)
	b.Until(`document.getElementById("begin").checkVisibility()`, 20*time.Second)
	if text := b.Says(`document.getElementById("begin").innerText`); !strings.Contains(text, "no scenario yet") {
		t.Errorf("%s: want a word on the empty folder", text)
	}
	if hash := b.Says("location.hash + document.cookie"); hash != "" {
		t.Errorf("the token is left in %q", hash)
	}
	b.shot("workbench-begin")
	b.Size(400, 900, true)
	for _, line := range b.badTexts(11, 10) {
		t.Error(line)
	}
	b.Size(1400, 900, false)
	b.press(button("frame"), 1)
	b.ran()
	b.press(numeral("20e3", 0), 2)
	b.keys("22e3")
	b.press(numeral("5e6", 0), 2)
	b.keys("6e6")
	if got := b.ran(); !strings.HasPrefix(got, "Completed") {
		t.Errorf("%s: want a judged run", got)
	}
	if b.hands > 8 {
		t.Errorf("%d clicks and keys: want at most 8", b.hands)
	}
	for _, want := range []string{"masses: [22e3, 20e3, 20e3]", "stiffness: 6e6,"} {
		if !strings.Contains(b.text(), want) {
			t.Errorf("%s: want %s", b.text(), want)
		}
	}
	if text := b.read("frame.yaml"); !strings.Contains(text, "name: frame") {
		t.Errorf("%s: want the template as a file", text)
	}
	b.calm()
}

// The steps of docs/start/first-test-in-the-browser.md lead to what the page says, and make its pictures.
func TestBrowserWorkbenchFirstTest(t *testing.T) {
	text := unspaced(string(must(os.ReadFile("../../docs/start/first-test-in-the-browser.md"))))
	b := openBench(t, nil)
	b.Size(1200, 760, false)
	says := func(got string) {
		t.Helper()
		if got = strings.ReplaceAll(got, "\u00a0", " "); !strings.Contains(text, got) {
			t.Errorf("the page does not say %q", got)
		}
	}
	b.press(button("frame"), 1)
	says(b.ran())
	b.shot("workbench-first")
	b.press(numeral("20e3", 0), 2)
	b.keys("30e3")
	says(b.ran())
	b.press(numeral("30e3", 0), 2)
	b.keys("20e3")
	b.ran()
	b.press(button("Pin this state"), 1)
	b.Says(`(() => { document.querySelector(".cm-scroller").scrollTop = 1e6; })()`)
	b.press(`[...document.querySelectorAll(".cm-line")].find(e => e.textContent === "compensator: {kind: amb}")`, 1)
	b.keys(kb.End)
	b.keys(strings.Repeat(kb.Backspace, len("amb}")) + "none}")
	says(b.ran())
	b.keys(kb.Escape)
	b.mouse(moves, 900, 740, 0, 0)
	b.shot("workbench-lag")
	b.press(numeral("100", 0), 2)
	b.keys("300")
	says(b.ran())
	b.calm()
}

// An example of a lesson opens in the workbench of an empty folder and runs there.
func TestBrowserWorkbenchLessons(t *testing.T) {
	b := openBench(t, nil)
	b.Until(`document.getElementById("begin").checkVisibility()`, 20*time.Second)
	own, _, _ := strings.Cut(b.w.URL(), "#")
	for page, want := range map[string]string{"1-negative-damping": "Completed, good", "2-first-compensator": "Completed",
		"3-stability-margin": "Completed, poor", "4-two-storeys": "Completed, poor"} {
		b.Do(chromedp.Navigate(own + "docs/lessons/" + page + ".html"))
		const link = `[...document.querySelectorAll("a")].find(e => e.textContent.startsWith("Run this test"))`
		b.Until("!!"+link, 10*time.Second)
		b.Says(`(() => { ` + link + `.click(); })()`)
		b.Until(`!!window.rthsBench && /integrator|loop: open/.test(rthsBench.editor.text())`, 20*time.Second)
		if got := b.ran(); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s: want %s", page, got, want)
		}
	}
	b.calm()
}

// flights counts calls of try that are not answered yet, and keeps their texts.
const flights = `(() => {
  window.flight = { now: 0, most: 0, texts: [] };
  const own = window.fetch;
  window.fetch = async (at, how) => {
    if (at !== "call/try") return own(at, how);
    let open = true;
    const land = () => { flight.now -= open; open = false; };
    flight.texts.push(JSON.parse(how.body).text);
    flight.most = Math.max(flight.most, ++flight.now);
    how.signal.addEventListener("abort", land);
    const answer = await own(at, how);
    return new Response(answer.body.pipeThrough(new TransformStream({ flush: land })), answer);
  };
})()`

// changes are the changes of the criteria that are shown, and curve sums up the first measured curve.
const (
	changes = `[...document.querySelectorAll(".cells td")].filter(e => /^[▲▼]/.test(e.textContent)).length`
	curve   = `rthsPlots[0].plot.data[1].reduce((sum, v) => sum + Math.abs(v || 0), 0)`
)

// A drag shows the last value, with at most one run at a time, and is one step of the history.
func TestBrowserWorkbenchDrags(t *testing.T) {
	text := string(must(os.ReadFile("../../scenarios/benchmark-siso.yaml")))
	b := openBench(t, map[string]string{"benchmark.yaml": text})
	before, first, said := b.text(), b.Says(curve), b.Says(verdict)
	b.Says(flights)
	x, y := b.spot(numeral("0.4", 0))
	b.mouse(moves, x, y, 0, 0)
	b.mouse(presses, x, y, 1, 1)
	for i := range 30 {
		b.mouse(moves, x+4*float64(i+1), y, 1, 0)
	}
	b.mouse(releases, x+120, y, 0, 1)
	after := b.text()
	if got := b.ran(); after == before || got == said || b.Says(curve) == first || b.Says(changes) == "0" {
		t.Errorf("%q after a drag, changes %s: want another verdict than %q, and other curves", got, b.Says(changes), said)
	}
	if most := b.Says("flight.most"); most != "1" {
		t.Errorf("%s runs at a time: want 1", most)
	}
	if n := b.Says("flight.texts.length"); n == "1" || b.Says("flight.texts.at(-1)") != after {
		t.Errorf("%s runs, the last of %q: want some on the way, and the last of the text", n, b.Says("flight.texts.at(-1)"))
	}
	b.shot("workbench-dragged")
	b.keys("z", kb.ModifierCtrl)
	if got := b.ran(); b.text() != before || got != said {
		t.Errorf("%s: want one Ctrl-Z to take the drag back", got)
	}
	b.press(numeral("0.4", 0), 1)
	for i, key := range []string{kb.ArrowUp, kb.ArrowDown} {
		b.keys(key, kb.ModifierAlt)
		b.ran()
		b.Until(fmt.Sprintf("%v === (%s === %s)", i == 1, curve, first), 5*time.Second)
		if text := strings.Replace(b.text(), "0.40}", "0.4}", 1); (text == before) != (i == 1) {
			t.Errorf("Alt and an arrow, time %d: found %s", i+1, text)
		}
	}
	b.calm()
}

// A state that is pinned is laid over what follows, until it is forgotten.
func TestBrowserWorkbenchPins(t *testing.T) {
	b := openBench(t, map[string]string{"frame.yaml": must(frame())})
	b.press(button("Pin this state"), 1)
	b.press(numeral("100", 0), 2)
	b.keys("60")
	b.ran()
	const names = `rthsPlots.flatMap(d => d.f.curves.map(c => c.name)).join()`
	b.shot("workbench-pinned")
	b.Until(`/pinned 1/.test(`+names+`) && /now/.test(`+names+`)`, 10*time.Second)
	b.press(numeral("60", 0), 2)
	b.keys("x") // what does not run cannot be pinned: the run that is shown is
	b.Until(`/^frame.yaml:/.test(`+verdict+`)`, 10*time.Second)
	b.press(button("Pin this state"), 1)
	b.keys("z", kb.ModifierCtrl)
	b.press(`document.querySelector(".cm-content")`, 1)
	b.keys("z", kb.ModifierCtrl)
	b.Until(`/pinned 2/.test(`+names+`)`, 10*time.Second)
	b.press(button("Forget pins"), 1)
	b.Until(`!/pinned/.test(`+names+`)`, 10*time.Second)
	if b.Says(button("Forget pins")) != "undefined" {
		t.Error("pins can be forgotten twice")
	}
	b.calm()
}

// frame is the template of that name.
func frame() (string, error) {
	text, err := os.ReadFile("../../scenarios/init/frame.yaml")
	return string(text), err
}

// The program is ended and started again while a text is changed: no letter is lost.
func TestBrowserWorkbenchSurvives(t *testing.T) {
	b := openBench(t, map[string]string{"frame.yaml": must(frame())})
	own := must(url.Parse(b.w.URL()))
	b.press(numeral("1024", 0), 2)
	b.w.Close()
	b.keys("512")
	b.Until(`/^not connected, not saved/.test(document.getElementById("state").textContent)`, 10*time.Second)
	if got := b.Says(`document.getElementById("notice").textContent`); !strings.Contains(got, "start rths ui again") {
		t.Errorf("%s: want what to do", got)
	}
	b.keys("0")
	b.w = benchOf(t, b.folder, own.Host)
	b.press(button("Try again"), 1)
	b.Until(`/token/.test(document.getElementById("notice").textContent)`, 10*time.Second)
	token := must(url.Parse(b.w.URL())).Fragment
	b.Says(fmt.Sprintf(`(() => { location.hash = %q; })()`, token))
	b.ran()
	if got := b.Says(`location.hash + document.getElementById("state").textContent`); got != "not saved" {
		t.Errorf("%s: want the page to go on with the new token, which leaves the address", got)
	}
	b.press(button("Save"), 1)
	b.Until(`document.getElementById("state").textContent === "saved"`, 10*time.Second)
	if text := b.read("frame.yaml"); !strings.Contains(text, "rate_hz: 5120") {
		t.Errorf("%s: want every letter", text)
	}
	b.press(numeral("5120", 0), 2)
	b.w.Close()
	b.keys("2048")
	b.Until(`/^not connected, not saved/.test(document.getElementById("state").textContent)`, 10*time.Second)
	b.w = benchOf(t, b.folder, own.Host)
	b.Do(chromedp.Navigate(b.w.URL()))
	b.ran()
	got := b.Says(notice + " + " + state)
	if !strings.Contains(got, "had not saved") || !strings.HasSuffix(got, "not saved") ||
		!strings.Contains(b.text(), "rate_hz: 2048") {
		t.Errorf("%s: want the text that was not saved", got)
	}
	b.press(`document.querySelector(".cm-content")`, 1)
	b.keys("s", kb.ModifierCtrl)
	b.Until(`document.getElementById("state").textContent === "saved"`, 10*time.Second)
	if text := b.read("frame.yaml"); !strings.Contains(text, "rate_hz: 2048") {
		t.Errorf("%s: want every letter", text)
	}
	b.calm("Failed to load resource")
}

// A page that is left alone does nothing.
func TestBrowserWorkbenchRests(t *testing.T) {
	b := openBench(t, map[string]string{"frame.yaml": must(frame())})
	const last = `performance.getEntriesByType("resource").at(-1).responseEnd`
	b.Until(`!!window.rthsChecked && performance.now() > `+last+` + 1500`, 20*time.Second)
	b.Says(`(() => {
  window.busy = [];
  for (const name of ["setTimeout", "setInterval", "requestAnimationFrame", "requestIdleCallback", "fetch"]) {
    const own = window[name];
    window[name] = (...a) => { busy.push(name + " " + String(a[0]).slice(0, 80)); return own.apply(window, a); };
  }
})()`)
	b.Lock()
	before := len(b.Asked)
	b.Unlock()
	time.Sleep(5 * time.Second) // nothing happens in them
	b.Lock()
	defer b.Unlock()
	if got := b.Asked[before:]; len(got) > 0 {
		t.Errorf("requests: %q", got)
	}
	b.Unlock()
	defer b.Lock()
	if got := b.Says("busy.join()"); got != "" {
		t.Errorf("the page is busy: %s", got)
	}
}

// quietAt wants no error in the console and no request elsewhere.
func (b browser) quietAt(w *page.Workbench) {
	b.Helper()
	b.Lock()
	defer b.Unlock()
	if len(b.Wrong) > 0 {
		b.Errorf("console: %q", b.Wrong)
	}
	own, _, _ := strings.Cut(w.URL(), "#")
	for _, address := range b.Asked {
		if !strings.HasPrefix(address, own) && !strings.HasPrefix(address, "blob:") && !strings.HasPrefix(address, "data:") {
			b.Errorf("a request elsewhere: %s", address)
		}
	}
}
