package catalogue

import (
	"slices"
	"strings"

	"rths/scenario/syntax"
)

// methods names the compensator in the resolved text of a scenario, for a list of runs: amb, amb + lqg
// for a chain, and amb, kf where each actuator has its own. It is "" for a text without one,
// also for a text that is no scenario.
func methods(text string) string {
	root, err := syntax.Parse("scenario", []byte(topBlocks(text, "compensator", "each")), "a scenario")
	if err != nil {
		return ""
	}
	var kinds []string
	add := func(block *syntax.Node) {
		if name := method(block.Child("compensator")); name != "" && !slices.Contains(kinds, name) {
			kinds = append(kinds, name)
		}
	}
	if each := root.Child("each"); each != nil {
		for _, actuator := range each.Items {
			add(actuator)
		}
	}
	if len(kinds) == 0 {
		add(root)
	}
	return strings.Join(kinds, ", ")
}

// topBlocks is the part of a text that belongs to some keys of the first level, of which each
// stands at the beginning of a line: matrices in other blocks would take seconds to parse.
func topBlocks(text string, keys ...string) string {
	var out strings.Builder
	wanted := false
	for line := range strings.Lines(text) {
		if !strings.ContainsRune(" -#\n", rune(line[0])) { // a list may stand at the beginning of lines
			key, _, _ := strings.Cut(line, ":")
			wanted = slices.Contains(keys, key)
		}
		if wanted {
			out.WriteString(line)
		}
	}
	return out.String()
}

// method names a compensator: its kind, or the parts of a chain.
func method(compensator *syntax.Node) string {
	kind := compensator.Child("kind")
	if kind == nil {
		return ""
	}
	of := compensator.Child("of")
	if kind.Text != "chain" || of == nil {
		return kind.Text
	}
	var parts []string
	for _, part := range of.Items {
		if name := method(part); name != "" {
			parts = append(parts, name)
		}
	}
	return strings.Join(parts, " + ")
}
