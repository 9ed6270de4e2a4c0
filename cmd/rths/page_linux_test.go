package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"rths"
	"rths/kit/rthstest"
	"rths/result/record"
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
indicators: {energies: true, c_sw_j: 1, c_eei_j: 1}
limits:
  - {channel: command_m, trip: 0.02, warn: 0.015}
  - {channel: measured_m, trip: 0.02}
  - {channel: error_m, trip: 0.01}
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
	address string // of the page, with the token if there is one
}

// startPage starts a command with --page on loopback, and waits for the address.
func startPage(t *testing.T, args ...string) *pageRun {
	t.Helper()
	return startPageAt(t, "127.0.0.1:0", args...)
}

func startPageAt(t *testing.T, at string, args ...string) *pageRun {
	t.Helper()
	p := &pageRun{T: t, command: exec.Command("rths", append(args, "--page", at)...), ended: make(chan error, 1)}
	p.command.Stdout, p.command.Stderr, p.command.WaitDelay = &p.out, &p.errs, 100*time.Millisecond
	p.in = rthstest.Must(p.command.StdinPipe())
	p.command.Dir = t.TempDir()
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.ended <- p.command.Wait() }()
	t.Cleanup(func() { _ = p.command.Process.Kill() })
	printed := regexp.MustCompile(`https?://\S+`)
	for deadline := time.Now().Add(patience); p.address == ""; time.Sleep(10 * time.Millisecond) {
		if p.address = printed.FindString(p.errs.String()); time.Now().After(deadline) {
			t.Fatalf("no address of a page\n%s", p.errs.String())
		}
	}
	return p
}

// host is host:port of the page.
func (p *pageRun) host() string {
	return strings.Split(p.address, "/")[2]
}

// wait waits for the end of the command, and returns its exit status.
func (p *pageRun) wait() int {
	p.Helper()
	select {
	case <-p.ended:
	case <-time.After(patience):
		p.Fatalf("the command goes on\n%s", p.errs.String())
	}
	return p.command.ProcessState.ExitCode()
}

