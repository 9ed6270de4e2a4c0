package picture

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rths/campaign/study"
	"rths/kit/rthstest"
	"rths/result/plotting"
)

// drawn is a tile as SVG.
func drawn(p picture, i int) string { return string(p.tiles[i].inline(p)) }

// subpaths counts the pieces of all paths of a colour.
func subpaths(svg, style string) int {
	n := 0
	for _, path := range regexp.MustCompile(`<path d="([^"]*)" ?\s*style="([^"]*)"`).FindAllStringSubmatch(svg, -1) {
		if strings.Contains(path[2], style) {
			n += strings.Count(path[1], "M")
		}
	}
	return n
}

// Every run is in the scatter: as a dot if it has a value, else as a cross of two strokes.
func TestScatterHasAllRuns(t *testing.T) {
	s := madeStudy(40, 1, 0, 0)
	for i := range s.Status {
		s.Status[i], s.Outputs[0].Values[i] = "completed", float64(i)
		s.Inputs[0].Values[i] = float64((7 * i) % 40)
	}
	s.Status[3], s.Status[5] = "tripped", "failed"
	s.Outputs[0].Values[8] = math.NaN()
	pic, _ := s.scatters()
	svg := drawn(pic, 0)
	if dots, crosses := subpaths(svg, "fill:"+plotting.Colours[0]),
		subpaths(svg, "stroke:"+plotting.Failed); dots != 37 || crosses != 2*3 {
		t.Errorf("%d dots, %d strokes of crosses: want 37 and 6\n", dots, crosses)
	}
	rthstest.Contains(t, svg, "37 runs, rank correlation", "3 failed")
	rthstest.Contains(t, pic.caption, "Crosses in the grey strip are runs that failed.")
	if got := s.runVerdict(); !strings.HasPrefix(got,
		"40 runs, 2 failed (1 tripped, 1 failed), 1 completed without a value. J2, %: mean") {
		t.Error(got)
	}
}

// Cells count every point; the darkest has the most.
func TestShades(t *testing.T) {
	if shadeOf(1, 1) != len(plotting.Shades)-1 || shadeOf(1, 100) != 0 || shadeOf(100, 100) != len(plotting.Shades)-1 ||
		shadeOf(10, 100) != len(plotting.Shades)/2 {
		t.Errorf("%d %d %d %d", shadeOf(1, 1), shadeOf(1, 100), shadeOf(100, 100), shadeOf(10, 100))
	}
	for _, scale := range [][]string{plotting.Viridis, plotting.Blues} {
		last := math.NaN()
		for i := range 101 {
			l := luminance(blend(scale, float64(i)/100))
			if i > 1 && (l > last) != (scale[0] == plotting.Viridis[0]) {
				t.Errorf("%s …: lightness is not monotone at %d %%", scale[0], i)
			}
			last = l
		}
	}
}

// rectangles are the filled rectangles of a colour.
func rectangles(svg, colour string) []vg.Rectangle {
	var out []vg.Rectangle
	for _, path := range regexp.MustCompile(`<path d="([^"]*)"\s*style="fill:([^";]*)`).FindAllStringSubmatch(svg, -1) {
		if path[2] != colour {
			continue
		}
		for _, piece := range strings.Split(strings.Trim(path[1], "MZ"), "ZM") {
			var x, y [4]float64
			fmt.Sscanf(strings.ReplaceAll(piece, "L", " "), "%g,%g %g,%g %g,%g %g,%g", &x[0], &y[0], &x[1], &y[1], &x[2], &y[2],
				&x[3], &y[3])
			out = append(out, vg.Rectangle{Min: vg.Point{X: vg.Length(x[0]), Y: vg.Length(y[0])},
				Max: vg.Point{X: vg.Length(x[2]), Y: vg.Length(y[2])}})
		}
	}
	return out
}

// printed is how far a printed coordinate may be from the drawn one: five digits of some hundred points.
const printed = 0.02

