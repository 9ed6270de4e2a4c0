package stability

import (
	"math"
	"math/rand/v2"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/model/integrate"
	"rths/model/structure"
)

// The energies of a tape tick by tick.
type balance struct{ work, taken float64 }

// faded is Σ (1 − h/τ)^(k−j) of the changes of a quantity up to tick k.
func faded(list []balance, of func(balance) float64, h float64) float64 {
	sum := 0.0
	for j := 1; j < len(list); j++ {
		sum += math.Pow(1-h/recentS, float64(len(list)-1-j)) * (of(list[j]) - of(list[j-1]))
	}
	return sum
}

// Both indicators are their definitions, of every sort of integrator and of several
// actuators. What the test began with is no work of the last seconds.
func TestErrorWorkIsItsDefinition(t *testing.T) {
	shown := 0
	every(t, func(what string, tape *tape, c Config) {
		laws := tape.laws(c)
		var list []balance
		tape.play(t, c, func(k int, e *Energies) {
			l := laws[k]
			list = append(list, balance{l.errors, l.dissipated + l.specimen})
			whole := balance{l.errors, l.dissipated + l.specimen}
			last := balance{faded(list, func(b balance) float64 { return b.work }, 1/c.RateHz),
				faded(list, func(b balance) float64 { return b.taken }, 1/c.RateHz)}
			for name, q := range map[string]struct {
				got float64
				of  balance
			}{"of the whole test": {e.errors.share, whole}, "of the last 2 s": {e.errors.recent, last}} {
				want := 0.0
				if q.of.work > 0 {
					want = 100 * q.of.work / (max(q.of.taken, 0) + c.SW)
				}
				if want > 0 {
					shown++
				}
				if !(math.Abs(q.got-want) <= 1e-8*(1+want)) {
					t.Fatalf("%s: tick %d: SW_e %s is %g: want %g", what, k, name, q.got, want)
				}
			}
		})
	})
	if shown < 1000 {
		t.Errorf("SW_e is above 0 %d times: the test wants more", shown)
	}
}

// As W_e − W_S = W_F, SW_e reaches 100 % exactly where SW does, and is above SW below it
// where the specimen has taken energy. (Random motion may have E_d below 0, which no structure has.)
func TestErrorWorkReaches100WithSW(t *testing.T) {
	both, above := 0, 0
	every(t, func(what string, tape *tape, c Config) {
		tape.play(t, c, func(k int, e *Energies) {
			share, specimen := e.errors.share, e.errors.specimen
			if e.dissipated < 0 || e.dissipated+specimen < 0 || math.Abs(e.sw-100) < 1e-6 {
				return
			}
			if (share >= 100) != (e.sw >= 100) {
				t.Fatalf("%s: tick %d: SW_e %g %%, SW %g %%: want both below 100 or both not", what, k, share, e.sw)
			}
			if e.sw > 100 {
				both++
			}
			if specimen > 0 && e.sw < 100 && e.errors.work > 0 {
				above++
				if share < e.sw {
					t.Fatalf("%s: tick %d: SW_e %g %%: want at least SW, %g %%", what, k, share, e.sw)
				}
			}
		})
	})
	if both < 20 || above < 100 {
		t.Errorf("%d ticks above 100 %%, %d below: the test wants 20 and 100", both, above)
	}
}

