package kalman

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/kit/rthstest"
	"rths/method/identify"
)

const kalmanRate = 4096

// silvaBare is the inverse of the benchmark's transfer system without specimen.
var silvaBare = []float64{0.97456, 0.019354, 8.2255e-5, 1.9354e-7}

func kalmanOf(t *testing.T, p *Inverse, at identify.At) *kalmanInverse {
	t.Helper()
	if p.Bare == nil {
		p.Bare = silvaBare
	}
	if at.RateHz == 0 {
		at.RateHz = kalmanRate
	}
	c, err := p.Make(at)
	if err != nil {
		t.Fatal(err)
	}
	return c.(*kalmanInverse)
}

// The states of the prefilter are the signal through G(s) and its derivatives: for a sine,
// sⁱ G(s) at the frequency s = 2/h (z − 1)/(z + 1) of the bilinear transform.
func TestKalmanPrefilterGivesDerivatives(t *testing.T) {
	const h = 1.0 / kalmanRate
	for _, b := range [][kalmanTerms]float64{
		{0.97456, 0.019354, 8.2255e-5, 1.9354e-7}, // order 3
		{1, 0.02, 1e-4, 0},                        // 2
		{1.1, 0.01, 0, 0},                         // 1
		{1, 0, 0, 0},                              // 0
		{1, 0.02, 1e-5, 1e-6},                     // roots on the right: cut to order 2
	} {
		f := newPrefilter(b, 2*math.Pi*40, h)
		order := 3
		for order > 0 && !hurwitz(b, order) {
			order--
		}
		for _, hz := range []float64{1, 8, 30} {
			z := cmplx.Exp(complex(0, 2*math.Pi*hz*h))
			s := complex(2/h, 0) * (z - 1) / (z + 1)
			den := complex(0, 0)
			for i := order; i >= 0; i-- {
				den = den*s + complex(b[i]/b[0], 0)
			}
			low := complex(0, 0)
			for i, v := range butterworthPolynomial(prefilterOrder-order, 2*math.Pi*40) {
				low += complex(v, 0) * cmplx.Pow(s, complex(float64(i), 0))
			}
			g := 1 / (den * low)
			var w derived
			const ticks = 8192 // whole cycles in the second half
			var fit [prefilterOrder]complex128
			for k := range ticks {
				f.step(&w, real(cmplx.Pow(z, complex(float64(k), 0))), 0)
				if k < ticks/2 {
					continue
				}
				for i := range fit {
					fit[i] += complex(w.w[i]*4/ticks, 0) * cmplx.Exp(complex(0, -2*math.Pi*hz*h*float64(k)))
				}
			}
			for i, got := range fit {
				want := g * cmplx.Pow(s, complex(float64(i), 0))
				if cmplx.Abs(got-want) > 1e-6*cmplx.Abs(want) { // the transient of some 20 ms after 1 s, and rounding
					t.Errorf("b %v, %g Hz, derivative %d: %.8g, want %.8g", b, hz, i, got, want)
				}
			}
		}
	}
}

// A polynomial is of its order and stable where all of its roots are on the left; one whose last term is nothing in the
// band is of a lower order.
func TestHurwitz(t *testing.T) {
	for _, c := range []struct {
		roots []complex128 // over the frequency W
		want  bool
	}{
		{[]complex128{-0.5}, true}, {[]complex128{0.5}, false}, {[]complex128{-1e12}, false},
		{[]complex128{-0.1 + 1i, -0.1 - 1i}, true}, {[]complex128{0.1 + 1i, 0.1 - 1i}, false},
		{[]complex128{-1, 2}, false}, {[]complex128{-1, -1e12}, false},
		{[]complex128{-1, -0.1 + 1i, -0.1 - 1i}, true}, {[]complex128{-1, 0.1 + 1i, 0.1 - 1i}, false},
		{[]complex128{-3, 0.1 + 1i, 0.1 - 1i}, false}, {[]complex128{1, -0.1 + 1i, -0.1 - 1i}, false},
		{[]complex128{-1, -1, -1}, true}, {[]complex128{-1, 1, 1}, false}, {[]complex128{-1, 0.25, 4}, false},
		{[]complex128{-1, -1, -1e12}, false},
	} {
		p := []complex128{1}
		for _, root := range c.roots { // times 1 − s/root
			next := append([]complex128{}, append(p, 0)...)
			for i, v := range p {
				next[i+1] -= v / (root * kalmanW)
			}
			p = next
		}
		var b [kalmanTerms]float64
		for i, v := range p {
			b[i] = real(v)
		}
		if got := hurwitz(b, len(c.roots)); got != c.want {
			t.Errorf("roots %g W: %t: want %t", c.roots, got, c.want)
		}
	}
}

