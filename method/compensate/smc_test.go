package compensate

import (
	"math"
	"math/cmplx"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/kit/rthstest"
	"rths/maths/lti"
)

// slid returns a design and its step.
func slid(t *testing.T, p *SMC, rate float64) (*lqg, []float64, *smc) {
	t.Helper()
	c, err := p.Make(At{RateHz: rate})
	if err != nil {
		t.Fatal(err)
	}
	d, surface, err := p.slide(1 / rate)
	if err != nil {
		t.Fatal(err)
	}
	return d, surface, c.(smcRates).smc
}

// Within the layer, with states known, error and surface are (s + λ)ⁿ⁻¹ (s + κ): the
// characteristic polynomial of the continuous model with the law is this times the shaping
// filter's, which no command moves.
func TestSlidingPoles(t *testing.T) {
	for _, a := range [][]float64{nil, {1, 0.02}, {0.99, 0.02, 1e-4}} {
		p := smcDefaults()
		p.A, p.Lambda, p.Kappa = a, 130, 70
		d, surface, _ := slid(t, p, lqgRate)
		ac, bc, _, _, err := p.deviation(p.A)
		if err != nil {
			t.Fatal(err)
		}
		var k, loop mat.Dense
		k.Add(mat.NewDense(1, d.n, d.feedback), mat.NewDense(1, d.n, surface))
		loop.Sub(ac, lti.Product(bc, &k))
		poles, err := lti.Eigenvalues(&loop)
		if err != nil {
			t.Fatal(err)
		}
		w := 2 * math.Pi * p.ShapingHz
		for _, s := range []complex128{10, 300, 100i, -40 + 20i} {
			got := complex(1, 0)
			for _, v := range poles {
				got *= s - v
			}
			want := cmplx.Pow(s+130, complex(float64(d.n-3), 0)) * (s + 70) * (s*s + complex(2*p.ShapingZeta*w, 0)*s +
				complex(w*w, 0))
			if cmplx.Abs(got-want) > 1e-9*cmplx.Abs(want) {
				t.Errorf("order %d: polynomial at %g is %g: want %g", d.n-2, s, got, want)
			}
		}
	}
}

// Outside the layer the distance falls at D/a_n, less what is not known of the disturbance:
// a_n ṡ = −D sat + (d − d̂), here from the model's own states and d̂ = 0. In between, the same
// differential equation, a_n κ s within the layer.
func TestReachingTheSurface(t *testing.T) {
	const h, micro = 1.0 / 65536, 1e-6 // fast, so that the held law is nearly the continuous one
	p := smcDefaults()
	p.SwitchingUM = 500
	d, surface, c := slid(t, p, 1/h)
	z, unknown := make([]float64, d.n), 200*micro
	z[d.n-3] = 2e-3 / d.c.At(0, d.n-3) // a_n e, of 2 mm
	sliding := func() (s float64) {
		for i, v := range surface {
			s += v * z[i]
		}
		return s
	}
	outside, last := 0, sliding()
	for range 8000 {
		copy(c.z[:], z)
		c.sliding = last
		u := c.linear() - c.switching()
		z = d.next(z, u+unknown)
		z[d.n-2], z[d.n-1] = 0, 0
		got, want := sliding()-last, -h*p.Kappa*(c.switching()-unknown)
		if math.Abs(last) > 2*c.limit { // well outside
			outside++
		}
		// The law is held over a sample: the fastest of its terms moves by hλ of itself.
		if math.Abs(got-want) > 3*h*(p.Lambda+p.Kappa)*h*p.Kappa*(math.Abs(c.switching())+unknown) {
			t.Fatalf("a_n κ s moves by %.4g m at %.4g m: want %.4g", got, last, want)
		}
		last += got
	}
	t.Logf("outside for %d samples, ends at %.4g m: the unknown disturbance is %g m", outside, last, unknown)
	if outside < 1000 || math.Abs(last-unknown) > 0.02*unknown {
		t.Errorf("outside for %d samples, ends at %.4g m: want the unknown disturbance, %g m", outside, last, unknown)
	}
}

// With the exact model and a target whose derivatives are known there is nothing to feed back
// but what the jerk by differences leaves.
func TestSlidingModeFollowsItsModel(t *testing.T) {
	p := smcDefaults()
	_, _, c := slid(t, p, lqgRate)
	plant := heldModel(t, p.A, lqgRate)
	target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}
	sum, square := 0.0, 0.0
	const w = 2 * math.Pi * 3
	for k := range 4 * lqgRate {
		at := float64(k) / lqgRate
		rise := math.Min(at, 1)
		target.X[0] = rise * 0.01 * math.Sin(w*at)
		target.V[0], target.A[0] = rise*0.01*w*math.Cos(w*at), -rise*0.01*w*w*math.Sin(w*at)
		if at > 2 {
			sum += math.Pow(target.X[0]-read.X[0], 2)
			square += target.X[0] * target.X[0]
		}
		c.Step(u, &target, &read)
		read.X[0] = plant(u[0])
	}
	// The reading of the next tick stands for this command: a sample, ωh.
	j2, limit := math.Sqrt(sum/square), w/lqgRate
	t.Logf("J2 %.3g %%", 100*j2)
	if j2 > limit {
		t.Errorf("J2 %.3g %%: want at most ωh, %.3g %%", 100*j2, 100*limit)
	}
}

