package device

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"rths"
	"rths/kit/rthstest"
)

// timely are laws whose force hangs on the speed, and a stop.
var timely = map[string]Law{
	"viscous 0.3":     &Viscous{C: 1e4, Alpha: 0.3, V0: 1e-3, K: 1e5},
	"viscous 1.7":     &Viscous{C: 1e4, Alpha: 1.7},
	"viscoelastic":    &Viscoelastic{K: 1e5, C: 200, Branches: []Branch{{2e5, 3}, {4e5, 50}, {0, 7}, {0.5, 9}}},
	"fractional":      Fractional(1e5, 4e4, 0.4, 0.1, 20),
	"maxwell 0.4":     &Maxwell{K: 1e6, C: 1e4, Alpha: 0.4},
	"friction":        &Friction{K: 1e6, Mu: 0.1, N: 8000},
	"lugre, rising":   &LuGre{Sigma0: 1e6, Sigma1: 100, Sigma2: 20, Fc: 1200, Fs: 500, Vs: 0.05},
	"lugre":           &LuGre{Sigma0: 1e6, Sigma1: 2e3, Sigma2: 100, Fc: 700, Fs: 900, Vs: 0.02},
	"lugre, Malik":    &LuGre{Sigma0: 6442.5e3, Sigma1: 29.61e3, Fc: 19.75e3, Fs: 21.93e3, Vs: 0.025},
	"lugre, play":     &Backlash{&LuGre{Sigma0: 1e6, Sigma1: 2e3, Sigma2: 100, Fc: 700, Fs: 900, Vs: 0.02}, 1e-3},
	"bouc-wen, play":  &Backlash{&Damped{&BoucWen{Ke: 2e5, A: 0.05, Fy: 760, N: 2, Eta1: 0.5, Eta2: 0.5}, 100}, 2e-3},
	"stop":            &Stop{K: 1e6, Travel: 0.003, Gap: true, Hook: true},
	"stop, hook":      &Stop{K: 1e6, Travel: 0.003, Hook: true},
	"mounted springs": &Viscoelastic{K: 3e5},
}

// ride takes a law along x(t), v(t) for n steps of h by the classical Runge–Kutta method, and calls see at their ends.
func ride(l Law, h float64, n int, motion func(t float64) (x, v float64), see func(x, v, f float64, z []float64)) {
	d := &Mounted{Law: l}
	z, trial, f := make([]float64, d.States()), make([]float64, d.States()), []float64{0}
	var k [4][]float64
	for i := range k {
		k[i] = make([]float64, len(z))
	}
	m := rths.NewMotion(1)
	for i := range n {
		t := float64(i) * h
		for stage, part := range []float64{0, 0.5, 0.5, 1} {
			copy(trial, z)
			for j := range z {
				if stage > 0 {
					trial[j] += part * h * k[stage-1][j]
				}
			}
			m.X[0], m.V[0] = motion(t + part*h)
			d.Rate(k[stage], f, trial, &m)
		}
		for j := range z {
			z[j] += h / 6 * (k[0][j] + 2*k[1][j] + 2*k[2][j] + k[3][j])
		}
		d.Commit(z, &m)
		d.Rate(trial, f, z, &m)
		see(m.X[0], m.V[0], f[0], z)
	}
}

// wander is a random motion of some centimetres up to 10 Hz, from rest.
func wander(seed uint64) func(t float64) (x, v float64) {
	r := rand.New(rand.NewPCG(seed, 53))
	type wave struct{ size, omega, phase float64 }
	var waves []wave
	for range 6 {
		waves = append(waves, wave{0.01 * r.Float64(), 2 * math.Pi * 10 * r.Float64(), 2 * math.Pi * r.Float64()})
	}
	return func(t float64) (x, v float64) {
		grown, rise := 1-math.Exp(-2*t), 2*math.Exp(-2*t)
		for _, w := range waves {
			sin, cos := math.Sincos(w.omega*t + w.phase)
			x += grown * w.size * sin
			v += w.size * (rise*sin + grown*w.omega*cos)
		}
		return x, v
	}
}

