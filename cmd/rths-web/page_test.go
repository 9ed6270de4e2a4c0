//go:build !js

package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"rths/kit/browsertest"
	"rths/kit/rthstest"
	"rths/workbench"
)

// built is the page, made once.
var built = sync.OnceValues(func() ([]byte, error) { return made("test") })

// opened is the page of one file, opened from the disk with a scenario of the program.
func opened(t *testing.T, scenario string) (b *browsertest.Browser, text string) {
	t.Helper()
	b = browsertest.New(t, 3*browsertest.Within)
	page, err := built()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "rths.html")
	if err := os.WriteFile(file, page, 0o644); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile("../../scenarios/" + scenario)
	if err != nil {
		t.Fatal(err)
	}
	text = string(raw)
	b.Size(1400, 1000, false)
	b.Do(chromedp.Navigate("file://" + file + "?name=example&text=" + url.QueryEscape(text)))
	b.Until("!!window.rthsTried", time.Minute)
	return b, text
}

// frames are the columns of a table of a run.
func frames(t *testing.T, csv string) (names []string, columns [][]float64) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(csv), "\n")
	names = strings.Split(lines[0], ",")
	columns = make([][]float64, len(names))
	for _, line := range lines[1:] {
		for i, field := range strings.Split(line, ",") {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				t.Fatal(err)
			}
			columns[i] = append(columns[i], v)
		}
	}
	return names, columns
}

// The page from a file runs all shipped scenarios, with an artificial ground motion where theirs is in a file. Its
// frames are those of this program to the bit.
func TestBrowserPageHasTheSameFrames(t *testing.T) {
	b, text := opened(t, "init/benchmark.yaml")
	desk := deskOf(t)
	texts := rthstest.Shipped(t, "../../scenarios")
	texts["init/benchmark.yaml"] = text
	for name, text := range texts {
		place := workbench.Place{Path: name, Text: text}
		want, err := desk.CSV(t.Context(), place, func(float64) {})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		answer := asked[workbench.Table](b, "csv", place).CSV
		if answer == want.CSV {
			continue
		}
		names, ours := frames(t, want.CSV)
		others, theirs := frames(t, answer)
		if !slices.Equal(names, others) || len(ours[0]) != len(theirs[0]) {
			t.Fatalf("%s: %q of %d rows: want %q of %d", name, others, len(theirs[0]), names, len(ours[0]))
		}
		for i, column := range names {
			peak, worst := 0.0, 0.0
			for k, v := range ours[i] {
				peak, worst = math.Max(peak, math.Abs(v)), math.Max(worst, math.Abs(v-theirs[i][k]))
			}
			if worst != 0 {
				t.Errorf("%s: %s differs by %.2g of its peak", name, column, worst/peak)
			}
		}
	}
}

// What the page says of a text is what this program says, word for word: of shipped scenarios with mistakes.
func TestBrowserPageSaysTheSame(t *testing.T) {
	b, _ := opened(t, "demo.yaml")
	desk := deskOf(t)
	list, err := filepath.Glob("../../scenarios/*.yaml")
	if err != nil || len(list) < 20 {
		t.Fatal(list, err)
	}
	r := rand.New(rand.NewPCG(3, 4))
	remarks := 0
	for _, file := range list {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			text := spoilt(r, string(raw))
			in := workbench.Place{Path: filepath.Base(file), Text: text}
			body, _ := json.Marshal(in)
			want, err := desk.Call(t.Context(), "check", body, nil)
			if err != nil {
				t.Fatal(err)
			}
			got := asked[workbench.Checked](b, "check", in)
			if !reflect.DeepEqual(want, got) {
				t.Errorf("%s:\n%+v\nwant\n%+v\nin %s", file, got, want, text)
			}
			remarks += len(got.Remarks)
		}
	}
	if remarks < 60 {
		t.Errorf("%d remarks were compared", remarks)
	}
}

// spoilt is a text of which one word or number is another.
func spoilt(r *rand.Rand, text string) string {
	lines := strings.Split(text, "\n")
	for range 20 {
		k := r.IntN(len(lines))
		line := lines[k]
		if strings.HasPrefix(line, "#") || !strings.Contains(line, ":") {
			continue
		}
		switch r.IntN(4) {
		case 0:
			lines[k] = strings.Replace(line, ":", "x:", 1)
		case 1:
			lines[k] = strings.Replace(line, ": ", ": -", 1)
		case 2:
			lines[k] = strings.Replace(line, "{", "[", 1)
		default:
			lines = slices.Delete(lines, k, k+1)
		}
		break
	}
	return strings.Join(lines, "\n")
}

