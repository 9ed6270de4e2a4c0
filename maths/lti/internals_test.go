package lti

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The largest |(λ+γ)/(λ−γ)| of stable eigenvalues: of λ = −1 and γ = 3 it is 1/2, of
// −2 ± 4i 0.745; unstable and undamped ones do not count.
func TestSlowestOfTheCayleyTransform(t *testing.T) {
	for _, tc := range []struct {
		lambda []complex128
		want   float64
	}{
		{[]complex128{-1}, 0.5}, {[]complex128{-9}, 0.5}, {[]complex128{-3}, 0}, {[]complex128{-1, -4, 100, 5i}, 0.5},
		{[]complex128{-2 + 4i, -2 - 4i}, math.Sqrt(17.0 / 41)}, {[]complex128{2, 4i}, 0}, {nil, 0},
	} {
		if got := slowest(tc.lambda, 3); math.Abs(got-tc.want) > 1e-15 {
			t.Errorf("slowest of %v: %g, want %g", tc.lambda, got, tc.want)
		}
	}
}

// Either matrix of the transform may be the one that is nearly singular.
func TestConditionedLooksAtBoth(t *testing.T) {
	good, bad := diagonal(1, 2), diagonal(1, 1e-9)
	near3 := diagonal(3+1e-9, 1) // less 3 it is nearly singular
	for what, tc := range map[string]struct {
		a, w *mat.Dense
		want bool
	}{
		"both sound": {good, good, true}, "W singular": {good, bad, false}, "A − γI singular": {near3, good, false},
		"both singular":   {near3, bad, false},
		"W without bound": {good, diagonal(1, math.Inf(1)), false},
		"A without bound": {diagonal(1, math.Inf(1)), good, false},
	} {
		if got := conditioned(tc.a, tc.w, 3); got != tc.want {
			t.Errorf("%s: %v, want %v", what, got, tc.want)
		}
	}
}

// γ of a diagonal regulator problem lies between the smallest and the largest closed-loop
// pole √(a² + g q), and for two of them near their geometric mean, where both are as slow.
func TestShiftOfTwoModes(t *testing.T) {
	for _, ratio := range []float64{1, 4, 100, 1e6} {
		gamma, err := shift(diagonal(-1, -ratio), diagonal(0, 0), diagonal(0, 0))
		if err != nil {
			t.Fatal(err)
		}
		if want := math.Sqrt(ratio); math.Abs(math.Log(gamma/want)) > 1e-9*(1+math.Log(ratio)) {
			t.Errorf("poles −1 and −%g: γ = %g, want %g", ratio, gamma, want)
		}
	}
	if _, err := shift(diagonal(0, 0), diagonal(0, 0), diagonal(0, 0)); err == nil {
		t.Error("a Hamiltonian matrix of zeros has a γ")
	}
}

// Aᵧ = A − γI and W = Aᵧ + G Aᵧ⁻ᵀ Q, here of matrices that do not commute.
func TestCayleyIsItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 44))
	a, b, c := randomMatrix(r, 4, 4, 1), randomMatrix(r, 4, 2, 1), randomMatrix(r, 3, 4, 1)
	g, q := Product(b, b.T()), Product(c.T(), c)
	ag, w, err := cayley(a, g, q, 0.7)
	if err != nil {
		t.Fatal(err)
	}
	want := mat.DenseCopyOf(a)
	for i := range 4 {
		want.Set(i, i, want.At(i, i)-0.7)
	}
	nearMatrix(t, "A − γI", ag, want, 1e-14)
	var inv, sum mat.Dense
	if err := inv.Inverse(want.T()); err != nil {
		t.Fatal(err)
	}
	sum.Add(want, Product(g, &inv, q))
	nearMatrix(t, "W", w, &sum, 1e-10)
}

