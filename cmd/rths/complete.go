package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rths/scenario"
)

// complete lets a shell complete names for doc and keys for --set, and makes the command
// completion refuse an unknown shell. It comes after SetOut: the scripts of completion go to
// the output that is set by then.
func complete(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Flags().Lookup("set") != nil {
			if err := c.RegisterFlagCompletionFunc("set", completeSet); err != nil {
				panic(err) // it is registered twice
			}
		}
		switch c.Name() {
		case "completion":
			c.Args, c.RunE = cobra.ArbitraryArgs, wantShell
		case "doc":
			c.ValidArgsFunction = completeDoc
		}
	}
}

func completeDoc(_ *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return slices.DeleteFunc(docNames(), func(name string) bool { return !strings.HasPrefix(name, begun) }),
		cobra.ShellCompDirectiveNoFileComp
}

// docNames are the names that doc takes.
func docNames() (names []cobra.Completion) {
	for _, b := range scenario.Blocks() {
		names = append(names, cobra.CompletionWithDesc(b.Key, b.Doc))
	}
	for _, f := range families() {
		names = append(names, cobra.CompletionWithDesc(f.Plural(), "list: "+f.Doc))
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
