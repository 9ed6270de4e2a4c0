package report

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	failColour = "#A0003C" // of runs that failed
	failGround = "#F3F3F3" // of the strip in which they stand
	failStrip  = vg.Length(12)
	failRoom   = 0.09 // of the axis, kept free for the strip
	failMarks  = 60   // of more runs that failed, bars show the share
	failBars   = 40
)

// scatters are the main criterion over each input of numbers.
func (s *Study) scatters() (picture, bool) {
	pic := picture{file: "scatter", title: "Criterion over each input"}
	o := s.Outputs[0]
	for _, in := range s.Inputs {
		if in.Values != nil {
			pic.tiles = append(pic.tiles, s.scatter(in, o))
		}
	}
	lost := s.runs() - len(s.values(o))
	pic.caption = "A dot is a run. " + cellWords(s.runs()-lost) + failWords(lost) + "ρ is Spearman's rank correlation: ±1 for a criterion that only rises or falls with the input, near 0 without such a trend."
	return pic, len(pic.tiles) > 0
}

// cellWords say that cells stand in place of dots.
func cellWords(n int) string {
	if n <= cloudDots {
		return ""
	}
	return fmt.Sprintf("As there are %d, cells stand in place of dots: a darker cell holds more runs, in steps of the logarithm. ", n)
}

// failWords say how runs without a value are drawn.
func failWords(lost int) string {
	switch {
	case lost == 0:
		return ""
	case lost > failMarks:
		return "Bars in the grey strip are the share of runs there that failed; a bar over the whole strip is all of them. "
	}
	return "Crosses in the grey strip are runs that failed. "
}

func (s *Study) scatter(in StudyInput, o StudyOutput) tile {
	var x, y, lostX []float64
	across, up := newAxis(in.Log, in.Values...), newAxis(false, s.values(o)...)
	var ok [2][]float64
	for i, v := range in.Values {
		at := across.at(v)
		switch {
		case !shown(v) || math.IsNaN(at):
		case s.has(o, i):
			x, y = append(x, at), append(y, up.at(o.Values[i]))
			ok[0], ok[1] = append(ok[0], v), append(ok[1], o.Values[i])
		default:
			lostX = append(lostX, at)
		}
	}
	if len(lostX) > 0 {
		up.high += failRoom * (up.high - up.low)
	}
	title, words := short(in.Name, titleLetters-10), fmt.Sprintf("%s over %s: %s", criterion(o), in.Name, countOf(len(x), "run"))
	if rho := rankCorrelation(ok[0], ok[1]); !math.IsNaN(rho) && len(x) > 2 {
		title += fmt.Sprintf(", ρ = %.2f", rho+0)
		words += fmt.Sprintf(", rank correlation %.2f", rho+0)
	}
	if len(lostX) > 0 {
		words += fmt.Sprintf("; %d failed", len(lostX))
	}
	p := newTilePlot(title, in.Name, criterion(o), across, up)
	p.Add(cloud(x, y), failures(lostX, append(x, lostX...)))
	return newTile(words+".", p)
}

// failures draws runs that failed in a strip at the top, at their coordinates.
func failures(lost, all []float64) drawing {
	return func(c draw.Canvas, toX, _ func(float64) vg.Length) {
		if len(lost) == 0 {
			return
		}
		strip := vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: c.Max.Y - failStrip}, Max: c.Max}
		fillRects(c, rgb(failGround), []vg.Rectangle{strip})
		if len(lost) > failMarks {
			fillRects(c, rgb(failColour), failShares(strip, columns(c, lost, toX), columns(c, all, toX)))
			return
		}
		var marks []vg.Point
		for _, v := range lost {
			marks = append(marks, vg.Point{X: toX(v), Y: c.Max.Y - failStrip/2})
		}
		strokeCrosses(c, rgb(failColour), marks)
	}
}

// columns counts the points of each column of the strip.
func columns(c draw.Canvas, at []float64, toX func(float64) vg.Length) (n [failBars]int) {
	for _, v := range at {
		n[max(0, min(failBars-1, int(failBars*(toX(v)-c.Min.X)/c.Size().X)))]++
	}
	return n
}

// failShares are bars whose heights are the shares of runs that failed.
func failShares(strip vg.Rectangle, lost, all [failBars]int) []vg.Rectangle {
	var bars []vg.Rectangle
	w := strip.Size().X / failBars
	for i, n := range lost {
		if n > 0 {
			left := strip.Min.X + w*vg.Length(i)
			bars = append(bars, vg.Rectangle{Min: vg.Point{X: left, Y: strip.Min.Y}, Max: vg.Point{X: left + 0.8*w, Y: strip.Min.Y + failStrip*vg.Length(n)/vg.Length(all[i])}})
		}
	}
	return bars
}
