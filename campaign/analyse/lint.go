package analyse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"rths/model/ground"
	"rths/model/structure"
	"rths/scenario"
	"rths/scenario/growth"
)

// Setting gives a scenario with one setting more, as in compensator.order=1.
type Setting func(set string) (*scenario.Scenario, error)

// Lint builds every part of a scenario and refuses an unstable closed loop, unless it is forced: what rths lint says of
// a file, and the workbench of a text. The run is there (not nil) where its parts could be built. Doubts come before,
// from doubts.Of. The geometry is that of a rigid body, or nil.
func Lint(ctx context.Context, name string, s *scenario.Scenario, o scenario.Options, force bool, build Builder,
	with Setting) (*scenario.Run, *Geometry, error) {
	if err := KeepsPromises(s); err != nil {
		return nil, nil, err
	}
	r, err := build(ctx, s, o)
	if err != nil {
		return r, nil, err
	}
	note, warning, err := useOf(ctx, s, o)
	if err != nil {
		return r, nil, err
	}
	r.Notes, r.Warnings = added(r.Notes, note), added(r.Warnings, warning)
	g, err := GeometryOf(ctx, r)
	if err != nil || force {
		return r, g, err
	}
	notes, err := WantStable(ctx, name, r, o, with)
	if err == nil {
		var more []string
		more, err = wantSound(ctx, name, r, s, o)
		notes = append(notes, more...)
	}
	r.Notes = append(append([]string{}, r.Notes...), notes...)
	return r, g, err
}

func added(list []string, line string) []string {
	if line == "" {
		return list
	}
	return append(slices.Clone(list), line)
}

// Builder is Scenario.Build, or one that adds to what it says.
type Builder func(ctx context.Context, s *scenario.Scenario, o scenario.Options) (*scenario.Run, error)

// WantStable refuses an unstable closed loop: a compensator that is stable on its plant may be unstable in the test. A
// loop with too many states passes with a note. name is the scenario's file; with serves to look for a remedy.
func WantStable(ctx context.Context, name string, r *scenario.Run, o scenario.Options, with Setting) ([]string, error) {
	if err := r.Scenario.WantUnloaded(); err != nil {
		return []string{"the stability of the loop is not checked: " + err.Error()}, nil
	}
	grows, err := growth.Of(ctx, r)
	var many *growth.TooManyStates
	switch {
	case errors.As(err, &many):
		return []string{"the stability of the loop is not checked: " + many.Error()}, nil
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case grows == nil:
		return nil, nil
	case r.Scenario.Passivity != nil:
		return []string{fmt.Sprintf("without the damper of passivity the loop is unstable: %s; whether the damper makes "+
			"it stable is not checked: run the test, and see whether passivity_energy_max_J stays small", grows)}, nil
	}
	change := "change the compensator or its inner loop"
	stable := func(set string) bool { return stableWith(ctx, set, o, with) }
	if set := remedyOf(r.Scenario.CompensatorKind(), stable); set != "" {
		change = fmt.Sprintf("with --set '%s' it is stable: take it, or %s", set, change)
	}
	return nil, fmt.Errorf("%s: the loop is unstable: %s; %s, or take --force (rths stability says more)",
		name, grows, change)
}

// remedy is a setting that may make an unstable loop stable. If the loop is stable with beyond
// as well, the setting is not at the edge; "": any.
type remedy struct{ set, beyond string }

// remedies are tried in order, by the kind of the compensator. scenario/testdata/matrix.txt says where each one
// helps.
var remedies = map[string][]remedy{
	"mbc-lqg": {
		{"compensator.model=plant", ""}, {"compensator.error_weight=10", "compensator.error_weight=30"},
		{"compensator.error_weight=3", "compensator.error_weight=10"},
		{"compensator.error_weight=1", "compensator.error_weight=3"},
		{"compensator.error_weight=0.3", "compensator.error_weight=1"},
	},
	"pe":   {{"compensator.order=1", ""}},
	"hinf": {{"compensator.w2_num=[0.004, 0.5]", ""}},
	"smc":  {{"compensator.lambda_rad_s=50", ""}},
	"mpc":  {{"compensator.move_weight=0.1", ""}},
}

// others are tried last: kinds that take their defaults from the plant.
var others = []remedy{{"compensator.kind=amb", ""}, {"compensator.kind=mbc", ""}}

// remedyOf is the first setting with which the loop of a scenario is stable; "": none is known.
func remedyOf(kind string, stable func(set string) bool) string {
	for _, r := range slices.Concat(remedies[kind], others) {
		if stable(r.set) && (r.beyond == "" || stable(r.beyond)) {
			return r.set
		}
	}
	return ""
}

func stableWith(ctx context.Context, set string, o scenario.Options, with Setting) bool {
	s, err := with(set)
	if err != nil {
		return false
	}
	r, err := s.Build(ctx, o)
	if err != nil {
		return false
	}
	grows, err := growth.Of(ctx, r)
	return err == nil && grows == nil
}

// PrintModes lists the modes of the undivided structure, unless a degree of freedom has no
// mass; of a large structure the lowest modes, of a reduced one those up to up_to_hz.
func PrintModes(out io.Writer, r *scenario.Run) {
	s := r.Whole
	switch {
	case s == nil:
		return
	case s.Sparse != nil:
		printLowest(out, s)
		return
	}
	modes, err := s.Modes()
	if err != nil {
		return
	}
	of := ""
	switch reduced := r.Scenario.Reduce; {
	case reduced != nil:
		modes = slices.DeleteFunc(modes, func(m structure.Mode) bool { return m.FreqHz > reduced.UpToHz })
	case s.N > structure.DenseUpTo:
		modes, of = modes[:lowestModes], fmt.Sprintf(" of %d", s.N)
	}
	for i, m := range modes {
		if m.Omega == 0 {
			fmt.Fprintf(out, "mode %d%s: 0 Hz, a rigid body\n", i+1, of)
			continue
		}
		fmt.Fprintf(out, "mode %d%s: %.4g Hz, damping ratio %.2f %%\n", i+1, of, m.FreqHz, 100*m.Ratio)
	}
}

// lowestModes is the number of modes listed of a large structure.
const lowestModes = 5

func printLowest(out io.Writer, s *structure.Structure) {
	omega, err := s.Sparse.Lowest(min(lowestModes, s.N))
	if err != nil {
		return
	}
	for i, w := range omega {
		fmt.Fprintf(out, "mode %d of %d: %.4g Hz\n", i+1, s.N, w/(2*math.Pi))
	}
}

// Peak is the peak of the first history in words: a wrong unit shows there.
func Peak(s *scenario.Scenario, m ground.Motion) string {
	switch {
	case len(m.A) == 0:
		return ""
	case s.Target.Given():
		return fmt.Sprintf(", peak %.3g mm", 1e3*m.PGA())
	case !s.Ground.Given() && len(s.MoreGround) == 0:
		return fmt.Sprintf(", peak %.3g kN", 1e-3*m.PGA())
	}
	return fmt.Sprintf(", peak %.3g m/s² (%.3g g)", m.PGA(), m.PGA()/ground.StandardGravity)
}
