package study

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"rths"
	"rths/kit/rthstest"
)

// Intervals of mean and quantiles hold the true value in 95 % of the studies of n runs: of the mean
// of normal variables exactly, of quantiles of any distribution at least.
func TestIntervalsHoldTheTruth(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 1))
	studies := rthstest.Draws(1000, 10_000)
	for _, n := range []int{5, 20, 100} {
		mean := 0
		below, bounded, width := make([]int, len(shares)), make([]int, len(shares)), make([]float64, len(shares))
		for range studies {
			x := make([]float64, n)
			for i := range x {
				x[i] = 3 + 2*r.NormFloat64()
			}
			s := newStatistic("x", x)
			if s.MeanFrom <= 3 && 3 <= s.MeanTo {
				mean++
			}
			for i, q := range s.Quantile {
				truth := distuv.Normal{Mu: 3, Sigma: 2}.Quantile(q.P)
				if !(q.From > truth) && !(q.To < truth) {
					below[i]++
				}
				if w := q.To - q.From; !math.IsNaN(w) {
					bounded[i], width[i] = bounded[i]+1, width[i]+w
				}
			}
		}
		slack := 4 * math.Sqrt(0.05*0.95/float64(studies)) // four standard deviations of a share of 0.95
		if share := float64(mean) / float64(studies); math.Abs(share-0.95) > slack {
			t.Errorf("n = %d: %.3f of the intervals hold the mean, want 0.95 ± %.3f", n, share, slack)
		}
		for i, p := range shares {
			if share := float64(below[i]) / float64(studies); share < 0.95-slack {
				t.Errorf("n = %d: %.3f of the intervals hold the quantile %g, want 0.95 or more", n, share, p)
			}
			if want := n == 100 || p == 0.5 && n == 20; want && bounded[i] != studies {
				t.Errorf("n = %d: the quantile %g has no interval", n, p)
			}
		}
		// ± 1.96 √(π/2)·2/√100 = 0.98 wide, and one step of order statistics
		if n == 100 && (width[2]/float64(studies) > 1.4 || width[2]/float64(studies) < 0.8) {
			t.Errorf("the interval of the median is %.3g wide, want about 1", width[2]/float64(studies))
		}
	}
}

// Quantiles are those of definition 7, and values without a number do not count.
func TestStatisticOfFewValues(t *testing.T) {
	s := newStatistic("x", []float64{4, 1, math.NaN(), 3, 2, math.Inf(1)})
	if s.N != 4 || s.Mean != 2.5 || s.Least != 1 || s.Largest != 4 || math.Abs(s.SD-math.Sqrt(5.0/3)) > 1e-15 {
		t.Errorf("%+v", s)
	}
	for p, want := range map[float64]float64{0.05: 1.15, 0.25: 1.75, 0.5: 2.5, 0.75: 3.25, 0.9: 3.7, 0.95: 3.85} {
		if got := s.At(p); math.Abs(got-want) > 1e-12 {
			t.Errorf("quantile %g is %g, want %g", p, got, want)
		}
	}
	if one := newStatistic("x", []float64{2}); one.Mean != 2 || !math.IsNaN(one.SD) || !math.IsNaN(one.MeanTo) ||
		one.At(0.9) != 2 {
		t.Errorf("one value: %+v", one)
	}
	if none := newStatistic("x", nil); none.N != 0 || !math.IsNaN(none.Mean) || !math.IsNaN(none.At(0.5)) {
		t.Errorf("no value: %+v", none)
	}
}