// Of the exactly loaded plant a(s) = a₀ + L(s)(1 + κ + γs + μs²), a₄ = Σ cᵢ aᵢ is the
// coefficient of s⁴, and that of the bare plant is 0.
func TestKalmanSnapOfTheLoadedPlant(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		b := [kalmanTerms]float64{1, 0.01 + 0.03*random.Float64(), 2e-4 * random.Float64(), 5e-7 * random.Float64()}
		kappa, gamma, mu := random.Float64(), 5e-4*random.Float64(), 2e-5*random.Float64()
		var product [6]float64
		for i := 1; i < kalmanTerms; i++ {
			for j, v := range []float64{1 + kappa, gamma, mu} {
				product[i+j] += b[i] * v
			}
		}
		c, got := snapOf(b), 0.0
		for i := 1; i < kalmanTerms; i++ {
			got += c[i] * product[i]
		}
		if math.Abs(got-product[4]) > 1e-9*product[4] {
			t.Fatalf("a4 = %.12g, want %.12g of %v, κ %g, γ %g, μ %g", got, product[4], b, kappa, gamma, mu)
		}
	}
}

// sines drives c with smooth random motion on a plant x = u delayed in a first-order way, and
// calls look after every tick.
func sines(c *kalmanInverse, ticks int, seed uint64, noise float64, look func(k int)) {
	random := rand.New(rand.NewPCG(seed, 9))
	hz := [4]float64{0.7 + random.Float64(), 2 + random.Float64(), 4 + random.Float64(), 9 + random.Float64()}
	target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}
	lag := [3]float64{}
	tau := 0.004 + 0.006*random.Float64()
	for k := range ticks {
		s := float64(k) * c.h
		target.X[0], target.V[0], target.A[0] = 0, 0, 0
		for i, f := range hz {
			w, a := 2*math.Pi*f, 1e-3/float64(1+i)
			target.X[0] += a * (1 - math.Cos(w*s)) / float64(1+i)
			target.V[0] += a * w * math.Sin(w*s) / float64(1+i)
			target.A[0] += a * w * w * math.Cos(w*s) / float64(1+i)
		}
		read.X[0] = lag[2] + noise*random.NormFloat64()
		read.F[0] = 1e6*lag[2] + 100*target.V[0]
		c.Step(u, &target, &read)
		in := u[0]
		for i := range lag {
			lag[i] += c.h / tau * (in - lag[i])
			in = lag[i]
		}
		look(k)
	}
}

