package analyse

import (
	"context"
	"errors"
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
	"rths/scenario"
)

// forceLoop is the whole loop of a scenario cut where the integrator takes the
// force: L(z) = −(force that comes back)/(force put in), so that 1 + L has the
// roots of the closed loop. Its parts are the parts of the test: the matrix of the
// integrator, found by probing, and the response of compensator (frozen), hold, plant,
// specimen and load cell to one sample of target, found by running them (OpenLoop).
type forceLoop struct {
	// integrator goes from the force to the target's displacement, velocity and
	// acceleration in the step that uses the force.
	integrator *lti.Sweep
	force      *OpenLoop // target → force, N/m
	late       int       // samples between: force delay, and a leading integrator's step
	prompt     float64   // M⁻¹, 1/kg, where the loop brings the acceleration up to date; else 0
	predict    float64   // q of the force used, f + q (f − f_before)
	h          float64   // s
}

// newForceLoop probes and runs the parts.
func newForceLoop(ctx context.Context, s *scenario.Scenario) (*forceLoop, error) {
	run, err := s.AtRest(ctx)
	if err != nil {
		return nil, err
	}
	if err := notInvariant(s); err != nil {
		return nil, err
	}
	force, err := openTo(s, func(f *rths.Frame) float64 { return f.Read.F[0] })
	if err != nil {
		return nil, err
	}
	integ := run.Loop.Config().Integrator
	g, err := probeIntegrator(integ, run.Loop.Config().Components, 1/s.RateHz)
	if err != nil {
		return nil, s.At("integrator", err)
	}
	l := &forceLoop{integrator: g.Sweep(), force: force, late: s.Timing.ForceDelay, predict: s.Timing.ForcePredict,
		h: 1 / s.RateHz}
	if !integ.Closing() {
		l.late++
	}
	c := run.Loop.Config()
	if m := c.AccelerationUpdate(); m != nil {
		l.prompt = m[0]
	}
	return l, nil
}

// notInvariant is the error of a loop that is not the same in every sample.
func notInvariant(s *scenario.Scenario) error {
	if s.TwoRate == nil || s.TwoRate.MainStep <= 1 {
		return nil
	}
	return s.At("two_rate",
		errors.New("a loop with main steps is not time-invariant and has no Nyquist curve: judge by the spectral radius "+
			"of a main step"))
}

// At is L at z.
func (l *forceLoop) At(z complex128) complex128 {
	g, err := l.integrator.At(z)
	if err != nil {
		return cmplx.NaN()
	}
	sum := g.At(0, 0) * l.force.X.At(z)
	for i, rate := range []lti.Impulse{l.force.V, l.force.A} {
		if len(rate.H) > 0 {
			gain := g.At(1+i, 0)
			if i == 1 { // a ← a − M⁻¹ (f − f_before)
				gain -= complex(l.prompt, 0) * (z - 1)
			}
			sum += gain * rate.At(z)
		}
	}
	q := complex(l.predict, 0)
	return -sum * (1 + q - q/z) * cmplx.Pow(z, complex(-float64(l.late), 0))
}

// Response is L(e^{jωh}).
func (l *forceLoop) Response(hz float64) complex128 {
	return l.At(cmplx.Exp(complex(0, 2*math.Pi*hz*l.h)))
}

// integratorProbe is as small as the probe of Loop.Jacobian.
const integratorProbe = 1e-6

// probeIntegrator finds the linear map of a step without ground motion.
func probeIntegrator(in rths.Integrator, components int, h float64) (lti.SS, error) {
	st, ok := rths.As[rths.Stateful](in)
	if !ok {
		return lti.SS{}, errors.New("its state cannot be set: want an integrator that can be linearised")
	}
	n := len(rths.AppendState(nil, st))
	if n == 0 {
		return lti.SS{}, errors.New("it has no state")
	}
	ground, felt, target := make([]float64, 3*max(1, components)), rths.NewReading(1, 1), rths.NewMotion(1)
	derive, _ := rths.As[rths.Deriver](in)
	image := func(input []float64) []float64 {
		rths.SetState(input[:n], st)
		felt.F[0] = input[n]
		in.Step(&target, ground, &felt)
		if derive != nil {
			derive.Derive(&target)
		}
		return append(rths.AppendState(nil, st), target.X[0], target.V[0], target.A[0])
	}
	input := make([]float64, n+1)
	rest := image(input)
	a, b := mat.NewDense(n, n, nil), mat.NewDense(n, 1, nil)
	c, d := mat.NewDense(3, n, nil), mat.NewDense(3, 1, nil)
	for j := range input {
		input[j] = integratorProbe
		state, out := a, c
		at := j
		if j == n {
			state, out, at = b, d, 0
		}
		for i, v := range image(input) {
			v = (v - rest[i]) / integratorProbe
			if i < n {
				state.Set(i, at, v)
			} else {
				out.Set(i-n, at, v)
			}
		}
		input[j] = 0
	}
	return lti.NewSS(a, b, c, d, h)
}
