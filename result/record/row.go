package record

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"

	"rths"
)

// Cell is one key of a row. V is a value for encoding/json, or nil.
type Cell struct {
	Key string
	V   any
}

// Row is one flat JSON object with its keys in order.
type Row []Cell

// Get is the value under a key, or nil.
func (r Row) Get(key string) any {
	for _, c := range r {
		if c.Key == key {
			return c.V
		}
	}
	return nil
}

// MarshalJSON writes the keys in order; numbers that JSON does not know are
// null.
func (r Row) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, c := range r {
		if i > 0 {
			out = append(out, ',')
		}
		key, _ := json.Marshal(c.Key) // of a text there always is one
		if f, ok := c.V.(float64); ok {
			c.V = Number(f)
		}
		text, err := json.Marshal(c.V)
		if err != nil {
			return nil, fmt.Errorf("row: %s: %w", c.Key, err)
		}
		out = append(append(append(out, key...), ':'), text...)
	}
	return append(out, '}'), nil
}

// Put adds a key and its value at the end.
func (r *Row) Put(key string, v any) { *r = append(*r, Cell{key, v}) }

// Flat makes a row of a struct. A field is a column if it has a tag col, which is its key.
// A struct, a pointer to one, a Row or a list of rths.Value puts its own columns into the
// row, with the tag in front of their keys (tag "-": nothing in front). With the option
// omitempty a field that is empty, and with any tag a nil pointer to a struct, has no
// column; a nil pointer to a number is null.
func Flat(v any) Row {
	var out Row
	out.flatten("", reflect.ValueOf(v))
	return out
}

func (r *Row) flatten(prefix string, v reflect.Value) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return
		}
		v = v.Elem()
	}
	switch v.Type() {
	case reflect.TypeFor[Row]():
		for _, c := range v.Interface().(Row) {
			r.Put(prefix+c.Key, c.V)
		}
		return
	case reflect.TypeFor[[]rths.Value]():
		for _, c := range v.Interface().([]rths.Value) {
			r.Put(prefix+c.Name, c.V)
		}
		return
	}
	for i := range v.NumField() {
		key, option, _ := strings.Cut(v.Type().Field(i).Tag.Get("col"), ",")
		field := v.Field(i)
		switch {
		case key == "" || option == "omitempty" && field.IsZero():
		case many(field.Type()):
			r.flatten(prefix+strings.TrimPrefix(key, "-"), field)
		case field.Kind() == reflect.Pointer && field.IsNil():
			r.Put(prefix+key, nil)
		default:
			r.Put(prefix+key, reflect.Indirect(field).Interface())
		}
	}
}

// many says whether a field of this type is several columns.
func many(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct || t == reflect.TypeFor[Row]() || t == reflect.TypeFor[[]rths.Value]()
}

// Fill sets the columns of a struct, as Flat has them, that are numbers and have the name
// of a value; NaN where there is none of that name.
func Fill(dst any, values []rths.Value) { fillIn(reflect.ValueOf(dst).Elem(), values) }

func fillIn(v reflect.Value, values []rths.Value) {
	for i := range v.NumField() {
		key, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("col"), ",")
		switch field := v.Field(i); {
		case field.Kind() == reflect.Struct:
			fillIn(field, values)
		case key != "" && field.Kind() == reflect.Float64:
			field.SetFloat(math.NaN())
			for _, q := range values {
				if q.Name == key {
					field.SetFloat(q.V)
				}
			}
		}
	}
}
