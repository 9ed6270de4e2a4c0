package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rths/scenario"
)

// complete lets a shell complete families for list and names for doc, and makes the command
// completion refuse an unknown shell. It comes after SetOut: the scripts of completion go to
// the output that is set by then.
func complete(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	names := map[string]func() []cobra.Completion{"list": familyNames, "doc": kindNames}
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args, c.RunE = cobra.ArbitraryArgs, wantShell
		}
		if of := names[c.Name()]; of != nil {
			c.ValidArgsFunction = func(_ *cobra.Command, args []string, begun string) ([]cobra.Completion,
				cobra.ShellCompDirective) {
				if len(args) > 0 {
					return nil, cobra.ShellCompDirectiveNoFileComp
				}
				return slices.DeleteFunc(of(), func(name string) bool { return !strings.HasPrefix(name, begun) }),
					cobra.ShellCompDirectiveNoFileComp
			}
		}
	}
}

func familyNames() (names []cobra.Completion) {
	for _, f := range families() {
		names = append(names, cobra.CompletionWithDesc(f.Plural(), f.Doc))
	}
	return names
}

// kindNames are the names that doc takes.
func kindNames() (names []cobra.Completion) {
	for _, b := range scenario.Blocks() {
		names = append(names, cobra.CompletionWithDesc(b.Key, b.Doc))
	}
	for _, f := range families() {
		for _, k := range f.Kinds {
			names = append(names, cobra.CompletionWithDesc(k.Name, f.Key+": "+k.Doc))
		}
	}
	return names
}

// wantShell refuses completion without a shell that it knows.
func wantShell(completion *cobra.Command, args []string) error {
	var shells []string
	for _, c := range completion.Commands() {
		shells = append(shells, c.Name())
	}
	return fmt.Errorf("completion: found %q: want a shell: %s", strings.Join(args, " "), strings.Join(shells, ", "))
}
