package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"rths/kit/browsertest"
)

const (
	state  = `document.getElementById("state").textContent`
	notice = `document.getElementById("notice").textContent`
	asked  = `document.getElementById("ask").open`
)

// typed replaces the rate of the frame.
func (b *bench) typed(from, to string) {
	b.Helper()
	b.press(numeral(from, 0), 2)
	b.keys(to)
	b.Until(state+` === "not saved"`, 10*time.Second)
}

// A file that has changed on the disk: both texts are shown, and each of the choices loses neither.
func TestBrowserWorkbenchConflicts(t *testing.T) {
	text := must(frame())
	old := strings.Replace(text, "1024", "1000", 1)
	mine, theirs := strings.Replace(text, "1024", "2048", 1), strings.Replace(text, "1024", "512", 1)
	for _, c := range []struct{ choice, path, file, here, state string }{
		{"Keep mine", "frame.yaml", mine, mine, "saved"},
		{"Save mine beside it", "frame-mine-2.yaml", theirs, mine, "saved"},
		{"Take theirs", "frame.yaml", theirs, theirs, "saved"},
		{"Neither yet", "frame.yaml", theirs, mine, "not saved"},
	} {
		t.Run(c.choice, func(t *testing.T) {
			b := openBench(t, map[string]string{"frame.yaml": text, "frame-mine.yaml": old})
			b.choose("frame.yaml")
			b.ran()
			b.typed("1024", "2048")
			b.write("frame.yaml", theirs)
			b.keys("s", kb.ModifierCtrl)
			b.Until(asked, 10*time.Second)
			b.shot("workbench-both")
			shown := b.Says(`[...document.querySelectorAll("#ask pre")].map(e => e.textContent).join("|")`)
			if shown != theirs+"\n|"+mine+"\n" {
				t.Errorf("%s: want both texts", shown)
			}
			b.Size(400, 900, true)
			for _, line := range b.badTexts(11, 20) {
				t.Error(line)
			}
			b.Size(1400, 900, false)
			b.press(button(c.choice), 1)
			b.Until(`!`+asked+` && `+state+` === "`+c.state+`"`, 10*time.Second)
			b.Until(fmt.Sprintf(`rthsBench.place().path === %q && rthsBench.editor.text() === %q`, c.path, c.here),
				10*time.Second)
			if b.read("frame.yaml") != c.file || b.read("frame-mine.yaml") != old {
				t.Error("a file has another text than it should")
			}
			if c.path != "frame.yaml" && b.read(c.path) != mine {
				t.Errorf("%s: want mine", b.read(c.path))
			}
			if c.choice == "Take theirs" {
				b.press(`document.querySelector(".cm-content")`, 1)
				b.keys("z", kb.ModifierCtrl)
				b.Until(fmt.Sprintf(`rthsBench.editor.text() === %q`, mine), 5*time.Second)
			}
			b.calm()
		})
	}
}

// A file that is deleted meanwhile, a folder in its place, and one that is too large: the page says so and lives.
func TestBrowserWorkbenchBadFiles(t *testing.T) {
	text := must(frame())
	b := openBench(t, map[string]string{"frame.yaml": text})
	b.typed("1024", "2048")
	path := filepath.Join(b.folder, "frame.yaml")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	b.press(button("Save"), 1)
	b.Until(asked+` && /no longer/.test(document.getElementById("asked").textContent)`, 10*time.Second)
	b.keys(kb.Escape)
	b.Until(`!`+asked+` && `+state+` === "not saved"`, 5*time.Second)

	b.Do(chromedp.Navigate(b.w.URL())) // the file is gone, its text is not
	b.ran()
	const chosen = `document.getElementById("file").value === "frame.yaml"`
	b.Until(chosen+` && /had not saved. forget it/.test(`+notice+`)`, 5*time.Second)
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	b.press(button("Save"), 1)
	b.Until(`/frame.yaml is a folder/.test(`+notice+`) && `+state+` === "not saved"`, 10*time.Second)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	b.press(button("Save"), 1)
	b.Until(asked, 10*time.Second)
	b.press(button("Write it again"), 1)
	b.Until(state+` === "saved"`, 10*time.Second)
	b.Until(`document.getElementById("file").selectedOptions[0].textContent === "frame.yaml"`, 5*time.Second)
	if got := b.read("frame.yaml"); got != strings.Replace(text, "1024", "2048", 1) {
		t.Errorf("%s: want every letter", got)
	}

	b.write("large.yaml", "name: "+strings.Repeat("x", 2<<20))
	b.Do(chromedp.Navigate(b.w.URL()))
	b.ran()
	b.Says(`(() => { const s = document.getElementById("file"); s.value = "large.yaml";
  s.dispatchEvent(new Event("change")); })()`)
	b.Until(chosen+` && /large.yaml: found .* bytes/.test(`+notice+`)`, 10*time.Second)
	b.calm()
}

// Two windows on one file: each keeps its own text, and the second that saves is told.
func TestBrowserWorkbenchTwoWindows(t *testing.T) {
	b := openBench(t, map[string]string{"frame.yaml": must(frame())})
	ctx, end := chromedp.NewContext(b.Ctx)
	defer end()
	if err := chromedp.Do(ctx, chromedp.Navigate(b.w.URL())); err != nil {
		t.Fatal(err)
	}
	second := &bench{browser: browser{&browsertest.Browser{T: t, Ctx: ctx}}, w: b.w, folder: b.folder}
	second.ran()
	b.typed("1024", "2048")
	second.typed("1024", "512")
	second.Says(`rthsBench.save(false)`)
	second.Until(state+` === "saved"`, 10*time.Second)
	b.Do(chromedp.Reload()) // forgets nothing
	b.Until(`!!window.rthsBench && /rate_hz: 2048/.test(rthsBench.editor.text())`, 20*time.Second)
	b.Says(`rthsBench.save(false)`)
	b.Until(asked, 10*time.Second)
	if got := b.read("frame.yaml"); !strings.Contains(got, "rate_hz: 512") {
		t.Errorf("%s: want what the second window has saved", got)
	}
	b.calm()
}

