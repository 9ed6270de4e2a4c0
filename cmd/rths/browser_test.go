package main

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"rths/kit/browsertest"
)

// browser is a browser on one of the program's pages.
type browser struct{ *browsertest.Browser }

func newBrowser(t *testing.T, more ...chromedp.ExecAllocatorOption) browser {
	t.Helper()
	return browser{browsertest.New(t, browsertest.Within, more...)}
}

// word waits for the state in large words.
func (b browser) word(want string, within time.Duration) {
	b.Helper()
	b.Until(fmt.Sprintf("document.getElementById('word').innerText === %q", want), within)
}

// shot is a picture of the window. With -update a picture of the documentation goes into docs.
func (b browser) shot(name string) image.Image {
	b.Helper()
	text := b.Shot(name)
	if *update && strings.HasPrefix(name, "control-room") {
		if err := os.WriteFile(filepath.Join("..", "..", "docs", "guides", name+".png"), text, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	out, err := png.Decode(bytes.NewReader(text))
	if err != nil {
		b.Fatal(err)
	}
	return out
}
