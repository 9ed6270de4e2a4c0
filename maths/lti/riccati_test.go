package lti

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func scalar(v float64) *mat.Dense { return mat.NewDense(1, 1, []float64{v}) }

func diagonal(v ...float64) *mat.Dense {
	m := mat.NewDense(len(v), len(v), nil)
	for i, x := range v {
		m.Set(i, i, x)
	}
	return m
}

// randomMatrix has normal entries of standard deviation sd.
func randomMatrix(r *rand.Rand, rows, cols int, sd float64) *mat.Dense {
	m := mat.NewDense(rows, cols, nil)
	m.Apply(func(int, int, float64) float64 { return sd * r.NormFloat64() }, m)
	return m
}

// rotation is a random orthogonal matrix.
func rotation(r *rand.Rand, n int) *mat.Dense {
	var qr mat.QR
	qr.Factorize(randomMatrix(r, n, n, 1))
	var q mat.Dense
	qr.QTo(&q)
	return &q
}

// pair is a random stabilisable pair with weights, of n/4 inputs and weighted outputs
// or more: with one input and ten unstable modes the solution grows to 1e11 and more,
// and its rounding alone leaves 1e-10. One pair in three has a part that the input
// does not reach, stable by itself and hidden by a rotation.
func pair(r *rand.Rand, n, m int, discrete bool) *equation {
	a, b := randomMatrix(r, n, n, 1.2/math.Sqrt(float64(n))), randomMatrix(r, n, m, 1)
	if hidden := n / 3; hidden > 0 && r.IntN(3) == 0 {
		for i := n - hidden; i < n; i++ {
			for j := range n {
				a.Set(i, j, 0)
			}
			a.Set(i, i, -0.1-r.Float64())
			if discrete {
				a.Set(i, i, 0.95*(2*r.Float64()-1))
			}
			b.SetRow(i, make([]float64, m))
		}
		u := rotation(r, n)
		a, b = Product(u, a, u.T()), Product(u, b)
	}
	c, d := randomMatrix(r, few(r, n), n, 1), randomMatrix(r, m, m, 0.3)
	w := Product(d, d.T())
	w.Add(w, Diagonal(m, 1))
	return &equation{a: a, b: b, q: Symmetric(Product(c.T(), c)), r: Symmetric(w), discrete: discrete}
}

// few is n/4 to n.
func few(r *rand.Rand, n int) int { return (n+3)/4 + r.IntN(n-(n+3)/4+1) }

// Every solution leaves a residual below 1e-10 of the equation's terms in the
// units it was asked in, is symmetric and positive semidefinite, and its loop is
// stable. RTHS_FULL=1 tries 300 pairs of each kind in place of 10.
func TestRiccatiOfRandomPairs(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: many numbers")
	}
	count, largest := 10, 0.0
	if os.Getenv("RTHS_FULL") != "" {
		count = 300
	}
	for _, discrete := range []bool{false, true} {
		r := rand.New(rand.NewPCG(11, 12))
		for i := range count {
			n := 2 + i*59/count // to 60
			e := pair(r, n, few(r, n), discrete)
			dt := 0.0
			if discrete {
				dt = 0.1
			}
			reg, err := LQR(e.a, e.b, e.q, e.r, dt)
			if err != nil {
				t.Fatalf("pair %d, n = %d, discrete %v: %v", i, n, discrete, err)
			}
			_, rel, err := e.residual(reg.X)
			if err != nil || !(rel < 1e-10) {
				t.Errorf("pair %d, n = %d, discrete %v: residual %.2g, %v", i, n, discrete, rel, err)
			}
			largest = max(largest, rel)
			loop := must(NewSS(sub(e.a, Product(e.b, reg.K)), e.b, Diagonal(n, 1),
				mat.NewDense(n, e.r.RawMatrix().Cols, nil), dt))
			if !must(loop.Stable()) || semidefinite("X", reg.X) != nil {
				t.Errorf("pair %d, n = %d, discrete %v: poles %v", i, n, discrete, reg.Poles)
			}
		}
	}
	t.Logf("largest relative residual %.2g", largest)
}

