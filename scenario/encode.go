package scenario

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"rths/model/structure"
)

// YAML writes the scenario in full, with every default and every value that makers filled
// in. Reading the text back gives the same test.
func (s *Scenario) YAML() (string, error) { return s.YAMLIn(s.baseDir) }

// YAMLIn is YAML for a file in another folder: relative file names start there.
func (s *Scenario) YAMLIn(folder string) (string, error) {
	out := encodeStruct(reflect.ValueOf(s).Elem())
	if folder != s.baseDir {
		if err := s.moveFiles(out, folder); err != nil {
			return "", fmt.Errorf("scenario: %w", err)
		}
	}
	for _, block := range []struct {
		given   bool
		refuses []string // keys that mean nothing beside the block
	}{
		{s.Target.Given(), []string{"integrator", "interface_dof", "interface_motion"}},
		{s.External() != nil, []string{"integrator", "interface_dof", "interface_motion"}},
		{s.Coupler.Given(), []string{"interface_dof"}}, // the structure has an interface of its own
		{len(s.Interface) > 0, []string{"interface_dof"}},
		{s.openInterface(), []string{"interface_dof"}}, // the structure chooses it
		{len(s.Specimens) > 0, []string{"specimen"}},
		{s.eachCompensates(), []string{"compensator"}},
		{s.eachMoves(), []string{"transfer"}},
		{s.Limits.None(), []string{"on_trip"}},
	} {
		out = slices.DeleteFunc(out, func(i yaml.MapItem) bool {
			return block.given &&
				slices.Contains(block.refuses, i.Key.(string))
		})
	}
	text, err := yaml.MarshalWithOptions(out, yaml.UseSingleQuote(false))
	if err != nil {
		return "", fmt.Errorf("scenario: %w", err)
	}
	return string(text), nil
}

// moveFiles lets the relative names of all keys file start from a folder.
func (s *Scenario) moveFiles(block any, folder string) (err error) {
	switch block := block.(type) {
	case []any:
		for _, b := range block {
			err = errors.Join(err, s.moveFiles(b, folder))
		}
	case yaml.MapSlice:
		for i, item := range block {
			name, is := item.Value.(string)
			if item.Key != "file" || !is || name == "" || filepath.IsAbs(name) {
				err = errors.Join(err, s.moveFiles(item.Value, folder))
				continue
			}
			moved, wayErr := way(folder, filepath.Join(s.baseDir, name))
			block[i].Value, err = filepath.ToSlash(moved), errors.Join(err, wayErr)
		}
	}
	return err
}

// way is the name of a file from a folder: absolute, if a link makes the relative name lead elsewhere.
func way(folder, file string) (string, error) {
	from, fromErr := filepath.Abs(folder)
	to, toErr := filepath.Abs(file)
	seen, seenErr := filepath.Rel(from, to)
	if real, err := filepath.Rel(resolved(from), resolved(to)); err != nil || real != seen {
		seen = to
	}
	return seen, errors.Join(fromErr, toErr, seenErr)
}

// resolved is a name without links, as far as it exists.
func resolved(name string) string {
	at, err := filepath.EvalSymlinks(name)
	if folder := filepath.Dir(name); err != nil && folder != name {
		return filepath.Join(resolved(folder), filepath.Base(name))
	}
	return at
}

// openInterface reports whether interface_dof was left to a structure that has a place for a specimen.
func (s *Scenario) openInterface() bool {
	_, places := s.Structure.Params.(*structure.FEFoundation)
	return places && s.InterfaceDOF == 1 && s.places["interface_dof"] == ""
}

func encodeStruct(v reflect.Value) yaml.MapSlice { return encodeFields(fields(v)) }

func encodeFields(list []field) (out yaml.MapSlice) {
	for _, f := range list {
		if c, ok := f.v.Addr().Interface().(choice); ok {
			if kind, _ := c.block(); kind != "" {
				out = append(out, yaml.MapItem{Key: f.name, Value: encodeChoice(c)})
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

func encodeChoice(c choice) yaml.MapSlice {
	kind, params := c.block()
	out := append(yaml.MapSlice{{Key: "kind", Value: kind}}, encodeFields(c.own())...)
	return append(out, encodeStruct(reflect.ValueOf(params).Elem())...)
}

func encode(v reflect.Value) any {
	if l, ok := v.Interface().(Limits); ok && l.None() {
		return none
	}
	if l, ok := v.Interface().(Late); ok && l.None() {
		return none
	}
	if e, ok := v.Interface().(Expect); ok {
		return e.encode()
	}
	if l, ok := v.Interface().(Scatter); ok {
		return l.encode()
	}
	if list, ok := listOf(v); ok && !list.IsNil() {
		return list.Interface()
	}
	switch v.Kind() {
	case reflect.Struct:
		if c, ok := v.Addr().Interface().(choice); ok {
			return encodeChoice(c)
		}
		return encodeStruct(v)
	case reflect.Pointer:
		return encode(v.Elem())
	case reflect.Map:
		out := yaml.MapSlice{}
		for _, name := range slices.Sorted(maps.Keys(v.Interface().(map[string]float64))) {
			out = append(out, yaml.MapItem{Key: name, Value: v.MapIndex(reflect.ValueOf(name)).Interface()})
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
