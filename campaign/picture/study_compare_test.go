package picture

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"rths/campaign/study"
	"rths/kit/rthstest"
	"rths/result/plotting"
)

// compared is a study of two methods under two records, twice each, with known criteria: J2 of method m under record r
// in repeat k is 10 m + r + k, J1 is its hundredth; b fails once under A and always under B.
func comparedStudy() *Study {
	s := &Study{Inputs: []StudyInput{{Name: "record"}, {Name: "compensator.kind"}},
		Outputs: []StudyOutput{{Name: "J2_true_pct"}, {Name: "J1_ms", Role: Numbered}, {Name: "peak_V"},
			{Name: "a1", Role: Parameter}}}
	for r, record := range []string{"A", "B"} {
		for m, method := range []string{"z", "b"} {
			for k := range 2 {
				s.Inputs[0].Labels = append(s.Inputs[0].Labels, record)
				s.Inputs[1].Labels = append(s.Inputs[1].Labels, method)
				v := float64(10*(m+1) + r + k)
				for i, x := range []float64{v, v / 100, 1, 2} {
					s.Outputs[i].Values = append(s.Outputs[i].Values, x)
				}
				s.Status = append(s.Status, "completed")
				if method == "b" && (record == "B" || k == 1) {
					s.Status[len(s.Status)-1] = "diverged"
				}
			}
		}
	}
	return s
}

// Means are over the completed runs of a method under a condition, the methods in the order of the study, the main
// criterion first and then the numbered ones.
func TestCompare(t *testing.T) {
	s := comparedStudy()
	list := s.compare()
	if len(list) != 2 || list[0].condition != "A" || list[1].condition != "B" {
		t.Fatalf("%+v: want records A and B", list)
	}
	a, b := list[0], list[1]
	if !slices.Equal(a.methods, []string{"z", "b"}) || len(a.criteria) != 2 || a.criteria[1].Name != "J1_ms" {
		t.Errorf("methods %v, criteria %v", a.methods, a.criteria)
	}
	rthstest.NearAll(t, "means of z and b under A", slices.Concat(a.mean...), []float64{10.5, 0.105, 20, 0.2}, 1e-14)
	rthstest.NearAll(t, "means of z under B", b.mean[0], []float64{11.5, 0.115}, 1e-14)
	if !math.IsNaN(b.mean[1][0]) || !slices.Equal(a.n, []int{2, 1}) || !slices.Equal(a.lost, []int{0, 1}) ||
		!slices.Equal(b.n, []int{2, 0}) || !slices.Equal(b.lost, []int{0, 2}) {
		t.Errorf("b under B %v; completed %v %v, failed %v %v", b.mean[1], a.n, b.n, a.lost, b.lost)
	}
	rthstest.NearAll(t, "smallest", a.smallest(), []float64{10.5, 0.105}, 1e-14)
	if !a.isSmallest(0, 0) || a.isSmallest(1, 0) || b.isSmallest(1, 0) {
		t.Error("z is the smallest, b is not, nor what has no value")
	}
	pic := s.comparisons()[0]
	if len(pic.tiles) != 2 || !strings.HasPrefix(pic.caption, "Means of the runs. ") {
		t.Errorf("%d tiles, %s", len(pic.tiles), pic.caption)
	}
	under := drawn(pic, 1)
	if crosses := subpaths(under, "stroke:"+plotting.Failed); crosses != 2*2 { // two criteria of b
		t.Errorf("%d strokes of crosses: want 4", crosses)
	}
	rthstest.Contains(t, drawn(pic, 0), "20.0*", "2 criteria by 2 rows, A: J2_true, % from 10.50 (z) to 20.00 (b)")
}

