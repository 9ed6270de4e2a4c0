package study

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func points(t *testing.T, how Sampling, n, k int, seed uint64) [][]float64 {
	t.Helper()
	p, err := Points(how, n, k, seed)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// inSlices counts the points of variable j in each of m equal slices.
func inSlices(p [][]float64, j, m int) []int {
	out := make([]int, m)
	for _, row := range p {
		out[int(row[j]*float64(m))]++
	}
	return out
}

// A Latin hypercube has one point in each of n slices of every variable. A Halton sequence has one
// in each of b^m slices of the variable with base b, of every b^m points that follow each other.
func TestPointsFillTheCube(t *testing.T) {
	ones := func(n int) []int { return slices.Repeat([]int{1}, n) }
	for seed := range uint64(20) {
		latin := points(t, Latin, 37, 5, seed)
		for j := range 5 {
			if got := inSlices(latin, j, 37); !slices.Equal(got, ones(37)) {
				t.Fatalf("latin, seed %d, variable %d: %v", seed, j, got)
			}
		}
		halton := points(t, Halton, 500, 3, seed)
		for j, slice := range []int{64, 81, 125} { // 2⁶, 3⁴, 5³
			for from := 0; from+slice <= 500; from += slice {
				if got := inSlices(halton[from:from+slice], j, slice); !slices.Equal(got, ones(slice)) {
					t.Fatalf("halton, seed %d, variable %d, from point %d: %v", seed, j, from, got)
				}
			}
		}
	}
}

// Random points and points of a Halton sequence do not hang on how many there are; all hang on the
// seed, and none is 0 or 1.
func TestPointsOfASeed(t *testing.T) {
	for _, how := range []Sampling{Random, Latin, Halton} {
		long, again, other := points(t, how, 200, 4, 7), points(t, how, 200, 4, 7), points(t, how, 200, 4, 8)
		for i := range long {
			if !slices.Equal(long[i], again[i]) || slices.Equal(long[i], other[i]) {
				t.Fatalf("%s: point %d is %v and %v of seed 7, %v of seed 8", how, i, long[i], again[i], other[i])
			}
			for _, u := range long[i] {
				if !(u > 0 && u < 1) {
					t.Fatalf("%s: point %d: %g", how, i, u)
				}
			}
		}
		if short := points(t, how, 50, 4, 7); how != Latin && !slices.Equal(short[49], long[49]) {
			t.Errorf("%s: point 49 is %v of 50 points, %v of 200", how, short[49], long[49])
		}
	}
}

// Seeds of runs differ from each other, and from those of the next study.
func TestRunSeeds(t *testing.T) {
	seen := map[uint64]bool{}
	for seed := range uint64(10) {
		for run := range 10_000 {
			seen[RunSeed(seed, run)] = true
		}
	}
	if len(seen) != 100_000 {
		t.Errorf("%d seeds of 100 000 runs", len(seen))
	}
}

func TestPointMistakes(t *testing.T) {
	for _, tc := range []struct {
		how  Sampling
		n, k int
		want string
	}{
		{Random, 0, 1, "want 1 or more of each"}, {Latin, 1, 0, "want 1 or more of each"},
		{Random, 1 << 30, 1 << 30, "at most"},
		{Halton, 2, 1001, "want at most 1000"}, {"sobol", 2, 2, "want random, latin or halton"},
	} {
		if _, err := Points(tc.how, tc.n, tc.k, 1); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%+v: %v", tc, err)
		}
	}
	if _, err := saltelliPoints(Random, 1, 3, 1); err == nil {
		t.Error("one point: want an error")
	}
}

// ishigami is the test function of sensitivity analysis (Ishigami and Homma 1990), a = 7, b = 0.1.
func ishigami(u []float64) float64 {
	x := func(i int) float64 { return math.Pi * (2*u[i] - 1) }
	s := math.Sin(x(1))
	return math.Sin(x(0)) + 7*s*s + 0.1*math.Pow(x(2), 4)*math.Sin(x(0))
}

// The indices of the function of Ishigami are those of its closed form, within their intervals,
// and the intervals shrink as √n.
func TestSobolIndicesOfIshigami(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: one goroutine, many numbers")
	}
	const a, b = 7, 0.1
	pi4 := math.Pow(math.Pi, 4)
	v1, v2, v13 := 0.5*math.Pow(1+b*pi4/5, 2), a*a/8.0, b*b*pi4*pi4*(1/18.0-1/50.0)
	v := v1 + v2 + v13
	first, total := []float64{v1 / v, v2 / v, 0}, []float64{(v1 + v13) / v, v2 / v, v13 / v}
	outside, widths := 0, map[int]float64{}
	for _, n := range []int{256, 4096} {
		for seed := range uint64(10) {
			p, err := saltelliPoints(Random, n, 3, seed)
			if err != nil {
				t.Fatal(err)
			}
			if len(p) != n*5 {
				t.Fatalf("%d points, want n (k + 2) = %d", len(p), n*5)
			}
			f := make([]float64, len(p))
			for i, u := range p {
				f[i] = ishigami(u)
			}
			s, lost, err := sobolIndices(f, 3, seed)
			if err != nil || lost != 0 {
				t.Fatal(lost, err)
			}
			for i := range 3 {
				for _, c := range []struct {
					got  Index
					want float64
				}{{s.First[i], first[i]}, {s.Total[i], total[i]}} {
					if c.want < c.got.From || c.want > c.got.To {
						outside++
					}
					widths[n] += (c.got.To - c.got.From) / 60
				}
			}
		}
	}
	if outside > 14 { // of 120 intervals of 95 %: 6 are expected, more than 14 have a probability of 0.1 %
		t.Errorf("%d of 120 intervals do not hold the index", outside)
	}
	if ratio := widths[256] / widths[4096]; math.Abs(ratio-4) > 0.8 {
		t.Errorf("intervals of 256 points are %.2f times as wide as those of 4096: want 4", ratio)
	}
}

// Of a sum of variables the indices are shares of the variance, with every sampling; a run without
// a number takes its point out.
func TestSobolIndicesOfASum(t *testing.T) {
	for _, how := range []Sampling{Random, Latin, Halton} {
		p, err := saltelliPoints(how, 2000, 2, 3)
		if err != nil {
			t.Fatal(err)
		}
		f := make([]float64, len(p))
		for i, u := range p {
			f[i] = u[0] + 2*u[1]
		}
		f[10], f[4020] = math.NaN(), math.Inf(1) // of points 10 and 20
		s, lost, err := sobolIndices(f, 2, 1)
		if err != nil || lost != 2 {
			t.Fatalf("%s: %d lost, %v", how, lost, err)
		}
		for i, want := range []float64{0.2, 0.8} {
			// three standard deviations of 2000 points
			if math.Abs(s.First[i].Value-want) > 0.06 || math.Abs(s.Total[i].Value-want) > 0.06 {
				t.Errorf("%s: variable %d: %+v, %+v, want %g", how, i, s.First[i], s.Total[i], want)
			}
		}
	}
	for _, f := range [][]float64{nil, make([]float64, 7), {math.NaN(), 1, 1, 1, 1, 1, 1, 1}} {
		if _, _, err := sobolIndices(f, 2, 1); err == nil {
			t.Errorf("%d outputs: want an error", len(f))
		}
	}
}
