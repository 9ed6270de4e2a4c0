package export

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"rths/method/compensate"
)

// The C of every method links on a Cortex-M7 with its example, and the sizes are printed.
func TestCortexM(t *testing.T) {
	const cc = "arm-none-eabi-gcc"
	if _, err := exec.LookPath(cc); err != nil {
		t.Skipf("want %s installed (Debian: gcc-arm-none-eabi, libnewlib-arm-none-eabi)", cc)
	}
	for _, kind := range compensate.Kinds {
		if !full() && !slices.Contains([]string{"amb", "kf"}, kind.Name) {
			continue
		}
		t.Run(kind.Name, func(t *testing.T) {
			l := benchmark(kind.Name)
			files, err := C(Source{Name: "x", Title: "test", Program: "test", Compensator: l.built(t).Compensator(),
				RateHz: 4096, Axes: 1, Forces: 1})
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			files["size.c"] = "#include \"x.h\"\nchar size[sizeof(x_t)];\n"
			for name, text := range files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			arm := append([]string{"-mcpu=cortex-m7", "-mfpu=fpv5-d16", "-mfloat-abi=hard"}, flags...)
			in := func(args ...string) string {
				c := exec.Command(args[0], args[1:]...)
				c.Dir = dir
				out, err := c.CombinedOutput()
				if err != nil {
					t.Fatalf("%v: %v\n%s", args, err, out)
				}
				return string(out)
			}
			in(append(append([]string{cc}, arm...), "--specs=nosys.specs", "x.c", "x_example.c", "-lm", "-Wl,--no-warnings",
				"-o", "x.elf")...)
			in(append(append([]string{cc}, arm...), "-c", "x.c", "size.c")...)
			code, _ := sizeOf(t, in("arm-none-eabi-size", "x.o"))
			_, instance := sizeOf(t, in("arm-none-eabi-size", "size.o"))
			if code == 0 || instance == 0 {
				t.Errorf("%d bytes of code, %d of an instance", code, instance)
			}
			t.Logf("| `%s` | %d | %d |", kind.Name, instance, code)
		})
	}
}

var sizes = regexp.MustCompile(`(?m)^ *(\d+)\s+(\d+)\s+(\d+)`)

// sizeOf reads what size prints: code with constants, and memory.
func sizeOf(t *testing.T, text string) (code, memory int) {
	t.Helper()
	m := sizes.FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("no sizes in %q", text)
	}
	number := func(s string) int {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	return number(m[1]), number(m[2]) + number(m[3])
}