// A spring k and a dashpot c downstream of a delay τ, in harmonic motion of amplitude A, per
// period:
//
//	W_e = π A² (k sin ωτ + c ω (1 − cos ωτ)),  W_S = π A² c ω,  W_F = W_e − W_S
//
// SW of such a specimen is 0 up to tan ωτ = c ω/k. Over the last 2 s both sums hold
// their power times 2 s.
func TestErrorWorkOfADelay(t *testing.T) {
	const amp, w, rate, periods = 0.5, 2 * math.Pi, 1000, 24
	for _, s := range []struct{ k, c, tau float64 }{{40, 0, 0.02}, {40, 3, 0.05}, {0, 3, 0.05}, {40, 8, 0.1}, {40, 8, 0},
		{20, 1, -0.03}} {
		e, f := one(t, false)
		move := func(at float64) (x, v float64) { return amp * math.Sin(w*at), amp * w * math.Cos(w*at) }
		recent, fed, taken := 0.0, 0.0, 0.0
		for k := range periods*rate + 1 {
			f.K, f.T = k, float64(k)/rate
			f.Num.X[0], f.Num.V[0] = move(f.T)
			x, v := move(f.T - s.tau)
			f.InterfaceRead.X[0], f.InterfaceRead.F[0] = x, s.k*x+s.c*v
			f.Force[0] = f.InterfaceRead.F[0]
			e.Observe(f)
			if k == 0 {
				fed, taken = e.errors.work, e.errors.specimen
			}
			if k > (periods-1)*rate {
				recent += e.errors.recent / rate
			}
		}
		sin, cos := math.Sincos(w * s.tau)
		we, ws, ed := math.Pi*amp*amp*(s.k*sin+s.c*w*(1-cos)), math.Pi*amp*amp*s.c*w, math.Pi*amp*amp*3*w
		tol := 5e-5 * (math.Pi*amp*amp*s.k + ws) * periods // (ωh)²/3 of the difference quotients
		rthstest.Near(t, "W_e", e.errors.work-fed, periods*we, tol)
		rthstest.Near(t, "W_S", e.errors.specimen-taken, periods*ws, tol)
		rthstest.Near(t, "W_F", e.feedback, e.errors.work-e.errors.specimen, 1e-9)
		want := max(0, 100*2*we/(2*(ed+ws)+1))
		rthstest.Near(t, "SW_e of the last 2 s", recent, want, 0.02*want+1e-4)
		if blind := s.k*sin <= s.c*w*cos; blind != (e.sw == 0) {
			t.Errorf("%+v: SW %g %%: want 0: %v", s, e.sw, blind)
		}
	}
}

// Where the specimen is at the numerical displacement W_e is 0, to rounding. An integrator
// that holds the force over its step feeds the work of half a sample of delay,
// Σ Δf Δx/2 = ½ k Σ Δx², about ½ k h ∫ v² dt; as SW, SW_e counts it.
func TestErrorWorkOfPerfectTracking(t *testing.T) {
	for _, kind := range integrate.Kinds {
		if kind.Name == "average-acceleration" {
			continue // closes the loop within a sample: here its specimen is late
		}
		var e *Energies
		var c Config
		squares, before, most, length := 0.0, 0.0, 0.0, 0.0
		runTimed(t, kind.Name, 3, 1, rths.Timing{Target: rths.Next},
			func(p *structure.Partition, config Config) []rths.Observer {
				c = config
				e = rthstest.Must(NewEnergies(p, c))
				return []rths.Observer{e, observer(func(f *rths.Frame) {
					if f.InterfaceRead.X[0] != f.Num.X[0] {
						t.Fatalf("%s, tick %d: specimen at %g m, numerical part at %g m", kind.Name, f.K, f.InterfaceRead.X[0],
							f.Num.X[0])
					}
					d := f.Num.X[0] - before
					squares, before, most = squares+d*d, f.Num.X[0], max(most, e.errors.specimen)
					length += f.Num.V[0] * f.Num.V[0] / c.RateHz
				})}
			})
		want := 0.0
		if c.Held {
			want = 2e5 * squares / 2
			rthstest.Near(t, kind.Name+": ½ k h ∫ v² dt", 2e5/c.RateHz*length/2, want, 1e-3*want)
		}
		t.Logf("%s: W_e %.3g J of up to %.3g J in the specimen", kind.Name, e.errors.work, most)
		rthstest.Near(t, kind.Name+": W_e", e.errors.work, want, 1e-12*most)
	}
}

// An observer looks at frames.
type observer func(*rths.Frame)

func (o observer) Observe(f *rths.Frame) { o(f) }

