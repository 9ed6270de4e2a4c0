package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rths/scenario/files"
)

// manCommand writes the manual as man pages, one per command. It is hidden: packagers and
// make man call it.
func manCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "man FOLDER",
		Hidden:  true,
		Short:   "Write the man pages of all commands",
		Example: "  rths man ~/.local/share/man/man1",
		Args:    want(1, "the folder of the pages"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fmt.Errorf("man: %w: want a folder for the pages", err)
			}
			on, err := madeOn()
			n := 0
			if err == nil {
				n, err = writeMan(root, args[0], on)
			}
			if err != nil {
				return fmt.Errorf("man: %w", err)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %d man pages\n", args[0], n)
			return err
		},
	}
}

// writeMan writes the page of a command and of those below it, and counts them.
func writeMan(c *cobra.Command, dir, on string) (n int, err error) {
	name := dashed(c) + ".1"
	err = files.Write(filepath.Join(dir, name), func(w io.Writer) error {
		_, err := io.WriteString(w, manPage(c, on))
		return err
	})
	n = 1
	for _, below := range c.Commands() {
		if err != nil {
			break
		}
		if below.IsAvailableCommand() {
			var more int
			more, err = writeMan(below, dir, on)
			n += more
		}
	}
	return n, err
}

// dashed is the name of a command's page.
func dashed(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// madeOn is the month of the pages: now, or that of SOURCE_DATE_EPOCH, so that packages have the same bytes again.
func madeOn() (string, error) {
	at := time.Now()
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil {
			return "", fmt.Errorf("SOURCE_DATE_EPOCH %q: want seconds since 1970", epoch)
		}
		at = time.Unix(seconds, 0)
	}
	return at.Format("Jan 2006"), nil
}

// manPage is the page of a command in the language of man(7).
func manPage(c *cobra.Command, on string) string {
	c.InitDefaultHelpFlag()
	var out strings.Builder
	fmt.Fprintf(&out, ".nh\n.TH %q \"1\" %q \"rths\" \"Real-time hybrid simulation\"\n", strings.ToUpper(dashed(c)), on)
	section := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&out, "\n.SH %s\n%s\n", name, strings.TrimSpace(text))
		}
	}
	section("NAME", dashed(c)+" - "+roff(c.Short))
	section("SYNOPSIS", bold(c.UseLine()))
	section("DESCRIPTION", manText(cmp.Or(c.Long, c.Short)))
	section("OPTIONS", manFlags(c.NonInheritedFlags()))
	section("OPTIONS INHERITED FROM PARENT COMMANDS", manFlags(c.InheritedFlags()))
	if c.Example != "" {
		section("EXAMPLE", ".EX\n"+roff(c.Example)+"\n.EE")
	}
	var others []string
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() {
			others = append(others, bold(dashed(below)+"(1)"))
		}
	}
	if slices.Sort(others); c.HasParent() {
		others = slices.Insert(others, 0, bold(dashed(c.Parent())+"(1)"))
	}
	section("SEE ALSO", strings.Join(others, ", "))
	return out.String()
}

func bold(text string) string { return `\fB` + roff(text) + `\fP` }

// roff is text in which no backslash and no line is a request.
func roff(text string) string {
	text = "\n" + strings.ReplaceAll(text, `\`, `\e`)
	return strings.NewReplacer("\n.", "\n\\&.", "\n'", "\n\\&'").Replace(text)[1:]
}

// manFlags lists flags with their defaults.
func manFlags(flags *pflag.FlagSet) string {
	var out strings.Builder
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name, value := bold("--"+f.Name), f.DefValue
		if f.Shorthand != "" {
			name = bold("-"+f.Shorthand) + ", " + name
		}
		if f.Value.Type() == "string" {
			value = strconv.Quote(value)
		}
		if value = "=" + value; f.NoOptDefVal != "" {
			value = "[" + value + "]"
		}
		fmt.Fprintf(&out, "\n.PP\n%s%s\n\t%s\n", name, roff(value), roff(f.Usage))
	})
	return strings.TrimPrefix(out.String(), "\n.PP\n")
}

// manText is a text of the help: lines that are indented stay as they are, and #### begins a heading.
func manText(text string) string {
	var out []string
	for block := range strings.SplitSeq(text, "\n\n") {
		out = append(out, "", ".PP")
		indented := false
		for line := range strings.SplitSeq(strings.Trim(block, "\n"), "\n") {
			if now := strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t"); now != indented {
				out = append(out, map[bool]string{true: ".EX", false: ".EE"}[now])
				indented = now
			}
			if title, titled := strings.CutPrefix(line, "#### "); titled {
				out = append(out, ".SS "+title)
			} else {
				out = append(out, roff(strings.TrimPrefix(line, "\t")))
			}
		}
		if indented {
			out = append(out, ".EE")
		}
	}
	return strings.Join(out[2:], "\n")
}