// While the gate is shut and R stands still the estimate, δ included, is the batch least squares
// regularised by the prior: with r = w_u(t − δ) − a·w_x = e_k + φ·(θ − θ_k), the innovations are
// of the linear regression y_k = r_k + φ_k·θ_k, and
//
//	θ = (P0⁻¹ + Σ φφᵀ/R)⁻¹ (P0⁻¹ θ_0 + Σ φ y/R).
func TestKalmanUpdateIsBatchLeastSquares(t *testing.T) {
	p := Defaults()
	p.LeftOut = 0
	c := kalmanOf(t, p, identify.At{Loaded: true})
	c.opens, c.noise, c.floor = math.Inf(1), 1e-9, 1e-9
	for i := range c.prior.lo { // no bounds
		c.prior.lo[i], c.prior.hi[i] = math.Inf(-1), math.Inf(1)
	}
	c.prior.undamped = 0
	c.theta[kalmanTerms] = 2e-3 * kalmanW // amid the line, so that it stays on it
	c.use()
	start := c.theta
	p0 := mat.NewDense(kalmanParams, kalmanParams, nil)
	for i := range start {
		for j := range start {
			p0.Set(i, j, c.p[i][j])
		}
	}
	var information mat.Dense
	if err := information.Inverse(p0); err != nil {
		t.Fatal(err)
	}
	var rhs mat.VecDense
	rhs.MulVec(&information, mat.NewVecDense(kalmanParams, start[:]))
	random := rand.New(rand.NewPCG(1, 1))
	for range 3000 { // random states of the filters
		for i := range c.x.w {
			c.x.w[i], c.d.w[i] = 1e-3*random.NormFloat64()*math.Pow(kalmanW, float64(i)),
				1e-3*random.NormFloat64()*math.Pow(kalmanW, float64(i))
		}
		c.d.top = 1e-3 * random.NormFloat64() * math.Pow(kalmanW, 5)
		c.waiting.Push(1e-3 * random.NormFloat64())
		n := c.theta[kalmanTerms] / kalmanW / c.h
		k := int(n)
		r := (1-n+float64(k))*c.waiting.At(k) + (n-float64(k))*c.waiting.At(k+1)
		turned, d := 0.0, c.d.w
		higher := [...]float64{d[1], d[2], d[3], d[4], c.d.top}
		for i, a := range c.a {
			r -= a * c.x.w[i]
			turned += a * higher[i] / kalmanW
		}
		phi := mat.NewVecDense(kalmanParams, nil)
		y := r
		for i := range c.theta {
			v := turned
			if i < kalmanTerms {
				v = (c.d.w[i] + c.prior.c[i]*c.d.w[4]) / c.unit[i]
			}
			phi.SetVec(i, v)
			y += v * c.theta[i]
		}
		information.RankOne(&information, 1/c.noise, phi, phi)
		rhs.AddScaledVec(&rhs, y/c.noise, phi)
		c.learn()
	}
	var want mat.VecDense
	if err := want.SolveVec(&information, &rhs); err != nil {
		t.Fatal(err)
	}
	for i, got := range c.theta {
		if math.Abs(got-want.AtVec(i)) > 1e-6*math.Abs(want.AtVec(i)) {
			t.Errorf("θ%d = %.10g, batch %.10g", i, got, want.AtVec(i))
		}
	}
}

// Whatever the motion: the estimates stay within their bounds, P stays positive and not
// larger than P0, and R not below its floor.
func TestKalmanStaysWithinItsBounds(t *testing.T) {
	for seed := range uint64(rthstest.Draws(5, 40)) {
		c := kalmanOf(t, Defaults(), identify.At{Loaded: seed%2 == 0})
		sines(c, 4*kalmanRate, seed, 1e-5, func(k int) {
			for i, v := range c.theta {
				if v < c.prior.lo[i] || v > c.prior.hi[i] {
					t.Fatalf("seed %d, tick %d: θ%d = %g outside %g … %g", seed, k, i, v, c.prior.lo[i], c.prior.hi[i])
				}
			}
			if c.noise < c.floor || c.gate < 0 || c.gate > 1 {
				t.Fatalf("seed %d, tick %d: R %g, gate %g", seed, k, c.noise, c.gate)
			}
			if k%512 == 0 {
				wantBetween(t, c)
			}
		})
	}
}

// wantBetween wants 0 ≤ P ≤ P0, by the eigenvalues of P and P0 − P.
func wantBetween(t *testing.T, c *kalmanInverse) {
	t.Helper()
	p, rest := mat.NewSymDense(kalmanParams, nil), mat.NewSymDense(kalmanParams, nil)
	size := 0.0
	for i := range c.p {
		size = max(size, c.prior.p0[i][i])
		for j := i; j < kalmanParams; j++ {
			p.SetSym(i, j, c.p[i][j])
			rest.SetSym(i, j, c.prior.p0[i][j]-c.p[i][j])
		}
	}
	for _, m := range []*mat.SymDense{p, rest} {
		var eig mat.EigenSym
		if !eig.Factorize(m, false) {
			t.Fatal("no eigenvalues")
		}
		if least := slices.Min(eig.Values(nil)); least < -1e-12*size { // rounding of some 1e4 updates
			t.Fatalf("an eigenvalue of P or P0 − P is %g", least)
		}
	}
}