// The relative residual of the scalar equation 2ax − gx² + q at any x is that number over the
// sum of the terms' sizes, a x twice; of a²x − x − k²(r + b²x) + q likewise.
func TestResidualOfTheScalarEquation(t *testing.T) {
	for _, a := range []float64{-2, 0.5, 3} {
		for _, x := range []float64{0.3, 2, 50} {
			const b, r, q = 0.7, 3.0, 5.0
			res, rel, err := (&equation{a: scalar(a), b: scalar(b), q: scalar(q), r: scalar(r)}).residual(scalar(x))
			if err != nil {
				t.Fatal(err)
			}
			g := b * b / r
			want := 2*a*x - g*x*x + q
			near(t, "residual", complex(res.At(0, 0), 0), complex(want, 0), 1e-12, 1)
			near(t, "relative", complex(rel, 0), complex(math.Abs(want)/(2*math.Abs(a*x)+g*x*x+q), 0), 1e-12, 0)
			res, rel, err = (&equation{a: scalar(a), b: scalar(b), q: scalar(q), r: scalar(r),
				discrete: true}).residual(scalar(x))
			if err != nil {
				t.Fatal(err)
			}
			third := a * a * x * x * b * b / (r + b*b*x)
			want = a*a*x - x - third + q
			near(t, "discrete residual", complex(res.At(0, 0), 0), complex(want, 0), 1e-12, 1)
			near(t, "relative", complex(rel, 0), complex(math.Abs(want)/(a*a*x+x+third+q), 0), 1e-12, 0)
		}
	}
}

// The other root of the scalar equation solves it too, and its loop is unstable: it is
// refused by its pole. So is a solution that is none, by its residual.
func TestPolishedRefusesTheOtherRoot(t *testing.T) {
	const a, b, r, q = 2.0, 0.7, 3.0, 5.0
	g := b * b / r
	e := &equation{a: scalar(a), b: scalar(b), q: scalar(q), r: scalar(r)}
	_, err := e.polished(scalar((a - math.Sqrt(a*a+g*q)) / g))
	wantError(t, err, "closed-loop pole at 2.195 rad/s")
	p := r - a*a*r - b*b*q
	d := &equation{a: scalar(a), b: scalar(b), q: scalar(q), r: scalar(r), discrete: true}
	_, err = d.polished(scalar((-p - math.Sqrt(p*p+4*b*b*q*r)) / (2 * b * b)))
	wantError(t, err, "closed-loop pole at z = ")
	x, err := e.polished(scalar(1.01 * (a + math.Sqrt(a*a+g*q)) / g)) // one percent off is brought back
	if err != nil {
		t.Fatal(err)
	}
	near(t, "x", complex(x.At(0, 0), 0), complex((a+math.Sqrt(a*a+g*q))/g, 0), 1e-13, 0)
}

// [A − λI, B] loses rank at an eigenvalue whose left eigenvector B does not touch, however the
// rows are scaled, and at no other λ; a coupling of 1e-8 of the row counts from that on.
func TestFullRankOfAScaledPair(t *testing.T) {
	for _, unit := range []float64{1e-9, 1, 1e9} {
		a, b := mat.NewDense(2, 2, []float64{-3, 2 * unit, 0, 5}), mat.NewDense(2, 1, []float64{unit, 0})
		if fullRank(a, b, 5, 1e-10) {
			t.Errorf("unit %g: mode 5 is reached by nothing and has full rank", unit)
		}
		if !fullRank(a, b, -3, 1e-10) || !fullRank(a, b, 4, 1e-10) || !fullRank(a, b, 5+1i, 1e-10) {
			t.Errorf("unit %g: rank is lost where there is no mode out of reach", unit)
		}
		b.Set(1, 0, 1e-8)
		if !fullRank(a, b, 5, 1e-10) || fullRank(a, b, 5, 1e-7) {
			t.Errorf("unit %g: a coupling of 1e-8 has to count for a tolerance of 1e-10, and not of 1e-7", unit)
		}
	}
	// A pair of complex modes: rank is lost at λ = 0.1 + 3i of the block that nothing reaches.
	a := mat.NewDense(3, 3, []float64{0.1, 3, 0, -3, 0.1, 0, 0, 0, -1})
	b := mat.NewDense(3, 1, []float64{0, 0, 1})
	if fullRank(a, b, 0.1+3i, 1e-10) || !fullRank(a, b, 0.1-2.9i, 1e-10) || !fullRank(a, b, 0.1, 1e-10) {
		t.Error("rank of a complex mode")
	}
	// λ as large as B, and nothing of A in the row: their sizes add up and do not cancel.
	if fullRank(diagonal(0, 1), mat.NewDense(2, 1, []float64{1, 0}), 1, 1e-10) {
		t.Error("mode 1 is reached by nothing and has full rank")
	}
}

