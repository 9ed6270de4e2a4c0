package plant

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
)

// sine takes a specimen along x = A sin ωt for some cycles of n sub-steps; it
// gives x, v and the force without inertia at their ends.
func sine(s Specimen, amplitude, w float64, cycles, n int) (x, v, f []float64) {
	p := newFollower(s)
	h := 2 * math.Pi / w / float64(n)
	for k := range cycles * n {
		for stage := range p.m {
			phase := w * h * (float64(k) + float64(stage)/2)
			p.m[stage].X[0], p.m[stage].V[0] = amplitude*math.Sin(phase), amplitude*w*math.Cos(phase)
		}
		p.advance(h)
		p.rate(p.trial, p.y, end)
		x, v, f = append(x, p.m[end].X[0]), append(v, p.m[end].V[0]), append(f, p.f[0])
	}
	return x, v, f
}

// work is ∮ f dx over the last n values, by the trapezoidal rule.
func work(f, x []float64, n int) (w float64) {
	for k := len(x) - n; k < len(x); k++ {
		w += (f[k] + f[k-1]) / 2 * (x[k] - x[k-1])
	}
	return w
}

// With exponent 1 the damper is a linear dashpot, held exactly, and no less so
// when it is integrated.
func TestDamperOfExponentOneIsADashpot(t *testing.T) {
	p := ViscousDamper{Damping: 3e3, Exponent: 1, LinearBelow: 1e-3, Stiffness: 2e5, Mass: 25}
	u := wander(90, 2000, 1e-3)
	for _, k := range oneAxis() {
		want := drive(rthstest.Must(k.Defaults().Make(At{RateHz: rate, Specimen: &linear{m: 25, c: 3e3, k: 2e5}})), u)
		same(t, k.Name, drive(rthstest.Must(k.Defaults().Make(At{RateHz: rate, Specimen: rthstest.Must(p.Make())})), u), want,
			0)
		same(t, k.Name, drive(rthstest.Must(k.Defaults().Make(At{RateHz: rate, Specimen: hidden{rthstest.Must(p.Make())}})),
			u), want, 1e-7)
	}
}

// The power law: 1 % from c |v|^α at ten times v₀, odd, a dashpot at rest; and
// the energy of a cycle, 4·2^α Γ²(1 + α/2)/Γ(2 + α) c A^(1+α) ω^α.
func TestDamperPowerLaw(t *testing.T) {
	for _, alpha := range []float64{0.2, 0.5, 0.8, 1, 1.5, 2} {
		s := rthstest.Must((&ViscousDamper{Damping: 1e4, Exponent: alpha, LinearBelow: 1e-3}).Make())
		at := func(v float64) float64 {
			f := []float64{0}
			s.Rate(nil, f, nil, &rths.Motion{X: []float64{1}, V: []float64{v}})
			return f[0]
		}
		for _, v := range []float64{0.01, 0.1, 1} {
			want := 1e4 * math.Pow(v, alpha)
			rthstest.Near(t, fmt.Sprintf("α = %g: force at %g m/s", alpha, v), at(v), want, 0.01*want)
			if at(-v) != -at(v) {
				t.Errorf("α = %g: the force is not odd", alpha)
			}
		}
		if alpha <= 1 {
			slope := 1e4 * math.Pow(1e-3, alpha-1)
			rthstest.Near(t, "slope at rest", at(1e-7)/1e-7, slope, 1e-6*slope)
			_, c, _ := s.(Steep).Steepest()
			rthstest.Near(t, "steepest", c, slope, 1e-12*slope)
		}
		const a, w, n = 0.05, 10, 4000
		x, _, f := sine(s, a, w, 2, n)
		g := math.Gamma(1 + alpha/2)
		want := 4 * math.Pow(2, alpha) * g * g / math.Gamma(2+alpha) * 1e4 * math.Pow(a, 1+alpha) * math.Pow(w, alpha)
		rthstest.Near(t, fmt.Sprintf("α = %g: energy of a cycle", alpha), work(f, x, n), want, 2e-4*want)
	}
}

