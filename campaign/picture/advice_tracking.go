package picture

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rths/result/plotting"
)

const (
	labelSize   = vg.Length(8)
	tallTile    = 10 * vg.Centimeter
	markRadius  = vg.Length(3.2)
	leaderSpace = vg.Length(9) // labels farther from their marks have a line
)

// tradeOff is tracking against roughness of every method, by the runs for selecting.
func (a *Advice) tradeOff() picture {
	pic := picture{file: "tracking-roughness", title: "Tracking against roughness of the command", wide: true}
	points, left := a.comparable()
	pic.caption = "Medians of the runs for selecting, of the best settings of each method and of all that came to the " +
		"final runs. To the left the command is smoother, below it tracks better. Circle: the method does not adapt. " +
		"Triangle: it adapts. Filled: no run has failed. Empty: some runs have failed. Ring: the recommended method."
	if len(left) > 0 {
		pic.caption += " Outside of the picture: " + strings.Join(left, ", ") + "."
	}
	if len(points) == 0 {
		return pic
	}
	adaptive := 0
	for _, p := range points {
		if p.Adaptive {
			adaptive++
		}
	}
	words := fmt.Sprintf("J2_true over roughness of %s, of which %d adapt.", plotting.CountOf(len(points), "method"),
		adaptive)
	pic.tiles = []tile{{words: words, height: tallTile, draw: newTile("", trackingPlot(points)).draw}}
	return pic
}

// trackingPlot has a mark with a name for each method.
func trackingPlot(points []AdvicePoint) *plot.Plot {
	var x, y []float64
	for _, p := range points {
		x, y = append(x, p.Rough), append(y, p.J2)
	}
	across, up := newAxis(true, x...), newAxis(true, y...)
	p := newTilePlot("", "roughness, µm", "J2_true, %", across, up)
	p.Add(drawing(func(c draw.Canvas, toX, toY func(float64) vg.Length) {
		at := make([]vg.Point, len(points))
		for i := range points {
			at[i] = vg.Point{X: toX(across.at(x[i])), Y: toY(up.at(y[i]))}
		}
		style := p.X.Tick.Label
		style.Font.Size, style.XAlign, style.YAlign = labelSize, draw.XLeft, draw.YBottom
		drawLabels(c, style, points, at)
		for i, one := range points {
			one.draw(c, at[i])
		}
	}))
	return p
}

// farOff is a factor: a method that lies farther than this outside of the middle half of the methods is
// named, not drawn, so that the others do not stand in one corner.
const farOff = 100

// comparable are the methods that one picture can show, and words on the others.
func (a *Advice) comparable() (points []AdvicePoint, left []string) {
	var rough, j2 []float64
	for _, p := range a.Selecting {
		if p.there() {
			rough, j2 = append(rough, p.Rough), append(j2, p.J2)
		}
	}
	for _, p := range a.Selecting {
		switch {
		case !p.there():
			left = append(left, p.Method+" (no value)")
		case !p.Recommended && (isFarOff(p.Rough, rough) || isFarOff(p.J2, j2)):
			left = append(left, fmt.Sprintf("%s (%s µm, %s %%)", p.Method, inDigits(p.Rough), inDigits(p.J2)))
		default:
			points = append(points, p)
		}
	}
	return points, left
}

// there reports whether a logarithmic axis can show the point.
func (p *AdvicePoint) there() bool {
	return shown(p.J2) && shown(p.Rough) && p.J2 > 1/beyond && p.Rough > 1/beyond
}

func isFarOff(v float64, of []float64) bool {
	b := newBox(of)
	return v > farOff*b.q3 || v < b.q1/farOff
}

// draw draws the mark of a method.
func (p *AdvicePoint) draw(c draw.Canvas, at vg.Point) {
	const r = markRadius
	colour := methodColour(p.Method)
	if p.Adaptive {
		polygon(c, colour, !p.Failed, vg.Point{X: at.X - r, Y: at.Y - 0.8*r},
			vg.Point{X: at.X + r, Y: at.Y - 0.8*r}, vg.Point{X: at.X, Y: at.Y + r})
	} else {
		disc(c, colour, !p.Failed, at, 0.9*r)
	}
	if p.Recommended {
		ring(c, plotting.Ink, at, 2*r)
	}
}

// ring is a circle around a mark.
func ring(c draw.Canvas, colour string, at vg.Point, r vg.Length) {
	var path vg.Path
	plotting.Circle(&path, at, r)
	c.SetLineStyle(draw.LineStyle{Color: plotting.RGB(colour), Width: vg.Points(1.2)})
	c.Stroke(path)
}

// disc is a round mark: filled, or its outline on white.
func disc(c draw.Canvas, colour string, filled bool, at vg.Point, r vg.Length) {
	ground := colour
	if !filled {
		ground = plotting.White
	}
	fill(c, plotting.RGB(ground), []vg.Point{at}, func(p *vg.Path, at vg.Point) { plotting.Circle(p, at, r) })
	ring(c, colour, at, r)
}
