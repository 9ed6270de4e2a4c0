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
)

// twoRates are two-rate integrators with every predictor, and with the force
// correction.
func twoRates() map[string]*TwoRate {
	out := map[string]*TwoRate{"force correction": {Steps: 20, Predictor: &NoPrediction{}, ForceFit: 8}}
	for _, kind := range Predictors {
		out[kind.Name] = &TwoRate{Steps: 20, Predictor: kind.Defaults()}
	}
	return out
}

// made is a two-rate integrator of a Gui one with λ = 3.
func (o *TwoRate) made(t rthstest.TB, h float64) integrator {
	t.Helper()
	in, err := o.Make(&Gui{Lambda: 3}, benchmarkPart, h)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return in.(integrator)
}

var benchmarkPart = byHand(2, []float64{1000, 0, 0, 1000}, []float64{4251.954, -1422, -1422, 2829.954},
	[]float64{2e6, -1e6, -1e6, 1e6}, mat.NewDense(2, 1, []float64{1000, 1000}), 0)

// Section 2 and Figs 3 and 5 written out for one degree of freedom with a spring k
// as specimen on a perfect actuator: u[i+1] from the force of t[i], where the
// specimen is at the target of t[i]; the target of t[i+1] from u[i], u̇[i], ü[i−1] and
// what was before (in the paper's count, u[i+2] from u[i+1]).
func TestTwoRateIsThePapersTimeline(t *testing.T) {
	const h, n, lambda, k, m, omega, zeta = 1.0 / 2048, 20, 3.0, 3e5, 1000.0, 15.0, 0.02
	const dt = n * h
	alpha := 2 * lambda * m / (2*lambda*m + lambda*dt*2*zeta*omega*m + 2*dt*dt*omega*omega*m) // (4)
	ground := func(t float64) float64 { return 2 * math.Sin(9*t) }
	next := map[string]func(u, v, a []float64) float64{ // newest last
		"none":  func(u, _, _ []float64) float64 { return u[len(u)-1] },
		"poly3": func(u, _, _ []float64) float64 { i := len(u) - 1; return 4*u[i] - 6*u[i-1] + 4*u[i-2] - u[i-3] },
		"newmark-explicit": func(u, v, a []float64) float64 {
			i := len(u) - 2
			return u[i] + 2*dt*v[i] + 2*dt*dt*a[len(a)-1]
		},
		"dual-explicit": func(u, v, a []float64) float64 { // (6) with (5)
			i, j := len(u)-1, len(a)-1
			return u[i] + dt*v[i] + alpha*dt*dt*(5*a[j]-10*a[j-1]+10*a[j-2]-5*a[j-3]+a[j-4])
		},
	}
	for _, kind := range Predictors {
		predict := next[kind.Name]
		if predict == nil {
			continue
		}
		in, err := (&TwoRate{Steps: n, Predictor: kind.Defaults()}).Make(&Gui{Lambda: lambda}, sdof(omega, zeta), h)
		if err != nil {
			t.Fatal(err)
		}
		part := sdof(omega, zeta)
		part.Interface = []int{0}
		u, v, a := make([]float64, 6), make([]float64, 6), make([]float64, 5) // rest: u[0], u̇[0], ü[−1]
		target, felt, specimen := rths.NewMotion(1), rths.NewReading(1, 1), 0.0
		for i := range 60 {
			from, to := specimen, predict(u, v, a)
			now := len(u) - 1
			acc := -ground(float64(i)*dt) - (2*zeta*omega*m*v[now]+omega*omega*m*u[now]+k*from)/m
			u = append(u, u[now]+dt*v[now]+alpha*dt*dt*acc) // (2)
			v = append(v, v[now]+alpha*dt*acc)              // (3)
			a = append(a, acc)
			for s := range n {
				at := (float64(i*n) + float64(s)) * h
				felt.X[0], felt.F[0] = specimen, k*specimen
				in.Step(&target, []float64{ground(at), ground(at + h/2), ground(at + h)}, &felt)
				want := from + float64(s+1)/n*(to-from)
				rthstest.Near(t, fmt.Sprintf("%s: target of sample %d of main step %d", kind.Name, s, i), target.X[0], want, 1e-12)
				specimen = target.X[0]
			}
		}
		if largest(u) < 1e-3 {
			t.Errorf("%s: the structure rested", kind.Name)
		}
	}
}

