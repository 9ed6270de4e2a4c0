package export

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rths/method/compensate"
)

// FMPy finds no problem in an FMU, builds it from its sources, and gets the commands of Go to the bit. Three
// methods, or all with RTHS_FMU=1.
func TestFMUThroughFMPy(t *testing.T) {
	fmpy := os.Getenv("RTHS_FMPY")
	if fmpy == "" {
		t.Skip("want FMPy's folder in RTHS_FMPY")
	}
	kinds := []string{"amb", "adm", "kf", "tvc-rls"}
	if os.Getenv("RTHS_FMU") != "" {
		kinds = nil
		for _, k := range compensate.Kinds {
			kinds = append(kinds, k.Name)
		}
	}
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			motion, source := motionOf(t, kind)
			content, err := FMU(source)
			if err != nil {
				t.Fatal(err)
			}
			packed := map[string][]byte{}
			for name, text := range content {
				packed[name] = []byte(text)
			}
			data, err := Zip(packed)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "x.fmu")
			if err := os.WriteFile(file, data, 0o666); err != nil {
				t.Fatal(err)
			}
			run := exec.Command("/usr/bin/python3", "testdata/fmu.py", file, "compile")
			run.Env = append(os.Environ(), "PYTHONPATH="+fmpy, "PYTHONDONTWRITEBYTECODE=1")
			run.Stdin = bytes.NewReader(motion.bytes(source.Axes, source.Forces))
			var errs bytes.Buffer
			run.Stderr = &errs
			out, err := run.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, errs.String())
			}
			compare(t, "FMPy", numbers(t, out), motion.commands(source.Compensator, source.Axes))
		})
	}
}

// motionOf is the motion of a run with a method on the benchmark, and a fresh compensator of that method.
func motionOf(t *testing.T, kind string) (stream, Source) {
	t.Helper()
	l := benchmark(kind)
	motion := l.motion(t)
	return motion, source(l.built(t).Compensator(), motion[0])
}

// Other sources have another GUID, and texts of users do not end XML or C.
func TestFMUDescription(t *testing.T) {
	_, source := motionOf(t, "amb")
	source.Title = `amb of "a & b" */ /* <x>` + "\n"
	one, err := FMU(source)
	if err != nil {
		t.Fatal(err)
	}
	if text := one["modelDescription.xml"]; !strings.Contains(text,
		`description="amb of &#34;a &amp; b&#34; */ /* &lt;x&gt;`) {
		t.Errorf("%.600s", text)
	}
	if text := one["sources/x.c"]; !strings.HasPrefix(text, `/* amb of "a & b" * / / * <x>  */`) {
		t.Errorf("%.100q", text)
	}
	source.RateHz *= 2
	other, err := FMU(source)
	if err != nil {
		t.Fatal(err)
	}
	guid := func(text string) string {
		_, text, _ = strings.Cut(text, `guid="`)
		return text[:38]
	}
	if a, b := guid(one["modelDescription.xml"]), guid(other["modelDescription.xml"]); a == b || a[0] != '{' ||
		a[37] != '}' {
		t.Errorf("guids %s and %s", a, b)
	}
	for _, name := range []string{"", "Amb", "1a", "a-b", "a/b", "double", "math", "size", "con",
		strings.Repeat("a", 50)} {
		source.Name = name
		if _, err := FMU(source); err == nil {
			t.Errorf("name %q is taken", name)
		}
	}
}
