package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
)

// asForm shows the form of the text.
func (b *bench) asForm() {
	b.Helper()
	b.press(`document.getElementById("as-form")`, 1)
	b.formed()
}

// formed waits until the form is that of the text.
func (b *bench) formed() {
	b.Helper()
	b.Until(`window.rthsFormed === rthsBench.editor.text()`, 10*time.Second)
}

// labelled is the field with that label in the block of that name; "": at the top.
func labelled(block, label string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("#form label")].find(l => l.textContent === %q &&
  (%q === "" ? !l.closest(".block") : l.closest(".block")?.querySelector("strong").textContent === %q))?.control`,
		label, block, block)
}

// block is the head of a block of the form.
func head(name string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("#form summary")].find(s =>
  s.querySelector("strong")?.textContent === %q)`, name)
}

// says waits until the editor has a text.
func (b *bench) reads(want string) {
	b.Helper()
	b.Until(fmt.Sprintf(`rthsBench.editor.text() === %q`, want), 5*time.Second)
	b.formed()
}

// A number of the form changes in its place of the text only, and the test runs anew; one step of Undo brings it back.
// Another kind keeps what it knows. A mistake stands at its field.
func TestBrowserForm(t *testing.T) {
	b := openBench(t, map[string]string{"frame.yaml": must(frame())})
	before, first := b.text(), b.Says(curve)
	with := func(old, new string) string {
		t.Helper()
		if !strings.Contains(before, old) {
			t.Fatalf("%s: want %s in it", before, old)
		}
		return strings.Replace(before, old, new, 1)
	}
	b.asForm()
	rate := labelled("", "rate_hz")
	about := rate + `.getAttribute("aria-describedby").split(" ")
  .map(i => document.getElementById(i).textContent).join("|")`
	if got := b.Says(about); !strings.HasPrefix(got, "Hz|sampling rate of the loop, Hz. Default 4096.") {
		t.Errorf("%s: want unit, line and default of the key", got)
	}
	b.press(rate, 3)
	b.keys("512")
	b.reads(with("rate_hz: 1024", "rate_hz: 512"))
	b.ran()
	b.Until(curve+` !== `+first, 5*time.Second)
	if got := b.Says(`document.activeElement.value + (document.activeElement === ` + rate + `)`); got != "512true" {
		t.Errorf("%s: want the focus in its field", got)
	}
	b.keys(kb.ArrowUp, kb.ModifierAlt)
	b.reads(with("rate_hz: 1024", "rate_hz: 513"))
	b.keys("z", kb.ModifierCtrl)
	b.reads(before)
	b.Until(rate+`.value === "1024"`, 5*time.Second)
	x, y := b.spot(rate + `.labels[0]`)
	b.mouse(moves, x, y, 0, 0)
	b.mouse(presses, x, y, 1, 1)
	for i := range 5 {
		b.mouse(moves, x+8*float64(i+1), y, 1, 0)
	}
	b.mouse(releases, x+40, y, 0, 1)
	b.reads(with("rate_hz: 1024", "rate_hz: 1120"))
	b.press(button("Undo"), 1)
	b.reads(before)
	b.press(rate, 3)
	b.keys(kb.Backspace)
	time.Sleep(400 * time.Millisecond) // an empty field changes nothing yet
	b.reads(before)
	b.keys("\t")
	b.reads(with("rate_hz: 1024\n", ""))
	b.keys("z", kb.ModifierCtrl)
	b.reads(before)

	b.press(head("compensator"), 1)
	choose := func(kind string) {
		b.Says(`(() => { const s = ` + head("compensator") + `.parentElement.querySelector("select");
  s.value = "` + kind + `";
  s.dispatchEvent(new Event("change")); })()`)
	}
	choose("pi")
	b.reads(with("compensator: {kind: amb}", "compensator: {kind: pi}"))
	b.press(labelled("compensator", "kp"), 3)
	b.keys("2,5")
	b.reads(with("compensator: {kind: amb}", `compensator: {kind: pi, kp: "2,5"}`))
	wrong := labelled("compensator", "kp") + `.closest(".slot").querySelector(".error")?.textContent`
	b.Until(`/point before the decimals/.test(`+wrong+`)`, 10*time.Second)
	b.shot("form-mistake")
	choose("amb")
	b.reads(before)
	if got := b.Says(`document.querySelector("#form .top").innerText`); !strings.Contains(got, "compensator.kp") {
		t.Errorf("%q: want what went with the old kind", got)
	}
	b.calm()
}

