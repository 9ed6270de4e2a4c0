package picture

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"rths/result/plotting"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s %g: want %g", what, got, want)
	}
}

// Of 0, 1, …, n − 1 the quantile of p is p (n − 1).
func TestQuantile(t *testing.T) {
	values := make([]float64, 12)
	for i := range values {
		values[i] = float64(i)
	}
	for _, p := range []float64{0, 0.1, 0.25, 0.5, 0.77, 0.9, 1} {
		near(t, "quantile", quantile(values, p), 11*p, 1e-14)
	}
	near(t, "quantile of one", quantile([]float64{3}, 0.9), 3, 0)
}

// Tukey's box of 1 … 9 with two far values: quartiles of type 7, fences at 1.5 quartile distances.
func TestBox(t *testing.T) {
	b := newBox([]float64{5, 1, 2, 40, 3, 4, 6, 7, 8, 9, -30})
	// sorted: −30 1 2 3 4 5 6 7 8 9 40; q1 = 2.5, q3 = 7.5, fences −5 and 15
	for _, c := range []struct {
		what      string
		got, want float64
	}{{"q1", b.q1, 2.5}, {"median", b.median, 5}, {"q3", b.q3, 7.5}, {"lower whisker", b.whiskerLow, 1},
		{"upper whisker", b.whiskerHigh, 9}} {
		near(t, c.what, c.got, c.want, 0)
	}
	if !slices.Equal(b.beyond, []float64{-30, 40}) {
		t.Errorf("beyond the fences: %v", b.beyond)
	}
	// quartiles 1 and 3: values at the fences −2 and 6 belong to the whiskers
	if b := newBox([]float64{0, 1, 1, 2, 3, 3, 6}); len(b.beyond) > 0 || b.whiskerHigh != 6 {
		t.Errorf("%+v", b)
	}
	if b := newBox([]float64{-2, 1, 1, 2, 3, 3, 4}); len(b.beyond) > 0 || b.whiskerLow != -2 {
		t.Errorf("%+v", b)
	}
}

// Of a normal distribution 0.698 % of the values lie beyond the fences, at ±2.698 σ.
func TestBoxOfNormal(t *testing.T) {
	const n = 100_000
	values := make([]float64, n)
	for i := range values {
		values[i] = distuv.UnitNormal.Quantile((float64(i) + 0.5) / n)
	}
	b := newBox(values)
	near(t, "quartile", b.q3, 0.674490, 1e-4) // the step of the quantiles there is 3e-5
	near(t, "whisker", b.whiskerHigh, 2.697959, 1e-3)
	near(t, "share beyond", float64(len(b.beyond))/n, 0.0069766, 2e-5)
}

// A uniform distribution on a grid: width 2 IQR n^(-1/3) makes n^(1/3) bars of as many values.
func TestHistogram(t *testing.T) {
	const n = 8000 // IQR 0.5, width 1/20
	values := make([]float64, n)
	for i := range values {
		values[i] = (float64(i) + 0.5) / n
	}
	edges, counts := histogram(values)
	if len(counts) != 20 || len(edges) != 21 {
		t.Fatalf("%d bars, %d edges: want 20 and 21", len(counts), len(edges))
	}
	for i, c := range counts {
		if c < n/20-1 || c > n/20+1 {
			t.Errorf("bar %d has %d values: want %d", i, c, n/20)
		}
	}
	near(t, "first edge", edges[0], values[0], 0)
	near(t, "last edge", edges[20], values[n-1], 0)
}

// Every value is in one bar, whatever the values.
func TestHistogramCountsAll(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for n := range 200 {
		values := make([]float64, n+1)
		for i := range values {
			values[i] = math.Round(10*random.NormFloat64()) * math.Pow10(n%7-3)
		}
		edges, counts := histogram(values)
		all := 0
		for i, c := range counts {
			all += c
			if i > 0 && i < len(counts)-1 && edges[i+1] <= edges[i] {
				t.Fatalf("edges %v", edges)
			}
		}
		if all != len(values) || len(edges) != len(counts)+1 {
			t.Fatalf("%d values: %d in bars", len(values), all)
		}
	}
	if edges, counts := histogram([]float64{0, 0, 0}); len(counts) != 1 || counts[0] != 3 || edges[0] >= 0 ||
		edges[1] <= 0 {
		t.Errorf("zeros: %v %v", edges, counts)
	}
}

