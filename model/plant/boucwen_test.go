package plant

import (
	"fmt"
	"math"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/model/device"
)

// galmezCases are the nonlinear specimens of paper 001, Table 7.5, with m_e, c_e
// and k_e of Table 7.1.
var galmezCases = map[string]BoucWen{
	"A": {Stiffness: 1.19e6, YieldForce: 2380, Exponent: 25, Eta1: 0.5, Eta2: 0.5, Damping: 114.6, Mass: 29.1},
	"B": {Stiffness: 1.19e6, YieldForce: 1904, Exponent: 1, Eta1: 0.6, Eta2: 0.4, Hardening: 6e9, Damping: 114.6,
		Mass: 29.1},
	"C": {Stiffness: 1.19e6, YieldForce: 2975, Exponent: 5, Eta1: 0.5, Eta2: 0.5, Beta: 0.01, Damping: 114.6, Mass: 29.1},
	"D": {Stiffness: 1.19e6, YieldForce: 2678, Exponent: 2.5, Eta1: 0.5, Eta2: 0.5, Alpha: 0.02, Beta: 0.005,
		Damping: 114.6, Mass: 29.1},
}

// At N = 1 the first loading is z = f_y/(η₁+η₂) (1 − e^(−(η₁+η₂) k x/f_y)), at
// N = 2 f_y tanh(k x/f_y); the post-yield and the cubic spring stand beside it.
func TestBoucWenFirstLoading(t *testing.T) {
	const k, fy, a, kh = 1e6, 2000.0, 0.1, 3e9
	for _, c := range []struct {
		n    float64
		want func(u float64) float64
	}{{1, func(u float64) float64 { return 1 - math.Exp(-u) }}, {2, math.Tanh}} {
		s := rthstest.Must((&BoucWen{Stiffness: k, PostYieldRatio: a, YieldForce: fy, Exponent: c.n, Eta1: 0.3, Eta2: 0.7,
			Hardening: kh}).Make())
		x, f := along(s, []float64{0.01}, 1000, 0.2)
		for i := range x {
			want := a*k*x[i] + kh*x[i]*x[i]*x[i] + fy*c.want((1-a)*k*x[i]/fy)
			rthstest.Near(t, fmt.Sprintf("N = %g: force at %g m", c.n, x[i]), f[i], want, 1e-7*fy)
		}
	}
}

// A sharp exponent comes to the elastic–perfectly plastic spring: loop area
// 4 f_y (A − f_y/k).
func TestBoucWenIsBilinearWhenSharp(t *testing.T) {
	const k, fy, a = 1e6, 2000.0, 0.008
	s := rthstest.Must((&BoucWen{Stiffness: k, YieldForce: fy, Exponent: 100, Eta1: 0.5, Eta2: 0.5}).Make())
	x, f := along(s, []float64{a, -a, a}, 4000, 0.1)
	want := 4 * fy * (a - fy/k)
	rthstest.Near(t, "energy of a cycle", work(f, x, 8000), want, 2e-3*want)
}

// The work done on the specimen is the energy in its springs plus H, to 0.1 %, and H is the
// sum of the increments (7.17), for every case of Table 7.5 on a motion that grows
// and turns at random places. With degradation what z holds is returned over a
// softer spring, ∫ z dz/(R_k k_e).
func TestBoucWenEnergyBalance(t *testing.T) {
	for name, p := range galmezCases {
		p.Damping = 0
		for _, a := range []float64{0, 0.1} {
			p.PostYieldRatio = a
			s := rthstest.Must(p.Make()).(*yields)
			f := newFollower(s)
			const h, n = 1.0 / rate / 16, 16 * rate
			u := 2 * math.Pi * 8 * h
			var taken, held, increments, dissipated float64
			f.rate(f.trial, f.y, end)
			for i := range n {
				before, z, x0, k0 := f.f[0], f.y[0], f.m[end].X[0], first(s.Law.(*device.BoucWen).Degraded(f.y[1]))
				for stage := range f.m {
					at := u * (float64(i) + float64(stage)/2)
					size := 1e-3 * (1 + 4*at/u*h)
					f.m[stage].X[0] = size * (math.Sin(at) + 0.5*math.Sin(2.3*at))
					f.m[stage].V[0] = (size*(math.Cos(at)+1.15*math.Cos(2.3*at))*u + 4e-3*h*(math.Sin(at)+0.5*math.Sin(2.3*at))) / h
				}
				f.advance(h)
				f.rate(f.trial, f.y, end)
				dx, dz := f.m[end].X[0]-x0, f.y[0]-z
				k := (k0 + first(s.Law.(*device.BoucWen).Degraded(f.y[1]))) / 2
				taken += dx * (before + f.f[0]) / 2
				if k > 0 {
					held += dz * (z + f.y[0]) / 2 / k
					increments += (z + f.y[0]) / 2 * (dx - dz/k)
				}
			}
			x := f.m[end].X[0]
			held += a*p.Stiffness*x*x/2 + p.Hardening*x*x*x*x/4
			dissipated = f.y[1]
			what := fmt.Sprintf("case %s, a = %g, %.1f J: ", name, a, dissipated)
			rthstest.Near(t, what+"energy taken less energy held", taken-held, dissipated, 1e-3*dissipated)
			rthstest.Near(t, what+"increments (7.17)", increments, dissipated, 1e-3*dissipated)
			if !(dissipated > 20) {
				t.Errorf("%s: want a test of it", what)
			}
		}
	}
}