// A bar is a third of a cell for the smallest, two thirds for ten times it, all for a hundred times and more, by size.
func TestBarShares(t *testing.T) {
	for _, c := range [][2]float64{{1, 1. / 3}, {10, 2. / 3}, {-10, 2. / 3}, {100, 1}, {1e9, 1}, {0, 0}, {math.Sqrt(10),
		0.5}} {
		near(t, fmt.Sprint("share of ", c[0]), barShare(c[0], 1), c[1], 1e-15)
	}
	s := &Study{Inputs: []StudyInput{{Name: "method", Labels: []string{"a", "b", "c", "d"}}},
		Outputs: []StudyOutput{{Name: "J2_pct", Values: []float64{20, 2, 2000, 0}}}}
	svg := drawn(s.comparisons()[0], 0)
	bars := rectangles(svg, plotting.Box)
	if len(bars) != 4 {
		t.Fatalf("%d bars: want 4", len(bars))
	}
	for i, want := range []float64{2, 1, 3, 0} {
		near(t, "length", float64(bars[i].Size().X/bars[1].Size().X), want, 0.01)
		if i > 0 && bars[i].Max.Y > bars[i-1].Min.Y {
			t.Errorf("row %d stands above row %d", i, i-1)
		}
	}
}

// Many criteria are rows; conditions beyond the most tiles are one mean; of one level there is nothing to compare.
func TestManyCriteriaAndConditions(t *testing.T) {
	s := &Study{Inputs: []StudyInput{{Name: "method"}, {Name: "plant"}}}
	for i := range mostAcross + 1 {
		s.Outputs = append(s.Outputs, StudyOutput{Name: fmt.Sprintf("J%d_pct", i+1), Role: Numbered})
	}
	for run := range 2 * (mostTiles + 1) {
		s.Inputs[0].Labels = append(s.Inputs[0].Labels, []string{"a", "b"}[run%2])
		s.Inputs[1].Labels = append(s.Inputs[1].Labels, fmt.Sprint("plant ", run/2))
		for i := range s.Outputs {
			s.Outputs[i].Values = append(s.Outputs[i].Values, float64(run))
		}
	}
	list := s.compare()
	if len(list) != 1 {
		t.Fatalf("%d conditions: want one mean", len(list))
	}
	near(t, "mean", list[0].mean[0][0], mostTiles, 0)
	pics := s.comparisons()
	if got, want := len(pics[0].tiles), 1; got != want {
		t.Errorf("%d tiles: want %d", got, want)
	}
	if up := rectangles(drawn(pics[0], 0), plotting.Box); len(up) != 2*(mostAcross+1) || up[0].Max.Y < up[1].Max.Y {
		t.Errorf("%d bars: want a row for each of %d criteria", len(up), mostAcross+1)
	}
	s.Inputs[1].Labels = slices.Repeat([]string{"one"}, len(s.Inputs[1].Labels))
	s.Inputs[0].Labels = s.Inputs[1].Labels
	if s.comparisons() != nil {
		t.Error("a comparison of one level")
	}
}

// Levels that are numbers are swept: with levels too if they are few; in a one-at-a-time study without the others.
func TestPictured(t *testing.T) {
	many := make([]float64, mostNumbers+1)
	for i := range many {
		many[i] = float64(i)
	}
	nan := math.NaN()
	for _, c := range []struct {
		what   string
		in     study.Input
		swept  []float64
		labels bool
	}{
		{"few", study.Input{Levels: true, Numbers: []float64{2, 1, 3}}, []float64{2, 1, 3}, true},
		{"many", study.Input{Levels: true, Numbers: many}, many, false},
		{"two", study.Input{Levels: true, Numbers: []float64{1, 2, 1}}, nil, true},
		{"drawn", study.Input{Numbers: []float64{1, 2, 3}}, nil, false},
		{"one at a time", study.Input{Levels: true, Texts: []string{study.AsInScenario, "1", "2.5", "1e3"}},
			[]float64{nan, 1, 2.5, 1000}, true},
		{"words", study.Input{Levels: true, Texts: []string{"1", "2", "3", "auto"}}, nil, true},
	} {
		got := pictured(c.in)
		if got.Swept != (c.swept != nil) || (got.Labels != nil) != c.labels {
			t.Errorf("%s: %+v", c.what, got)
		}
		if c.swept != nil && fmt.Sprint(got.Values) != fmt.Sprint(c.swept) {
			t.Errorf("%s: %v: want %v", c.what, got.Values, c.swept)
		}
	}
}