// The empirical distribution rises by 1/n at each value; of many values the drawn steps stand on it.
func TestECDF(t *testing.T) {
	x, y := ecdf([]float64{3, 1, 2, 2})
	if !slices.Equal(x, []float64{1, 1, 2, 2, 2, 2, 3, 3}) ||
		!slices.Equal(y, []float64{0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 1}) {
		t.Errorf("%v %v", x, y)
	}
	const n = 9973
	values := make([]float64, n)
	for i := range values {
		values[i] = float64((i*7 + 3) % n) // 0 … n − 1 in another order
	}
	x, y = ecdf(values)
	if len(x) != 2*ecdfSteps || y[len(y)-1] != 1 || x[len(x)-1] != n-1 {
		t.Fatalf("%d corners, the last at %g, %g", len(x), x[len(x)-1], y[len(y)-1])
	}
	for i := 1; i < len(x); i += 2 { // upper corners
		near(t, "share", y[i], (x[i]+1)/n, 1e-12)
	}
}

// ρ is 1 of any rising function, −1 of any falling one, 1 − 6 Σd²/(n (n² − 1)) without equal values.
func TestRankCorrelation(t *testing.T) {
	x := []float64{3, 1, 4, 1.5, 9, 2.6}
	rising, falling := make([]float64, 6), make([]float64, 6)
	for i, v := range x {
		rising[i], falling[i] = math.Exp(v), -v*v*v
	}
	near(t, "rising", rankCorrelation(x, rising), 1, 1e-15)
	near(t, "falling", rankCorrelation(x, falling), -1, 1e-15)
	// ranks 1 … 5 against 2 1 4 3 5: Σd² = 4
	near(t, "ρ", rankCorrelation([]float64{1, 2, 3, 4, 5}, []float64{20, 10, 40, 30, 50}), 1-6*4./(5*24), 1e-15)
	if got := ranks([]float64{5, 1, 5, 2}); !slices.Equal(got, []float64{3.5, 1, 3.5, 2}) {
		t.Errorf("ranks %v", got)
	}
	if !math.IsNaN(rankCorrelation([]float64{1, 2}, []float64{3, 3})) {
		t.Error("a constant has a rank correlation")
	}
}

func TestAxis(t *testing.T) {
	for _, c := range []struct {
		name   string
		log    bool
		values []float64
		want   bool
		power  int
	}{
		{"narrow", false, []float64{1, 100}, false, 0},
		{"wide", false, []float64{1, 101}, true, 0},
		{"asked for", true, []float64{1, 2}, true, 0},
		{"with 0", true, []float64{0, 1000}, false, 0},
		{"negative", false, []float64{-1, 1e4}, false, 0},
		{"stiffness", false, []float64{1.1e6, 1.3e6}, false, 6},
		{"small", false, []float64{1e-5, 3e-5}, false, -6},
		{"constant", false, []float64{7, 7}, false, 0},
		{"zeros", false, []float64{0}, false, 0},
		{"constant, log", true, []float64{7}, true, 0},
		{"largest", false, []float64{-1e149, 1e149}, false, 147},
		{"beyond", false, []float64{1, 2, math.Inf(1), math.NaN(), 1e300}, false, 0},
		{"six decades", false, []float64{1e-3, 1e3}, true, 0},
		{"nearly 0", false, []float64{1e-200, 1}, false, 0},
		{"long", false, []float64{1, 1e5, -1}, false, 3},
		{"not long", false, []float64{1, 99999, -1}, false, 0},
		{"not short", false, []float64{0.01}, false, 0},
		{"short", false, []float64{0.0099}, false, -3},
		{"far from 0", false, []float64{1e6, 1e6 + 1e-3}, false, 6},
	} {
		a := newAxis(c.log, c.values...)
		if a.log != c.want || a.power != c.power || !(a.low < a.high) || math.IsInf(a.high-a.low, 0) {
			t.Errorf("%s: %+v", c.name, a)
			continue
		}
		for _, v := range c.values {
			if shown(v) && (!a.inside(v) || math.Abs(a.value(a.at(v))-v) > 1e-12*math.Abs(v)) {
				t.Errorf("%s: %+v does not show %g", c.name, a, v)
			}
		}
		ticks := a.ticks(acrossLetters)
		letters, last := 0, math.Inf(-1)
		for _, tick := range ticks {
			if tick.Value <= last {
				t.Errorf("%s: ticks %v", c.name, ticks)
			}
			letters, last = letters+len(tick.Label), tick.Value
		}
		if letters == 0 || letters > acrossLetters {
			t.Errorf("%s: labels %q", c.name, labels(ticks))
		}
	}
	if a := newAxis(false, math.NaN()); len(a.ticks(40)) > 0 {
		t.Errorf("ticks without values: %v", a.ticks(40))
	}
}