func first(k, _ float64) float64 { return k }

// Strength and stiffness after an energy H: (7.15), (7.16).
func TestBoucWenDegradation(t *testing.T) {
	p := galmezCases["D"]
	s := rthstest.Must(p.Make()).(*yields)
	k, fy := s.Law.(*device.BoucWen).Degraded(50)
	rthstest.Near(t, "stiffness after 50 J", k, 1.19e6*math.Exp(-1), 1e-9*1.19e6)
	rthstest.Near(t, "yield force after 50 J", fy, 2678/1.25, 1e-9)
	// small motion about z = 0 has the stiffness left
	f, dz := []float64{0}, []float64{0, 0}
	s.Rate(dz, f, []float64{0, 50}, &rths.Motion{X: []float64{0}, V: []float64{1}})
	rthstest.Near(t, "slope after 50 J", dz[0], 1.19e6*math.Exp(-1), 1e-9*1.19e6)
}

// Coupled to the actuator: the force converges to a fine integration with the fourth power of the sub-step as long as
// the motion goes one way. At a turn the rate of z has a corner inside a sub-step, which leaves the second. At 4096 Hz
// the sub-steps chosen are good to 1e-6.
func TestBoucWenConvergesWithTheActuator(t *testing.T) {
	rthstest.Long(t)
	const hz, n = 512, 160
	ramp, sine := make([]float64, n), make([]float64, n)
	for i := range sine {
		ramp[i] = 0.04 * float64(i) / hz
		sine[i] = 5e-3 * math.Sin(2*math.Pi*6*float64(i)/hz)
	}
	for name, p := range galmezCases {
		s := rthstest.Must(p.Make())
		errs := func(u []float64) (errs []float64) {
			want := drive(rthstest.Must(silvaCode.Make(At{RateHz: hz, Specimen: hurried{s, 512, hz}})), u)
			for _, steps := range []int{16, 32, 64, 128} {
				got := drive(rthstest.Must(silvaCode.Make(At{RateHz: hz, Specimen: hurried{s, steps, hz}})), u)
				errs = append(errs, apart(got.f, want.f)/peak(want.f))
			}
			return errs
		}
		one := errs(ramp)
		for i := range 3 {
			if r := one[i] / one[i+1]; !(r > 13 && r < 19) {
				t.Errorf("case %s, one way: errors %.2g, ratio %.3g: want about 16", name, one, r)
			}
		}
		fine := drive(rthstest.Must(silvaCode.Make(At{RateHz: rate, Specimen: refined{s, 127.5 * fastest * rate}})),
			repeat(sine, rate/hz))
		chosen := drive(rthstest.Must(silvaCode.Make(At{RateHz: rate, Specimen: s})), repeat(sine, rate/hz))
		if d := apart(chosen.f, fine.f); !(d <= 1e-6*peak(fine.f)) {
			t.Errorf("case %s, sub-steps chosen: force %.2g N apart, largest %.2g N", name, d, peak(fine.f))
		}
		if turns := errs(sine); !(turns[0] < 3e-6) || !(turns[0]/turns[3] > 20) {
			t.Errorf("case %s, with turns: errors %.2g: want below 3e-6, and about 64 times less in the end", name, turns)
		}
	}
}

func TestBoucWenErrors(t *testing.T) {
	good := galmezCases["D"]
	if _, err := good.Make(); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(p *BoucWen){
		"bouc-wen specimen: stiffness 0 N/m: want more than 0":        func(p *BoucWen) { p.Stiffness = 0 },
		"bouc-wen specimen: yield_force -1 N: want more than 0":       func(p *BoucWen) { p.YieldForce = -1 },
		"bouc-wen specimen: eta1 -0.5 (-): want 0 or more":            func(p *BoucWen) { p.Eta1 = -0.5 },
		"bouc-wen specimen: eta2 -0.1 (-): want 0 or more":            func(p *BoucWen) { p.Eta2 = -0.1 },
		"bouc-wen specimen: eta1 + eta2 0 (-): want more than 0":      func(p *BoucWen) { p.Eta1, p.Eta2 = 0, 0 },
		"bouc-wen specimen: alpha -1 1/J: want 0 or more":             func(p *BoucWen) { p.Alpha = -1 },
		"bouc-wen specimen: beta NaN 1/J: want 0 or more":             func(p *BoucWen) { p.Beta = math.NaN() },
		"bouc-wen specimen: hardening -6e+09 N/m³: want 0 or more":    func(p *BoucWen) { p.Hardening = -6e9 },
		"bouc-wen specimen: exponent 0.5: want 1 to 100":              func(p *BoucWen) { p.Exponent = 0.5 },
		"bouc-wen specimen: exponent NaN: want 1 to 100":              func(p *BoucWen) { p.Exponent = math.NaN() },
		"bouc-wen specimen: post_yield_ratio 1: want 0 to below 1":    func(p *BoucWen) { p.PostYieldRatio = 1 },
		"bouc-wen specimen: post_yield_ratio -0.1: want 0 to below 1": func(p *BoucWen) { p.PostYieldRatio = -0.1 },
		"bouc-wen specimen: damping -1 N·s/m: want 0 or more":         func(p *BoucWen) { p.Damping = -1 },
		"bouc-wen specimen: mass +Inf kg: want 0 or more":             func(p *BoucWen) { p.Mass = math.Inf(1) },
	} {
		p := good
		spoil(&p)
		_, err := p.Make()
		rthstest.WantError(t, err, want)
	}
}