// The bars of a histogram are as high as their numbers of runs: 1, 2, 4 and 8.
func TestHistogramBars(t *testing.T) {
	s := &Study{Outputs: []StudyOutput{{Name: "J2_pct"}}}
	for i, n := range []int{1, 2, 4, 0, 8} {
		s.Outputs[0].Values = append(s.Outputs[0].Values, slices.Repeat([]float64{float64(i)}, n)...)
	}
	pic, _ := s.distribution()
	var heights []float64
	for _, r := range rectangles(drawn(pic, 0), plotting.Colours[5]) {
		heights = append(heights, float64(r.Size().Y))
	}
	if len(heights) != 4 {
		t.Fatalf("%d bars: want 4", len(heights))
	}
	for i, want := range []float64{1, 2, 4, 8} {
		near(t, "height", heights[i]/heights[0], want, want*printed*2/heights[0])
	}
}

// Bars of Sobol' indices are as long as the indices, the largest total on top; a negative one goes
// to the left of 0.
func TestSobolBars(t *testing.T) {
	nan := math.NaN()
	s := &Study{Sobol: []study.Indices{{Name: "J2_pct",
		Inputs: []study.SobolOfInput{indicesOf("a", 0.1, nan, nan, 0.2, nan, nan),
			indicesOf("b", 0.4, nan, nan, 0.8, nan, nan), indicesOf("c", -0.1, nan, nan, 0.1, nan, nan)}}}}
	pic, _ := s.sobol()
	first, total := rectangles(drawn(pic, 0), plotting.Colours[0]), rectangles(drawn(pic, 0), plotting.Colours[5])
	if len(first) != 3 || len(total) != 3 {
		t.Fatalf("%d and %d bars: want 3 each", len(first), len(total))
	}
	unit := float64(total[0].Size().X) / 0.8
	for i, want := range []float64{0.4, 0.1, 0.1} {
		near(t, "first", float64(first[i].Size().X)/unit, want, 2*printed/unit)
	}
	for i, want := range []float64{0.8, 0.2, 0.1} {
		near(t, "total", float64(total[i].Size().X)/unit, want, 2*printed/unit)
		near(t, "left end", float64(total[i].Min.X), float64(total[0].Min.X), printed)
	}
	near(t, "right end of the negative bar", float64(first[2].Max.X), float64(total[2].Min.X), printed)
	if first[0].Min.Y < first[1].Max.Y || total[0].Max.Y > first[0].Min.Y+printed {
		t.Error("the largest is not on top, or its bars overlap")
	}
}

// A box spans the quartiles of its level; a level of four runs has dots, one of no value has none.
func TestBoxesOfLevels(t *testing.T) {
	s := &Study{Inputs: []StudyInput{{Name: "case"}}, Outputs: []StudyOutput{{Name: "J2_pct"}}}
	for level, values := range [][]float64{{0, 1, 2, 3, 4}, {2, 2.5, 3.5, 18}, {math.NaN()},
		{0, 1, 1, 2, 2, 3, 3, 17, 18}} {
		for _, v := range values {
			s.Inputs[0].Labels = append(s.Inputs[0].Labels, fmt.Sprint("case ", level+1))
			s.Outputs[0].Values = append(s.Outputs[0].Values, v)
		}
	}
	s.Status = slices.Repeat([]string{"completed"}, 9)
	s.Status = append(s.Status, "diverged")
	s.Status = append(s.Status, slices.Repeat([]string{"completed"}, 9)...)
	pics := s.boxes()
	if len(pics) != 1 || len(pics[0].tiles) != 1 {
		t.Fatalf("%d pictures", len(pics))
	}
	svg := drawn(pics[0], 0)
	box := rectangles(svg, plotting.Box)
	if dots := subpaths(svg, "fill:"+plotting.Colours[0]); len(box) != 2 || dots != 4+2 {
		t.Fatalf("%d boxes, %d dots: want 2 and 6", len(box), dots)
	}
	// quartiles 1 and 3 of 0 … 4
	ends := regexp.MustCompile(`M([0-9.]+),[0-9.]+L([0-9.]+),`).FindAllStringSubmatch(svg, -1)
	found := false
	for _, e := range ends { // the lower whisker goes from 0 to 1, as long as half the box
		var from, to float64
		fmt.Sscan(e[1], &from)
		fmt.Sscan(e[2], &to)
		found = found || math.Abs(to-float64(box[0].Min.X)) < printed &&
			math.Abs((to-from)/float64(box[0].Size().X)-0.5) < printed
	}
	if !found {
		t.Error("no whisker from 0 to the first quartile")
	}
	rthstest.Contains(t, svg, "n = 5", "n = 4", "n = 0, 1 failed", "medians from 2.000 (case 1) to 3.000 (case 2)")
}

