package study

import (
	"context"
	"fmt"
	"strings"

	"rths"
	"rths/maths/words"
	"rths/method/compensate"
	"rths/scenario"
	"rths/scenario/syntax"
)

// Compare is the study of a scenario with several compensators on several records, on the
// nominal plant or on a number of random ones. An empty list leaves that part as it is in the
// scenario.
func Compare(t *scenario.Template, compensators, records []string, perturbed int) (*File, error) {
	base, err := t.With()
	if err != nil {
		return nil, err
	}
	f := newFile()
	f.Seed, f.Perturbed = base.Seed, perturbed
	for _, name := range compensators {
		if _, err := rths.Find(compensate.Kinds, name); err != nil {
			return nil, fmt.Errorf("--compensator: %w%s", err, didYouMean(name))
		}
	}
	key, values := "ground.record", records
	if base.Ground.Kind != "record" {
		key, values = "ground", nil
		for _, name := range records {
			values = append(values, fmt.Sprintf("{record: %q}", name))
		}
	}
	for _, list := range []struct {
		key    string
		values []string
	}{{"compensator.kind", compensators}, {key, values}} {
		v, err := Levelled(list.key, list.values)
		if err != nil {
			return nil, err
		}
		if len(v.Levels) > 0 {
			f.Variables = append(f.Variables, v)
		}
	}
	return f, f.check()
}

// didYouMean asks for the kinds that a name may stand for.
func didYouMean(name string) string {
	var names []string
	for _, k := range compensate.Kinds {
		names = append(names, k.Name)
	}
	if like := words.Like(name, names); len(like) > 0 {
		return ": did you mean " + strings.Join(like, ", ") + "?"
	}
	return ""
}

// Is reports whether a file is a study: whether it has the key scenario.
func Is(path string) (bool, error) {
	text, err := readAll(path)
	if err != nil {
		return false, err
	}
	return syntax.HasKey(path, text, "scenario")
}

// Comparison is what a study of a scenario varies: with other compensators and records, on random plants.
type Comparison struct {
	Compensators []string `json:"compensators,omitempty"`
	Records      []string `json:"records,omitempty"`
	Perturbed    int      `json:"perturbed,omitempty"` // number of random plants
}

// PlanOf is the plan of a study file, or of a scenario file and a comparison. sets override keys of the base scenario.
func (b *Bench) PlanOf(ctx context.Context, path string, sets []string, c Comparison) (*Plan, error) {
	for _, list := range [][]string{c.Compensators, c.Records} {
		for i := range list {
			list[i] = strings.TrimSpace(list[i])
		}
	}
	short := len(c.Compensators)+len(c.Records) > 0 || c.Perturbed != 0
	isStudy, err := Is(path)
	switch {
	case err != nil:
		return nil, err
	case isStudy && short:
		return nil, fmt.Errorf("%s is a study file: want --compensator, --record and --perturbed with a scenario file only",
			path)
	case isStudy:
		return b.LoadPlan(ctx, path, sets)
	case !short:
		return nil, fmt.Errorf("%s is a scenario: want --compensator, --record or --perturbed, or a study file with the key "+
			"scenario", path)
	}
	t, err := scenario.LoadTemplate(path, "", sets)
	if err != nil {
		return nil, err
	}
	file, err := Compare(t, c.Compensators, c.Records, c.Perturbed)
	if err != nil {
		return nil, err
	}
	return b.NewPlan(ctx, file, t)
}

// LoadPlan is the plan of a study file.
func (b *Bench) LoadPlan(ctx context.Context, path string, sets []string) (*Plan, error) {
	file, t, err := Load(path, sets)
	if err != nil {
		return nil, err
	}
	return b.NewPlan(ctx, file, t)
}
