package rths_test

import (
	"math"
	"math/cmplx"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/lti"
	"rths/rthstest"
)

// The force of meter is a straight line, 10k at tick k. Behind a delay of n samples,
// f + q (f − f_before) is the line q − n samples away, exactly, from the second delayed
// sample on.
func TestForcePredictionOfAStraightLine(t *testing.T) {
	for delay := range 3 {
		for _, q := range []float64{1, 1.5, 2} {
			b := newTestbed(t, true, rths.Timing{ForceDelay: delay, ForcePredict: q}, nil)
			if err := b.loop.Run(0, nil); err != nil {
				t.Fatal(err)
			}
			for k, got := range b.in.forces {
				if want := 10 * (float64(k) - float64(delay) + q); k > delay && math.Abs(got-want) > 1e-12 {
					t.Errorf("delay %d, q %g, tick %d: %g N, want %g", delay, q, k, got, want)
				}
			}
			if f := b.loop.Frame().Force[0]; f != b.in.forces[len(b.in.forces)-1] {
				t.Errorf("the frame shows %g N, the integrator used %g", f, b.in.forces[len(b.in.forces)-1])
			}
		}
	}
}

func TestForcePredictionWrongInput(t *testing.T) {
	for _, q := range []float64{-1, math.NaN(), math.Inf(1)} {
		_, err := rths.NewLoop(testConfig(rths.Timing{ForcePredict: q}, false))
		rthstest.WantError(t, err, "want 0 (none) or more")
	}
	_, err := rths.NewLoop(testConfig(rths.Timing{ForcePredict: 1}, true))
	rthstest.WantError(t, err, "in an open loop, which uses no force")
}

func testConfig(timing rths.Timing, open bool) rths.Config {
	tr := &trace{}
	return rths.Config{
		RateHz: 100, Samples: 5, Timing: timing, Open: open, Axes: 1, Forces: 1,
		Integrator: &counter{trace: tr}, Compensator: &copier{tr}, Rig: &meter{trace: tr},
	}
}

// Free motion of a loop with a predicted force grows or decays as its Jacobian says, also
// where the compensator has the acceleration with the force of its own tick; and the
// prediction changes the roots.
func TestGrowthWithAPredictedForce(t *testing.T) {
	radius := map[string]float64{}
	for _, kind := range []string{"none", "kalman-inverse"} {
		for _, timing := range []string{"timing={force_delay: 1}", "timing={force_delay: 1, force_predict: 1.5}", "timing={force_predict: 0.5}"} {
			l := siso(t, pulse(10), "compensator.kind="+kind, timing, "diverged_m=1e200").Loop
			j, err := l.Jacobian()
			if err != nil {
				t.Fatal(err)
			}
			roots, err := lti.Eigenvalues(mat.NewDense(j.N, j.N, j.J))
			if err != nil {
				t.Fatal(err)
			}
			want := math.Log(cmplx.Abs(roots[len(roots)-1]))
			got := simulatedRate(t, l, j, ticksTo(roots))
			if d := math.Abs(got - want); !(d <= max(0.01*math.Abs(want), 1e-6)) {
				t.Errorf("%s, %s: simulated ln|growth| %.6g per step, spectral radius %.6g", kind, timing, got, want)
			}
			radius[kind+timing] = want
		}
	}
	for _, kind := range []string{"none", "kalman-inverse"} {
		if a, b := radius[kind+"timing={force_delay: 1}"], radius[kind+"timing={force_delay: 1, force_predict: 1.5}"]; math.Abs(a-b) < 1e-6 {
			t.Errorf("%s: ln|growth| %g without prediction, %g with: want a difference", kind, a, b)
		}
	}
}

// The acceleration that a PromptUser is given fulfils the equation of motion with the force of
// its own tick: m a = −m ag − c v − k x − f of the numerical part.
func TestPromptAccelerationFulfilsTheEquationOfMotion(t *testing.T) {
	run := siso(t, pulse(10), "compensator.kind=kalman-inverse", "timing={force_delay: 1}")
	l := run.Loop
	p, _, _, _, err := run.Scenario.Partition()
	if err != nil {
		t.Fatal(err)
	}
	for range 3000 {
		if err := l.Step(); err != nil {
			t.Fatal(err)
		}
		f := l.Frame()
		if f.K == 10 { // where the pulse is cut off
			continue
		}
		n := p.N()
		force := make([]float64, n)
		for i := range n {
			for j := range n {
				force[i] -= p.C.At(i, j)*f.Num.V[j] + p.K.At(i, j)*f.Num.X[j]
			}
			force[i] -= p.Load.At(i, 0) * f.Ground[0]
		}
		for i, d := range p.Interface {
			force[d] -= f.Force[i]
		}
		var a mat.VecDense
		if err := a.SolveVec(p.M, mat.NewVecDense(n, force)); err != nil {
			t.Fatal(err)
		}
		if d := p.Interface[0]; math.Abs(a.AtVec(d)-f.Target.A[0]) > 1e-9*(1+math.Abs(a.AtVec(d))) {
			t.Fatalf("tick %d: target's acceleration %.12g m/s², equation of motion %.12g", f.K, f.Target.A[0], a.AtVec(d))
		}
	}
}