// pagedFile writes the scenario.
func pagedFile(t *testing.T, durationS string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "test.yaml")
	if err := os.WriteFile(path, []byte(strings.Replace(paged, "%DURATION%", durationS, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// A virtual run at its pace, in three sizes, light and dark: a spike of one sample is drawn, every text can be read,
// every control has a name and is reached by the keyboard, and key S stops the run.
func TestBrowserRun(t *testing.T) {
	b := newBrowser(t)
	path := pagedFile(t, "60")
	p := startPage(t, "run", path, "--pace", "1", "-o", "runs/paced", "--set",
		"limits=[{channel: error_m, trip: 0.01}, {channel: measured_m, trip: 0.02, warn: 0.015}]",
		"--set", "faults=[{kind: spike, channel: measured_m, from_s: 5, size: 0.006}]")
	b.Size(1280, 800, false)
	b.Do(chromedp.Navigate(p.address))
	b.word("RUNNING", 10*time.Second)
	b.Until("Number(document.getElementById('progress').value) > 256", 10*time.Second)
	const note = "document.querySelector('#plot-error small').innerText"
	b.Until(`/^limit ±10 mm is [0-9]+ times higher$/.test(`+note+`)`, time.Second)
	if calm := b.top("error"); !(calm > 0 && calm < 0.4) {
		t.Errorf("the highest point of the error is at %.2f of its plot: want it above the middle", calm)
	}
	b.Until("Number(document.getElementById('progress').value) > 5.5 * 256 && "+note+" === ''", 10*time.Second)
	if spike := b.top("error"); !(spike > 0.15 && spike < 0.35) {
		t.Errorf("the spike of the error is at %.2f of its plot: want 6 mm of ±10 mm", spike)
	}
	b.shot("control-room")
	b.finds()
	b.readable("1280 light")
	b.reachable()
	b.numbers()
	b.moves()
	b.Size(1920, 1080, true)
	time.Sleep(300 * time.Millisecond)
	b.shot("run-1920-dark")
	b.readable("1920 dark")
	b.Size(400, 800, false)
	time.Sleep(300 * time.Millisecond)
	b.shot("run-400")
	b.readable("400 light")
	b.curveInSight("400")
	b.inOrder()
	b.printed()
	b.held()
	b.Size(1080, 1920, false)
	b.curveInSight("1080 upright")
	closeAll := b.windows(5, p.address)
	b.Until("document.getElementById('facts').innerText.includes('6; ')", 10*time.Second)
	b.Do(chromedp.KeyEvent("s"))
	b.Until("!document.getElementById('verdict').hidden && "+
		"/^Stopped: .* misses its target by /.test(document.getElementById('outcome').innerText)", 5*time.Second)
	closeAll()
	b.Size(1280, 800, true)
	time.Sleep(300 * time.Millisecond)
	b.shot("run-1280-dark-end")
	b.readable("1280 dark, ended")
	b.Sound(p.host())
	b.Do(chromedp.Navigate("http://" + p.host() + "/report"))
	b.Until("document.body.innerText.includes('two storeys') && document.querySelectorAll('canvas').length > 2",
		10*time.Second)
	b.Do(chromedp.Navigate("about:blank"))
	if code := p.wait(); code != exitFailed {
		t.Errorf("exit status %d: want %d\n%s", code, exitFailed, p.errs.String())
	}
	if a := rthstest.Must(record.Open(filepath.Join(p.command.Dir, "runs", "paced"))); a.Status != rths.Stopped ||
		a.Rows() != a.Samples || !strings.Contains(a.Reason, "the page at 127.0.0.1 has pressed STOP") {
		t.Errorf("%s: %s, %d rows of %d ticks", a.Status, a.Reason, a.Rows(), a.Samples)
	}
}

// windows opens more windows of the same browser, which has six connections to a page.
func (b browser) windows(n int, address string) (closeAll func()) {
	b.Helper()
	var all []func()
	for range n {
		ctx, cancel := chromedp.NewContext(b.Ctx)
		all = append(all, cancel)
		if err := chromedp.Do(ctx, chromedp.Navigate(address)); err != nil {
			b.Fatal(err)
		}
	}
	return func() {
		for _, end := range all {
			end()
		}
	}
}

// curveInSight wants most of the first plot above STOP in a window that nobody has scrolled, and its curve in it.
func (b browser) curveInSight(where string) {
	b.Helper()
	b.Says("(document.body.scrollTo(0, 0), scrollTo(0, 0))")
	const script = `(() => {
  const box = e => document.querySelector(e).getBoundingClientRect();
  const plot = box("#plot-displacement canvas"), stop = box("#stop");
  return plot.top >= 0 && plot.top + 200 <= stop.top && plot.width > 0.8 * innerWidth;
})()`
	b.Until(script, 2*time.Second)
	if !(b.inked("displacement") > 0.001) {
		b.Errorf("%s: the plot is empty", where)
	}
}

// numbers wants numbers as people write them.
func (b browser) numbers() {
	b.Helper()
	const script = `[[7.5e-7, "m"], [12.34, "mm"], [4100, "N"], [6.2e-4, "s"], [1.5, "m"], [0.25, "m/s"], [1.64e-6, "s³"],
  [0, "kN"], [NaN, "mm"], [0.028734, "mm", 2.335], [2.946, "%"]].map(n => written(...n)).join("; ")`
	const want = "0.75 µm; 12.3 mm; 4.1 kN; 0.62 ms; 1.5 m; 250 mm/s; 1.64 × 10⁻⁶ s³; 0 kN; –; 0.03 mm; 2.95 %"
	if got := b.Says(script); got != want {
		b.Errorf("numbers %q: want %q", got, want)
	}
	b.Until(`/^[0-9.]+ mm of 20 mm · [0-9]+ %$/.test(document.querySelectorAll("#bars .bar p span")[3].innerText)`,
		time.Second)
}

// moves wants a picture of the specimen that moves to a scale that is stated.
func (b browser) moves() {
	b.Helper()
	const path = `document.querySelector("#frames path.measured").getAttribute("d")`
	b.Until(`/^Motion (× [0-9.]+|1 : [0-9]+):  [0-9.]+ [µm]?m. /.test(`+
		`document.getElementById("scale").textContent)`, time.Second)
	scale, before := b.Text("scale"), b.Says(path)
	b.Until(fmt.Sprintf("%s !== %q", path, before), 2*time.Second)
	if now := b.Text("scale"); now != scale {
		b.Errorf("the scale of the picture changes from %q to %q in a steady motion", scale, now)
	}
}

// inOrder wants in an upright window all curves after the state, and the numbers after them.
func (b browser) inOrder() {
	b.Helper()
	got := b.Says(`["#state", "#plot-displacement", "#plot-error", "#plot-hysteresis", "#motion", "#nearing", "#facts"]
  .map(e => document.querySelector(e).getBoundingClientRect().top).every((top, i, all) => i === 0 || top > all[i - 1])`)
	if got != "true" {
		b.Error("an upright window has not the state, then curves, then numbers")
	}
}

// printed wants a plot on paper that has never been in sight: with data of now, in light colours, as wide as the paper,
// and nothing cut.
func (b browser) printed() {
	b.Helper()
	b.Size(716, 1000, true)
	b.Says(`addEventListener("beforeprint", () => {
  const plot = document.querySelector("#plot-hysteresis canvas");
  window.printing = [plot.isConnected, plot.clientWidth, colour("back")].join();
})`)
	if _, err := chromedp.Call(b.Ctx, page.PrintToPDF, page.PrintToPDFParams{}); err != nil {
		b.Fatal(err)
	}
	if got := b.Says("printing"); got != "true,320,#fff" {
		b.Errorf("on paper a plot is %q: want it connected, 320 pixels wide, on white", got)
	}
	b.Until(`!document.documentElement.classList.contains("paper") && colour("back") !== "#fff"`, time.Second)
	paper := emulation.SetEmulatedMediaParams{Media: "print"}
	if _, err := chromedp.Call(b.Ctx, emulation.SetEmulatedMedia, paper); err != nil {
		b.Fatal(err)
	}
	b.Says(`dispatchEvent(new Event("beforeprint"))`)
	b.shot("run-paper")
	if got := b.Says(`[...document.querySelectorAll("body *")]
  .filter(e => e.checkVisibility() && !e.closest(".uplot, svg"))
  .filter(e => e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0 || e.getBoundingClientRect().right > 717)
  .map(e => e.id || e.className || e.tagName).join(" ")`); got != "" {
		b.Errorf("cut off on paper: %s", got)
	}
	b.Says(`dispatchEvent(new Event("afterprint"))`)
	b.Size(400, 800, false)
}

// held wants STOP in what is seen of the page, as large as ever, with a keyboard on the screen and zoomed by fingers.
func (b browser) held() {
	b.Helper()
	const script = `(() => {
  const r = document.getElementById("stop").getBoundingClientRect(), v = visualViewport;
  const right = v.offsetLeft + v.width, bottom = v.offsetTop + v.height;
  return [r.left - v.offsetLeft, r.top - v.offsetTop, right - r.right, bottom - r.bottom]
    .map(gap => Math.round(gap * v.scale)).join();
})()`
	before := b.Says(script)
	b.Says(`document.getElementById("alarm").textContent = "STOP WAS NOT TAKEN"`)
	b.uncovered("stop")
	b.Do(chromedp.EmulateViewport(400, 800, chromedp.EmulateMobile, chromedp.EmulateTouch))
	zoom := emulation.SetPageScaleFactorParams{PageScaleFactor: 2}
	if _, err := chromedp.Call(b.Ctx, emulation.SetPageScaleFactor, zoom); err != nil {
		b.Fatal(err)
	}
	b.Until("visualViewport.scale === 2", time.Second)
	b.Until(fmt.Sprintf("%s === %q", script, before), time.Second)
	b.uncovered("stop")
	b.shot("run-400-zoomed")
	zoom.PageScaleFactor = 1
	if _, err := chromedp.Call(b.Ctx, emulation.SetPageScaleFactor, zoom); err != nil {
		b.Fatal(err)
	}
	b.Says(`(Object.defineProperty(visualViewport, "height", { value: 420, configurable: true }),
  visualViewport.dispatchEvent(new Event("resize")))`)
	b.Until(`Math.round(document.getElementById("stop").getBoundingClientRect().bottom) === 410`, time.Second)
	b.uncovered("stop")
	b.uncovered("alarm")
	b.Says(`(document.getElementById("alarm").textContent = "", delete visualViewport.height,
  visualViewport.dispatchEvent(new Event("resize")))`)
	b.Size(400, 800, false)
}

// uncovered wants an element in the window with nothing over its corners and its middle.
func (b browser) uncovered(name string) {
	b.Helper()
	const script = `(() => { const e = document.getElementById(%q), r = e.getBoundingClientRect();
  return [[0.05, 0.1], [0.95, 0.1], [0.5, 0.5], [0.05, 0.9], [0.95, 0.9]]
    .map(([x, y]) => document.elementFromPoint(r.left + x * r.width, r.top + y * r.height))
    .filter(at => !e.contains(at)).map(at => at ? at.id || at.tagName : "outside").join(" ");
})()`
	if over := b.Says(fmt.Sprintf(script, name)); over != "" {
		b.Errorf("over %s there is %s: want nothing", name, over)
	}
}

// top is how high the curve of a plot goes: the place of its highest pixel, from 0 (top) to 1.
// Labels on the left do not count.
func (b browser) top(panel string) (share float64) {
	b.Helper()
	text := b.Says(`(() => {
  const c = document.querySelector("#plot-` + panel + ` canvas"), left = Math.round(0.12 * c.width);
  const of = c.getContext("2d").getImageData(left, 0, c.width - left, c.height).data;
  for (let i = 0; i < of.length; i += 4) {
    const dark = of[i + 3] > 200 && of[i] < 60 && of[i + 1] < 60 && of[i + 2] < 60;
    if (dark) return Math.floor(i / 4 / (c.width - left)) / c.height;
  }
  return -1;
})()`)
	if _, err := fmt.Sscan(text, &share); err != nil {
		b.Fatalf("%q: %v", text, err)
	}
	return share
}

// readable wants a contrast of 4.5 between every text and its background, 3 for large text (WCAG 2.2, 1.4.3), text of
// 14 pixels at least, no text that is cut off, the state on 8 % of the window's height, and nothing wider than the
// window.
func (b browser) readable(where string) {
	b.Helper()
	for _, line := range b.flaws() {
		b.Errorf("%s: %s", where, line)
	}
}

// flaws are what readable does not want.
func (b browser) flaws() []string {
	b.Helper()
	return append(b.badTexts(14, 40), strings.FieldsFunc(b.Says(`(() => {
  const wrong = [];
  const word = document.getElementById("word").getBoundingClientRect();
  if (word.height < 0.08 * innerHeight) wrong.push("the state is too small");
  const wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) wrong.push("wider than the window: " + wide);
  return wrong.join("\n");
})()`), func(r rune) bool { return r == '\n' })...)
}

// finds wants the checks of this test to find a text without contrast, a small one, one that is
// cut off, and an element that is too wide.
func (b browser) finds() {
	b.Helper()
	b.Says(`(() => {
  const p = document.createElement("p");
  p.id = "flaw";
  p.append("words that nobody can read");
  document.getElementById("plots").append(p);
  Object.assign(p.style, { color: "#999", background: "#aaa", fontSize: "9px", width: "40px" });
  Object.assign(p.style, { overflow: "hidden", whiteSpace: "nowrap" });
})()`)
	got := strings.Join(b.flaws(), "; ")
	for _, want := range []string{"contrast 1.", "9 px: words", "cut off: words"} {
		if !strings.Contains(got, want) {
			b.Errorf("a bad text: found %q: want %q too", got, want)
		}
	}
	b.Says(`document.getElementById("flaw").remove()`)
}

// reachable wants a name for every control, and the key Tab to go through all of them as they stand, from STOP on.
func (b browser) reachable() {
	b.Helper()
	const list = `[...document.querySelectorAll("button, input, select, a[href], [tabindex='0']")]
  .filter(e => e.checkVisibility() && !(e.type === "radio" && !e.checked))`
	const labels = `[...(e.labels || [])].map(l => l.innerText).join("")`
	if nameless := b.Says(list + `.filter(e => !(e.innerText || e.getAttribute("aria-label") || ` + labels + `).trim())
  .map(e => e.outerHTML).join(", ")`); nameless != "" {
		b.Errorf("controls without a name: %s", nameless)
	}
	want := b.Says(list + `.map(e => e.id || e.name || e.tagName).join(" ")`)
	b.Says("document.activeElement.blur()")
	var got []string
	for range strings.Fields(want) {
		b.Do(chromedp.KeyEvent("\t"))
		got = append(got,
			b.Says(`document.activeElement.id || document.activeElement.name || document.activeElement.tagName`))
	}
	if strings.Join(got, " ") != want || got[0] != "stop" {
		b.Errorf("the key Tab goes through %q: want %q, from stop on", strings.Join(got, " "), want)
	}
}

// pagedTest is a test with a page, its rig, and a browser before it. duration in s; sets are of the rig alone.
func pagedTest(t *testing.T, durationS string, rigSets ...string) (browser, *drill, *pageRun) {
	t.Helper()
	return pagedTestOf(t, durationS, nil, rigSets...)
}

func pagedTestOf(t *testing.T, durationS string, flags []string, rigSets ...string) (browser, *drill, *pageRun) {
	t.Helper()
	b := newBrowser(t)
	d := newDrill(t, strings.Replace(paged, "%DURATION%", durationS, 1)+
		"rig: {kind: udp, clock: rig, watchdog_ms: 1500, supervisor_silent_s: 3, late: {hold_after: 200, ramp_after: 300}, "+
		"start: {move_m: 0.0005, settle_s: 0.3}}\n", rigSets...)
	p := startPage(t, append([]string{"test", d.path, "--soft", "-o", d.run, "--ring", d.ring, "--rig",
		"udp://" + d.address}, flags...)...)
	return b, d, p
}

// answer answers the question that is open, with its confirmation.
func (b browser) answer(step string) {
	b.Helper()
	b.Until(fmt.Sprintf("!document.getElementById('question').hidden && document.getElementById('ask').innerText === %q",
		step+" …"), 20*time.Second)
	b.Click("#ask")
	b.Until("!document.getElementById('confirm').hidden", time.Second)
	if text := b.Text("confirm"); !strings.Contains(text, "two storeys") || !strings.Contains(text, "mass 10 kg") ||
		!strings.Contains(text, "error at most 10 mm, then ramp") ||
		!strings.Contains(text, "a value that is not finite: hold") {
		b.Errorf("the confirmation of %s says %q: want test, specimen and limits", step, text)
	}
	b.uncovered("stop")
	// twice: the second one answers nothing
	b.Says("document.getElementById('yes').click(), document.getElementById('yes').click()")
	b.Until("document.getElementById('arming').contains(document.activeElement)", time.Second)
}

// A test is armed and started in the browser; the page is reloaded, loses its supervisor for a
// while, and stops the test.
func TestBrowserTest(t *testing.T) {
	b, d, p := pagedTest(t, "60")
	b.Size(1280, 800, false)
	b.Do(chromedp.Navigate(p.address))
	hung := rthstest.Must(net.Dial("tcp", p.host())) // a viewer that reads nothing
	defer hung.Close()
	_ = hung.(*net.TCPConn).SetReadBuffer(4096)
	fmt.Fprintf(hung, "GET /events HTTP/1.1\r\nHost: %s\r\n\r\n", p.host())
	b.word("DISARMED", 20*time.Second)
	b.Until("location.hash === '' && document.cookie === ''", 5*time.Second)
	b.Until("document.getElementById('checks').children.length > 10", 20*time.Second)
	b.confirms()
	b.answer("ARM")
	b.word("ARMED", 10*time.Second)
	b.answer("START")
	b.word("RUNNING", 20*time.Second)
	b.Until("!document.getElementById('cycles').hidden && Number(document.getElementById('progress').value) > 300",
		20*time.Second)
	b.Until("document.getElementById('facts').innerText.match(/([0-9]+) frames dropped/)[1] > 0", 20*time.Second)
	if got := b.Says(`["span", "u", "i"].every(e => document.querySelectorAll("#histogram " + e).length > 1) &&
  /^time of a tick, [µm]s$/.test(document.getElementById("cycle-axis").innerText)`); got != "true" {
		t.Error("the histogram has no axes with ticks and units")
	}
	b.Says("document.getElementById('cycles').scrollIntoView({block: 'center'})")
	b.readable("with the histogram")
	b.shot("test-running")
	b.Do(chromedp.Reload())
	b.word("RUNNING", 10*time.Second)
	b.Until("document.getElementById('log').innerText.includes('START: answered by the page')", 5*time.Second)
	if text := b.Text("refusal"); text != "" {
		t.Errorf("the page complains: %s", text)
	}

	b.loses(d, p)
	b.Click("#stop")
	b.word("RAMPING", 5*time.Second)
	b.Until("document.getElementById('outcome').innerText.startsWith('Stopped: ')", 20*time.Second)
	b.Until("document.getElementById('next').innerText.startsWith('Next: at END')", time.Second)
	b.Until("!document.getElementById('question').hidden", 5*time.Second)
	b.Click("#stop") // the rig is held: STOP does not let it go
	time.Sleep(300 * time.Millisecond)
	b.answerEnd()
	b.Until("document.getElementById('next').innerText === 'Next: nothing: the test has ended'", 20*time.Second)
	b.shot("test-stopped")
	b.Sound(p.host())
	b.Do(chromedp.Navigate("about:blank"))
	hung.Close()
	if code := p.wait(); code != exitFailed {
		t.Errorf("exit status %d: want %d\n%s", code, exitFailed, p.errs.String())
	}
	out := d.sound(t.Context(), rths.Stopped, "the operator stopped the test")
	for _, want := range []string{"ARM", "START", "stop", "end"} {
		if !slices.ContainsFunc(out.Test.Steps, func(s record.Step) bool { return s.Name == want }) {
			t.Errorf("no step %s in the manifest: %v", want, out.Test.Steps)
		}
	}
	if !strings.Contains(fmt.Sprint(out.Test.Steps), "viewer 1 at 127.0.0.1 has pressed STOP") {
		t.Errorf("the manifest does not say who has pressed STOP: %v", out.Test.Steps)
	}
}

// confirms opens the first question in three sizes, and leaves it by Escape: nothing is over STOP.
func (b browser) confirms() {
	b.Helper()
	b.Until("!document.getElementById('question').hidden", 20*time.Second)
	b.Click("#ask")
	b.uncovered("stop")
	b.shot("control-room-arm")
	b.Do(chromedp.KeyEvent(kb.Escape))
	if at := b.Says("document.getElementById('confirm').hidden && document.activeElement.id"); at != "ask" {
		b.Errorf("behind Escape the keyboard is at %q: want ask, and no confirmation", at)
	}
	b.Size(400, 800, false)
	b.Click("#ask")
	b.shot("test-400-arm")
	b.uncovered("yes")
	b.uncovered("stop")
	b.Size(320, 256, false) // 1280 × 1024, zoomed to 400 %
	b.uncovered("stop")
	b.Do(chromedp.KeyEvent(kb.Escape))
	b.Size(1280, 800, false)
}

// loses takes the supervisor away for a while: the page says once, and soon, that it is not connected.
func (b browser) loses(d *drill, p *pageRun) {
	b.Helper()
	b.Says(`(() => {
  window.told = 0;
  new MutationObserver(list => told += list.length)
    .observe(document.querySelector("#lost [role=alert]"), { childList: true, characterData: true, subtree: true });
})()`)
	supervisor := p.command.Process
	d.signal(supervisor.Pid, syscall.SIGSTOP)
	if took := b.Until(
		"!document.getElementById('lost').hidden && document.getElementById('lost-word').innerText === 'NOT CONNECTED'",
		5*time.Second); took > time.Second {
		b.Errorf("the page says after %v that it is not connected: want 1 s", took)
	}
	b.shot("control-room-lost")
	b.uncovered("stop")
	time.Sleep(300 * time.Millisecond)
	if n := b.Says("told <= 2"); n != "true" {
		b.Errorf("a screen reader is told %s times that the page is not connected: want once", b.Says("told"))
	}
	d.signal(supervisor.Pid, syscall.SIGCONT)
	b.Until("document.getElementById('lost').hidden", 5*time.Second)
	b.word("RUNNING", 2*time.Second)
}

// answerEnd ends the session from the page: it wants no specimen and no limits.
func (b browser) answerEnd() {
	b.Helper()
	b.Until("document.getElementById('ask').innerText === 'END …' && !document.getElementById('question').hidden",
		30*time.Second)
	b.Click("#ask")
	b.Click("#yes")
}

// A sensor with a spike trips the test: word, first cause, bars and plots say so.
func TestBrowserTrip(t *testing.T) {
	b, d, p := pagedTest(t, "20", "faults=[{kind: spike, channel: measured_m, from_s: 4, duration_s: 0.02, size: 0.012}]")
	b.Size(1280, 800, true)
	b.Do(chromedp.Navigate(p.address))
	b.Says(`(() => {
  const word = document.getElementById("word"), real = AudioContext;
  window.words = [];
  new MutationObserver(() => words.push(word.textContent)).observe(word, { childList: true });
  window.tones = 0;
  window.AudioContext = class extends real { createOscillator() { tones++; return super.createOscillator(); } };
})()`)
	b.Click("#tone") // sounds once, so that one knows it
	b.answer("ARM")
	b.answer("START")
	b.Until("document.getElementById('word').innerText === 'RUNNING' && tones === 1", 20*time.Second)
	b.Until("['RAMPING', 'TRIPPED'].includes(document.getElementById('word').innerText)", 40*time.Second)
	b.Until("document.getElementById('why').innerText.startsWith('First cause: error is 1')", 2*time.Second)
	b.Until("document.querySelector('.crossed') !== null && "+
		"document.querySelector('.crossed').innerText.includes('CROSSED')", 2*time.Second)
	b.Until("tones === 2", time.Second)
	b.shot("test-tripped")
	b.word("TRIPPED", 20*time.Second)
	b.Until("document.getElementById('outcome').innerText.startsWith('Tripped by a limit: ')", 5*time.Second)
	if words := strings.TrimPrefix(b.Says("words.join(' ')"), "DISARMED "); words != "ARMED RUNNING RAMPING TRIPPED" &&
		words != "ARMED RUNNING RAMPING HOLDING TRIPPED" {
		t.Errorf("the states were %q: want ARMED, RUNNING while the rig moves, RAMPING, perhaps HOLDING, TRIPPED", words)
	}
	if log := b.Text("log"); !strings.Contains(log, "first cause: error is 1") || !strings.Contains(log, "RAMPING") {
		t.Errorf("the log is %q: want the state and the first cause", log)
	}
	b.answerEnd()
	b.Do(chromedp.Navigate("about:blank"))
	if code := p.wait(); code != exitFailed {
		t.Errorf("exit status %d: want %d\n%s", code, exitFailed, p.errs.String())
	}
	d.sound(t.Context(), rths.Tripped, "guard: error_m")
}

// Two actuators, with what the loop computes beside: a plot for everything, of the actuator that is chosen, of the last
// seconds or of the whole run.
func TestBrowserTwoActuators(t *testing.T) {
	b := newBrowser(t)
	path := rthstest.Must(filepath.Abs("../../scenarios/benchmark-multiaxial.yaml"))
	p := startPage(t, "run", path, "--pace", "1", "--set",
		"ground={kind: sine, frequency_hz: 1, amplitude_m_s2: 1, duration_s: 60}",
		"--set", "compensator={kind: cats}", "--set", "indicators={energies: true, c_sw_j: 1, c_eei_j: 1}", "--set",
		"limits=[{channel: measured_m, trip: 0.5}, {channel: command_m, trip: 0.5}, {channel: force_N, trip: 1e6}, "+
			"{channel: error_2_m, trip: 0.05}, {channel: sw_pct, trip: 1e6, action: indicate}]", "-o", "runs/two")
	b.Size(1280, 800, false)
	b.Do(chromedp.Navigate(p.address))
	b.word("RUNNING", 20*time.Second)
	b.Until("Number(document.getElementById('progress').value) > 11 * 1024", 30*time.Second)
	for _, panel := range []string{"displacement", "error", "sync", "hysteresis", "delay", "amplitude", "indicators",
		"energies", "parameter-a0_1"} {
		b.Says("document.getElementById('plot-" + panel + "').scrollIntoView()")
		time.Sleep(200 * time.Millisecond)
		if share := b.inked(panel); share < 0.001 {
			t.Errorf("the plot %s is empty: %.5f of it is drawn", panel, share)
		}
	}
	before := b.Says("document.querySelector('#plot-displacement canvas').toDataURL()")
	b.Do(chromedp.SetValue("#axis", "1"))
	b.Says("document.getElementById('axis').dispatchEvent(new Event('change'))")
	if after := b.Says("document.querySelector('#plot-displacement canvas').toDataURL()"); after == before {
		t.Error("both actuators have the same picture")
	}
	b.Until("document.getElementById('plot-error').innerText.includes('limit ±50 mm is')", time.Second) // of actuator 2
	for _, colours := range []emulation.SetEmulatedVisionDeficiencyType{"achromatopsia", "none"} {
		if _, err := chromedp.Call(b.Ctx, emulation.SetEmulatedVisionDeficiency,
			emulation.SetEmulatedVisionDeficiencyParams{Type: colours}); err != nil {
			t.Fatal(err)
		}
		b.shot("run-two-" + string(colours))
	}
	b.toldApart("light")
	b.Click("input[value=whole]")
	b.Click("#tone")
	time.Sleep(300 * time.Millisecond)
	b.shot("run-two-actuators")
	b.Size(1080, 1920, false) // a monitor that stands upright
	time.Sleep(300 * time.Millisecond)
	b.shot("run-two-upright")
	b.Size(1280, 800, true)
	time.Sleep(300 * time.Millisecond)
	b.toldApart("dark")
	forced := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "forced-colors",
		Value: "active"}}}
	if _, err := chromedp.Call(b.Ctx, emulation.SetEmulatedMedia, forced); err != nil {
		t.Fatal(err)
	}
	b.shot("run-two-forced-colours")
	const back = `e => getComputedStyle(document.querySelector(e)).backgroundColor`
	if same := b.Says(`[".track i", ".track b"].filter(e => (` + back + `)(e) === (` + back +
		`)(".track")).join(" ")`); same != "" {
		t.Errorf("with the colours of the system bars are empty: %s", same)
	}
	b.readable("two actuators")
	b.Sound(p.host())
	b.Do(chromedp.Focus("#axis"), chromedp.KeyEvent("s")) // the key stops from everywhere
	b.Until("document.getElementById('next').innerText === 'Next: nothing: the test has ended'", 10*time.Second)
	b.Do(chromedp.Navigate("about:blank"))
	if code := p.wait(); code != exitFailed {
		t.Errorf("exit status %d: want %d\n%s", code, exitFailed, p.errs.String())
	}
}

