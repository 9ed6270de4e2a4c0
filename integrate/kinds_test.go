package integrate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"rths"
	"rths/rthstest"
	"rths/structure"
)

func TestKindsAreDescribed(t *testing.T) {
	for _, kind := range Kinds {
		if found, err := rths.Find(Kinds, kind.Name); err != nil || found.Doc != kind.Doc || kind.Doc == "" || kind.Ref == "" {
			t.Errorf("%+v, %v: want a name of its own, a line of documentation and a reference", found, err)
		}
	}
}

// The state shown at t_k satisfies M a + C v + K x + L g + e f = 0 with the
// ground of t_k and the force of the step, with each method's own v and a; to
// rounding, for differences the rounding of x/h². Several ground components
// and interface coordinates are the rule here.
func TestStateSatisfiesTheEquationOfMotion(t *testing.T) {
	for _, kind := range Kinds {
		t.Run(kind.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				p := drawPartition(t)
				h := rapid.Float64Range(0.05, 1).Draw(t, "ωh") / highest(t, p)
				l := drawLoads(t, p, 12)
				for k, now := range run(must(t, kind.Defaults(), p, h), l, len(p.Interface)) {
					s, load := now.state, pull(p, l.at(k, 0), l.force[k])
					parts := [][]float64{times(p.M, s.A), times(p.C, s.V), times(p.K, s.X), load}
					scale := largest(times(p.M, s.X)) / (h * h)
					for _, part := range append(parts, l.force[k]) { // ground and force may cancel in the load
						scale += largest(part)
					}
					for _, g := range l.at(k, 0) {
						scale += math.Abs(g) * largest(p.Load.RawMatrix().Data)
					}
					for i, v := range combine([]float64{1, 1, 1, 1}, parts...) {
						near(t, fmt.Sprintf("residual %d at step %d", i+1, k), v, 0, 1e-12*scale)
					}
				}
			})
		})
	}
}

// The target of a leading step is the state the next step starts from; the target of a
// closing step is the state shown. The same number must arrive: targets and
// states are read off one vector.
func TestTargetIsTheStateOfItsInstant(t *testing.T) {
	for _, kind := range Kinds {
		t.Run(kind.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				p := drawPartition(t)
				l := drawLoads(t, p, 12)
				in := must(t, kind.Defaults(), p, 0.5/highest(t, p))
				lead := 1
				if in.Closing() {
					lead = 0
				}
				all := run(in, l, len(p.Interface))
				for k := range len(all) - lead {
					for i, d := range p.Interface {
						if got, want := all[k].target.X[i], all[k+lead].state.X[d]; got != want {
							t.Fatalf("target %d of step %d is %g: want %g", i, k, got, want)
						}
					}
				}
			})
		})
	}
}

// RK4's velocity belongs to t_k+1 too, and so is its acceleration while the
// force stays as it is.
func TestRK4TargetVelocityAndAcceleration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPartition(t)
		l := drawLoads(t, p, 12)
		for k := range l.force {
			l.force[k] = l.force[0]
		}
		all := run(must(t, &RK4{}, p, 0.5/highest(t, p)), l, len(p.Interface))
		var got, want, gotV, wantV []float64 // read off two matrices: equal to rounding
		for k := range len(all) - 1 {
			for i, d := range p.Interface {
				gotV, wantV = append(gotV, all[k].target.V[i]), append(wantV, all[k+1].state.V[d])
				got, want = append(got, all[k].target.A[i]), append(want, all[k+1].state.A[d])
			}
		}
		if len(p.Interface) > 0 {
			nearAll(t, "velocity", gotV, wantV, 1e-12)
			nearAll(t, "acceleration", got, want, 1e-12)
		}
	})
}

// Forces count at their own coordinates and ground components in their own
// columns: two unequal masses without springs are pushed and shaken apart.
func TestForcesAndComponentsKeepTheirPlaces(t *testing.T) {
	load := mat.NewDense(2, 2, []float64{10, 0, 0, 40}) // component 1 shakes mass 1 only, component 2 mass 2
	none := make([]float64, 4)
	p := byHand(2, []float64{10, 0, 0, 20}, none, none, load, 1, 0)
	for _, kind := range Kinds {
		in := must(t, kind.Defaults(), p, 0.1)
		target := rths.NewMotion(2)
		in.Step(&target, []float64{1, 2, 1, 2, 1, 2}, &rths.Reading{F: []float64{60, 5}}) // 60 N at mass 2, 5 N at mass 1
		derive(in, &target)
		a := in.State().A
		near(t, kind.Name+": a(1) = −(10·1 + 5)/10", a[0], -1.5, 1e-13)
		near(t, kind.Name+": a(2) = −(40·2 + 60)/20", a[1], -7, 1e-13)
		near(t, kind.Name+": target order is the interface's", target.X[0]/target.X[1], 7/1.5, 1e-12)
	}
}

