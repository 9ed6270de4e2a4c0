package signal

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"rths"
	"rths/maths/lti"
)

// The filter of the single-actuator benchmark's AMB (docs/reference/benchmark-siso.md,
// Compensators as published): order 4, 20 Hz at 4096 Hz, coefficients as MATLAB prints them.
func TestButterworthOfTheBenchmark(t *testing.T) {
	b, a, err := Butterworth(4, 20, 4096)
	if err != nil {
		t.Fatal(err)
	}
	wantA := []float64{1, -3.91983183, 5.76269332, -3.76581695, 0.92295631}
	for i, c := range []float64{1, 4, 6, 4, 1} {
		if want := 5.32116246e-8 * c; math.Abs(b[i]-want) > 1e-8*want {
			t.Errorf("b[%d] = %.9g, want %.9g", i, b[i], want)
		}
		if math.Abs(a[i]-wantA[i]) > 5e-9 {
			t.Errorf("a[%d] = %.9g, want %.9g", i, a[i], wantA[i])
		}
	}
}

// A Butterworth filter is 3.01 dB down at its cutoff and flat at 0, whatever
// its order.
func TestButterworthMagnitude(t *testing.T) {
	for order := 1; order <= 8; order++ {
		b, a, err := Butterworth(order, 50, 1000)
		if err != nil {
			t.Fatal(err)
		}
		at := func(hz float64) float64 {
			z := cmplx.Exp(complex(0, -2*math.Pi*hz/1000))
			return cmplx.Abs(poly(b, z) / poly(a, z))
		}
		if g := at(0); math.Abs(g-1) > 1e-9 {
			t.Errorf("order %d: gain %g at 0", order, g)
		}
		if g := at(50); math.Abs(g-math.Sqrt(0.5)) > 1e-9 {
			t.Errorf("order %d: gain %g at cutoff", order, g)
		}
	}
	for _, hz := range []float64{0, -1, 500, 600, math.NaN()} {
		if _, _, err := Butterworth(4, hz, 1000); err == nil {
			t.Errorf("cutoff %g Hz at 1000 Hz accepted", hz)
		}
	}
}

func poly(c []float64, z complex128) complex128 {
	var s complex128
	for i := len(c) - 1; i >= 0; i-- {
		s = s*z + complex(c[i], 0)
	}
	return s
}

// Filter solves its difference equation.
func TestFilterIsItsDifferenceEquation(t *testing.T) {
	b, a := []float64{0.2, -0.1, 0.05}, []float64{1, -0.7, 0.3}
	f := NewFilter(b, a)
	x := []float64{1, -2, 0.5, 3, 0, 0, 1, -1, 4, 2}
	y := make([]float64, len(x))
	for k := range x {
		for i := range b {
			if k >= i {
				y[k] += b[i] * x[k-i]
			}
			if i > 0 && k >= i {
				y[k] -= a[i] * y[k-i]
			}
		}
		if got := f.Step(x[k]); math.Abs(got-y[k]) > 1e-12 {
			t.Errorf("sample %d: %g, want %g", k, got, y[k])
		}
	}
	if pass := NewFilter(nil, nil); pass.Step(3) != 3 || pass.Step(-1) != -1 {
		t.Error("an empty filter does not pass its input")
	}
}

// The n-th backward difference of tⁿ is n!, of lower powers 0.
func TestDifferenceOfPowers(t *testing.T) {
	h := 0.25
	fact := 1.0
	for n := 0; n <= 4; n++ {
		if n > 0 {
			fact *= float64(n)
		}
		for p := 0; p <= n; p++ {
			sum := 0.0
			for j, c := range Difference(n, h) {
				sum += c * math.Pow(3-float64(j)*h, float64(p))
			}
			want := 0.0
			if p == n {
				want = fact
			}
			if math.Abs(sum-want) > 1e-10 {
				t.Errorf("difference %d of t^%d = %g, want %g", n, p, sum, want)
			}
		}
	}
}

