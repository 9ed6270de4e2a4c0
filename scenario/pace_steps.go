package scenario

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/model/integrate"
	"rths/model/plant"
)

// StepLoop is the loop of a slow test without the time between its steps: the numerical part with the specimens as
// springs of their initial stiffness, which are where they were asked to be. Its tick is a step, with one target. Its
// roots tell whether the integrator is stable with the specimens.
func (r *Run) StepLoop(ctx context.Context) (*rths.Loop, error) {
	b := r.Scenario.builder(Options{Shaking: r.Shaking})
	if err := b.shake(); err != nil {
		return nil, err
	}
	parts := []part{{"coupler", b.couple}, {b.s.specimenKey(), func() error { b.drawn = b.s; return b.specimen() }}}
	if err := b.makeUntil(ctx, append(parts, b.numerical()...)...); err != nil {
		return nil, err
	}
	l, _, err := b.stepLoop()
	return l, err
}

func (b *builder) stepLoop() (*rths.Loop, *springs, error) {
	k, err := b.boundary.stiffness(b)
	if err != nil {
		return nil, nil, err
	}
	maker := b.s.Integrator.Params
	if o, ok := maker.(*integrate.AlphaOS); ok {
		maker = &integrate.AlphaOS{Alpha: o.Alpha, Iterations: 1}
	}
	in, err := maker.Make(b.part, b.dt)
	if err != nil {
		return nil, nil, b.s.At("integrator", err)
	}
	n, _ := k.Dims()
	_, components := b.wave()
	of := &springs{k, make([]float64, n), make([]float64, n)}
	l, err := rths.NewLoop(rths.Config{RateHz: 1 / b.dt, Samples: min(b.run.Steps, mostProbedSteps), Components: components,
		Histories: len(b.s.Forces), DivergedM: math.MaxFloat64, Axes: n, Forces: n, Timing: rths.Timing{Target: rths.Next},
		Integrator: in, Compensator: asTold{}, Rig: of})
	return l, of, err
}

// asTold is a compensator that sends the target.
type asTold struct{}

func (asTold) Step(command []float64, target *rths.Motion, _ *rths.Reading) { copy(command, target.X) }

// springs are where they were told to be, but for an error of the displacement, m.
type springs struct {
	k     *mat.Dense
	x     []float64
	wrong []float64
}

func (s *springs) Read(now *rths.Reading) error {
	for i := range s.x {
		now.X[i], now.F[i] = s.x[i], 0
		for j, x := range s.x {
			now.F[i] += s.k.At(i, j) * (x + s.wrong[j])
		}
	}
	return nil
}

func (s *springs) Write(command []float64) error {
	copy(s.x, command)
	return nil
}

func (s *springs) VisitState(v *rths.StateVisitor) { v.Floats(s.x) }

// sensitivity is the largest displacement of the interface over the run, m, for errors of at most 1 m in the
// displacements at which forces are measured, in every step with the sign that does most (the sum of the impulse
// responses' sizes); of linear specimens.
func (b *builder) sensitivity() (float64, error) {
	n, _, _ := b.boundary.size()
	sums := make([]float64, n)
	for j := range n {
		l, of, err := b.stepLoop()
		if err != nil {
			return 0, err
		}
		for of.wrong[j] = 1; !l.Done(); of.wrong[j] = 0 {
			if err := l.Step(); err != nil {
				return 0, err
			}
			for i, x := range l.Frame().InterfaceTarget.X {
				sums[i] += math.Abs(x)
			}
		}
	}
	return slices.Max(sums), nil
}

// mostProbedSteps is as many as the impulse of a structure lasts.
const mostProbedSteps = 100_000

// initialStiffness is the stiffness of a specimen at rest, N/m; 0 of one that has none of its own.
func initialStiffness(spec plant.Specimen) float64 {
	if _, _, k, within := plant.Within(spec); within {
		return k
	}
	_, _, k, _ := plant.Within(plant.AtRest(spec))
	return k
}
