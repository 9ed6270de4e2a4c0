package plant

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"reflect"
	"testing"

	"rths/kit/rthstest"
	"rths/maths/lti"
)

// benchmarkTransfer is the closed form with the parameters of the code, [B].
func benchmarkTransfer(t *testing.T) lti.TF {
	t.Helper()
	p := silvaCode
	return rthstest.Must(p.Transfer(specimenMass, specimenDamping, specimenStiffness))
}

// The independent values of docs/reference/benchmark-siso.md, Control plant, to the printed digits.
func TestSilvaClosedForm(t *testing.T) {
	g := benchmarkTransfer(t)
	rthstest.Near(t, "DC gain, code", real(g.At(0)), 1.00751, 5e-6)
	paper := silvaPaper
	// papers 001 and 002 have a specimen of their own
	rthstest.Near(t, "DC gain, papers", real(rthstest.Must(paper.Transfer(29.1, 114.6, 1.19e6)).At(0)), 0.98190, 5e-6)

	poles := rthstest.Must(g.Poles())
	for i, want := range []complex128{-48.2, complex(-184.0, -229.9), complex(-184.0, 229.9), complex(-8.00, -421.8),
		complex(-8.00, 421.8)} {
		rthstest.Near(t, fmt.Sprintf("pole %d, real part", i), real(poles[i]), real(want), 0.05)
		rthstest.Near(t, fmt.Sprintf("pole %d, imaginary part", i), imag(poles[i]), imag(want), 0.05)
	}
	rthstest.Near(t, "real part of the 67 Hz pole", real(poles[4]), -8.00, 0.005)

	inverse := rthstest.Must(g.InverseSeries(6))
	for i, want := range []struct{ v, digit float64 }{{0.99254, 1e-5}, {0.024889, 1e-6}, {1.06623e-4, 1e-9},
		{3.8564e-7, 1e-11}, {5.765e-10, 1e-13}, {1.334e-12, 1e-15}} {
		rthstest.Near(t, fmt.Sprintf("inverse, s^%d", i), inverse[i], want.v, 0.5*want.digit)
	}
}

// Delay −φ/ω and magnitude of docs/reference/benchmark-siso.md, Control plant.
func TestSilvaFrequencyResponse(t *testing.T) {
	g := benchmarkTransfer(t)
	for _, c := range []struct{ hz, ms, digit float64 }{{1e-3, 25.08, 0.01}, {3.6, 23.74, 0.01}, {10, 19.0, 0.1},
		{20, 14.3, 0.1}, {30, 12.1, 0.1}} {
		w := 2 * math.Pi * c.hz
		phase := -cmplx.Phase(g.At(complex(0, w)))
		if phase < 0 {
			phase += 2 * math.Pi
		}
		rthstest.Near(t, fmt.Sprintf("delay at %g Hz, ms", c.hz), 1e3*phase/w, c.ms, 0.5*c.digit)
	}
	for _, c := range []struct{ hz, db float64 }{{3.6, -0.76}, {10, -3.97}, {20, -7.84}} {
		db := 20 * math.Log10(cmplx.Abs(g.At(complex(0, 2*math.Pi*c.hz))))
		rthstest.Near(t, fmt.Sprintf("magnitude at %g Hz, dB", c.hz), db, c.db, 0.005)
	}
}

// The closed form equals the loop of valve, interaction, actuator and specimen, block
// by block.
func TestSilvaClosedFormIsTheLoop(t *testing.T) {
	for _, p := range []Silva2020{silvaCode, silvaPaper,
		{Gain: 1.3, Alpha1Beta: 1e13, Alpha2: 2e6, Alpha3: 5, Beta1: 300, Beta2: 5e4}} {
		for _, sp := range []linear{{specimenMass, specimenDamping, specimenStiffness}, {10, 1000, 1e4}, {40, 50, 2e6}} {
			g := rthstest.Must(p.Transfer(sp.m, sp.c, sp.k))
			for _, hz := range []float64{0.1, 3.6, 20, 67, 300} {
				s := complex(0, 2*math.Pi*hz)
				specimen := 1 / (complex(sp.m, 0)*s*s + complex(sp.c, 0)*s + complex(sp.k, 0))
				actuator := 1 / (s + complex(p.Alpha3, 0))
				inner := actuator * specimen / (1 + actuator*specimen*complex(p.Alpha2, 0)*s)
				valve := complex(p.Alpha1Beta, 0) / (s*s + complex(p.Beta1, 0)*s + complex(p.Beta2, 0))
				want := complex(p.Gain, 0) * valve * inner / (1 + valve*inner)
				if got := g.At(s); !(cmplx.Abs(got-want) <= 1e-11*cmplx.Abs(want)) {
					t.Errorf("%+v with %+v at %g Hz: %v, want %v", p, sp, hz, got, want)
				}
			}
		}
	}
}

