package rthstest

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Independent runs a program of kit/independent and returns its lines: a name, then
// numbers. These programs share no code with this module; constants of tests that come from
// one are compared with it. The test is skipped where Python has no numpy and scipy (for a
// program in C: without a C compiler), and without RTHS_FULL=1, with which .ci/run calls
// them: they take a minute of one core in all.
func Independent(t testing.TB, program string, args ...string) map[string][]float64 {
	t.Helper()
	if Draws(0, 1) == 0 || testing.Short() {
		t.Skip("RTHS_FULL=1 runs the programs of kit/independent")
	}
	_, here, _, _ := runtime.Caller(0)
	source := filepath.Join(filepath.Dir(here), "..", "independent", program)
	var command *exec.Cmd
	if filepath.Ext(program) == ".c" {
		command = exec.Command(Compile(t, "-O2", source), args...)
	} else {
		python := numpy()
		if python == "" {
			t.Skip("no Python with numpy and scipy is installed (Debian: python3-scipy): " + program)
		}
		command = exec.Command(python, append([]string{source}, args...)...)
	}
	command.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "OPENBLAS_NUM_THREADS=1")
	text, err := command.Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		t.Fatalf("%s: %v\n%s", program, err, failed.Stderr)
	} else if err != nil {
		t.Fatalf("%s: %v", program, err)
	}
	out := map[string][]float64{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		for _, field := range fields[1:] {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				t.Fatalf("%s: line %q: %v", program, line, err)
			}
			out[fields[0]] = append(out[fields[0]], v)
		}
	}
	return out
}

// Compile compiles sources in C, among the compiler's other arguments, and returns the program. The test is
// skipped where there is no C compiler.
func Compile(t testing.TB, args ...string) string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler is installed (Debian: gcc)")
	}
	program := filepath.Join(t.TempDir(), "program")
	if text, err := exec.Command(cc, append(args, "-o", program, "-lm")...).CombinedOutput(); err != nil {
		t.Fatalf("cc %s: %v\n%s", strings.Join(args, " "), err, text)
	}
	return program
}

// Python is the system's Python. The test is skipped where there is none.
func Python(t testing.TB) string {
	t.Helper()
	for _, program := range []string{"/usr/bin/python3", "python3"} {
		if path, err := exec.LookPath(program); err == nil {
			return path
		}
	}
	t.Skip("no Python is installed (Debian: python3)")
	return ""
}

// numpy is a Python with numpy and scipy, the system's first; "" where there is none.
var numpy = sync.OnceValue(func() string {
	for _, program := range []string{"/usr/bin/python3", "python3"} {
		const find = "import importlib.util as u; print(all(u.find_spec(m) for m in ['numpy', 'scipy']))"
		if out, err := exec.Command(program, "-c", find).Output(); err == nil && strings.TrimSpace(string(out)) == "True" {
			return program
		}
	}
	return ""
})

// NearAll wants as many numbers as wanted, each within the relative tolerance.
func NearAll(t TB, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers %g: want %g", what, len(got), got, want)
	}
	for i, w := range want {
		Near(t, what+" "+strconv.Itoa(i+1), got[i], w, tolerance*math.Abs(w))
	}
}
