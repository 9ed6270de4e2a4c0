package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"rths/kit/browsertest"
)

// stiffnesses is a study of three methods on some specimens, of a scenario beside it.
const stiffnesses = `name: three methods
scenario: demo.yaml
set: [ground.duration_s=%d]
seed: 1
points: %d
variables:
  compensator.kind: [amb, kf, none]
  specimen.stiffness: {kind: uniform, from: 1.0e5, to: 3.6e6}
`

// openStudies opens the tab of studies on a folder with a scenario and a study of so many points, whose motion lasts so
// many seconds.
func openStudies(t *testing.T, seconds, points int) *bench {
	t.Helper()
	demo := string(must(os.ReadFile("../../scenarios/demo.yaml")))
	b := openBench(t, map[string]string{"demo.yaml": demo, "methods.yaml": fmt.Sprintf(stiffnesses, seconds, points)})
	b.studies()
	return b
}

// studies opens the tab of studies, and waits until it offers the study.
func (b *bench) studies() {
	b.Helper()
	b.Says(`document.getElementById("tab-study").click()`)
	b.Until(`[...document.querySelectorAll("#view select")].some(s => s.value === "methods.yaml")`, 10*time.Second)
}

const (
	stateOfStudy = `document.querySelector("#view section .verdict").textContent`
	rowsOfStudy  = `document.querySelectorAll(".runs tbody tr").length`
)

// A study begins in the page, shows its first rows, is stopped, goes on, and ends with all rows. A second window shows
// the same.
func TestBrowserStudiesRun(t *testing.T) {
	b := openStudies(t, 60, 16)
	b.shot("studies-empty")
	b.press(button("Start"), 1)
	b.Until(rowsOfStudy+` > 1 && /^Running, [0-9]+ of 48 runs/.test(`+stateOfStudy+`)`, 30*time.Second)
	b.shot("studies-first-rows")
	b.press(button("Stop"), 1)
	b.Until(`/^Stopped by the user after [0-9]+ of 48 runs/.test(`+stateOfStudy+`)`, 20*time.Second)
	b.shot("studies-stopped")
	ctx, end := chromedp.NewContext(b.Ctx)
	defer end()
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1400, 900), chromedp.Navigate(b.w.URL())); err != nil {
		t.Fatal(err)
	}
	second := &bench{browser: browser{&browsertest.Browser{T: t, Ctx: ctx}}, w: b.w, folder: b.folder}
	second.ran()
	second.studies()
	second.Until(`/^Stopped by /.test(`+stateOfStudy+`) && !!`+button("Resume"), 10*time.Second)
	b.press(button("Resume"), 1)
	b.Until(`/^Completed, 48 of 48 runs/.test(`+stateOfStudy+`) && `+rowsOfStudy+` === 48`, 60*time.Second)
	second.Until(`/^Completed, 48 of 48 runs/.test(`+stateOfStudy+`) && `+rowsOfStudy+` === 48`, 20*time.Second)
	if got := second.Says(`document.querySelectorAll(".works li").length`); got != "1" {
		t.Errorf("%s studies: want one in both windows", got)
	}
	b.calm()
}

// uiProcess is rths ui as a program of its own, and its address.
func uiProcess(t *testing.T, folder string) (*exec.Cmd, string) {
	t.Helper()
	c := exec.Command("rths", "ui", folder, "--listen", "127.0.0.1:0", "--json")
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	var said struct{ Address string }
	if err := json.NewDecoder(out).Decode(&said); err != nil {
		t.Fatal(err)
	}
	return c, said.Address
}

// A program that is killed leaves a study that the next one shows and takes to its end.
func TestBrowserStudiesKilled(t *testing.T) {
	t.Parallel()
	b := &bench{browser: newBrowser(t), folder: t.TempDir()}
	b.write("demo.yaml", string(must(os.ReadFile("../../scenarios/demo.yaml"))))
	b.write("methods.yaml", fmt.Sprintf(stiffnesses, 60, 16))
	program, address := uiProcess(t, b.folder)
	b.Size(1400, 900, false)
	b.Do(chromedp.Navigate(address))
	b.ran()
	b.studies()
	b.press(button("Start"), 1)
	b.Until(rowsOfStudy+` > 1 && /^Running/.test(`+stateOfStudy+`)`, 30*time.Second)
	if err := program.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = program.Wait() // says that it was killed
	b.Until(`/does not answer/.test(document.getElementById("notice").textContent)`, 20*time.Second)
	_, address = uiProcess(t, b.folder)
	b.Do(chromedp.Navigate(address))
	b.ran()
	b.studies()
	b.Until(`/^Interrupted, [0-9]+ of 48 runs/.test(`+stateOfStudy+`) && `+rowsOfStudy+` > 1`, 20*time.Second)
	b.shot("studies-interrupted")
	b.press(button("Resume"), 1)
	b.Until(`/^Completed, 48 of 48 runs/.test(`+stateOfStudy+`) && `+rowsOfStudy+` === 48`, 60*time.Second)
}