func sub(a, b *mat.Dense) *mat.Dense {
	var d mat.Dense
	d.Sub(a, b)
	return &d
}

// 2 a x - x² b²/r + q = 0, stabilising root.
func TestScalarCARE(t *testing.T) {
	for _, a := range []float64{-3, 0, 2, 1e4} {
		for _, q := range []float64{1e-6, 1, 1e9} {
			b, r := 0.7, 3.0
			g := b * b / r
			root := math.Sqrt(a*a + g*q)
			want := (a + root) / g
			if a < 0 { // the same without cancellation
				want = q / (root - a)
			}
			reg := must(LQR(scalar(a), scalar(b), scalar(q), scalar(r), 0))
			near(t, "x", complex(reg.X.At(0, 0), 0), complex(want, 0), 1e-12, 0)
			near(t, "pole", reg.Poles[0], complex(-root, 0), 1e-9, 0)
		}
	}
}

// b² x² + (r - a² r - b² q) x - q r = 0, positive root.
func TestScalarDARE(t *testing.T) {
	for _, a := range []float64{0, 0.5, -1, 3} {
		for _, q := range []float64{1e-6, 1, 1e9} {
			b, r := 0.7, 3.0
			p := r - a*a*r - b*b*q
			root := math.Sqrt(p*p + 4*b*b*q*r)
			want := (-p + root) / (2 * b * b)
			if p > 0 {
				want = 2 * q * r / (p + root)
			}
			reg := must(LQR(scalar(a), scalar(b), scalar(q), scalar(r), 1))
			near(t, "x", complex(reg.X.At(0, 0), 0), complex(want, 0), 1e-12, 0)
			near(t, "pole", reg.Poles[0], complex(a*r/(r+b*b*want), 0), 1e-9, 1e-3)
		}
	}
}

// x” = u with weights q on x, 1 on u: with ω = q^(1/4), K = (ω², √2 ω) and both
// poles at ω, damping ratio 1/√2 (B.D.O. Anderson, J.B. Moore, Optimal Control, 1990).
// Positions in mm or km only scale the solution.
func TestLQRDoubleIntegrator(t *testing.T) {
	for _, w := range []float64{1e-4, 0.3, 1, 50, 1e5} {
		reg := must(LQR(mat.NewDense(2, 2, []float64{0, 1, 0, 0}), mat.NewDense(2, 1, []float64{0, 1}),
			diagonal(math.Pow(w, 4), 0), scalar(1), 0))
		nearMatrix(t, "K", reg.K, mat.NewDense(1, 2, []float64{w * w, math.Sqrt2 * w}), 1e-11)
		nearMatrix(t, "X", reg.X, mat.NewDense(2, 2, []float64{math.Sqrt2 * w * w * w, w * w, w * w, math.Sqrt2 * w}), 1e-11)
		s := complex(w/math.Sqrt2, 0)
		near(t, "pole", reg.Poles[1], -s+s*1i, 1e-9, 0)
	}
}

// The Riccati recursion from zero is the cost over N steps; it goes to X.
func TestDAREIsTheLimitOfTheRecursion(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for n := 1; n <= 8; n++ {
		e := pair(r, n, 1+r.IntN(2), true)
		want := mat.NewDense(n, n, nil)
		for range 20000 {
			k := must(e.gain(want))
			next := Product(e.a.T(), want, sub(e.a, Product(e.b, k)))
			next.Add(next, e.q)
			last := want
			want = Symmetric(next)
			if mat.Norm(sub(want, last), 1) < 1e-14*mat.Norm(want, 1) {
				break // it has converged
			}
		}
		got := must(DARE(e.a, e.b, e.q, e.r))
		if d := mat.Norm(sub(got, want), 2); d > 1e-9*mat.Norm(want, 2) {
			t.Errorf("n = %d: differs by %.2g of %.2g", n, d, mat.Norm(want, 2))
		}
	}
}

