package scenario

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"rths"
	"rths/lab/rig"
	"rths/maths/scatter"
	"rths/method/criteria"
	"rths/model/ground"
	"rths/model/integrate"
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
var inDoc = regexp.MustCompile(
	`, (kg|s|s²|s³|ms|Hz|rad/s|m/s|m/s²|N|N/m|N/m³|N·s/m|Pa|Pa·m|Pa·m/s³|1/s|1/s²|1/J|m²|m³|mA/m|m)($|[,;.])`)

// Unit is the unit of a key whose name does not end in one: the description states it. "": none.
func (p ParamDoc) Unit() string {
	if found := inDoc.FindStringSubmatch(p.Doc); found != nil {
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

// FamilyOf documents a table of another format than a scenario.
func FamilyOf[M any](key, doc string, kinds []rths.Kind[M]) Family {
	return Family{Key: key, Doc: doc, Kinds: docs(kinds)}
}

// Families documents all tables, in the order of the scenario's keys.
func Families() []Family {
	var out []Family
	for _, f := range fields(reflect.ValueOf(New()).Elem()) {
		if c, ok := f.v.Addr().Interface().(choice); ok {
			out = append(out, Family{Key: f.name, Doc: f.doc, Kinds: c.docs()})
		}
	}
	return append(out,
		Family{Key: "predictor", Doc: "predictor of the displacement (a block under two_rate)",
			Kinds: docs(integrate.Predictors)},
		Family{Key: "force", Doc: "force history (a block under forces: history)", Kinds: docs(ground.Forces)},
		Family{Key: "fault", Doc: "fault on request (an entry of faults)", Kinds: docs(rig.FaultKinds)},
		Family{Key: "network-fault", Doc: "fault of the network of a virtual laboratory (an entry of network under rig)",
			Kinds: docs(rig.NetworkKinds)},
		Family{Key: "distribution", Doc: "distribution of a number of the plant (a block under scatter)",
			Kinds: docs(scatter.Kinds)},
		Family{Key: "criteria", Doc: "criteria of a run; a row with keys is on request", Kinds: docs(criteria.Kinds)},
		Family{Key: "format", Doc: "file format of a record; the extension of the file says the format", Kinds: formatDocs()},
	)
}

// formatDocs documents the file formats, with the keys of a record that each takes.
func formatDocs() (out []KindDoc) {
	keys := paramDocs("", reflect.ValueOf(&ground.Conditioning{}).Elem())
	for _, f := range ground.Formats {
		k := KindDoc{Name: f.Name, Doc: f.Doc + " (" + strings.Join(f.Extensions, " ") + ")", Ref: f.Ref}
		for _, p := range keys {
			if slices.Contains(f.Keys, p.Key) {
				k.Params = append(k.Params, p)
			}
		}
		out = append(out, k)
	}
	return out
}

func (c *Choice[M]) docs() []KindDoc { return docs(c.kinds) }

func docs[M any](kinds []rths.Kind[M]) []KindDoc {
	out := make([]KindDoc, len(kinds))
	for i, k := range kinds {
		defaults := k.Defaults()
		out[i] = KindDoc{k.Name, k.Doc, k.Ref, paramDocs("", reflect.ValueOf(defaults).Elem()), k.Tunable, defaults}
	}
	return out
}

// paramDocs lists the keys of a block, nested ones with dots, of entries of a list after [].
func paramDocs(prefix string, v reflect.Value) []ParamDoc {
	var out []ParamDoc
	for _, f := range fields(v) {
		path := join(prefix, f.name)
		_, chosen := f.v.Addr().Interface().(choice)
		if _, ok := listOf(f.v); ok {
			out = append(out, ParamDoc{Key: path, Doc: f.doc})
		}
		switch {
		case chosen:
			out = append(out, ParamDoc{Key: path, Doc: f.doc + ": a block with kind"})
		case f.v.Kind() == reflect.Struct:
			out = append(out, paramDocs(path, f.v)...)
		case f.v.Kind() == reflect.Pointer:
			block := fresh(f.v.Type().Elem())
			if _, chosen := block.Interface().(choice); chosen {
				out = append(out, ParamDoc{Key: path, Doc: f.doc + ": a block with kind"})
			} else {
				out = append(out, paramDocs(path, block.Elem())...)
			}
		case f.v.Kind() == reflect.Map:
			out = append(out, ParamDoc{Key: path, Doc: f.doc})
		case f.v.Kind() == reflect.Slice && f.v.Len() == 0:
			out = append(out, ParamDoc{Key: path, Doc: f.doc})
			if entry := f.v.Type().Elem(); entry.Kind() == reflect.Struct {
				out = append(out, paramDocs(path+"[]", reflect.New(entry).Elem())...)
			}
		default:
			out = append(out, ParamDoc{Key: path, Doc: f.doc, Default: f.v.Interface()})
		}
	}
	return out
}

// Settings writes one block in a line, as in "{kind: pi, kp: 2, …}".
func (c *Choice[M]) Settings() (string, error) { return flow(encodeChoice(c)) }
