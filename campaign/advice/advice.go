// Package advice answers which compensator a test should take: all methods that fit the
// scenario are tuned alike, the best are chosen on plants, seeds and motions that the tuning
// has not seen, and judged on others again.
package advice

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"rths/campaign/study"
	"rths/method/combine"
	"rths/method/compensate"
	"rths/scenario"
	"rths/scenario/files"
)

// Question is what advice is asked for.
type Question struct {
	Template *scenario.Template
	Seed     uint64   // of all that is drawn
	GoodPct  float64  // J2_true that a good method has at most, in 9 of 10 runs, %
	RoughUm  float64  // largest roughness of the command, µm; 0: any
	Records  []string // named ground motions to share out; none: the scenario's own
}

// Advice is the work on a question.
type Advice struct {
	Question
	Methods  []*Method // that fit, by name; the scenario's own is the first
	Misfits  []Misfit
	Budget   Budget
	Notes    []string
	Scatter  string // whose scatter the plants have: the scenario's, or the published one
	Motions  [streams]Motions
	Done     int           // runs so far
	Winner   *Candidate    // chosen by the stream selecting; nil: none
	Failures []Failing     // how far the winner is from failing, the nearest first
	Remedies []Remedy      // without a winner: what would help
	Ranked   []*Candidate  // judged on the final stream, the best first
	base     *scenario.Run // before its first tick
	bench    *study.Bench
	limits   limits
	inputs   []files.Input // that the runs read
	settled  bool          // all parts have come to their end
	held     uint64        // seed of the streams that tuning does not see
}

// Misfit is a kind that is no candidate.
type Misfit struct {
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
}

// Defaults of a question.
const (
	DefaultRuns    = 3000
	DefaultGoodPct = 5
)

// mostRuns bounds a budget.
const mostRuns = 1_000_000

// New looks which compensators fit the scenario. bench keeps what the runs have in common.
// Allot comes next.
func New(ctx context.Context, bench *study.Bench, q Question) (*Advice, error) {
	a := &Advice{Question: q, bench: bench, held: q.Seed}
	if err := a.check(); err != nil {
		return nil, err
	}
	s, err := q.Template.With()
	if err != nil {
		return nil, err
	}
	if a.base, err = a.build(ctx, s); err != nil {
		return nil, fmt.Errorf("the scenario as it stands: %w", err)
	}
	a.inputs = slices.Clone(a.base.Inputs)
	if err := a.scatters(ctx, s); err != nil {
		return nil, err
	}
	if err := a.motions(s); err != nil {
		return nil, err
	}
	a.look(ctx, s)
	a.fit(ctx, s)
	return a, nil
}

// Allot shares out a budget of runs.
func (a *Advice) Allot(runs int) (err error) {
	if runs < 1 || runs > mostRuns {
		return fmt.Errorf("%d runs: want 1 to %d", runs, mostRuns)
	}
	a.Budget, err = newBudget(runs, a.Methods)
	return err
}

// RunsIn is how many runs fit into some minutes on some workers, by the time that a run with the
// defaults of every method takes.
func (a *Advice) RunsIn(ctx context.Context, minutes float64, workers int) (int, error) {
	if !(minutes > 0 && minutes <= 1e6) {
		return 0, fmt.Errorf("%g minutes: want more than 0, at most 1e6", minutes)
	}
	var jobs []job
	for _, m := range a.Methods {
		jobs = append(jobs, job{m.Candidates[0], tuning, 0})
	}
	play := func() error {
		return a.play(ctx, study.Workers(workers), "one run of each", a.Template, jobs, func(int, Trial) {}, nil)
	}
	if err := play(); err != nil { // reads the motions
		return 0, err
	}
	start := time.Now()
	err := play()
	each := time.Since(start).Minutes() / float64(len(jobs))
	a.Done = 0
	if err != nil {
		return 0, err
	}
	runs := int(min(minutes/each, mostRuns))
	if b, err := newBudget(runs, a.Methods); err != nil {
		return 0, fmt.Errorf("%g minutes: want at least %.2g: %w", minutes, 1.1*each*float64(b.Least), err)
	}
	return runs, nil
}

func (a *Advice) check() error {
	switch {
	case !(a.GoodPct > 0 && a.GoodPct <= 1000):
		return fmt.Errorf("a good J2_true of %g %%: want more than 0, at most 1000", a.GoodPct)
	case !(a.RoughUm >= 0 && a.RoughUm < 1e12):
		return fmt.Errorf("a roughness of %g µm: want more than 0, or 0 for any", a.RoughUm)
	}
	return nil
}

func (a *Advice) build(ctx context.Context, s *scenario.Scenario) (*scenario.Run, error) {
	return s.Build(ctx, scenario.Options{RecordsDir: a.bench.RecordsDir, Shared: a.bench.Shared})
}

// scatters finds whose scatter the plants have.
func (a *Advice) scatters(ctx context.Context, s *scenario.Scenario) error {
	random := s.PerturbedPlant(1)
	if a.Scatter = "the scenario's scatter"; len(s.Scatter) == 0 {
		a.Scatter = "the published scatter"
	}
	if len(s.Scatter) == 0 && len(random.DrawnPlant()) == 0 {
		return fmt.Errorf(
			"the plant has no scatter: advice for a single plant does not hold for the real one: want a block scatter in "+
				"the scenario, the numbers of the plant that may be off, as in\n%s", s.ScatterExample())
	}
	_, err := a.build(ctx, random)
	return err
}

// fit makes a candidate with the defaults of every kind that fits.
func (a *Advice) fit(ctx context.Context, s *scenario.Scenario) {
	own := &Method{Name: OwnMethod, Kind: s.CompensatorKind()}
	own.Candidates = []*Candidate{{Method: own, Label: labelOwn, MarginS: math.NaN()}}
	if run, err := a.build(ctx, s); err == nil {
		own.Adaptive = adapts(run)
	}
	a.Methods = []*Method{own}
	for _, k := range compensate.Kinds {
		m := &Method{Name: k.Name, Kind: k.Name, Tunable: k.Tunable}
		_, m.alone = k.Defaults().(compensate.OwnLoop)
		reason := s.Misfit(k.Name)
		if reason == "" {
			if err := a.defaults(ctx, s, m); err != nil {
				reason = "its defaults do not fit: " + oneLine(err.Error())
			}
		}
		if reason != "" {
			a.Misfits = append(a.Misfits, Misfit{k.Name, reason})
			continue
		}
		a.Methods = append(a.Methods, m)
	}
	a.Misfits = append(a.Misfits, Misfit{"chain", "made of other kinds: only the scenario's own chain is tried"})
	byName := func(x, y *Method) int { return strings.Compare(x.Name, y.Name) }
	slices.SortStableFunc(a.Methods[1:], byName)
}

// defaults makes the candidate with the defaults of a kind.
func (a *Advice) defaults(ctx context.Context, s *scenario.Scenario, m *Method) error {
	if m.alone = m.alone && s.Inner != (combine.InnerPI{}); m.alone {
		m.Note = "without inner_loop: it closes the loop itself"
	}
	c, run, err := a.candidate(ctx, s, m, nil)
	if err != nil {
		return err
	}
	m.Adaptive = adapts(run)
	m.Candidates = []*Candidate{c}
	return nil
}

// adapts plays a run to see whether the compensator's parameters move.
func adapts(run *scenario.Run) bool {
	if len(run.Loop.AppendAdaptation(nil)) == 0 {
		return false
	}
	before := run.Parameters()
	_ = run.Loop.Run(0, nil) // a run that diverges has moved them or not
	return !slices.Equal(before, run.Parameters())
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
