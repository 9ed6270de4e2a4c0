package integrate

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"rths"
	"rths/kit/rthstest"
	"rths/model/structure"
)

func TestTables(t *testing.T) {
	rthstest.Keeps(t, rthstest.Table(Kinds))
	rthstest.Keeps(t, rthstest.Table(Slow))
	rthstest.Keeps(t, rthstest.Table(Predictors))
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
						rthstest.Near(t, fmt.Sprintf("residual %d at step %d", i+1, k), v, 0, 1e-12*scale)
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
		rthstest.Near(t, kind.Name+": a(1) = −(10·1 + 5)/10", a[0], -1.5, 1e-13)
		rthstest.Near(t, kind.Name+": a(2) = −(40·2 + 60)/20", a[1], -7, 1e-13)
		rthstest.Near(t, kind.Name+": target order is the interface's", target.X[0]/target.X[1], 7/1.5, 1e-12)
	}
}

// subject is an integrator under test and the length of its state: what the next step
// needs and nothing else.
type subject struct {
	rthstest.Integrator
	states int
}

// felt is a subject with one component of the ground and one interface coordinate.
func felt(states, ticks int, make func() rths.Integrator) subject {
	return subject{rthstest.Integrator{Actions: 1, Interface: 1, Ticks: ticks, Make: make}, states}
}

// subjects are everything in the package that steps.
func subjects(t *testing.T) map[string]subject {
	t.Helper()
	half := make([]float64, 3*rthstest.Ticks)
	for i := range half {
		half[i] = math.Sin(float64(i * i))
	}
	all := map[string]subject{
		"prescribed": {rthstest.Integrator{Actions: 1, Interface: 1, Moves: true,
			Make: func() rths.Integrator { return NewPrescribed(half, 0.01) }}, 1},
		"absolute": felt(8, 0, func() rths.Integrator {
			p := shearFrame(t, 3)
			w, err := NewAbsolute(must(t, &RK4{}, p, 1e-3), p, 1e-3)
			if err != nil {
				t.Fatal(err)
			}
			return w
		}),
	}
	twoRateSubjects(t, all)
	passiveSubjects(t, all)
	mesh, _ := foundation(t, 6, 4).Divide(0, 0, 0, 0)
	for i, c := range sparseMakers {
		all[fmt.Sprintf("%T %d, foundation", c.m, i)] = felt(numbersOf(c.m)*mesh.N(), 1024,
			func() rths.Integrator { return must(t, c.m, mesh, c.h) })
	}
	for _, kind := range Kinds {
		numbers, m := numbersOf(kind.Defaults()), kind.Defaults()
		all[kind.Name+", benchmark"] = felt(3*numbers, 0,
			func() rths.Integrator { return must(t, m, benchmark(t), 1.0/4096) })
		all[kind.Name+", 1 floor"] = felt(numbers, 0,
			func() rths.Integrator { return must(t, m, shearFrame(t, 1), 1.0/4096) })
		all[kind.Name+", 40 floors"] = felt(40*numbers, 512,
			func() rths.Integrator { return must(t, m, shearFrame(t, 40), 1.0/4096) })
		all[kind.Name+", yielding"] = felt(3*numbers+3+pastOf(m), 0,
			func() rths.Integrator { return must(t, m, yieldingFrame(t, steelStorey, smoothStorey), 1.0/1024) })
		two := felt(2*numbers, 0, func() rths.Integrator { return must(t, m, twoByTwo(), 1e-3) })
		two.Actions, two.Interface = 2, 2
		all[kind.Name+", two of each"] = two
	}
	return all
}

