package compensate

import (
	"math"
	"math/cmplx"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/lti"
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
			want := cmplx.Pow(s+130, complex(float64(d.n-3), 0)) * (s + 70) * (s*s + complex(2*p.ShapingZeta*w, 0)*s + complex(w*w, 0))
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

func TestSMCErrors(t *testing.T) {
	for want, spoil := range map[string]func(*SMC){
		"smc: lambda_rad_s -2: want more than 0": func(p *SMC) { p.Lambda = -2 },
		"smc: kappa_rad_s -1: want more":         func(p *SMC) { p.Kappa = -1 },
		"smc: switching_um 0: want more":         func(p *SMC) { p.SwitchingUM = 0 },
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
