// Package growth says whether motion of a built loop grows: the loop is linearised about rest, and the roots of one
// tick tell.
package growth

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
	"rths/scenario"
)

// Radius is the spectral radius of one tick of the whole loop of a built test,
// linearised about rest, with the initial parameters of adaptive compensators: below 1
// motion decays. Call Radius before the first tick. A loop without states gives NaN.
func Radius(ctx context.Context, r *scenario.Run) (float64, error) {
	roots, err := Roots(ctx, r)
	if err != nil || len(roots) == 0 {
		return math.NaN(), err
	}
	return cmplx.Abs(roots[len(roots)-1]), nil
}

// Roots are the eigenvalues of one tick of the loop, the largest last. With two rates
// they are n-th roots of the eigenvalues of a main step of n samples: frequencies above
// half the rate of main steps are folded down.
func Roots(ctx context.Context, r *scenario.Run) ([]complex128, error) { return RootsLate(ctx, r, 0) }

// RootsLate are the roots of the loop whose commands leave some samples later. Its parts stay as they are: a key
// command_delay of the scenario would be told to a compensator that is made for the plant.
func RootsLate(ctx context.Context, r *scenario.Run, samples int) ([]complex128, error) {
	loop, err := whole(ctx, r, samples)
	if err != nil {
		return nil, err
	}
	j, err := linearised(loop)
	if err != nil || j.N == 0 {
		return nil, err
	}
	roots, err := lti.Eigenvalues(mat.NewDense(j.N, j.N, j.J))
	if err == nil && j.Ticks > 1 {
		for i, z := range roots {
			roots[i] = cmplx.Pow(z, complex(1/float64(j.Ticks), 0))
		}
	}
	return roots, err
}

// whole is the loop of a test with all parts in this process, and its commands some samples later.
func whole(ctx context.Context, r *scenario.Run, samples int) (*rths.Loop, error) {
	if err := r.Scenario.WantUnloaded(); err != nil {
		return nil, err
	}
	if r.Scenario.Separate() {
		together, err := r.Together(ctx) // the same targets, with fewer states
		if err != nil {
			return nil, err
		}
		r = together
	}
	if r.Scenario.Slow() {
		return r.StepLoop(ctx)
	}
	if samples == 0 {
		return r.Loop, nil
	}
	c := r.Loop.Config()
	c.Timing.CommandDelay += samples
	return rths.NewLoop(c)
}

// linearised is the Jacobian of a loop that is not too large.
func linearised(loop *rths.Loop) (*rths.Jacobian, error) {
	if n := len(loop.AppendState(nil)); n > mostProbed {
		return nil, &TooManyStates{n}
	}
	j, err := loop.Jacobian()
	if err == nil && j.N > mostStates {
		return nil, &TooManyStates{j.N}
	}
	return j, err
}

// mostStates is the largest number of states, among those that target and command
// depend on, of a loop whose roots are looked for: up to two seconds for so many, and 8
// times as long for twice as many. The states of a loop are probed one by one, up to
// mostProbed of them, to find those.
const (
	mostStates = 600
	mostProbed = 2000
)

// TooManyStates is the error of a loop with more than mostStates states.
type TooManyStates struct{ States int }

// Error gives the number of states and the remedy.
func (e *TooManyStates) Error() string {
	return fmt.Sprintf(
		"the loop has %d states, more than the %d whose roots can be computed: take fewer degrees of freedom, or run the "+
			"test and see whether motion grows", e.States, mostStates)
}

// Remembers reports whether a root is within 1e-8 of 1: its state keeps its value, such as
// the energy that a yielding specimen has dissipated or the position of a free mass
// (rounding moves the two roots of a free mass some 1e-9 apart). A true motion with such a
// root would take hours to grow.
func Remembers(root complex128) bool { return cmplx.Abs(root-1) < 1e-8 }

// Grows reports whether a motion of the loop grows, up to rounding, and the largest
// magnitude of the roots; roots of states that keep their value do not count.
func Grows(roots []complex128) (grows bool, moving float64) {
	for _, z := range roots {
		if !Remembers(z) {
			moving = max(moving, cmplx.Abs(z))
		}
	}
	return moving > 1+1e-12, moving
}

// Growth is the motion of an unstable loop that grows fastest.
type Growth struct {
	Radius float64 // per sample
	Hz     float64 // of the motion; 0: it does not swing
	PerS   float64 // 1/s
}

// String says how the motion grows.
func (g *Growth) String() string {
	motion := fmt.Sprintf("motion at %.3g Hz", g.Hz)
	if g.Hz == 0 {
		motion = "motion to one side"
	}
	return fmt.Sprintf("its spectral radius is %.6f per sample, want at most 1: %s grows by %.3g 1/s", g.Radius, motion,
		g.PerS)
}

// Of is how motion of a closed loop grows: nil where it does not, or where there is no structure. The loop is
// linearised as in Roots; a damper of passivity counts as absent.
func Of(ctx context.Context, r *scenario.Run) (*Growth, error) {
	if r.Scenario.Loop == "open" || r.Whole == nil {
		return nil, nil
	}
	roots, err := Roots(ctx, r)
	grows, radius := Grows(roots)
	if err != nil || !grows {
		return nil, err
	}
	fastest := slices.IndexFunc(roots, func(z complex128) bool { return cmplx.Abs(z) == radius })
	hz := math.Abs(cmplx.Phase(roots[fastest])) * r.Scenario.StepHz() / (2 * math.Pi)
	return &Growth{Radius: radius, Hz: hz, PerS: math.Log(radius) * r.Scenario.StepHz()}, nil
}

// AtEnd says that motion of the loop grows with what its compensator and devices have learnt by now; "" where it does
// not grow, or where nobody can tell. A rig elsewhere counts as the virtual one of the scenario.
func AtEnd(ctx context.Context, r *scenario.Run) string {
	if r.Scenario.Passivity != nil {
		return ""
	}
	loop, learnt := r, r.Loop.AppendAdaptation(nil)
	if r.Elsewhere || r.Scenario.Separate() {
		still, err := r.Scenario.AtRest(ctx)
		if err != nil || len(still.Loop.AppendAdaptation(nil)) != len(learnt) {
			return ""
		}
		still.Loop.SetAdaptation(learnt)
		loop = still
	}
	g, err := Of(ctx, loop)
	switch {
	case err != nil || g == nil:
		return ""
	case r.Learning != nil:
		return fmt.Sprintf("the loop is unstable with what was learnt during the test: %s", g)
	case len(learnt) > 0:
		return fmt.Sprintf("the loop is unstable with what the compensator has learnt: %s", g)
	}
	return fmt.Sprintf("the loop is unstable: %s (rths lint looks for a setting with which it is stable)", g)
}
