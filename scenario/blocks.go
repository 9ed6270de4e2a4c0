package scenario

import (
	"reflect"

	"rths/maths/scatter"
)

// BlockDoc documents one key of a scenario: a value, a block of keys, or a choice of kinds.
type BlockDoc struct {
	Key, Doc string
	Default  any  // of a value; nil where there is none
	List     bool // a list of such blocks
	Keyed    bool // such blocks under keys of the plant
	Params   []ParamDoc
	Kinds    []KindDoc
}

// Value reports whether the key has a value instead of a block.
func (b BlockDoc) Value() bool { return len(b.Params) == 0 && len(b.Kinds) == 0 }

// DefaultText is ParamDoc.DefaultText.
func (b BlockDoc) DefaultText() string { return ParamDoc{Default: b.Default}.DefaultText() }

// Blocks documents all keys of a scenario, in its order.
func Blocks() (out []BlockDoc) {
	for _, f := range fields(reflect.ValueOf(New()).Elem()) {
		out = append(out, blockDoc(f))
	}
	return out
}

func blockDoc(f field) BlockDoc {
	b := BlockDoc{Key: f.name, Doc: f.doc}
	v, t := f.v, f.v.Type()
	switch {
	case t == reflect.TypeFor[Expect]():
		b.Params = []ParamDoc{{Key: "NAME.min", Doc: "smallest value, in the unit of the name"},
			{Key: "NAME.max", Doc: "largest value"}}
		return b
	case t == reflect.TypeFor[Scatter]():
		b.Keyed, b.Kinds = true, docs(scatter.Kinds)
		return b
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		b.List, v = true, fresh(t.Elem()).Elem()
	case t.Kind() == reflect.Pointer:
		v = fresh(t.Elem()).Elem()
	case f.optional && v.IsZero():
		return b
	case t.Kind() != reflect.Struct:
		b.Default = v.Interface()
		return b
	}
	if c, ok := v.Addr().Interface().(choice); ok {
		b.Kinds = c.docs()
		for _, f := range c.own() {
			b.Params = append(b.Params, ParamDoc{Key: f.name, Doc: f.doc, Default: f.v.Interface()})
		}
		return b
	}
	b.Params = paramDocs("", v)
	return b
}
