package syntax

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// None is the word for a block or a list that has nothing in it.
const None = "none"

// orNone is a block or a list that may be the word none.
type orNone interface{ None() bool }

// keyed is a list of blocks under keys that the user chooses.
type keyed interface {
	Keyed() any            // a pointer to a fresh block
	Encode() yaml.MapSlice // the keys with their blocks
}

// Encode writes the block that a pointer leads to in full.
func Encode(block any) yaml.MapSlice {
	if c, ok := block.(choice); ok {
		return encodeChoice(c)
	}
	return encodeFields(keysOf(block))
}

func encodeFields(list []Field) (out yaml.MapSlice) {
	for _, f := range list {
		if c, ok := chosen(f.V); ok {
			if kind, _ := c.block(); kind != "" {
				out = append(out, yaml.MapItem{Key: f.Name, Value: encodeChoice(c)})
			}
			continue
		}
		if f.optional && f.V.IsZero() {
			continue
		}
		out = append(out, yaml.MapItem{Key: f.Name, Value: encode(f.V)})
	}
	return out
}

func encodeChoice(c choice) yaml.MapSlice {
	kind, params := c.block()
	return append(yaml.MapSlice{{Key: "kind", Value: kind}}, encodeFields(append(keysOf(c.Own()), keysOf(params)...))...)
}

func encode(v reflect.Value) any {
	if l, ok := v.Interface().(orNone); ok && l.None() {
		return None
	}
	if k, ok := v.Interface().(keyed); ok {
		return k.Encode()
	}
	if list, ok := listOf(v); ok && !list.IsNil() {
		return list.Interface()
	}
	switch v.Kind() {
	case reflect.Struct:
		return Encode(v.Addr().Interface())
	case reflect.Pointer:
		return encode(v.Elem())
	case reflect.Map:
		out := yaml.MapSlice{}
		for _, name := range slices.SortedFunc(slices.Values(v.MapKeys()), func(a, b reflect.Value) int {
			return strings.Compare(a.String(), b.String())
		}) {
			out = append(out, yaml.MapItem{Key: name.String(), Value: v.MapIndex(name).Interface()})
		}
		return out
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Struct {
			break
		}
		out := make([]any, v.Len())
		for i := range out {
			out[i] = encode(v.Index(i))
		}
		return out
	}
	return v.Interface()
}

// flow writes a block in one line.
func flow(block yaml.MapSlice) (string, error) {
	text, err := yaml.MarshalWithOptions(block, yaml.Flow(true))
	if err != nil {
		return "", fmt.Errorf("scenario: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}
