package scenario

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/lti"
	"rths/plant"
	"rths/structure"
)

// ForceLoop is the whole loop of a scenario cut where the integrator takes the
// force: L(z) = −(force that comes back)/(force put in), so that 1 + L has the
// roots of the closed loop. It is made of what runs the test: the integrator's
// matrix, found by probing, and the response of compensator (frozen), hold, plant,
// specimen and load cell to one sample of target, found by running it (OpenLoop). It
// is evaluated at one frequency at a time.
type ForceLoop struct {
	// integrator is from the force to the target's displacement, velocity and
	// acceleration, of the step that uses the force.
	integrator *lti.Sweep
	force      *OpenLoop // target → force, N/m
	late       int       // samples between: force delay, and a leading integrator's step
	h          float64   // s
}

// ForceLoop probes and runs the parts.
func (s *Scenario) ForceLoop() (*ForceLoop, error) {
	if err := s.wantClosed(); err != nil {
		return nil, err
	}
	if s.TwoRate != nil && s.TwoRate.MainStep > 1 {
		return nil, s.at("two_rate", errors.New("the loop does not do the same in every sample: it has no Nyquist curve, the spectral radius of a main step is what tells"))
	}
	force, err := s.openTo(func(f *rths.Frame) float64 { return f.Read.F[0] })
	if err != nil {
		return nil, err
	}
	run, err := s.AtRest()
	if err != nil {
		return nil, err
	}
	integ := run.Loop.Config().Integrator
	g, err := probeIntegrator(integ, run.Loop.Config().Components, 1/s.RateHz)
	if err != nil {
		return nil, s.at("integrator", err)
	}
	l := &ForceLoop{integrator: g.Sweep(), force: force, late: s.Timing.ForceDelay, h: 1 / s.RateHz}
	if !integ.Closing() {
		l.late++
	}
	return l, nil
}

func (s *Scenario) wantClosed() error {
	if s.Target.Given() || s.Loop == "open" {
		return s.at("loop", errors.New("the loop is open, nothing is fed back: want a closed loop to look at its stability"))
	}
	return nil
}

// At is L at z.
func (l *ForceLoop) At(z complex128) complex128 {
	g, err := l.integrator.At(z)
	if err != nil {
		return cmplx.NaN()
	}
	sum := g.At(0, 0) * l.force.X.At(z)
	for i, rate := range []lti.Impulse{l.force.V, l.force.A} {
		if len(rate.H) > 0 {
			sum += g.At(1+i, 0) * rate.At(z)
		}
	}
	return -sum * cmplx.Pow(z, complex(-float64(l.late), 0))
}

// Response is L(e^{jωh}).
func (l *ForceLoop) Response(hz float64) complex128 {
	return l.At(cmplx.Exp(complex(0, 2*math.Pi*hz*l.h)))
}

// integratorProbe is small, as the probe of Loop.Jacobian.
const integratorProbe = 1e-6

// probeIntegrator finds the linear map of a step without ground motion.
func probeIntegrator(in rths.Integrator, components int, h float64) (lti.SS, error) {
	st, ok := rths.As[rths.Stateful](in)
	if !ok {
		return lti.SS{}, errors.New("its state cannot be set: want one that can be linearised")
	}
	n := len(st.AppendState(nil))
	if n == 0 {
		return lti.SS{}, errors.New("it has no state")
	}
	ground, felt, target := make([]float64, 3*max(1, components)), rths.NewReading(1, 1), rths.NewMotion(1)
	derive, _ := rths.As[rths.Deriver](in)
	image := func(input []float64) []float64 {
		st.SetState(input[:n])
		felt.F[0] = input[n]
		in.Step(&target, ground, &felt)
		if derive != nil {
			derive.Derive(&target)
		}
		return append(st.AppendState(nil), target.X[0], target.V[0], target.A[0])
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

// AtRest is the closed loop of the scenario without ground motion, forces and
// initial displacement, and without what watches it and faults on request: for what
// depends on the loop alone. No records are read.
func (s *Scenario) AtRest() (*Run, error) {
	if err := s.wantClosed(); err != nil {
		return nil, err
	}
	if s.TwoRate != nil && s.TwoRate.ForceFit > 0 {
		return nil, s.at("two_rate", errors.New("force_fit: the correction is not linear about rest: leave it out to look at the loop's stability"))
	}
	still := s.clone()
	still.MoreGround, still.Forces, still.Initial = nil, nil, nil
	still.Indicators, still.Limits, still.Faults = Indicators{}, Limits{}, nil
	return still.Build(Options{Shaking: &Shaking{Samples: 1, Half: make([]float64, 3)}})
}

// Partition divides the scenario's structure, and gives mass, damping and
// stiffness of its specimen, or of its tangent at rest if it is not linear. A
// specimen with states of its own has none that would tell of its dynamics.
func (s *Scenario) Partition() (p *structure.Partition, m, c, k float64, err error) {
	if err := s.wantClosed(); err != nil {
		return nil, 0, 0, 0, err
	}
	b, err := s.physical()
	if err != nil {
		return nil, 0, 0, 0, err
	}
	for _, step := range []struct {
		key string
		do  func() error
	}{{"structure", b.structure}, {"interface_dof", b.interfaceDOF}, {"specimen", b.divide}} {
		if err := step.do(); err != nil {
			return nil, 0, 0, 0, s.at(step.key, err)
		}
	}
	m, c, k, err = tangent(b.spec)
	return b.part, m, c, k, s.at("specimen", err)
}

// ErrNoTangent is the error of a specimen without mass, damping and stiffness that
// describe it at rest.
var ErrNoTangent = errors.New("no mass, damping and stiffness describe it: want a specimen without states of its own, such as linear")

// tangent is the specimen's m, c and k at rest.
func tangent(sp plant.Specimen) (m, c, k float64, err error) {
	if m, c, k, ok := plant.Within(sp); ok { // one that yields: its small motion
		return m, c, k, nil
	}
	if n := sp.States(); n > 0 {
		return 0, 0, 0, fmt.Errorf("it has states of its own (%d): %w", n, ErrNoTangent)
	}
	const small = 1e-7 // m, m/s
	slope := func(x, v float64) float64 {
		f := func(sign float64) float64 {
			motion, force := rths.NewMotion(1), []float64{0}
			motion.X[0], motion.V[0] = sign*x, sign*v
			sp.Rate(nil, force, nil, &motion)
			return force[0]
		}
		return (f(1) - f(-1)) / (2 * small)
	}
	return sp.Mass(), slope(0, small), slope(small, 0), nil
}
