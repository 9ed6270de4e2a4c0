package study

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"rths"
	"rths/scenario"
	"rths/scenario/growth"
	"rths/scenario/syntax"
)

// Calibrate is the block calibrate: which keys are tuned, and what is good. All candidates
// meet the same runs, those of the study (common random numbers).
type Calibrate struct {
	Keys Keyed[Tuned] `yaml:"keys" doc:"keys of the scenario to tune, each with from, to and, for several orders of magnitude, log: true"`
	Of   string       `yaml:"of" doc:"objective, to be made small: mean, quantile or worst of the criterion over the runs"`

	Share         float64                    `yaml:"share" doc:"share of a quantile, 0 to 1"`
	Constraints   scenario.Expect            `yaml:"constraints,omitempty" doc:"criteria and indicators that every run has to keep, each with min, max or both"`
	Radius        float64                    `yaml:"radius_below,omitempty" doc:"spectral radius of the loop, with the compensator's parameters at the start and at the end, that every run has to stay below, usually 1; 0: not checked"`
	Margin        float64                    `yaml:"margin,omitempty" doc:"part of the range of a key, 0 to 0.5: the objective is the worst of the candidate and of all candidates with one key by this part of its range lower or higher (with log: true of its logarithm); 0: the candidate alone"`
	Search        syntax.Choice[SearchMaker] `yaml:"search,omitempty" doc:"method of the search"`
	Neighbourhood int                        `yaml:"neighbourhood,omitempty" doc:"points on a side of the maps of the objective around the optimum, of every pair of keys; 0: no maps"`
}

func newCalibrate() Calibrate {
	c := Calibrate{Of: "mean", Share: 0.9, Search: syntax.NewChoice(Searches)}
	if err := c.Search.Use("cma-es"); err != nil {
		panic(err) // our own default
	}
	return c
}

// largestMap bounds the points on a side of a map.
const largestMap = 51

func (c *Calibrate) check() error {
	switch {
	case !slices.Contains([]string{"mean", "quantile", "worst"}, c.Of):
		return fmt.Errorf("of %q: want mean, quantile or worst", c.Of)
	case !(c.Share > 0 && c.Share < 1):
		return fmt.Errorf("share %g: want more than 0 and less than 1", c.Share)
	case c.Radius < 0:
		return fmt.Errorf("radius_below %g: want 1, or 0 to leave it out", c.Radius)
	case !(c.Margin >= 0 && c.Margin <= 0.5):
		return fmt.Errorf("margin %g: want 0 to 0.5 of the range of a key", c.Margin)
	case c.Neighbourhood != 0 && (c.Neighbourhood < 3 || c.Neighbourhood > largestMap):
		return fmt.Errorf("neighbourhood %d: want 3 to %d points on a side, or 0 for no maps", c.Neighbourhood, largestMap)
	}
	for i, e := range c.Keys {
		if !e.Has("from") || !e.Has("to") {
			return fmt.Errorf("keys.%s: no bounds: want from and to, as in {from: 1e2, to: 1e10, log: true}", e.Key)
		}
		if err := e.Of.Check(); err != nil {
			return fmt.Errorf("keys.%s: %w", e.Key, err)
		}
		if slices.ContainsFunc(c.Keys[:i], func(b Entry[Tuned]) bool { return b.Key == e.Key }) {
			return fmt.Errorf("keys.%s stands twice", e.Key)
		}
	}
	if len(c.Keys) > 0 {
		_, err := c.Search.Params.Make(len(c.Keys), 1)
		if err != nil {
			return fmt.Errorf("search: %w", err)
		}
	}
	return nil
}

// Objective says the objective in words.
func (c *Calibrate) Objective(criterion string) string {
	if c.Margin > 0 {
		return fmt.Sprintf("with a margin of %g, %s", c.Margin, c.OfRuns(criterion))
	}
	return c.OfRuns(criterion)
}

// OfRuns says in words what is made of the runs of one point.
func (c *Calibrate) OfRuns(criterion string) string {
	if c.Of == "quantile" {
		return fmt.Sprintf("%g %% quantile of %s", 100*c.Share, criterion)
	}
	return c.Of + " of " + criterion
}

// within are the points that a candidate is judged by: itself and, with a margin, those with one key lower or higher by
// it, within the range. A nil candidate is judged by itself.
func (c *Calibrate) within(u []float64) [][]float64 {
	out := [][]float64{u}
	for i := range u {
		for _, step := range []float64{-c.Margin, c.Margin} {
			if step != 0 {
				point := slices.Clone(u)
				point[i] = max(0, min(1, u[i]+step))
				out = append(out, point)
			}
		}
	}
	return out
}

// Settings are the tuned keys at a point of the unit cube.
func (c *Calibrate) Settings(u []float64) []syntax.Setting {
	out := make([]syntax.Setting, len(c.Keys))
	for i := range c.Keys {
		out[i] = c.Keys[i].Number(c.Keys[i].Of.Value(u[i]))
	}
	return out
}

// Values are the tuned values at a point of the unit cube.
func (c *Calibrate) Values(u []float64) []float64 {
	out := make([]float64, len(c.Keys))
	for i := range c.Keys {
		out[i] = c.Keys[i].Of.Value(u[i])
	}
	return out
}

