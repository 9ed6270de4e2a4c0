package integrate

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"rths"
	"rths/kit/rthstest"
	"rths/model/structure"
)

// dampable are the kinds that the damper takes.
func dampable() []rths.Kind[Maker] {
	return slices.DeleteFunc(slices.Clone(Kinds),
		func(k rths.Kind[Maker]) bool { return k.Name == "average-acceleration" })
}

// damped is the integrator of a maker with observer and damper.
func damped(t rthstest.TB, m Maker, p *structure.Partition, h, most, threshold float64) *passive {
	t.Helper()
	o := Passivity{MaxDamping: most, Threshold: threshold}
	_, o.Held = m.(Holder)
	made, err := o.Make(must(t, m, p, h), p, h)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return made.(*passive)
}

// witness sums (1) by (3) from what it sees, term by term.
type witness struct {
	held              bool
	x, xm, fm, fu     [][]float64 // of every instant
	energy, magnitude float64     // E, and the sum of all terms without sign, J
}

// add takes the products of f[j] with the mean of dx and the dx before, or with dx alone.
func (w *witness) add(sign float64, f, dx, before []float64) {
	for i := range f {
		moved := (dx[i] + before[i]) / 2
		if before == nil {
			moved = dx[i]
		}
		w.energy += sign * f[i] * moved
		w.magnitude += math.Abs(f[i] * moved)
	}
}

// change is x[j+1] − x[j]: 0 before the beginning.
func change(x [][]float64, j int) []float64 {
	if j < 0 {
		return make([]float64, len(x[0]))
	}
	return combine([]float64{1, -1}, x[j+1], x[j])
}

// see takes the reading of t_k; x and fu have the steps before.
func (w *witness) see(x, f []float64) {
	w.xm, w.fm = append(w.xm, slices.Clone(x)), append(w.fm, slices.Clone(f))
	j := len(w.fm) - 2
	switch {
	case j < 0:
	case w.held:
		dxm, dx := change(w.xm, j), change(w.x, j)
		w.add(1, combine([]float64{0.5, 0.5}, w.fm[j], w.fm[j+1]), dxm, dxm)
		w.add(-1, w.fu[j], dx, dx)
	default:
		w.add(1, w.fm[j], change(w.xm, j), change(w.xm, j-1))
		w.add(-1, w.fu[j], change(w.x, j), change(w.x, j-1))
	}
}

// trial is a damped integrator under random readings, its witness, and a second integrator to
// try other dampers on.
type trial struct {
	*passive
	witness
	again  integrator
	target rths.Motion
	k      int
}

// work is the work of a force of the present step that ends at x.
func (r *trial) work(p, x []float64) (sum float64) {
	dx, before := change([][]float64{r.witness.x[r.k], x}, 0), change(r.witness.x, r.k-1)
	for i, d := range dx {
		if !r.o.Held {
			d = (d + before[i]) / 2
		}
		sum += p[i] * d
	}
	return sum
}

// step makes step k, and gives the state before it and the damper's force.
func (r *trial) step(l *loads, felt *rths.Reading) (before, damper []float64) {
	before = rths.AppendState(nil, r.state)
	r.see(felt.X, felt.F)
	r.Step(&r.target, l.window(r.k), felt)
	r.fu = append(r.fu, slices.Clone(r.Corrected()))
	damper = combine([]float64{1, -1}, r.fu[r.k], felt.F)
	return before, damper
}

// largest wants less work of a damper a little smaller or larger.
func (r *trial) largest(t *rapid.T, before, damper, force, ground []float64, taken, rounding float64) {
	end := rths.NewMotion(len(force))
	for _, part := range []float64{0.99, 1.01} {
		p := combine([]float64{part}, damper)
		rths.SetState(before, r.again)
		r.again.Step(&end, ground, &rths.Reading{F: combine([]float64{1, 1}, force, p)})
		if other := r.work(p, end.X); other > taken+rounding {
			t.Fatalf("tick %d: %g times the damper takes %g J: want less than %g J", r.k, part, other, taken)
		}
	}
}

