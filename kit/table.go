package kit

import (
	"fmt"
	"reflect"
	"strings"

	"rths"
)

// Names of the promises of tables.
const (
	Described   = "every row has a name of its own, a line of documentation and a reference"
	FreshEach   = "every call of Defaults makes a struct of its own"
	KeysAreText = "every parameter has a key and a line of documentation"
)

// Table are the promises that a table of methods breaks.
func Table[M any](table []rths.Kind[M]) []Broken {
	var r report
	if len(table) == 0 {
		r.add(Described, "no rows")
	}
	seen := map[string]bool{}
	for i, k := range table {
		row := fmt.Sprintf("row %d, %q", i+1, k.Name)
		if k.Name == "" || seen[k.Name] || strings.ContainsAny(k.Name, " \n") {
			r.add(Described, "%s: want a name of its own, one word", row)
		}
		seen[k.Name] = true
		for what, text := range map[string]string{"documentation": k.Doc, "reference": k.Ref} {
			if strings.TrimSpace(text) == "" || strings.Contains(text, "\n") {
				r.add(Described, "%s: %s %q: want one line", row, what, text)
			}
		}
		parameters(&r, row, reflect.ValueOf(k.Defaults()), reflect.ValueOf(k.Defaults()))
		tunable(&r, row, k.Tunable, reflect.ValueOf(k.Defaults()))
	}
	return r
}

// parameters: two sets of defaults share nothing that can change, and their keys are text.
func parameters(r *report, row string, one, other reflect.Value) {
	if one.Kind() != reflect.Pointer || one.IsNil() || one.Elem().Kind() != reflect.Struct {
		r.add(FreshEach, "%s: %s: want a pointer to a struct", row, one.Type())
		return
	}
	one, other = one.Elem(), other.Elem()
	if one.Type().Size() > 0 && one.Addr().Pointer() == other.Addr().Pointer() {
		r.add(FreshEach, "%s: the same struct twice", row)
	}
	for _, f := range reflect.VisibleFields(one.Type()) {
		if f.Anonymous {
			if f.Tag.Get("yaml") != ",inline" {
				r.add(KeysAreText, "%s: %s is not inline", row, f.Name)
			}
			continue
		}
		if !f.IsExported() {
			continue
		}
		if key := f.Tag.Get("yaml"); key == "" || key != "-" && f.Tag.Get("doc") == "" {
			r.add(KeysAreText, "%s: %s has no key or no documentation", row, f.Name)
		}
		if v := one.FieldByIndex(f.Index); v.Kind() == reflect.Slice && v.Len() > 0 &&
			v.Pointer() == other.FieldByIndex(f.Index).Pointer() {
			r.add(FreshEach, "%s: both sets of defaults share the numbers of %s", row, f.Name)
		}
	}
}