// AMB's initial parameters are the inverse without specimen of the papers'
// plant; the inverse is of third order and ends with s³.
func TestSilvaBareInverse(t *testing.T) {
	p := silvaPaper
	c := rthstest.Must(p.BareInverse(6))
	for i, want := range []struct{ v, digit float64 }{{1.0, 1e-7}, {0.01985916, 1e-8}, {8.440143e-5, 1e-11},
		{1.985916e-7, 1e-13}} {
		rthstest.Near(t, fmt.Sprintf("a%d", i), c[i], want.v, 0.5*want.digit)
	}
	if c[4] != 0 || c[5] != 0 {
		t.Errorf("s⁴ and s⁵: %g, %g: want 0", c[4], c[5])
	}
}

// The held plant is the closed form under a zero-order hold, sample by sample.
func TestSilvaIsItsClosedFormHeld(t *testing.T) {
	for _, p := range []Silva2020{silvaCode, silvaPaper} {
		for _, sp := range []*linear{{specimenMass, specimenDamping, specimenStiffness}, {10, 1000, 1e4}} {
			for _, hz := range []float64{1024, rate} {
				g := rthstest.Must(p.Transfer(sp.m, sp.c, sp.k))
				d := rthstest.Must(lti.C2D(rthstest.Must(g.SS()), 1/hz, lti.ZOH))
				u := wander(20, 3000, 1e-3)
				got := drive(rthstest.Must(p.Make(At{RateHz: hz, Specimen: sp})), u).x
				want, z := make([]float64, len(u)), make([]float64, 5)
				for k := range u {
					next := make([]float64, 5)
					for i := range next {
						next[i] = d.B.At(i, 0) * u[k]
						for j := range z {
							next[i] += d.A.At(i, j) * z[j]
						}
						want[k] += d.C.At(0, i) * next[i]
					}
					z = next
				}
				if e := apart(got, want); !(e <= 1e-10*peak(want)) {
					t.Errorf("%+v with %+v at %g Hz: %.2g m apart, largest %.2g m", p, *sp, hz, e, peak(want))
				}
			}
		}
	}
}

// A steady sine comes out as the frequency response times the hold's,
// sin(ωh/2)/(ωh/2)·e^{−jωh/2}. What the hold folds back from above 4096 Hz the
// plant damps to 1e-10.
func TestSilvaSteadySine(t *testing.T) {
	g := benchmarkTransfer(t)
	for _, hz := range []float64{1, 4, 10, 20, 30, 67} {
		p := rthstest.Must((&silvaCode).Make(At{RateHz: rate, Specimen: benchmarkSpecimen()}))
		w := 2 * math.Pi * hz
		u := make([]float64, 6*rate) // five seconds die out: e⁻⁴⁰
		for k := range u {
			u[k] = math.Cos(w * float64(k) / rate)
		}
		x := drive(p, u).x[5*rate:]
		var got complex128
		for i, v := range x {
			at := float64(5*rate+i+1) / rate // x[i] is at the end of its sample
			got += complex(2*v/rate, 0) * cmplx.Exp(complex(0, -w*at))
		}
		half := w / rate / 2
		want := g.At(complex(0, w)) * complex(math.Sin(half)/half, 0) * cmplx.Exp(complex(0, -half))
		if !(cmplx.Abs(got-want) <= 1e-8*cmplx.Abs(want)) {
			t.Errorf("%g Hz: %v, want %v", hz, got, want)
		}
	}
}

