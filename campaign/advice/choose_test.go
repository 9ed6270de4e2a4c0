package advice

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"rths/kit/rthstest"
)

func trials(j2 ...float64) (out []Trial) {
	for _, v := range j2 {
		out = append(out, Trial{J2: v, Global: math.NaN(), Rough: 1, Radius: math.NaN(), there: true})
	}
	return out
}

// Of two samples of n, the largest of one is above the largest of the other with probability 1/2;
// the 36th of 40 is above the largest with C(75, 40)/C(80, 40) = 0.0274.
func TestAbove(t *testing.T) {
	for _, c := range []struct {
		k, i, n int
		want    float64
	}{{5, 5, 5, 0.5}, {1, 1, 9, 0.5}, {36, 40, 40, 40. * 39 * 38 * 37 * 36 / (80. * 79 * 78 * 77 * 76)},
		{3, 1, 3, 1 - 1./20}} {
		if got := above(c.k, c.n)[c.i-1]; math.Abs(got-c.want) > 1e-12 {
			t.Errorf("value %d of %d above value %d: %.15g, want %.15g", c.k, c.n, c.i, got, c.want)
		}
	}
}

// The score of as many further runs lies in the interval in 95 of 100 cases at least, whatever the
// distribution; with 20 runs there is no upper end.
func TestIntervalCovers(t *testing.T) {
	const studies = 4000
	for name, draw := range map[string]func(*rand.Rand) float64{
		"normal": (*rand.Rand).NormFloat64,
		"heavy":  func(r *rand.Rand) float64 { return math.Pow(r.Float64(), -2) },
	} {
		for _, n := range []int{40, 75, 200}[:rthstest.Draws(2, 3)] {
			r := rand.New(rand.NewPCG(18, uint64(n)))
			sample := func() []Trial {
				x := make([]float64, n)
				for i := range x {
					x[i] = draw(r)
				}
				return trials(x...)
			}
			in, open := 0, 0
			for range studies {
				from, to := interval(sample())
				if further := score(sample()).P90; further >= from && further <= to {
					in++
				}
				if math.IsInf(to, 1) {
					open++
				}
			}
			// 95 % of 4000 with a standard deviation of 0.34 %
			if part := float64(in) / studies; part < 0.94 {
				t.Errorf("%s, %d runs: %.1f %% of the further scores lie in the interval: want 95", name, n, 100*part)
			}
			if n > 40 && open > 0 {
				t.Errorf("%s, %d runs: no upper end in %d of %d", name, n, open, studies)
			}
		}
	}
	if _, to := interval(trials(make([]float64, 20)...)); !math.IsInf(to, 1) {
		t.Errorf("20 runs have the upper end %g: want none", to)
	}
}

// Failures count before the score, and a run without J2 for no percentile.
func TestScore(t *testing.T) {
	good, failing := trials(5, 6, 7), trials(1, 1, 1)
	failing[1].Why, failing[1].J2 = "diverged", math.NaN()
	if s := score(failing); s.Failures != 1 || s.P90 != 1 {
		t.Errorf("score %+v: want 1 failure and a percentile of 1", s)
	}
	if score(good).compare(score(failing)) >= 0 {
		t.Error("a method with a failure comes before one without")
	}
	if s := score(trials(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)); s.P90 != 9 || s.Median != 5 {
		t.Errorf("score %+v of 0 to 10: want 9 and 5", s)
	}
}

// candidateOf is a candidate with trials of the stream selecting.
func candidateOf(name string, adaptive bool, rough, margin float64, j2 ...float64) *Candidate {
	c := &Candidate{Method: &Method{Name: name, Kind: name, Adaptive: adaptive}, Label: labelDefault, MarginS: margin}
	c.trials[selecting] = trials(j2...)
	for i := range c.trials[selecting] {
		c.trials[selecting][i].Rough = rough * (1 + 1e-3*float64(i%3))
	}
	return c
}