// The sampled regulator goes to the continuous one: X dt → X and K → K with
// weights dt Q and dt R, to first order in dt.
func TestDiscreteLQRGoesToContinuous(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	e := pair(r, 5, 2, false)
	want := must(LQR(e.a, e.b, e.q, e.r, 0))
	var last float64
	for i, dt := range []float64{1e-2, 5e-3, 2.5e-3} {
		phi, gamma, err := ZOHInputs(e.a, e.b, dt)
		if err != nil {
			t.Fatal(err)
		}
		q, w := mat.DenseCopyOf(e.q), mat.DenseCopyOf(e.r)
		q.Scale(dt, q)
		w.Scale(dt, w)
		got := must(LQR(phi, gamma, q, w, dt))
		gap := mat.Norm(sub(got.K, want.K), 2)
		if i > 0 && (gap > 0.6*last || gap < 0.4*last) {
			t.Errorf("dt = %g: K differs by %.3g, before by %.3g: want half", dt, gap, last)
		}
		last = gap
	}
}

// x = T ξ: X becomes Tᵀ X T, K becomes K T, the poles stay.
func TestLQRIsInvariant(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for _, dt := range []float64{0, 0.1} {
		for n := 2; n < 12; n++ {
			e := pair(r, n, 2, dt > 0)
			scale := Diagonal(n, 1)
			for i := range n {
				scale.Set(i, i, math.Pow(10, 4*r.Float64()-2))
			}
			tr := Product(rotation(r, n), scale)
			var inv mat.Dense
			if err := inv.Inverse(tr); err != nil {
				t.Fatal(err)
			}
			one := must(LQR(e.a, e.b, e.q, e.r, dt))
			two := must(LQR(Product(&inv, e.a, tr), Product(&inv, e.b), Symmetric(Product(tr.T(), e.q, tr)), e.r, dt))
			if d := mat.Norm(sub(two.K, Product(one.K, tr)), 2); d > 1e-8*mat.Norm(two.K, 2) {
				t.Errorf("n = %d, dt = %g: K differs by %.2g of %.2g", n, dt, d, mat.Norm(two.K, 2))
			}
			if d := mat.Norm(sub(two.X, Product(tr.T(), one.X, tr)), 2); d > 1e-8*mat.Norm(two.X, 2) {
				t.Errorf("n = %d, dt = %g: X differs by %.2g of %.2g", n, dt, d, mat.Norm(two.X, 2))
			}
		}
	}
}

// The estimator of (A, C) is the regulator of (Aᵀ, Cᵀ).
func TestLQEIsDual(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	for _, dt := range []float64{0, 0.1} {
		e := pair(r, 6, 2, dt > 0)
		g := randomMatrix(r, 6, 3, 1)
		w := diagonal(1, 2, 0.5)
		reg := must(LQR(e.a, e.b, Symmetric(Product(g, w, g.T())), e.r, dt))
		est := must(LQE(mat.DenseCopyOf(e.a.T()), g, mat.DenseCopyOf(e.b.T()), w, e.r, dt))
		want := mat.DenseCopyOf(reg.K.T())
		got := est.L
		if dt > 0 {
			got = Product(e.a.T(), est.L)
		}
		if d := mat.Norm(sub(got, want), 2); d > 1e-12*mat.Norm(want, 2) {
			t.Errorf("dt = %g: gain differs by %.2g of %.2g", dt, d, mat.Norm(want, 2))
		}
		for i, p := range est.Poles {
			near(t, "pole", p, reg.Poles[i], 1e-10, 0)
		}
	}
}

