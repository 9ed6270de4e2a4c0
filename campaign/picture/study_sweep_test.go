package picture

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"rths/kit/rthstest"
)

// sweptStudy has eleven runs at each of three values of x, with J2 of x·0, x·1, … x·10 of method a; method b has one
// run at each value, with J2 = 5, which fails at x = 2. A last run leaves x alone. The parameter is 7 in all runs of a.
func sweptStudy() *Study {
	s := &Study{Inputs: []StudyInput{{Name: "x", Swept: true}, {Name: "compensator.kind"}},
		Outputs: []StudyOutput{{Name: "J2_pct"}, {Name: "x1", Role: Parameter}}}
	add := func(x float64, method, status string, j2, x1 float64) {
		s.Inputs[0].Values, s.Inputs[1].Labels = append(s.Inputs[0].Values, x), append(s.Inputs[1].Labels, method)
		s.Outputs[0].Values = append(s.Outputs[0].Values, j2)
		s.Outputs[1].Values = append(s.Outputs[1].Values, x1)
		s.Status = append(s.Status, status)
	}
	for _, x := range []float64{4, 1, 2} {
		for i := range 11 {
			add(x, "a", "completed", x*float64((7*i)%11), 7)
		}
		add(x, "b", map[bool]string{true: "tripped", false: "completed"}[x == 2], 5, math.NaN())
	}
	add(math.NaN(), "a", "completed", 1000, 7)
	return s
}

// At each value in increasing order a trend has the median of its runs and the band from 10 to 90 %: of x·0 … x·10 that
// is 5x, x and 9x. A run that failed is no value, and a run without x none either.
func TestTrends(t *testing.T) {
	s := sweptStudy()
	trends := s.trends(s.Inputs[0], s.Outputs[0])
	if len(trends) != 2 || trends[0].level != "a" || trends[1].level != "b" {
		t.Fatalf("%+v", trends)
	}
	a, b := trends[0], trends[1]
	rthstest.NearAll(t, "x", a.x, []float64{1, 2, 4}, 0)
	rthstest.NearAll(t, "median", a.median, []float64{5, 10, 20}, 1e-14)
	rthstest.NearAll(t, "10 %", a.low, []float64{1, 2, 4}, 1e-14)
	rthstest.NearAll(t, "90 %", a.high, []float64{9, 18, 36}, 1e-14)
	if !slices.Equal(b.n, []int{1, 0, 1}) || !math.IsNaN(b.median[1]) || !slices.Equal(b.lost, []float64{2}) {
		t.Errorf("b: %+v", b)
	}
	if got := b.pieces(); !slices.Equal(got, [][2]int{{0, 1}, {2, 3}}) {
		t.Errorf("pieces %v: want the line to break where every run failed", got)
	}
	if got := a.pieces(); !slices.Equal(got, [][2]int{{0, 3}}) {
		t.Errorf("pieces %v: want one", got)
	}
}

// A picture of the criteria and one of the parameters, each with its legend; a swept input is in no scatter.
func TestSweeps(t *testing.T) {
	s := sweptStudy()
	pics := s.sweeps()
	if len(pics) != 2 || pics[0].file != "sweep" || pics[1].file != "parameters" || len(pics[0].tiles) != 2 ||
		len(pics[1].tiles) != 2 {
		t.Fatalf("%d pictures: want criteria and parameters, each a legend and a diagram", len(pics))
	}
	rthstest.Contains(t, pics[0].caption, "Line: median of the runs at each value. Band: 10 to 90 % of them.",
		"Crosses in the grey strip are values at which runs failed.")
	rthstest.Contains(t, drawn(pics[0], 0), "compensator.kind", "Lines: [a b]")
	rthstest.Contains(t, drawn(pics[0], 1), "J2, % over x, medians; a: 5.000 at 1.000, 20.00 at 4.000; b: 5.000 at 1.000, "+
		"5.000 at 4.000.")
	if _, ok := s.scatters(); ok {
		t.Error("a swept input is in the scatter too")
	}
	empty := sweptStudy()
	for i := range empty.Inputs[0].Values {
		empty.Inputs[0].Values[i] = math.Inf(1)
	}
	if pics := empty.sweeps(); pics != nil {
		t.Errorf("%d pictures over no number", len(pics))
	}
	s.Inputs[1].Labels = slices.Repeat([]string{"one"}, len(s.Inputs[1].Labels))
	if got := s.trends(s.Inputs[0], s.Outputs[0]); len(got) != 1 || got[0].level != "" || got[0].n[0] != 12 {
		t.Errorf("%+v: want one line of all runs", got)
	}
}

// A parameter's unit is not in its name.
func TestUnitOfAParameter(t *testing.T) {
	for want, o := range map[string]StudyOutput{"a1, s": {Name: "a1", Unit: "s"}, "x1": {Name: "x1"},
		"J2_true, %": {Name: "J2_true_pct"}} {
		if got := criterion(o); got != want {
			t.Errorf("%q: want %q", got, want)
		}
	}
}

// A table of a suite is drawn over what is swept, or else by its first input.
func TestTablePlots(t *testing.T) {
	for want, s := range map[string]*Study{"x.png x.svg x-2.png x-2.svg": sweptStudy(), "x.png x.svg": comparedStudy()} {
		paths, err := TablePlots(t.TempDir(), "x", s)
		if err != nil {
			t.Fatal(err)
		}
		var names string
		for i, p := range paths {
			if i > 0 {
				names += " "
			}
			names += filepath.Base(p)
		}
		if names != want {
			t.Errorf("%s: want %s", names, want)
		}
	}
}
