package scenario

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"rths/model/plant"
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

// find finds what the plant has under a key, a number or not.
func (s *Scenario) find(key string) (v reflect.Value, err error) {
	v, path := reflect.ValueOf(s).Elem(), ""
	for part := range strings.SplitSeq(key, ".") {
		name, places, listed := strings.Cut(part, "[")
		if v, err = s.plantKey(path, name, v); err != nil {
			return v, err
		}
		path = join(path, part)
		for listed {
			if v, places, listed, err = entryAt(places, v); err != nil {
				return v, err
			}
		}
	}
	return v, nil
}

// plantKey is the value under a key of a block of the plant.
func (s *Scenario) plantKey(path, name string, v reflect.Value) (reflect.Value, error) {
	known := keysOf(v)
	if path == "" || withoutIndex(path) == "each" { // blocks beside the plant's
		all := names(known)
		known = slices.DeleteFunc(known, func(f field) bool { return !s.inPlant(join(withoutIndex(path), f.name)) })
		if !slices.Contains(names(known), name) && slices.Contains(all, name) {
			return v, fmt.Errorf("stands outside the plant of this scenario; compensators are made for the nominal plant: "+
				"want a key below %s", either(s.plantBlocks(), 3))
		}
	}
	i := slices.IndexFunc(known, func(f field) bool { return f.name == name })
	switch {
	case i >= 0:
		return known[i].v, nil
	case name == "kind":
		return v, errors.New("is a word: want the key of a number")
	case known == nil:
		return v, fmt.Errorf("there are no keys below %s: want the key of a number", path)
	case path == "":
		return v, errors.New("unknown key" + s.meantOfPlant(name, names(known)))
	}
	return v, errors.New(unknownKey(path, name, names(known)))
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
		return meant(word, blocks)
	}
	return fmt.Sprintf(": did you mean %s?", either(ends, 4))
}

// inPlant reports whether a path without places in lists leads into the plant.
func (s *Scenario) inPlant(path string) bool {
	return slices.ContainsFunc(s.plantBlocks(), func(block string) bool {
		return strings.HasPrefix(withoutIndex(block)+".", path+".")
	})
}

// keysOf are the keys of a block, nil of a value.
func keysOf(v reflect.Value) []field {
	if c, ok := v.Addr().Interface().(choice); ok {
		kind, params := c.block()
		if kind == "" {
			return nil
		}
		v = reflect.ValueOf(params).Elem()
	}
	if v.Kind() != reflect.Struct {
		return nil
	}
	return fields(v)
}

// entryAt is the entry of a list at the first of the places, as in 2] and 2][1], counted
// from 1, and the rest of the places.
func entryAt(places string, v reflect.Value) (entry reflect.Value, rest string, more bool, err error) {
	place, rest, closed := strings.Cut(places, "]")
	if !closed || rest != "" && rest[0] != '[' {
		return v, "", false, errors.New("want the place in a list in brackets, as in transfer.num[1]")
	}
	if v.Kind() != reflect.Slice {
		return v, "", false, fmt.Errorf("there is no list before [%s]: want the key of a number", place)
	}
	i, err := strconv.Atoi(place)
	switch {
	case v.Len() == 0:
		return v, "", false, fmt.Errorf("the list before [%s] is empty", place)
	case err != nil || strconv.Itoa(i) != place || i < 1 || i > v.Len():
		return v, "", false, fmt.Errorf("there is no entry [%s]: want 1 to %d", place, v.Len())
	}
	rest, more = strings.CutPrefix(rest, "[")
	return v.Index(i - 1), rest, more, nil
}

// wantNumber refuses what is no number of the simulated plant.
func wantNumber(key string, v reflect.Value) error {
	name := key[strings.LastIndex(key, ".")+1:]
	rated := names(fields(reflect.ValueOf(&plant.Rating{}).Elem()))
	switch {
	case v.Kind() == reflect.Slice:
		return fmt.Errorf("is a list: want an entry of it, as in %s[1]", key)
	case keysOf(v) != nil:
		return fmt.Errorf("is a block: want the key of a number in it, %s", oneOf(names(keysOf(v))))
	case v.Kind() != reflect.Float64:
		return fmt.Errorf("holds %s: want the key of a number that may have decimals", wanted[v.Kind()])
	case slices.Contains(rated, name):
		return errors.New("is a rating, which the guard looks at and the simulated plant does not: want another key")
	case strings.HasSuffix(withoutEntry(name), "_range") && !strings.HasPrefix(key, "sensors."):
		return errors.New("is a range of the published scatter, in whose place scatter stands: want another key")
	}
	return nil
}

// numbers visits all numbers of the blocks of the plant.
func (s *Scenario) numbers(visit func(key string, v float64)) {
	for _, f := range fields(reflect.ValueOf(s).Elem()) {
		switch {
		case !s.inPlant(f.name):
		case f.name == "each":
			for i := range s.Each {
				numbersIn(fmt.Sprintf("each[%d].transfer", i+1), reflect.ValueOf(&s.Each[i].Transfer).Elem(), visit)
			}
		default:
			numbersIn(f.name, f.v, visit)
		}
	}
}

func numbersIn(path string, v reflect.Value, visit func(key string, v float64)) {
	switch v.Kind() {
	case reflect.Float64:
		visit(path, v.Float())
	case reflect.Slice:
		for i := range v.Len() {
			numbersIn(fmt.Sprintf("%s[%d]", path, i+1), v.Index(i), visit)
		}
	default:
		for _, f := range keysOf(v) {
			numbersIn(join(path, f.name), f.v, visit)
		}
	}
}

// withoutEntry is a name without its place in a list.
func withoutEntry(name string) string {
	name, _, _ = strings.Cut(name, "[")
	return name
}
