package syntax

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"rths/maths/words"
)

// Format is what the syntax knows of the texts that it reads: their keys, and what to say to a wrong one.
type Format struct {
	New      func() any      // a pointer to the whole block with its defaults
	Families func() []Family // all tables, for hints

	Hint     func(path, name string, known []string) string // to a key of a block that has it not; "": none
	KindHint func(word string, names []string) string       // to a word in place of one of the kinds; "": none
	Block    func(path string) string                       // the block at the top that one further in is like
	Names    func(path string) []string                     // the keys of a path, as in compensator.order
	Emptied  string                                         // a list in whose entries settings may empty blocks
	Kept     map[string][]string                            // keys of a block that stay when its kind changes
}

// fields are the keys at the top.
func (f *Format) fields() []Field { return keysOf(f.New()) }

// Keys are the names of the keys at the top.
func (f *Format) Keys() []string { return Names(f.fields()) }

// UnknownKey says what to do with a key that its block does not have.
func (f *Format) UnknownKey(path, name string, known []string) string {
	if name == "" {
		return "found a key without a name: want " + words.OneOf(known)
	}
	if stem, _, odd := strings.Cut(name, ":"); odd {
		return fmt.Sprintf("unknown key: want a space after the colon of %s:", stem)
	}
	if stem, _, odd := strings.Cut(name, "="); odd {
		return fmt.Sprintf("unknown key: want a colon and a space after %s, in place of =", strings.TrimSpace(stem))
	}
	if name[0] >= '0' && name[0] <= '9' {
		return "unknown key: if a number goes on here, want a point before its decimals and no comma"
	}
	if strings.Contains(name, "/") {
		return fmt.Sprintf("unknown key: want points between the keys, as in %s", strings.ReplaceAll(name, "/", "."))
	}
	if hint := f.Hint(path, name, known); hint != "" {
		return hint
	}
	near := words.Near(name, known, 2)
	block := f.Block(WithoutPlaces(path))
	if kinds := f.otherKinds(block, name); len(kinds) > 0 && near == nil {
		return fmt.Sprintf("unknown key of this kind, a key of kind %s: want %s", words.Either(kinds, 4), words.OneOf(known))
	}
	atTop := block == "" && words.Near(name, known, 1) == nil
	if places := f.owners(name, block); len(places) > 0 && (near == nil || atTop) {
		if block != "" && !strings.Contains(places[0], block) {
			return fmt.Sprintf("unknown key here: it belongs %s; here want %s", words.Either(places, 3), words.OneOf(known))
		}
		return fmt.Sprintf("unknown key here: it belongs %s", words.Either(places, 3))
	}
	return "unknown key" + words.Ask(name, known)
}

// owner is a block that has a key.
type owner struct {
	block string
	kinds []string // that have the key; nil: all, or a block without kinds
}

// ownersOf are the blocks with a key of that name, outermost first.
func (f *Format) ownersOf(name string) (out []owner) {
	for _, k := range f.fields() {
		if k.Name == name {
			out = append(out, owner{})
		}
		v := k.V
		if kind := v.Kind(); kind == reflect.Pointer || kind == reflect.Slice {
			v = fresh(v.Type().Elem()).Elem()
		}
		if c, ok := chosen(v); ok && k.V.Kind() != reflect.Pointer {
			out = append(out, ownersOfKinds(k.Name, name, c.docs())...)
		} else if v.Kind() == reflect.Struct {
			out = append(out, ownersIn(k.Name, name, paramDocs("", v))...)
		}
	}
	slices.SortStableFunc(out, func(a, b owner) int {
		return cmp.Compare(strings.Count(a.block, "."), strings.Count(b.block, "."))
	})
	return out
}

// ownersIn are the blocks of a list of keys.
func ownersIn(block, name string, params []ParamDoc) (out []owner) {
	for _, p := range params {
		within, last := "", p.Key
		if i := strings.LastIndex(p.Key, "."); i >= 0 {
			within, last = "."+p.Key[:i], p.Key[i+1:]
		}
		if last == name {
			out = append(out, owner{block: block + within})
		}
	}
	return out
}

