package rths_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// floors is the direction of imports, as text: a package imports lower floors
// only; what stands behind "may" are the neighbours it may import on its own
// floor. Tests are free. Do not change the table to make a build pass.
const floors = `
0 rths
1 lti
1 signal    may lti
1 hysteresis
1 foreign
1 scatter
2 ground
2 structure
2 integrate may structure
2 plant
2 stability may structure
2 compensate
2 criteria
3 files
3 kit
3 rig
3 rig/wire
3 rig/udp   may rig rig/wire
3 rig/openfresco may numerical
3 realtime
3 record    may files realtime
3 ring
3 numerical may realtime ring
4 scenario  may scenarios
4 scenarios
4 studies
5 analyse
5 catalogue
5 judge
5 report
5 page      may report
5 session
5 export
5 doctor    may session
5 study
5 advice    may analyse study
5 papers  may analyse report study
6 cmd/rths
7 rthstest
`

type floor struct {
	level int
	may   []string
}

func readFloors(t *testing.T) map[string]floor {
	t.Helper()
	out := map[string]floor{}
	for line := range strings.SplitSeq(strings.TrimSpace(floors), "\n") {
		words := strings.Fields(line)
		level, err := strconv.Atoi(words[0])
		if err != nil {
			t.Fatalf("floors: %q: %v", line, err)
		}
		f := floor{level: level}
		if len(words) > 3 && words[2] == "may" {
			f.may = words[3:]
		}
		out[words[1]] = f
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

// The house of the design: imports go down.
func TestFloors(t *testing.T) {
	table := readFloors(t)
	for pkg, list := range imports(t) {
		own, ok := table[pkg]
		if !ok {
			t.Errorf("package %s has no floor", pkg)
			continue
		}
		for name := range list {
			other, ours := strings.CutPrefix(name, "rths/")
			if name == "rths" {
				other, ours = "rths", true
			}
			if !ours {
				continue
			}
			allowed := table[other].level < own.level
			for _, m := range own.may {
				allowed = allowed || m == other
			}
			if !allowed {
				t.Errorf("%s (floor %d) imports %s (floor %d)", pkg, own.level, other, table[other].level)
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