// W_I + W_e = E_k + E_s + E_d + W_S. Over the last 2 s, what is fed less what is taken is what
// mechanical energy of the numerical part has grown more than the input work.
func TestErrorWorkBalance(t *testing.T) {
	for _, kind := range []string{"cr", "gui", "average-acceleration"} {
		var e *Energies
		grown, before, worst, most := 0.0, 0.0, 0.0, 0.0
		run(t, kind, 3, 40, func(p *structure.Partition, c Config) []rths.Observer {
			e = rthstest.Must(NewEnergies(p, c))
			return []rths.Observer{e, observer(func(f *rths.Frame) {
				left := e.kinetic + e.strain - e.input
				if f.K > 0 {
					grown += left - before - grown/(recentS*c.RateHz)
				}
				before = left
				worst = max(worst, math.Abs(e.errors.fed-e.errors.taken-grown))
				most = max(most, e.kinetic+e.strain)
				rthstest.Near(t, kind+": W_e", e.errors.work, left+e.dissipated+e.errors.specimen, 1e-9*(most+e.dissipated))
			})}
		})
		if !(worst < 1e-9*most) || !(e.errors.work > 1) {
			t.Errorf("%s: fed less taken is off by %.3g J of %.3g J, W_e %.3g J", kind, worst, most, e.errors.work)
		}
	}
}

// Independent white noise of force (σ_f) and displacement (σ_x) adds random walks to W_S and W_e,
// without drift. Standard deviations: σ_f σ_x √(N/2) after N samples of rest, and
// σ_x √(Σ Δf²) of a force that moves.
func TestErrorWorkOfNoise(t *testing.T) {
	const samples, draws, sf, sx, amp = 1000, 400, 2.0, 3e-3, 500.0
	step := amp * 2 * math.Pi * 5 / samples // largest Δf of five periods
	for _, c := range []struct{ sf, amp, want float64 }{
		{sf, 0, sf * sx * math.Sqrt(samples/2)}, {0, amp, sx * step * math.Sqrt(samples/2)},
	} {
		r := rand.New(rand.NewPCG(5, 5))
		sum, squares := 0.0, 0.0
		for range draws {
			e, f := one(t, false)
			for k := range samples + 1 {
				f.K = k
				f.InterfaceRead.F[0], f.InterfaceRead.X[0] = c.amp*math.Sin(10*math.Pi*float64(k)/samples)+c.sf*r.NormFloat64(),
					sx*r.NormFloat64()
				copy(f.Force, f.InterfaceRead.F)
				e.Observe(f)
			}
			sum, squares = sum+e.errors.work, squares+e.errors.work*e.errors.work
		}
		rthstest.Near(t, "standard deviation", math.Sqrt(squares/draws), c.want, 3*c.want/math.Sqrt(2*draws))
		rthstest.Near(t, "mean", sum/draws, 0, 3*c.want/math.Sqrt(draws))
	}
}

// Offsets b_f of the force and b_x of the displacement add no work along a closed path: what
// stays is the energy ½ b_f b_x that the start seems to have.
func TestErrorWorkOfOffsets(t *testing.T) {
	const bf, bx = 30.0, 1e-3
	var works []float64
	for _, on := range []float64{0, 1} {
		e, f := one(t, false)
		for k := range 5001 {
			x := 0.02 * math.Sin(2*math.Pi*float64(k)/1000)
			late := 0.02 * math.Sin(2*math.Pi*float64(max(0, k-20))/1000)
			f.K, f.Num.X[0], f.InterfaceRead.X[0], f.InterfaceRead.F[0] = k, x, late+on*bx, 100*late+on*bf
			copy(f.Force, f.InterfaceRead.F)
			e.Observe(f)
		}
		works = append(works, e.errors.work-on*bf*(f.InterfaceRead.X[0]-bx-f.Num.X[0]))
	}
	rthstest.Near(t, "W_e", works[1], works[0]+bf*bx/2, 1e-12)
}