// P is the covariance of the error of x̂[k|k-1] when the noises are as said.
func TestLQECovariance(t *testing.T) {
	a, g, c := mat.NewDense(2, 2, []float64{0.95, 0.2, -0.3, 0.9}), mat.NewDense(2, 1, []float64{0.5, 1}),
		mat.NewDense(1, 2, []float64{1, 0})
	est := must(LQE(a, g, c, scalar(0.04), scalar(0.25), 1))
	r := rand.New(rand.NewPCG(21, 22))
	var e, k0, k1, s00, s01, s11 float64 // the error with x̂ = 0 and u = 0
	var x0, x1, h0, h1 float64
	k0, k1 = est.L.At(0, 0), est.L.At(1, 0)
	const n = 400000
	for range n {
		d0, d1 := x0-h0, x1-h1
		s00, s01, s11 = s00+d0*d0, s01+d0*d1, s11+d1*d1
		e = x0 + 0.5*r.NormFloat64() - h0
		h0, h1 = h0+k0*e, h1+k1*e
		h0, h1 = 0.95*h0+0.2*h1, -0.3*h0+0.9*h1
		w := 0.2 * r.NormFloat64()
		x0, x1 = 0.95*x0+0.2*x1+0.5*w, -0.3*x0+0.9*x1+w
	}
	size := mat.Norm(est.P, 2)
	for i, s := range []float64{s00, s01, s11} {
		want := est.P.At(i/2, (i+1)/2)
		if d := math.Abs(s/n - want); d > 0.015*size {
			t.Errorf("covariance %d: %.5g in %d samples, P says %.5g", i, s/n, n, want)
		}
	}
}

// The closed form of a scalar estimator: P from 2 a P - P² c²/V + g² W = 0.
func TestScalarLQE(t *testing.T) {
	est := must(LQE(scalar(-1), scalar(2), scalar(3), scalar(0.5), scalar(0.1), 0))
	s := 9 / 0.1
	want := (-1 + math.Sqrt(1+s*2)) / s
	near(t, "P", complex(est.P.At(0, 0), 0), complex(want, 0), 1e-13, 0)
	near(t, "L", complex(est.L.At(0, 0), 0), complex(want*3/0.1, 0), 1e-13, 0)
}

// The benchmark's plant has entries of 2e13 beside 1; weights make it worse. The
// answer equals the one of the same plant in canonical form, with other states.
func TestLQRIllScaled(t *testing.T) {
	s := benchmarkPlant.ss()
	for _, q := range []float64{1, 1e4} {
		weight := Product(s.C.T(), s.C)
		weight.Scale(q, weight)
		reg := must(LQR(s.A, s.B, weight, scalar(1), 0))
		can := must(benchmarkPlant.tf().SS())
		w := Product(can.C.T(), can.C)
		w.Scale(q, w)
		other := must(LQR(can.A, can.B, w, scalar(1), 0))
		// The open loop's modes move a little: poles are functions of q alone.
		for i, p := range reg.Poles {
			near(t, "pole", p, other.Poles[i], 1e-6, 0)
		}
	}
	// Modes from 1e-6 to 1e6 rad/s under one input.
	e := &equation{a: diagonal(1e-6, 1, 1e6), b: mat.NewDense(3, 1, []float64{1e-3, 1, 1e5}), q: diagonal(1e-8, 1, 1e8),
		r: scalar(1)}
	if _, rel, _ := e.residual(must(CARE(e.a, e.b, e.q, e.r))); rel > 1e-10 {
		t.Errorf("modes apart: residual %.2g", rel)
	}
}

// States in units from 1e-9 to 1e9 change nothing but the units.
func TestLQRInOtherUnits(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	for _, dt := range []float64{0, 0.1} {
		e := pair(r, 7, 2, dt > 0)
		unit, per := Diagonal(7, 1), Diagonal(7, 1)
		for i := range 7 {
			unit.Set(i, i, math.Pow(10, float64(3*i-9)))
			per.Set(i, i, math.Pow(10, float64(9-3*i)))
		}
		one := must(LQR(e.a, e.b, e.q, e.r, dt))
		two := must(LQR(Product(per, e.a, unit), Product(per, e.b), Symmetric(Product(unit, e.q, unit)), e.r, dt))
		nearMatrix(t, "K", two.K, Product(one.K, unit), 1e-9)
		nearMatrix(t, "X", two.X, Product(unit, one.X, unit), 1e-9)
	}
}

