package front_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const editorPage = `<!DOCTYPE html><html lang="en"><title>editor</title><link rel="icon" href="/icon">
<button id="before">before</button><div id="place"></div><button id="after">after</button>
<script src="/editor.js"></script><script src="/page.js"></script></html>`

const editorText = `# a comment with 5
name: demo 12 # 13
rate_hz: 4096
structure: {kind: silva2020, case: 1, mass: 1.19e6}
ground: {scale: 0.4, "7": "8", bad: -0.5}
`

// editorScript is what a page does with the editor; it notes what it is told in told and moved.
const editorScript = `
const told = [], moved = []
let editor = rthsEditor.create(document.getElementById("place"), {
  text: %q, nonce: "n0nce",
  onChange: (text, {dragging}) => told.push([text, dragging]),
  onCursor: (line, column) => moved.push(line + ":" + column),
  complete: async (text, line, column) => ({from: 1, items: [
    {label: "integrator", detail: "<i>steps</i>", info: "<b>time</b>", apply: "integrator: "},
    {label: "include"}, {label: "limits"}]}),
  hover: async (text, line, column) => line !== 3 ? null :
    {from: 1, to: 8, title: "rate_hz", text: "<b>ticks</b> " + column},
})
const line = n => editor.text().split("\n")[n - 1]
const all = (selector, of) => [...document.querySelectorAll(selector)].map(of).join("|")
// spot is the middle of the number with this text.
const spot = text => {
  const of = [...document.querySelectorAll(".cm-number")].find(e => e.textContent === text).getBoundingClientRect()
  return [of.x + of.width / 2, of.y + of.height / 2]
}
const channel = c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4
const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b)
const parts = colour => colour.match(/[\d.]+/g).map(Number)
const ground = e => {
  for (; e; e = e.parentElement) {
    const colour = parts(getComputedStyle(e).backgroundColor)
    if (colour.length === 3) return colour
  }
  return [255, 255, 255]
}
const contrast = e => {
  const [a, b] = [light(parts(getComputedStyle(e).color)), light(ground(e))]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}
// pale are the texts with a contrast below 4.5.
const pale = selector => [...document.querySelectorAll(selector)].filter(e => e.textContent.trim() && contrast(e) < 4.5)
  .map(e => e.className + " " + e.textContent + " " + contrast(e)).join("|")
`

// openEditor opens a page with the editor, under the policy of the workbench.
func openEditor(t *testing.T) browser {
	b := newBrowser(t)
	bundle, err := os.ReadFile("assets/editor.js")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][2]string{
		"/":          {"text/html", editorPage},
		"/editor.js": {"text/javascript", string(bundle)},
		"/page.js":   {"text/javascript", fmt.Sprintf(editorScript, editorText)},
		"/icon":      {"image/x-icon", ""},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file := files[r.URL.Path]
		w.Header().Set("Content-Type", file[0]+"; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'self'; style-src 'self' 'nonce-n0nce'")
		fmt.Fprint(w, file[1])
	}))
	t.Cleanup(server.Close)
	b.Do(chromedp.Navigate(server.URL))
	b.until("document.querySelectorAll('.cm-number').length", "5")
	t.Cleanup(func() {
		b.Lock()
		defer b.Unlock()
		if len(b.Wrong) > 0 {
			t.Errorf("console: %q", b.Wrong)
		}
	})
	return b
}

// keys presses keys one after the other.
func (b browser) keys(keys string, modifiers ...kb.Modifier) {
	b.Helper()
	b.Do(chromedp.KeyEvent(keys, chromedp.KeyModifiers(modifiers...)))
}

// spot is the middle of a number on the page.
func (b browser) spot(number string) (x, y float64) {
	b.Helper()
	if _, err := fmt.Sscanf(b.Says(fmt.Sprintf("spot(%q).join(' ')", number)), "%g %g", &x, &y); err != nil {
		b.Fatal(err)
	}
	return x, y
}

