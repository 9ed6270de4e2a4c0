package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"rths/run/page"
	"rths/run/workbench"
)

// benchOf serves the workbench of a folder, as rths ui does.
func benchOf(t testing.TB, folder, address string) *page.Workbench {
	t.Helper()
	desk, err := workbench.Open(folder, os.Getenv("RTHS_RECORDS"), "a test")
	if err != nil {
		t.Fatal(err)
	}
	site := map[string][]byte{"index.html": []byte("<h1>docs</h1>")}
	w, err := page.ListenWorkbench(address, desk, site)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close(); desk.Close() })
	return w
}

// tried waits until the newest text has run, and says what the page says of it.
func (b *browser) tried(after int) string {
	b.Helper()
	b.until(fmt.Sprintf(`(window.rthsTried || 0) > %d || /^[a-z]/.test((document.querySelector(".verdict") || { textContent: "" }).textContent)`, after),
		30*time.Second)
	return b.says(`document.querySelector(".verdict").textContent`)
}

// From an empty folder to a judged run of a frame: a template is taken, and the run is there.
func TestBrowserWorkbenchBegins(t *testing.T) {
	b := newBrowser(t)
	folder := t.TempDir()
	w := benchOf(t, folder, "127.0.0.1:0")
	b.size(1400, 900, false)
	b.do(chromedp.Navigate(w.URL()))
	b.until(`document.querySelectorAll("#new option").length > 3`, 20*time.Second)
	if text := b.says(`document.getElementById("notice").textContent`); !strings.Contains(text, "no scenario yet") {
		t.Errorf("%s: want a word on the empty folder", text)
	}
	if hash := b.says("location.hash + document.cookie"); hash != "" {
		t.Errorf("the token is left in %q", hash)
	}
	b.says(`(() => { const n = document.getElementById("new"); n.value = "frame"; n.dispatchEvent(new Event("change")); })()`)
	if got := b.tried(0); !strings.HasPrefix(got, "Completed") {
		t.Errorf("%s: want a judged run", got)
	}
	if text, err := os.ReadFile(filepath.Join(folder, "frame.yaml")); err != nil || !strings.Contains(string(text), "name: frame") {
		t.Errorf("%s %v: want the template as a file", text, err)
	}
	if os.Getenv("RTHS_SHOTS") != "" {
		b.shots()
	}
	b.quietAt(w)
}

// shots are pictures to be looked at.
func (b *browser) shots() {
	for _, tab := range []string{"try", "draw", "bode", "stability", "ground", "limits", "actuator", "map"} {
		b.says(`rthsBench.open("` + tab + `")`)
		time.Sleep(3 * time.Second) // nobody but a person looks at these
		for _, s := range []struct {
			width int64
			dark  bool
		}{{1400, false}, {400, true}} {
			b.size(s.width, 1000, s.dark)
			time.Sleep(500 * time.Millisecond)
			b.shot(fmt.Sprintf("workbench-%s-%d", tab, s.width))
		}
	}
}

// quietAt wants no error in the console and no request elsewhere.
func (b *browser) quietAt(w *page.Workbench) {
	b.Helper()
	b.Lock()
	defer b.Unlock()
	if len(b.wrong) > 0 {
		b.Errorf("console: %q", b.wrong)
	}
	own, _, _ := strings.Cut(w.URL(), "#")
	for _, address := range b.asked {
		if !strings.HasPrefix(address, own) && !strings.HasPrefix(address, "blob:") && !strings.HasPrefix(address, "data:") {
			b.Errorf("a request elsewhere: %s", address)
		}
	}
}
