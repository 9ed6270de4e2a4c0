//go:build !js

package syntax

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"
)

// Schema is the JSON Schema of a format, made from the structs, for editors
// that complete and check YAML.
func (f *Format) Schema(title, description string) ([]byte, error) {
	r := newReflector()
	r.ExpandedStruct, r.Mapper = true, listOrFile
	top := f.New()
	s := r.Reflect(top)
	s.Title, s.Description = title, description
	if err := choices(r, s, reflect.ValueOf(top).Elem()); err != nil {
		return nil, err
	}
	out, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return append(out, '\n'), nil
}

// newReflector takes nothing for required: everything has a default or is checked when built.
func newReflector() *jsonschema.Reflector {
	return &jsonschema.Reflector{FieldNameTag: "yaml", DoNotReference: true, Anonymous: true,
		RequiredFromJSONSchemaTags: true, LookupComment: fieldDoc}
}

// listOrFile is the schema of what a text gives by a list, or by the inline block that names a file; nil: of other
// types.
func listOrFile(t reflect.Type) *jsonschema.Schema {
	if t.Kind() != reflect.Struct {
		return nil
	}
	v := reflect.New(t).Elem()
	list, ok := listOf(v)
	if !ok {
		return nil
	}
	r := newReflector()
	numbers := r.ReflectFromType(list.Type())
	var inFile *jsonschema.Schema
	for i := range t.NumField() {
		if t.Field(i).Anonymous {
			inFile = r.ReflectFromType(t.Field(i).Type)
		}
	}
	inFile.Required = []string{fields(v)[0].Name}
	inFile.Version, numbers.Version = "", ""
	return &jsonschema.Schema{OneOf: []*jsonschema.Schema{numbers, inFile}}
}

// choices writes the schemas of all choices in v and in its lists into s.
func choices(r *jsonschema.Reflector, s *jsonschema.Schema, v reflect.Value) error {
	for _, f := range fields(v) {
		block, _ := s.Properties.Get(f.Name)
		made, err := blockSchema(r, block, f)
		if err != nil {
			return err
		}
		s.Properties.Set(f.Name, made)
	}
	return nil
}

// blockSchema is the schema of a key with its choices, made from the one without.
func blockSchema(r *jsonschema.Reflector, block *jsonschema.Schema, f Field) (made *jsonschema.Schema, err error) {
	if k, ok := f.V.Interface().(keyed); ok {
		made = &jsonschema.Schema{Description: f.Doc, Type: "object"}
		made.AdditionalProperties, err = keyedSchema(r, k.Keyed())
		return made, err
	}
	c, choosing := chosen(f.V)
	switch kind := f.V.Kind(); {
	case choosing:
		block, err = choiceSchema(r, c)
	case kind == reflect.Slice && f.V.Type().Elem().Kind() == reflect.Struct:
		block.Items, err = within(r, block.Items, f.V.Type().Elem())
	case kind == reflect.Pointer:
		block, err = within(r, block, f.V.Type().Elem())
	case kind == reflect.Struct:
		inlineKeys(r, block, f.V)
	}
	if err != nil {
		return nil, err
	}
	block.Description = f.Doc
	if _, ok := f.V.Interface().(orNone); ok {
		block = &jsonschema.Schema{Description: f.Doc, OneOf: []*jsonschema.Schema{{Const: None}, block}}
	}
	return block, nil
}

// keyedSchema is the schema of one of the blocks under keys that the user chooses.
func keyedSchema(r *jsonschema.Reflector, of any) (*jsonschema.Schema, error) {
	if c, ok := of.(choice); ok {
		return choiceSchema(r, c)
	}
	out := r.Reflect(of)
	out.Version = ""
	return out, nil
}

// inlineKeys adds the keys of the blocks in an inline list.
func inlineKeys(r *jsonschema.Reflector, block *jsonschema.Schema, v reflect.Value) {
	for i := range v.NumField() {
		if !inlineList(v.Type().Field(i)) {
			continue
		}
		for j := range v.Field(i).Len() {
			for p := r.Reflect(v.Field(i).Index(j).Interface()).Properties.Oldest(); p != nil; p = p.Next() {
				block.Properties.Set(p.Key, p.Value)
			}
		}
	}
}

// within is the schema of a block in a list or at a pointer, with its choices.
func within(r *jsonschema.Reflector, block *jsonschema.Schema, t reflect.Type) (*jsonschema.Schema, error) {
	element := fresh(t)
	if c, ok := element.Interface().(choice); ok {
		return choiceSchema(r, c)
	}
	return block, choices(r, block, element.Elem())
}

func fieldDoc(t reflect.Type, name string) string {
	if t.Kind() != reflect.Struct {
		return ""
	}
	f, _ := t.FieldByName(name)
	return f.Tag.Get("doc")
}

// choiceSchema offers one shape per kind.
func choiceSchema(r *jsonschema.Reflector, c choice) (*jsonschema.Schema, error) {
	out := &jsonschema.Schema{Type: "object"}
	for _, k := range c.docs() {
		block := r.Reflect(k.defaults)
		block.Version = ""
		block.Description = k.Doc + " (" + k.Ref + ")"
		kind := &jsonschema.Schema{Const: k.Name, Description: k.Doc}
		block.Properties.Set("kind", kind)
		if err := block.Properties.MoveToFront("kind"); err != nil {
			return nil, fmt.Errorf("schema of %s: %w", k.Name, err)
		}
		for _, f := range keysOf(c.Own()) {
			own := &jsonschema.Schema{Type: "string", Description: f.Doc}
			if f.V.Kind() == reflect.Float64 {
				own.Type, own.Default = "number", f.V.Interface()
			}
			block.Properties.Set(f.Name, own)
		}
		if err := choices(r, block, reflect.ValueOf(k.defaults).Elem()); err != nil {
			return nil, err
		}
		if _, named := block.Properties.Get(k.Name); !named { // else record: … says it
			block.Required = append(block.Required, "kind")
		} else {
			block.Required = append(block.Required, strings.ToLower(k.Name))
		}
		setDefaults(block, k)
		out.OneOf = append(out.OneOf, block)
	}
	return out, nil
}

// setDefaults writes the table's defaults into a kind's schema.
func setDefaults(block *jsonschema.Schema, k KindDoc) {
	for _, p := range k.Params {
		if prop, ok := block.Properties.Get(p.Key); ok && p.Default != nil {
			prop.Default = p.Default
		}
	}
}