// mouse moves, presses or releases.
func (b browser) mouse(of input.DispatchMouseEventType, x, y float64, down int64, modifiers ...kb.Modifier) {
	b.Helper()
	p := input.DispatchMouseEventParams{Type: of, X: x, Y: y, Buttons: down}
	for _, m := range modifiers {
		p.Modifiers |= m.Int64()
	}
	if of != input.DispatchMouseEventTypeMouseMoved {
		p.Button, p.ClickCount = input.MouseButtonLeft, 1
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

// Numbers are values, not parts of names, keys, comments or quoted texts.
func TestBrowserEditorMarksNumbers(t *testing.T) {
	b := openEditor(t)
	b.until("all('.cm-number', e => e.textContent)", "4096|1|1.19e6|0.4|-0.5")
	b.until("all('.cm-number', e => getComputedStyle(e).cursor).split('|').every(c => c === 'ew-resize')", "true")
	b.until("JSON.stringify(editor.numberAt(4, 46))", `{"from":45,"to":51,"text":"1.19e6"}`)
	b.until("editor.numberAt(4, 20)", "null")
}

func TestBrowserEditorDrags(t *testing.T) {
	b := openEditor(t)
	x, y := b.spot("0.4")
	b.mouse(moves, x, y, 0)
	b.mouse(presses, x, y, 1)
	b.mouse(moves, x+2, y, 1)
	b.until("told.length", "0")
	for dx := 4.0; dx <= 40; dx += 4 {
		b.mouse(moves, x+dx, y, 1)
	}
	b.until("line(5).slice(0, 19)", "ground: {scale: 0.5")
	b.until("told.every(([, dragging]) => dragging)", "true")
	b.mouse(moves, x+44, y, 1, kb.ModifierShift) // from here on finer
	b.mouse(moves, x+52, y, 1, kb.ModifierShift)
	b.until("line(5).slice(0, 21)", "ground: {scale: 0.502")
	b.mouse(releases, x+52, y, 0)
	b.until("told.at(-1)[1]", "false")
	b.until("told.at(-1)[0] === editor.text()", "true")
	b.until("moved.at(-1)", "5:22")

	x, y = b.spot("0.502") // A second drag is a second step of the history.
	b.mouse(presses, x, y, 1)
	b.mouse(moves, x-8, y, 1)
	b.until("line(5).slice(0, 21)", "ground: {scale: 0.500")
	b.mouse(moves, x-12, y, 1)
	b.mouse(releases, x-12, y, 0)
	b.keys("z", kb.ModifierCtrl)
	b.until("line(5).slice(0, 21)", "ground: {scale: 0.502")
	b.keys("z", kb.ModifierCtrl)
	b.until("editor.text() === told[0][0].replace('0.41', '0.4')", "true")
	b.keys("y", kb.ModifierCtrl)
	b.until("line(5).slice(0, 21)", "ground: {scale: 0.502")
	b.keys("z", kb.ModifierCtrl)

	x, y = b.spot("1.19e6") // Escape takes a drag back.
	b.mouse(presses, x, y, 1)
	b.mouse(moves, x+80, y, 1)
	b.until("line(4).slice(-7)", "1.39e6}")
	b.keys(kb.Escape)
	b.until("line(4).slice(-7)", "1.19e6}")
	b.mouse(moves, x+120, y, 1)
	b.mouse(releases, x+120, y, 0)
	b.until("line(4).slice(-7)", "1.19e6}")

	x, y = b.spot("4096") // A click places the cursor.
	b.mouse(presses, x-1, y, 1)
	b.mouse(releases, x-1, y, 0)
	b.until("moved.at(-1)", "3:12")
	b.keys("7")
	b.until("line(3)", "rate_hz: 40796")
}

// A finger that goes sideways on a number turns it.
func TestBrowserEditorTouch(t *testing.T) {
	b := openEditor(t)
	touch := func(of input.DispatchTouchEventType, at ...*input.TouchPoint) {
		t.Helper()
		_, err := chromedp.Call(b.Ctx, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: of, TouchPoints: at})
		if err != nil {
			t.Fatal(err)
		}
	}
	x, y := b.spot("0.4")
	touch(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: x, Y: y})
	for dx := 4.0; dx <= 80; dx += 4 {
		touch(input.DispatchTouchEventTypeTouchMove, &input.TouchPoint{X: x + dx, Y: y})
	}
	touch(input.DispatchTouchEventTypeTouchEnd)
	b.until("told.length > 0 && told.at(-1)[1]", "false")
	b.until("Number(line(5).match(/scale: ([0-9.]+)/)[1]) > 0.5", "true")
}