// stepper is a part with memory and all it shows of a step.
type stepper struct {
	part   rths.Stateful
	step   func(k int) []float64
	states int // length of the state
}

// driven steps an integrator of one interface coordinate and one ground
// component with loads that depend on the step only.
func driven(in rths.Integrator, states int) stepper {
	target, felt, window := rths.NewMotion(1), rths.NewReading(1, 1), make([]float64, 3)
	return stepper{in.(rths.Stateful), func(k int) []float64 {
		r := rand.New(rand.NewPCG(1, uint64(k)))
		for i := range window {
			window[i] = r.NormFloat64()
		}
		for i := range felt.F {
			felt.F[i] = 100 * r.NormFloat64()
		}
		in.Step(&target, window, &felt)
		derive(in, &target)
		shown := slices.Concat(target.X, target.V, target.A)
		if show, ok := rths.As[rths.Shower](in); ok {
			shown = slices.Concat(shown, show.State().X, show.State().V, show.State().A)
		}
		return shown
	}, states}
}

// steppers are makers of everything in the package that remembers.
func steppers(t *testing.T) map[string]func() stepper {
	t.Helper()
	all := map[string]func() stepper{
		"reference": func() stepper {
			r := mustReference(t, mustStructure(t, &structure.Silva2020{Case: 1}), 1.0/4096)
			return stepper{r, func(k int) []float64 {
				g := rand.New(rand.NewPCG(2, uint64(k)))
				r.Step([]float64{g.NormFloat64(), 0, g.NormFloat64()})
				return slices.Concat(r.State().X, r.State().V)
			}, 6}
		},
		"prescribed": func() stepper {
			r := rand.New(rand.NewPCG(3, 0))
			half := make([]float64, 100)
			for i := range half {
				half[i] = r.NormFloat64()
			}
			return driven(NewPrescribed(half, 0.01), 1)
		},
	}
	all["absolute"] = func() stepper {
		p := shearFrame(t, 3)
		w, err := NewAbsolute(must(t, &RK4{}, p, 1e-3), p, 1e-3)
		if err != nil {
			t.Fatal(err)
		}
		return driven(w, 8)
	}
	for name, o := range twoRates() {
		o.Steps = 7 // so that the stop falls within a main step
		in := o.made(t, 1.0/2048)
		all["two-rate, "+name] = func() stepper { return driven(o.made(t, 1.0/2048), len(in.AppendState(nil))) }
	}
	mesh, _ := foundation(t, 6, 4).Divide(0, 0, 0, 0)
	for i, c := range sparseMakers {
		all[fmt.Sprintf("%T %d, foundation", c.m, i)] = func() stepper { return driven(must(t, c.m, mesh, c.h), numbersOf(c.m)*mesh.N()) }
	}
	for _, kind := range Kinds {
		numbers := numbersOf(kind.Defaults())
		all[kind.Name+", benchmark"] = func() stepper {
			return driven(must(t, kind.Defaults(), benchmark(t), 1.0/4096), 3*numbers)
		}
		all[kind.Name+", 40 floors"] = func() stepper {
			return driven(must(t, kind.Defaults(), shearFrame(t, 40), 1.0/4096), 40*numbers)
		}
	}
	return all
}

// numbersOf is how many the state has for a degree of freedom.
func numbersOf(m Maker) int {
	if _, ok := m.(*AverageAcceleration); ok {
		return 3
	}
	return 2
}

// A fresh part that takes the state of another goes on with the same bits. The
// state holds what the next step needs and nothing else: displacement and
// velocity, or two displacements.
func TestResume(t *testing.T) {
	for name, make := range steppers(t) {
		t.Run(name, func(t *testing.T) {
			first, second := make(), make()
			for k := range 20 {
				first.step(k)
			}
			state, learnt := rthstest.Save(first.part)
			if len(state) != first.states {
				t.Errorf("state of %d numbers: want %d", len(state), first.states)
			}
			second.step(7) // a part that has been used must forget
			rthstest.Restore(t, second.part, state, learnt)
			for k := 20; k < 40; k++ {
				got, want := second.step(k), first.step(k)
				if !slices.Equal(got, want) {
					t.Fatalf("step %d after resuming: %g\nwant %g", k, got, want)
				}
			}
			prefix := []float64{1, 2}
			kept := first.part.AppendState(prefix)
			if !slices.Equal(kept[:2], prefix) || len(kept) != 2+first.states {
				t.Errorf("state appended to %g: %g", prefix, kept)
			}
			if rest := first.part.SetState(append(kept[2:], 8, 9)); !slices.Equal(rest, []float64{8, 9}) {
				t.Errorf("rest of the source is %g: want [8 9]", rest)
			}
		})
	}
}