// At rest there is no force, and Steepest is the largest stiffness and damping that a motion meets.
func TestLawsFromRest(t *testing.T) {
	all := map[string]Law{}
	for name, l := range timely {
		all[name] = l
	}
	for name, l := range laws {
		all[name] = l
	}
	for name, l := range all {
		z := make([]float64, l.States())
		rthstest.Near(t, name+": force at rest", l.Force(0, 0, z), 0, 0)
		rthstest.Near(t, name+": energy at rest", l.Stored(0, z), 0, 0)
		mostK, mostC, _ := l.Steepest()
		ride(l, 1e-4, 20000, wander(1), func(x, v, f float64, z []float64) {
			if math.Abs(v) > 0.5 {
				return
			}
			const d = 1e-7
			if k := (l.Force(x+d, v, z) - f) / d; !(k <= mostK*(1+1e-6)) {
				t.Fatalf("%s: stiffness %g N/m at %g m: want at most %g", name, k, x, mostK)
			}
			if c := (l.Force(x, v+d, z) - f) / d; !(c <= mostC*(1+1e-6)+1e-6) {
				t.Fatalf("%s: damping %g N·s/m at %g m/s: want at most %g", name, c, v, mostC)
			}
		})
	}
}

// No law gives more than it has taken: the work is the energy stored and a heat that never falls.
func TestLawsArePassive(t *testing.T) {
	rthstest.Long(t)
	for name, l := range timely {
		for seed := range uint64(rthstest.Draws(1, 4)) {
			const h = 2e-5
			work, before, at, heat, largest := 0.0, 0.0, 0.0, 0.0, 0.0
			ride(l, h, 100000, wander(seed), func(x, _, f float64, z []float64) {
				work += (f + before) / 2 * (x - at)
				now := work - l.Stored(x, z)
				largest = max(largest, math.Abs(work))
				if now < heat-1e-5*largest-1e-6 {
					t.Fatalf("%s, seed %d: heat falls from %g to %g J", name, seed, heat, now)
				}
				heat, before, at = max(heat, now), f, x
			})
			if _, conserves := map[string]bool{"stop": true, "stop, hook": true, "mounted springs": true}[name]; conserves {
				rthstest.Near(t, name+": heat", heat, 0, 1e-5*largest)
			} else if !(heat > 0.05*largest) {
				t.Errorf("%s: heat %g of %g J: want more of a damper", name, heat, largest)
			}
		}
	}
}

// Maxwell branches have the moduli of the closed form, by which a series is their sum.
func TestViscoelasticModuli(t *testing.T) {
	l := timely["viscoelastic"].(*Viscoelastic)
	for _, w := range []float64{0.5, 7, 90} {
		want := complex(l.K, l.C*w)
		for _, b := range l.Branches {
			want += complex(b.K, 0) * complex(0, w) / complex(b.Rate, w)
		}
		modulus(t, l, w, want, 1e-6)
	}
}

// modulus compares the force of a sine with a dynamic stiffness.
func modulus(t *testing.T, l *Viscoelastic, w float64, want complex128, tol float64) {
	t.Helper()
	const n = 4000
	slowest := math.Inf(1)
	for _, b := range l.Branches {
		slowest = min(slowest, b.Rate)
	}
	cycles := 2 + int(math.Ceil(20/slowest*w/(2*math.Pi)))
	i := 0
	var got complex128
	ride(l, 2*math.Pi/w/n, cycles*n, func(t float64) (x, v float64) {
		sin, cos := math.Sincos(w * t)
		return sin, w * cos
	}, func(_, _, f float64, _ []float64) {
		if i++; i > (cycles-1)*n { // Fourier coefficient of the last cycle; x is −i e^{iωt}
			got += complex(f, 0) * cmplx.Exp(complex(0, -2*math.Pi*float64(i)/n)) * complex(0, 2.0/n)
		}
	})
	if !(cmplx.Abs(got-want) <= tol*cmplx.Abs(want)) {
		t.Errorf("ω = %g: dynamic stiffness %g: want %g", w, got, want)
	}
}

// In its band a fractional device is k + c (jω)^β within half a per cent of the second term, whatever order and band.
func TestFractionalIsItsPower(t *testing.T) {
	worst := 0.0
	for _, beta := range []float64{0.05, 0.2, 0.5, 0.8, 0.95} {
		for _, band := range [][2]float64{{0.1, 20}, {1, 2}, {0.01, 100}} {
			l := Fractional(3, 2, beta, band[0], band[1])
			for i := range 41 {
				w := 2 * math.Pi * band[0] * math.Pow(band[1]/band[0], float64(i)/40)
				got := complex(l.K-3, l.C*w)
				for _, b := range l.Branches {
					got += complex(b.K, 0) * complex(0, w) / complex(b.Rate, w)
				}
				want := 2 * cmplx.Pow(complex(0, w), complex(beta, 0))
				worst = max(worst, cmplx.Abs(got-want)/cmplx.Abs(want))
			}
		}
	}
	t.Logf("largest error %.2g", worst)
	if !(worst < 0.005) {
		t.Errorf("largest error %.3g: want less than 0.005", worst)
	}
	modulus(t, Fractional(1e5, 4e4, 0.5, 2, 4), 2*math.Pi*3,
		1e5+4e4*cmplx.Pow(complex(0, 2*math.Pi*3), 0.5), 0.004)
}