// The identity of the derivation: a step whose damper is within its limits brings the observed
// energy to the threshold, to rounding. Where no damper can, α is the one that takes the most;
// where α is at MaxDamping, the damper takes no more than there is. E is what an independent sum
// says. Random numerical parts of up to 5 interface coordinates under random readings.
func TestDamperTakesWhatWasObserved(t *testing.T) {
	for _, kind := range dampable() {
		t.Run(kind.Name, func(t *testing.T) {
			var exact, limited, most int
			rapid.Check(t, func(t *rapid.T) {
				p := drawPartition(t)
				if len(p.Interface) == 0 {
					p.Interface = []int{0}
				}
				n, h := len(p.Interface), rapid.Float64Range(0.05, 0.5).Draw(t, "ωh")/highest(t, p)
				limit, threshold := math.Pow(10, rapid.Float64Range(3, 9).Draw(t, "lg α")), rapid.Float64Range(0, 2).Draw(t, "E_0")
				r := trial{passive: damped(t, kind.Defaults(), p, h, limit, threshold), again: must(t, kind.Defaults(), p, h),
					target: rths.NewMotion(n)}
				r.witness.held, r.witness.x = r.o.Held, [][]float64{make([]float64, n)}
				l := drawLoads(t, p, 30)
				xm := drawMany(t, "measured", 30*n, rapid.SampledFrom([]float64{1e-5, 1e-3}).Draw(t, "size"))
				for r.k = range 30 {
					felt := rths.Reading{Motion: rths.Motion{X: xm[r.k*n : (r.k+1)*n]}, F: l.force[r.k]}
					before, damper := r.step(l, &felt)
					rounding := 1e-12 * (r.magnitude + 1)
					rthstest.Near(t, "E", r.passive.energy, r.witness.energy, rounding)
					taken, left := r.work(damper, r.target.X), r.passive.energy-threshold
					if left > 0 && (taken < 0 || taken > left+rounding) {
						t.Fatalf("tick %d: the damper took %g J: want 0 to %g J", r.k, taken, left)
					}
					switch {
					case !(left > 0):
						if r.alpha != 0 || !slices.Equal(r.fu[r.k], felt.F) {
							t.Fatalf("tick %d: α %g with E %g J, threshold %g J: want no damper", r.k, r.alpha, r.passive.energy, threshold)
						}
					case r.alpha == limit:
						limited++
					case left-taken <= rounding+1e-9*left:
						exact++
					default:
						most++
						r.largest(t, before, damper, felt.F, l.window(r.k), taken, rounding)
					}
					r.witness.x = append(r.witness.x, slices.Clone(r.target.X))
				}
			})
			t.Logf("%d steps to the threshold, %d at the limit, %d with the most that a damper can take", exact, limited, most)
			if exact < 5 || limited < 5 || most < 5 { // of 600: random draws, of which each way is some 20 or more
				t.Error("want 5 steps of each at least")
			}
		})
	}
}

// A perfect transfer system, x_m = x and f_m = f: E is 0, not nearly, whatever the force, and
// every step has the bits of the integrator alone. With RK4, which holds the force, E is
// Σ ½ (f[k] − f[k−1]) (x[k] − x[k−1]): below the threshold nothing acts.
func TestPerfectTransferMakesNoEnergy(t *testing.T) {
	for _, kind := range dampable() {
		t.Run(kind.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				p := drawPartition(t)
				n := len(p.Interface)
				h := rapid.Float64Range(0.05, 0.5).Draw(t, "ωh") / highest(t, p)
				w, alone := damped(t, kind.Defaults(), p, h, 1e5, 0), must(t, kind.Defaults(), p, h)
				if w.o.Held {
					w.o.Threshold = math.MaxFloat64
				}
				l := drawLoads(t, p, 40)
				a, b, felt, hold := rths.NewMotion(n), rths.NewMotion(n), rths.NewReading(n, n), 0.0
				works := 0.0 // without sign: E is a small difference of works
				for k := range 40 {
					for i := range n {
						if k > 0 {
							hold += (l.force[k][i] - felt.F[i]) * (a.X[i] - felt.X[i]) / 2
							works += (math.Abs(l.force[k][i]) + math.Abs(felt.F[i])) * (math.Abs(a.X[i]) + math.Abs(felt.X[i]))
						}
						felt.X[i], felt.F[i] = a.X[i], l.force[k][i]
					}
					w.Step(&a, l.window(k), &felt)
					alone.Step(&b, l.window(k), &rths.Reading{F: l.force[k]})
					derive(w, &a)
					derive(alone, &b)
					want := 0.0
					if w.o.Held {
						want = hold
					}
					rthstest.Near(t, "E", w.energy, want, 1e-15*works)
					if !w.o.Held && w.energy != 0 || w.taken != 0 || !slices.Equal(a.X, b.X) || !slices.Equal(a.V, b.V) ||
						!slices.Equal(a.A, b.A) {
						t.Fatalf("tick %d: E %g J, damper %g J, %g: want 0, 0, %g", k, w.energy, w.taken, a, b)
					}
				}
			})
		})
	}
}