func TestStepDoesNotAllocate(t *testing.T) {
	for _, kind := range Kinds {
		for _, floors := range []int{1, 3, 40} {
			t.Run(fmt.Sprintf("%s, %d floors", kind.Name, floors), func(t *testing.T) {
				in := must(t, kind.Defaults(), shearFrame(t, floors), 1.0/4096)
				target, felt, window := rths.NewMotion(1), rths.NewReading(1, 1), []float64{1, 2, 3}
				felt.F[0] = 1
				rthstest.NoAllocation(t, func() { in.Step(&target, window, &felt) })
			})
		}
	}
	for name, o := range twoRates() {
		t.Run("two-rate, "+name, func(t *testing.T) {
			in := o.made(t, 1.0/2048)
			target, felt, window := rths.NewMotion(1), rths.NewReading(1, 1), []float64{1, 2, 3}
			felt.F[0] = 1
			rthstest.NoAllocation(t, func() { in.Step(&target, window, &felt); derive(in, &target) })
		})
	}
	r := mustReference(t, mustStructure(t, &structure.Silva2020{Case: 1}), 1.0/4096)
	rthstest.NoAllocation(t, func() { r.Step([]float64{1, 2, 3}) })
	p, target := NewPrescribed([]float64{1, 2, 3}, 0.01), rths.NewMotion(1)
	rthstest.NoAllocation(t, func() { p.Step(&target, nil, nil) })
	saved := make([]float64, 0, 6)
	rthstest.NoAllocation(t, func() { r.SetState(r.AppendState(saved)) })
}

// Of what is felt a step uses the force only, and it changes nothing it reads.
func TestStepUsesTheForceOnly(t *testing.T) {
	for _, kind := range Kinds {
		plain, full := must(t, kind.Defaults(), benchmark(t), 1.0/4096), must(t, kind.Defaults(), benchmark(t), 1.0/4096)
		a, b := rths.NewMotion(1), rths.NewMotion(1)
		nan := []float64{math.NaN()}
		for k := range 20 {
			window, force := []float64{float64(k), 1, float64(k + 1)}, []float64{500 * math.Sin(float64(k))}
			plain.Step(&a, window, &rths.Reading{F: force})
			full.Step(&b, window, &rths.Reading{Motion: rths.Motion{X: nan, V: nan, A: nan}, F: force, TrueX: nan, TrueF: nan, Age: 3})
			if a.X[0] != b.X[0] || a.V[0] != b.V[0] || a.A[0] != b.A[0] {
				t.Errorf("%s: target %+v with other readings, %+v without", kind.Name, b, a)
			}
			if !slices.Equal(window, []float64{float64(k), 1, float64(k + 1)}) || force[0] != 500*math.Sin(float64(k)) {
				t.Errorf("%s: inputs changed to %g, %g", kind.Name, window, force)
			}
		}
	}
}

// A released structure begins where it was released, at rest, also where the
// recursion keeps increments (three degrees of freedom).
func TestStartIsAtRest(t *testing.T) {
	p := benchmark(t)
	x0 := []float64{0.003, -0.001, 0.008}
	ref, err := NewReference(benchmarkWhole(t), 1.0/4096)
	if err != nil {
		t.Fatal(err)
	}
	if err := ref.Start(x0); err != nil {
		t.Fatal(err)
	}
	ref.Step([]float64{0, 0, 0})
	nearAll(t, "reference", append(append([]float64(nil), ref.State().X...), ref.State().V...), append(append([]float64(nil), x0...), 0, 0, 0), 1e-9)
	for _, kind := range Kinds {
		in := must(t, kind.Defaults(), p, 1.0/4096)
		if _, ok := in.(Starter); !ok {
			continue
		}
		if err := in.(Starter).Start(x0, []float64{1190e3 * x0[0]}); err != nil {
			t.Fatal(err)
		}
		target := rths.NewMotion(1)
		in.Step(&target, []float64{0, 0, 0}, &rths.Reading{F: []float64{1190e3 * x0[0]}})
		in.(rths.Deriver).Derive(&target)
		nearAll(t, kind.Name+": displacement", in.State().X, x0, 1e-9)
		// A velocity that lags half a step belongs to −h/2: within h/2 · |ẍ₀|.
		for i, v := range in.State().V {
			near(t, fmt.Sprintf("%s: velocity %d", kind.Name, i+1), v, 0, 1.0/4096*largest(in.State().A)/2*1.01+1e-9)
		}
	}
}

func benchmarkWhole(t fataler) *structure.Structure {
	return mustStructure(t, &structure.Silva2020{Case: 1})
}
