package criteria

import (
	"math"
	"math/rand/v2"
	"testing"

	"rths"
)

// The definitions of docs/reference/benchmark-siso.md, Criteria, written as MATLAB would: whole
// records, means first, sums second.

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// std is MATLAB's std: mean removed, n − 1.
func std(x []float64) float64 {
	m, sum := mean(x), 0.0
	for _, v := range x {
		sum += (v - m) * (v - m)
	}
	return math.Sqrt(sum / float64(len(x)-1))
}

func rms(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	return math.Sqrt(sum / float64(len(x)))
}

// peak is max|x − c|.
func peak(x []float64, c float64) float64 {
	most := 0.0
	for _, v := range x {
		most = max(most, math.Abs(v-c))
	}
	return most
}

func minus(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] - b[i]
	}
	return out
}

// pearson is the correlation coefficient of two records of one length.
func pearson(a, b []float64) float64 {
	ma, mb := mean(a), mean(b)
	var aa, bb, ab float64
	for i := range a {
		aa += (a[i] - ma) * (a[i] - ma)
		bb += (b[i] - mb) * (b[i] - mb)
		ab += (a[i] - ma) * (b[i] - mb)
	}
	return ab / math.Sqrt(aa*bb)
}

// correlations are the coefficients of x(L+1..end) with n1(1..end−L) for
// L = 0..49; the coefficient of x(1..end−1) with n1(2..end) stands in front.
func correlations(x, n1 []float64) []float64 {
	n := len(x)
	out := []float64{pearson(x[:n-1], n1[1:])}
	for lag := 0; lag <= 49; lag++ {
		out = append(out, pearson(x[lag:], n1[:n-lag]))
	}
	return out
}

// record is a run as criteria see it: desired, measured and true displacement.
type record struct{ want, x, exact []float64 }

// frame is tick k of it.
func (r *record) frame(k int) *rths.Frame {
	return &rths.Frame{K: k, Desired: r.want[k : k+1], Read: rths.Reading{
		Motion: rths.Motion{X: r.x[k : k+1]}, TrueX: r.exact[k : k+1]}}
}

// judge tracks the whole record.
func (r *record) judge() *Tracking {
	t := NewTracking(4096, 0, 1, true)
	for k := range r.want {
		t.Observe(r.frame(k))
	}
	return t
}

// Four sorts of random records. Each has n samples in which the measured
// displacement follows the wanted one some samples late.
var sorts = map[string]func(r *rand.Rand, n int) *record{
	"white": func(r *rand.Rand, n int) *record {
		draw := func(int) float64 { return r.NormFloat64() }
		return late(r, n, r.IntN(50), 1, draw)
	},
	// in m, off centre, as a displacement with a sensor offset
	"offset": func(r *rand.Rand, n int) *record {
		draw := func(int) float64 { return 0.02 + 1e-3*r.NormFloat64() }
		return late(r, n, r.IntN(50), 1e-4, draw)
	},
	"smooth": func(r *rand.Rand, n int) *record {
		f, phase := 1+9*r.Float64(), r.Float64()
		draw := func(k int) float64 { return 1e-3 * math.Sin(2*math.Pi*(f*float64(k)/4096+phase)) }
		return late(r, n, r.IntN(50), 16e-6, draw)
	},
	// the first reading and target lie far off, and sums count from them
	"glitch": func(r *rand.Rand, n int) *record {
		draw := func(int) float64 { return r.NormFloat64() }
		out := late(r, n, r.IntN(50), 1, draw)
		out.want, out.exact = append([]float64(nil), out.want...), append([]float64(nil), out.exact...)
		out.want[0], out.x[0], out.exact[0] = 200, -300, -300
		return out
	},
}

func late(r *rand.Rand, n, lag int, noise float64, draw func(k int) float64) *record {
	whole := make([]float64, n+lag)
	for k := range whole {
		whole[k] = draw(k)
	}
	out := &record{want: whole[lag:], exact: whole[:n], x: make([]float64, n)}
	for k := range n {
		out.x[k] = whole[k] + noise*r.NormFloat64()
	}
	return out
}

// near wants got within tol of want, relative to want where that is above 1.
func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if math.IsNaN(want) && math.IsNaN(got) {
		return
	}
	if !(math.Abs(got-want) <= tol*max(1, math.Abs(want))) {
		t.Errorf("%s = %.15g: want %.15g", what, got, want)
	}
}

// sameBits compares two summaries bit by bit, so that NaN equals NaN.
func sameBits(t *testing.T, what string, got, want []rths.Value) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values: want %d", what, len(got), len(want))
	}
	for i := range want {
		if got[i].Name != want[i].Name || math.Float64bits(got[i].V) != math.Float64bits(want[i].V) {
			t.Errorf("%s: %s %.17g: want %s %.17g", what, got[i].Name, got[i].V, want[i].Name, want[i].V)
		}
	}
}

func names(list []rths.Value) []string {
	var out []string
	for _, v := range list {
		out = append(out, v.Name)
	}
	return out
}
