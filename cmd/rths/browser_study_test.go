package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// browsedStudy is the study of three methods on some specimens that the browser opens.
const browsedStudy = `name: three methods
scenario: %s
set: [ground.duration_s=6]
seed: 1
sampling: latin
points: 12
variables:
  compensator.kind: [amb, kf, none]
  specimen.stiffness: {kind: uniform, from: 1.0e5, to: 3.6e6}
  ground.pga_g: {kind: uniform, from: 0.02, to: 0.2}
`

// studyRow is a run as rows.csv has it.
type studyRow map[string]string

func (r studyRow) number(name string) float64 {
	v, err := strconv.ParseFloat(r[name], 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// told is a number as the page tells it.
func (r studyRow) told(name string) string {
	if v := r.number(name); !math.IsNaN(v) {
		return fmt.Sprintf("%.4g", v)
	}
	return "–"
}

// studyInBrowser opens the page of a study, with a report of run 1 beside it, and gives its rows.
func studyInBrowser(t *testing.T) (b browser, rows []studyRow) {
	t.Helper()
	b = newBrowser(t)
	dir := filepath.Join(t.TempDir(), "study")
	file := filepath.Join(filepath.Dir(dir), "study.yaml")
	text := fmt.Sprintf(browsedStudy, must(filepath.Abs("../../scenarios/demo.yaml")))
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := called("study", file, "--out", dir); code != 0 {
		t.Fatal(errs)
	}
	if err := os.Mkdir(filepath.Join(dir, "run-1"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "run-1", "report.html"), []byte("<title>run 1</title>"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := called("study", file, "--out", dir, "--resume"); code != 0 { // finds the report of run 1
		t.Fatal(errs)
	}
	read := csv.NewReader(strings.NewReader(string(must(os.ReadFile(filepath.Join(dir, "rows.csv"))))))
	lines := must(read.ReadAll())
	for _, line := range lines[1:] {
		row := studyRow{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	b.Size(1400, 1000, false)
	b.Do(chromedp.Navigate("file://" + dir + "/report.html"))
	b.Until("!!window.rthsStudy && !!document.querySelector('.runs tbody tr')", 20*time.Second)
	return b, rows
}

// over moves the mouse over a picture from one place to another, pressed or not: places go from 0 to 1 within its axes.
func (b browser) over(picture string, press bool, shares ...[2]float64) {
	b.Helper()
	var at [][2]float64
	text := b.Says(fmt.Sprintf(`(() => { const p = rthsStudy[0].pictures.find(p => p.key === %q);
  p.above.scrollIntoView({ block: "center", behavior: "instant" });
  const r = p.above.getBoundingClientRect(), wide = p.wide || p.gap * (rthsStudy[0].d.axes.length - 1);
  return JSON.stringify(%s.map(([x, y]) => [r.left + (p.left + x * wide) * r.width / p.w,
    r.top + (p.foot - y * p.high) * r.height / p.h])); })()`, picture, must(json.Marshal(shares))))
	if err := json.Unmarshal([]byte(text), &at); err != nil {
		b.Fatal(err)
	}
	send := func(kind input.DispatchMouseEventType, i int, down int64) {
		p := input.DispatchMouseEventParams{Type: kind, X: at[i][0], Y: at[i][1], Buttons: down}
		if kind != input.DispatchMouseEventTypeMouseMoved {
			p.Button, p.ClickCount = input.MouseButtonLeft, 1
		}
		if _, err := chromedp.Call(b.Ctx, input.DispatchMouseEvent, p); err != nil {
			b.Fatal(err)
		}
	}
	send(input.DispatchMouseEventTypeMouseMoved, 0, 0)
	if !press {
		return
	}
	send(input.DispatchMouseEventTypeMousePressed, 0, 1)
	for i := range at[1:] {
		send(input.DispatchMouseEventTypeMouseMoved, i+1, 1)
	}
	send(input.DispatchMouseEventTypeMouseReleased, len(at)-1, 0)
}

// wantMarked waits until count, table and pictures mark the runs that are in, and no others.
func (b browser) wantMarked(rows []studyRow, in func(studyRow) bool) (marked []string) {
	b.Helper()
	for _, row := range rows {
		if in(row) {
			marked = append(marked, row["run"])
		}
	}
	count := fmt.Sprintf("%d of %d runs marked", len(marked), len(rows))
	b.Until(fmt.Sprintf("document.querySelector('[role=status]').textContent === %q", count), 5*time.Second)
	list := strings.Join(marked, " ")
	const runs = "[...document.querySelectorAll('.runs tbody tr')].map(r => r.cells[0].textContent).join(' ')"
	b.Until(fmt.Sprintf("%s === %q", runs, list), 5*time.Second)
	if got := b.Says("[...rthsStudy[0].marked].map((m, i) => m ? i + 1 : 0).filter(i => i).join(' ')"); got != list {
		b.Errorf("pictures mark %s: want %s", got, list)
	}
	return marked
}

// countPixels counts those of a picture that have a colour.
const countPixels = `window.pixels = (picture, colour) => {
  const c = rthsStudy[0].pictures.find(p => p.key === picture).below;
  const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
  const [R, G, B] = [1, 3, 5].map(k => parseInt(colour.slice(k, k + 2), 16));
  let n = 0;
  for (let k = 0; k < d.length; k += 4) n += Math.hypot(d[k] - R, d[k + 1] - G, d[k + 2] - B) < 20 && d[k + 3] > 120;
  return n;
}`

// coloured is the number of pixels of a picture that have a colour.
func (b browser) coloured(picture, colour string) int {
	b.Helper()
	b.Says(countPixels)
	return must(strconv.Atoi(b.Says(fmt.Sprintf("pixels(%q, %q)", picture, colour))))
}

func (b browser) key(name string) {
	b.Helper()
	for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeKeyDown, input.DispatchKeyEventTypeKeyUp} {
		p := input.DispatchKeyEventParams{Type: kind, Key: name, Code: name}
		if name == "Tab" {
			p.WindowsVirtualKeyCode = 9
		}
		if _, err := chromedp.Call(b.Ctx, input.DispatchKeyEvent, p); err != nil {
			b.Fatal(err)
		}
	}
}

// axisOf are the ends of the axis of a column, as values; of a logarithmic one, logarithms.
func (b browser) axisOf(name string) (low, high float64, log bool, at int) {
	b.Helper()
	text := b.Says(fmt.Sprintf(`(() => { const k = rthsStudy[0].columns.findIndex(c => c.name === %q);
  const c = rthsStudy[0].columns[k], unit = c.log ? 1 : 10 ** c.power;
  return [c.range[0] * unit, c.range[1] * unit, c.log, k].join(" "); })()`, name))
	if _, err := fmt.Sscan(text, &low, &high, &log, &at); err != nil {
		b.Fatal(name, ": ", text, err)
	}
	return low, high, log, at
}

// between reports whether a value lies between two shares of an axis.
func (b browser) between(name string, from, to float64) func(v float64) bool {
	b.Helper()
	low, high, log, _ := b.axisOf(name)
	return func(v float64) bool {
		if log {
			v = math.Log10(v)
		}
		share := (v - low) / (high - low)
		return share >= from && share <= to
	}
}

// upright is the place of an upright axis, from 0 to 1.
func (b browser) upright(name string) float64 {
	b.Helper()
	return must(strconv.ParseFloat(b.Says(fmt.Sprintf(`(() => { const s = rthsStudy[0];
  return s.d.axes.findIndex(k => s.columns[k].name === %q) / (s.d.axes.length - 1); })()`, name)), 64))
}

// none waits until nothing is marked.
func (b browser) none() {
	b.Helper()
	b.Until("document.querySelector('[role=status]').textContent.endsWith('runs, none marked')", 5*time.Second)
}

// A brush over points marks exactly their runs in the table and in the other pictures. Brushes of several pictures hold
// together; Escape, a double click and a click on nothing clear them.
func TestBrowserStudyBrushes(t *testing.T) {
	b, rows := studyInBrowser(t)
	_, _, _, column := b.axisOf("specimen.stiffness, N/m")
	scatter := fmt.Sprintf("scatter %d", column)
	lost := slices.ContainsFunc(rows, func(r studyRow) bool { return r["status"] != "completed" })
	top := 1.0 // the share of the plot at which the axis ends, below the strip of what failed
	if lost {
		top = 1.09
	}
	stiff, error := b.between("specimen.stiffness, N/m", 0.1, 0.6), b.between("J2_true, %", 0.05, 0.7)
	inPoints := func(r studyRow) bool {
		return r["status"] == "completed" && stiff(r.number("specimen.stiffness")) && error(r.number("J2_true_pct"))
	}
	whole := b.coloured("axis", "#0072B2")
	b.over(scatter, true, [2]float64{0.1, 0.05 / top}, [2]float64{0.3, 0.3}, [2]float64{0.6, 0.7 / top})
	if n := len(b.wantMarked(rows, inPoints)); n == 0 || n == len(rows) {
		t.Fatalf("%d of %d runs marked: want some", n, len(rows))
	}
	if some := b.coloured("axis", "#0072B2"); !(some > 0 && some < whole) {
		t.Errorf("%d pixels of marked lines of %d: want fewer", some, whole)
	}
	across := b.upright("ground.pga, g")
	loud := b.between("ground.pga, g", 0.3*top, 0.95*top)
	b.over("axis", true, [2]float64{across, 0.3}, [2]float64{across, 0.5}, [2]float64{across, 0.95})
	both := func(r studyRow) bool { return inPoints(r) && loud(r.number("ground.pga_g")) }
	b.wantMarked(rows, both)
	b.key("Escape")
	b.none()

	b.over(scatter, true, [2]float64{0.1, 0.05 / top}, [2]float64{0.6, 0.7 / top})
	b.wantMarked(rows, inPoints)
	empty := b.Says(fmt.Sprintf(`(() => { const p = rthsStudy[0].pictures.find(p => p.key === %q);
  for (let y = 0.02; y < 0.9; y += 0.02) {
    if (p.pick([p.left + 0.97 * p.wide, p.foot - y * p.high]) < 0) return y;
  } })()`, scatter))
	b.over(scatter, true, [2]float64{0.97, must(strconv.ParseFloat(empty, 64))})
	b.none()
	b.quiet()
}

// A click on a bar marks its runs, and a double click unmarks them.
func TestBrowserStudyHistogram(t *testing.T) {
	b, rows := studyInBrowser(t)
	edges := b.Says("[rthsStudy[0].d.edges[0], rthsStudy[0].d.edges[1]].join(' ')")
	var from, to float64
	if _, err := fmt.Sscan(edges, &from, &to); err != nil {
		t.Fatal(err)
	}
	low, high, log, _ := b.axisOf("J2_true, %")
	share := ((from+to)/2 - low) / (high - low)
	b.over("histogram", true, [2]float64{share, 0.02})
	b.wantMarked(rows, func(r studyRow) bool {
		v := r.number("J2_true_pct")
		if log {
			v = math.Log10(v)
		}
		return r["status"] == "completed" && v >= from-1e-6 && v < to
	})
	b.Says("rthsStudy[0].pictures.at(-1).above.dispatchEvent(new MouseEvent('dblclick', { bubbles: true }))")
	b.none()
	b.quiet()
}

// The legend hides a method; a run tells its settings and links to its report; the keyboard reaches every run.
func TestBrowserStudyRuns(t *testing.T) {
	b, rows := studyInBrowser(t)
	b.Until("document.querySelector('.legend').textContent === 'ambkfnone'", time.Second)
	b.Says("document.querySelector('.legend button').click()")
	b.wantMarked(rows, func(r studyRow) bool { return r["compensator.kind"] != "amb" })
	b.Until("document.querySelector('.legend button').getAttribute('aria-pressed') === 'false'", time.Second)
	b.Until("rthsStudy[0].pictures.length > 2", time.Second)
	if n := b.coloured("scatter 1", "#0072B2"); n != 0 {
		t.Errorf("%d pixels of a method that is hidden", n)
	}
	b.Says("document.querySelector('.legend button').click()")
	b.Until("document.querySelectorAll('.runs tbody tr').length === 36", 5*time.Second)

	b.Says("document.querySelector('.runs th:last-child button').focus()")
	b.key("Tab")
	b.Until("document.activeElement.dataset.run === '0'", time.Second)
	b.key("ArrowDown")
	b.Until("document.activeElement.dataset.run === '1' && rthsStudy[0].at === 1", time.Second)
	b.key("ArrowUp")
	b.key("Enter")
	b.Until("document.activeElement.textContent === 'report of this run'", time.Second)
	if got := b.Says("document.activeElement.getAttribute('href')"); got != "run-1/report.html" {
		t.Error("link to ", got)
	}
	tip := b.Says("document.querySelector('.tip').innerText.replace(/\\s+/g, ' ')")
	for _, want := range []string{"run 1 " + rows[0]["status"], "compensator.kind amb", "specimen.stiffness, N/m ",
		"ground.pga, g " + fmt.Sprintf("%.4g", rows[0].number("ground.pga_g")), "J2_true, % " + rows[0].told("J2_true_pct")} {
		if !strings.Contains(tip, want) {
			t.Errorf("the run says %q: want %q", tip, want)
		}
	}
	b.key("Escape")
	b.Until("document.activeElement.dataset.run === '0' && document.querySelector('.tip').hidden", time.Second)

	at := b.Says(`(() => { const s = rthsStudy[0], c = s.columns[s.d.main], i = c.v.findIndex(v => v != null);
  return [i, s.columns[1].share[i], c.share[i] / (c.v.some(v => v == null) ? 1.09 : 1)].join(" "); })()`)
	var run int
	var x, y float64
	if _, err := fmt.Sscan(at, &run, &x, &y); err != nil {
		t.Fatal(err)
	}
	b.over("scatter 1", false, [2]float64{x, y})
	b.Until("!document.querySelector('.tip').hidden && rthsStudy[0].at >= 0", time.Second)
	if got := b.Says("document.querySelector('.tip dt').textContent"); got != fmt.Sprintf("run %d", run+1) {
		t.Errorf("over run %d: %s", run+1, got)
	}
	b.quiet()
}

// contrasts are the texts whose contrast is below that of WCAG AA.
const contrasts = `(() => {
  const linear = v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const parts = [0.2126, 0.7152, 0.0722];
  const light = c => c.match(/[\d.]+/g).slice(0, 3).reduce((l, v, k) => l + parts[k] * linear(v), 0.05);
  const ground = e => {
    while (e && /, 0\)/.test(getComputedStyle(e).backgroundColor)) e = e.parentElement;
    return e ? getComputedStyle(e).backgroundColor : "rgb(255, 255, 255)";
  };
  const texts = "p, h1, h2, h3, td, th, dt, dd, button, li".split(", ").map(n => "main " + n).join(", ");
  return [...document.querySelectorAll(texts)].filter(e => e.offsetParent && e.innerText.trim()).filter(e => {
    const [a, b] = [light(getComputedStyle(e).color), light(ground(e))];
    return Math.max(a, b) / Math.min(a, b) < 4.5;
  }).map(e => e.tagName + " " + e.className + " " + e.innerText.slice(0, 30)).join("; ");
})()`

// Texts of a study have enough contrast in light and in dark, and a small screen needs no scrolling across.
func TestBrowserStudyLooks(t *testing.T) {
	b, _ := studyInBrowser(t)
	for _, dark := range []bool{false, true} {
		b.Size(1400, 1000, dark)
		ground := map[bool]string{false: "rgb(255, 255, 255)", true: "rgb(22, 24, 28)"}[dark]
		b.Until(fmt.Sprintf("getComputedStyle(document.body).backgroundColor === %q", ground), 5*time.Second)
		if low := b.Says(contrasts); low != "" {
			t.Errorf("dark %v: too little contrast: %s", dark, low)
		}
		blue := map[bool]string{false: "#0072B2", true: "#488bbc"}[dark]
		b.Until("rthsStudy[0].pictures.every(p => p.w > 0)", time.Second)
		for begun := time.Now(); b.coloured("scatter 1", blue) < 100; time.Sleep(10 * time.Millisecond) {
			if time.Since(begun) > 5*time.Second {
				t.Fatalf("dark %v: %d pixels of amb", dark, b.coloured("scatter 1", blue))
			}
		}
		b.shot(fmt.Sprintf("study-dark-%v", dark))
	}
	b.Size(400, 800, false)
	b.Until("document.documentElement.scrollWidth <= 400", 5*time.Second)
	b.shot("study-400")
	b.quiet()
}

// Paper shows all runs, marked or not, in the light and uncut.
func TestBrowserStudyOnPaper(t *testing.T) {
	b, _ := studyInBrowser(t)
	b.Size(1400, 1000, true)
	b.over("scatter 1", true, [2]float64{0.1, 0.1}, [2]float64{0.5, 0.5})
	b.Says(countPixels)
	b.Says(`addEventListener("beforeprint", () => {
  window.printed = rthsStudy[0].pictures.map(p => p.below.style.width);
  window.inked = [pixels("scatter 1", "#0072B2"), pixels("scatter 1", "#cfcfcf")];
})`)
	paper := page.PrintToPDFParams{PreferCSSPageSize: new(true), PrintBackground: new(true)}
	pdf, err := chromedp.Call(b.Ctx, page.PrintToPDF, paper)
	if err != nil || len(pdf.Data) < 10_000 {
		t.Fatalf("a PDF of %d bytes, %v", len(pdf.Data), err)
	}
	if got := b.Says("printed.every(w => w === '100%') && inked[0] > 100 && inked[1] < inked[0] / 10"); got != "true" {
		t.Error("paper: widths of pictures, and pixels that are blue and pale: ", b.Says("printed + ' ' + inked"))
	}
	media := emulation.SetEmulatedMediaParams{Media: "print"}
	if _, err := chromedp.Call(b.Ctx, emulation.SetEmulatedMedia, media); err != nil {
		t.Fatal(err)
	}
	b.Do(chromedp.EmulateViewport(718, 1047))
	b.Until("matchMedia('print').matches && innerWidth === 718", 5*time.Second)
	cut := b.Says(`[...document.querySelectorAll("figure")].filter(e => getComputedStyle(e).breakInside !== "avoid" ||
  e.offsetHeight > 1000 || e.getBoundingClientRect().right > 719).map(e => e.className + e.offsetHeight).join(" ")`)
	if cut != "" {
		t.Error("paper may cut: ", cut)
	}
	b.quiet()
}
