package export

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// SharedLibrary compiles the sources of an FMU for this machine, by the compiler in $CC, or cc. An error says how
// to do without.
func SharedLibrary(content map[string]string, name string) ([]byte, error) {
	const hint = "want a C compiler, or its name in CC, or --sources-only for an FMU without a binary"
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return nil, fmt.Errorf("a binary for linux64 is not made on %s/%s: want --sources-only", runtime.GOOS, runtime.GOARCH)
	}
	words := strings.Fields(cmp.Or(strings.TrimSpace(os.Getenv("CC")), "cc")) // as make takes it: CC="gcc -m64"
	compiler, err := exec.LookPath(words[0])
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, hint)
	}
	dir, err := os.MkdirTemp("", "rths-fmu-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, name+".so")
	args := append(words[1:], "-std=c99", "-O2", "-ffp-contract=off", "-fPIC", "-shared", "-o", out)
	for _, file := range slices.Sorted(maps.Keys(content)) { // in one order: equal sources give equal bytes
		if !strings.HasPrefix(file, "sources/") {
			continue
		}
		path := filepath.Join(dir, filepath.Base(file))
		if err := os.WriteFile(path, []byte(content[file]), 0o600); err != nil {
			return nil, err
		}
		if strings.HasSuffix(path, ".c") {
			args = append(args, path)
		}
	}
	if said, err := exec.Command(compiler, append(args, "-lm")...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w: %.500s: %s", compiler, err,
			cmp.Or(strings.TrimSpace(string(said)), "it says nothing"), hint)
	}
	library, err := os.ReadFile(out)
	if err != nil {
		return nil, fmt.Errorf("%s made no library: %s", compiler, hint)
	}
	return library, nil
}

// Word makes a word of C of the kind of a compensator.
func Word(kind string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToLower(kind))
}