// The summary of a study: a group for every level, failures by their reasons, and JSON without
// anything that JSON does not know.
func TestSummary(t *testing.T) {
	b, p := planned(t, crossed)
	f := made(t, b, p, 2)
	s, err := f.Table.summarise(p)
	if err != nil {
		t.Fatal(err)
	}
	if s.Criterion != "J2_true_pct" || len(s.Groups) != 2 || s.Runs != 6 || s.Completed != 6 {
		t.Errorf("%s, %d groups, %d of %d", s.Criterion, len(s.Groups), s.Completed, s.Runs)
	}
	for cell, g := range s.Groups {
		var x []float64
		for run := range p.Runs() {
			if row, _ := f.Table.Row(run); p.Cell(run) == cell {
				v, _ := row.Value("J2_true_pct")
				x = append(x, v)
			}
		}
		if want := newStatistic("J2_true_pct", x); g.Values[0].Name != want.Name || g.Values[0].Mean != want.Mean ||
			g.Values[0].At(0.9) != want.At(0.9) {
			t.Errorf("%s: %+v, want %+v", g.Name, g.Values[0], want)
		}
	}
	if text, err := json.Marshal(s); err != nil || !strings.Contains(string(text), `"from":null`) {
		t.Errorf("%.300s, %v", text, err)
	}
}

// Failures count by status and reason, whatever the numbers in the reason are.
func TestFailures(t *testing.T) {
	table := newTable(5)
	for run, reason := range []string{"diverged at t = 1.5 s", "", "diverged at t = 27 s", "no mass",
		"diverged at t = 3e-2 s"} {
		row := Row{Run: run, Status: "diverged", Reason: reason}
		switch run {
		case 1:
			row.Status = rths.Completed
		case 3:
			row.Status = rths.Refused
		}
		table.put(row)
	}
	want := []Failure{{"diverged", "diverged at t = 1.5 s", 3, 1}, {rths.Refused, "no mass", 1, 4}}
	if got := table.failures(); !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Sobol' indices of a study by file: without noise the input work of a linear loop is the
// square of the amplitude, times a number, and hangs on no bound of divergence.
func TestSobolOfAStudy(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and other tests run the same goroutines")
	}
	b, p := planned(t, `
sampling: saltelli
points: 64
criterion: input_work_max_J
variables:
  diverged_m: {kind: uniform, from: 1, to: 2}
  ground.amplitude_m_s2: {kind: uniform, from: 1, to: 3}
`, "ground={kind: sine, frequency_hz: 3, duration_s: 1}",
		"compensator.kind=none", "sensors=", "converters=", "indicators.energies=true")
	if p.Runs() != 64*4 {
		t.Fatalf("%d runs, want 64 (2 + 2)", p.Runs())
	}
	f := made(t, b, p, 2)
	in := p.Columns(f.Table.Runs())
	work := f.Table.Column("input_work_max_J")
	for run, w := range work {
		a, a0 := in[1].Numbers[run], in[1].Numbers[0]
		rthstest.Near(t, "input work", w/work[0], a*a/(a0*a0), 1e-9)
	}
	s, err := f.Table.summarise(p)
	if err != nil || len(s.Sobol) != 1 || s.Sobol[0].Lost != 0 {
		t.Fatal(s, err)
	}
	none, all := s.Sobol[0].Inputs[0], s.Sobol[0].Inputs[1]
	// first order: an estimate, 1 − Σ(…)²
	if none.Key != "diverged_m" || none.Total.Value != 0 || math.Abs(none.First.Value) > 0.2 {
		t.Errorf("%+v: want no influence", none)
	}
	// f_B = f_AB: exactly 1; the total is an estimate
	if all.Key != "ground.amplitude_m_s2" || all.First.Value != 1 || math.Abs(all.Total.Value-1) > 0.3 {
		t.Errorf("%+v: want the whole variance", all)
	}
}

// Sobol' indices of a study with runs missing are refused in words.
func TestSobolOfAPart(t *testing.T) {
	_, p := planned(t, "sampling: saltelli\npoints: 4\nvariables: {specimen.mass: {kind: uniform, from: 20, to: 30}}")
	table := newTable(p.Runs())
	table.put(Row{Status: rths.Completed})
	s, err := table.summarise(p)
	if err != nil || len(s.Sobol) != 0 || len(s.Remarks) != 2 ||
		!strings.Contains(s.Remarks[1], "11 of 12 runs are missing") {
		t.Errorf("%+v, %v", s, err)
	}
}
