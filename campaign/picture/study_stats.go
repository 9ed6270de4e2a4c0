package picture

import (
	"cmp"
	"math"
	"slices"
)

// quantile is the value that a share p of sorted values does not exceed, between two of them by
// the straight line (Hyndman and Fan 1996, type 7).
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	i := min(int(at), len(sorted)-1)
	if i+1 >= len(sorted) {
		return sorted[i]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// fences is how far, in quartile distances, a whisker may reach (Tukey 1977).
const fences = 1.5

// box is Tukey's box: quartiles, whiskers to the last values within the fences, and the values
// beyond.
type box struct {
	n                       int
	q1, median, q3          float64
	whiskerLow, whiskerHigh float64
	beyond                  []float64
}

// newBox is the box of values, of which there is one at least.
func newBox(values []float64) box {
	sorted := slices.Sorted(slices.Values(values))
	b := box{n: len(sorted), q1: quantile(sorted, 0.25), median: quantile(sorted, 0.5), q3: quantile(sorted, 0.75)}
	reach := fences * (b.q3 - b.q1)
	b.whiskerLow, b.whiskerHigh = b.q1, b.q3
	for _, v := range sorted {
		switch {
		case v < b.q1-reach || v > b.q3+reach:
			b.beyond = append(b.beyond, v)
		default:
			b.whiskerLow, b.whiskerHigh = min(b.whiskerLow, v), max(b.whiskerHigh, v)
		}
	}
	return b
}

// Numbers of bars of a histogram.
const (
	fewestBars = 5
	mostBars   = 40
)

// histogram counts coordinates in bars of one width, from the lowest to the highest: width
// 2 IQR n^(-1/3) (Freedman and Diaconis 1981). Coordinates that are all the same make one bar.
func histogram(at []float64) (edges []float64, counts []int) {
	sorted := slices.Sorted(slices.Values(at))
	low, high := sorted[0], sorted[len(sorted)-1]
	if !(high-low > flatShare*max(math.Abs(low), math.Abs(high))) {
		half := cmp.Or(0.02*math.Abs(low), 0.02)
		return []float64{low - half, low + half}, []int{len(at)}
	}
	width := 2 * (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / math.Cbrt(float64(len(at)))
	bars := mostBars
	if width > 0 {
		bars = int(max(fewestBars, min(mostBars, math.Ceil((high-low)/width))))
	}
	counts = make([]int, bars)
	for i := range bars + 1 {
		edges = append(edges, low+(high-low)*float64(i)/float64(bars))
	}
	for _, v := range at {
		counts[min(bars-1, int(float64(bars)*(v-low)/(high-low)))]++
	}
	return edges, counts
}

// rankCorrelation is Spearman's ρ, with mean ranks of equal values; NaN if one side is constant.
func rankCorrelation(x, y []float64) float64 {
	a, b := ranks(x), ranks(y)
	mean := float64(len(a)+1) / 2
	var ab, aa, bb float64
	for i := range a {
		ab += (a[i] - mean) * (b[i] - mean)
		aa += (a[i] - mean) * (a[i] - mean)
		bb += (b[i] - mean) * (b[i] - mean)
	}
	return ab / math.Sqrt(aa*bb)
}

// ranks count from 1; equal values share the mean of their ranks.
func ranks(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		switch {
		case x[i] < x[j]:
			return -1
		case x[i] > x[j]:
			return 1
		}
		return i - j
	})
	out := make([]float64, len(x))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && x[order[to]] == x[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			out[i] = float64(from+to+1) / 2
		}
		from = to
	}
	return out
}