// The form shows what is not its own: a text that does not parse, a key that is not known, a long list. A click on the
// drawing goes to the field, a list of blocks grows and shrinks.
func TestBrowserFormOddTexts(t *testing.T) {
	text := must(frame())
	long := text + "initial_displacement: [" + strings.Repeat("0, ", 99) + "0]\nodd: 1\n"
	b := openBench(t, map[string]string{"a.yaml": text, "b.yaml": text + "seed: {\n", "c.yaml": long})
	b.asForm()
	b.press(head("limits"), 1)
	b.press(button("Add to limits"), 1)
	b.Until(`/non_finite, action: hold}\n  - {}\n/.test(rthsBench.editor.text())`, 5*time.Second)
	b.Until(`/^channel is missing/.test(`+head("entry 5")+`?.parentElement.querySelector(":scope > .error")?.innerText)`,
		10*time.Second)
	b.press(button("Remove entry 5"), 1)
	b.reads(text)
	b.seen("draw")
	b.press(`[...document.querySelectorAll(".flow button")].find(e => e.textContent.startsWith("Specimen"))`, 1)
	b.Until(`document.activeElement.matches("#form summary") && /^specimen/.test(document.activeElement.textContent)`,
		5*time.Second)
	b.choose("b.yaml")
	b.Until(`/found { without its }/.test(document.querySelector("#form .top").innerText) &&
  !document.querySelector("#form .slots").checkVisibility()`, 5*time.Second)
	b.choose("c.yaml")
	b.formed()
	const odd = `[...document.querySelectorAll("#form .slot")].find(e => e.innerText.startsWith("odd"))`
	b.Until(`/unknown key/.test(`+odd+`.innerText)`, 10*time.Second)
	b.shot("form-odd")
	b.Says(`window.rthsChecked = null`)
	b.press(odd+`.querySelector(".drop")`, 1)
	b.reads(strings.Replace(long, "odd: 1\n", "", 1))
	b.Until(`!!rthsChecked`, 10*time.Second) // remarks that go make room
	const list = `[...document.querySelectorAll("#form .slot")].find(e => e.innerText.startsWith("initial"))`
	if got := b.Says(list + `.innerText`); !strings.Contains(got, "100 numbers") {
		t.Errorf("%q: want the number of numbers", got)
	}
	b.press(list+`.querySelector(".link")`, 1)
	b.Until(`document.activeElement.className.includes("cm-content") &&
  document.querySelector(".cm-activeLine").textContent.startsWith("initial")`, 5*time.Second)
	b.calm()
}

// Every field has a name and enough contrast, light and dark, from 400 to 1920 pixels.
func TestBrowserFormSizes(t *testing.T) {
	text := must(frame())
	b := openBench(t, map[string]string{"frame.yaml": text, "wrong.yaml": text + "seed: x\n"})
	b.asForm()
	b.choose("wrong.yaml")
	b.formed()
	b.Until(`!!document.querySelector("#form p.error")?.textContent`, 10*time.Second)
	b.Says(`document.getElementById("as-form").focus()`)
	const controls = `[...document.querySelectorAll("#form input, #form select, #form button, #form summary")]
  .filter(e => e.checkVisibility() && !e.disabled)`
	for range 60 {
		b.keys("\t")
		b.Says(`document.activeElement.dataset.met = 1`)
	}
	if got := b.Says(controls + `.filter(e => !e.dataset.met).map(e => e.outerHTML.slice(0, 120)).join()`); got != "" {
		t.Errorf("not reached with Tab: %s", got)
	}
	b.Says(`(() => { for (const d of document.querySelectorAll("#form details")) d.open = true; })()`)
	const nameless = `[...document.querySelectorAll("#form input, #form select, #form button, #form summary")]
  .filter(e => e.checkVisibility() && !(e.tagName !== "SELECT" && e.innerText || e.ariaLabel ||
  [...(e.labels || [])].map(l => l.innerText).join(""))).map(e => e.outerHTML.slice(0, 120)).join()`
	if got := b.Says(nameless); got != "" {
		t.Errorf("without a name: %s", got)
	}
	for _, width := range []int64{1920, 1400, 860, 400} {
		for _, dark := range []bool{false, true} {
			b.Size(width, 1000, dark)
			b.Until(fmt.Sprintf(`innerWidth === %d`, width), 5*time.Second)
			where := fmt.Sprintf("%d, dark %v", width, dark)
			const wide = `document.documentElement.scrollWidth > innerWidth ||
  document.getElementById("form").scrollWidth > document.getElementById("form").clientWidth`
			if b.Says(wide) == "true" {
				t.Errorf("%s: wider than the window", where)
			}
			for _, line := range b.badTexts(11, 20) {
				t.Errorf("%s: %s", where, line)
			}
			b.shot(fmt.Sprintf("form-%d-%v", width, dark))
		}
	}
	b.calm()
}
