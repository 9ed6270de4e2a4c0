package scenario

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"rths/maths/words"
)

// habits are words of other programs, and the keys of a scenario that they stand for.
var habits = map[string]string{
	"dt": "rate_hz", "time_step": "rate_hz", "timestep": "rate_hz", "step_size": "rate_hz", "fs": "rate_hz",
	"sampling_rate": "rate_hz", "sample_rate": "rate_hz", "rate": "rate_hz", "hz": "rate_hz",
	"solver": "integrator", "actuator": "transfer", "plant": "transfer", "controller": "compensator",
	"earthquake": "ground", "excitation": "ground",
	"model": "structure", "numerical": "structure", "experimental": "specimen", "delay": "delay_ms",
	"numerator": "num", "denominator": "den", "type": "kind", "m": "mass", "c": "damping", "k": "stiffness",
	"zeta": "damping_ratio", "xi": "damping_ratio", "node": "dof", "mu": "coefficient", "alpha": "exponent",
}

// unknownKey says what to do with a key that its block does not have.
func unknownKey(path, name string, known []string) string {
	if name == "" {
		return "found a key without a name: want " + oneOf(known)
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
	if name == "kind" && (path == "" || len(known) == 1 || strings.HasPrefix(path, "each[")) {
		block := "structure"
		if path != "" {
			block = known[0]
		}
		return fmt.Sprintf("unknown key here: a kind stands inside its block, as in %s: {kind: …}", block)
	}
	if word := habits[strings.ToLower(name)]; slices.Contains(known, word) {
		return fmt.Sprintf("unknown key: did you mean %s?", word)
	}
	near := nearest(name, known, 2)
	block := withoutIndex(path)
	if block == "each.compensator" || strings.HasSuffix(block, "compensator.of") {
		block = "compensator" // of the same kinds
	}
	switch {
	case block == "each.transfer":
		block = "transfer"
	case block == "specimens.specimen":
		block = "specimen"
	case strings.HasPrefix(block, "scatter."):
		block = "scatter"
	}
	if kinds := otherKinds(block, name); len(kinds) > 0 && near == nil {
		return fmt.Sprintf("unknown key of this kind, a key of kind %s: want %s", either(kinds, 4), oneOf(known))
	}
	atTop := block == "" && nearest(name, known, 1) == nil
	if places := owners(name, block); len(places) > 0 && (near == nil || atTop) {
		if block != "" && !strings.Contains(places[0], block) {
			return fmt.Sprintf("unknown key here: it belongs %s; here want %s", either(places, 3), oneOf(known))
		}
		return fmt.Sprintf("unknown key here: it belongs %s", either(places, 3))
	}
	return "unknown key" + meant(name, known)
}

// meant asks for the names that a word may stand for, or lists all names.
func meant(word string, names []string) string {
	if near := Like(word, names); near != nil {
		return fmt.Sprintf(": did you mean %s?", either(near, 4))
	}
	return ": want " + oneOf(names)
}

func oneOf(names []string) string {
	if len(names) == 0 {
		return "no keys here"
	}
	slices.Sort(names)
	return "one of " + strings.Join(names, ", ")
}

// either lists names with an or, at most so many.
func either(names []string, most int) string {
	if len(names) > most {
		names = append(slices.Clone(names[:most-1]), "another")
	}
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// withoutIndex is a path without places in lists, as in limits for limits[2].
func withoutIndex(path string) string {
	var out strings.Builder
	for part := range strings.SplitSeq(path, "[") {
		_, behind, inside := strings.Cut(part, "]")
		if !inside {
			behind = part
		}
		out.WriteString(behind)
	}
	return out.String()
}

// owner is a block that has a key.
type owner struct {
	block string
	kinds []string // that have the key; nil: all, or a block without kinds
}

// ownersOf are the blocks with a key of that name, outermost first.
func ownersOf(name string) (out []owner) {
	for _, f := range fields(reflect.ValueOf(New()).Elem()) {
		if f.name == name {
			out = append(out, owner{})
		}
		if c, ok := f.v.Addr().Interface().(choice); ok {
			out = append(out, ownersOfKinds(f.name, name, c.docs())...)
			continue
		}
		v := f.v
		switch v.Kind() {
		case reflect.Pointer:
			v = fresh(v.Type().Elem()).Elem()
		case reflect.Slice:
			v = fresh(v.Type().Elem()).Elem()
			if c, ok := v.Addr().Interface().(choice); ok {
				out = append(out, ownersOfKinds(f.name, name, c.docs())...)
				continue
			}
		}
		if v.Kind() == reflect.Struct {
			out = append(out, ownersIn(f.name, name, paramDocs("", v))...)
		}
	}
	slices.SortStableFunc(out, func(a, b owner) int {
		return cmp.Compare(strings.Count(a.block, "."),
			strings.Count(b.block, "."))
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
func owners(name, block string) (out []string) {
	for _, h := range ownersOf(name) {
		switch {
		case h.block == block:
		case h.block == "":
			out = append(out, "to the top level, in the first column")
		case h.kinds != nil:
			out = append(out, fmt.Sprintf("into %s (kind %s)", h.block, either(h.kinds, 3)))
		default:
			out = append(out, "into "+h.block)
		}
	}
	return out
}

// otherKinds are the kinds of the block that have the key, if the block's own has not.
func otherKinds(block, name string) []string {
	for _, h := range ownersOf(name) {
		if h.block == block {
			return h.kinds
		}
	}
	return nil
}

// nearest are the names with the fewest edits to the word: up to so many, and if more than one, in less than half of
// the letters, without regard to case and hyphens.
func nearest(word string, names []string, edits int) (best []string) {
	for _, name := range names {
		a, b := plain(word), plain(name)
		d := words.Distance(a, b)
		if other := 2*d >= max(len(a), len(b)) && !strings.HasPrefix(b, a); d > edits || d > 1 && other ||
			d == 1 && max(len(a), len(b)) == 1 {
			continue
		}
		if d < edits {
			best, edits = nil, d
		}
		best = append(best, name)
	}
	return best
}

// Like are the names that a word may stand for, or nil.
func Like(word string, names []string) []string {
	if near := nearest(word, names, 2); near != nil {
		return near
	}
	return sameStem(word, names)
}

// Keys are the keys of a scenario at the top level.
func Keys() []string { return names(fields(reflect.ValueOf(New()).Elem())) }

// KindsLike are the kinds of all families that a word may stand for, as in
// compensator/kf.
func KindsLike(word string) (out []string) {
	for _, f := range Families() {
		for _, name := range kindsLike(word, f.Kinds) {
			out = append(out, f.Key+"/"+name)
		}
	}
	return out
}

// kindsLike are the kinds that a word may stand for.
func kindsLike(word string, kinds []KindDoc) []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.Name
	}
	if near := nearest(word, names, 2); near != nil {
		return near
	}
	return tellOf(word, kinds)
}

// sameStem are the names that begin as the word does, with another unit or ending (delay_ms
// for delay, energies for energy), or that have the word as a part (force_noise for noise).
func sameStem(word string, names []string) (out []string) {
	word = strings.ToLower(word)
	stem, _, _ := strings.Cut(word, "_")
	stem = stem[:min(len(stem), 5)]
	for _, name := range names {
		begins := strings.HasPrefix(name, word+"_") || strings.HasPrefix(word, name+"_") ||
			len(stem) == 5 && strings.HasPrefix(name, stem)
		if begins || len(word) > 3 && slices.Contains(strings.Split(name, "_"), word) {
			out = append(out, name)
		}
	}
	return out
}

// plain is a word without case, hyphens and underscores.
func plain(word string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(word))
}

// unknownKind says which kinds a word may stand for.
func unknownKind(word string, kinds []KindDoc) string {
	if len(word) > longName {
		word = strings.ToValidUTF8(word[:longName], "") + "…"
	}
	if before, _, odd := strings.Cut(word, ": "); odd {
		first, _, _ := strings.Cut(strings.TrimSpace(before), " ")
		return fmt.Sprintf("kind %q: want a comma before the next key, as in {kind: %s, …}", word, first)
	}
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.Name
	}
	for _, f := range Families() {
		if f.Key != "format" && f.Key != "criteria" && slices.ContainsFunc(f.Kinds,
			func(k KindDoc) bool { return k.Name == word }) {
			return fmt.Sprintf("kind %q, a kind of %s: want one of %s", word, f.Key, strings.Join(names, ", "))
		}
	}
	if near := kindsLike(word, kinds); near != nil {
		return fmt.Sprintf("kind %q: did you mean %s?", word, either(near, 4))
	}
	return fmt.Sprintf("kind %q: want one of %s%s", word, strings.Join(names, ", "), recordHint(word, names))
}

// recordHint shows the block of a record whose name stands in place of a kind.
func recordHint(word string, names []string) string {
	if !slices.Contains(names, "record") {
		return ""
	}
	return fmt.Sprintf("; a record of that name is {record: %.40s}", word)
}

// tellOf are the kinds whose name, description or reference has the word, or else a part
// of it, of at least 3 letters.
func tellOf(word string, kinds []KindDoc) (out []string) {
	parts := strings.FieldsFunc(strings.ToLower(word), func(c rune) bool { return c == '-' || c == '_' || c == ' ' })
	for _, w := range append([]string{word}, parts...) {
		if w = plain(w); len(w) < 3 {
			continue
		}
		for _, text := range []func(KindDoc) string{func(k KindDoc) string { return k.Name },
			func(k KindDoc) string { return k.Doc + k.Ref }} {
			for _, k := range kinds {
				if strings.Contains(plain(text(k)), w) && !slices.Contains(out, k.Name) {
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