// rk4 integrates the equations of Silva2020 as they are written there, with
// the limited force on the specimen: states q, q̇, F, x, ẋ.
type rk4 struct {
	p       Silva2020
	m, c, k float64
	z       [5]float64
}

func (r *rk4) limited(f float64) float64 {
	if r.p.ForceLimit == 0 {
		return f
	}
	return min(max(f, -r.p.ForceLimit), r.p.ForceLimit)
}

func (r *rk4) rate(z [5]float64, u float64) [5]float64 {
	p, q, dq, f, x, v := &r.p, z[0], z[1], z[2], z[3], z[4]
	return [5]float64{
		dq,
		p.Alpha1Beta*(p.Gain*u-x) - p.Beta1*dq - p.Beta2*q,
		q - p.Alpha2*v - p.Alpha3*f,
		v,
		(r.limited(f) - r.c*v - r.k*x) / r.m,
	}
}

func (r *rk4) step(u, h float64) {
	ahead := func(d [5]float64, h float64) (z [5]float64) {
		for i := range z {
			z[i] = r.z[i] + h*d[i]
		}
		return z
	}
	k1 := r.rate(r.z, u)
	k2 := r.rate(ahead(k1, h/2), u)
	k3 := r.rate(ahead(k2, h/2), u)
	k4 := r.rate(ahead(k3, h), u)
	for i := range r.z {
		r.z[i] += h / 6 * (k1[i] + 2*k2[i] + 2*k3[i] + k4[i])
	}
}

// drive holds every command for 1/4096 s and divides it into the given steps.
func (r *rk4) drive(commands []float64, divide int) (out trace) {
	for _, u := range commands {
		for range divide {
			r.step(u, 1.0/rate/float64(divide))
		}
		out.x, out.v, out.f = append(out.x, r.z[3]), append(out.v, r.z[4]), append(out.f, r.limited(r.z[2]))
		out.a = append(out.a, r.rate(r.z, u)[4])
	}
	return out
}

// The held plant is its own equations.
func TestSilvaIsItsEquations(t *testing.T) {
	for _, p := range []Silva2020{silvaCode, silvaPaper} {
		for _, sp := range []*linear{{specimenMass, specimenDamping, specimenStiffness}, {10, 1000, 1e4}, {40, 50, 2e6}} {
			u := wander(21, 2000, 1e-3)
			got := drive(rthstest.Must(p.Make(At{RateHz: rate, Specimen: sp})), u)
			want := (&rk4{p: p, m: sp.m, c: sp.c, k: sp.k}).drive(u, 32)
			for _, c := range []struct {
				name      string
				got, want []float64
			}{{"x", got.x, want.x}, {"v", got.v, want.v}, {"a", got.a, want.a}, {"f", got.f, want.f}} {
				if e := apart(c.got, c.want); !(e <= 1e-9*peak(c.want)) {
					t.Errorf("%+v with %+v: %s %.2g apart, largest %.2g", p, *sp, c.name, e, peak(c.want))
				}
			}
		}
	}
}

// The force equals m ẍ + c ẋ + k x, to rounding.
func TestSilvaForceMovesTheSpecimen(t *testing.T) {
	got := drive(rthstest.Must((&silvaCode).Make(At{RateHz: rate, Specimen: benchmarkSpecimen()})), wander(22, 5000, 5e-3))
	tol := 1e-12 * peak(got.f)
	for k := range got.x {
		f := specimenMass*got.a[k] + specimenDamping*got.v[k] + specimenStiffness*got.x[k]
		rthstest.Near(t, fmt.Sprintf("force of step %d", k), got.f[k], f, tol)
	}
}

