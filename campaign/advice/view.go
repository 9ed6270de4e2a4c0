package advice

import (
	"context"
	"errors"
	"slices"
	"strings"

	"rths/scenario"
)

// Final are the values of J2_true of the candidate's final runs, %, in the order of the conditions; NaN:
// the run has none.
func (c *Candidate) Final() []float64 {
	var out []float64
	for i := range c.trials[final] {
		if t := &c.trials[final][i]; t.there {
			out = append(out, t.J2)
		}
	}
	return out
}

// Selected is the candidate's row by the runs for selecting.
func (c *Candidate) Selected() Row { return newRow(c, selecting) }

// Lag is the lag of the first actuator without compensation in slow motion, s, on which "more delay" is added.
func (a *Advice) Lag(ctx context.Context) float64 {
	lag, _ := a.lag(ctx)
	return lag
}

// Block is the winner's compensation as blocks of a scenario, ready to paste. drop are the blocks of
// the scenario that have to go for it.
func (a *Advice) Block(ctx context.Context) (text string, drop []string, err error) {
	s, err := a.winning(ctx)
	if err != nil {
		return "", nil, err
	}
	keys := []string{"compensator"}
	for _, set := range a.Winner.Settings {
		top, _, _ := strings.Cut(set.Key, ".")
		if top, _, _ = strings.Cut(top, "["); !slices.Contains(keys, top) {
			keys = append(keys, top)
		}
	}
	if text, err = s.Fragment(keys...); err != nil {
		return "", nil, err
	}
	for _, key := range keys {
		before, wrong := a.base.Scenario.Fragment(key)
		after, worse := s.Fragment(key)
		if wrong != nil || worse != nil {
			return "", nil, errors.Join(wrong, worse)
		}
		if before != "" && after == "" {
			drop = append(drop, key)
		}
	}
	return text, drop, nil
}

// winning is the scenario with the winner, all settings spelled out.
func (a *Advice) winning(ctx context.Context) (*scenario.Scenario, error) {
	s, err := a.Template.With(a.Winner.Settings...)
	if err != nil {
		return nil, err
	}
	run, err := a.build(ctx, s)
	if err != nil {
		return nil, err
	}
	return run.Scenario, nil
}
