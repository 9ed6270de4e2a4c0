package rths_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"
)

// highestPure is the highest floor whose packages are pure: they have no clock, no lock,
// no input and output and start no goroutine. What a Step method calls stands on these floors.
const highestPure = 2

// impureImports are imports that a pure package does not have, nor anything below them
// (os/exec, net/http, sync/atomic, log/slog).
var impureImports = []string{"time", "sync", "os", "net", "log", "syscall"}

// impurities lists clocks, locks, input and output and goroutines in a source text.
func impurities(name, source string) ([]string, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, i := range file.Imports {
		path := strings.Trim(i.Path.Value, `"`)
		family, _, _ := strings.Cut(path, "/")
		if slices.Contains(impureImports, family) {
			found = append(found, fmt.Sprintf("%s imports %s", set.Position(i.Pos()), path))
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if _, ok := n.(*ast.GoStmt); ok {
			found = append(found, fmt.Sprintf("%s starts a goroutine", set.Position(n.Pos())))
		}
		return true
	})
	return found, nil
}

// Packages of the lower floors are pure.
func TestLowerFloorsArePure(t *testing.T) {
	table := readFloors(t)
	read := 0
	for pkg, files := range sources(t) {
		if table[pkg].level > highestPure {
			continue
		}
		for _, path := range files {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			found, err := impurities(path, string(text))
			if err != nil {
				t.Fatal(err)
			}
			for _, what := range found {
				t.Errorf("%s: want no clock, lock, input or output, and no goroutine up to floor %d", what, highestPure)
			}
			read++
		}
	}
	if read < 50 {
		t.Errorf("%d files read: want all files of the floors up to %d", read, highestPure)
	}
}

// The check sees what it is for.
func TestImpuritiesAreSeen(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"import \"time\"\nvar now = time.Now()", "imports time"},
		{"import (\n\t\"fmt\"\n\tlock \"sync\"\n)\nvar m lock.Mutex", "imports sync"},
		{"import \"sync/atomic\"", "imports sync/atomic"},
		{"import _ \"net/http\"", "imports net/http"},
		{"import \"os/exec\"", "imports os/exec"},
		{"import \"log/slog\"", "imports log/slog"},
		{"func f() { go f() }", "bad.go:2:12 starts a goroutine"},
		{"var f = func() { defer func() { go func() {}() }() }", "starts a goroutine"},
	} {
		found, err := impurities("bad.go", "package bad\n"+c.source)
		if err != nil || len(found) != 1 || !strings.Contains(found[0], c.want) {
			t.Errorf("%q: found %q, %v: want one that says %q", c.source, found, err, c.want)
		}
	}
	for _, good := range []string{"import \"math\"", "import \"rths/signal\"", "// go f()\nfunc g() string { return \"go f()\" }"} {
		found, err := impurities("good.go", "package good\n"+good)
		if err != nil || len(found) != 0 {
			t.Errorf("%q: found %q, %v: want nothing", good, found, err)
		}
	}
}