// Perturbed parameters scatter as published (docs/reference/benchmark-siso.md, Scatter):
// normal, independent, not truncated, so that α₃ is below zero in 0.6 % of the
// draws; gain, α₁β₀ and α₂ never change.
func TestSilvaPerturb(t *testing.T) {
	const n = 40000
	normal := rand.New(rand.NewPCG(1, 23)).NormFloat64
	var alpha3, beta1, beta2 []float64
	negative := 0
	for range n {
		p := silvaCode
		p.Perturb(normal)
		alpha3, beta1, beta2 = append(alpha3, p.Alpha3), append(beta1, p.Beta1), append(beta2, p.Beta2)
		if p.Alpha3 < 0 {
			negative++
		}
		p.Alpha3, p.Beta1, p.Beta2 = silvaCode.Alpha3, silvaCode.Beta1, silvaCode.Beta2
		if !reflect.DeepEqual(p, silvaCode) {
			t.Fatalf("%+v: another parameter changed", p)
		}
	}
	for _, c := range []struct {
		name     string
		x        []float64
		mean, sd float64
	}{{"alpha3", alpha3, 3.3, 1.3}, {"beta1", beta1, 425, 3.3}, {"beta2", beta2, 9.9976e4, 3.3e3}} {
		// four standard errors: 4 sd/√n and 4 sd/√(2n)
		rthstest.Near(t, "mean of "+c.name, mean(c.x), c.mean, 0.02*c.sd)
		rthstest.Near(t, "standard deviation of "+c.name, sd(c.x), c.sd, 0.0142*c.sd)
	}
	rthstest.Near(t, "correlation of alpha3 and beta1", correlation(alpha3, beta1), 0, 0.02)
	rthstest.Near(t, "correlation of beta1 and beta2", correlation(beta1, beta2), 0, 0.02)
	rthstest.Near(t, "correlation of alpha3 and beta2", correlation(alpha3, beta2), 0, 0.02)
	rthstest.Near(t, "share of alpha3 below 0", float64(negative)/n, 0.00557, 4*math.Sqrt(0.00557/n))
}

func TestSilvaErrors(t *testing.T) {
	at := At{RateHz: rate, Specimen: benchmarkSpecimen()}
	for _, c := range []struct {
		want string
		set  func(p *Silva2020)
	}{
		{"gain is NaN", func(p *Silva2020) { p.Gain = math.NaN() }},
		{"alpha1_beta0 is +Inf", func(p *Silva2020) { p.Alpha1Beta = math.Inf(1) }},
		{"alpha2 is -Inf", func(p *Silva2020) { p.Alpha2 = math.Inf(-1) }},
		{"alpha3 is NaN", func(p *Silva2020) { p.Alpha3 = math.NaN() }},
		{"beta1 is NaN", func(p *Silva2020) { p.Beta1 = math.NaN() }},
		{"beta2 is +Inf", func(p *Silva2020) { p.Beta2 = math.Inf(1) }},
		{"force_limit -1 N: want 0 (none) or more", func(p *Silva2020) { p.ForceLimit = -1 }},
		{"force_limit NaN N", func(p *Silva2020) { p.ForceLimit = math.NaN() }},
	} {
		p := silvaCode
		c.set(&p)
		_, err := p.Make(at)
		rthstest.WantError(t, err, "silva2020 transfer system: "+c.want)
	}
	// without damping of the valve it is unstable, with a yielding specimen as well
	undamped := silvaCode
	undamped.Beta1 = -1
	for _, s := range []Specimen{benchmarkSpecimen(),
		rthstest.Must((&Bilinear{Stiffness: 1.19e6, YieldDisplacement: 1e-3, Mass: 29.13, Damping: 114}).Make())} {
		_, err := undamped.Make(At{RateHz: rate, Specimen: s})
		rthstest.WantError(t, err, "silva2020 transfer system: unstable with this specimen, a pole at")
	}
	for _, massless := range []*linear{{c: 114, k: 1e6}, {}} {
		for _, p := range []Silva2020{silvaCode, silvaPaper} {
			_, err := p.Make(At{RateHz: rate, Specimen: massless})
			rthstest.WantError(t, err, "the specimen's mass is 0 kg: want more than 0")
		}
	}
	p := silvaCode
	_, err := p.Make(At{Specimen: benchmarkSpecimen()})
	rthstest.WantError(t, err, "sample time +Inf s: want a positive number")
	dead := Silva2020{Beta1: 1, Beta2: 1}
	_, err = dead.Transfer(0, 0, 0)
	rthstest.WantError(t, err, "denominator")
	_, err = dead.BareInverse(3)
	rthstest.WantError(t, err, "gain at s = 0 is zero")
}