// Of methods that tie, the one that does not adapt comes first, then the smoother, then the one with
// the larger margin; one that is clearly better is no tie.
func TestTies(t *testing.T) {
	noisy := func(mean, spread float64, seed uint64) (out []float64) {
		r := rand.New(rand.NewPCG(seed, 0))
		for range 40 {
			out = append(out, mean+spread*r.NormFloat64())
		}
		return out
	}
	a := &Advice{}
	better := candidateOf("better", true, 9, 1, noisy(0.5, 0.01, 1)...)
	adaptive := candidateOf("adaptive", true, 1, 9, noisy(1, 0.1, 2)...)
	rough := candidateOf("rough", false, 5, 9, noisy(1.02, 0.1, 3)...)
	smooth := candidateOf("smooth", false, 2, 1, noisy(1.01, 0.1, 4)...)
	margin := candidateOf("margin", false, 2, 2, noisy(1.01, 0.1, 5)...)
	for _, c := range []struct {
		of   []*Candidate
		want string
	}{
		{[]*Candidate{adaptive, rough, better, smooth}, "better"},
		{[]*Candidate{adaptive, rough}, "rough"},
		{[]*Candidate{adaptive, rough, smooth}, "smooth"},
		{[]*Candidate{margin, adaptive, rough, smooth}, "margin"},
	} {
		for range 3 {
			rand.Shuffle(len(c.of), func(i, j int) { c.of[i], c.of[j] = c.of[j], c.of[i] })
			if got := a.preferred(c.of).Method.Name; got != c.want {
				t.Errorf("%d methods: %s is preferred: want %s", len(c.of), got, c.want)
			}
		}
	}
	failing := candidateOf("failing", false, 1, 1, noisy(1, 0.1, 2)...)
	for i := range 8 {
		failing.trials[selecting][i].Why = "tripped"
	}
	if got := a.preferred([]*Candidate{failing, adaptive}).Method.Name; got != "adaptive" {
		t.Errorf("%s is preferred: want the one without failure", got)
	}
}

// The interval of a difference holds the true difference of paired conditions, though each of both
// scatters a hundred times as much.
func TestDifferenceIsPaired(t *testing.T) {
	a, r := &Advice{}, rand.New(rand.NewPCG(1, 1))
	var x, y []float64
	for range 60 {
		v := 10 * r.Float64()
		x, y = append(x, v+0.1), append(y, v+0.001*r.NormFloat64())
	}
	if from, to := a.difference(trials(x...), trials(y...), j2At); from < 0.09 || to > 0.11 || from > 0.1 || to < 0.1 {
		t.Errorf("difference %.4f to %.4f: want 0.1 and little about it", from, to)
	}
}

// Successive halving takes at most the runs that it has, with any number of methods.
func TestHalvingKeepsToItsRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 2000 {
		runs, methods := r.IntN(100_000), 1+r.IntN(40)
		n, first := halving(runs, methods)
		used, met := 0, 0
		for m, k := n, first; m > 1; m, k = (m+1)/2, 2*k {
			used += m * (k - met)
			met = k
		}
		if used*methods > runs {
			t.Fatalf("%d runs, %d methods: %d candidates from %d conditions take %d runs", runs, methods, n, first, used*methods)
		}
		if n > 1 && first < firstRound || n < 1 || n&(n-1) != 0 {
			t.Fatalf("%d runs, %d methods: %d candidates, %d conditions", runs, methods, n, first)
		}
	}
	if n, _ := halving(1800, 17); n < 8 {
		t.Errorf("the default budget tries %d settings of a method: want 8 or more", n)
	}
}

// The three parts are 60, 15 and 25 %.
func TestBudget(t *testing.T) {
	b, err := newBudget(3000, make([]*Method, 0))
	if err != nil || b.Tuning != 1800 || b.Selecting != 450 || b.Final != 750 {
		t.Errorf("budget %+v, %v", b, err)
	}
	methods := slices.Repeat([]*Method{{}}, 30)
	b, err = newBudget(10, methods)
	if err == nil || b.Least <= 10 {
		t.Fatalf("10 runs for 30 methods: %+v, %v: want an error", b, err)
	}
	if _, err := newBudget(b.Least, methods); err != nil {
		t.Errorf("the least budget: %v", err)
	}
	if _, err := newBudget(b.Least-1, methods); err == nil {
		t.Error("one run less than the least is enough")
	}
}