func TestRiccatiNamesTheMode(t *testing.T) {
	spring := func(w float64) *mat.Dense { return mat.NewDense(2, 2, []float64{0, 1, -w * w, 0.2}) }
	two := mat.NewDense(3, 3, nil)
	setBlock(two, 0, 0, spring(3.2))
	two.Set(2, 2, -1)
	last := mat.NewDense(3, 1, []float64{0, 0, 1})
	u := rotation(rand.New(rand.NewPCG(1, 1)), 3)
	lqr := func(a, b, q *mat.Dense, dt float64) error {
		_, m := b.Dims()
		_, err := LQR(a, b, q, Diagonal(m, 1), dt)
		return err
	}
	wantError(t, lqr(two, last, Diagonal(3, 1), 0),
		"mode 0.1 ± 3.198i rad/s cannot be reached by the input: not stabilisable")
	wantError(t, lqr(Product(u, two, u.T()), Product(u, last), Diagonal(3, 1), 0),
		"mode 0.1 ± 3.198i rad/s cannot be reached by the input: not stabilisable")
	wantError(t, lqr(two, mat.NewDense(3, 1, []float64{0, 1, 1}), Product(last, last.T()), 0),
		"mode 0.1 ± 3.198i rad/s is not seen by the weight Q: not detectable")
	wantError(t, lqr(Diagonal(2, 1), mat.NewDense(2, 1, []float64{1, 1}), Diagonal(2, 1), 0),
		"mode 1 rad/s cannot be reached")
	wantError(t, lqr(diagonal(0.5, -1.5), mat.NewDense(2, 1, []float64{1, 0}), Diagonal(2, 1), 0.1),
		"mode z = -1.5 cannot be reached by the input: not stabilisable")
	wantError(t, lqr(diagonal(0.5, 1), mat.NewDense(2, 1, []float64{1, 1}), diagonal(1, 0), 0.1),
		"mode z = 1 is not seen by the weight Q: not detectable")
	_, err := LQE(spring(3.2), Diagonal(2, 1), mat.NewDense(1, 2, nil), Diagonal(2, 1), scalar(1), 0)
	wantError(t, err, "mode 0.1 ± 3.198i rad/s is not seen by the output: not detectable")
	_, err = LQE(spring(3.2), Diagonal(2, 1), mat.NewDense(1, 2, []float64{1, 0}), mat.NewDense(2, 2, nil), scalar(1), 0)
	wantError(t, err, "mode 0.1 ± 3.198i rad/s is not driven by the noise W: not stabilisable")
}

// A stable mode nobody reaches or sees is no matter, and no weight no gain.
func TestLQRWithoutWeight(t *testing.T) {
	for _, dt := range []float64{0, 0.1} {
		reg := must(LQR(diagonal(-0.5, -0.2), mat.NewDense(2, 1, []float64{1, 0}), mat.NewDense(2, 2, nil), scalar(1), dt))
		if mat.Norm(reg.K, 2) != 0 || mat.Norm(reg.X, 2) != 0 {
			t.Errorf("dt = %g: K = %v, X = %v: want zeros", dt, reg.K, reg.X)
		}
	}
}

