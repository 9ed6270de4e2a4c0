package study

import (
	"fmt"
	"strings"

	"rths"
	"rths/method/compensate"
	"rths/scenario"
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
		v, err := scenario.Levelled(list.key, list.values)
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
	if like := scenario.Like(name, names); len(like) > 0 {
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
	return scenario.HasKey(path, text, "scenario")
}
