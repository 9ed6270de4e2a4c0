package module_test

import (
	"bytes"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
)

var update = flag.Bool("update", false, "build the modules of examples/wasm and testdata/wasm")

// builtBy is the compiler of the modules that are committed: Debian 12.
const builtBy = "clang version 14.0.6"

// mistakes are the macros of mistakes.c, with what else the compiler is told.
var mistakes = map[string][]string{
	"sound": nil, "outside": nil, "no_now": nil, "bad_kind": nil, "bad_name": nil, "endless_table": nil, "far_table": nil,
	"trap_table": nil,
	"whole":      nil, "twice": nil, "hidden": nil, "frozen_not": nil, "old": nil, "trap_init": nil, "endless_init": nil,
	"refuses": nil, "refuses_gain": nil,
	"wrong_text": nil, "wrong_init": nil, "system": nil, "undefined": {"-Wl,--allow-undefined"}, "wrong_step": nil,
	"trap": nil, "far": nil, "deep": nil,
	"tree": nil, "fills": {"-mbulk-memory"}, "wide": {"-mbulk-memory", "-msimd128", "-O3"}, "slow": nil, "endless": nil,
	"with_rates": nil, "learns_with_rates": nil, "not_a_number": nil, "grows": nil, "large": nil,
	"large_memory": {"-Wl,--initial-memory=33554432"},
}

// laws are the macros of laws.c.
var laws = []string{"law", "maxwell", "step_only", "at_rest", "force_traps", "traps_at_once", "force_not_a_number",
	"force_endless", "keeps", "wrong_force", "rate_traps", "rate_not_a_number", "no_rate", "moves", "no_derivative",
	"other_derivative", "no_state", "learns"}

// modulePath is a module of a test.
func modulePath(name string) string { return filepath.Join("testdata", "wasm", name+".wasm") }

// read is a module of a test.
func read(t testing.TB, name string) []byte {
	t.Helper()
	return rthstest.Must(os.ReadFile(modulePath(name)))
}

// build runs examples/wasm/build.sh, which users run, on a source and returns the module.
func build(t *testing.T, source string, more ...string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "method.wasm")
	command := exec.Command("sh", append([]string{filepath.Join("..", "..", "examples", "wasm", "build.sh"), source, out},
		more...)...)
	if text, err := command.CombinedOutput(); err != nil || len(text) > 0 {
		t.Fatalf("%s %v: %v\n%s", source, more, err, text)
	}
	return rthstest.Must(os.ReadFile(out))
}

// The modules that are committed are what the sources give. Another compiler than theirs may give other
// bytes: then the commands are the same.
func TestModulesAreBuilt(t *testing.T) {
	rthstest.Long(t)
	for _, program := range []string{"clang", "wasm-ld"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("no %s is installed (Debian: clang, lld)", program)
		}
	}
	for _, name := range []string{"template", "adaptive", "device"} {
		committed(t, filepath.Join("..", "..", "examples", "wasm", name+".wasm"),
			build(t, filepath.Join("..", "..", "examples", "wasm", name+".c")))
	}
	header := "-I" + filepath.Join("..", "..", "examples", "wasm")
	committed(t, modulePath("math"), build(t, filepath.Join("testdata", "wasm", "math.c"), header))
	lawNames := laws
	if !*update {
		lawNames = laws[:rthstest.Draws(3, len(laws))]
	}
	for _, name := range lawNames {
		committed(t, modulePath(name), build(t, filepath.Join("testdata", "wasm", "laws.c"), header,
			"-D"+strings.ToUpper(name), "-Wno-unused-variable", "-Wno-unused-but-set-variable"))
	}
	names := slices.Sorted(maps.Keys(mistakes))
	if !*update { // the first few stand for all
		names = names[:rthstest.Draws(4, len(names))]
	}
	for _, name := range names {
		more := mistakes[name]
		committed(t, modulePath(name), build(t, filepath.Join("testdata", "wasm", "mistakes.c"),
			append([]string{header, "-D" + strings.ToUpper(name), "-Wno-unused-variable"}, more...)...))
	}
}

// committed compares a module that is committed with one that was just built.
func committed(t *testing.T, path string, built []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, built, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept := rthstest.Must(os.ReadFile(path))
	version := rthstest.Must(exec.Command("clang", "--version").Output())
	switch {
	case bytes.Equal(kept, built):
	case strings.Contains(string(version), builtBy):
		t.Errorf("%s is not what its source gives: run go test ./method/compensate -run TestModulesAreBuilt -update", path)
	case strings.HasSuffix(path, "device.wasm"): // a law has no commands
	case strings.HasPrefix(path, ".."):
		if want, got := modulesCommands(t, kept), modulesCommands(t, built); !slices.Equal(got, want) {
			t.Errorf("%s does not command what its source does: run go test ./method/compensate -run "+
				"TestModulesAreBuilt -update", path)
		}
	}
}

// modulesCommands are what a module commands on the twin's targets and readings.
func modulesCommands(t *testing.T, code []byte) (out []float64) {
	c := madeOf(t, code, nil)
	onRig(4096, func(target *rths.Motion, read *rths.Reading, command []float64) {
		c.Step(command, target, read)
		out = append(out, command[0])
	})
	return out
}
