// Command figures draws the pictures of docs/concepts as SVG: make figures. Each picture has the colours of a light
// page and, by prefers-color-scheme, of a dark one, and letters that are read at a width of 400 pixels too.
package main

import (
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"strings"

	"rths/result/plotting"
)

func main() {
	log.SetFlags(0)
	for name, draw := range map[string]func() string{"loop": loop, "tick": tick, "delay": delay} {
		if err := os.WriteFile(filepath.Join("docs/concepts", name+".svg"), []byte(draw()), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// width of all pictures, in the units of their letters, which are 14 high.
const width = 440

// style has a class for each role: t, command and measurement are the colours of target, command and reading.
var style = strings.NewReplacer("BLUE", plotting.Blue, "RED", plotting.Vermillion, "GREEN",
	plotting.Green).Replace(`<style>
svg{--paper:#fff;--ink:#1c1c1c;--soft:#5a5a5a;--box:#eef3f8;--room:#f6f6f6;--target:BLUE;--reading:RED;--command:GREEN}
@media (prefers-color-scheme:dark){svg{--paper:#0d1117;--ink:#e6e6e6;--soft:#a0a0a0;--box:#1d2a38;--room:#161b22;` +
	`--target:#56b4e9;--reading:#ff8a4c;--command:#3ddbaa}}
text{font:14px sans-serif;fill:var(--ink)}.m{text-anchor:middle}.e{text-anchor:end}.b{font-weight:bold}
.soft{fill:var(--soft)}.paper{fill:var(--paper)}.room{fill:var(--room)}.box{fill:var(--box);stroke:var(--soft)}
.l{fill:none;stroke-width:2}.thin{fill:none;stroke:var(--soft);stroke-width:1}.dash{stroke-dasharray:4 3}
.ink{stroke:var(--ink)}.target{stroke:var(--target)}.reading{stroke:var(--reading)}.command{stroke:var(--command)}
.ft{fill:var(--target)}.fr{fill:var(--reading)}.fc{fill:var(--command)}.fi{fill:var(--ink)}` +
	`.area{fill:var(--reading);opacity:.22}
</style>`)

// sheet gathers the elements of a picture.
type sheet struct{ strings.Builder }

func newSheet(height int, title string) *sheet {
	s := &sheet{}
	fmt.Fprintf(s, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d">`+
		"\n<title>%s</title>\n%s\n",
		width, height, width*3/2, height*3/2, title, style)
	s.WriteString("<defs>")
	for _, name := range []string{"ink", "target", "reading", "command"} {
		fmt.Fprintf(s,
			`<marker id="%s" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9" `+
				`markerUnits="userSpaceOnUse" orient="auto"><path class="f%.1s" d="M0 0 8 4 0 8z"/></marker>`, name, name)
	}
	s.WriteString("</defs>\n")
	s.rect(0, 0, width, float64(height), "paper", 0)
	return s
}

// sub is a subscript.
func sub(text string) string {
	return `<tspan dy="4" font-size="10">` + text + `</tspan><tspan dy="-4"> </tspan>`
}

func (s *sheet) end() string { return s.String() + "</svg>\n" }

func (s *sheet) rect(x, y, w, h float64, class string, round int) {
	fmt.Fprintf(s, `<rect x="%g" y="%g" width="%g" height="%g" rx="%d" class="%s"/>`+"\n", x, y, w, h, round, class)
}

func (s *sheet) text(x, y float64, class, text string) {
	fmt.Fprintf(s, `<text x="%g" y="%g" class="%s">%s</text>`+"\n", x, y, class, text)
}

// path is a line through points: x0, y0, x1, y1, …
func (s *sheet) path(class string, points ...float64) {
	s.WriteString(`<path class="` + class + `" d="` + d(points) + `"/>` + "\n")
}

// arrow is a line with a head of the class colour at its end.
func (s *sheet) arrow(colour string, points ...float64) {
	fmt.Fprintf(s, `<path class="l %s" marker-end="url(#%s)" d="%s"/>`+"\n", colour, colour, d(points))
}

func d(points []float64) string {
	var b strings.Builder
	for i := 0; i+1 < len(points); i += 2 {
		fmt.Fprintf(&b, "%c%.4g %.4g", "ML"[min(i, 1)], points[i], points[i+1])
	}
	return b.String()
}

// box is a part of the loop: its name and up to two lines under it.
func (s *sheet) box(x, y, w, h float64, name string, lines ...string) {
	s.rect(x, y, w, h, "box", 5)
	top := y + h/2 + 5 - 8.5*float64(len(lines))
	s.text(x+w/2, top, "m b", name)
	for i, line := range lines {
		s.text(x+w/2, top+17*float64(i+1), "m", line)
	}
}

// loop is the block diagram of a test.
func loop() string {
	s := newSheet(352,
		"The loop: numerical part, compensator and guard in the computer; transfer system, specimen and sensors in the "+
			"laboratory")
	s.rect(6, 34, 204, 312, "room", 8)
	s.rect(258, 34, 176, 312, "room", 8)
	s.text(18, 340, "soft", "computer")
	s.text(422, 340, "soft e", "laboratory")
	const left, right, wl, wr = 18, 270, 180, 152
	s.text(108, 20, "m", "ground motion")
	s.arrow("ink", 108, 25, 108, 47)
	s.box(left, 48, wl, 70, "numerical part", "M ẍ + C ẋ + K x =", "−M ι a − f")
	s.arrow("target", 78, 118, 78, 155)
	s.text(86, 142, "ft", "target x")
	s.box(left, 156, wl, 52, "compensator", "removes the lag")
	s.arrow("command", 78, 208, 78, 245)
	s.text(86, 232, "fc", "command u")
	s.box(left, 246, wl, 62, "guard", "limits, stroke, rate", "hold or ramp")
	s.arrow("command", 198, 277, 269, 277)
	s.text(234, 270, "m fc", "u")
	s.box(right, 246, wr, 62, "transfer system", "actuator with", "its controller")
	s.arrow("ink", 346, 246, 346, 209)
	s.box(right, 156, wr, 52, "specimen", "physical part")
	s.arrow("ink", 346, 156, 346, 119)
	s.box(right, 48, wr, 70, "sensors", "displacement, force")
	s.arrow("reading", 270, 66, 199, 66)
	s.text(234, 60, "m fr", "force f")
	s.arrow("reading", 270, 98, 234, 98, 234, 182, 199, 182)
	s.text(231, 93, "e fr", "x"+sub("m"))
	return s.end()
}

// tick is the order of work in two ticks, and which force belongs to which target.
func tick() string {
	s := newSheet(330,
		"Two ticks: the reading of an instant, the work of the loop, the command that is held over the sample, and the "+
			"instant it aims at")
	const t0, h = 84, 152
	index := []string{sub("k"), sub("k+1"), sub("k+2")}
	for i := range 3 {
		x := t0 + h*float64(i)
		s.path("thin dash", x, 26, x, 300)
		s.text(x, 16, "m", "t"+index[i])
	}
	lanes := []string{"reading", "loop", "command", "aims at", "aims at"}
	for i, y := range []float64{54, 98, 150, 214, 266} {
		s.text(4, y+5, []string{"fr", "", "fc", "", ""}[i], lanes[i])
	}
	s.text(4, 236, "soft", "(next)")
	s.text(4, 288, "soft", "(current)")
	levels := []float64{168, 148, 134}
	for i := range 2 {
		x := t0 + h*float64(i)
		fmt.Fprintf(s, `<circle cx="%g" cy="54" r="5" class="fr"/>`+"\n", x)
		s.text(x+10, 50, "fr", "f"+index[i])
		s.arrow("reading", x, 59, x+6, 84)
		for n := range 5 { // read, integrate, compensate, check, write
			s.rect(x+6+19*float64(n), 86, 19, 24, "box", 2)
			s.text(x+15.5+19*float64(n), 103, "m", fmt.Sprint(n+1))
		}
		// The command leaves with the end of the work; the line before it is the last one, still held.
		leaves := x + 101
		s.path("l command", x, levels[i], leaves, levels[i], leaves, levels[i+1])
		s.arrow("command", leaves, 110, leaves, levels[i+1]-3)
		s.path("l command", leaves, levels[i+1], x+h, levels[i+1])
		s.arrow("target", leaves, 214, x+h-2, 214)
		s.arrow("target", leaves, 266, x+2, 266)
		s.text(leaves-6, 219, "e ft", "u"+index[i])
		s.text(leaves+6, 271, "ft", "u"+index[i])
	}
	s.text(4, 320, "soft", "1 read · 2 integrate · 3 compensate · 4 check · 5 write")
	return s.end()
}

// delay is a sine that arrives late, and the loop of force over target that it makes: the numbers of
// docs/concepts/delay.md.
func delay() string {
	const (
		omega, late = 10, 0.012 // rad/s, s
		peak, k     = 20, 5e4   // mm, N/m
	)
	s := newSheet(560,
		"A delay of 12 ms: the measured displacement follows the target late, and the force over the target runs "+
			"round a loop")
	// Displacement over time.
	x := func(t float64) float64 { return 60 + 1100*t }
	y := func(mm float64) float64 { return 124 - 3.6*mm }
	s.text(4, 20, "", "displacement, mm")
	s.path("thin", x(0), y(0), x(0.33), y(0))
	s.path("thin", x(0), y(22), x(0), y(-22))
	for _, mm := range []float64{-20, 0, 20} {
		s.path("thin", x(0)-4, y(mm), x(0), y(mm))
		s.text(x(0)-8, y(mm)+5, "e", strings.Replace(fmt.Sprint(mm), "-", "−", 1))
	}
	for _, t := range []float64{0.1, 0.2, 0.3} {
		s.path("thin", x(t), y(0)-4, x(t), y(0))
		s.text(x(t), y(0)-7, "m", fmt.Sprint(t))
	}
	s.text(x(0.33)-2, y(0)+19, "e", "time, s")
	var target, measured []float64
	for i := range 111 {
		t := 0.003 * float64(i)
		target = append(target, x(t), y(peak*math.Cos(omega*t)))
		measured = append(measured, x(t), y(peak*math.Cos(omega*(t-late))))
	}
	s.path("l target", target...)
	s.path("l reading", measured...)
	s.text(x(0.075), y(4), "e ft", "target x")
	s.text(x(0.15), y(11), "fr", "measured x"+sub("m")+"12 ms late")
	// Force over target.
	fx := func(mm float64) float64 { return 236 + 7.4*mm }
	fy := func(n float64) float64 { return 396 - 0.115*n }
	s.text(4, 246, "", "restoring force, N")
	s.path("thin", fx(-22), fy(0), fx(24), fy(0))
	s.path("thin", fx(0), fy(-1150), fx(0), fy(1150))
	for _, v := range []float64{-1, 1} {
		s.path("thin", fx(20*v), fy(0)-4, fx(20*v), fy(0)+4)
		s.path("thin", fx(0)-4, fy(1000*v), fx(0)+4, fy(1000*v))
	}
	s.text(fx(-20), fy(0)-8, "m", "−20")
	s.text(fx(20), fy(0)+19, "m", "20")
	s.text(fx(0)-8, fy(1000)+5, "e", "1000")
	s.text(fx(0)+8, fy(-1000)+5, "", "−1000")
	s.text(fx(27), fy(0)-8, "e", "target, mm")
	var ring []float64
	for i := range 121 {
		a := 2 * math.Pi * float64(i) / 120
		ring = append(ring, fx(peak*math.Cos(a)), fy(k*peak/1e3*math.Cos(a-omega*late)))
	}
	s.path("area", ring...)
	s.path("l reading", ring...)
	s.path("l target dash", fx(-20), fy(-1000), fx(20), fy(1000))
	// The way round: from the right end the target falls while the force is still high.
	for _, i := range []int{14, 74} {
		s.arrow("reading", ring[2*i-2], ring[2*i-1], ring[2*i], ring[2*i+1])
	}
	s.text(fx(-21), fy(640), "fr", "area 7.5 J: fed in")
	s.text(fx(-21), fy(640)+18, "fr", "in every cycle,")
	s.text(fx(-21), fy(640)+36, "fr", "counter-clockwise")
	s.text(fx(4), fy(-560), "ft", "no delay: a line,")
	s.text(fx(4), fy(-560)+18, "ft", "no energy")
	return s.end()
}
