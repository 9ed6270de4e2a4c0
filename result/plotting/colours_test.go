package plotting_test

import (
	"math"
	"regexp"
	"testing"

	"rths/result/plotting"
)

// visions are how linear red, green and blue are seen: as they are, and without one kind of cone (Machado, Oliveira and
// Fernandes 2009, severity 1).
var visions = map[string][3][3]float64{
	"all cones":    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// lab is a colour in CIELAB as a vision sees it.
func lab(text string, vision [3][3]float64) (out [3]float64) {
	r, g, b, _ := plotting.RGB(text).RGBA()
	linear := func(v uint32) float64 {
		c := float64(v) / 0xFFFF
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	times := func(m [3][3]float64, v [3]float64) (out [3]float64) {
		for i := range m {
			for j := range v {
				out[i] += m[i][j] * v[j]
			}
		}
		return out
	}
	seen := times(vision, [3]float64{linear(r), linear(g), linear(b)})
	for i := range seen {
		seen[i] = min(max(seen[i], 0), 1)
	}
	xyz := times([3][3]float64{{0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}}, seen)
	f := func(t float64) float64 {
		if t > 0.008856 {
			return math.Cbrt(t)
		}
		return 7.787*t + 16./116
	}
	x, y, z := f(xyz[0]/0.9505), f(xyz[1]), f(xyz[2]/1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// nightOf is a colour as a dark page shows it.
func nightOf(colour string) string {
	found := regexp.MustCompile(`"` + colour + `": "(#[0-9a-f]{6})"`).FindStringSubmatch(plotting.Asset("plot.js"))
	if found == nil {
		return colour
	}
	return found[1]
}

// On a dark page too the colours differ for any colour vision, and stand out from the ground (WCAG AA: 3 to 1).
func TestNightColoursAreToldApart(t *testing.T) {
	const ground = 0.0091 // luminance of #16181c
	for name, vision := range visions {
		for i, a := range plotting.Colours {
			p := lab(nightOf(a), vision)
			if y := math.Pow((p[0]+16)/116, 3); name == "all cones" && (y+0.05)/(ground+0.05) < 3 {
				t.Errorf("%s has the contrast %.1f", nightOf(a), (y+0.05)/(ground+0.05))
			}
			for _, b := range plotting.Colours[:i] {
				q := lab(nightOf(b), vision)
				if d := math.Hypot(math.Hypot(p[0]-q[0], p[1]-q[1]), p[2]-q[2]); d < 15 {
					t.Errorf("%s: %s and %s differ by %.1f", name, nightOf(a), nightOf(b), d)
				}
			}
		}
	}
}

// Any two of the colours of curves, and the ink of references, differ for any colour vision: by 15 in CIELAB, where 2
// can be seen side by side.
func TestColoursAreToldApart(t *testing.T) {
	list := append([]string{plotting.Ink}, plotting.Colours...)
	for name, vision := range visions {
		for i, a := range list {
			for _, b := range list[:i] {
				p, q := lab(a, vision), lab(b, vision)
				if d := math.Hypot(math.Hypot(p[0]-q[0], p[1]-q[1]), p[2]-q[2]); d < 15 {
					t.Errorf("%s: %s and %s differ by %.1f", name, a, b, d)
				}
			}
		}
	}
}
