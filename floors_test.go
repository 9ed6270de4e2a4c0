package rths_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// wings are the folders of the house from the ground up, and the wings whose packages their packages may import,
// beside those of their own. Tests are free. Do not change the table to make a build pass.
const wings = `
rths
maths     rths
kit       rths maths
model     rths maths
method    rths maths model
lab       rths maths model
scenarios
studies
docs
scenario  rths maths model method lab scenarios
result    rths maths model method lab scenario
run       rths maths model method lab scenario result
campaign  rths maths kit model method lab scenarios studies scenario result
workbench rths maths model method lab scenarios scenario result run campaign
cmd       rths docs maths model method lab scenarios scenario result run campaign workbench
`

// walls are packages that may import less than their wing.
var walls = map[string][]string{"scenario/syntax": {"rths", "maths"}}

// pure are the wings that have no clock, no lock, no input and output, and start no goroutine. What a Step method calls
// stands in them.
var pure = []string{"rths", "maths", "model", "method"}

// wingOf is the wing of a package.
func wingOf(pkg string) string {
	wing, _, _ := strings.Cut(pkg, "/")
	return wing
}

// mayImport are the wings that each wing may import.
func mayImport() map[string][]string {
	out := map[string][]string{}
	for line := range strings.SplitSeq(strings.TrimSpace(wings), "\n") {
		words := strings.Fields(line)
		out[words[0]] = words
	}
	return out
}

// sources are the files of each package, outside tests.
func sources(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != ".") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		pkg := filepath.ToSlash(filepath.Dir(path))
		if pkg == "." {
			pkg = "rths"
		}
		out[pkg] = append(out[pkg], path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// imports are the imports of each package, without its tests.
func imports(t *testing.T) map[string]map[string]bool {
	t.Helper()
	out := map[string]map[string]bool{}
	for pkg, files := range sources(t) {
		out[pkg] = map[string]bool{}
		for _, path := range files {
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range file.Imports {
				out[pkg][strings.Trim(i.Path.Value, `"`)] = true
			}
		}
	}
	return out
}

// Imports go down: to wings that the table names, or to a neighbour in the same wing (where Go forbids circles).
func TestWings(t *testing.T) {
	table := mayImport()
	for pkg, list := range imports(t) {
		allowed, ok := table[wingOf(pkg)]
		if !ok {
			t.Errorf("package %s stands in no wing of the table", pkg)
		}
		if wall := walls[pkg]; wall != nil {
			allowed = wall
		}
		for name := range list {
			wing := "rths"
			if other, ours := strings.CutPrefix(name, "rths/"); ours {
				wing = wingOf(other)
			} else if name != "rths" {
				continue
			}
			if !slices.Contains(allowed, wing) {
				t.Errorf("%s imports %s: want imports of %v", pkg, name, allowed)
			}
		}
	}
}

// The core has no clock, no input or output and no goroutine to hand things to.
func TestCoreIsPure(t *testing.T) {
	for name := range imports(t)["rths"] {
		switch name {
		case "errors", "fmt", "math", "strings":
		default:
			t.Errorf("the core imports %s", name)
		}
	}
}

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
		if slices.Contains(impureImports, family) && !(path == "sync" && i.Name == nil) {
			found = append(found, fmt.Sprintf("%s imports %s", set.Position(i.Pos()), path))
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = append(found, fmt.Sprintf("%s starts a goroutine", set.Position(n.Pos())))
		case *ast.SelectorExpr: // a constant that is made when it is first read is no lock
			if of, ok := n.X.(*ast.Ident); ok && of.Name == "sync" && n.Sel.Name != "OnceValue" {
				found = append(found, fmt.Sprintf("%s uses sync.%s", set.Position(n.Pos()), n.Sel.Name))
			}
		}
		return true
	})
	return found, nil
}

// The wings that Step methods stand in are pure.
func TestLowerWingsArePure(t *testing.T) {
	read := 0
	for pkg, files := range sources(t) {
		if !slices.Contains(pure, wingOf(pkg)) {
			continue
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			found, err := impurities(file, string(text))
			if err != nil {
				t.Fatal(err)
			}
			for _, what := range found {
				t.Errorf("%s: want no clock, lock, input or output, and no goroutine in %v", what, pure)
			}
			read++
		}
	}
	if read < 150 {
		t.Errorf("%d files read: want all files of %v", read, pure)
	}
}

// The check sees what it is for.
func TestImpuritiesAreSeen(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"import \"time\"\nvar now = time.Now()", "imports time"},
		{"import (\n\t\"fmt\"\n\tlock \"sync\"\n)\nvar m lock.Mutex", "imports sync"},
		{"import \"sync/atomic\"", "imports sync/atomic"},
		{"import \"sync\"\nvar m sync.Mutex", "uses sync.Mutex"},
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
	for _, good := range []string{"import \"math\"", "import \"sync\"\nvar f = sync.OnceValue(g)", "import \"rths/signal\"",
		"// go f()\nfunc g() string { return \"go f()\" }"} {
		found, err := impurities("good.go", "package good\n"+good)
		if err != nil || len(found) != 0 {
			t.Errorf("%q: found %q, %v: want nothing", good, found, err)
		}
	}
}

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
			if !strings.Contains(checks, "rthstest.Table("+name+")") &&
				!strings.Contains(checks, "rthstest.Table("+path.Base(pkg)+"."+name+")") {
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
