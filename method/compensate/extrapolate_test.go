package compensate_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"rths"
	"rths/method/compensate"
)

// command steps a compensator over n targets at t = k/rate and returns the
// commands.
func command(c rths.Compensator, rateHz float64, n int, at func(t float64) (x, v, a float64)) []float64 {
	target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}
	var out []float64
	for k := range n {
		target.X[0], target.V[0], target.A[0] = at(float64(k) / rateHz)
		c.Step(u, &target, &read)
		out = append(out, u[0])
	}
	return out
}

// Polynomial extrapolation is exact for polynomials of its order, at any instant,
// spacing and delay; of one order more it is not.
func TestPEIsExactOnPolynomials(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		order, spacing := 1+r.IntN(4), 1+r.IntN(40)
		tau := r.Float64() * 0.03
		c := madeAt(t, &compensate.PE{Order: order, Spacing: spacing, Lag: compensate.Lag{TauMs: 1e3 * tau}},
			compensate.At{RateHz: rate})
		coefficients := make([]float64, order+2)
		for i := range coefficients {
			coefficients[i] = r.NormFloat64() * math.Pow(20, float64(i)) // powers of t/0.05 s
		}
		poly := func(degree int) func(t float64) (x, v, a float64) {
			return func(t float64) (x, v, a float64) {
				for i := degree; i >= 0; i-- {
					x = x*(t-0.02) + coefficients[i]
				}
				return x, 0, 0
			}
		}
		const n = 200
		got := command(c, rate, n, poly(order))
		want, _, _ := poly(order)((n-1.0)/rate + tau)
		// The weights may be large and of both signs: their sum of magnitudes is
		// what rounding is amplified by.
		eta, grow := tau*rate/float64(spacing), 0.0
		for i := range order + 1 {
			w := 1.0
			for j := range order + 1 {
				if j != i {
					w *= (eta + float64(j)) / float64(j-i)
				}
			}
			grow += math.Abs(w)
		}
		if math.Abs(got[n-1]-want) > 1e-13*grow*(1+math.Abs(want)) {
			t.Fatalf("order %d, spacing %d, τ %.4g s: %.12g, want %.12g", order, spacing, tau, got[n-1], want)
		}
	}
}

// Order 3 with neighbouring points is eq. 7 of paper 000 as corrected (errata 000.3):
// c0 = 1 + 11/6 η + η² + η³/6, c1 = −(3η + 5/2 η² + η³/2), c2 = 3/2 η + 2η² +
// η³/2, c3 = −(η/3 + η²/2 + η³/6).
func TestPEIsEquation7(t *testing.T) {
	const dt, tau = 10.0 / 1024, 0.021
	e := tau / dt
	want := []float64{1 + 11*e/6 + e*e + e*e*e/6, -(3*e + 5*e*e/2 + e*e*e/2), 3*e/2 + 2*e*e + e*e*e/2,
		-(e/3 + e*e/2 + e*e*e/6)}
	c := madeAt(t, &compensate.PE{Order: 3, Spacing: 1, Lag: compensate.Lag{TauMs: 1e3 * tau}},
		compensate.At{RateHz: 1 / dt})
	impulse := command(c, 1/dt, 6, func(t float64) (x, v, a float64) {
		if t == 0 {
			x = 1
		}
		return x, 0, 0
	})
	sum := 0.0
	for i, w := range append(want, 0, 0) {
		if math.Abs(impulse[i]-w) > 1e-13*math.Abs(want[1]) {
			t.Errorf("c%d = %.12g, want %.12g", i, impulse[i], w)
		}
		sum += impulse[i]
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("coefficients add up to %.15g, want 1", sum)
	}
}

// Linear-acceleration extrapolation is exact for cubics.
func TestLinearAccelerationIsExactOnCubics(t *testing.T) {
	const tau = 0.0243
	c := madeAt(t, &compensate.LinearAcceleration{Lag: compensate.Lag{TauMs: 1e3 * tau}}, compensate.At{RateHz: rate})
	cubic := func(t float64) (x, v, a float64) {
		return 0.3 - 2*t + 5*t*t - 7*t*t*t, -2 + 10*t - 21*t*t, 10 - 42*t
	}
	got := command(c, rate, 500, cubic)
	for k := 1; k < 500; k++ { // the first has no acceleration before it
		want, _, _ := cubic(float64(k)/rate + tau)
		if math.Abs(got[k]-want) > 1e-12 {
			t.Fatalf("tick %d: %.15g, want %.15g", k, got[k], want)
		}
	}
}

// The inverse in front of its first-order actuator is 1, in discrete time: the
// actuator x[k] = ((α − 1) x[k−1] + d_c[k])/α is on the target at every sample.
func TestInverseTimesItsActuatorIsOne(t *testing.T) {
	const tau = 0.018
	c := madeAt(t, &compensate.Inverse{Lag: compensate.Lag{TauMs: 1e3 * tau}}, compensate.At{RateHz: rate})
	alpha, x := 1+tau*rate, 0.0
	wave := func(t float64) (float64, float64, float64) {
		return 0.01*math.Sin(40*t) + 0.002*math.Sin(333*t), 0, 0
	}
	for k, u := range command(c, rate, 2000, wave) {
		x = ((alpha-1)*x + u) / alpha
		if want, _, _ := wave(float64(k) / rate); math.Abs(x-want) > 1e-14 {
			t.Fatalf("tick %d: actuator at %g, target %g", k, x, want)
		}
	}
}

// τ from the transfer system without specimen is c1/c0 of its inverse.
func TestLagResolves(t *testing.T) {
	at := compensate.At{RateHz: rate, BareInverse: func(n int) ([]float64, error) {
		return []float64{0.98, 0.0196}[:n],
			nil
	}}
	p := &compensate.PE{Order: 2, Spacing: 3}
	for range 2 { // making again changes nothing
		madeAt(t, p, at)
		if math.Abs(p.TauMs-20-500.0/rate) > 1e-12 || p.Delay != "given" {
			t.Errorf("%+v: want 20 ms and half a sample, given", p.Lag)
		}
	}
	for _, tc := range []struct {
		p    compensate.Maker
		want string
	}{
		{&compensate.PE{Order: 5, Spacing: 1}, "pe: order 5: want 1 to 4"},
		{&compensate.PE{Order: 3}, "pe: spacing 0 samples: want 1"},
		{&compensate.PE{Order: 3, Spacing: 1, Lag: compensate.Lag{TauMs: -1}}, "tau_ms -1: want 0 or more"},
		{&compensate.PE{Order: 3, Spacing: 1, Lag: compensate.Lag{TauMs: math.NaN()}}, "tau_ms NaN"},
		{&compensate.Inverse{Lag: compensate.Lag{Delay: "bare-transfer"}},
			"inverse: delay bare-transfer: this transfer system has no model"},
		{&compensate.Inverse{Lag: compensate.Lag{Delay: "guess"}}, `delay "guess": want given, bare-transfer or plant`},
	} {
		if _, err := tc.p.Make(compensate.At{RateHz: rate}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want it to say %q", err, tc.want)
		}
	}
}
