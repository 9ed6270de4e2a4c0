package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var block = regexp.MustCompile("(?ms)^```(\\w+)( records)?\\n(.*?)^```")

// Commands in the pages of docs run as they stand: yaml blocks that name a file
// are written, console blocks are run line by line in that folder. Blocks marked
// records need ground motions.
func TestDocs(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) < 5 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Chdir(t.TempDir())
			for _, m := range block.FindAllStringSubmatch(string(text), -1) {
				runBlock(t, m[1], m[2] != "", m[3])
			}
		})
	}
}

func runBlock(t *testing.T, language string, records bool, body string) {
	t.Helper()
	if language == "yaml" {
		first, _, _ := strings.Cut(body, "\n")
		if name, ok := strings.CutPrefix(first, "# file: "); ok {
			if err := os.WriteFile(name, []byte(body), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	if language != "console" || records && os.Getenv("RTHS_RECORDS") == "" {
		return
	}
	for line := range strings.Lines(body) {
		command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ rths ")
		if !ok {
			t.Errorf("line %q of a console block is no rths command", line)
			continue
		}
		var out, errs bytes.Buffer
		if status := run(strings.Fields(command), &out, &errs); status != exitDone {
			t.Errorf("rths %s: exit status %d\n%s", command, status, errs.String())
		}
		if out.Len() == 0 {
			t.Errorf("rths %s printed nothing", command)
		}
	}
}
