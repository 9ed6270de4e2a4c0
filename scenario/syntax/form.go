package syntax

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"rths"
)

// What a slot of a form holds.
const (
	HoldsNumber  = "number"
	HoldsWhole   = "whole"
	HoldsTruth   = "truth"
	HoldsText    = "text"
	HoldsList    = "list"
	HoldsBlock   = "block"
	HoldsChoice  = "choice" // a block with kind
	HoldsBlocks  = "blocks" // a list of blocks
	HoldsNamed   = "named"  // blocks or numbers under names that the user chooses
	HoldsUnknown = "unknown"
)

// Slot is a key that a text has or may have, or an entry of a list of blocks, with what a form shows of it.
type Slot struct {
	Path    Path   `json:"path"`
	Holds   string `json:"holds"`
	Doc     string `json:"doc,omitempty"`
	Unit    string `json:"unit,omitempty"`
	Range   string `json:"range,omitempty"`   // in which a search tunes it
	Default string `json:"default,omitempty"` // as a text would have it
	Given   bool   `json:"given,omitempty"`   // the text has it
	Value   string `json:"value,omitempty"`   // as the text has it, of a list without the brackets around it
	Count   int    `json:"count,omitempty"`   // values of a list
	Long    bool   `json:"long,omitempty"`    // a list of too many values for a form: Value has none
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Kind    string `json:"kind,omitempty"`  // of a choice, also by default
	Table   string `json:"table,omitempty"` // the kinds that it, or an entry of it, may have
	Each    string `json:"each,omitempty"`  // what an entry of a list or a name of a block holds
	Slots   []Slot `json:"slots,omitempty"`

	valueAt string // place of the value
	of      reflect.Type
	choice  choice
}

// KindLine is a kind with its line.
type KindLine struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
}

// Form is a text as slots, in the order of the format, and the tables of their kinds.
type Form struct {
	Slots  []Slot                `json:"slots"`
	Tables map[string][]KindLine `json:"tables"`
}

// Form shows a text that Parse has read.
func (f *Format) Form(root *Node) *Form {
	out := &Form{Tables: map[string][]KindLine{}}
	out.Slots = out.within(nil, f.fields(), root)
	return out
}

// within are the slots of a block; n is nil where the text has none.
func (f *Form) within(path Path, known []Field, n *Node, skip ...string) (out []Slot) {
	for _, k := range known {
		var given *Key
		if n != nil {
			given = n.Get(k.Name)
		}
		out = append(out, f.slot(append(slices.Clone(path), k.Name), k, given))
	}
	if n == nil {
		return out
	}
	for _, k := range n.Keys {
		known := slices.ContainsFunc(known, func(f Field) bool { return f.Name == k.Name })
		if !known && !slices.Contains(skip, k.Name) {
			at := append(slices.Clone(path), k.Name)
			s := Slot{Path: at, Holds: HoldsUnknown, Given: true, Value: shown(k.Value.Flow())}
			out = append(out, s.at(k.At, k.Value.At))
		}
	}
	return out
}

// at notes where a slot stands.
func (s Slot) at(key, value string) Slot {
	parts := strings.Split(key, ":")
	if n := len(parts); n >= 3 {
		s.Line, _ = strconv.Atoi(parts[n-2])
		s.Column, _ = strconv.Atoi(parts[n-1])
	}
	s.valueAt = value
	return s
}

// slot shows a key.
func (f *Form) slot(path Path, k Field, given *Key) Slot {
	s := Slot{Path: path, Doc: k.Doc, Given: given != nil}
	var n *Node
	if given != nil {
		n = given.Value
		s = s.at(given.At, n.At)
		s.Value = n.text()
	}
	doc := ParamDoc{Key: k.Name, Doc: k.Doc}
	if !k.optional || !k.V.IsZero() {
		doc.Default = k.V.Interface()
	}
	_, unit := rths.CutUnit(k.Name)
	s.Unit = cmp.Or(doc.Unit(), unit)
	f.fill(&s, k.V, n)
	if valued := wanted[k.V.Kind()] != "" || s.Holds == HoldsList && doc.Default != nil; valued {
		s.Default = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(doc.DefaultText(), "–"), "["), "]")
	}
	return s
}

// text is a scalar without its quotes; "" of other nodes.
func (n *Node) text() string {
	if n.Shape == Scalar {
		return n.Text
	}
	return ""
}