// In a run whose gate never opens, the terms of yielding and hardening change no bit.
func TestKalmanBendsInLinearRuns(t *testing.T) {
	run := func(yield, harden float64) (out []float64) {
		p := Defaults()
		p.YieldSD, p.HardenSD = yield, harden
		c := kalmanOf(t, p, identify.At{Loaded: true})
		c.opens = math.Inf(1)
		sines(c, 2*kalmanRate, 7, 1e-5, func(int) { out = append(out, c.out.Of(math.NaN())) })
		return out
	}
	if !slices.Equal(run(0.3, 0.1), run(0, 0)) {
		t.Error("the commands differ")
	}
}

// With its covariance at the start, the filter of b and e is the least squares of a residual that
// consists of them, and the covariance stays between 0 and the start.
func TestKalmanBendIsLeastSquares(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 7))
	for range rthstest.Draws(20, 200) {
		y := bend{limit: 1, start: [2]float64{1e-4, 1e-4}}
		y.p = [3]float64{1e-4, 0, 1e-4}
		b, e := 0.01*random.NormFloat64(), 0.01*random.Float64()
		for range 2000 {
			w := [2]float64{random.NormFloat64(), 0.3 * random.NormFloat64()}
			w[1] += 0.5 * w[0]
			y.learn((b-y.b)*w[0]+(e-y.e)*w[1]+1e-3*random.NormFloat64(), 1e-6, w, 0)
			if det := y.p[0]*y.p[2] - y.p[1]*y.p[1]; !(y.p[0] > 0 && y.p[2] > 0 && det > -1e-20 && y.p[0] <= 1e-4 &&
				y.p[2] <= 1e-4) {
				t.Fatalf("covariance %v", y.p)
			}
		}
		if math.Abs(y.b-b) > 5*math.Sqrt(y.p[0]) || math.Abs(y.e-e) > 5*math.Sqrt(y.p[2]) {
			t.Errorf("b %g, e %g: want %g, %g, with standard deviations %g, %g", y.b, y.e, b, e, math.Sqrt(y.p[0]),
				math.Sqrt(y.p[2]))
		}
	}
}

// A share of the covariance of b and e goes back to its start in a tick that tells nothing, all of it where the share
// is 1. Nothing moves before the gate has opened.
func TestKalmanBendForgets(t *testing.T) {
	y := bend{limit: 1, start: [2]float64{4e-4, 2e-4}, p: [3]float64{1e-4, 4e-5, 1e-4}}
	y.learn(1, 1e-6, [2]float64{}, 0.25)
	rthstest.NearAll(t, "a quarter of the way", y.p[:], []float64{1.75e-4, 3e-5, 1.25e-4}, 1e-12)
	y.learn(1, 1e-6, [2]float64{}, 1)
	rthstest.NearAll(t, "all of the way", y.p[:], []float64{4e-4, 0, 2e-4}, 1e-12)
	shut := bend{limit: 1, start: [2]float64{4e-4, 2e-4}}
	if shut.learn(1, 1e-6, [2]float64{1, 1}, 0); shut.p != [3]float64{} || y.b != 0 || y.e != 0 || shut.b != 0 ||
		shut.e != 0 {
		t.Errorf("covariance %v, b and e %g, %g, %g, %g: want nothing learnt", shut.p, y.b, y.e, shut.b, shut.e)
	}
}

// The residual is (6): a unit of w_x⁽ⁱ⁾ takes aᵢ from it, a unit of w_gv takes b and one of w_qv takes e.
func TestKalmanResidual(t *testing.T) {
	c := kalmanOf(t, Defaults(), identify.At{})
	random := rand.New(rand.NewPCG(3, 8))
	for i := range c.a {
		c.a[i] = random.NormFloat64()
	}
	c.bend.b, c.bend.e = random.NormFloat64(), random.NormFloat64()
	zero := c.residual()
	takes := func(what string, of *float64, want float64) {
		t.Helper()
		*of++
		rthstest.Near(t, what, zero-c.residual(), want, 1e-12)
		*of--
	}
	for i := range c.a {
		takes("a unit of the reading's derivative", &c.x.w[i], c.a[i])
	}
	takes("a unit of w_gv", &c.gv.w[0], c.bend.b)
	takes("a unit of w_qv", &c.qv.w[0], c.bend.e)
}

