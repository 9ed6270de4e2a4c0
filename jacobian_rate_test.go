package rths_test

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/compensate"
	"rths/lti"
	"rths/rthstest"
)

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
		{"two_rate.predictor.kind=none"}, {"two_rate.predictor.kind=poly3"}, {"two_rate.predictor.kind=dual-explicit"}, {"two_rate.predictor.kind=newmark-explicit"},
		{"compensator.kind=none", "transfer.delay_ms=30", "specimen.stiffness=4e5"}, {"two_rate.main_step=40"}, {"two_rate.main_step=1"},
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
