package picture

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rths/result/plotting"
)

// comparison is the mean of several criteria by the levels of a category, under one condition.
type comparison struct {
	condition string // levels of the other categories; "": there are none
	methods   []string
	criteria  []StudyOutput
	mean      [][]float64 // [method][criterion]; NaN where no run has a value
	n, lost   []int       // runs of a method that completed, and that did not
	several   bool        // some mean is of several runs
}

const (
	mostCriteria   = 30 // of a comparison
	mostAcross     = 12 // of criteria: more are rows, and the methods columns
	mostConditions = 12 // tiles of a picture
	mostTiles      = 48 // of several pictures: more conditions are one mean
)

// compared is the category whose levels are compared: the compensators, or else the first; nil: none. but is a category
// that does not count.
func (s *Study) compared(but string) *category {
	var first *category
	list, _ := s.categories()
	for i := range list {
		c := &list[i]
		switch {
		case c.name == but || len(c.levels) < 2:
		case isMethod(c.name):
			return c
		case first == nil:
			first = c
		}
	}
	return first
}

// conditions are the combinations of levels of all inputs but one, as a text of each run; and all texts in the order of
// their first runs.
func (s *Study) conditions(but string) (of, all []string) {
	of = make([]string, s.runs())
	inputs := slices.DeleteFunc(slices.Clone(s.Inputs), func(in StudyInput) bool {
		return in.Name == but || len(slices.Compact(slices.Sorted(slices.Values(in.Labels)))) < 2
	})
	for _, in := range inputs {
		for run, level := range in.Labels {
			if _, err := strconv.ParseFloat(level, 64); err == nil {
				level = in.Name + " " + level
			}
			of[run] += ", " + level
		}
	}
	seen := map[string]bool{}
	for run := range of {
		if of[run] = strings.TrimPrefix(of[run], ", "); !seen[of[run]] {
			seen[of[run]], all = true, append(all, of[run])
		}
	}
	return of, all
}

// criteria are the main criterion and the numbered ones; where none is numbered, the first ones that are no parameters.
func (s *Study) criteria() []StudyOutput {
	rest := slices.Clone(s.Outputs[1:])
	if slices.ContainsFunc(rest, func(o StudyOutput) bool { return o.Role == Numbered }) {
		rest = slices.DeleteFunc(rest, func(o StudyOutput) bool { return o.Role != Numbered })
	} else {
		rest = slices.DeleteFunc(rest, func(o StudyOutput) bool { return o.Role == Parameter })
		rest = rest[:min(len(rest), mostAcross-1)]
	}
	return append([]StudyOutput{s.Outputs[0]}, rest[:min(len(rest), mostCriteria-1)]...)
}

// compare has a comparison for each condition.
func (s *Study) compare() (out []comparison) {
	methods := s.compared("")
	if methods == nil {
		return nil
	}
	of, all := s.conditions(methods.name)
	if len(all) > mostTiles {
		clear(of)
		all = []string{""}
	}
	for _, condition := range all {
		out = append(out, s.compareRuns(methods, condition, func(run int) bool { return of[run] == condition }))
	}
	return out
}

// compareRuns compares the runs that are in.
func (s *Study) compareRuns(methods *category, condition string, in func(run int) bool) comparison {
	c := comparison{condition: condition, methods: methods.levels, criteria: s.criteria(),
		n: make([]int, len(methods.levels)), lost: make([]int, len(methods.levels))}
	count := make([][]float64, len(methods.levels))
	for i := range methods.levels {
		c.mean, count[i] = append(c.mean, make([]float64, len(c.criteria))), make([]float64, len(c.criteria))
	}
	for run, i := range methods.of {
		if !in(run) {
			continue
		}
		if !s.completed(run) {
			c.lost[i]++
			continue
		}
		c.n[i]++
		for j, o := range c.criteria {
			if s.has(o, run) {
				c.mean[i][j] += o.Values[run]
				count[i][j]++
			}
		}
	}
	for i, row := range c.mean {
		for j := range row {
			row[j] /= count[i][j]
			c.several = c.several || count[i][j] > 1
		}
	}
	c.drop()
	return c
}

// drop leaves out the methods that have no run.
func (c *comparison) drop() {
	kept := comparison{condition: c.condition, criteria: c.criteria, several: c.several}
	for i, name := range c.methods {
		if c.n[i]+c.lost[i] > 0 {
			kept.methods, kept.mean = append(kept.methods, name), append(kept.mean, c.mean[i])
			kept.n, kept.lost = append(kept.n, c.n[i]), append(kept.lost, c.lost[i])
		}
	}
	*c = kept
}

// smallest is the smallest size of each criterion that is not 0; NaN: there is none.
func (c *comparison) smallest() []float64 {
	out := make([]float64, len(c.criteria))
	for j := range out {
		out[j] = math.NaN()
		for i := range c.methods {
			if v := math.Abs(c.mean[i][j]); v > 0 && !(v >= out[j]) {
				out[j] = v
			}
		}
	}
	return out
}

// isSmallest reports whether a mean has the smallest size of its criterion.
func (c *comparison) isSmallest(i, j int) bool {
	for k := range c.methods {
		if math.Abs(c.mean[k][j]) < math.Abs(c.mean[i][j]) {
			return false
		}
	}
	return !math.IsNaN(c.mean[i][j])
}

