package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// view is the view that is shown.
const view = `[...document.querySelectorAll("#view > div")].find(e => !e.hidden)`

// seen opens a tab, waits until it has something to say, and gives that.
func (b *bench) seen(tab string) string {
	b.Helper()
	b.Says(fmt.Sprintf(`(() => { window.rthsExplained = 0; document.getElementById("tab-%s").click(); })()`, tab))
	if tab == "try" {
		b.Until(`document.querySelector(".verdict").textContent !== "" && `+view+`.innerText.length > 20`, 60*time.Second)
	} else {
		b.Until(view+`.innerText.length > 20 && (rthsExplained > 0 || /:/.test(`+view+`.innerText))`, 60*time.Second)
	}
	return b.Says(view + ".innerText")
}

var tabs = []string{"try", "draw", "bode", "stability", "ground", "limits", "actuator", "map"}

// Every tab says something of every kind of scenario, and of one that is wrong.
func TestBrowserWorkbenchTabs(t *testing.T) {
	files := map[string]string{"wrong.yaml": "name: frame\nrate_hz: 1024\nstructure: {kind: none at all}\n"}
	for _, name := range []string{"benchmark-siso", "two-storeys", "soil-structure", "shake-table", "yielding-frame",
		"init/loading-test"} {
		files[name[strings.Index(name, "/")+1:]+".yaml"] = string(must(os.ReadFile("../../scenarios/" + name + ".yaml")))
	}
	b := openBench(t, files)
	for file := range files {
		b.choose(file)
		for _, tab := range tabs {
			began := time.Now()
			got := b.seen(tab)
			if len(strings.Fields(got)) < 4 || strings.Contains(got, "undefined") || strings.Contains(got, "NaN") ||
				strings.Contains(got, "null") {
				t.Errorf("%s, %s: %q: want a sentence", file, tab, got)
			}
			if bad := b.Says(`document.documentElement.scrollWidth > innerWidth`); bad == "true" {
				t.Errorf("%s, %s: wider than the window", file, tab)
			}
			if os.Getenv("RTHS_SHOTS") != "" {
				t.Logf("%s, %s: %v: %.300q", file, tab, time.Since(began), got)
				b.shot("bench-" + strings.TrimSuffix(file, ".yaml") + "-" + tab)
			}
		}
		b.Says(`rthsBench.open("try")`)
	}
	b.calm()
}

// The drawing has the numerical part, its modes and the actuator at its place; a click on a part goes to its block.
func TestBrowserWorkbenchDrawing(t *testing.T) {
	soil := string(must(os.ReadFile("../../scenarios/soil-structure.yaml")))
	b := openBench(t, map[string]string{"frame.yaml": must(frame()), "soil.yaml": soil})
	b.seen("draw")
	if got := b.Says(`document.querySelectorAll(".scheme figure").length`); got != "4" {
		t.Errorf("%s pictures: want the numerical part and three modes", got)
	}
	b.press(button("Specimen"), 1)
	b.Until(`document.activeElement.className.includes("cm-content") &&
  document.querySelector(".cm-activeLine").textContent.startsWith("specimen:")`, 5*time.Second)
	b.choose("soil.yaml")
	b.Until(`document.querySelectorAll(".scheme figure").length === 1`, 10*time.Second)
	inPlace := b.Says(`(() => { const at = e => document.querySelector(".scheme " + e).getBoundingClientRect();
  const dot = at("circle"), mesh = at("path");
  return Math.abs(dot.y + dot.height / 2 - mesh.y) < 3 && Math.abs(dot.x + dot.width / 2 - mesh.x - mesh.width / 2) < 3; })()`)
	if inPlace != "true" {
		t.Error("the actuator is not in the middle of the top of the foundation")
	}
	b.calm()
}

