package advice

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"strconv"
	"strings"

	"rths"
	"rths/campaign/study"
	"rths/scenario"
	"rths/scenario/syntax"
)

// Method is a kind of compensator that fits the scenario, or the scenario's own.
type Method struct {
	Name       string // kind, or OwnMethod
	Kind       string
	Adaptive   bool // its parameters move during a test
	Tunable    []rths.Tunable
	Note       string // on how it stands in the scenario, or ""
	Candidates []*Candidate
	alone      bool // without the scenario's inner loop
}

// OwnMethod is the name of the method that the scenario has.
const OwnMethod = "as in the scenario"

// Labels of candidates.
const (
	labelOwn     = "own"
	labelDefault = "default"
	labelTuned   = "tuned"
)

// Candidate is a method with all its settings.
type Candidate struct {
	Method   *Method
	Label    string           // own, default or tuned
	Values   []float64        // of Method.Tunable: values, or factors on the default; nil: defaults
	Settings []syntax.Setting // nil: the scenario as it stands
	MarginS  float64          // further delay that the nominal loop bears, s; NaN: not known

	trials  [streams][]Trial
	perRate float64 // the scenario's rate over the candidate's, where a change has made it another; else 0
}

// Name is the method with the label, as in "kf, tuned".
func (c *Candidate) Name() string {
	if c.Label == labelOwn {
		return c.Method.Kind + ", " + OwnMethod
	}
	return c.Method.Name + ", " + c.Label
}

// describe says the values that differ from the defaults, as in "qf 0.12, r_mm2 × 3".
func (c *Candidate) describe() string {
	var words []string
	for i, t := range c.Method.Tunable {
		if c.Values == nil || t.Relative && c.Values[i] == 1 {
			continue
		}
		by := " "
		if t.Relative {
			by = " × "
		}
		words = append(words, t.Key+by+strconv.FormatFloat(c.Values[i], 'g', 4, 64))
	}
	return strings.Join(words, ", ")
}

// candidate is a kind with some values of its tunable keys, nil for the defaults, on a scenario:
// absolute values stand in the block, whose makers fill in the rest; then come the factors. run
// is the scenario with the candidate but for the factors.
func (a *Advice) candidate(ctx context.Context, s *scenario.Scenario, m *Method, values []float64) (c *Candidate,
	run *scenario.Run, err error) {
	block := "{kind: " + m.Kind
	for i, t := range m.Tunable {
		if values != nil && !t.Relative {
			block += fmt.Sprintf(", %s: %s", t.Key, strconv.FormatFloat(values[i], 'g', -1, 64))
		}
	}
	with, err := s.Recompensated(block+"}", m.alone)
	if err != nil {
		return nil, nil, err
	}
	if run, err = a.build(ctx, with); err != nil {
		return nil, nil, err
	}
	for i, t := range m.Tunable {
		if values != nil && t.Relative && values[i] != 1 {
			if err := run.Scenario.ScaleCompensator(t.Key, values[i]); err != nil {
				return nil, nil, err
			}
		}
	}
	c = &Candidate{Method: m, Label: labelTuned, Values: values, MarginS: math.NaN()}
	if values == nil {
		c.Label = labelDefault
	}
	c.Settings, err = run.Scenario.Compensation(s)
	return c, run, err
}

// draw adds candidates of a method: a Latin hypercube over the ranges of its keys. They follow
// from the seed and the name of the method alone. Values that the scenario refuses are left out.
func (a *Advice) draw(ctx context.Context, s *scenario.Scenario, m *Method, n int) error {
	if n < 1 || len(m.Tunable) == 0 {
		return nil
	}
	name := fnv.New64a()
	name.Write([]byte(m.Name))
	points, err := study.Points(study.Latin, n, len(m.Tunable), a.Seed^name.Sum64())
	if err != nil {
		return err
	}
	for _, u := range points {
		values := make([]float64, len(u))
		for i, t := range m.Tunable {
			values[i] = valueAt(t, u[i])
		}
		if c, _, err := a.candidate(ctx, s, m, values); err == nil {
			m.Candidates = append(m.Candidates, c)
		} else if m.Note == "" {
			m.Note = "some settings are refused: " + oneLine(err.Error())
		}
	}
	return nil
}

// valueAt is the value at u in [0, 1]. A whole number has the share from itself to the next.
func valueAt(t rths.Tunable, u float64) float64 {
	if t.Whole {
		return math.Min(math.Floor(study.Tuned{From: t.From, To: t.To + 1, Log: t.Log}.Value(u)), t.To)
	}
	return study.Tuned{From: t.From, To: t.To, Log: t.Log}.Value(u)
}