// outcome is what a calibration needs of a run.
type outcome struct {
	value float64 // of the criterion; NaN: none
	bad   bool    // the run has not completed, or breaks a constraint
}

func (c *Calibrate) outcome(criterion string, row *Row) outcome {
	v, ok := row.Value(criterion)
	if !ok || row.Status != rths.Completed {
		v = math.NaN()
	}
	return outcome{v, !rths.Finite(v) || !c.keeps(row)}
}

// Judge is the fitness of one candidate by the rows of its runs. Runs that have not completed or
// that break a constraint count as violations; the objective is over the runs that have
// completed.
func (c *Calibrate) Judge(criterion string, rows []Row) Fitness {
	runs := make([]outcome, len(rows))
	for i := range rows {
		runs[i] = c.outcome(criterion, &rows[i])
	}
	return c.judge(runs)
}

func (c *Calibrate) judge(runs []outcome) Fitness {
	var values []float64
	bad := 0
	for _, r := range runs {
		if rths.Finite(r.value) {
			values = append(values, r.value)
		}
		if r.bad {
			bad++
		}
	}
	return Fitness{Violation: float64(bad) / float64(len(runs)), Value: c.reduce(values)}
}

// keeps reports whether a row keeps all constraints. A value that does not exist breaks its own.
func (c *Calibrate) keeps(row *Row) bool {
	for _, e := range c.Constraints {
		v, ok := row.Value(e.Name)
		if !ok || e.Min != nil && !(v >= *e.Min) || e.Max != nil && !(v <= *e.Max) {
			return false
		}
	}
	if c.Radius > 0 {
		for _, name := range []string{RadiusStart, RadiusEnd} {
			if v, ok := row.Value(name); !ok || !(v < c.Radius) {
				return false
			}
		}
	}
	return true
}

// reduce makes one number of the criterion of all runs.
func (c *Calibrate) reduce(values []float64) float64 {
	if len(values) == 0 {
		return math.Inf(1)
	}
	switch c.Of {
	case "worst":
		return slices.Max(values)
	case "quantile":
		sorted := slices.Clone(values)
		slices.Sort(sorted)
		return quantile(sorted, c.Share).Value
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// Names of the values that a bench adds where it looks at the loop.
const (
	RadiusStart = "loop_radius_start"
	RadiusEnd   = "loop_radius_end"
)

// radii are the spectral radii of the loop of a run that has ended, without states that keep
// their value: with the parameters of the compensator at the start, and with those at the end.
func radii(ctx context.Context, run *scenario.Run) (start, end float64, err error) {
	still, err := run.Scenario.AtRest(ctx)
	if err != nil {
		return 0, 0, err
	}
	if start, err = movingRadius(ctx, still); err != nil {
		return 0, 0, err
	}
	learnt, own := run.Loop.AppendAdaptation(nil), still.Loop.AppendAdaptation(nil)
	if len(learnt) != len(own) {
		return 0, 0, errors.New("the loop has other adaptive parts than at rest")
	}
	if slices.Equal(learnt, own) {
		return start, start, nil
	}
	still.Loop.SetAdaptation(learnt)
	end, err = movingRadius(ctx, still)
	return start, end, err
}

func movingRadius(ctx context.Context, still *scenario.Run) (float64, error) {
	roots, err := growth.Roots(ctx, still)
	_, moving := growth.Grows(roots)
	return moving, err
}

// Evaluate is the fitness of candidates, points of the unit cube of the tuned keys: with a margin the worst around
// each. A nil candidate is the base scenario as it stands.
func (b *Bench) Evaluate(ctx context.Context, p *Plan, criterion string, candidates [][]float64, by Executor,
	progress func(done, of int)) ([]Fitness, error) {
	var points [][]float64
	var of []int // candidate of each point
	for i, u := range candidates {
		for _, point := range p.File.Calibrate.within(u) {
			points, of = append(points, point), append(of, i)
		}
	}
	each, err := b.evaluate(ctx, p, criterion, points, by, progress)
	out := make([]Fitness, len(candidates))
	for i, f := range each {
		if first := i == 0 || of[i-1] != of[i]; first || out[of[i]].Less(f) {
			out[of[i]] = f
		}
	}
	return out, err
}

// evaluate is the fitness of points by themselves: each meets all runs of the study.
func (b *Bench) evaluate(ctx context.Context, p *Plan, criterion string, points [][]float64, by Executor,
	progress func(done, of int)) ([]Fitness, error) {
	c, runs := &p.File.Calibrate, p.Runs()
	jobs := Jobs{Name: "runs of candidates", N: len(points) * runs, Inputs: p.Inputs, Template: p.Template,
		Settings: func(i int) []syntax.Setting {
			settings := p.Settings(i % runs)
			if u := points[i/runs]; u != nil {
				settings = syntax.Sorted(append(settings, c.Settings(u)...))
			}
			return settings
		}}
	all := make([]outcome, jobs.N)
	err := by.Make(ctx, b, jobs, counting(jobs.N, progress, func(row Row) error {
		all[row.Run] = c.outcome(criterion, &row)
		return nil
	}))
	out := make([]Fitness, len(points))
	for i := range out {
		out[i] = c.judge(all[i*runs : (i+1)*runs])
	}
	return out, err
}