// Only modes that are not stable by themselves have to be reached and seen; the edge of
// stability is among them.
func TestReachableWantsUnstableModesOnly(t *testing.T) {
	none := mat.NewDense(1, 1, nil)
	for _, tc := range []struct {
		a        float64
		discrete bool
		ok       bool
	}{{-1e-3, false, true}, {0, false, false}, {1e-3, false, false}, {0.999, true, true}, {1, true, false},
		{-1, true, false}, {-0.999, true, true}, {1.001, true, false}} {
		e := &equation{a: scalar(tc.a), b: none, q: scalar(1), r: scalar(1), discrete: tc.discrete}
		if err := e.reachable(1e-10); (err == nil) != tc.ok {
			t.Errorf("mode %g, discrete %v, without input: %v", tc.a, tc.discrete, err)
		}
		e.b, e.q = scalar(1), none
		if err := e.reachable(1e-10); (err == nil) != tc.ok {
			t.Errorf("mode %g, discrete %v, without weight: %v", tc.a, tc.discrete, err)
		}
	}
}

// The energy of h = (0, 1, 2, −4) lies about (1 + 2·4 + 3·16)/21 samples.
func TestCentroidOfUnequalSamples(t *testing.T) {
	near(t, "centroid", complex((Impulse{H: []float64{0, 1, 2, -4}, Dt: 0.1}).Centroid(), 0), complex(0.1*57/21, 0), 1e-15,
		0)
}

// The range of a matrix of rank one is one direction; what is not finite has none, and of
// zeros there is none at any floor.
func TestRangeOf(t *testing.T) {
	u, rank, err := rangeOf(mat.NewDense(3, 2, []float64{2, 4, -1, -2, 2, 4}), 1e-10)
	if err != nil || rank != 1 {
		t.Fatalf("rank %d, %v: want 1", rank, err)
	}
	for i, want := range []float64{2, -1, 2} {
		near(t, "direction", complex(math.Abs(u.At(i, 0)), 0), complex(math.Abs(want)/3, 0), 1e-14, 0)
	}
	if _, rank, err := rangeOf(mat.NewDense(2, 2, nil), 0); err != nil || rank != 0 {
		t.Errorf("rank %d, %v of zeros: want 0", rank, err)
	}
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		if _, _, err := rangeOf(mat.NewDense(2, 1, []float64{v, 1}), 0); err == nil {
			t.Errorf("the range of a matrix that holds %g", v)
		}
	}
}

// A resonance of half bandwidth 1e-7 between two far frequencies turns the phase by 180°, one
// way: the walk halves its steps until it sees which.
func TestBodeSeesTheNarrowestResonance(t *testing.T) {
	for _, zeta := range []float64{1e-7, -1e-7} {
		g := Response(func(hz float64) complex128 {
			return 1 / complex(1-hz*hz/9, 2*zeta*hz/3)
		})
		b, err := g.Bode([]float64{1, 2.99, 5}, 0)
		if err != nil {
			t.Fatal(err)
		}
		want := -math.Copysign(180, zeta)
		if math.Abs(b.PhaseDeg[2]-want) > 1e-4 || math.Abs(b.PhaseDeg[0]) > 1e-4 {
			t.Errorf("damping %g: phase %v, want 0 and %g", zeta, b.PhaseDeg, want)
		}
	}
}

