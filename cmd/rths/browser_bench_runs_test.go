package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"rths/result/catalogue"
	"rths/result/record"
)

// openRuns opens the workbench of a folder with a scenario and three runs of it, at the tab of the runs.
func openRuns(t *testing.T) *bench {
	t.Helper()
	b := openBench(t, map[string]string{"frame.yaml": must(frame())})
	for _, kind := range []string{"pi", "amb", "none"} {
		dir := filepath.Join(b.folder, "runs", kind)
		if code, _, errs := called("run", filepath.Join(b.folder, "frame.yaml"), "--out", dir, "--set",
			"compensator.kind="+kind, "--set", "tags=["+kind+"]"); code != 0 && !strings.Contains(errs, "expect:") {
			t.Fatal(errs)
		}
	}
	b.Says(`document.getElementById("tab-runs").click()`)
	b.Until(runLines+`.length === 3`, 10*time.Second)
	return b
}

// runLines are the rows of runs in the table.
const runLines = `document.querySelectorAll(".runs-grid tbody tr[id]")`

// cellsOf are the cells of a column, from the first row in sight.
func cellsOf(column string) string {
	return `[...` + runLines + `].map(e => e.querySelector("[data-of=` + column + `]").textContent).join()`
}

// The table lists, sorts and filters with the words of rths runs; what cannot be read is said at the filter.
func TestBrowserRunsTable(t *testing.T) {
	b := openRuns(t)
	b.shot("runs-table")
	if got := b.Says(cellsOf("compensator")); strings.Count(got, ",") != 2 || !strings.Contains(got, "amb") {
		t.Errorf("%s: want three compensators", got)
	}
	head := func(name string) string {
		return `[...document.querySelectorAll(".runs-grid th button")].find(e => e.textContent.startsWith("` + name + `"))`
	}
	b.press(head("run"), 1)
	b.Until(`document.querySelector(".runs-grid [data-of=run]").textContent === "runs/amb"`, 5*time.Second)
	b.press(head("run"), 1)
	b.Until(`document.querySelector(".runs-grid [data-of=run]").textContent === "runs/pi"`, 5*time.Second)
	filter := `document.querySelector(".runs-tab input[type=search]")`
	find := func(text string) {
		t.Helper()
		b.Says(fmt.Sprintf(`(() => { %[1]s.value = %[2]q; %[1]s.dispatchEvent(new Event("input")); })()`, filter, text))
	}
	rows := func(want string) {
		t.Helper()
		b.Until(fmt.Sprintf(`%s === %q`, cellsOf("run"), want), 5*time.Second)
	}
	find("tag=amb status=completed rate_hz>1")
	rows("runs/amb")
	find("J2_pct<")
	b.Until(`/want a number/.test(document.querySelector(".runs-wrong").textContent) && `+filter+`.ariaInvalid === "true"`,
		5*time.Second)
	find("J99<3")
	b.Until(`/no run in .* has this number/.test(document.querySelector(".runs-wrong").textContent)`, 5*time.Second)
	find("status=tripped")
	b.Until(`document.querySelector(".runs-grid").hidden &&
  /as the filter wants/.test(document.querySelector(".runs-tab").innerText)`, 5*time.Second)
	find("")
	rows("runs/pi,runs/none,runs/amb")
	b.press(`[...document.querySelectorAll(".runs-grid [data-of=compensator] button")]
  .find(e => e.textContent === "pi")`, 1)
	rows("runs/pi")
	if got := b.Says(filter + ".value"); got != "compensator=pi" {
		t.Errorf("%s: want the compensator that was clicked", got)
	}
	b.calm()
}

// Tags and note are edited by the keyboard; what another window has written is neither lost nor overwritten.
func TestBrowserRunsLabels(t *testing.T) {
	b := openRuns(t)
	dir := filepath.Join(b.folder, "runs", "pi")
	b.Says(`document.querySelector(".runs-grid").focus()`)
	at := `document.querySelector(".runs-grid tr.here [data-of=run]").textContent`
	b.keys(kb.ArrowDown)
	b.keys(kb.ArrowDown)
	for range 3 {
		if b.Says(at) == "runs/pi" {
			break
		}
		b.keys(kb.ArrowUp)
	}
	b.keys(kb.F2)
	b.Until(`document.activeElement.value === "pi"`, 5*time.Second)
	b.keys(", thesis")
	b.shot("runs-edit")
	b.keys("\t")
	b.keys("mine")
	theirs := "theirs"
	if _, err := catalogue.Relabel(dir, catalogue.Change{Add: []string{"other"}, Note: &theirs}); err != nil {
		t.Fatal(err)
	}
	b.keys("\r")
	b.Until(`/the note is "theirs" by now/.test(document.querySelector(".runs-wrong").textContent)`, 5*time.Second)
	b.Until(`rthsRuns > 1`, 5*time.Second)
	time.Sleep(500 * time.Millisecond) // the list comes again, and the message stays
	b.Until(`/the note is "theirs" by now/.test(document.querySelector(".runs-wrong").textContent)`, 5*time.Second)
	b.keys("\r")
	cell := func(of string) string {
		return `[...` + runLines + `].find(e => /runs.pi/.test(e.textContent))
  .querySelector("[data-of=` + of + `]").textContent`
	}
	b.Until(cell("note")+` === "mine"`, 5*time.Second)
	e := must(catalogue.Read(dir))
	if got := strings.Join(e.Tags, ","); got != "pi,other,thesis" || e.Note != "mine" {
		t.Errorf("%q, %q: want all tags, and the note of who has seen theirs", got, e.Note)
	}
	time.Sleep(300 * time.Millisecond) // the list comes again
	b.press(`document.querySelector(".runs-grid tbody tr[id] [data-of=note]")`, 2)
	b.Until(`document.activeElement.matches("[data-of=tags] input")`, 5*time.Second)
	b.keys(kb.Escape)
	b.Until(`document.activeElement.matches(".runs-grid") && !document.querySelector(".runs-grid [data-of=tags] input")`,
		5*time.Second)
	b.calm()
}

