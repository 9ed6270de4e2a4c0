package main

import (
	"strings"

	"github.com/spf13/cobra"

	"rths/scenario"
	"rths/scenario/syntax"
)

// completeSet completes KEY=VALUE of --set: keys of a scenario, keys of a block, and kinds.
func completeSet(_ *cobra.Command, _ []string, begun string) (out []cobra.Completion, _ cobra.ShellCompDirective) {
	for _, b := range scenario.Blocks() {
		switch {
		case !b.List && b.Value():
			out = append(out, cobra.CompletionWithDesc(b.Key+"=", b.Doc))
		case !b.List && !b.Keyed && strings.HasPrefix(begun, b.Key+"."):
			out = append(out, keysIn(b)...)
		case !b.List && !b.Keyed:
			out = append(out, cobra.CompletionWithDesc(b.Key+".", b.Doc))
		}
	}
	kept := out[:0]
	directive := cobra.ShellCompDirectiveNoFileComp
	for _, one := range out {
		if text, _, _ := strings.Cut(one, "\t"); strings.HasPrefix(text, begun) {
			kept = append(kept, one)
			if strings.HasSuffix(text, "=") || strings.HasSuffix(text, ".") {
				directive |= cobra.ShellCompDirectiveNoSpace
			}
		}
	}
	return kept, directive
}

// keysIn are the keys of a block, each once, and its kinds.
func keysIn(b syntax.BlockDoc) (out []cobra.Completion) {
	done := map[string]bool{}
	add := func(list []syntax.ParamDoc) {
		for _, p := range list {
			if key := b.Key + "." + p.Key + "="; !done[key] && !strings.Contains(p.Key, "[") {
				done[key] = true
				out = append(out, cobra.CompletionWithDesc(key, p.Doc))
			}
		}
	}
	add(b.Params)
	for _, k := range b.Kinds {
		out = append(out, cobra.CompletionWithDesc(b.Key+".kind="+k.Name, k.Doc))
		add(k.Params)
	}
	return out
}
