package scenario

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"rths/maths/words"
	"rths/model/plant"
	"rths/scenario/syntax"
)

// plantBlocks are the blocks of the scenario that describe its plant.
func (s *Scenario) plantBlocks() []string {
	out := []string{"specimen", "transfer", "sensors"}
	if len(s.Specimens) > 0 {
		out[0] = "specimens[i]"
	}
	if s.eachMoves() {
		out[1] = "each[i].transfer"
	}
	return out
}

// number finds the number of the plant that has a key, as transfer.omega_rad_s,
// specimens[2].specimen.stiffness or transfer.num[1].
func (s *Scenario) number(key string) (reflect.Value, error) {
	v, err := s.find(key)
	if err != nil {
		return v, err
	}
	return v, wantNumber(key, v)
}

// PlantNumber is the number of the plant that has a key, as transfer.omega_rad_s.
func (s *Scenario) PlantNumber(key string) (float64, error) {
	v, err := s.number(key)
	if err != nil {
		return 0, err
	}
	return v.Float(), nil
}

// find finds what the plant has under a key, a number or not.
func (s *Scenario) find(key string) (v reflect.Value, err error) {
	v, path := reflect.ValueOf(s).Elem(), ""
	for part := range strings.SplitSeq(key, ".") {
		name, places, listed := strings.Cut(part, "[")
		if v, err = s.plantKey(path, name, v); err != nil {
			return v, err
		}
		path = syntax.Join(path, part)
		for listed {
			if v, places, listed, err = syntax.Entry(places, v); err != nil {
				return v, err
			}
		}
	}
	return v, nil
}

// plantKey is the value under a key of a block of the plant.
func (s *Scenario) plantKey(path, name string, v reflect.Value) (reflect.Value, error) {
	known := syntax.Keys(v)
	if path == "" || syntax.WithoutPlaces(path) == "each" { // blocks beside the plant's
		all := syntax.Names(known)
		block := syntax.WithoutPlaces(path)
		known = slices.DeleteFunc(known, func(f syntax.Field) bool { return !s.inPlant(syntax.Join(block, f.Name)) })
		if !slices.Contains(syntax.Names(known), name) && slices.Contains(all, name) {
			return v, fmt.Errorf("stands outside the plant of this scenario; compensators are made for the nominal plant: "+
				"want a key below %s", words.Either(s.plantBlocks(), 3))
		}
	}
	i := slices.IndexFunc(known, func(f syntax.Field) bool { return f.Name == name })
	switch {
	case i >= 0:
		return known[i].V, nil
	case name == "kind":
		return v, errors.New("is a word: want the key of a number")
	case known == nil:
		return v, fmt.Errorf("there are no keys below %s: want the key of a number", path)
	case path == "":
		return v, errors.New("unknown key" + s.meantOfPlant(name, syntax.Names(known)))
	}
	return v, errors.New(format().UnknownKey(path, name, syntax.Names(known)))
}

// meantOfPlant asks for the numbers of the plant whose last name the word is, or for the
// blocks that it may stand for.
func (s *Scenario) meantOfPlant(word string, blocks []string) string {
	var ends []string
	s.numbers(func(key string, _ float64) {
		if strings.HasSuffix(key, "."+word) {
			ends = append(ends, key)
		}
	})
	if ends == nil {
		return words.Ask(word, blocks)
	}
	return fmt.Sprintf(": did you mean %s?", words.Either(ends, 4))
}

// inPlant reports whether a path without places in lists leads into the plant.
func (s *Scenario) inPlant(path string) bool {
	return slices.ContainsFunc(s.plantBlocks(), func(block string) bool {
		return strings.HasPrefix(syntax.WithoutPlaces(block)+".", path+".")
	})
}

// wantNumber refuses what is no number of the simulated plant.
func wantNumber(key string, v reflect.Value) error {
	name := key[strings.LastIndex(key, ".")+1:]
	rated := syntax.Names(syntax.Keys(reflect.ValueOf(&plant.Rating{}).Elem()))
	switch {
	case v.Kind() == reflect.Slice:
		return fmt.Errorf("is a list: want an entry of it, as in %s[1]", key)
	case syntax.Keys(v) != nil:
		return fmt.Errorf("is a block: want the key of a number in it, %s", words.OneOf(syntax.Names(syntax.Keys(v))))
	case v.Kind() != reflect.Float64:
		return fmt.Errorf("holds %s: want the key of a number that may have decimals", syntax.Holds(v))
	case slices.Contains(rated, name):
		return errors.New("is a rating, which the guard uses and the simulated plant does not: want another key")
	case strings.HasSuffix(withoutEntry(name), "_range") && !strings.HasPrefix(key, "sensors."):
		return errors.New("is a range of the published scatter, which scatter replaces: want another key")
	}
	return nil
}

// numbers visits all numbers of the blocks of the plant.
func (s *Scenario) numbers(visit func(key string, v float64)) {
	for _, f := range syntax.Keys(reflect.ValueOf(s).Elem()) {
		switch {
		case !s.inPlant(f.Name):
		case f.Name == "each":
			for i := range s.Each {
				syntax.Numbers(fmt.Sprintf("each[%d].transfer", i+1), reflect.ValueOf(&s.Each[i].Transfer).Elem(), visit)
			}
		default:
			syntax.Numbers(f.Name, f.V, visit)
		}
	}
}

// withoutEntry is a name without its place in a list.
func withoutEntry(name string) string {
	name, _, _ = strings.Cut(name, "[")
	return name
}