func TestRiccatiWrongInput(t *testing.T) {
	a, b, i := diagonal(-1, -2), mat.NewDense(2, 1, []float64{1, 1}), Diagonal(2, 1)
	for _, tc := range []struct {
		a, b, q, r *mat.Dense
		want       string
	}{
		{nil, b, i, scalar(1), "A is empty"},
		{mat.NewDense(2, 3, nil), b, i, scalar(1), "matrix A is 2×3: want a square matrix"},
		{a, scalar(1), i, scalar(1), "B has 1 rows: want 2, as A"},
		{a, b, scalar(1), scalar(1), "Q is 1×1: want 2×2"},
		{a, b, i, i, "R is 2×2: want 1×1"},
		{a, b, i, scalar(0), "R is not positive definite"},
		{a, b, diagonal(1, -1), scalar(1), "Q(1,1) = -1: want a positive semidefinite matrix"},
		{a, b, mat.NewDense(2, 2, []float64{1, 2, 2, 1}), scalar(1), "Q has an eigenvalue of -1 after scaling"},
		{a, b, mat.NewDense(2, 2, []float64{1, 3, 3, 1}), scalar(1), "Q(1,0) = 3 beside 1 and 1 on the diagonal"},
		{a, b, mat.NewDense(2, 2, []float64{0, 2, 2, 1}), scalar(1), "beside a zero on the diagonal"},
		{a, b, mat.NewDense(2, 2, []float64{1, 0.5, 0, 1}), scalar(1), "want a symmetric matrix"},
		{a, b, i, scalar(math.NaN()), "R(0,0) = NaN"},
		{diagonal(math.Inf(1), 1), b, i, scalar(1), "matrix A(0,0) = +Inf"},
	} {
		_, err := CARE(tc.a, tc.b, tc.q, tc.r)
		wantError(t, err, tc.want)
		_, err = DARE(tc.a, tc.b, tc.q, tc.r)
		wantError(t, err, tc.want)
		_, err = LQR(tc.a, tc.b, tc.q, tc.r, 0.1)
		wantError(t, err, tc.want)
	}
	_, err := LQR(a, b, i, scalar(1), -1)
	wantError(t, err, "sample time -1 s")
	_, err = LQE(a, b, mat.NewDense(1, 3, nil), scalar(1), scalar(1), 0)
	wantError(t, err, "C of 3 columns: want 2, as A")
	_, err = LQE(a, b, mat.NewDense(1, 2, []float64{1, 0}), scalar(-1), scalar(1), 0)
	wantError(t, err, "W(0,0) = -1")
	_, err = LQE(a, b, mat.NewDense(1, 2, []float64{1, 0}), scalar(1), scalar(-1), 0)
	wantError(t, err, "V is not positive definite")
	_, err = LQE(a, nil, nil, nil, nil, 0)
	wantError(t, err, "G is empty")
}

// Numbers from one end of double precision to the other give an answer with a small
// residual or an error, never a panic.
func TestRiccatiNeverPanics(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 2))
	number := func() float64 {
		switch r.IntN(8) {
		case 0:
			return 0
		case 1:
			return 1
		case 2:
			return math.MaxFloat64 * (r.Float64() - 0.5)
		case 3:
			return math.SmallestNonzeroFloat64
		}
		return math.Exp(1400*(r.Float64()-0.5)) * float64(1-2*r.IntN(2))
	}
	draw := func(rows, cols int) *mat.Dense {
		m := mat.NewDense(rows, cols, nil)
		m.Apply(func(int, int, float64) float64 { return number() }, m)
		return m
	}
	weight := func(n int) *mat.Dense {
		w := mat.NewDense(n, n, nil)
		for i := range n {
			w.Set(i, i, math.Abs(number()))
		}
		return w
	}
	solved := 0
	for range 3000 {
		n, m, dt := 1+r.IntN(4), 1+r.IntN(3), float64(r.IntN(2))
		a, b := draw(n, n), draw(n, m)
		if reg, err := LQR(a, b, weight(n), weight(m), dt); err == nil {
			solved++
			if finiteMatrix("K", reg.K) != nil {
				t.Errorf("K = %v", reg.K)
			}
		}
		_, _ = LQE(a, b, draw(m, n), weight(m), weight(m), dt)
	}
	if solved == 0 {
		t.Error("none was solved: the test shows nothing")
	}
}