// At a steady speed bristles and dashpots have settled: g(v) sgn v + σ₂ v, and c |v|^α sgn v, reached over the spring.
func TestSteadySpeed(t *testing.T) {
	friction := timely["lugre"].(*LuGre)
	damper := timely["maxwell 0.4"].(*Maxwell)
	for _, v := range []float64{0.002, 0.05, -0.3} {
		steady := func(l Law, want float64) {
			last := 0.0
			ride(l, 5e-5, 200000, func(t float64) (x, _ float64) { return v * t, v },
				func(_, _, f float64, _ []float64) { last = f })
			rthstest.Near(t, fmt.Sprintf("%T at %g m/s", l, v), last, want, 1e-6*math.Abs(want))
		}
		steady(friction, math.Copysign(700+200*math.Exp(-math.Abs(v)/0.02), v)+100*v)
		steady(damper, math.Copysign(1e4*math.Pow(math.Abs(v), 0.4), v))
	}
}

// The recurrence of Malik et al. 2025, z⁺ = g (v h + z)/(g + σ₀ |v| h), has order 1 and tends to the law.
func TestLuGreIsTheLimitOfMaliksRecurrence(t *testing.T) {
	l := timely["lugre, Malik"].(*LuGre)
	apart := func(h float64) (worst float64) {
		z := 0.0
		ride(l, h, int(5/h), wander(4), func(_, v, f float64, _ []float64) {
			g := l.Steady(v)
			z = g * (v*h + z) / (g + l.Sigma0*math.Abs(v)*h)
			worst = max(worst, math.Abs(l.Sigma0*z+l.Sigma1*(v-l.Sigma0*math.Abs(v)/g*z)+l.Sigma2*v-f))
		})
		return worst
	}
	coarse, fine := apart(1e-4), apart(1e-5)
	if ratio := coarse / fine; !(ratio > 8 && ratio < 12) || !(fine < 0.02*l.Fs) {
		t.Errorf("the recurrence is %.3g N from the law at 0.1 ms, %.3g N at 0.01 ms: want a tenth", coarse, fine)
	}
}

// With α = 1 the Maxwell law of any exponent is the linear branch.
func TestMaxwellOfExponentOne(t *testing.T) {
	linear := &Viscoelastic{Branches: []Branch{{1e6, 1e6 / 1e4}}}
	var want []float64
	ride(linear, 1e-4, 20000, wander(3), func(_, _, f float64, _ []float64) { want = append(want, f) })
	i := 0
	ride(&Maxwell{K: 1e6, C: 1e4, Alpha: 1}, 1e-4, 20000, wander(3), func(_, _, f float64, _ []float64) {
		rthstest.Near(t, "force", f, want[i], 1e-9*1e4)
		i++
	})
}

// Bristles that hardly bend are Coulomb's friction: a cycle dissipates 4 F_c (A − F_c/σ₀) as σ₁ and F_s − F_c vanish.
func TestLuGreCycle(t *testing.T) {
	const fc, sigma0, a, w, n = 700.0, 1e7, 0.02, 5.0, 200000
	work, at, before, i := 0.0, 0.0, 0.0, 0
	ride(&LuGre{Sigma0: sigma0, Fc: fc, Fs: fc, Vs: 0.01}, 2*math.Pi/w/n, 2*n, func(t float64) (x, v float64) {
		sin, cos := math.Sincos(w * t)
		return a * sin, a * w * cos
	}, func(x, _, f float64, _ []float64) {
		if i++; i > n {
			work += (f + before) / 2 * (x - at)
		}
		before, at = f, x
	})
	// at a turn the bristles go back by 2 F_c/σ₀, along z' = 1 + z/z_ss: Coulomb's slip is 1/2 ln 2 … 1 of that
	want := 4 * fc * (a - fc/sigma0)
	rthstest.Near(t, "energy of a cycle", work, want, 4*fc*fc/sigma0)
}

