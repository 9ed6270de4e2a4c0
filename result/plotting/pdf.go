//go:build !js

package plotting

import (
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// pdfSheet writes text in code page 1252, which is what the fonts of vgpdf have.
type pdfSheet struct{ *vgpdf.Canvas }

// FillString writes text.
func (c pdfSheet) FillString(f font.Face, at vg.Point, text string) {
	c.Canvas.FillString(f, at, codePage(text))
}

// codePage is text in code page 1252. Letters outside of it become question marks.
func codePage(text string) string {
	var out []byte
	for _, r := range text {
		switch {
		case r < 0x80 || r >= 0xA0 && r <= 0xFF:
			out = append(out, byte(r))
		case r == '−' || r == '–':
			out = append(out, 0x96)
		default:
			out = append(out, '?')
		}
	}
	return string(out)
}