// toldApart wants two curves of a plot to differ in their dashes, or in their brightness by a factor of 3:
// then nobody needs to see colours.
func (b browser) toldApart(where string) {
	b.Helper()
	same := b.Says(`(() => {` + luminance + `
  const wrong = [], rgb = text => text.match(/[0-9a-f]{2}/g).map(v => parseInt(v, 16));
  let plots = 0;
  for (const legend of document.querySelectorAll(".legend")) {
    plots++;
    const lines = [...legend.querySelectorAll("line")].map(l => ({
      dashes: l.getAttribute("stroke-dasharray"), name: l.closest("span").textContent,
      light: light(rgb(l.getAttribute("stroke").replace(/^#(.)(.)(.)$/, "#$1$1$2$2$3$3"))),
    }));
    lines.forEach((a, i) => lines.slice(i + 1).forEach(b => {
      if (a.dashes === b.dashes && contrast(a.light, b.light) < 3) wrong.push(a.name + " and" + b.name);
    }));
  }
  return plots < 3 ? "only " + plots + " legends" : wrong.join("; ");
})()`)
	if same != "" {
		b.Errorf("%s: curves that look the same without colours: %s", where, same)
	}
}

// inked is how much of the plot is drawn, beside background and grid.
func (b browser) inked(panel string) (share float64) {
	b.Helper()
	text := b.Says(`(() => {
  const c = document.querySelector("#plot-` + panel + ` canvas"), left = Math.round(0.12 * c.width);
  const of = c.getContext("2d").getImageData(left, 0, c.width - left, Math.round(0.8 * c.height)).data;
  let n = 0;
  for (let i = 0; i < of.length; i += 4) if (of[i + 3] > 200 && Math.min(of[i], of[i + 1], of[i + 2]) < 120) n++;
  return n / (of.length / 4);
})()`)
	if _, err := fmt.Sscan(text, &share); err != nil {
		b.Fatalf("%q: %v", text, err)
	}
	return share
}

