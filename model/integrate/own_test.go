package integrate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/model/structure"
)

// twoHalves are two-rate integrators of every kind that a calculating half of its own may have.
func twoHalves(t *testing.T) map[string]func(o TwoRate) integrator {
	out := map[string]func(o TwoRate) integrator{}
	add := func(name string, m Maker, p *structure.Partition) {
		out[name] = func(o TwoRate) integrator {
			if d, ok := o.Predictor.(*DualExplicit); ok && d.Lambda == 0 {
				o.Predictor = &DualExplicit{Lambda: 3}
			}
			in, err := o.Make(m, p, 1.0/2048)
			if err != nil {
				t.Fatal(name, err)
			}
			return in.(integrator)
		}
	}
	mesh := foundation(t, 6, 4)
	sparse, err := mesh.Divide(mesh.Interface, 0, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range Kinds {
		if kind.Name == "average-acceleration" { // closing
			continue
		}
		m := kind.Defaults()
		add(kind.Name, m, shearFrame(t, 3))
		add(kind.Name+", yielding", m, yieldingFrame(t, steelStorey, smoothStorey))
	}
	add("gui, foundation", &Gui{Lambda: 3}, sparse)
	return out
}

// halves are the settings of TwoRate with every predictor, with and without force correction, and with
// every ground.
func halves() map[string]TwoRate {
	out := map[string]TwoRate{}
	for _, kind := range Predictors {
		for _, fit := range []int{0, 8} {
			for _, ground := range []Ground{GroundApart, GroundKnown, GroundPredicted} {
				out[fmt.Sprintf("%s, fit %d, ground %d", kind.Name, fit, ground)] = TwoRate{Steps: 7, Predictor: kind.Defaults(),
					ForceFit: fit, Ground: ground}
			}
		}
	}
	return out
}

// onOneGround steps integrators side by side by a random ground and the force of a spring at the target of the
// first, and compares.
func onOneGround(samples int, of []integrator, see func(k int, targets []rths.Motion)) {
	r := rand.New(rand.NewPCG(1, 2))
	felt, targets := rths.NewReading(1, 1), make([]rths.Motion, len(of))
	for i := range targets {
		targets[i] = rths.NewMotion(1)
	}
	a := 0.0
	for k := range samples {
		b := 0.9*a + r.NormFloat64()
		for i, in := range of {
			in.Step(&targets[i], []float64{a, (a + b) / 2, b}, &felt)
			derive(in, &targets[i])
		}
		see(k, targets)
		felt.X[0] = targets[0].X[0]
		felt.F[0] = 2e4*felt.X[0] + 1e-3*r.NormFloat64()
		a = b
	}
}

// A calculating half that has a main step of time gives the target of one that works at once, to the
// bit, and its State a main step later.
func TestOwnHalfGivesTheSameTarget(t *testing.T) {
	for kind, make := range twoHalves(t) {
		for name, o := range halves() {
			once := make(o)
			o.Own, o.Late = true, 1
			own := make(o)
			var past [][]float64 // State of the one at once
			onOneGround(300, []integrator{once, own}, func(k int, targets []rths.Motion) {
				for _, pair := range [][2]float64{{targets[0].X[0], targets[1].X[0]}, {targets[0].V[0], targets[1].V[0]}} {
					if math.Float64bits(pair[0]) != math.Float64bits(pair[1]) {
						t.Fatalf("%s, %s, sample %d: target %g and %g", kind, name, k, pair[0], pair[1])
					}
				}
				now := stateOf(once)
				past = append(past, slices.Concat(now.X, now.V, now.A))
				if late := stateOf(own); late == nil {
					if len(now.X) <= MostShown {
						t.Fatalf("%s: no state of %d degrees of freedom", kind, len(now.X))
					}
				} else if k >= o.Steps {
					for i, x := range slices.Concat(late.X, late.V, late.A) {
						if want := past[k-o.Steps][i]; math.Float64bits(x) != math.Float64bits(want) {
							t.Fatalf("%s, %s, sample %d: number %d of the state is %g: want %g of a main step before", kind, name, k, i, x,
								want)
						}
					}
				}
			})
			if targets := stateOf(once); largest(targets.X) < 1e-6 {
				t.Errorf("%s, %s: the structure rested", kind, name)
			}
		}
	}
}

func stateOf(in integrator) *rths.Motion { return in.(rths.NumericalState).State() }

// tardy holds results back: at main instant i as many as held says are kept, at least.
type tardy struct {
	calc   *Calculator
	queue  [][]float64
	held   func(i int) int
	posted int
}

func (e *tardy) Post(asked []float64) {
	given := make([]float64, e.calc.Gives())
	e.calc.Step(given, asked)
	e.queue = append(e.queue, given)
	e.posted++
}

func (e *tardy) Collect(given []float64) bool {
	if len(e.queue) <= e.held(e.posted) {
		return false
	}
	copy(given, e.queue[0])
	e.queue = e.queue[1:]
	return true
}

// late is a two-rate integrator whose results are held back.
func late(t *testing.T, o TwoRate, m Maker, p *structure.Partition, held func(i int) int) integrator {
	t.Helper()
	o.Own = true
	calc, err := o.Calculator(m, p, 1.0/2048)
	if err != nil {
		t.Fatal(err)
	}
	o.Exchange = &tardy{calc: calc, held: held}
	in, err := o.Make(m, p, 1.0/2048)
	if err != nil {
		t.Fatal(err)
	}
	return in.(integrator)
}

// Channels of an own half show its newest result: what one that works at once shows a main step before.
func TestChannelsOfAnOwnHalf(t *testing.T) {
	var both []integrator
	for _, own := range []bool{false, true} {
		o := TwoRate{Steps: 7, Predictor: &LinearAcceleration{}, Own: own, Late: 3}
		part := yieldingFrame(t, steelStorey, smoothStorey)
		both = append(both, rthstest.Must(o.Make(&Gui{Lambda: 3}, part, 1.0/2048)).(integrator))
	}
	names := both[0].(rths.Channeler).Channels()
	past := make([][]float64, len(names))
	moved := 0
	onOneGround(7*40, both, func(k int, _ []rths.Motion) {
		for i, c := range names {
			past[i] = append(past[i], *c.V)
			if k < 7 {
				continue
			}
			if got, want := channelOf(t, both[1], c.Name), past[i][k-7]; got != want {
				t.Fatalf("sample %d: %s is %g: want %g, of a main step before", k, c.Name, got, want)
			}
			if past[i][k] != past[i][k-7] {
				moved++
			}
		}
	})
	if len(names) < 2 || moved < 100 {
		t.Errorf("%d channels, that move %d times: want those of two storeys", len(names), moved)
	}
}

// The state lags where results come a main step late: by this step, and by as many more as may be missing. It does
// not lag where they come at once, nor where there is none to show.
func TestHowFarTheStateIsBehind(t *testing.T) {
	for name, c := range map[string]struct {
		own         bool
		floors      int
		ticks, most int
	}{
		"at once": {false, 3, 0, 0}, "own half": {true, 3, 7, 35}, "own half, too large to show": {true, MostShown + 1, 0, 0},
	} {
		o := TwoRate{Steps: 7, Predictor: &LinearAcceleration{}, Own: c.own, Late: 3}
		in := rthstest.Must(o.Make(&CR{}, shearFrame(t, c.floors), 1.0/2048))
		if ticks, most := in.(rths.DelayedState).Delay(); ticks != c.ticks || most != c.most {
			t.Errorf("%s: %d ticks behind, at most %d: want %d and %d", name, ticks, most, c.ticks, c.most)
		}
	}
}

// After late results everything is known that a calculator in time would have given for the same forces: the
// targets are those of one in time again. (A force correction looks for the displacement that it knows, so that
// the forces are others.)
func TestLateResultsAreMadeUpFor(t *testing.T) {
	p := shearFrame(t, 3)
	for name, o := range halves() {
		if o.ForceFit > 0 {
			continue
		}
		if d, ok := o.Predictor.(*DualExplicit); ok {
			d.Lambda = 3
		}
		o.Late = 3
		m := &Gui{Lambda: 3}
		in, err := o.Make(m, p, 1.0/2048)
		if err != nil {
			t.Fatal(err)
		}
		held := []int{0, 0, 0, 1, 2, 3, 0, 0, 1, 0} // results, at main instant i of ten
		behind := late(t, o, m, p, func(i int) int { return held[i%10] })
		others := 0
		onOneGround(70*20, []integrator{in.(integrator), behind}, func(k int, targets []rths.Motion) {
			now := k / o.Steps % 10
			if missing := channelOf(t, behind, "main_missing"); int(missing) != held[now] {
				t.Fatalf("%s, sample %d: %g results are missing: want %d", name, k, missing, held[now])
			}
			same := targets[0].X[0] == targets[1].X[0]
			switch {
			case held[now] > 0 && !same:
				others++
			case held[now] == 0 && held[(now+9)%10] == 0 && !same: // the line begins where the last one has ended
				t.Fatalf("%s, sample %d: target %g with all results: want %g", name, k, targets[1].X[0], targets[0].X[0])
			}
		})
		if others < 300 {
			t.Errorf("%s: %d samples without a result have another target: want most of 560", name, others)
		}
	}
}

func channelOf(t *testing.T, in integrator, name string) float64 {
	t.Helper()
	for _, c := range in.(rths.Channeler).Channels() {
		if c.Name == name {
			return *c.V
		}
	}
	t.Fatalf("no channel %s", name)
	return 0
}

// A motion on which a predictor is exact is gone on with exactly while results are missing.
func TestSupposedResultsGoOnAsThePrediction(t *testing.T) {
	const h, t0 = 0.02, 0.3
	power := func(c float64, d int, t float64) float64 {
		if d < 0 {
			return 0
		}
		return c * math.Pow(t, float64(d))
	}
	for _, tc := range []struct {
		p      Predictor
		degree int
	}{{&NoPrediction{}, 0}, {&Polynomial2{}, 2}, {&Polynomial3{}, 3}, {&Polynomial4{}, 4}, {&LinearAcceleration{}, 3},
		{&NewmarkPrediction{}, 2}} {
		for d := range tc.degree + 1 {
			known, ahead := newPredictor(weightsOf(t, tc.p), 2, h), newPredictor(weightsOf(t, tc.p), 2, h)
			n := float64(d)
			both := func(x float64) []float64 { return []float64{x, -2 * x} }
			for i := range 6 {
				at := t0 + h*float64(i+1)
				known.learn(&result{u: both(power(1, d, at)), v: both(power(n, d-1, at)), known: both(power(n, d-1, at-h)),
					a: both(power(n*(n-1), d-2, at-h))})
			}
			ahead.take(known)
			to := make([]float64, 2)
			for k := range 5 {
				ahead.predict(to)
				want := power(1, d, t0+h*float64(7+k))
				rthstest.Near(t, fmt.Sprintf("%T on t^%d, %d main steps on", tc.p, d, k), to[0], want, 1e-9)
				rthstest.Near(t, "the second coordinate", to[1], -2*want, 1e-9)
				ahead.suppose(to)
			}
		}
	}
	// Dual explicit: the integrator's own motion with α ü of degree 4.
	p := newPredictor(weightsOf(t, &DualExplicit{Lambda: 3}), 1, h)
	u, v := 0.1, 1.0
	to := []float64{0}
	for i := range 14 {
		s := float64(i) - 4
		a, before := 1+s-s*s+s*s*s*s/10, v
		u, v = u+h*v+h*h*a, v+h*a // eqs 2 and 3 with α ü = a
		if i >= 6 {
			p.predict(to)
			rthstest.Near(t, fmt.Sprintf("dual-explicit, main step %d", i), to[0], u, 1e-9)
		}
		if i < 8 {
			p.learn(&result{u: []float64{u}, v: []float64{v}, known: []float64{before}, a: []float64{a}})
		} else {
			p.suppose(to)
		}
	}
}

// Beyond the late main steps that are allowed the integrator fails, and stays failed.
func TestTooManyLateResultsFail(t *testing.T) {
	for allowed := 1; allowed < 5; allowed++ {
		dead := late(t, TwoRate{Steps: 7, Predictor: &Polynomial3{}, Late: allowed}, &Gui{Lambda: 3}, shearFrame(t, 3),
			func(i int) int { return max(0, i-5) })
		failed := -1
		onOneGround(7*20, []integrator{dead}, func(k int, targets []rths.Motion) {
			bad := math.IsNaN(targets[0].X[0])
			if err := dead.(rths.Failer).Err(); bad != (err != nil) {
				t.Fatalf("sample %d: target %g, error %v", k, targets[0].X[0], err)
			}
			if bad && failed < 0 {
				failed = k
			}
		})
		// Step 6 is the first without result: it is missed at main instant 6, and then for `allowed` more.
		if want := 7 * (6 + allowed); failed != want {
			t.Errorf("%d allowed: failed at sample %d: want %d", allowed, failed, want)
		}
		want := fmt.Sprintf(
			"main step 6 of the numerical part has given no result: the target has been the predicted one for %d main "+
				"steps", allowed)
		if err := dead.(rths.Failer).Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q", err, want)
		}
	}
}
