//go:build !js

package syntax

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// schema is a JSON Schema with what formats need of it. Nothing is required but what names the kind of a block:
// everything else has a default or is checked when built.
type schema struct {
	Version     string     `json:"$schema,omitempty"`
	Title       string     `json:"title,omitempty"`
	Description string     `json:"description,omitempty"`
	Type        string     `json:"type,omitempty"`
	Const       string     `json:"const,omitempty"`
	Default     any        `json:"default,omitempty"`
	OneOf       []*schema  `json:"oneOf,omitempty"`
	Items       *schema    `json:"items,omitempty"`
	Properties  properties `json:"properties,omitzero"`
	Additional  any        `json:"additionalProperties,omitempty"` // a schema, or false
	Required    []string   `json:"required,omitempty"`
}

// properties are the schemas of keys, in their order.
type properties []property

type property struct {
	name string
	*schema
}

// MarshalJSON writes an object.
func (p properties) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, one := range p {
		text, err := json.Marshal(map[string]*schema{one.name: one.schema})
		if err != nil {
			return nil, err
		}
		if out = append(out, text[1:len(text)-1]...); i < len(p)-1 {
			out = append(out, ',')
		}
	}
	return append(out, '}'), nil
}

// named is the schema of a key; nil: there is none.
func (p properties) named(name string) *schema {
	for _, one := range p {
		if one.name == name {
			return one.schema
		}
	}
	return nil
}

// Schema is the JSON Schema of a format, made from the structs, for editors
// that complete and check YAML.
func (f *Format) Schema(title, description string) ([]byte, error) {
	s := schemaOf(reflect.ValueOf(f.New()))
	s.Version, s.Title, s.Description = "https://json-schema.org/draft/2020-12/schema", title, description
	out, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return append(out, '\n'), nil
}

// schemaOf is the schema of a value that can be changed, or that a pointer leads to.
func schemaOf(v reflect.Value) *schema {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v = fresh(v.Type().Elem())
		}
		return schemaOf(v.Elem())
	}
	if k, ok := v.Interface().(keyed); ok { // blocks under keys that the user chooses
		return &schema{Type: "object", Additional: schemaOf(reflect.ValueOf(k.Keyed()))}
	}
	if c, ok := chosen(v); ok {
		return choiceSchema(c)
	}
	if list, ok := listOf(v); ok { // or the block that names a file
		inFile := objectSchema(fields(v))
		inFile.Required = []string{fields(v)[0].Name}
		return &schema{OneOf: []*schema{schemaOf(list), inFile}}
	}
	switch v.Kind() {
	case reflect.Struct:
		return objectSchema(fields(v))
	case reflect.Slice:
		return &schema{Type: "array", Items: schemaOf(fresh(v.Type().Elem()))}
	case reflect.Map:
		return &schema{Type: "object", Additional: schemaOf(fresh(v.Type().Elem()))}
	case reflect.Float64:
		return &schema{Type: "number"}
	case reflect.Bool:
		return &schema{Type: "boolean"}
	case reflect.String:
		return &schema{Type: "string"}
	}
	return &schema{Type: "integer"}
}

// objectSchema is the schema of a block with these keys.
func objectSchema(keys []Field) *schema {
	out := &schema{Type: "object", Properties: properties{}, Additional: false}
	for _, f := range keys {
		s := schemaOf(f.V)
		s.Description = f.Doc
		if _, ok := f.V.Interface().(orNone); ok {
			s = &schema{Description: f.Doc, OneOf: []*schema{{Const: None}, s}}
		}
		out.Properties = append(out.Properties, property{f.Name, s})
	}
	return out
}

// choiceSchema offers one shape per kind.
func choiceSchema(c choice) *schema {
	out := &schema{Type: "object"}
	for _, k := range c.docs() {
		block := schemaOf(reflect.ValueOf(k.defaults))
		block.Description = k.Doc + " (" + k.Ref + ")"
		if block.Properties.named(k.Name) == nil { // else record: … says it
			block.Required = append(block.Required, "kind")
		} else {
			block.Required = append(block.Required, strings.ToLower(k.Name))
		}
		for _, p := range k.Params {
			if s := block.Properties.named(p.Key); s != nil && p.Default != nil {
				s.Default = p.Default
			}
		}
		for _, f := range keysOf(c.Own()) {
			own := &schema{Type: "string", Description: f.Doc}
			if f.V.Kind() == reflect.Float64 {
				own.Type, own.Default = "number", f.V.Interface()
			}
			block.Properties = append(block.Properties, property{f.Name, own})
		}
		block.Properties = slices.Insert(block.Properties, 0, property{"kind", &schema{Const: k.Name, Description: k.Doc}})
		out.OneOf = append(out.OneOf, block)
	}
	return out
}