// A brush marks the same runs in all pictures and in the table; a point opens its run in the editor, which tries it.
func TestBrowserStudiesBrushes(t *testing.T) {
	b := openStudies(t, 4, 8)
	b.press(button("Start"), 1)
	b.Until(`/^Completed, 24 of 24 runs/.test(`+stateOfStudy+`) && `+rowsOfStudy+` === 24`, 60*time.Second)
	whole := b.coloured("axis", "#0072B2")
	b.over("scatter 1", true, [2]float64{0.02, 0.02}, [2]float64{0.2, 0.2}, [2]float64{0.6, 0.9})
	b.Until(`/^[0-9]+ of 24 runs marked/.test(document.querySelector(".marks [role=status]").textContent)`, 5*time.Second)
	const marked = `[...rthsStudy[0].marked.keys()].filter(i => rthsStudy[0].marked[i])`
	b.Until(`[...document.querySelectorAll(".runs tbody tr")].map(r => r.dataset.run).join() === `+marked+`.join()`,
		5*time.Second)
	if n := b.Says(marked + `.length`); n == "0" || n == "24" {
		t.Fatalf("%s runs marked: want some", n)
	}
	if some := b.coloured("axis", "#0072B2"); !(some > 0 && some < whole) {
		t.Errorf("%d pixels of marked lines of %d: want fewer", some, whole)
	}
	b.shot("studies-brushed")
	b.key("Escape")
	b.Until(`/24 runs, none marked/.test(document.querySelector(".marks [role=status]").textContent)`, 5*time.Second)
	at := b.Says(`(() => { const s = rthsStudy[0], c = s.columns[s.d.main], i = c.v.findLastIndex(v => v != null);
  return [i, s.columns[1].share[i], c.share[i] / (c.v.some(v => v == null) ? 1.09 : 1)].join(" "); })()`)
	var run int
	var x, y float64
	if _, err := fmt.Sscan(at, &run, &x, &y); err != nil {
		t.Fatal(err)
	}
	b.over("scatter 1", true, [2]float64{x, y})
	b.Until(`document.activeElement.textContent === "open this run"`, 5*time.Second)
	b.shot("studies-point")
	b.keys("\r")
	b.Until(fmt.Sprintf(`rthsBench.place().path === "methods-run-%d.yaml"`, run+1), 10*time.Second)
	b.ran()
	row := b.Says(fmt.Sprintf(`rthsStudy[0].columns.find(c => c.name === "J2, %%").v[%d]`, run))
	cell := `[...document.querySelectorAll(".cells th")].findIndex(e => e.textContent === "J2, %")`
	b.Until(cell+` > 0`, 10*time.Second)
	if got := b.Says(`document.querySelectorAll(".cells tbody tr")[0].cells[` + cell + `].textContent`); !near(got, row) {
		t.Errorf("tried, the run has a J2 of %s %%: want %s", got, row)
	}
	b.calm()
}

// near reports whether two numbers in words are the same to a percent.
func near(a, b string) bool {
	x, wrong := strconv.ParseFloat(strings.TrimRight(a, " %"), 64)
	y, err := strconv.ParseFloat(b, 64)
	return wrong == nil && err == nil && math.Abs(x-y) <= 0.01*math.Abs(y)
}

// Wrong input is said where it was given, a folder that is removed leaves the list, and all of it can be read, named
// and reached in light and dark from 400 to 1920 pixels.
func TestBrowserStudiesLooks(t *testing.T) {
	b := openStudies(t, 4, 4)
	b.write("wrong.yaml", "scenario: demo.yaml\npoints: 2\nvariables: {specimen.stifness: {kind: normal, mean: 1}}\n")
	b.Says(`document.getElementById("tab-try").click(), document.getElementById("tab-study").click()`)
	b.Until(`[...document.querySelectorAll("#view select option")].some(o => o.value === "wrong.yaml")`, 10*time.Second)
	b.Says(`document.querySelectorAll("#view select")[1].value = "wrong.yaml"`)
	b.press(button("Start"), 1)
	b.Until(`/^wrong.yaml:3:13: specimen.stifness: .*did you mean stiffness/.test(
  document.querySelector(".said").textContent)`, 10*time.Second)
	b.Says(`document.querySelectorAll("#view select")[1].value = "methods.yaml"`)
	b.press(button("Start"), 1)
	b.Until(`/^Completed, 12 of 12 runs/.test(`+stateOfStudy+`) && `+rowsOfStudy+` === 12`, 60*time.Second)
	const nameless = `["button", "input", "select", "progress", "img", "a"]
  .flatMap(n => [...document.querySelectorAll("#view " + n)])
  .filter(e => e.checkVisibility() && !(e.innerText || e.ariaLabel || e.alt ||
  [...(e.labels || [])].map(l => l.innerText).join("")).trim()).map(e => e.outerHTML.slice(0, 120)).join()`
	if got := b.Says(nameless); got != "" {
		t.Errorf("without a name: %s", got)
	}
	for _, width := range []int64{1920, 1400, 860, 400} {
		for _, dark := range []bool{false, true} {
			b.Size(width, 1000, dark)
			b.Until(fmt.Sprintf(`innerWidth === %d && document.documentElement.scrollWidth <= %d`, width, width), 5*time.Second)
			for _, line := range b.badTexts(11, 20) {
				t.Errorf("%d, dark %v: %s", width, dark, line)
			}
			if dark == (width == 400) {
				b.shot(fmt.Sprintf("studies-%d", width))
			}
		}
	}
	b.choose("methods.yaml")
	b.Until(`/12 runs: 3 combinations of levels/.test(document.getElementById("remarks").textContent)`, 10*time.Second)
	b.Says(`document.getElementById("tab-bode").click()`)
	b.Until(view+`.innerText.includes("methods.yaml is a study: the tab Studies makes its runs.")`, 5*time.Second)
	if err := os.RemoveAll(filepath.Join(b.folder, "runs")); err != nil {
		t.Fatal(err)
	}
	b.Says(`document.getElementById("tab-study").click()`)
	b.Until(`document.querySelectorAll(".works li").length === 0`, 30*time.Second)
	b.calm()
}
