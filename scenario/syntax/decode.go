package syntax

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"rths"
	"rths/maths/words"
)

// Decoder fills structs from nodes by their yaml tags, strictly: every key must
// exist, every value must be of the right kind. It collects all errors.
type Decoder struct {
	format *Format
	errs   []error
	other  bool // another format: no hints at the keys of this one
}

// Decode reads a text into the struct that a pointer leads to.
func (f *Format) Decode(root *Node, into any) error {
	d := Decoder{format: f}
	d.Block("", root, into)
	return d.err()
}

// DecodeOther reads a text of another format as strictly, without hints at the keys of this one.
func (f *Format) DecodeOther(root *Node, into any) error {
	d := Decoder{format: f, other: true}
	d.Block("", root, into)
	return d.err()
}

// Fail notes an error.
func (d *Decoder) Fail(at, path, format string, args ...any) {
	d.errs = append(d.errs, fmt.Errorf("%s: %s: %s", at, path, fmt.Sprintf(format, args...)))
}

// Failed is how many errors there are.
func (d *Decoder) Failed() int { return len(d.errs) }

// MostErrors are shown; a file that is no scenario may have thousands.
const MostErrors = 20

// full reports whether further errors are not shown.
func (d *Decoder) full() bool { return len(d.errs) >= MostErrors }

func (d *Decoder) err() error {
	if more := len(d.errs) - MostErrors; more > 0 {
		return errors.Join(append(slices.Clone(d.errs[:MostErrors]), fmt.Errorf("and %d more errors", more))...)
	}
	return errors.Join(d.errs...)
}

// chooser reads itself, other than by the rules for its type.
type chooser interface {
	Choose(d *Decoder, path string, n *Node)
}

// Block decodes a mapping into the struct that a pointer leads to.
func (d *Decoder) Block(path string, n *Node, into any) { d.keys(path, n, keysOf(into)) }

// List decodes a list into the slice that a pointer leads to.
func (d *Decoder) List(path string, n *Node, into any) { d.list(path, n, reflect.ValueOf(into).Elem()) }

// keys decodes a mapping into known keys.
func (d *Decoder) keys(path string, n *Node, known []Field, skip ...string) {
	if n.Shape == Empty {
		return
	}
	if n.Shape != Mapping {
		list := ""
		if len(known) > 0 {
			list = ": " + strings.Join(Names(known), ", ")
		}
		d.Fail(n.At, path, "found %s: want a block of keys%s", n.Describe(), list)
		return
	}
	for _, k := range n.Keys {
		i := slices.IndexFunc(known, func(f Field) bool { return f.Name == k.Name })
		switch {
		case slices.Contains(skip, k.Name):
		case i >= 0:
			d.value(Join(path, k.Name), k.Value, known[i].V)
		case d.full():
			d.Fail(k.At, Join(path, k.Name), "unknown key") // not shown: no time for a hint
		case d.other:
			d.Fail(k.At, Join(path, k.Name), "unknown key%s", words.Ask(k.Name, Names(known)))
		default:
			d.Fail(k.At, Join(path, k.Name), "%s", d.format.UnknownKey(path, k.Name, append(Names(known), skip...)))
		}
	}
}

// value decodes one value of any type a scenario has.
func (d *Decoder) value(path string, n *Node, v reflect.Value) {
	if c, ok := v.Addr().Interface().(chooser); ok {
		c.Choose(d, path, n)
		return
	}
	if list, ok := listOf(v); ok && n.Shape != Mapping {
		d.listed(path, n, list)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		d.keys(path, n, fields(v))
	case reflect.Pointer:
		block := fresh(v.Type().Elem())
		if _, ok := chosen(block.Elem()); ok && n.Shape == Empty {
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

// named decodes a mapping of any names to numbers, or to lists of them.
func (d *Decoder) named(path string, n *Node, v reflect.Value) {
	if n.Shape == Empty {
		return
	}
	if n.Shape != Mapping {
		d.Fail(n.At, path, "found %s: want names with %s", n.Describe(), map[bool]string{
			true: "numbers, as in {gain: 1.2}", false: "lists of numbers, as in {stiffness: [1e5, 4e5]}",
		}[v.Type().Elem().Kind() == reflect.Float64])
		return
	}
	out := reflect.MakeMap(v.Type())
	for _, k := range n.Keys {
		number := reflect.New(v.Type().Elem()).Elem()
		d.value(Join(path, k.Name), k.Value, number)
		out.SetMapIndex(reflect.ValueOf(k.Name), number)
	}
	v.Set(out)
}

func (d *Decoder) list(path string, n *Node, v reflect.Value) {
	if n.Shape != Sequence {
		d.Fail(n.At, path, "found %s: want a list, as in %s", n.Describe(), exampleList(n, v.Type().Elem()))
		return
	}
	if v.Type().Elem().Kind() == reflect.Slice && slices.ContainsFunc(n.Items,
		func(i *Node) bool { return i.Shape == Scalar }) {
		d.Fail(n.At, path, "found a list of numbers: want a list of lists, as in [[%.20s, …], …]", n.Items[0].Text)
		return
	}
	out := reflect.MakeSlice(v.Type(), len(n.Items), len(n.Items))
	for i, item := range n.Items {
		out.Index(i).Set(fresh(v.Type().Elem()).Elem())
		d.value(fmt.Sprintf("%s[%d]", path, i+1), item, out.Index(i))
	}
	v.Set(out)
}

// exampleList shows a list of such elements, with the number that stands in its place.
func exampleList(n *Node, element reflect.Type) string {
	switch _, err := strconv.ParseFloat(strings.Split(n.Text, ",")[0], 64); {
	case element.Kind() == reflect.Slice:
		return "[[1, 2], [3, 4]]"
	case element.Kind() == reflect.Struct:
		return "[{" + strings.Join(Names(fields(fresh(element).Elem())), ": …, ") + ": …}]"
	case n.Shape == Scalar && err == nil && len(n.Text) <= 60:
		return "[" + n.Text + "]"
	}
	return "[1, 2]"
}

func (d *Decoder) scalar(path string, n *Node, v reflect.Value) {
	if n.Shape != Scalar {
		d.Fail(n.At, path, "found %s: want %s", n.Describe(), wanted[v.Kind()])
		return
	}
	var err error
	switch v.Kind() {
	case reflect.String:
		v.SetString(n.Text)
		return
	case reflect.Bool:
		var b bool
		b, err = strconv.ParseBool(n.Text)
		v.SetBool(b)
	case reflect.Int:
		var i int64
		i, err = strconv.ParseInt(n.Text, 10, 64)
		v.SetInt(i)
	case reflect.Uint64:
		var u uint64
		u, err = strconv.ParseUint(n.Text, 10, 64)
		v.SetUint(u)
	case reflect.Float64:
		var f float64
		f, err = strconv.ParseFloat(n.Text, 64)
		v.SetFloat(f)
		if !rths.Finite(f) {
			err = strconv.ErrRange
		}
	default:
		panic("scenario: no decoder for " + v.Type().String())
	}
	if err != nil || n.Quoted {
		d.Fail(n.At, path, "found %s: want %s%s", n.Describe(), wanted[v.Kind()], numberHint(n.Text))
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

// listed decodes a value that is no block, and may be a list.
func (d *Decoder) listed(path string, n *Node, list reflect.Value) {
	if n.Shape == Scalar && numberHint(n.Text) == "" {
		d.Fail(n.At, path, "found %s: want a list, as in %s, or a file, as in {file: m.csv}", n.Describe(),
			exampleList(n, list.Type().Elem()))
		return
	}
	d.list(path, n, list)
}