// Boxes of two inputs: a tile for each level of the input with fewer. Of three inputs, each pair.
func TestBoxesOfPairs(t *testing.T) {
	s := madeStudy(120, 0, 4, 3)
	if pics := s.boxes(); len(pics) != 1 || len(pics[0].tiles) != 3 || len(s.matrices()) != 1 {
		t.Errorf("%d pictures", len(pics))
	}
	for _, more := range []int{2, 2} {
		in := StudyInput{Name: "case", Labels: make([]string, 120)}
		for i := range in.Labels {
			in.Labels[i] = fmt.Sprint("case ", i%more)
		}
		s.Inputs = append(s.Inputs, in)
	}
	var files []string
	for _, pic := range s.boxes() {
		files = append(files, fmt.Sprint(pic.file, " ", len(pic.tiles)))
	}
	if want := []string{"boxes 3", "boxes-2 2", "boxes-3 2"}; !slices.Equal(files, want) {
		t.Errorf("%v: want %v", files, want)
	}
	rthstest.Contains(t, studyHTML(t, s), "Left out: case.")
}

// The matrix has the mean of each cell over the runs that completed.
func TestMatrix(t *testing.T) {
	s := &Study{
		Inputs: []StudyInput{{Name: "record", Labels: []string{"A", "A", "B", "B", "A", "B", "B"}},
			{Name: "compensator", Labels: []string{"pi", "kf", "pi", "kf", "pi", "kf", "af"}}},
		Status:  []string{"completed", "completed", "diverged", "completed", "completed", "failed", "completed"},
		Outputs: []StudyOutput{{Name: "J2_pct", Values: []float64{1, 10, 99, 20, 4, 99, 6}}},
	}
	m := s.matrices()[0]
	if m.rows.name != "compensator" || !slices.Equal(m.rows.levels, []string{"pi", "kf", "af"}) ||
		!slices.Equal(m.columns.levels, []string{"A", "B"}) {
		t.Fatalf("rows %v, columns %v", m.rows, m.columns)
	}
	nan := math.NaN()
	for i, row := range [][]float64{{2.5, nan}, {10, 20}, {nan, 6}} {
		for j, want := range row {
			if got := m.mean[i][j]; got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("cell %d %d: %g: want %g", i, j, got, want)
			}
		}
	}
	var cells []vg.Rectangle
	for _, colour := range []string{"#F7FBFF", "#08519C"} { // the smallest mean and the largest
		cells = append(cells, rectangles(drawn(s.matrixPictures()[0], 0), colour)...)
	}
	if len(cells) != 2 || math.Abs(float64(cells[0].Min.X-cells[1].Min.X+cells[1].Size().X)) > printed ||
		math.Abs(float64(cells[0].Size().Y-cells[1].Size().Y)) > printed || cells[0].Min.Y < cells[1].Max.Y-printed {
		t.Errorf("cells %v: want the palest on the left of the darkest, and above", cells)
	}
	if m.lost[0][1] != 1 || m.lost[1][1] != 1 || m.n[1][1] != 1 || m.n[2][0]+m.lost[2][0] != 0 {
		t.Errorf("runs %v, failed %v", m.n, m.lost)
	}
	if got := m.words(); got != "Smallest mean 2.500 (pi, A), largest 20.00 (kf, B)." {
		t.Error(got)
	}
	page := studyHTML(t, s)
	rthstest.Contains(t, page, ">2.500</td>", `–<span class="more">1 failed</span>`,
		`20.00<span class="more">1 failed</span>`)
}

