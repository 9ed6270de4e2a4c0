package scatter

import (
	"math"
	"strings"
	"testing"

	"rths/kit/rthstest"
)

// moments are mean and standard deviation by the midpoint rule over u.
func moments(d Distribution) (mean, sd float64) {
	const n = 400_000
	square := 0.0
	for i := range n {
		x := d.Quantile((float64(i) + 0.5) / n)
		mean += x / n
		square += x * x / n
	}
	return mean, math.Sqrt(square - mean*mean)
}

func made(t *testing.T, m Maker) Distribution {
	t.Helper()
	d, err := m.Make()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Means and standard deviations are those of the textbook.
func TestMomentsOfKinds(t *testing.T) {
	pdf := func(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }
	cdf := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	cut := func(mean, sd, from, to float64) (float64, float64) {
		a, b := (from-mean)/sd, (to-mean)/sd
		z := cdf(b) - cdf(a)
		shift := (pdf(a) - pdf(b)) / z
		return mean + sd*shift, sd * math.Sqrt(1+(a*pdf(a)-b*pdf(b))/z-shift*shift)
	}
	m1, s1 := cut(5, 2, 4, 12)
	m2, s2 := cut(0, 1, 2, 5) // the bounds on one side of the mean
	l := math.Log(100)
	for _, tc := range []struct {
		maker    Maker
		mean, sd float64
	}{
		{&Normal{Mean: 3, SD: 0.5}, 3, 0.5},
		{&Uniform{From: -1, To: 3}, 1, 4 / math.Sqrt(12)},
		{&LogUniform{From: 0.1, To: 10}, 9.9 / l, math.Sqrt((100-0.01)/(2*l) - (9.9/l)*(9.9/l))},
		{&TruncatedNormal{Mean: 5, SD: 2, From: 4, To: 12}, m1, s1},
		{&TruncatedNormal{SD: 1, From: 2, To: 5}, m2, s2},
	} {
		mean, sd := moments(made(t, tc.maker))
		if math.Abs(mean-tc.mean) > 1e-4*tc.sd || math.Abs(sd-tc.sd) > 1e-4*tc.sd { // the midpoint rule in the tails
			t.Errorf("%+v: mean %.7g, sd %.7g, want %.7g, %.7g", tc.maker, mean, sd, tc.mean, tc.sd)
		}
	}
}

// A distribution rises with u, and stays within its bounds, in the far tail too.
func TestQuantilesRise(t *testing.T) {
	for _, tc := range []struct {
		maker    Maker
		from, to float64
	}{
		{&Normal{SD: 1}, math.Inf(-1), math.Inf(1)},
		{&Uniform{From: 2, To: 3}, 2, 3},
		{&LogUniform{From: 1e-9, To: 1e9}, 1e-9, 1e9},
		{&TruncatedNormal{SD: 1, From: -2, To: 1}, -2, 1},
		{&TruncatedNormal{SD: 1, From: 20, To: 21}, 20, 21},
		{&TruncatedNormal{SD: 1, From: -21, To: -20}, -21, -20},
	} {
		d, last := made(t, tc.maker), math.Inf(-1)
		for i := range 1001 {
			u := math.Min(math.Max(float64(i)/1000, 1e-12), 1-1e-12)
			x := d.Quantile(u)
			if !(x >= last && x >= tc.from && x <= tc.to) {
				t.Fatalf("%+v: %g at u = %g, after %g", tc.maker, x, u, last)
			}
			last = x
		}
	}
	d := made(t, &TruncatedNormal{SD: 1, From: 20, To: 21})
	if got := d.Quantile(0.5); math.Abs(got-20.0346) > 1e-3 { // 20 + ln 2/20: the tail is exponential there
		t.Errorf("median between 20 and 21 standard deviations: %g", got)
	}
}

// Every kind of the table has defaults that make a distribution.
func TestKindsOfTheTable(t *testing.T) {
	rthstest.Keeps(t, rthstest.Table(Kinds))
	for _, k := range Kinds {
		if x := made(t, k.Defaults()).Quantile(0.5); math.IsNaN(x) {
			t.Errorf("%s: median %g", k.Name, x)
		}
	}
}

func TestDistributionMistakes(t *testing.T) {
	for _, tc := range []struct {
		maker Maker
		want  string
	}{
		{&Normal{SD: 0}, "sd 0: want more than 0"},
		{&Normal{Mean: math.NaN(), SD: 1}, "want finite numbers"},
		{&Uniform{From: 1, To: 1}, "want from less than to"},
		{&Uniform{From: -math.MaxFloat64, To: math.MaxFloat64}, "want from less than to"},
		{&LogUniform{From: 0, To: 1}, "want 0 < from < to"},
		{&TruncatedNormal{SD: 1, From: 2, To: 1}, "want from less than to"},
		{&TruncatedNormal{SD: -1, From: 1, To: 2}, "sd -1"},
		{&TruncatedNormal{SD: 1, From: 100, To: 101}, "where nothing is left"},
	} {
		if _, err := tc.maker.Make(); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%+v: error %v, want it to say %q", tc.maker, err, tc.want)
		}
	}
}