// g is 1 at the largest force of two ticks while the specimen is loaded, 0 while it is unloaded; q is 1 at the
// largest displacement and a quarter at half of it. While nothing is learnt both maxima stand.
func TestKalmanBendTerms(t *testing.T) {
	var y bend
	read := rths.NewReading(1, 1)
	for _, tc := range []struct {
		f, v, d float64
		learns  bool
		g, q    float64
	}{
		{100, 1, 2e-3, true, 0, 1}, {100, 1, 2e-3, true, 1, 1}, {50, 1, 1e-3, true, 0.5, 0.25},
		{50, -1, -1e-3, true, 0, 0.25}, {-50, -1, 0, true, 0.5, 0},
		{300, 1, 8e-3, false, 1, 1}, {50, 1, 1e-3, true, 0.5, 0.25},
		{1e6, 1, 1e-3, true, 1, 0.25}, {50, 1, 1e-3, true, 0.5, 0.25}, // a spike
	} {
		read.F[0] = tc.f
		if g, q := y.yielding(&read, tc.v, tc.learns), y.hardening(tc.d, tc.learns); g != tc.g || q != tc.q {
			t.Errorf("%+v: g %g, q %g", tc, g, q)
		}
	}
}

// Aimed values come back as many samples late as the target is ahead of the reading; without a lead at once.
func TestAimedValuesAreThoseOfTheReading(t *testing.T) {
	for lead := range 6 {
		l := newAimed(lead)
		for k := range 20 {
			x := float64(k + 1)
			want := [5]float64{}
			if k >= lead {
				x := float64(k + 1 - lead)
				want = [5]float64{x, 2 * x, 3 * x, 4 * x, 5 * x}
			}
			if got := l.pass([5]float64{x, 2 * x, 3 * x, 4 * x, 5 * x}); got != want || l.lead() != lead {
				t.Fatalf("lead %d, tick %d: %v, lead %d: want %v", lead, k, got, l.lead(), want)
			}
		}
	}
}

// A value that is no displacement leaves the prefilter as it is, and its running mean.
func TestPrefilterLeavesOutWhatIsNoDisplacement(t *testing.T) {
	f := newPrefilter([kalmanTerms]float64{1, 0.02, 1e-4, 0}, 2*math.Pi*40, 1.0/kalmanRate)
	var w derived
	for k := range 100 {
		f.step(&w, 1e-3*math.Sin(0.01*float64(k)), 1e-3)
	}
	before := w
	for _, y := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 2 * identify.Absurd, -2 * identify.Absurd} {
		if f.step(&w, y, 1e-3); w != before {
			t.Fatalf("%g m: %+v: want %+v", y, w, before)
		}
	}
	if f.step(&w, identify.Absurd, 1e-3); w == before || w.mean == before.mean {
		t.Errorf("%g m is left out", identify.Absurd)
	}
}

// With timing next the pairs are those of one instant: a plant that answers the command of a
// tick with a reading a tick later is learnt as with timing current.
func TestKalmanPairsInstants(t *testing.T) {
	c := kalmanOf(t, Defaults(), identify.At{Lead: 1})
	target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}
	target.X[0] = 1e-3
	c.Step(u, &target, &read)
	if c.u.w[0] != 0 || c.d.w[0] != 0 || c.unaimed != 0 {
		t.Errorf("command and target of t_1 are paired with the reading of t_0")
	}
	c.Step(u, &target, &read)
	if c.u.top == 0 || c.d.top == 0 {
		t.Errorf("command and target of t_1 are not paired with the reading of t_1")
	}
}