// An undamped resonance turns the phase by 180° at once, whichever way; the walk across it ends.
func TestBodeAcrossAnUndampedResonance(t *testing.T) {
	g := Response(func(hz float64) complex128 { return complex(1/(1-hz*hz/9), 0) })
	b, err := g.Bode([]float64{1, 4, 40}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(b.PhaseDeg[0]) > 1e-9 || math.Abs(math.Abs(b.PhaseDeg[1])-180) > 1e-9 || b.PhaseDeg[2] != b.PhaseDeg[1] {
		t.Errorf("phase %v: want 0 and twice ±180", b.PhaseDeg)
	}
}

// An input in an unit in which its column is 1e-13 reaches what it reaches.
func TestMinimalOfASmallColumn(t *testing.T) {
	s := must(NewSS(diagonal(-1, -2), mat.NewDense(2, 1, []float64{1e-13, 2e-13}), mat.NewDense(1, 2, []float64{1, 1}),
		scalar(0), 0))
	got := must(s.Minimal())
	if n, _, _ := got.Dims(); n != 2 {
		t.Errorf("%d states: want 2", n)
	}
	sameResponse(t, "small column", got, s, 1, 1e-12)
}

// Every matrix of an estimator is looked at, and an error names the one that is wrong.
func TestEstimatorNamesTheWrongMatrix(t *testing.T) {
	a, g, c := diagonal(-1, -2), Diagonal(2, 1), mat.NewDense(1, 2, []float64{1, 0})
	for want, m := range map[string]struct{ g, w *mat.Dense }{
		"W is 1×1: want 2×2":                   {g, scalar(1)},
		"W(1,0) = 0 and W(0,1) = 0.5":          {g, mat.NewDense(2, 2, []float64{1, 0.5, 0, 1})},
		"W(0,0) = NaN":                         {g, mat.NewDense(2, 2, []float64{math.NaN(), 0, 0, 1})},
		"G(1,0) = NaN":                         {mat.NewDense(2, 2, []float64{1, 0, math.NaN(), 1}), Diagonal(2, 1)},
		"W has an eigenvalue of -1":            {g, mat.NewDense(2, 2, []float64{1, 2, 2, 1})},
		"G of 1 rows and C of 2 columns":       {mat.NewDense(1, 2, []float64{1, 1}), Diagonal(2, 1)},
		"W(1,1) = -2: want a positive semidef": {g, diagonal(1, -2)},
	} {
		_, err := LQE(a, m.g, c, m.w, scalar(1), 0)
		wantError(t, err, want)
	}
}

// The larger of two rows is the pivot and their right-hand sides go with them: near z = 0 a chain
// of integrators has nothing on its diagonal but z.
func TestSweepWithPivots(t *testing.T) {
	s := must(must(NewTF([]float64{1, 2, 3}, []float64{1, 5, 7, 11, 13}, 0)).SS())
	w := s.Sweep()
	for _, z := range []complex128{0, 1e-9, 1e-3i, 0.1 + 0.1i, -0.2, 1, 30i} {
		want := (z*z + 2*z + 3) / (z*z*z*z + 5*z*z*z + 7*z*z + 11*z + 13)
		near(t, "response", must(w.At(z)).At(0, 0), want, 1e-12, 0)
	}
	// Two states that feed each other, seen and driven one by one.
	swap := must(NewSS(mat.NewDense(2, 2, []float64{0, 2, 3, 0}), Diagonal(2, 1), Diagonal(2, 1),
		mat.NewDense(2, 2, nil), 0))
	z := complex128(0.1 + 0.2i)
	g := must(swap.Sweep().At(z))
	for i, want := range []complex128{z, 2, 3, z} { // over z² − 6
		near(t, "response", g.At(i/2, i%2), want/(z*z-6), 1e-13, 0)
	}
}

// A gain that is 0 or without bound at one of the frequencies alone has no phase there.
func TestBodeAtANotch(t *testing.T) {
	for _, at := range []complex128{0, complex(math.Inf(1), 0), complex(math.NaN(), 0)} {
		g := Response(func(hz float64) complex128 {
			if hz == 2 {
				return at
			}
			return 1
		})
		_, err := g.Bode([]float64{1, 2, 3}, 0)
		wantError(t, err, "at 2 Hz the gain is")
		if _, err := g.Bode([]float64{1, 1.5}, 0); err != nil {
			t.Errorf("below the frequency of %g: %v", at, err)
		}
	}
}

// Roots come sorted by magnitude, then imaginary part, in whatever order they are given.
func TestRootsOfZPKAreSorted(t *testing.T) {
	g := must(NewZPK([]complex128{-5, 1, -2 + 1i, -2 - 1i}, []complex128{-9, 3i, -1, -3i, -7}, 1, 0))
	for i, want := range []complex128{1, -2 - 1i, -2 + 1i, -5} {
		near(t, "zero", g.Zeros[i], want, 0, 0)
	}
	for i, want := range []complex128{-1, -3i, 3i, -7, -9} {
		near(t, "pole", g.Poles[i], want, 0, 0)
	}
}

// What was not made with its maker is refused and does not panic.
func TestWhatHoldsNothingIsRefused(t *testing.T) {
	_, err := (TF{Num: []float64{1}, Den: []float64{0, 0}}).SS()
	wantError(t, err, "denominator [0 0] is zero")
	_, err = (TF{}).InverseSeries(2)
	wantError(t, err, "denominator [] is zero")
	_, _, err = SS{A: diagonal(math.NaN(), 1), B: mat.NewDense(2, 1, []float64{1, 1}),
		C: mat.NewDense(1, 2, []float64{1, 1}), D: scalar(0)}.Chains(1)
	wantError(t, err, "input 1: minimal realisation: ")
	_, err = doubleContinuous(scalar(2), scalar(-1), scalar(1), 1) // W = 1 − 1
	wantError(t, err, "Cayley transform: singular matrix")
	_, err = doubleContinuous(scalar(1), scalar(1), scalar(1), 1) // A − γ = 0
	wantError(t, err, "singular matrix")
}
