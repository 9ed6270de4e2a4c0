package picture

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"rths/campaign/study"
	"rths/kit/rthstest"
	"rths/result/plotting"
)

// The smallest value of a map has the first colour and the largest the last, beside a scale with
// numbers; the optimum is marked, unless it is outside.
func TestMapColours(t *testing.T) {
	m := Map{X: "a", Y: "b", AtX: []float64{1, 2, 3}, AtY: []float64{1, 2}, Value: [][]float64{{1, 5, 5}, {5, 5, 9}},
		MarkX: 2, MarkY: 1.5, Objective: "R2_pct"}
	svg := drawn((&Study{Maps: []Map{m}}).maps()[0], 0)
	first, last := rectangles(svg, "#440154"), rectangles(svg, "#FDE725")
	if len(first) != 2 || len(last) != 2 { // a cell and a piece of the scale
		t.Fatalf("%d pieces of the first colour, %d of the last: want 2", len(first), len(last))
	}
	if first[0].Min.X >= last[0].Min.X || first[0].Min.Y >= last[0].Min.Y {
		t.Error("the smallest value is not on the left and below")
	}
	near(t, "width of a cell", float64(first[0].Size().X-overlap), float64(last[0].Size().X-overlap), 2*printed)
	rthstest.Contains(t, svg, ">2<", ">4<", ">6<", ">8<", "R2, %", "stroke:"+plotting.Optimum)
	m.MarkX = 7
	if svg := drawn((&Study{Maps: []Map{m}}).maps()[0], 0); strings.Contains(svg, plotting.Optimum) {
		t.Error("an optimum outside of the map is marked")
	}
	if _, edges := mapAxis(false, []float64{1, 1001}); edges[1] != 501 {
		t.Errorf("edges %v of a linear axis: want the middle", edges)
	}
}

// Pages of many maps stay small, whatever the values.
func TestManyMaps(t *testing.T) {
	rthstest.Long(t)
	random := rand.New(rand.NewPCG(5, 5))
	s := &Study{}
	for n := range 66 {
		m := Map{X: fmt.Sprint("a", n), Y: "b"}
		for i := range 64 {
			m.AtX, m.AtY = append(m.AtX, float64(i)), append(m.AtY, float64(i))
			m.Value = append(m.Value, make([]float64, 64))
			for j := range 64 {
				m.Value[i][j] = random.Float64()
			}
		}
		s.Maps = append(s.Maps, m)
	}
	if page := studyHTML(t, s); len(page) > mostPage {
		t.Errorf("a page of %d bytes: want at most %d", len(page), mostPage)
	}
	if n := s.mapCells(); n < 21 || n*n*66 > allCells {
		t.Errorf("%d cells in each direction", n)
	}
}

// Tables end at their limits and say so.
func TestLongTables(t *testing.T) {
	s := &Study{Outputs: []StudyOutput{{Name: "J2_pct"}}}
	for i := range mostGroups + 1 {
		s.Summary = append(s.Summary, StudySummary{Group: fmt.Sprintf("group %d.", i), Output: "J2_pct"})
	}
	for i := range mostFailures + 1 {
		s.Failures = append(s.Failures, study.Failure{Status: "failed", Reason: fmt.Sprintf("reason %d.", i), Runs: 1})
	}
	page := studyHTML(t, s)
	rthstest.Contains(t, page, "The first 1000 of 1001 rows.", "The first 50 of 51 reasons.", "J2, % by group",
		"group 999.", "reason 49.")
	if strings.Contains(page, "group 1000.") || strings.Contains(page, "reason 50.") {
		t.Error("a table is longer than it says")
	}
	s.Summary, s.Failures = s.Summary[:mostGroups], s.Failures[:mostFailures]
	if page := studyHTML(t, s); strings.Contains(page, "The first ") {
		t.Error("a whole table says that it is cut off")
	}
}

// A dot stands below the strip of runs that failed, and a cell where its points are.
func TestScatterPlaces(t *testing.T) {
	s := madeStudy(2*cloudDots, 1, 0, 0)
	for i := range s.Status {
		s.Status[i], s.Inputs[0].Values[i], s.Outputs[0].Values[i] = "completed", 1, 1
	}
	s.Inputs[0].Values[0], s.Outputs[0].Values[0] = 3, 5
	s.Inputs[0].Values[1], s.Status[1] = 2, "failed"
	pic, _ := s.scatters()
	svg := drawn(pic, 0)
	few, many, strip := rectangles(svg, plotting.Shades[0]), rectangles(svg, plotting.Shades[len(plotting.Shades)-1]),
		rectangles(svg, plotting.FailStrip)
	if len(few) != 1 || len(many) != 1 || len(strip) != 1 {
		t.Fatalf("%d cells of one run, %d of many, %d strips: want 1 each", len(few), len(many), len(strip))
	}
	size := vg.Point{X: strip[0].Size().X, Y: strip[0].Max.Y}
	near(t, "column of the run", float64((few[0].Min.X-many[0].Min.X)/size.X), 2/2.16, 1.0/cellsX) // room at both ends
	if few[0].Max.Y > strip[0].Min.Y+overlap+printed {
		t.Error("the largest value stands in the strip of runs that failed")
	}
	if few[0].Min.Y <= many[0].Max.Y {
		t.Error("5 is not above 1")
	}
}

func TestDistributionWords(t *testing.T) {
	s := &Study{Outputs: []StudyOutput{{Name: "J2_pct", Values: []float64{1, 2, 3}},
		{Name: "J1_ms", Values: []float64{1, 2, 4}}}}
	pic, _ := s.distribution()
	rthstest.Contains(t, drawn(pic, 1), ">0.6<", ">1.0<",
		"half of the runs are at 2.000 or below, nine in ten at 2.800 or below")
	rthstest.Contains(t, drawn(pic, 0), "Histogram of J2, % of 3 runs, from 1.000 to 3.000")
	if pic, ok := s.others(); !ok || len(pic.tiles) != 1 {
		t.Error("the other output has no histogram")
	}
	s.Summary = []StudySummary{{Output: "J2_pct", N: 3, Mean: 2, MeanFrom: 1, MeanTo: math.Inf(1)}}
	if got := s.levelWords(); got != "" {
		t.Errorf("no intervals: %q", got)
	}
	s.Summary[0].MeanTo = 3
	if got := s.levelWords(); got != "In brackets: confidence intervals." {
		t.Error(got)
	}
	if got := newAxis(false, 1, 2).label("k"); got != "k" {
		t.Error(got)
	}
}
