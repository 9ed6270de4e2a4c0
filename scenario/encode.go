package scenario

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// YAML writes the scenario out in full: every default, and what makers have
// resolved. Reading it back gives the same test.
func (s *Scenario) YAML() (string, error) {
	out := encodeStruct(reflect.ValueOf(s).Elem())
	if s.Target.Given() { // these mean nothing beside it and are refused
		out = slices.DeleteFunc(out, func(i yaml.MapItem) bool {
			return i.Key == "integrator" || i.Key == "interface_dof" || i.Key == "interface_motion"
		})
	}
	if s.Coupler.Given() { // the structure knows
		out = slices.DeleteFunc(out, func(i yaml.MapItem) bool { return i.Key == "interface_dof" })
	}
	if len(s.Each) > 0 { // in its place
		out = slices.DeleteFunc(out, func(i yaml.MapItem) bool { return i.Key == "compensator" })
	}
	if s.Limits.None() { // refused beside it
		out = slices.DeleteFunc(out, func(i yaml.MapItem) bool { return i.Key == "on_trip" })
	}
	text, err := yaml.MarshalWithOptions(out, yaml.UseSingleQuote(false))
	if err != nil {
		return "", fmt.Errorf("scenario: %w", err)
	}
	return string(text), nil
}

func encodeStruct(v reflect.Value) yaml.MapSlice {
	var out yaml.MapSlice
	for _, f := range fields(v) {
		if c, ok := f.v.Addr().Interface().(choice); ok {
			if kind, params := c.block(); kind != "" {
				out = append(out, yaml.MapItem{Key: f.name, Value: encodeChoice(kind, params)})
			}
			continue
		}
		if f.optional && f.v.IsZero() {
			continue
		}
		out = append(out, yaml.MapItem{Key: f.name, Value: encode(f.v)})
	}
	return out
}

func encodeChoice(kind string, params any) yaml.MapSlice {
	out := yaml.MapSlice{{Key: "kind", Value: kind}}
	return append(out, encodeStruct(reflect.ValueOf(params).Elem())...)
}

func encode(v reflect.Value) any {
	if l, ok := v.Interface().(Limits); ok && l.None() {
		return none
	}
	switch v.Kind() {
	case reflect.Struct:
		if c, ok := v.Addr().Interface().(choice); ok {
			return encodeChoice(c.block())
		}
		return encodeStruct(v)
	case reflect.Pointer:
		return encode(v.Elem())
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
