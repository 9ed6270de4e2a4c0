package scenario

import (
	"fmt"
	"reflect"
	"strings"

	"rths/method/combine"
	"rths/method/compensate"
	"rths/scenario/syntax"
)

// Recompensated is a copy of the scenario with another compensator for all actuators, given as
// a block in one line, as {kind: pe, order: 2}. It has no compensators of single actuators
// and no fallback; the inner loop stays unless alone is true.
func (s *Scenario) Recompensated(block string, alone bool) (*Scenario, error) {
	bare, err := s.Uncompensated()
	if err != nil {
		return nil, err
	}
	if alone {
		bare.Inner = combine.InnerPI{}
	}
	return bare.With("compensator=" + block)
}

// Compensation are the settings that give the scenario of a template the compensators of this one
// with all their parameters, in place of its own. This one is Run.Scenario of a run of a copy of the
// template's by Recompensated.
func (s *Scenario) Compensation(of *Scenario) ([]syntax.Setting, error) {
	all, blocks := "", make([]string, len(s.Each))
	var err error
	if !s.eachCompensates() {
		all, err = s.Compensator.Settings()
	}
	for i := range blocks {
		if err == nil && s.eachCompensates() {
			blocks[i], err = s.Each[i].Compensator.Settings()
		}
	}
	if err != nil {
		return nil, err
	}
	sets := []string{"fallback=", "compensator=" + all}
	if s.Inner == (combine.InnerPI{}) {
		sets = append(sets, "inner_loop=")
	}
	switch {
	case of.eachMoves():
		for i, block := range blocks {
			sets = append(sets, fmt.Sprintf("each[%d].fallback=", i+1), fmt.Sprintf("each[%d].compensator=%s", i+1, block))
		}
	case s.eachCompensates():
		sets = append(sets, "each=[{compensator: "+strings.Join(blocks, "}, {compensator: ")+"}]")
	default:
		sets = append(sets, "each=")
	}
	out := make([]syntax.Setting, len(sets))
	for i, set := range sets {
		if out[i], err = syntax.ParseSetting(set); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// ScaleCompensator multiplies the number, or all numbers of the list, that the compensators of
// all actuators have under a key, as tau_ms, gamma or a[2].
func (s *Scenario) ScaleCompensator(key string, f float64) error {
	blocks := []*syntax.Choice[compensate.Maker]{&s.Compensator}
	if s.eachCompensates() {
		blocks = nil
		for i := range s.Each {
			blocks = append(blocks, &s.Each[i].Compensator)
		}
	}
	for _, c := range blocks {
		if err := syntax.Scale(reflect.ValueOf(c).Elem(), key, f); err != nil {
			return fmt.Errorf("%s: %s: %w", c.Kind, key, err)
		}
	}
	return nil
}
