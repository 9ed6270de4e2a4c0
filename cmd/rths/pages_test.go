package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rths"
	"rths/scenario"
)

var update = flag.Bool("update", false, "write the generated parts of the pages in docs")

// generated marks where the hand-written part of a page ends.
const generated = "<!-- Generated from the tables below this line: make pages -->\n"

// pages are the pages that end in tables of methods, with their families.
var pages = map[string][]string{
	"compensators.md":     {"compensator"},
	"plants.md":           {"transfer", "specimen", "coupler"},
	"ground-motions.md":   {"format", "ground", "target", "force"},
	"rehearse-a-fault.md": {"fault"},
	"results.md":          {"criteria"},
	"rig.md":              {"rig", "network-fault"},
}

// The pages say what the tables say. `make pages` brings them up to date.
func TestPages(t *testing.T) {
	for name, families := range pages {
		path := filepath.Join("../../docs", name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		head, _, ok := strings.Cut(string(text), generated)
		if !ok {
			t.Errorf("%s: want the line %q behind its hand-written part", name, generated)
			continue
		}
		want := head + generated + kindTables(families)
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

// kindTables writes a heading per family and per kind, with its keys.
func kindTables(families []string) string {
	var out strings.Builder
	for _, key := range families {
		for _, f := range scenario.Families() {
			if f.Key != key {
				continue
			}
			fmt.Fprintf(&out, "\n## %s\n\n%s.\n", f.Key, capital(f.Doc))
			for _, k := range f.Kinds {
				writeKind(&out, f.Key, k)
			}
		}
	}
	return out.String()
}

func writeKind(out *strings.Builder, family string, k scenario.KindDoc) {
	fmt.Fprintf(out, "\n### %s: %s\n\n%s.\n*%s*\n", family, k.Name, capital(k.Doc), k.Ref)
	if len(k.Params) == 0 {
		return
	}
	out.WriteString("\n| key | default | meaning |\n|---|---|---|\n")
	for _, p := range k.Params {
		value := p.DefaultText()
		if value != "–" {
			value = "`" + value + "`"
		}
		fmt.Fprintf(out, "| `%s` | %s | %s |\n", p.Key, value, strings.ReplaceAll(p.Doc, "|", "\\|"))
	}
	writeTuned(out, k.Tunable)
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
