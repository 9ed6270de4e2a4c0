package scenario

import (
	"slices"
	"strings"
)

// Methods names the compensator in the text of a scenario, for a list of runs: amb, amb + lqg
// for a chain, and amb, kf where each actuator has its own. It is "" for a text without one,
// also for a text that is no scenario.
func Methods(text string) string {
	root, err := parse("scenario", []byte(text))
	if err != nil {
		return ""
	}
	var kinds []string
	add := func(block *node) {
		if name := method(block.child("compensator")); name != "" && !slices.Contains(kinds, name) {
			kinds = append(kinds, name)
		}
	}
	if each := root.child("each"); each != nil {
		for _, actuator := range each.items {
			add(actuator)
		}
	}
	if len(kinds) == 0 {
		add(root)
	}
	return strings.Join(kinds, ", ")
}

// method names a compensator: its kind, or the parts of a chain.
func method(compensator *node) string {
	kind := compensator.child("kind")
	if kind == nil {
		return ""
	}
	of := compensator.child("of")
	if kind.text != "chain" || of == nil {
		return kind.text
	}
	var parts []string
	for _, part := range of.items {
		if name := method(part); name != "" {
			parts = append(parts, name)
		}
	}
	return strings.Join(parts, " + ")
}

// child is the value of a key, or nil.
func (n *node) child(name string) *node {
	if n == nil {
		return nil
	}
	if k := n.get(name); k != nil {
		return k.value
	}
	return nil
}
