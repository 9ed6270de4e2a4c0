package advice

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"rths/campaign/study"
	"rths/scenario"
)

// Budget is how the runs are shared out.
type Budget struct {
	Runs      int `json:"runs"`
	Tuning    int `json:"tuning"`    // 60 %: successive halving, each method with an equal part
	Selecting int `json:"selecting"` // 15 %
	Final     int `json:"final"`     // 25 %, of which
	Failing   int `json:"failing"`   // these show what fails first, or what would help

	Candidates int `json:"candidates_each"` // of a method at the start of the tuning
	First      int `json:"first_round"`     // conditions of the first round
	Least      int `json:"least_runs"`      // the smallest budget for this scenario
}

const (
	mostCandidates = 64 // of a method
	firstRound     = 2  // conditions that every candidate meets at least
	finalists      = 8  // beside the scenario's own method
	levelsTried    = 40 // at which the winner is tried for failing, at most
)

// newBudget shares out the runs, and refuses so few that nothing could be said.
func newBudget(runs int, methods []*Method) (Budget, error) {
	b := Budget{Runs: runs, Tuning: runs * 60 / 100, Selecting: runs * 15 / 100}
	b.Final = runs - b.Tuning - b.Selecting
	b.Failing = runs * 5 / 100
	tunable, most := 0, 0
	for _, m := range methods {
		most++
		if len(m.Tunable) > 0 {
			tunable++
			most++
		}
	}
	// In selecting, half of the runs are for all candidates, at least two for each; the finalists
	// want 20 runs each.
	n := min(most, finalists+1)
	b.Least = max(20*most*100/15/5, 20*n*100/20, 3*levelsTried*100/5)
	if runs < b.Least {
		return b, fmt.Errorf("too few runs: %d for %d methods: want at least %d", runs, len(methods), b.Least)
	}
	b.Candidates, b.First = halving(b.Tuning, tunable)
	return b, nil
}

// halving is with how many candidates each of some methods begins, a power of two, and how many
// conditions the first round has, so that successive halving takes at most the runs: a round has
// half of the candidates and twice the conditions of the round before, of which those
// already met count.
func halving(runs, methods int) (candidates, first int) {
	if methods == 0 {
		return 1, 0
	}
	each := runs / methods
	for n := mostCandidates; n > 1; n /= 2 {
		if first := 2 * each / (n * (bits.Len(uint(n)))); first >= firstRound {
			return n, first
		}
	}
	return 1, 0
}

// Run tunes, selects and judges. It stops when ctx ends.
func (a *Advice) Run(ctx context.Context, by study.Executor, progress func(stage string, done, of int)) error {
	s, err := a.Template.With()
	if err != nil {
		return err
	}
	champions, err := a.tune(ctx, by, s, progress)
	if err != nil {
		return err
	}
	chosen, err := a.choose(ctx, by, champions, progress)
	if err != nil {
		return err
	}
	if err := a.judge(ctx, by, s, chosen, progress); err != nil {
		return err
	}
	if a.Winner != nil {
		err = a.failing(ctx, by, progress)
	} else {
		err = a.remedies(ctx, by, progress)
	}
	a.settled = err == nil
	return err
}

// tune halves the candidates of every method until one is left. It returns all that go on: the
// scenario's own, and of every method the defaults and the best.
func (a *Advice) tune(ctx context.Context, by study.Executor, s *scenario.Scenario,
	progress func(stage string, done, of int)) (out []*Candidate, err error) {
	alive := map[*Method][]*Candidate{}
	for _, m := range a.Methods {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		if err := a.draw(ctx, s, m, a.Budget.Candidates-1); err != nil {
			return nil, err
		}
		alive[m] = m.Candidates
	}
	for n := a.Budget.First; n > 0; n *= 2 {
		var round []*Candidate
		for _, m := range a.Methods {
			if len(alive[m]) > 1 {
				round = append(round, alive[m]...)
			}
		}
		if len(round) == 0 {
			break
		}
		if err := a.evaluate(ctx, by, tuning, round, n, progress); err != nil {
			return nil, err
		}
		for m, of := range alive {
			if len(of) > 1 {
				alive[m] = ranked(of, tuning)[:(len(of)+1)/2]
			}
		}
	}
	for _, m := range a.Methods {
		out = append(out, m.Candidates[0])
		if best := alive[m][0]; best != m.Candidates[0] {
			out = append(out, best)
		}
	}
	return out, nil
}

// choose puts all candidates in order by the stream selecting: half of its runs go to all alike,
// the rest to the best of them and to the scenario's own method.
func (a *Advice) choose(ctx context.Context, by study.Executor, all []*Candidate,
	progress func(stage string, done, of int)) ([]*Candidate, error) {
	n := max(2, a.Budget.Selecting/2/len(all))
	if err := a.evaluate(ctx, by, selecting, all, n, progress); err != nil {
		return nil, err
	}
	own := a.Methods[0].Candidates[0]
	best := ranked(all, selecting)
	best = best[:min(finalists, len(best))]
	if !slices.Contains(best, own) {
		best = append(best, own)
	}
	n += max(0, a.Budget.Selecting-n*len(all)) / len(best)
	if err := a.evaluate(ctx, by, selecting, best, n, progress); err != nil {
		return nil, err
	}
	return ranked(best, selecting), nil
}

// judge plays the final runs of the chosen, and takes as winner the first choice that is good there.
func (a *Advice) judge(ctx context.Context, by study.Executor, s *scenario.Scenario, chosen []*Candidate,
	progress func(stage string, done, of int)) error {
	n := (a.Budget.Final - a.Budget.Failing) / len(chosen)
	if err := a.evaluate(ctx, by, final, chosen, n, progress); err != nil {
		return err
	}
	for _, c := range chosen {
		if err := a.margin(ctx, c); err != nil {
			return err
		}
	}
	a.Ranked = ranked(chosen, final)
	if bad, why := hopeless(chosen); bad > 0 {
		a.Notes = append(a.Notes,
			fmt.Sprintf("in %d of %d final conditions every judged method fails; the first such condition: %s", bad, n, why))
	}
	for left := chosen; len(left) > 0 && a.Winner == nil; {
		first := a.preferred(left)
		if a.good(first) {
			a.Winner = first
		}
		left = slices.DeleteFunc(slices.Clone(left), func(c *Candidate) bool { return c == first })
	}
	return nil
}

// hopeless counts the final conditions in which all candidates fail, and says why the first does in
// the first of them: a motion that is too large for the actuators is no matter of the method.
func hopeless(of []*Candidate) (n int, why string) {
	for i := range of[0].trials[final] {
		if !slices.ContainsFunc(of, func(c *Candidate) bool { return c.trials[final][i].Why == "" }) {
			if n++; why == "" {
				why = of[0].trials[final][i].Why
			}
		}
	}
	return n, why
}

// good reports whether a candidate has no failure in the final runs, and a score up to GoodPct.
func (a *Advice) good(c *Candidate) bool {
	s := score(c.trials[final])
	return s.Failures == 0 && s.P90 <= a.GoodPct
}