// Words name the place of the smallest and of the largest value, the first of equal ones.
func TestPlacesInWords(t *testing.T) {
	s := &Study{
		Inputs: []StudyInput{{Name: "a", Labels: []string{"a1", "a1", "a2", "a2"}},
			{Name: "b", Labels: []string{"b1", "b2", "b1", "b2"}}},
		Outputs: []StudyOutput{{Name: "J2_pct", Values: []float64{3, 5, 1, 1}}},
	}
	if got := s.matrices()[0].words(); got != "Smallest mean 1.000 (a2, b1), largest 5.000 (a1, b2)." {
		t.Error(got)
	}
	levels := []string{"x", "y", "z", "w"}
	for want, values := range map[string][][]float64{
		"2.000 (y) to 5.000 (x).": {{5}, {2}, {2}, {5}}, "1.000 (x) to 3.000 (z).": {{1}, {2}, {3}, nil},
		"4.000 (y) to 4.000 (y).": {nil, {4}, {4}, {4}},
	} {
		if got := boxWords("", "J", levels, values); got != "Box plots of J: medians from "+want {
			t.Error(got)
		}
	}
}

// The cells of a map cover its area once; those of a logarithmic axis meet at the geometric mean.
func TestMapCells(t *testing.T) {
	m := Map{X: "a", Y: "b", LogX: true, AtX: []float64{1, 10, 1000}, AtY: []float64{0, 1, 3},
		Value: [][]float64{{1, 1, 2}, {math.NaN(), 5, 5}, {9, 1, math.NaN()}}}
	across, x := mapAxis(m.LogX, m.AtX)
	_, y := mapAxis(m.LogY, m.AtY)
	for i, want := range []float64{-0.5, 0.5, 2, 4} {
		near(t, "edge", x[i], want, 1e-15)
	}
	for i, want := range []float64{-0.5, 0.5, 2, 4} {
		near(t, "edge", y[i], want, 1e-15)
	}
	near(t, "left end", across.low, -0.5, 1e-15)
	plain := func(v float64) vg.Length { return vg.Length(v) }
	cells, none := m.cells(newAxis(false, 1, 9), x, y, plain, plain)
	area, n := 0.0, 0
	for _, list := range append(cells[:], none) {
		for _, r := range list {
			area, n = area+float64(r.Size().X*r.Size().Y), n+1
		}
	}
	near(t, "area", area, 4.5*4.5, 1e-12)
	if n != 7 { // 1 1 | 2; – | 5 5; 9 | 1 | –
		t.Errorf("%d rectangles: want 7", n)
	}
	near(t, "area without a value", float64(none[0].Size().X*none[0].Size().Y+none[1].Size().X*none[1].Size().Y),
		1*1.5+2*2, 1e-12)
	m.Objective, m.MarkX, m.MarkY = "R2_pct", 10, 1
	if got := m.words(); got != "R2, % over a and b: smallest 1.000 at 1.000 and 0; the optimum is at 10.00 and 1.000; 2 points without a value." {
		t.Error(got)
	}
}

// Of a map of many points every n-th is drawn, and the caption says so.
func TestMapThin(t *testing.T) {
	m := Map{X: "a", Y: "b", AtY: []float64{1}, Value: [][]float64{{}}, Objective: "R2_pct"}
	for i := range 200 {
		m.AtX, m.Value[0] = append(m.AtX, float64(i)), append(m.Value[0], float64(i))
	}
	if thin := m.thin(64); len(thin.AtX) != 50 || thin.AtX[1] != 4 || thin.Value[0][1] != 4 || len(thin.AtY) != 1 {
		t.Errorf("%d points, the second at %g", len(thin.AtX), thin.AtX[1])
	}
	rthstest.Contains(t, studyHTML(t, &Study{Maps: []Map{m}}),
		"Of a map with more than 64 points in a direction, every n-th is drawn.")
	rthstest.Contains(t, studyHTML(t, madeSearch()),
		"Calibration of 4 parameters: 150 candidates in 10 generations, smallest R2, %: 0.8604 at compensator.gain0 = "+
			"2.512·10⁸", "Grey cells with lines have no value", "R2, % around the optimum")
}