// A number that is dragged runs anew, a text that was saved is there again, and what a browser cannot run says why.
func TestBrowserPageOfOneFile(t *testing.T) {
	b, whole := opened(t, "init/benchmark.yaml")
	const sentence = "document.querySelector('.verdict').textContent"
	if got := b.Says(sentence); !strings.HasPrefix(got, "Completed") {
		t.Errorf("%s: want a run that has completed", got)
	}
	before := b.Says("rthsTried")
	var x, y float64
	at := `(() => { const r = [...document.querySelectorAll(".cm-number")].find(e => e.textContent === "0.13")
  .getBoundingClientRect(); return (r.left + r.width / 2) + " " + (r.top + r.height / 2); })()`
	if _, err := fmt.Sscanf(b.Says(at), "%g %g", &x, &y); err != nil {
		t.Fatal(err)
	}
	mouse := func(of input.DispatchMouseEventType, x float64) {
		p := input.DispatchMouseEventParams{Type: of, X: x, Y: y, Button: input.MouseButtonLeft, Buttons: 1, ClickCount: 1}
		if _, err := chromedp.Call(b.Ctx, input.DispatchMouseEvent, p); err != nil {
			t.Fatal(err)
		}
	}
	mouse(input.DispatchMouseEventTypeMousePressed, x)
	for dx := 4.0; dx <= 60; dx += 4 {
		mouse(input.DispatchMouseEventTypeMouseMoved, x+dx)
	}
	mouse(input.DispatchMouseEventTypeMouseReleased, x+60)
	b.Until("rthsTried > "+before+" && !/pga_g: 0.13}/.test(rthsBench.editor.text())", 20*time.Second)
	b.Shot("one-file")
	b.Says("(rthsBench.save(false), 0)")
	b.Until(`document.getElementById("state").textContent === "saved"`, 10*time.Second)
	b.Do(chromedp.Reload())
	b.Until("!!window.rthsTried && !/pga_g: 0.13}/.test(rthsBench.editor.text())", time.Minute)
	type refused struct{ Error string }
	for text, want := range map[string]string{
		"compensator: {kind: wasm, file: own.wasm}": "a page without rths reads no files",
		"ground: {file: own.at2}":                   "own.at2: a page without rths reads no files",
		"ground: {record: elcentro}":                "the folder of records is not known",
	} {
		key, _, _ := strings.Cut(text, ":")
		lines := slices.DeleteFunc(strings.Split(whole, "\n"), func(l string) bool { return strings.HasPrefix(l, key+":") })
		whole := workbench.Place{Path: "x.yaml", Text: strings.Join(append(lines, text), "\n")}
		in := workbench.Try{Place: whole, Points: 500}
		if got := asked[refused](b, "try", in).Error; !strings.Contains(got, want) {
			t.Errorf("%s: %s: want %s", text, got, want)
		}
	}
	external, err := os.ReadFile("../../examples/opensees/spring/test.yaml")
	if err != nil {
		t.Fatal(err)
	}
	in := workbench.Try{Place: workbench.Place{Path: "x.yaml", Text: string(external)}, Points: 500}
	if got := asked[refused](b, "try", in).Error; !strings.Contains(got, "another program integrates the structure") {
		t.Errorf("OpenSees: %s", got)
	}
	if len(b.Wrong) > 0 {
		t.Errorf("console: %q", b.Wrong)
	}
}

func deskOf(t *testing.T) *workbench.Desk {
	t.Helper()
	desk, err := workbench.Open(t.TempDir(), "", "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { desk.Close() })
	return desk
}

// asked is the answer of the page's program to a call. Long texts are read in parts.
func asked[Out any](b *browsertest.Browser, name string, in any) (out Out) {
	b.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		b.Fatal(err)
	}
	b.Says(fmt.Sprintf(`(window.got = "", server.call(%q, %s).then(v => { got = JSON.stringify(v); },
  e => { got = JSON.stringify({ Error: e.message }); }), 0)`, name, body))
	b.Until("!!got", time.Minute)
	var text strings.Builder
	const part = 1 << 22
	for n := 0; ; n += part {
		s := b.Says(fmt.Sprintf("got.slice(%d, %d)", n, n+part))
		text.WriteString(s)
		if len(s) < part {
			break
		}
	}
	if err := json.Unmarshal([]byte(text.String()), &out); err != nil {
		b.Fatal(err)
	}
	return out
}