// Off loopback the page wants a token, which is typed. Another site stops no run, and another name shows no page.
func TestBrowserElsewhere(t *testing.T) {
	b := newBrowser(t, chromedp.Flag("ignore-certificate-errors", true),
		chromedp.Flag("host-resolver-rules", "MAP evil.test 127.0.0.1"))
	p := startPageAt(t, "0.0.0.0:0", "run", pagedFile(t, "60"), "--pace", "1", "-o", "runs/elsewhere")
	_, port, _ := strings.Cut(p.host(), ":")
	token := p.address[strings.Index(p.address, "#")+1:]
	if !strings.HasPrefix(p.address, "https://") || len(token) != 32 ||
		!strings.Contains(p.errs.String(), "SHA-256 fingerprint") {
		t.Fatalf("want an address with TLS and a token, and a fingerprint:\n%s", p.errs.String())
	}
	b.Size(400, 800, false)
	b.Do(chromedp.Navigate("https://localhost:" + port + "/"))
	b.Until("document.getElementById('right').innerText === 'This page wants a token.'", 5*time.Second)
	if word := b.Text("word"); word != "…" {
		t.Errorf("without a token the page says %q", word)
	}
	b.uncovered("stop")
	b.Do(chromedp.SendKeys("#token", "0123"), chromedp.KeyEvent("\r"))
	b.Until("document.getElementById('refusal').innerText === 'want the token that the program has printed'",
		5*time.Second)
	b.Do(chromedp.SendKeys("#token", token), chromedp.KeyEvent("\r"))
	b.word("RUNNING", 10*time.Second)
	b.Until("document.getElementById('arming').hidden && document.cookie === ''", time.Second)

	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w,
			`<script>fetch("https://localhost:%[1]s/stop", {method: "POST", mode: "no-cors", credentials: "include"})
  .then(() => fetch("https://localhost:%[1]s/events", {credentials: "include"}))
  .then(() => document.title = "in", () => document.title = "refused")</script>`, port)
	}))
	defer evil.Close()
	b.Do(chromedp.Navigate(strings.Replace(evil.URL, "127.0.0.1", "evil.test", 1)))
	b.Until("document.title === 'refused'", 10*time.Second)
	b.Do(chromedp.Navigate("https://evil.test:" + port + "/"))
	b.Until("document.body.innerText.includes('not known under that host')", 5*time.Second)
	b.Do(chromedp.Navigate("https://localhost:" + port + "/"))
	b.word("RUNNING", 10*time.Second)
	b.Do(chromedp.KeyEvent("s"))
	b.Until("document.getElementById('next').innerText === 'Next: nothing: the test has ended'", 10*time.Second)
	b.Do(chromedp.Navigate("about:blank"))
	if code := p.wait(); code != exitFailed {
		t.Errorf("exit status %d: want %d\n%s", code, exitFailed, p.errs.String())
	}
}