// What is wrong with a text stands in the editor and in the list, and a click on a remark goes there.
func TestBrowserWorkbenchRemarks(t *testing.T) {
	wrong := "name: frame\nrate_hz: 1024\nstructure:\n  kind: shear\n  massses: [1]\n"
	study := "name: a study\nscenario: frame.yaml\npoints: 2\n"
	b := openBench(t, map[string]string{"frame.yaml": must(frame()), "wrong.yaml": wrong, "z-study.yaml": study})
	listed := b.Says(`[...document.querySelectorAll("#file option")].map(o => o.textContent +
  (o.parentElement.label ? " " + o.parentElement.label : "")).join()`)
	if listed != "frame.yaml,wrong.yaml,z-study.yaml studies" {
		t.Errorf("%s: want the study apart", listed)
	}
	b.choose("wrong.yaml")
	const remark = `[...document.querySelectorAll("#remarks button.error")].find(e =>
  e.textContent.startsWith("5:3 error: "))`
	b.Until(`!!`+remark+` && document.querySelectorAll(".cm-lintRange-error").length > 0`, 10*time.Second)
	if got := b.Says(`document.querySelector(".cm-lintRange-error").textContent`); got != "massses" {
		t.Errorf("%q is underlined: want massses", got)
	}
	if got := b.Says(verdict); !strings.HasPrefix(got, "wrong.yaml:") || strings.Contains(got, "Below") {
		t.Errorf("%s: want what is wrong, without a word on the run of another file", got)
	}
	b.press(remark, 1)
	b.Until(`document.activeElement.className.includes("cm-content") &&
  document.querySelector(".cm-activeLineGutter.cm-gutterElement").textContent === "5"`, 5*time.Second)
	b.choose("frame.yaml")
	b.ran()
	b.press(numeral("100", 0), 2)
	b.keys("3") // far too slow an actuator
	if got := b.ran(); strings.HasPrefix(got, "Completed, good") || got == "" {
		t.Errorf("%s: want a word on a run that fails", got)
	}
	b.typed("1024", "-1")
	b.Until(`/^frame.yaml:.*\n?Below is the last run/s.test(`+verdict+`)`, 10*time.Second)
	b.calm()
}

// Names of files and of scenarios are texts.
func TestBrowserWorkbenchNames(t *testing.T) {
	const evil = `<img src=x onerror=alert(1)>"'&amp;`
	text := strings.Replace(must(frame()), "name: frame", "name: '"+strings.ReplaceAll(evil, "'", "''")+"'", 1)
	b := openBench(t, map[string]string{evil + ".yaml": text})
	if got := b.ran(); !strings.HasPrefix(got, "Completed") {
		t.Errorf("%s: want a run", got)
	}
	for _, tab := range []string{"draw", "bode", "stability", "ground", "limits", "actuator", "map"} {
		b.seen(tab)
	}
	got := b.Says(`document.querySelectorAll("img:not([src^=blob])").length + document.getElementById("file").value`)
	if got != "0"+evil+".yaml" {
		t.Errorf("%s: want no picture, and the name", got)
	}
	b.typed("1024", "2048")
	b.write(evil+".yaml", "name: <b>other</b>\n")
	b.keys("s", kb.ModifierCtrl)
	b.Until(asked+` && document.querySelectorAll("#ask b, #ask img").length === 0`, 10*time.Second)
	b.press(button("Save mine beside it"), 1)
	b.Until(fmt.Sprintf(`rthsBench.place().path === %q`, evil+"-mine.yaml"), 10*time.Second)
	b.calm()
}

// A run that takes long shows how far it is, and ends with the next change; one that diverges says so.
func TestBrowserWorkbenchLongAndDiverging(t *testing.T) {
	soil := string(must(os.ReadFile("../../scenarios/soil-structure.yaml")))
	b := openBench(t, map[string]string{"a.yaml": soil})
	b.press(numeral("20", 0), 2)
	b.keys("200")
	const bar = `document.querySelector("progress")`
	b.Until(bar+`.checkVisibility() && `+bar+`.value > 0.02`, 30*time.Second)
	b.shot("workbench-long")
	if b.Says(`rthsBench.shown() === rthsBench.editor.text()`) == "true" {
		t.Error("the run has ended already: want one that takes long")
	}
	b.press(numeral("200", 0), 2)
	b.keys("5")
	b.ran()
	b.Until(`!`+bar+`.checkVisibility() && rthsPlots[0].plot.data[0].at(-1) < 6`, 5*time.Second)
	b.write("b.yaml", strings.NewReplacer("amb-galmez2021", "none", "force_delay: 1", "force_delay: 7").Replace(
		string(must(os.ReadFile("../../scenarios/benchmark-siso.yaml")))))
	b.Do(chromedp.Navigate(b.w.URL()))
	b.ran()
	b.choose("b.yaml")
	b.ran()
	b.press(numeral("7", 0), 2)
	b.keys("90")
	if got := b.ran(); !strings.HasPrefix(got, "Diverged") {
		t.Errorf("%s: want a run that diverges", got)
	}
	b.shot("workbench-diverged")
	b.calm()
}
