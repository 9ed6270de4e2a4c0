package export

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"rths/method/compensate"
)

// A program in C++ may include the header of every method.
func TestHeaderInCPlusPlus(t *testing.T) {
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("want g++ installed")
	}
	for _, kind := range compensate.Kinds {
		t.Run(kind.Name, func(t *testing.T) {
			l := benchmark(kind.Name)
			files, err := C(Source{Name: "x", Title: "test", Program: "test", Compensator: l.built(t).Compensator(),
				RateHz: 4096, Axes: 1, Forces: 1, Limits: &Limits{Rate: 1}})
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			files["main.cpp"] = "#include \"x.h\"\nstatic x_t c;\nint main() { x_input in = x_input(); double u[X_AXES]; " +
				"x_init(&c); return x_step(&c, &in, u); }\n"
			for name, text := range files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if out, err := exec.Command("g++", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
				filepath.Join(dir, "main.cpp")).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		})
	}
}