// Runs are chosen and opened by the keyboard, and lie over each other; a zoom brings more samples; files are
// downloaded.
func TestBrowserRunsBeside(t *testing.T) {
	b := openRuns(t)
	b.Says(`document.querySelector(".runs-grid").focus()`)
	b.keys(" ")
	b.keys(kb.ArrowDown)
	b.keys(" ")
	b.keys("\r")
	b.Until(`(window.rthsLaid || 0) > 0 && rthsPlots.length === 2 && rthsPlots[0].f.curves.length === 2`, 10*time.Second)
	text := b.Says(`document.querySelector(".runs-beside").innerText`)
	for _, want := range []string{"2 runs beside each other", "Settings that differ", "compensator.kind", "Criteria",
		"rths report runs/"} {
		if !strings.Contains(text, want) {
			t.Errorf("%.600s: want %q", text, want)
		}
	}
	b.shot("runs-beside")
	step := `(rthsPlots[0].plot.data[0][1] - rthsPlots[0].plot.data[0][0])`
	before := b.Says(step)
	b.Says(`rthsPlots[0].plot.setScale("x", {min: 3, max: 3.5})`)
	b.Until(step+` < `+before+` / 4`, 10*time.Second)
	if got := b.Says(`(({min, max}) => [min, max].map(v => v.toFixed(6)))(rthsPlots[0].plot.scales.x)`); got !=
		"3.000000,3.500000" {
		t.Error("the zoom has not stayed")
	}
	b.shot("runs-zoomed")
	b.Says(`rthsPlots[0].plot.over.dispatchEvent(new MouseEvent("dblclick", {bubbles: true}))`)
	b.Until(step+` >= `+before, 10*time.Second)
	b.Says(`document.querySelector(".runs-curves .fields input[type=checkbox]").click()`)
	b.Until(`rthsPlots.length === 2`, 10*time.Second)
	b.Says(`[...document.querySelectorAll(".runs-columns label")].find(e => /^ target_m/.test(e.textContent)).click()`)
	b.Until(`rthsPlots.length === 2 && rthsPlots[0].f.curves.length === 4`, 10*time.Second)
	a := must(record.Open(filepath.Join(b.folder, "runs", "pi")))
	defer a.Close()
	var csv strings.Builder
	if err := a.WriteCSV(&csv); err != nil {
		t.Fatal(err)
	}
	b.Says(`(window.got = null, fetch("export/frames.csv/runs/pi").then(async r => { window.got = [r.status,
  r.headers.get("content-disposition"), await r.text()]; }), 1)`)
	b.Until(`!!window.got`, 10*time.Second)
	if got := b.Says(`got.slice(0, 2).join()`); got != `200,attachment; filename=pi.csv` {
		t.Errorf("%s: want a file", got)
	}
	if b.Says(`got[2].length`) != fmt.Sprint(csv.Len()) {
		t.Errorf("%s bytes: want %d", b.Says(`got[2].length`), csv.Len())
	}
	b.calm()
}

// A run whose folder goes away, one that is damaged and one that goes on are said to be so, and the page lives.
func TestBrowserRunsThatGo(t *testing.T) {
	b := openRuns(t)
	frames := filepath.Join(b.folder, "runs", "amb", record.FramesFile)
	text := must(os.ReadFile(frames))
	text[len(text)/2] ^= 1
	if err := os.WriteFile(frames, text, 0o644); err != nil {
		t.Fatal(err)
	}
	open := func(run string) {
		b.press(`[...document.querySelectorAll(".runs-grid [data-of=run] button")].find(e => e.textContent === "`+run+`")`, 1)
	}
	open("runs/amb")
	b.Until(`/the record is damaged/.test(document.querySelector(".runs-beside").innerText)`, 10*time.Second)
	open("runs/pi")
	b.Until(`(window.rthsPlots || []).length === 2`, 10*time.Second)
	if err := os.RemoveAll(filepath.Join(b.folder, "runs", "pi")); err != nil {
		t.Fatal(err)
	}
	f := record.Manifest{Name: "goes on", RateHz: 32}
	columns := []record.Column{{Name: "time_s", Unit: "s", Source: "frame"}}
	w := must(record.Create(filepath.Join(b.folder, "runs", "on"), f, columns))
	t.Cleanup(func() { _ = w.Close(f) })
	b.Says(`dispatchEvent(new Event("focus"))`)
	b.Until(`[...`+runLines+`].some(e => e.dataset.state === "gone" && /runs.pi/.test(e.textContent))`, 5*time.Second)
	b.Until(`[...`+runLines+`].some(e => e.dataset.state === "running")`, 5*time.Second)
	open("runs/pi")
	b.Until(`/its folder is gone/.test(document.querySelector(".runs-beside").innerText)`, 5*time.Second)
	b.shot("runs-gone")
	b.calm()
}