// barShare is the length of a bar in cells: 0 of the value 0, 1/3 of the smallest of its criterion, 2/3 of ten times
// it, 1 of a hundred times it and more.
func barShare(v, smallest float64) float64 {
	if v == 0 || math.IsNaN(v) {
		return 0
	}
	return min(1, (1+math.Log10(math.Abs(v)/smallest))/3)
}

// comparisons are tables of bars: the mean of each criterion by method, a tile for each condition.
func (s *Study) comparisons() (out []picture) {
	list := s.compare()
	if len(list) == 0 {
		return nil
	}
	methods := s.compared("")
	transposed := len(list[0].criteria) > mostAcross
	for i := 0; i < len(list); i += mostConditions {
		title := "Criteria by " + plotting.Short(methods.name, nameLetters)
		pic := picture{file: fileName("criteria", len(out)), title: title}
		pic.size, pic.caption = wideTile, "Bar: size relative to the smallest of its criterion: a third of the cell for the "+
			"smallest, two thirds for 10 times it, all for 100 times and more. Bold: the smallest. A cross: all runs "+
			"failed. A star: some failed. A dash: no value."
		if slices.ContainsFunc(list, func(c comparison) bool { return c.several }) {
			pic.caption = "Means of the runs. " + pic.caption
		}
		for j := range list[i:min(len(list), i+mostConditions)] {
			t, width := list[i+j].tile(transposed)
			pic.tiles, pic.size = append(pic.tiles, t), max(pic.size, width)
		}
		out = append(out, pic)
	}
	return out
}

// tile is a table of bars; transposed: criteria are rows.
func (c *comparison) tile(transposed bool) (tile, vg.Length) {
	var names []string
	for _, o := range c.criteria {
		names = append(names, criterion(o))
	}
	rows, columns := c.methods, names
	if transposed {
		rows, columns = columns, rows
	}
	smallest := c.smallest()
	return cellsTile(c.words(), c.condition, "", rows, columns, func(style draw.TextStyle) drawing {
		return func(cv draw.Canvas, toX, toY func(float64) vg.Length) {
			for i := range c.methods {
				for j := range c.criteria {
					x, y := float64(j), rowAt(i, len(rows))
					if transposed {
						x, y = float64(i), rowAt(j, len(rows))
					}
					cell := vg.Rectangle{Min: vg.Point{X: toX(x - 0.5), Y: toY(y - 0.5)},
						Max: vg.Point{X: toX(x + 0.5), Y: toY(y + 0.5)}}
					c.draw(cv, style, i, j, smallest[j], cell)
				}
			}
		}
	})
}

const (
	cellGap = vg.Length(1.5) // white between the bars of neighbours
	bold    = 3              // WeightBold of golang.org/x/image/font
)

// draw draws the cell of a method and a criterion.
func (c *comparison) draw(cv draw.Canvas, style draw.TextStyle, i, j int, smallest float64, cell vg.Rectangle) {
	v, middle := c.mean[i][j], vg.Point{X: (cell.Min.X + cell.Max.X) / 2, Y: (cell.Min.Y + cell.Max.Y) / 2}
	switch {
	case math.IsNaN(v) && c.n[i] > 0:
		cv.FillText(style, middle, "–")
		return
	case math.IsNaN(v):
		strokeCrosses(cv, plotting.RGB(plotting.Failed), slices.Repeat([]vg.Point{middle}, min(1, c.lost[i])))
		return
	}
	bar := vg.Rectangle{Min: cell.Min.Add(vg.Point{X: cellGap / 2, Y: cellGap / 2})}
	bar.Max = vg.Point{X: bar.Min.X + (cell.Size().X-cellGap)*vg.Length(barShare(v, smallest)), Y: cell.Max.Y - cellGap/2}
	fillRects(cv, plotting.RGB(plotting.Box), []vg.Rectangle{bar})
	if c.isSmallest(i, j) {
		style.Font.Weight = bold
	}
	cv.FillText(style, middle, shortNumber(v)+strings.Repeat("*", min(1, c.lost[i])))
}

// words name the best of the main criterion, and the worst.
func (c *comparison) words() string {
	low, high := -1, -1
	for i := range c.methods {
		if v := math.Abs(c.mean[i][0]); !math.IsNaN(v) {
			if low < 0 || v < math.Abs(c.mean[low][0]) {
				low = i
			}
			if high < 0 || v > math.Abs(c.mean[high][0]) {
				high = i
			}
		}
	}
	words := plotting.CountOf(len(c.criteria), "criterion") // as a table with one column
	if n := len(c.criteria); n > 1 {
		words = fmt.Sprintf("%d criteria", n)
	}
	words += " by " + plotting.CountOf(len(c.methods), "row")
	if c.condition != "" {
		words += ", " + plotting.Short(c.condition, nameLetters)
	}
	if low < 0 {
		return words + ": no run has a value."
	}
	return words + fmt.Sprintf(": %s from %s (%s) to %s (%s).", criterion(c.criteria[0]), inDigits(c.mean[low][0]),
		plotting.Short(c.methods[low], nameLetters), inDigits(c.mean[high][0]), plotting.Short(c.methods[high], nameLetters))
}
