package picture

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rths/result/plotting"
)

// scores are J2_true of the final runs, a row for each method.
func (a *Advice) scores() picture {
	pic := picture{file: "final", title: "J2_true of the final runs", wide: true}
	pic.caption = "Box: quartiles and median of the runs that have completed. Whiskers: the last runs within 1.5 " +
		"quartile distances of the box. Dots: runs beyond. " +
		"Diamond: the 90th percentile; the thick line through it: where the 90th percentile of as many further runs lies " +
		"with 95 %. " +
		fmt.Sprintf("Dashed line: %s %%, the most that a good method has there. ", fourDigits(a.GoodPct)) +
		"At the end of a row: how many of its runs have failed."
	if len(a.Final) == 0 {
		return pic
	}
	var values []float64
	rows := textedRows{x: "J2_true, %", lines: []float64{a.GoodPct}}
	for i := range a.Final {
		r := &a.Final[i]
		values = append(values, r.Values...)
		values = append(values, r.P90, r.From, r.To)
		rows.rows = append(rows.rows, textedOne{left: r.marked(), right: failedOf(r.Failures, r.Runs), band: r.Recommended,
			draw: r.draw})
	}
	rows.across = newAxis(true, append(values, a.GoodPct)...)
	pic.tiles = []tile{rows.tile(a.scoreWords())}
	return pic
}

// draw draws box, 90th percentile and interval of a row.
func (r *AdviceRow) draw(c draw.Canvas, y vg.Length, toX func(float64) vg.Length) {
	const down = vg.Length(7.5) // of the percentile, below the box
	var values []float64
	for _, v := range r.Values {
		if shown(v) && !math.IsNaN(float64(toX(v))) {
			values = append(values, v)
		}
	}
	drawBox(c, methodColour(r.Method), values, y+1.5, toX)
	if !shown(r.P90) {
		return
	}
	if shown(r.From) {
		to := c.Max.X // no upper end
		if shown(r.To) {
			to = toX(r.To)
		}
		c.StrokeLine2(draw.LineStyle{Color: plotting.RGB(methodColour(r.Method)), Width: vg.Points(2.6)}, toX(r.From), y-down,
			to, y-down)
	}
	diamond(c, vg.Point{X: toX(r.P90), Y: y - down})
}

// scoreWords name the recommended method, or the best.
func (a *Advice) scoreWords() string {
	best := &a.Final[0]
	for i := range a.Final {
		if a.Final[i].Recommended {
			best = &a.Final[i]
		}
	}
	return fmt.Sprintf("Boxes of J2_true of %s: %s has the 90th percentile %s %%%s.",
		plotting.CountOf(len(a.Final), "method"), best.marked(), inDigits(best.P90), best.interval())
}

// failedOf says how many runs have failed, if any.
func failedOf(failures, runs int) string {
	if failures == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d failed", failures, runs)
}