// The map fills row by row and can be stopped; wrong keys say what is wrong.
func TestBrowserWorkbenchMap(t *testing.T) {
	b := openBench(t, map[string]string{"frame.yaml": must(frame())})
	b.seen("map")
	fields := view + `.querySelectorAll("input")`
	if got := b.Says(`[...` + fields + `].map(i => i.value).join()`); got !=
		"specimen.stiffness,2500000,10000000,transfer.omega_rad_s,50,200,J2_pct,15" {
		t.Errorf("%s: want keys of the text, from half to double", got)
	}
	if got := b.Says(`[...document.querySelectorAll("#map-keys option")].map(o => o.value).join()`); !strings.Contains(got,
		"structure.masses[2],") || !strings.Contains(got, "structure.damping.rayleigh.ratio,") {
		t.Errorf("%s: want all numbers of the text", got)
	}
	set := func(i int, text string) {
		b.press(fmt.Sprintf("%s[%d]", fields, i), 3)
		b.keys(text)
	}
	said := view + `.querySelector("[role=status]").innerText`
	set(7, "4")
	b.press(button("Draw"), 1)
	b.Until(`/^4 of 16 runs/.test(`+said+`)`, 20*time.Second)
	b.Until(`/^16 of 16 runs/.test(`+said+`)`, 20*time.Second)
	b.shot("workbench-map-drawn")
	b.press(view+`.querySelector("canvas")`, 1)
	b.Until(`/^specimen.stiffness = .*, transfer.omega_rad_s = .*: J2_pct = /.test(`+said+`)`, 5*time.Second)
	set(7, "60")
	b.press(button("Draw"), 1)
	b.Until(`/^60 of 3600 runs/.test(`+said+`)`, 20*time.Second)
	b.press(button("Stop"), 1)
	b.Until(`/^Stopped. [0-9]+ of 3600 runs/.test(`+said+`)`, 5*time.Second)
	set(7, "3")
	for _, c := range []struct {
		field             int
		wrong, want, mend string
	}{
		{6, "J99", "J2_pct", "J2_pct"}, {0, "specimen.stifness", "stiffness", "specimen.stiffness"},
		{1, "a", "want number", "1e6"},
		{3, "transfer", "transfer", "transfer.omega_rad_s"},
	} {
		set(c.field, c.wrong)
		b.press(button("Draw"), 1)
		b.Until(fmt.Sprintf(`%s.includes(%q) && %s.includes(%q)`, said, c.wrong, said, c.want), 10*time.Second)
		set(c.field, c.mend)
	}
	b.calm()
}

// Everything is reached and used by the keyboard, and has a name.
func TestBrowserWorkbenchKeyboard(t *testing.T) {
	b := openBench(t, map[string]string{"frame.yaml": must(frame())})
	const controls = `[...document.querySelectorAll("button, input, select, a[href], .cm-content, [tabindex='0']")]
  .filter(e => e.checkVisibility() && !e.disabled && e.tabIndex >= 0)`
	b.Says(`document.body.setAttribute("tabindex", "-1"), document.body.focus()`)
	for range 100 {
		b.keys("\t")
		if b.Says(`document.activeElement.className.includes("cm-content")`) == "true" {
			b.keys(kb.Escape) // the next Tab leaves the editor
		}
		b.Until(`(() => { const e = document.activeElement, line = (e, of) => getComputedStyle(e, of).outlineStyle !== "none";
  return e === document.body || line(e) || line(e.closest(".cm-editor") || e, "::after"); })()`, 5*time.Second)
		b.Says(`document.activeElement.dataset.met = 1`)
		if b.Says(controls+`.every(e => e.dataset.met)`) == "true" {
			break
		}
	}
	if got := b.Says(controls + `.filter(e => !e.dataset.met).map(e => e.outerHTML.slice(0, 120)).join()`); got != "" {
		t.Errorf("not reached with Tab: %s", got)
	}
	const nameless = `[...document.querySelectorAll("button, input, select, a[href], .cm-content, meter, canvas, img")]
  .filter(e => e.checkVisibility() && !e.closest(".uplot") && !(e.innerText || e.ariaLabel || e.alt || e.title ||
  [...(e.labels || [])].map(l => l.innerText).join("")).trim()).map(e => e.outerHTML.slice(0, 120)).join()`
	b.Says(`document.getElementById("tab-try").focus()`)
	for _, tab := range append(slices.Clone(tabs[1:]), "lab", "runs", "study", tabs[0]) {
		b.keys(kb.ArrowRight)
		b.Until(`document.activeElement.id === "tab-`+tab+`" && document.activeElement.ariaSelected === "true"`,
			5*time.Second)
		b.Until(view+`.innerText.length > 20`, 20*time.Second)
		if got := b.Says(nameless); got != "" {
			t.Errorf("%s: without a name: %s", tab, got)
		}
	}
	b.keys(kb.End)
	b.Until(`document.activeElement.id === "tab-study"`, 5*time.Second)
	b.keys(kb.Home)
	b.Until(`document.activeElement.id === "tab-try"`, 5*time.Second)
	b.Says(`rthsBench.editor.show(10, 10)`)
	b.keys(kb.ArrowUp, kb.ModifierAlt)
	b.ran()
	b.write("frame.yaml", "name: other\n")
	b.keys("s", kb.ModifierCtrl)
	b.Until(asked+` && /^Keep mine/.test(document.activeElement.textContent)`, 5*time.Second)
	b.keys("\t")
	b.keys("\r")
	b.Until(`rthsBench.place().path === "frame-mine.yaml"`, 5*time.Second)
	b.calm()
}

