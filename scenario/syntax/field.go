package syntax

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"rths/maths/words"
)

// Field is one key of a block.
type Field struct {
	Name, Doc string
	V         reflect.Value
	optional  bool // left out of print when zero
}

// Keys are the keys of a block, of the kind that it chooses; nil of a value.
func Keys(v reflect.Value) []Field {
	if c, ok := chosen(v); ok {
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

// keysOf are the keys of the struct that a pointer leads to; none of nil.
func keysOf(block any) []Field {
	if block == nil {
		return nil
	}
	return fields(reflect.ValueOf(block).Elem())
}

// fields lists the keys of a struct in order, with the keys of its inline structs and
// inline lists of blocks.
func fields(v reflect.Value) []Field {
	var out []Field
	t := v.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case inlineList(f):
			for j := range v.Field(i).Len() {
				out = append(out, fields(v.Field(i).Index(j).Elem().Elem())...)
			}
		case strings.Contains(options, "inline"):
			out = append(out, fields(v.Field(i))...)
		case f.IsExported() && name != "" && name != "-":
			out = append(out, Field{Name: name, Doc: f.Tag.Get("doc"), optional: strings.Contains(options, "omitempty"),
				V: v.Field(i)})
		}
	}
	return out
}

// inlineList reports whether a field of a struct is a list of blocks whose keys stand side by side.
func inlineList(f reflect.StructField) bool {
	_, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return strings.Contains(options, "inline") && f.Type.Kind() == reflect.Slice
}

// Names are the names of keys.
func Names(list []Field) (out []string) {
	for _, f := range list {
		out = append(out, f.Name)
	}
	return out
}

// Join is the path of a key in a block.
func Join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// WithoutPlaces is a path without places in lists, as in limits for limits[2].
func WithoutPlaces(path string) string {
	var out strings.Builder
	for part := range strings.SplitSeq(path, "[") {
		_, after, inside := strings.Cut(part, "]")
		if !inside {
			after = part
		}
		out.WriteString(after)
	}
	return out.String()
}

// Entry is the entry of a list at the first of the places, as in 2] and 2][1], counted
// from 1, and the rest of the places.
func Entry(places string, v reflect.Value) (entry reflect.Value, rest string, more bool, err error) {
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

// Scale multiplies the number, or all numbers of the list, that a block has under a key, as tau_ms, gamma or a[2].
func Scale(block reflect.Value, key string, f float64) error {
	name, place, indexed := strings.Cut(key, "[")
	known := Keys(block)
	i := slices.IndexFunc(known, func(f Field) bool { return f.Name == name })
	if i < 0 {
		return fmt.Errorf("no such key: want one of %s", words.OneOf(Names(known)))
	}
	v := known[i].V
	for more := indexed; more; {
		var err error
		if v, place, more, err = Entry(place, v); err != nil {
			return err
		}
	}
	return ScaleNumbers(v, f)
}

// ScaleNumbers multiplies a number, or all numbers of a list.
func ScaleNumbers(v reflect.Value, f float64) error {
	switch v.Kind() {
	case reflect.Float64:
		v.SetFloat(v.Float() * f)
	case reflect.Slice:
		for i := range v.Len() {
			if err := ScaleNumbers(v.Index(i), f); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("holds %s: want the key of a number or of a list of numbers", Holds(v))
	}
	return nil
}

// Holds says what a value is, as in "a whole number"; "" of a block and a list.
func Holds(v reflect.Value) string { return wanted[v.Kind()] }

// Numbers visits all numbers below a path.
func Numbers(path string, v reflect.Value, visit func(key string, v float64)) {
	switch v.Kind() {
	case reflect.Float64:
		visit(path, v.Float())
	case reflect.Slice:
		for i := range v.Len() {
			Numbers(fmt.Sprintf("%s[%d]", path, i+1), v.Index(i), visit)
		}
	default:
		for _, f := range Keys(v) {
			Numbers(Join(path, f.Name), f.V, visit)
		}
	}
}

// listed is a value that a text gives by a list, or by a block that names a file.
type listed interface{ List() any }

// listOf is where the list of such a value stands; ok is false of other values.
func listOf(v reflect.Value) (list reflect.Value, ok bool) {
	l, ok := v.Addr().Interface().(listed)
	if !ok {
		return v, false
	}
	return reflect.ValueOf(l.List()).Elem(), true
}