// Newmark's method knows u̇[i] only with the force of t[i]: the predictors that look a
// main step back take that one, not what it was thought to be before. Written out for
// one degree of freedom with a spring k as specimen on a perfect actuator.
func TestTwoRateTakesNewmarksVelocity(t *testing.T) {
	const h, n, k, m, omega, zeta = 1.0 / 2048, 20, 3e5, 1000.0, 15.0, 0.05
	const dt = n * h
	ground := func(t float64) float64 { return 2 * math.Sin(9*t) }
	for _, kind := range []struct {
		p         Predictor
		now, past float64 // Δt² times the last acceleration and the one before
	}{{&NewmarkPrediction{}, 2, 0}, {&LinearAcceleration{}, 10.0 / 3, -4.0 / 3}} {
		part := sdof(omega, zeta)
		part.Interface = []int{0}
		in, err := (&TwoRate{Steps: n, Predictor: kind.p}).Make(&NewmarkExplicit{}, part, h)
		if err != nil {
			t.Fatal(err)
		}
		target, felt := rths.NewMotion(1), rths.NewReading(1, 1)
		var u, u1, v, a, a1, specimen float64 // 1: a main step before
		for i := range 60 {
			from, to := specimen, u1+2*dt*v+dt*dt*(kind.now*a+kind.past*a1)
			known := v + dt/2*a
			acc := (-ground(float64(i)*dt) - (2*zeta*omega*m*known+omega*omega*m*u+k*from)/m) / (1 + zeta*omega*dt)
			a1, a, v = a, acc, known+dt/2*acc
			u1, u = u, u+dt*v+dt*dt/2*a
			for s := range n {
				at := (float64(i*n) + float64(s)) * h
				felt.X[0], felt.F[0] = specimen, k*specimen
				in.Step(&target, []float64{ground(at), ground(at + h/2), ground(at + h)}, &felt)
				rthstest.Near(t, fmt.Sprintf("%T: target of sample %d of main step %d", kind.p, s, i), target.X[0],
					from+float64(s+1)/n*(to-from), 1e-12)
				specimen = target.X[0]
			}
		}
		if math.Abs(u)+math.Abs(u1) < 1e-4 {
			t.Errorf("%T: the structure rested", kind.p)
		}
	}
}

// Without a force the target of "none" is the integrator's displacement a main step
// late, and main steps of one sample are the integrator itself.
func TestNoPredictionIsAMainStepLate(t *testing.T) {
	const h, n = 1.0 / 2048, 20
	in, alone := (&TwoRate{Steps: n, Predictor: &NoPrediction{}}).made(t, h), must(t, &Gui{Lambda: 3}, benchmarkPart, n*h)
	a, b, felt := rths.NewMotion(1), rths.NewMotion(1), rths.NewReading(1, 1)
	before := 0.0
	for i := range 50 {
		for range n {
			in.Step(&a, []float64{math.Sin(float64(i)), 7, 7}, &felt) // what is between main instants is not looked at
		}
		rthstest.Near(t, "target at the end of the main step", a.X[0], before, 0)
		alone.Step(&b, []float64{math.Sin(float64(i)), math.Sin(float64(i)), math.Sin(float64(i))}, &felt)
		before = b.X[0]
	}
}

// The target never jumps: within a main step it is a line, and the line starts
// where the last one ended.
func TestTargetHasNoJump(t *testing.T) {
	const h, n = 1.0 / 2048, 20
	for name, o := range twoRates() {
		in := o.made(t, h)
		target, felt := rths.NewMotion(1), rths.NewReading(1, 1)
		x := []float64{0}
		for k := range 30 * n {
			felt.X[0], felt.F[0] = x[k], 2e5*x[k]
			in.Step(&target, []float64{math.Sin(float64(k/n) * 0.2), 0, 0}, &felt)
			derive(in, &target)
			x = append(x, target.X[0])
			rthstest.Near(t, name+": velocity", target.V[0], (x[k+1]-x[k])/h, 1e-10)
		}
		for k := 1; k < len(x)-1; k++ {
			if bend := x[k+1] - 2*x[k] + x[k-1]; k%n != 0 && math.Abs(bend) > 1e-15 {
				t.Fatalf("%s: the target bends by %g at sample %d, within a main step", name, bend, k)
			}
		}
		if largest(x) < 1e-4 {
			t.Errorf("%s: the target rested", name)
		}
	}
}