// twoRateSubjects have main steps of several samples.
func twoRateSubjects(t *testing.T, all map[string]subject) {
	t.Helper()
	for name, o := range twoRates() {
		o.Steps = 7 // so that a stop falls within a main step
		whole := func() rths.Integrator { return o.made(t, 1.0/2048) }
		s := felt(len(rths.AppendState(nil, whole())), 0, whole)
		s.FeelsX = o.ForceFit > 0
		all["two-rate, "+name] = s
		half := *o
		half.Own, half.Late = true, 2
		own := func() rths.Integrator { return half.made(t, 1.0/2048) }
		s = felt(len(rths.AppendState(nil, own())), 0, own)
		s.FeelsX = o.ForceFit > 0
		all["two-rate with a half of its own, "+name] = s
	}
	for name, o := range map[string]TwoRate{
		"own":       {Steps: 7, Predictor: &DualExplicit{Lambda: 3}, Ground: GroundPredicted, Own: true, Late: 2},
		"known":     {Steps: 7, Predictor: &Polynomial3{}, ForceFit: 8, Ground: GroundKnown},
		"predicted": {Steps: 7, Predictor: &DualExplicit{Lambda: 3}, Ground: GroundPredicted},
	} {
		frame := shearFrame(t, 3)
		made := func() rths.Integrator { return onTable(t, o, frame, 1.0/2048) }
		s := felt(len(rths.AppendState(nil, made())), 0, made)
		s.FeelsX = o.ForceFit > 0
		all["two-rate, ground "+name] = s
	}
	inner := TwoRate{Steps: 7, Predictor: &Polynomial3{}}
	yields := func() rths.Integrator {
		in, err := inner.Make(&CR{}, yieldingFrame(t, steelStorey, smoothStorey), 1.0/2048)
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	all["two-rate, yielding"] = felt(len(rths.AppendState(nil, yields())), 0, yields)
}

// passiveSubjects have a virtual damper.
func passiveSubjects(t *testing.T, all map[string]subject) {
	t.Helper()
	for _, kind := range dampable() {
		m := kind.Defaults()
		s := felt(3*numbersOf(m)+5+5, 0, func() rths.Integrator { return damped(t, m, benchmark(t), 1.0/4096, 1e4, 0.1) })
		s.FeelsX, s.FeelsAge = true, true
		all["passivity, "+kind.Name] = s
		two := felt(2*numbersOf(m)+4+12, 0, func() rths.Integrator { return damped(t, m, twoByTwo(), 1e-3, 1e4, 0) })
		two.Actions, two.Interface, two.FeelsX, two.FeelsAge = 2, 2, true, true
		all["passivity, "+kind.Name+", two of each"] = two
		y := felt(3*numbersOf(m)+3+pastOf(m)+4+6, 0, func() rths.Integrator {
			return damped(t, m, yieldingFrame(t, steelStorey, smoothStorey), 1.0/1024, 1e4, 0)
		})
		y.FeelsX, y.FeelsAge = true, true
		all["passivity, "+kind.Name+", yielding"] = y
	}
}

// numbersOf is how many the state has for a degree of freedom.
func numbersOf(m Maker) int {
	switch m.(type) {
	case *AverageAcceleration, *KRAlpha, *MKRAlpha:
		return 3
	}
	return 2
}

// pastOf is how many the state has for the past deformations of the two yielding storeys.
func pastOf(m Maker) int {
	switch m.(type) {
	case *AverageAcceleration, *RK4:
		return 0
	}
	return 4
}

// twoByTwo has two components of the ground and two interface coordinates, in the order 1, 0.
func twoByTwo() *structure.Partition {
	load := mat.NewDense(2, 2, []float64{1000, 10, 20, 2000})
	return byHand(2, []float64{1000, 0, 0, 2000}, []float64{900, -300, -300, 600}, []float64{2e6, -1e6, -1e6, 1e6}, load,
		1, 0)
}

// Everything that steps keeps what every integrator must keep.
func TestConformance(t *testing.T) {
	for name, s := range subjects(t) {
		t.Run(name, func(t *testing.T) {
			rthstest.Keeps(t, s.Broken())
			if n := len(rths.AppendState(nil, s.Make())); n != s.states {
				t.Errorf("state of %d numbers: want %d", n, s.states)
			}
		})
	}
}

// The reference goes on from its state with the same bits, and allocates nothing.
func TestReferenceResumes(t *testing.T) {
	made := func() *Reference { return mustReference(t, mustStructure(t, &structure.Silva2020{Case: 1}), 1.0/4096) }
	first, second := made(), made()
	rthstest.NoAllocation(t, func() { first.Step([]float64{1, -2, 3}) })
	second.Step([]float64{9, 8, 7}) // a part that has been used must forget
	state := rths.AppendState([]float64{42}, first)
	rest := rths.SetState(append(state[1:], 8), second)
	if len(state) != 1+6 || state[0] != 42 || !slices.Equal(rest, []float64{8}) {
		t.Errorf("state of %d numbers, rest %g: want 6 and [8]", len(state)-1, rest)
	}
	first.Step([]float64{1, 2, 3})
	second.Step([]float64{1, 2, 3})
	if a, b := first.State(), second.State(); !slices.Equal(a.X, b.X) || !slices.Equal(a.V, b.V) {
		t.Errorf("resumed: %g, %g: want %g, %g", b.X, b.V, a.X, a.V)
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
	nearAll(t, "reference", append(append([]float64(nil), ref.State().X...), ref.State().V...),
		append(append([]float64(nil), x0...), 0, 0, 0), 1e-9)
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
			rthstest.Near(t, fmt.Sprintf("%s: velocity %d", kind.Name, i+1), v, 0, 1.0/4096*largest(in.State().A)/2*1.01+1e-9)
		}
	}
}

func benchmarkWhole(t rthstest.TB) *structure.Structure {
	return mustStructure(t, &structure.Silva2020{Case: 1})
}