// Storage and loss modulus under a sine, with τ = c/k: k ω²τ²/(1 + ω²τ²) and
// k ωτ/(1 + ω²τ²).
func TestMaxwellModuli(t *testing.T) {
	const k, c = 2e5, 1e3
	s := rthstest.Must((&Maxwell{Stiffness: k, Damping: c, Exponent: 1}).Make())
	for _, w := range []float64{1, 50, 200, 1000, 10000} {
		n := max(1000, int(2*math.Pi/w*k/c/0.02)) // RK4 is good to 3e-9 there
		cycles := 3 + int(w*c/k*40/(2*math.Pi))   // e⁻⁴⁰
		x, v, f := sine(s, 1e-3, w, cycles, n)
		q := w * c / k
		storage, loss := k*q*q/(1+q*q), k*q/(1+q*q)
		for i := len(x) - n; i < len(x); i++ {
			want := storage*x[i] + loss*v[i]/w
			if !(math.Abs(f[i]-want) <= 1e-9*k*1e-3) {
				t.Fatalf("ω = %g: force %g: want %g", w, f[i], want)
			}
		}
	}
}

// The work done on a Maxwell element is the energy in its spring plus the heat of its
// dashpot: ∫ f v dt = f²/(2k) + ∫ f²/c dt.
func TestMaxwellEnergy(t *testing.T) {
	const k, c, n = 2e5, 1e3, 40000
	x, v, f := sine(rthstest.Must((&Maxwell{Stiffness: k, Damping: c, Exponent: 1}).Make()), 1e-3, 150, 1, n)
	h, in, heat := 2*math.Pi/150/n, 0.0, 0.0
	for i := 1; i < len(x); i++ {
		in += h / 2 * (f[i]*v[i] + f[i-1]*v[i-1])
		heat += h / 2 * (f[i]*f[i] + f[i-1]*f[i-1]) / c
	}
	last := f[len(f)-1]
	rthstest.Near(t, "energy", in-heat, (last*last-f[0]*f[0])/(2*k), 1e-6*heat)
}

// Transmissibility of the mass under a sine of its base, with r = ω/ω_d:
// (1 + (2ζr)²)/((1 − r²)² + (2ζr)²), and the force that goes with it.
func TestTunedMassDamperTransmissibility(t *testing.T) {
	const md, k = 50.0, 5e4
	wd := math.Sqrt(k / md)
	for _, zeta := range []float64{0.1, 0.5} {
		s := rthstest.Must((&TunedMassDamper{DamperMass: md, Stiffness: k, Damping: 2 * zeta * wd * md}).Make())
		for _, r := range []float64{0.1, 0.7, 1, 1.5, 5} {
			const n = 2000
			cycles := 3 + int(30*r/(2*math.Pi*zeta)) // e⁻³⁰
			_, _, f := sine(s, 1e-3, r*wd, cycles, n)
			q := 2 * zeta * r
			want := md * r * wd * r * wd * 1e-3 * math.Sqrt((1+q*q)/((1-r*r)*(1-r*r)+q*q))
			rthstest.Near(t, fmt.Sprintf("ζ = %g, r = %g: force", zeta, r), peak(f[len(f)-n:]), want, 2e-6*want)
		}
	}
}

// A base moved slowly carries no force, a rigid connection the mass: −m_d ω² x.
func TestTunedMassDamperSign(t *testing.T) {
	s := rthstest.Must((&TunedMassDamper{DamperMass: 50, Stiffness: 5e8, Damping: 2e5}).Make())
	x, _, f := sine(s, 1e-3, 5, 3, 5000)
	for i := 10000; i < len(x); i++ {
		rthstest.Near(t, "force of a rigid damper", f[i], -50*25*x[i], 1e-3*50*25*1e-3)
	}
}

// No specimen gives more than it has taken: ∫ f v dt ≥ 0 from rest, whatever the
// motion. TMD, Maxwell and friction hold some of it. A stop of 5 mm is not met.
func TestSpecimensArePassive(t *testing.T) {
	for name, s := range specimens(t) {
		for seed := range uint64(5) {
			p := newFollower(s)
			u := wander(95+seed, 3000, 1e-3)
			const h = 1.0 / rate
			taken, least, most := 0.0, 0.0, 0.0
			for k := 1; k < len(u); k++ {
				v := (u[k] - u[k-1]) / h
				for stage := range p.m { // straight from one to the next
					p.m[stage].X[0], p.m[stage].V[0] = u[k-1]-u[0]+v*h*float64(stage)/2, v
				}
				p.rate(p.trial, p.y, start)
				before := p.f[0]
				p.advance(h)
				p.rate(p.trial, p.y, end)
				taken += h * v * (before + p.f[0]) / 2
				least, most = min(least, taken), max(most, taken)
			}
			if k, c, _ := steepest(s); !(least >= -1e-3*most) || most == 0 && k+c > 0 && !strings.HasPrefix(name, "stop") {
				t.Errorf("%s: has given %g J more than it took, at most %g", name, -least, most)
			}
		}
	}
}

func TestNewSpecimenErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		p    SpecimenMaker
		want string
	}{
		{&ViscousDamper{-1, 1, 1e-3, 0, 0}, "viscous-damper specimen: damping -1 N·(s/m)^α: want 0 or more"},
		{&ViscousDamper{1, 0, 1e-3, 0, 0}, "viscous-damper specimen: exponent 0: want more than 0, at most 2"},
		{&ViscousDamper{1, 2.1, 1e-3, 0, 0}, "exponent 2.1"},
		{&ViscousDamper{1, nan, 1e-3, 0, 0}, "exponent NaN"},
		{&ViscousDamper{1, 0.5, 0, 0, 0}, "linear_below 0 m/s: want more than 0"},
		{&ViscousDamper{1, 0.5, 1e-3, nan, 0}, "stiffness NaN N/m"},
		{&ViscousDamper{1, 0.5, 1e-3, 0, inf}, "mass +Inf kg"},
		{&Maxwell{0, 1, 1, 0}, "maxwell specimen: stiffness 0 N/m: want more than 0"},
		{&Maxwell{1, 0, 1, 0}, "damping 0 N·(s/m)^α: want more than 0"},
		{&Maxwell{1, 1, 1, -1}, "mass -1 kg: want 0 or more"},
		{&Maxwell{1, 1, 0, 1}, "maxwell specimen: exponent 0: want 0.1 to 1"},
		{&Maxwell{1, 1, nan, 1}, "exponent NaN"},
		{&Viscoelastic{-1, 1, nil, nil, 0}, "viscoelastic specimen: stiffness -1 N/m: want 0 or more"},
		{&Viscoelastic{1, 1, []float64{1, 2}, []float64{1}, 0}, "2 branch_stiffnesses and 1 relaxation_times_s"},
		{&Viscoelastic{1, 1, []float64{1, 2}, []float64{1, 0}, 0}, "branch 2 of 2 N/m and 0 s"},
		{&Viscoelastic{1, 1, []float64{1, nan}, []float64{1, 1}, 0}, "branch 2 of NaN N/m and 1 s"},
		{&Viscoelastic{1, 1, make([]float64, 51), make([]float64, 51), 0}, "at most 50"},
		{&Fractional{1, 1, 1, 0.1, 20, 0}, "fractional specimen: order 1: want 0.05 to 0.95"},
		{&Fractional{1, 1, 0.5, 20, 20, 0}, "high_hz 20: want more than low_hz, 20 Hz"},
		{&Fractional{1, 1, 0.5, 1e-3, 20, 0}, "at most 10 000 times"},
		{&Fractional{1, 1, 0.5, 0, 20, 0}, "low_hz 0 Hz: want more than 0"},
		{&Fractional{1, 1.7e308, 0.9, 1, 2000, 0}, "want smaller numbers"},
		{&LuGre{1e6, 1e3, 0, 130, 90, 0.1, 0, 0}, "may give energy above a speed of 0.36 m/s"},
		{&LuGre{1e6, 1e4, 0, 100, 120, 0.1, 0, 0}, "bristle_damping: bristle damping of 10000 N·s/m may give energy above a " +
			"speed of 0.04 m/s"},
		{&LuGre{1e6, 1e3, 0, 0, 120, 0.1, 0, 0}, "coulomb_force 0 N: want more than 0"},
		{&LuGre{1e6, 1e3, 0, 1, 120, 1, 0, -1}, "lugre specimen: backlash -1 m: want 0 or more"},
		{&BoucWen{Stiffness: 1, YieldForce: 1, Exponent: 1, Eta1: 1, Backlash: nan}, "bouc-wen specimen: backlash NaN m"},
		{&LuGre{1e6, 1e3, 0, 1, 120, 0, 0, 0}, "stribeck_speed 0 m/s: want more than 0"},
		{&Stop{0, 1, "both", 0}, "stop specimen: stiffness 0 N/m: want more than 0"},
		{&Stop{1, -1, "both", 0}, "travel -1 m: want 0 or more"},
		{&Stop{1, 1, "left", 0}, `side "left": want gap, hook or both`},
		{&TunedMassDamper{0, 1, 1, 0}, "tuned-mass-damper specimen: damper_mass 0 kg: want more than 0"},
		{&TunedMassDamper{1, -1, 1, 0}, "damping -1 N·s/m: want 0 or more"},
		{&TunedMassDamper{1, 1, nan, 0}, "stiffness NaN N/m"},
		{&TunedMassDamper{1, 1, 1, inf}, "mass +Inf kg"},
	} {
		_, err := c.p.Make()
		rthstest.WantError(t, err, c.want)
	}
}