// At main instants the state shown is the integrator's own; between them its
// displacements go linearly to the next.
func TestTwoRateState(t *testing.T) {
	const h, n = 1.0 / 2048, 20
	for _, kind := range Kinds {
		if must(t, kind.Defaults(), benchmarkPart, h).Closing() {
			continue // refused: TestTwoRateErrors
		}
		made, err := (&TwoRate{Steps: n, Predictor: &Polynomial3{}}).Make(kind.Defaults(), benchmarkPart, h)
		if err != nil {
			t.Fatal(err)
		}
		in, alone := made.(integrator), must(t, kind.Defaults(), benchmarkPart, n*h)
		target, felt := rths.NewMotion(1), rths.NewReading(1, 1)
		var x [][]float64
		for k := range 10*n + 1 {
			g := math.Sin(float64(k/n) + 1)
			in.Step(&target, []float64{g, g, g}, &felt)
			derive(in, &target)
			x = append(x, slices.Clone(in.State().X))
			if k%n == 0 {
				alone.Step(&target, []float64{g, g, g}, &felt)
				derive(alone, &target)
			}
			if k%n == 0 && (!slices.Equal(in.State().X, alone.State().X) || !slices.Equal(in.State().V, alone.State().V) ||
				!slices.Equal(in.State().A, alone.State().A)) {
				t.Fatalf("%s: state %+v at sample %d: want %+v", kind.Name, in.State(), k, alone.State())
			}
		}
		for k := 1; k < 10*n; k++ {
			if bend := x[k+1][1] - 2*x[k][1] + x[k-1][1]; k%n != 0 && math.Abs(bend) > 1e-14 {
				t.Fatalf("%s: the state bends by %g within a main step", kind.Name, bend)
			}
		}
	}
}

// A loop with a spring as specimen on a perfect actuator: against the undivided
// structure the error of "none" falls with the main step, the other errors with
// its square or faster, and prediction pays.
func TestTwoRateConverges(t *testing.T) {
	const omega, zeta, k, drive, ends = 12.0, 0.05, 5e4, 6.0, 1.5
	whole := math.Sqrt(omega*omega + k/1000)
	miss := func(p Predictor, dt float64) (e float64) {
		const n = 8
		part := sdof(omega, zeta)
		part.Interface = []int{0}
		in, err := (&TwoRate{Steps: n, Predictor: p}).Make(&Gui{Lambda: 4}, part, dt/n)
		if err != nil {
			t.Fatal(err)
		}
		target, felt := rths.NewMotion(1), rths.NewReading(1, 1)
		for j := range int(ends/dt) * n {
			at := float64(j) * dt / n
			felt.X[0], felt.F[0] = target.X[0], k*target.X[0]
			in.Step(&target, []float64{math.Sin(drive * at), 0, 0}, &felt)
			if j%n == 0 {
				want := -afterSine(whole, zeta*omega/whole, drive, at)
				e = max(e, math.Abs(in.(rths.NumericalState).State().X[0]-want))
			}
		}
		return e
	}
	none := miss(&NoPrediction{}, 1.0/128)
	rthstest.Near(t, "none: order", slope(miss(&NoPrediction{}, 1.0/256), miss(&NoPrediction{}, 1.0/512)), 1, 0.1)
	for _, kind := range Predictors[1:] {
		fine := miss(kind.Defaults(), 1.0/256)
		order := slope(fine, miss(kind.Defaults(), 1.0/512))
		t.Logf("%s: error %.2g at 1/128 s, order %.2f", kind.Name, miss(kind.Defaults(), 1.0/128), order)
		if coarse := miss(kind.Defaults(), 1.0/128); coarse > none/3 {
			t.Errorf("%s: error %.2g: want far below %.2g without prediction", kind.Name, coarse, none)
		}
		if order < 1.9 {
			t.Errorf("%s: order %.2f: want 2", kind.Name, order)
		}
	}
}

// Where measured displacement and force are quadratics of time the corrected force
// belongs to the desired displacement, later or earlier than now, to rounding.
func TestForceCorrection(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := rapid.IntRange(3, 20).Draw(t, "samples")
		c := newForceFit(samples, 2, 20)
		d1, d2 := rapid.Float64Range(0.5, 2).Draw(t, "speed"), rapid.Float64Range(-0.01, 0.01).Draw(t, "bend")
		s := rapid.Float64Range(-19, 19).Draw(t, "s*")
		d := func(s float64) float64 { return 3 + s*(d1+s*d2) }
		f := func(s float64) float64 { return 1e3 - s*(40+2*s) }
		for k := samples - 1; k >= 0; k-- {
			at := -float64(k)
			c.push(&rths.Reading{Motion: rths.Motion{X: []float64{0, d(at)}}, F: []float64{5, f(at)}})
		}
		force := []float64{5, f(0)}
		c.correct(force, []float64{1, d(s)})
		rthstest.Near(t, "force", force[1], f(s), 1e-6*(1+math.Abs(f(s))))
		rthstest.Near(t, "force of a specimen that rests", force[0], 5, 0)
	})
}

// The measured force is kept where the desired displacement is out of reach or
// nowhere.
func TestForceCorrectionWithoutRoot(t *testing.T) {
	for name, desired := range map[string]float64{"more than a main step away": 25, "beyond the turning point": -1e6} {
		c := newForceFit(8, 1, 20)
		for k := 7; k >= 0; k-- {
			s := -float64(k)
			c.push(&rths.Reading{Motion: rths.Motion{X: []float64{s + 1e-3*s*s}}, F: []float64{7 * s}})
		}
		force := []float64{0.5}
		if c.correct(force, []float64{desired}); force[0] != 0.5 {
			t.Errorf("%s: force %g: want the measured one", name, force[0])
		}
	}
}

