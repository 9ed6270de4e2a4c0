package picture

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rths/result/plotting"
	"rths/result/record"
)

// reached reports whether the method has failed in this direction.
func (f *AdviceLimit) reached() bool { return shown(f.Fails) && shown(f.FailsFactor) }

// says are the ends of a direction in words.
func (f *AdviceLimit) says() string {
	if !f.reached() {
		return fmt.Sprintf("no failure up to %s %s", fourDigits(f.Bears), f.Unit)
	}
	return fmt.Sprintf("tolerates %s, fails at %s %s", fourDigits(f.Bears), fourDigits(f.Fails), f.Unit)
}

// failing is how far the recommended method is from failing, the nearest direction on top.
func (a *Advice) failing() picture {
	pic := picture{file: "fails-first", title: "What fails first", wide: true}
	pic.caption = fmt.Sprintf(
		"How much harder the test becomes, as a factor on the scenario's value or its inverse; of delay (lag + delay)/lag, "+
			"with the lag %s ms. ", fourDigits(a.LagMs)) +
		"Dark bar: what the recommended method tolerates. Pale bar: between what it tolerates and where it fails, not " +
		"tried more " +
		"closely. Cross: it fails. A bar that ends in a point: no failure up to there, the farthest that was tried."
	if len(a.Fails) == 0 {
		return pic
	}
	factors := []float64{1}
	rows := textedRows{x: "times harder"}
	for i := range a.Fails {
		f := &a.Fails[i]
		factors = append(factors, f.BearsFactor, f.FailsFactor)
		rows.rows = append(rows.rows, textedOne{left: f.What, right: f.says(), draw: f.draw})
	}
	rows.across = newAxis(true, factors...)
	first := &a.Fails[0]
	pic.tiles = []tile{rows.tile(fmt.Sprintf(
		"How far the recommended method is from failing in %s; the nearest is %s: %s.",
		plotting.CountOf(len(a.Fails), "direction"), first.What, first.says()))}
	return pic
}

// draw draws the bar of a direction.
func (f *AdviceLimit) draw(c draw.Canvas, y vg.Length, toX func(float64) vg.Length) {
	from, borne := toX(1), toX(f.BearsFactor)
	if math.IsNaN(float64(borne)) {
		return
	}
	bar(c, plotting.Colours[0], from, max(borne, from+1), y)
	if !f.reached() {
		polygon(c, plotting.Colours[0], true, vg.Point{X: borne, Y: y - halfBar}, vg.Point{X: borne, Y: y + halfBar},
			vg.Point{X: borne + 2*halfBar, Y: y})
		return
	}
	to := toX(f.FailsFactor)
	bar(c, plotting.Box, max(borne, from+1), to, y)
	strokeCrosses(c, plotting.RGB(plotting.Failed), []vg.Point{{X: to, Y: y}})
}

// remedies are the changes of the test that may make a method good, below the test as it is.
func (a *Advice) remedies() picture {
	pic := picture{file: "what-would-help", title: "What would help", wide: true}
	pic.caption = fmt.Sprintf(
		"The 90th percentile of J2_true of the best method for each change of the test. Dashed line: %s %%, the most that "+
			"a good method has. Diamond: the 90th percentile; the bar shows how far it is from the line.", fourDigits(a.GoodPct))
	if len(a.Remedies) == 0 {
		return pic
	}
	rows := textedRows{x: "90th percentile of J2_true, %", lines: []float64{a.GoodPct}}
	values := []float64{a.GoodPct}
	if len(a.Final) > 0 {
		now := &a.Final[0]
		rows.rows = append(rows.rows, a.distance("the test as it is: "+now.Method, failedOf(now.Failures, now.Runs), now.P90,
			plotting.NoValue))
		values = append(values, now.P90)
	}
	enough := "no change suffices"
	for i := range a.Remedies {
		m := &a.Remedies[i]
		if m.Suffices {
			enough = m.What + " suffices"
		}
		left, right := m.says()
		rows.rows = append(rows.rows, a.distance(left, right, m.P90, plotting.Box))
		values = append(values, m.P90)
	}
	rows.across = newAxis(true, values...)
	pic.tiles = []tile{rows.tile(fmt.Sprintf("The 90th percentile of J2_true under %s of the test: %s.",
		plotting.CountOf(len(a.Remedies), "change"), enough))}
	return pic
}

// says are the texts at both ends of the row of a remedy.
func (m *AdviceRemedy) says() (left, right string) {
	left, right = m.What, failedOf(m.Failures, m.Runs)
	if m.Method != "" {
		left += ": " + m.Method
	}
	switch {
	case m.Suffices:
		right = "suffices"
	case !shown(m.P90) && right == "":
		right = "no run"
	}
	return left, right
}

// distance is a row whose bar goes from the limit of a good method to a 90th percentile.
func (a *Advice) distance(left, right string, p90 float64, colour string) textedOne {
	return textedOne{left: left, right: right, draw: func(c draw.Canvas, y vg.Length, toX func(float64) vg.Length) {
		if at := toX(p90); shown(p90) && !math.IsNaN(float64(at)) {
			bar(c, colour, toX(a.GoodPct), at, y)
			diamond(c, vg.Point{X: at, Y: y})
		}
	}}
}

// fourDigits is a number with at most four digits, for texts in pictures.
func fourDigits(v float64) string { return record.Text("%.4g", v) }
