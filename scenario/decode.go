package scenario

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"rths"
)

// decoder fills structs from nodes by their yaml tags, strictly: every key must
// exist, every value must be of the right kind. It collects all errors.
type decoder struct {
	errs  []error
	other bool // another format than a scenario: no hints at a scenario's keys
}

func (d *decoder) fail(at, path, format string, args ...any) {
	d.errs = append(d.errs, fmt.Errorf("%s: %s: %s", at, path, fmt.Sprintf(format, args...)))
}

// mostErrors are shown; a file that is no scenario may have thousands.
const mostErrors = 20

func (d *decoder) err() error {
	if more := len(d.errs) - mostErrors; more > 0 {
		return errors.Join(append(slices.Clone(d.errs[:mostErrors]), fmt.Errorf("and %d more errors", more))...)
	}
	return errors.Join(d.errs...)
}

// chooser is a Choice of any family.
type chooser interface {
	choose(d *decoder, path string, n *node)
}

// field is one key of a struct.
type field struct {
	name, doc string
	optional  bool // left out of print when zero
	v         reflect.Value
}

// fields lists the keys of a struct in order, with the keys of its inline structs and
// inline lists of blocks.
func fields(v reflect.Value) []field {
	var out []field
	t := v.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case strings.Contains(options, "inline") && f.Type.Kind() == reflect.Slice:
			for j := range v.Field(i).Len() {
				out = append(out, fields(v.Field(i).Index(j).Elem().Elem())...)
			}
		case strings.Contains(options, "inline"):
			out = append(out, fields(v.Field(i))...)
		case f.IsExported() && name != "" && name != "-":
			out = append(out, field{name: name, doc: f.Tag.Get("doc"), optional: strings.Contains(options, "omitempty"),
				v: v.Field(i)})
		}
	}
	return out
}

// block decodes a mapping into a struct. The keys in skip are left to the caller.
func (d *decoder) block(path string, n *node, v reflect.Value, skip ...string) {
	d.keys(path, n, fields(v), skip...)
}