// A ladder of two steps: the terminal arms and starts the first one, the page says GO and takes the second one.
func TestBrowserLadder(t *testing.T) {
	b, _, p := pagedTestOf(t, "1.5", []string{"--ladder", "50,100"})
	b.Size(1280, 800, false)
	address, token, _ := strings.Cut(p.address, "#")
	b.Do(chromedp.Navigate(address))
	b.Until("document.getElementById('right').innerText.startsWith('You look on. Arming wants the token.')",
		20*time.Second)
	b.Says("location.hash = '#" + token + "'") // the address is pasted into the open window
	b.Until("document.getElementById('right').innerText === 'You have the arming right.' && location.hash === ''",
		5*time.Second)
	asks := func(step string) string {
		return fmt.Sprintf(
			"!document.getElementById('question').hidden && document.getElementById('ask').innerText === '%s …'", step)
	}
	for _, step := range []string{"ARM", "START", "END"} {
		b.Until(asks(step), 30*time.Second)
		answer := step
		if step == "END" {
			answer = ""
			b.Until("document.getElementById('outcome').innerText.startsWith('Completed')", 5*time.Second)
		}
		fmt.Fprintln(p.in, answer)
	}
	b.Until(asks("GO"), 20*time.Second)
	b.Until("document.getElementById('asked').innerText.includes('differs from the rehearsal')", time.Second)
	b.Until("document.getElementById('next').innerText.includes('GO')", time.Second)
	b.Click("#ask")
	b.uncovered("stop")
	b.Click("#yes")
	b.Until("document.getElementById('verdict').hidden", 20*time.Second)
	b.answer("ARM")
	b.answer("START")
	b.answerEnd()
	b.Until("document.getElementById('next').innerText === 'Next: nothing: the test has ended'", 20*time.Second)
	b.Sound(p.host())
	b.Do(chromedp.Navigate("about:blank"))
	if code := p.wait(); code != 0 {
		t.Errorf("exit status %d\n%s", code, p.errs.String())
	}
	if out := p.out.String(); strings.Count(out, "completed") != 2 {
		t.Errorf("printed\n%s\nwant two steps, completed", out)
	}
}

// A run that cannot begin says why, on the page and at the terminal, while somebody looks on.
func TestPageOfWhatDoesNotBegin(t *testing.T) {
	t.Parallel()
	path, used := pagedFile(t, "1"), t.TempDir()
	if err := os.WriteFile(filepath.Join(used, "manifest.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	p := startPage(t, "run", path, "--pace", "1", "-o", used)
	r := rthstest.Must(http.Get(p.address + "events"))
	defer r.Body.Close()
	found := false
	for in := bufio.NewReader(r.Body); !found; {
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatalf("the page ends before it has said why: %v", err)
		}
		found = strings.Contains(line, `"status":"not begun"`) && strings.Contains(line, "want a new or empty folder")
	}
	for deadline := time.Now().Add(patience); !strings.Contains(p.errs.String(),
		"want a new or empty folder"); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the terminal says\n%s", p.errs.String())
		}
	}
	r.Body.Close()
	if code := p.wait(); code != exitWrong {
		t.Errorf("exit status %d: want %d\n%s", code, exitWrong, p.errs.String())
	}
}
