package compensate

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/rthstest"
)

const kalmanRate = 4096

// silvaBare is the inverse of the benchmark's transfer system without specimen.
var silvaBare = []float64{0.97456, 0.019354, 8.2255e-5, 1.9354e-7}

func kalmanOf(t *testing.T, p *KalmanInverse, at At) *kalmanInverse {
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

// While the gate is shut and R stands still the estimate is the batch least squares
// regularised by the prior: with r = w_u − a·w_x = e_k + φ·(θ − θ_k), the innovations are of
// the linear regression y_k = r_k + φ_k·θ_k, and
//
//	θ = (P0⁻¹ + Σ φφᵀ/R)⁻¹ (P0⁻¹ θ_0 + Σ φ y/R).
func TestKalmanUpdateIsBatchLeastSquares(t *testing.T) {
	p := kalmanInverseDefaults()
	p.LeftOut = 0
	c := kalmanOf(t, p, At{Loaded: true})
	c.opens, c.noise, c.floor = math.Inf(1), 1e-9, 1e-9
	for i := range c.prior.lo { // no bounds
		c.prior.lo[i], c.prior.hi[i] = math.Inf(-1), math.Inf(1)
	}
	start := c.theta
	p0 := mat.NewDense(kalmanTerms, kalmanTerms, nil)
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
	rhs.MulVec(&information, mat.NewVecDense(kalmanTerms, start[:]))
	random := rand.New(rand.NewPCG(1, 1))
	for range 3000 { // random states of the filters
		for i := range c.x.w {
			c.x.w[i], c.d.w[i] = 1e-3*random.NormFloat64()*math.Pow(kalmanW, float64(i)), 1e-3*random.NormFloat64()*math.Pow(kalmanW, float64(i))
		}
		c.u.w[0] = 1e-3 * random.NormFloat64()
		r := c.u.w[0]
		for i, a := range c.a {
			r -= a * c.x.w[i]
		}
		phi := mat.NewVecDense(kalmanTerms, nil)
		y := r
		for i := range c.theta {
			v := (c.d.w[i] + c.prior.c[i]*c.d.w[4]) / c.unit[i]
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
		c := kalmanOf(t, kalmanInverseDefaults(), At{Loaded: seed%2 == 0})
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
	p, rest := mat.NewSymDense(kalmanTerms, nil), mat.NewSymDense(kalmanTerms, nil)
	size := 0.0
	for i := range c.p {
		size = max(size, c.prior.p0[i][i])
		for j := i; j < kalmanTerms; j++ {
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

// In a run whose gate never opens, the yielding term changes no bit.
func TestKalmanYieldingTermInLinearRuns(t *testing.T) {
	run := func(sd float64) (out []float64) {
		p := kalmanInverseDefaults()
		p.YieldSD = sd
		c := kalmanOf(t, p, At{Loaded: true})
		c.opens = math.Inf(1)
		sines(c, 2*kalmanRate, 7, 1e-5, func(int) { out = append(out, c.out.last) })
		return out
	}
	if !slices.Equal(run(0.3), run(0)) {
		t.Error("the commands differ")
	}
}

// With timing next the pairs are those of one instant: a plant that answers the command of a
// tick with a reading a tick later is learnt as with timing current.
func TestKalmanPairsInstants(t *testing.T) {
	c := kalmanOf(t, kalmanInverseDefaults(), At{Lead: 1})
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
		change func(p *KalmanInverse)
		want   string
	}{
		{func(p *KalmanInverse) { p.Loading = "maybe" }, `loading "maybe": want specimen or none`},
		{func(p *KalmanInverse) { p.Bare = []float64{} }, "0 numbers in bare"},
		{func(p *KalmanInverse) { p.Bare = []float64{0, 1} }, "b0 of bare is 0"},
		{func(p *KalmanInverse) { p.Bare = []float64{1, math.NaN()} }, "bare holds NaN"},
		{func(p *KalmanInverse) { p.BandHz = 3000 }, "band_hz 3000 Hz: want above 0 and below the Nyquist frequency 2048 Hz"},
		{func(p *KalmanInverse) { p.JerkHz = 0 }, "jerk_hz 0 Hz"},
		{func(p *KalmanInverse) { p.WatchS = 0 }, "watch_s 0 s"},
		{func(p *KalmanInverse) { p.LagSD = -1 }, "lag_sd -1: want 0 to 0.5"},
		{func(p *KalmanInverse) { p.DelayMs = math.Inf(1) }, "delay_ms +Inf"},
	} {
		p := kalmanInverseDefaults()
		p.Bare = silvaBare
		tc.change(p)
		if _, err := p.Make(At{RateHz: kalmanRate}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want it to say %q", err, tc.want)
		}
	}
	if _, err := kalmanInverseDefaults().Make(At{RateHz: kalmanRate}); err == nil || !strings.Contains(err.Error(), "want bare") {
		t.Errorf("no model: %v", err)
	}
}