// A constant disturbance of the command below D is taken back but for a hundredth, which the estimator's shaping filter
// expects to fade, of either sign. What is left, a₀ times the error, is disturbance plus feedback.
func TestSlidingModeTakesBackADisturbance(t *testing.T) {
	for _, unknown := range []float64{300e-6, -300e-6} {
		p := smcDefaults()
		_, _, c := slid(t, p, lqgRate)
		plant := heldModel(t, p.A, lqgRate)
		target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}
		most := 0.0
		for range 8 * lqgRate {
			c.Step(u, &target, &read)
			read.X[0] = plant(u[0] + unknown)
			most = max(most, math.Abs(read.X[0]))
		}
		size := math.Abs(unknown)
		for _, ch := range c.Channels() {
			want := map[string]float64{"u_fb": -unknown, "d_hat": unknown, "sliding": 0}[ch.Name]
			rthstest.Near(t, ch.Name, *ch.V, want, 0.012*size)
		}
		rthstest.Near(t, "what is left, m", p.A[0]*read.X[0], unknown+c.feedback, 1e-6*size)
		if left := math.Abs(read.X[0]); left > 0.1*most || most < 0.1*size {
			t.Errorf("the disturbance of %g m moved the specimen by %g m, and by %g m at the end", unknown, most, left)
		}
	}
}

// The switching part is bounded by D on both sides, and the idealised law is not. In a first sample it is the linear
// law −(K + S) ẑ, whose command of an error is of the error's size; Within the layer both are equal to the bit.
func TestSlidingModeSaturates(t *testing.T) {
	first := func(error float64, ideal bool) (feedback, sliding float64) {
		_, _, c := slid(t, smcDefaults(), lqgRate)
		c.Idealise(ideal)
		target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}
		read.X[0] = error
		c.Step(u, &target, &read)
		if u[0] != c.feedback { // the target stands at 0
			t.Errorf("command %g m: want the feedback, %g m", u[0], c.feedback)
		}
		return c.feedback, c.sliding
	}
	const d, small = 1e-3, 1e-6
	one, layer := first(small, true)
	if both, _ := first(small, false); both != one || math.Abs(layer) > d {
		t.Errorf("within the layer, %g of %g m: %g and idealised %g", layer, d, both, one)
	}
	for _, sign := range []float64{1, -1} {
		size := sign * 10 * small * d / math.Abs(layer) // ten times as far as the layer reaches
		law, sliding := first(size, false)
		linear, same := first(size, true)
		rthstest.Near(t, "idealised, per error", linear/size, one/small, 1e-9*math.Abs(one/small))
		if sliding != same || math.Abs(sliding) < 9*d {
			t.Errorf("a distance of %g and idealised %g m: want ten times %g m", sliding, same, d)
		}
		rthstest.Near(t, "what the bound takes from the switching part, m", law-linear, sliding-math.Copysign(d, sliding),
			1e-9*math.Abs(sliding))
	}
}

// λ left out is 200 rad/s and at most a fifth of the rate; κ left out is λ.
func TestSlidingModeDefaults(t *testing.T) {
	for _, c := range []struct{ rate, lambda, kappa, wantLambda, wantKappa float64 }{
		{4096, 0, 0, 200, 200}, {900, 0, 0, 180, 180}, {4096, 150, 0, 150, 150}, {4096, 0, 90, 200, 90},
		{4096, 0.5, 0.25, 0.5, 0.25},
	} {
		p := smcDefaults()
		p.Lambda, p.Kappa = c.lambda, c.kappa
		if _, err := p.Make(At{RateHz: c.rate}); err != nil || p.Lambda != c.wantLambda || p.Kappa != c.wantKappa {
			t.Errorf("at %g Hz %g and %g became %g and %g rad/s (%v): want %g and %g", c.rate, c.lambda, c.kappa, p.Lambda,
				p.Kappa, err, c.wantLambda, c.wantKappa)
		}
	}
}

// After an extrapolation the feedforward would compensate twice.
func TestSlidingModeBehindAnExtrapolation(t *testing.T) {
	_, err := smcDefaults().Make(At{RateHz: lqgRate, Ahead: 1})
	rthstest.WantError(t, err, "smc: feedforward and feedback have one model")
}

func TestSMCErrors(t *testing.T) {
	for want, spoil := range map[string]func(*SMC){
		"smc: lambda_rad_s -2: want more than 0": func(p *SMC) { p.Lambda = -2 },
		"smc: kappa_rad_s -1: want more":         func(p *SMC) { p.Kappa = -1 },
		"smc: lambda_rad_s NaN: want more":       func(p *SMC) { p.Lambda = math.NaN() },
		"smc: kappa_rad_s +Inf: want more":       func(p *SMC) { p.Kappa = math.Inf(1) },
		"smc: switching_um 0: want more":         func(p *SMC) { p.SwitchingUM = 0 },
		"smc: estimator: noise_um 0: want more":  func(p *SMC) { p.NoiseUM = 0 },
		"smc: unstable with its own model":       func(p *SMC) { p.Kappa = 1e5 },
		"has no lag":                             func(p *SMC) { p.A = []float64{1} },
	} {
		p := smcDefaults()
		spoil(p)
		if _, err := p.Make(At{RateHz: lqgRate}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v: want one that says %q", err, want)
		}
	}
}