func TestKalmanInverseWrongInput(t *testing.T) {
	for _, tc := range []struct {
		change func(p *Inverse)
		want   string
	}{
		{func(p *Inverse) { p.Loading = "maybe" }, `loading "maybe": want specimen or none`},
		{func(p *Inverse) { p.Bare = []float64{} }, "0 numbers in bare"},
		{func(p *Inverse) { p.Bare = []float64{0, 1} }, "b0 of bare is 0"},
		{func(p *Inverse) { p.Bare = []float64{1, -0.01, 1e-4} }, "b1 of bare is -0.01 s: want 0 or more"},
		{func(p *Inverse) { p.Bare = []float64{1, 1e300} }, "b1 of bare is 1e+300 s^1: want at most"},
		{func(p *Inverse) { p.Bare, p.Loading = []float64{1, 1e-12, 1e-4, 1e-6}, bySpecimen }, "or loading: none"},
		{func(p *Inverse) { p.Bare, p.Loading = []float64{1, 0, 1e-4}, bySpecimen }, "or loading: none"},
		{func(p *Inverse) { p.Bare = []float64{1, math.NaN()} }, "bare holds NaN"},
		{func(p *Inverse) { p.BandHz = 3000 }, "band_hz 3000 Hz: want above 0 and below the Nyquist frequency 2048 Hz"},
		{func(p *Inverse) { p.JerkHz = 0 }, "jerk_hz 0 Hz"},
		{func(p *Inverse) { p.WatchS = 0 }, "watch_s 0 s"},
		{func(p *Inverse) { p.LagSD = -1 }, "lag_sd -1: want 0 to 0.5"},
		{func(p *Inverse) { p.DelayMs = math.Inf(1) }, "delay_ms +Inf"},
	} {
		p := Defaults()
		p.Bare = silvaBare
		tc.change(p)
		if _, err := p.Make(identify.At{RateHz: kalmanRate}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want it to say %q", err, tc.want)
		}
	}
	wide := Defaults()
	wide.Bare, wide.JerkHz = silvaBare, 0.49*kalmanRate
	if _, err := wide.Make(identify.At{RateHz: kalmanRate}); err != nil {
		t.Errorf("jerk_hz just below the Nyquist frequency: %v", err)
	}
	if _, err := Defaults().Make(identify.At{RateHz: kalmanRate}); err == nil ||
		!strings.Contains(err.Error(), "want bare") {
		t.Errorf("no model: %v", err)
	}
}

// E_δ is z^n of a cubic, to rounding, for whole and broken n, when its start has died out.
func TestExtrapolationOfACubic(t *testing.T) {
	for _, n := range []float64{0, 0.3, 1, 7.5, 20} {
		for _, tau := range []float64{0.5, 4, 10} {
			e := extrapolation{tau: tau}
			e.set(n)
			cubic := func(k float64) float64 { return 1 + k/100 - k*k/3e4 + k*k*k/2e7 }
			for k := range 1000 {
				got := e.of(cubic(float64(k)))
				want := cubic(float64(k) + n)
				if k > 800 && math.Abs(got-want) > 1e-8*math.Abs(want) { // rounding times the gain of E
					t.Fatalf("n %g, τ %g, sample %d: %.12g, want %.12g", n, tau, k, got, want)
				}
			}
		}
	}
}

// delayed is a first-order plant in series with a delay, sampled with a hold: a delay of n
// samples and the half sample of the hold.
func delayed(c *kalmanInverse, tau float64, n, ticks int, noise float64, random *rand.Rand) (off, size float64) {
	hz := [3]float64{1 + random.Float64(), 3 + random.Float64(), 6 + 2*random.Float64()}
	target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}
	line, x := make([]float64, n+1), 0.0
	keep := math.Exp(-c.h / tau)
	for k := range ticks {
		s := float64(k) * c.h
		target.X[0], target.V[0], target.A[0] = 0, 0, 0
		for i, f := range hz {
			w, a := 2*math.Pi*f, 3e-3/float64(1+i*i)
			target.X[0] += a * (1 - math.Cos(w*s))
			target.V[0] += a * w * math.Sin(w*s)
			target.A[0] += a * w * w * math.Cos(w*s)
		}
		read.X[0] = x + noise*random.NormFloat64()
		if k > ticks/2 {
			off += (x - target.X[0]) * (x - target.X[0])
			size += target.X[0] * target.X[0]
		}
		c.Step(u, &target, &read)
		copy(line[1:], line)
		line[0] = u[0]
		x = keep*x + (1-keep)*line[n]
	}
	return off, size
}