// Bristle damping that could push is refused; what is accepted takes energy at the speeds of a test.
func TestLuGreCheck(t *testing.T) {
	l := LuGre{Sigma0: 1e6, Sigma1: 2e4, Fc: 700, Fs: 900, Vs: 0.02}
	rthstest.WantError(t, l.Check(), "bristle damping of 20000 N·s/m may give energy above a speed of 0.14 m/s")
	for _, sound := range [][2]float64{{0, 0}, {1e3, 0}, {1e4, 1e4}} {
		if l.Sigma1, l.Sigma2 = sound[0], sound[1]; l.Check() != nil {
			t.Errorf("%g: %v", sound, l.Check())
		}
	}
	r := rand.New(rand.NewPCG(53, 1))
	for range 2000 {
		l := LuGre{Sigma0: math.Exp(r.Float64()*10 + 8), Sigma1: math.Exp(r.Float64() * 12), Sigma2: 1000 * r.Float64(),
			Fc: 1e3 * r.Float64(), Vs: 0.01 + r.Float64()}
		if l.Fs = l.Fc * (1 + r.Float64()); l.Check() != nil {
			continue
		}
		v := fastSpeed * (2*r.Float64() - 1)
		z := l.Fs / l.Sigma0 * (2*r.Float64() - 1)
		dz := []float64{0}
		l.Rate(dz, []float64{z}, v)
		if heat := l.Force(0, v, []float64{z})*v - l.Sigma0*z*dz[0]; heat < -1e-9*l.Fs {
			t.Fatalf("%+v gives %g W at %g m/s, %g m", l, heat, v, z)
		}
	}
}

// Beyond the free travel a stop is a spring, on its sides alone.
func TestStop(t *testing.T) {
	for _, c := range []struct {
		gap, hook bool
		plus, neg float64
	}{{true, true, 2000, -2000}, {true, false, 2000, 0}, {false, true, 0, -2000}} {
		l := &Stop{K: 1e6, Travel: 0.003, Gap: c.gap, Hook: c.hook}
		rthstest.Near(t, "push", l.Force(0.005, 1, nil), c.plus, 1e-9)
		rthstest.Near(t, "pull", l.Force(-0.005, 1, nil), c.neg, 1e-9)
		rthstest.Near(t, "free", l.Force(0.0029, 1, nil)+l.Force(-0.0029, 1, nil), 0, 0)
	}
}

// The rate that Steepest says is the one of the states, −∂ż/∂z, in a motion of 0.5 m/s; without states it is 0.
func TestRatesOfStates(t *testing.T) {
	for name, want := range map[string]float64{"viscous 0.3": 0, "viscous 1.7": 0, "viscoelastic": 50, "stop": 0,
		"friction": 0, "maxwell 0.4": 1e6 * math.Pow(0.5, 0.6) / (0.4 * 1e4), "lugre": 1e6 * 0.5 / 700} {
		l := timely[name]
		_, c, rate := l.Steepest()
		rthstest.Near(t, name+": rate", rate, want, 1e-12*want)
		if name == "maxwell 0.4" || name == "stop" || name == "friction" {
			rthstest.Near(t, name+": damping", c, 0, 0)
		}
		if moves := name == "friction" || want > 0; (l.States() > 0) != moves {
			t.Errorf("%s: %d states", name, l.States())
		}
		if want == 0 {
			continue
		}
		z, dz, ahead := make([]float64, l.States()), make([]float64, l.States()), make([]float64, l.States())
		if name == "maxwell 0.4" {
			z[0] = 1e4 * math.Pow(0.5, 0.4) // the dashpot takes all of it
		}
		fastest := 0.0
		for i := range z {
			const d = 1e-6
			l.Rate(dz, z, fastSpeed)
			z[i] += d
			l.Rate(ahead, z, fastSpeed)
			z[i] -= d
			fastest = max(fastest, (dz[i]-ahead[i])/d)
		}
		rthstest.Near(t, name+": −∂ż/∂z", fastest, rate, 1e-4*rate)
	}
}