// A text that is only read changes neither by dragging nor by keys.
func TestBrowserEditorReadOnly(t *testing.T) {
	b := openEditor(t)
	b.Says(`(editor.destroy(), editor = rthsEditor.create(document.getElementById("place"),
		{text: "a: 4096\nb: 2", readOnly: true, nonce: "n0nce", onChange: text => told.push([text])}), 1)`)
	b.until("all('.cm-number', e => e.textContent + getComputedStyle(e).cursor)", "4096auto|2auto")
	x, y := b.spot("4096")
	b.mouse(moves, x, y, 0)
	b.mouse(presses, x, y, 1)
	b.mouse(moves, x+80, y, 1)
	b.mouse(releases, x+80, y, 0)
	b.keys(kb.ArrowUp, kb.ModifierAlt)
	b.keys("5")
	b.until("editor.text()", "a: 4096\nb: 2")
	b.until("told.length", "0")
}

func TestBrowserEditorTurnsWithKeys(t *testing.T) {
	b := openEditor(t)
	b.Says("editor.show(5, 18)")
	b.keys(kb.ArrowUp, kb.ModifierAlt)
	b.keys(kb.ArrowUp, kb.ModifierAlt)
	b.until("line(5).slice(0, 20)", "ground: {scale: 0.42")
	b.keys(kb.ArrowDown, kb.ModifierAlt, kb.ModifierShift)
	b.until("line(5).slice(0, 21)", "ground: {scale: 0.419")
	b.Says("editor.undo()") // quick repeats are one step
	b.until("line(5).slice(0, 20)", "ground: {scale: 0.4,")
	b.Says("editor.setText(editor.text().replace('0.4', '0.9'), {keepHistory: true})")
	b.until("told.at(-1)[0].includes('0.9')", "false")
	b.keys(kb.End)
	b.keys("x")
	b.Says("editor.undo()")
	b.until("line(5).slice(0, 20)", "ground: {scale: 0.9,")
	b.Says("editor.setText('a: 1')")
	b.Says("editor.undo()")
	b.until("editor.text()", "a: 1")
	b.Says("editor.setText('a: 12', {keepHistory: true, joins: false})")
	b.Says("editor.setText('a: 12\\nb: 3', {keepHistory: true, joins: true})")
	b.Says("editor.undo()")
	b.until("editor.text()", "a: 1")
}

func TestBrowserEditorCompletes(t *testing.T) {
	b := openEditor(t)
	b.Says("editor.show(6, 1)")
	b.keys("int")
	b.until("all('.cm-tooltip-autocomplete li', e => e.textContent)", "integrator<i>steps</i>")
	b.until("all('.cm-completionInfo', e => e.textContent)", "<b>time</b>")
	b.until("document.querySelectorAll('#place b, #place i').length", "0")
	b.until("all('.cm-tooltip-autocomplete li', e => e.ariaSelected)", "true")
	time.Sleep(200 * time.Millisecond) // a list that has just come takes no key for 75 ms
	b.keys(kb.Enter)
	b.until("line(6)", "integrator: ")
	b.keys(kb.Enter + "li")
	b.until("all('.cm-tooltip-autocomplete li', e => e.textContent)", "limits")
	b.keys(kb.Escape)
	b.until("all('.cm-tooltip-autocomplete li', e => e.textContent)", "")
	b.keys(kb.Backspace + kb.Backspace)
	b.keys(" ", kb.ModifierCtrl)
	b.until("all('.cm-tooltip-autocomplete li', e => e.textContent)", "integrator<i>steps</i>|include|limits")
}

func TestBrowserEditorHelps(t *testing.T) {
	b := openEditor(t)
	x, y := b.spot("4096")
	b.mouse(moves, x, y+80, 0)
	b.mouse(moves, x-1, y, 0)
	b.until("all('.cm-help > div', e => e.textContent).replace(/ticks<.b> 1[0-4]/, 'ticks')",
		"rate_hz|<b>ticks|Drag sideways, or Alt+↑ and Alt+↓; with Shift ten times finer.")
	b.until("document.querySelectorAll('#place b').length", "0")
	b.until("pale('.cm-help > div')", "")
}

