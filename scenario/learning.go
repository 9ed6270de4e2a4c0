package scenario

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"rths/scenario/syntax"
)

// LearnedKey is a number of a device's law that changes during the test, as devices[1].yield_force.
type LearnedKey struct {
	Key              string
	Low, Begin, High float64
}

// LearnedKeys are the numbers that devices learn, in the order of the file and of their names.
func (s *Scenario) LearnedKeys() (out []LearnedKey) {
	for i := range s.Devices {
		g := &s.Devices[i]
		if g.Learn == nil || g.Learn.By == nothing {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(g.Learn.Parameters)) {
			bounds := g.Learn.Parameters[name]
			if v, err := g.number(name); err == nil && len(bounds) == 2 {
				out = append(out, LearnedKey{fmt.Sprintf("devices[%d].%s", i+1, name), bounds[0], v.Float(), bounds[1]})
			}
		}
	}
	return out
}

// number is a number of the law, as yield_force or branch_stiffnesses[2].
func (g *Devices) number(name string) (reflect.Value, error) {
	name, places, listed := strings.Cut(name, "[")
	keys := syntax.Keys(reflect.ValueOf(g.Params).Elem())
	i := slices.IndexFunc(keys, func(f syntax.Field) bool { return f.Name == name })
	if i < 0 {
		return reflect.Value{}, fmt.Errorf("%s has no key %s", g.Kind, name)
	}
	v := keys[i].V
	var err error
	for listed && err == nil {
		v, places, listed, err = syntax.Entry(places, v)
	}
	if err == nil && v.Kind() != reflect.Float64 {
		err = fmt.Errorf("%s is no number", name)
	}
	return v, err
}

// Where is the scenario whose devices have learned these values, in the order of LearnedKeys, and learn no more.
func (s *Scenario) Where(values []float64) (*Scenario, error) {
	out := s.clone()
	for i, k := range s.LearnedKeys() {
		var group int
		var name string
		if _, err := fmt.Sscanf(k.Key, "devices[%d].%s", &group, &name); err != nil {
			return nil, err
		}
		v, err := out.Devices[group-1].number(name)
		if err != nil {
			return nil, err
		}
		v.SetFloat(values[i])
	}
	for i := range out.Devices {
		out.Devices[i].Learn = nil
	}
	return out, nil
}