// keys decodes a mapping into known keys.
func (d *decoder) keys(path string, n *node, known []field, skip ...string) {
	if n.shape == empty {
		return
	}
	if n.shape != mapping {
		list := ""
		if len(known) > 0 {
			list = ": " + strings.Join(names(known), ", ")
		}
		d.fail(n.at, path, "found %s: want a block of keys%s", n.describe(), list)
		return
	}
	for _, k := range n.keys {
		i := slices.IndexFunc(known, func(f field) bool { return f.name == k.name })
		switch {
		case slices.Contains(skip, k.name):
		case i >= 0:
			d.value(join(path, k.name), k.value, known[i].v)
		case len(d.errs) >= mostErrors:
			d.fail(k.at, join(path, k.name), "unknown key") // not shown: no time for a hint
		case d.other:
			d.fail(k.at, join(path, k.name), "unknown key%s", meant(k.name, names(known)))
		default:
			d.fail(k.at, join(path, k.name), "%s", unknownKey(path, k.name, append(names(known), skip...)))
		}
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func (n *node) describe() string {
	if n.shape == scalar {
		return fmt.Sprintf("%.60q", n.text) // the file may be no scenario at all
	}
	return n.shape.String()
}

// value decodes one value of any type a scenario has.
func (d *decoder) value(path string, n *node, v reflect.Value) {
	if c, ok := v.Addr().Interface().(chooser); ok {
		c.choose(d, path, n)
		return
	}
	if list, ok := listOf(v); ok && n.shape != mapping {
		d.listed(path, n, list)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		d.block(path, n, v)
	case reflect.Pointer:
		block := fresh(v.Type().Elem())
		if _, chosen := block.Interface().(choice); chosen && n.shape == empty {
			return // as in --set fallback=
		}
		d.value(path, n, block.Elem())
		v.Set(block)
	case reflect.Slice:
		d.list(path, n, v)
	case reflect.Map:
		d.named(path, n, v)
	default:
		d.scalar(path, n, v)
	}
}

// named decodes a mapping of any names to numbers.
func (d *decoder) named(path string, n *node, v reflect.Value) {
	if n.shape == empty {
		return
	}
	if n.shape != mapping {
		d.fail(n.at, path, "found %s: want names with numbers, as in {gain: 1.2}", n.describe())
		return
	}
	out := reflect.MakeMap(v.Type())
	for _, k := range n.keys {
		number := reflect.New(v.Type().Elem()).Elem()
		d.scalar(join(path, k.name), k.value, number)
		out.SetMapIndex(reflect.ValueOf(k.name), number)
	}
	v.Set(out)
}

func (d *decoder) list(path string, n *node, v reflect.Value) {
	if n.shape != sequence {
		d.fail(n.at, path, "found %s: want a list, as in %s", n.describe(), exampleList(n, v.Type().Elem()))
		return
	}
	if v.Type().Elem().Kind() == reflect.Slice && slices.ContainsFunc(n.items,
		func(i *node) bool { return i.shape == scalar }) {
		d.fail(n.at, path, "found a list of numbers: want a list of lists, as in [[%.20s, …], …]", n.items[0].text)
		return
	}
	out := reflect.MakeSlice(v.Type(), len(n.items), len(n.items))
	for i, item := range n.items {
		out.Index(i).Set(fresh(v.Type().Elem()).Elem())
		d.value(fmt.Sprintf("%s[%d]", path, i+1), item, out.Index(i))
	}
	v.Set(out)
}

// exampleList shows a list of such elements, with the number that stands in its place.
func exampleList(n *node, element reflect.Type) string {
	switch _, err := strconv.ParseFloat(strings.Split(n.text, ",")[0], 64); {
	case element.Kind() == reflect.Slice:
		return "[[1, 2], [3, 4]]"
	case element.Kind() == reflect.Struct:
		return "[{" + strings.Join(names(fields(fresh(element).Elem())), ": …, ") + ": …}]"
	case n.shape == scalar && err == nil && len(n.text) <= 60:
		return "[" + n.text + "]"
	}
	return "[1, 2]"
}

func (d *decoder) scalar(path string, n *node, v reflect.Value) {
	if n.shape != scalar {
		d.fail(n.at, path, "found %s: want %s", n.describe(), wanted[v.Kind()])
		return
	}
	var err error
	switch v.Kind() {
	case reflect.String:
		v.SetString(n.text)
		return
	case reflect.Bool:
		var b bool
		b, err = strconv.ParseBool(n.text)
		v.SetBool(b)
	case reflect.Int:
		var i int64
		i, err = strconv.ParseInt(n.text, 10, 64)
		v.SetInt(i)
	case reflect.Uint64:
		var u uint64
		u, err = strconv.ParseUint(n.text, 10, 64)
		v.SetUint(u)
	case reflect.Float64:
		var f float64
		f, err = strconv.ParseFloat(n.text, 64)
		v.SetFloat(f)
		if !rths.Finite(f) {
			err = strconv.ErrRange
		}
	default:
		panic("scenario: no decoder for " + v.Type().String())
	}
	if err != nil || n.quoted {
		d.fail(n.at, path, "found %s: want %s%s", n.describe(), wanted[v.Kind()], numberHint(n.text))
	}
}

var wanted = map[reflect.Kind]string{
	reflect.Bool: "true or false", reflect.Int: "a whole number", reflect.Uint64: "a whole number of 0 or more",
	reflect.Float64: "a finite number", reflect.String: "text",
}

// numberHint says what is wrong with a text in place of a number.
func numberHint(text string) string {
	isNumber := func(s string) bool { _, err := strconv.ParseFloat(s, 64); return err == nil }
	number := strings.TrimRight(text, " .·*^-°µabcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/²³%")
	words := strings.Fields(text)
	switch {
	case strings.HasSuffix(text, "%") && isNumber(number):
		return " without %: 2 % is 0.02 (but a key whose name ends in _pct takes percent)"
	case isNumber(number) && number != text:
		return " without a unit (the unit is SI, or in the key's name)"
	case slices.Contains(words, "-"):
		return "; the dashes of a list stand in one column"
	case len(words) > 1 && !slices.ContainsFunc(words, func(w string) bool { return !isNumber(w) }):
		return "; between the numbers of a list stands a comma, within a number no space"
	case strings.Contains(text, ",") && isNumber(strings.Replace(text, ",", ".", 1)):
		return " with a point before the decimals"
	case strings.ContainsAny(text, "^*/") && strings.ContainsAny(text, "0123456789"):
		return " written out, as in 2.5e6"
	}
	return ""
}

func names(list []field) (out []string) {
	for _, f := range list {
		out = append(out, f.name)
	}
	return out
}
