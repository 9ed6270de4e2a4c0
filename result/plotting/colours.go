package plotting

import (
	"image/color"
	"math"
	"strconv"
)

// Colours that people with any colour vision can tell apart, also in grey: Okabe
// and Ito, "Color universal design" (2008), without yellow, which is too pale
// for lines.
var Colours = []string{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"}

// Ink is the colour of targets, references and ideals.
const Ink = "#303030"

// Colour is the colour of curve i; colours repeat after the last.
func Colour(i int) string { return Colours[i%len(Colours)] }

// RGB reads a colour written #RRGGBB.
func RGB(text string) color.Color {
	v, err := strconv.ParseUint(text[1:], 16, 32)
	if err != nil {
		panic("report: colour " + text + ": want #RRGGBB")
	}
	return color.RGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: math.MaxUint8}
}