// rounded keeps four digits, and what is no number.
func TestRounded(t *testing.T) {
	for x, want := range map[float64]string{0.123456: "0.1235", 98765: "9.877e+04", -0.00033333333: "-0.0003333", 0: "0",
		math.Inf(1): "–"} {
		if got := num(rounded(x)); got != want {
			t.Errorf("%g is written %s: want %s", x, got, want)
		}
		if fmt.Sprint(float64(rounded(x))) != fmt.Sprint(float64(rounded(float64(rounded(x))))) {
			t.Errorf("%g rounded twice differs", x)
		}
	}
}

// What fails first is tried in final conditions for which the score stands, in all of which the winner
// is good as it stands.
func TestTypicalConditions(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 200 {
		c := candidateOf("winner", false, 1, 1)
		for range 53 {
			c.trials[final] = append(c.trials[final], trials(r.ExpFloat64())...)
		}
		p90 := score(c.trials[final]).P90
		a := &Advice{Question: Question{GoodPct: p90 * (1 + 0.2*r.Float64())}, Winner: c}
		conditions := a.typical(3)
		if len(conditions) != 3 {
			t.Fatalf("%d conditions: want 3", len(conditions))
		}
		below := 0
		for _, i := range conditions {
			j2 := c.trials[final][i].J2
			if j2 > a.GoodPct {
				t.Errorf("condition %d has %.3g %%: it is not good as it stands, with %.3g", i, j2, a.GoodPct)
			}
			for k := range c.trials[final] {
				if v := c.trials[final][k].J2; v > j2 && v < p90 {
					below++
				}
			}
		}
		if below > 6 {
			t.Errorf("%d values lie between the conditions and the percentile: want the nearest", below)
		}
	}
}

// A method does not gain by losing its hard runs.
func TestLostRunsAreNoGain(t *testing.T) {
	all, few := trials(9, 9, 9), trials(1, math.NaN(), math.NaN())
	for i := range 3 {
		all[i].Why, few[i].Why = "unstable", "diverged"
	}
	if score(all).compare(score(few)) >= 0 {
		t.Error("one survivor with a small J2 comes before three runs that all came to their end")
	}
	if from, to := interval(few); !math.IsNaN(from) || !math.IsInf(to, 1) {
		t.Errorf("the interval of one value is %g to %g: want none", from, to)
	}
}

// A method that wins 23 of 25 pairs with half the median is no tie, though two bad runs give it
// the same 90th percentile.
func TestPairsAreNoTie(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	var x, y []float64
	for i := range 25 {
		v := 2 + 3*r.Float64()
		if i < 2 {
			x, y = append(x, 6*v), append(y, v)
			continue
		}
		x, y = append(x, v/2), append(y, v)
	}
	a := &Advice{}
	often := candidateOf("often", true, 9, 1, x...)
	plain := candidateOf("plain", false, 1, 9, y...)
	if n := len(a.tied([]*Candidate{often, plain}, j2At)); n != 2 {
		t.Fatal("the 90th percentiles are no tie: the test shows nothing")
	}
	if !wins(often, plain) || wins(plain, often) || wins(often, often) {
		t.Error("23 of 25 pairs are no win")
	}
	if got := a.preferred([]*Candidate{plain, often}).Method.Name; got != "often" {
		t.Errorf("%s is preferred: want the one that wins 23 of 25", got)
	}
	a.Winner = often
	if got := a.tie(plain); got != "" {
		t.Errorf("found%s: want no tie", got)
	}
}

// At least k heads of n coins, in closed form; the middle of nine is as likely as not.
func TestTail(t *testing.T) {
	for _, c := range []struct {
		k, n int
		want float64
	}{{0, 0, 1}, {0, 7, 1}, {7, 7, 1. / 128}, {5, 9, 0.5}, {9, 10, 11. / 1024}} {
		if got := tail(c.k, c.n); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%d heads of %d: %.15g, want %.15g", c.k, c.n, got, c.want)
		}
	}
}