// An axis has 4 % of its range free at both ends, 5 % of the value around a single value, half a
// decade around a single value on a logarithmic axis, and a scale of colours has none.
func TestAxisEnds(t *testing.T) {
	for _, c := range []struct {
		a         axis
		low, high float64
	}{
		{newAxis(false, 0, 50), -2, 52}, {newAxis(true, 1, 10), -0.04, 1.04}, {newScale(false, 0, 50), 0, 50},
		{newScale(true, 1, 10), 0, 1},
		{newScale(false, 7, 7), 6.65, 7.35}, {newScale(false, 0), -0.5, 0.5}, {newScale(true, 100), 1.5, 2.5},
		{newScale(false, -7, -7), -7.35, -6.65},
		{newScale(false, 1e6, 1e6+1e-4), 0.95, 1.05}, {newScale(false, 1, 1+1e-8), 1, 1 + 1e-8},
	} {
		near(t, "low", c.a.low, c.low, 1e-9)
		near(t, "high", c.a.high, c.high, 1e-9) // 1e6 + 1e-4 at the constant
	}
	if tight(1, 10) || !tight(1, 10.1) || tight(-1, 100) || tight(0, 100) || tight() {
		t.Error("an objective is logarithmic above a ratio of 10, if above 0")
	}
}

// Labels name the values at which they stand.
func TestAxisLabels(t *testing.T) {
	if got := labels(newAxis(false, 1e-3, 1e3).ticks(acrossLetters)); !slices.Equal(got,
		[]string{"0.001", "0.01", "0.1", "1", "10", "100", "1000"}) {
		t.Errorf("six decades: %q", got)
	}
	if got := labels(newAxis(false, 1e-3, 1e3).ticks(20)); !slices.Equal(got, []string{"0.01", "1", "100"}) {
		t.Errorf("six decades on a short axis: %q", got)
	}
	if got := labels(newAxis(false, 1e-149, 1e149).ticks(20)); len(got) < 2 || len(strings.Join(got, "")) > 20 {
		t.Errorf("298 decades: %q", got)
	}
	a := newAxis(false, 1.1e6, 1.3e6)
	if got := labels(a.ticks(acrossLetters)); !slices.Equal(got, []string{"1.10", "1.15", "1.20", "1.25", "1.30"}) ||
		a.label("k") != "k, 1e6" {
		t.Errorf("stiffness: %q, %s", got, a.label("k"))
	}
	if got := labels(newAxis(true, 5.5, 9.5).ticks(acrossLetters)); len(got) < 2 {
		t.Errorf("less than a decade: %q", got)
	}
	if got := labels(newAxis(true, 1, 50).ticks(acrossLetters)); !slices.Equal(got,
		[]string{"1", "2", "5", "10", "20", "50"}) {
		t.Errorf("two decades: %q", got)
	}
	for _, tick := range newAxis(true, 1, 50).ticks(acrossLetters) {
		if v, err := strconv.ParseFloat(tick.Label, 64); tick.Label != "" &&
			(err != nil || math.Abs(math.Log10(v)-tick.Value) > 1e-12) {
			t.Errorf("%s stands at 10^%g", tick.Label, tick.Value)
		}
	}
	if got := plotting.Decade(2, 8); got != "2e8" {
		t.Error(got)
	}
}