func ownersOfKinds(block, name string, kinds []KindDoc) (out []owner) {
	for _, k := range kinds {
		for _, h := range ownersIn(block, name, k.Params) {
			i := slices.IndexFunc(out, func(o owner) bool { return o.block == h.block })
			if i < 0 {
				i, out = len(out), append(out, h)
			}
			out[i].kinds = append(out[i].kinds, k.Name)
		}
	}
	for i := range out {
		if len(out[i].kinds) == len(kinds) {
			out[i].kinds = nil
		}
	}
	return out
}

// owners says where a key of that name belongs, other than into the block.
func (f *Format) owners(name, block string) (out []string) {
	for _, h := range f.ownersOf(name) {
		switch {
		case h.block == block:
		case h.block == "":
			out = append(out, "to the top level, in the first column")
		case h.kinds != nil:
			out = append(out, fmt.Sprintf("into %s (kind %s)", h.block, words.Either(h.kinds, 3)))
		default:
			out = append(out, "into "+h.block)
		}
	}
	return out
}

// otherKinds are the kinds of the block that have the key, if the block's own has not.
func (f *Format) otherKinds(block, name string) []string {
	for _, h := range f.ownersOf(name) {
		if h.block == block {
			return h.kinds
		}
	}
	return nil
}

// kindsLike are the kinds that a word may stand for.
func kindsLike(word string, kinds []KindDoc) []string {
	if near := words.Near(word, kindNames(kinds), 2); near != nil {
		return near
	}
	return tellOf(word, kinds)
}

func kindNames(kinds []KindDoc) []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.Name
	}
	return names
}

// KindsLike are the kinds of all families that a word may stand for, as in
// compensator/kf.
func (f *Format) KindsLike(word string) (out []string) {
	for _, of := range f.Families() {
		for _, name := range kindsLike(word, of.Kinds) {
			out = append(out, of.Key+"/"+name)
		}
	}
	return out
}

// unknownKind says which kinds a word may stand for.
func (f *Format) unknownKind(word string, kinds []KindDoc) string {
	if len(word) > longName {
		word = strings.ToValidUTF8(word[:longName], "") + "…"
	}
	if before, _, odd := strings.Cut(word, ": "); odd {
		first, _, _ := strings.Cut(strings.TrimSpace(before), " ")
		return fmt.Sprintf("kind %q: want a comma before the next key, as in {kind: %s, …}", word, first)
	}
	names := kindNames(kinds)
	for _, of := range f.Families() {
		if of.Key != "format" && of.Key != "criteria" && slices.ContainsFunc(of.Kinds,
			func(k KindDoc) bool { return k.Name == word }) {
			return fmt.Sprintf("kind %q, a kind of %s: want one of %s", word, of.Key, strings.Join(names, ", "))
		}
	}
	if near := kindsLike(word, kinds); near != nil {
		return fmt.Sprintf("kind %q: did you mean %s?", word, words.Either(near, 4))
	}
	return fmt.Sprintf("kind %q: want one of %s%s", word, strings.Join(names, ", "), f.KindHint(word, names))
}

// tellOf are the kinds whose name, description or reference has the word, or else a part
// of it, of at least 3 letters.
func tellOf(word string, kinds []KindDoc) (out []string) {
	parts := strings.FieldsFunc(strings.ToLower(word), func(c rune) bool { return c == '-' || c == '_' || c == ' ' })
	for _, w := range append([]string{word}, parts...) {
		if w = words.Plain(w); len(w) < 3 {
			continue
		}
		for _, text := range []func(KindDoc) string{func(k KindDoc) string { return k.Name },
			func(k KindDoc) string { return k.Doc + k.Ref }} {
			for _, k := range kinds {
				if strings.Contains(words.Plain(text(k)), w) && !slices.Contains(out, k.Name) {
					out = append(out, k.Name)
				}
			}
		}
		if out != nil {
			return out
		}
	}
	return nil
}
