package scenario

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"

	"rths/model/structure"
)

// Schema is the JSON Schema of a scenario, made from the structs, for editors
// that complete and check YAML.
func Schema() ([]byte, error) {
	r := &jsonschema.Reflector{
		FieldNameTag: "yaml", DoNotReference: true, Anonymous: true, ExpandedStruct: true,
		RequiredFromJSONSchemaTags: true, // nothing is required: everything has a default or is checked when built
		LookupComment:              fieldDoc,
		Mapper:                     listOrFile,
	}
	s := r.Reflect(New())
	s.Title = "rths scenario"
	s.Description = "A real-time hybrid simulation. Units are SI unless the key names another."
	if err := choices(r, s, reflect.ValueOf(New()).Elem()); err != nil {
		return nil, err
	}
	judged, _ := s.Properties.Get("criteria")
	for _, row := range allCriteria().Rows {
		for p := r.Reflect(row).Properties.Oldest(); p != nil; p = p.Next() {
			judged.Properties.Set(p.Key, p.Value)
		}
	}
	expect, _ := s.Properties.Get("expect")
	bounds := r.Reflect(&Range{})
	bounds.Version = ""
	s.Properties.Set("expect", &jsonschema.Schema{Description: expect.Description, Type: "object",
		AdditionalProperties: bounds})
	scattered, _ := s.Properties.Get("scatter")
	s.Properties.Set("scatter", &jsonschema.Schema{Description: scattered.Description, Type: "object",
		AdditionalProperties: scattered.Items})
	out, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return append(out, '\n'), nil
}

// listOrFile is the schema of what a scenario gives by a list or in a file; nil: of other types.
func listOrFile(t reflect.Type) *jsonschema.Schema {
	if t.Kind() != reflect.Struct {
		return nil
	}
	list, ok := listOf(reflect.New(t).Elem())
	if !ok {
		return nil
	}
	r := &jsonschema.Reflector{FieldNameTag: "yaml", DoNotReference: true, Anonymous: true,
		RequiredFromJSONSchemaTags: true, LookupComment: fieldDoc}
	inFile := r.ReflectFromType(reflect.TypeFor[structure.FromFile]())
	inFile.Required = []string{"file"}
	numbers := r.ReflectFromType(list.Type())
	inFile.Version, numbers.Version = "", ""
	return &jsonschema.Schema{OneOf: []*jsonschema.Schema{numbers, inFile}}
}

// choices writes the schemas of all choices in v and in its lists into s.
func choices(r *jsonschema.Reflector, s *jsonschema.Schema, v reflect.Value) error {
	for _, f := range fields(v) {
		block, _ := s.Properties.Get(f.name)
		var err error
		switch {
		case f.v.Kind() == reflect.Slice && f.v.Type().Elem().Kind() == reflect.Struct:
			block.Items, err = within(r, block.Items, f.v.Type().Elem())
			s.Properties.Set(f.name, orNone(f.v, block))
		case orNone(f.v, block) != block:
			s.Properties.Set(f.name, orNone(f.v, block))
		case f.v.Kind() == reflect.Pointer:
			if block, err = within(r, block, f.v.Type().Elem()); err == nil {
				block.Description = f.doc
				s.Properties.Set(f.name, block)
			}
		default:
			c, ok := f.v.Addr().Interface().(choice)
			if !ok {
				continue
			}
			if block, err = choiceSchema(r, c); err == nil {
				block.Description = f.doc
				s.Properties.Set(f.name, block)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// orNone is the schema of a block that may be the word none.
func orNone(v reflect.Value, block *jsonschema.Schema) *jsonschema.Schema {
	if _, ok := v.Interface().(interface{ None() bool }); !ok {
		return block
	}
	return &jsonschema.Schema{Description: block.Description, OneOf: []*jsonschema.Schema{{Const: none}, block}}
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
		for _, f := range c.own() {
			own := &jsonschema.Schema{Type: "string", Description: f.doc}
			if f.v.Kind() == reflect.Float64 {
				own.Type, own.Default = "number", f.v.Interface()
			}
			block.Properties.Set(f.name, own)
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