// With a first-order plant whose bare inverse is exact, δ is the delay that nobody declared and
// the half sample of the hold, to a sample, which a₁ and a₂ take; the lag of slow motion,
// δ + a₁/a₀, is right to a twentieth, and so is the displacement.
func TestKalmanFindsTheDelay(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range rthstest.Draws(6, 60) {
		n, tau := random.IntN(17), 0.005+0.02*random.Float64()
		p := Defaults()
		p.Bare, p.DelayMs = []float64{1, tau}, 4
		c := kalmanOf(t, p, identify.At{})
		off, size := delayed(c, tau, n, 8*kalmanRate, 1e-6, random)
		delta, lag, want := c.delta*kalmanRate, (c.delta+c.a[1]/c.a[0]-tau)*kalmanRate, float64(n)+0.5
		if math.Abs(delta-want) > 1 || math.Abs(lag-want) > 0.05 {
			t.Errorf("τ %.4g s, %d samples: δ %.3f samples, with a₁ %.3f, want %.1f", tau, n, delta, lag, want)
		}
		if e := 100 * math.Sqrt(off/size); e > 0.25 {
			t.Errorf("τ %.4g s, %d samples: %.3f %% off the target", tau, n, e)
		}
	}
}

// Information adds up: where nothing is forgotten, the inverse of the covariance grows by w wᵀ over the noise with
// every residual.
func TestKalmanBendAddsInformation(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 4))
	y := bend{limit: 10, p: [3]float64{4, 0.5, 2}}
	det := y.p[0]*y.p[2] - y.p[1]*y.p[1]
	info := [3]float64{y.p[2] / det, -y.p[1] / det, y.p[0] / det}
	for range 50 {
		w := [2]float64{random.NormFloat64(), random.NormFloat64()}
		y.learn(0.1*random.NormFloat64(), 0.01, w, 0)
		for i, v := range []float64{w[0] * w[0], w[0] * w[1], w[1] * w[1]} {
			info[i] += v / 0.01
		}
		det := info[0]*info[2] - info[1]*info[1]
		for i, want := range []float64{info[2] / det, -info[1] / det, info[0] / det} {
			rthstest.Near(t, "covariance", y.p[i], want, 1e-9/info[0])
		}
	}
}

// What the model leaves out counts as noise: the more it is, the less a residual tells of the estimates, and the larger
// their variance stays.
func TestKalmanLeftOutIsNoise(t *testing.T) {
	c := kalmanOf(t, Defaults(), identify.At{})
	target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), make([]float64, 1)
	for k := range 400 {
		rthstest.Sine(&target, k, kalmanRate)
		read.X[0] = 0.9 * target.X[0]
		c.Step(u, &target, &read)
	}
	before := 0.0
	for _, left := range []float64{0, 0.01, 0.1, 1} {
		a := *c
		a.left = left * left
		a.learn()
		variance := a.p[kalmanTerms][kalmanTerms] // of the delay, which no forgetting widens
		if !(variance > before && variance < c.p[kalmanTerms][kalmanTerms]) {
			t.Errorf("%g of the target is left out: variance %g: want more than %g and less than without a residual", left,
				variance, before)
		}
		before = variance
	}
}

// The most that a coefficient of bare may be is what the refusal says.
func TestMostLagOfBare(t *testing.T) {
	for i := 1; i < kalmanTerms; i++ {
		most := 0.0
		p := &Inverse{Bare: []float64{1, 1e-3, 0, 0}}
		p.Bare[i] = 1e300
		_, end, _ := strings.Cut(fmt.Sprint(p.checkLag()), "want at most ")
		if _, err := fmt.Sscan(end, &most); err != nil {
			t.Fatalf("b%d: %v: want what it may be", i, p.checkLag())
		}
		for factor, want := range map[float64]bool{0.99: true, 1.01: false} { // three digits are told
			if p.Bare[i] = factor * most; (p.checkLag() == nil) != want {
				t.Errorf("b%d of %g: %v: want it taken %t", i, p.Bare[i], p.checkLag(), want)
			}
		}
	}
}

