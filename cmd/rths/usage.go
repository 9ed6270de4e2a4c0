package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rths/maths/words"
	"rths/scenario"
	"rths/scenario/syntax"
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
		if below, _, err := c.Find(args); err == nil && below != c && below.Name() == name {
			return fmt.Errorf("found %q: want a command: did you mean %s?", name, below.CommandPath())
		}
	}
	near := slices.DeleteFunc(slices.Clone(names), func(c string) bool { return !strings.HasPrefix(c, name+"-") })
	if len(near) == 0 {
		near = words.Like(name, names)
	}
	if near != nil {
		return fmt.Errorf("found %q: want a command: did you mean rths %s?", name, strings.Join(near, " or rths "))
	}
	return fmt.Errorf("found %q: want a command: %s", name, strings.Join(names, ", "))
}

// want refuses other than n arguments, and says which.
func want(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if assigned := oneDash(cmd, true); assigned != "" {
			return fmt.Errorf("%s: found %s (see %s --help)", cmd.Name(), assigned, cmd.CommandPath())
		}
		if len(args) == n {
			return nil
		}
		hint := ""
		for _, arg := range args {
			switch {
			case cmd.Flags().Lookup("set") == nil:
			case unbraced(cmd, arg):
				hint = fmt.Sprintf("; the shell has split the braces of %s: want quotes around them, as in --set '%[1]s={…}'",
					key(arg))
			case strings.ContainsAny(arg, "{}[]"):
				hint = fmt.Sprintf("; %q belongs to a value with spaces: want quotes around it, as in --set 'KEY={…}'", arg)
			case strings.Contains(arg, "="):
				hint = fmt.Sprintf("; a key is set by --set %s", arg)
			}
		}
		if hint = cmp.Or(spaced(cmd, args), hint); oneDash(cmd, false) != "" {
			hint = "; " + oneDash(cmd, false)
		}
		return fmt.Errorf("%s: found %d arguments: want %s%s (see %s --help)", cmd.Name(), len(args), what, hint,
			cmd.CommandPath())
	}
}

// oneDash says that a flag of one letter has got the rest of a long name: assigned, as in -out=x, or not, as in -out x.
func oneDash(cmd *cobra.Command, assigned bool) (hint string) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		rest, is := strings.CutPrefix(f.Shorthand+f.Value.String(), f.Name)
		if f.Shorthand != "" && is && strings.HasPrefix(rest, "=") == assigned && (assigned || rest == "") {
			hint = fmt.Sprintf("-%s, which is -%s with the value %q: a long name has two dashes, --%s", f.Name, f.Shorthand,
				f.Value, f.Name)
		}
	})
	return hint
}

// unbraced reports whether an argument sets the key of a --set once more: bash makes --set k=a k=b of --set k={a,b}.
func unbraced(cmd *cobra.Command, arg string) bool {
	sets, err := cmd.Flags().GetStringArray("set")
	return err == nil && strings.Contains(arg, "=") && slices.ContainsFunc(sets,
		func(set string) bool { return key(set) == key(arg) })
}

// key is the key of KEY=VALUE.
func key(set string) string {
	key, _, _ := strings.Cut(set, "=")
	return key
}

// spaced says that a --set has spaces around its equals sign.
func spaced(cmd *cobra.Command, args []string) string {
	sets, err := cmd.Flags().GetStringArray("set")
	if err != nil {
		return ""
	}
	for _, set := range sets {
		key, value, ok := strings.Cut(set, "=")
		if ok && value != "" {
			continue
		}
		for i, arg := range args {
			switch after, begins := strings.CutPrefix(arg, "="); {
			case begins && !ok && after != "":
				value = after
			case begins && !ok && i+1 < len(args):
				value = args[i+1]
			case ok && value == "" && !strings.HasSuffix(arg, ".yaml"): // KEY= VALUE
				value = arg
			}
		}
		if value != "" {
			return fmt.Sprintf("; --set takes no spaces around =, as in --set %s=%s", key, value)
		}
	}
	return ""
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
	case errors.As(err, &missing) && !cmd.HasParent():
		return early(cmd, cmp.Or(missing.GetSpecifiedShortnames(), missing.GetSpecifiedName()), see)
	case errors.As(err, &missing) && cmd.Flags().Lookup(missing.GetSpecifiedShortnames()) != nil:
		return fmt.Errorf("%s: found -%s: a long name has two dashes: want --%s %s", cmd.Name(),
			missing.GetSpecifiedShortnames(), missing.GetSpecifiedShortnames(), see)
	case errors.As(err, &missing) && missing.GetSpecifiedShortnames() == "":
		return fmt.Errorf("%s: unknown flag --%s%s %s", cmd.Name(), missing.GetSpecifiedName(),
			likeFlag(cmd, missing.GetSpecifiedName()), see)
	case errors.As(err, &value):
		return fmt.Errorf("%s: --%s %q: want %s %s", cmd.Name(), value.GetFlag().Name, value.GetValue(),
			wantedOf(value.GetFlag()), see)
	case errors.As(err, &bare):
		return fmt.Errorf("%s: --%s: found nothing after it: want a value %s", cmd.Name(), bare.GetFlag().Name, see)
	}
	return fmt.Errorf("%s: %w %s", cmd.Name(), err, see)
}

// early refuses a flag that stands before the command, and names commands that have it.
func early(root *cobra.Command, name, see string) error {
	var with []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() && c.Flags().Lookup(name) != nil {
			with = append(with, fmt.Sprintf("rths %s --%s", c.Name(), name))
		}
	}
	if with == nil {
		return fmt.Errorf("unknown flag --%s%s %s", name, likeFlag(root, name), see)
	}
	if len(with) > 3 {
		with = append(with[:3], "…")
	}
	return fmt.Errorf("found --%s before the command: want it after the command, as in %s %s", name,
		strings.Join(with, " or "), see)
}

// likeFlag finds the flag, or the key of a scenario, that an unknown flag may stand for.
func likeFlag(cmd *cobra.Command, name string) string {
	key, _, _ := strings.Cut(name, ".")
	if slices.ContainsFunc(families(), func(f syntax.Family) bool { return f.Key == name }) {
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
		near = words.Like(name, names)
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

// wantOneOf is the end of an error on a name that is none of several: these, and which one it may mean.
func wantOneOf(name string, names []string) string {
	return "want one of " + strings.Join(names, ", ") + words.Meant(words.Like(name, names))
}

// wantAtMostOne refuses more than one argument.
func wantAtMostOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) <= 1 {
			return nil
		}
		return fmt.Errorf("%s: found %d arguments: want none, or %s (see %s --help)", cmd.Name(), len(args), what,
			cmd.CommandPath())
	}
}
