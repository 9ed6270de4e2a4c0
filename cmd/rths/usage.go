package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rths/scenario"
)

// wantCommand refuses arguments without a command.
func wantCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	name := args[0]
	if strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml") {
		return fmt.Errorf("found %q: want a command before the scenario: did you mean rths run %s?", name, name)
	}
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	if near := scenario.Like(name, names); near != nil {
		return fmt.Errorf("found %q: want a command: did you mean rths %s?", name, strings.Join(near, " or rths "))
	}
	return fmt.Errorf("found %q: want a command: %s", name, strings.Join(names, ", "))
}

// want refuses other than n arguments, and says which.
func want(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		hint := ""
		for _, arg := range args {
			switch {
			case cmd.Flags().Lookup("set") == nil:
			case strings.ContainsAny(arg, "{}[]"):
				hint = fmt.Sprintf("; %q belongs to a value with spaces: want quotes around it, as in --set 'KEY={…}'", arg)
			case strings.Contains(arg, "="):
				hint = fmt.Sprintf("; a key is set by --set %s", arg)
			}
		}
		return fmt.Errorf("%s: found %d arguments: want %s%s (see %s --help)", cmd.Name(), len(args), what, hint, cmd.CommandPath())
	}
}

// wantSome refuses to go without arguments, and says which.
func wantSome(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return nil
		}
		return want(1, what)(cmd, args)
	}
}

// wrongFlag says what to do about a flag.
func wrongFlag(cmd *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	var value *pflag.InvalidValueError
	var bare *pflag.ValueRequiredError
	see := fmt.Sprintf("(see %s --help)", cmd.CommandPath())
	switch {
	case errors.As(err, &missing) && missing.GetSpecifiedShortnames() == "":
		return fmt.Errorf("%s: unknown flag --%s%s %s", cmd.Name(), missing.GetSpecifiedName(), likeFlag(cmd, missing.GetSpecifiedName()), see)
	case errors.As(err, &value):
		return fmt.Errorf("%s: --%s %q: want %s %s", cmd.Name(), value.GetFlag().Name, value.GetValue(), wantedOf(value.GetFlag()), see)
	case errors.As(err, &bare):
		return fmt.Errorf("%s: --%s: found nothing behind it: want a value %s", cmd.Name(), bare.GetFlag().Name, see)
	}
	return fmt.Errorf("%s: %w %s", cmd.Name(), err, see)
}

// likeFlag finds the flag, or the key of a scenario, that an unknown flag may stand for.
func likeFlag(cmd *cobra.Command, name string) string {
	key, _, _ := strings.Cut(name, ".")
	if slices.ContainsFunc(families(), func(f scenario.Family) bool { return f.Key == name }) {
		name += ".kind"
	}
	if cmd.Flags().Lookup("set") != nil && slices.Contains(scenario.Keys(), key) {
		return fmt.Sprintf(": a key of the scenario is set by --set, as in --set %s=…", name)
	}
	var names, near []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		names = append(names, f.Name)
		if strings.HasPrefix(name, f.Name) || strings.HasPrefix(f.Name, name) {
			near = append(near, f.Name)
		}
	})
	if near == nil {
		near = scenario.Like(name, names)
	}
	if near == nil {
		return ""
	}
	return ": did you mean --" + strings.Join(near, " or --") + "?"
}

func wantedOf(f *pflag.Flag) string {
	switch kind := f.Value.Type(); {
	case kind == "bool":
		return "true or false"
	case strings.HasSuffix(kind, "Slice"):
		return "values with commas between them"
	case strings.HasPrefix(kind, "int"), strings.HasPrefix(kind, "uint"):
		return "a whole number"
	case strings.HasPrefix(kind, "float"):
		return "a number"
	default:
		return "a " + kind
	}
}

// wantAtMostOne refuses more than one argument.
func wantAtMostOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) <= 1 {
			return nil
		}
		return fmt.Errorf("%s: found %d arguments: want none, or %s (see %s --help)", cmd.Name(), len(args), what, cmd.CommandPath())
	}
}