// A spring k downstream of a delay τ makes the power k sin(ωτ)/ω ẋ² in a motion of frequency ω: the damper
// that takes it is k τ, less (ωτ)²/6 = 0.06 % of it. After T = 400 s the energy that the spring holds counts
// 1/(ω²τT) = 0.4 %. (With a limit far above k τ the damper takes so much at rest that the motion sticks.)
func TestDampingOfADelayedSpring(t *testing.T) {
	const h, omega, stiffness, samples = 1e-3, 10.0, 2e4, 5
	for _, kind := range dampable() {
		w := damped(t, kind.Defaults(), sdof(omega, 0), h, 2*stiffness*samples*h, 0)
		late, target, felt := make([]float64, samples), rths.NewMotion(1), rths.NewReading(1, 1)
		sum, square := 0.0, 0.0
		for k := range 400_000 {
			t := float64(k) * h
			felt.X[0] = late[k%samples]
			felt.F[0] = stiffness * felt.X[0]
			before := target.X[0]
			late[k%samples] = before
			w.Step(&target, []float64{math.Sin(12 * t), math.Sin(12 * (t + h/2)), math.Sin(12 * (t + h))}, &felt)
			v := (target.X[0] - before) / h
			sum += w.alpha * v * v
			square += v * v
		}
		delay := samples * h
		if w.o.Held {
			delay += h / 2
		}
		t.Logf("%s: mean damping %.4g N·s/m, k τ = %.4g N·s/m", kind.Name, sum/square, stiffness*delay)
		rthstest.Near(t, kind.Name+": mean damping over k τ", sum/square/(stiffness*delay), 1, 0.005)
	}
}

// While a reading is old the work on the specimen is not known: whatever the old reading holds, the
// observer leaves it out, as one that is not a number, and the next fresh one closes the gap.
func TestOldReadingsDoNoWork(t *testing.T) {
	for _, kind := range dampable() {
		held := damped(t, kind.Defaults(), sdof(10, 0.02), 1e-3, 200, 0)
		lost := damped(t, kind.Defaults(), sdof(10, 0.02), 1e-3, 200, 0)
		a, b, felt := rths.NewMotion(1), rths.NewMotion(1), rths.NewReading(1, 1)
		most := 0.0
		for k := range 2000 {
			s := float64(k) * 1e-3
			window := []float64{math.Sin(12 * s), math.Sin(12 * (s + 5e-4)), math.Sin(12 * (s + 1e-3))}
			old := k >= 500 && k < 600
			felt.Age = 0
			if felt.X[0], felt.F[0] = a.X[0], 2e4*a.X[0]; old {
				felt.Age = k - 499
			}
			held.UseReading(&felt)
			lost.UseReading(&felt)
			if old {
				lost.UseReading(&rths.Reading{Motion: rths.Motion{X: []float64{math.NaN()}}, F: felt.F})
			}
			held.Step(&a, window, &felt)
			lost.Step(&b, window, &felt)
			if held.energy != lost.energy || a.X[0] != b.X[0] {
				t.Fatalf("%s, tick %d: E %g J: want %g J, as with a lost reading", kind.Name, k, held.energy, lost.energy)
			}
			most = max(most, math.Abs(held.energy))
		}
		if most == 0 {
			t.Errorf("%s: no energy is seen", kind.Name)
		}
	}
}