// Contrast, size of texts and width of the page, light and dark, from 400 to 1920 pixels.
func TestBrowserWorkbenchSizes(t *testing.T) {
	text := must(frame())
	b := openBench(t, map[string]string{"frame.yaml": text, "wrong.yaml": text + "wrong: 1\n"})
	for _, file := range []string{"frame.yaml", "wrong.yaml"} {
		b.choose(file)
		for _, tab := range tabs {
			b.seen(tab)
			for _, width := range []int64{1920, 1400, 860, 400} {
				for _, dark := range []bool{false, true} {
					b.Size(width, 1000, dark)
					b.Until(fmt.Sprintf(`innerWidth === %d`, width), 5*time.Second)
					where := fmt.Sprintf("%s, %s, %d, dark %v", file, tab, width, dark)
					if got := b.Says(`document.documentElement.scrollWidth`); got != fmt.Sprint(width) {
						t.Errorf("%s: the page is %s wide", where, got)
					}
					for _, line := range b.badTexts(11, 20) {
						t.Errorf("%s: %s", where, line)
					}
					b.Until(`(() => { const line = document.querySelectorAll(".cm-line")[6].getBoundingClientRect();
  const number = [...document.querySelectorAll(".cm-lineNumbers .cm-gutterElement")].find(e => e.textContent === "7");
  return Math.abs(number.getBoundingClientRect().y - line.y) < 4; })()`, 5*time.Second)
					if os.Getenv("RTHS_SHOTS") != "" && file == "frame.yaml" && dark == (width == 400) {
						b.shot(fmt.Sprintf("workbench-%s-%d", tab, width))
					}
				}
			}
			b.Size(1400, 900, false)
		}
	}
	b.calm()
}

// On paper stands the view, without the editor and uncut.
func TestBrowserWorkbenchPrints(t *testing.T) {
	b := openBench(t, map[string]string{"frame.yaml": must(frame())})
	b.Size(1400, 1000, true)
	for _, tab := range tabs {
		b.seen(tab)
		b.Says(`addEventListener("beforeprint", () => { window.printing = ` + view + `.clientWidth; }, { once: true })`)
		if _, err := chromedp.Call(b.Ctx, page.PrintToPDF, page.PrintToPDFParams{}); err != nil {
			t.Fatal(err)
		}
		if got := b.Says("printing"); got != "718" {
			t.Errorf("%s: on paper the view is %s wide: want 718", tab, got)
		}
		paper := emulation.SetEmulatedMediaParams{Media: "print"}
		if _, err := chromedp.Call(b.Ctx, emulation.SetEmulatedMedia, paper); err != nil {
			t.Fatal(err)
		}
		b.Do(chromedp.EmulateViewport(716, 1000))
		b.Says(`dispatchEvent(new Event("beforeprint"))`)
		if got := b.Says(`[...document.querySelectorAll("body *")]
  .filter(e => e.checkVisibility() && !e.closest(".uplot, svg"))
  .filter(e => e.closest("#text, .bar, [role=tablist]") || e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0 ||
    e.getBoundingClientRect().right > 719).map(e => e.id || e.className || e.tagName).join()`); got != "" {
			t.Errorf("%s: cut off on paper, or not to be there: %s", tab, got)
		}
		b.shot("workbench-paper-" + tab)
		b.Says(`dispatchEvent(new Event("afterprint"))`)
		b.Size(1400, 1000, true)
	}
	b.calm()
}