// Contrast, size of texts, names of controls and width of the page, light and dark, from 400 to 1920 pixels.
func TestBrowserRunsSizes(t *testing.T) {
	b := openRuns(t)
	change := catalogue.Change{Add: []string{"thesis", "spring series"}, Note: new("the pump was cold")}
	if _, err := catalogue.Relabel(filepath.Join(b.folder, "runs", "pi"), change); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(b.folder, "runs", "none")); err != nil {
		t.Fatal(err)
	}
	b.Says(`document.querySelector(".runs-grid").focus()`)
	b.keys(" ")
	b.keys(kb.ArrowDown)
	b.keys(" ")
	b.keys(kb.ArrowDown)
	b.keys(" ")
	b.keys("\r")
	b.Until(`(window.rthsLaid || 0) > 0 && rthsPlots[0].f.curves.length === 2`, 10*time.Second)
	b.Says(`dispatchEvent(new Event("focus"))`)
	b.Until(`!!document.querySelector(".runs-grid tr[data-state=gone]")`, 5*time.Second)
	const nameless = `[...document.querySelectorAll("button, input, select, a[href], canvas, img, [tabindex='0']")]
  .filter(e => e.checkVisibility() && !e.closest(".uplot, #text") && !(e.innerText || e.ariaLabel || e.alt || e.title ||
  [...(e.labels || [])].map(l => l.innerText).join("")).trim()).map(e => e.outerHTML.slice(0, 120)).join()`
	if got := b.Says(nameless); got != "" {
		t.Errorf("without a name: %s", got)
	}
	for _, width := range []int64{1920, 860, 400} {
		for _, dark := range []bool{false, true} {
			b.Size(width, 1000, dark)
			b.Until(fmt.Sprintf(`innerWidth === %d`, width), 5*time.Second)
			for _, part := range []string{".runs-tab", ".runs-beside"} {
				b.Says(`document.querySelector("` + part + `").scrollIntoView()`)
				where := fmt.Sprintf("%s, %d, dark %v", part, width, dark)
				if got := b.Says(`document.documentElement.scrollWidth`); got != fmt.Sprint(width) {
					t.Errorf("%s: the page is %s wide", where, got)
				}
				for _, line := range b.badTexts(11, 20) {
					t.Errorf("%s: %s", where, line)
				}
				b.shot(fmt.Sprintf("runs-size-%s-%d-%v", part[1:], width, dark))
			}
		}
	}
	b.calm()
}

// A folder that has runs and no scenario shows them.
func TestBrowserRunsAlone(t *testing.T) {
	b := openBench(t, nil)
	m := record.Manifest{Name: "alone", Status: "completed", Format: record.Format}
	dir := filepath.Join(b.folder, "alone")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	b.write("alone/"+record.ManifestFile, string(must(m.Text())))
	if err := catalogue.Add(dir); err != nil {
		t.Fatal(err)
	}
	b.press(button("Runs of this folder"), 1)
	b.Until(cellsOf("run")+` === "alone"`, 10*time.Second)
	b.calm()
}

// A folder without runs says how runs come, one without a catalogue makes it, and an idle page rests.
func TestBrowserRunsNone(t *testing.T) {
	b := openBench(t, map[string]string{"frame.yaml": must(frame())})
	b.Says(`document.getElementById("tab-runs").click()`)
	b.Until(`/This folder has no runs yet/.test(document.querySelector(".runs-tab").innerText)`, 5*time.Second)
	b.shot("runs-none")
	code, _, errs := called("run", filepath.Join(b.folder, "frame.yaml"), "--out", filepath.Join(b.folder, "runs", "one"))
	if code != 0 && !strings.Contains(errs, "expect:") {
		t.Fatal(errs)
	}
	if err := os.Remove(filepath.Join(b.folder, "runs", catalogue.File)); err != nil {
		t.Fatal(err)
	}
	b.Says(`dispatchEvent(new Event("focus"))`)
	b.press(button("Rebuild the catalogue"), 1)
	b.Until(runLines+`.length === 1`, 5*time.Second)
	b.Until(`performance.now() > performance.getEntriesByType("resource").at(-1).responseEnd + 500`, 5*time.Second)
	b.Lock()
	asked := len(b.Asked)
	b.Unlock()
	time.Sleep(time.Second) // nothing happens in it
	b.Lock()
	defer b.Unlock()
	if got := b.Asked[asked:]; len(got) > 0 {
		t.Errorf("an idle page asks for %q", got)
	}
}
