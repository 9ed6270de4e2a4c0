package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rths"
	"rths/scenario"
	"rths/scenario/syntax"
)

var update = flag.Bool("update", false, "write the generated parts of the pages in docs")

// generated marks where the hand-written part of a page ends.
const generated = "<!-- Generated from the tables below this line: make pages -->\n"

// pages are the pages of docs/reference that the program writes.
var pages = map[string]func() string{
	"compensators.md":   compensatorPage,
	"plants.md":         kindTables("transfer", "specimen", "device", "coupler", "setup", "distribution"),
	"structures.md":     kindTables("structure", "integrator", "predictor", "pace"),
	"ground-motions.md": kindTables("format", "ground", "target", "force"),
	"faults.md":         kindTables("fault"),
	"criteria.md":       kindTables("criteria"),
	"rigs.md":           kindTables("rig", "network-fault"),
	"scenario.md":       scenarioTables,
	"commands.md":       commandPages,
}

// The pages say what the tables say. `make pages` brings them up to date.
func TestPages(t *testing.T) {
	for name, write := range pages {
		path := filepath.Join("../../docs/reference", name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		head, _, ok := strings.Cut(string(text), generated)
		if !ok {
			t.Errorf("%s: want the line %q after its hand-written part", name, generated)
			continue
		}
		want := head + generated + write()
		switch {
		case *update:
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		case string(text) != want:
			t.Errorf("%s is not what the tables say: run `make pages`", name)
		}
	}
}

// kindTables writes a heading for each family and each kind, with its keys.
func kindTables(families ...string) func() string {
	return func() string {
		var out strings.Builder
		for _, key := range families {
			for _, f := range scenario.Families() {
				if f.Key != key {
					continue
				}
				fmt.Fprintf(&out, "\n## %s\n\n%s.\n", f.Key, withFormulas(capital(f.Doc)))
				shared := sharedKeys(f.Kinds)
				for _, k := range f.Kinds {
					writeKind(&out, f.Key, k, shared)
				}
				writeShared(&out, f, shared)
			}
		}
		return out.String()
	}
}

// A key is shared if so many kinds have it with the same default and the same words.
const manyKinds = 3

// sharedKeys are the rows that many kinds of a family share, with the number of these kinds.
func sharedKeys(kinds []syntax.KindDoc) map[string]int {
	times := map[string]int{}
	for _, k := range kinds {
		for _, p := range k.Params {
			times[keyRow(p)]++
		}
	}
	maps.DeleteFunc(times, func(_ string, n int) bool { return n < manyKinds })
	return times
}

// keyRow is the row of a key in a table.
func keyRow(p syntax.ParamDoc) string {
	value := p.DefaultText()
	if value != "–" {
		value = "`" + value + "`"
	}
	return fmt.Sprintf("| `%s` | %s | %s |\n", p.Key, value, strings.ReplaceAll(withFormulas(p.Doc), "|", "\\|"))
}

const keyHead = "\n| key | default | meaning |\n|---|---|---|\n"

// writeKind writes a kind with the keys of its own, and names those that it shares.
func writeKind(out *strings.Builder, family string, k syntax.KindDoc, shared map[string]int) {
	fmt.Fprintf(out, "\n### %s: %s\n\n%s.\n*%s*\n", family, k.Name, withFormulas(capital(k.Doc)), withFormulas(k.Ref))
	var own, names []string
	for _, p := range k.Params {
		if row := keyRow(p); shared[row] > 0 {
			names = append(names, "`"+p.Key+"`")
		} else {
			own = append(own, row)
		}
	}
	if len(own) > 0 {
		out.WriteString(keyHead + strings.Join(own, ""))
	}
	if len(names) > 0 {
		fmt.Fprintf(out, "\n[Shared keys](#%s-shared-keys): %s.\n", family, strings.Join(names, ", "))
	}
	writeTuned(out, k.Tunable)
}

// writeShared writes the keys that many kinds of a family share, in the order of their first kind.
func writeShared(out *strings.Builder, f syntax.Family, shared map[string]int) {
	if len(shared) == 0 {
		return
	}
	fmt.Fprintf(out, "\n### %s: shared keys\n", f.Key)
	out.WriteString(keyHead)
	done := map[string]bool{}
	for _, k := range f.Kinds {
		for _, p := range k.Params {
			if row := keyRow(p); shared[row] > 0 && !done[row] {
				done[row] = true
				out.WriteString(row)
			}
		}
	}
}

// scenarioTables writes the keys of a scenario: those with a value, then each block with its keys.
func scenarioTables() string {
	var out strings.Builder
	out.WriteString("\n## Keys with a value\n" + keyHead)
	for _, b := range scenario.Blocks() {
		if b.Value() && !b.List {
			out.WriteString(keyRow(syntax.ParamDoc{Key: b.Key, Doc: b.Doc, Default: b.Default}))
		}
	}
	for _, b := range scenario.Blocks() {
		if b.Value() && !b.List {
			continue
		}
		fmt.Fprintf(&out, "\n## %s\n\n%s.\n", b.Key, withFormulas(capital(b.Doc)))
		if len(b.Params) > 0 && len(b.Kinds) == 0 {
			out.WriteString(keyHead)
			for _, p := range b.Params {
				out.WriteString(keyRow(p))
			}
		}
		if len(b.Kinds) > 0 {
			var names []string
			for _, k := range b.Kinds {
				names = append(names, "`"+k.Name+"`")
			}
			fmt.Fprintf(&out, "\nKinds: %s.\n", strings.Join(names, ", "))
		}
	}
	return out.String()
}

// commandPages writes what each command does, with its flags and examples.
func commandPages() string {
	var out strings.Builder
	root := rootCommand(&app{})
	writeCommands(&out, root)
	return out.String()
}

func writeCommands(out *strings.Builder, c *cobra.Command) {
	for _, below := range c.Commands() {
		if !below.IsAvailableCommand() || below.Name() == "help" {
			continue
		}
		fmt.Fprintf(out, "\n## %s\n\n%s.\n\n```text\n%s\n```\n", below.CommandPath(), below.Short, below.UseLine())
		if text := strings.TrimSpace(below.Long); text != "" {
			fmt.Fprintf(out, "\n%s\n", formulasInHelp(markdownOf(text)))
		}
		if below.Example != "" {
			fmt.Fprintf(out, "\n```text\n%s\n```\n", below.Example)
		}
		var flags []string
		below.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" {
				return
			}
			kind, usage := pflag.UnquoteUsage(f)
			name := strings.TrimSpace("--" + f.Name + " " + kind)
			flags = append(flags, fmt.Sprintf("| `%s` | %s |\n", name, strings.ReplaceAll(withFormulas(usage), "|", "\\|")))
		})
		if len(flags) > 0 {
			out.WriteString("\n| flag | meaning |\n|---|---|\n" + strings.Join(flags, ""))
		}
		writeCommands(out, below)
	}
}

// writeTuned says which keys rths advise tunes.
func writeTuned(out *strings.Builder, keys []rths.Tunable) {
	for i, t := range keys {
		sign := "; "
		if i == 0 {
			sign = "\n`rths advise` tunes "
		}
		fmt.Fprintf(out, "%s`%s` %s", sign, t.Key, t.Range())
	}
	if len(keys) > 0 {
		out.WriteString(".\n")
	}
}

// capital begins a sentence, unless a formula does (x/u = …).
func capital(s string) string {
	if len(s) < 2 || s[1] == '/' {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// markdownOf is a text of the help as Markdown: lines that are indented stay as they are.
func markdownOf(text string) string {
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
