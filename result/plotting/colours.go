// Package plotting draws for every page and image file of the program: one table of colours, axes with round numbers,
// sheets that are written as PNG, SVG or PDF, and the files that pages with plots share.
package plotting

import (
	"image/color"
	"math"
	"strconv"
)

// Blue to SkyBlue are colours that people with any colour vision can tell apart, also in grey: Okabe and Ito, "Color
// universal design" (2008), without yellow, which is too pale for lines.
const (
	Blue       = "#0072B2"
	Vermillion = "#D55E00"
	Green      = "#009E73"
	Purple     = "#CC79A7"
	Orange     = "#E69F00"
	SkyBlue    = "#56B4E9"

	// Found to be the farthest from those, from Ink and from each other, for any colour vision.
	Violet = "#8800FF"
	Brown  = "#663300"
	Indigo = "#4422AA"
	Plum   = "#440055"

	DarkBlue = "#08306B" // beside Blue and SkyBlue
)

// Colours are those of curves, in their order.
var Colours = []string{Blue, Vermillion, Green, Purple, Orange, SkyBlue, Violet, Brown, Indigo, Plum}

// Greys, and the pale colours of areas.
const (
	Ink       = "#303030" // targets, references and ideals
	White     = "#FFFFFF"
	Letters   = "#1C1C1C" // on a coloured ground
	Hatching  = "#7A7A7A"
	Grey      = "#9A9A9A" // what stands beside the subject: a second plant, a line from a mark to its name
	Bundle    = "#B8B8B8" // many curves that are looked at together
	NoValue   = "#C8C8C8" // a cell without a value, the test as it is
	FailStrip = "#F3F3F3" // the ground of runs that failed
	Band      = "#EEF3F8" // the row of the recommended method
	Box       = "#BBD7EA" // the middle half of values
	Fault     = "#F7E6C4" // the time of a fault, as it lies under the curves
)

// Marks that have to be found.
const (
	FaultBegins = "#D9A441" // the beginning of a fault, to be seen of the shortest
	Acted       = "#A00000" // the instant at which a guard acted
	Failed      = "#A0003C" // runs that failed
	Optimum     = "#E8000B" // the optimum of a calibration
	Unstable    = "#CC0000" // a loop whose motion grows
)

// Scales of colours, from small values to large ones.
var (
	// Viridis goes in even steps of lightness (van der Walt and Smith 2015, matplotlib).
	Viridis = []string{"#440154", "#472D7B", "#3B528B", "#2C728E", "#21918C", "#28AE80", "#5EC962", "#ADDC30", "#FDE725"}
	// Blues is "Blues" of Brewer, colorbrewer2.org.
	Blues = []string{"#F7FBFF", "#DEEBF7", "#C6DBEF", "#9ECAE1", "#6BAED6", "#4292C6", "#2171B5", "#08519C"}
	// Shades is Blues without the palest, for numbers of points.
	Shades = []string{"#C6DBEF", "#9ECAE1", "#6BAED6", "#4292C6", "#2171B5", "#084594"}
	// Orders are the colours of curves that differ by an order, from low to high.
	Orders = []string{"#9ECAE1", SkyBlue, Blue, Green, Purple, Orange, Vermillion, "#7F2704"}
)

// Colour is the colour of curve i; colours repeat after the last.
func Colour(i int) string { return Colours[i%len(Colours)] }

// RGB reads a colour written #RRGGBB.
func RGB(text string) color.Color {
	v, err := strconv.ParseUint(text[1:], 16, 32)
	if err != nil {
		panic("plotting: colour " + text + ": want #RRGGBB")
	}
	return color.RGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: math.MaxUint8}
}

// Tint is a pale shade of a colour, for areas: opaque, since a PDF has no other.
func Tint(text string) color.Color {
	c, pale := RGB(text).(color.RGBA), func(v uint8) uint8 { return math.MaxUint8 - (math.MaxUint8-v)/4 }
	return color.RGBA{R: pale(c.R), G: pale(c.G), B: pale(c.B), A: math.MaxUint8}
}
