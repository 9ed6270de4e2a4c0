package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
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

// shot is a picture of the window. With -update a picture of that name in docs becomes it, in fewer colours: a page
// loads it faster.
func (b browser) shot(name string) image.Image {
	b.Helper()
	out, err := png.Decode(bytes.NewReader(b.Shot(name)))
	if err != nil {
		b.Fatal(err)
	}
	if shown, _ := filepath.Glob(filepath.Join("..", "..", "docs", "*", name+".png")); *update && len(shown) == 1 {
		var file bytes.Buffer
		if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&file, inFewColours(out)); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(shown[0], file.Bytes(), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return out
}

// inFewColours is a picture with 16 values of red, of green and of blue.
func inFewColours(p image.Image) image.Image {
	const step = 0xffff / 15
	rounded := func(v uint32) uint8 { return uint8((v + step/2) / step * 17) }
	out := image.NewRGBA(p.Bounds())
	for y := p.Bounds().Min.Y; y < p.Bounds().Max.Y; y++ {
		for x := p.Bounds().Min.X; x < p.Bounds().Max.X; x++ {
			red, green, blue, _ := p.At(x, y).RGBA()
			out.SetRGBA(x, y, color.RGBA{rounded(red), rounded(green), rounded(blue), 0xff})
		}
	}
	return out
}