func TestLine(t *testing.T) {
	l := NewLine(4)
	for i := range 10 {
		l.Push(float64(i))
	}
	for j := range 4 {
		if l.At(j) != float64(9-j) {
			t.Errorf("At(%d) = %g, want %d", j, l.At(j), 9-j)
		}
	}
	m := NewLine(4)
	if rest := rths.SetState(rths.AppendState(nil, l), m); len(rest) != 0 {
		t.Errorf("%d numbers left over", len(rest))
	}
	l.Push(10)
	m.Push(10)
	for j := range 4 {
		if l.At(j) != m.At(j) {
			t.Errorf("resumed line differs at %d: %g, %g", j, m.At(j), l.At(j))
		}
	}
}

func TestConverter(t *testing.T) {
	c := Converter{Quantum: 0.5, Range: 2}
	for _, tc := range []struct{ x, want float64 }{
		{0.24, 0}, {0.25, 0.5}, {-0.25, -0.5}, {0.74, 0.5}, {1.9, 2}, {7, 2}, {-7, -2},
	} {
		if got := c.DA(tc.x); got != tc.want {
			t.Errorf("DA(%g) = %g, want %g", tc.x, got, tc.want)
		}
		if got := c.AD(tc.x); got != tc.want {
			t.Errorf("AD(%g) = %g, want %g", tc.x, got, tc.want)
		}
	}
	for _, x := range []float64{1e300, -1e300, math.Inf(1)} {
		if got := Quantize(x, 1e-6); got != x {
			t.Errorf("Quantize(%g) = %g", x, got)
		}
	}
	if !math.IsNaN(c.DA(math.NaN())) {
		t.Error("a reading that is not a number was hidden")
	}
	if got := (Converter{}).DA(1.23456); got != 1.23456 {
		t.Errorf("no converter changed %g", got)
	}
}

// Noise has the bits of the standard library's normal numbers, also those from
// the edges of layers and from the tail.
func TestNoiseIsTheLibrarys(t *testing.T) {
	const n = 2000000
	noise, library := NewNoise(3, "force", 2.18), rand.New(Stream(3, "force"))
	most := 0.0
	for i := range n {
		got, want := noise.Next(), 2.18*library.NormFloat64()
		if got != want {
			t.Fatalf("number %d is %.17g, want %.17g", i, got, want)
		}
		most = max(most, math.Abs(got)/2.18)
	}
	if most < 4.5 {
		t.Errorf("largest of %d normal numbers is %g: want some from the tail", n, most)
	}
}

func TestNoise(t *testing.T) {
	const n = 400000
	noise := NewNoise(1, "displacement", 2)
	var mean, square, lag float64
	last := 0.0
	for range n {
		x := noise.Next()
		mean += x / n
		square += x * x / n
		lag += x * last / n
		last = x
	}
	// three standard errors: 2/sqrt(n), 4·sqrt(2/n), 4/sqrt(n)
	if math.Abs(mean) > 0.0095 || math.Abs(square-4) > 0.027 || math.Abs(lag) > 0.019 {
		t.Errorf("mean %g, variance %g, lag-1 %g: want 0, 4, 0", mean, square, lag)
	}
	resumed := NewNoise(7, "other", 2)
	rths.SetState(rths.AppendState(nil, noise), resumed)
	for range 10 {
		if a, b := noise.Next(), resumed.Next(); a != b {
			t.Fatalf("resumed noise differs: %g, %g", b, a)
		}
	}
	var first, second []float64
	a, b := NewNoise(1, "displacement", 1), NewNoise(1, "force", 1)
	for range 5 {
		first, second = append(first, a.Next()), append(second, b.Next())
	}
	if slices.Equal(first, second) {
		t.Error("two streams of one seed are equal")
	}
	if got := PowerToSD(6.25e-14, 1.0/4096); math.Abs(got-16e-6) > 1e-9 {
		t.Errorf("sd of power 6.25e-14 at 4096 Hz = %g, want 16.0e-6", got)
	}
}

