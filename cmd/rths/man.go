package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

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
			n, err := writeMan(root, args[0])
			if err != nil {
				return fmt.Errorf("man: %w", err)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %d man pages\n", args[0], n)
			return err
		},
	}
}

// writeMan writes the page of a command and of those below it, and counts them.
func writeMan(c *cobra.Command, dir string) (n int, err error) {
	c.DisableAutoGenTag, c.Long = true, manText(c.Long)
	name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
	err = files.Write(filepath.Join(dir, name), func(w io.Writer) error {
		return doc.GenMan(c, &doc.GenManHeader{Section: "1", Source: "rths", Manual: "Real-time hybrid simulation"}, w)
	})
	n = 1
	for _, below := range c.Commands() {
		if err != nil {
			break
		}
		if below.IsAvailableCommand() {
			var more int
			more, err = writeMan(below, dir)
			n += more
		}
	}
	return n, err
}

// manText is a text of the help as Markdown, which GenMan makes a man page of: lines that are
// indented stay as they are.
func manText(text string) string {
	var out strings.Builder
	indented := false
	for line := range strings.Lines(text) {
		now := strings.HasPrefix(line, "  ")
		if now != indented && strings.TrimSpace(line) != "" {
			out.WriteString("\n")
			indented = now
		}
		if now {
			out.WriteString("    ")
		}
		out.WriteString(line)
	}
	return out.String()
}