// Bars in the strip are as high as the share of runs that failed.
func TestFailShares(t *testing.T) {
	lost, all := make([]int, failBars), make([]int, failBars)
	lost[0], all[0], lost[7], all[7], all[9] = 1, 4, 3, 3, 5
	c := draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: failBars, Y: failStrip}}}
	bars := failShares(c.Rectangle, lost, all)
	if len(bars) != 2 {
		t.Fatalf("%d bars: want 2", len(bars))
	}
	near(t, "a quarter", float64(bars[0].Size().Y), float64(failStrip)/4, 1e-12)
	near(t, "all", float64(bars[1].Size().Y), float64(failStrip), 1e-12)
	near(t, "its place", float64(bars[1].Min.X+bars[1].Max.X)/2, 7.5, 1e-12)
}

// Runs that failed stand as crosses, or as bars in columns in the middle of which their inputs are.
func TestFailures(t *testing.T) {
	s := madeStudy(400, 1, 0, 0)
	for i := range s.Status {
		s.Status[i], s.Outputs[0].Values[i], s.Inputs[0].Values[i] = "completed", 1+float64(i%7), float64(i)
		if i >= 200 && i < 200+failMarks+1 {
			s.Status[i] = "tripped"
		}
	}
	pic, _ := s.scatters()
	bars := rectangles(drawn(pic, 0), plotting.Failed)
	full := 0
	for _, b := range bars {
		if math.Abs(float64(b.Size().Y-failStrip)) < printed {
			full++
		}
	}
	// A column has 400·1.08/40 = 10.8 runs, so that 61 in a row fill 4 or 5 columns and parts of two.
	if full < 4 || full > 5 || len(bars) != full+2 && len(bars) != full+1 {
		t.Errorf("%d bars, %d of them full", len(bars), full)
	}
	rthstest.Contains(t, pic.caption, "Bars in the grey strip")
}

// Candidates that break a limit are shares in the strip, the others dots; the verdict counts them.
func TestSearch(t *testing.T) {
	h := &StudySearch{Objective: "R2_pct", Tuned: []StudyInput{{Name: "gain", Values: []float64{1, 2, 3, 4, 5, 6}}},
		Generation: []int{1, 1, 1, 2, 2, 2}, Value: []float64{5, 4, math.NaN(), 3, 2, 1},
		Violation: []float64{0, 0, 0, 0, 0, 0.5}, Best: []float64{4, 2}, Optimum: []float64{5}}
	s := &Study{Search: h}
	pics := s.search()
	svg := drawn(pics[0], 0)
	if dots, bars := subpaths(svg, "fill:"+plotting.Colours[0]),
		rectangles(svg, plotting.Failed); dots != 4 || len(bars) != 2 ||
		math.Abs(float64(bars[0].Size().Y-failStrip/3)) > printed {
		t.Errorf("%d dots, bars %v: want 4 dots and 2 bars over a third of the strip", dots, bars)
	}
	strip := rectangles(svg, plotting.FailStrip)[0] // as wide as the axis, from generation 0.5 to 2.5
	line := regexp.MustCompile(`<path d="M([\d.]+),[\d.]+L([\d.]+),[\d.]+" ?\s*style="[^"]*stroke:` +
		plotting.Colours[1]).FindStringSubmatch(svg)
	if line == nil {
		t.Fatal("no line of the best value")
	}
	for i, text := range line[1:] {
		want := float64(strip.Min.X) + float64(strip.Max.X-strip.Min.X)*(0.25+0.5*float64(i))
		if x, err := strconv.ParseFloat(text, 64); err != nil || math.Abs(x-want) > printed {
			t.Errorf("the best value after generation %d is drawn at %s: want %.2f, at its candidates", i+1, text, want)
		}
	}
	rthstest.Contains(t, svg, "the best value goes from 4.000 to 2.000", "2 break a limit or have no value")
	if dots := subpaths(drawn(pics[1], 0), "fill:"+plotting.Colours[0]); dots != 6 {
		t.Errorf("%d dots of the parameter: want all 6", dots)
	}
	if got := s.verdicts(); len(got) != 1 ||
		got[0] != "Calibration of 1 parameter: 6 candidates in 2 generations, smallest R2, %: 2.000 at gain = 5.000; "+
			"candidates without a value or with a broken limit: 2." {
		t.Error(got)
	}
}