// The observer takes the loop's reading where it gets one, and not the force that the integrator uses: beside a force
// of 0 a spring holds k x²/2, or, by the second line of (3), k x[n] x[n−1]/2.
func TestObserverTakesTheFeltReading(t *testing.T) {
	const k = 2e4
	for _, kind := range dampable() {
		w := damped(t, kind.Defaults(), sdof(10, 0.02), 1e-3, 200, 1e9)
		felt, used, target := rths.NewReading(1, 1), rths.NewReading(1, 1), rths.NewMotion(1)
		w.UseReading(&felt)
		before := 0.0
		for n := range 200 {
			before, felt.X[0] = felt.X[0], 1e-3*math.Sin(0.03*float64(n))
			felt.F[0] = k * felt.X[0]
			w.Step(&target, []float64{1, 1, 1}, &used)
			want := k * felt.X[0] * before / 2
			if w.o.Held {
				want = k * felt.X[0] * felt.X[0] / 2
			}
			rthstest.Near(t, kind.Name+": energy, J", w.energy, want, 1e-15)
		}
		if target.X[0] == 0 {
			t.Errorf("%s: the numerical part stands still", kind.Name)
		}
	}
}

// Idealised, the damper never acts: every step has the bits of the integrator alone, where the damper itself would act.
func TestIdealisedDamperDoesNothing(t *testing.T) {
	for _, kind := range dampable() {
		alone := must(t, kind.Defaults(), sdof(10, 0.02), 1e-3)
		ideal, acting := damped(t, kind.Defaults(), sdof(10, 0.02), 1e-3, 200, 0),
			damped(t, kind.Defaults(), sdof(10, 0.02), 1e-3, 200, 0)
		ideal.Idealise(true)
		a, b, c, felt := rths.NewMotion(1), rths.NewMotion(1), rths.NewMotion(1), rths.NewReading(1, 1)
		acted := false
		for k := range 300 {
			s := float64(k) * 1e-3
			window := []float64{math.Sin(12 * s), math.Sin(12 * (s + 5e-4)), math.Sin(12 * (s + 1e-3))}
			felt.X[0] = 1e-3 * math.Sin(12*s-0.2)
			felt.F[0] = 2e4 * felt.X[0]
			alone.Step(&a, window, &felt)
			ideal.Step(&b, window, &felt)
			acting.Step(&c, window, &felt)
			acted = acted || acting.alpha > 0
			if a.X[0] != b.X[0] || ideal.alpha != 0 {
				t.Fatalf("%s, tick %d: target %g with α %g: want %g", kind.Name, k, b.X[0], ideal.alpha, a.X[0])
			}
		}
		if !acted {
			t.Errorf("%s: no damper would act: want a test of it", kind.Name)
		}
	}
}

// Wrong settings and integrators are refused in words.
func TestPassivityRefuses(t *testing.T) {
	p := sdof(10, 0.02)
	p.Interface = []int{0}
	for _, c := range []struct {
		o    Passivity
		m    Maker
		want string
	}{
		{Passivity{}, &RK4{}, "max_damping 0 N·s/m: want more than 0"},
		{Passivity{MaxDamping: math.Inf(1)}, &RK4{}, "max_damping +Inf N·s/m: want more than 0"},
		{Passivity{MaxDamping: 1, Threshold: -1}, &RK4{}, "threshold_j -1 J: want 0 or more"},
		{Passivity{MaxDamping: 1, Threshold: math.NaN()}, &RK4{}, "threshold_j NaN J: want 0 or more"},
		{Passivity{MaxDamping: 1}, &AverageAcceleration{}, "a closing integrator, as average-acceleration"},
	} {
		if _, err := c.o.Make(must(t, c.m, p, 1e-3), p, 1e-3); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v: want %q", c.o, err, c.want)
		}
	}
}

// A reading that is not a number is left out; the next one closes the gap.
func TestObserverSkipsWhatIsNotANumber(t *testing.T) {
	part := sdof(10, 0.02)
	for _, first := range []int{0, 5} { // the first reading that is lost
		w := damped(t, &CR{}, part, 1e-3, 1, 1e9)
		target, felt := rths.NewMotion(1), rths.NewReading(1, 1)
		for k := range 100 {
			felt.X[0], felt.F[0] = 500+float64(k), 1
			if k%10 == first {
				felt.X[0] = math.NaN()
			}
			w.Step(&target, []float64{0, 0, 0}, &felt)
		}
		begin := 0.0
		if first == 0 {
			begin = 1 // where the first reading is
		}
		// 1 N over the way to the last reading, half a step and the numerical part's own
		if want := 98.5 - begin; math.Abs(w.energy-want) > 0.6 {
			t.Errorf("first loss at %d: E is %g J, want %g", first, w.energy, want)
		}
	}
}