// Energies by hand, of forces and bristles that are bent.
func TestStoredByHand(t *testing.T) {
	for _, c := range []struct {
		law  string
		x    float64
		z    []float64
		want float64
	}{
		{"viscous 0.3", 0.02, nil, 1e5 * 0.02 * 0.02 / 2},
		{"viscoelastic", 0.02, []float64{300, -50, 7, 2}, 1e5*0.02*0.02/2 + 300*300/4e5 + 50*50/8e5 + 4},
		{"maxwell 0.4", 0.02, []float64{300}, 300 * 300 / 2e6},
		{"friction", 0.02, []float64{0.0195}, 1e6 * 0.0005 * 0.0005 / 2},
		{"friction", 0.02, []float64{0}, 800 * 800 / 2e6},
		{"lugre", 0.02, []float64{1e-4}, 1e6 * 1e-8 / 2},
		{"stop", 0.02, nil, 1e6 * 0.017 * 0.017 / 2},
		{"stop, hook", 0.02, nil, 0},
	} {
		rthstest.Near(t, c.law, timely[c.law].Stored(c.x, c.z), c.want, 1e-12*c.want)
	}
}

// What is mounted has the law's slopes with the dashpot, and the mass.
func TestMounted(t *testing.T) {
	d := &Mounted{Law: timely["lugre"], M: 12, C: 30}
	k, c, rate := d.Steepest()
	lawK, lawC, lawRate := d.Law.Steepest()
	if k != lawK || c != lawC+30 || rate != lawRate || d.Mass() != 12 || d.States() != 1 || !(lawK > 2.2e6) {
		t.Errorf("%g N/m, %g N·s/m, %g 1/s, %g kg, %d states", k, c, rate, d.Mass(), d.States())
	}
	force, dz := []float64{0}, []float64{0}
	d.Rate(dz, force, []float64{1e-4}, &rths.Motion{X: []float64{1}, V: []float64{0.1}})
	rthstest.Near(t, "force", force[0], d.Law.Force(1, 0.1, []float64{1e-4})+3, 1e-12)
	slip := &Mounted{Law: timely["friction"]}
	z := []float64{0}
	slip.Commit(z, &rths.Motion{X: []float64{0.01}})
	rthstest.Near(t, "slip", z[0], 0.01-800/1e6, 1e-15)
}

// Far beyond yielding the slope of a spring is the one left.
func TestPostYield(t *testing.T) {
	for _, name := range []string{"bilinear", "plastic", "smooth", "sharp"} {
		l := laws[name]
		p := rthstest.Must(NewPath(l, 1e-3))
		z := make([]float64, l.States())
		before, force := 0.0, 0.0
		for k := range 1000 {
			p.Advance(z, 1e-4*float64(k), 1e-4*float64(k+1))
			before, force = force, l.Force(1e-4*float64(k+1), 0, z)
		}
		k0, _ := l.AtRest()
		rthstest.Near(t, name, (force-before)/1e-4, l.PostYield(), 1e-6*k0)
		_, c, _ := l.Steepest()
		rthstest.Near(t, name+": damping", c, 0, 0)
	}
}

// Passive laws give nothing beyond what they took. A dashpot of the wrong sign gives all of its work, and a spring that
// loses stiffness while it is bent gives what it held.
func TestGiven(t *testing.T) {
	for name, l := range timely {
		if share, _ := Given(l); !(share < 1e-5) {
			t.Errorf("%s gives %g of the work", name, share)
		}
	}
	for name, l := range laws {
		if share, _ := Given(l); !(share < 1e-5) {
			t.Errorf("%s gives %g of the work", name, share)
		}
	}
	share, _ := Given(&Viscous{C: -100, Alpha: 1.2})
	rthstest.Near(t, "share of a dashpot that pushes", share, 1, 1e-3)
	if share, at := Given(&BoucWen{Ke: 2e5, Fy: 800, N: 2, Eta1: 0.5, Eta2: 0.5, Alpha: 1}); !(share > 0.05) || at != 0.06 {
		t.Errorf("a spring that softens gives %g of the work at %g m", share, at)
	}
}

// Bristles that are bent by static friction and turn round are as steep as σ₀ (1 + F_s/F_c) in fast motion, and no
// motion is steeper.
func TestSteepestOfLuGre(t *testing.T) {
	l := &LuGre{Sigma0: 1e6, Sigma1: 100, Sigma2: 20, Fc: 500, Fs: 1500, Vs: 0.01}
	k, _, _ := l.Steepest()
	rthstest.Near(t, "steepest", k, 4e6, 1e-6)
	slope, dz := 0.0, []float64{0}
	for _, v := range []float64{0.001, 0.01, 0.1, 0.5} {
		l.Rate(dz, []float64{1500 / 1e6}, -v)
		slope = max(slope, l.Sigma0*dz[0]/-v)
	}
	rthstest.Near(t, "slope", slope, k, 1e-3*k)
}
