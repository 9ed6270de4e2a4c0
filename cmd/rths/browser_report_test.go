package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// plotted is a plot of a report in the browser: its axes and curves as the reader sees them.
type plotted struct {
	Title   string
	X, Y    [2]float64 // ends of the axes
	Whole   [4]float64 // as the program wants them at first
	XTexts  []string
	YTexts  []string
	Colours []string
	Shown   []bool
	Part    bool
	Over    bool // one quantity over another
}

// plots are those of the report in the browser.
func (b browser) plots() (list []plotted) {
	b.Helper()
	text := b.Says(`JSON.stringify(rthsPlots.map(d => ({
  Title: d.f.title, X: [d.plot.scales.x.min, d.plot.scales.x.max], Y: [d.plot.scales.y.min, d.plot.scales.y.max],
  Whole: d.f.x.concat(d.f.y), XTexts: d.plot.axes[0].marks.map(m => m.text),
  YTexts: d.plot.axes[1].marks.map(m => m.text), Colours: d.f.curves.map(c => c.colour),
  Shown: d.plot.series.slice(1).map(s => s.show), Part: !!d.f.part, Over: d.plot.mode === 2,
})))`)
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		b.Fatal(err)
	}
	return list
}

// reportInBrowser opens the report of a run with indicators, and gives its plots as SVG files too.
func reportInBrowser(t *testing.T) (b browser, svgs map[string]string) {
	t.Helper()
	b = newBrowser(t)
	dir := filepath.Join(t.TempDir(), "run")
	for _, args := range [][]string{
		{"run", "../../scenarios/demo.yaml", "--out", dir, "--set", "ground.duration_s=8", "--set",
			"indicators={energies: true}"},
		{"report", dir, "--plots", "svg"},
	} {
		if code, _, errs := called(args...); code != 0 {
			t.Fatalf("%v: %s", args, errs)
		}
	}
	svgs = map[string]string{}
	for _, path := range must(filepath.Glob(filepath.Join(dir, "*.svg"))) {
		svgs[filepath.Base(path)] = string(must(os.ReadFile(path)))
	}
	b.Size(1400, 1000, false)
	b.Do(chromedp.Navigate("file://" + dir + "/report.html"))
	b.Until("!!window.rthsPlots && rthsPlots.every(d => d.plot.axes[1].marks)", 20*time.Second)
	return b, svgs
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

var (
	svgText   = regexp.MustCompile(`<text[^>]*>([^<]*)</text>`)
	svgColour = regexp.MustCompile(`stroke:(#[0-9A-Fa-f]{6})`)
	svgMark   = regexp.MustCompile(`^-?[\d.]+(e[+-]?\d+)?$`)
)

// One description, two renderers: the page and the images of a report have the same ends of axes, marks and colours.
func TestBrowserReportIsItsImages(t *testing.T) {
	b, svgs := reportInBrowser(t)
	compared := 0
	for _, p := range b.plots() {
		for i, at := range [][2]float64{p.X, p.Y} {
			for j, v := range at {
				if want := p.Whole[2*i+j]; math.Abs(v-want) > 1e-5*(at[1]-at[0])+8e-6*math.Abs(v) { // packed numbers
					t.Errorf("%s: the axes go to %g: want %g", p.Title, v, want)
				}
			}
		}
		for file, svg := range svgs {
			var texts []string
			for _, m := range svgText.FindAllStringSubmatch(svg, -1) {
				texts = append(texts, strings.TrimSpace(m[1]))
			}
			if file == "parameters.svg" || file == "floors.svg" || !slices.Contains(texts, p.Title) {
				continue // files of several figures
			}
			compared++
			texts = slices.DeleteFunc(texts, func(s string) bool { return !svgMark.MatchString(s) })
			marks := slices.DeleteFunc(append(slices.Clone(p.XTexts), p.YTexts...), func(s string) bool { return s == "" })
			slices.Sort(texts)
			slices.Sort(marks)
			if !slices.Equal(texts, marks) {
				t.Errorf("%s: the page marks %q, the image %q", p.Title, marks, texts)
			}
			var colours []string
			for _, m := range svgColour.FindAllStringSubmatch(svg, -1) {
				colours = append(colours, strings.ToUpper(m[1]))
			}
			for _, c := range p.Colours {
				if !slices.Contains(colours, strings.ToUpper(c)) {
					t.Errorf("%s: the image has no curve in %s", p.Title, c)
				}
			}
		}
	}
	if compared < 8 {
		t.Errorf("%d figures compared", compared)
	}
	b.quiet()
}

// quiet wants no error in the console and no request but for the page itself.
func (b browser) quiet() {
	b.Helper()
	b.Lock()
	defer b.Unlock()
	if len(b.Wrong) > 0 {
		b.Errorf("console: %q", b.Wrong)
	}
	for _, address := range b.Asked {
		own := func(scheme string) bool { return strings.HasPrefix(address, scheme) }
		if !slices.ContainsFunc([]string{"file:///", "blob:", "data:"}, own) {
			b.Errorf("a request elsewhere: %s", address)
		}
	}
}

// drag presses the mouse over the first plot at a share of its width and leaves it at another one.
func (b browser) drag(from, to float64, shift bool) {
	b.Helper()
	var left, top, width, height float64
	box := b.Says(`(() => { const o = rthsPlots[0].plot.over; o.scrollIntoView({ block: "center" });
  const r = o.getBoundingClientRect(); return [r.left, r.top, r.width, r.height].join(" "); })()`)
	if _, err := fmt.Sscan(box, &left, &top, &width, &height); err != nil {
		b.Fatal(err)
	}
	for _, e := range []struct {
		of    input.DispatchMouseEventType
		share float64
		down  int64
	}{
		{input.DispatchMouseEventTypeMouseMoved, from, 0}, {input.DispatchMouseEventTypeMousePressed, from, 1},
		{input.DispatchMouseEventTypeMouseMoved, (from + to) / 2, 1}, {input.DispatchMouseEventTypeMouseMoved, to, 1},
		{input.DispatchMouseEventTypeMouseReleased, to, 0},
	} {
		p := input.DispatchMouseEventParams{Type: e.of, X: left + e.share*width, Y: top + height/2, Buttons: e.down}
		if e.of != input.DispatchMouseEventTypeMouseMoved {
			p.Button, p.ClickCount = input.MouseButtonLeft, 1
		}
		if shift {
			p.Modifiers = 8
		}
		if _, err := chromedp.Call(b.Ctx, input.DispatchMouseEvent, p); err != nil {
			b.Fatal(err)
		}
	}
}

// What a reader does with plots: hide a curve and see it alone, see all values of an instant, zoom and move all plots
// over time together, come back, and take pictures and numbers along.
func TestBrowserReportAnswers(t *testing.T) {
	b, _ := reportInBrowser(t)
	const names = `[...rthsPlots[0].plot.root.querySelectorAll(".u-legend .u-series th")].slice(1)`
	shown := func(want string) {
		t.Helper()
		if got := b.Says("rthsPlots[0].plot.series.slice(1).map(s => s.show).join(' ')"); got != want {
			t.Errorf("curves shown: %s: want %s", got, want)
		}
	}
	b.Says(names + "[1].click()")
	shown("true false")
	b.Says(names + "[1].click()")
	shown("true true")
	b.Says(names + `[0].dispatchEvent(new MouseEvent("dblclick", { bubbles: true }))`)
	shown("true false")
	b.Says(names + `[0].dispatchEvent(new MouseEvent("dblclick", { bubbles: true }))`)
	shown("true true")
	b.Says(names + `[0].dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }))`)
	shown("false true")
	b.Says(names + `[0].dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }))`)

	whole := b.plots()
	b.drag(0.4, 0.4, false) // hover
	b.Until(`rthsPlots.filter(d => d.plot.mode !== 2 && d.plot.cursor.idx === rthsPlots[0].plot.cursor.idx &&
  d.plot.cursor.idx > 0).length >= 4`, 5*time.Second)
	b.drag(0.25, 0.5, false)
	b.Until("rthsPlots[0].plot.scales.x.max < rthsPlots[0].f.x[1]", 5*time.Second)
	zoomed := b.plots()
	for i, p := range zoomed {
		same := math.Abs(p.X[0]-zoomed[0].X[0])+math.Abs(p.X[1]-zoomed[0].X[1]) < 1e-9
		if over := p.Over || p.Part; same == over && !(p.Part && p.X == whole[i].X) {
			t.Errorf("%s: axis %g after a zoom to %g", p.Title, p.X, zoomed[0].X)
		}
	}
	b.drag(0.5, 0.25, true)
	moved := b.plots()
	if by := (zoomed[0].X[1] - zoomed[0].X[0]) / 4; moved[0].X[0]-zoomed[0].X[0] < 0.9*by || moved[0].X != moved[2].X {
		t.Errorf("moved from %g to %g, and %g: want %g further", zoomed[0].X, moved[0].X, moved[2].X, by)
	}
	b.Says(`[...document.querySelectorAll(".tools button")].find(b => b.textContent === "whole").click()`)
	for i, p := range b.plots() {
		if p.X != whole[i].X || p.Y != whole[i].Y {
			t.Errorf("%s: axes %g, %g after all is shown again: want %g, %g", p.Title, p.X, p.Y, whole[i].X, whole[i].Y)
		}
	}
	numbers := strings.Split(b.Says("numbersOf(rthsPlots[0])"), "\n")
	if numbers[0] != `"time, s","measured, displacement, mm","target, displacement, mm"` || len(numbers) < 5000 {
		t.Errorf("%d lines of numbers, the first %s", len(numbers), numbers[0])
	}
	svg := b.Says("drawingOf(rthsPlots[0])")
	if strings.Count(svg, "<path") < 8 || !strings.Contains(svg, "Displacement") {
		t.Errorf("an SVG of %d bytes", len(svg))
	}
	if b.Says(`pictureOf(rthsPlots[0]).toDataURL().length > 20000`) != "true" {
		t.Error("no picture")
	}
	b.quiet()
}

// The structure moves with the cursor and with its slider; the difference of curves comes and goes on request.
func TestBrowserReportMoves(t *testing.T) {
	b, _ := reportInBrowser(t)
	peak := b.Says("rthsMoving.now()")
	if b.Says(`(() => { const k = rthsMoving.now(), y = rthsPlots[0].plot.data[1];
  return y.every(v => Math.abs(v) <= Math.abs(y[k])); })()`) != "true" {
		t.Errorf("at first the structure is shown at point %s: want the largest reading", peak)
	}
	b.drag(0.4, 0.4, false)
	b.Until("rthsMoving.now() === rthsPlots[0].plot.cursor.idx && rthsPlots[0].plot.cursor.idx > 0", 5*time.Second)
	at := b.Says("rthsPlots[0].plot.data[0][rthsMoving.now()].toFixed(3)")
	if got := b.Says(`document.querySelector(".moving h3").textContent`); got != "Motion at "+at+" s" {
		t.Errorf("%s: want the motion at %s s", got, at)
	}
	before := b.Says(`document.querySelector(".moving canvas").toDataURL()`)
	b.Says(`(() => { const s = document.querySelector(".scrub input"); s.value = 100;
  s.dispatchEvent(new Event("input")); })()`)
	b.Until(`Math.abs(rthsMoving.now() - 100) < 3 && Math.abs(rthsPlots[2].plot.cursor.idx - 100) < 3`, 5*time.Second)
	if b.Says(`document.querySelector(".moving canvas").toDataURL()`) == before {
		t.Error("the picture is the same at another instant")
	}
	b.Says(`document.querySelector(".scrub button").click()`)
	b.Until(`rthsMoving.now() > 110`, 10*time.Second)
	b.Says(`document.querySelector(".scrub button").click()`)

	n := b.Says("rthsPlots.length")
	const button = `document.querySelector(".tools button")`
	b.Says(button + ".click()")
	if got := b.Says(`(() => { const d = rthsPlots.at(-1), e = rthsPlots.find(p => p.f.title.startsWith("Tracking error"));
  const mine = d.plot.data[1], other = e.plot.data[1]; let worst = 0, most = 0;
  for (let k = 0; k < mine.length; k += 2) {
    const a = [mine[k], mine[k + 1]].sort((x, y) => x - y), c = [-other[k], -other[k + 1]].sort((x, y) => x - y);
    worst = Math.max(worst, Math.abs(a[0] - c[0]), Math.abs(a[1] - c[1])); most = Math.max(most, Math.abs(a[1]));
  }
  return d.f.title + " " + (worst < 1e-4 * most); })()`); got != "Displacement, less target true" {
		t.Errorf("%s: want measured less target, as the tracking error has it", got)
	}
	b.Says(button + ".click()")
	if got := b.Says("rthsPlots.length"); got != n {
		t.Errorf("%s plots after the difference was hidden: want %s", got, n)
	}
	b.quiet()
}

// A comparison has links to its parts; the best value of each criterion stands out, and a click on a head sorts the
// runs.
func TestBrowserComparison(t *testing.T) {
	b := newBrowser(t)
	dir := t.TempDir()
	runs := []string{"amb", "none", "kf"}
	for _, kind := range runs {
		if code, _, errs := called("run", "../../scenarios/demo.yaml", "--out", filepath.Join(dir, kind), "--set",
			"ground.duration_s=8", "--set", "compensator.kind="+kind); code != 0 && kind != "none" {
			t.Fatal(errs)
		}
	}
	file := filepath.Join(dir, "comparison.html")
	args := []string{"report", filepath.Join(dir, "amb"), filepath.Join(dir, "none"), filepath.Join(dir, "kf"), "-o", file}
	if code, _, errs := called(args...); code != 0 {
		t.Fatal(errs)
	}
	b.Size(1400, 1000, false)
	b.Do(chromedp.Navigate("file://" + file))
	b.Until("!!window.rthsPlots", 20*time.Second)
	b.Until(`[...document.querySelectorAll("#contents a")].length >= 4 &&
  [...document.querySelectorAll("#contents a")].every(a => document.getElementById(a.hash.slice(1)))`, 5*time.Second)
	b.Says(`rthsPlots[0].plot.setSeries(2, { show: false })`)
	left := b.Says(`rthsPlots.flatMap(d => d.plot.series.slice(1)).filter(s => s.label === "none" && s.show).length`)
	if left != "0" {
		t.Errorf("a run that is hidden in one plot is shown in %s others", left)
	}
	const table = `document.querySelector("table.ranked.across")`
	names := func() string {
		return b.Says(`[...` + table + `.tBodies[0].rows].map(r => r.cells[0].textContent).join(" ")`)
	}
	best := b.Says(`[...` + table + `.tBodies[0].rows].find(r => r.cells[2].classList.contains("best")).cells[0].textContent`)
	if best == "none" {
		t.Error("the run without compensator is the best in J2")
	}
	b.Says("(" + table + ".style.width = '200px', " + table + ".scrollLeft = 100)")
	if got := b.Says(`(t => [t.scrollLeft > 0, Math.abs(t.tBodies[0].rows[0].cells[0].getBoundingClientRect().left -
  t.getBoundingClientRect().left) < 1].join(" "))(` + table + `)`); got != "true true" {
		t.Errorf("the table moves, its first column stays: %s", got)
	}
	head := table + ".tHead.rows[0].cells[2]"
	b.Says(head + ".click()")
	up := names()
	b.Says(head + ".click()")
	down := strings.Fields(names())
	slices.Reverse(down)
	if !strings.HasSuffix(up, "none") || strings.Join(down, " ") != up {
		t.Errorf("sorted by J2: %s, and down, read backwards: %s", up, strings.Join(down, " "))
	}
	b.quiet()
}

// The report can be read: contrast of WCAG AA on white and on black, on a screen and on a phone, nothing wider than the
// window, and on paper no plot wider than the page.
func TestBrowserReportIsReadable(t *testing.T) {
	b, _ := reportInBrowser(t)
	for _, at := range []struct {
		width int64
		dark  bool
	}{{1400, false}, {1400, true}, {400, false}, {400, true}} {
		b.Size(at.width, 900, at.dark)
		for _, line := range b.badTexts(11, 100) {
			t.Errorf("%d px, dark %t: %s", at.width, at.dark, line)
		}
		b.Until("document.documentElement.scrollWidth <= innerWidth", 5*time.Second)
	}
	b.Size(1400, 900, true)
	b.Says(`addEventListener("beforeprint", () => {
  const boxes = rthsPlots.map(d => d.figure.getBoundingClientRect());
  window.printed = boxes.filter(r => r.right > 718 || r.height > 1040).length + "/" + rthsPlots[0].plot.axes[0].stroke();
})`)
	if _, err := chromedp.Call(b.Ctx, page.PrintToPDF, page.PrintToPDFParams{}); err != nil {
		t.Fatal(err)
	}
	if got := b.Says("window.printed"); got != "0/#1c1c1c" {
		t.Errorf("on paper %s: want no plot wider than the page, in dark ink", got)
	}
	b.quiet()
}