// A chance is met in its share of the samples, within three standard errors, never for 0
// and always for 1; resumed, it goes on with the same answers.
func TestChance(t *testing.T) {
	const n = 100000
	for _, share := range []float64{0, 0.03, 0.5, 1} {
		c, yes := NewChance(1, "loss", share), 0
		for range n {
			if c.Next() {
				yes++
			}
		}
		if got, band := float64(yes)/n, 3*math.Sqrt(share*(1-share)/n); math.Abs(got-share) > band {
			t.Errorf("share %g: want %g ± %g", got, share, band)
		}
		resumed := NewChance(2, "other", share)
		if rest := rths.SetState(append(rths.AppendState(nil, c), 5), resumed); !slices.Equal(rest, []float64{5}) {
			t.Errorf("rest %v: want [5]", rest)
		}
		for range 100 {
			if c.Next() != resumed.Next() {
				t.Fatalf("share %g: the resumed chance answers otherwise", share)
			}
		}
	}
}

func TestSane(t *testing.T) {
	var s Sane
	given := []float64{math.NaN(), 1, math.Inf(1), 2, math.Inf(-1), math.NaN(), -3}
	want := []float64{0, 1, 1, 2, 2, 2, -3}
	for i, x := range given {
		if got := s.Of(x); got != want[i] {
			t.Errorf("value %d, %g: got %g, want %g", i, x, got, want[i])
		}
	}
	if state := rths.AppendState(nil, &s); len(state) != 1 || state[0] != -3 {
		t.Errorf("state %g: want the last finite value", state)
	}
}

// The pole of order 1 has a closed form; of higher orders it is the largest root of the denominator.
func TestButterworthPole(t *testing.T) {
	w := math.Tan(math.Pi * 5 / 4096)
	if got, want := ButterworthPole(1, 5, 4096), (1-w)/(1+w); math.Abs(got-want) > 1e-12 {
		t.Errorf("order 1: %.15g, want %.15g", got, want)
	}
	for _, order := range []int{2, 4, 6} {
		for _, hz := range []float64{400, 1900} {
			_, a, err := Butterworth(order, hz, 4096)
			if err != nil {
				t.Fatal(err)
			}
			roots, err := lti.Roots(a)
			if err != nil {
				t.Fatal(err)
			}
			largest := cmplx.Abs(roots[len(roots)-1]) // sorted by magnitude
			if got := ButterworthPole(order, hz, 4096); math.Abs(got-largest) > 1e-6 {
				t.Errorf("order %d, %g Hz: %.12g, largest root %.12g", order, hz, got, largest)
			}
		}
	}
}

// The high-pass has the poles of the low-pass, the gain √½ at the same cutoff, 1 at the Nyquist frequency and 0 at 0.
// The squares of both add to 1 at every frequency.
func TestButterworthHigh(t *testing.T) {
	const cutoff, rate = 7.0, 1000.0
	for order := 1; order <= 4; order++ {
		b, a, err := ButterworthHigh(order, cutoff, rate)
		low, poles, _ := Butterworth(order, cutoff, rate)
		if err != nil || !slices.Equal(a, poles) {
			t.Fatalf("order %d: %v, poles %g: want %g", order, err, a, poles)
		}
		at := func(p []float64, hz float64) (sum complex128) {
			for i, v := range p {
				sum += complex(v, 0) * cmplx.Exp(complex(0, -2*math.Pi*hz/rate*float64(i)))
			}
			return sum
		}
		for hz, want := range map[float64]float64{0: 0, cutoff: math.Sqrt(0.5), rate / 2: 1} {
			if got := cmplx.Abs(at(b, hz) / at(a, hz)); math.Abs(got-want) > 1e-9 {
				t.Errorf("order %d: gain %g at %g Hz: want %g", order, got, hz, want)
			}
		}
		for _, hz := range []float64{0.5, 3, 40} {
			sum := math.Pow(cmplx.Abs(at(b, hz)/at(a, hz)), 2) + math.Pow(cmplx.Abs(at(low, hz)/at(a, hz)), 2)
			if math.Abs(sum-1) > 1e-9 {
				t.Errorf("order %d: squares at %g Hz add to %g: want 1", order, hz, sum)
			}
		}
	}
	if _, _, err := ButterworthHigh(2, 600, rate); err == nil {
		t.Error("a cutoff above the Nyquist frequency: want an error")
	}
}
