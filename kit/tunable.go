package kit

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"rths"
)

// InRange is a promise of tables: a search of rths.Tunable finds its keys and can set them.
const InRange = "every key to tune is a number of the parameters, with a range that has the default"

// tunable checks the keys to tune of a row against its defaults.
func tunable(r *report, row string, keys []rths.Tunable, defaults reflect.Value) {
	seen := map[string]bool{}
	for _, t := range keys {
		if seen[t.Key] {
			r.add(InRange, "%s: %s stands twice", row, t.Key)
		}
		seen[t.Key] = true
		if text := cmp.Or(mistake(t), misfit(t, defaults)); text != "" {
			r.add(InRange, "%s: %s: %s", row, t.Key, text)
		}
	}
}

// mistake is what is wrong with a range by itself; "": nothing.
func mistake(t rths.Tunable) string {
	whole := t.From == math.Trunc(t.From) && t.To == math.Trunc(t.To)
	switch {
	case !rths.Finite(t.From) || !rths.Finite(t.To) || !(t.From < t.To):
		return fmt.Sprintf("from %g to %g: want finite numbers, from below to", t.From, t.To)
	case (t.Log || t.Relative) && !(t.From > 0):
		return fmt.Sprintf("from %g, Log or Relative: want from above 0", t.From)
	case t.Relative && !(t.From <= 1 && t.To >= 1):
		return fmt.Sprintf("factors %g to %g: want a range that has 1, the default", t.From, t.To)
	case t.Whole && (t.Relative || !whole):
		return "Whole with ends that are not whole, or with Relative: want whole ends and no factors"
	}
	return ""
}

// misfit is what the defaults have against a key; "": nothing. A default that is left open is filled in
// by the maker, with whatever suits the scenario.
func misfit(t rths.Tunable, defaults reflect.Value) string {
	name, entry, indexed := strings.Cut(t.Key, "[")
	v, optional := parameter(defaults, name)
	switch {
	case !v.IsValid():
		return "want a key of the parameters"
	case indexed != (strings.HasSuffix(entry, "]") && v.Kind() == reflect.Slice):
		return "want an entry, as in a[2], of a list"
	case v.Kind() == reflect.Slice:
		return misfitOfList(t, v, strings.TrimSuffix(entry, "]"), indexed)
	case v.Kind() != reflect.Int && v.Kind() != reflect.Float64:
		return fmt.Sprintf("is a %s: want a number", v.Kind())
	case v.Kind() == reflect.Int && !t.Whole:
		return "is a whole number: want Whole"
	case t.Relative || optional && v.IsZero():
		return ""
	}
	return outside(t, number(v))
}

func misfitOfList(t rths.Tunable, list reflect.Value, entry string, indexed bool) string {
	i, err := strconv.Atoi(entry)
	switch {
	case indexed && (err != nil || i < 1):
		return "want an entry counted from 1"
	case !t.Relative:
		return "is in a list, whose other entries a block with this key alone would lose: want Relative"
	case indexed && list.Len() > 0 && i > list.Len():
		return fmt.Sprintf("the list has %d entries", list.Len())
	}
	return ""
}

func outside(t rths.Tunable, x float64) string {
	if x < t.From || x > t.To {
		return fmt.Sprintf("default %g: want it within %g to %g", x, t.From, t.To)
	}
	return ""
}

func number(v reflect.Value) float64 {
	if v.Kind() == reflect.Int {
		return float64(v.Int())
	}
	return v.Float()
}

// parameter is the field with a key, and whether the key may be left out.
func parameter(defaults reflect.Value, key string) (v reflect.Value, optional bool) {
	if defaults.Kind() != reflect.Pointer || defaults.Elem().Kind() != reflect.Struct {
		return reflect.Value{}, false
	}
	for _, f := range reflect.VisibleFields(defaults.Elem().Type()) {
		name, rest, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if name == key && f.IsExported() && !f.Anonymous {
			return defaults.Elem().FieldByIndex(f.Index), rest == "omitempty"
		}
	}
	return reflect.Value{}, false
}