func TestNearestRoot(t *testing.T) {
	for _, tc := range []struct{ a, b, c, want float64 }{
		{1, -3, 2, 1}, {1, 3, 2, -1}, {0, 2, -4, 2}, {1e-18, 1, -1, 1}, {-2, 0, 8, 2}, {1, 5, 0, 0},
	} {
		got, ok := nearestRoot(tc.a, tc.b, tc.c)
		if !ok || math.Abs(math.Abs(got)-math.Abs(tc.want)) > 1e-14 || math.Abs(tc.a*got*got+tc.b*got+tc.c) > 1e-13 {
			t.Errorf("%g s² + %g s + %g: root %g, %v: want %g", tc.a, tc.b, tc.c, got, ok, tc.want)
		}
	}
	for _, none := range [][3]float64{{1, 0, 1}, {0, 0, 3}, {math.NaN(), 1, 1}} {
		if s, ok := nearestRoot(none[0], none[1], none[2]); ok {
			t.Errorf("%g: root %g: want none", none, s)
		}
	}
}

func TestTwoRateErrors(t *testing.T) {
	part := sdof(100, 0)
	for _, tc := range []struct {
		o    TwoRate
		m    Maker
		want string
	}{
		{TwoRate{Steps: 0}, &CR{}, "main step of 0 samples: want 1 to"},
		{TwoRate{Steps: -3}, &CR{}, "main step of -3 samples: want 1 to"},
		{TwoRate{Steps: 1e6}, &CR{}, "main step of 1000000 samples: want 1 to"},
		{TwoRate{Steps: 2, ForceFit: 2}, &CR{}, "through 2 samples: want 3 to"},
		{TwoRate{Steps: 20}, &NewmarkExplicit{}, "main step of 20 samples: newmark-explicit: step 0.0"},
		{TwoRate{Steps: 2}, &AverageAcceleration{}, "want a leading integrator that shows its state, such as rk4"},
	} {
		tc.o.Predictor = &Polynomial2{}
		_, err := tc.o.Make(tc.m, part, 0.001*2)
		rthstest.WantError(t, err, tc.want)
	}
}

// Released from rest away from it with the specimen's force, the target begins
// where the specimen is.
func TestTwoRateStart(t *testing.T) {
	for name, o := range twoRates() {
		in := o.made(t, 1.0/2048)
		if err := in.(Starter).Start([]float64{0.01, 0.02}, []float64{-1e4}); err != nil {
			t.Fatal(err)
		}
		target := rths.NewMotion(1)
		in.Step(&target, make([]float64, 3), &rths.Reading{Motion: rths.Motion{X: []float64{0.01}}, F: []float64{-1e4}})
		rthstest.Near(t, name+": target", target.X[0], 0.01, 2e-6)
		nearAll(t, name+": state", in.State().X, []float64{0.01, 0.02}, 1e-15)
	}
}

// With results that are a main step late the structure is shown where it starts until the first has come.
func TestTwoRateStartsLate(t *testing.T) {
	for name, o := range twoRates() {
		o.Own, o.Late = true, 1
		in := o.made(t, 1.0/2048)
		if err := in.(Starter).Start([]float64{0.01, 0.02}, []float64{-1e4}); err != nil {
			t.Fatal(err)
		}
		target := rths.NewMotion(1)
		for range o.Steps {
			in.Step(&target, []float64{1, 1, 1}, &rths.Reading{Motion: rths.Motion{X: []float64{0.01}}, F: []float64{-1e4}})
			nearAll(t, name+": state", in.State().X, []float64{0.01, 0.02}, 1e-15)
		}
	}
}

// A state of another test, whose place in the main step is none of this one, is taken for the nearest place.
func TestTwoRateStateOfAnother(t *testing.T) {
	const n = 4
	made := rthstest.Must((&TwoRate{Steps: n, Predictor: &Polynomial3{}}).Make(&CentralDifference{}, benchmarkPart,
		1.0/2048))
	in := made.(*twoRate)
	target, felt := rths.NewMotion(1), rths.NewReading(1, 1)
	for _, c := range []struct {
		phase float64
		want  int
	}{{-7, 0}, {2.2, 2}, {99, n - 1}} {
		state := rths.AppendState(nil, in)
		state[len(rths.AppendState(nil, in.calc))] = c.phase
		if rths.SetState(state, in); in.phase != c.want {
			t.Errorf("place %g: found %d, want %d", c.phase, in.phase, c.want)
		}
		in.Step(&target, make([]float64, 3), &felt)
	}
}
