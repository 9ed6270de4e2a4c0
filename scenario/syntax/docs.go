package syntax

import (
	"fmt"
	"reflect"
	"strings"

	"rths"
	"rths/maths/words"
)

// Family is one of the tables a scenario chooses from.
type Family struct {
	Key   string // the scenario's key, e.g. "compensator"; "format" has none
	Doc   string
	Kinds []KindDoc
}

// Plural is the word that rths doc takes for the list, as in "compensators".
func (f Family) Plural() string {
	switch f.Key {
	case "criteria":
		return f.Key
	case "search":
		return "searches"
	}
	return f.Key + "s"
}

// KindDoc documents one row of a table.
type KindDoc struct {
	Name, Doc, Ref string
	Params         []ParamDoc
	Tunable        []rths.Tunable

	defaults any // parameter struct
}

// ParamDoc documents one key.
type ParamDoc struct {
	Key     string `json:"key"`
	Default any    `json:"default"` // nil where there is none
	Doc     string `json:"doc"`
}

// DefaultText writes the default as a scenario would, "–" where there is none.
func (p ParamDoc) DefaultText() string {
	if p.Default == nil || p.Default == "" || p.Default == 0.0 && strings.Contains(p.Doc, "left out:") {
		return "–"
	}
	return flowText(reflect.ValueOf(p.Default))
}

// inDoc is the unit within the description of a key, as in "mass, kg".
var inDoc = words.Pattern(
	`, (kg|s|s²|s³|ms|Hz|rad/s|m/s|m/s²|N|N/m|N/m³|N·s/m|Pa|Pa·m|Pa·m/s³|1/s|1/s²|1/J|m²|m³|mA/m|m)($|[,;.])`)

// Unit is the unit of a key whose name does not end in one: the description states it. "": none.
func (p ParamDoc) Unit() string {
	if found := inDoc().FindStringSubmatch(p.Doc); found != nil {
		return found[1]
	}
	return ""
}

// flowText writes lists with commas, as YAML does.
func flowText(v reflect.Value) string {
	if v.Kind() != reflect.Slice {
		return fmt.Sprint(v.Interface())
	}
	entries := make([]string, v.Len())
	for i := range entries {
		entries[i] = flowText(v.Index(i))
	}
	return "[" + strings.Join(entries, ", ") + "]"
}

// FamilyOf documents a table.
func FamilyOf[M any](key, doc string, kinds []rths.Kind[M]) Family {
	return Family{Key: key, Doc: doc, Kinds: docs(kinds)}
}

func docs[M any](kinds []rths.Kind[M]) []KindDoc {
	out := make([]KindDoc, len(kinds))
	for i, k := range kinds {
		defaults := k.Defaults()
		out[i] = KindDoc{k.Name, k.Doc, k.Ref, ParamDocs(defaults), k.Tunable, defaults}
	}
	return out
}

// ParamDocs lists the keys of the block that a pointer leads to, as KindDoc has them.
func ParamDocs(block any) []ParamDoc { return paramDocs("", reflect.ValueOf(block).Elem()) }

// paramDocs lists the keys of a block, nested ones with dots, of entries of a list after [].
func paramDocs(prefix string, v reflect.Value) []ParamDoc {
	var out []ParamDoc
	for _, f := range fields(v) {
		path := Join(prefix, f.Name)
		_, choosing := chosen(f.V)
		if _, ok := listOf(f.V); ok {
			out = append(out, ParamDoc{Key: path, Doc: f.Doc})
		}
		switch {
		case choosing:
			out = append(out, ParamDoc{Key: path, Doc: f.Doc + ": a block with kind"})
		case f.V.Kind() == reflect.Struct:
			out = append(out, paramDocs(path, f.V)...)
		case f.V.Kind() == reflect.Pointer:
			block := fresh(f.V.Type().Elem())
			if _, choosing := chosen(block.Elem()); choosing {
				out = append(out, ParamDoc{Key: path, Doc: f.Doc + ": a block with kind"})
			} else {
				out = append(out, paramDocs(path, block.Elem())...)
			}
		case f.V.Kind() == reflect.Map:
			out = append(out, ParamDoc{Key: path, Doc: f.Doc})
		case f.V.Kind() == reflect.Slice && f.V.Len() == 0:
			out = append(out, ParamDoc{Key: path, Doc: f.Doc})
			if entry := f.V.Type().Elem(); entry.Kind() == reflect.Struct {
				out = append(out, paramDocs(path+"[]", reflect.New(entry).Elem())...)
			}
		default:
			out = append(out, ParamDoc{Key: path, Doc: f.Doc, Default: f.V.Interface()})
		}
	}
	return out
}

// BlockDoc documents one key: a value, a block of keys, or a choice of kinds.
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

// Blocks documents all keys, in their order.
func (f *Format) Blocks() (out []BlockDoc) {
	for _, k := range f.fields() {
		out = append(out, blockDoc(k))
	}
	return out
}

// Choices documents the tables that keys at the top choose from, in the order of the keys.
func (f *Format) Choices() (out []Family) {
	for _, k := range f.fields() {
		if c, ok := chosen(k.V); ok {
			out = append(out, Family{Key: k.Name, Doc: k.Doc, Kinds: c.docs()})
		}
	}
	return out
}

func blockDoc(f Field) BlockDoc {
	b := BlockDoc{Key: f.Name, Doc: f.Doc}
	v, t := f.V, f.V.Type()
	many, isKeyed := v.Interface().(keyed)
	switch {
	case isKeyed:
		if c, ok := many.Keyed().(choice); ok {
			b.Keyed, b.Kinds = true, c.docs()
		} else {
			b.Params = many.(interface{ Docs() []ParamDoc }).Docs()
		}
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
	if c, ok := chosen(v); ok {
		b.Kinds = c.docs()
		for _, f := range keysOf(c.Own()) {
			b.Params = append(b.Params, ParamDoc{Key: f.Name, Doc: f.Doc, Default: f.V.Interface()})
		}
		return b
	}
	b.Params = paramDocs("", v)
	return b
}
