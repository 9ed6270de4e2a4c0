package rths_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// tableOf finds tables of methods in a source.
var tableOf = regexp.MustCompile(`(?m)^var (\w+) = \[\]rths\.Kind\[`)

// Every table of methods is held to the promises of tables by a test of its package.
func TestEveryTableIsChecked(t *testing.T) {
	tables := 0
	for pkg, files := range sources(t) {
		tests, err := filepath.Glob(filepath.Join(filepath.Dir(files[0]), "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		checks := text(t, tests)
		for _, found := range tableOf.FindAllStringSubmatch(text(t, files), -1) {
			tables++
			name := found[1]
			if !strings.Contains(checks, "rthstest.Table("+name+")") && !strings.Contains(checks, "rthstest.Table("+pkg+"."+name+")") {
				t.Errorf("%s.%s: no test calls rthstest.Table with it", pkg, name)
			}
		}
	}
	if tables < 10 {
		t.Errorf("%d tables found: want all of them", tables)
	}
}

func text(t *testing.T, files []string) string {
	t.Helper()
	var all strings.Builder
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	return all.String()
}
