package words

import (
	"fmt"
	"slices"
	"strings"
)

// Near are the names with the fewest edits to the word: up to so many, and if more than one, in less than half of
// the letters, without regard to case and hyphens.
func Near(word string, names []string, edits int) (best []string) {
	for _, name := range names {
		a, b := Plain(word), Plain(name)
		d := Distance(a, b)
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
	if near := Near(word, names, 2); near != nil {
		return near
	}
	return sameStem(word, names)
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

// Plain is a word without case, hyphens and underscores.
func Plain(word string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(word))
}

// Ask asks for the names that a word may stand for, or lists all names, as the end of an error.
func Ask(word string, names []string) string {
	if near := Like(word, names); near != nil {
		return fmt.Sprintf(": did you mean %s?", Either(near, 4))
	}
	return ": want " + OneOf(names)
}

// OneOf lists the names of keys, and sorts them.
func OneOf(names []string) string {
	if len(names) == 0 {
		return "no keys here"
	}
	slices.Sort(names)
	return "one of " + strings.Join(names, ", ")
}

// Either lists names with an or, at most so many.
func Either(names []string, most int) string {
	if len(names) > most {
		names = append(slices.Clone(names[:most-1]), "another")
	}
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
