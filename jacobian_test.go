package rths_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/kit/rthstest"
	"rths/maths/lti"
	"rths/method/compensate"
	"rths/scenario"
	"rths/scenarios"
)

// pulse is a short knock at the start of n samples, in place of an earthquake.
func pulse(n int) *scenario.Shaking {
	s := &scenario.Shaking{Samples: n, Half: make([]float64, 2*n+1)}
	for j := range min(200, len(s.Half)) {
		s.Half[j] = math.Sin(math.Pi * float64(j) / 200)
	}
	return s
}

// siso builds the shipped benchmark scenario with changes, on the given motion.
func siso(t testing.TB, shaking *scenario.Shaking, sets ...string) *scenario.Run {
	t.Helper()
	return shipped(t, "benchmark-siso.yaml", shaking, sets)
}

// multiAxial is the same for two actuators.
func multiAxial(t testing.TB, shaking *scenario.Shaking, sets ...string) *scenario.Run {
	t.Helper()
	return shipped(t, "benchmark-multiaxial.yaml", shaking, sets)
}

func shipped(t testing.TB, file string, shaking *scenario.Shaking, sets []string) *scenario.Run {
	t.Helper()
	text, err := scenarios.Files.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(sets, func(set string) bool { return strings.Contains(set, "kind=tvc") }) {
		sets = append(slices.Clone(sets), "sensors.acceleration=true")
	}
	s, err := scenario.Parse(file, text, ".", sets)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Build(t.Context(), scenario.Options{Shaking: shaking})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func radius(t *testing.T, j *rths.Jacobian) float64 {
	t.Helper()
	r, err := lti.SpectralRadius(mat.NewDense(j.N, j.N, j.J))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The spectral radius of the whole loop's Jacobian says how fast free motion
// decays: case 1 with PI, rate of decay within 0.1 %.
func TestJacobianAgainstDecay(t *testing.T) {
	r := siso(t, pulse(20*4096), "compensator.kind=pi", "compensator.quantum_m=0", "converters.reading=none", "sensors=")
	j, err := r.Loop.Jacobian()
	if err != nil {
		t.Fatal(err)
	}
	want := -math.Log(radius(t, j)) * 4096 // 1/s
	var times, logs []float64
	var last, before float64
	for !r.Loop.Done() {
		if err := r.Loop.Step(); err != nil {
			t.Fatal(err)
		}
		f := r.Loop.Frame()
		if x := math.Abs(f.Target.X[0]); f.T > 3 {
			if before < last && last > x {
				times, logs = append(times, f.T-1.0/4096), append(logs, math.Log(last))
			}
			before, last = last, x
		}
	}
	got := -slope(times, logs)
	if len(times) < 50 || math.Abs(got-want) > 1e-3*want {
		t.Errorf("simulated decay %.6g 1/s over %d peaks, Jacobian %.6g 1/s", got, len(times), want)
	}
	t.Logf("decay: simulated %.6f 1/s, Jacobian %.6f 1/s, spectral radius %.9f over %d states", got, want,
		math.Exp(-want/4096), j.N)
}

// slope is the slope of the regression line.
func slope(x, y []float64) float64 {
	var mx, my, sxy, sxx float64
	for i := range x {
		mx, my = mx+x[i]/float64(len(x)), my+y[i]/float64(len(x))
	}
	for i := range x {
		sxy, sxx = sxy+(x[i]-mx)*(y[i]-my), sxx+(x[i]-mx)*(x[i]-mx)
	}
	return sxy / sxx
}

// For every compensator, frozen, a tick of the idealised loop from any state is
// the Jacobian times that state.
func TestJacobianIsTheTick(t *testing.T) {
	for _, set := range rthstest.Compensators(compensate.Kinds) {
		t.Run(set, func(t *testing.T) {
			r := siso(t, pulse(10), set)
			l := r.Loop
			j, err := l.Jacobian()
			if err != nil {
				t.Fatal(err)
			}
			l.Freeze(true)
			l.Idealise(true)
			rng := rand.New(rand.NewPCG(1, 2))
			state := make([]float64, len(l.AppendState(nil)))
			kept := make([]float64, j.N)
			for i, at := range j.Index {
				kept[i] = 1e-6 * rng.NormFloat64()
				state[at] = kept[i]
			}
			l.SetState(state)
			still(l)
			if err := l.Step(); err != nil {
				t.Fatal(err)
			}
			after := l.AppendState(nil)
			for i, at := range j.Index {
				want, size := 0.0, 1e-18
				for c, v := range kept {
					want += j.J[i*j.N+c] * v
					size += math.Abs(j.J[i*j.N+c] * v)
				}
				if math.Abs(after[at]-want) > 1e-9*size {
					t.Errorf("state %d: the tick gives %g, the Jacobian %g", at, after[at], want)
				}
			}
		})
	}
}

// still moves a loop past its ground motion: Resume at a tick without any.
func still(l *rths.Loop) {
	c := l.Checkpoint()
	c[0] = 1000
	if err := l.Resume(c); err != nil {
		panic(err)
	}
}

// Uncompensated, case 1 is unstable; PI, AMB's and KF's starting points are
// stable, and so is
// model-based feedforward with and without its feedback.
func TestJacobianSaysWhatIsStable(t *testing.T) {
	for name, stable := range map[string]bool{"none": false, "pi": true, "amb": true, "kf": true, "mbc": true,
		"mbc-lqg": true} {
		for c := 1; c <= 4; c++ {
			r := siso(t, pulse(10), "compensator.kind="+name, fmt.Sprintf("structure.case=%d", c))
			j, err := r.Loop.Jacobian()
			if err != nil {
				t.Fatal(err)
			}
			if got := radius(t, j); (got < 1) != stable {
				t.Errorf("%s, case %d: spectral radius %.6f, stable: %v", name, c, got, stable)
			}
		}
	}
}

// Taking the Jacobian in the middle of a run leaves the run as it was.
func TestJacobianLeavesTheLoopAlone(t *testing.T) {
	for _, name := range []string{"pi", "amb", "kf-table5"} {
		a, b := siso(t, pulse(3000), "compensator.kind="+name), siso(t, pulse(3000), "compensator.kind="+name)
		for k := range 3000 {
			if k == 1500 {
				if _, err := b.Loop.Jacobian(); err != nil {
					t.Fatal(err)
				}
			}
			if err := a.Loop.Step(); err != nil {
				t.Fatal(err)
			}
			if err := b.Loop.Step(); err != nil {
				t.Fatal(err)
			}
			if x, y := a.Loop.Frame().Read.X[0], b.Loop.Frame().Read.X[0]; x != y {
				t.Fatalf("%s: tick %d reads %g, and %g after a Jacobian", name, k, x, y)
			}
		}
	}
}

// For every compensator, frozen, free motion of the loop grows or decays as the
// spectral radius says: within 1 % of the rate or 1e-6 per step.
func TestGrowthIsTheSpectralRadius(t *testing.T) {
	for _, set := range rthstest.Compensators(compensate.Kinds) {
		t.Run(set, func(t *testing.T) {
			l := siso(t, pulse(10), set, "diverged_m=1e200").Loop
			j, err := l.Jacobian()
			if err != nil {
				t.Fatal(err)
			}
			roots, err := lti.Eigenvalues(mat.NewDense(j.N, j.N, j.J))
			if err != nil {
				t.Fatal(err)
			}
			want, ticks := math.Log(cmplx.Abs(roots[len(roots)-1])), ticksTo(roots)
			got := simulatedRate(t, l, j, ticks)
			if d := math.Abs(got - want); !(d <= max(0.01*math.Abs(want), 1e-6)) {
				t.Errorf("simulated ln|growth| %.6g per step over %d ticks, spectral radius %.6g", got, ticks, want)
			}
			t.Logf("per step: simulated %.9g, spectral radius %.9g (%d ticks)", got, want, ticks)
		})
	}
}

// With two rates the Jacobian spans a main step, and tells what a test does: with
// a loop that decays and with one that grows, for predictors of every sort.
func TestGrowthOfTwoRates(t *testing.T) {
	unstable := 0
	for _, sets := range [][]string{
		{"two_rate.predictor.kind=none"}, {"two_rate.predictor.kind=poly3"}, {"two_rate.predictor.kind=dual-explicit"},
		{"two_rate.predictor.kind=newmark-explicit"},
		{"compensator.kind=none", "transfer.delay_ms=30", "specimen.stiffness=4e5"}, {"two_rate.main_step=40"},
		{"two_rate.main_step=1"},
	} {
		l := shipped(t, "two-rate.yaml", pulse(10), append(sets, "diverged_m=1e200")).Loop
		j, err := l.Jacobian()
		if err != nil {
			t.Fatal(err)
		}
		roots, err := lti.Eigenvalues(mat.NewDense(j.N, j.N, j.J))
		if err != nil {
			t.Fatal(err)
		}
		want := math.Log(cmplx.Abs(roots[len(roots)-1])) / float64(j.Ticks)
		if want > 0 {
			unstable++
		}
		got := simulatedRate(t, l, j, ticksTo(roots)*j.Ticks)
		if d := math.Abs(got - want); !(d <= max(0.01*math.Abs(want), 1e-6)) {
			t.Errorf("%v: simulated ln|growth| %.6g per sample, spectral radius %.6g over %d samples", sets, got, want, j.Ticks)
		}
		t.Logf("%v: per sample: simulated %.9g, spectral radius %.9g", sets, got, want)
	}
	if unstable == 0 {
		t.Error("no loop is unstable: want both sorts")
	}
}

// ticksTo is how long to wait until all but the dominant pair are a millionth of it.
func ticksTo(roots []complex128) int {
	first := roots[len(roots)-1]
	for i := len(roots) - 2; i >= 0; i-- {
		if cmplx.Abs(roots[i]-cmplx.Conj(first)) > 1e-9 {
			return min(int(math.Log(1e6)/math.Log(cmplx.Abs(first)/cmplx.Abs(roots[i])))+1000, 400_000)
		}
	}
	return 1000
}

// simulatedRate is ln|λ| of the motion left after some ticks from a random state:
// a pair λ obeys y[k+2p] = 2 Re λᵖ y[k+p] − |λ|²ᵖ y[k], fitted by least squares.
func simulatedRate(t *testing.T, l *rths.Loop, j *rths.Jacobian, ticks int) float64 {
	t.Helper()
	l.Freeze(true)
	l.Idealise(true)
	state, rng := make([]float64, len(l.AppendState(nil))), rand.New(rand.NewPCG(1, 2))
	for _, at := range j.Index {
		state[at] = 1e-9 * rng.NormFloat64()
	}
	l.SetState(state)
	still(l)
	const window = 8192
	p := 256 / j.Ticks * j.Ticks // a quarter of the first period, in whole main steps
	var y []float64
	for k := range ticks + window {
		if err := l.Step(); err != nil {
			t.Fatal(err)
		}
		if k >= ticks {
			y = append(y, l.Frame().Target.X[0])
		}
	}
	var a, b, c, d, e float64 // normal equations
	for k := range window - 2*p {
		u, v, w := y[k+p], y[k], y[k+2*p]
		a, b, c, d, e = a+u*u, b+u*v, c+v*v, d+u*w, e+v*w
	}
	square := -(a*e - b*d) / (a*c - b*b)
	return math.Log(square) / float64(2*p)
}