// A pure delay of the transfer system is where δ starts, and no part of bare. With delay_ms 0 it
// stays there. After an extrapolation it is the delay that is left.
func TestKalmanStartsAtThePureDelay(t *testing.T) {
	at := identify.At{RateHz: kalmanRate, Delay: 4e-3, BareInverse: func(n int) ([]float64, error) {
		return identify.Advanced([]float64{1, 0.02, 1e-4, 0}[:n], 4e-3), nil
	}}
	for _, tc := range []struct {
		ahead int
		delta float64
		b1    float64
	}{{0, 4e-3, 0.02}, {8, 4e-3 - 8.0/kalmanRate, 0.02}, {20, 0, 0.02 + 4e-3 - 20.0/kalmanRate}} {
		at.Ahead = tc.ahead
		p := Defaults()
		p.DelayMs = 0
		made, err := p.Make(at)
		if err != nil {
			t.Fatal(err)
		}
		c := made.(*kalmanInverse)
		if math.Abs(c.delta-tc.delta) > 1e-15 || math.Abs(p.Bare[1]-tc.b1) > 1e-12 {
			t.Errorf("%d samples ahead: δ %g, b1 %g, want %g, %g", tc.ahead, c.delta, p.Bare[1], tc.delta, tc.b1)
		}
		if c.Pinned() {
			t.Errorf("%d samples ahead: a bound holds %v before anything is learnt", tc.ahead, c.AtBounds())
		}
		sines(c, 2*kalmanRate, 3, 1e-6, func(int) {
			if c.delta != tc.delta && math.Abs(c.delta-tc.delta) > 1e-15 {
				t.Fatalf("δ moved to %g", c.delta)
			}
		})
	}
}

// A δ beyond the pure delay that would leave the load a negative damping gives way: to a damping
// of 0, or to the pure delay, whichever comes first.
func TestKalmanDelayLeavesADamping(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 8))
	toZero, toPure := 0, 0
	for range 500 {
		c := kalmanOf(t, Defaults(), identify.At{Loaded: true, Delay: 1e-3})
		// as a motion teaches: a₁ or δ
		c.p[1][4], c.p[2][4] = 0.5*math.Sqrt(c.p[1][1]*c.p[4][4]), -0.5*math.Sqrt(c.p[2][2]*c.p[4][4])
		c.p[4][1], c.p[4][2] = c.p[1][4], c.p[2][4]
		c.theta[4] += 0.1 * random.Float64()
		c.theta[2] = c.prior.undamped*c.theta[1] - 0.1*random.Float64()
		c.restrain()
		damping := c.theta[2] - c.prior.undamped*c.theta[1]
		switch delta := c.theta[4]; {
		case math.Abs(damping) < 1e-12 && delta > c.prior.pure:
			toZero++
		case damping < 0 && math.Abs(delta-c.prior.pure) < 1e-12:
			toPure++
		default:
			t.Fatalf("δ %g above the pure delay, damping %g", delta-c.prior.pure, damping)
		}
	}
	if toZero < 50 || toPure < 50 {
		t.Errorf("%d draws end at no damping, %d at the pure delay: want both", toZero, toPure)
	}
}

// A test may start at once: with the right inverse the estimates stay, and the displacement is
// right from the start on.
func TestKalmanStartsAtOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 2))
	for range rthstest.Draws(4, 40) {
		p := Defaults()
		tau := 0.005 + 0.02*random.Float64()
		p.Bare = []float64{1, tau}
		c := kalmanOf(t, p, identify.At{})
		off, size := delayed(c, tau, 0, kalmanRate, 1e-6, random)
		if e := 100 * math.Sqrt(off/size); e > 0.5 { // half a sample at the highest frequency, 8 Hz, is 0.6 %
			t.Errorf("τ %.4g s: %.3f %% off the target in the first second", tau, e)
		}
	}
}

// The line of w_u reaches δ at its upper bound.
func TestKalmanLineReachesTheBound(t *testing.T) {
	for _, rate := range []float64{1000, 2048} {
		for pure := range 31 {
			for delay := range 13 {
				p := Defaults()
				p.DelayMs = float64(delay)
				c := kalmanOf(t, p, identify.At{RateHz: rate, Delay: float64(pure) / 1e3})
				c.theta[kalmanTerms] = c.prior.hi[kalmanTerms]
				c.use()
				if oldest := int(c.ahead.n) + 1; oldest > c.waiting.Len()-2 { // the state has all but the oldest
					t.Fatalf("%g Hz, %d ms pure, delay_ms %g: sample %d of %d", rate, pure, p.DelayMs, oldest, c.waiting.Len())
				}
			}
		}
	}
}