func TestBrowserEditorShowsDiagnostics(t *testing.T) {
	b := openEditor(t)
	b.Says(`editor.diagnostics([{severity: "warning", line: 5, column: 17, text: "<b>large</b>"},
		{severity: "error", line: 3, column: 1, text: "wrong"}, {severity: "info", line: 99, column: 99, text: "end"},
		{severity: "error", line: 2, column: 0, text: "the line"}])`)
	b.until("all('.cm-lintRange-error', e => e.textContent)", "name: demo 12 # 13|rate_hz")
	b.until("all('.cm-lintRange-warning', e => e.textContent)", "0.4")
	b.until("all('.cm-gutter-lint .cm-lint-marker', e => e.className.slice(15))",
		"cm-lint-marker-error|cm-lint-marker-error|cm-lint-marker-warning|cm-lint-marker-info")
	b.Says("editor.show(3, 9)")
	b.keys(kb.F8)
	b.until("moved.at(-1)", "5:20") // behind what is underlined, and now chosen
	x, y := b.spot("0.4")
	b.mouse(moves, x, y+80, 0)
	b.mouse(moves, x, y, 0)
	b.until("all('.cm-diagnostic', e => e.textContent)", "<b>large</b>")
	b.until("pale('.cm-diagnostic')", "")
}

// Tab indents; after Escape it leaves the editor.
func TestBrowserEditorIsLeft(t *testing.T) {
	b := openEditor(t)
	b.Says("editor.show(3, 4)")
	b.keys(kb.Tab)
	b.until("line(3)", "  rate_hz: 4096")
	b.keys(kb.Tab, kb.ModifierShift)
	b.until("line(3)", "rate_hz: 4096")
	b.keys(kb.Escape)
	b.keys(kb.Tab)
	b.until("document.activeElement.id", "after")
	b.until("line(3)", "rate_hz: 4096")
}

// Every text has enough contrast, light and dark, also on the line of the cursor and in the panel of the search.
func TestBrowserEditorContrast(t *testing.T) {
	b := openEditor(t)
	b.Says("editor.show(4, 3)")
	b.keys("f", kb.ModifierCtrl)
	b.until("document.querySelectorAll('.cm-search').length", "1")
	grounds := map[string]string{"light": "255,255,255", "dark": "22,24,28"}
	for scheme, ground := range grounds {
		of := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme",
			Value: scheme}}}
		if _, err := chromedp.Call(b.Ctx, emulation.SetEmulatedMedia, of); err != nil {
			t.Fatal(err)
		}
		b.until("ground(document.querySelector('.cm-editor'))", ground)
		for n := range strings.Count(editorText, "\n") {
			b.Says(fmt.Sprintf("editor.show(%d, 3)", n+1))
			b.until("pale('.cm-line, .cm-line span, .cm-gutterElement, .cm-search *')", "")
		}
	}
	b.until("new Set([...document.querySelectorAll('.cm-line span')].map(e => getComputedStyle(e).color)).size >= 4",
		"true")
}

// A number changes by a unit of one of its digits, and keeps its style.
func TestBrowserEditorSteps(t *testing.T) {
	b := openEditor(t)
	for _, c := range []struct {
		text  string
		ticks int
		finer bool
		want  string
	}{
		{"0.4", 1, false, "0.41"}, {"0.4", 1, true, "0.401"}, {"0.4", -40, false, "0.00"}, {"0.4", -41, false, "-0.01"},
		{"1.19e6", 1, false, "1.20e6"}, {"9.99e6", 1, false, "1.00e7"}, {"1.0e-3", -1, false, "9.0e-4"},
		{"1.19e6", -119, false, "0.00e6"}, {"1.19E+06", 1, false, "1.20E+06"}, {"6.25e-14", 1, false, "6.26e-14"},
		{"1e-6", 1, false, "1.1e-6"}, {"1500e3", 1, false, "1510e3"},
		{"5", 1, false, "6"}, {"5", 1, true, "6"}, {"-1", 1, false, "0"}, {"0", -1, false, "-1"}, {"+5", 1, false, "+6"},
		{"4096", 1, false, "4100"}, {"4096", -1, false, "4090"}, {"4096", 1, true, "4097"}, {"99", 1, false, "100"},
		{"114.6", 1, false, "115.0"}, {"0.123456", 1, false, "0.124"}, {"-0.123456", 1, false, "-0.123"},
		{"0.0", 1, false, "0.1"}, {".5", 1, false, "0.51"}, {"5.", 1, false, "5.1"},
		{"12", 0, false, "12"}, {"010", 1, false, "010"},
		{"silva2020", 1, false, "silva2020"}, {"0x1F", 1, false, "0x1F"},
	} {
		if got := b.Says(fmt.Sprintf("rthsEditor.step(%q, %d, %t)", c.text, c.ticks, c.finer)); got != c.want {
			t.Errorf("%s, %d ticks, finer %t: %s: want %s", c.text, c.ticks, c.finer, got, c.want)
		}
	}
}