// fill says what a slot holds, by its type, and shows what is in it.
func (f *Form) fill(s *Slot, v reflect.Value, n *Node) {
	s.of = v.Type()
	if many, ok := v.Interface().(keyed); ok {
		f.named(s, func() reflect.Value { return reflect.ValueOf(many.Keyed()).Elem() }, n)
		return
	}
	if c, ok := chosen(v); ok {
		f.choice(s, c, n)
		return
	}
	_, listed := listOf(v)
	switch kind := v.Kind(); {
	case listed && (n == nil || n.Shape != Mapping):
		f.list(s, n)
	case kind == reflect.Struct:
		s.Holds = HoldsBlock
		s.Slots = f.within(s.Path, fields(v), n)
	case kind == reflect.Pointer:
		f.optional(s, fresh(v.Type().Elem()).Elem(), n)
	case kind == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct:
		f.blocks(s, v.Type().Elem(), n)
	case kind == reflect.Slice:
		f.list(s, n)
	case kind == reflect.Map:
		f.named(s, func() reflect.Value { return reflect.New(v.Type().Elem()).Elem() }, n)
	case kind == reflect.Float64:
		s.Holds = HoldsNumber
	case kind == reflect.Bool:
		s.Holds = HoldsTruth
	case kind == reflect.String:
		s.Holds = HoldsText
	default:
		s.Holds = HoldsWhole
	}
}

// optional fills a slot that is nothing until the text has it.
func (f *Form) optional(s *Slot, v reflect.Value, n *Node) {
	f.fill(s, v, n)
	if n == nil {
		s.Slots = nil
	}
}

// longestList is how many values of a list a form changes.
const longestList = 48

func (f *Form) list(s *Slot, n *Node) {
	s.Holds = HoldsList
	if n != nil {
		s.Count = n.count()
	}
	if s.Long = s.Count > longestList; !s.Long && n != nil && n.Shape == Sequence {
		s.Value = strings.TrimSuffix(strings.TrimPrefix(n.Flow(), "["), "]")
	}
}

// count is the number of values in a list and in its lists.
func (n *Node) count() int {
	if n.Shape != Sequence {
		return 1
	}
	sum := 0
	for _, item := range n.Items {
		sum += item.count()
	}
	return sum
}

// choice fills a block that chooses a kind.
func (f *Form) choice(s *Slot, c choice, n *Node) {
	s.Holds, s.choice, s.Table = HoldsChoice, c, f.table(s.Path, c.docs())
	s.Kind, _ = c.block()
	if n != nil {
		s.Kind = kindIn(n, c.docs())
	}
	known := keysOf(c.Own())
	for _, k := range c.docs() {
		if k.Name != s.Kind {
			continue
		}
		s.Slots = f.within(s.Path, append(known, keysOf(k.defaults)...), n, "kind")
		for i := range s.Slots {
			for _, t := range k.Tunable {
				if last := s.Slots[i].Path; t.Key == last[len(last)-1] {
					s.Slots[i].Range = t.Range()
				}
			}
		}
		return
	}
	s.Slots = f.within(s.Path, known, n, "kind")
}

// kindIn is the kind of a block, also of one whose key is the kind, as in {record: kobe}.
func kindIn(n *Node, kinds []KindDoc) string {
	if kind := n.Child("kind"); kind != nil {
		return kind.Text
	}
	for _, k := range kinds {
		if n.Get(k.Name) != nil {
			return k.Name
		}
	}
	return ""
}

// table notes a table of kinds, and gives its name: the first path that has it.
func (f *Form) table(path Path, kinds []KindDoc) string {
	lines := make([]KindLine, len(kinds))
	for i, k := range kinds {
		lines[i] = KindLine{k.Name, k.Doc}
	}
	for name, other := range f.Tables {
		if slices.Equal(other, lines) {
			return name
		}
	}
	f.Tables[path.String()] = lines
	return path.String()
}

// each says what the entries of a slot hold.
func (f *Form) each(s *Slot, entry reflect.Value) {
	of := Slot{Path: s.Path}
	f.fill(&of, entry, nil)
	s.Each, s.Table = of.Holds, of.Table
}

// blocks fills a list of blocks.
func (f *Form) blocks(s *Slot, t reflect.Type, n *Node) {
	s.Holds = HoldsBlocks
	f.each(s, fresh(t).Elem())
	if n == nil {
		return
	}
	for i, item := range n.Items {
		path := append(slices.Clone(s.Path), strconv.Itoa(i+1))
		of := Slot{Path: path, Given: true, Value: item.text()}.at(item.At, item.At)
		f.fill(&of, fresh(t).Elem(), item)
		s.Slots = append(s.Slots, of)
	}
}

// named fills a block of names.
func (f *Form) named(s *Slot, block func() reflect.Value, n *Node) {
	s.Holds = HoldsNamed
	f.each(s, block())
	if n == nil {
		return
	}
	for _, k := range n.Keys {
		of := Slot{Path: append(slices.Clone(s.Path), k.Name), Given: true, Value: k.Value.text()}.at(k.At, k.Value.At)
		f.fill(&of, block(), k.Value)
		s.Slots = append(s.Slots, of)
	}
}
